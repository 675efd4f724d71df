"""Cards on paper: one page each, complete, and by the rules that are played."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from controller.cards.cards import SHEETS, cards_of
from controller.cards.dealer import CALLED, MENDED, dealer_sheet
from controller.cards.floor import ALARMS, floor_sheet
from controller.cards.game import CardGame
from controller.cards.paper import SMALLEST_PT, CardError, card_pdf, fits_at
from controller.cards.rules import rules_sheet
from controller.cards.sheet import Block, Sheet
from controller.config import load_config
from controller.console.forms import RULINGS
from controller.floor.board.alarms import PRIORITIES
from controller.hand.rules import PRESETS, allowed_values, house_rules, knob_names
from controller.hand.stakes import Stakes
from controller.hand.variants import VariantCode
from controller.words.catalogue import Language, catalogue, text
from controller.words.faults import FAULTS
from controller.words.rule_card import knob_words, rules_hash

ROOT: Final = Path(__file__).parents[2]
STAKES: Final = Stakes(1, 2, 4, 8)
BOTH: Final = tuple(Language)


def game(language: Language = Language.EN, preset: str = "live_cash", variant: VariantCode = VariantCode.STUD) -> CardGame:
    return CardGame(variant, STAKES, house_rules(preset), language)


def printed(pdf: bytes) -> str:
    """What stands on the page, in the order in which it was written, without blanks."""
    page = pdf[pdf.index(b"stream\n") : pdf.index(b"endstream")]
    shown = b"".join(re.findall(rb"\((.*?)(?<!\\)\) Tj", page, re.DOTALL)).replace(b"\\(", b"(").replace(b"\\)", b")")
    return re.sub(r"\s", "", shown.decode("cp1252"))


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("preset", PRESETS)
def test_each_card_of_each_game_is_one_page(preset: str, language: Language) -> None:
    """In letters that are read at arm's length, also with amounts of a big game."""
    for variant in VariantCode:
        played = replace(game(language, preset, variant), stakes=Stakes(100, 250, 1000, 2000, 50))
        assert [name for name, make in SHEETS.items() if not fits_at(make(played), SMALLEST_PT)] == []


@pytest.mark.parametrize("language", BOTH)
def test_cards_of_the_longest_house_rules_are_one_page(language: Language) -> None:
    """Each knob at the value whose sentence is longest; the page has room for any rules between."""

    def longest(name: str) -> str:
        return max(allowed_values(name), key=lambda value: len(knob_words(name, value, language)))

    knobs = {name: longest(name) for name in knob_names() if len(allowed_values(name)) > 1}
    knobs |= {"table.max_seats": "7", "table.min_players": "2"}  # a ninth card each would not be there
    played = replace(game(language), rules=house_rules("live_cash", knobs))
    assert [name for name, make in SHEETS.items() if not fits_at(make(played), SMALLEST_PT)] == []


def test_the_cards_in_the_documents_are_current() -> None:
    """``stud-table cards deploy/sample/table.toml --out docs/cards`` makes them, byte for byte."""
    played = load_config(ROOT / "deploy/sample/table.toml").game.game("")
    made = [cards_of(CardGame(played.variant, played.stakes, played.rules, language)) for language in BOTH]
    wanted = {name: pdf for cards in made for name, pdf in cards.items()}
    assert {path.name for path in (ROOT / "docs/cards").iterdir()} == set(wanted)
    assert [name for name, pdf in wanted.items() if (ROOT / "docs/cards" / name).read_bytes() != pdf] == []
    assert all(len(re.findall(rb"/Type /Page\b", pdf)) == 1 for pdf in wanted.values())


@pytest.mark.parametrize("language", BOTH)
def test_every_word_of_a_card_is_printed(language: Language) -> None:
    """In its own letters: accents, the typographic apostrophe, no-break blanks; suits and raised letters have other fonts."""
    sheet = dealer_sheet(game(language))
    plainer = str.maketrans({"'": "’", "*": "", "→": "\xae", "ᵉ": "e"})
    wanted = re.sub(r"\s", "", " ".join(sheet.texts()).translate(plainer))
    assert Counter(printed(card_pdf(sheet))) == Counter(wanted)


def test_every_stop_stands_on_the_dealers_card_under_what_ends_it() -> None:
    """A new stop of play must be put there; whether the floor ends it says the text on the screen."""
    english = catalogue(Language.EN)
    codes = {key.removeprefix("ui.stop.") for key in english if key.startswith("ui.stop.")}
    assert sorted((*MENDED, *CALLED)) == sorted(codes)
    floors = {code for code in codes if re.search(r"and call|^The floor is called|has it cleared", english[f"hold.{code}"])}
    assert floors == set(CALLED)


def test_every_alarm_stands_on_the_floors_card_with_its_priority() -> None:
    """The floor's own as the board ranks them, the table's as its faults do; none of them is left out or stands there twice."""
    ranked = {code: priority for priority, codes in ALARMS.items() for code in codes}
    assert len(ranked) == sum(map(len, ALARMS.values()))
    assert {code: ranked.get(code) for code in PRIORITIES} == PRIORITIES
    titles = {key.removeprefix("floor.title.") for key in catalogue(Language.EN) if key.startswith("floor.title.")}
    assert set(ranked) == (titles - {"other"}) | set(FAULTS) | {"hold"}
    tree = ast.parse((ROOT / "controller/table/faults.py").read_text(encoding="utf-8"))
    for call in ast.walk(tree):
        match call:
            case ast.Call(func=ast.Name(id="Fault"), args=[ast.Constant(value=str(code)), ast.Constant(value=int(priority)), *_]):
                assert ranked[code] == priority, code


@pytest.mark.parametrize("language", BOTH)
def test_every_ruling_stands_once_under_who_gives_it(language: Language) -> None:
    """A misdeal is the floor's, a killed hand comes back by two, an exposed card is the dealer's."""
    dealer, floor, two, _ = (row[0] for row in floor_sheet(game(language)).top.rows)
    names = {kind: text(f"ui.form.{kind}", language)[1:] for kind in RULINGS}
    assert [kind for kind, name in names.items() if sum(name in row for row in (dealer, floor, two)) < 1] == []
    for kind, row in (("misdeal", floor), ("retrieve_hand", two), ("void_hand", two), ("expose_hole", dealer)):
        assert [one for one in (dealer, floor, two) if text(f"ui.form.{kind}", language)[1:] in one] == [row]


def test_a_card_says_the_rules_that_are_played() -> None:
    """Amounts, burns, the open pair, the raises and the fingerprint follow the configuration (REG-50)."""
    plain, other = (
        game(),
        replace(game(), rules=house_rules("live_cash", {"fourth_pair.stud": "off", "deal.burn_before": "5,6,7"})),
    )
    fourth, without = (dealer_sheet(one).top.rows[3] for one in (plain, other))
    assert fourth == ("**4th**", "Burn one, then one face up", "Highest board: check or bet", "4, open pair: 4 or 8")
    assert without == ("**4th**", "One face up", "Highest board: check or bet", "4")
    assert "bring-in 2, or complete to 4" in dealer_sheet(plain).top.rows[2][2]
    assert "must bet 4" in dealer_sheet(replace(plain, stakes=Stakes(1, 4, 4, 8))).top.rows[2][2]
    razz = dealer_sheet(game(variant=VariantCode.RAZZ)).top.rows
    assert ("Highest door card" in razz[2][2], "Lowest board" in razz[4][2]) == (True, True)
    for one in (plain, other):
        assert all(rules_hash(one.rules, STAKES, one.variant) in make(one).foot for make in SHEETS.values())
    assert rules_sheet(plain).right != rules_sheet(game(preset="tournament")).right


def test_what_cannot_be_drawn_is_refused() -> None:
    """Too many words, a word longer than its column, a letter of no font: each says so, and no card leaves something out."""
    bare = Sheet("en", "Card", "", Block("", ()), (), (), "")
    with pytest.raises(CardError, match="do not fit on one page"):
        card_pdf(replace(bare, left=(Block("Much", (("word " * 40,),) * 60),)))
    with pytest.raises(CardError, match="do not fit"):
        card_pdf(replace(bare, left=(Block("Long", (("w" * 200,),)),)))
    with pytest.raises(CardError, match="'Ж'"):
        card_pdf(replace(bare, subtitle="Ж"))
