"""Places of the felt in the words that people use."""

from __future__ import annotations

from controller.hand.places import SeatPlace, Zone, parse_place
from controller.words.catalogue import Language, text


def place_words(place: str | None, language: Language) -> str:
    """``seat/3/up`` as "seat 3, up cards"; ``None``, where nobody knows the place, as "an unknown place"."""
    if place is None:
        return text("place.unknown", language)
    where = parse_place(place)
    if not isinstance(where, SeatPlace):
        return text(f"place.{where.value}", language)
    if where.zone is Zone.ANY:
        return text("place.seat", language, n=where.seat)
    return text(f"place.{where.zone.value}", language, n=where.seat)


def hold_text(code: str, place: str | None, language: Language) -> str:
    """Why play stopped and the way out, in one or two sentences; names a place, never a card."""
    return text(f"hold.{code}", language, place=place_words(place, language))
