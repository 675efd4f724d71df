"""A journal with one flipped byte: ``verify`` names the record, and no table opens on it. One table to a data folder."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import tomli_w
from support.table_runs import PROGRAM, ROOT, one_sentence, rehearsed_bodies, stud_table, write_journal

from controller.cli import main
from controller.journal.canonical import canonical
from controller.journal.files import JOURNAL_FILE
from controller.rehearsal import Play, config_for, registry_of
from controller.verify import audit
from controller.whole_file import write_whole
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

FLIPS = 40


@pytest.fixture(scope="module")
def bodies() -> list[dict[str, Any]]:
    return rehearsed_bodies(hands=2, seed=5)


@pytest.fixture(scope="module")
def whole(bodies: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a table with a journal that holds."""
    return write_journal(tmp_path_factory.mktemp("whole") / "data", bodies)


@pytest.fixture
def table(whole: Path, tmp_path: Path, free_port: Callable[[], int]) -> Path:
    """A table's configuration beside a copy of that data; its devices and broker are not there."""
    copytree(whole, tmp_path / "data")
    ports = {name: str(tmp_path / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(), ports=ports, mqtt={"port": free_port()}, http_port=free_port())
    (tmp_path / "table.toml").write_text(tomli_w.dumps(raw), encoding="utf-8")
    write_whole(tmp_path / "deck.toml", registry_of(make_tags(random.Random(1))).toml())
    return tmp_path / "table.toml"


def place_of(data: bytes, body: dict[str, Any]) -> tuple[int, int]:
    """Where the text of a record stands in the file, and its length."""
    text = canonical(body)
    assert data.count(text) == 1
    return data.index(text), len(text)


def flip(file: Path, offset: int, bit: int) -> None:
    data = bytearray(file.read_bytes())
    data[offset] ^= 1 << bit
    file.write_bytes(data)


def test_each_flipped_byte_is_named(bodies: list[dict[str, Any]], whole: Path, tmp_path: Path) -> None:
    """One bit anywhere in the text of any event: the audit names just that record."""
    rng = random.Random(20)
    data = (whole / JOURNAL_FILE).read_bytes()
    file = tmp_path / JOURNAL_FILE
    for _ in range(FLIPS):
        seq = rng.randrange(1, len(bodies) + 1)
        start, length = place_of(data, bodies[seq - 1])
        file.write_bytes(data)
        flip(file, start + rng.randrange(length), rng.randrange(8))
        assert audit(file).first_bad == seq


def test_a_flipped_byte_of_a_stored_hash_is_named(bodies: list[dict[str, Any]], whole: Path, tmp_path: Path) -> None:
    """The hash stands behind the text of its record."""
    data = (whole / JOURNAL_FILE).read_bytes()
    start, length = place_of(data, bodies[99])
    file = tmp_path / JOURNAL_FILE
    file.write_bytes(data)
    flip(file, start + length + 7, 3)
    assert audit(file).first_bad == 100


def test_verify_tells_the_record(table: Path, bodies: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1; ``first_bad`` in JSON, a sentence without it."""
    file = table.parent / "data" / JOURNAL_FILE
    start, _ = place_of(file.read_bytes(), bodies[41])
    flip(file, start + 5, 1)
    assert main(["verify", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["first_bad"], found["events"]) == (False, 42, 41)
    assert main(["verify", str(file.parent)]) == 1
    assert capsys.readouterr().out.startswith("the journal does not hold at event 42: ")


@pytest.mark.ports
def test_no_table_opens_on_a_damaged_journal(table: Path, bodies: list[dict[str, Any]]) -> None:
    """``run`` ends with exit 1 and one sentence that names the record; it writes nothing."""
    file = table.parent / "data" / JOURNAL_FILE
    start, _ = place_of(file.read_bytes(), bodies[41])
    flip(file, start + 5, 1)
    before = file.read_bytes()
    run = stud_table("run", table)
    assert (run.returncode, run.stdout) == (1, "")
    assert one_sentence(run.stderr)
    assert "record 42" in run.stderr
    assert file.read_bytes() == before


@contextmanager
def running(table: Path) -> Iterator[subprocess.Popen[str]]:
    """A controller at work, stopped in good order."""
    process = subprocess.Popen([*PROGRAM, "run", str(table)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        log = table.parent / "data" / f"{JOURNAL_FILE}-wal"
        deadline = time.monotonic() + 20
        while not log.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        yield process
        process.terminate()
        process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.ports
def test_one_table_to_a_data_folder(table: Path) -> None:
    """A second ``run`` on the same data: exit 2, one sentence; the first goes on and ends well."""
    with running(table) as first:
        second = stud_table("run", table)
        assert (second.returncode, second.stdout) == (2, "")
        assert one_sentence(second.stderr)
        assert "another controller" in second.stderr
        assert first.poll() is None
    assert first.returncode == 0


@pytest.mark.ports
@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("table.toml", "this is no toml", "table.toml"),
        ("deck.toml", "tags = 3", "deck.toml"),
        ("data/keys/table.key", "short", "key"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(table: Path, file: str, text: str, says: str) -> None:
    """A broken configuration, deck or key: exit 2 and one sentence that names it."""
    path = table.parent / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    run = stud_table("run", table)
    assert (run.returncode, run.stdout) == (2, "")
    assert one_sentence(run.stderr)
    assert says in run.stderr


@pytest.mark.parametrize("arguments", [["run", "nowhere.toml"], ["verify", "nowhere"]])
def test_missing_files_are_one_sentence(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, and the file is named."""
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert one_sentence(said.err)
    assert "nowhere" in said.err
    assert said.out == ""
