"""Recorded hands through the hand state machine alone, or through a whole table with simulated devices.

A hand agrees when bring-in seat, first to act on every street, every action and amount, and every chip won are as recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from controller.hand import events as hand_events
from controller.hand.cards import parse_card
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, MuckHand, PostAnte, Refusal, StubReloaded, TableHand
from controller.hand.decide import decide
from controller.hand.events import HandEvent
from controller.hand.places import Place, SeatPlace, Spot
from controller.hand.rules import HouseRules, HouseRulesError, allowed_values, house_rules, knob_rule, knob_values
from controller.hand.showdown import may_muck, to_show
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, Phase, open_state
from controller.hand.steps import TableDue, next_step
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.words.catalogue import Language, text
from simulators.recorded import physical_order
from simulators.recorded_hand import Checked, Collected, Folded, Mucked, RecordedHand, Returned, Tabled, Wagered

ILLEGAL_FLAG: Final = "illegal_by_casino_rules"
"""Feature of a recorded hand that no rule book allows: it must be refused."""


class Step(NamedTuple):
    """One thing that the record and the machine must agree on, as plain text values."""

    what: str
    rule: str
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A recorded action that the rules refuse. ``house_rule``: the knob that would allow it, if one does."""

    hand_id: str
    event: str
    rule: str
    message: str
    house_rule: str | None = None
    flagged: bool = False

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read, and ``house_rule`` and ``flagged``."""
        return {
            "hand_id": self.hand_id,
            "event": self.event,
            "rule": self.rule,
            "message": self.message,
            "house_rule": self.house_rule,
            "illegal_by_casino_rules": self.flagged,
        }


@dataclass(frozen=True, slots=True)
class Differs:
    """A point where machine and record do not say the same."""

    hand_id: str
    event: str
    expected: Any
    got: Any
    rule: str

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read."""
        return {"hand_id": self.hand_id, "event": self.event, "expected": self.expected, "got": self.got, "rule": self.rule}


Verdict = Refused | Differs | None


def stakes_of(recorded: RecordedHand) -> Stakes:
    """The stakes of a recorded hand, in its smallest unit."""
    given = recorded.stakes
    return Stakes(given.ante, given.bring_in, given.small_bet, given.big_bet, 1)


def expected_steps(recorded: RecordedHand) -> Iterator[Step]:
    """What the record says, in order: actions with amounts, and what was returned."""
    for event in recorded.events:
        match event:
            case Wagered(verb=verb, seat=seat, street=street, amount=chips, to=to):
                kind = "call" if verb == "call" else "wager"
                yield Step(f"street {street}: {verb}", "R-BET-01", {"seat": seat, "kind": kind, "chips": chips, "to": to})
            case Checked(seat=seat, street=street):
                yield Step(f"street {street}: check", "R-BET-01", {"seat": seat, "kind": "check"})
            case Folded(seat=seat, street=street):
                yield Step(f"street {street}: fold", "R-BET-01", {"seat": seat, "kind": "fold"})
            case _:
                pass


def machine_steps(events: Iterable[HandEvent]) -> Iterator[Step]:
    """The same of what the machine did."""
    street = 3
    for event in events:
        match event:
            case hand_events.RoundOpened():
                street = event.street
            case hand_events.ActionTaken(seat=seat, verb=Verb.FOLD | Verb.CHECK as verb):
                yield Step(f"street {street}: {verb.value}", "R-BET-01", {"seat": seat, "kind": verb.value})
            case hand_events.ActionTaken(seat=seat, verb=verb, chips=chips, to=to):
                kind = "call" if verb is Verb.CALL else "wager"
                yield Step(f"street {street}: {verb.value}", "R-BET-01", {"seat": seat, "kind": kind, "chips": chips, "to": to})
            case _:
                pass


def compare(recorded: RecordedHand, events: Sequence[HandEvent]) -> Differs | None:
    """The first point where the machine's ``events`` of a finished hand differ from the record; ``None`` when they agree."""
    expected, got = list(expected_steps(recorded)), list(machine_steps(events))
    for number, step in enumerate(expected):
        there = dict(got[number].value) if number < len(got) else None
        if there != dict(step.value):
            rule = "R-BRING-01" if number == 0 else "R-OPEN-01" if _opens(expected, number) else step.rule
            return Differs(recorded.hand_id, step.what, dict(step.value), there, rule)
    if len(got) > len(expected):
        return Differs(recorded.hand_id, got[len(expected)].what, None, dict(got[len(expected)].value), "R-BET-16")
    return _compare_money(recorded, events)


def _opens(steps: Sequence[Step], number: int) -> bool:
    """Whether a step is the first of its street: then the question is who opens."""
    return number > 0 and steps[number].what[:8] != steps[number - 1].what[:8]


def _compare_money(recorded: RecordedHand, events: Sequence[HandEvent]) -> Differs | None:
    returned: dict[int, int] = {}
    won: dict[int, int] = {}
    for event in events:
        match event:
            case hand_events.UncalledReturned(seat=seat, chips=chips):
                returned[seat] = returned.get(seat, 0) + chips
            case hand_events.PotAwarded(shares=shares):
                for share in shares:
                    won[share.seat] = won.get(share.seat, 0) + share.chips
            case _:
                pass
    back: dict[int, int] = {}
    for recorded_event in recorded.events:
        if isinstance(recorded_event, Returned):
            back[recorded_event.seat] = back.get(recorded_event.seat, 0) + recorded_event.amount
    if returned != back:
        return Differs(recorded.hand_id, "uncalled", back, returned, "R-ALLIN-03")
    won = {seat: chips for seat, chips in won.items() if chips}
    paid = {seat: chips for seat, chips in recorded.collected.items() if chips}
    sites_rake = sum(won.values()) == sum(paid.values()) + recorded.rake and recorded.rake > 0 and won.keys() == paid.keys()
    if won != paid and not (sites_rake and all(won[seat] >= paid[seat] for seat in won)):
        return Differs(recorded.hand_id, "collected", paid, won, "R-POT-01")
    return None


class _Machine:
    """A hand driven by a record: cards by the order of dealing, actions as recorded."""

    def __init__(self, recorded: RecordedHand, rules: HouseRules) -> None:
        setup = HandSetup(1, VariantCode(recorded.variant), stakes_of(recorded), rules)
        self.state: HandState = open_state(setup, tuple(sorted(recorded.stacks.items())))
        self.events: list[HandEvent] = []
        self._cards: dict[str, list[str]] = {}
        for card, position in physical_order(recorded, burns=True):
            self._cards.setdefault(position, []).append(card)

    def give(self, given: HandInput) -> Refusal | None:
        """Give an input; deal whatever is due afterwards."""
        decision = decide(self.state, given)
        if isinstance(decision, Refusal):
            return decision
        self.state = decision.state
        self.events.extend(decision.events)
        return None

    def deal(self) -> Place | None:
        """Lay every card that is due; the place for which the record has none, if one is missing."""
        while self.state.phase in (Phase.DEALING, Phase.SCRAMBLE) and self.state.hold is None:
            if self.state.phase is Phase.SCRAMBLE:
                self.give(StubReloaded(self.state.stub + self.state.burns))
                continue
            if self.state.dealt == len(self.state.due):  # hands are turned up before they are run out (R-SHOW-06)
                match next_step(self.state):
                    case TableDue(seats):
                        for seat in seats:
                            self.give(TableHand(seat))
                        continue
                    case _:
                        return None
            place = self.state.due[self.state.dealt].place
            cards = self._cards.get(_position(place), [])
            if not cards:
                return place
            self.give(CardLaid(place, parse_card(cards.pop(0))))
        return None


def _position(place: Place) -> str:
    return f"seat/{place.seat}/{place.zone.value}" if isinstance(place, SeatPlace) else str(place)


def through_hand(recorded: RecordedHand, rules: HouseRules) -> Verdict:
    """The hand through the state machine alone."""
    machine = _Machine(recorded, rules)
    for seat in recorded.seats:
        machine.give(PostAnte(seat))
    problem = _play(machine, recorded)
    if problem is not None:
        return problem
    _show(machine, recorded)
    if machine.state.phase is not Phase.ENDED:
        return Differs(recorded.hand_id, "end", "ended", machine.state.phase.value, "R-BET-16")
    return compare(recorded, machine.events)


def _play(machine: _Machine, recorded: RecordedHand) -> Verdict:
    """Deal and act as recorded, up to the showdown."""
    for event in (None, *recorded.events):
        if isinstance(event, Wagered | Checked | Folded):
            act = act_of(event, machine.state)
            refusal = machine.give(act)
            if refusal is not None:
                return refused(recorded, event, refusal)
        elif event is not None:
            continue
        place = machine.deal()
        if place is not None:
            rule = "R-DEAL-03" if place is Spot.BURN else "R-DEAL-06"
            return Differs(recorded.hand_id, f"street {machine.state.street}: deal", "no card", str(place), rule)
    return None


def _show(machine: _Machine, recorded: RecordedHand) -> None:
    """Table and muck as recorded; what the record leaves open is mucked where it may be, and tabled otherwise."""
    for event in recorded.events:
        if machine.state.phase is Phase.SHOWDOWN and isinstance(event, Mucked) and event.seat in to_show(machine.state):
            machine.give(MuckHand(event.seat))
        elif machine.state.phase is Phase.SHOWDOWN and isinstance(event, Tabled) and event.seat in to_show(machine.state):
            machine.give(TableHand(event.seat))
    shown = shown_seats(recorded)
    while machine.state.phase is Phase.SHOWDOWN and to_show(machine.state):
        waiting = to_show(machine.state)
        tables = [seat for seat in waiting if seat in shown]
        if tables:
            machine.give(TableHand(tables[0]))
        elif may_muck(machine.state, waiting[0]):
            machine.give(MuckHand(waiting[0]))
        else:
            machine.give(TableHand(waiting[0]))
    if machine.state.phase is Phase.SHOWDOWN:
        machine.give(AwardPots())


def shown_seats(recorded: RecordedHand) -> frozenset[int]:
    """Who tables at the showdown: who did, or, where nobody did, who was paid and did not muck."""
    mucked = {event.seat for event in recorded.events if isinstance(event, Mucked)}
    return recorded.shown or frozenset(event.seat for event in recorded.events if isinstance(event, Collected)) - mucked


def act_of(event: Wagered | Checked | Folded, state: HandState) -> Act:
    """A recorded action as a request. A first wager that reaches no further than the bring-in is the bring-in (Q-16)."""
    match event:
        case Checked(seat=seat):
            return Act(seat, Verb.CHECK, 0)
        case Folded(seat=seat):
            return Act(seat, Verb.FOLD, 0)
        case Wagered(verb=verb, seat=seat, to=to):
            short_post = state.round.post_due and to <= state.setup.stakes.bring_in
            return Act(seat, Verb.BRING_IN if short_post else Verb(verb), to)


def refused(recorded: RecordedHand, event: Wagered | Checked | Folded, refusal: Refusal) -> Refused:
    """The refusal of a recorded action."""
    what = event.verb if isinstance(event, Wagered) else "check" if isinstance(event, Checked) else "fold"
    message = text(f"refusal.{refusal.code}", Language.EN, **dict(refusal.values))
    flagged = ILLEGAL_FLAG in recorded.features
    return Refused(recorded.hand_id, f"street {event.street}: seat {event.seat} {what}", refusal.rule, message, flagged=flagged)


_ALTERNATIVES: Final[Mapping[str, tuple[str, ...]]] = {
    "R-BRING-08": ("bring_in.short",),
    "R-BET-11": ("bring_in.short", "cap.completion_is_raise"),
    "R-BRING-07": ("bring_in.low_all_in_on_ante",),
    "R-BET-05": ("fourth_pair.stud", "fourth_pair.stud8"),
    "R-BET-03": ("cap.max_raises", "cap.heads_up"),
    "R-DEAL-06": ("deal.ghost_cards_after_free_fold",),
    "R-POT-01": ("odd_chip.policy", "odd_chip.distribution", "hilo.same_winners_both_ways"),
}
"""Knobs that may explain a difference under a rule; each is tried with its other values."""


def explained(recorded: RecordedHand, rules: HouseRules, verdict: Refused | Differs) -> str | None:
    """The one knob under which the hand agrees, as ``knob=value``; ``None`` when no single knob explains it."""
    given = knob_values(rules)
    for knob in _ALTERNATIVES.get(verdict.rule, ()):
        for value in allowed_values(knob):
            if value == given[knob]:
                continue
            try:
                other = house_rules(rules.preset, {**given, knob: value})
            except HouseRulesError:
                continue
            if through_hand(recorded, other) is None:
                return f"{knob}={value}"
    return None


def with_explanation(recorded: RecordedHand, rules: HouseRules, verdict: Verdict) -> Verdict:
    """A difference or refusal that another house rule explains becomes a refusal that names rule and knob."""
    if verdict is None or (isinstance(verdict, Refused) and verdict.flagged):
        return verdict
    knob = explained(recorded, rules, verdict)
    if knob is None:
        return verdict
    rule = knob_rule(knob.partition("=")[0])
    if isinstance(verdict, Refused):
        return replace(verdict, house_rule=knob, rule=rule)
    message = f"needs another house rule: {knob}"
    return Refused(verdict.hand_id, verdict.event, rule, message, house_rule=knob)


class Report:
    """What a replay found."""

    def __init__(self) -> None:
        self.hands = 0
        self.agree = 0
        self.differ: list[Differs] = []
        self.refused: list[Refused] = []

    def add(self, verdict: Verdict) -> None:
        """Count a hand."""
        self.hands += 1
        match verdict:
            case None:
                self.agree += 1
            case Refused():
                self.refused.append(verdict)
            case Differs():
                self.differ.append(verdict)

    @property
    def ok(self) -> bool:
        """Nothing differs, and what is refused is illegal by casino rules or needs a named house rule."""
        return not self.differ and all(found.flagged or found.house_rule for found in self.refused)

    def as_json(self, seconds: float) -> dict[str, Any]:
        """The keys that checks read."""
        return {
            "hands": self.hands,
            "agree": self.agree,
            "differ": [found.as_json() for found in self.differ],
            "refused": [found.as_json() for found in self.refused],
            "seconds": round(seconds, 3),
        }
