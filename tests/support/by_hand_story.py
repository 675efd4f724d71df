"""A table that plays without some of its devices: the dealer lays the cards and confirms what no device tells.

``truth`` is where each card really lies, also where no reader tells of it; what she keys is what she sees there.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from controller.hand.betting import LegalAction
from controller.hand.cards import DECK, Card, parse_card
from controller.hand.commands import Refusal, Role, TableHand
from controller.hand.places import Place, SeatPlace, Spot, Zone, covers, parse_place
from controller.hand.state import HandState, Phase
from controller.table.inputs import ConfirmCards, CountDeck, LaidCard, Rule, StartHand, StepPast
from controller.table.parts import Equipment
from controller.table.picture import picture_of
from controller.tracking.custody import DECK_SIZE
from controller.views.dealer import dealer_view
from drivers.ports import LinkChanged, LinkState
from support.table_story import TableStory, card_texts

NINETEEN: tuple[tuple[Place, str, int], ...] = (
    *(
        (SeatPlace(seat, zone), f"felt-{seat}", 1 + number)
        for seat in range(1, 9)
        for number, zone in enumerate((Zone.DOWN, Zone.UP))
    ),
    *((spot, "felt-e", 1 + number) for number, spot in enumerate((Spot.MUCK, Spot.BURN, Spot.COMMUNITY))),
)
"""A down and an up antenna a seat, a line for each seat, and one for muck, burn and common card."""
WHOLE = Equipment("shoe", NINETEEN)


class Choices:
    """Decisions of players that two tables take alike: the n-th question has the same answer at both."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def __call__(self, hand: HandState, actions: tuple[LegalAction, ...]) -> LegalAction:
        weights = [0.2 if action.verb.value == "fold" else 1.0 for action in actions]
        return self._rng.choices(actions, weights)[0]


class ByHandStory(TableStory):
    """A story whose dealer does what devices leave to her."""

    def __init__(self, seats: Mapping[int, int], *, equipment: Equipment = WHOLE, **more: Any) -> None:
        super().__init__(seats, equipment=equipment, **more)
        self.truth: list[tuple[Card, Place]] = []
        self.links_up()

    def links_up(self) -> None:
        """Every device that is configured and not set aside answers."""
        gear = self.equipment or WHOLE
        names = sorted({line for _, line, _ in gear.antennas} | ({gear.shoe} - {""}))
        for name in names:
            if (name, 0) not in self.state.past:
                self.tell(LinkChanged(name, 0, LinkState.UP, ""))

    def restart(self, *, keys: bool = True) -> None:
        """The controller starts anew; devices answer again, and readers tell of each card that they see and nobody knows."""
        super().restart(keys=keys)
        self.links_up()
        for card, place in list(self.where.items()) if not keys else ():
            self.lay(card, place)

    def view(self) -> dict[str, Any]:
        """The dealer's view, checked: it names no card that everybody has not seen (R-RULE-06)."""
        view = dealer_view(picture_of(self.state, "T1"))
        assert set(card_texts(view)) <= self.public_texts()
        return view

    # --- devices ---------------------------------------------------------------------------------------------------------------

    def lose(self, device: str) -> None:
        """Pull the cable of a line or of the shoe."""
        self.tell(LinkChanged(device, 0, LinkState.DOWN, "pulled"))

    def step_past(
        self, device: str, *, antenna: int = 0, by: str = "Fay", agreed_by: str = "Dan", role: Role = Role.FLOOR
    ) -> Refusal | None:
        """Floor and dealer let play go on without it."""
        return self.order(Rule("step_past", StepPast(device, antenna, role), by, agreed_by, "cable"))

    def sees(self, place: Place) -> Place | None:
        """The place under which a working reader tells a card at ``place``."""
        if place in self.state.dark and place is not Spot.MUCK:
            return None
        if self.equipment is None:
            return place
        lit = [(where, line, at) for where, line, at in self.equipment.antennas if covers(where, place)]
        alive = [where for where, line, at in lit if self.state.links.get((line, 0)) == "up"]
        return alive[0] if alive else None

    # --- cards -----------------------------------------------------------------------------------------------------------------

    def load(self, order: Sequence[Card] | None = None, *, cards: int | None = None) -> None:
        """A shuffled deck in the shoe, or counted and in her hand."""
        self.truth.clear()
        if self.state.shoe_tells:
            super().load(order, cards=cards)
            return
        for card in list(self.where):
            self.lift(card)
        self.hand_cards.clear()
        self.shoe = list(self.rng.sample(DECK, DECK_SIZE) if order is None else order)
        assert self.order(CountDeck(DECK_SIZE)) is None

    def scramble(self) -> None:
        """The stub goes back into the shoe, or is counted."""
        burned = [card for card, place in self.truth if place is Spot.BURN]
        self.truth = [entry for entry in self.truth if entry[1] is not Spot.BURN]
        for card in burned:
            self.lift(card)
        stub = self.rng.sample([*self.shoe, *burned], len(self.shoe) + len(burned))
        if self.state.shoe_tells:
            self.put_in(stub)
            return
        self.shoe = stub
        assert self.order(CountDeck(len(self.shoe))) is None

    def take(self) -> Card:
        """The next card: out of the shoe, or off the stub in her hand."""
        if self.state.shoe_tells:
            return self.draw()
        card = self.shoe.pop(0)
        self.hand_cards.append(card)
        return card

    def put(self, card: Card, place: Place) -> None:
        """Lay a card; a working reader tells of it."""
        self.truth.append((card, place))
        seen_at = self.sees(place)
        if seen_at is not None:
            self.lay(card, seen_at)
        elif card in self.hand_cards:
            self.hand_cards.remove(card)

    def confirm(self) -> Refusal | None:
        """Confirm the card that no device tells of, keying its face where that is asked."""
        asked = self.view()["by_hand"]["confirm"][0]
        place = parse_place(asked["place"])
        card = [card for card, where in self.truth if where == place][-1]
        return self.order(ConfirmCards((LaidCard(place, card if asked["key"] else None),)))

    def deal_one(self) -> Card:
        """Draw the next card, lay it where it is due, and confirm it where that is left to her."""
        step = self.step()
        place = parse_place(([*step["in_flight"], *step["plan"]])[0])
        card = self.hand_cards[0] if self.hand_cards else self.take()
        dealt = self.hand.dealt
        self.put(card, place)
        if self.hold is None and self.hand.dealt == dealt and self.hand.phase is Phase.DEALING:
            assert self.confirm() is None
        return card

    def _deal_some(self, step: Mapping[str, Any]) -> None:
        self.deal_one()

    def unread(self, seat: int) -> tuple[Card, ...]:
        """The cards of a seat that nobody has read, as they lie."""
        entry = self.hand.seats[self.hand.index_of(seat)]
        down = [card for card, place in self.truth if place == SeatPlace(seat, Zone.DOWN)]
        return tuple(card for card, known in zip(down, entry.down, strict=True) if known is None)

    def order(self, order: Any, *, decision: str | None = None, key: str | None = None) -> Refusal | None:
        """As the table; a seat that tables shows what nobody had read."""
        if isinstance(order, TableHand) and not order.cards:
            order = TableHand(order.seat, self.unread(order.seat))
        return super().order(order, decision=decision, key=key)

    def fold_cards(self, seat: int) -> None:
        """To the muck, where its reader sees them."""
        for card, place in [entry for entry in self.truth if isinstance(entry[1], SeatPlace) and entry[1].seat == seat]:
            if self.state.links.get(("felt-e", 0)) == "up":
                self.lay(card, Spot.MUCK)
            elif card in self.where and self.sees(place) is not None:
                self.lift(card)

    def begin(self, order: Sequence[Card]) -> None:
        """Load and start."""
        self.load(order)
        assert self.order(StartHand()) is None


__all__ = ["NINETEEN", "WHOLE", "ByHandStory", "Choices", "parse_card"]
