"""``cards``: the dealer's card, the floor's and the rules of a table on paper, a page each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from controller.cards.cards import cards_of
from controller.cards.game import CardGame
from controller.cards.paper import CardError
from controller.cli.parsing import OK, UsageError, add_command, add_json, not_written, print_json, somewhere
from controller.config import load_config
from controller.words.catalogue import Language
from controller.words.rule_card import rules_hash


def add_cards_command(commands: Any) -> None:
    """Add ``cards``."""
    about = "the dealer's card, the floor's and the posted rules of a table as PDF, a page each, with the rules' fingerprint"
    parser = add_command(
        commands, "cards", _cards, about, "stud-table cards /etc/stud-table/table.toml --out cards --language fr"
    )
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration")
    about_out = "folder of the cards, made where it is missing; cards of before are written over"
    parser.add_argument("--out", type=somewhere, required=True, metavar="DIR", help=about_out)
    parser.add_argument("--language", choices=("en", "fr"), help="language of the cards (default: both)")
    add_json(parser)


def _cards(options: argparse.Namespace) -> int:
    played = load_config(options.table).game.game("")
    languages = tuple(Language) if options.language is None else (Language(options.language),)
    paths = []
    for language in languages:
        try:
            made = cards_of(CardGame(played.variant, played.stakes, played.rules, language))
        except CardError as error:
            raise UsageError(str(error)) from None
        for name, pdf in made.items():
            path = options.out / name
            try:
                options.out.mkdir(parents=True, exist_ok=True)
                path.write_bytes(pdf)
            except OSError as error:
                raise not_written(path, error, option="--out") from None
            paths.append(str(path))
    fingerprint = rules_hash(played.rules, played.stakes, played.variant)
    if options.json:
        print_json({"files": paths, "rules": fingerprint})
    else:
        sys.stdout.write("".join(f"{path}\n" for path in paths) + f"rules {fingerprint}\n")
    return OK
