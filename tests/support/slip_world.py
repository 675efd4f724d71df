"""A table told without devices over a whole evening, beside a felt that keeps its own book of every card.

The book follows the cards by the order in which they left the shoe, never by what the table believes; after every input the two
are compared, and every promise that a table makes whatever happens is checked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from controller.hand import events as told
from controller.hand import irregular_events as slips
from controller.hand.cards import DECK, Card
from controller.hand.commands import Refusal
from controller.hand.places import Place, SeatPlace, Spot, Zone, covers
from controller.hand.rules import knob_values
from controller.hand.state import Phase, live_seats
from controller.hand.terms import Due
from controller.table.decide import TableDecision
from controller.table.events import TableEvent
from controller.table.inputs import LeftFrom, ReadOnce, ReadTwice, SeenAt, TableInput, UnexplainedTimeout
from controller.table.picture import picture_of
from controller.table.state import TableStatus
from controller.tracking.custody import without_reason
from controller.views.dealer import dealer_view
from controller.views.public import public_view
from controller.words.catalogue import Language
from controller.words.places import hold_text
from support.hand_walk import Game
from support.table_story import TableStory, without_hidden

RULE: Final = re.compile(r"^R-[A-Z]+-\d\d$")
OF_THE_FELT: Final = frozenset(
    ("premature_card", "extra_card", "card_to_scramble", "wrong_place", "moved_card", "foreign_card", "two_places")
)
"""Holds that end by themselves once the felt is right."""
_CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")
STEPS: Final = frozenset(("load_deck", "start_hand", "deal", "scramble", "act", "table", "award", "resume", "hold"))


class SlipWorld(TableStory):
    """The table of ``game`` for many hands, and the felt's own book."""

    def __init__(self, game: Game) -> None:
        rules = game.setup.rules
        self.home: dict[Card, Place] = {}
        """Where each dealt card belongs, by the book."""
        self.flying: list[Card] = []
        """Cards that left the shoe and are not dealt, in the order in which they left it."""
        self.misread: dict[Card, str] = {}
        """What the shoe said of cards that it did not read right."""
        self.numbers: dict[Card, int] = {}
        """Draw number of each card, as the shoe counts."""
        self.burn_order: list[Card] = []
        self.aside: set[Card] = set()
        self.ghosts: set[Card] = set()
        self.gone: list[Card] = []
        """Cards that a joker stood for: out of play, in no pack."""
        self.tags: list[Place] = []
        """Places of tags that are no cards of the deck."""
        self.doubt: dict[Card, Place] = {}
        """Where a second antenna reads a card too."""
        self.shown: set[str] = set()
        """Texts of the cards of this hand whose face people have seen."""
        self.met: Counter[str] = Counter()
        self.slipped: Counter[str] = Counter()
        """Slips since the deck was loaded."""
        self.inputs = 0
        self.gathered = False
        """The deck was gathered since the last hand: no card of it lies on the felt any more."""
        self.spoiled = False
        """The count of the cards is past telling until a whole deck is loaded."""
        super().__init__(
            dict(game.stacks),
            variant=game.setup.variant.value,
            stakes=game.setup.stakes,
            preset=rules.preset,
            seed=game.seed,
            rules={**knobs_of(game), "buyin.min": "1"},
        )

    # ------------------------------------------------------------------ the book

    def commit(self, events: Sequence[TableEvent]) -> None:
        """Follow each event in the book, then let the story check its commit."""
        hand, before = self.state.hand, len(self.events)
        super().commit(events)
        for event in self.events[before:]:
            if isinstance(event, told.HandOpened):
                self._begin()
                hand = None
            elif hand is not None or self.state.hand is not None:
                self._follow(event)

    def _begin(self) -> None:
        self.gathered = False
        self.home.clear()
        self.flying.clear()
        self.burn_order.clear()
        self.aside.clear()
        self.ghosts.clear()
        self.shown.clear()

    def _deal(self, place: Place, card: Card | None) -> Card:
        """The oldest card in flight goes to its place; the table must name the right one."""
        dealt = self.flying.pop(0)
        assert card is None or card == dealt or dealt in self.misread, "another card was dealt than the one that lies there"
        if dealt in self.misread and card == dealt:
            del self.misread[dealt]
        self.home[dealt] = place
        return dealt

    def _follow(self, event: TableEvent) -> None:
        match event:
            case told.CardDealt(place=place, card=card) | told.GhostDealt(place=place, card=card):
                dealt = self._deal(place, card)
                if isinstance(event, told.GhostDealt):
                    self.ghosts.add(dealt)
            case told.BurnMade(card=card) | slips.BurnedEarly(card=card):
                self.burn_order.append(self._deal(Spot.BURN, card))
            case told.CommunityDealt(card=card):
                self._deal(Spot.COMMUNITY, card)
            case slips.CardEliminated(card=card):
                self.aside.add(self._deal(Spot.MUCK, card))
            case slips.CardScrapped(scrap=slips.Scrap.JOKER):
                joker = next((card for card in self.flying if card in self.jokers), None)
                if joker is None:  # a card that was taken for a joker is set aside like one
                    self._deal(Spot.MUCK, None)
                else:
                    self.flying.remove(joker)
                    self.gone.append(joker)
            case slips.CardScrapped(card=card, behind=behind):
                self.flying.insert(0, self.flying.pop(behind))
                self.shown.add(self._deal(Spot.MUCK, card).text)
            case slips.SeventhKept(seat=seat, card=card):
                kept = card if card in self.flying else self.flying[-1]
                assert kept is not None
                self.flying.remove(kept)
                self.home[kept] = SeatPlace(seat, Zone.DOWN)
            case slips.CardsReturned():
                self.flying.clear()
            case slips.SeventhRedone():
                self._sevenths_back(event)
            case told.StubScrambled():
                for card in (*self.burn_order, *self.aside):
                    del self.home[card]
                self.burn_order.clear()
                self.aside.clear()
            case slips.MisdealDeclared():
                self.hand_cards.extend(self.gone)
                self.gone.clear()
                self._begin()
            case slips.HoleExposed(seat=seat, card=card) | slips.DoorChosen(seat=seat, card=card):
                if isinstance(event, slips.DoorChosen):
                    down = SeatPlace(seat, Zone.DOWN)
                    self.home |= {other: down for other, place in self.home.items() if place == SeatPlace(seat, Zone.UP)}
                if card is not None:
                    self.home[card] = SeatPlace(seat, Zone.UP)
                    self.shown.add(card.text)
            case slips.SeventhShown(card=card) if card is not None:
                self.shown.add(card.text)
            case slips.SeventhReplaced(card=card) | slips.BoxedReplaced(card=card):
                self.home[card] = Spot.MUCK
                self.shown.add(card.text)
            case told.HandTabled(cards=cards) | slips.HandSeen(cards=cards):
                self.shown.update(card.text for card in cards)
            case _:
                pass

    def _sevenths_back(self, event: slips.SeventhRedone) -> None:
        """Everything dealt for seventh goes back: what the table's hands have lost by it, and the newest burns."""
        self.flying.clear()
        hand = self.hand
        burns = hand.burns if hand.hold is not None else len(self.burn_order)
        while len(self.burn_order) > burns:
            del self.home[self.burn_order.pop()]
        own = {card for entry in hand.seats for card in entry.cards}
        for card, place in list(self.home.items()):
            if isinstance(place, SeatPlace) and card not in own | self.ghosts:
                del self.home[card]

    # ------------------------------------------------------------------ hands on the cards

    def draw(self, *, code: str | None = None) -> Card:
        """A card leaves the shoe, whatever its gate."""
        card = self.shoe[0]
        self.flying.append(card)
        if code is not None:
            self.misread[card] = code
        super().draw(code=code)
        self.numbers[card] = self.draw_no
        return card

    def put_back(self, card: Card, *, code: str | None = None, draw_no: int | None = None) -> None:
        """A card goes back into the shoe, on top of the stub."""
        if self.flying and self.flying[-1] == card:
            self.flying.pop()
        told_as = code or self.misread.pop(card, None)
        if card in self.jokers:
            self.jokers.remove(card)
        super().put_back(card, code=told_as, draw_no=self.numbers[card] if draw_no is None else draw_no)

    def lay(self, card: Card, place: Place | str) -> None:
        """A card is laid; face up everybody sees it."""
        self.doubt.pop(card, None)
        super().lay(card, place)
        lies = self.where[card]
        if lies is Spot.COMMUNITY or (isinstance(lies, SeatPlace) and lies.zone is Zone.UP):
            self.shown.add(card.text)

    def lift(self, card: Card) -> None:
        """A card is lifted."""
        self.doubt.pop(card, None)
        super().lift(card)

    def read_twice(self, card: Card, other: Place) -> None:
        """An antenna near by reads the card too."""
        self.doubt[card] = other
        self.tell(ReadTwice(self.where[card], other, card))

    def read_once(self, card: Card) -> None:
        """It has lost the card."""
        self.tell(ReadOnce(self.where[card], self.doubt.pop(card), card))

    def pick_up(self, card: Card) -> None:
        """A card is lifted from the felt into somebody's hand."""
        self.lift(card)
        self.hand_cards.append(card)

    def put_in(self, order: Sequence[Card], *, cards: int | None = None) -> None:
        """Load the shoe."""
        for card in order:
            self.misread.pop(card, None)
        super().put_in(order, cards=cards)

    def load(self, order: Sequence[Card] | None = None, *, cards: int | None = None) -> None:
        """Gather everything and load a whole deck."""
        for place in self.tags[:]:
            self.take_tag(place)
        self.flying.clear()
        self.misread.clear()
        self.gone.clear()
        self.slipped.clear()
        self.gathered = not self.state.hand_open
        super().load(order, cards=cards)
        self.spoiled = cards is not None

    def scramble(self) -> None:
        """Load the stub as the screen asks: all that by the book lies neither with a hand nor aside."""
        burned = self.burn_order + sorted(self.aside) if self.hand.phase is Phase.SCRAMBLE else []
        stays = {card for card in self.home if card not in burned}
        back = [card for card in DECK if card not in stays and card not in self.shoe and card not in self.gone]
        for card in back:
            self.lift(card)
            if card in self.hand_cards:
                self.hand_cards.remove(card)
            if card in self.jokers:
                self.jokers.remove(card)
        self.flying.clear()
        self.put_in(self.rng.sample([*self.shoe, *back], len(self.shoe) + len(back)))

    def lay_tag(self, place: Place) -> None:
        """A tag that is no card of the deck comes to lie on the felt."""
        self.tags.append(place)
        self.tell(SeenAt(place, None))

    def take_tag(self, place: Place) -> None:
        """It is taken away."""
        self.tags.remove(place)
        self.tell(LeftFrom(place, None))

    def pass_time(self) -> None:
        """The shoe has had its time to explain what readers see."""
        for card in without_reason(self.state.custody):
            if self.state.hand_open and card not in self.state.custody.unexplained:
                self.tell(UnexplainedTimeout(card))

    # ------------------------------------------------------------------ what must hold

    def tell(self, given: TableInput) -> TableDecision:
        """Give one input; whatever the table answers must be sound."""
        decision = super().tell(given)
        self.inputs += 1
        if decision.refusal is not None:
            self.sound(decision.refusal)
        return decision

    def sound(self, refusal: Refusal) -> None:
        """No refusal without a rule."""
        assert RULE.match(refusal.rule), refusal
        self.met[f"refused {refusal.code}"] += 1

    def settled(self) -> None:
        """Everything that must hold between two inputs."""
        self._check_places()
        self._check_hold()
        self._check_clock()
        self._check_screens()

    def _check_places(self) -> None:
        """Each of the 52 cards is in one place, and the table knows which."""
        state, held = self.state, self.state.custody
        places = [*self.shoe, *self.where, *self.hand_cards]
        assert set(places) | set(self.gone) == set(DECK) or not held.loaded, "a card is nowhere"
        assert len(places) == len(set(places)), "a card is in two places"
        assert dict(held.lying) == self.where, "the readers' cards are not where they lie"
        if not state.hand_open or held.fault or self.spoiled or self.gathered:
            return
        hand = self.hand
        awaited = hand.reload_due or hand.phase is Phase.SCRAMBLE
        assert len(held.flights) == len(self.flying)
        for flight, card in zip(held.flights, self.flying, strict=True):
            assert flight.card == card or card in self.misread or flight.card is None
        assert awaited or held.in_shoe == len(self.shoe) == hand.stub - len(self.flying), "the stub is miscounted"
        assert held.placed_count == len(self.home) + len(self.gone)
        sure = not self.misread
        assert not sure or all(self.home[card] == place for card, place in held.placed.items()), "a dealt card is misplaced"
        assert Counter(hand.burned) == Counter(self.burn_order) or not sure
        if sure and hand.phase is not Phase.REDEAL:
            for entry in hand.seats:
                own = [card for card, place in self.home.items() if _is_at(place, entry.seat) and card not in self.ghosts]
                assert Counter(entry.cards) == Counter(own), "a hand has other cards than lie before it"

    def felt_is_right(self) -> bool:
        """Whether every card that a reader sees lies where it may, by the book."""
        hand = self.hand
        due: tuple[Due, ...] = hand.due[hand.dealt :] if hand.phase is Phase.DEALING else ()
        for number, card in enumerate(self.flying):
            place = self.where.get(card)
            if number >= len(due) or (place is not None and not covers(place, due[number].place)):
                return False
        live = live_seats(hand)
        wrong = any(_fouls(self.where.get(card), home, live) for card, home in self.home.items())
        doubtful = any(
            card in self.flying or any(isinstance(place, SeatPlace) and place.seat in live for place in (self.where[card], other))
            for card, other in self.doubt.items()
        )
        return not wrong and not doubtful and all(place is Spot.MUCK for place in self.tags)

    def _check_hold(self) -> None:
        """Play is stopped exactly while the felt is wrong, or for a reason that no card on the felt can mend."""
        state = self.state
        if state.status is not TableStatus.LIVE or not state.hand_open or self.misread or self.spoiled or self.gathered:
            return
        hold, held = self.hand.hold, state.custody
        if held.fault or held.unexplained or self.hand.reload_due or (hold is not None and hold.code not in OF_THE_FELT):
            return
        assert (hold is None) is self.felt_is_right(), f"the hold is {hold}"

    def _check_clock(self) -> None:
        """Nobody's time runs while play is stopped, or while another is to act (R-ABS-04)."""
        clock = self.state.clock
        if clock is not None:
            assert (self.hand.phase, self.hand.hold, self.hand.round.actor) == (Phase.BETTING, None, clock.seat), "time runs"

    def _check_screens(self) -> None:
        """No card that nobody has seen is on a screen, every hold has its text, and a step is named."""
        picture = picture_of(self.state, "T1")
        view = dealer_view(picture)
        over = self.state.hand is None or self.state.hand.over
        for shown in (view, public_view(picture)):
            assert set(_CARD.findall(repr(shown))) <= self.shown or over, "a card that nobody has seen is on a screen"
        step, hold = view["step"], view["hold"]
        assert step["kind"] in STEPS or not self.state.felt_ready, f"the screen names no next step: {step}"
        assert step["kind"] != "hold" or hold is not None
        if hold is not None:
            self.met[f"hold {hold['code']}"] += 1
            for language in Language:
                assert hold_text(hold["code"], hold["place"], language)
        if hold is not None and hold["code"] == "reload_stub" and not self.misread and not self.doubt and not self.gathered:
            told_back = Counter(move["from"] for move in hold["moves"] if move["to"] == "stub")
            assert told_back == Counter(str(place) for card, place in self.where.items() if card not in self.home), (
                "what goes back?"
            )
        if step["kind"] == "deal":
            assert step["plan"] or step["in_flight"], "a card is due and none is named"
            assert self.state.gate.is_open is bool(step["plan"])
        if step["kind"] == "act":
            assert step["actions"], "a seat is to act and may do nothing"

    def replays(self) -> None:
        """The journal gives an equal state with its keys, and all but the hidden cards without them."""
        assert self.replayed(self.sealers) == self.state
        assert without_hidden(self.replayed({})) == without_hidden(self.state)


def _is_at(place: Place, seat: int) -> bool:
    return isinstance(place, SeatPlace) and place.seat == seat


def _fouls(place: Place | None, home: Place, live: frozenset[int]) -> bool:
    """A dealt card lies at a seat that is not its own, and either of them plays on (R-ERR-04)."""
    if not isinstance(place, SeatPlace) or _is_at(home, place.seat):
        return False
    return place.seat in live or (isinstance(home, SeatPlace) and home.seat in live)


def knobs_of(game: Game) -> dict[str, str]:
    """The house rules of ``game`` as knobs and their values."""
    return knob_values(game.setup.rules)
