"""The catalogues of texts."""

from __future__ import annotations

import re

import pytest

from controller.words.catalogue import Language, catalogue, placeholders, text


def test_both_languages_have_the_same_keys() -> None:
    """No text exists in one language alone."""
    assert set(catalogue(Language.EN)) == set(catalogue(Language.FR))


def test_both_languages_want_the_same_values() -> None:
    """A text needs the same placeholders in both languages, and they are plain names."""
    english, french = catalogue(Language.EN), catalogue(Language.FR)
    odd = [key for key in english if placeholders(english[key]) != placeholders(french.get(key, ""))]
    assert odd == []


def test_no_text_is_empty_or_padded() -> None:
    """Every text says something, without spaces at its ends."""
    odd = [key for language in Language for key, said in catalogue(language).items() if not said or said != said.strip()]
    assert odd == []


def test_french_typography() -> None:
    """No-break space before : ; ? ! and the typographic apostrophe."""
    odd = [key for key, said in catalogue(Language.FR).items() if re.search(r"[^\u00a0\u202f\d][:;?!](\s|$)|'", said)]
    assert odd == []


def test_a_text_is_filled_in() -> None:
    """Placeholders take their values."""
    assert text("verb.raise", Language.FR, x=16) == "Relancer à 16"


def test_a_missing_key_or_value_is_named() -> None:
    """``KeyError`` says which key or placeholder is missing."""
    with pytest.raises(KeyError, match=r"no\.such"):
        text("no.such", Language.EN)
    with pytest.raises(KeyError, match="x"):
        text("verb.raise", Language.EN)


@pytest.mark.parametrize("template", ["{}", "{0}", "{x!r}", "{x:>3}", "{x.real}", "{x[0]}"])
def test_only_plain_placeholders_are_allowed(template: str) -> None:
    """A template cannot reach into a value."""
    with pytest.raises(ValueError, match="write placeholders"):
        placeholders(template)


def test_the_question_before_play_goes_on_names_no_cause() -> None:
    """It is asked after a start, a pause and a disk that was full or slow alike: none of them may be told as another."""
    for language, started in (("en", "restart"), ("fr", "redémarr")):
        assert started not in text("ui.banner.resume.sub", Language(language)).lower()
