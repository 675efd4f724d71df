"""What is wrong with a request, as a sentence in each language that names the place and never the value."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from controller.console.orders import CommandBody
from controller.gate.refused import _KINDS, problem_said
from controller.table.loop import STOPPED
from controller.words.catalogue import Language, catalogue
from controller.words.said import say

GOOD: dict[str, Any] = {"key": "press-0001", "seq": 0, "command": {"type": "add_chips", "seat": 1, "chips": 5}}


@pytest.mark.parametrize(
    ("change", "en", "fr"),
    [
        ({"key": None}, "key: is of another kind.", "key\u00a0: est d’une autre sorte."),
        ({"key": "x"}, "key: is not written as it must be.", "key\u00a0: n’est pas écrit comme il le faut."),
        ({"seq": -1}, "seq: must be at least 0.", "seq\u00a0: doit être au moins 0."),
        ({"more": 1}, "more: is not expected.", "more\u00a0: n’est pas attendu."),
        ({"command": {"type": "dance"}}, "command.type: is none of those there are.", None),
        ({"command": {"seat": 1}}, "command: has no type.", None),
        ({"command": {"type": "add_chips", "seat": 9, "chips": 5}}, "command.add_chips.seat: must be at most 8.", None),
        ({"expires_at": "2026-01-01T00:00:00"}, "expires_at: is a time without its zone.", None),
    ],
)
def test_a_problem_is_told_with_its_place(change: dict[str, Any], en: str, fr: str | None) -> None:
    """In English and in French."""
    with pytest.raises(ValidationError) as found:
        CommandBody.model_validate({**GOOD, **change})
    said = problem_said(found.value.errors()[0])
    assert said["en"] == en
    assert said["fr"] == (fr or said["fr"])
    assert said["fr"] != en


def test_the_value_is_never_told() -> None:
    """It may be a card that lies face down, or a PIN."""
    said = problem_said(
        {"type": "never_heard_of", "loc": ("body", "pin"), "input": "482915", "msg": "482915 is wrong", "ctx": {}}
    )
    assert said == {"en": "pin: is not possible.", "fr": "pin\u00a0: n’est pas possible."}


def test_each_kind_has_its_words() -> None:
    """In both catalogues; and a table that stopped says at the address what it says elsewhere."""
    for language in Language:
        assert {f"unread.{word}" for word in _KINDS.values()} <= catalogue(language).keys()
    assert say("refusal.stopped")["en"] == STOPPED
