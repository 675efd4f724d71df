"""What a figure is, and how its spread is told."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, TypeAlias

Figure: TypeAlias = dict[str, Any]
"""``name``, ``value`` in ``unit``, ``yardstick`` in the same unit, taken in the same run, and ``ratio`` of value to yardstick."""


class BenchError(Exception):
    """A figure cannot be taken; one sentence with the way out."""


def figure(name: str, value: float, unit: str, yardstick: float) -> Figure:
    """A figure of rounded numbers; ``yardstick`` must not be 0."""
    return {
        "name": name,
        "value": round(value, 1),
        "unit": unit,
        "yardstick": round(yardstick, 1),
        "ratio": round(value / yardstick, 2),
    }


def p95(values: Sequence[float]) -> float:
    """What 95 % of two or more values stay below."""
    return statistics.quantiles(values, n=20, method="inclusive")[18]


def p99(values: Sequence[float]) -> float:
    """What 99 % of two or more values stay below."""
    return statistics.quantiles(values, n=100, method="inclusive")[98]
