"""``audit keygen|open|log``: the auditors' keys, the sealed cards of a closed hand, and who opened what."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.audit_desk import AuditError, dealt, make_key, note_opening, open_hand, read_key, read_log
from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    Parser,
    UsageError,
    add_command,
    add_json,
    not_written,
    positive,
    print_json,
    somewhere,
)
from controller.journal.sealing import SealError


def add_audit_commands(commands: Any) -> None:
    """Add ``audit`` with its own commands."""
    about = "the audit desk: two keys that open the sealed cards of a closed hand together, off the table, each opening logged"
    audit = commands.add_parser("audit", help=about, description=about)
    own = audit.add_subparsers(dest="audit_command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_keygen(own)
    _add_open(own)
    _add_log(own)


def _add_keygen(commands: Any) -> None:
    about = "make one auditor's key: the private one stays in FILE, the public one is printed for table.toml"
    parser = add_command(commands, "keygen", _keygen, about, "stud-table audit keygen /media/card/surveillance.pem")
    parser.add_argument("file", type=somewhere, metavar="FILE", help="where the private key is written, never over another file")
    add_json(parser)


def _keygen(options: argparse.Namespace) -> int:
    try:
        key = make_key(options.file)
    except FileExistsError:
        raise UsageError(f"{options.file} is there already: name another file, a key is never written over") from None
    except OSError as error:
        raise not_written(options.file, error) from None
    if options.json:
        print_json({"name": key.name, "public": key.text})
    else:
        sys.stdout.write(f"key {key.name}; its line under [audit] in table.toml, for surveillance or for compliance:\n")
        sys.stdout.write(f'"{key.text}"\n')
    return OK


def _add_open(commands: Any) -> None:
    about = "open the sealed cards of a closed hand with both auditors' keys, on a copy of the journal; noted in the log before"
    example = "stud-table audit open copy/ --hand 12 --key a.pem --key b.pem --reason 'dispute 4711' --log openings.jsonl"
    parser = add_command(commands, "open", _open, about, example)
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="a copy of the journal: its folder, or one file")
    parser.add_argument("--hand", type=positive, required=True, metavar="N", help="number of the hand")
    parser.add_argument(
        "--key", type=Path, action="append", required=True, metavar="FILE", help="an auditor's private key; twice"
    )
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why, for the log")
    parser.add_argument("--log", type=Path, required=True, metavar="FILE", help="the audit desk's log, made when it is not there")
    parser.add_argument("--evidence", action="store_true", help="also what shoe and readers told of the cards")
    add_json(parser)


def _open(options: argparse.Namespace) -> int:
    if not options.reason.strip():
        raise UsageError("--reason is empty: say why the hand is opened")
    try:
        hand = open_hand(options.journal, options.hand, [read_key(path) for path in options.key])
        note_opening(options.log, hand, at=datetime.now(UTC).isoformat(timespec="seconds"), reason=options.reason)
    except FileNotFoundError as error:
        raise UsageError(str(error) if error.filename is None else f"{error.filename} is not there") from None
    except (AuditError, SealError) as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return DOES_NOT_HOLD
    cards = hand.cards if options.evidence else dealt(hand)
    if options.json:
        print_json({"journal": hand.journal, "head": hand.head, "hand": hand.hand, "cards": [asdict(card) for card in cards]})
    else:
        sys.stdout.write(f"journal {hand.journal}, hand {hand.hand}: {len(cards)} sealed cards\n")
        sys.stdout.writelines(f"{card.seq:>8}  {card.kind:<16} {card.place:<16} {card.card or 'unread'}\n" for card in cards)
    return OK


def _add_log(commands: Any) -> None:
    about = "check the audit desk's log and show it"
    parser = add_command(commands, "log", _log, about, "stud-table audit log openings.jsonl")
    parser.add_argument("log", type=Path, metavar="FILE", help="the log")
    add_json(parser)


def _log(options: argparse.Namespace) -> int:
    try:
        entries = read_log(options.log)
    except AuditError as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return DOES_NOT_HOLD
    if options.json:
        print_json({"openings": entries})
    else:
        for entry in entries:
            keys = " and ".join(entry["keys"])
            sys.stdout.write(f"{entry['at']}  journal {entry['journal']}, hand {entry['hand']}, keys {keys}: {entry['reason']}\n")
    return OK
