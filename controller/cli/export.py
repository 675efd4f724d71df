"""``export``: finished hands of a journal for other programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from controller.cli.parsing import OK, UsageError, add_command, add_json, print_json, somewhere
from controller.export.files import FORMATS, Exported, ExportRefused, export_journal

FORMATS_HELP = (
    "phh: Poker Hand History, one file a hand; stars: text in the PokerStars shape; jsonl: recorded hands as replay reads them"
)


def add_export_command(commands: Any) -> None:
    """Add ``export``."""
    about = "finished hands of a journal for other programs; needs no key, and tells no card that was not public"
    parser = add_command(commands, "export", _export, about, "stud-table export data --format phh --out hands")
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="the journal file, or its folder")
    parser.add_argument("--format", choices=FORMATS, required=True, help=FORMATS_HELP)
    parser.add_argument(
        "--out", type=somewhere, required=True, metavar="DIR", help="folder of the files; none there is overwritten"
    )
    add_json(parser)


def _export(options: argparse.Namespace) -> int:
    try:
        done = export_journal(options.journal, options.format, options.out)
    except (FileNotFoundError, ExportRefused) as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json(done.as_json())
    else:
        _tell(done, options.out)
    return OK


def _tell(done: Exported, out: Path) -> None:
    files = len(done.files)
    hands = f"{done.hands} hand{'' if done.hands == 1 else 's'}"
    sys.stdout.write(f"{hands} in {files} file{'' if files == 1 else 's'} in {out}\n")
    for left in done.skipped:
        sys.stdout.write(f"hand {left.hand} is left out: {left.reason}\n")
