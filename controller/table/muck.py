"""Folds that the muck's antenna tells: a hand that was thrown in needs no touch, and part of a live hand stops play (screens §3).

In its turn it folds, or concedes at the showdown (R-SHOW-04). Before its turn it waits, as what lies on the felt: put back, it
never was. Who has acted and is not asked any more, as the bettor, folds before the last one acts: no card is dealt to his hand.
When all others have thrown their hands in, the last one wins without a word (R-BET-14, Q-43).
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controller.hand.around import closing_fold
from controller.hand.betting import legal_actions
from controller.hand.commands import Act, HandInput, MuckHand, NoteOutOfTurn
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.showdown import may_muck, to_show
from controller.hand.state import HandState, Phase, live_seats
from controller.hand.terms import Verb
from controller.table.state import TableState
from controller.tracking.custody import FeltProblem

LEAST: Final = 2
"""Cards of a hand in the muck that make a fold, while none is left at its place: a single one may have slipped there."""


def in_muck(state: TableState) -> frozenset[int]:
    """Seats whose hand lives and of which some card lies in the muck."""
    hand, held = state.hand, state.seen
    if hand is None or hand.over or Spot.MUCK not in held.lying.values():
        return frozenset()
    owners = {due.seat for card, due in held.placed.items() if held.lying.get(card) is Spot.MUCK and isinstance(due, SeatPlace)}
    return frozenset(seat for seat in owners & live_seats(hand) if not _is_shown(hand, seat))


def thrown(state: TableState) -> frozenset[int]:
    """Seats whose live hand has left its place for the muck, as far as readers tell: at a dark place they tell nothing."""
    seats = in_muck(state)
    if not seats:
        return seats
    held, dark = state.seen, state.dark
    mucked = Counter(
        due.seat for card, due in held.placed.items() if held.lying.get(card) is Spot.MUCK and isinstance(due, SeatPlace)
    )
    occupied = {place.seat for place in held.lying.values() if isinstance(place, SeatPlace)}
    return frozenset(
        seat
        for seat in seats - occupied - state.revived
        if mucked[seat] >= LEAST and not {SeatPlace(seat, zone) for zone in (Zone.DOWN, Zone.UP)} & dark
    )


def folding(state: TableState) -> tuple[int, ...]:
    """Seats that have thrown their hands in ahead of their turn: each folds when the action comes to it (R-BET-14)."""
    hand = state.hand
    if hand is None or hand.phase not in (Phase.BETTING, Phase.DEALING) or hand.betting_over:
        return ()
    seats = thrown(state)
    if not live_seats(hand) - seats:  # the last hand cannot be folded away, and which one came last nobody has told (R-POT-10)
        return ()
    return tuple(entry.seat for entry in hand.seats if entry.seat in seats and entry.active)


def fold_told(state: TableState) -> tuple[int, HandInput] | None:
    """The fold that the felt tells now, as seat and what is given to the hand; ``None`` when there is none."""
    hand = state.hand
    if hand is None or hand.over or hand.hold is not None:
        return None
    if hand.phase is Phase.SHOWDOWN:
        seats = thrown(state)
        conceding = next((seat for seat in to_show(hand) if seat in seats and may_muck(hand, seat)), None)
        return None if conceding is None else (conceding, MuckHand(conceding))
    if hand.phase is not Phase.BETTING:
        return None
    waiting = folding(state)
    left = live_seats(hand) - frozenset(waiting)
    actor = hand.round.actor
    gone = closing_fold(hand, waiting)
    if gone:
        return gone, NoteOutOfTurn(gone, Verb.FOLD, 0)
    if actor in waiting and left and any(action.verb is Verb.FOLD for action in legal_actions(hand)):
        return actor, Act(actor, Verb.FOLD, 0)
    if len(left) != 1 or hand.round.post_due:
        return None
    ahead = next((seat for seat in waiting if seat != actor), None)
    return None if ahead is None else (ahead, NoteOutOfTurn(ahead, Verb.FOLD, 0))


def muck_problem(state: TableState) -> FeltProblem | None:
    """A live hand's card in the muck that is no fold: it goes back, or the rest goes after it (screens §6)."""
    hand = state.hand
    if hand is None or not (state.mucked or state.revived):
        return None
    waits = frozenset(folding(state))
    seat = next((seat for seat in sorted(in_muck(state) - waits) if seat in state.mucked | state.revived), None)
    return None if seat is None else FeltProblem("live_card_mucked", SeatPlace(seat, Zone.DOWN))


def astray_in_muck(state: TableState) -> tuple[int, ...]:
    """Seats whose cards lie in the muck without being a fold, as far as it is known yet."""
    return tuple(sorted(in_muck(state) - frozenset(folding(state))))


def with_muck(state: TableState) -> TableState:
    """After something moved: a hand of which no card lies in the muck any more is nobody's question."""
    if not (state.mucked or state.revived):
        return state
    seats = in_muck(state)
    return state._replace(mucked=state.mucked & seats, revived=state.revived & seats)


def _is_shown(hand: HandState, seat: int) -> bool:
    """Nothing depends any more on where the cards lie: tabled, conceded, or with no pot to win against anybody."""
    if hand.phase is not Phase.SHOWDOWN:
        return False
    entry = hand.seats[hand.index_of(seat)]
    return entry.mucked or entry.tabled is not None or seat not in to_show(hand)
