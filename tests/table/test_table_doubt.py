"""What the table makes of doubtful evidence: a card on its way, a card read in two places, a card that no reader sees."""

from __future__ import annotations

import random

import pytest
from support.table_story import TableStory

from controller.hand.cards import DECK, Card
from controller.hand.events import CardDealt, HandHeld, HoldLifted
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.table.decide import decide
from controller.table.events import CardLeft, CardReadOnce, CardReadTwice, CardSeen, CardUnseen
from controller.table.inputs import FeltIsReady, LeftFrom, ReadOnce, ReadTwice, Resume, SeenAt, UnexplainedTimeout, UnseenTimeout
from controller.table.picture import picture_of
from controller.views.dealer import dealer_view

THREE = {1: 100, 3: 100, 5: 100}
DOWN1, DOWN3, DOWN5 = (SeatPlace(seat, Zone.DOWN) for seat in (1, 3, 5))


def story() -> TableStory:
    """Three players with a hand started; nothing is dealt."""
    return TableStory(THREE).start()


def drawn(told: TableStory) -> Card:
    """The next card leaves the shoe."""
    card = told.shoe[0]
    told.draw()
    return card


def gate_is_open(told: TableStory) -> bool:
    return told.state.gate.is_open


# ---------------------------------------------------------------------- a card on its way


def test_a_card_is_taken_where_it_is_due_before_it_rests() -> None:
    """Acceptance does not wait: settling gates alarms alone."""
    told = story()
    card = drawn(told)
    told.tell(SeenAt(DOWN1, card, rests=False))
    assert told.hand.dealt == 1
    assert not told.tell(SeenAt(DOWN1, card)).events


def test_a_card_carried_past_another_seat_is_no_alarm() -> None:
    """Seen at seat 3 and gone on to seat 1 before it rests: nothing stops, and the journal has nothing of seat 3."""
    told = story()
    card = drawn(told)
    assert not told.tell(SeenAt(DOWN3, card, rests=False)).events
    assert not told.tell(LeftFrom(DOWN3, card)).events
    told.tell(SeenAt(DOWN1, card, rests=False))
    assert told.hand.dealt == 1
    assert not told.happened(HandHeld)


def test_a_card_that_rests_at_another_seat_stops_the_deal_and_moving_it_mends_it() -> None:
    """Stopped with the shoe's gate closed when it rests; free without a touch when it lies right."""
    told = story()
    card = drawn(told)
    told.tell(SeenAt(DOWN3, card, rests=False))
    assert gate_is_open(told)
    told.tell(SeenAt(DOWN3, card))
    assert (told.hold, gate_is_open(told)) == ("wrong_place", False)
    told.tell(LeftFrom(DOWN3, card))
    told.tell(SeenAt(DOWN1, card, rests=False))
    assert (told.hold, gate_is_open(told)) == (None, True)
    assert told.hand.dealt == 1


def test_a_dealt_card_that_passes_over_a_live_hand_is_no_alarm() -> None:
    """On its way to the muck it is read at seat 5: only where it rests it counts."""
    told = story()
    card = told.shoe[0]
    told.deal_one()
    told.lift(card)
    assert not told.tell(SeenAt(DOWN5, card, rests=False)).events
    told.tell(SeenAt(DOWN5, card))
    assert told.hold == "moved_card"


def test_a_card_whose_place_nobody_knows_yet_is_told_at_once() -> None:
    """Seen before the shoe has told of it, it waits for the shoe and not for rest."""
    told = story()
    card = told.shoe[0]
    told.tell(SeenAt(DOWN1, card, rests=False))
    assert told.happened(CardSeen) == [CardSeen(DOWN1, card)]
    told.draw()
    assert told.hand.dealt == 1


# ---------------------------------------------------------------------- a card read in two places


def doubled(told: TableStory, place: Place = DOWN1, other: Place = DOWN3) -> Card:
    """The next card is drawn, lies at ``place`` and is read at ``other`` too."""
    card = drawn(told)
    told.tell(SeenAt(place, card))
    told.tell(ReadTwice(place, other, card))
    return card


def test_a_card_read_in_two_places_stops_the_deal_until_one_loses_it() -> None:
    """The first place keeps it; the dealer is told where it lies and which way, the gate is closed, and it ends by itself."""
    told = story()
    card = doubled(told)
    assert (told.hold, gate_is_open(told)) == ("two_places", False)
    hold = dealer_view(picture_of(told.state, "T1"))["hold"]
    assert (hold["code"], hold["place"]) == ("two_places", "seat/1/down")
    told.tell(ReadOnce(DOWN1, DOWN3, card))
    assert (told.hold, gate_is_open(told)) == (None, True)
    assert told.hand.dealt == 1
    told.lay(told.shoe[0], "seat/3/down")
    told.draw()
    assert told.hand.dealt == 2


def test_a_card_first_read_at_the_wrong_place_and_at_the_right_one_too_is_in_doubt() -> None:
    """Not an alarm of a wrong seat: it may lie right. When the wrong place loses it, it is dealt."""
    told = story()
    card = doubled(told, DOWN3, DOWN1)
    assert told.hold == "two_places"
    assert told.hand.dealt == 0
    assert dealer_view(picture_of(told.state, "T1"))["hold"]["moves"] == [{"from": "seat/3/down", "to": "seat/1/down"}]
    for given in (ReadOnce(DOWN3, DOWN1, card), LeftFrom(DOWN3, card), SeenAt(DOWN1, card, rests=False)):
        told.tell(given)
    assert told.hold is None
    assert told.hand.dealt == 1


def test_a_doubt_that_turns_out_as_a_wrong_seat_is_told_as_one() -> None:
    """The right place loses it: it lies at the wrong one."""
    told = story()
    card = doubled(told, DOWN3, DOWN1)
    told.tell(ReadOnce(DOWN3, DOWN1, card))
    assert told.hold == "wrong_place"


def test_a_card_taken_up_is_in_doubt_no_longer() -> None:
    """Both places lose it."""
    told = story()
    card = doubled(told)
    told.tell(LeftFrom(DOWN1, card))
    assert told.hold is None
    assert not told.tell(ReadOnce(DOWN1, DOWN3, card)).events


def test_a_dealt_card_in_doubt_stops_play_when_a_live_hand_is_near() -> None:
    """Between two live seats it stops; between muck and burns it does not."""
    told = story()
    card = told.shoe[0]
    told.deal_one()
    told.tell(ReadTwice(DOWN1, DOWN3, card))
    assert told.hold == "two_places"
    told.tell(ReadOnce(DOWN1, DOWN3, card))
    told.lift(card)
    told.tell(SeenAt(Spot.MUCK, card))
    told.tell(ReadTwice(Spot.MUCK, Spot.BURN, card))
    assert told.hold is None


def test_doubts_are_told_anew_after_a_restart() -> None:
    """The presence filter starts anew, and so does what it said of two places."""
    told = story()
    doubled(told)
    told.restart()
    told.tell(FeltIsReady())
    told.order(Resume())
    assert told.hold is None


# ---------------------------------------------------------------------- a card that no reader sees


def test_a_drawn_card_that_no_reader_sees_stops_the_deal_and_names_its_place() -> None:
    """After its time the dealer is told where it is due; when it appears, it is dealt and play goes on by itself."""
    told = story()
    card = drawn(told)
    told.tell(UnseenTimeout(told.draw_no))
    assert told.happened(CardUnseen) == [CardUnseen(1, DOWN1)]
    assert (told.hold, gate_is_open(told)) == ("card_not_seen", False)
    assert dealer_view(picture_of(told.state, "T1"))["hold"]["place"] == "seat/1/down"
    told.tell(SeenAt(DOWN1, card, rests=False))
    assert (told.hold, gate_is_open(told)) == (None, True)
    assert told.hand.dealt == 1
    assert told.happened(HoldLifted) == [HoldLifted("card_not_seen")]


def test_the_cards_before_a_missing_one_are_dealt_all_the_same() -> None:
    """The second is missing, the first comes: it is dealt, and the stop for the second stands."""
    told = story()
    first, _ = drawn(told), drawn(told)
    told.tell(UnseenTimeout(2))
    assert told.hold == "card_not_seen"
    told.tell(SeenAt(DOWN1, first, rests=False))
    assert told.hold == "card_not_seen"
    assert [event.place for event in told.happened(CardDealt)] == [DOWN1]
    assert told.state.hand is not None
    assert told.state.hand.hold is not None
    assert told.state.hand.hold.place == DOWN3


def test_a_missing_card_that_appears_elsewhere_is_a_wrong_seat() -> None:
    """What is seen tells more than what is missing."""
    told = story()
    card = drawn(told)
    told.tell(UnseenTimeout(1))
    told.tell(SeenAt(DOWN3, card))
    assert told.hold == "wrong_place"


def test_another_card_in_place_of_the_missing_one_is_a_difference_of_shoe_and_reader() -> None:
    """First it is missing; then the card that lies there is one that the shoe never told (R-ERR-08)."""
    told = story()
    drawn(told)
    told.tell(UnseenTimeout(1))
    other = told.shoe[-1]
    told.lay(other, "seat/1/down")
    told.tell(UnexplainedTimeout(other))
    assert told.hold == "cards_differ"


def test_a_time_that_is_over_too_late_says_nothing() -> None:
    """The card was seen meanwhile, or was told as missing already, or was never drawn."""
    told = story()
    card = drawn(told)
    told.tell(UnseenTimeout(1))
    assert not told.tell(UnseenTimeout(1)).events
    assert not told.tell(UnseenTimeout(7)).events
    told.tell(SeenAt(DOWN1, card))
    assert not told.tell(UnseenTimeout(1)).events


def test_a_card_seen_and_taken_up_again_may_be_missed_again() -> None:
    """Behind an older one in flight it lay right, then it was lifted: its time runs anew."""
    told = story()
    drawn(told)
    second = drawn(told)
    told.tell(UnseenTimeout(2))
    told.tell(SeenAt(DOWN3, second))
    assert told.hold is None
    told.tell(LeftFrom(DOWN3, second))
    assert told.hold is None
    told.tell(UnseenTimeout(2))
    assert told.hold == "card_not_seen"


# ---------------------------------------------------------------------- all of it


@pytest.mark.parametrize("seed", range(30))
def test_evidence_of_doubt_is_never_refused_and_says_no_card(seed: int) -> None:
    """In any order, sensible or not: no refusal, no error, chips and cards conserved; each commit is checked by the story."""
    rng = random.Random(seed)
    told = story()
    for _ in range(rng.randint(0, 9)):
        if told.plan():
            told.deal_one()
    if told.plan():
        told.draw()
    places: list[Place] = [DOWN1, DOWN3, DOWN5, SeatPlace(3, Zone.UP), Spot.BURN, Spot.MUCK]
    for _ in range(80):
        card, place, other = rng.choice(DECK), rng.choice(places), rng.choice(places)
        given = rng.choice(
            [
                SeenAt(place, card, rests=rng.random() < 0.5),
                LeftFrom(place, card),
                ReadTwice(place, other, card),
                ReadOnce(place, other, card),
                UnseenTimeout(rng.randint(0, 30)),
                UnexplainedTimeout(card),
            ]
        )
        assert decide(told.state, given).refusal is None
        told.tell(given)
    assert not {type(event) for event in told.events} & {CardReadTwice, CardReadOnce} or told.state.chips_conserved
    assert all(event.card is not None for event in told.happened(CardLeft))
