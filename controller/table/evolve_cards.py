"""Where the hand's events put the cards: custody after each, and how many boxes it seals."""

from __future__ import annotations

from controller.hand import irregular_events as slips
from controller.hand.events import (
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEvent,
    SeventhPlan,
    StubCounted,
    StubScrambled,
)
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import HandState
from controller.tracking import custody as cards
from controller.tracking.custody import Custody


def cards_after(held: Custody, event: HandEvent, before: HandState, load: int) -> tuple[Custody, int]:
    """Custody after ``event``, decided in the hand ``before`` with the shoe's ``load``, and the number of boxes it seals."""
    match event:
        case CardDealt(place=SeatPlace(zone=zone)):
            return cards.deal_head(held), int(zone is not Zone.UP)
        case GhostDealt() | BurnMade():
            return cards.deal_head(held), 1
        case CommunityDealt():
            return cards.deal_head(held), 0
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
        case slips.CardEliminated():
            return cards.take_head(held, Spot.MUCK), 1
        case slips.CardScrapped():
            return cards.take_head(held, Spot.MUCK), 0
        case slips.SeventhKept(seat=seat):
            return cards.take_head(held, SeatPlace(seat, Zone.DOWN)), 1
        case slips.CardsReturned():
            return cards.send_back(held)._replace(awaits_load=load), 0
        case slips.SeventhRedone(stub=stub):
            back = stub - before.stub
            returned = cards.send_back(held)
            return cards.unburn(returned, back)._replace(awaits_load=load), 0
        case slips.MisdealDeclared():
            return held._replace(awaits_load=load, flights=(), placed={}, placed_count=0, unexplained=frozenset()), 0
        case slips.HoleExposed(seat=seat, card=card):
            return cards.move_placed(held, {card: SeatPlace(seat, Zone.UP)}), 0
        case slips.DoorChosen(seat=seat, card=card):
            entry = before.seats[before.index_of(seat)]
            down = {other: SeatPlace(seat, Zone.DOWN) for other in (*entry.down, *entry.up) if other is not None}
            return cards.move_placed(held, {**down, card: SeatPlace(seat, Zone.UP)}), 0
        case slips.SeventhReplaced(card=card):
            return cards.move_placed(held, {card: Spot.MUCK}), 0
        case _:
            return held, 0
