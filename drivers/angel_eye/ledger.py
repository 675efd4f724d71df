"""What the reports of an Angel Eye shoe mean to the table (devices §1.2): each once, in order, and nothing surer than it is.

The shoe says each report three times, waits for nothing and keeps nothing. What it says while the port is closed is gone, and
nothing can be asked. So every opening, and every start of the shoe, is a start of its own: the table compares and asks.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from drivers.angel_eye.frames import Frame
from drivers.angel_eye.messages import (
    UNREADABLE,
    CardTold,
    ErrorTold,
    LockTold,
    MessageError,
    Occasion,
    Report,
    Simple,
    read_report,
)
from drivers.ports import (
    CardDrawn,
    DrawMode,
    DriverError,
    EventKey,
    GateChanged,
    KnownShoe,
    NoticeKind,
    ShoeEvent,
    ShoeFound,
    ShoeNotice,
    ShoeState,
)

MODEL: Final = "ANGEL-EYE"
COPIES: Final = 3
"""Times that the shoe says each report, 50 ms apart."""
REPEAT_S: Final = 0.3
"""The same report again within so long is a repeat, however often it comes."""
LATE_S: Final = 10.0
"""Until then the same report is a repeat while fewer than three have come: reading may have been held up between copies."""
BETWEEN: Final = 4
"""So many other reports never come between two copies of one: what looks the same then is another one under the same number."""
LAST_NUMBER: Final = 9
"""Reports are numbered 1 to 9 and begin again, as far as is known."""
REPEATS_KEPT: Final = 16

_LOCK_MODE: Final = 0


class _Heard(NamedTuple):
    """A report that came: when last, how often, and how many reports there were by then."""

    at: float
    copies: int
    reports: int


_NEVER: Final = _Heard(-math.inf, COPIES, 0)


class Ledger:
    """Starts, numbers and repeats of one shoe."""

    def __init__(self, device: str, known: KnownShoe | None) -> None:
        self._device = device
        self._is_known = known is not None
        self.boot = known.boot if known is not None else 0
        self.delivered = 0
        """Number of the last event in this start."""
        self.repeats = self.strange = self.gaps = 0
        self.is_locked = False
        self._draw_no = 0
        self._last_number: int | None = None
        self._last_card: str | None = None
        self._last_card_at: float | None = None
        self._recent: dict[tuple[int, bytes], _Heard] = {}
        self._reports = 0
        self._read_again_at = -math.inf

    def begin(self) -> ShoeFound:
        """A new start: the port was opened, or the shoe says that it has started. Its counts begin at nothing."""
        is_rebooted = self._is_known
        self._is_known = True
        self.boot += 1
        self.delivered = self._draw_no = 0
        self._last_number = self._last_card = self._last_card_at = None
        self._recent.clear()
        return self.found(is_rebooted=is_rebooted)

    def found(self, *, is_rebooted: bool) -> ShoeFound:
        """The shoe as it is known in this start."""
        counts = self.delivered, self.delivered, 1, 0, self._draw_no, -1
        state = ShoeState("", MODEL, self.boot, *counts, "K" if self.is_locked else "-")
        return ShoeFound(self._device, state, is_rebooted=is_rebooted)

    def accept(self, key: EventKey) -> None:
        """``DriverError`` for an event that was never delivered; of an older start it is nothing."""
        if key.boot > self.boot or (key.boot == self.boot and key.seq > self.delivered):
            raise DriverError(
                f"{self._device}: event {key.seq} of start {key.boot} was never delivered, "
                f"{self.delivered} of {self.boot} is the last: look at the journal"
            )

    def take(self, frame: Frame, now: float) -> list[ShoeEvent]:
        """What the table is told of ``frame``, received at ``now``."""
        if self._is_repeat(frame, now):
            self.repeats += 1
            return []
        try:
            report = read_report(frame.data)
        except MessageError as error:
            self.strange += 1
            return [*self._gap(frame.seq), self._notice(NoticeKind.UNKNOWN, str(error))]
        if report is Simple.STARTED:
            found = self.begin()
            self._last_number = _number(frame.seq)
            self._recent[frame.seq, frame.data] = _Heard(now, 1, self._reports)
            return [found]
        return [*self._gap(frame.seq), *self._told(report, now)]

    def resumed(self, now: float) -> None:
        """The port is read again: what comes now may have waited."""
        self._read_again_at = now

    def _is_repeat(self, frame: Frame, now: float) -> bool:
        """Whether ``frame`` is another copy of a report that is known. Two cards that could not be read look alike, as no two
        others of a deck do: a late copy of such a report is one only where we ourselves have held up the reading."""
        key = (frame.seq, frame.data)
        heard = self._recent.pop(key, _NEVER)
        age_s = now - heard.at
        is_late = age_s < LATE_S and heard.copies < COPIES
        if is_late and heard.at > self._read_again_at and _is_unreadable(frame.data):
            is_late = False
        is_repeat = (age_s < REPEAT_S or is_late) and self._reports - heard.reports < BETWEEN
        if not is_repeat:
            self._reports += 1
        self._recent[key] = _Heard(now, heard.copies + 1 if is_repeat else 1, self._reports)
        while len(self._recent) > REPEATS_KEPT:
            self._recent.pop(next(iter(self._recent)))
        return is_repeat

    def _gap(self, seq: int) -> list[ShoeEvent]:
        """A jump of the numbers is told and no more: how they wrap is not proved, and nothing can be asked for again."""
        before, number = self._last_number, _number(seq)
        self._last_number = number
        if before is None or number == before % LAST_NUMBER + 1:
            return []
        self.gaps += 1
        return [self._notice(NoticeKind.FAULT, f"reports may be lost: number {number} came after {before}")]

    def _told(self, report: Report, now: float) -> list[ShoeEvent]:
        match report:
            case CardTold(occasion=Occasion.AGAIN, code=code):
                if code == self._last_card:
                    return []
                return [self._notice(NoticeKind.UNKNOWN, "a card was told again that was not the last one")]
            case CardTold():
                return [self._card(report, now)]
            case Simple.CUT_CARD:
                return [self._notice(NoticeKind.CUT, str(self._draw_no))]
            case ErrorTold(is_raised=is_raised):
                return [self._notice(NoticeKind.FAULT if is_raised else NoticeKind.CLEARED, report.meaning)]
            case LockTold(is_locked):
                self.is_locked = is_locked
                return [GateChanged(self._device, self._key(), "K" if is_locked else "")]
            case Simple():
                return []
            case _:
                return [self._notice(NoticeKind.UNKNOWN, "a setting or a result of another game")]

    def _card(self, card: CardTold, now: float) -> CardDrawn:
        """A card outside a game counts too: a stud table plays none of the shoe's games. In error or setting mode it is less
        sure."""
        is_sure = card.occasion is Occasion.GAME or card.target == _LOCK_MODE
        gap_ms = 0 if self._last_card_at is None else round((now - self._last_card_at) * 1000)
        self._draw_no += 1
        self._last_card, self._last_card_at = card.code, now
        mode = DrawMode.COUNTED if is_sure else DrawMode.NO_CONFIDENCE
        return CardDrawn(self._device, self._key(), card.code, mode, self._draw_no, -1, gap_ms)

    def _notice(self, kind: NoticeKind, detail: str) -> ShoeNotice:
        return ShoeNotice(self._device, self._key(), kind, detail)

    def _key(self) -> EventKey:
        self.delivered += 1
        return EventKey(self.boot, self.delivered)


def _is_unreadable(data: bytes) -> bool:
    """Whether ``data`` tells a card that the shoe could not read."""
    try:
        report = read_report(data)
    except MessageError:
        return False
    return isinstance(report, CardTold) and report.code == UNREADABLE


def _number(seq: int) -> int:
    return seq - ord("0")
