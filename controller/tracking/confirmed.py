"""Custody where people, or a reader alone, tell of a card: it is confirmed, taken back, named, or moved by a ruling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.hand.cards import Card
from controller.hand.places import Place, SeatPlace, Zone, covers
from controller.hand.terms import Due
from controller.tracking.custody import Custody, Flight, draw, without_reason

FACE_IN_DOUBT: Final = "face_in_doubt"
"""The fault of a face that people keyed and that is another card's: only two people take such an entry back."""


def confirm(custody: Custody, draw_no: int, card: Card | None, due: Due | None) -> Custody:
    """The card due next lies where it is due although shoe and felt do not both tell: the oldest one in flight, or one that no
    shoe told of. ``card`` names its face where that was looked at (R-ERR-08)."""
    held = custody if custody.flights else draw(custody, draw_no, card, due, -1)
    head, *rest = held.flights
    known = head.card if card is None else card
    drawn, fault = held.drawn, held.fault
    if card is not None and card in custody.drawn and not (custody.flights and card == head.card):
        fault = FACE_IN_DOUBT
    if known is not None and known != head.card:
        drawn = (drawn - {head.card} if head.card is not None else drawn) | {known}
    flights = (head._replace(card=known, kind="card", confirmed=True), *rest)
    return held._replace(flights=flights, drawn=drawn, fault=fault, unexplained=held.unexplained - {known})


def taken_back(custody: Custody, before: Custody) -> Custody:
    """What was confirmed since ``before`` is taken back; what readers told meanwhile holds."""
    seen = custody.lying, custody.strangers, custody.elsewhere
    return before._replace(lying=seen[0], strangers=seen[1], elsewhere=seen[2], unexplained=custody.unexplained)


def reveal(custody: Custody, seat: int, cards: tuple[Card, ...]) -> Custody:
    """``seat`` tabled ``cards``: those of its cards that nobody had read are known now. One that lies elsewhere is a fault."""
    held = custody
    for card in cards:
        places = [place for place in held.unknown if isinstance(place, SeatPlace) and place.seat == seat]
        if not places or (card in held.placed and _is_at(held.placed[card], seat)):
            continue
        if card in held.drawn:
            held = held._replace(fault=FACE_IN_DOUBT)
            continue
        held = _known(held, card, places[0], places[0])
    return held


def _known(custody: Custody, card: Card, was: Place, lies: Place) -> Custody:
    """One of the cards at ``was`` that nobody had read is ``card``, which belongs to ``lies`` now."""
    left = {**custody.unknown, was: custody.unknown[was] - 1}
    return custody._replace(
        unknown={place: count for place, count in left.items() if count},
        placed={**custody.placed, card: lies},
        drawn=custody.drawn | {card},
        unexplained=custody.unexplained - {card},
    )


def expose(custody: Custody, seat: int, card: Card) -> Custody:
    """A down card of ``seat`` that nobody had read lies face up, and its face was keyed. One that lies elsewhere is a fault."""
    if card in custody.drawn:
        return custody._replace(fault=FACE_IN_DOUBT)
    down = SeatPlace(seat, Zone.DOWN)
    return _known(custody, card, down, SeatPlace(seat, Zone.UP)) if custody.unknown.get(down) else custody


def _is_at(place: Place, seat: int) -> bool:
    return isinstance(place, SeatPlace) and place.seat == seat


def identify(custody: Custody, draw_no: int, card: Card) -> Custody:
    """A reader, or a ruling, told which card a draw was (R-ERR-08)."""
    gone = {flight.card for flight in custody.flights if flight.draw_no == draw_no and flight.card is not None}
    flights = tuple(
        flight._replace(card=card, kind="card") if flight.draw_no == draw_no else flight for flight in custody.flights
    )
    return custody._replace(flights=flights, drawn=custody.drawn - gone | {card}, unexplained=custody.unexplained - {card})


def read_by_felt(custody: Custody) -> tuple[int, Card, Place] | None:
    """Draw number, card and place of the oldest card in flight when the shoe could not read it and a reader does (devices §3).

    Several that the shoe could not read may lie at one place, two down cards of a seat: they count in the order in which they
    were first seen. Which of them left the shoe first nobody can know, and for the hand it is the same. Where more cards lie
    than are due there, or an up and a down card at one antenna, nothing is told.
    """
    head = custody.flights[0] if custody.flights else None
    if head is None or head.due is None or not _is_untold(head):
        return None
    due = head.due.place
    found = [(card, place) for card in without_reason(custody) if covers(place := custody.lying[card], due)]
    if len(found) > 1:
        untold = [flight.due.place for flight in custody.flights if flight.due is not None and _is_untold(flight)]
        here = [where for where in untold if any(covers(place, where) for _, place in found)]
        if len(found) > len(here) or any(where != due for where in here):
            return None
    return (head.draw_no, *found[0]) if found else None


def _is_untold(flight: Flight) -> bool:
    return flight.card is None and flight.kind in _UNTOLD and not flight.confirmed


_UNTOLD: Final = frozenset(("unreadable", "card"))  # what a reader may tell: unread by the shoe, or its key is gone


def move_placed(custody: Custody, places: Mapping[Card, Place]) -> Custody:
    """Cards that are dealt belong to other places now, by a ruling (R-EXP-01, R-EXP-05)."""
    known = {card: place for card, place in places.items() if card in custody.placed}
    return custody._replace(placed={**custody.placed, **known})
