"""``backup``: what it says, and that nothing is written where something is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.table_runs import write_journal

from controller.cli import main
from controller.journal.verify import verify_chain

BODIES = [{"type": "E", "epoch": 1, "n": n} for n in range(1, 4)]


def test_a_copy_is_told_with_its_head(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The head is what a person notes; ``verify --head`` asks for it."""
    data = write_journal(tmp_path / "data", BODIES)
    head = verify_chain(data).head.hex()
    assert main(["backup", str(data), "--out", str(tmp_path / "one")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'one'} holds journal 0badcafe: 1 file, 3 events, head {head}\n"
    assert main(["backup", str(data), "--out", str(tmp_path / "two"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"journal": "0badcafe", "files": 1, "events": 3, "head": head}
    assert verify_chain(tmp_path / "two", head=bytes.fromhex(head)).ok


def test_wrong_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file instead of the folder, no journal, a folder that is there."""
    data = write_journal(tmp_path / "data", BODIES)
    for arguments, said in (
        ([str(data / "journal.sqlite3"), "--out", str(tmp_path / "x")], "is no folder: name the folder of the journal"),
        ([str(tmp_path), "--out", str(tmp_path / "x")], "there is no journal"),
        (
            [str(data), "--out", "/proc/x"],
            "stud-table: /proc/x cannot be written (No such file or directory): name another place with --out",
        ),
        ([str(data), "--out", str(data)], "is there already: name another folder with --out"),
    ):
        assert main(["backup", *arguments]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
