"""``failures``: what went wrong at a table, from its journal: when, why, and when it was right again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from controller.cli.parsing import DOES_NOT_HOLD, OK, add_command, add_json, language, print_json, somewhere
from controller.failures import Failure, failures
from controller.words.catalogue import Language, text
from controller.words.faults import fault_text
from controller.words.places import hold_text


def add_failures_command(commands: Any) -> None:
    """Add ``failures``."""
    about = "what went wrong at a table: date, time, reason, and the time when it was right again"
    parser = add_command(commands, "failures", _failures, about, "stud-table failures /var/lib/stud-table --json")
    parser.add_argument(
        "journal", type=somewhere, metavar="DATA", help="the data folder, a copy of it, or one file of the journal"
    )
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _failures(options: argparse.Namespace) -> int:
    chosen = language() if options.language is None else Language(options.language)
    found, chain = failures(options.journal)
    if options.json:
        listed = [{**failure.as_json(), "text": _text(failure, chosen)} for failure in found]
        print_json({"ok": chain.ok, "failures": listed, "events": chain.events, "first_bad": chain.first_bad})
    else:
        sys.stdout.write("".join(f"{_line(failure, chosen)}\n" for failure in found))
        if not chain.ok:
            sys.stdout.write(text("failure.damaged", chosen, seq=chain.first_bad or 0) + "\n")
    return OK if chain.ok else DOES_NOT_HOLD


def _line(failure: Failure, chosen: Language) -> str:
    if failure.seconds is None:
        until = text("failure.stands", chosen)
    else:
        until = text("failure.until", chosen, at=failure.ended, s=f"{failure.seconds:.1f}")
    where = text("failure.hand", chosen, n=failure.hand) if failure.hand else text("failure.between", chosen)
    return f"{failure.began} {until}; {where}: {_text(failure, chosen)}"


def _text(failure: Failure, chosen: Language) -> str:
    match failure.kind:
        case "fault":
            return fault_text(failure.code, failure.where, chosen)
        case "hold":
            return hold_text(failure.code, failure.where or None, chosen)
        case _:
            return text(f"failure.{failure.code}", chosen)
