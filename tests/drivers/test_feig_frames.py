"""FEIG frames: golden bytes, any split, garbage, caps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.feig.frames import (
    HOST_GAP_S,
    MAX_ADVANCED_BYTES,
    MAX_STANDARD_BYTES,
    READER_GAP_S,
    Frame,
    FrameDecoder,
    Role,
    crc16,
    encode,
)

# Every verified frame of FEIG §2.2, typed out: (who reads it, bytes, address, command, payload, advanced).
GOLDEN = [
    (Role.READER, "05 FF 65 E5 CB", 0xFF, 0x65, "", False),
    (Role.READER, "02 00 07 FF 65 6E 61", 0xFF, 0x65, "", True),
    (Role.HOST, "0D 00 65 00 03 03 00 44 53 0D 30 33 09", 0x00, 0x65, "00 03 03 00 44 53 0D 30", False),
    (Role.HOST, "02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69", 0x00, 0x65, "00 03 03 00 44 53 0D 30", True),
    (Role.READER, "06 12 80 07 E5 80", 0x12, 0x80, "07", False),
    (Role.READER, "02 00 08 12 80 07 A0 2D", 0x12, 0x80, "07", True),
    (Role.READER, "02 00 09 FF B0 01 00 18 43", 0xFF, 0xB0, "01 00", True),
    (Role.READER, "06 01 52 00 20 F2", 0x01, 0x52, "00", False),
    (Role.HOST, "06 01 52 00 20 F2", 0x01, 0x52, "00", False),
    (Role.READER, "05 01 63 CB 48", 0x01, 0x63, "", False),
    (Role.HOST, "06 01 63 00 5A 5D", 0x01, 0x63, "00", False),
    (Role.READER, "05 01 69 91 E7", 0x01, 0x69, "", False),
    (Role.HOST, "06 01 69 00 2A A0", 0x01, 0x69, "00", False),
    (Role.READER, "06 01 6A 01 CB 9B", 0x01, 0x6A, "01", False),
    (Role.READER, "06 01 6A 00 42 8A", 0x01, 0x6A, "00", False),
    (Role.READER, "07 01 B0 01 00 75 8F", 0x01, 0xB0, "01 00", False),
    (Role.READER, "07 01 B0 01 80 7D 0B", 0x01, 0xB0, "01 80", False),
    (Role.READER, "07 FF B0 01 00 1C 56", 0xFF, 0xB0, "01 00", False),
    (Role.HOST, "06 01 B0 01 80 39", 0x01, 0xB0, "01", False),
    (Role.HOST, "11 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 44 D8", 0x01, 0xB0, "00 01 03 00 E0 04 01 00 9A 3B 7C 21", False),
    (
        Role.HOST,
        "25 01 B0 00 03 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 03 00 E0 04 01 00 A1 B2 C3 D4 85 AA",
        0x01,
        0xB0,
        "00 03 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 03 00 E0 04 01 00 A1 B2 C3 D4",
        False,
    ),
    (
        Role.HOST,
        "1B 01 B0 94 02 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 FF 9C",
        0x01,
        0xB0,
        "94 02 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55",
        False,
    ),
    (Role.HOST, "11 01 B0 83 01 03 00 E0 04 01 00 9A 3B 7C 21 6A F1", 0x01, 0xB0, "83 01 03 00 E0 04 01 00 9A 3B 7C 21", False),
    (
        Role.HOST,
        "02 00 13 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 9F 9C",
        0x01,
        0xB0,
        "00 01 03 00 E0 04 01 00 9A 3B 7C 21",
        True,
    ),
]
IDS = [f"{role.value} {raw[:26]}" for role, raw, *_ in GOLDEN]
ROLES = st.sampled_from(Role)


@st.composite
def frames(draw: st.DrawFn, role: Role) -> Frame:
    advanced = draw(st.booleans())
    least = 1 if role is Role.HOST else 0
    payload = draw(st.binary(min_size=least, max_size=300 if advanced else 250))
    return Frame(draw(st.integers(0, 255)), draw(st.integers(0, 255)), payload, advanced=advanced)


def test_crc_check_value() -> None:
    """The check of the nine digits is 6F91, as every description of this CRC states."""
    assert crc16(b"123456789") == 0x6F91


@pytest.mark.parametrize(("role", "raw", "address", "control", "payload", "advanced"), GOLDEN, ids=IDS)
def test_golden_frames(role: Role, raw: str, address: int, control: int, payload: str, advanced: bool) -> None:
    """Every verified frame is made byte for byte and read back."""
    frame = Frame(address, control, bytes.fromhex(payload), advanced=advanced)
    assert encode(frame) == bytes.fromhex(raw)
    assert FrameDecoder(role).feed(bytes.fromhex(raw), 0.0) == (frame,)


@settings(max_examples=60)
@given(st.data(), ROLES)
def test_any_split_gives_the_same_frames(data: st.DataObject, role: Role) -> None:
    """However a valid stream is cut into pieces, the same frames come out."""
    sent = data.draw(st.lists(frames(role), min_size=1, max_size=4))
    stream = b"".join(map(encode, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    decoder = FrameDecoder(role)
    got: list[Frame] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[start:end], 1.0)
    assert got == sent
    assert decoder.skipped_bytes == 0


@settings(max_examples=60)
@given(st.data(), ROLES)
def test_one_byte_at_a_time(data: st.DataObject, role: Role) -> None:
    """Bytes that come one by one, each just within the gap, give the frame with the last byte and not before."""
    frame = data.draw(frames(role))
    decoder, raw, now = FrameDecoder(role), encode(frame), 0.0
    for byte in raw[:-1]:
        assert decoder.feed(bytes((byte,)), now) == ()
        now += decoder.gap_s * 0.99
    assert decoder.feed(raw[-1:], now) == (frame,)


@settings(max_examples=100)
@given(st.data(), ROLES, st.binary(max_size=40), st.binary(max_size=40), st.booleans())
def test_garbage_never_loses_the_next_frame(
    data: st.DataObject, role: Role, before: bytes, after: bytes, gap_before: bool
) -> None:
    """Garbage before and after a frame never loses it, once the line has been quiet for the gap."""
    frame = data.draw(frames(role))
    decoder = FrameDecoder(role)
    got = list(decoder.feed(before, 0.0))
    start = decoder.gap_s if gap_before else 0.0
    got += decoder.feed(encode(frame) + after, start)
    got += decoder.idle(start + decoder.gap_s)
    assert frame in got
    assert decoder.idle_at is None


def test_frame_after_garbage_that_announces_a_long_frame() -> None:
    """A frame right behind a byte that announces 255 bytes comes out when the line goes quiet, not later."""
    decoder = FrameDecoder(Role.HOST)
    ping = bytes.fromhex("06 01 52 00 20 F2")
    assert decoder.feed(b"\xff" + ping, 10.0) == ()
    assert decoder.idle_at == pytest.approx(10.0 + HOST_GAP_S)
    assert decoder.idle(10.0 + HOST_GAP_S / 2) == ()
    assert decoder.idle(10.0 + HOST_GAP_S) == (Frame(1, 0x52, b"\x00"),)
    assert decoder.skipped_bytes == 1


def test_gap_splits_a_request() -> None:
    """A reader drops a request that paused for longer than 12 ms, and hears the next one."""
    decoder = FrameDecoder(Role.READER)
    ping = bytes.fromhex("06 01 52 00 20 F2")
    assert decoder.feed(ping[:4], 0.0) == ()
    assert decoder.feed(ping[4:], READER_GAP_S) == ()
    assert decoder.feed(ping, 3 * READER_GAP_S) == (Frame(1, 0x52, b"\x00"),)


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=200), max_size=6), ROLES)
def test_random_bytes_never_raise(chunks: list[bytes], role: Role) -> None:
    """Noise of any kind never raises and never fills the buffer beyond one frame."""
    decoder, now = FrameDecoder(role), 0.0
    for chunk in chunks:
        decoder.feed(chunk, now)
        assert len(decoder._buffer) < MAX_ADVANCED_BYTES
        now += 0.02
    decoder.idle(now + 1)
    assert not decoder._buffer


def test_every_one_and_two_bit_flip_is_noticed() -> None:
    """No frame with one or two flipped bits passes for a frame of the same address and command."""
    raw = bytes.fromhex("11 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 44 D8")
    bits = len(raw) * 8
    for first in range(bits):
        for second in range(first, bits):
            spoilt = int.from_bytes(raw, "big") ^ (1 << first) ^ (0 if second == first else 1 << second)
            decoder = FrameDecoder(Role.HOST)
            got = decoder.feed(spoilt.to_bytes(len(raw), "big"), 0.0) + decoder.idle(1.0)
            assert got == ()


def test_longest_frames_and_one_past() -> None:
    """A standard frame holds 255 bytes and an advanced one 1024; one byte more is refused by the maker."""
    longest = Frame(1, 0xB0, bytes(MAX_STANDARD_BYTES - 5))
    assert FrameDecoder(Role.HOST).feed(encode(longest), 0.0) == (longest,)
    with pytest.raises(ValueError, match="256 bytes is too long: a standard frame holds at most 255"):
        encode(Frame(1, 0xB0, bytes(MAX_STANDARD_BYTES - 4)))
    longest = Frame(1, 0xB0, bytes(MAX_ADVANCED_BYTES - 7), advanced=True)
    assert FrameDecoder(Role.HOST).feed(encode(longest), 0.0) == (longest,)
    with pytest.raises(ValueError, match="1025 bytes is too long: an advanced frame holds at most 1024"):
        encode(Frame(1, 0xB0, bytes(MAX_ADVANCED_BYTES - 6), advanced=True))


def test_a_longer_length_field_is_noise() -> None:
    """A length one past the cap starts no frame: the ping behind it is heard at once."""
    decoder = FrameDecoder(Role.HOST)
    head = bytes((0x02, (MAX_ADVANCED_BYTES + 1) >> 8, (MAX_ADVANCED_BYTES + 1) & 0xFF))
    assert decoder.feed(head + bytes.fromhex("06 01 52 00 20 F2"), 0.0) == (Frame(1, 0x52, b"\x00"),)


def test_least_length_depends_on_the_role() -> None:
    """Five bytes are a request, never an answer: an answer has a status."""
    raw = bytes.fromhex("05 01 63 CB 48")
    assert FrameDecoder(Role.READER).feed(raw, 0.0) == (Frame(1, 0x63, b""),)
    assert FrameDecoder(Role.HOST).feed(raw, 0.0) == ()


def test_a_long_stream_of_noise_is_read_in_time() -> None:
    """64 KiB of noise with a frame at its end: the frame is found."""
    noise = random.Random(7).randbytes(65536)
    frame = Frame(3, 0xB0, b"\x01")
    decoder = FrameDecoder(Role.HOST)
    assert frame in decoder.feed(noise + encode(frame), 0.0) + decoder.idle(1.0)


def test_repr_tells_no_tag() -> None:
    """A frame in a log line shows address and command alone."""
    assert repr(Frame(1, 0xB0, bytes.fromhex("E0040100"))) == "Frame(address=1, control=176, advanced=False)"


def test_every_flipped_bit_costs_its_frame_alone() -> None:
    """Each bit of an answer flipped alone, standard and advanced: the frame behind it comes out once the line is quiet."""
    follows = Frame(2, 0xB0, b"\x01")
    for raw in (
        bytes.fromhex("11 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 44 D8"),
        bytes.fromhex("02 00 13 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 9F 9C"),
    ):
        for bit in range(len(raw) * 8):
            damaged = bytearray(raw)
            damaged[bit // 8] ^= 1 << bit % 8
            decoder = FrameDecoder(Role.HOST)
            got = decoder.feed(bytes(damaged) + encode(follows), 0.0) + decoder.idle(decoder.gap_s)
            assert got == (follows,), bit


@pytest.mark.long
def test_a_million_random_bytes_lose_no_frame_after_a_quiet_moment() -> None:
    """Noise, a pause, a frame: each frame comes out. What else passes is as rare as a CRC of 16 bits lets it be."""
    rng = random.Random(1)
    decoder, now, left, sent, got, others = FrameDecoder(Role.HOST), 0.0, 1_000_000, 0, 0, 0
    frame = Frame(3, 0xB0, b"\x01")
    while left > 0:
        noise = rng.randbytes(rng.randrange(2000))
        left -= len(noise)
        found = [*decoder.feed(noise, now), *decoder.feed(encode(frame), now + decoder.gap_s)]
        now += 1.0
        found += decoder.idle(now)
        got += frame in found
        others += len([other for other in found if other != frame])
        sent += 1
    assert got == sent
    assert others <= 4 * 1_000_000 / 0x10000
