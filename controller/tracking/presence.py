"""Presence filter: from single scans, which lie now and then, to where each tag lies.

A tag appears fast and disappears slowly, since a public reader that judged by three misses lost resting tags every few seconds.
A tag has one place. Read in a second one it is moving, and moves as soon as the first loses it; read in both for longer it
is a conflict, and keeps its first place until one of the two loses it, or turns out to read it so seldom that the card lies at
the other and only bleeds over. A tag rests when it has lain for a while where it
appeared: what it may only be carried past is not to be alarmed about.

Pure: scans and time in, evidence out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from controller.hand.places import Place
from controller.tracking.evidence import ConflictEnded, Evidence, TagConflict, TagGone, TagSeen
from controller.tracking.life import ReadingTally

MAX_TRACKED: Final = 512
"""Tags that one antenna keeps in view; a stranger beyond that is not noted, only counted."""
NO_OWN: Final[Mapping[Place, PresenceSettings]] = {}
"""No antenna has settings of its own."""
STRENGTH_SCANS: Final = 12
"""Over so many scans of each antenna a tag that two of them read is compared."""
BLEED_SHARE: Final = 2
"""Read so many times as often by one of them, the card lies there: the other reads its neighbour's (devices §3, bleed)."""
BLEED_MISSES: Final = 3
"""Missed more often in a row a tag is no bleed: it is on its way out, and goes by the full rule."""
_ROUNDING_S: Final = 1e-6
"""Sums of binary fractions: a limit that is reached is reached."""


@dataclass(frozen=True, slots=True)
class PresenceSettings:
    """When to believe a tag, in scans and seconds of a table at real pace.

    The defaults hold for up to 10 % misses per scan at 10 scans a second: 3.2e-4 false removals per card and hour.
    """

    appear_hits: int = 2
    appear_window: int = 3
    """``appear_hits`` within so many scans and the tag is there."""
    gone_misses: int = 8
    gone_s: float = 0.8
    """So many clean misses in a row, and so long, and the tag is gone."""
    moved_misses: int = 2
    """The same for a tag that another antenna has established meanwhile."""
    settle_s: float = 0.3
    """A tag rests so long after its first reading at a place."""
    conflict_s: float = 0.3
    conflict_hits: int = 4
    """Read in two places for longer than this, and so often in the second, is a conflict."""
    ready_scans: int = 3
    ready_s: float = 1.0
    speed: float = 1.0
    """All times are divided by it."""


@dataclass(slots=True)
class _Track:
    """One tag at one antenna. ``there`` once it has shown ``appear_hits``; a candidate before."""

    first_hit: float
    last_hit: float
    """For a tag that only the journal knows, both are the time of the start."""
    there: bool
    heard: bool
    """False while only the journal knows of the tag."""
    recent: list[bool] = field(default_factory=list)
    """The last ``appear_window`` scans that say something of the tag."""
    hits: list[float] = field(default_factory=list)
    """Times of the last ``appear_hits`` readings."""
    readings: int = 0
    misses: int = 0
    """Clean scans without the tag since its last reading."""
    past: list[bool] = field(default_factory=list)
    """The last ``STRENGTH_SCANS`` scans that say something of the tag."""

    def outweighs(self, other: _Track) -> bool:
        """Whether this antenna reads the tag ``BLEED_SHARE`` times as often as the ``other`` one, which still reads it now and
        then: by a full row of scans of both."""
        full = len(self.past) == len(other.past) == STRENGTH_SCANS and other.misses <= BLEED_MISSES
        return full and sum(self.past) >= BLEED_SHARE * sum(other.past)

    def matches(self, other: _Track) -> bool:
        """Whether it reads the tag nearly as often, so that what was taken for bleed is none any more."""
        full = len(self.past) == len(other.past) == STRENGTH_SCANS
        return full and 4 * sum(self.past) >= 3 * sum(other.past)


@dataclass(slots=True)
class _Antenna:
    settings: PresenceSettings
    tracks: dict[str, _Track] = field(default_factory=dict)
    clean_scans: int = 0

    @property
    def gone_s(self) -> float:
        return self.settings.gone_s / self.settings.speed - _ROUNDING_S

    @property
    def settle_s(self) -> float:
        return self.settings.settle_s / self.settings.speed - _ROUNDING_S

    @property
    def conflict_s(self) -> float:
        return self.settings.conflict_s / self.settings.speed + _ROUNDING_S

    def is_gone(self, track: _Track, now: float) -> bool:
        return track.misses >= self.settings.gone_misses and now - track.last_hit >= self.gone_s


class PresenceFilter:
    """Where each tag lies, by the scans of all antennas of one table.

    ``known`` names every antenna's place and the tags that lay there when the journal ended. Those count as present and are
    not announced again; they go by the ordinary rule. ``at`` are the settings of antennas that have their own (devices §6.4).
    """

    def __init__(
        self,
        settings: PresenceSettings,
        known: Mapping[Place, frozenset[str]],
        *,
        now: float = 0.0,
        at: Mapping[Place, PresenceSettings] = NO_OWN,
    ) -> None:
        self._ready_scans = settings.ready_scans
        self._ready_s = settings.ready_s / settings.speed - _ROUNDING_S
        self._antennas: dict[Place, _Antenna] = {place: _Antenna(at.get(place, settings)) for place in known}
        self._home: dict[str, Place] = {}
        self._conflicts: dict[str, Place] = {}
        self._bleeds: dict[str, Place] = {}
        """Where a tag is read that lies elsewhere, so much less often that it is no conflict."""
        self._arrived: dict[str, float] = {}
        self._changed_at = now
        self.tally = ReadingTally()
        """How often each lying tag was read and missed (devices §7, card life)."""
        self.overflow = 0
        """Readings of strangers that were not noted, since ``MAX_TRACKED`` others are in view."""
        for place, uids in known.items():
            for uid in sorted(uids):
                if uid in self._home:
                    raise ValueError(f"a tag is known at {self._home[uid]} and at {place}: a tag has one place")
                self._home[uid] = place
                self._antennas[place].tracks[uid] = _Track(now, now, there=True, heard=False)

    def scan(self, place: Place, tags: tuple[str, ...], clean: bool, now: float) -> tuple[Evidence, ...]:  # noqa: FBT001
        """One scan of the antenna at ``place``: what it established. In a scan that is not ``clean``, what was read
        counts and what was not read says nothing. ``KeyError`` for a place that was not among ``known``."""
        antenna = self._antennas[place]
        antenna.clean_scans += clean
        seen = dict.fromkeys(tags)
        for uid in seen:
            self._hit(antenna, uid, place, now)
        touched = dict(seen)
        for uid, track in list(antenna.tracks.items()):
            if clean and uid not in seen:
                self._miss(antenna, track)
                touched[uid] = None
        events: list[Evidence] = []
        for uid in touched:
            events += self._judge(uid, place, now)
        if events:
            self._changed_at = now
        return tuple(events)

    def at(self, place: Place) -> frozenset[str]:
        """The tags that lie at ``place``."""
        return frozenset(
            uid for uid, track in self._antennas[place].tracks.items() if track.there and self._home.get(uid) == place
        )

    def where(self, uid: str) -> Place | None:
        """The place of a tag, or ``None``."""
        return self._home.get(uid)

    def rested(self, now: float) -> tuple[TagSeen, ...]:
        """The tags that have come to rest at their place since this was asked last, each told once for each place it comes to.

        A tag that its antenna has missed since, or that another one has read since, may be on its way.
        """
        if not self._arrived:
            return ()
        ripe = [
            uid
            for uid, since in self._arrived.items()
            if now - since >= self._antennas[self._home[uid]].settle_s and self._lies_still(uid)
        ]
        for uid in ripe:
            del self._arrived[uid]
        return tuple(TagSeen(uid, self._home[uid], now) for uid in ripe)

    def _lies_still(self, uid: str) -> bool:
        home = self._home[uid]
        track = self._antennas[home].tracks[uid]
        return not track.misses and all(
            self._antennas[place].tracks[uid].last_hit <= track.last_hit for place in self._visited(uid, home)
        )

    def ready(self, now: float, *, without: Collection[Place] = ()) -> bool:
        """The felt is known again after a start: every antenna gave ``ready_scans`` clean scans, nothing changed for
        ``ready_s``, and every tag of the journal has answered or is gone; ``without`` some that are not waited for."""
        return not any(place not in without for place in self.waiting_for()) and now - self._changed_at >= self._ready_s

    def doubt(self, now: float) -> None:
        """Nothing was heard for a while: what lay there counts as known, is not announced again, and goes by the rule."""
        self._changed_at = now
        for antenna in self._antennas.values():
            antenna.clean_scans = 0
            for track in antenna.tracks.values():
                if track.there:
                    track.heard, track.misses, track.last_hit = False, 0, now

    def waiting_for(self) -> tuple[Place, ...]:
        """The places that keep the table from being ready, in the order of ``known``."""
        return tuple(
            place
            for place, antenna in self._antennas.items()
            if antenna.clean_scans < self._ready_scans or any(not track.heard for track in antenna.tracks.values())
        )

    def _hit(self, antenna: _Antenna, uid: str, place: Place, now: float) -> None:
        track = antenna.tracks.get(uid)
        if track is None:
            if len(antenna.tracks) >= MAX_TRACKED:
                self.overflow += 1
                return
            track = antenna.tracks[uid] = _Track(now, now, there=False, heard=True)
        if track.heard and self._home.get(uid) == place:
            self.tally.note(uid, track.misses)
        track.heard = True
        track.readings += 1
        track.misses = 0
        track.last_hit = now
        track.hits = [*track.hits, now][-antenna.settings.appear_hits :]
        self._note(antenna, track, hit=True)

    def _miss(self, antenna: _Antenna, track: _Track) -> None:
        track.misses += 1
        self._note(antenna, track, hit=False)

    def _note(self, antenna: _Antenna, track: _Track, *, hit: bool) -> None:
        track.recent = [*track.recent, hit][-antenna.settings.appear_window :]
        track.past = [*track.past, hit][-STRENGTH_SCANS:]
        if sum(track.recent) >= antenna.settings.appear_hits:
            track.there = True

    def _judge(self, uid: str, place: Place, now: float) -> list[Evidence]:
        """What the scan of ``place`` means for ``uid``."""
        track = self._antennas[place].tracks.get(uid)
        if track is None:
            return []
        home = self._home.get(uid)
        if home is None:
            return self._judge_stranger(uid, place, track, now)
        if home == place:
            return self._judge_home(uid, place, track, now)
        return self._judge_visit(uid, home, place, track, now)

    def _judge_stranger(self, uid: str, place: Place, track: _Track, now: float) -> list[Evidence]:
        if track.there:
            return [self._arrive(uid, place, now)]
        self._drop_if_faded(uid, place, track)
        return []

    def _judge_home(self, uid: str, home: Place, track: _Track, now: float) -> list[Evidence]:
        for place in self._visited(uid, home):
            events = self._judge_visit(uid, home, place, self._antennas[place].tracks[uid], now)
            if events:
                return events
        return self._leave(uid, home, now) if self._antennas[home].is_gone(track, now) else []

    def _judge_visit(self, uid: str, home: Place, place: Place, visit: _Track, now: float) -> list[Evidence]:
        """``uid`` lies at ``home`` and was read at ``place`` too."""
        at_home = self._antennas[home].tracks[uid]
        if self._conflicts.get(uid) == place:
            return self._judge_conflict(uid, home, place, now)
        if visit.there and self._has_moved(self._antennas[home], at_home, visit, now):
            return [*self._end_conflict(uid, home, now), *self._move(uid, home, place, now)]
        if self._drop_if_faded(uid, place, visit):
            return []
        overlap_s = min(at_home.last_hit, visit.last_hit) - visit.first_hit
        often = visit.there and visit.readings >= self._antennas[place].settings.conflict_hits
        bleeds = self._bleeds.get(uid) == place and not visit.matches(at_home)
        if often and overlap_s > self._antennas[place].conflict_s and uid not in self._conflicts and not bleeds:
            self._bleeds.pop(uid, None)
            self._conflicts[uid] = place
            return [TagConflict(uid, home, place, now)]
        return []

    def _judge_conflict(self, uid: str, home: Place, other: Place, now: float) -> list[Evidence]:
        """Over when one of the two has lost the tag by the full rule; both, if the other no longer reads it either. Over too when
        one reads it so much more often that the card lies there."""
        there, here = self._antennas[other], self._antennas[home]
        visit, at_home = there.tracks[uid], here.tracks[uid]
        if here.is_gone(here.tracks[uid], now):
            ended = self._end_conflict(uid, home, now)
            if visit.misses < there.settings.moved_misses:
                return [*ended, *self._move(uid, home, other, now)]
            del there.tracks[uid]
            return [*ended, *self._leave(uid, home, now)]
        if there.is_gone(visit, now):
            del there.tracks[uid]
            return self._end_conflict(uid, home, now)
        if at_home.outweighs(visit):
            self._bleeds[uid] = other
            return self._end_conflict(uid, home, now)
        if visit.outweighs(at_home):
            moved = [*self._end_conflict(uid, home, now), *self._move(uid, home, other, now)]
            self._bleeds[uid] = home
            return moved
        return []

    @staticmethod
    def _has_moved(home: _Antenna, at_home: _Track, visit: _Track, now: float) -> bool:
        """The other antenna has established the tag since the first one read it last, and the first one missed it, or said
        nothing at all for as long as a tag may be missed."""
        if at_home.heard and visit.hits[0] <= at_home.last_hit:
            return False
        quiet_s = now - max(at_home.last_hit, visit.first_hit)
        return at_home.misses >= home.settings.moved_misses or quiet_s >= home.gone_s

    def _leave(self, uid: str, home: Place, now: float) -> list[Evidence]:
        del self._antennas[home].tracks[uid]
        del self._home[uid]
        self._arrived.pop(uid, None)
        self._bleeds.pop(uid, None)
        return [TagGone(uid, home, now)]

    def _move(self, uid: str, home: Place, place: Place, now: float) -> list[Evidence]:
        return [*self._leave(uid, home, now), self._arrive(uid, place, now)]

    def _arrive(self, uid: str, place: Place, now: float) -> TagSeen:
        self._home[uid] = place
        self._arrived[uid] = self._antennas[place].tracks[uid].first_hit
        return TagSeen(uid, place, now)

    def _end_conflict(self, uid: str, home: Place, now: float) -> list[Evidence]:
        other = self._conflicts.pop(uid, None)
        return [] if other is None else [ConflictEnded(uid, home, other, now)]

    def _drop_if_faded(self, uid: str, place: Place, track: _Track) -> bool:
        """Forget a candidate that the whole window did not confirm, and a visit that the window no longer shows."""
        settings = self._antennas[place].settings
        faded = len(track.recent) >= settings.appear_window and not any(track.recent)
        lone = not track.there and track.misses >= settings.appear_window - settings.appear_hits + 1
        if faded or lone:
            del self._antennas[place].tracks[uid]
        return faded or lone

    def _visited(self, uid: str, home: Place) -> list[Place]:
        return [place for place, antenna in self._antennas.items() if place != home and uid in antenna.tracks]
