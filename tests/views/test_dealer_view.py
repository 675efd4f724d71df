"""The dealer's snapshot: one next step at any time, and no card that is not public."""

from __future__ import annotations

import json

import pytest
from support.table_story import TableStory, card_texts

from controller.hand.betting import legal_actions
from controller.hand.commands import TableHand, VoidHand
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.inputs import FeltIsReady, SeatPlayer
from controller.table.picture import picture_of
from controller.views.dealer import dealer_view
from drivers.ports import LinkChanged, LinkState

KINDS = {"load_deck", "start_hand", "deal", "scramble", "act", "table", "award", "hold", "resume", "wait"}
FIELDS = {
    "seq",
    "table",
    "status",
    "variant",
    "stakes",
    "seats",
    "hand",
    "hold",
    "prompts",
    "step",
    "devices",
    "faults",
    "by_hand",
}
FIELDS |= {"shoe", "undo", "paused", "closing", "clock", "last_two", "decision", "asked", "alarms"}


def view(told: TableStory) -> dict:  # type: ignore[type-arg]
    """The dealer's view now."""
    return dealer_view(picture_of(told.state, "T1"))


def kind(told: TableStory) -> str:
    """Kind of the next step."""
    return str(view(told)["step"]["kind"])


def test_the_steps_of_a_whole_hand_follow_each_other() -> None:
    """Load, start, deal, bet street by street, show, award, load again; each names what it needs."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    steps = [kind(told)]

    def note(story: TableStory) -> None:
        if kind(story) != steps[-1]:
            steps.append(kind(story))

    told.load()
    note(told)
    told.play_hand(lambda hand, actions: actions[0], note)
    assert steps == ["load_deck", "start_hand", *["deal", "act"] * 5, "table", "load_deck"]


def test_a_street_of_cards_is_planned_and_counted_down() -> None:
    """The plan holds what is still to be drawn, in order, burn first; what is drawn is in flight."""
    told = TableStory({1: 100, 3: 100}).start()
    assert view(told)["step"]["plan"] == ["seat/1/down", "seat/3/down", "seat/1/down", "seat/3/down", "seat/1/up", "seat/3/up"]
    told.passive(4)
    while told.hand.street == 4 and told.hand.phase is Phase.BETTING:
        told.act(Verb.CHECK)
    assert view(told)["step"] == {"kind": "deal", "plan": ["burn", "seat/1/up", "seat/3/up"], "in_flight": [], "last": None}
    told.draw()
    assert view(told)["step"] == {"kind": "deal", "plan": ["seat/1/up", "seat/3/up"], "in_flight": ["burn"], "last": None}
    assert view(told)["hand"]["stub"] == 52 - 9 - 1


def test_the_actor_gets_its_legal_actions_with_amounts() -> None:
    """Exactly those of the rules, under the decision's name."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    step = view(told)["step"]
    assert step["seat"] == told.hand.round.actor
    assert step["decision"] == f"1-3-{step['seat']}-0-0"
    assert [(action["verb"], action["to"], action["amount"]) for action in step["actions"]] == [
        ("bring_in", 2, 2),
        ("complete", 4, 4),
    ]
    assert all(action["rule"].startswith("R-") for action in step["actions"])
    told.act(Verb.BRING_IN, 2)
    offered = view(told)["step"]["actions"]
    assert [(action["verb"], action["to"]) for action in offered] == [
        (action.verb.value, action.to) for action in legal_actions(told.hand)
    ]


def test_raises_left_count_down_on_the_street_and_start_anew() -> None:
    """Between streets none is used (R-BET-03)."""
    told = TableStory({1: 300, 3: 300}).start().deal()
    left = []
    told.act(Verb.COMPLETE, 4)
    for to in (8, 12, 16):
        left.append(view(told)["hand"]["raises_left"])
        told.act(Verb.RAISE, to)
    assert [*left, view(told)["hand"]["raises_left"]] == [3, 2, 1, 0]
    told.act(Verb.CALL, 16)
    assert kind(told) == "deal"
    assert view(told)["hand"]["raises_left"] == 3


def test_showdown_names_the_order_and_who_may_muck_then_the_award() -> None:
    """Who must show, and nobody else; then the proposal is confirmed."""
    told = TableStory({1: 100, 3: 100}).start().passive()
    step = view(told)["step"]
    assert step["kind"] == "table"
    assert sorted(step["order"]) == [1, 3]
    assert step["may_muck"] == step["order"]
    told.order(TableHand(step["order"][0]))
    rest = view(told)["step"]
    assert (rest["order"], rest["may_muck"]) == (step["order"][1:], step["order"][1:])
    told.order(TableHand(rest["order"][0]))
    assert view(told)["step"]["kind"] == "award"
    told.showdown()
    awards = view(told)["hand"]["awards"]
    assert sum(line["chips"] for line in awards) == sum(seat["won"] for seat in view(told)["seats"] if "won" in seat)
    assert {line["share"] for line in awards} == {"whole"}  # one hand takes all: no half is high or low


def test_a_hold_and_a_start_are_steps_of_their_own() -> None:
    """Whom the table waits for is always named."""
    told = TableStory({1: 100, 3: 100}).start()
    told.lay(told.draw(), "muck")
    assert view(told)["hold"] == {
        "code": "wrong_place",
        "place": "muck",
        "moves": [{"from": "muck", "to": "seat/1/down"}],
    }
    assert kind(told) == "hold"
    told.restart()
    assert kind(told) == "wait"
    told.tell(FeltIsReady())
    assert kind(told) == "resume"


def test_a_loaded_deck_with_cards_on_the_felt_is_not_started() -> None:
    """The step is offered only when the order would be taken."""
    told = TableStory({1: 100, 3: 100})
    told.load()
    assert kind(told) == "start_hand"
    told.lay(told.shoe[0], "muck")
    assert kind(told) == "load_deck"


def test_totals_and_devices_are_shown() -> None:
    """What a seat has in for the hand, and each device's link."""
    told = TableStory({1: 100, 3: 100}).start().deal()
    told.tell(LinkChanged("felt-a", 0, LinkState.UP, ""))
    now = view(told)
    assert [seat.get("total_chips") for seat in now["seats"][:3]] == [1, None, 1]
    assert now["devices"] == {"felt-a": "up"}


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_no_down_card_or_burn_is_in_the_view_over_whole_hands(variant: str) -> None:
    """At every step: only fields of the list, only public cards, only known steps, and all of it JSON (R-RULE-06)."""
    seen: set[str] = set()

    def look(story: TableStory) -> None:
        now = view(story)
        assert set(now) == FIELDS
        assert set(card_texts(now)) <= story.public_texts()
        json.dumps(now)
        seen.add(now["step"]["kind"])

    for seed in range(12):
        told = TableStory({1: 60, 2: 9, 4: 300, 6: 300, 8: 25}, variant=variant, seed=seed)
        told.play_hand(each=look)
    assert seen <= KINDS
    assert {"deal", "act"} <= seen


def test_a_voided_hand_leaves_the_next_step_to_the_deck() -> None:
    """And shows no hold."""
    told = TableStory({1: 100, 3: 100}).start()
    told.lay(told.draw(), "muck")
    told.order(VoidHand("floor"))
    assert view(told)["hold"] is None
    assert kind(told) == "load_deck"
    assert view(told)["hand"]["phase"] == "voided"


def test_an_empty_table_has_a_view() -> None:
    """Seats stand there from the first."""
    told = TableStory({})
    now = view(told)
    assert [seat["state"] for seat in now["seats"]] == ["empty"] * 8
    assert now["hand"] is None
    told.order(SeatPlayer(3, "Ann", 10))
    assert view(told)["seats"][2] == {"seat": 3, "name": "Ann", "stack": 10, "state": "out", "sits_out": False, "antes": True}
