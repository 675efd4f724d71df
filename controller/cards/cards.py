"""The three cards of a table by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.cards.dealer import dealer_sheet
from controller.cards.floor import floor_sheet
from controller.cards.game import CardGame
from controller.cards.paper import card_pdf
from controller.cards.rules import rules_sheet
from controller.cards.sheet import Sheet

SHEETS: Final[Mapping[str, Callable[[CardGame], Sheet]]] = {
    "dealer": dealer_sheet,
    "floor": floor_sheet,
    "rules": rules_sheet,
}
"""Who makes the card of that name."""


def file_name(card: str, game: CardGame) -> str:
    """``dealer-fr.pdf``."""
    return f"{card}-{game.language.value}.pdf"


def cards_of(game: CardGame) -> dict[str, bytes]:
    """File name → PDF of each card. ``CardError`` where one does not fit on its page."""
    return {file_name(name, game): card_pdf(make(game)) for name, make in SHEETS.items()}
