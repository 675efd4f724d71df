"""Hands with slips, in sentences that read like the worked examples of the rule book.

``hand = Hand("1:50 5:50 7:50")`` posts the antes; then

- ``hand.deal("1: (As Kd) 9c | burn 2h | common 3d")`` names cards in the order in which each seat gets them and lays all that is
  due, until somebody is asked or play stops; ``cards=3`` lays three. Cards that are not named disturb nothing.
- ``hand.act("seat 1 brings in, seats 6 and 7 fold, seat 4 raises to 16")`` acts; cards are dealt by ``deal`` alone.
- ``hand.slip("dealer exposes card 2 of seat 5")`` enters an observation or a ruling; ``floor:`` in front says who rules.
- ``hand.refuse("misdeal, seat left out", "R-MIS-04")`` enters what must be refused by that rule, and changes nothing.
- ``hand.expect("seat 4 may check, bet 10 or bet 20")`` says how things stand; amounts are totals of the street.

After every input the chips and the 52 cards are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card, parse_card
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
    PrematureCards,
    PutChips,
    RedoSeventh,
    Refusal,
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
from controller.hand.decide import Decision, decide
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.places import Spot, Zone, parse_place
from controller.hand.state import Phase, SeatHand, Status
from controller.hand.steps import AnteDue, CardDue, LoadDue, TableDue, next_step
from controller.hand.terms import Verb
from support.hand_dsl import FOUR_EIGHT, Story, cards_of

_VERBS = {
    "bring": Verb.BRING_IN,
    "fold": Verb.FOLD,
    "call": Verb.CALL,
    "check": Verb.CHECK,
    "bet": Verb.BET,
    "complete": Verb.COMPLETE,
    "raise": Verb.RAISE,
}
_ACTION = re.compile(r"seats? ([\d and]+?) (bring|fold|call|check|bet|complete|raise)s?(?: in)?(?: to)?(?: (\d+))?$")
_PHASES = {
    "redeal": Phase.REDEAL,
    "scramble": Phase.SCRAMBLE,
    "showdown": Phase.SHOWDOWN,
    "over": Phase.ENDED,
    "void": Phase.VOIDED,
}
_STATUS: dict[str, Callable[[SeatHand], bool]] = {
    "live": lambda entry: entry.live,
    "folded": lambda entry: entry.status is Status.FOLDED,
    "a ghost": lambda entry: entry.status is Status.GHOST,
    "dead": lambda entry: entry.status is Status.KILLED,
    "dead with refund": lambda entry: entry.status is Status.REFUNDED,
    "all-in": lambda entry: entry.live and not entry.active,
    "away": lambda entry: entry.away,
}


def seat_numbers(text: str) -> tuple[int, ...]:
    """``"4 and 6"`` → (4, 6)."""
    return tuple(int(word) for word in re.findall(r"\d+", text))


class Hand(Story):
    """One hand with slips. Stacks are ``seat:chips`` after no ante; a seat without chips named has 100."""

    def __init__(self, seats: str, *, later: str = "", **options: Any) -> None:
        self._queue: dict[int, list[str]] = {}
        self._out: list[Card] = []
        self._later = {*cards_of(later)}
        self._told = False
        stacks = {int(seat): int(chips or 100) for seat, _, chips in (word.partition(":") for word in seats.split())}
        options.setdefault("stakes", FOUR_EIGHT)
        super().__init__(stacks, **options)
        self._told = True
        self._brought = sum(stacks.values())

    # ------------------------------------------------------------------ cards

    def deal(self, text: str = "", cards: int = 99) -> Hand:  # type: ignore[override]
        """Name cards, then lay up to ``cards`` of those that are due."""
        if not self._told:
            return self
        self._name(text)
        while cards and isinstance(next_step(self.state), CardDue):
            self.deal_one()
            cards -= 1
        return self

    def reach(self, street: int, *, cards: int = 99) -> Hand:
        """Everybody posts, calls and checks until ``street`` is due; then up to ``cards`` of its cards are laid."""
        while self.state.street < street:
            while self.state.dealt < len(self.state.due) and self.state.street < street:
                self.deal_one()
            if isinstance(next_step(self.state), LoadDue):
                self.load()
            while self.actor:
                first = legal_actions(self.state)[0]
                self.tell(Act(self.actor, first.verb, first.to))
        for _ in range(min(cards, len(self.state.due) - self.state.dealt)):
            self.deal_one()
        return self

    def deal_one(self) -> Card:
        """Lay the next card that is due; ``out`` cards go to the muck."""
        if self.state.due[self.state.dealt].place is not Spot.MUCK:
            return super().deal_one()
        card = self._out.pop(0) if self._out else self._free_card(Zone.DOWN)
        self.laid.append(("muck", card))
        self.tell(CardLaid(Spot.MUCK, card))
        return card

    def load(self) -> Hand:
        """Load the shoe with as many cards as it must be loaded with: burns and cards that came back are unknown again."""
        step = next_step(self.state)
        assert isinstance(step, LoadDue), step
        if self.state.phase is Phase.REDEAL:
            self._free, self.laid, self._queue = list(DECK), [], {}
            self._later.clear()
        elif self.state.phase is Phase.SCRAMBLE:
            self._free.extend(card for card in self.state.burned if card is not None)
        self.tell(StubReloaded(step.cards))
        return self

    def _name(self, text: str) -> None:
        for part in filter(None, (part.strip() for part in text.split("|"))):
            head, _, words = part.replace("(", " ").replace(")", " ").partition(":")
            if head.startswith("burn"):
                self._burns.extend(cards_of(head[4:]))
            elif head.startswith("out"):
                self._out.extend(cards_of(head[3:]))
            elif head.startswith("common"):
                self._community.extend(cards_of(head[6:]))
            else:
                self._queue.setdefault(int(head), []).extend(words.split())
        named = [word for words in self._queue.values() for word in words if word != "??"]
        self._later |= {*map(parse_card, named), *self._burns, *self._community, *self._out}

    def _seat_card(self, seat: int, zone: Any) -> Card:
        queue = self._queue.get(seat, [])
        word = queue.pop(0) if queue else "??"
        return self._free_card(zone, seat) if word == "??" else self._take(parse_card(word))

    def _take(self, card: Card) -> Card:
        assert card in self._free or card in self._later, f"{card.text} has been dealt already: keep it with later="
        self._later.discard(card)
        if card in self._free:
            self._free.remove(card)
        return card

    def _free_card(self, zone: Any, seat: int = 0) -> Card:
        kept, self._free = self._free, [card for card in self._free if card not in self._later]
        card = next(self._candidates(zone, seat), self._free[0])
        self._free = [other for other in kept if other != card]
        return card

    # ------------------------------------------------------------------ telling

    def tell(self, given: HandInput) -> Decision:
        """Give one input, which must be accepted; then count chips and cards."""
        decision = super().tell(given)
        if self._told:
            self._count()
        return decision

    def _count(self) -> None:
        state = self.state
        middle = sum(entry.total for entry in state.seats) - sum(entry.won for entry in state.seats)
        assert sum(entry.stack for entry in state.seats) + middle == self._brought, "chips are lost or made"
        if state.phase not in (Phase.ANTES, Phase.REDEAL) and not state.reload_due:
            ghosts = sum(1 for place, _ in self.laid if place.endswith("ghost"))
            hands = sum(len(entry.down) + len(entry.up) for entry in state.seats)
            lying = hands + ghosts + state.burns + len(state.commons) + state.set_aside + state.scrapped
            assert state.stub + lying == 52, f"stub {state.stub} and {lying} on the felt"

    def act(self, text: str) -> Hand:
        """Actions in order; each must be accepted."""
        for given in self._actions(text):
            self.tell(given)
        return self

    def _actions(self, text: str) -> Any:
        for part in text.split(", "):
            found = _ACTION.match(part)
            assert found, part
            for seat in seat_numbers(found[1]):
                assert self.state.round.actor == seat, f"{part!r}: seat {self.state.round.actor} is to act"
                yield self._action(seat, _VERBS[found[2]], found[3])

    def _action(self, seat: int, verb: Verb, amount: str | None) -> Act:
        if amount:
            return Act(seat, verb, int(amount))
        return Act(seat, verb, next((action.to for action in legal_actions(self.state) if action.verb is verb), 0))

    def slip(self, text: str) -> Hand:
        """Something irregular, an observation or a ruling; it must be accepted."""
        self.tell(self._slip(text))
        return self

    def refuse(self, text: str, rule: str) -> Refusal:
        """Something that the rule forbids."""
        found = _ACTION.match(text)
        given = self._action(int(found[1]), _VERBS[found[2]], found[3]) if found else self._slip(text)
        refused = decide(self.state, given)
        assert isinstance(refused, Refusal), f"{text!r} was accepted"
        assert refused.rule == rule, refused
        return refused

    def _slip(self, text: str) -> HandInput:
        role, words = (Role.FLOOR, text[7:]) if text.startswith("floor: ") else (None, text)
        role, words = (Role.DEALER, text[8:]) if text.startswith("dealer: ") else (role, words)
        for pattern, make in _SLIPS:
            found = re.fullmatch(pattern, words)
            if found:
                given = make(*found.groups())
                return given._replace(role=role) if hasattr(given, "_replace") else _with_role(given, role)
        raise AssertionError(f"no such slip: {text!r}")

    def bets(self, *lines: str) -> Hand:
        """The short form of ``Story``."""
        super().bets(*lines)
        return self

    # ------------------------------------------------------------------ reading

    def expect(self, *sentences: str) -> Hand:
        """Each sentence is true now."""
        for text in sentences:
            for pattern, check in _EXPECTATIONS:
                found = re.fullmatch(pattern, text)
                if found:
                    check(self, *found.groups())
                    break
            else:
                raise AssertionError(f"no such expectation: {text!r}")
        return self

    def seat(self, number: int | str) -> SeatHand:
        """The entry of a seat."""
        return self.state.seats[self.state.index_of(int(number))]

    @property
    def to_come(self) -> str:
        """What is still to be dealt, as ``"burn, 1 up, 4 down"``."""
        step = next_step(self.state)
        return ", ".join(_due_text(str(due.place)) for due in step.due) if isinstance(step, CardDue) else ""


def _due_text(place: str) -> str:
    return place.removeprefix("seat/").replace("/", " ")


def _with_role(given: Any, role: Role | None) -> Any:
    if role is None:
        return given
    names = [name for name in given.__dataclass_fields__ if name != "role"]
    return type(given)(**{name: getattr(given, name) for name in names}, role=role)


def _cause(kind: Any, text: str) -> Any:
    return kind(text.replace(" ", "_"))


def _premature(burn: str | None, cards: str, kept: str | None) -> PrematureCards:
    lying = (*cards_of(burn or ""), *cards_of(cards))
    return PrematureCards(lying, burned=bool(burn), kept=int(kept or 0))


def _killed(seats: str, cause: str) -> KillHands:
    return KillHands(seat_numbers(seats), _cause(DeadCause, cause))


_SLIPS: list[tuple[str, Callable[..., Any]]] = [
    (r"dealer exposes card (\d) of seat (\d)", lambda number, seat: ExposeHole(int(seat), int(number))),
    (r"of seat (\d)'s three cards the (\d)\w\w is turned", lambda seat, number: ChooseDoor(int(seat), int(number))),
    (r"seat (\d)'s seventh is up", lambda seat: ExposeSeventh(int(seat))),
    (r"seat (\d) declares all-in", lambda seat: DeclareAllIn(int(seat))),
    (r"misdeal, ([\w ]+)", lambda cause: DeclareMisdeal(_cause(MisdealCause, cause))),
    (
        r"seats? ([\d and]+) (?:is|are) dead, ([\w ]+)",
        lambda seats, cause: _killed(seats, cause),
    ),
    (r"seat (\d) gets its hand back", lambda seat: RetrieveHand(int(seat))),
    (r"too early:(?: burn (\w\w))?,? ?((?:\w\w)?(?:, \w\w)*)(?: kept by seat (\d))?", _premature),
    (r"extra card (\w\w) is the burn", lambda card: KeepExtraAsBurn(parse_card(card))),
    (r"boxed (\w\w)", lambda card: ScrapCard(Scrap.BOXED, parse_card(card))),
    (r"card (\d) of seat (\d) was boxed", lambda number, seat: ReplaceBoxed(int(seat), int(number))),
    (r"joker", lambda: ScrapCard(Scrap.JOKER, None)),
    (r"sevenths come back", RedoSeventh),
    (r"stub dropped", DropStub),
    (r"undo", UndoAction),
    (r"undo the award", UndoAward),
    (
        r"out of turn: seat (\d) (bring|fold|call|check|bet|complete|raise)s?(?: to)?(?: (\d+))?",
        lambda seat, verb, to: NoteOutOfTurn(int(seat), _VERBS[verb], int(to or 0)),
    ),
    (r"seat (\d) opened", lambda seat: OpenedBy(int(seat))),
    (r"seat (\d) puts (\d+) in (\d+) chips?", lambda seat, chips, pieces: PutChips(int(seat), int(chips), int(pieces))),
    (r"seat (\d) leaves", lambda seat: LeaveTable(int(seat))),
    (r"seat (\d) is back", lambda seat: ReturnToTable(int(seat))),
    (r"seat (\d)'s time is over", lambda seat: ExpireClock(int(seat))),
    (r"seat (\d)'s hand is to be seen", lambda seat: LetSee(int(seat))),
    (r"seat (\d) tables", lambda seat: TableHand(int(seat))),
    (r"seat (\d) mucks", lambda seat: MuckHand(int(seat))),
    (r"award", AwardPots),
    (r"void, ([\w ]+)", VoidHand),
    (r"(\w\w) lies at ([\w/]+)", lambda card, place: CardLaid(parse_place(place), parse_card(card))),
    (r"felt wrong, (\w+)", lambda code: FeltWrong(code, None)),
    (r"felt right", FeltRight),
    (r"load (\d+)", lambda cards: StubReloaded(int(cards))),
]


def _may(hand: Hand, seat: str, options: str) -> None:
    assert hand.state.round.actor == int(seat), f"seat {hand.state.round.actor} is asked"
    words = [word.strip().removesuffix(",") for word in re.split(r", or |, | or ", options.removeprefix("only "))]
    offered = {
        action.verb.value.replace("_", " ") + ("" if action.verb in (Verb.FOLD, Verb.CHECK) else f" {action.to}")
        for action in legal_actions(hand.state)
    }
    wanted = {word.replace(" to ", " ") for word in words}
    assert wanted == offered - ({"fold"} - wanted), f"offered: {sorted(offered)}"


def _pots(hand: Hand, text: str) -> None:
    told = " and ".join(f"{chips} for {' '.join(map(str, seats))}" for chips, seats in hand.pots)
    assert told == text, told


def _amounts(kind: str) -> Callable[..., None]:
    def check(hand: Hand, text: str) -> None:
        values = {entry.seat: getattr(entry, kind) for entry in hand.state.seats}
        for seat, chips in re.findall(r"(\d): (\d+)", text):
            assert values[int(seat)] == int(chips), f"{kind}: {values}"

    return check


def _is(hand: Hand, seats: str, status: str) -> None:
    for seat in seat_numbers(seats):
        assert _STATUS[status](hand.seat(seat)), f"seat {seat} is {hand.seat(seat).status}"


def _layout(entry: SeatHand) -> str:
    text = ["(" + " ".join(card.text for card in entry.down[:2] if card) + ")", *(card.text for card in entry.up)]
    return " ".join([*text, *("(" + card.text + ")" for card in entry.down[2:] if card)])


def _holds(hand: Hand, seat: str, cards: str) -> None:
    assert _layout(hand.seat(seat)) == cards, _layout(hand.seat(seat))


def _same(reading: Callable[[Hand], Any], make: Callable[[str], Any] = str) -> Callable[..., None]:
    def check(hand: Hand, text: str) -> None:
        assert reading(hand) == make(text), reading(hand)

    return check


def _load_due(hand: Hand) -> int:
    step = next_step(hand.state)
    return step.cards if isinstance(step, LoadDue) else 0


def _phase(hand: Hand, text: str) -> None:
    assert hand.state.phase is _PHASES[text], hand.state.phase


def _shows(hand: Hand) -> tuple[int, ...]:
    step = next_step(hand.state)
    return step.seats if isinstance(step, TableDue) else ()


def _nothing_to_post(hand: Hand) -> None:
    assert not isinstance(next_step(hand.state), AnteDue)


_EXPECTATIONS: list[tuple[str, Callable[..., None]]] = [
    (r"seat (\d) may (.+)", _may),
    (r"seat (\d) is asked", _same(lambda hand: hand.state.round.actor, int)),
    (r"nobody is asked", lambda hand: _same(lambda told: told.state.round.actor, int)(hand, "0")),
    (r"pot (\d+)", _same(lambda hand: hand.pot, int)),
    (r"pots (.+)", _pots),
    (r"stacks (.+)", _amounts("stack")),
    (r"totals (.+)", _amounts("total")),
    (r"won (.+)", _amounts("won")),
    (r"seats? ([\d and]+) (?:is|are) (live|folded|a ghost|dead|dead with refund|all-in|away)", _is),
    (r"seat (\d) holds (.+)", _holds),
    (r"street (\d)", _same(lambda hand: hand.state.street, int)),
    (r"to come: (.+)", _same(lambda hand: hand.to_come)),
    (r"load (\d+)", _same(_load_due, int)),
    (r"stub (\d+)", _same(lambda hand: hand.state.stub, int)),
    (r"burns (\d+)", _same(lambda hand: hand.state.burns, int)),
    (r"held: (\w+)", _same(lambda hand: hand.state.hold.code if hand.state.hold else "")),
    (r"not held", lambda hand: _same(lambda told: told.state.hold is None, bool)(hand, "yes")),
    (r"order ([\d ]+)", _same(lambda hand: hand.state.show_order, seat_numbers)),
    (r"to show ([\d ]+)", _same(_shows, seat_numbers)),
    (r"seat (\d) opens", _same(lambda hand: hand.state.opener, int)),
    (r"hand is (\w+)", _phase),
    (r"antes stay", _nothing_to_post),
]
