"""What everybody may see: up cards of live hands, tabled hands, the common card, chips and pots."""

from __future__ import annotations

import pytest
from support.table_story import TableStory, card_texts

from controller.hand.betting import legal_actions
from controller.hand.commands import TableHand, VoidHand
from controller.hand.events import HandTabled
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.inputs import LeaveSeat, SeatPlayer
from controller.table.picture import picture_of
from controller.views.public import price_of, public_view, seat_rows, standing_pots


def view(told: TableStory) -> dict:  # type: ignore[type-arg]
    """The public view now."""
    return public_view(picture_of(told.state, "T1"))


def row(told: TableStory, seat: int) -> dict:  # type: ignore[type-arg]
    """One seat's row."""
    return next(row for row in view(told)["seats"] if row["seat"] == seat)


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_only_public_cards_are_in_the_view_over_whole_hands(variant: str) -> None:
    """At every step of hands with folds, mucks, all-ins, ghosts and common cards (R-RULE-06)."""
    tabled = 0

    def look(story: TableStory) -> None:
        now = view(story)
        assert set(card_texts(now)) <= story.public_texts()
        for seat in now["seats"]:
            assert seat.get("state") in ("live", "all_in") or not seat.get("up")
        assert sum(pot["amount"] for pot in now["pots"]) == in_the_middle(story)

    for seed in range(12):
        told = TableStory(
            {1: 60, 2: 9, 4: 300, 6: 300, 7: 3, 8: 25},
            variant=variant,
            seed=seed,
            rules={"deal.ghost_cards_after_free_fold": "true"},
        )
        told.play_hand(each=look)
        tabled += len(told.happened(HandTabled))
    assert tabled


def in_the_middle(told: TableStory) -> int:
    """Chips that no seat has and no pot has paid."""
    hand = told.hand
    if hand.pots:
        return sum(pot.chips for pot, shares in zip(hand.pots, hand.awards, strict=True) if shares is None)
    return sum(seat.total for seat in hand.seats)


def test_a_folded_or_mucked_hand_shows_nothing() -> None:
    """Q-14: its up cards are gone with it, and its down cards are not counted (R-SHOW-04)."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    told.act(Verb.BRING_IN, 2)
    seat = told.hand.round.actor
    assert (row(told, seat)["down"], len(row(told, seat)["up"])) == (2, 1)
    told.act(Verb.FOLD)
    assert row(told, seat) == {
        "seat": seat,
        "name": f"Player {seat}",
        "stack": 99,
        "state": "folded",
        "street_chips": 0,
        "up": [],
        "down": 0,
        "tabled": None,
        "won": 0,
    }
    told.passive().showdown(muck=True)
    mucked = next(seat.seat for seat in told.hand.seats if seat.mucked)
    assert row(told, mucked)["state"] == "folded"
    assert row(told, mucked)["up"] == []


def test_a_tabled_hand_is_shown_whole() -> None:
    """All seven, and no card is counted as down any more."""
    told = TableStory({1: 100, 3: 100}).start().passive()
    seat = told.hand.show_order[0]
    told.order(TableHand(seat))
    assert len(row(told, seat)["tabled"]) == 7
    assert row(told, seat)["down"] == 0


def test_there_is_no_side_pot_without_an_all_in() -> None:
    """While bets are being called there is one pot (R-ALLIN-02)."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    assert [pot["amount"] for pot in view(told)["pots"]] == [3]
    told.act(Verb.COMPLETE, 4)
    assert view(told)["pots"] == [{"amount": 7, "seats": [1, 3, 5]}]
    told.act(Verb.RAISE, 8)
    assert view(told)["pots"] == [{"amount": 15, "seats": [1, 3, 5]}]


def test_a_side_pot_begins_above_an_all_in() -> None:
    """An ante all-in contests the antes alone; a player who may still call is named with the pots that he may win."""
    told = TableStory({1: 1, 3: 100, 5: 100}).start().deal()
    assert view(told)["pots"] == [{"amount": 3, "seats": [1, 3, 5]}]
    told.act(Verb.COMPLETE, 4)
    assert view(told)["pots"] == [{"amount": 3, "seats": [1, 3, 5]}, {"amount": 4, "seats": [3, 5]}]
    assert row(told, 1)["state"] == "all_in"


def test_chips_of_folded_seats_above_the_last_all_in_stay_in_a_pot() -> None:
    """No chip is shown nowhere."""
    for seed in range(30):
        told = TableStory({1: 3, 2: 7, 3: 15, 4: 40}, seed=seed)

        def look(story: TableStory) -> None:
            if not story.hand.pots:
                pots = standing_pots(story.hand)
                assert sum(pot.chips for pot in pots) == sum(seat.total for seat in story.hand.seats)
                assert all(pot.seats for pot in pots)

        told.play_hand(each=look)


def test_when_betting_is_over_the_pots_are_those_of_the_rules() -> None:
    """The shown pots become the fixed ones without a jump when nothing is uncalled."""
    told = TableStory({1: 9, 3: 100, 5: 100}, seed=1).start()
    before: list[list[int]] = []
    while not told.hand.pots:
        told.deal()
        if told.hand.phase is Phase.BETTING:
            before.append([pot["amount"] for pot in view(told)["pots"]])
            verb = next(action for action in reversed(legal_actions(told.hand)) if action.verb is not Verb.FOLD)
            told.act(verb.verb, verb.to)
    assert [pot["seats"] for pot in view(told)["pots"]] == [list(pot.seats) for pot in told.hand.pots]
    assert len(told.hand.pots) == 2
    assert before


def test_the_price_is_what_the_actor_owes_and_at_most_what_it_has() -> None:
    """The post, the call, nothing, and a short stack's all."""
    told = TableStory({1: 3, 3: 100, 5: 100}, seed=2).start().deal()
    actor = told.hand.round.actor
    assert view(told)["price"] == min(2, next(seat.stack for seat in told.hand.seats if seat.seat == actor))
    assert price_of(told.hand, 0) is None
    assert price_of(told.hand._replace(round=told.hand.round._replace(post_due=False, match=50)), 1) == 2
    told = TableStory({1: 100, 3: 100}).start().passive(4)
    assert view(told)["price"] == 0


def test_bets_and_raises_are_counted_on_the_street_alone() -> None:
    """Between streets the count is 0, not the last street's."""
    told = TableStory({1: 300, 3: 300}).start().deal()
    told.act(Verb.COMPLETE, 4)
    told.act(Verb.RAISE, 8)
    assert view(told)["raises"] == 2
    told.act(Verb.CALL, 8)
    assert told.hand.phase is Phase.DEALING
    assert view(told)["raises"] == 0
    assert view(told)["actor"] is None


def test_a_hand_is_shown_after_its_end_and_to_nobody_who_came_later() -> None:
    """Awards and tabled hands stand until the next hand; a new player in a seat has not played them."""
    told = TableStory({1: 100, 3: 100, 5: 100}, seed=6).start().passive().showdown()
    winner = next(seat.seat for seat in told.hand.seats if seat.won)
    assert row(told, winner)["won"] > 0
    assert row(told, winner)["stack"] > 100
    assert view(told)["awards"]
    told.order(LeaveSeat(winner))
    assert row(told, winner) == {"seat": winner, "state": "empty"}
    told.order(SeatPlayer(winner, "New", 40))
    assert row(told, winner) == {"seat": winner, "name": "New", "stack": 40, "state": "out"}
    told.play_hand()
    assert row(told, winner)["state"] != "out"


def test_a_hold_names_code_and_place() -> None:
    """Never a card."""
    told = TableStory({1: 100, 3: 100}).start()
    told.lay(told.draw(), "seat/3/up")
    assert view(told)["hold"] == {"code": "wrong_place", "place": "seat/3/up"}
    told.order(VoidHand("floor"))
    assert view(told)["hold"] is None


def test_halves_of_a_split_pot_are_named() -> None:
    """High and low where eight-or-better splits, whole where one hand takes all."""
    shares = set()
    for seed in range(30):
        told = TableStory(dict.fromkeys((1, 2, 3, 4, 5), 100), variant="stud8", seed=seed).start().passive().showdown()
        shares |= {line["share"] for line in view(told)["awards"]}
    assert shares == {"high", "low", "whole"}


def test_rows_name_every_seat_of_the_table() -> None:
    """As many as the house rules allow."""
    told = TableStory({1: 100}, rules={"table.max_seats": "6"})
    assert [row["seat"] for row in seat_rows(picture_of(told.state, "T1"))] == [1, 2, 3, 4, 5, 6]
