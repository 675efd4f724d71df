"""What everybody at the table may see, and one seat's side of it (R-RULE-06, R-DEAL-07, Q-14).

No field is filled from a down card or a burn before it is tabled: the functions read ``up``, ``tabled`` and counts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.hand.state import HandState, Phase, SeatHand, Status
from controller.hand.terms import Pot, Share
from controller.hand.variants import Wins
from controller.views.picture import Picture


def seat_state(entry: SeatHand) -> str:
    """State of a seat in the hand: ``live``, ``all_in``, ``folded`` or ``ghost`` (Q-10)."""
    match entry.status:
        case Status.LIVE:
            return "live" if entry.active else "all_in"
        case Status.GHOST:
            return "ghost"
        case Status.FOLDED | Status.KILLED | Status.REFUNDED:
            return "folded"


def pot_list(hand: HandState) -> list[dict[str, Any]]:
    """The pots as they stand, main pot first, with the seats that can win them; paid pots are gone."""
    if hand.pots:
        return [
            {"amount": pot.chips, "seats": list(pot.seats)}
            for pot, shares in zip(hand.pots, hand.awards, strict=True)
            if shares is None
        ]
    return [{"amount": pot.chips, "seats": list(pot.seats)} for pot in standing_pots(hand)]


def standing_pots(hand: HandState) -> list[Pot]:
    """The pots while betting goes on: one, and another one above each total at which a live seat is all-in (R-ALLIN-02)."""
    limits = sorted({entry.total for entry in hand.seats if entry.live and not entry.stack})
    pots: list[Pot] = []
    below = 0
    for limit in [*limits, max(entry.total for entry in hand.seats)]:
        chips = sum(min(entry.total, limit) - min(entry.total, below) for entry in hand.seats)
        seats = tuple(entry.seat for entry in hand.seats if entry.live and (entry.stack or entry.total > below))
        if chips and (seats or not pots):
            pots.append(Pot(chips, seats))
        elif chips:  # nobody left can win what folded seats put in above the last all-in: it belongs to the pot below
            pots[-1] = pots[-1]._replace(chips=pots[-1].chips + chips)
        below = limit
    return pots


def seat_rows(picture: Picture) -> list[dict[str, Any]]:
    """All seats of the table, empty ones too."""
    seated = {seat.seat: seat for seat in picture.seats}
    hand = picture.hand
    in_hand = {entry.seat: entry for entry in hand.seats} if hand is not None else {}
    rows: list[dict[str, Any]] = []
    for number in range(1, picture.max_seats + 1):
        seat = seated.get(number)
        entry = in_hand.get(number)
        if seat is None:
            rows.append({"seat": number, "state": "empty"})
        elif hand is None or entry is None or hand.setup.number <= seat.after_hand:
            rows.append({"seat": number, "name": seat.name, "stack": seat.stack, "state": "out"})
        else:
            rows.append({"seat": number, "name": seat.name, **_hand_row(hand, entry, seat.stack)})
    return rows


def _hand_row(hand: HandState, entry: SeatHand, stack_between: int) -> dict[str, Any]:
    live = entry.live and not entry.mucked
    up = (*entry.up, *(card for card in entry.down[-1:] if entry.seventh_up and card is not None))
    return {
        "stack": stack_between if hand.over else entry.stack,
        "state": seat_state(entry) if live or not entry.live else "folded",
        "street_chips": entry.street_chips,
        "up": [card.text for card in up] if live else [],
        "down": len(entry.down) - entry.seventh_up if live and entry.tabled is None else 0,
        "tabled": None if entry.tabled is None else [card.text for card in entry.tabled],
        "won": entry.won,
    }


def award_lines(hand: HandState) -> list[dict[str, Any]]:
    """Each payment of the hand: pot, seat, chips and by which half."""
    return [
        {"pot": number, "seat": share.seat, "chips": share.chips, "share": share_word(share, shares)}
        for number, shares in enumerate(hand.awards)
        if shares is not None
        for share in shares
        if share.chips
    ]


def share_word(share: Share, shares: Sequence[Share]) -> str:
    """``high`` and ``low`` where ``shares`` divide their pot into halves, ``whole`` otherwise."""
    halves = {other.wins for other in shares if other.chips} >= {Wins.HIGH, Wins.LOW_EIGHT}
    if not halves:
        return "whole"
    return "low" if share.wins is Wins.LOW_EIGHT else "high"


def public_view(picture: Picture) -> dict[str, Any]:
    """The public view as plain values; texts are added by who publishes it."""
    hand = picture.hand
    view: dict[str, Any] = {
        "table": picture.table,
        "variant": picture.game,
        "stakes": {
            "ante": picture.stakes.ante,
            "bring_in": picture.stakes.bring_in,
            "small": picture.stakes.small,
            "big": picture.stakes.big,
        },
        "seats": seat_rows(picture),
    }
    if hand is None:
        return view
    current = hand.round
    actor = current.actor if hand.phase is Phase.BETTING else 0
    view |= {
        "hand": picture.hand_number,
        "rules": hand.setup.rules_hash or None,
        "street": hand.street or None,
        "phase": hand.phase.value,
        "pots": pot_list(hand),
        "community": None if hand.community is None else hand.community.text,
        "actor": actor or None,
        "price": price_of(hand, actor),
        "bring_in_seat": hand.bring_in_seat or None,
        "opener": hand.opener or None,
        "raises": wagers_made(hand),
        "hold": None if hand.hold is None else {"code": hand.hold.code, "place": _place(hand)},
        "awards": award_lines(hand),
        "manually_verified": not picture.verified,
    }
    return view


def wagers_made(hand: HandState) -> int:
    """The bet, completion and raises of this street; 0 until its round is open."""
    return hand.round.raises + hand.round.bet if hand.phase is Phase.BETTING else 0


def _place(hand: HandState) -> str | None:
    return None if hand.hold is None or hand.hold.place is None else str(hand.hold.place)


def price_of(hand: HandState, seat: int) -> int | None:
    """What ``seat`` must add to stay in, at most what it has; ``None`` for no seat."""
    if not seat:
        return None
    entry = hand.seats[hand.index_of(seat)]
    owed = hand.setup.stakes.bring_in if hand.round.post_due else hand.round.match - entry.street_chips
    return max(0, min(owed, entry.stack))
