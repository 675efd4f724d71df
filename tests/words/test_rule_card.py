"""The posted rules: nothing can be turned without the card and its fingerprint saying so."""

from __future__ import annotations

import re

import pytest

from controller.hand.rules import PRESETS, allowed_values, canonical_rules, house_rules, knob_names, knob_values
from controller.hand.stakes import Stakes
from controller.hand.variants import VariantCode
from controller.words.catalogue import Language, catalogue
from controller.words.rule_card import HASH_DIGITS, card_text, knob_words, rule_card, rules_hash

STAKES = Stakes(1, 2, 4, 8, 1)
SEVEN = {"table.max_seats": "7"}
FREE = ("0", "5", "40")
"""Values for knobs that take any whole number."""


def text_of(knobs: dict[str, str], language: Language, stakes: Stakes = STAKES, variant: VariantCode = VariantCode.STUD) -> str:
    """The card of ``seeds`` with some knobs turned."""
    return card_text(rule_card(house_rules("seeds", knobs), stakes, variant, language), language)


def settings_of(name: str) -> list[dict[str, str]]:
    """The knob at each of its values, with what must be turned for the value to be allowed."""
    beside = SEVEN if name == "deal.burn_before_third" else {}
    if name == "table.min_players":
        return [{name: value} for value in allowed_values(name)]
    if name == "table.max_seats":
        return [{name: value, "table.min_players": "2"} for value in allowed_values(name)]
    return [beside | {name: value} for value in allowed_values(name) or FREE]


@pytest.mark.parametrize("name", knob_names())
@pytest.mark.parametrize("language", list(Language))
def test_each_value_of_a_knob_changes_the_card(name: str, language: Language) -> None:
    """No two values of a knob read alike, in either language (R-SETUP-02)."""
    knobs = settings_of(name)
    assert len({text_of(setting, language) for setting in knobs}) == len(knobs)


@pytest.mark.parametrize("name", knob_names())
def test_each_value_of_a_knob_changes_the_fingerprint(name: str) -> None:
    """Two tables with the same fingerprint play the same rules."""
    knobs = settings_of(name)
    assert len({rules_hash(house_rules("seeds", setting), STAKES, VariantCode.STUD) for setting in knobs}) == len(knobs)


def test_stakes_and_game_change_card_and_fingerprint() -> None:
    """Every amount and the game count too."""
    others = [STAKES._replace(**{name: 3 * amount}) for name, amount in STAKES._asdict().items()]
    tables = [(STAKES, VariantCode.STUD8), (STAKES, VariantCode.RAZZ), *((stakes, VariantCode.STUD) for stakes in others)]
    rules = house_rules("seeds")
    assert (
        len({rules_hash(rules, stakes, variant) for stakes, variant in tables} | {rules_hash(rules, STAKES, VariantCode.STUD)})
        == 8
    )
    assert len({text_of({}, Language.EN, stakes, variant) for stakes, variant in tables} | {text_of({}, Language.EN)}) == 8


def test_the_fingerprint_is_of_values_alone() -> None:
    """A preset that is turned into another has its fingerprint; the digits are hexadecimal."""
    cash = house_rules("live_cash")
    turned = house_rules("seeds", knob_values(cash))
    found = rules_hash(turned, STAKES, VariantCode.RAZZ)
    assert found == rules_hash(cash, STAKES, VariantCode.RAZZ)
    assert re.fullmatch(f"[0-9a-f]{{{HASH_DIGITS}}}", found)


def test_the_canonical_text_is_fixed() -> None:
    """Sorted lines of name and value, so that the order of fields never matters."""
    lines = canonical_rules(house_rules("seeds"), STAKES, VariantCode.STUD).splitlines()
    names = [line.partition("=")[0] for line in lines]
    assert names == sorted(names)
    assert "stakes.bring_in=2" in lines
    assert "game.variant=stud" in lines
    assert len(lines) == len(knob_names()) + 6


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("language", list(Language))
def test_every_knob_stands_on_the_card_once(preset: str, language: Language) -> None:
    """No knob is left out by the headings, none stands twice, and each line names its rule."""
    rules = house_rules(preset)
    card = rule_card(rules, STAKES, VariantCode.STUD8, language)
    lines = [line for section in card.sections for line in section.lines]
    assert len(lines) == len(knob_names()) + len(STAKES)
    said = [line.text for line in lines]
    assert all(said.count(knob_words(name, value, language)) == 1 for name, value in knob_values(rules).items())
    assert all(re.fullmatch(r"R-[A-Z]+-\d\d", line.rule) for line in lines)


def test_no_sentence_is_for_a_value_that_cannot_be() -> None:
    """Texts of knobs and values that no longer exist are found."""
    known = {f"knob.{name}" for name in knob_names()}
    known |= {f"knob.{name}.{value}" for name in knob_names() for value in (*allowed_values(name), "0")}
    assert [key for key in catalogue(Language.EN) if key.startswith("knob.") and key not in known] == []


def test_the_card_reads_like_this() -> None:
    """A few lines as they are posted."""
    english = text_of({"rake.percent": "10", "rake.cap": "6"}, Language.EN)
    assert english.startswith("Stud high: the rules of this table\n")
    assert "  Raises after the bet of a street: 3 (R-BET-03)\n" in english
    assert "  Rake: 10 % of the pot (R-RAKE-01)\n" in english
    french = text_of({}, Language.FR).replace("\u00a0", " ")
    assert "  Cartes portes égales : trèfle, carreau, cœur, pique, la pire couleur pose le bring-in (R-BRING-02)\n" in french
    assert french.rstrip().splitlines()[-1].startswith("Empreinte de ces règles : ")
