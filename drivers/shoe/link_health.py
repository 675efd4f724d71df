"""How good the line to a shoe is, from what was heard and when (TSP/1 link states). A change is told once."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Final

from drivers.ports import Fact, LinkChanged, LinkState, Trouble
from drivers.shoe.messages import Heartbeat

STALE_S: Final = 2.5
DOWN_S: Final = 5.0
DEAD_DIRECTION_S: Final = 3.0
"""HB shows our epoch or ACK mark not arriving for this long: the way to the shoe is dead."""
BAD_LINES: Final = 5
BAD_LINES_WINDOW_S: Final = 10.0
GOOD_AGAIN_S: Final = 60.0


class LinkHealth:
    """Ages and counters of one line. Only valid lines count as a sign of life: noise is none."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._told: tuple[LinkState, str, bool] | None = None
        self._line = LinkState.DOWN
        self._is_open = False
        self._reason = "not opened yet"
        self.trouble: Trouble | None = None
        """Why the shoe at the other end is quarantined."""
        self._heard_at = 0.0
        self._goal: int | None = None
        self._behind_since = 0.0
        self._is_dead_direction = False
        self._bad: deque[float] = deque(maxlen=BAD_LINES + 1)
        self.is_degraded = False
        self.identity = ""
        """Model, firmware, serial number and node of the shoe that answered last."""
        self.lines = self.bad = self.foreign_lines = self.unreadable_lines = 0
        self.events = self.repeats = self.gaps = 0
        self.tags: Mapping[str, int] = {}
        """Bad tags and late counters of an authenticated line."""
        self._line_at: float | None = None
        self._event_at: float | None = None
        self._said: tuple[float, str, str] | None = None

    def opened(self, now: float) -> None:
        """The port is open; it gets its time to say something."""
        self._is_open = True
        self._heard_at = now
        self.trouble = None
        self._goal = None
        self._is_dead_direction = False

    def closed(self, reason: str) -> None:
        """The port is gone."""
        self._is_open = False
        self._reason = reason

    def heard(self, now: float) -> None:
        """A valid line of a shoe."""
        self._heard_at = self._line_at = now

    def said(self, now: float, beat: Heartbeat) -> None:
        """What the shoe says of itself."""
        errors = f", errors {' '.join(beat.errors)}" if beat.errors else ""
        gate = f"gate closed ({beat.gate})" if beat.gate else "gate open"
        self._said = now, beat.state.lower(), f"{gate}, {beat.remaining} cards left{errors}"

    def event(self, now: float, *, is_repeat: bool) -> None:
        """An event of the shoe, new or once more."""
        if is_repeat:
            self.repeats += 1
        else:
            self.events += 1
            self._event_at = now

    def facts(self, now: float) -> tuple[Fact, Fact, Fact]:
        """Link, device and data, each with its age."""
        heard, told = self._line_at, self._event_at
        link = Fact("silent" if heard is None or now - heard >= STALE_S else "ok", _age(now, heard))
        if self.trouble is not None:
            link = Fact("quarantine", link.age_s, self.trouble.sentence)
        elif self.is_degraded:
            link = Fact("degraded", link.age_s, f"more than {BAD_LINES} bad lines in {BAD_LINES_WINDOW_S:.0f} s")
        device = Fact("unknown", None) if self._said is None else Fact(self._said[1], now - self._said[0], self._said[2])
        return link, device, Fact("none" if told is None else "event", _age(now, told))

    def counters(self) -> dict[str, int]:
        """Lines and events since the start."""
        return {
            "frames": self.lines,
            "bad_frames": self.bad,
            "strays": self.foreign_lines,
            "malformed": self.unreadable_lines,
            "events": self.events,
            "repeats": self.repeats,
            "gaps": self.gaps,
            **self.tags,
        }

    def quarantine(self, trouble: Trouble | None) -> None:
        """The shoe at the other end is not ours; None lifts it."""
        self.trouble = trouble

    def adopted(self, now: float, accepted: int) -> None:
        """HELLO is on its way: from now on HB has to follow."""
        self.trouble = None
        self._goal, self._behind_since = accepted, now
        self._is_dead_direction = False

    def beat(self, now: float, *, acked: int, accepted: int, is_ours: bool) -> None:
        """An HB: does what we send arrive?"""
        if self._goal is None or (is_ours and acked >= self._goal):
            self._goal = None if is_ours and acked >= accepted else accepted
            self._behind_since = now
        self._is_dead_direction = self._goal is not None and now - self._behind_since >= DEAD_DIRECTION_S

    def bad_lines(self, now: float, count: int) -> None:
        """``count`` bad lines just now."""
        self.bad += count
        for _ in range(min(count, BAD_LINES + 1)):
            self._bad.append(now)
        if len(self._bad) > BAD_LINES and now - self._bad[0] <= BAD_LINES_WINDOW_S:
            self.is_degraded = True

    def next_at(self) -> float:
        """When ``change`` may have something to tell without anything heard."""
        times = [self._bad[-1] + GOOD_AGAIN_S] if self.is_degraded else []
        if self._is_open and self._line is not LinkState.DOWN:
            times.append(self._heard_at + (DOWN_S if self._line is LinkState.STALE else STALE_S))
        return min(times, default=math.inf)

    def change(self, now: float, good: LinkState) -> LinkChanged | None:
        """The link as it is now, when that differs from what was told; ``good`` is its state while lines come."""
        if self.is_degraded and now >= self._bad[-1] + GOOD_AGAIN_S:
            self.is_degraded = False
            self._bad.clear()
        state, detail = self._state(now, good)
        self._line = state
        if self.is_degraded and state not in (LinkState.DOWN, LinkState.QUARANTINE):
            state = LinkState.DEGRADED  # asked again or silent for a moment, it is no better: the gate does not open for that
        news = (state, detail, self.is_degraded)
        if news == self._told:
            return None
        self._told = news
        if self.is_degraded:
            detail = f"{detail}; degraded: more than {BAD_LINES} bad lines in {BAD_LINES_WINDOW_S:.0f} s"
        return LinkChanged(self._device, 0, state, detail)

    def _state(self, now: float, good: LinkState) -> tuple[LinkState, str]:
        silence_s = now - self._heard_at
        if not self._is_open:
            return LinkState.DOWN, self._reason
        if silence_s >= DOWN_S:
            return LinkState.DOWN, f"nothing heard for {DOWN_S:.0f} s"
        if silence_s >= STALE_S:
            return LinkState.STALE, f"nothing heard for {STALE_S} s"
        if self.trouble is not None:
            return LinkState.QUARANTINE, self.trouble.sentence
        if self._is_dead_direction:
            return LinkState.DOWN, "the shoe hears nothing of us"
        return good, "in session" if good is LinkState.UP else "asking the shoe for its state"


def _age(now: float, at: float | None) -> float | None:
    return None if at is None else now - at
