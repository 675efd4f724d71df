"""Canonical JSON: one text per value, nothing that could have two or hide a card."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.hand.cards import Card
from controller.journal.canonical import (
    MAX_BODY_BYTES,
    MAX_DEPTH,
    MAX_INT,
    MIN_INT,
    NotCanonicalError,
    canonical,
    parse_canonical,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(MIN_INT, MAX_INT) | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)
BODIES = st.dictionaries(TEXTS, VALUES, max_size=6)


@given(BODIES)
def test_a_body_comes_back_as_it_was(body: dict[str, Any]) -> None:
    """Parsing the canonical text gives the same values of the same types."""
    assert repr(parse_canonical(canonical(body))) == repr(_sorted(body))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


@given(BODIES, st.randoms(use_true_random=False))
def test_the_order_of_keys_never_shows(body: dict[str, Any], random: Any) -> None:
    """Two dicts that are equal have one text, however they were filled."""
    items = list(body.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(body)


def test_the_text_is_pinned_byte_for_byte() -> None:
    """Sorted by code point, no spaces, UTF-8 without escapes but those JSON demands."""
    body = {"b": [1, True, None, {"z": -1, "a": '▮ " \\ \n'}], "B": "Ä", "": MIN_INT}
    assert canonical(body) == '{"":-9223372036854775808,"B":"Ä","b":[1,true,null,{"a":"▮ \\" \\\\ \\n","z":-1}]}'.encode()


@pytest.mark.parametrize(
    "value", [1.0, float("nan"), (1,), b"x", {1}, Card(51), MAX_INT + 1, MIN_INT - 1, "\ud800", {1: 2}, {True: 1}, [[2.5]]]
)
def test_what_has_no_single_text_is_refused(value: object) -> None:
    """Floats, foreign types, cards, huge numbers, lone surrogates and keys that are no text are refused."""
    with pytest.raises(NotCanonicalError):
        canonical({"value": value})


def test_a_refusal_never_tells_the_value() -> None:
    """The error names the type alone."""
    with pytest.raises(NotCanonicalError, match=r"^a value of type float has no canonical form$"):
        canonical({"card": 51.5})


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":NaN}',
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a":"\\u0041"}',
        b'{"a":01}',
        b'{"a":-0}',
        b"[1]",
        b"1",
        b"",
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',
        b"[" * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
    ],
)
def test_a_text_that_is_not_canonical_is_refused(text: bytes) -> None:
    """Another spelling of a body is another text, and no journal of ours holds it."""
    with pytest.raises(NotCanonicalError):
        parse_canonical(text)


@given(BODIES)
def test_ordinary_json_readers_read_it(body: dict[str, Any]) -> None:
    """The canonical text is JSON."""
    assert json.loads(canonical(body)) == body


def test_nesting_one_past_the_bound_is_refused() -> None:
    """MAX_DEPTH levels pass, one more does not."""
    value: Any = 0
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    canonical({"a": value})
    with pytest.raises(NotCanonicalError, match="nesting"):
        canonical({"a": [value]})


def test_a_body_one_byte_past_the_bound_is_refused() -> None:
    """MAX_BODY_BYTES pass both ways, one more does not."""
    frame = len(canonical({"a": ""}))
    text = canonical({"a": "x" * (MAX_BODY_BYTES - frame)})
    assert len(text) == MAX_BODY_BYTES
    parse_canonical(text)
    with pytest.raises(NotCanonicalError, match="bytes"):
        canonical({"a": "x" * (MAX_BODY_BYTES - frame + 1)})
    with pytest.raises(NotCanonicalError, match="bytes"):
        parse_canonical(text + b" ")
