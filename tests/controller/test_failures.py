"""A report of each failure from the journal: when it began, why, and when all was right again (REG-34)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.failed_evening import unplugged_evening

from controller.failures import failures


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of readers was away, across a start."""
    return unplugged_evening(tmp_path_factory.mktemp("house"))


def test_each_failure_is_told_with_its_times(evening: Path) -> None:
    """One line that is gone is one failure, and a start in between does not end it; the hand was held, and the table was not
    live until a person had confirmed."""
    found, chain = failures(evening)
    assert chain.ok
    assert [(one.kind, one.code) for one in found] == [
        ("stop", "started"),
        ("hold", "device_down"),
        ("fault", "device_down"),
        ("stop", "started"),
    ]
    first, held, gone, again = found
    assert (first.hand, gone.hand, held.hand, again.hand) == (0, 1, 1, 1)
    assert gone.where == "felt-a"
    assert gone.seconds is not None
    assert 20.0 <= gone.seconds <= 27.0
    assert held.began <= gone.began <= again.began <= gone.ended <= again.ended
    assert all(one.ended for one in found)
