"""The second look at a silent line: asked when it is due, once, and nothing but a reader's answer is a finding."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime

import pytest

from drivers.clock import LoopClock
from drivers.feig.second_look import SecondLook
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

CLOCK = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("is_there", [True, False])
def test_it_looks_when_it_is_due_and_names_the_remedy(is_there: bool) -> None:
    """Before that, and without another line setting to look at, it opens nothing; a port that is gone is no finding."""
    line = MemoryLink("felt-a")
    FeigReaders(line, addresses=(3,), tags=lambda _: (), rng=random.Random(1))
    look = SecondLook("felt-a", line, CLOCK)

    async def story() -> None:
        await look.look()
        assert look.trouble is None
        look.is_due = True
        if not is_there:
            line.unplug()
        await look.look()
        assert not look.is_due
        assert (look.trouble is not None) is is_there
        if look.trouble is not None:
            assert look.trouble.code == "line_speed"
            assert "the readers answer at 38400 8E1" in look.trouble.sentence
        line.unplug()
        look.is_due = True
        await look.look()
        assert look.trouble is None
        nowhere = SecondLook("felt-a", None, CLOCK)
        nowhere.is_due = True
        await nowhere.look()
        assert nowhere.trouble is None
        await asyncio.sleep(0)

    run_virtual(story(), max_seconds=10)
