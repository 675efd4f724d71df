"""``keys init|issue|renew|revoke|list``: the venue's authority, and who it says somebody is; ``rotate``: a table's own key."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from controller.cli.parsing import DOES_NOT_HOLD, OK, Parser, UsageError, add_command, add_json, positive, print_json, somewhere
from controller.keys.authority import (
    AUTHORITY,
    DAYS,
    MAX_DAYS,
    REVOKED,
    Authority,
    KeysError,
    load_authority,
    make_authority,
    utc_now,
)
from controller.keys.folder import days_left, issue_folder, newest, renew_folder, state_of
from controller.keys.identity import Identity, IdentityError, Kind, checked_host

FOLDER: Final = Path("authority")
CARRY: Final = "carry it to its machine, keep the key 0600 there, and delete the key here"


def add_keys_commands(commands: Any) -> None:
    """Add ``keys`` with its own commands."""
    about = "the venue's authority: certificates for broker, tables, floor and displays, their renewal and revocation"
    keys = commands.add_parser("keys", help=about, description=about)
    own = keys.add_subparsers(dest="keys_command", required=True, metavar="COMMAND", parser_class=Parser)
    about = "make the venue's authority, once; its folder belongs on a machine or stick of its own"
    parser = _command(own, "init", _init, about, "stud-table keys init nice --authority /media/stick/authority")
    parser.add_argument("venue", metavar="VENUE", help="the venue, as in the configurations")
    about = "make a key and its certificate, in a folder to carry to the machine that it is for"
    example = "stud-table keys issue broker main --host broker.room.example --host 192.0.2.7"
    parser = _command(own, "issue", _issue, about, example)
    parser.add_argument("kind", choices=[kind.value for kind in Kind], help="what bears it")
    name = "its name: the table's, TABLE-seat-N or TABLE-public of a display, the table's of a bridge, floor of the floor"
    parser.add_argument("name", metavar="NAME", help=name)
    host = "a name or address at which others connect to it; more than once for several"
    parser.add_argument("--host", action="append", default=[], metavar="HOST", help=host)
    _add_out(parser)
    about = "make another certificate for the same key, name and hosts: what is carried to the machine is no secret"
    parser = _command(own, "renew", _renew, about, "stud-table keys renew table-T12 floor --out renewed")
    parser.add_argument("names", nargs="+", metavar="NAME", help="common names, as keys list tells them")
    _add_out(parser)
    about = f"take back every certificate of a name: give the broker {REVOKED}, and have it read anew"
    parser = _command(own, "revoke", _revoke, about, "stud-table keys revoke display-T12-seat-2")
    parser.add_argument("names", nargs="+", metavar="NAME", help="common names, as keys list tells them")
    about = "which certificates there are and when they expire; exit 1 when one has, or does within 30 days"
    _command(own, "list", _list, about, "stud-table keys list --json")
    about = "give a table that stands still another key for its sealed cards; what is sealed opens as before"
    parser = add_command(own, "rotate", _rotate, about, "stud-table keys rotate /etc/stud-table/table.toml")
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration")
    add_json(parser)


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, example: str
) -> argparse.ArgumentParser:
    parser = add_command(commands, name, run, about, example)
    parser.add_argument(
        "--authority", type=somewhere, default=FOLDER, metavar="DIR", help=f"folder of the venue's authority (default {FOLDER})"
    )
    add_json(parser)
    return parser


def _add_out(parser: argparse.ArgumentParser) -> None:
    about = "where the folder of that name is made (default: here)"
    parser.add_argument("--out", type=somewhere, default=Path(), metavar="DIR", help=about)
    about = f"how long it lasts, up to {MAX_DAYS} (default {DAYS})"
    parser.add_argument("--days", type=positive, default=DAYS, metavar="N", help=about)


def _init(options: argparse.Namespace) -> int:
    try:
        venue = Identity(Kind.TABLE, options.venue).name
        authority = make_authority(options.authority, venue, now=utc_now())
    except (KeysError, IdentityError) as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json({"authority": str(options.authority / AUTHORITY), "expires": authority.expires.isoformat()})
    else:
        until = f"until {authority.expires:%Y-%m-%d}"
        sys.stdout.write(f"made the authority of {venue} in {options.authority}, {until}; give {AUTHORITY} to everybody\n")
    return OK


def _issue(options: argparse.Namespace) -> int:
    authority = _loaded(options)
    try:
        identity = Identity(Kind(options.kind), options.name)
        hosts = [checked_host(host) for host in options.host]
        made = issue_folder(authority, identity, hosts, options.out, now=utc_now(), days=options.days)
    except (KeysError, IdentityError) as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json({"name": identity.common_name, "folder": str(made)})
    else:
        sys.stdout.write(f"made {made} for {identity.common_name}; {CARRY}\n")
    return OK


def _renew(options: argparse.Namespace) -> int:
    authority = _loaded(options)
    made: dict[str, str] = {}
    for name in options.names:
        try:
            made[name] = str(renew_folder(authority, name, options.out, now=utc_now(), days=options.days))
        except KeysError as error:
            raise UsageError(str(error)) from None
        if not options.json:
            carry = "carry its files to the machine; tables and floor take them by themselves, a broker is reloaded"
            sys.stdout.write(f"made {made[name]} for {name}; {carry}\n")
    if options.json:
        print_json({"folders": made})
    return OK


def _revoke(options: argparse.Namespace) -> int:
    authority = _loaded(options)
    names = list(dict.fromkeys(options.names))
    try:
        for name in names:
            authority.current(name)  # a slip in the last name takes nothing back before it
        revoked = [f"{one.serial:x}" for name in names for one in authority.revoke(name, now=utc_now())]
    except (KeysError, OSError) as error:
        raise UsageError(str(error)) from None
    path = options.authority / REVOKED
    if options.json:
        print_json({"revoked": revoked, "list": str(path)})
    else:
        sys.stdout.write(f"revoked: {len(revoked)}; copy {path} to the broker and restart it: it refuses them from then on\n")
    return OK


def _list(options: argparse.Namespace) -> int:
    authority = _loaded(options)
    now = utc_now()
    try:
        issued = newest(authority.issued())
    except KeysError as error:
        raise UsageError(str(error)) from None
    rows: list[tuple[str, datetime, str, tuple[str, ...]]] = [("authority", authority.expires, _authority_state(authority), ())]
    rows += [(one.identity.common_name, one.expires, state_of(one, now), one.hosts) for one in issued]
    ok = all(state in ("valid", "revoked") for _, _, state, _ in rows)
    if options.json:
        told = [
            {"name": name, "expires": expires.isoformat(), "days": days_left(expires, now), "state": state, "hosts": list(hosts)}
            for name, expires, state, hosts in rows
        ]
        print_json({"ok": ok, "venue": authority.venue, "certificates": told})
    else:
        for name, expires, state, hosts in rows:
            sys.stdout.write(
                f"{name:<40}  {expires:%Y-%m-%d}  {days_left(expires, now):>5} days  {state:<8}  {' '.join(hosts)}\n"
            )
    return OK if ok else DOES_NOT_HOLD


def _rotate(options: argparse.Namespace) -> int:
    from controller.config import load_config
    from controller.keys.table_key import rotate_table_key

    config = load_config(options.table)
    try:
        count = rotate_table_key(config.data, config.key_folder, config.table.name)
    except KeysError as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json({"table": config.table.name, "deals": count})
    else:
        sys.stdout.write(f"table {config.table.name} has another key; deals that were wrapped again: {count}\n")
    return OK


def _authority_state(authority: Authority) -> str:
    """An authority is renewed by making another one, which takes longer: a year before its end."""
    left = days_left(authority.expires, utc_now())
    return "expired" if left < 0 else "soon" if left < DAYS else "valid"


def _loaded(options: argparse.Namespace) -> Authority:
    try:
        return load_authority(options.authority)
    except KeysError as error:
        raise UsageError(str(error)) from None
