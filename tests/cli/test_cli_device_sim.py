"""``device sim``: what the lines on standard input do to each simulated device. Here on lines in memory."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.device_sim import _feig, _pn532, _recording, _replay, _shoe, _tags, add_sim_command, readable_path
from controller.cli.parsing import WRONG_USE, UsageError
from controller.rehearsal import START
from controller.tracking.registry import generate_registry
from drivers.clock import LoopClock
from drivers.feig.probe import ReaderFound, ask_readers
from drivers.feig.session import LineSettings
from drivers.link.base import Opener
from drivers.link.visit import visit
from drivers.pn532.messages import ListTargets, SamConfiguration
from drivers.pn532.session import ChipSession, Patience
from drivers.pn532.wire import ChipWire
from drivers.shoe.probe import ask_shoe
from simulators.capture import Recorder, TappedOpener
from simulators.memory_link import MemoryLink
from simulators.replay import kind_of
from simulators.virtual_time import run_virtual


def options(*words: str) -> argparse.Namespace:
    """The options of ``device sim``."""
    parser = argparse.ArgumentParser()
    add_sim_command(parser.add_subparsers())
    return parser.parse_args(["sim", *words, "--link", "unused"])


def test_readers_read_what_is_put_on_them(tmp_path: Path) -> None:
    """The tags of the deck's file: first on antenna 1, then where the lines say."""
    registry = generate_registry(random.Random(1))
    deck = tmp_path / "deck.toml"
    deck.write_text(registry.toml(), encoding="utf-8")
    tags = _tags(deck)
    assert len(tags) == 52

    async def story() -> None:
        line = MemoryLink()
        acts = _feig(options("feig", "--antennas", "2", "--cards", "As Kd", "--deck", str(deck)), line)

        async def read() -> dict[int, set[str]]:
            found = await ask_readers(line, (1, 2), LoopClock(START), LineSettings())
            return {address: lying(reader) for address, reader in found.items()}

        assert await read() == {1: {tags["As"], tags["Kd"]}, 2: set()}
        assert acts["put"](["As", "2"]) == "done"
        assert acts["put"](["2c"]) == "done"
        assert acts["take"](["Kd"]) == "done"
        assert await read() == {1: {tags["2c"]}, 2: {tags["As"]}}
        assert acts["miss"](["1.0"]) == "done"
        assert await read() == {1: set(), 2: set()}

    run_virtual(story(), max_seconds=100)


def lying(reader: ReaderFound | None) -> set[str]:
    """What a reader that answers reads."""
    assert reader is not None
    return set(reader.tags or ())


def test_a_shoe_is_loaded_drawn_from_and_restarted() -> None:
    """The gate is closed without a controller; a chip on the desk has other tags, and loses its current."""

    async def story() -> None:
        acts = _shoe(options("shoe", "--cards", "As Kd"), MemoryLink())
        assert acts["draw"]([]) == "the gate is closed or the shoe is empty"
        assert acts["load"]([]) == "52 cards in the shoe"
        assert acts["load"](["As"]) == "1 cards in the shoe"
        assert acts["reinsert"]([]) == "no card is out"
        assert acts["restart"]([]) == "done"
        desk = _pn532(options("pn532", "--cards", "As"), MemoryLink())
        assert desk["restart"]([]) == "done"
        assert desk["take"](["As"]) == "done"
        await asyncio.sleep(0)

    run_virtual(story(), max_seconds=10)


def test_a_shoe_that_is_started_again_with_its_memory_is_the_same_shoe(tmp_path: Path) -> None:
    """Its boot number goes on, also after a kill: a table stops for good where a shoe's numbers go back. Each change is kept."""
    memory = tmp_path / "shoe.json"

    def kept() -> dict[str, int]:
        told: dict[str, int] = json.loads(memory.read_text())
        return told

    async def story() -> None:
        acts = _shoe(options("shoe", "--memory", str(memory)), MemoryLink())
        assert kept() == {"boot": 1, "load": 1, "draw_no": 0, "remaining": 52}
        acts["load"](["As", "Kd"])
        assert kept() == {"boot": 1, "load": 2, "draw_no": 0, "remaining": 2}
        acts["restart"]([])
        assert kept()["boot"] == 2
        _shoe(options("shoe", "--memory", str(memory)), MemoryLink())
        assert kept() == {"boot": 3, "load": 3, "draw_no": 0, "remaining": 52}
        await asyncio.sleep(0)

    run_virtual(story(), max_seconds=10)


@pytest.mark.parametrize("content", ["", "[]", '{"boot": 1}', '{"boot": -1, "load": 0, "draw_no": 0, "remaining": 0}'])
def test_a_file_that_is_no_memory_is_refused(content: str, tmp_path: Path) -> None:
    """With one sentence, and it stays as it was."""
    memory = tmp_path / "shoe.json"
    memory.write_text(content)
    with pytest.raises(UsageError, match="is no memory of a shoe"):
        _shoe(options("shoe", "--memory", str(memory)), MemoryLink())
    assert memory.read_text() == content


@pytest.mark.parametrize("chance", ["4", "-0.1", "nan", "often"])
def test_a_chance_of_a_miss_is_none_to_one(chance: str) -> None:
    """Another is refused, and the readers go on as before."""

    async def story() -> None:
        acts = _feig(options("feig"), MemoryLink())
        with pytest.raises(Exception, match=f"'{chance}' is no chance: write 0 to 1, as miss 0.1"):
            acts["miss"]([chance])

    run_virtual(story(), max_seconds=10)


@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("kind", ["shoe", "feig", "pn532"])
def test_a_recording_of_each_kind_is_played_again(kind: str, is_named: bool, tmp_path: Path) -> None:
    """What asked the recorded device is answered the same by its replay; a header that names no kind is no hindrance."""
    file = tmp_path / "capture"
    cards = ("--cards", "As Kd")

    async def ask(opener: Opener) -> object:
        if kind == "shoe":
            answer = await ask_shoe(opener, random.Random(1))
            return answer.hello, answer.beat
        if kind == "feig":
            found = await ask_readers(opener, (1,), LoopClock(START), LineSettings())
            return lying(found[1])
        wire = ChipWire(ChipSession(Patience()), LoopClock(START))
        async with visit(opener, wire):
            opening = await wire.wait_open()
            await wire.exchange(opening, SamConfiguration())
            return await wire.exchange(opening, ListTargets())

    async def story() -> None:
        line, made = MemoryLink(), {"shoe": _shoe, "feig": _feig, "pn532": _pn532}[kind]
        made(options(kind, *cards), line)
        with file.open("w", encoding="utf-8") as out:
            recorder = Recorder(out.write, asyncio.get_running_loop().time, device=kind if is_named else "")
            before = await ask(TappedOpener(line, recorder, port=kind))
        again = MemoryLink()
        given = options("replay", "--capture", str(file))
        _replay(_recording(given), given, again)
        assert kind_of(_recording(given)) == kind
        assert before
        assert await ask(again) == before

    run_virtual(story(), max_seconds=100)


@pytest.mark.parametrize(("word", "words"), [("put", []), ("put", ["Zz"]), ("take", []), ("miss", []), ("put", ["As", "7"])])
def test_a_line_that_means_nothing_is_answered(word: str, words: Sequence[str]) -> None:
    """By an error whose text is the answer."""

    async def story() -> None:
        act: Callable[[Sequence[str]], str] = _feig(options("feig"), MemoryLink())[word]
        with pytest.raises(Exception, match=r"write|no place"):
            act(words)

    run_virtual(story(), max_seconds=10)


def test_a_name_is_published_in_a_folder_that_is_there(tmp_path: Path) -> None:
    """In place of the link of a device that is gone, never of a file."""
    old = tmp_path / "old"
    old.symlink_to("/dev/pts/gone")
    assert readable_path(old) == old
    with pytest.raises(UsageError, match="no folder"):
        readable_path(tmp_path / "none" / "x")
    with pytest.raises(UsageError, match="is there already"):
        readable_path(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sim", "shoe", "--link", "/no/folder/x"], "there is no folder /no/folder"),
        (["sim", "shoe", "--link", "HERE"], "is there already"),
        (["sim", "shoe", "--link", "LINK", "--cards", "As Xx"], "'Xx' is no card"),
        (["sim", "feig", "--link", "LINK", "--cards", "As As"], "a card is given twice"),
        (["sim", "feig", "--link", "LINK", "--antennas", "255"], "1 to 254 readers"),
        (["sim", "feig", "--link", "LINK", "--deck", "HERE"], "deck"),
        (["sim", "replay", "--link", "LINK"], "needs --capture"),
        (["sim", "replay", "--link", "LINK", "--capture", "HERE"], "line 1 is no"),
        (["sim", "replay", "--link", "LINK", "--capture", "BINARY"], "is no capture: it is no text"),
        (
            ["sim", "replay", "--link", "LINK", "--capture", "OTHER"],
            "the recorded device is a lidar: a replay knows feig, pn532, shoe",
        ),
    ],
)
def test_wrong_use_of_a_simulated_device_is_one_sentence(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, exit 2, no traceback, and nothing is published."""
    here = tmp_path / "here"
    here.write_text("deck = 5\n", encoding="utf-8")
    binary, other = tmp_path / "binary", tmp_path / "other"
    binary.write_bytes(b"\xfd7zXZ\x00")
    other.write_text('{"format":"stud-table-capture/1","t":0,"device":"lidar"}\n', encoding="utf-8")
    names = {"HERE": str(here), "LINK": str(tmp_path / "link"), "BINARY": str(binary), "OTHER": str(other)}
    assert main(["device", *(names.get(word, word) for word in arguments)]) == WRONG_USE
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1
    assert set(tmp_path.iterdir()) == {here, binary, other}


def test_the_name_of_a_running_device_is_not_taken(tmp_path: Path) -> None:
    """Its terminal is open: the link stays with it."""
    master, terminal = os.openpty()
    link = tmp_path / "felt-a"
    link.symlink_to(os.ttyname(terminal))
    try:
        with pytest.raises(UsageError, match="leads to an open terminal: stop the device"):
            readable_path(link)
    finally:
        os.close(master)
        os.close(terminal)
    assert readable_path(link) == link
