"""The scanner's own eyes: every usual spelling of a card and of a tag is read, and what is none is left alone."""

from __future__ import annotations

import pytest

from support.spellings import Tags, spelled_cards

TAG = "E00401009A3B7C21"


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("ace of spades", "As"),
        ("The Ace of Spades!", "As"),
        ("ACE_OF_SPADES", "As"),
        ("10 of hearts", "Th"),
        ("l'as de pique", "As"),
        ("Dix de cœur", "Th"),
        ("roi de trèfle", "Kc"),
        ("dame carreau", "Qd"),
        ("\u2660A", "As"),
        ("\U0001f0a1", "As"),
        ("\U0001f0ce", "Kd"),
        ('{"card": 51}', "As"),
        ("{'card_id': 0}", "2c"),
        ('"down": [51, 3]', "As"),
    ],
)
def test_a_card_is_read(text: str, card: str) -> None:
    """In words of both languages, by glyph, suit first, by number."""
    assert card in set(spelled_cards(text))


@pytest.mark.parametrize(
    "text", ["as he said", '{"cards": 52}', '{"card": 52}', '{"seq": 12}', "hearts are trumps", "9\u2660 8\u2665", "six players"]
)
def test_what_is_no_card_is_left(text: str) -> None:
    """Counts, words, and short names, which others read."""
    assert set(spelled_cards(text)) == set()


@pytest.mark.parametrize(
    "text",
    [
        TAG,
        TAG.lower(),
        "e0:04:01:00:9a:3b:7c:21",
        "E0 04 01 00 9A 3B 7C 21",
        "217c3b9a000104e0",
        str(int(TAG, 16)),
        "4AQBAJo7fCE=",
        "b'\\xe0\\x04\\x01\\x00\\x9a\\x3b\\x7c\\x21'",
    ],
)
def test_a_tag_is_read(text: str) -> None:
    """In hexadecimal, parted, reversed, as a number and in base64; as bare bytes in a file."""
    tags = Tags([TAG])
    assert tags.told_in(f'{{"x": "{text}"}}')
    assert tags.bare_in(b"before" + bytes.fromhex(TAG) + b"after")
    assert not tags.told_in("E00401009A3B7C22 and 16142130983046478000")
