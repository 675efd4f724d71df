"""Answered questions of rules §27 that show at the table: antes taken back, lifted cards, decks and complaints that come late."""

from __future__ import annotations

from pathlib import Path

from support.slip_story import SlipStory
from support.table_story import TableStory

from controller.console.desk import Desk
from controller.hand.commands import UndoAward, VoidHand
from controller.hand.events import AntePosted
from controller.hand.terms import Verb
from controller.table.inputs import Rule, SitOut, StartHand
from controller.table.picture import picture_of
from controller.views.dealer import dealer_view
from controller.words.catalogue import Language


class _Told:
    """A table as the desk knows it."""

    def __init__(self, told: TableStory) -> None:
        self.state = told.state


def prompts(told: TableStory) -> list[tuple[str, int, int]]:
    """What the dealer is asked: code, seat and the bet that it faces."""
    return [(asked["code"], asked["seat"], asked["owes"]) for asked in dealer_view(picture_of(told.state, "T1"))["prompts"]]


def test_an_ante_is_taken_back_before_the_first_card(tmp_path: Path) -> None:
    """Q-06: seat 6 antes and gets up: the hand that has no card yet is void, 1 goes back, and the next is dealt without it."""
    told = SlipStory("1 3 6").begin()
    assert len(told.happened(AntePosted)) == 3
    assert told.order(VoidHand("seat 6 got up before the first card")) is None
    assert {seat.seat: seat.stack for seat in told.state.seats} == {1: 100, 3: 100, 6: 100}
    assert told.order(SitOut(6)) is None
    assert told.order(StartHand()) is None
    assert [event.seat for event in told.happened(AntePosted)[3:]] == [1, 3]
    told.finish(tmp_path)


def test_lifted_up_cards_are_asked_about_and_never_a_fold_by_themselves(tmp_path: Path) -> None:
    """Q-86, R-ABS-03: facing 4 the dealer is asked; put back, or ruled dead, nothing is asked any more; with no bet to call, or
    when the seat has matched it, nothing is asked at all."""
    told = SlipStory("1 2 3").begin("9s Kh 2d 4c 4d Qs 3c 5h 5s").deal()
    cards = {entry.seat: entry.up[0] for entry in told.hand.seats}
    assert told.act(Verb.BRING_IN, 2) is None
    assert told.act(Verb.COMPLETE, 4) is None
    told.lift(cards[2])
    assert prompts(told) == [], "seat 2 has matched the bet"
    told.lay(cards[2], "seat/2/up")
    told.lift(cards[3])
    assert prompts(told) == [("upcards_lifted", 3, 4)]
    assert told.hand.round.actor == 3
    asked = Desk(_Told(told), "T1", Language.FR).snapshot()["prompts"][0]  # type: ignore[arg-type]
    assert asked["text"] == asked["text_fr"] != asked["text_en"]
    assert not set(cards[3].text) & {word for word in asked["text_en"].split() if len(word) == 2}
    told.lay(cards[3], "seat/3/up")
    assert prompts(told) == []
    told.lift(cards[3])
    assert told.rule("kill_hands", seats=[3], cause="upcards_lifted") is None
    assert prompts(told) == []
    told.lay(cards[3], "muck")
    told.finish(tmp_path)


def test_lifted_up_cards_are_not_asked_about_with_no_bet_to_call() -> None:
    """Q-86: on fourth street before any bet, and at the showdown."""
    told = SlipStory("1 2 3").begin().street(4).deal()
    told.lift(told.hand.seats[0].up[0])
    assert prompts(told) == []


def test_a_complaint_after_the_next_hand_has_started_is_too_late(tmp_path: Path) -> None:
    """Q-96, R-SHOW-10: nothing of the hand before is changed any more; the journal still tells it."""
    told = SlipStory("1 2").begin().finish(tmp_path)
    told.load()
    told.start()
    refusal = told.order(Rule("undo_award", UndoAward(), "Fay", "", "misread"))
    assert refusal is not None
    assert refusal.rule == "R-SHOW-10"


def test_the_deck_is_changed_between_hands_only() -> None:
    """Q-89: a deck that is loaded in the middle of a hand stops play; the hand is not dealt from it."""
    told = SlipStory("1 2 3").begin().street(4)
    told.load()
    assert told.hold in ("unexpected_load", "stub_count")
