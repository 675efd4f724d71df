"""The table's state as the picture that views are made from."""

from __future__ import annotations

from support.table_story import TableStory

from controller.hand.cards import DECK
from controller.hand.commands import VoidHand
from controller.hand.places import SeatPlace, Zone
from controller.hand.variants import VariantCode
from controller.table.inputs import FeltIsReady, SetGame
from controller.table.picture import picture_of
from controller.table.state import TableState
from controller.views.picture import Picture
from drivers.ports import LinkChanged, LinkState


def picture(told: TableStory) -> Picture:
    """Its picture now."""
    return picture_of(told.state, "T1")


def test_an_empty_table_has_a_picture() -> None:
    """Before anything is known."""
    empty = picture_of(TableState(), "T1")
    assert (empty.status, empty.game, empty.hand, empty.deck_ready, empty.may_resume) == (
        "recovering",
        "stud",
        None,
        False,
        False,
    )


def test_plan_and_cards_in_flight_follow_the_draws() -> None:
    """A drawn card leaves the plan and is in flight until it is dealt."""
    told = TableStory({1: 100, 2: 100}).start()
    assert len(picture(told).plan) == 6
    assert picture(told).in_flight == ()
    told.draw()
    told.draw()
    now = picture(told)
    assert len(now.plan) == 4
    assert now.in_flight == (SeatPlace(1, Zone.DOWN), SeatPlace(2, Zone.DOWN))
    told.lay(told.hand_cards[0], "seat/1/down")
    assert picture(told).in_flight == (SeatPlace(2, Zone.DOWN),)
    assert picture(told).in_shoe == 50


def test_the_plan_is_empty_while_nothing_may_be_drawn() -> None:
    """Held or betting."""
    told = TableStory({1: 100, 2: 100}).start()
    told.lay(told.draw(), "muck")
    assert picture(told).plan == ()
    told.lay(next(iter(told.where)), "seat/1/down")
    assert picture(told.deal()).plan == ()


def test_a_deck_is_ready_with_52_cards_and_a_clear_felt() -> None:
    """Anything on the felt keeps it waiting."""
    told = TableStory({1: 100, 2: 100})
    assert not picture(told).deck_ready
    told.load()
    assert picture(told).deck_ready
    told.lay(DECK[0], "muck")
    assert not picture(told).deck_ready


def test_the_game_shown_is_the_hands_while_it_is_open() -> None:
    """The next one's after it."""
    told = TableStory({1: 100, 2: 100}).start()
    assert picture(told).game == "stud"
    told.order(VoidHand("test"))
    told.order(SetGame(VariantCode.RAZZ))
    assert picture(told).game == "razz"


def test_a_person_may_resume_when_the_felt_is_known_again() -> None:
    """Not before, and not a table that is live."""
    told = TableStory({1: 100, 2: 100}).start()
    assert not picture(told).may_resume
    told.restart()
    assert not picture(told).may_resume
    told.tell(FeltIsReady())
    assert picture(told).may_resume


def test_devices_are_lines_not_antennas() -> None:
    """An antenna's link belongs to its line."""
    told = TableStory({1: 100, 2: 100})
    told.tell(LinkChanged("felt-a", 0, LinkState.UP, ""))
    told.tell(LinkChanged("felt-a", 2, LinkState.DOWN, ""))
    assert picture(told).devices == {"felt-a": "up"}


def test_a_hand_that_is_over_has_no_decision() -> None:
    """Nobody is asked."""
    told = TableStory({1: 100, 2: 100}).start().deal()
    assert picture(told).decision is not None
    told.order(VoidHand("test"))
    assert picture(told).decision is None
