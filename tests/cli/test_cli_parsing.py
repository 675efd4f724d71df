"""What the commands share: numbers, addresses, languages, progress, and errors in one sentence."""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path

import pytest

from controller.cli.parsing import Parser, UsageError, add_json, address, count, language, print_json, program, progress
from controller.words.catalogue import Language


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("5", 5), ("007", 7)])
def test_whole_numbers(text: str, number: int) -> None:
    """Digits alone are a count."""
    assert count(text) == number


@pytest.mark.parametrize("text", ["", "-1", "1.5", "five", " 5", "5\n", "1e3"])
def test_no_whole_numbers(text: str) -> None:
    """The error names what was given."""
    with pytest.raises(argparse.ArgumentTypeError, match="is no whole number"):
        count(text)


@pytest.mark.parametrize(("url", "found"), [("mqtt://127.0.0.1:1883", ("127.0.0.1", 1883)), ("broker:65535", ("broker", 65535))])
def test_addresses(url: str, found: tuple[str, int]) -> None:
    """With and without the scheme."""
    assert address(url) == found


@pytest.mark.parametrize("url", ["", "broker", "mqtt://:1883", "broker:", "broker:0", "broker:65536", "broker:x"])
def test_no_addresses(url: str) -> None:
    """The sentence shows how an address is written."""
    with pytest.raises(UsageError, match="mqtt://host:port"):
        address(url)


@pytest.mark.parametrize(
    ("variables", "chosen"),
    [
        ({}, Language.EN),
        ({"LANG": "fr_CA.UTF-8"}, Language.FR),
        ({"LANG": "de_DE.UTF-8"}, Language.EN),
        ({"LANG": "fr_FR", "LC_MESSAGES": "en_US"}, Language.EN),
        ({"LC_ALL": "FR", "LANG": "en_US"}, Language.FR),
    ],
)
def test_the_language_is_the_environments(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], chosen: Language) -> None:
    """LC_ALL before LC_MESSAGES before LANG; English unless French."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert language() is chosen


def test_progress_shows_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line that is written over; nothing into a pipe."""
    progress("hand 1")
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    progress("hand 1")
    progress("")
    assert terminal.getvalue() == "\r\x1b[Khand 1\r\x1b[K"


def test_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Names keep their letters."""
    print_json({"name": "Cléo"})
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "Cléo" in out
    assert json.loads(out) == {"name": "Cléo"}


def test_wrong_arguments_are_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2; the line names program and value and where help is."""
    parser = Parser(prog="stud-table demo")
    add_json(parser)
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["--bogus"])
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "--bogus" in said.err
    assert "stud-table demo --help" in said.err


def test_the_program_is_named_as_it_can_be_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its name when the shell finds it, by its path from here otherwise."""
    script = tmp_path / "bin" / "stud-table"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == "bin/stud-table"
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "stud-table"
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert program() == "stud-table"
