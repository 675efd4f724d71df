"""``device probe|monitor|capture``: who is at a port, what it says, and its traffic in a file. Shows no card and no tag."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from enum import Enum
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from controller.cli.device_sim import add_sim_command, finished, readable_path
from controller.cli.parsing import DOES_NOT_HOLD, OK, Parser, UsageError, add_command, add_json, count, print_json, progress
from drivers.clock import SystemClock
from drivers.factory import ReaderDriver, ReaderSetup, WiredAntenna
from drivers.feig.frames import ANY_ADDRESS
from drivers.feig.probe import Heard, ReaderFound, answering, ask_readers, find_line, line_settings, listen
from drivers.link.base import Link, Opener
from drivers.link.serial import PSEUDO_TERMINALS, SOCKET_PREFIX, Parity, SerialSettings, opener_for
from drivers.link.visit import visit
from drivers.ports import AntennaScan, DeviceEvent, DriverError, LinkChanged, LinkState, ReaderPort
from drivers.registry import reader_driver, reader_names, shoe_driver
from drivers.shoe.codec import parse_device
from drivers.shoe.lines import MAX_SIGNED_BYTES, LineError, LineFramer, parse_line
from drivers.shoe.messages import CardRead, DeviceHello, DeviceMessage
from drivers.shoe.probe import ShoeAnswer, ask_shoe
from simulators.bridge import Bridge
from simulators.byte_faults import ByteFaults, chunks, lines
from simulators.capture import Recorder, TappedOpener
from simulators.faulty_port import FaultyPort
from simulators.ports import PseudoTerminal

SHOE: Final = "shoe"
PN532: Final = "pn532"
KINDS: Final = (SHOE, "feig", PN532)
FIRST_SCAN_S: Final = 3.0
"""Longest wait for a PN532 to wake up and be scanned once."""


def add_device_commands(commands: Any) -> None:
    """Add ``device`` with its own commands."""
    about = "one device at one port: identify it, watch it, record it, or simulate one"
    device = commands.add_parser("device", help=about, description=about)
    own = device.add_subparsers(dest="device_command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_probe(own)
    _add_monitor(own)
    _add_capture(own)
    add_sim_command(own)


def _add_port(parser: argparse.ArgumentParser, *, kinds: tuple[str, ...]) -> None:
    parser.add_argument("port", metavar="PORT", help="the serial port, as /dev/serial/by-path/…, or socket://host:port")
    parser.add_argument(
        "--as", dest="kind", choices=kinds, metavar="|".join(kinds), help="the kind of device (default: find out)"
    )
    parser.add_argument(
        "--baud", type=count, default=0, metavar="N", help="speed of the line (default: as the maker delivers it)"
    )
    parser.add_argument("--parity", choices=("none", "even", "odd"), help="parity (default: as the maker delivers it)")


def _line(options: argparse.Namespace, kind: str) -> SerialSettings:
    """How the line is set for a kind of device, unless the options say otherwise."""
    made = (shoe_driver("tsp1") if kind == SHOE else reader_driver(kind)).line
    parity = made.parity if options.parity is None else Parity(options.parity[0].upper())
    return SerialSettings(options.baud or made.baud, parity)


def _opener(options: argparse.Namespace, kind: str) -> Opener:
    return opener_for(options.port, _line(options, kind))


def _asked(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """What the port refuses is one sentence, and wrong use."""

    def asked(options: argparse.Namespace) -> int:
        try:
            return run(options)
        except DriverError as error:
            raise UsageError(str(error)) from None

    return asked


# --- probe


def _add_probe(commands: Any) -> None:
    about = "who is at a port: asks as shoe, FEIG reader and PN532 in turn, changes nothing"
    parser = add_command(commands, "probe", _asked(_probe), about, "stud-table device probe /dev/serial/by-path/… --json")
    _add_port(parser, kinds=KINDS)
    parser.add_argument(
        "--antennas", type=_addresses, metavar="1,2,…", help="FEIG: addresses to ask (default: all from 0 to 254, 20 s)"
    )
    add_json(parser)


def _probe(options: argparse.Namespace) -> int:
    found, unasked = asyncio.run(_find(options))
    if options.json:
        heard = {"unasked": unasked} if unasked else {}
        print_json({"port": options.port, "found": found is not None, **(found or heard)})
    elif found is not None:
        sys.stdout.write("".join(f"{line}\n" for line in _probe_lines(found)))
    if found is None:
        sys.stderr.write(f"stud-table: {_silence(options, unasked)}\n")
    return DOES_NOT_HOLD if found is None else OK


def _silence(options: argparse.Namespace, unasked: int) -> str:
    """What is wrong at a port where nobody answers; ``unasked`` lines of a shoe were heard there."""
    if not unasked:
        asked = options.kind or ", ".join(KINDS)
        hint = ", or leave out --as" if options.kind else ""
        return f"nothing that we know answers at {options.port} (asked as {asked}): check power and cable{hint}"
    lines = f"{unasked} line{'' if unasked == 1 else 's'}"
    return (
        f"a shoe speaks at {options.port} ({lines}) and does not answer our question: check the cable towards the shoe; "
        "one that authenticates answers stud-table check alone, a recorded one nobody: watch it with device monitor"
    )


def _probe_lines(found: dict[str, Any]) -> Iterator[str]:
    """What was found, for people: a line each, readers that share a line one by one."""
    yield from (f"{name}: {value}" for name, value in found.items() if name != "readers")
    if len(found.get("readers", ())) > 1:
        for reader in found["readers"]:
            yield ", ".join(f"{name} {value}" for name, value in reader.items())


async def _find(options: argparse.Namespace) -> tuple[dict[str, Any] | None, int]:
    """The device that answers, or the number of a shoe's lines that answer nothing of ours: then it is no other device."""
    kinds = (options.kind,) if options.kind else KINDS
    if SHOE in kinds:
        answer = await ask_shoe(_opener(options, SHOE), random.SystemRandom())
        if answer.hello is not None:
            return {"kind": SHOE, **_shoe_told(answer, answer.hello)}, 0
        if answer.unasked:
            return None, answer.unasked
    ask = {"feig": _ask_feig, PN532: _ask_pn532}
    for kind in kinds:
        found = await ask[kind](options) if kind in ask else None
        if found is not None:
            return {"kind": kind, **found}, 0
    return None, 0


def _shoe_told(answer: ShoeAnswer, hello: DeviceHello) -> dict[str, Any]:
    told: dict[str, Any] = {"node": answer.node, "model": hello.model, "firmware": hello.firmware, "serial": hello.serial}
    if answer.beat is not None:
        told |= {"state": answer.beat.state, "errors": list(answer.beat.errors), "cards": answer.beat.remaining}
    return told


async def _ask_feig(options: argparse.Namespace) -> dict[str, Any] | None:
    """Whether readers are there: at the line settings asked for, else at any that they can have."""
    line, clock = _line(options, "feig"), SystemClock()
    if await listen(opener_for(options.port, line), clock, line) is not Heard.NOTHING:
        found = await _at_each_address(options, line)
        if found:
            return found
    if options.port.startswith(SOCKET_PREFIX) or _is_pseudo(options.port):
        return None
    other = await find_line(partial(opener_for, options.port), clock, without=line)
    return None if other is None else await _at_each_address(options, other)


def _is_pseudo(port: str) -> bool:
    """A pseudo-terminal has no speed that a host could set."""
    return Path(port).resolve().is_relative_to(PSEUDO_TERMINALS)


async def _at_each_address(options: argparse.Namespace, line: SerialSettings) -> dict[str, Any] | None:
    """Every reader of the line with what it says of itself; one alone is told as such too."""
    opener, clock = opener_for(options.port, line), SystemClock()
    wanted = options.antennas if options.antennas is not None else range(ANY_ADDRESS)
    addresses = await answering(opener, wanted, clock, line, lambda address: progress(f"asking address {address}"))
    progress("")
    asked = await ask_readers(opener, addresses, clock, line_settings(line))
    readers = [_told(reader) for reader in asked.values() if reader is not None]
    if not readers:
        return None
    return {"line": str(line), **(readers[0] if len(readers) == 1 else {}), "readers": readers}


def _told(reader: ReaderFound) -> dict[str, Any]:
    version = reader.version
    told: dict[str, Any] = {"address": reader.address, "software": f"{version.software >> 8}.{version.software & 0xFF:02d}"}
    told |= {"hardware": f"{version.hardware:02X}", "device_id": reader.device_id}
    return {**told, "tags": None if reader.tags is None else len(reader.tags)}


async def _ask_pn532(options: argparse.Namespace) -> dict[str, Any] | None:
    """The chip as its driver finds it: woken up and scanned once."""
    found: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()

    async def deliver(event: DeviceEvent) -> None:
        if found.done():
            return
        match event:
            case AntennaScan():
                found.set_result({"identity": reader.report().antennas[0].identity, "tags": len(event.tags)})
            case LinkChanged(antenna=0, state=LinkState.DOWN):
                found.set_result(None)
            case _:
                pass

    opener = _opener(options, PN532)
    reader = _reader(PN532, opener, (1,), _line(options, PN532), deliver)
    async with visit(opener, _Nobody()):
        pass  # a port that cannot be opened is an error here, not something to wait for
    running = asyncio.create_task(reader.run())
    try:
        async with asyncio.timeout(FIRST_SCAN_S):
            return await found
    except TimeoutError:
        return None
    finally:
        await finished(running)


class _Nobody:
    def link_opened(self, link: Link) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        pass

    def link_lost(self, reason: str) -> None:
        pass


def _reader(kind: str, opener: Opener, antennas: tuple[int, ...], line: SerialSettings, deliver: Any) -> ReaderPort:
    driver: ReaderDriver = reader_driver(kind)
    problems = driver.problems({}, len(antennas))
    if problems:
        raise UsageError(f"{kind}: {problems[0]}")
    wired = tuple(map(WiredAntenna, antennas))
    rng = random.SystemRandom()
    return driver.make(
        ReaderSetup(name=kind, opener=opener, deliver=deliver, clock=SystemClock(), rng=rng, antennas=wired, baud=line.baud)
    )


# --- monitor


def _add_watching(parser: argparse.ArgumentParser) -> None:
    kinds = (SHOE, *reader_names())
    _add_port(parser, kinds=kinds)
    parser.add_argument("--antennas", type=_addresses, default=(1,), metavar="1,2,…", help="addresses on the line (default 1)")
    parser.add_argument("--seconds", type=count, default=0, metavar="N", help="end after N seconds (default: on Ctrl-C)")


def _addresses(text: str) -> tuple[int, ...]:
    numbers = [part.strip() for part in text.split(",")]
    if not all(number.isdecimal() and int(number) < ANY_ADDRESS for number in numbers):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of addresses from 0 to 254, as 1,2,3")
    if len(set(map(int, numbers))) != len(numbers):
        raise argparse.ArgumentTypeError(f"{text!r} names an address twice: each reader of a line has its own")
    return tuple(map(int, numbers))


def _add_monitor(commands: Any) -> None:
    about = "what a device says, line by line; a shoe is only listened to, readers are scanned as at a table"
    parser = add_command(
        commands, "monitor", _asked(_monitor), about, "stud-table device monitor /dev/… --as feig --antennas 1,2"
    )
    _add_watching(parser)
    add_json(parser)


def _monitor(options: argparse.Namespace) -> int:
    said = _Said(sys.stderr if options.json else sys.stdout)
    asyncio.run(_watch(options, said, None))
    if options.json:
        print_json({"port": options.port, "said": said.counts})
    return OK


class _Said:
    """Prints what is told and counts it; the same of an antenna twice in a row is told once."""

    def __init__(self, out: IO[str] | None) -> None:
        self._out = out
        self._last: dict[int, str] = {}
        self._began = time.monotonic()
        self.counts: dict[str, int] = {}

    def tell(self, what: str, line: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        if self._out is not None:
            self._out.write(f"{time.monotonic() - self._began:9.3f}  {line}\n")
            self._out.flush()

    async def event(self, event: DeviceEvent) -> None:
        """One event of a reader: how many tags, never which."""
        match event:
            case AntennaScan(antenna=antenna, tags=tags, clean=clean):
                line = (
                    f"antenna {antenna}: {len(tags)} tag{'' if len(tags) == 1 else 's'}{'' if clean else ', some may be missing'}"
                )
                if self._last.get(antenna) == line:
                    self.counts["scan"] = self.counts.get("scan", 0) + 1
                    return
                self._last[antenna] = line
                self.tell("scan", line)
            case LinkChanged(state=state, detail=detail):
                self.tell(state.value, f"{state.value}: {detail}")
            case _:
                self.tell(type(event).__name__, type(event).__name__)


class _Listening:
    """Listens to a shoe and says nothing itself."""

    def __init__(self, said: _Said) -> None:
        self._said = said
        self._framer = LineFramer(MAX_SIGNED_BYTES)
        self._bad = 0
        self.lost = asyncio.Event()
        self.reason = ""

    def link_opened(self, link: Link) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        for body in self._framer.feed(data):
            with suppress(LineError):
                self._said.tell(*_words(parse_device(parse_line(body))))
        for _ in range(self._framer.bad_lines - self._bad):
            self._said.tell("bad line", "a line that is damaged or none of TSP/1")
        self._bad = self._framer.bad_lines

    def link_lost(self, reason: str) -> None:
        self.reason = reason
        self.lost.set()


def _words(message: DeviceMessage) -> tuple[str, str]:
    """A message of a shoe, by name and in words; a card is not told."""
    name = type(message).__name__
    if isinstance(message, CardRead):
        return name, f"{name} {message.mode.value}, draw {message.draw_no}, {message.remaining} left"
    return name, " ".join((name, *(f"{key}={_plain(value)}" for key, value in asdict(message).items() if value not in ("", ()))))


def _plain(value: object) -> str:
    """A field of a message as the maker's paper writes it."""
    if isinstance(value, Enum):
        return str(value.value)
    return ",".join(map(_plain, value)) if isinstance(value, tuple) else str(value)


async def _watch(options: argparse.Namespace, said: _Said, recorder: Recorder | None) -> None:
    """Watch the device until the time is over or somebody ends it."""
    kind = options.kind
    if kind is None:
        found, unasked = await _find(options)
        if found is None and not unasked:
            raise UsageError(f"nothing that we know answers at {options.port}: say by --as what it is")
        kind = SHOE if found is None else str(found["kind"])
    opener = _opener(options, kind)
    if recorder is not None:
        opener = TappedOpener(opener, recorder, port=kind)
    if kind == SHOE:
        listening = _Listening(said)
        async with visit(opener, listening):
            await finished(asyncio.create_task(listening.lost.wait()), after_s=options.seconds)
        return
    reader = _reader(kind, opener, options.antennas, _line(options, kind), said.event)
    async with visit(_opener(options, kind), _Nobody()):
        pass
    await finished(asyncio.create_task(reader.run()), after_s=options.seconds)


# --- capture


def _add_capture(commands: Any) -> None:
    about = "record a port to a file of JSON lines: alone, or between a device and the controller that opens LINK instead"
    example = "stud-table device capture /dev/… --as feig --link /tmp/felt-a --out felt-a.jsonl --faults drop=0.01,late=0.1"
    parser = add_command(commands, "capture", _asked(_capture), about, example)
    _add_watching(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the capture; it holds cards and tags, mode 0600")
    parser.add_argument("--link", type=Path, metavar="PATH", help="stand between: the controller opens this pseudo-terminal")
    parser.add_argument(
        "--faults", type=_faults, default={}, metavar="NAME=CHANCE,…", help="with --link: byte faults, both ways, chances 0 to 1"
    )
    add_json(parser)


def _faults(text: str) -> dict[str, float]:
    chances: dict[str, float] = {}
    names = [name for name in ByteFaults.__slots__ if not name.endswith("_s")]
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            chances[name] = float(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{part!r} is no fault: write name=chance, as drop=0.01") from None
        if name not in names or not 0.0 <= chances[name] <= 1.0:
            raise argparse.ArgumentTypeError(f"{part!r} is no fault: the names are {', '.join(names)}, chances 0 to 1")
    return chances


def _capture(options: argparse.Namespace) -> int:
    if options.faults and options.link is None:
        raise UsageError("--faults needs --link: faults stand between the device and the controller")
    if options.link is not None and options.kind is None:
        raise UsageError("--link needs --as: say what the device is, so that its line is set as it was made")
    said = _Said(None)
    try:
        descriptor = os.open(options.out, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise UsageError(f"{options.out} is there already: name another file with --out, or move it away") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        recorder = Recorder(file.write, time.monotonic, device=options.kind or "", address=options.port)
        try:
            asyncio.run(_between(options, recorder) if options.link is not None else _watch(options, said, recorder))
        except (DriverError, UsageError):
            options.out.unlink()
            raise
    if options.json:
        print_json({"port": options.port, "file": str(options.out), "entries": recorder.entries, "bytes": recorder.bytes})
    else:
        sys.stderr.write(f"{recorder.entries} entries, {recorder.bytes} bytes in {options.out}; it holds cards and tags\n")
    return OK


async def _between(options: argparse.Namespace, recorder: Recorder) -> None:
    """The real device, then the recorder, then the faults, then the controller's port."""
    terminal = PseudoTerminal(readable_path(options.link))
    port = FaultyPort(terminal, rng=random.Random(), cut=lines if options.kind == SHOE else chunks)
    for faults in (port.to_host, port.to_device):
        for name, chance in options.faults.items():
            setattr(faults, name, chance)
    bridge = Bridge(TappedOpener(_opener(options, options.kind), recorder, port=options.kind), port)
    await finished(asyncio.create_task(bridge.run()), after_s=options.seconds)
