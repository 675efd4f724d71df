"""Whole hands of random legal play, step by step: any seats, stacks, stakes, game and house rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, MuckHand, PostAnte, StubReloaded, TableHand
from controller.hand.decide import Decision, decide
from controller.hand.knobs import HeadsUpCap
from controller.hand.rules import PRESETS, house_rules
from controller.hand.showdown import may_muck
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, open_state
from controller.hand.steps import ActionDue, AnteDue, AwardDue, CardDue, Held, LoadDue, Over, TableDue, next_step
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

KNOBS: dict[str, tuple[str, ...]] = {
    "deal.ghost_cards_after_free_fold": ("true", "false"),
    "bring_in.tie": ("suit", "nearest_dealer_left"),
    "bring_in.low_all_in_on_ante": ("next_must_post", "next_may_fold"),
    "bring_in.short": ("others_owe_full", "match_short"),
    "open.tie.stud": ("nearest_dealer_left", "high_card_by_suit"),
    "open.tie.stud8": ("nearest_dealer_left", "high_card_by_suit"),
    "open.tie.razz": ("nearest_dealer_left", "high_card_by_suit"),
    "fourth_pair.stud": ("any_player", "pair_holder_open", "off"),
    "fourth_pair.stud8": ("any_player", "pair_holder_open", "off"),
    "fourth_pair.razz": ("any_player", "pair_holder_open", "off"),
    "cap.max_raises": ("1", "2", "3", "4", "9"),
    "cap.completion_is_raise": ("true", "false"),
    "cap.heads_up": ("capped", "uncapped_before_cap", "uncapped_if_round_starts_hu", "uncapped_last_two_in_event"),
    "allin.half_bet": ("0.5", "1"),
    "stub.community_opener": ("sixth_opener", "recompute"),
    "showdown.no_bet_order": ("first_to_act", "seat_order", "from_bring_in_seat", "last_raiser_of_hand"),
    "odd_chip.policy": ("dealer_left", "five_card_high_suit", "rrop_seven"),
    "odd_chip.distribution": ("one_each", "all_to_first"),
    "hilo.same_winners_both_ways": ("split_as_one_pot", "two_step"),
    "rake.percent": ("0", "4", "10", "100"),
    "rake.cap": ("0", "6", "50"),
    "rake.no_fourth_no_drop": ("true", "false"),
    "rake.unit": ("0", "1", "5"),
    "rake.allocation": ("main_first", "pro_rata"),
}
STAKES = (
    Stakes(1, 2, 4, 8),
    Stakes(1, 4, 4, 8),
    Stakes(2, 5, 15, 30),
    Stakes(5, 2, 5, 5),
    Stakes(1, 1, 3, 6),
    Stakes(5, 10, 20, 40, 5),
    Stakes(25, 25, 100, 200, 25),
)


class Game(NamedTuple):
    """One hand to be played, and the seed of cards and choices."""

    stacks: tuple[tuple[int, int], ...]
    setup: HandSetup
    seed: int


@st.composite
def games(draw: Any) -> Game:
    """Two to eight seats, tiny to deep stacks, any game, any preset with any knobs overridden."""
    stakes = draw(st.sampled_from(STAKES))
    unit = stakes.unit
    seats = draw(st.one_of(st.sets(st.integers(1, 8), min_size=2, max_size=7).map(sorted), st.just(list(range(1, 9)))))
    tiny, deep = st.integers(1, 2 * stakes.small // unit), st.integers(1, 60 * stakes.big // unit)
    stack = st.one_of(tiny, deep, deep).map(lambda chips: chips * unit)
    knobs = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in KNOBS.items()}))
    if len(seats) < 8 and draw(st.booleans()):
        knobs |= {"deal.burn_before_third": "true", "table.max_seats": "7"}
    rules = house_rules(draw(st.sampled_from(PRESETS)), knobs)
    setup = HandSetup(1, draw(st.sampled_from(list(VariantCode))), stakes, rules, draw(st.booleans()))
    return Game(tuple((seat, draw(stack)) for seat in seats), setup, draw(st.integers(0, 2**32 - 1)))


class Style(NamedTuple):
    """How often everybody folds, free folds included, and how often they check or call when they do not."""

    folds: float
    passive: float


class Step(NamedTuple):
    """One input and what it led to."""

    before: HandState
    given: HandInput
    decision: Decision


def walk(game: Game) -> Iterator[Step]:
    """Play the hand to its end; each step is legal, so each must be accepted. Fails when the hand is stuck or does not end."""
    rng = random.Random(game.seed)
    style = Style(folds=rng.choice((0.02, 0.1, 0.3)), passive=rng.choice((0.2, 0.6, 0.95)))
    shoe = list(DECK)
    rng.shuffle(shoe)
    state = open_state(game.setup, game.stacks)
    for _ in range(most_steps(game)):
        if state.over:
            return
        given = next_input(state, shoe, rng, style)
        decision = decide(state, given)
        assert isinstance(decision, Decision), f"{given} was refused: {decision}"
        yield Step(state, given, decision)
        state = decision.state
    raise AssertionError("the hand does not end")


def most_steps(game: Game) -> int:
    """A bound on the steps of a hand: antes, cards, and each round's actions by the cap, or by the chips where there is none."""
    seats = len(game.stacks)
    wagers = game.setup.rules.max_raises + 3
    if game.setup.rules.heads_up_cap is not HeadsUpCap.CAPPED:
        wagers += max(chips for _, chips in game.stacks) // game.setup.stakes.small
    return 60 + seats + 5 * seats * wagers + 2 * seats


def next_input(state: HandState, shoe: list[Card], rng: random.Random, style: Style) -> HandInput:
    """Something that may happen now; the cards come from ``shoe``, to which a scramble returns the burns."""
    match next_step(state):
        case AnteDue(seats):
            return PostAnte(rng.choice(seats))
        case CardDue(due):
            return CardLaid(due[0].place, shoe.pop())
        case LoadDue(cards):
            shoe.extend(card for card in state.burned if card is not None)
            rng.shuffle(shoe)
            return StubReloaded(cards)
        case ActionDue():
            return _action(state, rng, style)
        case TableDue(seats):
            seat = rng.choice(seats)
            return MuckHand(seat) if may_muck(state, seat) and rng.random() < 0.15 else TableHand(seat)
        case AwardDue():
            return AwardPots()
        case Held() | Over() as stuck:
            raise AssertionError(f"ordinary play comes to {stuck}")


def _action(state: HandState, rng: random.Random, style: Style) -> Act:
    actions = legal_actions(state)
    assert actions, "a seat is to act and may do nothing"
    folds = actions[-1].verb is Verb.FOLD and rng.random() < style.folds
    kept = [action for action in actions if action.verb is not Verb.FOLD]
    chosen = actions[-1] if folds else kept[0] if rng.random() < style.passive else rng.choice(kept)
    return Act(state.round.actor, chosen.verb, chosen.to)
