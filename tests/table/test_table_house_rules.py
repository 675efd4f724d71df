"""House rules that show at the table alone: the last two of an event, who is absent from a tournament, chips the house takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.slip_story import SlipStory
from support.table_story import TableStory

from controller.hand.commands import AwardPots, VoidHand
from controller.hand.events import AntePosted, HandEnded
from controller.hand.irregular_events import HandsKilled, SeatAway
from controller.hand.rules import house_rules, rules_problems
from controller.hand.stakes import Stakes
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.events import LastTwoSet, Ruled
from controller.table.inputs import AddChips, CallClock, Order, SeatPlayer, SetLastTwo, SetStakes, SitIn, SitOut


def code(told: TableStory, order: Order) -> str | None:
    """The refusal's code, ``None`` when the order was taken."""
    refusal = told.order(order)
    return None if refusal is None else refusal.code


def raises(told: TableStory) -> int:
    """How often the two players raise each other on third street until the rules end it, nine times at most."""
    made = 0
    while made < 9:
        verbs = {action["verb"]: action["to"] for action in told.step()["actions"]}
        verb = next((verb for verb in ("complete", "raise") if verb in verbs), None)
        if verb is None:
            return made
        assert told.act(Verb(verb), verbs[verb]) is None
        made += verb == "raise"
    return made


@pytest.mark.parametrize(("marked", "made"), [(False, 4), (True, 9)])
def test_the_floor_lifts_the_cap_between_the_last_two_of_an_event(tmp_path: Path, marked: bool, made: int) -> None:
    """R-BET-04 ``uncapped_last_two_in_event``, Q-40: a flag that the floor sets, not a count of seats; the journal holds."""
    told = SlipStory("1 2", preset="tournament")
    if marked:
        assert code(told, SetLastTwo(on=True)) is None
    told.begin().deal()
    assert raises(told) == made
    told.finish(tmp_path)


def test_the_flag_is_for_two_players_of_a_table_that_plays_so() -> None:
    """R-BET-04: refused at three players, by other rules and in an open hand; a newcomer ends it; set twice it is once."""
    assert code(SlipStory("1 2"), SetLastTwo(on=True)) == "last_two_not_played"
    assert code(SlipStory("1 2 3", preset="tournament"), SetLastTwo(on=True)) == "not_two_players"
    told = SlipStory("1 2", preset="tournament")
    assert code(told, SetLastTwo(on=True)) is None
    assert code(told, SetLastTwo(on=True)) is None
    assert told.happened(LastTwoSet) == [LastTwoSet(on=True)]
    assert told.order(SeatPlayer(3, "Ann", 100)) is None
    assert not told.state.setup().last_two_in_event
    assert code(told, SetLastTwo(on=False)) is None
    told.begin()
    assert code(told, SetLastTwo(on=True)) == "hand_is_open"


def test_an_absent_player_is_dealt_into_a_tournament_and_pays_the_ante(tmp_path: Path) -> None:
    """R-ABS-01: dealt in, ante taken, killed when the first deal is done; back again, the player plays the next hand."""
    told = SlipStory("1 2 3", preset="tournament")
    assert code(told, SitOut(2)) is None
    told.begin().deal()
    assert [event.seat for event in told.happened(AntePosted)] == [1, 2, 3]
    assert told.happened(SeatAway) == [SeatAway(2)]
    assert [event.seats for event in told.happened(HandsKilled)] == [(2,)]
    told.finish(tmp_path / "a")
    assert next(seat.stack for seat in told.state.seats if seat.seat == 2) < 100
    assert code(told, SitIn(2)) is None
    told.load()
    told.start().deal()
    assert len(told.happened(SeatAway)) == 1
    told.finish(tmp_path / "b")


@pytest.mark.parametrize("preset", ["seeds", "live_cash"])
def test_who_sits_out_of_a_cash_game_is_not_dealt_in(tmp_path: Path, preset: str) -> None:
    """R-ABS-01, Q-05: no ante, no card."""
    told = SlipStory("1 2 3", preset=preset)
    assert code(told, SitOut(2)) is None
    told.begin().deal()
    assert [event.seat for event in told.happened(AntePosted)] == [1, 3]
    told.finish(tmp_path)
    assert told.happened(HandEnded)


@pytest.mark.parametrize("knob", ["rake.unit", "rake.time_collection"])
def test_the_house_takes_whole_chips(knob: str) -> None:
    """R-SETUP-06, R-RAKE-01, R-RAKE-02: three of a table of fives cannot be paid; fifteen can."""
    stakes = Stakes(5, 10, 20, 40, 5)
    assert rules_problems(house_rules("seeds", {knob: "15"}), stakes) == ()
    (problem,) = rules_problems(house_rules("seeds", {knob: "3"}), stakes)
    assert problem == f"{knob} is 3: it must be a multiple of the smallest chip 5 (R-SETUP-06)"


def test_stakes_that_do_not_fit_the_house_rules_are_refused() -> None:
    """R-RAKE-01: the rake of ones that is posted cannot be taken at a table of fives."""
    told = TableStory({2: 100, 5: 40}, rules={"rake.percent": "5", "rake.unit": "1"})
    assert code(told, SetStakes(Stakes(5, 10, 20, 40, 5))) == "bad_stakes"
    assert code(told, SetStakes(Stakes(2, 4, 8, 16))) is None


def test_less_than_the_smallest_chip_does_not_play_and_stays_there(tmp_path: Path) -> None:
    """R-SETUP-06: stacks of 163 and 103 play as 160 and 100 once the smallest chip is 5. Through an award taken back and a void
    no chip is lost, and 3 lie there beside each stack."""
    told = SlipStory("1 2")
    assert told.order(AddChips(2, 3)) is None
    assert told.order(AddChips(1, 63)) is None
    assert told.order(SetStakes(Stakes(5, 10, 20, 40, 5))) is None
    told.begin()
    assert {entry.seat: entry.stack + entry.total for entry in told.hand.seats} == {1: 160, 2: 100}
    told.deal().passive().showdown()
    told.holds(tmp_path / "a")
    assert [seat.stack % 5 for seat in told.state.seats] == [3, 3]
    assert told.state.chips_conserved
    assert told.rule("undo_award") is None
    assert told.state.chips_conserved
    assert told.order(AwardPots()) is None
    assert [seat.stack % 5 for seat in told.state.seats] == [3, 3]
    assert sum(seat.stack for seat in told.state.seats) == 266
    told.load()
    told.start()
    assert told.order(VoidHand("misread")) is None
    assert sum(seat.stack for seat in told.state.seats) == 266
    told.holds(tmp_path / "b")


@pytest.mark.parametrize("number", [2, 3])
def test_a_boxed_card_that_lies_at_a_seat_goes_to_the_muck_and_another_comes(tmp_path: Path, number: int) -> None:
    """R-MIS-06: ruled by the floor alone; until it lies in the muck play stops; the journal holds, also for an auditor who checks
    what the seat tables."""
    told = SlipStory("1 2").begin("9s Kh 4c 4d 8c 5h", "Ah Ks").deal()
    card = told.hand.seats[1].cards[number - 1]
    assert card is not None
    assert told.rule("replace_boxed", "dealer", seat=2, number=number) == "floor_rules_it"
    assert told.rule("replace_boxed", seat=2, number=number) is None
    told.lift(card)
    told.lay(card, "muck")
    told.deal()
    assert card not in told.hand.seats[1].cards
    assert len(told.hand.seats[1].cards) == 3
    told.passive().showdown()
    told.holds(tmp_path)


def test_a_second_boxed_card_of_the_first_deal_gives_it_up(tmp_path: Path) -> None:
    """R-MIS-06, R-MIS-01: both noticed when they lay at their seats; the journal holds for an auditor who knows neither."""
    told = SlipStory("1 2").begin("9s Kh 4c 4d 8c 5h", "Ah Ks").deal()
    first, second = told.hand.seats[0].cards[0], told.hand.seats[1].cards[1]
    assert first is not None
    assert second is not None
    assert told.rule("replace_boxed", seat=1, number=1) is None
    told.lift(first)
    told.lay(first, "muck")
    told.deal()
    assert told.rule("replace_boxed", seat=2, number=2) is None
    assert told.hand.phase is Phase.REDEAL
    assert told.order(VoidHand("enough")) is None
    told.holds(tmp_path)


def test_a_floor_call_freezes_the_hand_until_the_floor_says_so(tmp_path: Path) -> None:
    """R-RULE-01: no action, no card, no clock; the dealer may stop play, the floor alone lets it go on; a ruling is given in
    between, and the journal says who stopped it and why."""
    told = SlipStory("1 2 3").begin().deal()
    told.calmly()
    actor = told.hand.round.actor
    assert told.order(CallClock(actor)) is None
    assert told.rule("stop_play", "dealer", by="Dan") is None
    assert (told.hold, told.state.clock) == ("floor_called", None)
    refused = told.act(Verb.CALL, 2)
    assert refused is not None
    assert (refused.rule, refused.code) == ("R-RULE-01", "held")
    assert told.rule("stop_play", "dealer") == "play_is_stopped"
    assert told.rule("play_on", "dealer") == "floor_rules_it"
    assert told.rule("kill_hands", seats=[actor], cause="penalty") is None
    assert told.rule("play_on") is None
    assert told.rule("play_on") == "play_is_not_stopped"
    assert told.hold is None
    first = told.happened(Ruled)[0]
    assert (first.kind, first.by, first.reason) == ("stop_play", "Dan", "told so")
    told.finish(tmp_path)


def test_no_card_is_dealt_while_play_is_stopped(tmp_path: Path) -> None:
    """R-RULE-01: the gate closes; a card that is on its way is dealt when play goes on. A void ends the stop too."""
    told = SlipStory("1 2 3").begin()
    card = told.draw()
    assert told.rule("stop_play", "dealer") is None
    assert not told.state.gate.is_open
    told.lay(card, "seat/1/down")
    assert told.hand.seats[0].down == ()
    assert told.rule("play_on") is None
    assert told.hand.seats[0].down == (card,)
    assert told.rule("stop_play") is None
    assert told.order(VoidHand("floor")) is None
    assert told.rule("play_on") == "play_is_not_stopped"
    assert told.rule("stop_play") == "no_hand"
    told.lift(card)
    told.load()
    told.start()
    assert told.hold is None
    told.finish(tmp_path)
