"""Deck registry: exactly 52 cards with a tag of their own, or errors that say what is wrong."""

from __future__ import annotations

import random

import pytest

from controller.hand.cards import DECK, parse_card
from controller.tracking.registry import RegistryError, generate_registry, parse_registry, parse_registry_toml


def data(**changes: object) -> dict[str, object]:
    """A good registry with some cards' tags changed; ``None`` takes the card out."""
    cards: dict[str, object] = {card.text: f"E00401{int(card):010X}" for card in DECK}
    for text, uid in changes.items():
        if uid is None:
            del cards[text]
        else:
            cards[text] = uid
    return {"deck": "D1", "set": "D20260117A", "cards": cards}


def test_each_tag_is_one_card() -> None:
    """A full registry answers both ways, and for a stranger with nothing."""
    registry = parse_registry(data(As="e004019a3b7c2100"))
    assert (registry.deck_id, registry.set_id) == ("D1", "D20260117A")
    assert registry.card("E004019A3B7C2100") == parse_card("As")
    assert all(registry.card(registry.tag(card)) == card for card in DECK)
    assert registry.card("E0040100000000FF") is None
    assert "E004019A3B7C2100" in registry
    assert "E0040100000000FF" not in registry


def test_missing_cards_are_named() -> None:
    """51 cards are no deck: the missing one is named."""
    with pytest.raises(RegistryError, match=r"^deck D1: 1 of 52 cards have no tag: Kd$"):
        parse_registry(data(Kd=None))
    with pytest.raises(RegistryError, match="52 of 52 cards have no tag"):
        parse_registry({"deck": "D1", "set": "S", "cards": {}})


def test_shared_tags_name_their_cards() -> None:
    """Two cards with one tag are named, in whatever case the tag is written; every fault is told at once."""
    with pytest.raises(RegistryError, match="1 of 52 cards have no tag: 2c; Kd, As have the same tag"):
        parse_registry(data(As="E004019A3B7C2100", Kd="e004019a3b7c2100") | {"cards": without_deuce()})


def without_deuce() -> dict[str, object]:
    cards = data(As="E004019A3B7C2100", Kd="e004019a3b7c2100")["cards"]
    assert isinstance(cards, dict)
    return {text: uid for text, uid in cards.items() if text != "2c"}


@pytest.mark.parametrize("uid", ["E0040", "00040100000000FF", "E00401000000ZZZZ", "E004010000000000FF"])
def test_bad_tags_name_their_card(uid: str) -> None:
    """A tag that is no UID is refused, naming the card and what to write, not the tag."""
    with pytest.raises(RegistryError, match="the tags of As are no UIDs: write sixteen hex digits, E0 first") as refusal:
        parse_registry(data(As=uid))
    assert uid not in str(refusal.value)


def test_tags_of_proximity_cards() -> None:
    """ISO 14443-A tags of four, seven and ten bytes are tags too; one that draws its number anew each time is refused."""
    uids = {"As": "11223344", "Kd": "04a1b2c3d4e5f0", "2c": "04A1B2C3D4E5F0112233"}
    registry = parse_registry(data(**uids))
    assert registry.card("04A1B2C3D4E5F0") == parse_card("Kd")
    with pytest.raises(RegistryError, match="the tags of As tell another number each time") as refusal:
        parse_registry(data(As="08A1B2C3"))
    assert "A1B2" not in str(refusal.value)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"deck": ""}, "needs a deck id"),
        ({"set": 7}, "a text for deck and one for set"),
        ({"cards": []}, "needs a table 'cards'"),
        ({"colour": "red"}, "here stands colour"),
    ],
)
def test_shape_is_checked(change: dict[str, object], match: str) -> None:
    """Wrong shapes are refused with what is needed."""
    with pytest.raises(RegistryError, match=match):
        parse_registry(data() | change)


def test_card_names_are_checked() -> None:
    """A card that does not exist, one listed twice in two spellings, and a tag that is no text are refused."""
    with pytest.raises(RegistryError, match="'1s' is no card"):
        parse_registry(data(**{"1s": "E004019A3B7C2100"}))
    with pytest.raises(RegistryError, match="As is listed twice"):
        parse_registry(data(AS="E004019A3B7C2100"))
    with pytest.raises(RegistryError, match="the tag of As must be a text"):
        parse_registry(data(As=7))


def test_toml_both_ways() -> None:
    """A registry written as TOML or as plain data reads back the same."""
    registry = generate_registry(random.Random(5), deck_id='red "4"', set_id="S\\1")
    for copy in (parse_registry_toml(registry.toml()), parse_registry(registry.data())):
        assert copy.data() == registry.data()
    with pytest.raises(RegistryError, match="no TOML: look at line 2, column 7"):
        parse_registry_toml('deck = "D1"\nset = ?')


def test_generated_decks_are_repeatable() -> None:
    """The same seed gives the same deck, another seed another; all tags differ."""
    one, same, other = (generate_registry(random.Random(seed)) for seed in (1, 1, 2))
    assert one.data() == same.data() != other.data()
    assert len({one.tag(card) for card in DECK}) == 52


def test_repr_tells_no_tag_and_no_card() -> None:
    """A registry in a log line is its ids."""
    assert repr(generate_registry(random.Random(1))) == "DeckRegistry(deck_id='SIM', set_id='SIM')"
