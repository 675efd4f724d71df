"""The floor at the table: play stopped and resumed, bets entered late, and the reader that is right (R-RULE-01, R-ERR-08)."""

from __future__ import annotations

from controller.hand.commands import Act, FeltRight, Refusal
from controller.hand.places import covers
from controller.table.events import CardIdentified, PlayResumed, PlayStopped
from controller.table.inputs import PlayOn, StopPlay, TableRuling
from controller.table.late_bets import LateAction
from controller.table.rulings import premature_flights
from controller.table.story import Story


def floor_call(story: Story, ruling: TableRuling) -> Refusal | None:
    """Apply a ruling that is about the table alone."""
    match ruling:
        case StopPlay():
            return stop_play(story)
        case PlayOn():
            return play_on(story)
        case LateAction():
            return late_action(story, ruling)
        case _:
            return trust_reader(story)


def stop_play(story: Story) -> Refusal | None:
    """The open hand is held for the floor: nobody acts, no card is dealt, the clock stops (R-RULE-01)."""
    if not story.state.hand_open:
        return Refusal("R-RULE-01", "no_hand")
    if story.state.stopped:
        return Refusal("R-RULE-01", "play_is_stopped")
    story.tell(PlayStopped())
    return None


def play_on(story: Story) -> Refusal | None:
    """The floor call is over (R-RULE-01)."""
    if not story.state.stopped or not story.state.hand_open:
        return Refusal("R-RULE-01", "play_is_not_stopped")
    story.tell(PlayResumed())
    return None


def late_action(story: Story, given: LateAction) -> Refusal | None:
    """A bet that was made before cards of the next street came is entered behind them; when it closes the round they are due, and
    are dealt as if it had been entered in time. Which bets were made people say: video and chips tell (R-ERR-01, recovery §5)."""
    hand = story.state.hand
    if hand is None or not premature_flights(story.state):
        return Refusal("R-ERR-01", "nothing_came_early")
    if hand.hold is not None and hand.hold.code != "premature_card":
        return Refusal("R-RULE-01", "held")
    if hand.hold is not None:
        story.hand(FeltRight())
    return story.hand(Act(given.seat, given.verb, given.to))


def trust_reader(story: Story) -> Refusal | None:
    """The card in flight is the one that the reader sees in its place (R-ERR-08, Q-98)."""
    held = story.state.seen
    head = held.flights[0] if held.flights else None
    if head is None or head.due is None or (hand := story.state.hand) is None or hand.hold is None:
        return Refusal("R-ERR-08", "nothing_differs")
    if hand.hold.code != "cards_differ":
        return Refusal("R-ERR-08", "nothing_differs")
    seen = [card for card in sorted(held.unexplained) if covers(held.lying[card], head.due.place)]
    if len(seen) != 1:
        return Refusal("R-ERR-08", "nothing_differs")
    story.tell(CardIdentified(head.draw_no, held.lying[seen[0]], seen[0]))
    return None
