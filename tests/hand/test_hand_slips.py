"""What holds in every hand with slips and rulings, whatever seats, stacks, game and house rules.

``Felt`` checks after every event: chips conserved and no stack negative (R-POT-11), each of the 52 cards in one place (R-DECK-01,
R-STUB-01), the replay equal, an undo exact (R-RULE-02), the right number of cards before anybody acts (R-ERR-05), no refusal
without a rule, and the next step open: never stuck.
"""

from __future__ import annotations

import random
import typing
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from support.hand_felt import Felt
from support.hand_slips import MOST_SLIPS, ODD, SLIPS, any_table, likely, play, slip, tables
from support.hand_walk import Game, Style

from controller.hand.commands import Ruling, VoidHand
from controller.hand.decide import Decision
from controller.hand.events import HandEvent, HandOpened

RANDOM = st.randoms(use_true_random=False)


class HandWithSlips(RuleBasedStateMachine):
    """One hand: ordinary play by its next step, and slips, rulings and nonsense at any moment."""

    felt: Felt
    style: Style

    @initialize(game=tables(), folds=st.sampled_from((0.02, 0.1, 0.3)), passive=st.sampled_from((0.2, 0.6, 0.95)))
    def open(self, game: Game, folds: float, passive: float) -> None:
        """A table, and how its players play."""
        self.felt = Felt(game)
        self.style = Style(folds, passive)

    @rule(steps=st.integers(1, 20))
    def go_on(self, steps: int) -> None:
        """Some steps of ordinary play."""
        for _ in range(steps):
            if not self.felt.state.over:
                self.felt.go_on(self.style)

    @precondition(lambda self: self.felt.slips < MOST_SLIPS)
    @rule(rng=RANDOM)
    def slip(self, rng: random.Random) -> None:
        """A slip or ruling for which there is an occasion."""
        self._slip(rng.choice(likely(self.felt.state)), rng)

    @precondition(lambda self: self.felt.slips < MOST_SLIPS)
    @rule(kind=st.sampled_from(SLIPS + ODD), rng=RANDOM)
    def any_input(self, kind: type[Any], rng: random.Random) -> None:
        """Any input whatever, at any moment."""
        self._slip(kind, rng)

    def _slip(self, kind: type[Any], rng: random.Random) -> None:
        self.felt.slips += 1
        self.felt.give(slip(self.felt, kind, rng))

    def teardown(self) -> None:
        """Every hand comes to its end, and the end can be void (R-RULE-03, R-MIS-08)."""
        if hasattr(self, "felt"):
            self.felt.finish(self.style)
            _void(self.felt)


def _void(felt: Felt) -> None:
    answer = felt.give(VoidHand("floor"))
    if isinstance(answer, Decision):
        assert {entry.seat: entry.stack for entry in felt.state.seats} == dict(felt.game.stacks)


TestHandWithSlips = HandWithSlips.TestCase
TestHandWithSlips.settings = settings(
    max_examples=max(40, settings.default.max_examples // 2),
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@settings(max_examples=max(100, settings.default.max_examples), deadline=None)
@given(tables(), st.integers(0, 2**32 - 1), st.booleans())
def test_no_slip_breaks_a_hand(game: Game, seed: int, void: bool) -> None:
    """The same promises over whole hands at once: slips rare or many, of any mix, and a void gives every chip back."""
    felt = play(game, seed)
    if void:
        _void(felt)


def test_random_slips_reach_every_event_and_every_ruling() -> None:
    """A property is worth what it meets: every kind of event happens, and every ruling is taken and refused."""
    met: Counter[str] = Counter()
    for seed in range(400):
        rng = random.Random(seed)
        met.update(play(any_table(rng), seed).met)
    kinds = [kind.__name__ for kind in typing.get_args(HandEvent) if kind is not HandOpened]
    rulings = [kind.__name__ for kind in typing.get_args(Ruling)]
    assert [kind for kind in kinds if not met[kind]] == []
    assert [kind for kind in rulings if not met[f"{kind} taken"]] == []
    assert [kind for kind in rulings if not met[f"{kind} refused"]] == []
