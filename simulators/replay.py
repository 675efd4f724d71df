"""A device made of a recording: it says again what a real one said, strictly or leniently, in its time or at once.

Strict: each byte of the host must be the recorded one, and what the device said after it is said again; the first difference is
kept and ends the replay. Lenient: each request is answered with what was answered to the next one like it, whatever the order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from drivers.feig.frames import FrameDecoder, Role
from drivers.pn532 import frames as pn532
from simulators.capture import NS, Capture, CaptureError, Entry, Way
from simulators.device_port import DevicePort

Requests: TypeAlias = Callable[[bytes], Iterable[Hashable]]
"""Keys of the requests that are complete with some more bytes of the host; the same request has the same key."""
READER_GAP_S: Final = 10.0
"""A recording has no line that falls silent inside a request."""


class ReplayMismatch(Exception):  # noqa: N818
    """The host did not do what the recording says. Names port and entry, never bytes."""


class StrictReplay:
    """The entries of one port, in order. ``t0`` is the recorder's clock at the moment that the loop shows as ``origin``;
    without ``is_timed`` everything is said as soon as the host has said what came before it."""

    def __init__(
        self, port: DevicePort, entries: Sequence[Entry], *, t0: int, origin: float = 0.0, is_timed: bool = True
    ) -> None:
        self._port = port
        self._entries = tuple(entries)
        self._t0 = t0
        self._origin = origin
        self._is_timed = is_timed
        self._next = 0
        self._heard = b""
        self._timer: asyncio.TimerHandle | None = None
        self.mismatch: ReplayMismatch | None = None
        port.attach(self)

    @property
    def left(self) -> int:
        """Entries that are still to come; none once all is said and heard."""
        return len(self._entries) - self._next

    def start(self) -> None:
        """Plug the device in. Needs a running loop."""
        self._port.replug()
        self._go_on()

    def stop(self) -> None:
        """Take it away."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._port.close()

    def host_connected(self) -> None:
        """The host opened the port."""
        self._skip_refusals()
        self._expect(Way.OPENED)

    def host_gone(self) -> None:
        """The host closed it, or we pulled the cable."""
        if self._way() is Way.CLOSED:
            self._next += 1
        self._heard = b""
        self._go_on()

    def host_data(self, data: bytes) -> None:
        """Bytes of the host: the recorded ones, in any pieces."""
        self._heard += data
        while self._heard and self.mismatch is None:
            if self._way() is not Way.TX:
                self._differ("the host said something that it did not say then")
                return
            wanted = self._entries[self._next].data
            if not wanted.startswith(self._heard[: len(wanted)]):
                self._differ("the host said something else")
                return
            if len(self._heard) < len(wanted):
                return
            self._heard = self._heard[len(wanted) :]
            self._next += 1
        self._go_on()

    def _way(self) -> Way | None:
        return self._entries[self._next].way if self._next < len(self._entries) else None

    def _expect(self, way: Way) -> None:
        if self._way() is not way:
            self._differ(f"the host's port was {way.value} when it was not then")
            return
        self._next += 1
        self._go_on()

    def _differ(self, what: str) -> None:
        if self.mismatch is None:
            self.mismatch = ReplayMismatch(f"entry {self._next + 1} of {len(self._entries)}: {what}")
            self._port.unplug()

    def _skip_refusals(self) -> None:
        while self._way() is Way.REFUSED:
            self._next += 1

    def _go_on(self) -> None:
        """Say what is next, if it is ours to say, at its time."""
        if self._timer is not None or self.mismatch is not None or self._way() not in {Way.RX, Way.LOST, Way.REFUSED}:
            return
        loop = asyncio.get_running_loop()
        due = self._origin + (self._entries[self._next].t - self._t0) / NS if self._is_timed else loop.time()
        self._timer = loop.call_at(max(due, loop.time()), self._say)

    def _say(self) -> None:
        self._timer = None
        entry = self._entries[self._next]
        self._next += 1
        match entry.way:
            case Way.RX:
                self._port.write(entry.data)
            case Way.LOST:
                self._port.unplug()
                if self._way() is not Way.REFUSED:
                    self._port.replug()
            case _:  # the last refusal: from now on the host may open the port
                if self._way() is not Way.REFUSED:
                    self._port.replug()
        self._go_on()


class LenientReplay:
    """Answers of one port by request. What the device said before the first request is said when a host opens the port."""

    def __init__(
        self, port: DevicePort, entries: Sequence[Entry], *, requests: Callable[[], Requests], is_timed: bool = True
    ) -> None:
        self._port = port
        self._requests = requests
        self._is_timed = is_timed
        self._greeting: list[tuple[float, bytes]] = []
        self._answers: dict[Hashable, deque[list[tuple[float, bytes]]]] = {}
        self._timers: set[asyncio.TimerHandle] = set()
        self._read = requests()
        self.unanswered = 0
        """Requests that the recording has no answer to."""
        self._learn(entries)
        port.attach(self)

    def _learn(self, entries: Sequence[Entry]) -> None:
        read = self._requests()
        said = self._greeting
        asked_at: int | None = None
        for entry in entries:
            match entry.way:
                case Way.TX:
                    for key in read(entry.data):
                        said, asked_at = [], entry.t
                        self._answers.setdefault(key, deque()).append(said)
                case Way.RX:
                    asked_at = entry.t if asked_at is None else asked_at
                    said.append(((entry.t - asked_at) / NS if self._is_timed else 0.0, entry.data))
                case _:
                    read = self._requests()

    def start(self) -> None:
        """Plug the device in. Needs a running loop."""
        self._port.replug()

    def stop(self) -> None:
        """Take it away."""
        self.host_gone()
        self._port.close()

    def host_connected(self) -> None:
        """A host opened the port."""
        self._read = self._requests()
        self._say(self._greeting)

    def host_gone(self) -> None:
        """The host closed it: what was to be said is not said."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def host_data(self, data: bytes) -> None:
        """Requests of the host. The answers to one request come round again when they are used up."""
        for key in self._read(data):
            answers = self._answers.get(key)
            if answers is None:
                self.unanswered += 1
                continue
            self._say(answers[0])
            answers.rotate(-1)

    def _say(self, pieces: Sequence[tuple[float, bytes]]) -> None:
        loop = asyncio.get_running_loop()
        self._timers = {timer for timer in self._timers if timer.when() > loop.time()}
        for wait_s, data in pieces:
            if wait_s == 0.0:  # in order: timers of one instant have none
                self._port.write(data)
            else:
                self._timers.add(loop.call_later(wait_s, self._port.write, data))


def feig_requests() -> Requests:
    """Requests to FEIG readers: address, control byte and data."""
    decoder = FrameDecoder(Role.READER, gap_s=READER_GAP_S)

    def read(data: bytes) -> Iterable[Hashable]:
        return [(frame.address, frame.control, frame.payload) for frame in decoder.feed(data, 0.0)]

    return read


def pn532_requests() -> Requests:
    """Requests to a PN532: command and parameters, and the host's wish to hear the last answer again. A wake-up is none."""
    decoder = pn532.FrameDecoder(pn532.Direction.TO_CHIP, gap_s=READER_GAP_S)

    def read(data: bytes) -> Iterable[Hashable]:
        return [
            (item.code, item.data) if isinstance(item, pn532.Frame) else item
            for item in decoder.feed(data, 0.0)
            if item is not pn532.Signal.ACK
        ]

    return read


def no_requests() -> Requests:
    """A device that speaks by itself, as a shoe: all it said is said when a host opens the port, whatever the host says."""
    return lambda _: ()


REQUESTS: Final[Mapping[str, Callable[[], Requests]]] = {
    "feig": feig_requests,
    "pn532": pn532_requests,
    "shoe": no_requests,
}
"""How each kind of device that a capture can hold is asked."""


def kind_of(capture: Capture) -> str:
    """The kind of device in ``capture``: what its header says, else what the host's bytes are requests to.

    ``CaptureError`` names a kind that no replay knows.
    """
    named = capture.about.get("device") or None
    if named is not None and named not in REQUESTS:
        raise CaptureError(f"the recorded device is a {named}: a replay knows {', '.join(REQUESTS)}")
    if named is not None:
        return str(named)
    said = [entry.data for entry in capture.entries if entry.way is Way.TX]
    for kind, requests in REQUESTS.items():
        read = requests()
        if any(tuple(read(data)) for data in said):
            return kind
    return "shoe"
