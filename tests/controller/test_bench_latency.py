"""The latency run: what is stamped, and the form of its figures; never a time."""

from __future__ import annotations

import pytest

from controller.bench.latency import measure_latency
from controller.bench.wire_clock import WireClock
from drivers.feig.frames import encode
from drivers.feig.messages import Control, Done, Tags, answer_frame

ACE, KING = "E004010000000001", "E004010000000002"


def inventory(address: int, *uids: str) -> bytes:
    return encode(answer_frame(Tags(uids), Control.ISO_15693, address))


def test_the_answer_that_completes_a_card_is_stamped() -> None:
    """The second reading counts, per place; a tag that stays is not stamped again, one that comes back is."""
    clock = WireClock({1: "seat/1/down", 2: "seat/1/up"}, hits=2)
    for at, answer in enumerate(
        (
            inventory(1, ACE),
            inventory(2, KING),
            inventory(1, ACE),
            inventory(2, KING),
            inventory(1, ACE),
            inventory(1),
            inventory(1, ACE),
            inventory(1, ACE),
        )
    ):
        clock.sent(answer, at)
    assert {place: list(times) for place, times in clock.times.items()} == {"seat/1/down": [2, 7], "seat/1/up": [3]}
    assert clock.answer_bytes == len(inventory(1, ACE))
    clock.clear()
    assert not any(clock.times.values())


def test_a_frame_in_two_pieces_is_stamped_at_its_last_byte() -> None:
    """What counts is when the answer was complete on the wire."""
    clock = WireClock({1: "muck"}, hits=1)
    answer = inventory(1, ACE)
    clock.sent(answer[:5], 10)
    assert not clock.times["muck"]
    clock.sent(answer[5:], 20)
    assert list(clock.times["muck"]) == [20]


def test_other_answers_and_other_readers_are_no_cards() -> None:
    """A setting that was written and a reader that is not of this line stamp nothing."""
    clock = WireClock({1: "muck"}, hits=1)
    clock.sent(encode(answer_frame(Done(), Control.WRITE_CONFIG, 1)), 1)
    clock.sent(inventory(9, ACE), 2)
    assert not clock.times["muck"]


@pytest.mark.ports
@pytest.mark.timeout(180)
def test_cards_reach_a_subscriber_from_a_live_table() -> None:
    """Broker, pseudo-terminals and a controller of its own: every card of a hand has its sample, and the raw parts as many."""
    figures = measure_latency(cards=1, speed=10.0)
    assert [taken["unit"] for taken in figures] == ["us"] * 6
    assert all(taken["value"] > 0 and taken["yardstick"] > 0 for taken in figures)
