"""Texts in every language at once, so that a page switches in place: ``{"en": …, "fr": …}``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from controller.hand.why import Reading
from controller.words.catalogue import Language, text
from controller.words.places import place_words
from controller.words.reasons import reading_words, seats_words

Said: TypeAlias = dict[str, str]
"""A text by the code of its language."""

_SUITS: Final = {"c": "suit.clubs", "d": "suit.diamonds", "h": "suit.hearts", "s": "suit.spades"}


def say(key: str, /, **values: str | int | Said) -> Said:
    """The text of ``key`` in each language; a value may be a text itself. ``KeyError`` for what no catalogue has."""
    return {
        language.value: text(
            key,
            language,
            **{name: value[language.value] if isinstance(value, dict) else value for name, value in values.items()},
        )
        for language in Language
    }


def plain(words: str | int) -> Said:
    """What reads the same everywhere: a name, a number."""
    return {language.value: str(words) for language in Language}


def both(en: str, fr: str) -> Said:
    """A text that is written already."""
    return {Language.EN.value: en, Language.FR.value: fr}


def joined(parts: Iterable[Said], between: str) -> Said:
    """``parts`` one behind the other."""
    listed = list(parts)
    return {language.value: between.join(part[language.value] for part in listed) for language in Language}


def seats_said(seats: Sequence[int]) -> Said:
    """Seats as in a sentence."""
    return {language.value: seats_words(tuple(seats), language) for language in Language}


def place_said(place: str | None) -> Said:
    """A place in the words that people use."""
    return {language.value: place_words(place, language) for language in Language}


def reading_said(kind: str, ranks: str) -> Said:
    """How a tabled hand reads."""
    return {language.value: reading_words(Reading(kind, ranks), language) for language in Language}


def card_said(card: str) -> Said:
    """``Td`` as it is spoken: ten of diamonds."""
    return say("ui.say.card", rank=say(f"ui.rank.{card[0]}"), suit=say(_SUITS[card[1]]))
