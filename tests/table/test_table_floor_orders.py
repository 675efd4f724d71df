"""Orders between hands: who may sit, buy, go, and when a hand may start."""

from __future__ import annotations

import pytest
from support.table_story import TableStory

from controller.hand.cards import DECK
from controller.hand.events import AntePosted, HandOpened
from controller.hand.stakes import Stakes
from controller.hand.terms import SeatChips
from controller.hand.variants import VariantCode
from controller.table.carried_events import TableConfigured
from controller.table.events import ChipsAdded, SeatLeft, SeatTaken
from controller.table.floor_orders import MAX_CHIPS, MAX_NAME
from controller.table.inputs import AddChips, LeaveSeat, Order, SeatPlayer, SetGame, StartHand
from controller.table.parts import TableSeat


def code(told: TableStory, order: Order) -> str | None:
    """The refusal's code, ``None`` when the order was taken."""
    refusal = told.order(order)
    return None if refusal is None else refusal.code


def table(**settings: object) -> TableStory:
    """Seats 2 and 5 taken, a deck loaded."""
    told = TableStory({2: 100, 5: 40}, **settings)  # type: ignore[arg-type]
    told.load()
    return told


def test_a_player_sits_down_leaves_and_buys() -> None:
    """Each chip that comes or goes has its event; the seats stay in order."""
    told = table()
    assert code(told, SeatPlayer(1, "  Ann ", 70)) is None
    assert code(told, AddChips(5, 10)) is None
    assert code(told, LeaveSeat(2)) is None
    assert told.state.seats == (TableSeat(1, "Ann", 70), TableSeat(5, "Player 5", 50))
    assert told.events[-1] == SeatLeft(2, 100)
    assert ChipsAdded(5, 10) in told.events
    assert SeatTaken(1, "Ann", 70) in told.events
    assert (told.state.bought_in, told.state.cashed_out) == (220, 100)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (SeatPlayer(2, "Ann", 10), "seat_is_taken"),
        (SeatPlayer(0, "Ann", 10), "no_such_seat"),
        (SeatPlayer(9, "Ann", 10), "no_such_seat"),
        (SeatPlayer(1, "", 10), "bad_name"),
        (SeatPlayer(1, "   ", 10), "bad_name"),
        (SeatPlayer(1, "a\nb", 10), "bad_name"),
        (SeatPlayer(1, "a" * (MAX_NAME + 1), 10), "bad_name"),
        (SeatPlayer(1, "a" * MAX_NAME, 10), None),
        (SeatPlayer(1, "Ann", 0), "bad_chips"),
        (SeatPlayer(1, "Ann", -5), "bad_chips"),
        (SeatPlayer(1, "Ann", MAX_CHIPS + 1), "bad_chips"),
        (SeatPlayer(1, "Ann", MAX_CHIPS), None),
        (AddChips(1, 10), "seat_is_empty"),
        (AddChips(2, 0), "bad_chips"),
        (LeaveSeat(3), "seat_is_empty"),
    ],
)
def test_bounds_of_seats_names_and_chips(order: Order, expected: str | None) -> None:
    """Exactly at the bound an order is taken, one past it is refused."""
    assert code(table(), order) == expected


def test_chips_come_in_whole_units() -> None:
    """A table of fives takes no three (R-SETUP-06)."""
    told = TableStory({2: 100, 5: 40}, stakes=Stakes(5, 10, 20, 40, 5))
    assert code(told, AddChips(2, 3)) == "bad_chips"
    assert code(told, AddChips(2, 15)) is None


def test_a_seat_above_the_house_rules_is_no_seat() -> None:
    """The preset's most seats bind (R-SETUP-01)."""
    told = TableStory({2: 100, 5: 40}, rules={"table.max_seats": "6"})
    assert code(told, SeatPlayer(7, "Ann", 10)) == "no_such_seat"


def test_a_hand_opens_with_every_ante() -> None:
    """Lowest seat first; who has less posts all it has (R-ANTE-02)."""
    told = TableStory({2: 100, 5: 1, 7: 2}, stakes=Stakes(2, 4, 8, 16, 1))
    told.load()
    assert code(told, StartHand()) is None
    (opened,) = told.happened(HandOpened)
    assert opened.seats == (SeatChips(2, 100), SeatChips(5, 1), SeatChips(7, 2))
    assert told.happened(AntePosted) == [AntePosted(2, 2), AntePosted(5, 1), AntePosted(7, 2)]


def test_who_has_less_than_a_unit_sits_out() -> None:
    """A broke player keeps the seat and gets no card (R-SETUP-05)."""
    told = TableStory({2: 100, 5: 1}, seed=5)
    while all(seat.stack for seat in told.state.seats):
        told.play_hand()
    told.load()
    assert code(told, StartHand()) == "too_few_players"
    assert code(told, SeatPlayer(8, "Ann", 50)) is None
    assert code(told, StartHand()) is None
    assert len(told.happened(HandOpened)[-1].seats) == 2


def test_a_hand_needs_a_whole_deck_in_the_shoe_and_a_clear_felt() -> None:
    """Each reason is told by its code (R-DECK-01)."""
    told = TableStory({2: 100, 5: 40})
    assert code(told, StartHand()) == "deck_not_loaded"
    told.load()
    told.lay(DECK[0], "muck")
    assert code(told, StartHand()) == "felt_not_clear"
    told.lift(DECK[0])
    assert code(told, StartHand()) is None


def test_a_deck_serves_one_hand() -> None:
    """After a hand, played or voided, the deck is shuffled and loaded again."""
    told = TableStory({2: 100, 5: 40})
    told.play_hand()
    for card in list(told.where):
        told.lift(card)
    assert code(told, StartHand()) == "deck_not_loaded"


def test_the_game_changes_between_hands_with_stakes_and_rules_as_they_are() -> None:
    """The dealer names the game (Q-90); naming the same one again changes nothing."""
    told = table(preset="live_cash")
    before = told.state.game
    assert code(told, SetGame(VariantCode.RAZZ)) is None
    assert told.state.game is not None
    assert before is not None
    assert told.state.game == before._replace(variant=VariantCode.RAZZ)
    count = len(told.happened(TableConfigured))
    assert code(told, SetGame(VariantCode.RAZZ)) is None
    assert len(told.happened(TableConfigured)) == count
