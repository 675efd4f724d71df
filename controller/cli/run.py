"""``run``: a table with its real devices. Loads what a table needs and nothing of the other commands."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from controller.cli.parsing import OK, add_command
from controller.config import load_config
from controller.hardening import keep_memory_private
from controller.logs import set_up_logs
from controller.manifest import command_without_caches
from controller.serve import run_table


def add_run_command(commands: Any) -> None:
    """Add ``run``."""
    parser = add_command(commands, "run", _run, "a table with its real devices", "stud-table run /etc/stud-table/table.toml")
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration")


def _run(options: argparse.Namespace) -> int:
    config = load_config(options.table)
    place = set_up_logs(config.log.format, config.log.level)
    anew = None if config.manifest is None else command_without_caches()
    if anew is not None:
        os.execv(anew[0], anew)  # noqa: S606 - this very program, as the manifest knows it
    keep_memory_private()  # after the start anew, which would undo it, and before a key is read
    asyncio.run(run_table(config, place))
    return OK
