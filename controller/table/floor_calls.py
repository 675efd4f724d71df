"""The floor at the table: play stopped and resumed, and the reader that is right (R-RULE-01, R-ERR-08)."""

from __future__ import annotations

from controller.hand.commands import Refusal
from controller.hand.places import covers
from controller.table.events import CardIdentified, PlayResumed, PlayStopped
from controller.table.story import Story


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
