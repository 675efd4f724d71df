"""Rulings at the table: who may give which, and what they mean with the cards that are in flight (R-RULE-01, screens §7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controller.access.people import are_two
from controller.access.rights import Needs
from controller.hand.commands import (
    HandInput,
    KeepExtraAsBurn,
    PrematureCards,
    Refusal,
    RetrieveHand,
    Role,
    ScrapCard,
    UndoAction,
    UndoAward,
    VoidHand,
)
from controller.hand.irregular_events import Scrap
from controller.hand.places import SeatPlace, Spot, covers
from controller.hand.state import Phase
from controller.table.inputs import (
    BurnExtra,
    ClearShoe,
    KeyCard,
    PlayOn,
    Rule,
    SetAside,
    StepPast,
    StopPlay,
    TableRuling,
    TakeBackPremature,
    TakeShoeAgain,
    TrustReader,
    UndoKeyed,
)
from controller.table.late_bets import LateAction
from controller.table.state import TableState
from controller.tracking.custody import Flight

DEALER_MAY: Final = frozenset(
    (
        "expose_hole",
        "declare_all_in",
        "burn_extra",
        "set_aside",
        "stop_play",
        "undo_action",
        "out_of_turn",
        "opened_by",
        "put_chips",
        "leave_table",
        "return_to_table",
    )
)
"""Kinds that the dealer applies alone, by the house rule; the floor is told. All others are the floor's."""
TWO_PEOPLE: Final = frozenset(("retrieve_hand", "step_past", "key_card", "undo_keyed", "take_shoe_again"))
"""Kinds that take the floor and one other person, not the same."""


def ruling_needs(kind: str, role: Role) -> Needs:
    """Whose ruling it is, given as ``role``."""
    if kind in TWO_PEOPLE:
        return Needs.TWO
    return Needs.DEALER if kind in DEALER_MAY and role is not Role.FLOOR else Needs.FLOOR


def unauthorised(rule: Rule) -> Refusal | None:
    """Why this person may not give this ruling; ``None`` when it may (R-RULE-01)."""
    if rule.ruling.role is not Role.FLOOR and rule.kind not in DEALER_MAY:
        return Refusal("R-RULE-01", "floor_rules_it", (("ruling", rule.kind),))
    if rule.kind in TWO_PEOPLE and not are_two(rule.by, rule.agreed_by):
        return Refusal("R-RULE-01", "two_people", (("ruling", rule.kind),))
    return None


def premature_flights(state: TableState) -> tuple[Flight, ...]:
    """Cards that left the shoe although none was due."""
    return tuple(flight for flight in state.custody.flights if flight.due is None)


def hand_ruling(state: TableState, ruling: TableRuling) -> HandInput | Refusal | None:
    """What a ruling tells the hand; ``None`` when it is about cards alone."""
    match ruling:
        case TakeBackPremature(kept=kept, role=role):
            early = premature_flights(state)
            burned = bool(early) and _lies_at_burn(state, early[0]) and not _is_burned(state)
            theirs = [flight for flight in early[int(burned) :] if kept and _lies_at_seat(state, flight, kept)][:1]
            ordered = (*(flight for flight in early if flight not in theirs), *theirs)
            return PrematureCards(tuple(flight.card for flight in ordered), burned, kept, role)
        case BurnExtra(role=role):
            early = premature_flights(state)
            return KeepExtraAsBurn(early[0].card, role) if len(early) == 1 else Refusal("R-MIS-05", "no_extra_card")
        case SetAside(scrap=scrap, role=role):
            behind = _set_aside(state, ruling)
            if isinstance(behind, Refusal):
                return behind
            if scrap is Scrap.JOKER:  # the shoe counted it among the 52 that were loaded (R-DECK-01)
                return ScrapCard(scrap, None, role, counted=True, behind=behind)
            return ScrapCard(scrap, state.custody.flights[behind].card, role, behind=behind)
        case TrustReader() | StopPlay() | PlayOn() | LateAction():
            return None
        case StepPast() | KeyCard() | UndoKeyed() | TakeShoeAgain() | ClearShoe():
            return None
        case UndoAction(role=Role.DEALER) if state.around.acts > 1:  # one word, one touch (screens §3)
            return replace(ruling, count=state.around.acts)
        case _:
            return ruling


def _set_aside(state: TableState, ruling: SetAside) -> int | Refusal:
    """How many older cards are out than the one that is set aside (R-MIS-06): the one that she counts, the only one, the joker
    that the shoe named, or the only one that lies in the muck or that no reader sees in its place. Else she is asked."""
    flights, lying = state.seen.flights, state.seen.lying
    if not flights:
        return Refusal("R-MIS-06", "no_card_in_flight")
    if ruling.number > len(flights):
        return Refusal("R-MIS-06", "not_so_many_out", (("number", ruling.number), ("cards", len(flights))))
    if ruling.number or len(flights) == 1:
        return max(0, ruling.number - 1)
    jokers = [number for number, flight in enumerate(flights) if flight.kind == "joker"]
    if ruling.scrap is Scrap.JOKER and jokers:
        return jokers[0]
    places = [None if flight.card is None else lying.get(flight.card) for flight in flights]
    mucked = [number for number, place in enumerate(places) if place is Spot.MUCK]
    dues = [None if flight.due is None else flight.due.place for flight in flights]
    loose = [n for n, (place, due) in enumerate(zip(places, dues, strict=True)) if not (place and due and covers(place, due))]
    for found in (mucked, loose):
        if len(found) == 1:
            return found[0]
    return Refusal("R-MIS-06", "which_card_is_out", (("cards", len(flights)),))


def _is_burned(state: TableState) -> bool:
    """The coming street has its burn already: another card that lies there is no burn (R-DEAL-03)."""
    return state.hand is not None and state.hand.early_burn


def _lies_at_burn(state: TableState, flight: Flight) -> bool:
    return flight.card is not None and state.custody.lying.get(flight.card) is Spot.BURN


def _lies_at_seat(state: TableState, flight: Flight, seat: int) -> bool:
    place = None if flight.card is None else state.custody.lying.get(flight.card)
    return isinstance(place, SeatPlace) and place.seat == seat


def _scrambled(state: TableState, role: Role) -> Refusal | None:
    """Whether burns and cards set aside may be among the stub already, which is to be shuffled with them: an undo would count
    them as burns again (R-RULE-02, Q-66). Where no reader tells, or nothing told which cards they are, the floor has looked."""
    if state.custody.awaits_load < 0:
        return Refusal("R-RULE-02", "stub_is_scrambled")
    held, dark = state.seen, state.dark
    back = {card: place for card, place in held.placed.items() if place is Spot.BURN or card in held.aside}
    untold = held.unknown.get(Spot.BURN, 0) > 0 or any(place in dark for place in back.values())
    if any(place not in dark and held.lying.get(card) is not place for card, place in back.items()):
        return Refusal("R-RULE-02", "burns_are_mixed")
    return Refusal("R-RULE-02", "floor_looks_at_burns") if untold and role is not Role.FLOOR else None


def too_late(state: TableState, order: TableRuling | VoidHand) -> Refusal | None:
    """Why a hand can no longer be changed, though its own rules would allow it; ``None`` when it can.

    Of one that is over the chips must still be where it left them: nobody has left, moved or paid for time since (R-SHOW-10).
    Play goes on in it only while its cards lie where they were: a deck that was gathered and loaded again deals no more of it
    (R-RULE-02, R-ERR-07). Burns that came back with a scrambled stub are none any more, though its count is not right yet (Q-66),
    nor are those that readers see in their place no longer.
    """
    hand = state.hand
    if hand is not None and hand.phase is Phase.SCRAMBLE and isinstance(order, UndoAction | RetrieveHand):
        return _scrambled(state, order.role)
    if hand is None or not hand.over or not isinstance(order, UndoAction | UndoAward | RetrieveHand | VoidHand):
        return None
    stacks = {seat.seat: seat.stack for seat in state.seats if seat.after_hand < hand.setup.number}
    if any(stacks.get(entry.seat, -1) < entry.stack for entry in hand.seats):
        return Refusal("R-SHOW-10", "stacks_have_moved", (("hand", hand.setup.number),))
    if state.custody.placed_count or isinstance(order, UndoAward | VoidHand):
        return None
    return Refusal("R-RULE-02", "cards_are_gathered", (("hand", hand.setup.number),))
