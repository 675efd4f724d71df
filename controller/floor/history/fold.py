"""A hand drawn anew from the public events of its table: the same hand, the same views, but for what nobody was shown.

The events go through the hand's own ``evolve``, and the table's own public view is made of the state. Nothing hidden is in it,
for it was never told (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from controller.floor.history.told import UntoldError, hand_event
from controller.hand.evolve import evolve
from controller.hand.rules import HouseRulesError, house_rules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, open_state
from controller.hand.terms import SeatChips
from controller.hand.variants import VariantCode
from controller.mqtt.payloads import Opening, PublicEvent
from controller.table.evolve_by_hand import MAX_KEYED
from controller.table.parts import TableSeat
from controller.views.picture import Picture, SeatPicture
from controller.views.public import public_view

_SEATS: Final = ("seat_taken", "seat_left", "chips_added", "time_collected", "seat_changed")
_KEYED: Final = ("card_confirmed", "hand_keyed", "confirmation_undone")


class Drawn(NamedTuple):
    """A hand and its table after the event ``seq``."""

    seq: int
    hand: HandState
    seats: tuple[TableSeat, ...]
    verified: bool = True
    keyed: tuple[HandState, ...] = ()
    """The hands before the last confirmations by people, which can be taken back."""


def opened(event: PublicEvent) -> Drawn:
    """The hand that ``hand_opened`` opens. ``UntoldError`` where an older program told it."""
    opening = event.opening
    if opening is None or event.hand is None:
        raise UntoldError(f"event {event.seq} ({event.event}) does not tell who plays and by which rules")
    seats = tuple(TableSeat(player.seat, player.name, player.chips) for player in opening.players)
    stacks = tuple(SeatChips(row.seat, row.chips) for row in opening.stacks)
    return Drawn(event.seq, open_state(_setup(event.hand, opening), stacks), seats)


def _setup(number: int, opening: Opening) -> HandSetup:
    stakes = Stakes(**opening.stakes.model_dump(), unit=opening.unit)
    try:
        variant, rules = VariantCode(opening.variant), house_rules(opening.preset, dict(opening.knobs))
    except (HouseRulesError, ValueError) as error:
        raise UntoldError(f"hand {number} was played by rules that this program does not know") from error
    return HandSetup(number, variant, stakes, rules, opening.last_two, opening.rules)


def after(drawn: Drawn, event: PublicEvent) -> Drawn:
    """The picture after ``event``, the next one of the table. ``UntoldError`` where it does not tell enough."""
    drawn = drawn._replace(seq=event.seq)
    if event.event in _SEATS:
        return drawn._replace(seats=_seats_after(drawn, event))
    if event.event == "manually_verified":
        return drawn._replace(verified=not (event.without or event.flags))
    if event.event in _KEYED:
        return _keyed(drawn, event)
    told = hand_event(drawn.hand, event)
    if told is None:
        return drawn
    hand = evolve(drawn.hand, told)
    if drawn.hand.over and (not hand.over or event.event == "hand_voided"):
        drawn = drawn._replace(seats=_reopened(drawn))
    return drawn._replace(
        hand=hand, seats=_closed(drawn.seats, hand) if event.event in ("hand_ended", "hand_voided") else drawn.seats
    )


def _keyed(drawn: Drawn, event: PublicEvent) -> Drawn:
    """People confirm cards in a device's place, or take that back: the hand is then as before (REG-47)."""
    if event.event != "confirmation_undone":
        before = () if event.code == "reader" else (*drawn.keyed, drawn.hand)
        return drawn._replace(keyed=before[-MAX_KEYED:])
    if not drawn.keyed:
        raise UntoldError(f"event {event.seq} ({event.event}) takes back what nobody told")
    return drawn._replace(hand=drawn.keyed[-1], keyed=drawn.keyed[:-1])


def _seats_after(drawn: Drawn, event: PublicEvent) -> tuple[TableSeat, ...]:
    seats = {entry.seat: entry for entry in drawn.seats}
    number, chips = event.seat or 0, event.chips or 0
    if event.event == "seat_taken":
        seats[number] = TableSeat(number, event.name or "", chips, after_hand=drawn.hand.setup.number)
    elif number not in seats:
        raise UntoldError(f"event {event.seq} ({event.event}) is about seat {number}, where nobody sits")
    elif event.event == "seat_left":
        del seats[number]
    elif event.event == "seat_changed":
        moved = seats.pop(number)
        seats[event.to_seat or 0] = moved._replace(seat=event.to_seat or 0, after_hand=drawn.hand.setup.number)
    elif event.event == "time_collected":
        seats[number] = seats[number]._replace(stack=seats[number].stack - chips)
    elif "promised" in (event.flags or ()):
        seats[number] = seats[number]._replace(promised=seats[number].promised + chips)
    else:
        seats[number] = seats[number]._replace(stack=seats[number].stack + chips)
    return tuple(seats[seat] for seat in sorted(seats))


def _closed(seats: tuple[TableSeat, ...], hand: HandState) -> tuple[TableSeat, ...]:
    """Stacks after the hand, with what was too small to play and chips that were bought in it (R-SETUP-03, R-SETUP-06)."""
    unit = hand.setup.stakes.unit
    left = {entry.seat: entry.stack for entry in hand.seats}

    def stack(seat: TableSeat) -> int:
        return left[seat.seat] + seat.stack % unit if seat.seat in left else seat.stack

    return tuple(
        seat._replace(stack=stack(seat) + seat.promised, promised=0) if seat.after_hand < hand.setup.number else seat
        for seat in seats
    )


def _reopened(drawn: Drawn) -> tuple[TableSeat, ...]:
    """A hand that was over is played on or void: chips bought since then wait again."""
    hand = drawn.hand
    left, unit = {entry.seat: entry.stack for entry in hand.seats}, hand.setup.stakes.unit
    return tuple(
        seat._replace(promised=seat.stack - seat.stack % unit - left[seat.seat])
        if seat.seat in left and seat.after_hand < hand.setup.number
        else seat
        for seat in drawn.seats
    )


def view_of(drawn: Drawn, table: str) -> Mapping[str, Any]:
    """The public view as the table tells it, without the texts of a hold and without its stamp."""
    hand = drawn.hand
    return public_view(
        Picture(
            seq=drawn.seq,
            table=table,
            status="live",
            game=hand.setup.variant.value,
            stakes=hand.setup.stakes,
            max_seats=hand.setup.rules.max_seats,
            seats=tuple(SeatPicture(seat.seat, seat.name, seat.stack, seat.after_hand) for seat in drawn.seats),
            hand=hand,
            hand_number=hand.setup.number,
            decision=None,
            plan=(),
            in_flight=(),
            folding=(),
            around=0,
            moves=(),
            lifted=frozenset(),
            in_shoe=0,
            deck_ready=False,
            may_resume=False,
            devices={},
            verified=drawn.verified,
        )
    )
