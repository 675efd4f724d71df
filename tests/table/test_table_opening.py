"""From a journal to a running table: replay and the first events of a start."""

from __future__ import annotations

from support.table_story import TableStory, without_hidden

from controller.hand.variants import VariantCode
from controller.table.carried_events import TableConfigured
from controller.table.carry import configured
from controller.table.events import ControllerStarted, DealKeyDropped, DealKeyMade
from controller.table.evolve import evolve
from controller.table.inputs import SetGame
from controller.table.opening import opening, rebuild
from controller.table.state import TableState


def kinds(events: object) -> list[str]:
    """Names of the events' types."""
    return [type(event).__name__ for event in events]  # type: ignore[attr-defined]


def test_a_first_start_configures_the_game_and_makes_a_key() -> None:
    """In this order, before any device is talked to."""
    told = TableStory({1: 100, 2: 100})
    assert kinds(told.events[:3]) == ["ControllerStarted", "TableConfigured", "DealKeyMade"]
    assert told.events[0] == ControllerStarted("test")


def test_a_later_start_says_only_that_it_started() -> None:
    """Same configuration, same key."""
    told = TableStory({1: 100, 2: 100})
    assert opening(told.state, told.game, program="p", deals=(1,)) == (ControllerStarted("p"),)


def test_a_missing_key_is_made_anew_under_the_next_number() -> None:
    """A deal number is never used twice, and between hands the row that does not open goes."""
    told = TableStory({1: 100, 2: 100})
    events = opening(told.state, told.game, program="p", deals=())
    assert events[1:] == (DealKeyDropped(1), DealKeyMade(2, "", ()))


def test_the_key_of_an_open_hand_is_kept_where_it_does_not_open() -> None:
    """The table's key may come back; what a deal before left behind goes (recovery §3, §10)."""
    told = TableStory({1: 100, 2: 100}).start()
    assert told.state.deals_kept == range(told.state.deal, told.state.deal + 1)
    deal = told.state.deal
    events = opening(told.state, told.game, program="p", deals=(), kept=(deal, deal - 1))
    assert events[1:] == (DealKeyDropped(deal - 1), DealKeyMade(deal + 1, "", ()))
    blind = evolve(told.state, DealKeyMade(deal + 1, "", ()))
    assert (blind.hand_deal, blind.deals_kept) == (deal, range(deal, deal + 2))


def test_a_changed_configuration_waits_until_no_hand_is_open() -> None:
    """Rules and stakes of a hand are frozen (Q-04)."""
    told = TableStory({1: 100, 2: 100}).start()
    razz = told.game._replace(variant=VariantCode.RAZZ)
    assert opening(told.state, razz, program="p", deals=(2,)) == (ControllerStarted("p"),)
    told.deal().play_on()
    assert opening(told.state, razz, program="p", deals=(2,))[1:] == (configured(razz),)


def test_a_game_chosen_at_the_table_outlives_a_restart() -> None:
    """The configuration did not change, so it does not undo what a person chose (Q-90); a changed one does."""
    told = TableStory({1: 100, 2: 100})
    assert told.order(SetGame(VariantCode.STUD8)) is None
    told.restart()
    assert told.state.game is not None
    assert told.state.game.variant is VariantCode.STUD8
    told.game = told.game._replace(variant=VariantCode.RAZZ)
    told.restart()
    assert told.state.game.variant is VariantCode.RAZZ


def test_a_configuration_comes_back_as_it_was() -> None:
    """Preset and every knob stand in the event."""
    told = TableStory({1: 100, 2: 100}, preset="tournament", rules={"cap.max_raises": "5"})
    assert told.state.game == told.game
    (event,) = told.happened(TableConfigured)
    assert dict(event.knobs)["cap.max_raises"] == "5"


def test_the_journal_gives_the_state() -> None:
    """Every event, in order, from the first."""
    told = TableStory({1: 100, 2: 100})
    told.play_hand()
    state = rebuild(enumerate(told.bodies, 1), told.codec, told.keyring)
    assert without_hidden(state) == without_hidden(told.state)
    assert rebuild((), told.codec, told.keyring) == TableState()
