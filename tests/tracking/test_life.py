"""How a deck wears: what counts as a miss of a lying card, and which cards are named before they fail."""

from __future__ import annotations

import pytest

from controller.hand.cards import DECK, Card
from controller.hand.places import Spot, parse_place
from controller.tracking.life import MAX_COUNTED, READINGS_LEAST, ReadingTally, Wear, WearSign, wear_signs
from controller.tracking.presence import PresenceFilter, PresenceSettings

SEAT = parse_place("seat/3/down")
HANDS = dict.fromkeys(DECK, 1_000)


def told(*signs: WearSign) -> set[tuple[Card | None, str]]:
    """What is told of which card."""
    return {(sign.card, sign.code) for sign in signs}


def test_misses_between_hits_count_and_nothing_else_does() -> None:
    """Two clean scans without a lying tag are misses once it is read again; a scan with an error, the way in and the way out
    are none."""
    felt = PresenceFilter(PresenceSettings(), {SEAT: frozenset(), Spot.MUCK: frozenset()})
    at = 0.0

    def scan(*tags: str, clean: bool = True, place: object = SEAT) -> None:
        nonlocal at
        at += 0.1
        felt.scan(place, tags, clean, at)  # type: ignore[arg-type]

    scan("A")
    scan("A")  # it is there from here on
    scan("A")
    scan()
    scan(clean=False)
    scan()
    scan("A")
    scan("A", place=Spot.MUCK)  # bleed: it does not lie there
    for _ in range(20):
        scan()
    assert felt.where("A") is None
    assert felt.tally.take() == {"A": Wear(readings=2, misses=2)}
    assert felt.tally.take() == {}


def test_strangers_cannot_fill_the_memory() -> None:
    """Each tag beyond the most that are counted is passed over; the known ones go on."""
    tally = ReadingTally()
    for number in range(2 * MAX_COUNTED):
        tally.note(f"{number:016X}", 0)
    tally.note(f"{0:016X}", 3)
    taken = tally.take()
    assert len(taken) == MAX_COUNTED
    assert taken[f"{0:016X}"] == Wear(2, 3)


def deck(rate: float, **others: float) -> dict[Card, Wear]:
    """A deck whose cards are all missed at ``rate``, but for ``others``, with readings enough to be judged."""
    rates = {card: others.get(card.text, rate) for card in DECK}
    return {card: Wear(round(100_000 * (1 - own)), round(100_000 * own)) for card, own in rates.items()}


@pytest.mark.parametrize(
    ("middle", "own", "is_named"),
    [
        (0.00, 0.019, False),  # below what any card is replaced for
        (0.00, 0.021, True),
        (0.02, 0.059, False),  # less than three times the middle card
        (0.02, 0.061, True),
        (0.05, 0.099, False),
        (0.05, 0.101, True),  # beyond what the presence filter is made for
    ],
)
def test_a_card_is_worn_by_the_stated_rule(middle: float, own: float, is_named: bool) -> None:
    """Three times the middle card, at least 2 %, and always above 10 %: exactly there, and no other card is named."""
    card = DECK[7]
    assert told(*wear_signs(HANDS, deck(middle, **{card.text: own}))) == ({(card, "deck.worn")} if is_named else set())


def test_few_readings_say_nothing() -> None:
    """A card with half its scans missed is named from the least number of readings on, and not before."""
    card = DECK[0]
    for readings, expected in ((READINGS_LEAST - 1, set()), (READINGS_LEAST, {(card, "deck.worn")})):
        assert told(*wear_signs(HANDS, {card: Wear(readings, readings)})) == expected


def test_a_card_that_the_shoe_does_not_read() -> None:
    """Three unread draws of a thousand hands are far more than a camera's 0.19; of a hundred thousand hands they are fewer."""
    wear = {DECK[4]: Wear(unread=3), DECK[5]: Wear(unread=2)}
    assert told(*wear_signs(HANDS, wear)) == {(DECK[4], "deck.unread")}
    assert told(*wear_signs(dict.fromkeys(DECK, 100_000), wear, life_hands=0)) == set()


def test_age_is_told_once_and_counts_the_cards() -> None:
    """At nine tenths of the stated life the deck is told as one, without the card that was replaced; 0 states no life."""
    hands = dict.fromkeys(DECK, 900) | {DECK[3]: 10}
    (sign,) = wear_signs(hands, {}, life_hands=1_000)
    assert (sign.card, sign.code, dict(sign.values)) == (None, "deck.old", {"hands": 900, "life": 1_000, "count": 51})
    assert wear_signs(dict.fromkeys(DECK, 899), {}, life_hands=1_000) == ()
    assert wear_signs(hands, {}, life_hands=0) == ()
