"""The compact payload of a seat's display and the digest of what stands on it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import jsonschema
import pytest
from hypothesis import given, settings
from pydantic import ValidationError
from support.mqtt_samples import seat, seat_view
from support.seat_views import DECK, STOPPED, views

from controller.mqtt.compact import (
    CALL_BYTES,
    ECHO_BYTES,
    MAX_BYTES,
    Call,
    CompactView,
    Echo,
    Shows,
    call_in,
    compact_of,
    digest_of,
    shows,
)
from controller.mqtt.payloads import AwardLine, Option, Pot, SeatState, SeatView, TableStatus

DOCS = Path(__file__).parents[2] / "docs"


@given(views())
@settings(max_examples=150, deadline=None)
def test_a_compact_payload_is_bounded_and_names_open_cards_alone(view: SeatView) -> None:
    """Of any view: no card but those that the view has open, the schema fits, and the size has a bound a chip can rely on."""
    text = compact_of(view).model_dump_json()
    assert len(text.encode()) <= MAX_BYTES
    found = json.loads(text)
    schema = json.loads((DOCS / "reference/mqtt-schemas/compact.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    public = {card for one in view.seats for card in (*one.up, *(one.tabled or ()))} | {view.community}
    assert {card for cards in found["up"] for card in cards} <= public
    assert set(found) == set(CompactView.model_fields)
    assert compact_of(view).line().isascii()


def test_the_largest_compact_payload_leaves_little_of_its_bound() -> None:
    """Eight seats with everything at its longest: within the bound, which is not idly wide."""
    cards = iter(DECK)
    big = 999_999_999
    seats = tuple(
        seat(n, "", big, SeatState.LIVE, street_chips=big, won=big, tabled=tuple(next(cards) for _ in range(6)))
        for n in range(1, 9)
    )
    options = tuple(Option(verb=verb, to=big, amount=big) for verb in ("fold", "call", "bet", "raise", "complete"))
    view = seat_view(
        8,
        big,
        epoch=big,
        hand=big,
        seats=seats,
        pots=tuple(Pot(amount=big, seats=(8,)) for _ in range(8)),
        options=options,
        to_call=big,
        can_win=big,
        price=big,
        community="As",
        at=datetime(2026, 1, 2, 20, 15, 0, 123456, tzinfo=UTC),
    )
    size = len(compact_of(view).model_dump_json().encode())
    assert MAX_BYTES * 0.6 < size <= MAX_BYTES


@pytest.mark.parametrize(
    ("expected", "more"),
    [
        (Shows.TURN, {}),
        (Shows.BRING_IN, {"options": (Option(verb="bring_in", to=2, amount=2),)}),
        (Shows.WAIT, {"is_actor": False}),
        (Shows.STOPPED, {"hold": STOPPED}),
        (Shows.HANDS_OFF, {"hold": STOPPED.model_copy(update={"place": "seat/4/up"})}),
        (Shows.STOPPED, {"hold": STOPPED.model_copy(update={"place": "seat/3/up"})}),
        (Shows.SHOWDOWN, {"is_actor": False, "phase": "showdown"}),
        (Shows.OVER, {"is_actor": False, "phase": "ended"}),
        (Shows.VOID, {"is_actor": False, "phase": "voided"}),
        (Shows.ALL_IN, {"seat": 6, "is_actor": False}),
        (Shows.FOLDED, {"seat": 2, "is_actor": False}),
        (Shows.EMPTY, {"seat": 8, "is_actor": False}),
        (Shows.EMPTY, {"seat": 8, "is_actor": False, "hand": None}),
        (Shows.OUT, {"is_actor": False, "hand": None}),
        (Shows.CLOSED, {"status": TableStatus.SUSPENDED}),
    ],
)
def test_what_a_display_shows(expected: Shows, more: dict[str, Any]) -> None:
    """Each state of screens §5; options stand in the turn of the seat alone."""
    view = seat_view(**more)
    assert shows(view) is expected
    assert bool(compact_of(view).options) == (expected in (Shows.TURN, Shows.BRING_IN))


LINE = (
    "4|turn|1287|5|4|8|296|58|50,8|0,0,8,0,0,0,0,0|0,0,0,0,0,0,0,0|"
    "Kd8c3s,,9sTdTc,Jh6sKc,,Qc5s7s,As4d9h,||fold:0:0,call:8:8,raise:16:16"
)


def test_the_line_and_its_digest_by_hand() -> None:
    """The example of the guide, which a maker of displays tests against; the CRC is zlib's, known by its check value."""
    assert compact_of(seat_view()).line() == LINE
    assert digest_of("123456789") == "cbf43926"
    assert compact_of(seat_view()).digest() == f"{crc32(LINE.encode()):08x}"


@pytest.mark.parametrize(
    "more",
    [
        {"to_call": 9},
        {"can_win": 57},
        {"actor": 3},
        {"hand": 1288},
        {"street": 6},
        {"pots": (Pot(amount=58, seats=(1,)),)},
        {"options": (Option(verb="fold", to=0, amount=0),)},
        {"seat": 3},
        {"community": "2c"},
        {"hold": STOPPED},
    ],
)
def test_whatever_a_player_decides_by_changes_the_digest(more: dict[str, Any]) -> None:
    """An amount, a card, a turn."""
    assert compact_of(seat_view(**more)).digest() != compact_of(seat_view()).digest()


def test_a_number_of_the_journal_or_an_award_s_words_do_not() -> None:
    """The same picture under a later number is the same on the screen."""
    lines = (AwardLine(pot=0, seat=1, chips=3),)
    assert compact_of(seat_view(seq=999, awards=lines)).digest() == compact_of(seat_view()).digest()


def test_an_echo_is_small_and_strict() -> None:
    """The longest one fits its bound; nothing beside its five fields is taken."""
    longest = {"seat": 8, "epoch": 999_999_999, "seq": 999_999_999, "digest": "f" * 8, "display": "d" * 24}
    assert len(Echo(**longest).model_dump_json()) <= ECHO_BYTES
    for wrong in ({"verb": "fold"}, {"digest": "zz"}, {"display": "a/b"}, {"seat": 9}):
        with pytest.raises(ValidationError):
            Echo(**{**longest, **wrong})


def test_a_call_is_small_and_strict() -> None:
    """The longest one fits its bound; what is retained, of another seat or more than a call is none."""
    longest = Call(seat=8, call="c" * 36).model_dump_json().encode()
    assert len(longest) <= CALL_BYTES
    assert call_in(8, longest, is_retained=False) == Call(seat=8, call="c" * 36)
    assert call_in(8, longest, is_retained=True) is None
    assert call_in(7, longest, is_retained=False) is None
    for wrong in (
        b"",
        b"{}",
        b'{"seat":8,"call":""}',
        b'{"seat":8,"call":"a/b"}',
        b'{"seat":8,"call":"a","verb":"fold"}',
        longest + b" " * 96,
    ):
        assert call_in(8, wrong, is_retained=False) is None


def test_the_guide_s_example_is_what_the_table_sends() -> None:
    """Payload, echo and line of the guide are those of one picture, byte for byte."""
    guide = (DOCS / "how-to/build-a-seat-display.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"<!-- the example of (\w+) -->\n```\w*\n(.*?)\n```", guide))
    compact = compact_of(seat_view())
    assert found["compact"] == compact.model_dump_json()
    assert found["line"] == compact.line()
    echo = Echo(seat=4, epoch=2, seq=123, digest=compact.digest(), display="esp32")
    assert found["echo"] == echo.model_dump_json()
    assert found["call"] == Call(seat=4, call="esp32-17").model_dump_json()
    assert "`seat|state|hand|street|actor|call|stack|win|pots|bets|won|up|common|options`" in guide
