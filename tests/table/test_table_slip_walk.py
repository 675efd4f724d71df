"""What holds over whole evenings at a table where the dealer errs at any moment, whatever seats, stacks, games and house rules.

A felt with its own book of the 52 cards stands beside the table. After every input: chips conserved (R-POT-11), each card in one
place and the table's belief the felt's (R-DECK-01), play stopped exactly while the felt is wrong (R-ERR-08), a next step named
and accepted (never stuck), no refusal without a rule, no unseen card on a screen (R-RULE-06); each evening replays to an equal
state.
"""

from __future__ import annotations

from collections import Counter

import pytest
from support.slip_walk import SLIPS, evening

EVENINGS = 80
HOLDS = (
    *(
        "premature_card",
        "extra_card",
        "card_to_scramble",
        "wrong_place",
        "moved_card",
        "unreadable_card",
        "foreign_card",
        "unexplained_card",
        "duplicate_card",
    ),
    *("two_places", "card_not_seen", "floor_called"),
    *("wrong_card_back", "unexpected_load", "stub_count", "shoe_restarted", "device_down", "joker", "cards_differ"),
)
"""Every reason for which play can stop but those that the screen turns into a step of its own."""


def played(seeds: range) -> Counter[str]:
    """What is met in evenings of ``seeds``."""
    met: Counter[str] = Counter()
    for seed in seeds:
        table = evening(seed)
        met.update(table.met)
        met["hands"] += table.state.hand_number
        met["inputs"] += table.inputs
    return met


@pytest.mark.timeout(600)
def test_no_slip_breaks_an_evening() -> None:
    """Every kind of slip happens in these evenings, and every hold is met and mended as the screen says."""
    met = played(range(EVENINGS))
    assert [name for name in SLIPS if not met[name]] == []
    assert [code for code in HOLDS if not met[f"hold {code}"]] == []
    assert met["wrong_and_right_in_a_load"] >= 30
    assert met["hands"] >= 3 * EVENINGS
    assert met["void"] < met["hands"] / 3, "most hands end by the book"


@pytest.mark.long
def test_no_slip_breaks_many_evenings() -> None:
    """The same over many more."""
    met = played(range(10_000, 12_000))
    assert [name for name in SLIPS if met[name] < 20] == []
