"""Which card goes where: the order of dealing, burns, and the stub test (R-DEAL, R-STUB)."""

from __future__ import annotations

from functools import lru_cache

from controller.hand.events import HandHeld, SeventhPlan, StubCounted
from controller.hand.knobs import StubPolicy
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import HandState, SeatHand, Status
from controller.hand.terms import Due
from controller.hand.variants import STREETS

_BURN = Due(Spot.BURN)
_COMMUNITY = Due(Spot.COMMUNITY)
_ELIMINATED = Due(Spot.MUCK)
TO_COMMON = (SeventhPlan.COMMUNITY, SeventhPlan.SCRAMBLE_COMMUNITY)
"""Plans under which one common card stands for everybody's (R-STUB-02)."""
RELOAD = HandHeld("reload_stub", None)
"""The stub is out of the shoe: nothing is dealt until it is back."""
SHORT = HandHeld("stub_too_short", None)
"""No card is left to deal, not even with the burns: the floor rules, which leaves a void (R-STUB-06, R-RULE-03)."""


@lru_cache(maxsize=4096)
def _street_due(street: int, receivers: tuple[tuple[int, bool, bool], ...], *, burn: bool, eliminate: int) -> tuple[Due, ...]:
    """Receivers are seat, ghost, and whether its up card comes face down."""
    due = [_ELIMINATED] * eliminate + ([_BURN] if burn else [])
    for up in STREETS[street].up:
        due.extend(
            Due(SeatPlace(seat, Zone.UP if up and not ghost and not face_down else Zone.DOWN), ghost)
            for seat, ghost, face_down in receivers
        )  # one card at a time, clockwise from the dealer's left (R-DEAL-01)
    return tuple(due)


def street_due(state: HandState, street: int) -> tuple[Due, ...]:
    """Every card due on ``street``, in the order of dealing, the burn first (R-DEAL-01 to R-DEAL-03, R-DEAL-06).

    A burn that is made already is not made again (R-ERR-01, R-MIS-05); a seat whose down card was exposed gets a later up card
    face down (R-EXP-03); a seat that keeps a premature seventh gets no other (R-ERR-02).
    """
    burn = state.setup.rules.burns_before(street) and not state.early_burn
    if state.short in TO_COMMON:
        return (*([_BURN] if burn and state.stub > 1 else []), _COMMUNITY)
    receivers = tuple(
        (entry.seat, entry.status is Status.GHOST, entry.debt > 0 and 3 < street < 7)
        for entry in state.seats
        if _receives(state, entry, street)
    )
    rrop = state.setup.rules.stub_policy is StubPolicy.RROP15
    if (rrop or state.street == street) and state.short is not SeventhPlan.DEAL_THEN_SCRAMBLE:
        burn = burn and rrop and state.stub > len(receivers)  # R-STUB-03; a card that is replaced is not burned for
    eliminate = max(0, len(receivers) - state.eliminated) if state.eliminated else 0
    due = _street_due(street, receivers, burn=burn, eliminate=eliminate)
    if state.short is SeventhPlan.DEAL_THEN_SCRAMBLE:
        return due[: state.stub - 1]  # all but the last card (R-STUB-03)
    return due


def _receives(state: HandState, entry: SeatHand, street: int) -> bool:
    if entry.status is Status.LIVE:
        return state.street < street < 7 or lacks_card(state, entry, street)
    return entry.status is Status.GHOST and state.street < street and _ghosts_receive(state)


def lacks_card(state: HandState, entry: SeatHand, street: int) -> bool:
    """Whether the seat still waits for its card of ``street``, own or common (R-ERR-05)."""
    return len(entry.down) + len(entry.up) + len(state.commons) < street


def has_seventh(state: HandState, entry: SeatHand) -> bool:
    """Whether the seat has its last card already, own or common."""
    return not lacks_card(state, entry, 7)


def _ghosts_receive(state: HandState) -> bool:
    """Ghosts get a card only when the stub reaches for everybody, never after a scramble (Q-12)."""
    if state.short not in (None, SeventhPlan.NORMAL):
        return False
    hands = state.live_count + sum(1 for entry in state.seats if entry.status is Status.GHOST)
    going = max(0, hands - state.eliminated) if state.eliminated else 0  # cards that make up an eliminated round (R-ERR-01)
    return state.stub + int(state.early_burn) >= hands + going + 2


def count_stub(state: HandState, street: int = 7) -> StubCounted:
    """The stub test before ``street``: enough, burns reused, or a community card (R-STUB-02, R-STUB-03, R-STUB-06, Q-65).

    ``plus_two`` needs a card for each live hand, the burn, and the last card, which is never dealt; ``rrop15`` deals the last
    card, after mixing it with the burns when the stub does not reach; ``no_reshuffle`` turns a community card at once.
    """
    early = 1 if state.early_burn else 0
    stub = state.stub + early
    burns = state.burns - early
    live = sum(1 for entry in state.seats if entry.live and (state.street < street < 7 or lacks_card(state, entry, street)))
    going = max(0, live - state.eliminated) if state.eliminated else 0  # cards that make up an eliminated round (R-ERR-01)
    plan = _plan(state.setup.rules.stub_policy, stub - going, burns + state.set_aside + going, live)
    return StubCounted(stub, burns, live, plan, street)


def _plan(policy: StubPolicy, stub: int, reserve: int, live: int) -> SeventhPlan:
    match policy:
        case StubPolicy.PLUS_TWO:
            needed = live + 2
            if stub >= needed:
                return SeventhPlan.NORMAL
            if stub + reserve >= needed:
                return SeventhPlan.REUSE_BURNS
            return SeventhPlan.COMMUNITY if stub >= 3 else SeventhPlan.SCRAMBLE_COMMUNITY
        case StubPolicy.RROP15:
            if stub >= live + 1:
                return SeventhPlan.NORMAL
            if stub + reserve >= live:
                return SeventhPlan.DEAL_THEN_SCRAMBLE if stub > 2 else SeventhPlan.REUSE_BURNS
            return SeventhPlan.COMMUNITY if stub >= 3 else SeventhPlan.SCRAMBLE_COMMUNITY
        case StubPolicy.NO_RESHUFFLE:
            if stub >= live + 2:
                return SeventhPlan.NORMAL
            return SeventhPlan.COMMUNITY if stub >= 2 else SeventhPlan.SCRAMBLE_COMMUNITY


def scrambled_count(state: HandState) -> int:
    """Cards with which the shoe must be loaded after a scramble: stub, burns and set-aside cards (R-STUB-01)."""
    return state.stub + state.burns + state.set_aside
