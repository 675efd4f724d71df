"""``check``: configuration, house rules in words, devices, deck, broker and disk of a table."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.check import Checked, check_table
from controller.cli.parsing import DOES_NOT_HOLD, OK, add_command, add_json, language, print_json
from controller.config import TableConfig, load_config
from controller.serve import load_deck_care, load_registry
from controller.words.catalogue import Language, text
from controller.words.rule_card import RuleCard, card_text, rule_card
from drivers.clock import SystemClock


def add_check_command(commands: Any) -> None:
    """Add ``check``."""
    about = "a table's configuration, house rules in words, devices, deck, broker and disk: what is wrong, and how to mend it"
    parser = add_command(commands, "check", _check, about, "stud-table check /etc/stud-table/table.toml --language fr")
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _check(options: argparse.Namespace) -> int:
    chosen = language() if options.language is None else Language(options.language)
    config = load_config(options.table)
    registry = load_registry(config)
    checked = asyncio.run(check_table(config, registry, load_deck_care(config), clock=SystemClock(), rng=random.SystemRandom()))
    card = _rules(config, registry.set_id, chosen)
    if options.json:
        print_json({**checked.data(chosen), "rules": card.fingerprint})
    else:
        sys.stdout.write("\n".join(_lines(card, checked, chosen)) + "\n")
    return OK if checked.ok else DOES_NOT_HOLD


def _rules(config: TableConfig, set_id: str, chosen: Language) -> RuleCard:
    game = config.game.game(set_id)
    return rule_card(game.rules, game.stakes, game.variant, chosen)


def _lines(card: RuleCard, checked: Checked, chosen: Language) -> Iterator[str]:
    """Rules, devices, notes, and last what is wrong, so that it stands above the prompt."""
    yield card_text(card, chosen)
    yield from (f"{name}: {said}" for name, said in checked.devices.items())
    yield from (note.words(chosen) for note in checked.notes)
    yield ""
    if checked.ok:
        yield text("check.ok", chosen)
        return
    yield text("check.found", chosen, count=len(checked.problems))
    yield from (f"- {problem.words(chosen)}" for problem in checked.problems)
