"""Framing of TSP/1: no bad line passes, no good line after one is lost, and chunks do not matter."""

from __future__ import annotations

import binascii
import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.shoe.lines import (
    MAX_LINE_BYTES,
    MAX_SIGNED_BYTES,
    LineError,
    LineFramer,
    UnknownVersion,
    build_line,
    escape,
    framed,
    parse_decimal,
    parse_hex,
    parse_line,
    unescape,
)

AS_LINE = bytes.fromhex(
    "24 31 2C 53 48 30 31 2C 43 41 52 44 2C 30 30 30 32 2C 37 46 33 41 2C"
    "41 53 2C 43 2C 30 30 30 31 2C 35 31 2C 34 31 32 2A 43 44 41 31 0D 0A"
)
AS_BODY = b"1,SH01,CARD,0002,7F3A,AS,C,0001,51,412"
NEXT_LINE = b"$1,SH01,CARD,0003,7F3A,??,N,0002,50,380*ADB2\r\n"
NEXT_BODY = NEXT_LINE[1:-7]


def test_the_golden_line_frames_and_builds() -> None:
    """The AS line's bytes frame to its body, and its fields build the same bytes."""
    assert LineFramer().feed(AS_LINE) == [AS_BODY]
    assert build_line("SH01", "CARD", 2, 0x7F3A, "AS", "C", "0001", "51", "412") == AS_LINE


def test_every_flipped_bit_is_refused_and_the_next_line_is_kept() -> None:
    """Each of the AS line's bits flipped alone: no line or the next one, never a wrong one, never the next one lost."""
    for bit in range(len(AS_LINE) * 8):
        damaged = bytearray(AS_LINE)
        damaged[bit // 8] ^= 1 << bit % 8
        framer = LineFramer()
        assert framer.feed(bytes(damaged) + NEXT_LINE) == [NEXT_BODY], bit
        assert framer.bad_lines >= 1


def test_every_byte_dropped_doubled_or_cut_off_is_refused_and_the_next_line_is_kept() -> None:
    """A byte too few or too many, or a line cut short anywhere, costs that line alone; a doubled LF or a lost CR is no damage."""
    for at in range(len(AS_LINE)):
        dropped = AS_LINE[:at] + AS_LINE[at + 1 :]
        doubled = AS_LINE[:at] + AS_LINE[at : at + 1] + AS_LINE[at:]
        for damaged in (dropped, doubled, AS_LINE[:at]):
            bodies = LineFramer().feed(damaged + NEXT_LINE)
            assert bodies[-1] == NEXT_BODY
            assert bodies[:-1] in ([], [AS_BODY])
            assert bodies[:-1] == [] or at == 0 or at >= len(AS_LINE) - 2


@given(st.lists(st.binary(max_size=60), max_size=6), st.data())
def test_any_split_of_a_stream_gives_the_same_lines(noise: list[bytes], data: st.DataObject) -> None:
    """Lines and noise in any chunks give the same bodies and the same count of bad lines; no good line is lost."""
    stream = b"".join(piece + b"\n" + AS_LINE for piece in noise) + NEXT_LINE
    whole = LineFramer()
    expected = whole.feed(stream)
    assert expected.count(NEXT_BODY) >= 1
    assert expected.count(AS_BODY) >= len(noise)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    framer = LineFramer()
    bodies: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        bodies += framer.feed(stream[start:end])
    assert bodies == expected
    assert framer.bad_lines == whole.bad_lines


def test_one_byte_at_a_time_gives_the_same_lines() -> None:
    """A line that comes byte by byte is the same line."""
    framer = LineFramer()
    assert [body for byte in AS_LINE + NEXT_LINE for body in framer.feed(bytes([byte]))] == [AS_BODY, NEXT_BODY]
    assert framer.bad_lines == 0


def test_a_line_feed_alone_ends_a_line() -> None:
    """The receiver accepts LF without CR."""
    assert LineFramer().feed(AS_LINE.replace(b"\r", b"")) == [AS_BODY]


def test_a_dollar_inside_a_line_starts_afresh() -> None:
    """A torn line does not take the one that follows it at once."""
    framer = LineFramer()
    assert framer.feed(AS_LINE[:20] + NEXT_LINE) == [NEXT_BODY]
    assert framer.bad_lines == 1


def test_a_line_of_128_bytes_passes_and_one_more_does_not() -> None:
    """The cap counts ``$`` to LF; what is longer is dropped and counted, and its successor kept."""
    longest = build_line("SH01", "KEY", 1, 1, "x" * (MAX_LINE_BYTES - len(build_line("SH01", "KEY", 1, 1, ""))))
    assert len(longest) == MAX_LINE_BYTES
    framer = LineFramer()
    assert len(framer.feed(longest)) == 1
    assert framer.feed(b"$" + b"x" * 127 + b"\n" + b"$" + b"y" * 4000 + b"\n" + AS_LINE) == [AS_BODY]
    assert framer.bad_lines == 2
    with pytest.raises(LineError):
        build_line("SH01", "KEY", 1, 1, "x" * MAX_LINE_BYTES)


def test_a_byte_outside_printable_ascii_spoils_its_line() -> None:
    """No bit is masked off, even where the check is right."""
    body = b"1,SH01,KEY,0001,7F3A,\x80"
    line = b"$%b*%04X\r\n" % (body, binascii.crc_hqx(body, 0xFFFF))
    framer = LineFramer()
    assert framer.feed(line) == []
    assert framer.bad_lines == 1


@given(st.binary(max_size=400))
def test_random_bytes_never_raise(data: bytes) -> None:
    """Noise frames to nothing or to lines, and parsing those raises nothing but ``LineError``."""
    for body in LineFramer().feed(data):
        with contextlib.suppress(LineError):
            parse_line(body)


@given(st.text(max_size=20))
def test_escapes_go_both_ways(text: str) -> None:
    """Any text survives a field, and its escaped form holds no byte of the frame."""
    assert unescape(escape(text)) == text
    assert not set(escape(text)) & set("$*,\r\n")
    assert escape(text).isascii()


@pytest.mark.parametrize("text", ["%", "%4", "%zz", "%ff", "%FF", "%C3"])
def test_a_broken_escape_is_refused(text: str) -> None:
    """Half an escape, lower-case hex and broken UTF-8 are no text."""
    with pytest.raises(LineError):
        unescape(text)


def test_headers_are_read_and_bad_ones_refused() -> None:
    """Version, node, type, seq and boot are checked; another version has its own error; no error repeats the line."""
    line = parse_line(AS_BODY)
    assert (line.node, line.type, line.seq, line.boot) == ("SH01", "CARD", 2, 0x7F3A)
    assert line.fields == ("AS", "C", "0001", "51", "412")
    assert "AS" not in repr(line)
    with pytest.raises(UnknownVersion):
        parse_line(b"2" + AS_BODY[1:])
    for body in (
        b"1,SH01,CARD,0002",
        b"1,sh01,CARD,0002,7F3A",
        b"1,TOOLONG,CARD,0002,7F3A",
        b"1,SH01,CARD,00g2,7F3A",
        b"1,SH01,CARD,2,7F3A",
    ):
        with pytest.raises(LineError):
            parse_line(body)


def test_numbers_are_read_strictly() -> None:
    """Hex is upper case with fixed digits, decimals have no sign but ``-1`` and at most 9 digits."""
    assert (parse_hex("00FF", 4), parse_decimal("0031"), parse_decimal("-1")) == (255, 31, -1)
    for bad in ("", "+1", "-2", " 1", "1_0", "²", "1234567890"):
        with pytest.raises(LineError):
            parse_decimal(bad)


def test_every_flipped_bit_of_a_signed_line_is_refused_and_the_next_one_is_kept() -> None:
    """The same with authentication, whose lines are longer; a framer without it drops what is beyond 128 bytes."""
    signed = framed(b"1,SH01,HELLO,0000,7F3A," + b"X" * 90 + b",00000000,20480ED7E2A31D85", MAX_SIGNED_BYTES)
    assert MAX_LINE_BYTES < len(signed) <= MAX_SIGNED_BYTES
    assert LineFramer(MAX_SIGNED_BYTES).feed(signed + NEXT_LINE) == [signed[1:-7], NEXT_BODY]
    assert LineFramer().feed(signed + NEXT_LINE) == [NEXT_BODY]
    for bit in range(len(signed) * 8):
        damaged = bytearray(signed)
        damaged[bit // 8] ^= 1 << bit % 8
        assert LineFramer(MAX_SIGNED_BYTES).feed(bytes(damaged) + NEXT_LINE)[-1:] == [NEXT_BODY], bit


@pytest.mark.long
def test_a_million_random_bytes_lose_no_good_line_and_invent_none() -> None:
    """A good line after every thousand or so: each comes out, and nothing else passes, with and without authentication."""
    for max_bytes in (MAX_LINE_BYTES, MAX_SIGNED_BYTES):
        rng = random.Random(max_bytes)
        framer, got, sent, left = LineFramer(max_bytes), 0, 0, 1_000_000
        while left > 0:
            noise = rng.randbytes(rng.randrange(2000))
            left -= len(noise)
            for body in framer.feed(noise + AS_LINE):
                assert body == AS_BODY
                got += 1
            sent += 1
        assert got == sent
        assert framer.bad_lines >= sent / 2
