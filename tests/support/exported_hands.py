"""Finished hands to export: random play by any house rules, hands with slips, recorded hands, and what was public in each."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pokerkit import HandHistory

from controller.export.departures import FREE_FOLD, departures
from controller.export.hands import FinishedHand, hand_of
from controller.export.phh import phh_text
from controller.hand import irregular_events as slips
from controller.hand.cards import Card
from controller.hand.commands import PostAnte
from controller.hand.events import CardDealt, CommunityDealt, HandEvent, HandTabled
from controller.hand.places import Zone
from controller.hand.rules import PRESETS, HouseRules, house_rules
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, Phase
from controller.hand.variants import VariantCode
from controller.replay import _Machine, _play, _show
from simulators.recorded import RecordedHand, load_hands
from support import hand_slips
from support.hand_felt import Felt
from support.hand_slips import any_table
from support.hand_walk import KNOBS, STAKES, Game, walk
from support.table_runs import CORPUS

WARNS = "There is no reason for this player to fold"


class Played(NamedTuple):
    """A hand with everything that happened, hidden cards too, and what an export is made of."""

    events: tuple[HandEvent, ...]
    hand: FinishedHand


def random_hands(count: int, seed: int, *, knobs: bool, stakes: Sequence[Stakes] = STAKES) -> Iterator[Played]:
    """Hands of random play: two to eight seats, any stacks and game, a preset; with ``knobs`` some house rules overridden."""
    rng = random.Random(seed)
    for _ in range(count):
        events: list[HandEvent] = []
        game = _game(rng, stakes, knobs=knobs)
        for step in walk(game):
            events += step.decision.events
        yield Played(tuple(events), hand_of(game.setup, game.stacks, events))


def _game(rng: random.Random, stakes: Sequence[Stakes], *, knobs: bool) -> Game:
    chosen = rng.choice(stakes)
    seats = sorted(rng.sample(range(1, 9), rng.randint(2, 8)))
    turned = {name: rng.choice(values) for name, values in KNOBS.items() if knobs and rng.random() < 0.25}
    if turned.get("rake.percent") == "100":
        turned["rake.percent"] = "10"
    setup = HandSetup(1, rng.choice(list(VariantCode)), chosen, house_rules(rng.choice(PRESETS), turned))

    def stack() -> int:
        most = 2 * chosen.small if rng.random() < 0.3 else 60 * chosen.big
        return chosen.unit * rng.randint(1, max(1, most // chosen.unit))

    return Game(tuple((seat, stack()) for seat in seats), setup, rng.getrandbits(32))


class _Told(Felt):
    """A felt that keeps what happened."""

    def __init__(self, game: Game) -> None:
        self.events: list[HandEvent] = []
        super().__init__(game)

    def _happen(self, event: HandEvent) -> None:
        self.events.append(event)
        super()._happen(event)


def hands_with_slips(count: int, seed: int, patch: Any) -> Iterator[Played]:
    """Hands with random slips and rulings, voided ones among them; ``patch`` is pytest's ``monkeypatch``."""
    patch.setattr(hand_slips, "Felt", _Told)
    rng = random.Random(seed)
    for _ in range(count):
        game = any_table(rng)
        told: Any = hand_slips.play(game, rng.getrandbits(32))
        yield Played(tuple(told.events), hand_of(game.setup, game.stacks, told.events))


def corpus() -> list[RecordedHand]:
    """The recorded hands of the sample."""
    return [hand for path in sorted(CORPUS.glob("*.jsonl")) for hand in load_hands(path)]


def corpus_rules(**knobs: str) -> HouseRules:
    """The house rules under which most of the recorded hands were played."""
    given = {"bring_in.short": "match_short", "deal.ghost_cards_after_free_fold": "false"}
    return house_rules("seeds", {**given, **{name.replace("__", "."): value for name, value in knobs.items()}})


def replayed(recorded: RecordedHand, rules: HouseRules) -> Played | None:
    """A recorded hand by the hand state machine; ``None`` when these rules refuse it."""
    machine = _Machine(recorded, rules)
    opening = machine.state
    for seat in recorded.seats:
        machine.give(PostAnte(seat))
    if _play(machine, recorded) is not None:
        return None
    _show(machine, recorded)
    if machine.state.phase is not Phase.ENDED:
        return None
    stacks = tuple((entry.seat, entry.stack) for entry in opening.seats)
    return Played(tuple(machine.events), hand_of(opening.setup, stacks, machine.events))


def public_cards(events: Sequence[HandEvent]) -> set[Card]:
    """Every card that all at the table saw: up, common, tabled or exposed."""
    public: set[Card] = set()
    for event in events:
        match event:
            case CardDealt(place=place, card=Card() as card) if place.zone is Zone.UP:
                public.add(card)
            case CommunityDealt(card=card) | slips.HoleExposed(card=card) | slips.DoorChosen(card=card):
                public.add(card)
            case slips.SeventhShown(card=card):
                public.add(card)
            case HandTabled(cards=cards):
                public.update(cards)
            case _:
                pass
    return public


def hidden_cards(events: Sequence[HandEvent]) -> set[Card]:
    """Every card that went to a hand, the burns or the muck and was never public."""
    dealt = {card for event in events if isinstance(card := getattr(event, "card", None), Card)}
    return dealt - public_cards(events)


def in_pokerkit(hand: FinishedHand) -> str | None:
    """Load the exported hand in PokerKit with warnings as errors; what is wrong there, ``None`` when it ends with our chips.

    The one warning that a free fold makes is let through, for a hand that is tagged with its rule.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if FREE_FOLD in departures(hand):
            warnings.filterwarnings("ignore", message=WARNS)
        try:
            history = HandHistory.loads(phh_text(hand))
            state = None
            for reached in history:
                state = reached
        except Exception as error:  # noqa: BLE001 - it ends in errors of many kinds
            return f"{type(error).__name__}: {error}"
    if state is None or state.status:
        return "the hand is not over there"
    ours = [hand.finishing[seat] for seat in hand.seats]
    return None if list(state.stacks) == ours == history.finishing_stacks else f"stacks {list(state.stacks)}, ours are {ours}"
