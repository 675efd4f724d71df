"""``broker``: mosquitto's files from the configurations of tables and floor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    UsageError,
    add_command,
    add_json,
    not_written,
    positive,
    print_json,
    somewhere,
)
from controller.config_network import MQTT_TLS_PORT
from controller.installation.access import Grant, of_table
from controller.installation.broker import (
    FOLDER,
    STORE,
    Clients,
    Setting,
    Venue,
    clients_of,
    differences,
    table_files,
    venue_files,
    venue_grants,
    written,
)
from controller.keys.identity import Identity, IdentityError, Kind, checked_host

MAX_PORT: Final = 65535


class _Place(NamedTuple):
    """One broker's folder, its files, and who it lets in."""

    folder: Path
    files: Mapping[str, str]
    grants: Sequence[Grant]


def add_broker_command(commands: Any) -> None:
    """Add ``broker``."""
    about = "mosquitto's configuration and access list, for the venue's broker and the tables' own, from their configurations"
    example = "stud-table broker floor.toml T1/table.toml T2/table.toml --out broker --bridge broker.room.example"
    parser = add_command(commands, "broker", _broker, about, example)
    about = "table.toml of each table and floor.toml of the floor, of one venue"
    parser.add_argument("configurations", nargs="+", type=Path, metavar="CONFIG.toml", help=about)
    parser.add_argument(
        "--out", type=somewhere, required=True, metavar="DIR", help="folder of the files; a table's own lie below it"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and say what is otherwise there; exit 1 when anything is"
    )
    about = "tables have brokers of their own, which bridge to the venue's at this address: their files too"
    parser.add_argument("--bridge", metavar="HOST[:PORT]", help=about)
    parser.add_argument("--auditor", action="append", default=[], metavar="NAME", help="an auditor; more than once for several")
    about = "know clients by passwords instead of certificates; each is made in DIR/secrets, to be carried away"
    parser.add_argument("--passwords", action="store_true", help=about)
    at = f"where the files will lie at the broker (default {FOLDER})"
    parser.add_argument("--at", type=somewhere, default=FOLDER, metavar="DIR", help=at)
    store = f"where the broker keeps what it retains (default {STORE})"
    parser.add_argument("--store", type=somewhere, default=STORE, metavar="DIR", help=store)
    port = f"port of its TLS listener (default {MQTT_TLS_PORT})"
    parser.add_argument("--port", type=positive, default=MQTT_TLS_PORT, metavar="N", help=port)
    add_json(parser)


def _broker(options: argparse.Namespace) -> int:
    if options.passwords and options.bridge:
        raise UsageError("a bridge is known by its certificate: leave --passwords out, or --bridge")
    setting = Setting(options.at, options.store, options.port, by_passwords=options.passwords)
    clients = clients_of(options.configurations, by_passwords=options.passwords)
    places = _places(clients, setting, options)
    if options.check:
        return _checked(places, setting, as_json=options.json)
    try:
        made = [(place.folder, written(place.files, place.grants, place.folder, setting)) for place in places]
    except OSError as error:
        raise not_written(options.out, error, option="--out") from None
    changed = [str(folder / name) for folder, names in made for name in names]
    users = [grant.user for place in places for grant in place.grants]
    if options.json:
        print_json({"changed": changed, "users": list(dict.fromkeys(users))})
    else:
        sys.stdout.write("".join(f"written: {path}\n" for path in changed) or "nothing has changed\n")
        sys.stdout.write(f"clients: {len(set(users))}; copy the files to {setting.folder} at each broker, and restart it\n")
    return OK


def _places(clients: Clients, setting: Setting, options: argparse.Namespace) -> list[_Place]:
    try:
        auditors = [Identity(Kind.AUDITOR, name).name for name in options.auditor]
        venue = None if options.bridge is None else _address(options.bridge)
    except IdentityError as error:
        raise UsageError(str(error)) from None
    places = [_Place(options.out, venue_files(clients, setting, auditors), venue_grants(clients, auditors))]
    if venue is not None:
        places += [
            _Place(options.out / table.name, table_files(clients, table, setting, venue), of_table(clients.venue, table))
            for table in clients.tables
        ]
    return places


def _address(text: str) -> Venue:
    host, colon, port = text.partition(":")
    if not colon:
        return Venue(checked_host(host))
    if not port.isdecimal() or not 0 < int(port) <= MAX_PORT:
        raise UsageError(f"{text} is no address of a broker: write broker.room.example or broker.room.example:{MQTT_TLS_PORT}")
    return Venue(checked_host(host), int(port))


def _checked(places: Sequence[_Place], setting: Setting, *, as_json: bool) -> int:
    problems = [one for place in places for one in differences(place.files, place.grants, place.folder, setting)]
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    else:
        sys.stdout.write("".join(f"- {problem}\n" for problem in problems) or "The files are as the configurations ask for.\n")
    return DOES_NOT_HOLD if problems else OK
