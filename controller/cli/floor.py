"""``floor``: the venue's service. Loads what the floor needs and nothing of a table."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

from controller.cli.parsing import DOES_NOT_HOLD, OK, add_command, add_json, print_json
from controller.floor_config import load_floor_config
from controller.floor_serve import FloorChecked, calm_collector, check_floor, run_floor


def add_floor_command(commands: Any) -> None:
    """Add ``floor``."""
    about = "the venue's service: every table's state on one address, and a copy of what happened"
    parser = add_command(commands, "floor", _floor, about, "stud-table floor /etc/stud-table/floor.toml --check")
    parser.add_argument("floor", type=Path, metavar="FLOOR.toml", help="the floor's configuration")
    parser.add_argument("--check", action="store_true", help="only say whether broker and store are as they should be")
    add_json(parser)


def _floor(options: argparse.Namespace) -> int:
    config = load_floor_config(options.floor)
    if options.check:
        return _told(asyncio.run(check_floor(config)), as_json=options.json)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    calm_collector()
    asyncio.run(run_floor(config))
    return OK


def _told(checked: FloorChecked, *, as_json: bool) -> int:
    if as_json:
        print_json({"ok": checked.ok, "problems": list(checked.problems)})
    else:
        lines = (
            ["All is well."] if checked.ok else [f"Problems: {len(checked.problems)}", *(f"- {one}" for one in checked.problems)]
        )
        sys.stdout.write("\n".join(lines) + "\n")
    return OK if checked.ok else DOES_NOT_HOLD
