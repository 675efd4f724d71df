"""Reports of an Angel Eye shoe: golden contents in both directions, and contents that cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.angel_eye.messages import (
    CardTold,
    ErrorTold,
    LockTold,
    MessageError,
    Occasion,
    PresetTold,
    Report,
    ResultTold,
    Simple,
    read_report,
    write_report,
)

# The contents of the verified frames of devices §1.2, typed out.
GOLDEN: list[tuple[str, Report]] = [
    ("53", Simple.STARTED),
    ("50", Simple.STAND_BY),
    ("44 81 B8", CardTold(Occasion.GAME, 0, 1, "8S")),
    ("44 92 CD", CardTold(Occasion.GAME, 1, 2, "KH")),
    ("52 81 B8", CardTold(Occasion.AGAIN, 0, 1, "8S")),
    ("64 80 B8", CardTold(Occasion.OUTSIDE, 0, 0, "8S")),
    ("43", Simple.CUT_CARD),
    ("45 C1", ErrorTold(1, is_raised=True, stays=True)),
    ("65 81", ErrorTold(1, is_raised=False)),
    ("4C 81", LockTold(is_locked=True)),
    ("47 91", ResultTold(0x11)),
    ("4D 30 31 30 30 34 38", PresetTold("01", "0048")),
]


@pytest.mark.parametrize(("data", "report"), GOLDEN)
def test_golden_contents(data: str, report: Report) -> None:
    """Each is read as what it says, and written byte for byte."""
    assert read_report(bytes.fromhex(data)) == report
    assert write_report(report) == bytes.fromhex(data)


def test_every_card() -> None:
    """52 codes there and back; suit or rank outside the deck is an unreadable card."""
    codes = {read_report(bytes((0x44, 0x80, 0x80 | suit << 4 | rank))).code for suit in range(1, 5) for rank in range(1, 14)}  # type: ignore[union-attr]
    assert len(codes) == 52
    for code in codes:
        told = CardTold(Occasion.GAME, 0, 0, code)
        assert read_report(write_report(told)) == told
    for bits in (0x00, 0x0F, 0x10, 0x1E, 0x51):
        assert read_report(bytes((0x44, 0x80, 0x80 | bits))).code == "??"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "data", ["", "44", "44 81", "44 81 B8 80", "44 01 B8", "44 81 38", "5A", "53 80", "45", "4D 30 31 80 80 80 80"]
)
def test_what_is_no_report(data: str) -> None:
    """An unknown letter, a wrong length, a byte without its mark: refused, and the text tells no byte of it."""
    with pytest.raises(MessageError) as caught:
        read_report(bytes.fromhex(data))
    assert "B8" not in str(caught.value)


@given(st.binary(max_size=10))
def test_any_content_is_read_or_refused(data: bytes) -> None:
    """Nothing but ``MessageError`` comes out of it."""
    try:
        report = read_report(data)
    except MessageError:
        return
    assert len(write_report(report)) == len(data)


def test_repr_tells_no_card() -> None:
    """A report in a log line has no card."""
    assert "8S" not in repr(CardTold(Occasion.GAME, 0, 1, "8S"))
