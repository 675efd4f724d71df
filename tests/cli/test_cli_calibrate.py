"""``calibrate`` as a command: wrong use, a whole run on pseudo-terminals, a table that runs, and Ctrl-C."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
import tomli_w
from support.calibration_felt import CARDS, TWO_SEATS, configuration
from support.table_runs import PROGRAM, ROOT

from controller.calibration.store import stored
from controller.cli import main
from controller.cli.calibrate import _on_return
from controller.journal.store import JournalStore
from controller.rehearsal import registry_of
from simulators.felt import PACKET
from simulators.ports import PseudoTerminal
from simulators.rig import SHOE_PORT, SimulatedTable, make_tags

SPEED: Final = 4.0
"""Times of devices, guide and felt are divided by it."""
BOTH: Final = ("seat/1/down", "seat/2/down")
NOBODY: Final = {name: f"/dev/none-{name}" for name in (SHOE_PORT, *TWO_SEATS)}


def write_table(folder: Path, ports: dict[str, str], tags: dict[str, str], **more: Any) -> Path:
    """``table.toml`` and its deck."""
    (folder / "deck.toml").write_text(registry_of(tags).toml(), encoding="utf-8")
    path = folder / "table.toml"
    path.write_text(tomli_w.dumps(configuration(ports, speed=SPEED) | more), encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table none of whose devices is there."""
    return write_table(tmp_path, NOBODY, make_tags(random.Random(1)))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--antenna", "seat/9/up"], "there is no antenna seat/9/up: this table has seat/1/down, seat/1/up"),
        (["--scans", "0"], "--scans 0 measures nothing: give a number from 1 to 10000"),
        (["--plot", "picture.png"], "picture.png: the picture is an SVG file: name it …picture.svg"),
        (["--plot", "nowhere/picture.svg"], "there is no folder nowhere: make it, or name another file"),
    ],
)
def test_wrong_use_is_one_sentence(table: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, before anybody lays a card."""
    assert main(["calibrate", str(table), *arguments]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


def test_a_table_without_readers_has_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 with the reason."""
    path = write_table(tmp_path, NOBODY, make_tags(random.Random(1)), readers=[])
    assert main(["calibrate", str(path)]) == 2
    assert "has no readers" in capsys.readouterr().err


def test_a_table_that_runs_is_left_alone(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its controller holds the data folder: exit 2, and nothing is written."""
    store = JournalStore.open(table.parent / "data", table="T1", journal_id="0badcafe", created="2026-01-01T00:00:00Z")
    try:
        assert main(["calibrate", str(table)]) == 2
    finally:
        store.close()
    assert "works in" in capsys.readouterr().err
    assert stored(table.parent / "data") == ()


def test_the_list_of_calibrations_begins_empty(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In both forms; nothing is measured, so no port is opened and nothing is locked."""
    assert main(["calibrate", str(table), "--history", "--language", "fr"]) == 0
    assert capsys.readouterr().out == "Aucun étalonnage n’est encore enregistré.\n"
    assert main(["calibrate", str(table), "--history", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"calibrations": []}


def test_a_stored_file_that_is_none_is_named(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 with its path, before anybody lays a card."""
    folder = table.parent / "data" / "calibration"
    folder.mkdir(parents=True)
    (folder / "20261130T090000Z.json").write_text("{}")
    for arguments in (["--history"], []):
        assert main(["calibrate", str(table), *arguments]) == 2
        assert "20261130T090000Z.json is no calibration of this release" in capsys.readouterr().err


def test_return_leaves_out_and_the_end_of_input_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, one antenna; Ctrl-D is no key held down."""
    done: list[str] = []
    desk = SimpleNamespace(skip=lambda: done.append("skip"))
    loop = SimpleNamespace(remove_reader=lambda _: done.append("deaf"))
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    for _ in range(2):
        _on_return(desk, loop)  # type: ignore[arg-type]
    assert done == ["skip", "deaf"]


class Bench:
    """The small table on pseudo-terminals, and the command as a process beside it."""

    def __init__(self, folder: Path) -> None:
        rng = random.Random(3)
        tags = make_tags(rng)
        self.folder = folder
        self.ports = {name: PseudoTerminal(folder / f"port-{name}") for name in (SHOE_PORT, *TWO_SEATS)}
        self.devices = SimulatedTable(self.ports, tags=tags, rng=rng, wiring=TWO_SEATS, speed=SPEED)
        self.table = write_table(folder, {name: str(port.path) for name, port in self.ports.items()}, tags)
        self.where = PACKET
        self.out: list[str] = []
        self.asked: list[str] = []

    async def start(self, *options: str, antennas: Sequence[str]) -> asyncio.subprocess.Process:
        """Begin to calibrate ``antennas``."""
        self.asked = list(antennas)
        options = (*options, *(part for antenna in antennas for part in ("--antenna", antenna)))
        command = (*PROGRAM, "calibrate", str(self.table), "--scans", "12", "--noise", "4", *options)
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env={**os.environ, "LC_ALL": "C"}
        )

    async def follow(self, stream: asyncio.StreamReader, until: str = "\0") -> None:
        """Read what is told and lay the cards where they are asked for, until ``until`` is told or all is."""
        while line := (await stream.readline()).decode():
            self.out.append(line)
            if ": lay cards of the deck" in line or ": posez-y" in line:
                self.lay(self.asked[int(line.split("/")[0]) - 1])
            if until in line:
                return

    def lay(self, place: str) -> None:
        """All cards at once."""
        for card in CARDS:
            self.devices.felt.move(card, place, origin=self.where, at=0.0)
        self.where = place


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    """Devices with current."""
    made = Bench(folder)
    made.devices.start()
    try:
        yield made
    finally:
        made.devices.stop()


@pytest.mark.ports
async def test_a_whole_calibration_over_ports(tmp_path: Path) -> None:
    """A dead antenna and a bleeding one are named in one object on standard output, the guide speaks on standard error; file
    and picture are there, and the next run, of one antenna alone and in French, is compared with it."""
    async with bench(tmp_path) as made:
        made.devices.field.faults.miss_at["seat/1/down"] = 1.0
        made.devices.field.faults.bleed["seat/2/up"] = {"seat/2/down": 0.6}
        process = await made.start("--json", "--wait", "3", "--language", "en", "--plot", str(tmp_path / "p.svg"), antennas=BOTH)
        assert process.stdout is not None
        assert process.stderr is not None
        await made.follow(process.stderr)
        told = json.loads(await process.stdout.read())
        assert await process.wait() == 1
        problems = {(problem["about"], problem["code"]) for problem in told["problems"]}
        assert {("seat/1/down", "calibrate.not_read"), ("seat/2/up", "calibrate.bleed")} <= problems
        assert told["ok"] is False
        outcomes = {antenna["place"]: antenna["outcome"] for antenna in told["antennas"]}
        assert [outcomes[place] for place in (*BOTH, "muck")] == ["not_read", "measured", "not_yet"]
        assert (tmp_path / "p.svg").read_text().startswith("<svg")
        assert [str(path) for path in stored(tmp_path / "data")] == [told["file"]]
        made.devices.field.faults.clear()
        made.lay(PACKET)
        process = await made.start("--language", "fr", antennas=("seat/1/down",))
        assert process.stdout is not None
        await made.follow(process.stdout)
        await process.wait()
        said = "".join(made.out)
        assert "Comparé au" in said or "Pire que le" in said
        assert len(stored(tmp_path / "data")) == 2


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that are started hear Ctrl-C, though the tests run in the background of a shell, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.ports
@pytest.mark.usefixtures("interruptible")
async def test_ctrl_c_writes_nothing(tmp_path: Path) -> None:
    """In the middle of an antenna: exit 1, no file and no half of one, and the ports are free."""
    async with bench(tmp_path) as made:
        process = await made.start("--json", "--language", "en", antennas=BOTH[1:])
        assert process.stderr is not None
        assert process.stdout is not None
        await made.follow(process.stderr, until="cards seen")
        process.send_signal(signal.SIGINT)
        await made.follow(process.stderr)
        assert json.loads(await process.stdout.read())["cancelled"] is True
        assert await process.wait() == 1
        assert "Cancelled: nothing was written.\n" in made.out
        assert not (tmp_path / "data" / "calibration").exists()
