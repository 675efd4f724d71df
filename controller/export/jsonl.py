"""One hand as a line of the format of recorded hands, which ``stud-table replay`` reads.

A card that was not public is ``??``, and no card is invented: who replays the hand chooses any unused card there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from controller.export.hands import FinishedHand
from controller.export.plays import (
    Acted,
    Anted,
    Burned,
    Common,
    Dealt,
    Mucked,
    Play,
    Reshuffled,
    Returned,
    Shown,
    Won,
)
from controller.hand import irregular_events as slips
from controller.hand.cards import Card
from controller.hand.knobs import HeadsUpCap, StubPolicy
from controller.hand.rules import knob_values
from controller.hand.state import Status
from controller.hand.terms import Verb

UNKNOWN: Final = "??"
_NO_WORD: Final[dict[type, str]] = {
    slips.HandsKilled: "R-ABS-03: the format has no word for a dead hand",
    slips.HandRetrieved: "R-ERR-07: the format has no word for a hand that was dead by mistake",
    slips.HandRefunded: "R-EXP-02: the format has no word for a dead hand",
    slips.AllInDeclared: "R-EXP-06: the format has no word for a declared all-in",
    slips.SeventhShown: "R-EXP-06: the format has no word for an exposed seventh card",
    slips.SeventhReplaced: "R-EXP-06: the format has no word for an exposed seventh card",
    slips.SeventhKept: "R-ERR-02: the format has no word for a premature card",
    slips.SeventhRedone: "R-ERR-01: the format has no word for cards that went back",
    slips.CardsReturned: "R-ERR-01: the format has no word for cards that went back",
    slips.CardEliminated: "R-ERR-01: the format has no word for a card out of play",
    slips.BurnedEarly: "R-ERR-01: the format has no word for a premature burn",
    slips.BoxedReplaced: "R-MIS-06: the format has no word for a card out of play",
    slips.CardScrapped: "R-MIS-06: the format has no word for a card out of play",
    slips.ActorMoved: "R-BRING-09: the format has no word for action that stands from a wrong seat",
    slips.HoleExposed: "R-EXP-01: the format has no word for an exposed card",
}


def why_not(hand: FinishedHand) -> str | None:
    """Why the format cannot hold this hand; ``None`` when it can."""
    if hand.void is not None:
        return "R-RULE-03: the format has no word for a voided hand"
    for event in hand.events:
        if type(event) in _NO_WORD:
            return _NO_WORD[type(event)]
    if any(isinstance(play, Acted) and not play.in_turn for play in hand.plays):
        return "R-BET-14: the format has no word for action out of turn"
    if any(entry.status is Status.REFUNDED for entry in hand.end.seats):
        return _NO_WORD[slips.HandRefunded]
    if hand.setup.rules.stub_policy is StubPolicy.RROP15 and any(isinstance(play, Reshuffled) for play in hand.plays):
        return "R-STUB-03: the format has no word for a stub that is mixed in the middle of a street"
    if hand.setup.last_two_in_event and hand.setup.rules.heads_up_cap is HeadsUpCap.UNCAPPED_LAST_TWO_IN_EVENT:
        return "R-BET-04: the format has no word for the last two players of an event"
    unit = hand.setup.stakes.unit
    amounts = [chips for _, chips in hand.stacks] + [play.chips for play in hand.plays if hasattr(play, "chips")]
    if any(chips % unit for chips in amounts) or sum(hand.end.rake) % unit:
        return "R-SETUP-06: an amount is no whole number of the smallest chip"
    return None


def jsonl_line(hand: FinishedHand) -> str:
    """The hand as one line without its end. ``ValueError`` when ``why_not`` says so."""
    reason = why_not(hand)
    if reason is not None:
        raise ValueError(reason)
    return json.dumps(_Record(hand).fields(), ensure_ascii=False)


class _Record:
    """Amounts are in the smallest chip, as the format wants them."""

    def __init__(self, hand: FinishedHand) -> None:
        self._hand = hand
        self._unit = hand.setup.stakes.unit

    def fields(self) -> dict[str, Any]:
        """The whole line."""
        hand, stakes, origin = self._hand, self._hand.setup.stakes, self._hand.origin
        commons = [play.card.text for play in hand.plays if isinstance(play, Common)]
        returned: dict[int, int] = {}
        for play in hand.plays:
            if isinstance(play, Returned):
                returned[play.seat] = returned.get(play.seat, 0) + play.chips
        return {
            "v": 1,
            "source": f"journal {origin.journal or '-'}, events {origin.first} to {origin.last}",
            "site": "stud-table",
            "hand_id": f"{origin.table or 'table'}-{hand.number}",
            "variant": hand.setup.variant.value,
            "game_type": hand.setup.rules.game_type.value,
            "date": origin.started[:10] or None,
            "stakes": {
                "ante": self._chips(stakes.ante),
                "bring_in": self._chips(stakes.bring_in),
                "small_bet": self._chips(stakes.small),
                "big_bet": self._chips(stakes.big),
                "unit": "chip" if self._unit == 1 else f"chip of {self._unit}",
            },
            "seats": [{"seat": seat, "stack": self._chips(chips)} for seat, chips in hand.stacks],
            "events": list(self._events()),
            "community": commons[-1] if commons else None,
            "showdown": sorted({play.seat for play in hand.plays if isinstance(play, Shown)}),
            "pot": self._chips(sum(pot.chips for pot in hand.end.pots)),
            "collected": {str(seat): self._chips(chips) for seat, chips in sorted(hand.won.items())},
            "uncalled": {str(seat): self._chips(chips) for seat, chips in sorted(returned.items())},
            "rake": self._chips(hand.rake),
            "features": sorted(self._features()),
            "notes": ["burns_recorded"],
            "manually_verified": self._hand.manually_verified,
            "verified_without": list(self._hand.without),
            "rules": {"preset": hand.setup.rules.preset, "knobs": knob_values(hand.setup.rules), "hash": hand.rules_hash},
        }

    def _chips(self, chips: int) -> int:
        return chips // self._unit

    def _features(self) -> Iterator[str]:
        plays = self._hand.plays
        if any(isinstance(play, Dealt) and play.card is None for play in plays):
            yield "unknown_cards"
        if not any(isinstance(play, Shown) for play in plays):
            yield "won_without_showdown"
        if any(isinstance(play, Common) for play in plays):
            yield "community_card"
        if any(isinstance(play, Dealt) and play.ghost for play in plays):
            yield "ghost_cards"
        if len(self._hand.end.pots) > 1:
            yield "side_pots"
        if self._hand.manually_verified:
            yield "manually_verified"

    def _events(self) -> Iterator[dict[str, Any]]:
        """Third street is one event of three cards a seat, in the order of the seats."""
        third: dict[int, list[Dealt]] = {}
        for play in self._hand.plays:
            if isinstance(play, Dealt) and play.street == 3:
                third.setdefault(play.seat, []).append(play)
                continue
            for seat, dealt in sorted(third.items()):
                yield _deal(seat, 3, sorted(dealt, key=lambda card: card.up))
            third = {}
            yield from self._event(play)

    def _event(self, play: Play) -> Iterator[dict[str, Any]]:
        """Cards and actions; the rest is money and the showdown."""
        match play:
            case Anted(seat=seat, chips=chips):
                all_in = dict(self._hand.stacks)[seat] == chips
                yield {"type": "ante", "seat": seat, "street": 3, "amount": self._chips(chips), **_all_in(all_in=all_in)}
            case Dealt():
                yield _deal(play.seat, play.street, [play])
            case Common(street=street, card=card):
                yield {"type": "deal", "seat": None, "street": street, "community": True, "cards": [card.text], "up": [1]}
            case Burned(street=street):
                yield {"type": "burn", "street": street, "card": UNKNOWN}
            case Reshuffled(street=street, burns=burns, stub=stub):
                yield {"type": "stub_reshuffle", "street": street, "burns_returned": [UNKNOWN] * burns, "stub": stub}
            case Acted(verb=Verb.CHECK | Verb.FOLD as verb):
                yield {"type": verb.value, "seat": play.seat, "street": play.street}
            case Acted():
                wager = {"amount": self._chips(play.chips), "to": self._chips(play.to), **_all_in(all_in=play.all_in)}
                yield {"type": play.verb.value, "seat": play.seat, "street": play.street, **wager}
            case _:
                yield from self._end(play)

    def _end(self, play: Play) -> Iterator[dict[str, Any]]:
        match play:
            case Returned(seat=seat, chips=chips):
                yield {"type": "uncalled", "seat": seat, "amount": self._chips(chips)}
            case Shown(seat=seat, cards=cards):
                yield {"type": "show", "seat": seat, "cards": [card.text for card in cards]}
            case Mucked(seat=seat):
                yield {"type": "muck", "seat": seat, "cards": []}
            case Won(seat=seat, chips=chips, pot=pot):
                if chips:
                    yield {"type": "collect", "seat": seat, "amount": self._chips(chips), "pot": _pot(pot)}
            case _:
                pass


def _deal(seat: int, street: int, dealt: list[Dealt]) -> dict[str, Any]:
    cards = [_text(card.card) for card in dealt]
    return {"type": "deal", "seat": seat, "street": street, "cards": cards, "up": [int(card.up) for card in dealt]}


def _text(card: Card | None) -> str:
    return UNKNOWN if card is None else card.text


def _all_in(*, all_in: bool) -> dict[str, bool]:
    return {"all_in": True} if all_in else {}


def _pot(number: int) -> str:
    return "main" if number == 0 else f"side {number}"
