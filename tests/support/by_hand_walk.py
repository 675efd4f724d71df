"""Whole evenings at a table that has not all its devices, or loses them; its people confirm, key, count and err at random."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Final

from controller.hand.cards import DECK, Card
from controller.hand.commands import Refusal, Role
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.hand.state import Phase
from controller.table.inputs import ConfirmCards, CountDeck, KeyCard, LaidCard, Rule, StartHand, UndoConfirmation, UndoKeyed
from controller.table.parts import Equipment
from drivers.ports import LinkChanged, LinkState
from support.by_hand_story import NINETEEN, WHOLE, ByHandStory, Choices
from support.table_story import TableStory, without_hidden

GEAR: Final = (WHOLE, WHOLE, WHOLE, Equipment("", NINETEEN), Equipment("shoe", ()), Equipment("", ()))
"""What the table has: twice as often everything, which is lost by and by."""
OFTEN: Final = 0.12


class ByHandEvening(ByHandStory):
    """An evening with slips of those who stand in for devices; ``met`` counts what happened."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.met: Counter[str] = Counter()
        seats = sorted(self.dice.sample(range(1, 9), self.dice.choice((2, 3, 5, 8, 8))))
        variant = self.dice.choice(("stud", "stud8", "razz"))
        super().__init__(dict.fromkeys(seats, 3000), equipment=self.dice.choice(GEAR), variant=variant, seed=seed)

    def evening(self, hands: int = 3) -> None:
        """Play ``hands`` hands; after each all is as on the felt. The journal gives the same with its keys and without."""
        for _ in range(hands):
            self._new_deck()
            self.play_on(Choices(self.dice.getrandbits(32)), lambda _: self._perhaps())
            self._hands_are_right()
            self.met["hands"] += 1
        assert self.replayed(self.sealers) == self.state
        assert without_hidden(self.replayed({})) == without_hidden(self.state)

    def ruled(self, ruling: KeyCard | UndoKeyed, kind: str) -> Refusal | None:
        """Floor and dealer rule together."""
        return self.order(Rule(kind, ruling, "Fay", "Dan", "looked"))

    def _new_deck(self) -> None:
        """A deck, through the shoe where it answers; devices that answer again tell from here on."""
        if self.state.past and self.dice.random() < 0.6:
            for device, antenna in self.state.past:
                for at in (0, antenna):
                    self.tell(LinkChanged(device, at, LinkState.UP, ""))
            self.met["devices_back"] += 1
            order = self.dice.sample(DECK, len(DECK))
            gear = self.equipment or WHOLE
            self.truth.clear()
            (TableStory if gear.shoe else ByHandStory).load(self, order)
        else:
            if not self.state.shoe_tells and self.dice.random() < 0.5:
                self._refused(self.order(CountDeck(self.dice.choice((51, 40)))), "wrong_count")
            self.load(self.dice.sample(DECK, len(DECK)))
        assert self.state.custody.in_shoe == len(DECK)
        self._start()

    def _start(self) -> None:
        assert self.order(StartHand()) is None

    def _refused(self, refusal: Refusal | None, code: str) -> None:
        assert refusal is not None
        assert refusal.code == code, refusal
        self.met[f"refused {code}"] += 1

    def _perhaps(self) -> None:
        """Between two steps of play, now and then, one of the slips for which there is an occasion."""
        self.view()
        if self.step()["kind"] == "scramble" and self._miscount():
            self.met["_miscount"] += 1
        if self.dice.random() >= OFTEN:
            return
        slips: list[Callable[[], bool]] = [self._lose, self._key, self._mis_key, self._count_twice, self._guess]
        self.dice.shuffle(slips)
        for slip in slips:
            if slip():
                self.met[slip.__name__] += 1
                self.view()
                return

    # --- slips ---------------------------------------------------------------------------------------------------------------

    def _next(self) -> Place | None:
        """Where the next card is due, while nothing is out."""
        step = self.step()
        ready = step["kind"] == "deal" and step["plan"] and not step["in_flight"] and not self.hand_cards
        return parse_place(step["plan"][0]) if ready else None

    def _lose(self) -> bool:
        """A line, an antenna or the shoe falls out; two people set it aside, after the dealer alone was refused."""
        gear = self.equipment or WHOLE
        lines = sorted({line for _, line, _ in gear.antennas} | ({gear.shoe} - {""}))
        left = [line for line in lines if not any(device == line for device, _ in self.state.past)]
        if not left or self.dice.random() < 0.5:
            return False
        device = self.dice.choice(left)
        antenna = 0 if device == gear.shoe or self.dice.random() < 0.5 else 1
        self.tell(LinkChanged(device, antenna, LinkState.DOWN, "no answer"))
        if self.hand.phase is Phase.DEALING:
            assert self.hold == "device_down"
        if self.dice.random() < 0.3:  # the cable is put back
            self.tell(LinkChanged(device, antenna, LinkState.UP, ""))
            self.met["mended"] += 1
        else:
            self._refused(self.step_past(device, antenna=antenna, role=Role.DEALER), "floor_rules_it")
            assert self.step_past(device, antenna=antenna) is None
        assert self.hold is None
        return True

    def _key(self) -> bool:
        """A dead tag, or one that neither shoe nor reader knows: two people key the card at a place whose reader works."""
        place = self._next()
        if place is None or not self.state.shoe_tells or self.sees(place) is None:
            return False
        unread = self.dice.random() < 0.5
        card = self.draw(code="??" if unread else None)
        self.hand_cards.remove(card)
        self.truth.append((card, place))
        if unread:
            assert self.hold == "unreadable_card"
        face = card if unread and _is_up(place) else None
        if unread and _is_up(place):
            self._refused(self.ruled(KeyCard(place, None), "key_card"), "card_to_key")
        assert self.ruled(KeyCard(place, face), "key_card") is None
        return True

    def _laid_in_the_dark(self) -> Place | None:
        """The next card is laid where only the dealer tells it."""
        place = self._next()
        if place is None or self.sees(place) is not None or place not in self.state.dark:
            return None
        self.put(self.take(), place)
        return place

    def _mis_key(self) -> bool:
        """Another face is keyed than the one that lies there; whoever may takes it back, and the right one is keyed."""
        place = self._laid_in_the_dark()
        if place is None:
            return False
        card = [card for card, where in self.truth if where == place][-1]
        if not self.view()["by_hand"]["confirm"][0]["key"]:
            self.met["told by the shoe"] += 1
            assert self.confirm() is None
            return True
        out = [other for other, _ in self.truth]
        wrong = self.dice.choice([other for other in (out if self.dice.random() < 0.6 else DECK) if other != card])
        refusal = self.order(ConfirmCards((LaidCard(place, wrong),)))
        if refusal is not None:
            self._refused(refusal, "card_is_seen")
        else:
            self._take_back()
        assert self.confirm() is None
        return True

    def _take_back(self) -> None:
        """The dealer, or where she may not two people."""
        doubtful = self.hold == "face_in_doubt"
        self.met["in doubt"] += doubtful
        assert self.hold is None or doubtful
        refusal = self.order(UndoConfirmation())
        assert refusal is not None or not doubtful
        if refusal is not None:
            self._refused(refusal, "floor_takes_it_back")
            assert self.ruled(UndoKeyed(), "undo_keyed") is None
        assert self.hold is None

    def _count_twice(self) -> bool:
        """A card in the dark is confirmed, taken back, and confirmed again."""
        place = self._laid_in_the_dark()
        if place is None:
            return False
        assert self.confirm() is None
        self._take_back()
        assert self.confirm() is None
        return True

    def _miscount(self) -> bool:
        """Without a shoe: the stub is counted wrongly before it is counted right."""
        step = self.step()
        if step["kind"] != "scramble" or self.state.shoe_tells:
            return False
        self._refused(self.order(CountDeck(step["cards"] - 1)), "wrong_count")
        return True

    def _guess(self) -> bool:
        """A face for a down card, a card that is not due, one that a reader tells: refused, and nothing is told."""
        place = self._next()
        if place is None:
            return False
        card = self.dice.choice(DECK)
        places = [SeatPlace(entry.seat, Zone.DOWN) for entry in self.hand.seats]
        wrong = self.dice.choice([other for other in (*places, Spot.BURN) if other != place] or [Spot.MUCK])
        refusal = self.order(ConfirmCards((LaidCard(wrong, card),)))
        self._refused(refusal, "not_the_next_card")
        return True

    # --- what must hold ------------------------------------------------------------------------------------------------------

    def _hands_are_right(self) -> None:
        """Every card that the table knows of a seat lies there; none is doubled."""
        known: list[Card] = []
        for entry in self.hand.seats:
            lie = {card for card, place in self.truth if isinstance(place, SeatPlace) and place.seat == entry.seat}
            mine = [card for card in entry.cards if card is not None]
            assert set(mine) <= lie
            known += mine
        assert len(known) == len(set(known))
        assert self.state.custody.accounted == len(DECK)


def _is_up(place: Place) -> bool:
    return place is Spot.COMMUNITY or (isinstance(place, SeatPlace) and place.zone is Zone.UP)


KINDS: Final = ("_lose", "_key", "_mis_key", "_count_twice", "_miscount", "_guess", "in doubt", "devices_back", "mended")
"""Everything that an evening can meet."""
