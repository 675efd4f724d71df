"""Places in words."""

import pytest

from controller.words.catalogue import Language
from controller.words.places import hold_text, place_words


@pytest.mark.parametrize(
    ("place", "en", "fr"),
    [
        ("seat/3/up", "seat 3, up cards", "siège 3, cartes ouvertes"),
        ("seat/3", "seat 3", "siège 3"),
        ("burn", "the burns", "aux brûlées"),
        (None, "an unknown place", "un endroit inconnu"),
    ],
)
def test_a_place_is_told_in_words(place, en, fr):
    """People read places as the table calls them, in both languages."""
    assert place_words(place, Language.EN) == en
    assert place_words(place, Language.FR) == fr


def test_a_hold_names_its_place():
    """The reason of a hold names the place in words, not as a path."""
    assert "seat 4, up cards" in hold_text("wrong_place", "seat/4/up", Language.EN)
