"""Posted amounts: what configuration must refuse (R-SETUP-02, R-SETUP-06, R-ANTE-01, R-BRING-03, Q-03)."""

from __future__ import annotations

import pytest

from controller.hand.stakes import Stakes, stakes_problems


@pytest.mark.parametrize(
    "stakes",
    [
        Stakes(1, 2, 4, 8),
        Stakes(1, 4, 4, 8),
        Stakes(2, 2, 4, 8),
        Stakes(5, 2, 4, 8),
        Stakes(1, 1, 3, 3),
        Stakes(5, 10, 20, 40, 5),
    ],
)
def test_stakes_that_are_legal(stakes: Stakes) -> None:
    """Q-03: a bring-in of the small bet, an ante equal to the bring-in or above it, and equal bets are legal."""
    assert stakes_problems(stakes) == ()


@pytest.mark.parametrize(
    ("stakes", "named"),
    [
        (Stakes(1, 5, 4, 8), "stakes.bring_in"),
        (Stakes(1, 0, 4, 8), "stakes.bring_in"),
        (Stakes(1, -1, 4, 8), "stakes.bring_in"),
        (Stakes(1, 2, 8, 4), "stakes.big"),
        (Stakes(0, 2, 4, 8), "stakes.ante"),
        (Stakes(1, 5, 10, 20, 5), "stakes.ante"),
        (Stakes(5, 5, 12, 20, 5), "stakes.small"),
        (Stakes(5, 5, 10, 22, 5), "stakes.big"),
        (Stakes(5, 7, 10, 20, 5), "stakes.bring_in"),
        (Stakes(1, 2, 4, 8, 0), "stakes.unit"),
    ],
)
def test_stakes_that_are_refused_by_name(stakes: Stakes, named: str) -> None:
    """Q-03: each refusal names the stake that is wrong."""
    assert any(problem.startswith(named) for problem in stakes_problems(stakes))
