"""A shoe that stopped the deal, and ids of orders that run out: the session begins anew without a start of the controller."""

from __future__ import annotations

import pytest
from support.by_hand_story import ByHandStory
from support.table_story import TableStory

from controller.hand.commands import Refusal, Role
from controller.table.events import GateOrdered, ShoeAdopted, ShoeRenewed, Suspended
from controller.table.inputs import ClearShoe, Resume, Rule, StartHand, TakeShoeAgain
from controller.table.parts import Gate
from controller.table.shoe_error_events import ShoeClearFailed, ShoeClearOrdered, ShoeErrors
from controller.table.shoe_session import LAST_ORDER
from controller.table.state import TableStatus
from drivers.ports import CommandDone, EventKey, LinkChanged, LinkState, NoticeKind, ShoeFound, ShoeNotice, ShoeState, ShoeStopped

AGAIN = Rule("take_shoe_again", TakeShoeAgain(), "Fay", "Dan", "the cable was seen")


def stopped(code: str) -> TableStory:
    """A hand in which one card is dealt and the shoe then stops the deal."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    told.tell(ShoeStopped("shoe", code, "It did what cannot be."))
    return told


@pytest.mark.parametrize(("code", "hold"), [("tamper", "shoe_tampered"), ("draw_no", "shoe_stopped")])
def test_two_people_take_a_stopped_shoe_again_and_the_dealer_is_asked_once(code: str, hold: str) -> None:
    """Tampering has its own words. The shoe is found, compared and adopted; she confirms the picture, and the hand goes on."""
    told = stopped(code)
    assert told.hold == hold
    assert not told.state.gate.is_open
    assert told.order(AGAIN) is None
    assert told.happened(ShoeRenewed)[-1] == ShoeRenewed(1)
    assert told.state.gate == Gate()
    told.find_shoe()
    assert told.state.status is TableStatus.SUSPENDED
    assert told.happened(Suspended)[-1] == Suspended("restarted")
    assert told.order(Resume()) is None
    assert told.hold is None
    assert told.state.gate == Gate(1, is_open=True)
    told.play_on()
    assert told.state.chips_conserved


def test_a_stopped_shoe_is_taken_again_before_the_felt_is_ready() -> None:
    """It stopped the opening after a start: the table waits for it, so the ruling cannot wait for the table."""
    told = stopped("draw_no")
    told.restart()
    told.commit((ShoeRenewed(7),))
    told.tell(ShoeStopped("shoe", "tail_lost", "The journal lost its end."))
    assert told.state.status is TableStatus.RECOVERING
    assert told.order(AGAIN) is None
    assert told.happened(ShoeRenewed)[-1] == ShoeRenewed(8)


@pytest.mark.parametrize(
    ("order", "code"),
    [
        (Rule("take_shoe_again", TakeShoeAgain(Role.DEALER), "Dan", "Fay", ""), "floor_rules_it"),
        (Rule("take_shoe_again", TakeShoeAgain(), "Fay", "Fay", ""), "two_people"),
    ],
)
def test_one_person_alone_does_not_take_it_again(order: Rule, code: str) -> None:
    """The floor and another one, who looked at it."""
    refusal = stopped("tamper").order(order)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code


def test_a_shoe_that_runs_or_obeys_another_is_not_taken_again() -> None:
    """There is nothing to mend, or another controller is to be found first."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    refusal = told.order(AGAIN)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "shoe_runs"
    refusal = stopped("fenced").order(AGAIN)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "shoe_is_fenced"


def said(told: TableStory, *, last_seq: int, first_kept: int, draw_no: int) -> ShoeFound:
    """The shoe of the same start with these counts."""
    shoe = told.state.shoe
    counts = last_seq, last_seq, first_kept, shoe.load, draw_no, told.state.custody.in_shoe
    return ShoeFound("shoe", ShoeState("S0012345", "M1", shoe.boot, *counts, "H"))


def test_a_shoe_whose_events_do_not_join_ours_is_adopted_by_its_counts() -> None:
    """Events are gone on either side: adopted at a number that it has, equal counts go on, others are a question to the floor."""
    for last, first, draws, agree in ((1, 1, 0, True), (1, 1, 3, False), (60, 40, 0, True), (60, 40, 2, False)):
        told = stopped("seq_back")
        ours = told.state.shoe
        assert told.order(AGAIN) is None
        told.tell(said(told, last_seq=last, first_kept=first, draw_no=ours.draw_no + draws))
        adopted = told.happened(ShoeAdopted)[-1]
        assert adopted.accepted_seq == (1 if last == 1 else 39)
        assert adopted.counts_agree is agree
        assert told.order(Resume()) is None
        assert told.hold == (None if agree else "shoe_restarted")


def test_ids_of_orders_that_run_out_begin_again_and_lose_nothing() -> None:
    """The gate is to open under an id with five digits: a new epoch instead, nobody is asked, and the street is dealt."""
    told = TableStory({1: 100, 2: 100}, seed=3)
    told.commit((GateOrdered(LAST_ORDER, is_open=False),))
    told.start()
    assert told.happened(ShoeRenewed) == [ShoeRenewed(1)]
    told.find_shoe()
    assert told.state.status is TableStatus.LIVE
    assert told.state.gate == Gate(1, is_open=True)
    told.play_on()
    assert told.state.chips_conserved


def test_a_degraded_link_closes_the_gate_at_the_end_of_the_betting_round() -> None:
    """The street that is begun is dealt to its end, bets are taken; then no card comes until the line is good again."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    told.tell(LinkChanged("shoe", 0, LinkState.DEGRADED, "more than 5 bad lines in 10 s"))
    assert told.hold is None
    assert told.state.gate.is_open
    told.passive(until=4)
    assert told.hand.street == 4
    assert told.hold == "shoe_degraded"
    assert not told.state.gate.is_open
    told.tell(LinkChanged("shoe", 0, LinkState.UP, "in session"))
    assert told.hold is None
    assert told.state.gate.is_open
    told.play_on()


def test_a_degraded_shoe_may_be_set_aside() -> None:
    """The way out where the cable cannot be mended in the hand."""
    told = ByHandStory({1: 100, 2: 100})
    told.tell(LinkChanged("shoe", 0, LinkState.DEGRADED, "more than 5 bad lines in 10 s"))
    told.load()
    told.order(StartHand())
    assert told.hold == "shoe_degraded"
    assert told.step_past("shoe") is None
    assert told.hold is None


CLEAR = Rule("clear_shoe", ClearShoe(), "Fay", "", "the card is out of the exit")


def notice(told: TableStory, kind: NoticeKind, detail: str) -> None:
    """The shoe tells of an error, or that it is gone."""
    told.seq += 1
    told.tell(ShoeNotice("shoe", EventKey(told.boot, told.seq), kind, detail))


def test_a_latched_error_holds_the_deal_until_the_floor_has_it_cleared() -> None:
    """The order bears the next id and leaves the gate as it is; only what the shoe says then opens it again."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    notice(told, NoticeKind.FAULT, "E1")
    assert told.hold is None
    notice(told, NoticeKind.FAULT, "E2 latched")
    assert told.hold == "shoe_error"
    closed = told.state.gate
    assert not closed.is_open
    assert told.order(CLEAR) is None
    assert told.happened(ShoeClearOrdered) == [ShoeClearOrdered(closed.order + 1, "E2")]
    assert told.state.gate == Gate(closed.order + 1, is_open=False)
    assert told.hold == "shoe_error"
    notice(told, NoticeKind.CLEARED, "E2")
    assert told.hold is None
    assert told.state.gate == Gate(closed.order + 2, is_open=True)
    told.play_on()
    assert told.state.chips_conserved


def test_the_floor_alone_clears_and_only_what_there_is() -> None:
    """Not the dealer; and not where the shoe tells of no error."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    refusal = told.order(CLEAR)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "shoe_has_no_error"
    notice(told, NoticeKind.FAULT, "E2 latched")
    refusal = told.order(Rule("clear_shoe", ClearShoe(Role.DEALER), "Dan", "", ""))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "floor_rules_it"


def test_an_adoption_takes_the_errors_that_the_shoe_says_it_has() -> None:
    """A restart forgets them, or began with one: the heartbeat of the opening counts."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    notice(told, NoticeKind.FAULT, "E2 latched")
    told.tell(said(told, last_seq=told.seq, first_kept=1, draw_no=told.state.shoe.draw_no))
    assert told.happened(ShoeErrors) == [ShoeErrors(())]
    assert told.hold is None


def test_ids_that_run_out_begin_anew_before_an_error_is_cleared() -> None:
    """Four digits (TSP/1 commands)."""
    told = TableStory({1: 100, 2: 100}, seed=3)
    told.commit((GateOrdered(LAST_ORDER, is_open=False),))
    notice(told, NoticeKind.FAULT, "E7 latched")
    assert told.order(CLEAR) is None
    assert told.happened(ShoeRenewed) == [ShoeRenewed(1)]
    assert told.happened(ShoeClearOrdered) == [ShoeClearOrdered(1, "E7")]


def refused(told: TableStory, order: int) -> None:
    """The shoe says no to an order."""
    told.tell(CommandDone("shoe", order, ok=False, barrier=0, reason="the shoe refused: LATCHED"))


def test_a_shoe_that_refuses_to_clear_holds_the_deal_in_other_words_until_its_button_does_it() -> None:
    """People are told what is left to do; a refused order is no way out, and the gate stays closed."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    notice(told, NoticeKind.FAULT, "E2 latched")
    assert told.order(CLEAR) is None
    refused(told, told.state.gate.order - 1)
    assert told.hold == "shoe_error"
    refused(told, told.state.gate.order)
    assert told.happened(ShoeClearFailed) == [ShoeClearFailed("E2", "the shoe refused: LATCHED")]
    assert told.hold == "shoe_not_cleared"
    assert not told.state.gate.is_open
    assert told.state.status is TableStatus.LIVE
    notice(told, NoticeKind.CLEARED, "E2")
    assert told.hold is None
    assert told.state.shoe_clears == ()
    assert told.state.gate.is_open
    told.play_on()
    assert told.state.chips_conserved


def test_the_floor_may_have_it_cleared_again_and_a_late_answer_counts_no_more() -> None:
    """A new order is a new try: until it is answered nothing is said of the old one. Each error has its own answer."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    notice(told, NoticeKind.FAULT, "E2 latched")
    notice(told, NoticeKind.FAULT, "E7 latched")
    assert told.order(CLEAR) is None
    first = told.happened(ShoeClearOrdered)
    refused(told, first[0].order)
    refused(told, first[0].order)
    assert told.happened(ShoeClearFailed) == [ShoeClearFailed("E2", "the shoe refused: LATCHED")]
    notice(told, NoticeKind.CLEARED, "E2")
    assert told.hold == "shoe_error"
    assert told.order(CLEAR) is None
    refused(told, first[1].order)
    assert told.hold == "shoe_error"
    told.tell(CommandDone("shoe", told.state.gate.order, ok=True, barrier=told.seq, reason=""))
    assert told.hold == "shoe_error"
    notice(told, NoticeKind.CLEARED, "E7")
    assert told.hold is None


def test_a_new_session_or_start_forgets_how_orders_to_clear_ended() -> None:
    """Their ids begin again: an answer to one of them must not be taken for that of an older order."""
    for anew in (lambda told: told.commit((ShoeRenewed(1),)), lambda told: told.restart()):
        told = TableStory({1: 100, 2: 100}, seed=3).start()
        told.deal_one()
        notice(told, NoticeKind.FAULT, "E2 latched")
        assert told.order(CLEAR) is None
        order = told.state.gate.order
        anew(told)
        refused(told, order)
        assert told.happened(ShoeClearFailed) == []
        assert told.state.shoe_clears == ()


def test_a_gate_that_a_dead_controller_left_open_is_closed_before_anybody_confirms() -> None:
    """A start within the shoe's three seconds of silence finds the gate open: no card leaves before the picture is confirmed."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    assert told.state.gate.is_open
    told.restart()
    assert told.state.gate == Gate(), "the shoe said that its gate is closed: nothing to order in the new epoch"
    told.find_shoe(gate="")
    assert told.happened(GateOrdered)[-1] == GateOrdered(1, is_open=False)
    told.find_shoe()
    assert told.state.gate == Gate(1)
