"""What the displays say that they show, compared with what they were sent: an alarm for one that differs, "not live" for one that
is silent.

An echo is evidence and never a command: it moves nothing but its own alarm. It is not journalled and its names are bounded, so
that a stranger at the broker can neither make the journal nor the memory grow.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import ValidationError

from controller.mqtt.compact import ECHO_BYTES, Echo
from controller.mqtt.payloads import Alarm, Device, DeviceHealth, Words
from controller.mqtt.ports import Message
from controller.words.catalogue import Language, text

BEHIND_S: Final = 2.0
"""How long a display may show what is no longer so (screens §12: a seat's picture is stale then)."""
SILENT_S: Final = 5.0
"""A display that has not been heard for so long is not live; it says once a second what it shows."""
FORGET_S: Final = 60.0
"""A display that fell silent is held to be away after so long: its alarm ends, unless it is expected. Where its seat has another,
or the expected ones are named and its seat is not, it is forgotten."""
EXPECT_S: Final = 30.0
"""How long an expected display has from the connection to the broker on until it is missed."""
MAX_DISPLAYS: Final = 4
"""Displays of one seat that are told apart; one more takes the place of one that is silent, or is passed over."""
_KEPT: Final = 32
"""Pictures of a seat that are remembered: what was sent before is none that was sent."""

_HEALTH: Final = {"": DeviceHealth.OK, "lost": DeviceHealth.LOST}

_log = logging.getLogger("controller.displays")


@dataclass(slots=True)
class _Sent:
    """A picture as sent: its digest, its numbers, and when the next one took its place."""

    digest: str
    first_seq: int
    last_seq: int
    until: float | None = None


@dataclass(slots=True)
class _Display:
    """A display as it was last heard."""

    heard_at: float
    wrong: str = ""
    raised_at: datetime | None = None


@dataclass(slots=True)
class _Seat:
    sent: deque[_Sent] = field(default_factory=lambda: deque(maxlen=_KEPT))
    displays: dict[str, _Display] = field(default_factory=dict)


class EchoWatch:
    """``sent`` what goes out, ``hear`` what comes back, ``look`` now and then; times are the loop's, in seconds."""

    def __init__(self, epoch: int, expected: Collection[int] | None = None) -> None:
        """``expected`` are the seats that have a display, by the configuration: one that is never heard is missed too. ``None``:
        it does not tell, and whatever was heard stays among the devices."""
        self._epoch = epoch
        self._expected = None if expected is None else frozenset(expected)
        self._missed: dict[int, datetime] = {}
        self._seats: dict[int, _Seat] = {}
        self._began = 0.0
        self._alive: dict[str, bool] = {}

    def connected(self, now: float) -> None:
        """The broker is there, again perhaps: displays have a while to catch up from now."""
        self._began = now

    def sent(self, seat: int, digest: str, seq: int, now: float) -> None:
        """The picture of ``seat`` with ``digest`` goes out under ``seq``, before any display can have it."""
        pictures = self._seats.setdefault(seat, _Seat()).sent
        if pictures and pictures[-1].digest == digest:
            pictures[-1].last_seq = max(seq, pictures[-1].last_seq)
            return
        if pictures:
            pictures[-1].until = now
        pictures.append(_Sent(digest, seq, seq))

    def take(self, number: int, message: Message, now: float, wall: datetime) -> bool | None:
        """``hear`` a message on the topic of seat ``number``; ``None`` for what is no echo of that seat, or no sign of life."""
        try:
            echo = Echo.model_validate_json(message.payload) if len(message.payload) <= ECHO_BYTES else None
        except ValidationError:
            return None
        return None if echo is None or echo.seat != number or message.retain else self.hear(echo, now, wall)

    def hear(self, echo: Echo, now: float, wall: datetime) -> bool:
        """A display says what it shows; whether an alarm came or went with it, or a display came back."""
        seat = self._seats.get(echo.seat)
        if seat is None or not seat.sent:
            return False
        display = self._display(seat, echo.display, now)
        if display is None:
            return False
        was_silent = now - display.heard_at > SILENT_S
        display.heard_at = now
        wrong = self._wrong(seat, echo, now)
        name = self._name(echo.seat, echo.display)
        changed = was_silent or wrong != display.wrong or not self._alive.get(name, False)
        self._alive[name] = True
        changed |= self._missed.pop(echo.seat, None) is not None
        if wrong and not display.wrong:
            display.raised_at = wall
            _log.warning("a display of seat %d shows something else than it was sent (%s)", echo.seat, wrong)
        display.wrong = wrong
        return changed

    def look(self, now: float, wall: datetime) -> bool:
        """Whether a display fell silent since the last look, an alarm of one that is away ends, or an expected one is missed."""
        changed = False
        for number, seat in self._seats.items():
            for display in seat.displays.values():
                if display.wrong and now - display.heard_at > FORGET_S:
                    display.wrong, changed = "", True
            other = any(now - display.heard_at <= SILENT_S for display in seat.displays.values())
            if other or (self._expected is not None and number not in self._expected):
                seat.displays = {name: one for name, one in seat.displays.items() if now - one.heard_at <= FORGET_S}
        alive = {self._name(number, name): now - one.heard_at <= SILENT_S for number, name, one in self._all()}
        changed |= alive != self._alive
        self._alive = alive
        missed = {number: self._missed.get(number, wall) for number in self._silent(now)}
        changed |= missed != self._missed
        self._missed = missed
        return changed

    def _silent(self, now: float) -> list[int]:
        """Seats without any display that is live, though one was there or is expected."""
        found: list[int] = []
        expected = self._expected or frozenset()
        for number in sorted(self._seats.keys() | expected):
            seat = self._seats.get(number, _Seat())
            last = max((display.heard_at for display in seat.displays.values()), default=None)
            silent_s = now - max(last or 0.0, self._began)
            if number in expected:
                is_missed = silent_s > (EXPECT_S if last is None else SILENT_S)
            else:
                is_missed = last is not None and silent_s > SILENT_S and now - last <= FORGET_S
            if is_missed:
                found.append(number)
        return found

    def alarms(self, seq: int, epoch: int, at: datetime) -> dict[str, Alarm]:
        """One alarm a seat, under its id: of a display that shows what it should not, or else of a silent one."""
        raised = {number: ("lost", since) for number, since in self._missed.items()}
        wrong = [(number, one) for number, _, one in self._all() if one.wrong]
        raised |= {number: (one.wrong, one.raised_at) for number, one in wrong if one.raised_at is not None}
        return {
            f"display_{number}": Alarm(
                seq=seq,
                epoch=epoch,
                at=at,
                alarm=f"display_{number}",
                code=f"display_{code}",
                priority=2,
                place=f"seat/{number}",
                raised_at=since,
                text=_words(code, number),
            )
            for number, (code, since) in sorted(raised.items())
        }

    def devices(self, seq: int, epoch: int, at: datetime) -> dict[str, Device]:
        """Every display that was heard, under its name, and each that is missed under its seat's; ``lost`` when it is silent,
        ``degraded`` when it differs, with what is to be done."""
        found: dict[str, tuple[int, str]] = {}
        for number, given, display in self._all():
            name = self._name(number, given)
            found[name] = number, display.wrong or ("" if self._alive.get(name, True) else "lost")
        heard = {number for number, _ in found.values()}
        found |= {f"display-{number}": (number, "lost") for number in self._missed.keys() - heard}
        return {
            name: Device(
                seq=seq,
                epoch=epoch,
                at=at,
                device=name,
                kind="display",
                health=_HEALTH.get(code, DeviceHealth.DEGRADED),
                text=_words(code, number) if code else None,
            )
            for name, (number, code) in sorted(found.items())
        }

    def _wrong(self, seat: _Seat, echo: Echo, now: float) -> str:
        """``differs`` from all that was sent, ``behind`` for longer than allowed, or nothing."""
        newest = seat.sent[-1]
        if echo.epoch < self._epoch:
            return self._late(self._began, now)
        if echo.epoch > self._epoch or echo.seq > newest.last_seq:
            return "differs"
        known = next((one for one in reversed(seat.sent) if one.digest == echo.digest), None)
        if known is None or not known.first_seq <= echo.seq:
            return "differs"
        if known is newest:
            return ""
        return "" if known.until is None else self._late(known.until, now)

    def _late(self, since: float, now: float) -> str:
        return "behind" if now - max(since, self._began) > BEHIND_S else ""

    def _display(self, seat: _Seat, name: str, now: float) -> _Display | None:
        if name not in seat.displays and len(seat.displays) >= MAX_DISPLAYS:
            silent = [one for one, display in seat.displays.items() if now - display.heard_at > SILENT_S and not display.wrong]
            if not silent:
                return None
            del seat.displays[silent[0]]
        return seat.displays.setdefault(name, _Display(now))

    def _all(self) -> Iterator[tuple[int, str, _Display]]:
        for number, seat in sorted(self._seats.items()):
            for name, display in sorted(seat.displays.items()):
                yield number, name, display

    @staticmethod
    def _name(seat: int, display: str) -> str:
        return f"display-{seat}-{display}"


def _words(code: str, seat: int) -> Words:
    """What is wrong with a display of ``seat``, and the way out."""
    key = f"alarm.display_{code}"
    return Words(en=text(key, Language.EN, n=seat), fr=text(key, Language.FR, n=seat))
