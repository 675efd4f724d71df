"""Deck registry: which tag is in which card of the deck on the table.

The link of a tag with its card stays in here: no ``repr``, and error texts name cards or the number of tags, never both together.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Final

from controller.hand.cards import DECK, Card, parse_card

_VICINITY_DIGITS: Final = 16
"""ISO 15693: eight bytes, E0 first."""
_PROXIMITY_DIGITS: Final = (8, 14, 20)
"""ISO 14443-A: four, seven or ten bytes. Four that begin with 08 are drawn anew each time the tag enters a field."""
_RANDOM_HEAD: Final = "08"
_HEX: Final = frozenset("0123456789ABCDEF")
_MAKER: Final = "E00401"
"""UIDs of simulated decks: ISO 15693, maker NXP."""


class RegistryError(ValueError):
    """A deck that is not exactly 52 cards with a tag of their own. The message names every fault at once."""


class DeckRegistry:
    """One enrolled deck: 52 tags, 52 cards. ``set_id`` is what the shoe says of a loaded deck (TSP/1 LOAD)."""

    __slots__ = ("_cards", "_tags", "deck_id", "set_id")

    def __init__(self, deck_id: str, set_id: str, tags: Mapping[Card, str]) -> None:
        """``tags`` gives each card its tag. ``RegistryError`` names missing cards, cards that share a tag, and bad tags."""
        for name, value in (("deck", deck_id), ("set", set_id)):
            if not value.isprintable() or not value.strip():
                raise RegistryError(f"the registry needs a {name} id of letters, digits and signs, and not {value!r}")
        self.deck_id: Final = deck_id
        self.set_id: Final = set_id
        canonical = {card: uid.upper() for card, uid in tags.items()}
        faults = [*_missing(canonical), *_malformed(canonical), *_shared(canonical)]
        if faults:
            raise RegistryError(f"deck {deck_id}: {'; '.join(faults)}")
        self._tags: Final = {card: canonical[card] for card in DECK}
        self._cards: Final = {uid: card for card, uid in self._tags.items()}

    def __repr__(self) -> str:
        return f"DeckRegistry(deck_id={self.deck_id!r}, set_id={self.set_id!r})"

    def __contains__(self, uid: object) -> bool:
        return uid in self._cards

    def card(self, uid: str) -> Card | None:
        """The card with the tag ``uid``, or ``None`` for a stranger."""
        return self._cards.get(uid)

    def tag(self, card: Card) -> str:
        """The tag in ``card``."""
        return self._tags[card]

    def data(self) -> dict[str, object]:
        """The registry as plain data, which ``parse_registry`` takes back."""
        return {"deck": self.deck_id, "set": self.set_id, "cards": {card.text: uid for card, uid in self._tags.items()}}

    def toml(self) -> str:
        """The registry as TOML, which ``parse_registry_toml`` takes back."""
        rows = "".join(f'{card.text} = "{uid}"\n' for card, uid in self._tags.items())
        return f"deck = {_quoted(self.deck_id)}\nset = {_quoted(self.set_id)}\n\n[cards]\n{rows}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _names(cards: list[Card]) -> str:
    return ", ".join(card.text for card in sorted(cards))


def _missing(tags: Mapping[Card, str]) -> list[str]:
    gaps = [card for card in DECK if card not in tags]
    return [f"{len(gaps)} of 52 cards have no tag: {_names(gaps)}"] if gaps else []


def tag_fault(uid: str) -> str | None:
    """Why a deck cannot have the tag ``uid``: ``odd`` is no UID, ``random`` tells another each time; ``None``: it can."""
    if not _is_uid(uid):
        return "odd"
    return "random" if len(uid) == _PROXIMITY_DIGITS[0] and uid.startswith(_RANDOM_HEAD) else None


def _malformed(tags: Mapping[Card, str]) -> list[str]:
    odd = [card for card, uid in tags.items() if tag_fault(uid) == "odd"]
    what = "write sixteen hex digits, E0 first (ISO 15693), or 8, 14 or 20 (ISO 14443-A)"
    faults = [f"the tags of {_names(odd)} are no UIDs: {what}"] if odd else []
    random_ones = [card for card, uid in tags.items() if tag_fault(uid) == "random"]
    if random_ones:
        faults.append(f"the tags of {_names(random_ones)} tell another number each time: use cards with tags that keep theirs")
    return faults


def _is_uid(uid: str) -> bool:
    is_vicinity = len(uid) == _VICINITY_DIGITS and uid.startswith("E0")
    return set(uid) <= _HEX and (is_vicinity or len(uid) in _PROXIMITY_DIGITS)


def _shared(tags: Mapping[Card, str]) -> list[str]:
    counts = Counter(tags.values())
    shared = (
        [card for card, uid in tags.items() if uid == double] for double in dict.fromkeys(tags.values()) if counts[double] > 1
    )
    return [f"{_names(cards)} have the same tag" for cards in shared]


def parse_registry(data: Mapping[str, object]) -> DeckRegistry:
    """A registry from plain data: ``{"deck": "D1", "set": "D20260117A", "cards": {"As": "E0…", …}}``; ``RegistryError``
    says what is wrong with it."""
    unknown = sorted(set(data) - {"deck", "set", "cards"})
    if unknown:
        named = ", ".join(unknown)
        raise RegistryError(f"this is no file of an enrolled deck: it holds deck, set and cards alone, and here stands {named}")
    deck_id, set_id, cards = data.get("deck"), data.get("set"), data.get("cards")
    if not isinstance(deck_id, str) or not isinstance(set_id, str):
        raise RegistryError("a registry needs a text for deck and one for set")
    if not isinstance(cards, Mapping):
        raise RegistryError(f"deck {deck_id}: a registry needs a table 'cards' with a tag for each of 52 cards")
    tags: dict[Card, str] = {}
    for text, uid in cards.items():
        try:
            card = parse_card(str(text))
        except ValueError as error:
            raise RegistryError(f"deck {deck_id}: {error}") from None
        if card in tags:
            raise RegistryError(f"deck {deck_id}: {card.text} is listed twice")
        if not isinstance(uid, str):
            raise RegistryError(f"deck {deck_id}: the tag of {card.text} must be a text")
        tags[card] = uid
    return DeckRegistry(deck_id, set_id, tags)


def parse_registry_toml(text: str | bytes) -> DeckRegistry:
    """A registry from TOML text, or the bytes of a file; ``RegistryError`` for bad TOML and bytes that are no text too."""
    try:
        return parse_registry(tomllib.loads(text if isinstance(text, str) else text.decode()))
    except UnicodeDecodeError:
        raise RegistryError("the registry is no text: name the file of an enrolled deck") from None
    except tomllib.TOMLDecodeError as error:
        where = str(error).rpartition("(at ")[2].rstrip(")")
        raise RegistryError(f"the registry is no TOML: look at {where}") from None


def generate_registry(rng: random.Random, *, deck_id: str = "SIM", set_id: str = "SIM") -> DeckRegistry:
    """A deck for simulations, its 52 distinct tags drawn from ``rng``."""
    serials = rng.sample(range(16**10), len(DECK))
    return DeckRegistry(deck_id, set_id, {card: f"{_MAKER}{serial:010X}" for card, serial in zip(DECK, serials, strict=True)})
