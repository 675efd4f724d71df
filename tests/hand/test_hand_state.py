"""Reading a hand's state (Q-10)."""

from __future__ import annotations

from support.hand_dsl import FOUR_EIGHT, cards_of, rules_of

from controller.hand.state import HandSetup, Phase, SeatHand, Status, open_state
from controller.hand.variants import VariantCode


def test_a_hand_opens_before_its_antes_with_the_whole_deck_in_the_stub() -> None:
    """Rules §26."""
    state = open_state(HandSetup(7, VariantCode.RAZZ, FOUR_EIGHT, rules_of()), ((2, 50), (5, 3)))
    assert (state.phase, state.street, state.stub, state.burns, state.over) == (Phase.ANTES, 0, 52, 0, False)
    assert [(entry.seat, entry.stack, entry.total) for entry in state.seats] == [(2, 50, 0), (5, 3, 0)]
    assert state.setup.game.ace_low
    assert (state.index_of(2), state.index_of(5), state.index_of(3)) == (0, 1, -1)


def test_all_in_is_live_and_not_active_and_ghosts_and_folded_are_neither() -> None:
    """Q-10."""
    entries = [SeatHand(1, 50), SeatHand(2, 0), SeatHand(3, 50, status=Status.GHOST), SeatHand(4, 50, status=Status.FOLDED)]
    assert [(entry.live, entry.active) for entry in entries] == [(True, True), (True, False), (False, False), (False, False)]
    state = open_state(HandSetup(1, VariantCode.STUD, FOUR_EIGHT, rules_of()), ())._replace(seats=tuple(entries))
    assert (state.live_count, state.active_count) == (2, 1)


def test_a_seats_cards_stand_in_the_order_of_dealing() -> None:
    """R-DEAL-08: two down, up cards, the seventh."""
    entry = SeatHand(1, 50, down=cards_of("9s 4c 2c"), up=cards_of("3c 9h 9c Jh"))
    assert [card.text for card in entry.cards if card is not None] == ["9s", "4c", "3c", "9h", "9c", "Jh", "2c"]


def test_over_is_ended_or_voided() -> None:
    """Rules §26."""
    state = open_state(HandSetup(1, VariantCode.STUD, FOUR_EIGHT, rules_of()), ((1, 5), (2, 5)))
    assert [phase.value for phase in Phase if state._replace(phase=phase).over] == ["ended", "voided"]
