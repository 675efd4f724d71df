"""Canonical JSON: one text per value, so that equal events have equal hashes.

Keys sorted by code point, no spaces, UTF-8, no escapes but those JSON demands. Values are ``None``, ``bool``, ``int`` of
64 bits, ``str``, lists and dicts with ``str`` keys, and of exactly these types: a float has no single text, and a subclass of
``int`` may be a card that must not get here by accident.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NoReturn, TypeAlias

JsonValue: TypeAlias = "bool | int | str | list[JsonValue] | dict[str, JsonValue] | None"
Body: TypeAlias = dict[str, JsonValue]

MAX_DEPTH: Final = 32
"""Deepest nesting of lists and dicts."""
MAX_BODY_BYTES: Final = 256 * 1024
"""Longest canonical text."""
MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1

_TEXT_OF: Final = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode

_PLAIN: Final = frozenset((str, bool, type(None)))
_CHECKED: Final = frozenset((int, list, dict))


class NotCanonicalError(ValueError):
    """The value or text has no canonical form; the message names type or place, never the content."""


def canonical(value: Mapping[str, object]) -> bytes:
    """The canonical text of an event's body; ``NotCanonicalError`` for a float, a foreign type or one past a bound."""
    body = value if type(value) is dict else dict(value)
    _check_dict(body, 1)
    try:
        text = _TEXT_OF(body).encode()
    except UnicodeEncodeError:
        raise NotCanonicalError("text holds a lone surrogate: it has no UTF-8 form") from None
    if len(text) > MAX_BODY_BYTES:
        raise NotCanonicalError(f"body of {len(text)} bytes: at most {MAX_BODY_BYTES} are allowed")
    return text


def _check(value: object, depth: int) -> None:
    kind = type(value)
    if kind in _PLAIN:
        return
    if kind not in _CHECKED:
        raise NotCanonicalError(f"a value of type {kind.__name__} has no canonical form")
    if isinstance(value, int):
        if not MIN_INT <= value <= MAX_INT:
            raise NotCanonicalError("whole number beyond 64 bits")
    elif depth >= MAX_DEPTH:
        raise NotCanonicalError(f"nesting deeper than {MAX_DEPTH}")
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    elif isinstance(value, dict):
        _check_dict(value, depth + 1)


def _check_dict(value: Mapping[str, object], depth: int) -> None:
    for key, item in value.items():
        if type(key) is not str:
            raise NotCanonicalError(f"a key of type {type(key).__name__} has no canonical form")
        if type(item) not in _PLAIN:
            _check(item, depth)


def parse_canonical(text: bytes) -> Body:
    """The body whose canonical text is exactly ``text``; ``NotCanonicalError`` for anything else, byte for byte."""
    if len(text) > MAX_BODY_BYTES:
        raise NotCanonicalError(f"body of {len(text)} bytes: at most {MAX_BODY_BYTES} are allowed")
    try:
        written = text.decode()
        value, end = _VALUE_OF(written)
        same = type(value) is dict and end == len(written)
        if same:
            _check_dict(value, 1)
            same = _TEXT_OF(value) == written
    except NotCanonicalError:
        raise
    except (ValueError, RecursionError):
        raise NotCanonicalError("not JSON in UTF-8") from None
    if not same:
        raise NotCanonicalError("not an object in canonical form")
    body: Body = value
    return body


def _refuse_number(_: str) -> NoReturn:
    raise NotCanonicalError("a fraction or exponent has no canonical form")


_VALUE_OF: Final = json.JSONDecoder(parse_float=_refuse_number, parse_constant=_refuse_number).raw_decode
