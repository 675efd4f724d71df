"""A hand from the floor's copy is exported as from the table's journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.golden_stories import STORIES
from support.history_runs import by_hand, heard
from support.slip_walk import evening
from support.table_runs import write_journal

from controller.export.hands import FinishedHand, read_hands
from controller.export.phh import phh_fields
from controller.export.told import told_hand
from controller.floor.history.told import UntoldError


def both(bodies: list[Mapping[str, Any]], folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """PHH of each finished hand, from the journal and from its public events."""
    found: list[FinishedHand] = []
    read_hands(write_journal(folder, bodies), found.append, lambda _number, _reason: None)
    told = by_hand(one.event for one in heard(bodies) if one.event is not None)
    for hand in found:
        yield fields(hand), fields(told_hand(hand.origin.table, hand.origin.journal, told[hand.number]))


def fields(hand: FinishedHand) -> dict[str, Any]:
    """Everything but the journal's own hash and what people wrote, which are told to nobody."""
    said = phh_fields(hand)
    said["_table"] = {name: value for name, value in said["_table"].items() if name not in ("head", "last_event")}
    said["_rulings"] = [ruling.kind for ruling in hand.rulings]
    said.pop("_void", None)
    return said


@pytest.mark.parametrize("name", ["no-device", "132"])
def test_phh_of_the_copy_is_phh_of_the_journal(name: str, tmp_path: Path) -> None:
    """Actions, cards, stacks, winnings, rake, rulings, corrections: field by field."""
    bodies = list(STORIES[name]().bodies if name in STORIES else evening(int(name), hands=2).bodies)
    pairs = list(both(bodies, tmp_path / "data"))
    assert pairs
    for journal, copy in pairs:
        assert copy == journal


@pytest.mark.long
def test_phh_of_many_copies(tmp_path: Path) -> None:
    """Sixty evenings with slips."""
    for seed in range(60):
        for journal, copy in both(list(evening(seed, hands=1).bodies), tmp_path / str(seed)):
            assert copy == journal


def test_a_hand_without_its_end_is_not_exported() -> None:
    """Nothing is made up of what is missing."""
    [events] = by_hand(one.event for one in heard(evening(132, hands=1).bodies) if one.event is not None).values()
    with pytest.raises(UntoldError, match="not over"):
        told_hand("T1", "5f0c9a1e", events[:20])
    with pytest.raises(UntoldError, match="beginning"):
        told_hand("T1", "5f0c9a1e", events[1:])
