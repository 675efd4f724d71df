"""What an order would change, computed by the table's own rules and not carried out (screens §7).

A report reveals nothing until it is applied: where a hidden card would become public, the preview tells the rule and the chips,
and neither the card nor what follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controller.console.forms import UNPREVIEWED
from controller.hand.commands import Refusal
from controller.table.decide import decide
from controller.table.inputs import Command, Order, Rule
from controller.table.picture import picture_of
from controller.table.state import TableState
from controller.views.dealer import dealer_view
from controller.words.said import Said, joined, plain, say

Row = dict[str, Said]

REVEALING: Final = frozenset(
    ("expose_hole", "choose_door", "expose_seventh", "replace_boxed", "premature", "let_see", "set_aside")
)
"""Rulings after which a card lies open, or a card's face decides who is next."""
_KEY: Final = ""
"""No command can have this key: one that had the preview's would answer for it."""


def preview(state: TableState, kind: str, order: Order) -> list[Row] | Refusal:
    """Rows of what and how, or why it is refused. Nothing is kept: ``state`` stays as it is.

    ``ValueError`` for an order that names a face: its refusal could tell where a card lies (recovery §10).
    """
    name = order.kind if isinstance(order, Rule) else kind
    if name in UNPREVIEWED or (isinstance(order, Rule) and getattr(order.ruling, "card", None) is not None):
        raise ValueError(f"{name} names a face and has no preview")
    decided = decide(state._replace(wheel=()), Command(_KEY, "", kind, order))  # who drives changes nothing of what it does
    if decided.refusal is not None:
        return decided.refusal
    before, after = (dealer_view(picture_of(one, "")) for one in (state, decided.state))
    pot = _pot(before, after)
    rows = [*_seats(before, after, back=bool(pot) and _chips(after) < _chips(before)), *pot]
    if name in REVEALING:
        rows.append({"what": say("ui.change.cards"), "how": say("ui.change.cards.hidden")})
    elif before["step"]["kind"] != after["step"]["kind"]:
        rows.append({"what": say("ui.change.step"), "how": say(f"ui.step.{after['step']['kind']}")})
    return rows or [{"what": say("ui.change.table"), "how": say("ui.change.nothing")}]


def _seats(before: Mapping[str, Any], after: Mapping[str, Any], *, back: bool) -> list[Row]:
    """Each seat that something changes for, and the sum where chips go ``back`` out of the pot."""
    rows = []
    total = 0
    for was, now in zip(before["seats"], after["seats"], strict=False):
        parts = _seat(was, now)
        total += max(0, (now.get("stack") or 0) - (was.get("stack") or 0))
        if parts:
            rows.append({"what": say("ui.change.seat", n=now["seat"]), "how": joined(parts, " · ")})
    if len(rows) > 1 and total and back:
        rows.append({"what": say("ui.change.refunds"), "how": plain(total)})
    return rows


def _seat(was: Mapping[str, Any], now: Mapping[str, Any]) -> list[Said]:
    parts: list[Said] = []
    lives = tuple(row["state"] in ("live", "all_in") for row in (was, now))
    if lives == (True, False):
        parts.append(say("ui.change.folded"))
    elif lives == (False, True):
        parts.append(say("ui.change.live"))
    for name, key in (("stack", "ui.change.stack"), ("street_chips", "ui.change.bet")):
        a, b = was.get(name) or 0, now.get(name) or 0
        if a != b:
            parts.append(say(key, a=a, b=b))
    return parts


def _chips(view: Mapping[str, Any]) -> int:
    return int((view["hand"] or {}).get("pot") or 0)


def _pot(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Row]:
    a, b = _chips(before), _chips(after)
    return [{"what": say("ui.change.pot"), "how": say("ui.change.from", a=a, b=b)}] if a != b else []
