"""Random tables, and random slips and rulings among ordinary play."""

from __future__ import annotations

import random
from typing import Any, Final

from hypothesis import strategies as st

from controller.hand.betting import legal_actions
from controller.hand.cards import Card
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    ChooseDoor,
    DeclareAllIn,
    DeclareMisdeal,
    DropStub,
    ExpireClock,
    ExposeHole,
    ExposeSeventh,
    FeltRight,
    FeltWrong,
    HandInput,
    KeepExtraAsBurn,
    KillHands,
    LeaveTable,
    LetSee,
    MuckHand,
    NoteOutOfTurn,
    OpenedBy,
    PostAnte,
    PrematureCards,
    PutChips,
    RedoSeventh,
    ReplaceBoxed,
    RetrieveHand,
    ReturnToTable,
    Role,
    ScrapCard,
    StubReloaded,
    TableHand,
    UndoAction,
    UndoAward,
    VoidHand,
)
from controller.hand.dealing import TO_COMMON
from controller.hand.irregular_events import (
    DeadCause,
    MisdealCause,
    Scrap,
)
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.rules import PRESETS, allowed_values, house_rules, knob_names
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from support.hand_felt import Felt
from support.hand_walk import STAKES, Game, Style

MOST_SLIPS: Final = 40
"""Slips of one hand; more would be no hand any more."""
_FREE_VALUES: Final = ("0", "1", "5", "50")
_CAUSES: Final = tuple(DeadCause)


def tables() -> st.SearchStrategy[Game]:
    """Two to eight seats, tiny to deep stacks, any game and stakes, any preset with any values of any knobs."""
    return st.randoms(use_true_random=False).map(any_table)


def any_table(rng: random.Random) -> Game:
    """One of ``tables``, by ``rng``."""
    stakes = rng.choice(STAKES)
    number = rng.choice((2, 2, 3, 3, 4, 5, 6, 7, 8, 8))
    deep = rng.choice((0.3, 0.7, 1.0))
    stacks = tuple((seat, _stack(rng, stakes, deep=rng.random() < deep)) for seat in sorted(rng.sample(range(1, 9), number)))
    turned = rng.choice((0.0, 0.1, 0.5, 1.0))
    knobs = {name: rng.choice(allowed_values(name) or _FREE_VALUES) for name in knob_names() if rng.random() < turned}
    knobs |= {"table.max_seats": "8", "table.min_players": "2"}
    if knobs.get("deal.burn_before_third") == "true":
        knobs |= {"table.max_seats": "7"} if number < 8 else {"deal.burn_before_third": "false"}
    if knobs.get("rake.time_collection", "0") != "0":
        knobs |= {"rake.percent": "0"}
    rules = house_rules(rng.choice(PRESETS), knobs)
    setup = HandSetup(1, rng.choice(list(VariantCode)), stakes, rules, rng.random() < 0.5)
    return Game(stacks, setup, rng.randrange(2**32))


def _stack(rng: random.Random, stakes: Stakes, *, deep: bool) -> int:
    most = 30 * stakes.big if deep else 2 * stakes.small
    return rng.randint(1, most // stakes.unit) * stakes.unit


def top(felt: Felt, number: int) -> tuple[Card | None, ...]:
    """The next cards of the shoe, in the order they leave it."""
    return tuple(reversed(felt.shoe[-number:])) if number else ()


def likely(state: HandState) -> tuple[type[Any], ...]:
    """Slips and rulings for which there is an occasion now."""
    if state.may_declare and state.phase is Phase.BETTING:
        return (DeclareAllIn, DeclareAllIn, DeclareAllIn, KillHands, UndoAction)
    kinds: list[type[Any]] = [LeaveTable, KillHands]
    if state.phase in (Phase.DEALING, Phase.BETTING):
        kinds.append(DropStub)
    if any(entry.away for entry in state.seats):
        kinds.append(ReturnToTable)
    if state.previous is not None:
        kinds += [UndoAward] * 4 if state.over else [UndoAction] * 4
    if any(not entry.live for entry in state.seats):
        kinds += [RetrieveHand] * 2
    if any(entry.mucked for entry in state.seats):
        kinds += [LetSee, RetrieveHand] * 4
    if state.phase is Phase.DEALING:
        kinds += [ScrapCard, ReplaceBoxed, *_OCCASIONS_DEALING.get(state.street, ())]
        kinds += [RedoSeventh] * 8 if state.short in TO_COMMON and state.street == 7 else []
    elif state.phase is Phase.BETTING:
        kinds += [PrematureCards, NoteOutOfTurn, OpenedBy, PutChips, ExpireClock] * 2
        kinds += _OCCASIONS_BETTING.get(state.street, ())
        kinds += [ChooseDoor] * 8 if state.round.post_due else []
    return tuple(kinds)


def slip(felt: Felt, kind: type[Any], rng: random.Random) -> HandInput:
    """A slip or ruling of ``kind`` with values that are sensible more often than not."""
    state = felt.state
    seats = [entry.seat for entry in state.seats]
    live = [entry.seat for entry in state.seats if entry.live] or seats
    seat = rng.choice(live if rng.random() < 0.8 else [*seats, 0, 9])
    role = rng.choice(list(Role))
    if kind is DeclareMisdeal:
        return DeclareMisdeal(rng.choice(list(MisdealCause)), role)
    if kind is ExposeHole and rng.random() < 0.5:
        seat = next((entry.seat for entry in state.seats if entry.exposed), seat)
    if kind is ExposeSeventh and rng.random() < 0.8:
        seat = rng.choice([entry.seat for entry in state.seats if entry.live and len(entry.cards) > 6] or [seat])
    if kind in (ExposeHole, ChooseDoor):
        return kind(seat, rng.choice((1, 1, 2, 2, 3, 0)), role)  # type: ignore[no-any-return]
    if kind in (ExposeSeventh, LeaveTable, LetSee):
        return kind(seat, role)  # type: ignore[no-any-return]
    if kind is DeclareAllIn:
        return DeclareAllIn(rng.choice(state.may_declare or (seat,)), role)
    if kind is KillHands:
        many = rng.sample(live, min(len(live), rng.choice((1, 1, 1, 2, 2, 3, 8))))
        return KillHands(tuple(many) if rng.random() < 0.95 else rng.choice(((), (seat, seat))), rng.choice(_CAUSES), role)
    if kind is RetrieveHand:
        gone = [entry.seat for entry in state.seats if not entry.live or entry.mucked]
        return RetrieveHand(rng.choice(gone or [seat]), role)
    if kind is PrematureCards:
        room = max(0, min(len(felt.shoe) - 2, 10 - len(felt.aside) - len(felt.scrap)))
        cards = top(felt, min(room, rng.choice((1, 1, 2, 3, 5, 9))))
        kept = seat if state.street == 6 and rng.random() < 0.5 else 0 if rng.random() < 0.95 else seat
        return PrematureCards(cards, rng.random() < 0.5, kept, role)
    if kind is KeepExtraAsBurn:
        return KeepExtraAsBurn(top(felt, 1)[0] if felt.shoe else None, role)
    if kind is ScrapCard:
        scrap = Scrap.JOKER if len(felt.scrap) + len(felt.aside) > 9 else rng.choice(list(Scrap))
        return ScrapCard(scrap, top(felt, 1)[0] if scrap is Scrap.BOXED and felt.shoe else None, role)
    if kind is ReplaceBoxed:
        return ReplaceBoxed(seat, state.street if rng.random() < 0.6 else rng.randint(0, 8), role)
    if kind in (RedoSeventh, DropStub, UndoAction, UndoAward):
        return kind(role)  # type: ignore[no-any-return]
    if kind is NoteOutOfTurn:
        return NoteOutOfTurn(seat, rng.choice(list(Verb)), rng.choice(_amounts(felt)), role)
    if kind is OpenedBy:
        return OpenedBy(seat, role)
    if kind is PutChips:
        actor = state.round.actor if rng.random() < 0.9 else seat
        return PutChips(actor, rng.choice([*_amounts(felt), -1, 1, 25, 100]), rng.choice((1, 2, 5)), role)
    if kind is ReturnToTable:
        away = [entry.seat for entry in state.seats if entry.away]
        return ReturnToTable(rng.choice(away or [seat]), role)
    if kind is ExpireClock:
        return ExpireClock(state.round.actor if rng.random() < 0.9 else seat, role)
    if kind is VoidHand:
        return VoidHand("floor")
    return odd_input(felt, kind, rng, seat)


def odd_input(felt: Felt, kind: type[Any], rng: random.Random, seat: int) -> HandInput:
    """Observations and requests of ordinary play that are out of place."""
    place = rng.choice([SeatPlace(rng.randint(1, 8), rng.choice(list(Zone))), *Spot])
    if kind is CardLaid:
        due = {felt.state.due[felt.state.dealt].place} if felt.state.dealt < len(felt.state.due) else set()
        return FeltWrong("missing", place) if place in due else CardLaid(place, None)
    if kind is FeltWrong:
        return FeltWrong("missing", place)
    if kind is FeltRight:
        return FeltRight()
    if kind is StubReloaded:
        return StubReloaded(rng.randint(0, 60))
    if kind is Act:
        return Act(seat, rng.choice(list(Verb)), rng.choice(_amounts(felt)))
    if kind is AwardPots:
        return AwardPots()
    return kind(seat)  # type: ignore[no-any-return]


def _amounts(felt: Felt) -> list[int]:
    stakes = felt.game.setup.stakes
    return [0, stakes.bring_in, stakes.small, stakes.big, *(action.to for action in legal_actions(felt.state))]


def play(game: Game, seed: int) -> Felt:
    """A whole hand of random play with random slips, without Hypothesis in between: many times as many in the same time."""
    rng = random.Random(seed)
    felt = Felt(game)
    style = Style(rng.choice((0.02, 0.1, 0.3)), rng.choice((0.2, 0.6, 0.95)))
    often, apt = rng.choice((0.05, 0.2, 0.5)), rng.choice((0.3, 0.8, 0.95))
    favoured = rng.sample(SLIPS, rng.randint(1, 6))
    first_street = rng.choice((0, 0, 3, 4, 6, 7))
    for _ in range(MOST_STEPS):
        over = felt.state.over
        if over and rng.random() < 0.3:
            break
        asked = bool(felt.state.may_declare) and felt.state.phase is Phase.BETTING and rng.random() < 0.5
        if felt.slips < MOST_SLIPS and (over or asked or (felt.state.street >= first_street and rng.random() < often)):
            felt.slips += 1
            kinds = likely(felt.state) if rng.random() < apt else favoured if rng.random() < 0.8 else SLIPS + ODD
            felt.give(slip(felt, rng.choice(kinds), rng))
        elif not over:
            felt.go_on(style)
    felt.finish(style)
    return felt


MOST_STEPS: Final = 400
"""Inputs of one hand before it is only played to its end."""
_OCCASIONS_DEALING: Final[dict[int, tuple[type[Any], ...]]] = {3: (ExposeHole,) * 6 + (ChooseDoor,), 7: (ExposeSeventh,) * 8}
_OCCASIONS_BETTING: Final[dict[int, tuple[type[Any], ...]]] = {
    3: (KeepExtraAsBurn, ChooseDoor, ExposeHole, DeclareMisdeal),
    6: (PrematureCards,) * 4,
    7: (ExposeSeventh,) * 4,
}
SLIPS: Final[tuple[type[Any], ...]] = (
    DeclareMisdeal,
    ExposeHole,
    ChooseDoor,
    ExposeSeventh,
    DeclareAllIn,
    KillHands,
    RetrieveHand,
    PrematureCards,
    KeepExtraAsBurn,
    ScrapCard,
    RedoSeventh,
    ReplaceBoxed,
    DropStub,
    UndoAction,
    UndoAward,
    NoteOutOfTurn,
    OpenedBy,
    PutChips,
    LeaveTable,
    ReturnToTable,
    ExpireClock,
    LetSee,
)
ODD: Final[tuple[type[Any], ...]] = (
    CardLaid,
    FeltWrong,
    FeltRight,
    StubReloaded,
    Act,
    AwardPots,
    PostAnte,
    TableHand,
    MuckHand,
    VoidHand,
)
