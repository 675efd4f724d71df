"""``doctor``: a support archive of a table or a floor, running or not."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from controller.cli.parsing import OK, UsageError, add_command, add_json, not_written, print_json
from controller.config import load_config, read_toml
from controller.doctor import examine, write_archive
from controller.floor_config import load_floor_config


def add_doctor_command(commands: Any) -> None:
    """Add ``doctor``."""
    about = "a support archive of a table or floor, running or not: what is wrong with it, without a card, key or password"
    parser = add_command(commands, "doctor", _doctor, about, "stud-table doctor /etc/stud-table/table.toml --out T1.tar.gz")
    parser.add_argument("config", type=Path, metavar="TABLE.toml|FLOOR.toml", help="the configuration")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.tar.gz", help="the archive, which is not there yet")
    parser.add_argument("--log", type=Path, metavar="FILE", help="a log whose end goes in, as journalctl has written it")
    add_json(parser)


def _doctor(options: argparse.Namespace) -> int:
    if options.out.exists():
        raise UsageError(f"{options.out} is there already: name another file with --out")
    config = load_config(options.config) if "table" in read_toml(options.config) else load_floor_config(options.config)
    try:
        files = asyncio.run(examine(config, options.log))
    except OSError as error:
        if options.log is None or error.filename != str(options.log):
            raise
        raise UsageError(f"{options.log} cannot be read: {error.strerror}; name another file with --log") from None
    try:
        write_archive(files, options.out)
    except OSError as error:
        raise not_written(options.out, error, option="--out") from None
    if options.json:
        print_json({"archive": str(options.out), "files": sorted(files)})
    else:
        sys.stdout.write(f"{options.out} holds {', '.join(sorted(files))}: look through it before you send it\n")
    return OK
