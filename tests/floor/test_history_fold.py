"""A hand drawn anew from the public copy is the hand that the table showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from support.golden_stories import STORIES
from support.history_runs import heard
from support.slip_walk import evening
from support.table_runs import rehearsed_bodies

from controller.floor.history.fold import after, opened, view_of
from controller.floor.history.told import UntoldError
from controller.mqtt.payloads import PublicEvent


def same(event: PublicEvent) -> PublicEvent:
    """As it was told."""
    return event


def compared(bodies: Iterable[Mapping[str, Any]], changed: Callable[[PublicEvent], PublicEvent] = same) -> int:
    """Draw every hand of a journal and compare it with the table's view after each record, told or not; the number of hands."""
    drawn, hands = None, 0
    for original, view, state in heard(bodies):
        told = None if original is None else changed(original)
        if told is not None and told.event == "hand_opened":
            drawn, hands = opened(told), hands + 1
        elif told is not None and drawn is not None:
            drawn = after(drawn, told)
        if drawn is not None and state.hand is not None:
            assert view_of(drawn, "T12") == view, f"after {told}"
    return hands


@pytest.mark.parametrize("seed", [132, 267])
def test_a_hand_with_slips_is_drawn_as_the_table_showed_it(seed: int) -> None:
    """After every record: seats, up cards, counts, stacks, bets, pots, actor, street, awards."""
    assert compared(evening(seed, hands=1).bodies) == 1


def test_cards_that_people_confirm_and_take_back_are_drawn_too() -> None:
    """Without a device, a confirmation that is taken back leaves the hand as before it (REG-47)."""
    assert compared(STORIES["no-device"]().bodies) == 1


def test_a_figure_that_is_told_otherwise_is_found() -> None:
    """The comparison can fail: an ante is told a chip higher."""

    def more(event: PublicEvent) -> PublicEvent:
        return event.model_copy(update={"chips": (event.chips or 0) + 1}) if event.event == "ante_posted" else event

    with pytest.raises(AssertionError, match="after"):
        compared(evening(132, hands=1).bodies, more)


def test_a_hand_that_an_older_program_told_is_not_guessed() -> None:
    """Without its roster, stakes and rules nothing is drawn, and the error names the event."""
    (event,) = [told for told, _, _ in heard(evening(132, hands=1).bodies) if told is not None and told.event == "hand_opened"]
    with pytest.raises(UntoldError, match=r"event \d+ \(hand_opened\) does not tell who plays"):
        opened(event.model_copy(update={"opening": None}))


@pytest.mark.long
def test_many_hands_are_drawn_as_the_tables_showed_them() -> None:
    """A hundred evenings with slips, every golden story, and hands of whole controllers in three games."""
    for seed in range(100):
        assert compared(evening(seed, hands=2).bodies)
    for story in STORIES.values():
        compared(story().bodies)
    for variant in ("stud", "stud8", "razz"):
        assert compared(rehearsed_bodies(hands=3, seed=2, variant=variant))
