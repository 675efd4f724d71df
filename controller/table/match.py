"""The match of shoe and felt: each card on which both agree is dealt, and the hand is held while they disagree (R-ERR-08)."""

from __future__ import annotations

from typing import Final

from controller.hand.commands import (
    CardLaid,
    FeltRight,
    FeltWrong,
    KeepExtraAsBurn,
    StubReloaded,
)
from controller.hand.dealing import scrambled_count
from controller.hand.places import Spot, covers
from controller.hand.state import HandState, Phase, live_seats
from controller.hand.terms import Due
from controller.hand.windows import before_action
from controller.table.betting_events import FoldRead
from controller.table.by_hand_events import CardConfirmed
from controller.table.deck import is_other
from controller.table.events import (
    CardIdentified,
)
from controller.table.machine_events import DiskPace
from controller.table.muck import fold_told, muck_problem
from controller.table.rulings import premature_flights
from controller.table.shoe_session import KEY
from controller.table.state import TableState, next_due
from controller.table.story import Story
from controller.tracking.confirmed import read_by_felt
from controller.tracking.crossed import or_crossed
from controller.tracking.custody import DECK_SIZE, FeltProblem, felt_problem, ready_flight, without_reason
from drivers.ports import (
    LinkState,
)


def match_felt(story: Story) -> None:
    """Deal each card on which shoe and felt agree; hold the hand while they disagree, and no longer (R-ERR-08)."""
    for _ in range(2 * DECK_SIZE):
        if not _match_one(story):
            break
    hand = story.state.hand
    problem = None if hand is None or hand.over else _problem(story.state)
    hold = None if hand is None else hand.hold
    if problem is None or (hold is not None and (hold.code, hold.place) == problem):
        return
    if hold is not None:  # what was told is mended, but something else is wrong: the dealer must be told that
        story.hand(FeltRight())
    story.hand(FeltWrong(problem.code, problem.place))


def fold_from_muck(story: Story) -> bool:
    """Take one fold that the felt tells; false when there is none (R-BET-14, R-SHOW-04)."""
    told = fold_told(story.state)
    if told is None:
        return False
    seat, given = told
    story.tell(FoldRead(seat))
    return story.hand(given) is None


def _match_one(story: Story) -> bool:
    """One step of the match; false when nothing more follows."""
    hand, held = story.state.hand, story.state.seen
    if hand is None or hand.over:
        return False
    if _card_by_reader(story, hand):
        return True
    read = read_by_felt(held)
    if read is not None:
        draw_no, card, place = read
        story.tell(CardIdentified(draw_no, place, card))
        return True
    problem = _problem(story.state)
    ready = ready_flight(held)
    if problem is not None and not (problem.code in _BEHIND and ready is not None):
        return problem.code == "premature_card" and _burn_extra(story, hand)
    before = story.state
    if problem is None and _stub_is_back(hand, story.state):
        story.hand(StubReloaded(held.in_shoe))
    elif hand.hold is not None:
        story.hand(FeltRight())
    elif ready is not None and ready.due is not None:
        story.hand(CardLaid(ready.due.place, ready.card))
    return story.state is not before


def due_now(hand: HandState) -> Due | None:
    """The card that is dealt next on this street."""
    return hand.due[hand.dealt] if hand.phase is Phase.DEALING and hand.dealt < len(hand.due) else None


def _card_by_reader(story: Story, hand: HandState) -> bool:
    """Without a shoe, a card that a reader sees where the next one is due has been dealt."""
    state = story.state
    due = None if state.shoe_tells or state.custody.flights else due_now(hand)
    if due is None:
        return False
    found = [card for card in without_reason(state.seen) if covers(state.custody.lying[card], due.place)]
    if not found:
        return False
    story.tell(CardConfirmed(state.custody.draw_no + 1, due.place, "reader", found[0]))
    return True


_BEHIND: Final = frozenset(
    (
        *("premature_card", "extra_card", "joker", "unreadable_card", "card_not_seen"),
        *("shoe_error", "shoe_not_cleared", "shoe_locked", "disk_late"),
    )
)
"""What may be wrong with a later card, or with the shoe, while an older one lies right: that one is dealt all the same."""


def _burn_extra(story: Story, hand: HandState) -> bool:
    """A card too many that the dealer has laid on the burns before any action is the next burn (R-MIS-05, R-ERR-03)."""
    early = premature_flights(story.state)
    if len(early) != 1 or early[0].card is None or story.state.custody.lying.get(early[0].card) is not Spot.BURN:
        return False
    if hand.phase is not Phase.BETTING or not before_action(hand):
        return False
    return story.hand(KeepExtraAsBurn(early[0].card)) is None


_NO_DOUBT: Final = (Phase.SCRAMBLE, Phase.SHOWDOWN)
"""When a shoe's counts are no question: a load is called for, which alone mends them; or no card is dealt any more, and the next
hand begins with a load."""


def _other_deck(hand: HandState, state: TableState) -> bool:
    """The shoe was loaded with another deck while cards are still to come out of it (R-MIS-08); at the showdown none are."""
    return hand.phase is not Phase.SHOWDOWN and state.shoe_tells and state.deck is not None and is_other(state.deck)


def _stub_is_back(hand: HandState, state: TableState) -> bool:
    """The shoe was loaded since a load was called for."""
    return (hand.phase is Phase.SCRAMBLE or hand.reload_due > 0) and state.custody.awaits_load < 0


def _problem(state: TableState) -> FeltProblem | None:
    """What keeps the hand from going on: shoe, devices, or the felt itself."""
    hand = state.hand
    if hand is None:
        return None
    if state.shoe.halted and state.shoe_tells:
        tampered = state.shoe.fault == "tamper"
        return FeltProblem("shoe_tampered", None) if tampered else FeltProblem("shoe_stopped", None)
    doubted = state.shoe.restarted and state.shoe_tells
    if doubted and hand.phase not in _NO_DOUBT:
        return FeltProblem("shoe_restarted", None)
    if _other_deck(hand, state):
        return FeltProblem("other_deck", None)
    if _stub_is_back(hand, state):  # a shoe that lost count knows no right one: the stub is counted and loaded again
        wanted = hand.reload_due or scrambled_count(hand)
        return None if state.custody.in_shoe == wanted and not doubted else FeltProblem("stub_count", None)
    if hand.reload_due:
        return None if hand.phase is Phase.REDEAL else FeltProblem("reload_stub", None)
    if hand.phase is Phase.DEALING and _device_down(state):
        return FeltProblem("device_down", None)  # no reader is needed for a load
    if hand.phase is Phase.DEALING and not hand.dealt and not state.custody.flights and _is_degraded(state):
        return FeltProblem("shoe_degraded", None)  # a street that is begun is dealt to its end (TSP/1 link states)
    problem = or_crossed(state.seen, felt_problem(state.seen, live_seats(hand), state.dark))
    if problem is not None and problem.code == "premature_card":
        problem = _not_due(hand, problem)
    if problem is None:
        problem = muck_problem(state)
    if problem is None and next_due(state) is not None and hand.phase is Phase.DEALING:
        problem = _kept_closed(state)
    return FeltProblem("floor_called", None) if problem is None and state.stopped else problem  # R-RULE-01


def _kept_closed(state: TableState) -> FeltProblem | None:
    """What keeps the gate closed: a disk that does not keep up, or, whatever the table orders, an error that the shoe has latched
    or its key (TSP/1 gate)."""
    if state.disk.pace in (DiskPace.LATE, DiskPace.STUCK):
        return FeltProblem("disk_late", None)
    if not state.shoe_tells:
        return None
    if state.shoe_errors:
        failed = any(clear.failed for clear in state.shoe_clears)
        return FeltProblem("shoe_not_cleared" if failed else "shoe_error", None)
    return FeltProblem("shoe_locked", None) if KEY in state.shoe.holders else None


def _not_due(hand: HandState, problem: FeltProblem) -> FeltProblem:
    """What is to be done now about a card that left the shoe although none is due: while the street is dealt those that are due
    are laid first, in a scramble it is shuffled in, else the floor rules (R-ERR-01, R-STUB-02)."""
    match hand.phase:
        case Phase.DEALING:
            return FeltProblem("extra_card", problem.place)
        case Phase.SCRAMBLE:
            return FeltProblem("card_to_scramble", problem.place)
        case _:
            return problem


def _is_degraded(state: TableState) -> bool:
    """Too many lines of the shoe come spoilt: no further street is begun (TSP/1 DEGRADED)."""
    degraded = LinkState.DEGRADED.value
    return any(link == degraded and (device, 0) not in state.past for (device, _), link in state.links.items())


def _device_down(state: TableState) -> bool:
    past = state.past
    return any(
        link in _DEAD and (device, 0) not in past and (device, at) not in past for (device, at), link in state.links.items()
    )


_DEAD = frozenset((LinkState.DOWN.value, LinkState.QUARANTINE.value))
