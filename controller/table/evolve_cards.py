"""Where the hand's events put the cards: custody after each, and how many boxes it seals."""

from __future__ import annotations

from controller.hand import irregular_events as slips
from controller.hand.events import (
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEvent,
    HandTabled,
    SeventhPlan,
    StubCounted,
    StubScrambled,
)
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import HandState
from controller.tracking import confirmed
from controller.tracking import custody as cards
from controller.tracking.custody import Custody


def cards_after(held: Custody, event: HandEvent, before: HandState, load: int) -> tuple[Custody, int]:
    """Custody after ``event``, decided in the hand ``before`` with the shoe's ``load``, and the number of boxes it seals."""
    match event:
        case CardDealt(place=SeatPlace(zone=zone), card=card):
            return cards.deal_head(held, card if zone is Zone.UP else None), int(zone is not Zone.UP)
        case GhostDealt() | BurnMade():
            return cards.deal_head(held), 1
        case CommunityDealt(card=card):
            return cards.deal_head(held, card), 0
        case HandTabled(seat=seat, cards=shown):
            return confirmed.reveal(held, seat, shown), 0
        case StubCounted(plan=SeventhPlan.REUSE_BURNS | SeventhPlan.SCRAMBLE_COMMUNITY):
            return held._replace(awaits_load=load), 0
        case StubScrambled():
            return cards.unburn(held, before.burns + before.set_aside), 0
        case _:
            return _after_slip(held, event, before, load)


def _after_slip(held: Custody, event: HandEvent, before: HandState, load: int) -> tuple[Custody, int]:
    match event:
        case slips.BurnedEarly():
            return cards.take_head(held, Spot.BURN), 1
        case slips.CardEliminated(card=card):
            aside = held.aside if card is None else held.aside | {card}
            return cards.take_head(held, Spot.MUCK)._replace(aside=aside), 1
        case slips.CardScrapped():
            return _scrapped(held, event), 0
        case slips.SeventhKept(seat=seat, card=card):
            return cards.take_card(held, card, SeatPlace(seat, Zone.DOWN)), 1
        case slips.CardsReturned(stub=stub):
            fault = "" if held.fault == "unexpected_load" else held.fault  # the stub is loaded anew (R-ERR-06)
            return cards.send_back(held)._replace(in_shoe=stub, awaits_load=load, fault=fault), 0
        case slips.SeventhRedone(stub=stub):
            return _sevenths_back(held, before, stub)._replace(awaits_load=load), 0
        case slips.MisdealDeclared():
            return cards.give_up(held)._replace(awaits_load=load), 0
        case slips.HoleExposed(seat=seat, card=card):
            return confirmed.move_placed(held, {card: SeatPlace(seat, Zone.UP)}), 0
        case slips.DoorChosen(seat=seat, card=card):
            entry = before.seats[before.index_of(seat)]
            down = {other: SeatPlace(seat, Zone.DOWN) for other in (*entry.down, *entry.up) if other is not None}
            return confirmed.move_placed(held, {**down, card: SeatPlace(seat, Zone.UP)}), 0
        case slips.SeventhReplaced(card=card) | slips.BoxedReplaced(card=card):
            return confirmed.move_placed(held, {card: Spot.MUCK}), 0
        case _:
            return held, 0


def _scrapped(held: Custody, event: slips.CardScrapped) -> Custody:
    """A joker that the shoe named is the one that is set aside; otherwise the card that the event counts (R-MIS-06)."""
    jokers = [flight for flight in held.flights if flight.kind == "joker"] if event.scrap is slips.Scrap.JOKER else []
    if not jokers:
        return cards.take_flight(held, event.behind, Spot.MUCK)
    flights = tuple(flight for flight in held.flights if flight is not jokers[0])
    return held._replace(flights=flights, placed_count=held.placed_count + 1)


def _sevenths_back(held: Custody, before: HandState, stub: int) -> Custody:
    """The burn of seventh and the sevenths that somebody has go back with what is in flight (Q-67)."""
    back = stub - before.stub
    kept = [entry.down[-1] for entry in before.seats if len(entry.cards) + len(before.commons) > 6]
    burned = before.burned[len(before.burned) - (back - len(kept)) :]
    gone = frozenset(card for card in (*kept, *burned) if card is not None)
    return cards.take_back(cards.send_back(held), gone, back)
