"""``init table|floor``: a commented configuration, by questions on a terminal or by options."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from errno import ENOTDIR
from pathlib import Path
from typing import Any, Final, TypeVar

from controller.cli.parsing import (
    OK,
    VARIANTS,
    Parser,
    UsageError,
    add_command,
    add_json,
    language,
    not_written,
    print_json,
    somewhere,
)
from controller.config import parse_config
from controller.config_network import MQTT_TLS_PORT
from controller.installation.sheets import Broker, FloorChoice, TableChoice, floor_sheet, lines_for, table_sheet
from controller.whole_file import write_new
from controller.words.catalogue import Language, text
from drivers.registry import reader_names, shoe_names

T = TypeVar("T")
PRESETS: Final = ("seeds", "live_cash", "tournament")
NONE: Final = "-"
MQTT_PORT: Final = 1883
_YES: Final = {"yes": True, "y": True, "oui": True, "o": True, "no": False, "n": False, "non": False}
_PLACES: Final = ("stud-table/*/*", "serial/by-path/*")
"""Where names of ports are that do not change with the order in which they are found."""


def add_init_commands(commands: Any) -> None:
    """Add ``init`` with its own commands."""
    about = "a commented configuration of a table or floor, by questions on a terminal or by options"
    init = commands.add_parser("init", help=about, description=about)
    own = init.add_subparsers(dest="init_command", required=True, metavar="COMMAND", parser_class=Parser)
    about = "write table.toml with every key and its meaning; nothing is written over"
    table = add_command(own, "table", _table, about, "stud-table init table --name T1 --seats 7 --out T1")
    _add_common(table, "table.toml", TableChoice().http[1])
    base = TableChoice()
    table.add_argument("--name", metavar="NAME", help=f"the table (default {base.name})")
    table.add_argument("--table-language", choices=("en", "fr"), help="language of its messages (default en)")
    table.add_argument("--variant", choices=VARIANTS, help="the game (default stud)")
    table.add_argument("--preset", choices=PRESETS, help="house rules to start from (default live_cash)")
    table.add_argument("--stakes", metavar="A/B/S/B", help="ante, bring-in, small and big bet (default 1/2/4/8)")
    table.add_argument("--seats", metavar="N", help="seats, 2 to 8 (default 8)")
    table.add_argument("--one-antenna", action="store_const", const="yes", help="one antenna a seat, for down and up cards alike")
    table.add_argument("--shoe", metavar="PORT", help="the shoe's port, - for none (default /dev/stud-table/NAME/shoe)")
    table.add_argument("--shoe-driver", metavar="DRIVER", help=f"its protocol (default {base.shoe_driver})")
    lines = "ports of the lines of readers with commas, - for none (default /dev/stud-table/NAME/felt-a and so on)"
    table.add_argument("--readers", metavar="PORTS", help=lines)
    table.add_argument("--reader-driver", metavar="DRIVER", help=f"their protocol (default {base.reader_driver})")
    key = "the venue's floor may order: the public half of its key, beside table.toml (default: it may not)"
    table.add_argument("--floor-key", default="", metavar="FILE", help=key)
    about = "write floor.toml with every key and its meaning; nothing is written over"
    floor = add_command(
        own, "floor", _floor, about, "stud-table init floor --venue main-room --store postgresql://floor@db/floor"
    )
    _add_common(floor, "floor.toml", FloorChoice().http[1])
    floor.add_argument("--store", metavar="URL", help="sqlite:///PATH or postgresql://USER@HOST/DATABASE (default: a file)")


def _add_common(parser: argparse.ArgumentParser, file: str, port: int) -> None:
    parser.add_argument("--out", type=somewhere, default=Path(), metavar="DIR", help=f"folder of {file} (default: this one)")
    parser.add_argument("--venue", metavar="VENUE", help="the venue (default main-room)")
    parser.add_argument("--broker", metavar="HOST:PORT", help="the broker (default 127.0.0.1:1883)")
    parser.add_argument("--user", metavar="USER", help="the user at the broker (default: none)")
    tls = "encrypted connections alone, by certificates of stud-table keys issue"
    parser.add_argument("--tls", action="store_const", const="yes", help=tls)
    parser.add_argument("--open", dest="people", action="store_const", const="no", help="nobody signs in; this machine alone")
    parser.add_argument("--http", metavar="HOST:PORT", help=f"address of the pages (default 127.0.0.1:{port})")
    about_state = "where it keeps what it writes, from --out on where it does not begin with / (default: folders below /var/lib)"
    parser.add_argument("--state", metavar="DIR", help=about_state)
    parser.add_argument("--yes", action="store_true", help="no questions, on a terminal neither")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the questions (default: by LANG)")
    add_json(parser)


class _Asker:
    """Answers from options, else from a terminal, else by default."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._asks = sys.stdin.isatty() and not options.yes
        self.language = language() if options.language is None else Language(options.language)

    def say(self, key: str) -> None:
        """One line for a person who is asked."""
        if self._asks:
            sys.stderr.write(text(key, self.language) + "\n")

    def show(self, lines: Sequence[str]) -> None:
        """Lines for a person who is asked."""
        if self._asks:
            sys.stderr.write("".join(f"  {number}  {line}\n" for number, line in enumerate(lines, 1)))

    def ask(self, key: str, option: str, default: str, read: Callable[[str], T], **values: str) -> T:
        """The answer as ``read`` takes it, which raises ``ValueError`` with what is wrong. ``UsageError`` for a wrong option."""
        given = getattr(self._options, option)
        if given is not None or not self._asks:
            try:
                return read(default if given is None else given)
            except ValueError as error:
                raise UsageError(f"--{option.replace('_', '-')}: {error}") from None
        while True:
            sys.stderr.write(f"{text(f'init.{key}', self.language, **values)} [{default}]: ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                raise UsageError("the questions were not answered to the end: nothing was written")
            try:
                return read(line.strip() or default)
            except ValueError as error:
                sys.stderr.write(text("init.again", self.language, reason=str(error)) + "\n")

    def one_of(self, known: Sequence[str]) -> Callable[[str], str]:
        """Reads one of ``known``."""

        def read(given: str) -> str:
            if given not in known:
                raise ValueError(text("init.not_a_choice", self.language, known=", ".join(known)))
            return given

        return read

    def yes(self, given: str) -> bool:
        """Reads yes or no."""
        if given.lower() not in _YES:
            known = "yes, no" if self.language is Language.EN else "oui, non"
            raise ValueError(text("init.not_a_choice", self.language, known=known))
        return _YES[given.lower()]

    def address(self, given: str) -> tuple[str, int]:
        """Reads ``host:port``."""
        host, colon, port = given.removeprefix("mqtt://").rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        is_port = bool(colon) and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536
        if not is_port or re.fullmatch(r"[^\s/\[\]]+", host) is None:
            raise ValueError(text("init.not_address", self.language))
        return host, int(port)

    def seats(self, given: str) -> int:
        """Reads a number of seats."""
        if not given.isdecimal() or not 2 <= int(given) <= 8:
            raise ValueError(text("init.not_seats", self.language))
        return int(given)

    def stakes(self, given: str) -> tuple[int, int, int, int]:
        """Reads ``ante/bring-in/small/big``."""
        parts = given.split("/")
        if len(parts) != 4 or not all(part.isdecimal() for part in parts):
            raise ValueError(text("init.not_stakes", self.language))
        return int(parts[0]), int(parts[1]), int(parts[2]), int(parts[3])

    def ports(self, found: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
        """Reads ports by number in ``found`` or by name."""

        def read(given: str) -> tuple[str, ...]:
            return () if given == NONE else tuple(self._port(word.strip(), found) for word in given.split(","))

        return read

    def _port(self, word: str, found: Sequence[str]) -> str:
        if not word.isdecimal():
            return word
        if not 0 < int(word) <= len(found):
            raise ValueError(text("init.no_port", self.language, number=word))
        return found[int(word) - 1]


def ports_found(dev: Path = Path("/dev")) -> list[str]:
    """Serial ports by names that stay."""
    return [str(path) for pattern in _PLACES for path in sorted(dev.glob(pattern))]


def _table(options: argparse.Namespace) -> int:
    asker, base = _Asker(options), TableChoice()
    asker.say("init.head.table")
    venue = asker.ask("venue", "venue", base.venue, str)
    name = asker.ask("name", "name", base.name, str)
    choice = replace(
        base,
        venue=venue,
        name=name,
        language=asker.ask("language", "table_language", asker.language.value, asker.one_of(("en", "fr"))),
        variant=asker.ask("variant", "variant", base.variant, asker.one_of(VARIANTS)),
        preset=asker.ask("preset", "preset", base.preset, asker.one_of(PRESETS)),
        stakes=asker.ask("stakes", "stakes", "1/2/4/8", asker.stakes),
        seats=asker.ask("seats", "seats", str(base.seats), asker.seats),
    )
    choice = _devices(asker, choice)
    common = _common(asker, base.http[1])
    choice = replace(choice, **common, state=options.state or "", floor_key=options.floor_key)
    sheet = table_sheet(choice)
    parse_config(tomllib.loads(sheet), "table.toml")
    return _written(options, "table.toml", sheet)


def _devices(asker: _Asker, choice: TableChoice) -> TableChoice:
    """Shoe and readers."""
    found = ports_found()
    asker.say("init.ports" if found else "init.ports.none")
    asker.show(found)
    own = f"/dev/stud-table/{choice.name}"
    shoe = asker.ask("shoe", "shoe", f"{own}/shoe", asker.ports(found))
    if len(shoe) > 1:
        raise UsageError("--shoe: a table has one shoe: name one port")
    if shoe:
        drivers = shoe_names()
        driver = asker.ask("shoe_driver", "shoe_driver", choice.shoe_driver, asker.one_of(drivers), known=", ".join(drivers))
        choice = replace(choice, shoe=shoe[0], shoe_driver=driver)
    lines = ",".join(f"{own}/felt-{letter}" for letter in "abcde"[: lines_for(choice.seats)])
    readers = asker.ask("readers", "readers", lines, asker.ports(found))
    if len(readers) > choice.seats + 1:
        raise UsageError(f"--readers: {len(readers)} lines for {choice.seats} seats: name at most {choice.seats + 1}")
    if readers:
        drivers = reader_names()
        driver = asker.ask(
            "reader_driver", "reader_driver", choice.reader_driver, asker.one_of(drivers), known=", ".join(drivers)
        )
        one = asker.ask("one_antenna", "one_antenna", "no", asker.yes)
        choice = replace(choice, readers=readers, reader_driver=driver, one_antenna=one)
    return choice


def _common(asker: _Asker, port: int) -> dict[str, Any]:
    """Broker, encryption, whether people sign in, and the address of the pages."""
    tls = asker.ask("tls", "tls", "no", asker.yes)
    host, broker_port = asker.ask("broker", "broker", f"127.0.0.1:{MQTT_TLS_PORT if tls else MQTT_PORT}", asker.address)
    user = NONE if tls else asker.ask("user", "user", NONE, str)
    people = asker.ask("people", "people", "yes", asker.yes)
    http = asker.ask("http", "http", f"127.0.0.1:{port}", asker.address)
    return {"broker": Broker(host, broker_port, "" if user == NONE else user), "tls": tls, "people": people, "http": http}


def _floor(options: argparse.Namespace) -> int:
    from controller.floor_config import parse_floor_config

    asker, base = _Asker(options), FloorChoice()
    asker.say("init.head.floor")
    venue = asker.ask("venue", "venue", base.venue, str)
    state = options.state or base.state
    default = f"sqlite:///{Path(state) / 'floor.sqlite3'}"
    store = asker.ask("store", "store", default, str)
    sheet = floor_sheet(replace(base, venue=venue, store=store, **_common(asker, base.http[1]), state=state))
    parse_floor_config(tomllib.loads(sheet), Path("floor.toml"))
    return _written(options, "floor.toml", sheet)


def _written(options: argparse.Namespace, name: str, sheet: str) -> int:
    path = options.out / name
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        write_new(path, sheet.encode(), mode=0o640)
    except FileExistsError as error:
        if not options.out.is_dir():
            raise not_written(path, NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR)), option="--out") from error
        raise UsageError(f"{path} is there already: name another folder with --out, or move it away") from None
    except OSError as error:
        raise not_written(path, error, option="--out") from None
    if options.json:
        print_json({"file": str(path)})
    else:
        sys.stdout.write(f"{path}\n")
    return OK
