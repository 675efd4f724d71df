"""What hand-confirmed cards, counted decks and devices set aside make of the table (REG-47)."""

from __future__ import annotations

from typing import Final, assert_never

from controller.hand.events import (
    BurnMade,
    CardDealt,
    CommunityDealt,
    DealStarted,
    GhostDealt,
    HandEvent,
    HandHeld,
    HandTabled,
    HoldLifted,
    RoundOpened,
    ShowdownOpened,
)
from controller.hand.irregular_events import HoleExposed
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.state import HandState, Phase
from controller.table.by_hand_events import (
    ByHandEvent,
    CardConfirmed,
    ConfirmationUndone,
    DeckCounted,
    DeviceBack,
    DeviceSetAside,
    HandKeyed,
    ManuallyVerified,
    TableEquipped,
)
from controller.table.parts import Equipment
from controller.table.state import Keyed, TableState, next_due
from controller.tracking import confirmed
from controller.tracking import custody as cards


def by_hand(state: TableState, event: ByHandEvent) -> TableState:
    """The state after ``event``."""
    match event:
        case CardConfirmed():
            return _confirmed(state, event)
        case ConfirmationUndone():
            last = state.keyed[-1]
            held = confirmed.taken_back(state.custody, last.custody)
            faces = state.faces_back + last.face
            return state._replace(hand=last.hand, custody=held, keyed=state.keyed[:-1], faces_back=faces)
        case TableEquipped(shoe=shoe, antennas=antennas, counts=counts, locks=locks):
            wired = tuple((parse_place(place), line, address) for place, line, address in antennas)
            lines = {shoe, *(line for _, line, _ in wired)}
            past = tuple(device for device in state.past if device[0] in lines)
            return state._replace(equipment=Equipment(shoe, wired, counts, locks), past=past)
        case DeviceSetAside(device=device, antenna=antenna):
            return state._replace(past=tuple(sorted({*state.past, (device, antenna)})))
        case DeviceBack(device=device, antenna=antenna):
            return state._replace(past=tuple(entry for entry in state.past if entry != (device, antenna)))
        case ManuallyVerified(without=without, keyed=keyed):
            return state._replace(by_hand=without, cards_keyed=keyed)
        case DeckCounted(cards=count):
            return _deck_counted(state, count)
        case HandKeyed(seat=seat):
            return state if state.hand is None else _with_keyed(state, SeatPlace(seat, Zone.DOWN), state.hand, face=True)
        case _:
            assert_never(event)


MAX_KEYED: Final = 32
"""Confirmations that can be taken back one after the other: as many as one order confirms. Each holds the hand before it."""


def _with_keyed(state: TableState, place: Place, hand: HandState, *, face: bool) -> TableState:
    return state._replace(keyed=(*state.keyed, Keyed(place, hand, state.custody, face))[-MAX_KEYED:])


def _confirmed(state: TableState, event: CardConfirmed) -> TableState:
    held = confirmed.confirm(state.custody, event.draw_no, event.card, next_due(state))
    if event.basis == "reader" or state.hand is None:
        state = state._replace(keyed=())
    else:
        up = event.place is Spot.COMMUNITY or (isinstance(event.place, SeatPlace) and event.place.zone is Zone.UP)
        state = _with_keyed(state, event.place, state.hand, face=up)  # by the place: what was keyed is sealed
    return state._replace(custody=held, sealed_count=state.sealed_count + 1)


def _deck_counted(state: TableState, count: int) -> TableState:
    """A whole deck between hands and for a redeal, the stub otherwise. Then a restart of the shoe is over."""
    hand = state.hand
    whole = hand is None or hand.over or hand.phase is Phase.REDEAL
    held = cards.load(state.seen, count) if whole else cards.reload_stub(state.custody, count)
    return state._replace(custody=held, shoe=state.shoe._replace(restarted=False), keyed=())


_FOLLOW: Final = (DealStarted, RoundOpened, ShowdownOpened, HandHeld, HoldLifted)
"""What a confirmed card leads to by itself: it goes with the card when that is taken back."""


def still_keyed(state: TableState, event: HandEvent) -> bool:
    """Whether what was confirmed last may still be taken back after ``event``."""
    match event:
        case CardDealt() | BurnMade() | GhostDealt() | CommunityDealt():
            return bool(state.custody.flights) and state.custody.flights[0].confirmed
        case HandTabled(seat=seat) | HoleExposed(seat=seat):
            return state.keyed[-1].place == SeatPlace(seat, Zone.DOWN) and state.hand is state.keyed[-1].hand
        case _:
            return isinstance(event, _FOLLOW)
