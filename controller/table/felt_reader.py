"""From antenna scans to evidence: presence per antenna, tags to cards. Holds no card after it has told it to the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from controller.hand.cards import Card
from controller.hand.places import Place, Spot, covers
from controller.table.inputs import LeftFrom, ReadOnce, ReadTwice, SeenAt, TableInput
from controller.table.pace import ScanPace
from controller.tracking.antennas import AntennaId, AntennaMap
from controller.tracking.evidence import ConflictEnded, Evidence, TagConflict, TagGone, TagSeen
from controller.tracking.life import ReadingTally
from controller.tracking.presence import NO_OWN, PresenceFilter, PresenceSettings
from controller.tracking.registry import DeckRegistry
from drivers.ports import AntennaScan, LinkState

EXPLAIN_S: Final = 3.0
"""How long a seen card may wait for the shoe's report of it (devices §3: no match in 3 s)."""
UNSEEN_S: Final = 3.0
"""How long a drawn card may wait for a reader to see it (devices §3: no RFID in 3 s)."""
UNSEEN_LEAST_S: Final = 2.0
"""The same for a simulated table at many times its pace: a busy machine reads late, and that is not the dealer's slip."""


_UP: Final = LinkState.UP.value


def _with_muck(at: Mapping[Place, PresenceSettings], settings: PresenceSettings) -> Mapping[Place, PresenceSettings]:
    """A live hand's card rests in the muck when it has lain there for as long as one takes to be gone: a hand that is thrown in
    folds, and what is pushed past the antenna does not (screens §3: 0.8 s)."""
    own = at.get(Spot.MUCK, settings)
    return {**at, Spot.MUCK: replace(own, settle_s=max(own.settle_s, own.gone_s))}


class FeltReader:
    """The readers of one table as one source of evidence. ``lying`` is what the journal knows from before a restart.

    ``at`` are the settings of antennas that have their own.
    """

    def __init__(
        self,
        antennas: AntennaMap,
        registry: DeckRegistry,
        settings: PresenceSettings,
        lying: Mapping[Card, Place],
        *,
        now: float,
        at: Mapping[Place, PresenceSettings] = NO_OWN,
    ) -> None:
        self._antennas = antennas
        self._registry = registry
        known: dict[Place, frozenset[str]] = {place: frozenset() for place in antennas.places}
        for card, place in lying.items():
            if place in known:
                known[place] |= {registry.tag(card)}
        self._presence = PresenceFilter(settings, known, now=now, at=_with_muck(at, settings))
        self._strangers: set[str] = set()
        self.explain_s = EXPLAIN_S / settings.speed
        self.unseen_s = max(UNSEEN_S / settings.speed, UNSEEN_LEAST_S)
        self.unmapped = 0
        """Scans of antennas that the configuration does not name."""
        self.pace = ScanPace()
        """How often the others are scanned."""

    @property
    def tally(self) -> ReadingTally:
        """How often each lying tag was read and missed."""
        return self._presence.tally

    def scan(self, scan: AntennaScan) -> tuple[TableInput, ...]:
        """What one inventory established."""
        place = self._antennas.place(scan.device, scan.antenna)
        if place is None:
            self.unmapped += 1
            return ()
        self.pace.note(scan)
        found = [told for event in self._presence.scan(place, scan.tags, scan.clean, scan.at) for told in self._told(event)]
        for event in self._presence.rested(scan.at):
            card = self._registry.card(event.uid)
            if card is None:
                self._strangers.add(event.uid)
            found.append(SeenAt(event.place, card))
        return tuple(found)

    def _told(self, event: Evidence) -> tuple[TableInput, ...]:
        """What the table is told of one event: a card at once, a stranger when it rests."""
        card = self._registry.card(event.uid)
        if card is None:
            if isinstance(event, TagGone) and event.uid in self._strangers:
                self._strangers.remove(event.uid)
                return (LeftFrom(event.place, None),)
            return ()
        match event:
            case TagSeen():
                return (SeenAt(event.place, card, rests=False),)
            case TagGone():
                return (LeftFrom(event.place, card),)
            case TagConflict():
                return (ReadTwice(event.place, event.other, card),)
            case ConflictEnded():
                return (ReadOnce(event.place, event.other, card),)

    def sees(self, due: Place, links: Mapping[tuple[str, int], str]) -> bool:
        """Whether a card that lies at ``due`` would be seen: no reader of the place is known to be out of order."""
        ways = [antenna for place in self._antennas.places if covers(place, due) and (antenna := self._antennas.antenna(place))]
        return all(links.get(key, _UP) == _UP for line, address in ways for key in ((line, 0), (line, address)))

    def woken(self, now: float) -> None:
        """This process was paused: what lies where is unknown until the antennas have told again, as after a start."""
        self._presence.doubt(now)

    def ready(self, now: float, *, without: Sequence[tuple[str, int]] = ()) -> bool:
        """Every antenna has told what lies there and nothing has changed for a while; those of the devices ``without`` which play
        goes on are not waited for."""
        past = [place for place in self._antennas.places if _is_among(self._antennas.antenna(place), without)]
        return self._presence.ready(now, without=past)


def _is_among(antenna: AntennaId | None, devices: Sequence[tuple[str, int]]) -> bool:
    return antenna is not None and (antenna in devices or (antenna[0], 0) in devices)
