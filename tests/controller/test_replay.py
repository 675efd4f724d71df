"""Comparing machine and record: every difference is found where it is, and explained by a house rule only when one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from support.table_runs import CORPUS

from controller.hand.rules import HouseRules, house_rules
from controller.replay import Differs, Refused, Report, Verdict, expected_steps, stakes_of, through_hand, with_explanation
from simulators.recorded import load_hands
from simulators.recorded_hand import Checked, Folded, RecordedHand, Returned, Wagered

RULES: Final = house_rules(
    "seeds",
    {
        "deal.ghost_cards_after_free_fold": "false",
        "bring_in.short": "match_short",
        "odd_chip.policy": "five_card_high_suit",
        "odd_chip.distribution": "one_each",
        "hilo.same_winners_both_ways": "two_step",
    },
)


@pytest.fixture(scope="module")
def hand() -> RecordedHand:
    """A hand with wagers on every street, a check, a fold, an uncalled bet and a showdown; it agrees."""
    wanted = {Wagered, Checked, Folded, Returned}
    for found in load_hands(CORPUS / "generated-stud.jsonl"):
        if wanted <= {type(event) for event in found.events} and len(found.collected) > 1:
            assert through_hand(found, RULES) is None
            return found
    raise AssertionError("no such hand")


def changed(hand: RecordedHand, change: Callable[[Any], Any], kind: type, number: int = 0) -> RecordedHand:
    """``hand`` with the ``number``-th event of ``kind`` changed."""
    index = [place for place, event in enumerate(hand.events) if isinstance(event, kind)][number]
    return replace(hand, events=(*hand.events[:index], change(hand.events[index]), *hand.events[index + 1 :]))


def test_the_record_says_what_the_machine_did(hand: RecordedHand) -> None:
    """Bring-in seat, first to act, actions, amounts and chips won agree; steps name street and verb."""
    steps = list(expected_steps(hand))
    assert len(steps) == sum(isinstance(event, Wagered | Checked | Folded) for event in hand.events)
    assert steps[0].what.startswith("street 3: ")
    assert stakes_of(hand).small == hand.stakes.small_bet


def test_another_bring_in_seat_is_refused(hand: RecordedHand) -> None:
    """Somebody else posts it than the low card: the machine does not let that seat act (R-BET-14)."""
    other = next(seat for seat in hand.seats if seat != next(e for e in hand.events if isinstance(e, Wagered)).seat)
    verdict = through_hand(changed(hand, lambda event: replace(event, seat=other), Wagered), RULES)
    assert isinstance(verdict, Refused)
    assert (verdict.rule, verdict.event[:9]) == ("R-BET-14", "street 3:")


def test_an_action_out_of_turn_is_refused_where_it_comes(hand: RecordedHand) -> None:
    """A check by a seat that is not to act."""
    check = next(event for event in hand.events if isinstance(event, Checked))
    other = next(seat for seat in hand.seats if seat != check.seat)
    verdict = through_hand(changed(hand, lambda event: replace(event, seat=other), Checked), RULES)
    assert isinstance(verdict, Refused)
    assert (verdict.rule, verdict.event) == ("R-BET-14", f"street {check.street}: seat {other} check")


def test_a_wrong_amount_is_refused(hand: RecordedHand) -> None:
    """A wager one chip too high is no legal wager; the sentence says what would be."""
    last = max(index for index, event in enumerate(e for e in hand.events if isinstance(e, Wagered)) if event)
    verdict = through_hand(changed(hand, lambda e: replace(e, to=e.to + 1, amount=e.amount + 1), Wagered, last), RULES)
    assert isinstance(verdict, Refused)
    assert verdict.rule == "R-BET-11"


def test_a_record_that_adds_other_chips_differs(hand: RecordedHand) -> None:
    """The total is legal but the chips added are said wrong: named with both values."""
    verdict = through_hand(changed(hand, lambda event: replace(event, amount=event.amount + 3), Wagered, 1), RULES)
    assert isinstance(verdict, Differs)
    assert verdict.expected["chips"] == verdict.got["chips"] + 3
    assert verdict.as_json().keys() == {"hand_id", "event", "expected", "got", "rule"}


def test_other_money_at_the_end_differs(hand: RecordedHand) -> None:
    """Who collects what, and what comes back uncalled."""
    (first, chips), (second, more) = list(hand.collected.items())[:2]
    verdict = through_hand(replace(hand, collected={**hand.collected, first: chips + 1, second: more - 1}), RULES)
    assert isinstance(verdict, Differs)
    assert (verdict.event, verdict.rule) == ("collected", "R-POT-01")
    verdict = through_hand(changed(hand, lambda event: replace(event, amount=event.amount + 1), Returned), RULES)
    assert isinstance(verdict, Differs)
    assert (verdict.event, verdict.rule) == ("uncalled", "R-ALLIN-03")


def test_a_record_that_ends_too_early_differs(hand: RecordedHand) -> None:
    """The last action is missing: the machine still waits for somebody."""
    last = max(index for index, event in enumerate(hand.events) if isinstance(event, Wagered | Checked | Folded))
    verdict = through_hand(replace(hand, events=hand.events[:last] + hand.events[last + 1 :]), RULES)
    assert isinstance(verdict, Differs)


def explained(file: str, rules: HouseRules) -> list[Verdict]:
    hands = load_hands(CORPUS / file)
    return [verdict for found in hands if (verdict := with_explanation(found, rules, through_hand(found, rules))) is not None]


def test_one_knob_that_explains_a_hand_is_named(hand: RecordedHand) -> None:
    """By the preset hands with a short bring-in are refused, and the knob that would allow each is named with its rule."""
    seeds = house_rules("seeds", {"deal.ghost_cards_after_free_fold": "false"})
    verdicts = explained("generated-stud.jsonl", seeds)
    assert verdicts
    assert all(isinstance(found, Refused) and found.house_rule == "bring_in.short=match_short" for found in verdicts)
    assert with_explanation(hand, RULES, None) is None


def test_what_no_single_knob_explains_stays_a_difference(hand: RecordedHand) -> None:
    """A forged award differs by every house rule."""
    (first, chips), (second, more) = list(hand.collected.items())[:2]
    forged = replace(hand, collected={**hand.collected, first: chips + 1, second: more - 1})
    assert isinstance(with_explanation(forged, RULES, through_hand(forged, RULES)), Differs)


def test_a_flagged_hand_is_not_explained_away(hand: RecordedHand) -> None:
    """What the record itself calls illegal stays refused, without a knob."""
    refused = Refused(hand.hand_id, "street 3: seat 1 raise", "R-BET-11", "no", flagged=True)
    assert with_explanation(hand, RULES, refused) is refused


def test_the_report_holds_unless_something_is_unexplained() -> None:
    """Differences fail; refusals fail unless they are flagged or name a house rule. All keys that checks read are there."""
    flagged = Refused("a", "e", "R-BET-11", "m", flagged=True)
    by_house = Refused("b", "e", "R-BRING-08", "m", house_rule="bring_in.short=match_short")
    report = Report()
    for verdict in (None, flagged, by_house):
        report.add(verdict)
    assert report.ok
    found = report.as_json(1.23456)
    assert (found["hands"], found["agree"], len(found["refused"]), found["differ"], found["seconds"]) == (3, 1, 2, [], 1.235)
    assert found["refused"][0].keys() >= {"hand_id", "event", "rule", "message"}
    for bad in (Refused("c", "e", "R-BET-01", "m"), Differs("d", "e", 1, 2, "R-POT-01")):
        failing = Report()
        failing.add(bad)
        assert not failing.ok
