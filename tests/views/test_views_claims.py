"""What people may say that a seat did, whatever the step is: the same acts that it would have at its turn."""

from __future__ import annotations

from support.slip_story import SlipStory

from controller.hand.terms import Verb
from controller.views.claims import acts_of, claims


def test_the_seat_to_act_has_the_acts_of_the_step_also_while_play_is_stopped() -> None:
    """A stop takes the step's actions away, and not what may be ruled about (R-ERR-01)."""
    told = SlipStory("2 4 7").begin().deal()
    told.calmly()
    actor = told.hand.round.actor
    shown = [(act["verb"], act["to"], act["amount"]) for act in told.step()["actions"]]
    assert [(act["verb"], act["to"], act["amount"]) for act in claims(told.hand)["acts"][actor]] == shown
    told.draws(1)
    assert told.step()["kind"] == "hold"
    assert [(act["verb"], act["to"], act["amount"]) for act in claims(told.hand)["acts"][actor]] == shown


def test_before_the_bring_in_others_face_it_as_if_it_were_posted() -> None:
    """R-BRING-06: nobody but its owner can post it."""
    told = SlipStory("2 4 7").begin().deal()
    actor = told.hand.round.actor
    other = next(seat for seat in claims(told.hand)["acts"] if seat != actor)
    assert [act["verb"] for act in acts_of(told.hand, actor)] == ["bring_in", "complete"]
    assert [(act["verb"], act["to"]) for act in acts_of(told.hand, other)] == [("call", 2), ("complete", 4), ("fold", 0)]


def test_what_is_over_is_claimed_no_more() -> None:
    """Cards can be put right until somebody acts, door cards until the bring-in; a round is untouched until then."""
    told = SlipStory("2 4 7").begin()
    assert claims(None)["actor"] == 0
    told.deal()
    first = claims(told.hand)
    told.calmly()
    second = claims(told.hand)
    assert told.act(Verb.CALL, 2) is None
    third = claims(told.hand)
    assert [(one["cards_open"], one["door_open"], one["untouched"]) for one in (first, second, third)] == [
        (True, True, True),
        (False, False, False),
        (False, False, False),
    ]
    assert next(iter(third["acts"])) == told.hand.round.actor
