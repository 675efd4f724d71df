"""Recorded hands through the whole controller on virtual time: what agrees, what is refused, what differs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.table_runs import CORPUS

from controller.hand.rules import house_rules
from controller.replay import Differs, Refused
from controller.replay_devices import play_of, through_devices
from simulators.recorded import load_hands
from simulators.recorded_hand import Checked, RecordedHand, Wagered

RULES = house_rules("seeds", {"deal.ghost_cards_after_free_fold": "false", "bring_in.short": "match_short"})


@pytest.fixture(scope="module")
def hands() -> list[RecordedHand]:
    return list(load_hands(CORPUS / "real.jsonl"))


@pytest.fixture(scope="module")
def short(hands: list[RecordedHand]) -> RecordedHand:
    """A hand of few events with a check."""
    return min((hand for hand in hands if any(isinstance(e, Checked) for e in hand.events)), key=lambda hand: len(hand.events))


def test_the_table_is_set_as_the_record_says(short: RecordedHand) -> None:
    """Game, stakes, house rules, seats and stacks."""
    play = play_of(short, RULES)
    assert play.variant == short.variant
    assert play.stakes["big"] == short.stakes.big_bet
    assert {seat: chips for seat, (_, chips) in play.seats.items()} == short.stacks
    assert play.rules["bring_in.short"] == "match_short"


def test_a_hand_agrees_whatever_chance_does(short: RecordedHand) -> None:
    """Tags, pace and line noise are the seed's; the outcome is the record's."""
    assert through_devices(short, RULES, seed=1) is None
    assert through_devices(short, RULES, seed=2) is None


def test_another_actor_differs(short: RecordedHand) -> None:
    """The record lets another seat act: the table asks the right one, and says by which rule it refuses the other."""
    index = next(index for index, event in enumerate(short.events) if isinstance(event, Checked))
    check = short.events[index]
    assert isinstance(check, Checked)
    other = next(seat for seat in short.seats if seat != check.seat)
    forged = replace(short, events=(*short.events[:index], replace(check, seat=other), *short.events[index + 1 :]))
    verdict = through_devices(forged, RULES)
    assert isinstance(verdict, Refused)
    assert (verdict.rule, verdict.event) == ("R-BET-14", f"street {check.street}: seat {other} check")


def test_an_amount_that_is_not_offered_is_refused(short: RecordedHand) -> None:
    """The recorded total is put to the table, which refuses it by its rule."""
    index = max(index for index, event in enumerate(short.events) if isinstance(event, Wagered))
    wager = short.events[index]
    assert isinstance(wager, Wagered)
    forged = replace(short, events=(*short.events[:index], replace(wager, to=wager.to + 1), *short.events[index + 1 :]))
    verdict = through_devices(forged, RULES)
    assert isinstance(verdict, Refused)
    assert verdict.event == f"street {wager.street}: seat {wager.seat} {wager.verb}"


def test_other_winnings_differ(short: RecordedHand) -> None:
    """The chips that the table pays are compared too."""
    seat, chips = next(iter(short.collected.items()))
    forged = replace(short, collected={**short.collected, seat: chips + 1})
    verdict = through_devices(forged, RULES)
    assert isinstance(verdict, Differs)
    assert verdict.event == "collected"
