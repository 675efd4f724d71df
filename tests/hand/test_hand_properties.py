"""What holds in every hand, whatever seats, stacks, game and house rules: whole hands of random legal play."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from support.hand_walk import Game, games, walk

from controller.hand.betting import LegalAction, legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    FeltRight,
    FeltWrong,
    HandInput,
    MuckHand,
    PostAnte,
    Refusal,
    StubReloaded,
    TableHand,
    VoidHand,
)
from controller.hand.decide import Decision, decide
from controller.hand.events import (
    ActionTaken,
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEnded,
    PotAwarded,
    RoundOpened,
    StubScrambled,
)
from controller.hand.evolve import evolve
from controller.hand.knobs import FourthPair, HalfBet, HeadsUpCap, ShortBringIn
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import Acted, HandState, Phase, open_state
from controller.hand.terms import Verb

MANY = settings(max_examples=max(80, settings.default.max_examples))
RULE = re.compile(r"^R-[A-Z]+-\d\d$")
WAGERS = (Verb.COMPLETE, Verb.BET, Verb.RAISE)


def chips_in_play(state: HandState) -> int:
    """Stacks, what lies in the middle, and what the house has raked from pots that are paid."""
    paid = [number for number, shares in enumerate(state.awards) if shares is not None]
    middle = sum(entry.total for entry in state.seats)
    if state.phase is not Phase.VOIDED:
        middle += sum(state.rake[number] - state.pots[number].chips for number in paid)
    return sum(entry.stack for entry in state.seats) + middle


@MANY
@given(games())
def test_no_chip_is_made_or_lost_by_any_event(game: Game) -> None:
    """R-POT-11: stacks, middle and rake add up to what was brought, after every event; no stack is ever negative."""
    brought = sum(chips for _, chips in game.stacks)
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            state = evolve(state, event)
            assert chips_in_play(state) == brought
            assert all(entry.stack >= 0 and entry.total >= 0 and entry.street_chips >= 0 for entry in state.seats)
        if state.phase is Phase.ENDED:
            (ended,) = [event for event in step.decision.events if isinstance(event, HandEnded)]
            assert sum(chips for _, chips in ended.stacks) + ended.rake == brought


@MANY
@given(games())
def test_nobody_wins_more_than_each_other_seat_matched_and_folded_hands_win_nothing(game: Game) -> None:
    """R-ALLIN-01, R-ALLIN-02, R-SHOW-04: from each opponent at most what the winner put in; nothing after fold or muck."""
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            if isinstance(event, PotAwarded):
                for share in event.shares:
                    entry = state.seats[state.index_of(share.seat)]
                    assert entry.live
                    assert not entry.mucked
                    assert share.seat in state.pots[event.pot].seats
            state = evolve(state, event)
        for entry in state.seats:
            assert entry.won <= sum(min(entry.total, other.total) for other in state.seats)


@MANY
@given(games())
def test_replaying_the_events_gives_the_state(game: Game) -> None:
    """A journal is enough: events alone lead to the same state, decision by decision and from the start."""
    replayed = open_state(game.setup, game.stacks)
    for step in walk(game):
        assert replayed == step.before
        for event in step.decision.events:
            replayed = evolve(replayed, event)
        assert replayed == step.decision.state
        assert decide(step.before, step.given) == step.decision


@MANY
@given(games())
def test_each_hand_ends_with_every_pot_paid_and_nothing_pending(game: Game) -> None:
    """Rules §26: never stuck, and bounded (the walk fails past its bound); afterwards nobody is asked."""
    state = [step.decision.state for step in walk(game)][-1]
    assert (state.phase, state.round.actor, legal_actions(state)) == (Phase.ENDED, 0, ())
    assert all(shares is not None for shares in state.awards)
    for number, shares in enumerate(state.awards):
        assert sum(share.chips for share in shares or ()) == state.pots[number].chips - state.rake[number]


@MANY
@given(games())
def test_the_52_cards_stay_52(game: Game) -> None:
    """R-STUB-01, R-DECK-01: stub, burns, hands, ghost cards and common card are 52 at every moment; none comes twice."""
    ghosts = 0
    out: set[Card] = set()
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            match event:
                case CardDealt(card=card) | GhostDealt(card=card) | BurnMade(card=card) | CommunityDealt(card=card):
                    assert card is not None
                    assert card not in out
                    out.add(card)
                case StubScrambled():
                    out -= {card for card in state.burned if card is not None}
                case _:
                    pass
            ghosts += isinstance(event, GhostDealt)
            state = evolve(state, event)
            in_hands = sum(len(entry.cards) for entry in state.seats)
            assert state.stub + state.burns + in_hands + ghosts + (state.community is not None) == 52
            assert (state.stub, len(state.burned)) == (52 - len(out), state.burns)
            assert state.stub >= 0


@MANY
@given(games())
def test_every_live_hand_has_its_number_of_cards_when_a_round_opens(game: Game) -> None:
    """R-DEAL-01, R-DEAL-02, R-ERR-05: two down, one up a street, a seventh down or one common card; the last is never dealt."""
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            state = evolve(state, event)
            if not isinstance(event, RoundOpened) and state.phase is not Phase.SHOWDOWN:
                continue
            street = 7 if state.phase is Phase.SHOWDOWN else state.street
            own_seventh = street == 7 and state.community is None
            for entry in state.seats:
                if entry.live:
                    assert (len(entry.down), len(entry.up)) == (2 + own_seventh, min(street - 2, 4))
            assert state.stub > 0
            expected = street - 3 + game.setup.rules.burn_before_third
            scrambled = state.short is not None and state.short.value in ("reuse_burns", "scramble_community")
            assert state.burns == (1 if scrambled and street == 7 else expected)


@MANY
@given(games(), st.integers(0, 2**32 - 1))
def test_what_is_offered_is_accepted_and_all_else_refused_by_a_rule(game: Game, seed: int) -> None:
    """R-BET-01, R-BET-14: every offered action is taken with exactly its chips; any other names a rule and changes nothing."""
    rng = random.Random(seed)
    betting = [step.before for step in walk(game) if step.before.phase is Phase.BETTING]
    for state in rng.sample(betting, min(6, len(betting))):
        actions = legal_actions(state)
        actor = state.round.actor
        entry = state.seats[state.index_of(actor)]
        for action in actions:
            taken = _taken(state, action)
            assert (taken.chips, taken.to, taken.all_in) == (action.chips, action.to, action.chips == entry.stack > 0)
            assert RULE.match(action.rule)
        legal = {(action.verb, action.to) for action in actions}
        amounts = {to for _, to in legal} | {to + step for _, to in legal for step in (-1, 1)} | {rng.randrange(-5, 500)}
        for verb in Verb:
            for to in amounts:
                family = WAGERS if verb in WAGERS and not state.round.post_due else (verb,)
                if verb in (Verb.FOLD, Verb.CHECK):
                    allowed = any(known is verb for known, _ in legal)
                else:
                    allowed = any((known, to) in legal for known in (WAGERS if verb in WAGERS else family))
                answer = decide(state, Act(actor, verb, to))
                assert isinstance(answer, Decision) is allowed, (verb, to, legal)
                if isinstance(answer, Refusal):
                    assert RULE.match(answer.rule)
        for other in state.seats:
            if other.seat != actor:
                assert decide(state, Act(other.seat, Verb.FOLD, 0)) == Refusal(
                    "R-BET-14", "not_your_turn", (("seat", other.seat), ("actor", actor))
                )


def _taken(state: HandState, action: LegalAction) -> ActionTaken:
    decision = decide(state, Act(state.round.actor, action.verb, action.to))
    assert isinstance(decision, Decision)
    first = decision.events[0]
    assert isinstance(first, ActionTaken)
    return first


@MANY
@given(games(), st.integers(0, 2**32 - 1))
def test_an_observation_is_never_refused(game: Game, seed: int) -> None:
    """What lies on the felt has happened: due, premature or absurd, it is a decision and the hand can be voided after it."""
    rng = random.Random(seed)
    steps = list(walk(game))
    for step in rng.sample(steps, min(12, len(steps))):
        places = [SeatPlace(rng.randint(1, 8), rng.choice(list(Zone))), *Spot]
        seen: list[HandInput] = [CardLaid(place, rng.choice((None, *DECK))) for place in places]
        seen += [StubReloaded(rng.randint(0, 52)), FeltWrong("missing", rng.choice(places)), FeltRight()]
        for observation in seen:
            decision = decide(step.before, observation)
            assert isinstance(decision, Decision)
            voided = decide(decision.state, VoidHand("x"))
            assert isinstance(voided, Decision)
            assert {entry.seat: entry.stack for entry in voided.state.seats} == dict(game.stacks)


@MANY
@given(games(), st.integers(0, 2**32 - 1))
def test_a_hold_blocks_every_request_and_leaves_no_trace(game: Game, seed: int) -> None:
    """R-RULE-01: frozen: no action, no card; once the felt is right the hand stands where it stood."""
    rng = random.Random(seed)
    steps = list(walk(game))
    for step in rng.sample(steps, min(10, len(steps))):
        held = decide(step.before, FeltWrong("missing", None))
        assert isinstance(held, Decision)
        assert legal_actions(held.state) == ()
        seat = game.stacks[0][0]
        requests: list[HandInput] = [PostAnte(seat), TableHand(seat), MuckHand(seat), AwardPots()]
        requests += [Act(entry.seat, verb, 4) for entry in step.before.seats for verb in Verb]
        for request in requests:
            assert decide(held.state, request) == Refusal("R-RULE-01", "held")
        lifted = decide(held.state, FeltRight())
        assert isinstance(lifted, Decision)
        assert lifted.state == step.before


def _public(state: HandState) -> HandState:
    """The state with the cards taken out that lie face down, in what an undo would restore as well."""
    seats = tuple(entry._replace(down=(None,) * len(entry.down)) for entry in state.seats)
    previous = None if state.previous is None else _public(state.previous)
    return state._replace(seats=seats, burned=(None,) * len(state.burned), previous=previous)


@MANY
@given(games())
def test_cards_that_lie_face_down_decide_nothing_before_the_showdown(game: Game) -> None:
    """R-RULE-06: the same hand with down cards, burns and ghost cards unknown runs the same way until hands are shown."""
    blind = open_state(game.setup, game.stacks)
    for step in walk(game):
        if step.before.phase is Phase.SHOWDOWN or step.before.face_up:
            return
        given = step.given
        if isinstance(given, CardLaid):
            hidden = given.place is Spot.BURN or (isinstance(given.place, SeatPlace) and given.place.zone is Zone.DOWN)
            given = CardLaid(given.place, None) if hidden else given
        decision = decide(blind, given)
        assert isinstance(decision, Decision)
        assert len(decision.events) == len(step.decision.events)
        blind = decision.state
        assert blind == _public(step.decision.state)


class Reference(NamedTuple):
    """Q-32 written a second time, from the actions of one round: what a seat may wager to."""

    level: int
    match: int
    raises: int
    bet: bool
    big_made: bool
    small_only: bool
    pairs: tuple[int, ...]


def _open_pairs(state: HandState) -> tuple[int, ...]:
    """Q-38: decided once, when the fourth-street cards lie; nothing where the house has no such option."""
    off = state.setup.rules.fourth_pair(state.setup.variant) is FourthPair.OFF
    if state.street != 4 or off:
        return ()
    return tuple(entry.seat for entry in state.seats if entry.live and len({card.rank for card in entry.up}) == 1)


def _sizes(state: HandState, now: Reference, seat: int) -> list[int]:
    """f to g of Q-32, with the open pair of R-BET-05 and Q-39."""
    small, big = state.setup.stakes.small, state.setup.stakes.big
    if state.street >= 5:
        return [big]
    if not now.pairs or small == big:
        return [small]
    if now.big_made:
        return [big]
    if state.setup.rules.fourth_pair(state.setup.variant) is FourthPair.ANY_PLAYER:
        return [small, big]
    return [small, big] if not now.bet and not now.small_only and seat in now.pairs else [small]


def _half(state: HandState, increment: int, size: int) -> bool:
    return increment >= size if state.setup.rules.half_bet is HalfBet.FULL else increment >= size / 2


def _after(state: HandState, now: Reference, taken: ActionTaken) -> Reference:
    """Steps 1 and 2 of Q-32."""
    stakes, rules = state.setup.stakes, state.setup.rules
    if taken.verb is Verb.BRING_IN:
        due = taken.to if rules.short_bring_in is ShortBringIn.MATCH_SHORT else stakes.bring_in
        return now._replace(
            match=due, bet=stakes.bring_in == stakes.small, level=stakes.small * (stakes.bring_in == stakes.small)
        )
    if taken.verb not in WAGERS:
        return now
    sizes = _sizes(state, now, taken.seat)
    increment = taken.to - (now.level if now.bet else 0)
    if not _half(state, increment, sizes[0]):
        return now._replace(match=taken.to)
    completes_post = state.street == 3 and not now.bet and now.match > 0
    counted = now.bet or (completes_post and rules.completion_is_raise)
    return Reference(
        taken.to,
        taken.to,
        now.raises + counted,
        True,
        now.big_made or (len(sizes) > 1 and increment >= stakes.big),
        now.small_only or (not now.bet and increment < stakes.big),
        now.pairs,
    )


def _wagers(state: HandState, now: Reference, acted: dict[int, bool]) -> set[int]:
    """Step 3 of Q-32 and the totals of step 1. ``acted`` says whether the bet stood when the seat acted."""
    seat = state.round.actor
    entry = state.seats[state.index_of(seat)]
    sizes = _sizes(state, now, seat)
    owes = now.match - entry.street_chips
    opponents = any(other.live and other.stack for other in state.seats if other.seat != seat)
    open_to = seat not in acted or _half(state, owes, sizes[0]) or (state.street == 3 and now.bet and not acted[seat])
    if not opponents or not open_to or (now.raises >= state.setup.rules.max_raises and now.bet):
        return set()
    base = now.level if now.bet else 0
    reach = entry.street_chips + entry.stack
    totals = {base + size for size in sizes if base + size <= reach}
    return totals | ({reach} if now.match < reach < base + sizes[-1] else set())


@MANY
@given(games())
def test_wagers_are_those_of_the_one_algorithm_written_a_second_time(game: Game) -> None:
    """Q-32, R-BET-03, R-BET-05, R-BET-08 to R-BET-10: level, match, raises and every legal total, at each turn of each round."""
    capped = replace(game.setup.rules, heads_up_cap=HeadsUpCap.CAPPED)
    game = game._replace(setup=game.setup._replace(rules=capped))
    now, acted = Reference(0, 0, 0, False, False, False, ()), dict[int, bool]()
    for step in walk(game):
        if step.before.phase is Phase.BETTING and not step.before.round.post_due:
            state = step.before
            current = state.round
            assert (current.match, current.raises, current.bet) == (now.match, now.raises, now.bet)
            offered = {action.to for action in legal_actions(state) if action.verb in WAGERS}
            assert offered == _wagers(state, now, acted)
        for event in step.decision.events:
            if isinstance(event, RoundOpened):
                now, acted = Reference(0, 0, 0, False, False, False, _open_pairs(step.decision.state)), {}
            elif isinstance(event, ActionTaken):
                now = _after(step.before, now, event)
                acted[event.seat] = now.bet


def _next_asked(after: HandState, taken: ActionTaken) -> int:
    """Step 4 of Q-32 written a second time: clockwise from the seat that acted."""
    seats = [entry for entry in after.seats if entry.seat > taken.seat] + [
        entry for entry in after.seats if entry.seat < taken.seat
    ]
    active = [entry.seat for entry in after.seats if entry.live and entry.stack]
    if after.live_count < 2:
        return 0
    owing = [entry.seat for entry in seats if entry.seat in active and entry.street_chips < taken.match]
    waiting = [entry.seat for entry in seats if entry.seat in active and entry.acted is Acted.NO and len(active) > 1]
    return next((entry.seat for entry in seats if entry.seat in owing or entry.seat in waiting), 0)


@MANY
@given(games())
def test_the_next_to_act_is_the_first_clockwise_that_owes_or_has_not_acted(game: Game) -> None:
    """R-BET-16, R-ALLIN-01, R-BRING-05, R-BRING-07: nobody all-in, folded or matched after acting is asked, nobody is passed."""
    for step in walk(game):
        state = step.before
        for event in step.decision.events:
            after = evolve(state, event)
            if isinstance(event, ActionTaken):
                if state.round.post_due and event.verb is Verb.FOLD:
                    able = [entry.seat for entry in after.seats if entry.active]
                    clockwise = [seat for seat in able if seat > event.seat] + able
                    assert event.actor == (clockwise[0] if len(able) > 1 else 0)
                else:
                    assert event.actor == _next_asked(after, event)
            state = after


@MANY
@given(games(), st.integers(0, 2**32 - 1))
def test_a_request_out_of_its_phase_is_refused(game: Game, seed: int) -> None:
    """R-DEAL-04, R-SHOW-06: antes, actions, showing and awards each have their phase; compulsory tabling comes before it."""
    rng = random.Random(seed)
    phases = {PostAnte: Phase.ANTES, Act: Phase.BETTING, TableHand: Phase.SHOWDOWN, MuckHand: Phase.SHOWDOWN}
    for step in walk(game):
        seat = rng.choice(game.stacks)[0]
        for request in (PostAnte(seat), Act(seat, Verb.FOLD, 0), TableHand(seat), MuckHand(seat), AwardPots()):
            if isinstance(request, TableHand) and step.before.face_up:
                continue
            if step.before.phase is not phases.get(type(request), Phase.SHOWDOWN):
                assert isinstance(decide(step.before, request), Refusal)


def test_random_play_reaches_the_rare_ends_of_the_rules() -> None:
    """A property is worth what it meets: these hands meet scrambles, common cards, ghosts, side pots, mucks and short posts."""
    met: Counter[str] = Counter()

    @settings(max_examples=150, derandomize=True, database=None, deadline=None)
    @given(games())
    def play(game: Game) -> None:
        for step in walk(game):
            met.update(type(event).__name__ for event in step.decision.events)
            met["side pot"] += len(step.decision.state.pots) > 1
            met["open pair"] += bool(step.decision.state.round.pair_seats)

    play()
    rare = ("StubScrambled", "CommunityDealt", "GhostDealt", "UncalledReturned", "HandMucked", "side pot", "open pair")
    assert all(met[name] > 0 for name in rare), met
