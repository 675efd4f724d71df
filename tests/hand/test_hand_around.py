"""All check, all call: offered where every remaining player may do it, and exactly what they would do one by one."""

from __future__ import annotations

from support.table_story import TableStory

from controller.hand.around import around
from controller.hand.terms import Verb


def story(stacks: dict[int, int]) -> TableStory:
    """A hand whose bring-in is due."""
    return TableStory(stacks).start().deal()


def test_nobody_is_named_in_place_of_the_bring_in() -> None:
    """The bring-in is one player's."""
    assert around(story({1: 100, 3: 100, 5: 100}).hand) is None


def test_everybody_who_is_left_calls_in_turn() -> None:
    """From the actor clockwise, each at its own total, and the round is over afterwards."""
    told = story({1: 100, 3: 100, 5: 100, 7: 100})
    told.act(Verb.BRING_IN, 2)
    told.act(Verb.COMPLETE, 4)
    found = around(told.hand)
    assert found is not None
    first = told.hand.round.actor
    assert found.seats == tuple(sorted((1, 3, 5, 7), key=lambda seat: (seat - first) % 8))[:3]
    assert {act.to for act in found.acts} == {4}
    for act in found.acts:
        assert told.hand.round.actor == act.seat
        told.act(act.verb, act.to)
    assert told.hand.street == 4


def test_checks_close_a_street_without_a_bet() -> None:
    """With no bet to call the common word is check."""
    told = story({1: 100, 3: 100, 5: 100})
    told.passive(4)
    found = around(told.hand)
    assert found is not None
    assert (found.verb, len(found.seats)) == (Verb.CHECK, 3)


def test_a_short_stack_is_named_with_its_last_chips() -> None:
    """Who calls all-in is told apart."""
    for short in (1, 3, 5, 7):
        told = story({1: 100, 3: 100, 5: 100, 7: 100} | {short: 4})
        told.act(Verb.BRING_IN, 2)
        if told.hand.round.actor == short:
            continue
        told.act(Verb.COMPLETE, 4)
        found = around(told.hand)
        assert found is not None
        owed = {act.seat: act.to - told.hand.seats[told.hand.index_of(act.seat)].street_chips for act in found.acts}
        behind = told.hand.seats[told.hand.index_of(short)].stack
        assert found.all_in == (((short, behind),) if short in owed else ())


def test_the_last_player_alone_needs_no_common_word() -> None:
    """One player left has a button of its own."""
    told = story({1: 100, 3: 100})
    told.act(Verb.BRING_IN, 2)
    assert around(told.hand) is None


def test_somebody_who_is_away_ends_the_offer() -> None:
    """Nobody answers for an absent player (R-ABS-02)."""
    told = story({1: 100, 3: 100, 5: 100})
    told.act(Verb.BRING_IN, 2)
    hand = told.hand
    assert around(hand) is not None
    seats = tuple(entry._replace(away=entry.seat == 5) for entry in hand.seats)
    assert around(hand._replace(seats=seats)) is None
