"""The same hands for PokerKit, the yardstick of the hand state machine.

It comes with the extra ``bench`` and is imported here alone, when a figure is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controller.bench.figure import BenchError
from controller.bench.random_hands import STAKES, RecordedHand
from controller.hand.cards import DECK, Card
from controller.hand.commands import Act, CardLaid, TableHand
from controller.hand.places import Spot
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

if TYPE_CHECKING:
    from pokerkit import State

_GAMES: Final = {
    VariantCode.STUD: "FixedLimitSevenCardStud",
    VariantCode.STUD8: "FixedLimitSevenCardStudHighLowSplitEightOrBetter",
    VariantCode.RAZZ: "FixedLimitRazz",
}
_AUTOMATED: Final = (
    "ANTE_POSTING",
    "BET_COLLECTION",
    "BLIND_OR_STRADDLE_POSTING",
    "HAND_KILLING",
    "CHIPS_PUSHING",
    "CHIPS_PULLING",
)
"""What it does by itself: everything but cards, actions and shown hands."""

Step = Callable[["State"], object]


class Script(NamedTuple):
    """A recorded hand as calls of PokerKit, its cards made beforehand. ``asks`` tells which are a player's decision."""

    stacks: tuple[int, ...]
    steps: tuple[Step, ...]
    asks: tuple[bool, ...]


class PokerKit:
    """One game of PokerKit. ``BenchError`` when it is not installed."""

    def __init__(self, variant: VariantCode) -> None:
        try:
            import pokerkit
        except ModuleNotFoundError:
            raise BenchError("PokerKit is not installed: pip install 'stud-table[bench]' brings it") from None
        automations = tuple(pokerkit.Automation[name] for name in _AUTOMATED)
        make = getattr(pokerkit, _GAMES[variant])
        self._game = make(automations, True, STAKES.ante, STAKES.bring_in, STAKES.small, STAKES.big)  # noqa: FBT003 - its order
        self._cards: dict[Card, tuple[Any, ...]] = {card: tuple(pokerkit.Card.parse(card.text)) for card in DECK}

    def script(self, hand: RecordedHand) -> Script:
        """``hand`` as calls: each card dealt or burned, each action, each hand shown."""
        steps: list[Step] = []
        asks: list[bool] = []
        for given in hand.inputs:
            step = self._step(given)
            if step is not None:
                steps.append(step)
                asks.append(isinstance(given, Act))
        return Script(tuple(chips for _, chips in hand.stacks), tuple(steps), tuple(asks))

    def _step(self, given: object) -> Step | None:
        match given:
            case CardLaid(place=Spot.BURN, card=Card() as card):
                burned = self._cards[card]
                return lambda state: state.burn_card(burned)
            case CardLaid(card=Card() as card):
                dealt = self._cards[card]
                return lambda state: state.deal_hole(dealt)
            case Act(verb=verb, to=to):
                return _action(verb, to)
            case TableHand():
                return lambda state: state.show_or_muck_hole_cards(True)  # noqa: FBT003 - its order
            case _:
                return None

    def play(self, script: Script) -> tuple[int, ...]:
        """Play a hand to its end; the stacks by seat."""
        state = self._game(script.stacks, len(script.stacks))
        for step in script.steps:
            step(state)
        return tuple(state.stacks)

    def play_asking(self, script: Script) -> tuple[int, ...]:
        """The same, and ask before each decision what is allowed, as a table must."""
        state = self._game(script.stacks, len(script.stacks))
        for step, asked in zip(script.steps, script.asks, strict=True):
            if asked:
                _ask(state)
            step(state)
        return tuple(state.stacks)


def _action(verb: Verb, to: int) -> Step:
    match verb:
        case Verb.FOLD:
            return lambda state: state.fold()
        case Verb.CHECK | Verb.CALL:
            return lambda state: state.check_or_call()
        case Verb.BRING_IN:
            return lambda state: state.post_bring_in()
        case Verb.COMPLETE | Verb.BET | Verb.RAISE:
            return lambda state: state.complete_bet_or_raise_to(to)


def _ask(state: State) -> list[object]:
    """What ``legal_actions`` tells: every allowed action with its amount."""
    allowed: list[object] = []
    if state.can_fold():
        allowed.append("fold")
    if state.can_check_or_call():
        allowed.append(state.checking_or_calling_amount)
    if state.can_post_bring_in():
        allowed.append("bring_in")
    if state.can_complete_bet_or_raise_to():
        allowed.append(state.min_completion_betting_or_raising_to_amount)
    return allowed
