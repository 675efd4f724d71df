"""Folds that the muck's antenna tells (screens §3, R-BET-14, R-SHOW-04): no touch for a hand that is thrown in.

At the end of each story the journal replays with and without its keys, and an auditor without any key finds it right.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.slip_story import SlipStory
from support.table_story import TableStory

from controller.hand.betting import legal_actions
from controller.hand.events import ActionTaken, HandMucked
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.showdown import may_muck, to_show
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.betting_events import AllActed, FoldRead, LiveCardsMucked
from controller.table.inputs import ActAround, FeltIsReady, LeftFrom, MuckedTimeout, Resume, SeenAt
from controller.table.muck import thrown
from controller.table.parts import Equipment
from controller.table.picture import picture_of
from controller.table.state import DEALT_TO, decision_id
from controller.tracking.custody import leave, see
from controller.views.dealer import dealer_view


def at_bets(seats: str = "1 2 3 4", **settings: object) -> SlipStory:
    """Fourth street, and the first to act has bet."""
    told = SlipStory(seats, **settings).begin().passive(4)
    bet = next(action for action in legal_actions(told.hand) if action.verb is Verb.BET)
    assert told.act(bet.verb, bet.to) is None
    return told


def seat_row(told: TableStory, seat: int) -> dict[str, object]:
    return next(row for row in dealer_view(picture_of(told.state, "T1"))["seats"] if row["seat"] == seat)


def after(told: TableStory, seat: int, number: int = 1) -> int:
    """The ``number``-th seat behind ``seat``."""
    seats = [entry.seat for entry in told.hand.seats if entry.live]
    return seats[(seats.index(seat) + number) % len(seats)]


def around(told: TableStory, verb: Verb) -> None:
    """The dealer's word for everybody who is left, as her screen names them."""
    line = dealer_view(picture_of(told.state, "T1"))["step"]["around"]
    assert line["verb"] == verb.value
    assert told.order(ActAround(verb, tuple(line["seats"])), decision=decision_id(told.hand)) is None


def test_a_hand_that_is_thrown_in_its_turn_folds_with_its_last_card_and_nothing_stops_before(tmp_path: Path) -> None:
    told = at_bets()
    actor, pot = told.hand.round.actor, told.hand.chips_in_play
    owned = [card for card, place in told.where.items() if isinstance(place, SeatPlace) and place.seat == actor]
    for card in owned:
        assert told.hand.round.actor == actor
        assert told.hold is None
        told.lay(card, Spot.MUCK)
    assert told.happened(FoldRead) == [FoldRead(actor)]
    fold = told.happened(ActionTaken)[-1]
    assert (fold.seat, fold.verb) == (actor, Verb.FOLD)
    assert told.hand.chips_in_play == pot
    told.play_on()
    told.finish(tmp_path)


def test_a_hand_that_is_pushed_past_the_muck_is_no_fold_before_it_rests_there(tmp_path: Path) -> None:
    """Screens §3: none of its cards has been on its place for 0.8 s. Heads-up a fold gives the pot away at once."""
    told = at_bets("2 6")
    actor = told.hand.round.actor
    own = {card: place for card, place in told.where.items() if isinstance(place, SeatPlace) and place.seat == actor}
    for card, place in own.items():
        told.tell(LeftFrom(place, card))
        told.tell(SeenAt(Spot.MUCK, card, rests=False))
    assert not told.hand.over
    for card, place in own.items():
        told.tell(LeftFrom(Spot.MUCK, card))
        told.tell(SeenAt(place, card, rests=False))
    assert told.hold is None
    assert seat_row(told, actor)["folding"] is False
    told.fold_cards(actor)
    assert told.happened(FoldRead) == [FoldRead(actor)]
    told.finish(tmp_path)


def test_a_hand_that_is_thrown_ahead_of_its_turn_waits_and_is_no_fold_when_it_is_put_back(tmp_path: Path) -> None:
    told = at_bets()
    actor = told.hand.round.actor
    later = after(told, actor)
    told.fold_cards(later)
    assert not told.happened(FoldRead)
    assert seat_row(told, later)["folding"] is True
    assert told.hold is None
    told.cards_back(later)
    assert seat_row(told, later)["folding"] is False
    told.fold_cards(later)
    assert told.act(Verb.CALL, told.hand.round.match) is None
    assert told.happened(FoldRead) == [FoldRead(later)]
    assert seat_row(told, later)["state"] == "folded"
    assert told.hand.round.actor == after(told, actor)
    told.play_on()
    told.finish(tmp_path)


def test_all_call_names_those_who_call_and_takes_the_folds_that_lie_there_in_their_turn(tmp_path: Path) -> None:
    told = at_bets("1 2 3 4 5 6")
    first = told.hand.round.actor
    thrown = [after(told, first), after(told, first, 3)]
    callers = [first, after(told, first, 2), after(told, first, 4)]
    for seat in thrown:
        told.fold_cards(seat)
    line = dealer_view(picture_of(told.state, "T1"))["step"]["around"]
    assert line["seats"] == callers
    around(told, Verb.CALL)
    taken = [(event.seat, event.verb) for event in told.happened(ActionTaken)[-5:]]
    assert taken == [
        (first, Verb.CALL),
        (thrown[0], Verb.FOLD),
        (callers[1], Verb.CALL),
        (thrown[1], Verb.FOLD),
        (callers[2], Verb.CALL),
    ]
    assert [event.seat for event in told.happened(FoldRead)] == thrown
    told.play_on()
    told.finish(tmp_path)


def test_the_last_hand_wins_without_a_word_when_all_others_are_thrown_in(tmp_path: Path) -> None:
    """Q-43: one is to act, the other throws his hand away."""
    told = SlipStory("2 6").begin().passive(4)
    actor = told.hand.round.actor
    other = after(told, actor)
    told.fold_cards(other)
    assert told.hand.over
    assert [event.seat for event in told.happened(FoldRead)] == [other]
    assert {entry.seat: entry.stack for entry in told.hand.seats}[actor] > 100
    told.finish(tmp_path)


@pytest.mark.parametrize("by_one_word", [False, True])
def test_a_bettor_who_throws_his_hand_in_folds_before_the_last_one_acts_and_no_card_is_dealt_to_him(
    by_one_word: bool, tmp_path: Path
) -> None:
    """Q-43: the fold binds, and called money stays; a card that went to his hand would give all others the wrong ones."""
    told = at_bets()
    actor = told.hand.round.actor
    bettor = after(told, actor, 3)
    told.fold_cards(bettor)
    assert seat_row(told, bettor)["folding"] is True
    assert not told.happened(FoldRead), "until then it is no fold when it is put back"
    told.cards_back(bettor)
    told.fold_cards(bettor)
    if by_one_word:
        around(told, Verb.CALL)
    else:
        for _ in range(3):
            assert told.act(Verb.CALL, told.hand.round.match) is None
    taken = [(event.seat, event.verb) for event in told.happened(ActionTaken)[-4:]]
    callers = [after(told, actor, number) for number in (0, 1, 2)]
    assert [seat for seat, verb in taken if verb is Verb.CALL] == [actor, *callers[1:]]
    assert taken[2] == (bettor, Verb.FOLD)
    assert told.happened(FoldRead) == [FoldRead(bettor)]
    assert seat_row(told, bettor)["stack"] == 93, "the bet of 4 was called and stays"
    assert bettor not in {due.place.seat for due in told.hand.due if isinstance(due.place, SeatPlace)}
    told.play_on()
    told.finish(tmp_path)


def test_the_fold_of_a_bettor_is_taken_back_when_his_cards_are_put_back_and_told_once_until_then(tmp_path: Path) -> None:
    """R-RULE-02: told again with everything that moves, it could not be taken back at all."""
    told = at_bets("1 2 3")
    bettor = after(told, told.hand.round.actor, 2)
    told.fold_cards(bettor)
    assert told.act(Verb.CALL, told.hand.round.match) is None
    assert told.happened(FoldRead) == [FoldRead(bettor)]
    assert told.rule("undo_action", "dealer") is None
    assert seat_row(told, bettor)["state"] == "live"
    assert told.hold == "live_card_mucked"
    told.tell(MuckedTimeout(bettor))
    assert told.happened(FoldRead) == [FoldRead(bettor)]
    told.cards_back(bettor)
    assert told.hold is None
    told.play_on()
    told.finish(tmp_path)


def test_the_bet_of_a_bettor_who_mucks_goes_back_where_only_an_all_in_stands_against_it() -> None:
    """Q-43: seat 2 is all-in since third street; the uncalled 4 go back at once, and the last one is not asked to call them."""
    told = TableStory({1: 100, 2: 3, 3: 100}, seed=3).start().passive(4)
    bettor = told.hand.round.actor
    other = next(seat for seat in (1, 3) if seat != bettor)
    assert told.act(Verb.BET, 4) is None
    assert told.hand.round.actor == other
    told.fold_cards(bettor)
    assert told.happened(FoldRead) == [FoldRead(bettor)]
    assert seat_row(told, bettor)["stack"] == 97
    assert told.hand.phase is Phase.DEALING
    told.play_on()
    assert seat_row(told, other)["stack"] in (97, 97 + 9)


def test_a_seat_whose_other_action_waits_folds_all_the_same_and_is_told_once(tmp_path: Path) -> None:
    """R-BET-14: the fold always stands; told in vain, it would be told again with everything that moves."""
    told = SlipStory("2 6").begin().passive(4)
    other = after(told, told.hand.round.actor)
    assert told.rule("out_of_turn", "dealer", seat=other, verb="bet", to=4) is None
    told.fold_cards(other)
    assert told.hand.over
    assert told.happened(FoldRead) == [FoldRead(other)]
    told.finish(tmp_path)


def test_when_all_hands_lie_in_the_muck_play_stops_until_one_is_put_back(tmp_path: Path) -> None:
    """R-POT-10, screens §3: the last hand cannot be folded away, and which one came last nobody has told."""
    told = at_bets("2 6")
    bettor = after(told, told.hand.round.actor)
    other = told.hand.round.actor
    assert told.rule("stop_play", "dealer") is None
    for seat in (bettor, other):
        told.fold_cards(seat)
        told.tell(MuckedTimeout(seat))
    assert told.rule("play_on") is None
    assert told.hold == "live_card_mucked"
    assert not told.happened(FoldRead)
    told.cards_back(other)
    assert told.hand.over
    assert told.happened(FoldRead) == [FoldRead(bettor)]
    told.finish(tmp_path)


def test_one_card_in_the_muck_stops_play_in_time_and_names_no_card(tmp_path: Path) -> None:
    told = at_bets()
    actor = told.hand.round.actor
    card = next(card for card, place in told.where.items() if isinstance(place, SeatPlace) and place.seat == actor)
    due = told.where[card]
    told.lay(card, Spot.MUCK)
    assert told.hold is None
    told.tell(MuckedTimeout(actor))
    assert told.hold == "live_card_mucked"
    assert told.moves() == [("muck", str(due))]
    told.lay(card, due)
    assert told.hold is None
    assert not told.happened(FoldRead)
    told.lay(card, Spot.MUCK)
    told.tell(MuckedTimeout(actor))
    told.fold_cards(actor)
    assert told.hold is None
    assert told.happened(FoldRead) == [FoldRead(actor)]
    assert told.happened(LiveCardsMucked) == [LiveCardsMucked(actor)] * 2
    told.play_on()
    told.finish(tmp_path)


def test_a_hand_that_is_lifted_with_one_card_in_the_muck_is_no_fold() -> None:
    """A single card may have slipped there while its owner holds the others (screens §3)."""
    told = at_bets()
    actor = told.hand.round.actor
    first, *others = [card for card, place in told.where.items() if isinstance(place, SeatPlace) and place.seat == actor]
    told.lay(first, Spot.MUCK)
    for card in others:
        told.lift(card)
    assert not told.happened(FoldRead)
    assert told.hand.round.actor == actor
    told.lay(others[0], Spot.MUCK)
    assert told.happened(FoldRead) == [FoldRead(actor)]


@pytest.mark.parametrize("seat", [1, 4, 9])
def test_the_time_that_is_over_for_nothing_tells_nothing(seat: int) -> None:
    told = at_bets()
    assert not told.tell(MuckedTimeout(seat)).events


def test_a_fold_that_was_taken_back_waits_for_its_cards_and_is_not_read_again(tmp_path: Path) -> None:
    """R-RULE-02: the banner asks to put them back, and the readers confirm."""
    told = at_bets()
    actor = told.hand.round.actor
    told.fold_cards(actor)
    assert told.rule("undo_action", "dealer") is None
    assert told.hand.round.actor == actor
    assert told.hold == "live_card_mucked"
    assert {here for here, _ in told.moves()} == {"muck"}
    told.tell(MuckedTimeout(actor))
    assert told.happened(FoldRead) == [FoldRead(actor)]
    told.cards_back(actor)
    assert told.hold is None
    told.fold_cards(actor)
    assert told.happened(FoldRead) == [FoldRead(actor)] * 2
    told.play_on()
    told.finish(tmp_path)


def test_an_action_before_a_read_fold_can_be_taken_back_and_the_fold_waits_for_its_turn_again(tmp_path: Path) -> None:
    told = at_bets()
    actor = told.hand.round.actor
    later = after(told, actor)
    told.fold_cards(later)
    assert told.act(Verb.CALL, told.hand.round.match) is None
    assert told.rule("undo_action", "dealer") is None
    assert told.hold == "live_card_mucked"
    assert told.rule("undo_action", "floor") is None
    assert told.hold is None
    assert told.hand.round.actor == actor
    assert seat_row(told, later)["folding"] is True
    raised = next(action for action in legal_actions(told.hand) if action.verb is Verb.RAISE)
    assert told.act(raised.verb, raised.to) is None
    assert [event.seat for event in told.happened(FoldRead)] == [later, later]
    told.play_on()
    told.finish(tmp_path)


def test_the_bring_in_cannot_be_thrown_away(tmp_path: Path) -> None:
    """R-BRING-04, Q-23: its owner pays it first; the cards wait in the muck until then."""
    told = SlipStory("1 2 3").begin()
    told.deal()
    actor = told.hand.round.actor
    told.fold_cards(actor)
    assert not told.happened(FoldRead)
    assert told.hand.round.actor == actor
    assert told.act(Verb.BRING_IN, told.hand.setup.stakes.bring_in) is None
    assert not told.happened(FoldRead)
    assert seat_row(told, actor)["folding"] is True
    told.cards_back(actor)
    told.play_on()
    told.finish(tmp_path)


def test_a_loser_who_throws_his_hand_in_concedes_and_a_winner_does_not(tmp_path: Path) -> None:
    told = SlipStory("1 2 3").begin().passive()
    first, second, third = to_show(told.hand)
    told.fold_cards(second)
    assert told.happened(HandMucked) == [HandMucked(second)]
    assert [event.seat for event in told.happened(FoldRead)] == [second]
    assert to_show(told.hand) == (first, third)
    told.showdown()
    told.fold_cards(first)
    told.fold_cards(third)
    assert len(told.happened(FoldRead)) == 1
    told.finish(tmp_path)


def test_who_must_show_cannot_throw_his_hand_in() -> None:
    """R-SHOW-06: in a tournament everybody tables where somebody is all-in; what lies in the muck is a live hand."""
    told = TableStory({1: 3, 2: 100, 3: 100}, preset="tournament").start().passive()
    seat = next(seat for seat in to_show(told.hand) if not may_muck(told.hand, seat))
    told.fold_cards(seat)
    assert not told.happened(HandMucked)
    assert not told.happened(FoldRead)
    told.tell(MuckedTimeout(seat))
    assert told.hold == "live_card_mucked"
    told.cards_back(seat)
    assert told.hold is None
    told.showdown()
    assert told.hand.over


def test_nothing_is_folded_while_play_is_stopped_or_the_table_is_not_live(tmp_path: Path) -> None:
    told = at_bets()
    actor = told.hand.round.actor
    assert told.rule("stop_play", "dealer") is None
    told.fold_cards(actor)
    assert not told.happened(FoldRead)
    assert told.rule("play_on") is None
    assert told.happened(FoldRead) == [FoldRead(actor)]
    later = told.hand.round.actor
    told.restart()
    told.fold_cards(later)
    assert len(told.happened(FoldRead)) == 1
    told.find_shoe()
    told.tell(FeltIsReady())
    assert told.order(Resume()) is None
    assert [event.seat for event in told.happened(FoldRead)] == [actor, later]
    told.play_on()
    told.finish(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_a_hand_with_folds_by_the_muck_ends_as_the_same_hand_with_folds_by_touch(seed: int) -> None:
    """The same cards, the same words: chips, pots and folds are the same, however far ahead of its turn a hand is thrown in."""
    said: list[tuple[str, int]] = []

    def played(by_muck: bool) -> dict[int, int]:
        told = TableStory(dict.fromkeys((1, 3, 4, 6, 7), 200), seed=seed).start()
        rng = random.Random(seed)
        for _ in range(400):
            told.deal()
            if told.hand.phase is not Phase.BETTING:
                break
            actor = told.hand.round.actor
            choices = legal_actions(told.hand)
            action = rng.choice(choices)
            early = rng.random() < 0.3
            if action.verb is not Verb.FOLD:
                assert told.act(action.verb, action.to) is None
            elif by_muck:
                told.fold_cards(actor)
            else:
                assert told.act(action.verb, action.to) is None
                if early:
                    told.fold_cards(actor)
        told.showdown()
        said.append(("folds", sum(event.verb is Verb.FOLD for event in told.happened(ActionTaken))))
        return {seat.seat: seat.stack for seat in told.state.seats}

    assert played(True) == played(False)
    assert said[0] == said[1]


def test_no_fold_is_read_at_a_place_that_no_reader_sees() -> None:
    """A reader of the seat is set aside: whether cards still lie there nobody tells, so the dealer folds by touch (REG-47)."""
    told = at_bets()
    actor = told.hand.round.actor
    antennas = tuple((place, f"felt-{place}", 1) for place in DEALT_TO)
    told.state = told.state._replace(equipment=Equipment("shoe", antennas))
    for card in [card for card, place in told.where.items() if place == SeatPlace(actor, Zone.DOWN)]:
        told.state = told.state._replace(custody=see(told.state.custody, card, Spot.MUCK))
    up = [card for card, place in told.where.items() if place == SeatPlace(actor, Zone.UP)]
    for card in up:
        told.state = told.state._replace(custody=leave(told.state.custody, card, SeatPlace(actor, Zone.UP)))
    assert thrown(told.state) == {actor}
    for place, seen in ((f"seat/{actor}/up", set()), ("muck", set()), (f"seat/{actor % 8 + 1}/up", {actor})):
        assert thrown(told.state._replace(past=((f"felt-{place}", 0),))) == seen


def test_one_touch_takes_back_all_that_one_word_entered_with_its_folds(tmp_path: Path) -> None:
    """R-RULE-02: the last command whole; what came before it stays, and another action behind it is taken back alone."""
    told = at_bets("1 2 3 4 5")
    first = told.hand.round.actor
    told.fold_cards(after(told, first))
    chips = told.hand.chips_in_play
    around(told, Verb.CALL)
    assert told.hand.phase is Phase.DEALING
    assert told.happened(AllActed) == [AllActed(4)]
    undo = dealer_view(picture_of(told.state, "T1"))["undo"]
    assert (undo["what"], undo["verb"], undo["to"]) == ("around", "call", 4)
    assert told.rule("undo_action", "dealer") is None
    assert told.hand.round.actor == first
    assert told.hand.chips_in_play == chips
    assert [entry.seat for entry in told.hand.seats if entry.live] == [1, 2, 3, 4, 5]
    around(told, Verb.CALL)
    told.deal()
    assert told.act(Verb.CHECK) is None
    assert dealer_view(picture_of(told.state, "T1"))["undo"]["what"] == "action"
    assert told.rule("undo_action", "dealer") is None
    assert told.hand.street == 5
    told.play_on()
    told.finish(tmp_path)
