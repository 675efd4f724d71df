"""``stud-table bench``: figures beside their yardsticks, taken in the same run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

FIGURES: Final[Mapping[str, Callable[[], list[dict[str, Any]]]]] = {}


def run_figures(names: Sequence[str]) -> list[dict[str, Any]]:
    """Each named figure: ``name``, ``value``, ``unit``, ``yardstick``, ``ratio``."""
    return [figure for name in names for figure in FIGURES[name]()]
