"""What stands at a decision beside its actions: who is still to act, undo, the forecast of the stub, what pots pay."""

from __future__ import annotations

import pytest
from support.table_story import TableStory

from controller.hand.commands import AwardPots, TableHand
from controller.hand.pots import build_pots
from controller.hand.showdown import to_show
from controller.hand.terms import Verb
from controller.views.decision import around_line, forecast, proposals, still_to_act, street_cards, tabled_hands, undo_line


def test_still_to_act_counts_down_and_starts_anew_with_a_raise() -> None:
    """The actor is one of them."""
    told = TableStory({1: 100, 3: 100, 5: 100, 7: 100}).start()
    assert still_to_act(told.hand) == 0
    told.deal()
    counts = [still_to_act(told.hand)]
    for verb, to in ((Verb.BRING_IN, 2), (Verb.CALL, 2), (Verb.COMPLETE, 4)):
        told.act(verb, to)
        counts.append(still_to_act(told.hand))
    assert counts == [4, 3, 2, 3]


def test_the_cards_of_a_street_are_counted() -> None:
    """Those that lie where they are due; nothing while none is dealt."""
    told = TableStory({1: 100, 3: 100}).start()
    told.lay(told.draw(), "seat/1/down")
    assert street_cards(told.hand) == {"done": 1, "total": 6}
    told.deal()
    assert street_cards(told.hand) is None


def test_an_award_can_be_taken_back_by_the_floor() -> None:
    """Until the next hand starts (R-RULE-04)."""
    told = TableStory({1: 100, 3: 100}).start().passive()
    told.showdown()
    assert undo_line(told.hand) == {"what": "award", "role": "floor", "seat": 0, "verb": None, "to": 0}


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_proposals_are_what_the_award_pays(variant: str) -> None:
    """Pot by pot and chip by chip, and nothing before everybody has shown."""
    for seed in range(4):
        told = TableStory({1: 12, 3: 30, 5: 100, 7: 100}, variant=variant, seed=seed).start().passive()
        while waiting := to_show(told.hand):
            assert proposals(told.hand) == []
            told.order(TableHand(waiting[0]))
        offered = proposals(told.hand)
        amounts = {pot["pot"]: pot["amount"] + pot["rake"] for pot in offered}
        assert all(build_pots(told.hand)[number].chips == amount for number, amount in amounts.items())
        takes = [(share["seat"], share["chips"]) for pot in offered for share in pot["shares"]]
        hands = tabled_hands(told.hand)
        assert {hand["seat"] for hand in hands} >= {seat for seat, _ in takes}
        for hand in hands:
            for way in ("high", "low"):
                assert hand[way] is None or (len(hand[way]["cards"]) == 5 and set(hand[way]["cards"]) <= set(hand["cards"]))
        before = {entry.seat: entry.won for entry in told.hand.seats}
        told.order(AwardPots())
        won = {entry.seat: entry.won - before[entry.seat] for entry in told.hand.seats}
        assert {seat: chips for seat, chips in won.items() if chips} == {
            seat: sum(chips for other, chips in takes if other == seat) for seat, _ in takes
        }


def test_the_forecast_ends_with_the_betting() -> None:
    """Enough cards for three players, and nothing to foretell on seventh street."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    assert forecast(told.hand) == "normal"
    told.passive(7)
    assert forecast(told.hand) is None


def test_the_common_word_names_the_price_and_the_seats() -> None:
    """As on its button."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    assert around_line(told.hand) is None
    told.act(Verb.BRING_IN, 2)
    line = around_line(told.hand)
    assert line is not None
    assert (line["verb"], line["to"], len(line["seats"]), line["all_in"]) == ("call", 2, 2, [])
