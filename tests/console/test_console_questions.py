"""Questions of a form: the likely answers, and the one that is known."""

from __future__ import annotations

from typing import Any

import pytest

from controller.console.questions import merged, silent_chips, which, which_boxed


def at_price(call: int, wagers: list[int], *, unit: int = 1, stack: int = 1000) -> dict[str, Any]:
    """Seat 4 faces ``call``, or nothing, and may put in one of ``wagers``."""
    first = [{"verb": "call", "to": call, "amount": call}] if call else [{"verb": "check", "to": 0, "amount": 0}]
    acts = [*first, *({"verb": "raise", "to": chips, "amount": chips} for chips in wagers)]
    claims = {"actor": 4, "acts": {4: acts}}
    return {"claims": claims, "stakes": {"unit": unit}, "seats": [{"seat": 4, "state": "live", "stack": stack}]}


@pytest.mark.parametrize(
    ("call", "wagers", "unit", "stack", "offered"),
    [
        (8, [16], 1, 1000, [(25, 1), (16, 2), (12, 2), (11, 2), (100, 1)]),
        (8, [16], 1, 14, [(12, 2), (11, 2)]),
        (2, [4], 1, 100, [(5, 1), (4, 2), (3, 2), (25, 1)]),
        (200, [400], 100, 10_000, [(500, 1), (400, 2), (300, 2), (2500, 1)]),
        (8, [], 1, 100, [(25, 1), (100, 1)]),
        (0, [4, 8], 1, 100, [(1, 1), (4, 2), (8, 2), (5, 1)]),
    ],
    ids=["a raise", "short", "over the bring-in", "large chips", "capped", "nobody has bet"],
)
def test_silent_chips_that_mean_something_else_have_a_button(
    call: int, wagers: list[int], unit: int, stack: int, offered: list[tuple[int, int]]
) -> None:
    """One larger chip is a call, half a bet more in several is a raise, one chip less is none (R-BET-12)."""
    field = silent_chips(at_price(call, wagers, unit=unit, stack=stack), {})
    assert field is not None
    assert [(one["value"]["chips"], one["value"]["pieces"]) for one in field["choices"][:-1]] == offered
    assert [asked["path"] for asked in field["choices"][-1]["asks"]] == ["chips", "pieces"]


def test_only_the_streets_card_can_be_a_boxed_one_later() -> None:
    """R-MIS-06: a card of an earlier street stands; on third street each may be, the last one likeliest."""
    rows = [{"seat": 2, "down": 2, "up": ["As", "Kd", "2c"]}]
    fifth = which_boxed({"hand": {"street": 5}, "seats": rows}, {"seat": "2"})
    third = which_boxed({"hand": {"street": 3}, "seats": [{"seat": 2, "down": 2, "up": ["As"]}]}, {"seat": "2"})
    assert fifth is not None
    assert third is not None
    assert ([one["value"] for one in fifth["choices"]], fifth["value"]) == ([5], 5)
    assert ([one["value"] for one in third["choices"]], third["value"]) == ([3, 2, 1], 3)


def test_seat_and_card_are_one_question_where_it_fits() -> None:
    """And two where its answers would have to be scrolled."""
    seats = {"path": "seat", "choices": [{"value": seat, "text": {"en": "s", "fr": "s"}} for seat in range(1, 9)]}
    two, three = which(2)({}, {}), which(3)({}, {})
    assert two is not None
    assert three is not None
    assert [field["path"] for field in merged([seats, two], 16)] == ["seat_card"]
    assert [field["path"] for field in merged([seats, three], 16)] == ["seat", "number"]
