"""Public events hung on each other: ``previous``, ``link`` and ``head`` of each, alike when told at once and when read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from controller.mqtt.links import ChainName, begins, link_after, start_of
from controller.mqtt.payloads import PublicEvent


@dataclass(frozen=True, slots=True)
class Roots:
    """What stretches of a chain begin from: ``name``, and ``head_at(seq)``, the journal's chain after a record, hexadecimal,
    ``None`` where that record is no longer kept."""

    name: ChainName
    head_at: Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the next public event stands: behind record ``previous`` (``None``: that is no longer kept), whose link was ``link``
    (``None``: not known, and so not until a stretch begins). Without ``roots`` no event has a link."""

    previous: int | None = 0
    link: str | None = None
    roots: Roots | None = None

    def hang(self, event: PublicEvent) -> tuple[PublicEvent, Place]:
        """``event`` with what it hangs on, and where the next one stands."""
        said: dict[str, Any] = {"previous": self.previous}
        before = self.link
        if self.roots is not None and begins(event, self.previous):
            head = None if self.previous is None else self.roots.head_at(event.seq - 1)
            if head is None or self.previous is None:
                before = None
            else:
                before, said["head"] = start_of(self.roots.name, self.previous, head), head
        link = None if before is None else link_after(before, event)
        return event.model_copy(update={**said, "link": link}), replace(self, previous=event.seq, link=link)
