"""``backup`` and ``restore``: a copy of a journal, also while its table runs, and the way back."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from controller.cli.parsing import OK, UsageError, add_command, add_json, not_written, print_json, somewhere
from controller.journal.backup import back_up, restore
from controller.journal.chain import HASH_BYTES as HEAD_BYTES


def add_backup_command(commands: Any) -> None:
    """Add ``backup``."""
    about = "copy a journal, also while its table runs; no key goes with it, and the copy is verified"
    parser = add_command(commands, "backup", _backup, about, "stud-table backup /var/lib/stud-table/T1 --out copies/T1-monday")
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="the journal's folder")
    parser.add_argument("--out", type=somewhere, required=True, metavar="FOLDER", help="a folder that is not there yet")
    add_json(parser)


def add_restore_command(commands: Any) -> None:
    """Add ``restore``."""
    about = "put a copied journal where its table finds it, verified before; never over a journal that is there"
    parser = add_command(
        commands, "restore", _restore, about, "stud-table restore copies/T1-monday --to /var/lib/stud-table/T1/journal"
    )
    parser.add_argument("copy", type=somewhere, metavar="COPY", help="a folder that backup made")
    parser.add_argument("--to", type=somewhere, required=True, metavar="DATA", help="data of the table's configuration")
    parser.add_argument(
        "--head", type=_head, metavar="HEAD", help="the head that was noted: a copy that ends before it is refused"
    )
    add_json(parser)


def _head(text: str) -> bytes:
    try:
        head = bytes.fromhex(text)
    except ValueError:
        head = b""
    if len(head) != HEAD_BYTES:
        raise argparse.ArgumentTypeError(f"{text!r} is no head: write the {2 * HEAD_BYTES} hexadecimal digits that backup told")
    return head


def _restore(options: argparse.Namespace) -> int:
    try:
        made = restore(options.copy, options.to, head=options.head)
    except (FileNotFoundError, FileExistsError) as error:
        if error.filename is None:
            raise UsageError(str(error)) from None
        raise not_written(options.to, error, option="--to") from None
    except OSError as error:
        raise not_written(options.to, error, option="--to") from None
    if options.json:
        print_json(made.as_json())
    else:
        sys.stdout.write(
            f"{options.to} holds journal {made.journal} again: {made.events} events, head {made.head}; start the table, once\n"
        )
    return OK


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
