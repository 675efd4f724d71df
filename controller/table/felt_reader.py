"""From antenna scans to evidence: presence per antenna, tags to cards. Holds no card after it has told it to the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.hand.cards import Card
from controller.hand.places import Place
from controller.table.inputs import LeftFrom, SeenAt, TableInput
from controller.tracking.antennas import AntennaMap
from controller.tracking.evidence import ConflictEnded, TagConflict, TagGone, TagSeen
from controller.tracking.presence import PresenceFilter, PresenceSettings
from controller.tracking.registry import DeckRegistry
from drivers.ports import AntennaScan

EXPLAIN_S: Final = 3.0
"""How long a seen card may wait for the shoe's report of it (devices §3: no match in 3 s)."""


class FeltReader:
    """The readers of one table as one source of evidence. ``lying`` is what the journal knows from before a restart."""

    def __init__(
        self,
        antennas: AntennaMap,
        registry: DeckRegistry,
        settings: PresenceSettings,
        lying: Mapping[Card, Place],
        *,
        now: float,
    ) -> None:
        self._antennas = antennas
        self._registry = registry
        known: dict[Place, frozenset[str]] = {place: frozenset() for place in antennas.places}
        for card, place in lying.items():
            if place in known:
                known[place] |= {registry.tag(card)}
        self._presence = PresenceFilter(settings, known, now=now)
        self.explain_s = EXPLAIN_S / settings.speed
        self.unmapped = 0
        """Scans of antennas that the configuration does not name."""

    def scan(self, scan: AntennaScan) -> tuple[TableInput, ...]:
        """What one inventory established."""
        place = self._antennas.place(scan.device, scan.antenna)
        if place is None:
            self.unmapped += 1
            return ()
        found: list[TableInput] = []
        for event in self._presence.scan(place, scan.tags, scan.clean, scan.at):
            match event:
                case TagSeen():
                    found.append(SeenAt(event.place, self._registry.card(event.uid)))
                case TagGone():
                    found.append(LeftFrom(event.place, self._registry.card(event.uid)))
                case TagConflict() | ConflictEnded():
                    pass
        return tuple(found)

    def ready(self, now: float) -> bool:
        """Every antenna has told what lies there and nothing has changed for a while."""
        return self._presence.ready(now)
