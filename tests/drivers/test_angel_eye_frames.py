"""Frames of an Angel Eye shoe: golden bytes, any split, garbage, flipped bits, and the known weakness of the check."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.angel_eye.frames import MAX_BODY_BYTES, Frame, FrameDecoder, Order, encode, encode_order, read_order

# Every verified frame of devices §1.2, typed out: (bytes, sequence byte, data).
GOLDEN = [
    ("05 31 53 03 36 31", "1", "53"),
    ("05 32 50 03 36 31", "2", "50"),
    ("05 33 44 81 B8 03 34 44", "3", "44 81 B8"),
    ("05 34 44 92 CD 03 32 43", "4", "44 92 CD"),
    ("05 35 52 81 B8 03 35 44", "5", "52 81 B8"),
    ("05 36 64 80 B8 03 36 39", "6", "64 80 B8"),
    ("05 37 43 03 37 37", "7", "43"),
    ("05 38 45 C1 03 42 46", "8", "45 C1"),
    ("05 39 65 81 03 44 45", "9", "65 81"),
    ("05 31 4C 81 03 46 46", "1", "4C 81"),
    ("05 32 47 91 03 45 37", "2", "47 91"),
]
FRAMES = st.builds(Frame, st.integers(0x31, 0x39), st.lists(st.integers(0x06, 0xFF), min_size=1, max_size=8).map(bytes))


@pytest.mark.parametrize(("raw", "seq", "data"), GOLDEN)
def test_golden_reports(raw: str, seq: str, data: str) -> None:
    """Every verified report is made byte for byte and read back."""
    frame = Frame(ord(seq), bytes.fromhex(data))
    assert encode(frame) == bytes.fromhex(raw)
    assert FrameDecoder().feed(bytes.fromhex(raw)) == (frame,)


def test_golden_order() -> None:
    """The order to lock: its check with the first byte is the sources' example, without it their text."""
    order = Order("LK", "02")
    assert encode_order(order) == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
    assert encode_order(order, has_stx_in_check=False) == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")
    assert read_order(encode_order(order)) == order
    assert read_order(encode_order(order), has_stx_in_check=False) is None
    assert read_order(b"\x02OPLK") is None


@settings(max_examples=60)
@given(st.data())
def test_any_split_gives_the_same_reports(data: st.DataObject) -> None:
    """However a valid stream is cut, the same reports come out, byte by byte and in one chunk too."""
    sent = data.draw(st.lists(FRAMES, min_size=1, max_size=5))
    stream = b"".join(map(encode, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    for ends in ([*cuts, len(stream)], [len(stream)], range(1, len(stream) + 1)):
        decoder, got, start = FrameDecoder(), [], 0
        for end in ends:
            got += decoder.feed(stream[start:end])
            start = end
        assert got == sent
        assert decoder.skipped_bytes == 0


@settings(max_examples=150)
@given(FRAMES, st.binary(max_size=40), st.binary(max_size=40))
def test_garbage_never_loses_the_next_report(frame: Frame, before: bytes, after: bytes) -> None:
    """Garbage before and after a report never loses it: at each 05 a new one begins."""
    assert frame in FrameDecoder().feed(before + encode(frame) + after)


@pytest.mark.parametrize("raw", [row[0] for row in GOLDEN])
def test_every_single_flipped_bit(raw: str) -> None:
    """No report with one flipped bit passes for a report, and the one behind it is never lost."""
    good = bytes.fromhex(raw)
    (frame,) = FrameDecoder().feed(good)
    for bit in range(len(good) * 8):
        spoilt = (int.from_bytes(good, "big") ^ 1 << bit).to_bytes(len(good), "big")
        assert FrameDecoder().feed(spoilt) == (), f"bit {bit}"
        assert FrameDecoder().feed(spoilt + good) == (frame,), f"bit {bit}"


def test_the_check_does_not_see_two_flips_in_a_column() -> None:
    """The blind spot of the document: player's eight of spades becomes banker's eight of clubs. Nothing here can tell."""
    assert FrameDecoder().feed(bytes.fromhex("05 33 44 91 A8 03 34 44")) == (Frame(ord("3"), bytes.fromhex("44 91 A8")),)


def test_a_million_random_bytes() -> None:
    """A million bytes of noise never raise nor fill the buffer; a report behind them is found."""
    rng = random.Random(11)
    decoder = FrameDecoder()
    alphabet = bytes.fromhex("05 05 03 31 44 81 B8 34 44 02 06 15")
    for _ in range(500):
        decoder.feed(rng.randbytes(1000) + bytes(rng.choices(alphabet, k=1000)))
        assert len(decoder._buffer) <= MAX_BODY_BYTES + 4
    assert decoder.feed(bytes.fromhex(GOLDEN[2][0]))[-1] == Frame(ord("3"), bytes.fromhex("44 81 B8"))


def test_too_long() -> None:
    """The longest report, and one byte more: refused by the maker, noise to the reader, and the next one is heard."""
    longest = Frame(ord("1"), b"\x90" * (MAX_BODY_BYTES - 1))
    assert FrameDecoder().feed(encode(longest)) == (longest,)
    with pytest.raises(ValueError, match="17 bytes is too long: at most 16"):
        encode(Frame(ord("1"), b"\x90" * MAX_BODY_BYTES))
    decoder = FrameDecoder()
    assert decoder.feed(b"\x05" + b"\x90" * 40 + bytes.fromhex(GOLDEN[0][0])) == (Frame(ord("1"), b"S"),)


def test_repr_tells_no_card() -> None:
    """A frame in a log line shows its number alone."""
    assert repr(Frame(0x33, bytes.fromhex("44 81 B8"))) == "Frame(seq=51)"
