"""Who may know which card when, from the world's own truth; and a reader who looks for cards in everything that is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from simulators.felt import FULL_DECK, PACKET, SHOE, Felt

_CARD: Final = re.compile(r"(?<![0-9A-Za-z])([2-9TJQKA]|10)([cdhsCDHS♣♦♥♠])(?![0-9A-Za-z])")
OLD_S: Final = 0.02
"""Virtual seconds after the start of a hand in which a message about the last one may still be on its way."""
_UNREADABLE: Final = frozenset(("sealed", "key", "shares"))
"""Fields of ciphertext and keys, whose letters name nothing."""
_SUITS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}


def cards_in(text: str) -> Iterator[str]:
    """Every card that ``text`` names as a word, in any writing."""
    for rank, suit in _CARD.findall(text):
        yield ("T" if rank == "10" else rank) + _SUITS.get(suit, suit.lower())


def words_in(value: object) -> Iterator[str]:
    """Every text in a JSON value, names of fields too, but ciphertext."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield str(key)
            yield from words_in(part if key not in _UNREADABLE else None)
    elif isinstance(value, list):
        for part in value:
            yield from words_in(part)


class Truth:
    """When each card of each deal became public, by the felt's own record: laid open at a live seat, common, or tabled.

    A deal begins when a whole packet is loaded. Who folds, who shows and when a hand starts is told by whoever sees the dealer.
    """

    def __init__(self, felt: Felt, *, old_s: float = OLD_S) -> None:
        self._felt = felt
        self._old_s = old_s
        self._read = 0
        self._dead: set[int] = set()
        self._loading = 0
        self._public: list[dict[str, float]] = [{}]
        self._hands: dict[int, int] = {}
        self._started_at = float("inf")
        self._of_old = self._of_new = 0
        """The deals with which the last hand and the one now began. More than one packet may be loaded between two hands."""

    def started(self, at: float, hand: int | None = None) -> None:
        """A hand has started: the last one is gone from every screen shortly after. ``hand`` is its number, for ``of_hand``."""
        self._look()
        self._started_at = at
        self._of_old, self._of_new = self._of_new, len(self._public) - 1
        if hand is not None:
            self._hands[hand] = len(self._public) - 1

    def folded(self, seat: int) -> None:
        """What is dealt to the seat from now on is a ghost's card and not public (R-DEAL-06)."""
        self._look()
        self._dead.add(seat)

    def plays_again(self, seats: frozenset[int]) -> None:
        """Folds were taken back, or hands retrieved: what is dealt to these seats from now on is open (R-RULE-02, R-ERR-07)."""
        self._look()
        self._dead -= seats

    def tabled(self, seat: int, at: float) -> None:
        """The seat shows all its cards."""
        self._look()
        for place in self._felt.of_seat(seat):
            for card in self._felt.cards_at(place):
                self._public[-1].setdefault(card, at)

    def shown(self, card: str, at: float) -> None:
        """Everybody has seen ``card``, wherever it lies: a down card that fell open, say."""
        self._look()
        self._public[-1].setdefault(card, at)

    def may_name(self, at: float, old_s: float | None = None) -> frozenset[str]:
        """Cards that anybody may name at ``at``: of the hand on the table, and of the last one until the next hand starts, or by
        ``old_s`` later where a message may be on its way longer or less long than others."""
        self._look()
        first = self._of_old if at <= self._started_at + (self._old_s if old_s is None else old_s) else self._of_new
        return frozenset(card for deal in self._public[first:] for card, since in deal.items() if since <= at)

    def of_hand(self, hand: int, at: float) -> frozenset[str]:
        """Cards that an event of ``hand`` may name at ``at``, however late it comes."""
        self._look()
        first, after = self._hands.get(hand, 0), self._hands.get(hand + 1, len(self._public))
        return frozenset(card for deal in self._public[first:after] for card, since in deal.items() if since <= at)

    @property
    def deals(self) -> int:
        """Whole packets that were loaded so far."""
        self._look()
        return len(self._public) - 1

    def since(self, deal: int) -> Mapping[str, float]:
        """Cards of the ``deal``-th whole packet that became public, and when."""
        self._look()
        return dict(self._public[deal])

    def public_in(self, deal: int) -> frozenset[str]:
        """Cards of the ``deal``-th whole packet, counted from 1, that became public at all."""
        self._look()
        return frozenset(self._public[deal])

    def _look(self) -> None:
        for move in self._felt.moves_after(self._read):
            if move.number != self._read + 1:
                raise RuntimeError("moves were forgotten before they were read: look more often")
            self._read = move.number
            self._loading = self._loading + 1 if (move.origin, move.target) == (PACKET, SHOE) else 0
            if self._loading == len(FULL_DECK):
                self._public.append({})
                self._dead.clear()
                self._of_old = self._of_new
                self._started_at = float("inf")
            elif move.target == "community" or (move.target.endswith("/up") and int(move.target.split("/")[1]) not in self._dead):
                self._public[-1].setdefault(move.card, move.at)


class Listener:
    """Reads everything that is told and notes each card that was not public, and each tag. Counts what it has read."""

    def __init__(self, truth: Truth, tags: Mapping[str, str]) -> None:
        self._truth = truth
        self._tags = [uid.lower() for uid in tags.values()]
        self._all_tags = _common_start(self._tags)
        """With what each of them begins: a text without it names none."""
        self.leaks: list[str] = []
        self.read = 0
        self.cards_seen = 0

    def hear(self, where: str, payload: bytes | str, at: float, *, old_s: float | None = None) -> None:
        """``payload`` was told ``where`` (a topic, a path) at ``at``; JSON is read text by text, everything else as one.
        ``old_s`` as for ``Truth.may_name``."""
        text = payload.decode() if isinstance(payload, bytes) else payload
        self._judge(f"{where} at {at:.3f}", text, self._truth.may_name(at, old_s))

    def hear_events(self, where: str, payload: bytes, at: float, events: Iterable[Mapping[str, Any]]) -> None:
        """``payload`` holds ``events`` of hands, which may come late: each may name what was public in its own hand."""
        if self._names_a_tag(payload.decode()):
            self.leaks.append(f"{where} at {at:.3f}: a tag")
        for event in events:
            self._judge(f"{where} at {at:.3f}", json.dumps(event), self._truth.of_hand(int(event.get("hand") or 0), at))

    def _names_a_tag(self, text: str) -> bool:
        lower = text.lower()
        return self._all_tags in lower and any(uid in lower for uid in self._tags)

    def read_journal(self, bodies: Iterable[Mapping[str, Any]]) -> None:
        """The clear side of a journal: each card in it became public in its own deal."""
        deal = 0
        for body in bodies:
            deal += body["type"] == "DeckInShoe" and body["cards"] == len(FULL_DECK)
            self._judge(f"{body['type']} of deal {deal}", json.dumps(body, ensure_ascii=False), self._truth.public_in(deal))

    def _judge(self, where: str, text: str, public: frozenset[str]) -> None:
        self.read += 1
        if self._names_a_tag(text):
            self.leaks.append(f"{where}: a tag")
        named = set(cards_in(text))  # quotes bound a word too; only where ciphertext may stand must the text be taken apart
        if named - public:
            named = {card for word in words_in(_parsed(text)) for card in cards_in(word)}
        self.cards_seen += len(named)
        self.leaks += [f"{where}: {card} in {text[:300]}" for card in sorted(named - public)]


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts, default=""), max(texts, default="")
    return first[: next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
