"""PN532 frames: golden bytes, any split, garbage, flipped bits, caps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.pn532.frames import (
    HOST_GAP_S,
    MAX_CONTENT_BYTES,
    MAX_NORMAL_BYTES,
    WAKE_UP,
    Direction,
    Frame,
    FrameDecoder,
    Item,
    Signal,
    encode,
)

CHIP, HOST = Direction.TO_CHIP, Direction.TO_HOST

# Every verified frame of PN532 §2.3, typed out: (who hears it, bytes, code, data).
GOLDEN = [
    (CHIP, "00 00 FF 02 FE D4 02 2A 00", 0x02, ""),
    (HOST, "00 00 FF 06 FA D5 03 32 01 06 07 E8 00", 0x03, "32 01 06 07"),
    (CHIP, "00 00 FF 05 FB D4 14 01 00 01 16 00", 0x14, "01 00 01"),
    (HOST, "00 00 FF 02 FE D5 15 16 00", 0x15, ""),
    (CHIP, "00 00 FF 06 FA D4 32 05 FF 01 01 F4 00", 0x32, "05 FF 01 01"),
    (HOST, "00 00 FF 02 FE D5 33 F8 00", 0x33, ""),
    (CHIP, "00 00 FF 04 FC D4 4A 02 00 E0 00", 0x4A, "02 00"),
    (HOST, "00 00 FF 03 FD D5 4B 00 E0 00", 0x4B, "00"),
    (
        HOST,
        "00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 D0 00",
        0x4B,
        "01 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0",
    ),
    (
        HOST,
        "00 00 FF 1B E5 D5 4B 02 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 02 00 44 00 07 04 11 22 33 44 55 66 19 00",
        0x4B,
        "02 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 02 00 44 00 07 04 11 22 33 44 55 66",
    ),
    (CHIP, "00 00 FF 03 FD D4 52 00 DA 00", 0x52, "00"),
    (HOST, "00 00 FF 03 FD D5 53 00 D8 00", 0x53, "00"),
    (CHIP, "00 00 FF 04 FC D4 32 01 00 F9 00", 0x32, "01 00"),
]
SIGNALS = [
    (Signal.ACK, "00 00 FF 00 FF 00"),
    (Signal.NACK, "00 00 FF FF 00 00"),
    (Signal.ERROR, "00 00 FF 01 FF 7F 81 00"),
]
EXTENDED = "00 00 FF FF FF 00 05 FB D5 41 00 AA BB 85 00"
"""An extended frame with a short content, worked out by hand: 00 + 05 + FB = 100, D5 + 41 + 00 + AA + BB + 85 = 300."""
DIRECTIONS = st.sampled_from(Direction)


@st.composite
def items(draw: st.DrawFn, hears: Direction) -> Item:
    """Frames of any length, and the signals that ``hears`` hears."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([Signal.ACK, Signal.NACK, *([Signal.ERROR] if hears is HOST else [])]))
    extended = draw(st.booleans())
    data = draw(st.binary(max_size=MAX_CONTENT_BYTES - 2 if extended else MAX_NORMAL_BYTES - 2))
    return Frame(hears, draw(st.integers(0, 255)), data, extended=extended)


@pytest.mark.parametrize(("hears", "raw", "code", "data"), GOLDEN, ids=[row[1][12:32] for row in GOLDEN])
def test_golden_frames(hears: Direction, raw: str, code: int, data: str) -> None:
    """Every verified frame is made byte for byte and read back by the side that it is meant for, and by no other."""
    frame = Frame(hears, code, bytes.fromhex(data))
    assert encode(frame) == bytes.fromhex(raw)
    assert FrameDecoder(hears).feed(bytes.fromhex(raw), 0.0) == (frame,)
    other = CHIP if hears is HOST else HOST
    assert FrameDecoder(other).feed(bytes.fromhex(raw), 0.0) == ()


@pytest.mark.parametrize(("signal", "raw"), SIGNALS)
def test_golden_signals(signal: Signal, raw: str) -> None:
    """ACK, NACK and error frame have their bytes; the chip says 'error' and is not told it."""
    assert encode(signal) == bytes.fromhex(raw)
    assert FrameDecoder(HOST).feed(bytes.fromhex(raw), 0.0) == (signal,)
    assert FrameDecoder(CHIP).feed(bytes.fromhex(raw), 0.0) == (() if signal is Signal.ERROR else (signal,))


def test_golden_extended_frame() -> None:
    """An extended frame is read whatever its length, and made where the content is too long for a normal one."""
    frame = Frame(HOST, 0x41, bytes.fromhex("00 AA BB"), extended=True)
    assert encode(frame) == bytes.fromhex(EXTENDED)
    assert FrameDecoder(HOST).feed(bytes.fromhex(EXTENDED), 0.0) == (frame,)
    longest = Frame(HOST, 0x41, bytes(MAX_NORMAL_BYTES - 1))
    assert encode(longest)[3:8] == bytes.fromhex("FF FF 01 00 FF")


def test_wake_up_goes_before_a_command() -> None:
    """The long preamble is no garbage, and the command behind it is heard; so is one behind the ten zeros of nfcpy."""
    command = bytes.fromhex("00 00 FF 05 FB D4 14 01 00 01 16 00")
    for preamble in (WAKE_UP, bytes(10), bytes.fromhex("55 55 00 00 00")):
        decoder = FrameDecoder(CHIP)
        assert decoder.feed(preamble + command, 0.0) == (Frame(CHIP, 0x14, b"\x01\x00\x01"),)
        assert decoder.skipped_bytes == 0


@settings(max_examples=60)
@given(st.data(), DIRECTIONS)
def test_any_split_gives_the_same_items(data: st.DataObject, hears: Direction) -> None:
    """However a valid stream is cut into pieces, the same items come out, and many in one chunk too."""
    sent = data.draw(st.lists(items(hears), min_size=1, max_size=5))
    stream = b"".join(map(encode, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    decoder = FrameDecoder(hears)
    got: list[Item] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[start:end], 1.0)
    assert got == sent
    assert decoder.skipped_bytes == 0
    assert FrameDecoder(hears).feed(stream, 0.0) == tuple(sent)


@settings(max_examples=60)
@given(st.data(), DIRECTIONS)
def test_one_byte_at_a_time(data: st.DataObject, hears: Direction) -> None:
    """Bytes that come one by one, each just within the gap, give the item once its last byte that counts is in."""
    item = data.draw(items(hears))
    decoder, raw, now = FrameDecoder(hears), encode(item), 0.0
    got: list[tuple[int, Item]] = []
    for number, byte in enumerate(raw, 1):
        got += [(number, found) for found in decoder.feed(bytes((byte,)), now)]
        now += decoder.gap_s * 0.99
    last = len(raw) if item in (Signal.ACK, Signal.NACK) else len(raw) - 1
    assert got == [(last, item)]


@settings(max_examples=150)
@given(st.data(), DIRECTIONS, st.binary(max_size=40), st.binary(max_size=40), st.booleans())
def test_garbage_never_loses_the_next_frame(
    data: st.DataObject, hears: Direction, before: bytes, after: bytes, gap_before: bool
) -> None:
    """Garbage before and after a frame never loses it, once the line has been quiet for the gap."""
    item = data.draw(items(hears))
    decoder = FrameDecoder(hears)
    got = list(decoder.feed(before, 0.0))
    start = decoder.gap_s if gap_before else 0.0
    got += decoder.feed(encode(item) + after, start)
    got += decoder.idle(start + decoder.gap_s)
    assert item in got
    assert decoder.idle_at is None


def test_frame_after_garbage_that_announces_a_long_frame() -> None:
    """A frame right behind a head that announces 128 bytes comes out when the line goes quiet, not later."""
    decoder = FrameDecoder(HOST)
    head, answer = bytes.fromhex("00 00 FF 80 80"), bytes.fromhex("00 00 FF 02 FE D5 15 16 00")
    assert decoder.feed(head + answer, 10.0) == ()
    assert decoder.idle_at == pytest.approx(10.0 + HOST_GAP_S)
    assert decoder.idle(10.0 + HOST_GAP_S / 2) == ()
    assert decoder.idle(10.0 + HOST_GAP_S) == (Frame(HOST, 0x15),)
    assert decoder.skipped_bytes == 3


def test_frame_behind_what_an_ack_left() -> None:
    """An ACK whose first bytes were lost does not take the answer behind it along."""
    answer = bytes.fromhex("00 00 FF 02 FE D5 15 16 00")
    for lost in range(1, 6):
        assert FrameDecoder(HOST).feed(encode(Signal.ACK)[lost:] + answer, 0.0)[-1] == Frame(HOST, 0x15)
    nack = FrameDecoder(HOST).feed(bytes.fromhex("00 FF FF") + answer, 0.0)
    assert nack == (Signal.NACK, Frame(HOST, 0x15))
    for kept in range(6):
        decoder = FrameDecoder(HOST)
        assert Frame(HOST, 0x15) in decoder.feed(encode(Signal.ACK)[:kept] + answer, 0.0) + decoder.idle(1.0)


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=300), max_size=6), DIRECTIONS)
def test_random_bytes_never_raise(chunks: list[bytes], hears: Direction) -> None:
    """Noise of any kind never raises and never fills the buffer beyond one frame."""
    decoder, now = FrameDecoder(hears), 0.0
    for chunk in chunks:
        decoder.feed(chunk, now)
        assert len(decoder._buffer) <= MAX_CONTENT_BYTES + 8
        now += 0.02
    decoder.idle(now + 1)
    assert decoder.idle_at is None
    assert decoder._buffer in (b"", b"\x00")


@pytest.mark.parametrize("hears", Direction)
def test_a_million_random_bytes(hears: Direction) -> None:
    """A million bytes of noise, half of them out of the frames' own bytes, never raise; a frame behind them is found."""
    rng = random.Random(532)
    decoder = FrameDecoder(hears)
    alphabet = bytes.fromhex("00 00 00 FF FF 01 02 FE D4 D5 7F 81 55")
    for step in range(1000):
        noise = rng.randbytes(500) + bytes(rng.choices(alphabet, k=500))
        decoder.feed(noise, step * 0.01)
        assert len(decoder._buffer) <= MAX_CONTENT_BYTES + 8
    frame = Frame(hears, 0x4B, bytes(20))
    assert decoder.idle(1000.0) is not None
    assert decoder.feed(encode(frame), 1001.0) == (frame,)


@pytest.mark.parametrize(
    ("hears", "raw"),
    [*[(row[0], row[1]) for row in GOLDEN], *[(HOST, raw) for _, raw in SIGNALS], (HOST, EXTENDED)],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_every_single_flipped_bit(hears: Direction, raw: str) -> None:
    """A frame with one flipped bit is the same frame (the bit was in the preamble or the end) or none; and a second frame behind
    it is never lost."""
    good = bytes.fromhex(raw)
    (item,) = FrameDecoder(hears).feed(good, 0.0)
    for bit in range(len(good) * 8):
        spoilt = (int.from_bytes(good, "big") ^ 1 << bit).to_bytes(len(good), "big")
        decoder = FrameDecoder(hears)
        got = decoder.feed(spoilt, 0.0) + decoder.idle(1.0)
        assert got in ((), (item,)), f"bit {bit}"
        decoder = FrameDecoder(hears)
        both = decoder.feed(spoilt + good, 0.0) + decoder.idle(1.0)
        assert both in ((item,), (item, item)), f"bit {bit}"


def test_longest_frames_and_one_past() -> None:
    """A content of 265 bytes makes a frame; one of 266 is refused by the maker, and as a length it is noise."""
    longest = Frame(HOST, 0x41, bytes(MAX_CONTENT_BYTES - 2), extended=True)
    assert FrameDecoder(HOST).feed(encode(longest), 0.0) == (longest,)
    with pytest.raises(ValueError, match="266 bytes is too long: an extended frame holds at most 265"):
        encode(Frame(HOST, 0x41, bytes(MAX_CONTENT_BYTES - 1)))
    head = bytes.fromhex("00 00 FF FF FF 01 0A F5")
    answer = bytes.fromhex("00 00 FF 02 FE D5 15 16 00")
    assert FrameDecoder(HOST).feed(head + answer, 0.0) == (Frame(HOST, 0x15),)


def test_a_content_without_a_code_is_no_frame() -> None:
    """TFI alone says nothing: the frame behind it is heard."""
    empty, answer = bytes.fromhex("00 00 FF 01 FF D5 2B 00"), bytes.fromhex("00 00 FF 02 FE D5 15 16 00")
    assert FrameDecoder(HOST).feed(empty + answer, 0.0) == (Frame(HOST, 0x15),)


def test_repr_tells_no_tag() -> None:
    """A frame in a log line shows direction and code alone."""
    frame = Frame(HOST, 0x4B, bytes.fromhex("04A1B2C3D4E5F0"))
    assert repr(frame) == "Frame(direction=<Direction.TO_HOST: 213>, code=75, extended=False)"
