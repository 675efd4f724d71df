"""``stud-table failures``: lines for people, or JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.failed_evening import unplugged_evening

from controller.cli import main
from controller.words.catalogue import Language, text


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of readers was away, across a start."""
    return unplugged_evening(tmp_path_factory.mktemp("house"))


def test_the_command_prints_them(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, or JSON (REG-34)."""
    assert main(["failures", str(evening), "--language", "en"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "hand 1: felt-a does not answer" in lines[2]
    assert main(["failures", str(evening), "--language", "fr", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["failures"][0]["text"] == text("failure.started", Language.FR)
    assert told["failures"][2]["ended"]["at"] > told["failures"][2]["began"]["at"]
    assert (told["ok"], told["first_bad"]) == (True, None)


def test_a_journal_that_does_not_hold_is_told_so_far(evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the record from which on it does not, and exit 1."""
    copy = shutil.copytree(evening, tmp_path / "copy")
    for path in copy.iterdir():
        path.write_bytes(path.read_bytes().replace(b'"type":"HandEnded"', b'"type":"HandEnder"'))
    assert main(["failures", str(copy), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["first_bad"]) == (False, told["events"] + 1)
    assert len(told["failures"]) == 4
    assert main(["failures", str(copy), "--language", "en"]) == 1
    assert f"from record {told['first_bad']} on" in capsys.readouterr().out
