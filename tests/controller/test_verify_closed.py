"""Files of a journal that are checked beside each other: what is said of them does not depend on how many at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support.houses import House

from controller.cli import main
from controller.journal import verify
from controller.journal.canonical import canonical
from controller.journal.chain import next_head
from controller.journal.files import JOURNAL_FILE, all_files, closed_files
from controller.rehearsal import Play
from controller.verify import Audit, audit, closed
from controller.verify.closed import check_closed
from simulators.virtual_time import run_virtual

PLAY: Final = Play(seats={1: ("Ann", 90), 3: ("Bob", 30), 4: ("Cleo", 200)})
Body = dict[str, Any]
Forge = Callable[[list[tuple[int, Body]]], None]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five hands in five files."""
    folder = tmp_path_factory.mktemp("evening")
    house = House(folder, PLAY, seed=4, rotate_after=60)

    async def story() -> None:
        try:
            await house.evening(5)
        finally:
            await house.close()

    run_virtual(story(), max_seconds=3_000)
    assert len(closed_files(folder / "start1")) == 4
    return folder / "start1"


def rewrite(folder: Path, forge: Forge, *, keep_before: bool = False) -> None:
    """All files written anew with bodies that ``forge`` changed, and a chain that holds from the first to the last; or, with
    ``keep_before``, each begun with the head that it had."""
    files = all_files(folder)
    bases = [sqlite3.connect(file, isolation_level=None) for file in files]
    rows = [base.execute("SELECT seq, body FROM event ORDER BY seq").fetchall() for base in bases]
    bodies = [(seq, json.loads(text)) for part in rows for seq, text in part]
    forge(bodies)
    changed = dict(bodies)
    head = bytes(32)
    for base, part in zip(bases, rows, strict=True):
        made = base.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in made:
            base.execute(f"DROP TRIGGER {name}")
        if part[0][0] and keep_before:
            head = bytes.fromhex(changed[part[0][0]]["before"])
        elif part[0][0]:
            changed[part[0][0]]["before"] = head.hex()
            base.execute("UPDATE meta SET before = ?", (head,))
        for seq, _ in part:
            text = canonical(changed[seq])
            head = next_head(head, seq, text)
            base.execute("UPDATE event SET body = ?, hash = ? WHERE seq = ?", (text.decode(), head, seq))
        for _, text in made:
            base.execute(text)
        base.close()


def in_file(folder: Path, number: int) -> range:
    """Numbers of the records of a file."""
    base = sqlite3.connect(all_files(folder)[number])
    first, last = base.execute("SELECT min(seq), max(seq) FROM event").fetchone()
    base.close()
    return range(first, last + 1)


def same(folder: Path, **asked: Any) -> Audit:
    """What is said with one process and with two."""
    one, two = (audit(folder, jobs=jobs, **asked) for jobs in (1, 2))
    assert one == two
    return one


def test_a_journal_that_holds_is_read_beside_each_other_to_its_last_closed_file(evening: Path) -> None:
    """Not only the outcome: the closed files really were joined, hands and all."""
    found = same(evening)
    assert (found.ok, found.hands) == (True, 5)
    held = check_closed(evening, head=None, jobs=2)
    assert held is not None
    last, _ = closed_files(evening)[-1]
    assert held.found.events > last
    assert held.ending.hands == 4


def test_a_head_is_met_in_whichever_file_it_stands(evening: Path) -> None:
    """That of an early record, of a closed file, and of none."""
    for file in all_files(evening):
        base = sqlite3.connect(file)
        head = base.execute("SELECT hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()[0]
        base.close()
        assert same(evening, head=head).ok
    found = same(evening, head=bytes(32))
    assert (found.ok, found.first_bad) == (False, found.events + 1)


@pytest.mark.parametrize("number", range(5))
def test_a_forged_record_is_named_in_every_file(evening: Path, tmp_path: Path, number: int) -> None:
    """A chip more in a wager, by somebody who made the chain anew."""
    folder = shutil.copytree(evening, tmp_path / "data")
    named: list[int] = []

    def forge(bodies: list[tuple[int, Body]]) -> None:
        seq, body = next((seq, body) for seq, body in bodies if body["type"] == "AntePosted" and seq in in_file(folder, number))
        body["chips"] += 1
        named.append(seq)

    rewrite(folder, forge)
    assert [same(folder).first_bad] == named


@pytest.mark.parametrize("number", range(5))
def test_a_broken_chain_is_named_in_every_file(evening: Path, tmp_path: Path, number: int) -> None:
    """A record changed by somebody who did not."""
    folder = shutil.copytree(evening, tmp_path / "data")
    seq = in_file(folder, number)[20]
    base = sqlite3.connect(all_files(folder)[number], isolation_level=None)
    (trigger,) = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'event_update'").fetchone()
    base.execute("DROP TRIGGER event_update")
    base.execute("UPDATE event SET body = replace(body, '\"epoch\":1', '\"epoch\":0') WHERE seq = ?", (seq,))
    base.execute(trigger)
    base.close()
    assert same(folder).first_bad == seq


def test_a_file_that_begins_with_another_state_is_named_at_its_first_record(evening: Path, tmp_path: Path) -> None:
    """A chip more for a seat between two files, with a chain that holds: each file by itself is without fault."""
    folder = shutil.copytree(evening, tmp_path / "data")
    first = closed_files(folder)[2][0]

    own = in_file(folder, 2)

    def forge(bodies: list[tuple[int, Body]]) -> None:
        seat = dict(bodies)[first]["seats"][0]
        for seq, body in bodies:
            if seq in own and body["type"] == "HandOpened":
                body["players"] = [{**one, "name": "Eve"} if one["name"] == seat["name"] else one for one in body["players"]]
        seat["name"] = "Eve"

    rewrite(folder, forge)
    for _, file in closed_files(folder):
        assert audit(file).ok
    found = same(folder)
    assert (found.events, found.first_bad) == (first - 1, first)
    assert "the state that the one before it ends with" in str(found.reason)


def test_a_file_after_another_head_is_named_at_its_first_record(evening: Path, tmp_path: Path) -> None:
    """A record of an older file was changed, its chain made anew to its end, and the files behind it left as they were."""
    folder = shutil.copytree(evening, tmp_path / "data")
    first = closed_files(folder)[2][0]

    def forge(bodies: list[tuple[int, Body]]) -> None:
        dict(bodies)[first - 2]["at"] = "2026-01-01T00:00:00.000Z"

    rewrite(folder, forge, keep_before=True)
    found = same(folder)
    assert (found.events, found.first_bad) == (first - 1, first)


@pytest.mark.parametrize("number", range(1, 5))
def test_a_nonce_that_comes_again_in_the_next_file_is_named(evening: Path, tmp_path: Path, number: int) -> None:
    """A deal lies in two files: cards of the hand before are taken off the felt when the next deck is in the shoe already."""
    folder = shutil.copytree(evening, tmp_path / "data")
    numbers = in_file(folder, number)
    named: list[int] = []

    def forge(bodies: list[tuple[int, Body]]) -> None:
        known = dict(bodies)
        left = known[numbers[0] - 1]
        again, body = next((seq, body) for seq, body in bodies if seq in numbers and "sealed" in body)
        assert left["deal"] == body["deal"]
        body["sealed"] = left["sealed"][:16] + body["sealed"][16:]
        named.append(again)

    rewrite(folder, forge)
    found = same(folder)
    assert [found.first_bad] == named
    assert "nonce" in str(found.reason)


@pytest.mark.parametrize("number", range(4))
def test_a_file_that_is_lost_is_named(evening: Path, tmp_path: Path, number: int) -> None:
    """What went on from it does not begin where anything ends; without the first the rest is believed."""
    folder = shutil.copytree(evening, tmp_path / "data")
    closed_files(folder)[number][1].unlink()
    assert same(folder).ok is (number == 0)


def test_one_file_needs_no_processes(evening: Path, tmp_path: Path) -> None:
    """Nor do a folder with one closed file, and one job."""
    assert check_closed(evening, head=None, jobs=1) is None
    assert check_closed(evening / JOURNAL_FILE, head=None, jobs=2) is None
    folder = tmp_path / "data"
    folder.mkdir()
    for file in all_files(evening)[-2:]:
        shutil.copy(file, folder)
    assert check_closed(folder, head=None, jobs=2) is None
    assert same(folder).ok


def test_the_command_says_the_same(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--jobs``, and without it."""
    said = []
    for jobs in ([], ["--jobs", "1"], ["--jobs", "3"]):
        assert main(["verify", str(evening), "--json", *jobs]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1] == said[2]


def end_at_the_second(head: bytes | None, file: Path) -> object:
    """As a process that the system ends for want of memory."""
    if file == min(file.parent.glob("journal-*.sqlite3"), key=lambda other: other != file):
        os._exit(9)
    return read_alone(head, file)


read_alone = closed._read_alone


def test_a_process_that_ends_by_itself_is_one_sentence(
    evening: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was found wrong and nothing right: exit code 1, what to do, and no traceback."""
    monkeypatch.setattr(closed, "_read_alone", end_at_the_second)
    assert main(["verify", str(evening), "--jobs", "2", "--json"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"stud-table: a process that read closed files of {evening} ended before it told what it found, and the journal is not "
        "verified: see that there is memory for it, then verify it again, with fewer --jobs\n"
    )


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_file_that_is_moved_away_meanwhile_is_one_sentence(
    jobs: int, number: int, evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever tidies up while the files are read is told so; the journal is not called damaged."""
    folder = tmp_path / "evening"
    shutil.copytree(evening, folder)
    listed = all_files(folder)

    def tidied(_: Path) -> Any:
        """The files as they were listed, a moment before one of them is moved away; then as they are."""
        monkeypatch.setattr(closed, "closed_files", closed_files)
        monkeypatch.setattr(verify, "files_of", all_files)
        listed[number].unlink()
        return closed_before if jobs > 1 else listed

    closed_before = closed_files(folder)
    monkeypatch.setattr(closed, "closed_files", tidied)
    monkeypatch.setattr(verify, "files_of", tidied)
    assert main(["verify", str(folder), "--jobs", str(jobs)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("stud-table: ")
    assert told.err.endswith("verify it again\n")
    assert told.err.count("\n") == 1
