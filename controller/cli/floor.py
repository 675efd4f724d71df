"""``floor``: the venue's service. Loads what the floor needs and nothing of a table."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.access.floor_key import PUBLIC, FloorKeyError, load_floor_key, make_floor_key, public_text
from controller.cli.parsing import DOES_NOT_HOLD, OK, UsageError, add_command, add_json, print_json
from controller.floor_config import FloorConfig, load_floor_config
from controller.floor_expiry import expire_floor
from controller.floor_serve import FloorChecked, calm_collector, check_floor, run_floor
from controller.journal.errors import JournalError
from controller.logs import set_up_logs


def add_floor_command(commands: Any) -> None:
    """Add ``floor``."""
    about = "the venue's service: every table's state on one address, and a copy of what happened"
    parser = add_command(commands, "floor", _floor, about, "stud-table floor /etc/stud-table/floor.toml --check")
    parser.add_argument("floor", type=Path, metavar="FLOOR.toml", help="the floor's configuration")
    parser.add_argument("--check", action="store_true", help="only say whether broker and store are as they should be")
    parser.add_argument(
        "--make-key", action="store_true", help="only make the key that signs the floor's orders, and print its public half"
    )
    parser.add_argument("--verify", action="store_true", help="only say whether the copy is what the tables told")
    parser.add_argument("--table", metavar="T", help="of one table alone")
    against = "a table's journal, or the floor.toml of another floor, to compare the copy with"
    parser.add_argument("--against", type=Path, metavar="PATH", help=against)
    parser.add_argument("--drop-old", action="store_true", help="only drop what is older than store.keep_months, if it is proven")
    parser.add_argument("--dry-run", action="store_true", help="with --drop-old: only say what would go")
    add_json(parser)


def _floor(options: argparse.Namespace) -> int:
    config = load_floor_config(options.floor)
    if options.make_key:
        return _make_key(config.orders.key_file, as_json=options.json)
    if options.check:
        return _told(asyncio.run(check_floor(config)), as_json=options.json)
    if options.verify:
        return _audited(config, options)
    if options.drop_old:
        return _dropped(config, is_dry=options.dry_run, as_json=options.json)
    if options.dry_run:
        raise UsageError("--dry-run belongs to --drop-old: add it")
    if options.table or options.against:
        raise UsageError("--table and --against belong to --verify: add it")
    set_up_logs(config.log.format, config.log.level)
    calm_collector()
    asyncio.run(run_floor(config))
    return OK


def _make_key(path: Path, *, as_json: bool) -> int:
    """Make the floor's key; one that is there stays as it is, and is told."""
    try:
        made = not path.exists()
        public = make_floor_key(path) if made else path.with_name(path.name + PUBLIC)
        text = public_text(load_floor_key(path).public_key())
    except FloorKeyError as error:
        raise UsageError(f"orders.key_file: {error}") from None
    if as_json:
        print_json({"made": made, "key_file": str(path), "public_key_file": str(public), "public": text})
    else:
        sys.stdout.write(f"{'made' if made else 'kept'} {path}; give each table {public} as floor.public_key_file:\n{text}")
    return OK


def _dropped(config: FloorConfig, *, is_dry: bool, as_json: bool) -> int:
    """Drop old months."""
    found = asyncio.run(expire_floor(config, datetime.now(UTC), is_dry=is_dry))
    if as_json:
        print_json(found.as_json())
    else:
        sys.stdout.write("\n".join(found.lines()) + "\n")
    return OK if found.ok else DOES_NOT_HOLD


def _audited(config: FloorConfig, options: argparse.Namespace) -> int:
    """Whether the copy holds; what reads a table's journal is loaded for it alone."""
    from controller.floor_audit import audit_floor

    try:
        found = asyncio.run(audit_floor(config, options.table, options.against))
    except (JournalError, FileNotFoundError) as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json(found.as_json())
    else:
        sys.stdout.write("\n".join(found.lines()) + "\n")
    return OK if found.ok else DOES_NOT_HOLD


def _told(checked: FloorChecked, *, as_json: bool) -> int:
    if as_json:
        print_json({"ok": checked.ok, "problems": list(checked.problems)})
    else:
        lines = (
            ["All is well."] if checked.ok else [f"Problems: {len(checked.problems)}", *(f"- {one}" for one in checked.problems)]
        )
        sys.stdout.write("\n".join(lines) + "\n")
    return OK if checked.ok else DOES_NOT_HOLD
