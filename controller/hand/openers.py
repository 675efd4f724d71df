"""Who brings in, who opens each street, and who is asked first (R-BRING-01, R-BRING-02, R-BRING-07, R-OPEN)."""

from __future__ import annotations

from collections.abc import Sequence

from controller.hand.cards import Card
from controller.hand.evaluation import ace_low_order, board_value
from controller.hand.irregular_events import DeadCause
from controller.hand.knobs import BringInTie, CommunityOpener, OpenTie, SeventhExposed
from controller.hand.state import HandState, SeatHand, Status


def bring_in_seat(state: HandState) -> int:
    """The seat whose door card must bring in: the lowest with aces high, the highest with aces low (R-BRING-01)."""
    ace_low = state.setup.game.ace_low
    by_suit = state.setup.rules.bring_in_tie is BringInTie.SUIT

    def worst_first(entry: SeatHand) -> tuple[int, int]:
        card = entry.exposed[0] if entry.status is Status.REFUNDED else entry.up[0]
        if ace_low:
            return (-ace_low_order(card), 0) if by_suit else (-(ace_low_order(card) >> 2), entry.seat)
        return (int(card), 0) if by_suit else (card.rank, entry.seat)

    return min((entry for entry in state.seats if _may_bring_in(entry)), key=worst_first).seat


_STILL_POSTS = (DeadCause.ABSENT, DeadCause.PENALTY, DeadCause.LEFT_BEFORE_POST, DeadCause.FOLDED_BY_HAND)


def _may_bring_in(entry: SeatHand) -> bool:
    """Live hands; one killed for absence or penalty, or thrown away, still posts (Q-23, Q-27); a refunded one counts by its first
    exposed card (R-EXP-02)."""
    if entry.status is Status.REFUNDED:
        return bool(entry.exposed)
    return entry.live or (entry.status is Status.KILLED and entry.dead_cause in _STILL_POSTS and bool(entry.up))


def opener_seat(state: HandState, street: int) -> int:
    """The live seat whose board opens ``street`` 4 to 7, all-in or not (R-OPEN-01, R-OPEN-02, R-OPEN-04, R-STUB-05)."""
    ace_low = state.setup.game.ace_low
    tie = state.setup.rules.open_tie(state.setup.variant)
    shared = state.commons if state.setup.rules.community_opener is CommunityOpener.RECOMPUTE else ()
    counts_seventh = state.setup.rules.seventh_exposed is SeventhExposed.RROP
    live = [entry for entry in state.seats if entry.status is Status.LIVE]
    boards = [board_value((*board(entry, with_seventh=counts_seventh), *shared), ace_low=ace_low) for entry in live]
    best = min(boards) if ace_low else max(boards)
    tied = [entry for entry, value in zip(live, boards, strict=True) if value == best]
    if tie is OpenTie.HIGH_CARD_BY_SUIT:
        return max(tied, key=lambda entry: _top_suit(entry.up, ace_low=ace_low)).seat
    return tied[0].seat


def board(entry: SeatHand, *, with_seventh: bool = False) -> tuple[Card, ...]:
    """The up cards of a seat; an exposed seventh is part of the board only under RRoP (R-EXP-06, Q-31)."""
    last = entry.down[-1] if with_seventh and entry.seventh_up and entry.down else None
    return entry.up if last is None else (*entry.up, last)


def _top_suit(up: Sequence[Card], *, ace_low: bool) -> int:
    """Suit of the highest-ranking up card, paired or not (Q-30)."""
    return max(ace_low_order(card) if ace_low else int(card) for card in up) & 3


def first_active(state: HandState, seat: int) -> int:
    """``seat`` when it has chips, else the next clockwise that has (R-OPEN-03, R-BRING-07); 0 when nobody has."""
    start = state.index_of(seat)
    count = len(state.seats)
    for step in range(count):
        entry = state.seats[(start + step) % count]
        if entry.active:
            return entry.seat
    return 0
