"""Texts of a calibration in both languages: places by their names, numbers as the language writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controller.words.catalogue import Language, text
from controller.words.places import place_words

_THOUSAND: Final = 1000
_THOUSANDTH: Final = 1e-3

Value: TypeAlias = str | int | float


def number(value: float, language: Language) -> str:
    """Three significant digits, thousands apart; what is below a thousandth as a power of ten. A comma in French."""
    if abs(value) >= _THOUSAND:
        step = 10 ** (math.floor(math.log10(abs(value))) - 2)
        written = f"{round(value / step) * step:,}"
        return written.replace(",", "\u202f") if language is Language.FR else written
    written = f"{value:.3g}" if abs(value) >= _THOUSANDTH or value == 0 else f"{value:.0e}"
    return written.replace(".", ",") if language is Language.FR else written


def words(code: str, language: Language, values: Mapping[str, Value]) -> str:
    """The text of ``code``. Values named ``place`` and ``other`` are places, ``places`` several; fractions are written as
    the language does; ``key`` is the place as commands take it."""
    return text(
        code,
        language,
        key=str(values.get("place", "")),
        **{name: _value(name, value, language) for name, value in values.items()},
    )


def _value(name: str, value: Value, language: Language) -> str | int:
    if isinstance(value, float):
        return number(value, language)
    if isinstance(value, int):
        return value
    if name in ("place", "other"):
        return place_words(value, language)
    if name == "places":
        return "; ".join(place_words(place, language) for place in value.split(", "))
    return value


@dataclass(frozen=True, slots=True)
class Verdict:
    """One thing that does not hold: the place it is about, its code, the values of its text, and whether
    the figures are many enough to be sure."""

    about: str
    code: str
    values: Mapping[str, Value]
    sure: bool = True

    def words(self, language: Language) -> str:
        """The sentence with value, bound and remedy."""
        said = words(self.code, language, self.values)
        return said if self.sure else f"{said} {text('calibrate.unsure', language)}"

    def data(self, language: Language) -> dict[str, object]:
        """As JSON tells it; both languages stand beside the chosen one."""
        return {
            "about": self.about,
            "code": self.code,
            "values": dict(self.values),
            "sure": self.sure,
            "text": self.words(language),
            "text_en": self.words(Language.EN),
            "text_fr": self.words(Language.FR),
        }
