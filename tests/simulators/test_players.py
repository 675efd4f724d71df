"""Simulated players: only what is offered, by weights or from a script, and honest at the showdown."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from simulators.felt import FULL_DECK
from simulators.players import Player, RandomPlayer, ScriptedPlayers, ScriptMismatch
from simulators.reading import beaten, eight_value, high_value, low_value

FACING = [{"verb": "fold", "to": None}, {"verb": "call", "to": 4}, {"verb": "raise", "to": 8}]
FREE = [{"verb": "check", "to": None}, {"verb": "bet", "to": 4}, {"verb": "fold", "to": None}]
FORCED = [{"verb": "bring_in", "to": 2}, {"verb": "complete", "to": 4}]


def counts(player: Player, actions: list[dict[str, Any]], tries: int = 2_000) -> Counter[str]:
    return Counter(str(player.choose({}, 3, actions)["verb"]) for _ in range(tries))


@given(
    st.lists(st.sampled_from([*FACING, *FREE, *FORCED]), min_size=1, max_size=4),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_a_random_player_chooses_what_is_offered(
    actions: list[dict[str, Any]], aggression: float, looseness: float, seed: int
) -> None:
    """For any offer and any temper."""
    assert RandomPlayer(random.Random(seed), aggression, looseness).choose({}, 1, actions) in actions


def test_a_random_player_repeats_with_its_seed() -> None:
    """The same seed plays the same evening."""
    first, again = (RandomPlayer(random.Random(5)) for _ in range(2))
    assert [first.choose({}, 1, FACING) for _ in range(50)] == [again.choose({}, 1, FACING) for _ in range(50)]


def test_aggression_raises_and_looseness_calls() -> None:
    """The two knobs do what they say; everybody folds to a bet now and then, nobody to none."""
    timid = counts(RandomPlayer(random.Random(1), 0.1, 0.2), FACING)
    wild = counts(RandomPlayer(random.Random(1), 0.9, 0.9), FACING)
    assert wild["raise"] > 3 * timid["raise"]
    assert timid["fold"] > 3 * wild["fold"] > 0
    free = counts(RandomPlayer(random.Random(1)), FREE)
    assert free["fold"] == 0
    assert min(free["check"], free["bet"]) > 200
    assert min(counts(RandomPlayer(random.Random(1)), FORCED).values()) > 200


def test_free_folds_happen_on_request() -> None:
    """For ghost cards (R-DEAL-06)."""
    assert counts(RandomPlayer(random.Random(1), free_fold=0.3), FREE)["fold"] > 200


def test_the_only_action_is_taken_even_without_weight() -> None:
    """Aggression 0 still completes when nothing else is offered."""
    only = [{"verb": "complete", "to": 4}]
    assert RandomPlayer(random.Random(1), 0.0, 0.5).choose({}, 1, only) == only[0]


def showdown(
    tabled: dict[int, str], *, variant: str = "stud", pots: list[list[int]] | None = None, community: str | None = None
) -> Any:
    hand = {"community": community, "pots": [{"amount": 9, "seats": seats} for seats in pots or [[1, 2, 3]]]}
    seats = [{"seat": seat, "tabled": tabled[seat].split() if seat in tabled else None} for seat in (1, 2, 3)]
    return {"variant": variant, "hand": hand, "seats": seats}


TRIPS = "Ah Ad Ac Ks 9d 4c 2h"
PAIR = "Kh Kd 8c 7s 6d 4d 2s"


def test_a_beaten_hand_is_mucked_and_a_winner_shown() -> None:
    """Against a tabled set of aces a pair of kings goes; the other way round it is shown; with nothing tabled too."""
    player = RandomPlayer(random.Random(1), muck=1.0)
    assert not player.shows(showdown({1: TRIPS}), 2, PAIR.split())
    assert player.shows(showdown({1: PAIR}), 2, TRIPS.split())
    assert player.shows(showdown({}), 2, PAIR.split())
    some = RandomPlayer(random.Random(1), muck=0.5)
    assert {some.shows(showdown({1: TRIPS}), 2, PAIR.split()) for _ in range(20)} == {True, False}


def test_a_hand_that_may_win_a_side_pot_is_shown() -> None:
    """Beaten in the main pot by a seat that is not in the side pot."""
    player = RandomPlayer(random.Random(1), muck=1.0)
    assert player.shows(showdown({1: TRIPS}, pots=[[1, 2, 3], [2, 3]]), 2, PAIR.split())


def test_a_common_card_belongs_to_everybody() -> None:
    """Six own cards and the community card make seven; a seventh own card is not asked for (R-STUB-04)."""
    player = RandomPlayer(random.Random(1), muck=1.0)
    table = showdown({1: "Ah Ad Ac Ks 9d 4c"}, community="2h")
    assert not player.shows(table, 2, ["Kh", "Kd", "8c", "7s", "6d", "4d", "2h"])


def test_a_hand_that_is_not_whole_is_shown() -> None:
    """Cards missing on the felt: the controller must judge, not the player."""
    assert RandomPlayer(random.Random(1), muck=1.0).shows(showdown({1: TRIPS}), 2, PAIR.split()[:6])


@pytest.mark.parametrize(
    ("mine", "other", "variant", "lost"),
    [
        (PAIR, TRIPS, "stud", True),
        (PAIR, PAIR.replace("s", "c"), "stud", False),
        ("8h 7d 6c 4s 2d Kc Ks", "Ah 2c 3d 4c 6h Kd Kh", "razz", True),
        ("Ah 2d 3c 4s 6d Kc Ks", "8h 7d 6c 4c 2h Kd Kh", "razz", False),
        ("8h 7d 6c 4s 2d Qc Js", TRIPS, "stud8", False),
        (PAIR, TRIPS, "stud8", False),
        ("Kh Kd Qc Js 9h 4d 2s", TRIPS, "stud8", True),
        ("8h 7d 6c 4s 2d Qc Js", "Ah Ad 2c 3s 4d 6c Kh", "stud8", True),
    ],
)
def test_beaten_means_nothing_is_left(mine: str, other: str, variant: str, lost: bool) -> None:
    """High, low and both: in stud8 one half left is enough to show, and a tie beats nobody."""
    assert beaten(mine.split(), [other.split()], variant=variant) is lost


LADDER = [
    "Kh Qd 9c 7s 5d",
    "2h 2d 9c 7s 5d",
    "2h 2d 3c 3s 5d",
    "2h 2d 2c 7s 5d",
    "Ah 2d 3c 4s 5d",
    "2h 3d 4c 5s 6d",
    "2h 9h 4h 5h 6h",
    "2h 2d 2c 7s 7d",
    "2h 2d 2c 2s 5d",
    "Ah 2h 3h 4h 5h",
    "Ah Kh Qh Jh Th",
]


def test_high_hands_are_ranked() -> None:
    """One of each kind, wheel below six high (R-EVAL-01)."""
    values = [high_value(hand.split()) for hand in LADDER]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


def test_the_better_high_hand_is_the_one_of_an_outside_evaluator() -> None:
    """A thousand pairs of random hands, compared with phevaluator (where less is better)."""
    rng = random.Random(7)
    for _ in range(1_000):
        cards = rng.sample(FULL_DECK, 14)
        mine, other = cards[:7], cards[7:]
        theirs = evaluate_cards(*other) - evaluate_cards(*mine)
        ours = (high_value(mine) > high_value(other)) - (high_value(mine) < high_value(other))
        assert ours == (theirs > 0) - (theirs < 0)


def test_low_hands_are_ranked() -> None:
    """A wheel is best, pairs lose to no pair, and eight-or-better needs five of them (R-EVAL-02, R-EVAL-03)."""
    ladder = [
        "2h 2d 2c 2s 5d",
        "2h 2d 2c 7s 7d",
        "2h 2d 2c 7s 5d",
        "2h 2d 3c 3s 5d",
        "3h 3d 9c 7s 5d",
        "2h 2d 9c 7s 5d",
        "Kh Qd 9c 7s 5d",
    ]
    values = [low_value(hand.split()) for hand in [*ladder, "8h 7d 6c 4s 3d", "Ah 2h 3h 4h 5h"]]
    assert values == sorted(values)
    assert eight_value(["9h", "7d", "6c", "4s", "3d", "Kc", "Ks"]) is None
    assert eight_value(["8h", "7d", "6c", "4s", "3d", "Kc", "Ks"]) == low_value(["8h", "7d", "6c", "4s", "3d"])
    assert eight_value(["2h", "2d", "3c", "3s", "5d", "5h", "6c"]) is None


def asked(decision: str | None) -> dict[str, Any]:
    return {"step": {"kind": "act", "decision": decision}}


def test_the_script_is_played_in_order() -> None:
    """Each recorded action finds its offer by verb and total; a check or fold by its verb."""
    script = ScriptedPlayers([(5, "bring_in", 2), (2, "raise", 8), (5, "fold", None)], shown=frozenset({2}))
    assert script.choose(asked("a"), 5, FORCED) == FORCED[0]
    assert script.choose(asked("b"), 2, FACING) == FACING[2]
    assert script.choose(asked("c"), 5, FACING) == FACING[0]
    assert (script.done, script.left) == (3, 0)
    assert (script.shows({}, 2, []), script.shows({}, 5, [])) == (True, False)


def test_the_same_decision_gets_the_same_answer() -> None:
    """After a refusal or a lost answer the screen asks again; the script does not run on."""
    script = ScriptedPlayers([(5, "call", 4), (5, "check", None)])
    assert script.choose(asked("a"), 5, FACING) == script.choose(asked("a"), 5, FACING) == FACING[1]
    assert script.choose(asked("b"), 5, FREE) == FREE[0]


@pytest.mark.parametrize(
    ("seat", "offered", "words"),
    [
        (5, FREE, "action 1 of the script: seat 5 call to 4; the table asks seat 5: check, bet to 4, fold"),
        (2, FACING, "the table asks seat 2: fold, call to 4, raise to 8"),
        (5, [{"verb": "call", "to": 3}], "the table asks seat 5: call to 3"),
    ],
)
def test_a_script_that_does_not_fit_is_an_error_that_says_both_sides(
    seat: int, offered: list[dict[str, Any]], words: str
) -> None:
    """Other action, other seat, other amount."""
    with pytest.raises(ScriptMismatch, match=words) as caught:
        ScriptedPlayers([(5, "call", 4)]).choose(asked("a"), seat, offered)
    assert (caught.value.number, caught.value.expected, caught.value.seat) == (1, (5, "call", 4), seat)


def test_a_script_that_is_over_says_so() -> None:
    """One question more than recorded."""
    script = ScriptedPlayers([(5, "call", 4)])
    script.choose(asked("a"), 5, FACING)
    with pytest.raises(ScriptMismatch, match="action 2 of the script: no more actions"):
        script.choose(asked("b"), 5, FACING)
