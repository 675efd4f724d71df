"""Texts in both languages at once."""

from __future__ import annotations

from controller.words.said import both, joined, place_said, plain, say, seats_said


def test_a_text_in_a_text_is_said_in_its_own_language() -> None:
    """A value may be a text itself."""
    said = say("unread.what", where=plain("key"), what=say("unread.missing"))
    assert (said["en"], said["fr"]) == ("key: is missing.", "key\u00a0: manque.")


def test_texts_are_joined_by_language() -> None:
    """Never one language's with the other's."""
    assert joined((both("a", "b"), plain(1)), " ") == {"en": "a 1", "fr": "b 1"}
    assert place_said("seat/3/up")["en"] != place_said("seat/3/up")["fr"]
    assert seats_said((1, 2))["en"] == "seats 1 and 2"
