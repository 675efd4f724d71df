"""``backup``: a copy of a journal, also while its table runs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from controller.cli.parsing import OK, UsageError, add_command, add_json, not_written, print_json, somewhere
from controller.journal.backup import back_up


def add_backup_command(commands: Any) -> None:
    """Add ``backup``."""
    about = "copy a journal, also while its table runs; no key goes with it, and the copy is verified"
    parser = add_command(commands, "backup", _backup, about, "stud-table backup /var/lib/stud-table/T1 --out copies/T1-monday")
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="the journal's folder")
    parser.add_argument("--out", type=somewhere, required=True, metavar="FOLDER", help="a folder that is not there yet")
    add_json(parser)


def _backup(options: argparse.Namespace) -> int:
    if not options.journal.is_dir():
        raise UsageError(f"{options.journal} is no folder: name the folder of the journal")
    try:
        made = back_up(options.journal, options.out)
    except OSError as error:
        if error.filename == str(options.out):
            raise not_written(options.out, error, option="--out") from None
        if error.filename is None and isinstance(error, FileNotFoundError | FileExistsError):
            raise UsageError(str(error)) from None
        raise
    if options.json:
        print_json(made.as_json())
    else:
        sys.stdout.write(
            f"{options.out} holds journal {made.journal}: {made.files} file{'' if made.files == 1 else 's'}, "
            f"{made.events} events, head {made.head}\n"
        )
    return OK
