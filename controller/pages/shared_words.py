"""Keys of the texts that the shared scripts say: sheets, their answers, the door, and the sending of orders."""

from __future__ import annotations

from typing import Final

SHARED_WORDS: Final = (
    "ui.act.back",
    "ui.act.apply",
    "ui.act.next",
    "ui.act.lock",
    "ui.act.signin",
    "ui.act.agree",
    "ui.act.signout",
    "ui.act.key",
    "ui.auth.title",
    "ui.auth.first",
    "ui.auth.pin",
    "ui.auth.locked",
    "ui.auth.agree.floor",
    "ui.auth.agree.second",
    "ui.auth.agree.title",
    "ui.auth.away",
    "ui.changes",
    "ui.skip",
    "ui.ask.words.add",
    "ui.ask.empty",
)
"""A page that uses those scripts serves them, with `{}` in the place of a value."""
