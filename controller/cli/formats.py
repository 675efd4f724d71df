"""``formats``: what this release reads of journals, and whether it or another one can go on with a journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from controller.cli.parsing import DOES_NOT_HOLD, OK, UsageError, add_command, add_json, print_json
from controller.formats import FormatsError, load_formats, own_formats, readable


def add_formats_command(commands: Any) -> None:
    """Add ``formats``."""
    about = (
        "formats that this release reads, or whether a release can go on with a journal: before an upgrade and before a roll-back"
    )
    example = "stud-table formats /var/lib/stud-table/T1/journal --reader formats-0.1.0.json"
    parser = add_command(commands, "formats", _formats, about, example)
    parser.add_argument(
        "journal", type=Path, nargs="?", metavar="JOURNAL", help="a journal's folder (default: only tell formats)"
    )
    reader = "what another release told with formats --json (default: this release)"
    parser.add_argument("--reader", type=Path, metavar="FILE", help=reader)
    add_json(parser)


def _formats(options: argparse.Namespace) -> int:
    try:
        reader = own_formats() if options.reader is None else load_formats(options.reader)
        found = None if options.journal is None else readable(options.journal, reader)
    except (FormatsError, FileNotFoundError) as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json(reader.as_json() if found is None else found.as_json())
    elif found is None:
        versions = sum(map(len, reader.records.values()))
        sys.stdout.write(
            f"release {reader.release} reads journals of format {reader.journal} with {len(reader.records)} kinds of records in"
            f" {versions} versions; --json tells them\n"
        )
    elif found.ok:
        sys.stdout.write(
            f"release {found.release} reads this journal: {found.events} events, {found.hands} hands, head {found.head}\n"
        )
    else:
        sys.stdout.write("".join(f"- {problem}\n" for problem in found.problems))
    return OK if found is None or found.ok else DOES_NOT_HOLD
