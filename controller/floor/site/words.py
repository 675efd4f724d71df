"""The texts of the floor's pages, in both languages, and a short title for each alarm."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from controller.pages.shared_words import SHARED_WORDS
from controller.words.catalogue import Language, catalogue, text

TITLE: Final = "floor.title."
RULING: Final = "floor.ruling."
_RULINGS: Final = "ui.form."
"""Where the name of a ruling stands: as the sheets have it."""
_OTHERS: Final = ("ui.fault.", "ui.stop.")
"""Where an alarm's title stands when the floor has no own one: as the dealer's list of devices and the banner have it."""
_STOP: Final = "STOP · "


@cache
def page_words() -> Mapping[str, Mapping[str, str]]:
    """Key → template by language, the shared scripts' among them. ``floor.title.<code>`` is there for every alarm that the
    dealer's page has words for, ``floor.ruling.<kind>`` for every ruling."""
    return {language.value: _words(language) for language in Language}


def _words(language: Language) -> dict[str, str]:
    known = catalogue(language)
    words = {key: said for key, said in known.items() if key.startswith(("floor.", "history."))}
    words |= {key: text(key, language, **dict.fromkeys(("n", "message"), "{}")) for key in SHARED_WORDS}
    words |= {RULING + key.removeprefix(_RULINGS): said for key, said in known.items() if key.startswith(_RULINGS)}
    for prefix in _OTHERS:
        for key, said in known.items():
            if key.startswith(prefix):
                words.setdefault(TITLE + key.removeprefix(prefix), _sentence(said.removeprefix(_STOP)))
    return words


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]
