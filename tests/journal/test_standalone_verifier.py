"""The verifier that shares nothing with the program says of good and damaged journals what the program says."""

from __future__ import annotations

import ast
import json
import runpy
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from support.golden_journal import journals
from support.table_runs import write_journal
from support.table_story import TableStory

from controller.journal.chain import next_head
from controller.journal.files import JOURNAL_FILE, closed_files
from controller.journal.schema import FORMAT, MAX_EPOCH, Origin
from controller.journal.store import JournalStore
from controller.journal.verify import verify_chain

VERIFIER: Final = Path(__file__).parents[2] / "deploy" / "verify_journal.py"
CREATED: Final = "2025-03-02T02:00:00Z"
Damage = Callable[[Path], None]


def stand_alone(path: Path, *more: str) -> dict[str, object]:
    """What the verifier prints, run as an inspector runs it: isolated from every package that is installed."""
    command = [sys.executable, "-I", "-S", str(VERIFIER), str(path), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    assert found["ok"] is (done.returncode == 0)
    return found


def beginning(journal: JournalStore) -> tuple[dict[str, object], Origin]:
    """First body and origin of the file that goes on."""
    origin = journal.continuation(CREATED)
    named = {"journal": origin.journal, "format": FORMAT, "table": origin.table, "created": origin.created}
    return {"type": "JournalContinued", **named, "first": origin.first, "before": origin.before.hex(), "state": 1}, origin


def continue_in_next(journal: JournalStore) -> None:
    journal.prepare_next(*beginning(journal))
    assert journal.switch() is not None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of three files under two epochs: 0 to 6, 7 to 12, 13 to 18."""
    folder = tmp_path_factory.mktemp("whole") / "data"
    for number in range(3):
        journal = JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created="2025-03-01T20:00:00Z")
        journal.raise_epoch()
        if number:
            continue_in_next(journal)
        for n in range(6 if number == 0 else 5):
            journal.commit([journal.prepare([{"type": "Éreinté", "n": n, "deep": [[1, "♠"], {"a": None, "b": True}]}])])
        journal.close()
    return folder


def sql(*statements: str, triggers: bool = False, closed: int | None = None) -> Damage:
    """Statements on the newest file, or on the ``closed`` one, as somebody with a database tool gives them."""

    def damage(folder: Path) -> None:
        file = folder / JOURNAL_FILE if closed is None else closed_files(folder)[closed][1]
        base = sqlite3.connect(file, isolation_level=None)
        made = base.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in made if not triggers else ():
            base.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            base.execute(statement)
        for _, text in made if not triggers else ():
            base.execute(text)
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        base.close()

    return damage


def rewritten(change: Callable[[dict[str, object]], object], seq: int) -> Damage:
    """A record and every hash behind it made anew by somebody who knows the chain."""

    def damage(folder: Path) -> None:
        base = sqlite3.connect(folder / JOURNAL_FILE, isolation_level=None)
        made = base.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in made:
            base.execute(f"DROP TRIGGER {name}")
        rows = base.execute("SELECT seq, body, hash FROM event ORDER BY seq").fetchall()
        (head,) = base.execute("SELECT before FROM meta").fetchone()
        for number, text, _ in rows:
            if number == seq:
                changed = change(json.loads(text))
                text = changed if isinstance(changed, str) else json.dumps(changed, sort_keys=True, separators=(",", ":"))
            head = next_head(head, number, text.encode())
            base.execute("UPDATE event SET body = ?, hash = ? WHERE seq = ?", (text, head, number))
        for _, text in made:
            base.execute(text)
        base.close()

    return damage


def byte(offset: Callable[[bytes], int]) -> Damage:
    """One bit of the newest file's bytes turned."""

    def damage(folder: Path) -> None:
        file = folder / JOURNAL_FILE
        data = bytearray(file.read_bytes())
        data[offset(bytes(data))] ^= 0x04
        file.write_bytes(bytes(data))

    return damage


def cut(folder: Path) -> None:
    """Half of the newest file is gone."""
    file = folder / JOURNAL_FILE
    file.write_bytes(file.read_bytes()[:8192])


def lose(number: int) -> Damage:
    return lambda folder: closed_files(folder)[number][1].unlink()


def garbage(folder: Path) -> None:
    """What is no database lies in the middle."""
    closed_files(folder)[1][1].write_bytes(b"garbage " * 1000)


def swap(folder: Path) -> None:
    (_, first), (_, second) = closed_files(folder)
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)


def another_table(folder: Path) -> None:
    """A file of another journal lies between."""
    file = closed_files(folder)[1][1]
    file.unlink()
    other = folder.with_name("other")
    journal = JournalStore.open(other, table="T8", journal_id="0badcafe", created=CREATED)
    journal.close()
    shutil.copy(other / JOURNAL_FILE, file)


DAMAGES: Final[dict[str, Damage]] = {
    "a body changed": sql("UPDATE event SET body = replace(body, '\"n\":2', '\"n\":3') WHERE seq = 16"),
    "a hash changed": sql("UPDATE event SET hash = zeroblob(32) WHERE seq = 15"),
    "a record removed": sql("DELETE FROM event WHERE seq = 16"),
    "the first record removed": sql("DELETE FROM event WHERE seq = 13"),
    "all records removed": sql("DELETE FROM event"),
    "a record's number changed": sql("UPDATE event SET seq = 99 WHERE seq = 17"),
    "two records exchanged": sql(
        "UPDATE event SET seq = 99 WHERE seq = 15",
        "UPDATE event SET seq = 15 WHERE seq = 16",
        "UPDATE event SET seq = 16 WHERE seq = 99",
    ),
    "the journal's id changed": sql("UPDATE meta SET journal = '5f0c9a1f'"),
    "the beginning's time changed": sql("UPDATE meta SET created = '2025-03-02T02:00:01Z'"),
    "the first number changed": sql("UPDATE meta SET first = 12"),
    "the head before changed": sql("UPDATE meta SET before = zeroblob(32)"),
    "meta empty": sql("DELETE FROM meta"),
    "writer empty": sql("DELETE FROM writer"),
    "the writer's epoch lowered": sql("UPDATE writer SET epoch = 1"),
    "a trigger dropped": sql("DROP TRIGGER event_delete", triggers=True),
    "a trigger added": sql("CREATE TRIGGER more BEFORE UPDATE ON writer BEGIN SELECT 1; END", triggers=True),
    "a trigger weakened": sql(
        "DROP TRIGGER event_delete", "CREATE TRIGGER event_delete BEFORE DELETE ON event BEGIN SELECT 1; END", triggers=True
    ),
    "a table added": sql("CREATE TABLE more (a)", triggers=True),
    "another program's file": sql("PRAGMA application_id = 1", triggers=True),
    "another format": sql("PRAGMA user_version = 99", triggers=True),
    "an epoch falls": rewritten(lambda body: {**body, "epoch": 1}, 16),
    "an epoch past the writer's": rewritten(lambda body: {**body, "epoch": 9}, 18),
    "no epoch": rewritten(lambda body: {key: value for key, value in body.items() if key != "epoch"}, 15),
    "a fraction": rewritten(lambda body: {**body, "n": 1.5}, 15),
    "a number too large": rewritten(lambda body: {**body, "n": 2**63}, 15),
    "spaces": rewritten(lambda body: json.dumps(body, sort_keys=True), 15),
    "keys out of order": rewritten(lambda body: json.dumps(dict(sorted(body.items(), reverse=True)), separators=(",", ":")), 15),
    "no object": rewritten(lambda _: "[1]", 15),
    "no JSON": rewritten(lambda _: "{", 15),
    "too deep": rewritten(lambda body: {**body, "n": json.loads("[" * 40 + "]" * 40)}, 15),
    "a first record of other contents": rewritten(lambda body: {**body, "table": "T8"}, 13),
    "a bit of a body": byte(lambda data: data.index(b'"n":3')),
    "a bit of the header": byte(lambda _: 20),
    "the file cut": cut,
    "an epoch that no table counts to": sql("UPDATE writer SET epoch = 9223372036854775807"),
    "an epoch one past the last": sql("UPDATE writer SET epoch = 2147483648"),
    "a closed file lost": lose(1),
    "a closed file that is no journal": garbage,
    "a closed file without a table": sql("DROP TABLE hand_key", closed=1),
    "closed files exchanged": swap,
    "a closed file of another table": another_table,
    "a closed file cut short": sql("DELETE FROM event WHERE seq = 12", closed=1),
    "a closed file changed": sql("UPDATE event SET body = replace(body, '\"n\":2', '\"n\":7') WHERE seq = 3", closed=0),
}


def said(path: Path) -> tuple[object, ...]:
    """What the program says."""
    found = verify_chain(path)
    return (found.ok, found.events, found.head.hex(), found.first_bad)


def test_a_whole_journal_holds_for_both(whole: Path) -> None:
    """The folder, and each file by itself; so does a journal that begins with an older file kept elsewhere."""
    for path in (whole, whole / JOURNAL_FILE, *(path for _, path in closed_files(whole))):
        found = stand_alone(path)
        assert found["reason"] is None
        assert (found["ok"], found["events"], found["head"], found["first_bad"]) == said(path)
    assert stand_alone(whole)["events"] == 18


@pytest.mark.parametrize("journal", journals(), ids=lambda journal: journal.name)
def test_every_golden_journal_holds_for_both(journal: Path) -> None:
    """Evenings of whole controllers in several files, tables told without devices, slips, restarts, decks that change."""
    found = stand_alone(journal)
    assert (found["ok"], found["events"], found["head"], found["first_bad"]) == said(journal)
    assert found["ok"]


@pytest.mark.parametrize("keys", [True, False], ids=["with its key", "blind"])
def test_a_hand_that_was_open_at_a_start_holds_for_both(tmp_path: Path, keys: bool) -> None:
    """A controller died in the hand; the next one has its deal's key, or goes on without it."""
    told = TableStory({1: 100, 2: 100}, seed=5).start()
    told.deal_one()
    told.restart(keys=keys)
    folder = write_journal(tmp_path / "data", told.bodies)
    found = stand_alone(folder)
    assert (found["ok"], found["events"], found["head"], found["first_bad"]) == said(folder)
    assert (found["ok"], found["events"]) == (True, len(told.bodies))


def test_at_least_twenty_kinds_of_damage_are_compared() -> None:
    """To records, tables, triggers, files and bytes; each is another change of another thing."""
    assert len(DAMAGES) >= 39


def test_both_miss_a_head_that_is_not_there(whole: Path, tmp_path: Path) -> None:
    """That of any record is met, in every file; that of an end that was cut off is missed, where a record should follow."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    heads: list[bytes] = []
    verify_chain(folder, on_head=lambda _, head: heads.append(head))
    for head in (heads[0], heads[7], heads[-1]):
        assert verify_chain(folder, head=head).ok
        assert stand_alone(folder, "--head", head.hex())["ok"]
    sql("DELETE FROM event WHERE seq = 18")(folder)
    found, told = stand_alone(folder, "--head", heads[-1].hex()), verify_chain(folder, head=heads[-1])
    assert (found["ok"], found["events"], found["head"], found["first_bad"]) == (False, 17, told.head.hex(), told.first_bad)
    assert told.first_bad == 18


@pytest.mark.parametrize("name", DAMAGES)
def test_both_find_the_same_damage_at_the_same_record(whole: Path, tmp_path: Path, name: str) -> None:
    """Also what holds before it: number and head of the last good record."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    DAMAGES[name](folder)
    found = stand_alone(folder)
    assert not found["ok"]
    assert (found["ok"], found["events"], found["head"], found["first_bad"]) == said(folder)


@pytest.mark.parametrize("number", [0, 1])
def test_both_name_the_file_that_is_no_journal(whole: Path, tmp_path: Path, number: int) -> None:
    """And the first event that does not hold, where its files before it hold; a file alone is named by who asked."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    first, file = closed_files(folder)[number]
    file.write_bytes(b"garbage " * 1000)
    found, told = stand_alone(folder), verify_chain(folder)
    assert (found["first_bad"], told.first_bad) == (first, first)
    assert str(found["reason"]).startswith(f"{file.name}: ")
    assert str(told.reason).startswith(f"{file.name}: the file is no readable journal (")
    assert str(verify_chain(file).reason).startswith("the file is no readable journal (")


def test_the_last_epoch_holds_for_both(whole: Path, tmp_path: Path) -> None:
    """One more does not."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    assert MAX_EPOCH == 2147483647
    sql("UPDATE writer SET epoch = 2147483647")(folder)
    assert stand_alone(folder)["ok"]
    assert verify_chain(folder).ok


def test_a_cut_tail_looks_whole_to_both(whole: Path, tmp_path: Path) -> None:
    """A chain proves order, never the end: the head outside is what shows it (recovery §1)."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    sql("DELETE FROM event WHERE seq = 18")(folder)
    found = stand_alone(folder)
    assert (found["ok"], found["events"]) == (True, 17)
    assert found["head"] != stand_alone(whole)["head"]
    assert (found["ok"], found["events"], found["head"], found["first_bad"]) == said(folder)


def test_the_verifier_is_short_and_shares_nothing() -> None:
    """Under 150 lines, the standard library alone; its digest of tables and triggers is this release's."""
    text = VERIFIER.read_text(encoding="utf-8")
    assert text.count("\n") < 150
    names = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
    }
    assert names <= set(sys.stdlib_module_names)
    journal = JournalStore.open(None, table="T7", journal_id="5f0c9a1e", created=CREATED)
    made = sorted(text or "" for (text,) in journal._connection.execute("SELECT sql FROM sqlite_schema"))
    journal.close()
    assert sha256("\n".join(made).encode()).hexdigest() in text
    assert Origin("5f0c9a1e", "T7", CREATED).first == 0


@pytest.mark.parametrize("arguments", [[], ["missing"], [".", "--head", "x"]])
def test_nothing_to_check_is_said_in_a_line(tmp_path: Path, arguments: list[str]) -> None:
    """Wrong use is no finding."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(VERIFIER), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_help_is_help(tmp_path: Path) -> None:
    """How it is used, on standard output, and exit 0: no journal of that name is looked for."""
    for asked in ("-h", "--help"):
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(VERIFIER), asked], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "python3 verify_journal.py FOLDER-or-FILE [--head HEAD]" in done.stdout


@pytest.mark.parametrize("number", range(1, 19))
def test_it_reads_on_while_a_table_writes_and_begins_other_files(whole: Path, tmp_path: Path, number: int) -> None:
    """Whatever the table does in the middle of the check, each record holds and nothing is reported as missing."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    journal = JournalStore.open(folder, table="T7", journal_id="5f0c9a1e", created=CREATED)
    journal.raise_epoch()
    verifier = runpy.run_path(str(VERIFIER))
    plain, started = verifier["records"], journal.origin

    def go_on() -> None:
        for _ in range(2):
            journal.commit([journal.prepare([{"type": "E"}])])
            if journal.prepare_next(*beginning(journal)) is not None:
                journal.switch()

    def disturbed(file: Any, before: Any) -> Any:
        met = False
        for record in plain(file, before):
            yield record
            met = met or record[2] == number
        if met and journal.origin == started:  # the file was read to its end, and nobody has looked at the folder since
            go_on()

    verifier["check"].__globals__["records"] = disturbed
    last, first_bad, reason = verifier["check"](folder)
    assert journal.origin != started
    assert (first_bad, reason) == (None, None)
    assert (last[2], last[3]) == journal.tip
    journal.close()
