"""Custody against a model of 52 physical cards: any order of draws, readings, slips and rulings, sensible or not.

A card is always in exactly one of shoe, flight and dealt places, the sum is 52, and what custody calls right is right.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from controller.hand.cards import DECK, Card
from controller.hand.places import Place, SeatPlace, Spot, Zone, covers
from controller.hand.terms import Due
from controller.tracking import confirmed, custody
from controller.tracking.custody import DECK_SIZE, Custody

SEATS = (1, 2, 3)
PLAN: tuple[Place, ...] = tuple(
    place
    for zone in (Zone.DOWN, Zone.DOWN, Zone.UP, Zone.UP, Zone.UP, Zone.UP, Zone.DOWN)
    for place in (*(SeatPlace(seat, zone) for seat in SEATS), Spot.BURN)
)
"""Where cards are due, in order: three seats and a burn a round."""
PLACES: tuple[Place, ...] = (*(SeatPlace(seat, zone) for seat in SEATS for zone in Zone), *Spot)
FAULTS = {"duplicate_card", "wrong_card_back", "unexpected_load"}


class CustodyMachine(RuleBasedStateMachine):
    """The model: ``shoe`` top first, ``flights`` and ``placed`` as cards truly are, ``lying`` and ``twice`` as readers told."""

    def __init__(self) -> None:
        super().__init__()
        self.held = Custody()
        self.live = frozenset(SEATS)
        self.shoe: list[Card] = []
        self.flights: list[tuple[int, Card, Place | None, bool]] = []
        self.placed: dict[Card, Place | None] = {}
        self.lying: dict[Card, Place] = {}
        self.twice: dict[Card, Place] = {}
        self.strangers: dict[Place, int] = {}
        self.draw_no = self.dealt = 0
        self.fouled = False

    @initialize(order=st.permutations(DECK))
    def deck(self, order: list[Card]) -> None:
        self.shoe = list(order)
        self.held = custody.load(self.held, DECK_SIZE)

    # ------------------------------------------------------------------ the shoe

    @precondition(lambda self: self.shoe)
    @rule(premature=st.booleans(), readable=st.integers(0, 9))
    def draw(self, *, premature: bool, readable: int) -> None:
        card = self.shoe.pop(0)
        index = self.dealt + len(self.flights)
        place = None if index >= len(PLAN) or (premature and readable == 9) else PLAN[index]
        known = readable > 0
        self.draw_no += 1
        self.flights.append((self.draw_no, card, place, known))
        told, kind = (card, "card") if known else (None, "unreadable")
        due = None if place is None else Due(place)
        self.held = custody.draw(self.held, self.draw_no, told, due, len(self.shoe), kind)

    @precondition(lambda self: self.flights)
    @rule(which=st.integers(0, 60))
    def push_back(self, which: int) -> None:
        """Only the last card out may go back into the shoe; another one is a fault and stays where it is in the count."""
        number, card, *_ = self.flights[-1]
        if which % 10:
            self.shoe.insert(0, card)
            self.flights.pop()
            self.draw_no -= 1
            self.held = custody.put_back(self.held, number, card, len(self.shoe))
        else:
            self.fouled = True
            self.held = custody.put_back(self.held, number + 1, card, len(self.shoe))

    @precondition(lambda self: self.fouled or len(self.placed) > 15)
    @rule(order=st.randoms(use_true_random=False))
    def redeal(self, order: object) -> None:
        """Everything goes back and is loaded again."""
        self.held = custody.load(custody.give_up(self.held), DECK_SIZE)
        self.shoe = list(DECK)
        order.shuffle(self.shoe)  # type: ignore[attr-defined]
        self.flights, self.placed, self.draw_no, self.dealt, self.fouled = [], {}, 0, 0, False

    @precondition(lambda self: len(self.placed) > 5)
    @rule(order=st.randoms(use_true_random=False), burns=st.booleans())
    def reshuffle(self, order: object, *, burns: bool) -> None:
        """Cards in flight go back to be shuffled into the stub, burns with them or not."""
        self.shoe += [card for _, card, _, _ in self.flights]
        held = custody.send_back(self.held)
        self.flights = []
        if burns and None not in self.placed.values():
            back = [card for card, place in self.placed.items() if place is Spot.BURN]
            held = custody.unburn(held._replace(in_shoe=held.in_shoe + len(back)), len(back))
            self.shoe += back
            self.placed = {card: place for card, place in self.placed.items() if place is not Spot.BURN}
        order.shuffle(self.shoe)  # type: ignore[attr-defined]
        self.draw_no = 0
        self.held = custody.reload_stub(held, len(self.shoe))

    @precondition(lambda self: len(self.shoe) > 6)
    @rule(cards=st.integers(1, 6))
    def deal(self, cards: int) -> None:
        """So many are drawn, laid where they are due and seen, and dealt."""
        for _ in range(cards):
            self.draw(premature=False, readable=1)
            self.lay(len(self.flights) - 1, 1, Spot.MUCK)
            self.match()

    # ------------------------------------------------------------------ the readers

    @rule(card=st.sampled_from(DECK[:6]), place=st.sampled_from(PLACES))
    def see(self, card: Card, place: Place) -> None:
        """A reader tells any card anywhere: a stuck tag tells a card that lies in the shoe."""
        self.held = custody.see(self.held, card, place)
        self.lying[card] = place
        self.twice.pop(card, None)

    @precondition(lambda self: self.flights)
    @rule(index=st.integers(0, 51), right=st.integers(0, 3), place=st.sampled_from(PLACES))
    def lay(self, index: int, right: int, place: Place) -> None:
        """A card in flight is laid, mostly where it is due, and seen."""
        _, card, due, _ = self.flights[index % len(self.flights)]
        self.see(card, due if right and due is not None else place)

    @precondition(lambda self: self.lying)
    @rule(index=st.integers(0, 51), place=st.sampled_from(PLACES), late=st.booleans())
    def leave(self, index: int, place: Place, *, late: bool) -> None:
        card = list(self.lying)[index % len(self.lying)]
        where = place if late else self.lying[card]
        self.held = custody.leave(self.held, card, where)
        if self.lying[card] == where:
            del self.lying[card]
            self.twice.pop(card, None)

    @precondition(lambda self: self.lying)
    @rule(index=st.integers(0, 51), other=st.sampled_from(PLACES), ends=st.booleans())
    def doubt(self, index: int, other: Place, *, ends: bool) -> None:
        card = list(self.lying)[index % len(self.lying)]
        self.held = custody.read_once(self.held, card) if ends else custody.read_twice(self.held, card, other)
        if ends:
            self.twice.pop(card, None)
        else:
            self.twice[card] = other

    @rule(place=st.sampled_from((SeatPlace(3, Zone.UP), Spot.MUCK)), comes=st.booleans())
    def foreign(self, place: Place, *, comes: bool) -> None:
        self.held = custody.stranger(self.held, place, 1 if comes else -1)
        self.strangers[place] = max(0, self.strangers.get(place, 0) + (1 if comes else -1))

    @precondition(lambda self: self.flights)
    @rule(index=st.integers(0, 51))
    def overdue(self, index: int) -> None:
        number = self.flights[index % len(self.flights)][0]
        if any(flight.draw_no == number for flight in custody.awaited(self.held)):
            self.held = custody.overdue(self.held, number)

    # ------------------------------------------------------------------ the table

    @rule()
    def match(self) -> None:
        """What the table does of itself: a card that a reader identified, and the oldest card when it lies right."""
        read = confirmed.read_by_felt(self.held)
        if read is not None:
            number, card, place = read
            assert self.flights[0][0] == number
            due = self.flights[0][2]
            assert due is not None
            assert covers(place, due)
            if card == self.flights[0][1]:  # otherwise another card lies there, which the table cannot tell
                self.held = confirmed.identify(self.held, number, card)
                self.flights[0] = (*self.flights[0][:3], True)
        ready = custody.ready_flight(self.held)
        if ready is not None:
            _, card, due, known = self.flights.pop(0)
            assert known
            assert ready.card == card
            assert due is not None
            assert covers(self.lying[card], due)
            self.held = custody.deal_head(self.held)
            self.placed[card] = due
            self.dealt += 1

    @precondition(lambda self: self.flights)
    @rule(place=st.sampled_from((Spot.BURN, Spot.MUCK)))
    def rule_away(self, place: Place) -> None:
        """The oldest card in flight is ruled to be a burn, or eliminated."""
        _, card, _, known = self.flights.pop(0)
        self.held = custody.take_head(self.held, place)
        self.placed[card] = place if known else None

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def all_52_are_somewhere_once(self) -> None:
        assert self.held.accounted == len(self.shoe) + len(self.flights) + len(self.placed)
        if self.shoe or self.flights or self.placed:
            assert self.held.accounted == DECK_SIZE
            cards = [*self.shoe, *(card for _, card, _, _ in self.flights), *self.placed]
            assert sorted(cards) == sorted(DECK)
        assert self.held.in_shoe == len(self.shoe)
        assert [(flight.draw_no, flight.card) for flight in self.held.flights] == [
            (number, card if known else None) for number, card, _, known in self.flights
        ]
        assert dict(self.held.placed) == {card: place for card, place in self.placed.items() if place is not None}

    @invariant()
    def a_card_lies_where_readers_say(self) -> None:
        assert dict(self.held.lying) == self.lying
        assert dict(self.held.elsewhere) == self.twice
        assert dict(self.held.strangers) == {place: count for place, count in self.strangers.items() if count}

    @invariant()
    def what_is_called_right_is_right(self) -> None:
        """Without a problem no card in flight lies wrong, is unknown or missing, no card is doubtful and no stranger about."""
        problem = custody.felt_problem(self.held, self.live)
        assert (problem is not None and problem.code in FAULTS) == bool(self.held.fault)
        if self.fouled:
            assert problem is not None
        if problem is not None:
            return
        assert not [place for place, count in self.strangers.items() if count and place is not Spot.MUCK]
        for number, card, due, known in self.flights:
            assert due is not None
            assert known
            assert card not in self.twice
            assert card in self.lying or number not in self.held.unseen
            assert covers(self.lying.get(card, due), due)
        assert not custody.wrong_places(self.held, self.live)

    @invariant()
    def a_problem_is_where_it_is_told(self) -> None:
        """The place of a problem has a card, a stranger or a due card; and a card seen in time is never missed."""
        problem = custody.felt_problem(self.held, self.live)
        if problem is None or problem.place is None:
            return
        place = problem.place
        match problem.code:
            case "foreign_card":
                assert self.strangers[place] > 0
            case "card_not_seen":
                assert any(due == place and card not in self.lying for _, card, due, _ in self.flights)
            case "two_places":
                assert any(self.lying.get(card) == place for card in self.twice)
            case _:
                assert place in self.lying.values()


COUNTS = [100, pytest.param(5000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])]


@pytest.mark.parametrize("examples", COUNTS)
def test_custody_holds_whatever_happens(examples: int) -> None:
    """Fifty steps each, a hundred times in each run and thousands in the long one."""
    run_state_machine_as_test(
        CustodyMachine, settings=settings(max_examples=examples, stateful_step_count=50, deadline=None, derandomize=True)
    )
