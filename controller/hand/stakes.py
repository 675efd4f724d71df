"""The posted amounts of a table, in chips (R-SETUP-02, R-ANTE-01, R-BRING-03)."""

from __future__ import annotations

from typing import NamedTuple


class Stakes(NamedTuple):
    """Fixed-limit stakes. Every amount is a whole number of chips and a multiple of ``unit``."""

    ante: int
    bring_in: int
    small: int
    big: int
    unit: int = 1


def stakes_problems(stakes: Stakes) -> tuple[str, ...]:
    """What configuration must refuse (Q-03), as sentences that name the stake and the way out; empty when nothing is wrong."""
    problems: list[str] = []
    if stakes.unit < 1:
        return (f"stakes.unit is {stakes.unit}: the smallest chip is at least 1",)
    if not 0 < stakes.bring_in <= stakes.small:
        problems.append(
            f"stakes.bring_in is {stakes.bring_in}: it must be above 0 and at most the small bet {stakes.small} (R-BRING-03)"
        )
    if stakes.big < stakes.small:
        problems.append(f"stakes.big is {stakes.big}: it must be at least the small bet {stakes.small} (R-SETUP-02)")
    if stakes.ante < stakes.unit:
        problems.append(f"stakes.ante is {stakes.ante}: it must be at least one unit of {stakes.unit} (R-ANTE-01)")
    problems.extend(
        f"stakes.{name} is {value}: it must be a multiple of the unit {stakes.unit} (R-SETUP-06)"
        for name, value in stakes._asdict().items()
        if value % stakes.unit
    )
    return tuple(problems)
