"""Who is who: numbers, names, badges and PINs, and what tells two people apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.access.people import (
    BADGE,
    NUMBER,
    PIN,
    BadPerson,
    Role,
    are_two,
    checked_badge,
    checked_name,
    checked_number,
    checked_pin,
    told_apart,
)
from controller.access.roster import Roster


@pytest.mark.parametrize("other", ["ann", " Ann", "ANN ", "A n n", "Ａnn", "An\u200bn"])
def test_capitals_blanks_and_spellings_make_nobody_another_person(other: str) -> None:
    """One person does not agree with herself."""
    assert not are_two("Ann", other)
    with pytest.raises(BadPerson, match=r"tell people apart|can be read"):
        Roster(b"").with_person("1", "Ann", Role.DEALER).with_person("2", other, Role.DEALER)


@pytest.mark.parametrize(("one", "two"), [("Ann", "Anna"), ("Ann", "Án"), ("Émile", "Emile")])
def test_two_names_are_two_people(one: str, two: str) -> None:
    """What a reader tells apart is told apart."""
    assert are_two(one, two)


@pytest.mark.parametrize(("one", "two"), [("", "Ann"), ("Ann", " "), ("\u200b", "Ann"), ("", "")])
def test_nobody_is_no_second_person(one: str, two: str) -> None:
    """An empty name agrees with nothing."""
    assert not are_two(one, two)


@given(st.text(alphabet="0123456789", max_size=14))
def test_digits_are_a_number_a_pin_or_a_badge_and_a_number_is_neither_of_the_others(digits: str) -> None:
    """One field takes a staff number and a badge: their lengths keep them apart, and no PIN is taken for a number."""
    assert (
        sum((NUMBER.fullmatch(digits) is not None, PIN.fullmatch(digits) is not None or BADGE.fullmatch(digits) is not None)) < 2
    )


@pytest.mark.parametrize("pin", ["12345", "1234567890123", "12345a", "١٢٣٤٥٦", "000000", "123456", "987654", "890123", ""])
def test_a_pin_that_is_short_or_tried_first_is_refused_without_being_told(pin: str) -> None:
    """The sentence says what a PIN is, not which one was given."""
    with pytest.raises(BadPerson) as refused:
        checked_pin(pin)
    assert not pin or pin not in str(refused.value)


@pytest.mark.parametrize("pin", ["482915", "112233", "135790", "900001"])
def test_other_pins_are_taken(pin: str) -> None:
    """Steps of more than one kind are enough."""
    assert checked_pin(pin) == pin


def test_a_badge_is_what_the_reader_types() -> None:
    """Small letters and blanks of a reader make no other badge; a short one is none, and is not told."""
    assert checked_badge(" e0a1b2c3 ") == checked_badge("E0A1B2C3")
    with pytest.raises(BadPerson) as refused:
        checked_badge("ab cd?")
    assert "ab cd?" not in str(refused.value)


@pytest.mark.parametrize("number", ["", "0", "007", "123456", "1a", "-1", "٣"])
def test_a_number_is_one_to_five_digits(number: str) -> None:
    """Another one is refused by name."""
    with pytest.raises(BadPerson):
        checked_number(number)


@pytest.mark.parametrize("name", ["", " ", "A" * 33, "a\nb", "\u200b"])
def test_a_name_can_be_read(name: str) -> None:
    """Records bear it."""
    with pytest.raises(BadPerson):
        checked_name(name)


def test_a_name_loses_its_blanks() -> None:
    """And nothing else."""
    assert (checked_name(" Ann Lee "), told_apart("Ann Lee")) == ("Ann Lee", "annlee")
