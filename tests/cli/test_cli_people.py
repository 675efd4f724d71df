"""``people``: PINs and badges come from a terminal and go nowhere but into their hashes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.access.people import Role
from controller.access.roster import load_roster
from controller.cli import main
from controller.cli import people as command

Typed = Callable[..., None]
ANN = ("--number", "12", "--name", "Ann", "--role", "dealer")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """What is typed at the terminal, line by line."""

    def lines(*given: str) -> None:
        waiting = list(given)
        monkeypatch.setattr(command, "getpass", lambda _prompt: waiting.pop(0))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    return lines


@pytest.fixture
def file(tmp_path: Path, typed: Typed) -> str:
    """A file with one dealer."""
    path = str(tmp_path / "people.json")
    typed("482915", "482915")
    assert main(["people", "add", path, *ANN]) == 0
    return path


def test_a_person_is_added_listed_and_removed(file: str, typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    """Number, name, role and what they sign in with; no secret on the screen."""
    typed("e0a1b2c3d4", "905172", "905172")
    assert main(["people", "add", file, "--number", "3", "--name", "Fay", "--role", "floor", "--both"]) == 0
    assert capsys.readouterr().out == "3 Fay, floor: added\n"
    assert main(["people", "list", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["3", "Fay", "floor", "badge", "and", "PIN"],
        ["12", "Ann", "dealer", "PIN"],
    ]
    assert main(["people", "remove", file, "--number", "12", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"]["name"] == "Ann"
    assert [one.role for one in load_roster(Path(file)).people] == [Role.FLOOR]


def test_a_reset_gives_another_badge_and_keeps_the_pin(file: str, typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not asked for stays."""
    typed("E0A1B2C3D4")
    assert main(["people", "reset", file, "--number", "12", "--badge"]) == 0
    assert capsys.readouterr().out.endswith("12 Ann, dealer: has a new badge\n")
    roster = load_roster(Path(file))
    assert roster.by_badge("E0A1B2C3D4") == roster.by_pin("12", "482915") == roster.person("12")


@pytest.mark.parametrize(
    ("lines", "says"),
    [(("482915", "482916"), "the two PINs differ"), (("123456",), "tried first"), (("12",), "6 to 12 digits")],
)
def test_a_pin_that_cannot_be_changes_nothing(
    file: str, typed: Typed, capsys: pytest.CaptureFixture[str], lines: tuple[str, ...], says: str
) -> None:
    """Exit 2 and one sentence, without the PIN."""
    before = Path(file).read_text()
    typed(*lines)
    assert main(["people", "reset", file, "--number", "12"]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert lines[0] not in said.replace("6 to 12", "")
    assert Path(file).read_text() == before


def test_no_pin_goes_through_a_pipe(file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal, nothing is asked."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["people", "reset", file, "--number", "12"]) == 2
    assert "read from a terminal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("remove", "--number", "99"), "nobody has the number 99"),
        (("reset", "--number", "99"), "nobody has the number 99"),
        (("add", "--number", "12", "--name", "Ben", "--role", "dealer"), "number 12 is taken"),
        (("add", "--number", "13", "--name", "ANN", "--role", "dealer"), "tell people apart"),
    ],
)
def test_wrong_use_is_one_sentence(
    file: str, typed: Typed, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    """Exit 2, and the file is as it was."""
    before = Path(file).read_text()
    typed("905172", "905172")
    assert main(["people", arguments[0], file, *arguments[1:]]) == 2
    assert says in capsys.readouterr().err
    assert Path(file).read_text() == before


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the command that makes it."""
    assert main(["people", "list", str(tmp_path / "people.json")]) == 2
    assert "stud-table people add" in capsys.readouterr().err
