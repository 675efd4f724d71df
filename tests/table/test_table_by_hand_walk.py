"""What holds over whole evenings at a table whose people stand in for devices and err (REG-47).

After every commit: chips and cards conserved, the gate as it is due, no unseen card on the screen. After each hand: every known
card lies where the table says, though tags are dead, devices fall out and come back, faces are mistyped and taken back, and decks
are miscounted. Each evening replays to an equal state.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.by_hand_walk import KINDS, ByHandEvening
from support.table_runs import write_journal

from controller.hand.events import StubScrambled
from controller.verify import audit

EVENINGS = 30


def played(seeds: range, folder: Path) -> Counter[str]:
    """What is met in evenings of ``seeds``; the journal of each holds for an auditor without a key."""
    met: Counter[str] = Counter()
    for seed in seeds:
        table = ByHandEvening(seed)
        table.evening()
        found = audit(write_journal(folder / f"{seed}", table.bodies))
        assert found.ok, (seed, found.first_bad, found.reason)
        assert found.cards_conserved
        met.update(table.met)
    return met


def test_no_slip_of_those_who_stand_in_for_devices_breaks_an_evening(tmp_path: Path) -> None:
    """Every kind of slip happens in these evenings."""
    met = played(range(EVENINGS), tmp_path)
    assert [kind for kind in KINDS if not met[kind]] == []
    assert met["hands"] == 3 * EVENINGS


def test_a_down_card_that_nothing_read_stays_out_of_a_scramble() -> None:
    """R-STUB-02, REG-47: it lies at its seat though nobody knows which it is; the burns alone go back, and the count is right."""
    table = ByHandEvening(37)
    table.evening()
    assert table.happened(StubScrambled)


@pytest.mark.long
def test_no_slip_of_those_who_stand_in_for_devices_breaks_many_evenings(tmp_path: Path) -> None:
    """The same over many more."""
    met = played(range(10_000, 11_000), tmp_path)
    assert [kind for kind in KINDS if met[kind] < 20] == []
