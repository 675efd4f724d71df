"""The command line as a whole: every command has help with an example, and every error has its exit code and one sentence."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.metadata import version

import pytest

from controller import cli
from controller.app import FencedError
from controller.cli import main
from controller.cli.commands import COMMANDS, parser_of
from controller.cli.parsing import UsageError
from controller.config import ConfigError
from controller.demo import ControllerEnded
from controller.hand.rules import HouseRulesError
from controller.journal.errors import JournalBusy, JournalDamaged, JournalFailed
from controller.journal.sealing import SealError
from controller.mqtt.broker import BrokerError
from controller.table.state import ChipsDisagree
from simulators.dealer import DealerStuck
from simulators.recorded import RecordedHandError


def ends(arguments: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


@pytest.mark.parametrize("command", ["demo", "run", "watch", "replay", "verify", "calibrate", "bench"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` exits 0, says every option, and ends with a line to copy."""
    assert ends([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"example: stud-table {command}" in out


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_alone_says_what_it_says_among_all(word: str) -> None:
    """What is built for one command is the same as that part of the whole."""
    alone, among_all = (commands_of(parser)[word] for parser in (parser_of(word), parser_of()))
    assert alone.format_help() == among_all.format_help()


def test_every_command_stands_under_its_name() -> None:
    """None is missing in the list that says who adds it, and none stands there twice."""
    assert list(commands_of(parser_of())) == list(COMMANDS)


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of its commands by name."""
    return next(dict(action.choices) for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """And the version is the distribution's."""
    assert ends(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)
    assert ends(["--version"]) == 0
    assert capsys.readouterr().out == f"stud-table {version('stud-table')}\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["run"], ["verify"]])
def test_wrong_use_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2."""
    assert ends(arguments) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--json", "verify", "data"], "--json stands before the command: write it behind, as stud-table verify --json"),
        (["--hands", "3", "demo"], "--hands stands before the command: write it behind, as stud-table demo --hands"),
        (["--limit=3", "replay"], "--limit stands before the command: write it behind, as stud-table replay --limit"),
        (
            ["device", "--json", "probe", "x"],
            "--json stands before the command: write it behind, as stud-table device probe --json",
        ),
        (["--nonsense"], "--nonsense stands before the command: write it behind, as stud-table COMMAND --nonsense"),
    ],
)
def test_an_option_before_the_command_is_told_apart(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Options belong to a command; the sentence shows where to write it."""
    assert ends(arguments) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("wrong"), 2),
        (ConfigError("wrong"), 2),
        (HouseRulesError("wrong"), 2),
        (RecordedHandError("wrong"), 2),
        (BrokerError("wrong"), 2),
        (SealError("wrong"), 2),
        (JournalBusy("wrong"), 2),
        (PermissionError(13, "wrong", "deck.toml"), 2),
        (JournalFailed("wrong"), 1),
        (JournalDamaged(7, "wrong"), 1),
        (ControllerEnded("wrong"), 1),
        (ChipsDisagree("wrong"), 1),
        (DealerStuck("wrong"), 1),
        (FencedError("wrong"), 3),
    ],
)
def test_each_error_has_its_exit_code(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 for wrong use or configuration, 1 for what does not hold, 3 when fenced; always one sentence."""
    fails(monkeypatch, error)
    assert main([]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("stud-table: ")
    assert "wrong" in said.err
    assert said.err.count("\n") == 1


def test_ctrl_c_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """128 + SIGINT, as shells expect."""
    fails(monkeypatch, KeyboardInterrupt())
    assert main([]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_fault_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody expected comes through with its traceback."""
    fails(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main([])


def fails(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the command end with ``error``."""

    def run(options: argparse.Namespace) -> int:
        raise error

    def parser(_: str) -> argparse.ArgumentParser:
        made = argparse.ArgumentParser()
        made.set_defaults(run=run)
        return made

    chosen: Callable[[str], argparse.ArgumentParser] = parser
    monkeypatch.setattr(cli, "parser_of", chosen)
