"""How many alarms call, against the budget: one call in a hundred hands (screens §9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from controller.floor.board.alarms import natural
from controller.floor.store.alarm_reads import AlarmCount

BUDGET: Final = 1.0
"""Called alarms per 100 hands: 24 tables of 25 hands an hour then call their person once in ten minutes."""
HUNDRED: Final = 100
MAX_CAUSES: Final = 20
"""Causes that are named, those first that called most."""


def summary(counts: Iterable[AlarmCount], hands: Mapping[str, int]) -> dict[str, Any]:
    """Figures of the whole room, of each table, and what called most. Alarms of all tables have no table and no hands."""
    by_table: dict[str, list[AlarmCount]] = defaultdict(list)
    for count in counts:
        by_table[count.table].append(count)
    names = sorted({*by_table, *hands}, key=natural)
    everything = [count for some in by_table.values() for count in some]
    causes = sorted(
        (count for count in everything if count.called), key=lambda one: (-one.called, one.priority, one.table, one.code)
    )
    return {
        "budget": BUDGET,
        "all": _figures(everything, sum(hands.values())),
        "tables": {name: _figures(by_table.get(name, []), hands.get(name, 0)) for name in names if name},
        "causes": [
            {"table": one.table or None, "code": one.code, "device": one.device, "priority": one.priority, "called": one.called}
            for one in causes[:MAX_CAUSES]
        ],
    }


def _figures(counts: Iterable[AlarmCount], hands: int) -> dict[str, Any]:
    """``mended``: over before anybody was called. ``per_100_hands`` is null where no hand ended."""
    some = list(counts)
    called = sum(one.called for one in some)
    raised = sum(one.raised for one in some)
    rate = round(HUNDRED * called / hands, 2) if hands else None
    return {
        "hands": hands,
        "raised": raised,
        "called": called,
        "mended": raised - called,
        "by_priority": {str(rank): sum(one.called for one in some if one.priority == rank) for rank in (1, 2, 3)},
        "per_100_hands": rate,
        "over_budget": rate is not None and rate > BUDGET,
    }
