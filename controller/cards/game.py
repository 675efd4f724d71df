"""What both cards say of the game that is played: its line, its foot, and sentences of the posted rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controller.cards.sheet import Row
from controller.hand.knobs import FourthPair
from controller.hand.rules import HouseRules, knob_values
from controller.hand.stakes import Stakes
from controller.hand.variants import STREETS, VARIANTS, Street, VariantCode
from controller.words.catalogue import Language, text
from controller.words.rule_card import knob_words, rules_hash

_STOP: Final = "STOP · "


@dataclass(frozen=True, slots=True)
class CardGame:
    """The game of a table, and the language of its cards."""

    variant: VariantCode
    stakes: Stakes
    rules: HouseRules
    language: Language

    def word(self, key: str, /, **values: str | int) -> str:
        """The text of ``key``."""
        return text(key, self.language, **values)

    def line(self, key: str) -> str:
        """Game and amounts (R-SETUP-02)."""
        stakes = self.stakes._asdict()
        return self.word(key, game=self.word(f"lbl.{self.variant.value}"), seats=self.rules.max_seats, **stakes)

    def foot(self) -> str:
        """By which rules the card was made: paper that says otherwise than the displays is old (REG-50)."""
        preset = self.word(f"card.preset.{self.rules.preset}")
        fingerprint = rules_hash(self.rules, self.stakes, self.variant)
        return self.word("cards.foot", preset=preset, hash=fingerprint)

    def posted(self, knobs: Iterable[str]) -> tuple[Row, ...]:
        """The posted sentence of each knob."""
        values = knob_values(self.rules)
        return tuple((knob_words(name, values[name], self.language),) for name in knobs)

    def stop(self, code: str) -> str:
        """The dealer's banner of a stop, without the word that it begins with."""
        said = self.word(f"ui.stop.{code}").removeprefix(_STOP)
        return said[:1].upper() + said[1:]


SLIPS: Final = (
    "expose.one_hole",
    "expose.two_hole",
    "expose.hole_and_door",
    "expose.door_down",
    "expose.seventh",
    "premature.policy",
    "stub.policy",
)
"""House rules of what goes wrong in the deal (R-EXP, R-ERR-01, R-STUB-02)."""
_PAIR_STREET: Final = 4
"""On which an open pair may double the bet (R-BET-05)."""
HAND_WIDTHS: Final = (0.8, 4.1, 4.3, 2.1)
"""Of the columns of ``hand_rows``."""


def hand_rows(game: CardGame) -> tuple[Row, ...]:
    """A row for each street, in the order of a hand (R-DEAL-01 to R-DEAL-03)."""
    word = game.word
    head = tuple(word(f"cards.col.{name}") for name in ("street", "cards", "first", "bet"))
    start = word("cards.before.first", ante=game.stakes.ante, start=word("ui.act.start"))
    before = (f"**{word('cards.street.before')}**", word("cards.before.cards", cut=game.rules.cut_min_cards), start, "")
    award = word("cards.end.first", award=word("ui.act.award", x="").strip())
    end = (f"**{word('cards.street.end')}**", word("cards.end.cards"), award, "")
    return (head, before, *(_street(game, street) for street in STREETS.values()), end)


def _street(game: CardGame, street: Street) -> Row:
    word, stakes = game.word, game.stakes
    ace_low = VARIANTS[game.variant].ace_low
    cards = word("cards.cards.third") if len(street.up) > 1 else word("cards.cards.up" if street.up[0] else "cards.cards.down")
    if game.rules.burns_before(street.number):
        cards = word("cards.cards.burn", what=cards[:1].lower() + cards[1:])
    if street.number == min(STREETS):
        owed = "_bet" if stakes.bring_in == stakes.small else ""  # at the small bet it is the bet itself (R-BRING-03)
        first = word(f"cards.first.{'high' if ace_low else 'low'}{owed}", x=stakes.bring_in, y=stakes.small)
    else:
        first = word("cards.first.board_low" if ace_low else "cards.first.board_high")
    bet = str(stakes.big if street.big else stakes.small)
    if street.number == _PAIR_STREET and game.rules.fourth_pair(game.variant) is not FourthPair.OFF:
        bet = word("cards.bet.pair", x=stakes.small, y=stakes.big)
    return (f"**{word(f'ui.street.{street.number}')}**", cards[:1].upper() + cards[1:], first, bet)
