"""The how-to's example, taken from its page: it is registered by its entry point, passes the contract, and a table names it."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_reader import ReaderContract, Subject

from controller.config import parse_config
from controller.rehearsal import Play, config_for
from drivers.clock import SystemClock
from drivers.factory import MultiplexerDriver, MultiplexerSetup
from drivers.registry import reader_driver
from simulators.rig import NINETEEN, SHOE_PORT

PAGE = Path(__file__).parents[2] / "docs/how-to/add-a-driver.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    """The page's code of one kind."""
    return [text for found, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if found == kind]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example as a package that is installed: its files under the names in their first lines, and its entry points."""
    folder = tmp_path_factory.mktemp("site")
    for text in blocks("python"):
        name, _, body = text.removeprefix("# ").partition("\n")
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(body, encoding="utf-8")
    (group, points), *_ = tomllib.loads(blocks("toml")[0])["project"]["entry-points"].items()
    info = folder / "line_reader-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: line-reader\nVersion: 1.0\n", encoding="utf-8")
    rows = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{rows}", encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] in ("line_reader", "switch_box")]:
        del sys.modules[name]


@pytest.fixture
def subject(package: Path) -> Subject:
    """The example on its bench."""
    return Subject(reader_driver("line-reader"), importlib.import_module("line_reader.bench").Bench())


class TestTheExample(ReaderContract):
    """The whole contract, as the page says."""


def test_the_pages_frame_is_what_the_example_reads(package: Path) -> None:
    """The answer that the page shows has the right check, and every single flipped bit of it is noticed."""
    read_line = importlib.import_module("line_reader.session").read_line
    shown = re.search(r"^reader  (#.*)$", blocks("text")[0], re.MULTILINE)
    assert shown is not None
    line = shown.group(1).encode()
    good = read_line(line)
    assert good.uids == ("E00401009A3B7C21", "E0040100A1B2C3D4")
    for bit in range(len(line) * 8):
        spoilt = (int.from_bytes(line, "big") ^ 1 << bit).to_bytes(len(line), "big")
        assert read_line(spoilt) in (None, good)


def test_a_table_names_the_driver(package: Path) -> None:
    """The lines of ``table.toml`` on the page are a configuration, with the line speed of the driver."""
    section = tomllib.loads(blocks("toml")[1])["readers"][0]
    ports = {SHOE_PORT: "/dev/shoe", **{line: f"/dev/{line}" for line in NINETEEN}}
    config = config_for(Play(), ports=ports, wiring=NINETEEN)
    config["readers"][-1]["antennas"] = {"1": "muck", "3": "community"}
    config["readers"].append(section | {"name": "mine"})
    mine = parse_config(config, "table.toml").readers[-1]
    assert (mine.driver, mine.baud, mine.parity) == ("line-reader", 9600, "none")


def test_the_page_shows_a_test_that_runs_the_contract(package: Path) -> None:
    """What the page tells to write is what this file does."""
    assert "class TestLineReader(ReaderContract)" in (package / "test_line_reader.py").read_text(encoding="utf-8")


def test_the_pages_multiplexer_joins_what_it_is_told(package: Path) -> None:
    """The example is one as the drivers take it: the antenna's number goes through the reader before the scan."""
    assert package
    sent: list[tuple[int, int, bytes]] = []

    async def forward(reader: int, control: int, data: bytes) -> bytes:
        sent.append((reader, control, data))
        return b""

    driver = importlib.import_module("switch_box.multiplexer").DRIVER
    assert isinstance(driver, MultiplexerDriver)
    box = driver.make(MultiplexerSetup(name="felt-a", antennas=(1, 5), clock=SystemClock(), forward=forward))
    asyncio.run(box.select(5))
    assert (box.reader(5), sent) == (1, [(1, 0xC0, b"\x05")])
