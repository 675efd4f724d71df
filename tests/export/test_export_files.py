"""The files of an export and its command: whole or not at all, none overwritten, counts that add up."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from pokerkit import HandHistory
from support.table_runs import one_sentence, rehearsed_bodies, stud_table, write_journal

from controller.cli import main
from controller.export import files
from controller.export.departures import FREE_FOLD
from controller.export.files import FORMATS, ExportRefused, export_journal
from controller.hand.rules import house_rules
from controller.journal.errors import JournalDamaged
from controller.replay import through_hand
from simulators.recorded import load_hands


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of four rehearsed hands."""
    return write_journal(tmp_path_factory.mktemp("journal"), rehearsed_bodies(hands=4, seed=6))


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """What ``export --json`` prints."""
    assert main(["export", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_each_format_counts_its_hands_and_files(journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PHH is one file a hand, the others one file; hands in are hands written."""
    for wanted, ends in (
        ("phh", ["-000001.phh", "-000002.phh", "-000003.phh", "-000004.phh"]),
        ("stars", [".txt"]),
        ("jsonl", [".jsonl"]),
    ):
        found = told(capsys, journal, "--format", wanted, "--out", tmp_path)
        assert found == {"hands": 4, "files": [str(tmp_path / f"T1{end}") for end in ends], "skipped": []}
        assert all(Path(name).is_file() for name in found["files"])
    assert (tmp_path / "T1.txt").read_text(encoding="utf-8").count("PokerStars Hand #") == 4
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_pokerkit_reads_the_files(journal: Path, tmp_path: Path) -> None:
    """From the file, with warnings as errors; user fields are kept."""
    for path in export_journal(journal, "phh", tmp_path).files:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("error")
            history = HandHistory.load(file)
            own = history.user_defined_fields
            if FREE_FOLD in own["_departures"]:
                warnings.filterwarnings("ignore", message="There is no reason for this player to fold")
            if set(own["_departures"]) <= {FREE_FOLD}:
                assert list(list(history)[-1].stacks) == history.finishing_stacks
        assert {"_burns", "_rulings", "_rules_hash", "_table", "_manually_verified"} <= own.keys()


def test_recorded_hands_replay(journal: Path, tmp_path: Path) -> None:
    """Exported hands agree under the rules that the line names."""
    (path,) = export_journal(journal, "jsonl", tmp_path).files
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for recorded, line in zip(load_hands(path), lines, strict=True):
        assert through_hand(recorded, house_rules(line["rules"]["preset"], line["rules"]["knobs"])) is None


@pytest.mark.parametrize("wanted", FORMATS)
def test_no_file_is_overwritten(journal: Path, tmp_path: Path, wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, exit 2, and everything is as it was."""
    export_journal(journal, wanted, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(["export", str(journal), "--format", wanted, "--out", str(tmp_path)]) == 2
    assert one_sentence(capsys.readouterr().err)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_one_file_that_is_there_keeps_all_others_away(journal: Path, tmp_path: Path) -> None:
    """All or none: the third hand's file is there, so the first two do not appear."""
    (tmp_path / "T1-000003.phh").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportRefused, match="is there already"):
        export_journal(journal, "phh", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["T1-000003.phh"]


def test_a_hand_that_is_not_the_ledgers_is_left_out(journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hand is read back before its file appears: a writer that errs is caught."""
    way = files._WAYS["phh"]
    wrong = way._replace(text=lambda hand: way.text(hand).replace("bring_in = 2", "bring_in = 3"))
    monkeypatch.setattr(files, "_WAYS", {"phh": wrong})
    done = export_journal(journal, "phh", tmp_path)
    assert (done.hands, done.files) == (0, ())
    assert done.skipped[0] == (1, "the written hand is not the ledger's: bring_in is 3, and the ledger has 2")


def test_a_damaged_journal_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 with the number of the event; no half of an export stays behind."""
    bodies = rehearsed_bodies(hands=1, seed=8)
    index = next(number for number, body in enumerate(bodies) if body["type"] == "PotAwarded")
    bodies[index]["shares"] = "none"
    path = write_journal(tmp_path / "data", bodies)
    with pytest.raises(JournalDamaged):
        export_journal(path, "phh", tmp_path / "out")
    assert not (tmp_path / "out").exists(), "the folder that was made for it goes too"
    (tmp_path / "mine").mkdir()
    with pytest.raises(JournalDamaged):
        export_journal(path, "phh", tmp_path / "mine" / "deep" / "out")
    assert list((tmp_path / "mine").iterdir()) == [], "and a folder that was there stays"
    assert main(["export", str(path), "--format", "stars", "--out", str(tmp_path / "out")]) == 1
    assert one_sentence(capsys.readouterr().err)


def test_wrong_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No journal there: exit 2, and no folder is made."""
    assert main(["export", str(tmp_path / "none"), "--format", "phh", "--out", str(tmp_path / "out")]) == 2
    assert one_sentence(capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit) as caught:
        main(["export", str(tmp_path), "--format", "ohh", "--out", str(tmp_path / "out")])
    assert caught.value.code == 2


def test_people_read_a_line(journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without ``--json`` a sentence."""
    assert main(["export", str(journal), "--format", "jsonl", "--out", str(tmp_path / "a")]) == 0
    assert capsys.readouterr().out == f"4 hands in 1 file in {tmp_path / 'a'}\n"


@pytest.mark.ports
def test_a_demo_is_exported_and_replayed(tmp_path: Path) -> None:
    """The commands as people type them: a demo keeps its journal, which is exported while nothing else runs."""
    demo = stud_table(
        "demo", "--hands", "3", "--speed", "fast", "--variant", "stud8", "--seed", "5", "--data", tmp_path / "demo", "--json"
    )
    assert demo.returncode == 0, demo.stderr
    for wanted in FORMATS:
        done = stud_table("export", tmp_path / "demo" / "data", "--format", wanted, "--out", tmp_path / "out", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["hands"] + len(json.loads(done.stdout)["skipped"]) == 3
    again = stud_table("replay", tmp_path / "out" / "T1.jsonl", "--json")
    assert json.loads(again.stdout)["agree"] == 3
