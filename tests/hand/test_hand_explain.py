"""Reasons of every event: nothing is without one, and none names a card that lies face down."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import given, settings
from support.hand_dsl import cards_of
from support.hand_walk import Game, Style, games, next_input, walk

from controller.hand import commands as told
from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import CardLaid, HandInput, Role, StubReloaded
from controller.hand.decide import Decision, decide
from controller.hand.events import HandEvent
from controller.hand.evolve import evolve
from controller.hand.explain import explain
from controller.hand.explain_betting import why_allowed, why_barred
from controller.hand.irregular_events import DeadCause, HandSeen, MisdealCause, Scrap, SeventhReplaced
from controller.hand.places import Spot
from controller.hand.state import HandState, Phase, open_state
from controller.hand.steps import AnteDue, LoadDue, next_step
from controller.hand.terms import Verb
from controller.hand.variants import Wins
from controller.hand.why import Faces, Reading, Why, reading
from controller.words.catalogue import Language
from controller.words.reasons import sentence

MOST_INPUTS = 400


def stray_inputs(state: HandState, rng: random.Random, card: Card) -> list[HandInput]:
    """Slips, rulings and corrections that might be reported now; most are refused."""
    seat = rng.choice(state.seats).seat
    floor = Role.FLOOR
    return [
        told.DeclareMisdeal(rng.choice(list(MisdealCause))),
        told.ExposeHole(seat, rng.choice((1, 2)), floor),
        told.ChooseDoor(seat, rng.choice((1, 2, 3))),
        told.ExposeSeventh(seat),
        told.DeclareAllIn(seat),
        told.KillHands((seat,), rng.choice(list(DeadCause))),
        told.KillHands(tuple(entry.seat for entry in state.seats if entry.live), DeadCause.MIXED),
        told.RetrieveHand(seat),
        told.PrematureCards((card,), burned=rng.random() < 0.5, kept=seat if rng.random() < 0.3 else 0),
        told.KeepExtraAsBurn(card),
        told.ScrapCard(rng.choice(list(Scrap)), card),
        told.RedoSeventh(),
        told.DropStub(),
        told.UndoAction(floor),
        told.UndoAward(),
        told.NoteOutOfTurn(seat, rng.choice((Verb.FOLD, Verb.CALL, Verb.CHECK)), state.round.match),
        told.OpenedBy(seat),
        told.LeaveTable(seat),
        told.ReturnToTable(seat),
        told.ExpireClock(state.round.actor),
        told.LetSee(seat),
        told.FeltWrong("wrong_place", Spot.MUCK),
        told.FeltRight(),
    ]


def stray_walk(game: Game) -> Iterator[tuple[HandState, HandEvent]]:
    """A hand with slips and rulings thrown in: each event with the state before it. Ends with the hand or after enough inputs."""
    rng = random.Random(game.seed)
    style = Style(folds=0.1, passive=0.5)
    shoe = list(DECK)
    rng.shuffle(shoe)
    state = open_state(game.setup, game.stacks)
    for _ in range(MOST_INPUTS):
        if state.over or len(shoe) < 8:
            return
        given = _next(state, shoe, rng, style)
        decision = decide(state, given)
        if isinstance(decision, Decision):
            for event in decision.events:
                yield state, event
                state = evolve(state, event)


def _next(state: HandState, shoe: list[Card], rng: random.Random, style: Style) -> HandInput:
    if rng.random() < 0.12:
        return rng.choice(stray_inputs(state, rng, shoe.pop()))
    step = next_step(state)
    if isinstance(step, LoadDue):
        return StubReloaded(step.cards)
    if state.hold is not None:
        return told.FeltRight()
    if isinstance(step, AnteDue) or state.phase is not Phase.DEALING:
        return next_input(state, shoe, rng, style)
    if state.dealt < len(state.due):
        return CardLaid(state.due[state.dealt].place, shoe.pop())
    return told.TableHand(next(entry.seat for entry in state.seats if entry.live and entry.tabled is None))


def public_cards(state: HandState, event: HandEvent) -> set[str]:
    """Cards that everybody sees after ``event``: up, common, tabled, exposed, seen."""
    after = evolve(state, event)
    shown: set[Card] = set(after.commons)
    for entry in (*state.seats, *after.seats):
        shown.update(entry.up)
        shown.update(entry.exposed)
        shown.update(entry.tabled or ())
        if entry.seventh_up and entry.down and entry.down[-1] is not None:
            shown.add(entry.down[-1])
    if isinstance(event, HandSeen):
        shown.update(event.cards)
    if isinstance(event, SeventhReplaced):
        shown.add(event.card)
    return {card.text for card in shown}


def named_cards(reasons: tuple[Why, ...]) -> set[str]:
    """Cards that the reasons name."""
    return {card for why in reasons for _, value in why.values if isinstance(value, Faces) for card in value.cards}


@settings(max_examples=60, deadline=None)
@given(games())
def test_every_event_of_a_hand_has_reasons_in_both_languages(game: Game) -> None:
    """Each event of any hand explains itself in a sentence that ends with its rule and names public cards alone (R-RULE-06)."""
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            _explains(state, event)
            state = evolve(state, event)


@settings(max_examples=80, deadline=None)
@given(games())
def test_every_ruling_has_reasons_in_both_languages(game: Game) -> None:
    """The same for slips, rulings and corrections at random moments (R-RULE-01, R-RULE-06)."""
    for state, event in stray_walk(game):
        _explains(state, event)


def _explains(state: HandState, event: HandEvent) -> None:
    reasons = explain(state, event)
    assert reasons, event
    assert named_cards(reasons) <= public_cards(state, event), event
    for why in reasons:
        for language in Language:
            assert sentence(why, language).endswith(f"({why.rule})")


@settings(max_examples=40, deadline=None)
@given(games())
def test_each_allowed_action_has_its_reason(game: Game) -> None:
    """``why_allowed`` stands beside ``legal_actions``, and whoever may not raise is told why (R-BET-01)."""
    for step in walk(game):
        state = step.decision.state
        actions = legal_actions(state)
        allowed = why_allowed(state)
        assert [why.rule for why in allowed] == [action.rule for action in actions]
        barred = why_barred(state)
        wagers = {Verb.BET, Verb.RAISE, Verb.COMPLETE} & {action.verb for action in actions}
        assert barred is None or not wagers
        for why in (*allowed, *(() if barred is None else (barred,))):
            for language in Language:
                assert sentence(why, language)


def test_readings_name_category_and_ranks() -> None:
    """Groups come first, a wheel ends with its ace, a razz hand counts its ace low (R-EVAL-01, R-EVAL-02, R-EVAL-03)."""
    cases = {
        "9s 9d 5c 9h 5d Ks 2c": Reading("full_house", "99955"),
        "Ah 2c 3d 4s 5h Kd Qc": Reading("straight", "5432A"),
        "Ah Kd Qs Jc Th 2d 2c": Reading("straight", "AKQJT"),
        "Ah Kd 8c 8s 5h 3d 2c": Reading("pair", "88AK5"),
    }
    assert {text: reading(cards_of(text), Wins.HIGH) for text in cases} == cases
    assert reading(cards_of("Ah 2c 3d 5s 7h Kd Qc"), Wins.LOW_EIGHT) == Reading("low", "7532A")
    assert reading(cards_of("Ah As 2d 2c 3h 3s Kd"), Wins.LOW) == Reading("low", "AAK32")
