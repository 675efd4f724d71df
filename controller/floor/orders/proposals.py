"""Orders that wait for a second person who is at another page of the floor (screens §7, §8: *Approve*).

Nothing is ordered here: a consent goes back to the page that proposed, which gives the order with it. What changes is asked of
the table by the floor itself, so that nobody agrees with what a page made up.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from controller.access.sessions import APPROVAL_S
from controller.floor.orders.desk import Ordered
from controller.gate.gate import Caller

MAX_WAITING: Final = 64
"""Proposals of one floor that wait at one time; the oldest goes for one more."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """``caller`` is the page that proposed, with its person. ``approval`` is the consent once it was given."""

    id: str
    table: str
    command: Ordered
    changes: tuple[Mapping[str, Any], ...]
    caller: Caller
    until_s: float
    approval: str = ""
    agreed_by: str = ""

    @property
    def kind(self) -> str:
        """What it is: the ruling, or the order."""
        ruling = self.command.plain().get("ruling")
        return str(ruling.get("kind", "")) if isinstance(ruling, Mapping) else self.command.type

    @property
    def by(self) -> str:
        """Who proposed."""
        return "" if self.caller.person is None else self.caller.person.name


class Proposals:
    """What waits at one floor. ``clock`` counts monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._all: dict[str, Proposal] = {}

    def put(self, table: str, command: Ordered, changes: tuple[Mapping[str, Any], ...], caller: Caller) -> Proposal:
        """The page of ``caller`` asks for another person. A page asks for one thing: what it asked before is over."""
        self._sweep()
        self.take_back(caller.token)
        while len(self._all) >= MAX_WAITING:
            self._all.pop(next(iter(self._all)))
        made = Proposal(secrets.token_urlsafe(12), table, command, changes, caller, self._clock() + APPROVAL_S)
        self._all[made.id] = made
        return made

    def find(self, key: str) -> Proposal | None:
        """The proposal, while it is in time."""
        self._sweep()
        return self._all.get(key)

    def agree(self, key: str, approval: str, name: str) -> None:
        """``name`` has agreed; ``KeyError`` for what is over."""
        self._all[key] = replace(self._all[key], approval=approval, agreed_by=name)

    def take_back(self, token: str) -> None:
        """The page of ``token`` asks for nobody any more."""
        self._all = {key: one for key, one in self._all.items() if one.caller.token != token}

    def waiting(self, token: str) -> list[dict[str, Any]]:
        """What waits for another page than that of ``token``, the oldest first, as pages are told it."""
        self._sweep()
        now = self._clock()
        return [
            {
                "id": one.id,
                "table": one.table,
                "kind": one.kind,
                "by": one.by,
                "seconds": int(one.until_s - now),
                "changes": list(one.changes),
            }
            for one in self._all.values()
            if not one.approval and one.caller.token != token
        ]

    def _sweep(self) -> None:
        now = self._clock()
        self._all = {key: one for key, one in self._all.items() if one.until_s > now}
