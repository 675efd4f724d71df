"""The rules of a table on one page, for players and inspectors: those that are posted, with the id of each rule (REG-50)."""

from __future__ import annotations

from controller.cards.game import HAND_WIDTHS, CardGame, hand_rows
from controller.cards.sheet import Block, Sheet
from controller.hand.variants import VARIANTS
from controller.words.rule_card import CardSection, rule_card


def rules_sheet(game: CardGame) -> Sheet:
    """Every posted rule of the table, and what beats what (R-EVAL-01 to R-EVAL-03)."""
    card = rule_card(game.rules, game.stakes, game.variant, game.language)
    table, deal, slips, bring_in, betting, showdown, people = (_block(section) for section in card.sections)
    ranks = tuple((game.word(f"cards.ranks.{wins.value}"),) for wins in VARIANTS[game.variant].wins)
    return Sheet(
        game.language.value,
        card.title,
        card.game,
        Block("", hand_rows(game), HAND_WIDTHS, has_head=True),
        (Block(game.word("cards.head.ranks"), ranks), table, deal, betting),
        (bring_in, slips, showdown, people),
        game.foot(),
    )


def _block(section: CardSection) -> Block:
    return Block(section.title, tuple((f"{line.text} ({line.rule})",) for line in section.lines))
