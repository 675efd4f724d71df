"""Texts that people read, from TOML files in each language: flat keys, ``{name}`` placeholders, the same in both.

French follows French typography: a no-break space before ``: ; ? !`` (the file has a plain one, which nobody can mistake)
and ’ as apostrophe; *avenue* is a street, *coup* a deal, *main* the cards.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib import resources
from string import Formatter
from types import MappingProxyType
from typing import Final


class Language(Enum):
    """A language of screens; the value is its ISO 639-1 code, which its files are named after."""

    EN = "en"
    FR = "fr"


_PARTS: Final = (
    "",
    "console.",
    "reasons.",
    "rule_card.",
    "devices.",
    "calibrate.",
    "floor.",
    "floor_alarms.",
    "history.",
    "room.",
    "install.",
    "cards.",
)
"""Screens and refusals; the dealer's console; reasons; posted rules; devices and a table's check; its calibration;
the floor, its alarms, the hands played there, who waits and deals; questions of an installation; cards on paper."""
_FILES: Final = tuple(f"{part}{{}}.toml" for part in _PARTS)


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """Key → template; ``ValueError`` for a file that holds anything but strings, or a key of another file."""
    entries: dict[str, str] = {}
    for file in _FILES:
        name = file.format(language.value)
        more = tomllib.loads(resources.files("controller.words").joinpath(name).read_text(encoding="utf-8"))
        odd = [key for key, template in more.items() if not isinstance(template, str)]
        if odd:
            raise ValueError(f'{name}: {odd[0]!r} is no text; write keys in quotes, as "act.call" = "Call {{x}}"')
        twice = entries.keys() & more.keys()
        if twice:
            raise ValueError(f"{name}: {min(twice)!r} stands in another file already")
        entries |= more
    if language is Language.FR:
        entries = {key: _typeset_french(template) for key, template in entries.items()}
    return MappingProxyType(entries)


def _typeset_french(template: str) -> str:
    return re.sub(r" (?=[:;?!])", "\u00a0", template).replace("'", "’")


def placeholders(template: str) -> frozenset[str]:
    """Names that ``template`` wants values for; ``ValueError`` for anything but plain ``{name}``."""
    names: set[str] = set()
    for _, name, spec, conversion in Formatter().parse(template):
        if name is None:
            continue
        if spec or conversion or not name.isidentifier():
            raise ValueError(f"{template!r}: write placeholders as {{name}}")
        names.add(name)
    return frozenset(names)


def text(key: str, language: Language, /, **values: str | int) -> str:
    """The text of ``key`` with its placeholders filled.

    ``KeyError`` names a key that no catalogue has, or a placeholder without a value. Further values are passed over.
    """
    return catalogue(language)[key].format_map(values)
