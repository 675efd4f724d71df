"""When a card's evidence was complete on the wire: seen from the devices' side, by the answers that readers sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

from drivers.feig.frames import Frame, FrameDecoder, Role
from drivers.feig.messages import Control, Inventory, MessageError, Tags, read_answer

KEPT: Final = 64
"""Cards at one place that wait for their message; a seat holds seven."""


class WireClock:
    """One line of readers. ``hits`` readings of a tag at one place make a card of it (the presence filter's ``appear_hits``).

    ``sent`` takes every piece with the time at which its last byte was on the wire; ``times`` has, for each place, the
    nanoseconds at which a card's last needed answer was complete, oldest first.
    """

    def __init__(self, places: Mapping[int, str], hits: int) -> None:
        self._places = places
        self._hits = hits
        self._decoder = FrameDecoder(Role.HOST)
        self._seen: dict[int, dict[str, int]] = {address: {} for address in places}
        self.times: dict[str, deque[int]] = {place: deque(maxlen=KEPT) for place in places.values()}
        self.answer_bytes = 0
        """Length of the last answer that completed a card."""

    def clear(self) -> None:
        """Forget the times of an earlier hand."""
        for times in self.times.values():
            times.clear()

    def sent(self, piece: bytes, at_ns: int) -> None:
        """A piece of the line's answers, complete at ``at_ns``."""
        for frame in self._decoder.feed(piece, at_ns / 1e9):
            if frame.control == Control.ISO_15693 and frame.address in self._places:
                self._answer(frame, at_ns, len(piece))

    def _answer(self, frame: Frame, at_ns: int, size: int) -> None:
        try:
            answer = read_answer(frame, Inventory())
        except MessageError:
            return
        if not isinstance(answer, Tags):
            return
        before = self._seen[frame.address]
        now = {uid: before.get(uid, 0) + 1 for uid in answer.uids}
        self._seen[frame.address] = now
        for count in now.values():
            if count == self._hits:
                self.times[self._places[frame.address]].append(at_ns)
                self.answer_bytes = size
