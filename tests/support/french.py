"""English words in a French text, as the catalogues tell them apart."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from controller.words.catalogue import Language, catalogue

WORD: Final = re.compile(r"[^\W\d_]{3,}")
RULE_ID: Final = re.compile(r"\bR(?:EG)?-[A-Z0-9-]+")
NEVER_FRENCH: Final = frozenset(
    [
        "the",
        "and",
        "are",
        "there",
        "this",
        "that",
        "with",
        "from",
        "not",
        "has",
        "have",
        "must",
        "was",
        "will",
        "been",
        "such",
        "what",
        "when",
        "which",
        "into",
        "they",
        "their",
        "its",
        "your",
        "you",
        "for",
        "only",
    ]
)
"""Words that no English sentence does without for long: one that was left in the French catalogue is found by them."""
PLACEHOLDER: Final = re.compile(r"{\w+}")


@cache
def _english() -> frozenset[str]:
    """Words of the English catalogue that stand nowhere in the French one, and those that are never French."""
    english, french = (
        {word.lower() for template in catalogue(language).values() for word in WORD.findall(PLACEHOLDER.sub(" ", template))}
        for language in Language
    )
    return frozenset(english - french) | NEVER_FRENCH


def english_in(text: str) -> list[str]:
    """The English words of ``text``; ids of rules are none."""
    return sorted({word for word in WORD.findall(RULE_ID.sub(" ", text)) if word.lower() in _english()})
