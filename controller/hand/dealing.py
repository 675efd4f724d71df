"""Which card goes where: the order of dealing, burns, and the stub test before seventh street (R-DEAL, R-STUB)."""

from __future__ import annotations

from functools import lru_cache

from controller.hand.events import Due, SeventhPlan, StubCounted
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import HandState, Status
from controller.hand.variants import STREETS

_BURN = Due(Spot.BURN)
_COMMUNITY = Due(Spot.COMMUNITY)


@lru_cache(maxsize=4096)
def _street_due(street: int, receivers: tuple[tuple[int, bool], ...], *, burn: bool) -> tuple[Due, ...]:
    due = [_BURN] if burn else []
    for up in STREETS[street].up:
        due.extend(
            Due(SeatPlace(seat, Zone.UP if up and not ghost else Zone.DOWN), ghost) for seat, ghost in receivers
        )  # one card at a time, clockwise from the dealer's left (R-DEAL-01)
    return tuple(due)


def street_due(state: HandState, street: int) -> tuple[Due, ...]:
    """Every card due on ``street``, in the order of dealing, the burn first (R-DEAL-01 to R-DEAL-03, R-DEAL-06)."""
    burn = street > 3 or state.setup.rules.burn_before_third
    if street == 7 and state.seventh in (SeventhPlan.COMMUNITY, SeventhPlan.SCRAMBLE_COMMUNITY):
        return (_BURN, _COMMUNITY)
    receivers = tuple(
        (entry.seat, entry.status is Status.GHOST)
        for entry in state.seats
        if entry.status is Status.LIVE or (entry.status is Status.GHOST and (street < 7 or _ghosts_get_sevenths(state)))
    )
    return _street_due(street, receivers, burn=burn)


def _ghosts_get_sevenths(state: HandState) -> bool:
    """Ghosts get a seventh only when the stub reaches for everybody, never after a scramble (Q-12)."""
    ghosts = sum(1 for entry in state.seats if entry.status is Status.GHOST)
    return state.seventh is SeventhPlan.NORMAL and state.stub >= state.live_count + ghosts + 2


def count_stub(state: HandState) -> StubCounted:
    """The stub test when sixth street is closed: enough, burns reused, or a community card (R-STUB-02 ``plus_two``, Q-65)."""
    stub, burns, live = state.stub, state.burns, state.live_count
    needed = live + 2  # a card each, the burn, and the last card that is never dealt
    if stub >= needed:
        plan = SeventhPlan.NORMAL
    elif stub + burns >= needed:
        plan = SeventhPlan.REUSE_BURNS
    elif stub >= 3:
        plan = SeventhPlan.COMMUNITY
    else:
        plan = SeventhPlan.SCRAMBLE_COMMUNITY
    return StubCounted(stub, burns, live, plan)
