"""What stands at a decision beside its legal actions: who can be closed with one word, what undo takes back, what pots pay.

Public facts alone: tabled hands, up cards, chips and counts (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from controller.hand.around import around
from controller.hand.cards import Card
from controller.hand.commands import Role
from controller.hand.dealing import count_stub
from controller.hand.evaluation import best_high_five, best_low_five, low_eight_value
from controller.hand.showdown import proposed_awards, to_show
from controller.hand.state import HandState, Phase, SeatHand, live_seats
from controller.hand.terms import Verb
from controller.hand.variants import Wins
from controller.hand.why import reading
from controller.hand.windows import may_undo_action, may_undo_award
from controller.views.public import share_word

FIVE = 5


def around_line(hand: HandState, folding: Collection[int] = ()) -> dict[str, Any] | None:
    """All check, all call: the seats in turn, and which of them it takes all-in; those ``folding`` have thrown their hands in."""
    found = around(hand, folding)
    if found is None:
        return None
    all_in = [{"seat": seat, "chips": chips} for seat, chips in found.all_in]
    return {"verb": found.verb.value, "to": hand.round.match, "seats": list(found.seats), "all_in": all_in}


def still_to_act(hand: HandState) -> int:
    """Players who have not answered the price of now, the actor among them; 0 outside of a betting round."""
    if hand.phase is not Phase.BETTING:
        return 0
    return sum(1 for entry in hand.seats if entry.active and (entry.acted.value == 0 or entry.street_chips < hand.round.match))


def undo_line(hand: HandState, around: int = 0) -> dict[str, Any] | None:
    """What one touch takes back, ``around`` actions when they were one word, and whose right it is; ``None`` when nothing can be
    (R-RULE-02, R-RULE-04)."""
    if may_undo_award(hand):
        return {"what": "award", "role": Role.FLOOR.value, "seat": 0, "verb": None, "to": 0}
    if hand.over or not may_undo_action(hand, Role.DEALER) or hand.previous is None:
        return None
    if around > 1 and (first := _before(hand, around)) is not None:
        verb = Verb.CALL if first.round.match else Verb.CHECK
        return {"what": "around", "role": Role.DEALER.value, "seat": 0, "verb": verb.value, "to": first.round.match}
    before = hand.previous
    seat = before.round.actor
    was, now = (state.seats[state.index_of(seat)] for state in (before, hand))
    verb, to = _done(before, was, now)
    return {"what": "action", "role": Role.DEALER.value, "seat": seat, "verb": verb.value, "to": to}


def _before(hand: HandState, acts: int) -> HandState | None:
    """The hand before its last ``acts`` actions."""
    state: HandState | None = hand
    for _ in range(acts):
        state = None if state is None else state.previous
    return state


def _done(before: HandState, was: SeatHand, now: SeatHand) -> tuple[Verb, int]:
    """What the seat did between two states."""
    to = was.street_chips + now.total - was.total
    if was.live and not now.live:
        return Verb.FOLD, 0
    if to == was.street_chips:
        return Verb.CHECK, to
    if before.round.post_due and to <= before.setup.stakes.bring_in:
        return Verb.BRING_IN, to
    if to <= before.round.match:
        return Verb.CALL, to
    if before.street == 3 and not before.round.bet:
        return Verb.COMPLETE, to
    return (Verb.RAISE if before.round.match else Verb.BET), to


def street_cards(hand: HandState) -> dict[str, int] | None:
    """Cards of this street that lie where they are due, and all of them; ``None`` while none is dealt."""
    return {"done": hand.dealt, "total": len(hand.due)} if hand.phase is Phase.DEALING and hand.due else None


def forecast(hand: HandState) -> str | None:
    """What the stub will reach for on seventh street, as a plan of R-STUB-02; ``None`` when that is past."""
    if hand.over or hand.betting_over or hand.street >= 7 or not hand.street:
        return None
    return count_stub(hand).plan.value


def proposals(hand: HandState) -> list[dict[str, Any]]:
    """What the tabled hands win, last formed pot first; empty while somebody must still show (R-SHOW-05, R-SHOW-07)."""
    if hand.phase is not Phase.SHOWDOWN or to_show(hand):
        return []
    live = live_seats(hand)
    return [
        {
            "pot": award.pot,
            "amount": sum(share.chips for share in award.shares),
            "rake": hand.rake[award.pot],
            "seats": [seat for seat in hand.pots[award.pot].seats if seat in live],
            "shares": [
                {"seat": share.seat, "chips": share.chips, "share": share_word(share, award.shares)}
                for share in award.shares
                if share.chips
            ],
        }
        for award in proposed_awards(hand)
    ]


def tabled_hands(hand: HandState) -> list[dict[str, Any]]:
    """Every tabled hand in the order of showing, with the five that count each way and how they read (R-EVAL-01, R-EVAL-02)."""
    if hand.phase is not Phase.SHOWDOWN:
        return []
    order = [*hand.show_order, *(entry.seat for entry in hand.seats if entry.seat not in hand.show_order)]
    entries = [hand.seats[hand.index_of(seat)] for seat in order]
    return [_tabled(hand, entry, entry.tabled) for entry in entries if entry.tabled and entry.live]


def _tabled(hand: HandState, entry: SeatHand, own: tuple[Card, ...]) -> dict[str, Any]:
    cards = (*own, *hand.commons)
    row: dict[str, Any] = {"seat": entry.seat, "cards": [card.text for card in cards], "high": None, "low": None}
    wins = hand.setup.game.wins
    if len(cards) < FIVE:
        return row
    if Wins.HIGH in wins:
        row["high"] = _way(best_high_five(cards), cards, Wins.HIGH)
    if Wins.LOW_EIGHT in wins and low_eight_value(cards) is not None:
        row["low"] = _way(best_low_five(cards), cards, Wins.LOW_EIGHT)
    if Wins.HIGH not in wins:
        row["low"] = _way(best_low_five(cards), cards, wins[0])
    return row


def _way(five: tuple[Card, ...], cards: tuple[Card, ...], wins: Wins) -> dict[str, Any]:
    read = reading(cards, wins)
    return {"cards": [card.text for card in five], "kind": read.kind, "ranks": read.ranks}
