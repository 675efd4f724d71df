"""``backup``: what it says, and that nothing is written where something is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.table_runs import write_journal

from controller.cli import main
from controller.journal.files import lock_folder
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


def test_a_copy_comes_back_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Verified, for its owner alone, never over a journal that is there, and not when it ends before the head that was noted."""
    data = write_journal(tmp_path / "data", BODIES)
    head = verify_chain(data).head.hex()
    assert main(["backup", str(data), "--out", str(tmp_path / "copy")]) == 0
    back = tmp_path / "new" / "data"
    capsys.readouterr()
    assert main(["restore", str(tmp_path / "copy"), "--to", str(back), "--head", head]) == 0
    assert f"holds journal 0badcafe again: 3 events, head {head}" in capsys.readouterr().out
    assert (back / "journal.sqlite3").stat().st_mode & 0o777 == 0o600
    assert write_journal(back, []) == back  # a writer opens it
    assert main(["restore", str(tmp_path / "copy"), "--to", str(back)]) == 2
    assert "move the old journal away first" in capsys.readouterr().err
    other = str(tmp_path / "other")
    assert main(["restore", str(tmp_path / "copy"), "--to", other, "--head", "ab" * 32]) == 1
    assert "nothing was restored" in capsys.readouterr().err
    assert main(["restore", str(tmp_path), "--to", other]) == 2
    assert main(["restore", str(tmp_path / "copy"), "--to", "/proc/x"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert not Path(other).exists()
    with pytest.raises(SystemExit):
        main(["restore", str(tmp_path / "copy"), "--to", other, "--head", "12"])


def test_a_running_table_is_not_restored_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its folder is held."""
    data = write_journal(tmp_path / "data", BODIES)
    running = tmp_path / "running"
    running.mkdir()
    lock = lock_folder(running)
    try:
        assert main(["restore", str(data), "--to", str(running)]) == 2
    finally:
        os.close(lock)
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(running.glob("journal*"))
