"""What cables do to bytes: a stream of frames in, pieces with delays out. Pure but for the generator that is passed in.

All chances are 0 to 1. Those of a byte are drawn for each byte, the others for each frame. Nothing here knows a protocol.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Final, TypeAlias

NOISE_BYTES: Final = 8
"""Longest burst of noise before a frame."""
SPLIT_PIECES: Final = 4
"""Most pieces of a frame that is split."""

Piece: TypeAlias = tuple[float, bytes]
"""Seconds to wait before it, and bytes."""
Cut: TypeAlias = Callable[[bytes], Iterator[bytes]]
"""Cuts a chunk of the line into frames."""


@dataclass(slots=True)
class ByteFaults:
    """Faults of one direction of a line; may be changed at any time."""

    drop: float = 0.0
    """A byte is lost."""
    flip: float = 0.0
    """A bit of a byte is turned."""
    noise: float = 0.0
    """1 to ``NOISE_BYTES`` random bytes come before the frame."""
    lose: float = 0.0
    """The frame is lost."""
    truncate: float = 0.0
    """The frame ends early."""
    duplicate: float = 0.0
    """The frame comes twice."""
    swap: float = 0.0
    """The frame is held until the next one has passed."""
    glue: float = 0.0
    """The frame is held and comes in one chunk with the next."""
    split: float = 0.0
    """The frame comes in pieces, ``gap_s`` apart."""
    gap_s: float = 0.015
    """Pause inside a split frame; FEIG readers give up after 12 ms (FEIG §2.2)."""
    late: float = 0.0
    """The frame, and all behind it, comes up to ``late_s`` later."""
    late_s: float = 0.1

    @property
    def quiet(self) -> bool:
        """Nothing is changed."""
        if self.drop or self.flip or self.noise or self.lose or self.truncate:
            return False
        return not (self.duplicate or self.swap or self.glue or self.split or self.late)

    def clear(self) -> None:
        """Back to a good line."""
        for chance in fields(self):
            setattr(self, chance.name, chance.default)


class Mangler:
    """Applies ``faults`` to the frames of one direction. ``done`` counts what was done, by the names of the faults."""

    def __init__(self, faults: ByteFaults, rng: random.Random) -> None:
        self.faults = faults
        self.done: Counter[str] = Counter()
        self._rng = rng
        self._held = b""
        self._held_glued = False

    @property
    def quiet(self) -> bool:
        """The next frame passes as it is."""
        return not self._held and self.faults.quiet

    def pieces(self, frame: bytes) -> list[Piece]:
        """What comes out for one frame, in order."""
        held, glued, self._held = self._held, self._held_glued, b""
        if self.faults.quiet and not held:
            return [(0.0, frame)]
        if not held and (self._happens("swap") or self._happens("glue")):
            self._held, self._held_glued = frame, self.faults.swap == 0.0
            return []
        pieces = self._one(frame)
        if not held:
            return pieces
        if glued and pieces:
            return [(pieces[0][0], held + pieces[0][1]), *pieces[1:]]
        return [(0.0, held)] if glued else [*pieces, (0.0, held)]

    def forget(self) -> None:
        """The line was cut: what was held is gone."""
        self._held = b""

    def _one(self, frame: bytes) -> list[Piece]:
        if self._happens("lose"):
            return []
        if self._happens("truncate"):
            frame = frame[: self._rng.randrange(len(frame))]
        copies = 2 if self._happens("duplicate") else 1
        wait_s = self._rng.uniform(0.0, self.faults.late_s) if self._happens("late") else 0.0
        pieces: list[Piece] = []
        for _ in range(copies):
            for number, part in enumerate(self._parts(self._bytes(frame))):
                pieces.append((self.faults.gap_s if number else wait_s, part))
            wait_s = 0.0
        return pieces

    def _bytes(self, frame: bytes) -> bytes:
        before = self._rng.randbytes(self._rng.randint(1, NOISE_BYTES)) if self._happens("noise") else b""
        if not (self.faults.drop or self.faults.flip):
            return before + frame
        kept = bytearray(before)
        for byte in frame:
            if self._happens("drop"):
                continue
            kept.append(byte ^ (1 << self._rng.randrange(8)) if self._happens("flip") else byte)
        return bytes(kept)

    def _parts(self, frame: bytes) -> list[bytes]:
        if len(frame) < 2 or not self._happens("split"):
            return [frame] if frame else []
        cuts = sorted(self._rng.sample(range(1, len(frame)), min(self._rng.randint(1, SPLIT_PIECES - 1), len(frame) - 1)))
        return [frame[start:end] for start, end in zip([0, *cuts], [*cuts, len(frame)], strict=True)]

    def _happens(self, name: str) -> bool:
        chance: float = getattr(self.faults, name)
        happens = chance > 0.0 and self._rng.random() < chance
        self.done[name] += happens
        return happens


def chunks(data: bytes) -> Iterator[bytes]:
    """Each chunk is a frame: request and answer, as the readers' protocols have it."""
    if data:
        yield data


def lines(data: bytes) -> Iterator[bytes]:
    """Frames end with LF: TSP/1. A line that comes in two chunks counts as two frames."""
    yield from data.splitlines(keepends=True)


_SCRAMBLED: Final = bytes((5 * byte + 0x5B) % 256 for byte in range(256))


def other_baud(data: bytes) -> bytes:
    """What a receiver at another baud rate makes of ``data``: as many bytes, none of them right in its place."""
    return data.translate(_SCRAMBLED)
