"""Timers for evidence that does not come: what is waited for, and that each is asked for once, when it is due."""

from __future__ import annotations

import asyncio
import random

from support.table_story import TableStory

from controller.hand.cards import DECK
from controller.hand.places import SeatPlace, Zone
from controller.table.felt_reader import EXPLAIN_S, UNSEEN_S, FeltReader
from controller.table.inputs import Evidence, SeenAt, UnexplainedTimeout, UnseenTimeout
from controller.table.waits import Waits, awaited_evidence
from controller.tracking.antennas import sample_nineteen
from controller.tracking.presence import PresenceSettings
from controller.tracking.registry import generate_registry
from drivers.ports import LinkChanged, LinkState
from simulators.virtual_time import run_virtual

FELT = FeltReader(sample_nineteen(), generate_registry(random.Random(1)), PresenceSettings(), {}, now=0.0)
DOWN1 = SeatPlace(1, Zone.DOWN)


def test_each_card_that_one_side_alone_knows_is_waited_for() -> None:
    """A drawn card until a reader sees it, a seen card until the shoe tells of it; nothing without a hand."""
    told = TableStory({1: 100, 3: 100})
    assert awaited_evidence(told.state, FELT) == {}
    told.start()
    first, second, third = told.shoe[:3]
    told.draw()
    told.draw()
    told.lay(third, "seat/3/up")
    waiting = {UnseenTimeout(1): UNSEEN_S, UnseenTimeout(2): UNSEEN_S, UnexplainedTimeout(third): EXPLAIN_S}
    assert awaited_evidence(told.state, FELT) == waiting
    told.tell(SeenAt(DOWN1, first))
    del waiting[UnseenTimeout(1)]
    assert awaited_evidence(told.state, FELT) == waiting
    told.tell(UnseenTimeout(2))
    assert awaited_evidence(told.state, FELT) == {UnexplainedTimeout(third): EXPLAIN_S}
    told.draw()
    told.lay(second, "seat/3/down")
    assert awaited_evidence(told.state, FELT) == {}


def test_no_card_is_asked_for_while_its_reader_is_silent_or_play_is_stopped_for_something_else() -> None:
    """The dealer may well keep it in her hand then."""
    told = TableStory({1: 100, 3: 100}).start()
    told.draw()
    told.draw()
    told.tell(LinkChanged("felt-a", 1, LinkState.STALE, "silent"))
    assert awaited_evidence(told.state, FELT) == {UnseenTimeout(2): UNSEEN_S}
    told.tell(SeenAt(SeatPlace(3, Zone.UP), None))
    assert told.hold == "foreign_card"
    assert awaited_evidence(told.state, FELT) == {}


def test_what_is_ripe_is_put_once_and_again_while_there_is_no_room() -> None:
    """What is wanted no more is never put; what stays wanted keeps its first time."""

    async def story() -> None:
        loop = asyncio.get_running_loop()
        took: list[tuple[float, Evidence]] = []
        tried: list[float] = []

        def put(given: Evidence) -> bool:
            tried.append(loop.time())
            if len(tried) < 3:
                return False
            took.append((loop.time(), given))
            return True

        waits = Waits(put, again_s=0.25)
        one, two = UnseenTimeout(1), UnexplainedTimeout(DECK[0])
        waits.watch({one: 3.0, two: 2.0})
        await asyncio.sleep(1.0)
        waits.watch({one: 3.0})
        await asyncio.sleep(9.0)
        assert tried == [3.0, 3.25, 3.5]
        assert took == [(3.5, one)]
        waits.watch({two: 1.0})
        waits.stop()
        await asyncio.sleep(9.0)
        assert len(tried) == 3

    run_virtual(story(), max_seconds=60)
