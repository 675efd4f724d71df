"""``device sim``: one simulated device on a pseudo-terminal, told what to do by lines on standard input, never over its port."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.cli.parsing import OK, UsageError, add_command, count
from controller.hand.cards import DECK
from controller.tracking.registry import RegistryError, parse_registry_toml
from controller.whole_file import write_whole
from drivers.link.serial import Parity
from drivers.registry import reader_driver, shoe_driver
from drivers.shoe.device_memory import ShoeIdentity, ShoeMemory
from simulators.capture import Capture, CaptureError, read_capture
from simulators.device_port import DevicePort, LineSpeed
from simulators.feig_reader import FeigReaders
from simulators.felt import FULL_DECK, HAND, PACKET, Felt, FeltError
from simulators.field import Field
from simulators.pn532 import SimulatedPn532
from simulators.ports import PseudoTerminal
from simulators.replay import REQUESTS, LenientReplay, kind_of
from simulators.rig import make_tags
from simulators.shoe import SimulatedShoe

SET_ID: Final = "SIMDECK1"
KINDS: Final = ("shoe", "feig", "pn532", "replay")


Act = Callable[[Sequence[str]], str]
"""Carries out one line of words; the answer is for people. ``_SayError`` when it cannot."""


class _SayError(Exception):
    """Why a line cannot be carried out."""


def add_sim_command(commands: Any) -> None:
    """Add ``sim``."""
    about = "one simulated device on a pseudo-terminal, until Ctrl-C; lines on standard input tell it what happens"
    parser = add_command(commands, "sim", _sim, about, 'stud-table device sim pn532 --link /tmp/desk --cards "As Kd"')
    parser.add_argument("device", choices=KINDS, help="a shoe, a line of FEIG readers, a PN532, or a recorded one of these")
    parser.add_argument("--link", type=Path, required=True, metavar="PATH", help="name of the pseudo-terminal")
    parser.add_argument("--cards", default="", metavar='"As Kd …"', help="in the shoe, first on top, or on the first antenna")
    parser.add_argument("--antennas", type=count, default=1, metavar="N", help="FEIG: readers on the line, addresses 1 to N")
    parser.add_argument("--deck", type=Path, metavar="FILE", help="deck.toml with the cards' tags (default: tags by the seed)")
    parser.add_argument(
        "--memory", type=Path, metavar="FILE", help="shoe: what it keeps without current; without it each start is another shoe's"
    )
    parser.add_argument("--capture", type=Path, metavar="FILE", help="replay: the recording to answer from")
    parser.add_argument("--baud", type=count, default=0, metavar="N", help="pace of the line (default: as the maker delivers it)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of tags and faults (default 1)")


def readable_path(path: Path) -> Path:
    """``path``, where a pseudo-terminal can be published: its folder is there, and nothing else bears the name."""
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be made: there is no folder {path.parent}")
    if path.exists() and not path.is_symlink():
        raise UsageError(f"{path} is there already and is no link of a simulated device: give another name")
    if path.is_char_device():
        raise UsageError(f"{path} leads to an open terminal: stop the device that runs there, or remove the link where none does")
    return path


async def finished(running: asyncio.Task[Any], *, after_s: float | None = None) -> None:
    """Wait for ``running``, at most ``after_s`` seconds (0: as long as it takes), or until a signal; then end it. What it raises
    comes through. Without ``after_s`` it is ended at once."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    if after_s is not None:
        for wanted in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(wanted, stop.set)
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, timeout=after_s or None, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
        for wanted in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(wanted)
    running.cancel()
    outcomes: list[object] = await asyncio.gather(running, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, ExceptionGroup):
            raise outcome.exceptions[0]
        if isinstance(outcome, Exception):
            raise outcome


def _sim(options: argparse.Namespace) -> int:
    asyncio.run(_run(options))
    return OK


async def _run(options: argparse.Namespace) -> None:
    kind, made = options.device, {"shoe": _shoe, "feig": _feig, "pn532": _pn532}.get(options.device)
    if made is None:
        capture = _recording(options)
        kind, made = kind_of(capture), partial(_replay, capture)
    port = PseudoTerminal(readable_path(options.link), pace=_pace(options, kind))
    acts = {"unplug": _plain(port.unplug), "replug": _plain(port.replug)}
    acts |= made(options, port)
    port.replug()
    sys.stdout.write(f"{options.device} on {options.link}; lines on standard input: {', '.join(acts)}\n")
    sys.stdout.flush()
    try:
        await finished(asyncio.create_task(_obey(acts)), after_s=0)
    finally:
        port.close()


def _pace(options: argparse.Namespace, kind: str) -> LineSpeed:
    line = (shoe_driver("tsp1") if kind == "shoe" else reader_driver(kind)).line
    return LineSpeed(options.baud or line.baud, parity=line.parity is not Parity.NONE)


async def _obey(acts: Mapping[str, Act]) -> None:
    """Carry out the lines of standard input; after its end the device just goes on."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or sys.stdin.isatty()):
        await asyncio.Event().wait()  # a file or /dev/null says nothing more: the device just goes on
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        while line := await reader.readline():
            words = line.decode(errors="replace").split()
            if not words:
                continue
            act = acts.get(words[0])
            try:
                said = f"there is no {words[0]!r}; there are {', '.join(acts)}" if act is None else act(words[1:])
            except (_SayError, FeltError, ValueError, RuntimeError) as error:
                said = str(error)
            sys.stdout.write(said + "\n")
            sys.stdout.flush()
        await asyncio.Event().wait()
    finally:
        transport.close()


def _plain(act: Callable[[], object]) -> Act:
    """A line without words behind it."""

    def obey(_: Sequence[str]) -> str:
        act()
        return "done"

    return obey


# --- the devices


def _cards(text: str) -> list[str]:
    """Cards as ``As Kd``, each once; ``UsageError`` names the first bad one."""
    cards = text.split()
    for card in cards:
        if card not in FULL_DECK:
            raise UsageError(f"{card!r} is no card: write rank and suit, as As or Td")
    if len(set(cards)) != len(cards):
        raise UsageError("a card is given twice: each of the 52 is there once")
    return cards


def _shoe(options: argparse.Namespace, port: DevicePort) -> dict[str, Act]:
    rng = random.Random(options.seed)
    packet = _cards(options.cards) or rng.sample(FULL_DECK, len(FULL_DECK))
    shoe = SimulatedShoe(port, identity=ShoeIdentity(), memory=_remembered(options.memory))
    shoe.on_change = partial(_keep, shoe, options.memory)
    shoe.start()
    shoe.load([card.upper() for card in packet], SET_ID)

    def draw(_: Sequence[str]) -> str:
        return "the gate is closed or the shoe is empty" if shoe.draw() is None else f"drawn, {shoe.remaining} left"

    def load(words: Sequence[str]) -> str:
        cards = list(words) or rng.sample(FULL_DECK, len(FULL_DECK))
        shoe.load([card.upper() for card in _known(cards)], SET_ID)
        return f"{len(cards)} cards in the shoe"

    return {
        "draw": draw,
        "load": load,
        "reinsert": lambda _: "no card is out" if shoe.reinsert() is None else f"back in, {shoe.remaining} left",
        "restart": _plain(shoe.restart),
    }


def _remembered(path: Path | None) -> ShoeMemory:
    """What the shoe of an earlier run kept, if there was one. ``UsageError`` for a file that is no memory."""
    if path is None or not path.exists():
        return ShoeMemory()
    wrong = UsageError(f"{path} is no memory of a shoe: give the file that an earlier run wrote, or a new name")
    try:
        kept = json.loads(path.read_bytes())
    except ValueError:
        raise wrong from None
    names = {field.name for field in fields(ShoeMemory)}
    if not isinstance(kept, dict) or set(kept) != names or not all(type(value) is int and value >= 0 for value in kept.values()):
        raise wrong
    return ShoeMemory(**kept)


def _keep(shoe: SimulatedShoe, path: Path | None) -> None:
    """Write down what the shoe must know after a loss of current, where it has changed: a process may be killed at any time."""
    if path is not None and (not path.exists() or _remembered(path) != shoe.memory):
        write_whole(path, json.dumps(asdict(shoe.memory)))


def _known(cards: Sequence[str]) -> Sequence[str]:
    strange = [card for card in cards if card not in FULL_DECK]
    if strange:
        raise _SayError(f"{strange[0]!r} is no card: write rank and suit, as As or Td")
    return cards


def _felt(options: argparse.Namespace, tags: dict[str, str], places: Sequence[str]) -> tuple[Felt, Field, dict[str, Act]]:
    """A felt of ``places``, antennas 1, 2 …, with the cards of the options on the first, and what can be done with it."""
    felt = Felt(tags, places)
    field = Field(felt, rng=random.Random(options.seed))

    def move(card: str, target: str) -> str:
        _known([card])
        felt.move(card, target, origin=felt.where(card), at=asyncio.get_running_loop().time())
        return "done"

    def put(words: Sequence[str]) -> str:
        if len(words) not in (1, 2):
            raise _SayError("write: put As 1")
        return move(words[0], places[0] if len(words) == 1 else f"antenna/{words[1]}")

    def take(words: Sequence[str]) -> str:
        if len(words) != 1:
            raise _SayError("write: take As")
        return move(words[0], HAND)

    def miss(words: Sequence[str]) -> str:
        if len(words) != 1:
            raise _SayError("write: miss 0.1")
        try:
            chance = float(words[0])
        except ValueError:
            chance = math.nan
        if not 0.0 <= chance <= 1.0:
            raise _SayError(f"{words[0]!r} is no chance: write 0 to 1, as miss 0.1 for one scan in ten")
        field.faults.miss = chance
        return "done"

    for card in _cards(options.cards):
        felt.move(card, places[0], origin=PACKET, at=0.0)
    return felt, field, {"put": put, "take": take, "miss": miss}


def _feig(options: argparse.Namespace, port: DevicePort) -> dict[str, Act]:
    if not 1 <= options.antennas <= 254:
        raise UsageError(f"a line has 1 to 254 readers, not {options.antennas}")
    wired = {address: f"antenna/{address}" for address in range(1, options.antennas + 1)}
    tags = _tags(options.deck) or make_tags(random.Random(options.seed))
    felt, field, acts = _felt(options, tags, list(wired.values()))
    rng = random.Random(options.seed)
    FeigReaders(port, addresses=wired, tags=felt.antennas(wired), rng=rng, reads=field.antennas(wired))
    return acts


def _pn532(options: argparse.Namespace, port: DevicePort) -> dict[str, Act]:
    rng = random.Random(options.seed)
    tags = _tags(options.deck) or {
        card: f"04{serial:012X}" for card, serial in zip(FULL_DECK, rng.sample(range(1 << 48), 52), strict=True)
    }
    _, field, acts = _felt(options, tags, ["antenna/1"])
    chip = SimulatedPn532(port, tags=field.antennas({1: "antenna/1"}), rng=rng)
    return {**acts, "restart": _plain(chip.power_cycle)}


def _tags(deck: Path | None) -> dict[str, str]:
    """The tags of a deck's file by card, none without one."""
    if deck is None:
        return {}
    try:
        registry = parse_registry_toml(deck.read_bytes())
    except RegistryError as error:
        raise UsageError(f"{deck}: {error}") from None
    return {card.text: registry.tag(card) for card in DECK}


def _recording(options: argparse.Namespace) -> Capture:
    """The recording of one device; ``UsageError`` says why it cannot be replayed."""
    if options.capture is None:
        raise UsageError("a replay needs --capture FILE")
    try:
        with options.capture.open(encoding="utf-8") as lines:
            capture = read_capture(lines)
        kind_of(capture)
    except CaptureError as error:
        raise UsageError(f"{options.capture}: {error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{options.capture} is no capture: it is no text") from None
    ports = capture.ports()
    if len(ports) != 1:
        raise UsageError(f"{options.capture} holds {len(ports)} ports: a replay takes one")
    return capture


def _replay(capture: Capture, _: argparse.Namespace, port: DevicePort) -> dict[str, Act]:
    LenientReplay(port, capture.entries, requests=REQUESTS[kind_of(capture)])
    return {}
