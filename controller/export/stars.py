"""One hand as text in the PokerStars shape, which many programs read. A live table has no hero: nobody's down cards are dealt.

Amounts are chips, without a currency. A voided hand says ``Hand cancelled``. The shape has no word for a common card.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from controller.export.hands import FinishedHand
from controller.export.plays import (
    Acted,
    Anted,
    Common,
    Dealt,
    Killed,
    Mucked,
    Play,
    Returned,
    Shown,
    Won,
)
from controller.hand.cards import Card
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

GAMES: Final = {
    VariantCode.STUD: "7 Card Stud Limit",
    VariantCode.STUD8: "7 Card Stud Hi/Lo Limit",
    VariantCode.RAZZ: "Razz Limit",
}
STREETS: Final = {3: "3rd STREET", 4: "4th STREET", 5: "5th STREET", 6: "6th STREET", 7: "RIVER"}
_FOLDED_ON: Final = {
    3: "on the 3rd Street",
    4: "on the 4th Street",
    5: "on the 5th Street",
    6: "on the 6th Street",
    7: "on the River",
}
NO_COMMON_CARD: Final = "R-STUB-04: the format has no word for a common card"


def why_not(hand: FinishedHand) -> str | None:
    """Why the format cannot hold this hand; ``None`` when it can."""
    return NO_COMMON_CARD if any(isinstance(play, Common) for play in hand.plays) else None


def stars_text(hand: FinishedHand) -> str:
    """The hand as lines, the last one ended; hands stand apart by two empty lines. ``ValueError`` when ``why_not`` says so."""
    reason = why_not(hand)
    if reason is not None:
        raise ValueError(reason)
    return "\n".join(_Text(hand).lines()) + "\n"


class _Text:
    """The lines of one hand."""

    def __init__(self, hand: FinishedHand) -> None:
        self._hand = hand
        self._name = _names(hand)
        self._up: dict[int, list[Card]] = {seat: [] for seat in hand.seats}
        self._street = 0
        self._shown = False

    def lines(self) -> Iterator[str]:
        """Header, seats, play and summary."""
        yield from self._head()
        pending: list[Play] = []
        for play in self._hand.plays:
            if isinstance(play, Dealt):
                if not play.ghost:
                    pending.append(play)
                continue
            yield from self._dealt(pending)
            pending = []
            yield from self._line(play)
        yield from self._dealt(pending)
        if self._hand.void is not None:
            yield "Hand cancelled"
        yield from self._summary()

    def _head(self) -> Iterator[str]:
        hand, stakes = self._hand, self._hand.setup.stakes
        began = datetime.fromisoformat(hand.origin.started) if hand.origin.started else datetime(1970, 1, 1, tzinfo=UTC)
        when = began.astimezone(UTC).strftime("%Y/%m/%d %H:%M:%S UTC")
        yield f"PokerStars Hand #{hand.number}: {GAMES[hand.setup.variant]} ({stakes.small}/{stakes.big}) - {when}"
        yield f"Table '{_clean(hand.origin.table) or 'table'}' {hand.setup.rules.max_seats}-max"
        for seat, chips in hand.stacks:
            yield f"Seat {seat}: {self._name[seat]} ({chips} in chips)"

    def _dealt(self, cards: list[Play]) -> Iterator[str]:
        """A street's heading and each seat's up cards: those of earlier streets, then the new one; nothing on the last street."""
        dealt = [card for card in cards if isinstance(card, Dealt)]
        if not dealt:
            return
        street = dealt[-1].street
        if street != self._street:
            self._street = street
            yield f"*** {STREETS[street]} ***"
        for seat in self._hand.seats:
            new = [card.card for card in dealt if card.seat == seat and card.up and card.card is not None]
            if new:
                before = f"[{_texts(self._up[seat])}] " if self._up[seat] else ""
                yield f"Dealt to {self._name[seat]} {before}[{_texts(new)}]"
                self._up[seat].extend(new)

    def _line(self, play: Play) -> Iterator[str]:
        match play:
            case Anted(seat=seat, chips=chips):
                yield f"{self._name[seat]}: posts the ante {chips}{self._if_all_in(seat, chips)}"
            case Acted():
                yield f"{self._name[play.seat]}: {_action(play)}{' and is all-in' if play.all_in else ''}"
            case Killed(seat=seat):
                yield f"{self._name[seat]}: folds"
            case Returned(seat=seat, chips=chips):
                yield f"Uncalled bet ({chips}) returned to {self._name[seat]}"
            case Shown(seat=seat, cards=cards):
                yield from self._show_down()
                yield f"{self._name[seat]}: shows [{_texts(cards)}]"
            case Mucked(seat=seat):
                yield from self._show_down()
                yield f"{self._name[seat]}: mucks hand"
            case Won(seat=seat, chips=chips, pot=pot):
                if chips:
                    yield f"{self._name[seat]} collected {chips} from {self._pot(pot)}"
            case _:
                pass

    def _show_down(self) -> Iterator[str]:
        if not self._shown:
            self._shown = True
            yield "*** SHOW DOWN ***"

    def _if_all_in(self, seat: int, chips: int) -> str:
        return " and is all-in" if dict(self._hand.stacks)[seat] == chips else ""

    def _pot(self, number: int) -> str:
        pots = len(self._hand.end.pots)
        if pots == 1:
            return "pot"
        if number == 0:
            return "main pot"
        return "side pot" if pots == 2 else f"side pot-{number}"

    def _summary(self) -> Iterator[str]:
        hand = self._hand
        yield "*** SUMMARY ***"
        pots = () if hand.void is not None else hand.end.pots
        parts = ""
        if len(pots) > 1:
            after = [pot.chips - rake for pot, rake in zip(pots, hand.end.rake, strict=True)]
            sides = [f"{self._pot(number).capitalize()} {chips}." for number, chips in enumerate(after)]
            parts = " " + " ".join(sides)
        yield f"Total pot {sum(pot.chips for pot in pots)}{parts} | Rake {hand.rake}"
        for seat in hand.seats:
            yield f"Seat {seat}: {self._name[seat]} {self._fate(seat)}"

    def _fate(self, seat: int) -> str:
        """What became of a seat."""
        won = self._hand.won.get(seat, 0) if self._hand.void is None else 0
        shown = [play.cards for play in self._hand.plays if isinstance(play, Shown) and play.seat == seat]
        if shown:
            return f"showed [{_texts(shown[-1])}] and {f'won ({won})' if won else 'lost'}"
        folds = [
            play.street
            for play in self._hand.plays
            if isinstance(play, Killed | Acted) and play.seat == seat and (isinstance(play, Killed) or play.verb is Verb.FOLD)
        ]
        if won:
            return f"collected ({won})"
        return f"folded {_FOLDED_ON[folds[-1]]}" if folds else "mucked"


def _action(play: Acted) -> str:
    match play.verb:
        case Verb.FOLD:
            return "folds"
        case Verb.CHECK:
            return "checks"
        case Verb.CALL:
            return f"calls {play.chips}"
        case Verb.BRING_IN:
            return f"brings in for {play.chips}"
        case Verb.COMPLETE | Verb.BET | Verb.RAISE:
            return f"raises {play.to - play.price} to {play.to}" if play.price else f"bets {play.chips}"


def _names(hand: FinishedHand) -> dict[int, str]:
    """Names as one line each, and none twice."""
    names: dict[int, str] = {}
    for seat in hand.seats:
        name = _clean(hand.names[seat]) or f"Seat {seat}"
        names[seat] = f"{name} ({seat})" if name in names.values() else name
    return names


def _clean(name: str) -> str:
    """Without control characters and without what would end a name in this shape."""
    return re.sub(r"[\x00-\x1f\x7f'\[\]:]+", " ", name).strip()


def _texts(cards: list[Card] | tuple[Card, ...]) -> str:
    return " ".join(card.text for card in cards)
