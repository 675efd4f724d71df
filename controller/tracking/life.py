"""How a deck wears: hands played, what readers and shoe missed of each card, and which cards to replace before they fail.

Pure. Counts go by card and tell neither a place nor a time; what they may tell about hands is limited by when they are taken
(decision 0017). No ``repr`` shows a card with its counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Final, NamedTuple

from controller.hand.cards import DECK, Card

LIFE_HANDS: Final = 20_000
"""Hands that a deck is taken to last unless the house says otherwise: an assumption, nobody publishes one."""
LIFE_NEAR: Final = 0.9
"""Share of its life from which a deck is near its end."""
READINGS_LEAST: Final = 2_000
"""Scans of a card below which its misses say nothing: 200 s on the felt at ten scans a second."""
MISSES_LIMIT: Final = 0.10
"""Share of missed scans for which the presence filter is made: beyond it lying cards begin to count as gone (devices §6.4)."""
MISSES_FLOOR: Final = 0.02
"""Share of missed scans that no card is replaced for, however good the others are."""
TIMES_MEDIAN: Final = 3.0
"""A card that is missed so many times as often as the deck's middle card is worn, not unlucky: players lift every card alike."""
UNREAD_LEAST: Final = 3
"""Draws that the shoe did not read before a card is suspected of it."""
UNREAD_EXPECTED: Final = 1.9e-4
"""Share of draws that a camera misreads anyway (devices §6.3)."""
UNREAD_TIMES: Final = 10.0
"""How many times as often a suspected card is misread."""

MAX_COUNTED: Final = 512
"""Tags that are counted at a time: those of a deck, and strangers."""


class Wear(NamedTuple):
    """One card since it was enrolled: scans that read it, scans that missed it in between, draws that the shoe did not read."""

    readings: int = 0
    misses: int = 0
    unread: int = 0

    @property
    def miss_rate(self) -> float:
        """Share of the scans of the lying card that missed it."""
        scans = self.readings + self.misses
        return self.misses / scans if scans else 0.0

    def plus(self, other: Wear) -> Wear:
        """Both together."""
        return Wear(self.readings + other.readings, self.misses + other.misses, self.unread + other.unread)


class WearSign(NamedTuple):
    """Why a card, or the deck (``card`` ``None``), should be replaced: the key of its text and the values of it."""

    card: Card | None
    code: str
    values: Mapping[str, str | int]


class ReadingTally:
    """Counts of readings by tag, from every antenna at which the tag lies. It forgets what is taken out of it."""

    __slots__ = ("_misses", "_readings")

    def __init__(self) -> None:
        self._readings: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()

    def note(self, uid: str, missed: int) -> None:
        """A lying tag was read, after ``missed`` clean scans without it: those it lay there all the same."""
        if uid not in self._readings and len(self._readings) >= MAX_COUNTED:
            return
        self._readings[uid] += 1
        if missed:
            self._misses[uid] += missed

    def take(self) -> Mapping[str, Wear]:
        """What was counted by tag, which begins anew."""
        taken = {uid: Wear(count, self._misses[uid]) for uid, count in self._readings.items()}
        self._readings, self._misses = Counter(), Counter()
        return taken


def wear_signs(hands: Mapping[Card, int], wear: Mapping[Card, Wear], life_hands: int = LIFE_HANDS) -> tuple[WearSign, ...]:
    """What should be replaced before it fails. ``hands``: those that each card has played; ``life_hands`` 0: no stated life.

    A card is named when its scans miss it more often than the presence filter is made for, or three times as often as the
    deck's middle card, and when the shoe fails to read it far more often than a camera misreads anyway. Cards that have
    reached nine tenths of their life are told as one deck.
    """
    signs = []
    oldest = max(hands.values(), default=0)
    if life_hands and oldest >= LIFE_NEAR * life_hands:
        old = sum(count >= LIFE_NEAR * life_hands for count in hands.values())
        signs.append(WearSign(None, "deck.old", {"hands": oldest, "life": life_hands, "count": old}))
    known = {card: own for card in DECK if (own := wear.get(card, Wear())).readings >= READINGS_LEAST}
    middle = median(own.miss_rate for own in known.values()) if known else 0.0
    limit = min(MISSES_LIMIT, max(MISSES_FLOOR, TIMES_MEDIAN * middle))
    for card, own in known.items():
        if own.miss_rate > limit:
            values = {"card": card.text, "rate": _percent(own.miss_rate), "middle": _percent(middle)}
            signs.append(WearSign(card, "deck.worn", values))
    for card in DECK:
        unread = wear.get(card, Wear()).unread
        if unread >= UNREAD_LEAST and unread > UNREAD_TIMES * UNREAD_EXPECTED * hands.get(card, 0):
            signs.append(WearSign(card, "deck.unread", {"card": card.text, "count": unread}))
    return tuple(signs)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
