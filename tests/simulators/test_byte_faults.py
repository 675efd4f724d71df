"""Faults of single bytes and whole frames: each does what its name says, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from simulators.byte_faults import NOISE_BYTES, ByteFaults, Mangler, chunks, lines, other_baud

FRAMES = [bytes([number]) * 3 + b"abcdefgh" for number in range(40)]


def through(faults: ByteFaults, frames: list[bytes] = FRAMES) -> tuple[list[list[tuple[float, bytes]]], Mangler]:
    """The pieces of each frame."""
    mangler = Mangler(faults, random.Random(5))
    return [mangler.pieces(frame) for frame in frames], mangler


def stream(pieces: list[list[tuple[float, bytes]]]) -> bytes:
    """All bytes in order."""
    return b"".join(data for some in pieces for _, data in some)


def test_a_quiet_line_changes_nothing_and_draws_nothing() -> None:
    """Each frame is one piece at once."""
    pieces, mangler = through(ByteFaults())
    assert pieces == [[(0.0, frame)] for frame in FRAMES]
    assert ByteFaults().quiet
    assert not mangler.done.total()


ALL = b"".join(FRAMES)


@pytest.mark.parametrize(
    ("faults", "holds"),
    [
        (ByteFaults(drop=0.1), lambda out: 0.8 < len(out) / len(ALL) < 1),
        (ByteFaults(drop=1.0), lambda out: out == b""),
        (ByteFaults(flip=0.1), lambda out: len(out) == len(ALL) and 0 < bits(out, ALL) < len(ALL) // 5),
        (ByteFaults(noise=1.0), lambda out: len(ALL) + 40 <= len(out) <= len(ALL) + 40 * NOISE_BYTES),
        (ByteFaults(lose=0.5), lambda out: len(out) % 11 == 0 and 0 < len(out) < len(ALL)),
        (ByteFaults(truncate=1.0), lambda out: len(out) < len(ALL)),
        (ByteFaults(duplicate=1.0), lambda out: out == b"".join(frame * 2 for frame in FRAMES)),
        (ByteFaults(glue=1.0), lambda out: out == ALL),
        (ByteFaults(split=1.0), lambda out: out == ALL),
        (ByteFaults(late=1.0), lambda out: out == ALL),
    ],
)
def test_each_fault_of_a_frame_by_its_bytes(faults: ByteFaults, holds: Callable[[bytes], bool]) -> None:
    """What comes out, and that the fault was counted under its name."""
    assert not faults.quiet
    pieces, mangler = through(faults)
    assert holds(stream(pieces))
    assert set(+mangler.done) == {name for name in ByteFaults.__slots__ if getattr(faults, name) and name[-2:] != "_s"}
    faults.clear()
    assert faults.quiet


def bits(one: bytes, other: bytes) -> int:
    """How many bits differ; each changed byte differs in one."""
    return sum((left ^ right).bit_count() for left, right in zip(one, other, strict=True))


def test_a_swap_holds_a_frame_until_the_next_has_passed() -> None:
    """Pairs change places, no byte is lost; what is held when the cable is pulled is gone."""
    pieces, mangler = through(ByteFaults(swap=1.0), FRAMES[:4])
    assert stream(pieces) == FRAMES[1] + FRAMES[0] + FRAMES[3] + FRAMES[2]
    mangler.pieces(FRAMES[4])
    mangler.forget()
    mangler.faults.clear()
    assert mangler.pieces(FRAMES[5]) == [(0.0, FRAMES[5])]


def test_a_frame_that_is_held_comes_after_the_line_has_healed() -> None:
    """A held frame is late, not lost."""
    mangler = Mangler(ByteFaults(swap=1.0), random.Random(1))
    assert mangler.pieces(b"one") == []
    mangler.faults.clear()
    assert mangler.pieces(b"two") == [(0.0, b"two"), (0.0, b"one")]


def test_glued_frames_are_one_chunk_and_split_ones_have_a_pause_inside() -> None:
    """The edges of reads are not the edges of frames."""
    pieces, _ = through(ByteFaults(glue=1.0), FRAMES[:2])
    assert pieces == [[], [(0.0, FRAMES[0] + FRAMES[1])]]
    pieces, _ = through(ByteFaults(split=1.0, gap_s=0.02), FRAMES[:1])
    assert len(pieces[0]) > 1
    assert [wait_s for wait_s, _ in pieces[0]] == [0.0] + [0.02] * (len(pieces[0]) - 1)


def test_late_frames_wait_at_most_as_long_as_is_said() -> None:
    """The delay is drawn anew for each."""
    pieces, _ = through(ByteFaults(late=1.0, late_s=0.3))
    waits = [some[0][0] for some in pieces]
    assert max(waits) <= 0.3
    assert len(set(waits)) > 30


def test_another_baud_rate_leaves_no_byte_as_it_was() -> None:
    """As many bytes, all wrong, and the same ones for the same line."""
    every = bytes(range(256))
    garbage = other_baud(every)
    assert len(set(garbage)) == 256
    assert all(one != other for one, other in zip(every, garbage, strict=True))


def test_frames_are_cut_from_chunks() -> None:
    """The shoe's by their line ends, the readers' by what comes in one piece."""
    assert list(lines(b"$a\r\n$b\r\n$c")) == [b"$a\r\n", b"$b\r\n", b"$c"]
    assert list(chunks(b"$a\r\n$b")) == [b"$a\r\n$b"]
    assert list(chunks(b"")) == []
