"""Reading hands from a journal, and what stands of a hand after its corrections."""

from __future__ import annotations

import copy
import re
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.exported_hands import hands_with_slips, hidden_cards, random_hands
from support.hand_dsl import Story
from support.slips_dsl import Hand
from support.table_runs import rehearsed_bodies, write_journal

from controller.export.hands import MAX_NOTES, UNFINISHED, FinishedHand, HandLog, hand_of, read_hands
from controller.export.phh import phh_text
from controller.export.plays import Acted, Burned, Dealt
from controller.hand.commands import AwardPots, Role, UndoAction, UndoAward
from controller.hand.events import HandHeld
from controller.hand.terms import Verb
from controller.journal.errors import JournalDamaged
from controller.table.events import Ruled


@pytest.fixture(scope="module")
def played() -> list[dict[str, Any]]:
    """Three hands of a rehearsed table."""
    return rehearsed_bodies(hands=3, seed=4)


def read(path: Path) -> tuple[list[FinishedHand], list[tuple[int, str]]]:
    """Hands, and what was skipped."""
    hands: list[FinishedHand] = []
    skipped: list[tuple[int, str]] = []
    read_hands(path, hands.append, lambda number, reason: skipped.append((number, reason)))
    return hands, skipped


def told(story: Story) -> FinishedHand:
    """The hand of a finished story."""
    return hand_of(story.state.setup, tuple(story.stacks.items()), story.events)


def test_a_journal_gives_its_finished_hands(played: list[dict[str, Any]], tmp_path: Path) -> None:
    """Names, stacks before, times, first and last event, and the table; chips go from hand to hand."""
    hands, skipped = read(write_journal(tmp_path, played))
    assert [hand.number for hand in hands] == [1, 2, 3]
    assert skipped == []
    assert hands[0].names == {seat: f"Player {seat}" for seat in range(1, 6)}
    assert [chips for _, chips in hands[0].stacks] == [200] * 5
    for before, after in pairwise(hands):
        assert before.finishing == dict(after.stacks)
        assert before.origin.last < after.origin.first
    assert {hand.origin.table for hand in hands} == {"T1"}
    assert all(hand.origin.started < hand.origin.ended for hand in hands)
    assert all(hand.void is None and sum(hand.won.values()) == sum(pot.chips for pot in hand.end.pots) for hand in hands)


def test_an_unfinished_hand_is_skipped(played: list[dict[str, Any]], tmp_path: Path) -> None:
    """The last hand is being played: its number and the reason."""
    opened = [index for index, body in enumerate(played) if body["type"] == "HandOpened"]
    hands, skipped = read(write_journal(tmp_path, copy.deepcopy(played[: opened[2] + 12])))
    assert [hand.number for hand in hands] == [1, 2]
    assert skipped == [(3, UNFINISHED)]


def test_a_journal_that_does_not_hold_is_named(played: list[dict[str, Any]], tmp_path: Path) -> None:
    """An event that cannot follow stops the reading with its number."""
    bodies = copy.deepcopy(played)
    index = next(number for number, body in enumerate(bodies) if body["type"] == "ActionTaken")
    bodies[index]["seat"] = "x"
    with pytest.raises(JournalDamaged) as caught:
        read(write_journal(tmp_path, bodies))
    assert caught.value.seq == index + 1


def test_a_missing_journal_is_said(tmp_path: Path) -> None:
    """``FileNotFoundError`` when there is none."""
    with pytest.raises(FileNotFoundError):
        read(tmp_path)


def test_an_undone_action_leaves_no_trace_but_a_count() -> None:
    """R-RULE-02: the action that was entered by mistake is not told."""
    story = Story({1: 90, 4: 90, 6: 90}, cards={1: "?? ?? 2c"}).bets("1 post, 4 to 4")
    story.tell(UndoAction())
    story.bets("4 call, 6 fold, 1 check" if "check" in story.options else "4 call, 6 fold")
    story.passive(8).showdown()
    hand = told(story)
    verbs = [play.verb for play in hand.plays if isinstance(play, Acted) and play.street == 3]
    assert verbs[:3] == [Verb.BRING_IN, Verb.CALL, Verb.FOLD]
    assert hand.undone == 1


def test_a_burn_that_was_made_before_an_undo_stays_made() -> None:
    """Q-84: what has left the shoe is a fact; the street has one burn."""
    story = Hand("1 4", cards={1: "?? ?? 2c"})
    story.deal()
    story.act("seat 1 brings in, seat 4 calls 2")
    story.deal(cards=1)
    story.tell(UndoAction(Role.FLOOR))
    story.act("seat 4 raises to 4, seat 1 calls")
    story.deal()
    story.passive(8)
    story.showdown()
    hand = told(story)
    assert [play.street for play in hand.plays if isinstance(play, Burned)].count(4) == 1
    assert sum(isinstance(play, Burned) for play in hand.plays) == 4


def test_a_wrong_award_is_told_once() -> None:
    """R-RULE-04: the award that was taken back is not told."""
    story = Story({1: 90, 4: 90}, cards={1: "?? ?? 2c"}).bets("1 post, 4 call").passive(8).showdown()
    story.tell(UndoAward())
    story.tell(AwardPots())
    hand = told(story)
    assert hand.undone == 1
    assert sum(hand.won.values()) == 6
    assert sum(getattr(play, "chips", 0) for play in hand.plays if type(play).__name__ == "Won") == 6


def test_a_redealt_hand_is_its_last_deal() -> None:
    """R-MIS-03: antes stay, the deal that was given up is not told."""
    story = Hand("1 5 7")
    story.deal(cards=4)
    story.slip("floor: misdeal, seat left out")
    story.load()
    story.deal()
    story.passive(8)
    story.showdown()
    hand = told(story)
    assert hand.redeals == 1
    assert sum(isinstance(play, Dealt) and play.street == 3 for play in hand.plays) == 9


def test_rulings_and_stops_are_bounded() -> None:
    """A hundred of each are listed; one more is not."""
    story = Story({1: 90, 4: 90}, cards={1: "?? ?? 2c"}).bets("1 post, 4 fold")
    log = HandLog(story.state, {})
    for _ in range(MAX_NOTES + 1):
        log.ruled(Ruled("kill_hands", "floor", "f", "", "x"))
        log.take(story.state, HandHeld("wrong_place", None))
    hand = log.finished(story.state)
    assert (len(hand.rulings), len(hand.stops)) == (MAX_NOTES, MAX_NOTES)


def test_a_hand_that_is_not_over_is_refused() -> None:
    """Half a hand is no finished hand."""
    story = Story({1: 90, 4: 90})
    with pytest.raises(ValueError, match="not finished"):
        told(story)


def test_the_hash_is_that_of_the_posted_card(played: list[dict[str, Any]], tmp_path: Path) -> None:
    """Q-04: each hand bears the hash that the journal keeps with it; one that kept none gets the hash of its rules."""
    kept = [body["rules_hash"] for body in played if body["type"] == "HandOpened"]
    hands, _ = read(write_journal(tmp_path, played))
    assert [hand.rules_hash for hand in hands] == kept
    for hand in hands:
        without = replace(hand, setup=hand.setup._replace(rules_hash=""))
        assert without.rules_hash == hand.rules_hash
        posted = replace(hand, setup=hand.setup._replace(rules_hash="0123456789abcdef"))
        assert posted.rules_hash == "0123456789abcdef"


def test_no_export_names_a_card_that_was_not_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-RULE-06: down cards of hands that were not tabled, burns, ghosts and dead cards stand in no PHH hand and no ``repr``."""
    for events, hand in (*random_hands(150, seed=41, knobs=True), *hands_with_slips(60, 42, monkeypatch)):
        actions = tomllib.loads(phh_text(hand))["actions"]
        words = [action.split()[-1] for action in actions if action.startswith("d ") or " sm " in action]
        cards = {word[index : index + 2] for word in words for index in range(0, len(word), 2)}
        assert not {card.text for card in hidden_cards(events)} & cards
        assert not re_cards(repr(hand) + repr(hand.plays))


def re_cards(text: str) -> list[str]:
    """Card texts in ``text``."""
    return re.findall(r"\b[2-9TJQKA][cdhs]\b", text)
