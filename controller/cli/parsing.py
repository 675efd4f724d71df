"""What the commands share: parsers whose errors are one sentence, exit codes, addresses, JSON and progress."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from controller.words.catalogue import Language

OK: Final = 0
DOES_NOT_HOLD: Final = 1
WRONG_USE: Final = 2
FENCED: Final = 3
"""Another controller runs the table: a supervisor must not start this one again."""
LAST_ADDRESS: Final = 254
"""Of a reader on its line; one more means all of them."""
VARIANTS: Final = ("stud", "stud8", "razz")


class UsageError(Exception):
    """Wrong use, as one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence on standard error, and exit 2."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """As argparse does; an option before the command that it belongs to is told apart from one that is none."""
        words = sys.argv[1:] if args is None else list(args)
        commands = next((act.choices for act in self._actions if isinstance(act.choices, dict)), None)
        option = words[0].partition("=")[0] if words else ""
        if commands and option.startswith("-") and not any(own.startswith(option) for own in self._option_string_actions):
            command = next((word for word in words if word in commands), "COMMAND")
            self.error(f"{option} stands before the command: write it behind, as {self.prog} {command} {option}")
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        """One sentence, and exit 2."""
        sys.stderr.write(f"{self.prog}: {message}; {self.prog} --help shows how it is used\n")
        raise SystemExit(WRONG_USE)


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, example: str
) -> argparse.ArgumentParser:
    """A command with its one line of help and an example."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=about,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="one JSON object on standard output, everything else on standard error"
    )


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def count(text: str) -> int:
    """A whole number, for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def bus_address(text: str) -> int:
    """A reader's address on its line, for argparse."""
    if not text.isdecimal() or int(text) > LAST_ADDRESS:
        raise argparse.ArgumentTypeError(f"{text!r} is no address on a line: give a number from 0 to {LAST_ADDRESS}")
    return int(text)


def positive(text: str, *, otherwise: str = "") -> int:
    """A whole number from 1 on, for argparse; ``otherwise`` says what else the option allows, as leaving it out."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on: give 1 or more{otherwise}")
    return int(text)


positive_or_all: Final = partial(positive, otherwise=", or leave the option out for all")
"""A whole number from 1 on where leaving it out means all, for argparse."""


def address(url: str) -> tuple[str, int]:
    """Host and port of ``mqtt://host:port``; ``UsageError`` otherwise."""
    host, colon, port = url.removeprefix("mqtt://").rpartition(":")
    if not host or not colon or not port.isdecimal() or not 0 < int(port) < 65536:
        raise UsageError(f"{url} is no broker address: write mqtt://host:port, as mqtt://127.0.0.1:1883")
    return host, int(port)


def somewhere(text: str) -> Path:
    """A file or a folder, for argparse; an empty name, as of a variable that is not set, is not the folder one stands in."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty: name a file or a folder, or . for the folder that you are in")
    return Path(text)


def not_written(path: Path, error: OSError, *, option: str = "") -> UsageError:
    """What to say where ``path``, as ``option`` names it, cannot be written."""
    place = f"name another place{f' with {option}' if option else ''}"
    return UsageError(f"{path} cannot be written ({error.strerror}): {place}, in a folder that is there and can be written")


def program() -> str:
    """This program as a person would type it here: by its bare name where the shell finds it, else by its path."""
    called = Path(sys.argv[0])
    found = shutil.which("stud-table")
    if called.name != "stud-table" or (found is not None and Path(found).samefile(called)):
        return "stud-table"
    path = called.absolute()
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def language() -> Language:
    """The language of the environment; English unless it is French."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return Language.FR if named.lower().startswith("fr") else Language.EN


def progress(line: str) -> None:
    """Progress on a terminal; silent elsewhere."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
