"""What people's confirmations make of the table's state: windows that close, devices that are set aside, marks that stay."""

from __future__ import annotations

from support.by_hand_story import NINETEEN, WHOLE, ByHandStory

from controller.hand.cards import DECK, Card
from controller.hand.places import SeatPlace, Spot, Zone
from controller.table.by_hand_events import DeviceBack, DeviceSetAside, ManuallyVerified, TableEquipped
from controller.table.evolve import evolve
from controller.table.inputs import UndoConfirmation
from controller.table.opening import equipped
from controller.table.parts import Equipment
from controller.table.state import DEALT_TO, TableState

UP1 = SeatPlace(1, Zone.UP)
ORDER: list[Card] = list(DECK)


def equipped_state(gear: Equipment = WHOLE) -> TableState:
    """A table that was told of its devices."""
    return evolve(TableState(), equipped(gear))


def test_a_table_that_was_told_of_no_devices_has_all() -> None:
    """As journals before tell: a shoe, and a reader everywhere."""
    assert TableState().shoe_tells
    assert TableState().dark == frozenset()


def test_what_is_dark_follows_from_devices_and_those_set_aside() -> None:
    """Nothing with all nineteen antennas; a line's places when it is set aside; one antenna alone; all without readers."""
    state = equipped_state()
    assert state.dark == frozenset()
    assert evolve(state, DeviceSetAside("felt-1", 0)).dark == {UP1, SeatPlace(1, Zone.DOWN)}
    assert evolve(state, DeviceSetAside("felt-1", 2)).dark == {UP1}
    assert equipped_state(Equipment("shoe", ())).dark == frozenset(DEALT_TO)


def test_one_antenna_lights_both_zones_of_its_seat() -> None:
    """A seat with one antenna for all its cards."""
    one = Equipment("shoe", ((SeatPlace(1, Zone.ANY), "felt-a", 1),))
    assert not {UP1, SeatPlace(1, Zone.DOWN)} & equipped_state(one).dark
    assert Spot.BURN in equipped_state(one).dark


def test_the_shoe_tells_unless_there_is_none_or_it_is_set_aside() -> None:
    """And again when it is back."""
    assert not equipped_state(Equipment("", NINETEEN)).shoe_tells
    past = evolve(equipped_state(), DeviceSetAside("shoe", 0))
    assert not past.shoe_tells
    assert evolve(past, DeviceBack("shoe", 0)).shoe_tells


def test_a_device_that_is_no_longer_configured_is_no_longer_set_aside() -> None:
    """Another equipment at a restart."""
    past = evolve(equipped_state(), DeviceSetAside("felt-1", 0))
    assert evolve(past, TableEquipped("shoe", (("seat/2/up", "felt-2", 2),))).past == ()


def test_the_mark_is_the_hands_and_goes_with_the_next() -> None:
    """It says what was told last; a new hand starts without one."""
    told = ByHandStory({1: 100, 2: 100})
    told.begin(ORDER)
    state = evolve(told.state, ManuallyVerified(("shoe",), keyed=True))
    assert (state.by_hand, state.cards_keyed) == (("shoe",), True)


def test_the_window_of_a_confirmation_closes_with_the_next_card_that_a_device_tells() -> None:
    """Seat 1 is in the dark, seat 2 is not: its card closes the window of the one before."""
    told = ByHandStory({1: 100, 2: 100})
    told.begin(ORDER)
    told.lose("felt-1")
    assert told.step_past("felt-1") is None
    told.deal_one()
    assert len(told.state.keyed) == 1
    told.deal_one()
    assert told.state.keyed == ()
    assert told.order(UndoConfirmation()) is not None
