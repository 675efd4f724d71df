"""Cards and tags in every usual spelling: what a scanner of everything that a table emits looks for.

Beside the short names that ``controller.simulate.secrets`` reads: names in words in English and French, suit first, playing
card glyphs, numbers 0 to 51 behind a telling key; tags in hexadecimal of either case and byte order, parted or not, as a number,
in base64 and as bare bytes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from controller.hand.cards import DECK
from controller.simulate.secrets import Listener, Truth

_RANKS: Final[Mapping[str, str]] = {
    **{name: rank for rank in "23456789TJQKA" for name in (rank.lower(),)},
    **dict(zip(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), "23456789T", strict=True)),
    **dict(zip(("deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"), "23456789T", strict=True)),
    "10": "T",
    "deuce": "2",
    "trey": "3",
    "jack": "J",
    "queen": "Q",
    "king": "K",
    "ace": "A",
    "valet": "J",
    "dame": "Q",
    "roi": "K",
    "as": "A",
}
_SUITS: Final[Mapping[str, str]] = {
    "club": "c",
    "diamond": "d",
    "heart": "h",
    "spade": "s",
    "trèfle": "c",
    "trefle": "c",
    "carreau": "d",
    "cœur": "h",
    "coeur": "h",
    "pique": "s",
}
_WORDS: Final = re.compile(
    rf"(?<!\w)({'|'.join(sorted(_RANKS, key=len, reverse=True))})[\s_-]*(?:of|de)?[\s_-]*({'|'.join(_SUITS)})s?(?!\w)"
)
_SUIT_FIRST: Final = re.compile(r"(?<![0-9TJQKAtjqka])([♣♦♥♠])([2-9TJQKA]|10)(?![0-9A-Za-z])")
_GLYPHS: Final = re.compile("[\U0001f0a1-\U0001f0ae\U0001f0b1-\U0001f0be\U0001f0c1-\U0001f0ce\U0001f0d1-\U0001f0de]")
_GLYPH_RANKS: Final = ".A23456789TJ.QK."
_SYMBOLS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_NUMBER: Final = re.compile(r"[\"'](?:card|card_?id|hole|face|hidden)[\"']?\s*[:=]\s*(\d{1,2})(?![\d.])", re.IGNORECASE)
_NUMBERS: Final = re.compile(
    r"[\"'](?:cards|down|holes?|faces|burns)[\"']?\s*[:=]\s*\[\s*(\d{1,2}(?:\s*,\s*\d{1,2})*)\s*\]", re.IGNORECASE
)
_HEX: Final = re.compile(r"[0-9a-f]{16,}")
_DECIMAL: Final = re.compile(r"\d{17,20}")
_BASE64: Final = re.compile(r"[0-9A-Za-z+/_-]{11}=")


def spelled_cards(text: str) -> Iterator[str]:
    """Cards that ``text`` names in words, by glyphs, suit first or by number; not those under their short names."""
    lower = text.lower()
    if any(suit in lower for suit in _SUITS):
        yield from (_RANKS[rank] + _SUITS[suit] for rank, suit in _WORDS.findall(lower))
    if not text.isascii():
        yield from (("T" if rank == "10" else rank) + _SYMBOLS[suit] for suit, rank in _SUIT_FIRST.findall(text))
        for glyph in _GLYPHS.findall(text):
            suit, rank = divmod(ord(glyph) - 0x1F0A0, 16)
            if _GLYPH_RANKS[rank] != ".":
                yield _GLYPH_RANKS[rank] + "shdc"[suit]
    yield from (DECK[int(number)].text for number in _NUMBER.findall(text) if int(number) < len(DECK))
    for numbers in _NUMBERS.findall(text):
        yield from (DECK[int(number)].text for number in numbers.split(",") if int(number) < len(DECK))


class Tags:
    """Tag numbers of a deck, found in any writing."""

    def __init__(self, tags: Iterable[str]) -> None:
        raw = [bytes.fromhex(tag) for tag in tags]
        both = [*raw, *(uid[::-1] for uid in raw)]
        self._bare = both
        self._hex = {uid.hex() for uid in both}
        self._decimal = {str(int.from_bytes(uid, "big")) for uid in both}
        self._base64 = {b64encode(uid).decode() for uid in both}

    def told_in(self, text: str) -> bool:
        """Whether ``text`` tells one of them."""
        close = re.sub(r"(?<=[0-9a-f]{2})(?::|-| |0x|,|\\x)+(?=[0-9a-f]{2})", "", text.lower())
        return (
            any(uid in run for run in _HEX.findall(close) for uid in self._hex)
            or any(run in self._decimal for run in _DECIMAL.findall(text))
            or any(run in self._base64 for run in _BASE64.findall(text))
        )

    def bare_in(self, data: bytes) -> bool:
        """Whether ``data`` holds the bytes of one of them, in either order, or tells one."""
        return any(uid in data for uid in self._bare) or self.told_in(data.decode("latin-1"))


class Scanner(Listener):
    """A listener that knows every spelling."""

    def __init__(self, truth: Truth, tags: Mapping[str, str]) -> None:
        super().__init__(truth, tags)
        self._every = Tags(tags.values())

    def _judge(self, where: str, text: str, public: frozenset[str]) -> None:
        super()._judge(where, text, public)
        named = set(spelled_cards(text)) - public
        self.leaks += [f"{where}: {card}, spelled in {text[:300]}" for card in sorted(named)]
        if self._every.told_in(text):
            self.leaks.append(f"{where}: a tag, in some writing")

    def read_files(self, folder: Path, *, but: Iterable[str] = ()) -> int:
        """Every byte of the files under ``folder`` except those called ``but``; how many bytes. Nothing there names a card in
        words, glyphs or numbers, nor a tag. Short names, which up cards have too, are judged record by record."""
        size = 0
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name in but:
                continue
            data = path.read_bytes()
            size += len(data)
            if self._every.bare_in(data):
                self.leaks.append(f"{path.name}: a tag")
            self.leaks += [f"{path.name}: {card}" for card in set(spelled_cards(data.decode("utf-8", errors="replace")))]
        return size
