"""Which tag is in which card: the steps of enrolling a deck at a desk reader, and of checking one by identity (R-DECK-01).

Pure: a scan of the desk's antenna goes in, what to tell the person comes out. Nothing is half enrolled: ``registry`` is there
when every card has a tag, and not before. No ``repr`` shows a tag.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from controller.hand.cards import DECK, Card
from controller.tracking.registry import DeckRegistry, tag_fault

SAME_SCANS: Final = 2
"""Scans in a row that must show one tag alone before it is taken."""
EMPTY_SCANS: Final = 2
"""Clean scans in a row without a tag before the card counts as lifted."""


class Said(NamedTuple):
    """What the person is told: the key of its text, and the values of it."""

    code: str
    values: Mapping[str, str | int] = {}


class Enrolment:
    """Cards laid on the desk one after the other, each taken when it lies alone. ``known``: tags of other cards."""

    def __init__(self, cards: Sequence[Card] = DECK, *, known: Mapping[Card, str] | None = None) -> None:
        self._cards = tuple(cards)
        kept = {card: uid for card, uid in (known or {}).items() if card not in cards}
        self._tags: dict[Card, str] = kept
        self._kept = len(kept)
        self._last = ""
        self._same = 0
        self._empty = EMPTY_SCANS
        self._several = False

    def __repr__(self) -> str:
        return f"Enrolment({self.done} of {len(self._cards)})"

    @property
    def done(self) -> int:
        """Cards that have been taken."""
        return len(self._tags) - self._kept

    @property
    def total(self) -> int:
        """Cards that are to be taken."""
        return len(self._cards)

    @property
    def card(self) -> Card | None:
        """The card that is to be laid on the desk next; ``None`` when all are taken."""
        return self._cards[self.done] if self.done < len(self._cards) else None

    def scan(self, tags: Collection[str], *, clean: bool) -> Said | None:
        """What one scan leads to: a card taken, or what is wrong with what lies there; each is told once."""
        if len(tags) > 1:
            self._same, told = 0, self._several
            self._several = True
            return None if told else Said("deck.several", {"tags": len(tags)})
        if not clean:
            return None
        self._several = False
        if not tags:
            self._empty += 1
            if self._empty >= EMPTY_SCANS or self._same < SAME_SCANS:  # lifted, or it was only passing
                self._last, self._same = "", 0
            return None
        self._empty = 0
        (tag,) = tags
        return self._one(tag.upper())

    def _one(self, tag: str) -> Said | None:
        if tag == self._last:  # it still lies there
            self._same += 1
            return self._settled(tag) if self._same == SAME_SCANS else None
        self._last, self._same = tag, 1
        return None

    def _settled(self, tag: str) -> Said | None:
        card = self.card
        if card is None:
            return None
        fault = tag_fault(tag)
        if fault is not None:
            return Said(f"deck.tag_{fault}")
        owner = next((known for known, uid in self._tags.items() if uid == tag), None)
        if owner is not None:
            return Said("deck.known", {"card": owner.text, "wanted": card.text})
        self._tags[card] = tag
        return Said("deck.taken", {"card": card.text, "done": self.done, "total": self.total})

    def back(self) -> Said:
        """The card taken last was another one: its tag is forgotten, and it is asked for again."""
        if not self.done:
            return Said("deck.nothing_taken")
        card = self._cards[self.done - 1]
        del self._tags[card]
        self._last, self._same = "", 0
        return Said("deck.taken_back", {"card": card.text})

    def registry(self, deck_id: str, set_id: str) -> DeckRegistry:
        """The deck. ``RegistryError`` while a card has no tag."""
        return DeckRegistry(deck_id, set_id, self._tags)


class DeckCheck:
    """The cards of one deck as they pass the desk reader, in any order, one or many at a time."""

    def __init__(self, registry: DeckRegistry) -> None:
        self._registry = registry
        self._seen: set[Card] = set()
        self._strangers: set[str] = set()

    def __repr__(self) -> str:
        return f"DeckCheck({len(self._seen)} seen, {self.foreign} foreign)"

    def scan(self, tags: Collection[str]) -> bool:
        """Note what one scan shows; whether something was new."""
        before = len(self._seen) + len(self._strangers)
        for tag in tags:
            card = self._registry.card(tag.upper())
            if card is None:
                self._strangers.add(tag.upper())
            else:
                self._seen.add(card)
        return len(self._seen) + len(self._strangers) > before

    @property
    def seen(self) -> int:
        """Cards of the deck that were seen."""
        return len(self._seen)

    @property
    def foreign(self) -> int:
        """Tags that belong to no card of this deck."""
        return len(self._strangers)

    @property
    def missing(self) -> tuple[Card, ...]:
        """Cards that were not seen, in the order of a new deck."""
        return tuple(card for card in DECK if card not in self._seen)

    @property
    def whole(self) -> bool:
        """All 52 were seen, and nothing else (R-DECK-01)."""
        return not self.missing and not self._strangers
