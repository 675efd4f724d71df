"""Journal forms of field types."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, Literal, NamedTuple, NewType

import pytest

from controller.hand.cards import Card, parse_card
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.journal.fields import ConvertError, converter_for


class Level(IntEnum):
    """An enum of whole numbers."""

    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    """A named pair."""

    seat: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class Inner:
    """A nested record."""

    card: Card
    pairs: tuple[Pair, ...]


Chips = NewType("Chips", int)
UP = SeatPlace(3, Zone.UP)

FORMS: list[tuple[Any, Any, Any]] = [
    (int, 7, 7),
    (Chips, 7, 7),
    (str, "x", "x"),
    (bool, True, True),
    (bytes, b"\x00\xff", "00ff"),
    (Zone, Zone.UP, "up"),
    (Level, Level.HIGH, 2),
    (Card, parse_card("Td"), "Td"),
    (Card | None, None, None),
    (Place, UP, "seat/3/up"),
    (Place | None, Spot.BURN, "burn"),
    (SeatPlace, UP, "seat/3/up"),
    (Literal["low", "high"], "low", "low"),
    (tuple[int, ...], (1, 2), [1, 2]),
    (tuple[tuple[int, str], ...], ((1, "a"), (2, "b")), [[1, "a"], [2, "b"]]),
    (tuple[Card, ...] | None, (parse_card("2c"),), ["2c"]),
    (tuple[()], (), []),
    (Pair, Pair(1, UP), {"seat": 1, "place": "seat/3/up"}),
    (
        Inner,
        Inner(parse_card("As"), (Pair(2, None),)),
        {"card": "As", "pairs": [{"seat": 2, "place": None}]},
    ),
]


@pytest.mark.parametrize(("hint", "value", "form"), FORMS)
def test_each_type_has_one_form_and_comes_back(hint: Any, value: Any, form: Any) -> None:
    """Value to form and back, with the same type."""
    converter = converter_for(hint)
    encoded = value if converter.encode is None else converter.encode(value)
    assert encoded == form
    assert repr(converter.decode(form)) == repr(value)
    assert type(converter.decode(form)) is type(value)


@pytest.mark.parametrize(
    ("hint", "form"),
    [
        (int, True),
        (int, "1"),
        (int, None),
        (bool, 1),
        (str, 1),
        (bytes, "0g"),
        (bytes, 1),
        (Zone, "left"),
        (Level, True),
        (Level, "1"),
        (Zone, []),
        (Card, "1s"),
        (Card, 51),
        (Place, "seat/9/up"),
        (Place, 3),
        (SeatPlace, "muck"),
        (Spot, "seat/1/up"),
        (Literal["low"], "high"),
        (Literal[1], True),
        (tuple[int, ...], 1),
        (tuple[int, ...], [1, "2"]),
        (tuple[int, int], [1]),
        (tuple[int, int], [1, 2, 3]),
        (Pair, {"seat": 1}),
        (Pair, {"seat": 1, "place": None, "more": 1}),
        (Pair, [1, None]),
    ],
)
def test_a_value_of_another_type_is_refused_without_telling_it(hint: Any, form: Any) -> None:
    """Exact types alone: true is no 1, "1" is no 1."""
    with pytest.raises(ConvertError, match=r"^not ") as refusal:
        converter_for(hint).decode(form)
    assert "1s" not in str(refusal.value)


@pytest.mark.parametrize(
    "hint", [float, dict[str, int], list[int], int | str, Inner | Pair, object, set[int], Literal[True], "int"]
)
def test_a_type_without_one_form_is_refused(hint: Any) -> None:
    """Floats, mutable collections and unions of several types are refused at registration."""
    with pytest.raises(ConvertError):
        converter_for(hint)


def test_an_enum_of_odd_values_and_a_mutable_record_are_refused() -> None:
    """Forms are text and whole numbers; records are frozen."""

    class Odd(Enum):
        PAIR = (1, 2)

    @dataclass
    class Mutable:
        seat: int

    for hint in (Odd, Mutable):
        with pytest.raises(ConvertError):
            converter_for(hint)


def test_a_card_is_found_however_deep_it_stands() -> None:
    """``has_card`` reaches through optional, tuple and nested types."""
    for hint in (Card, Card | None, tuple[Card, ...], tuple[int, Card], Inner, tuple[Inner, ...] | None):
        assert converter_for(hint).has_card
    for hint in (int, Place, Pair, tuple[int, ...]):
        assert not converter_for(hint).has_card
