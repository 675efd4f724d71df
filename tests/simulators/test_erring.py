"""Evenings of a dealer who errs, on virtual time through the real controller: her screen and the floor lead out of every slip."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest

from controller.hand.events import HandEnded, HandVoided
from controller.rehearsal import Play, memory_rehearsal
from controller.table.events import CardsCounted
from simulators.erring import ErringDealer, Errors
from simulators.habits import rebuy
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

VARIANTS = ("stud", "stud8", "razz")
SOME = replace(Errors.all(0.05), exposed=0.4, award_undone=0.6, short_load=0.3, one_too_many=0.4)
"""The rare occasions more often, so that few hands meet every error."""


def evening(seed: int, errors: Errors, *, hands: int, seats: int) -> Counter[str]:
    """Play ``hands`` hands to their end; what happened, counted."""
    play = Play(variant=VARIANTS[seed % 3], seats={seat: (f"P{seat}", 400) for seat in range(1, seats + 1)})
    rehearsal = memory_rehearsal(play, seed=seed)
    made: list[ErringDealer] = []

    def make(*at: Any, **settings: Any) -> ErringDealer:
        made.append(ErringDealer(*at, errors=errors, chance=random.Random(seed), **settings))
        return made[0]

    async def run() -> Counter[str]:
        players = {seat: RandomPlayer(random.Random(10 * seed + seat), looseness=0.7) for seat in range(1, 9)}
        packets = ShuffledPackets(random.Random(seed))
        async with rehearsal.opened() as app:
            stats = await rehearsal.deal(app, players, packets, hands=hands, before_hand=rebuy(200), make_dealer=make)
            assert app.table.state.chips_conserved
            assert app.table.state.cards_conserved
        return Counter(hands=stats.hands, voided=stats.voided)

    met = run_virtual(run(), max_seconds=300 * hands)
    events = [record.event for record in rehearsal.records]
    counted = [event for event in events if isinstance(event, CardsCounted)]
    assert all(event.shoe + event.flight + event.dealt == event.expected for event in counted)
    assert sum(isinstance(event, HandEnded | HandVoided) for event in events) == len(counted) >= hands
    return met + made[0].erred + made[0].ruled


@pytest.mark.timeout(600)
def test_every_hand_of_a_dealer_who_errs_ends_and_few_are_void() -> None:
    """Each kind of error happens; chips and 52 cards are counted after every hand, and the floor need not void one."""
    met = sum((evening(seed, SOME, hands=2, seats=2 + seed) for seed in range(5)), Counter[str]())
    assert met["hands"] == 10
    assert met["voided"] <= 1
    assert [field.name for field in fields(Errors) if not met[field.name]] == []
    for kind in ("premature", "drop_stub", "set_aside", "undo_action", "retrieve_hand", "misdeal", "undo_award", "expose_hole"):
        assert met[f"{kind} taken"], kind


def test_a_dealer_without_errors_errs_not() -> None:
    """All chances are nought by themselves."""
    assert evening(1, Errors(), hands=1, seats=3) == Counter(hands=1)


@pytest.mark.long
def test_many_evenings_of_errors_end() -> None:
    """The same over many evenings with rare and frequent errors."""
    met: Counter[str] = Counter()
    for seed in range(100, 160):
        met += evening(seed, Errors.all((0.01, 0.03, 0.08)[seed // 3 % 3]), hands=5, seats=2 + seed % 7)
    assert met["hands"] == 300
    assert met["voided"] <= 15
