"""A whole table told without devices: what shoe, readers and people say goes in, events come out and are journalled.

Every commit is checked: chips and cards are conserved, the gate is wanted open exactly while a card is due, and no body holds
a card in clear that is not public. Cards lie where the story lays them; ``play_hand`` plays a hand to its end by itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from controller.hand import events as hand_events
from controller.hand import irregular_events as slips
from controller.hand.betting import LegalAction, legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import Act, AwardPots, MuckHand, Refusal, TableHand
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.rules import house_rules
from controller.hand.showdown import may_muck, to_show
from controller.hand.stakes import Stakes
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.journal.canonical import Body
from controller.journal.sealing import HandSealer
from controller.journal.store import KeyInsert
from controller.table.decide import TableDecision, decide
from controller.table.events import TableEvent
from controller.table.evolve import evolve
from controller.table.inputs import Command, FeltIsReady, LeftFrom, Order, SeatPlayer, SeenAt, StartHand, TableInput
from controller.table.keyring import Keyring
from controller.table.loop import Record
from controller.table.opening import opening
from controller.table.parts import Equipment
from controller.table.picture import picture_of
from controller.table.records import decode, table_codec
from controller.table.state import Game, TableState, TableStatus, decision_id
from controller.tracking.custody import DECK_SIZE
from controller.views.dealer import dealer_view
from drivers.ports import CardDrawn, DeckLoaded, DrawMode, EventKey, GateChanged, ShoeFound, ShoeState

STAKES = Stakes(ante=1, bring_in=2, small=4, big=8, unit=1)
AT = "2026-01-01T00:00:00.000Z"
_TEXTS = frozenset(card.text for card in DECK)
_SHOWN = {"HoleExposed", "DoorChosen", "SeventhShown", "SeventhReplaced", "BoxedReplaced", "CardScrapped", "HandSeen"}
"""Slips whose card everybody has seen."""
_CLEAR = {"CardDealt", "CommunityDealt", "HandTabled", *_SHOWN}
"""Types whose bodies may hold a card in clear: an up card, the common card, a tabled hand, a card that was exposed."""

Choose = Callable[[HandState, tuple[LegalAction, ...]], LegalAction]


def card_texts(value: object) -> Iterator[str]:
    """Every text in ``value`` that names a card, however deep."""
    if isinstance(value, str):
        if value in _TEXTS:
            yield value
    elif value is None or isinstance(value, int):  # most of what there is
        return
    elif isinstance(value, dict | Mapping):
        for part in value.values():
            yield from card_texts(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from card_texts(part)


def without_hidden(state: TableState) -> dict[str, Any]:
    """``state`` as plain values without the cards that are not public."""
    plain = state._asdict()
    held = state.custody
    plain["custody"] = (
        held.in_shoe,
        held.loaded,
        held.draw_no,
        [(flight.draw_no, flight.due) for flight in held.flights],
        held.placed_count,
        dict(held.strangers),
    )
    plain["hand"] = None if state.hand is None else _hand_without_hidden(state.hand)
    return plain


def _hand_without_hidden(hand: HandState) -> HandState:
    seats = tuple(seat._replace(down=(None,) * len(seat.down)) for seat in hand.seats)
    previous = None if hand.previous is None else _hand_without_hidden(hand.previous)
    return hand._replace(seats=seats, burned=(None,) * len(hand.burned), previous=previous)


class TableStory:
    """One table from its first start. Seats are filled; nothing is loaded."""

    def __init__(
        self,
        seats: Mapping[int, int],
        *,
        variant: str = "stud",
        stakes: Stakes = STAKES,
        preset: str = "seeds",
        seed: int = 0,
        rules: Mapping[str, str] | None = None,
        equipment: Equipment | None = None,
    ) -> None:
        self.rng = random.Random(seed)
        self._chance = random.Random(seed + 1)
        knobs = {"buyin.min": "1", **(rules or {})}  # stacks of a story are as small as it wants
        self.game = Game(VariantCode(variant), stakes, house_rules(preset, knobs), "SET1")
        self.codec = table_codec()
        self.table_key = bytes(range(32))
        self.keyring = self.new_keyring()
        self.state = TableState()
        self.bodies: list[Body] = []
        self.events: list[TableEvent] = []
        self.sealers: dict[int, HandSealer] = {}
        self.wrapped: dict[str, bytes] = {}
        self.shoe: list[Card] = []
        self.where: dict[Card, Place] = {}
        self.hand_cards: list[Card] = []
        self.jokers: list[Card] = []
        self.boot = self.load_no = 1
        self.seq = self.draw_no = self.keys = 0
        self.set_id = "SET1"
        self.restarts = 0
        self.watch: Callable[[TableState, Sequence[Record]], None] | None = None
        self.equipment = equipment
        self.console = self.person = ""
        self.commit(opening(self.state, self.game, program="test", deals=(), equipment=equipment))
        if self.state.shoe_tells:
            self.find_shoe()
        self.tell(FeltIsReady())
        for seat, chips in seats.items():
            self.order(SeatPlayer(seat, f"Player {seat}", chips))

    def new_keyring(self) -> Keyring:
        """A keyring whose secrets come from the story's seed."""
        secrets = random.Random(self._chance.getrandbits(64))
        return Keyring(self.table_key, table="T1", journal_id="5f0c9a1e", random_bytes=secrets.randbytes)

    # ------------------------------------------------------------------ the table

    def commit(self, events: Sequence[TableEvent]) -> None:
        """Make ``events`` durable, as the loop does, and tell ``watch``."""
        before = len(self.events)
        for event in events:
            ready, key = self.keyring.ready(event)
            if isinstance(key, KeyInsert):
                self.wrapped[key.kid] = key.wrapped
            self.sealers |= self.keyring.sealers
            body = self.keyring.encode(self.codec, ready, self.state, epoch=1, at=AT)
            assert body["type"] in _CLEAR or not list(card_texts(body)), body["type"]
            self.bodies.append(body)
            self.events.append(ready)
            self.state = evolve(self.state, ready)
        self.check()
        if self.watch is not None and events:
            self.watch(self.state, [Record(seq, AT, self.events[seq - 1]) for seq in range(before + 1, len(self.events) + 1)])

    def check(self) -> None:
        """What holds after every commit."""
        state = self.state
        assert state.chips_conserved, "a chip is lost or doubled"
        held = state.custody
        hand = state.hand
        wrong_deck = held.fault or (hand is not None and (self.hold == "other_deck" or self._miscounted(hand)))
        assert state.cards_conserved or wrong_deck or not state.hand_open, "a card is lost or doubled"
        due = (
            state.status is TableStatus.LIVE
            and state.shoe.adopted
            and state.shoe_tells
            and hand is not None
            and hand.phase is Phase.DEALING
            and hand.hold is None
            and hand.dealt + len(state.custody.flights) < len(hand.due)
        )
        assert state.gate.is_open is due, "the gate is wanted open exactly while a card is due"
        if state.hand_open and not wrong_deck:
            assert held.in_shoe + len(held.flights) + held.placed_count == DECK_SIZE

    def _miscounted(self, hand: HandState) -> bool:
        """A stub that was called for came back, it is not taken for right, and play has stopped, whatever stopped it first."""
        back = (hand.phase is Phase.SCRAMBLE or hand.reload_due > 0) and self.state.custody.awaits_load < 0
        return back and (hand.hold is not None or self.state.status is not TableStatus.LIVE)

    def tell(self, given: TableInput) -> TableDecision:
        """Give one input."""
        decision = decide(self.state, given)
        self.commit(decision.events)
        assert self.state == decision.state
        return decision

    def order(self, order: Order, *, decision: str | None = None, key: str | None = None) -> Refusal | None:
        """Give a command under a new key; ``None`` when it was taken."""
        return self.tell(self.command(order, decision=decision, key=key)).refusal

    def command(self, order: Order, *, decision: str | None = None, key: str | None = None) -> Command:
        """A command with a digest of its content."""
        self.keys += 1
        digest = sha256(f"{decision}|{order!r}".encode()).hexdigest()[:32]
        people = {"console": self.console, "person": self.person}
        return Command(key or f"key-{self.keys:06}", digest, type(order).__name__, order, decision, **people)

    def by(self, console: str, person: str, order: Order, *, agreed_by: str = "") -> None:
        """Give an order that is taken; later ones without a name of their own come from there too."""
        self.console, self.person = console, person
        refusal = self.tell(replace(self.command(order), agreed_by=agreed_by)).refusal
        assert refusal is None, refusal

    def restart(self, *, keys: bool = True) -> None:
        """The controller starts anew from its journal; without ``keys`` it is blind."""
        self.keyring = self.new_keyring()
        if keys:
            self.keyring.unwrap(self.wrapped)
        self.state = self.replayed(self.keyring.sealers)
        self.restarts += 1
        deals = tuple(self.keyring.sealers)
        self.commit(opening(self.state, self.game, program="test", deals=deals, equipment=self.equipment))
        if self.state.shoe_tells:
            self.find_shoe()

    def replayed(self, sealers: Mapping[int, HandSealer]) -> TableState:
        """The state that the journal gives with these keys."""
        state = TableState()
        for body in self.bodies:
            state = evolve(state, decode(self.codec, body, sealers))
        return state

    def happened(self, kind: type[Any]) -> list[Any]:
        """All events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def hand(self) -> HandState:
        """The hand of now, which there must be."""
        assert self.state.hand is not None
        return self.state.hand

    @property
    def hold(self) -> str | None:
        """Code of the hold."""
        return None if self.state.hand is None or self.state.hand.hold is None else self.state.hand.hold.code

    def step(self) -> dict[str, Any]:
        """The dealer's next step."""
        return dict(dealer_view(picture_of(self.state, "T1"))["step"])

    def tell_ready(self) -> None:
        """Shoe and felt are known again after a start."""
        self.tell(FeltIsReady())

    # ------------------------------------------------------------------ shoe and felt

    def key(self) -> EventKey:
        """Key of the shoe's next event."""
        self.seq += 1
        return EventKey(self.boot, self.seq)

    def find_shoe(self, *, is_rebooted: bool = False, draw_no: int | None = None, gate: str = "H") -> TableDecision:
        """The shoe answers; the counters are its own unless another draw number is given."""
        number = self.draw_no if draw_no is None else draw_no
        said = ShoeState("S0012345", "M1", self.boot, self.seq, self.seq, 1, self.load_no, number, len(self.shoe), gate)
        return self.tell(ShoeFound("shoe", said, is_rebooted=is_rebooted))

    def reboot(self, *, draw_no: int | None = None) -> TableDecision:
        """The shoe restarts: a new start counter, its old events gone, the gate closed."""
        self.boot, self.seq = self.boot + 1, 0
        return self.find_shoe(is_rebooted=True, draw_no=draw_no)

    def load(self, order: Sequence[Card] | None = None, *, cards: int | None = None) -> None:
        """Clear the felt and load the shoe with ``order`` (default: a shuffled deck)."""
        for card in list(self.where):
            self.lift(card)
        self.hand_cards.clear()
        self.jokers.clear()
        self.put_in(self.rng.sample(DECK, DECK_SIZE) if order is None else order, cards=cards)

    def put_in(self, order: Sequence[Card], *, cards: int | None = None) -> None:
        """Load the shoe; ``cards`` is what it counts."""
        self.shoe = list(order)
        self.draw_no = 0
        self.load_no += 1
        self.tell(DeckLoaded("shoe", self.key(), len(self.shoe) if cards is None else cards, self.set_id, self.load_no))

    def draw(self, *, code: str | None = None) -> Card:
        """A card leaves the shoe; it reports ``code`` where that is given."""
        card = self.shoe.pop(0)
        self.draw_no += 1
        told = card.text.upper() if code is None else code
        self.hand_cards.append(card)
        if code == "JK":
            self.jokers.append(card)
        self.tell(CardDrawn("shoe", self.key(), told, DrawMode.COUNTED, self.draw_no, len(self.shoe), 300))
        return card

    def put_back(self, card: Card, *, code: str | None = None, draw_no: int | None = None) -> None:
        """A card goes back into the shoe."""
        self.shoe.insert(0, card)
        if card in self.hand_cards:
            self.hand_cards.remove(card)
        told, number = code or card.text.upper(), self.draw_no if draw_no is None else draw_no
        self.tell(CardDrawn("shoe", self.key(), told, DrawMode.REINSERTED, number, len(self.shoe), 0))

    def gate_event(self, holders: str) -> None:
        """The shoe says who holds its gate."""
        self.tell(GateChanged("shoe", self.key(), holders))

    def lay(self, card: Card, place: Place | str) -> None:
        """A reader establishes that ``card`` lies at ``place``; it leaves where it lay."""
        self.lift(card)
        where = parse_place(place) if isinstance(place, str) else place
        self.where[card] = where
        if card in self.hand_cards:
            self.hand_cards.remove(card)
        self.tell(SeenAt(where, card))

    def lift(self, card: Card) -> None:
        """A reader establishes that ``card`` is gone."""
        place = self.where.pop(card, None)
        if place is not None:
            self.tell(LeftFrom(place, card))

    # ------------------------------------------------------------------ playing

    def start(self, order: Sequence[Card] | None = None) -> TableStory:
        """Load a deck and start a hand."""
        self.load(order)
        refusal = self.order(StartHand())
        assert refusal is None, refusal
        return self

    def plan(self) -> list[str]:
        """Where the next cards from the shoe go."""
        step = self.step()
        return [str(place) for place in step["plan"]] if step["kind"] == "deal" else []

    def deal_one(self) -> Card:
        """Draw the next card and lay it where it is due."""
        target = self.plan()[0]
        card = self.draw()
        self.lay(card, target)
        return card

    def deal(self) -> TableStory:
        """Lay every card that is due, scrambles included, until somebody is asked."""
        while True:
            match self.step()["kind"]:
                case "deal":
                    if not self.plan():
                        return self
                    self.deal_one()
                case "scramble":
                    self.scramble()
                case _:
                    return self

    def scramble(self) -> None:
        """What belongs into the stub is shuffled and loaded: cards that were taken back, and for a scramble the burns."""
        held = self.state.custody
        out = [card for card in DECK if card not in held.placed and card not in self.shoe and card not in self.jokers]
        if self.hand.phase is Phase.SCRAMBLE:
            out += [card for card, place in held.placed.items() if place is Spot.BURN or card in held.aside]
        for card in out:
            self.lift(card)
            if card in self.hand_cards:
                self.hand_cards.remove(card)
        self.put_in(self.rng.sample([*self.shoe, *out], len(self.shoe) + len(out)))

    def act(self, verb: Verb, to: int = 0) -> Refusal | None:
        """The actor acts."""
        return self.order(Act(self.hand.round.actor, verb, to), decision=decision_id(self.hand))

    def passive(self, until: int = 8) -> TableStory:
        """Everybody posts, checks or calls and cards are dealt until ``until`` is the street, or the showdown."""
        self.deal()
        while self.hand.phase is Phase.BETTING and self.hand.street < until:
            action = legal_actions(self.hand)[0]
            assert self.act(action.verb, action.to) is None
            self.deal()
        return self

    def showdown(self, *, muck: bool = False) -> TableStory:
        """Everybody shows, or mucks where that is allowed; the awards are confirmed."""
        while waiting := to_show(self.hand):
            seat = waiting[0]
            order = MuckHand(seat) if muck and may_muck(self.hand, seat) else TableHand(seat)
            assert self.order(order) is None
        if self.hand.phase is Phase.SHOWDOWN:
            assert self.order(AwardPots()) is None
        return self

    def fold_cards(self, seat: int) -> None:
        """The cards of a folded seat go to the muck."""
        for card, place in list(self.where.items()):
            if isinstance(place, SeatPlace) and place.seat == seat:
                self.lay(card, Spot.MUCK)

    def cards_back(self, seat: int) -> None:
        """The cards of ``seat`` come back from the muck."""
        for card, due in self.state.custody.placed.items():
            if isinstance(due, SeatPlace) and due.seat == seat and self.where.get(card) is Spot.MUCK:
                self.lay(card, due)

    def play_hand(self, choose: Choose | None = None, each: Callable[[TableStory], None] | None = None) -> TableStory:
        """Start and play a hand to its end with random decisions; ``each`` looks on at every step."""
        self.start()
        self.play_on(choose, each)
        return self

    def play_on(self, choose: Choose | None = None, each: Callable[[TableStory], None] | None = None) -> TableStory:
        """Play the open hand to its end."""
        pick = choose or self._random_action
        while not self.hand.over:
            if each is not None:
                each(self)
            step = self.step()
            match step["kind"]:
                case "deal":
                    self._deal_some(step)
                case "scramble":
                    self.scramble()
                case "load_deck":
                    self.load()
                case "act":
                    action = pick(self.hand, legal_actions(self.hand))
                    seat = int(step["seat"])
                    assert self.act(action.verb, action.to) is None
                    if action.verb is Verb.FOLD and self.rng.random() < 0.7:
                        self.fold_cards(seat)
                case "table":
                    self.showdown(muck=self.rng.random() < 0.4)
                case "award":
                    self.showdown()
                case kind:
                    raise AssertionError(f"the table asks for {kind} in the middle of a hand: {self.hold}")
        if each is not None:
            each(self)
        return self

    def _deal_some(self, step: Mapping[str, Any]) -> None:
        """Draw one to three cards, then lay the first one: people are faster than readers now and then."""
        awaited = [*step["in_flight"], *step["plan"]]
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            if len(self.hand_cards) < len(awaited) and self.plan():
                self.draw()
        if self.hand_cards:
            self.lay(self.hand_cards[0], awaited[0])

    def _random_action(self, hand: HandState, actions: tuple[LegalAction, ...]) -> LegalAction:
        weights = [0.25 if action.verb is Verb.FOLD else 1.0 for action in actions]
        return self.rng.choices(actions, weights)[0]

    # ------------------------------------------------------------------ what is public

    def public_texts(self) -> frozenset[str]:
        """Texts of the cards of this hand whose face everybody may have seen."""
        last = max((n for n, event in enumerate(self.events) if isinstance(event, hand_events.HandOpened)), default=0)
        shown: set[str] = set()
        for event in self.events[last:]:
            match event:
                case hand_events.CardDealt(place=SeatPlace(zone=Zone.UP), card=card) if card is not None:
                    shown.add(card.text)
                case hand_events.CommunityDealt(card=card):
                    shown.add(card.text)
                case hand_events.HandTabled(cards=cards) | slips.HandSeen(cards=cards):
                    shown.update(card.text for card in cards)
                case (
                    slips.HoleExposed(card=card)
                    | slips.DoorChosen(card=card)
                    | slips.SeventhShown(card=card)
                    | slips.SeventhReplaced(card=card)
                    | slips.CardScrapped(card=card)
                ) if card is not None:
                    shown.add(card.text)
                case _:
                    pass
        return frozenset(shown)
