"""Which calls for the floor are told: one that stands, comes again or comes too soon is not."""

from __future__ import annotations

import pytest
from support.table_story import TableStory

from controller.table.access_events import FloorAsked
from controller.table.inputs import AnswerSeat, SeatPlayer
from controller.table.player_calls import CALL_AGAIN_S, Heard, PlayerCalls


@pytest.fixture
def told() -> TableStory:
    """Seats 1, 3 and 5 are taken."""
    return TableStory({1: 100, 3: 100, 5: 100})


def test_a_call_is_told_once_while_it_stands_and_again_after_a_while(told: TableStory) -> None:
    """Touched again before its record is there, or while nobody has come; seats are told apart."""
    calls = PlayerCalls()
    assert calls.hear(told.state, 3, 100.0) is Heard.NEW
    assert calls.hear(told.state, 3, 101.0) is Heard.KNOWN
    assert calls.hear(told.state, 5, 101.0) is Heard.NEW
    told.tell(FloorAsked(3))
    assert calls.hear(told.state, 3, 500.0) is Heard.KNOWN
    told.order(AnswerSeat(3))
    assert calls.hear(told.state, 3, 110.5) is Heard.TOO_SOON
    assert calls.wait_s(3, 110.5) == 20
    assert calls.hear(told.state, 3, 100.0 + CALL_AGAIN_S) is Heard.NEW
    assert calls.wait_s(1, 100.0) == 0


def test_a_call_sent_again_under_its_id_is_the_same_one(told: TableStory) -> None:
    """However late; one that came too soon was not taken, and is when its time has come."""
    calls = PlayerCalls()
    assert calls.hear(told.state, 3, 100.0, "a") is Heard.NEW
    told.tell(FloorAsked(3))
    told.order(AnswerSeat(3))
    assert calls.hear(told.state, 3, 110.0, "b") is Heard.TOO_SOON
    assert calls.hear(told.state, 3, 900.0, "a") is Heard.KNOWN
    assert calls.hear(told.state, 5, 900.0, "a") is Heard.NEW
    assert calls.hear(told.state, 3, 901.0, "b") is Heard.NEW


def test_an_empty_seat_asks_for_nothing_and_is_not_remembered(told: TableStory) -> None:
    """Whoever sits down there next is heard at once."""
    calls = PlayerCalls()
    assert calls.hear(told.state, 2, 100.0, "a") is Heard.EMPTY
    assert told.order(SeatPlayer(2, "Zoe", 100)) is None
    assert calls.hear(told.state, 2, 100.5, "a") is Heard.NEW
