"""Every slip a dealer can make, as a movement of cards or a press of a button; each tells whether it had its occasion."""

from __future__ import annotations

from typing import Final

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import Act, VoidHand
from controller.hand.irregular_events import DeadCause, MisdealCause
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.table.inputs import (
    AddChips,
    CallClock,
    ChangeSeat,
    FeltIsReady,
    LeaveSeat,
    PauseTable,
    ReopenTable,
    Resume,
    SeatPlayer,
    SetGame,
    SitIn,
    SitOut,
    StartHand,
    UnseenTimeout,
)
from controller.table.pause import ClockRanOut
from controller.table.state import TableStatus
from drivers.ports import LinkChanged, LinkState
from support.slip_mend import GuidedTable

_ZONES: Final = (Zone.DOWN, Zone.UP)


class ErringTable(GuidedTable):
    """A table where slips happen."""

    # ------------------------------------------------------------------ occasions

    @property
    def phase(self) -> Phase | None:
        """Phase of the open hand."""
        return self.hand.phase if self.state.hand_open else None

    @property
    def stopped(self) -> bool:
        """Play is stopped, or the table waits for a person."""
        return not self.state.hand_open or self.hand.hold is not None or not self.calm

    @property
    def calm(self) -> bool:
        """The table is at work."""
        return self.state.status is TableStatus.LIVE

    def _seat(self) -> int:
        """A seat of the table, sometimes one without a live hand."""
        live = self.live()
        return self.dice.choice(live if live and self.dice.random() < 0.8 else [*range(1, 9)])

    def _elsewhere(self, place: Place) -> Place:
        """Another place of the felt, most often the same kind at another seat."""
        zone = place.zone if isinstance(place, SeatPlace) and self.dice.random() < 0.8 else self.dice.choice(_ZONES)
        found: list[Place] = [SeatPlace(seat, zone) for seat in range(1, 9)]
        if self.dice.random() < 0.2:
            found = [Spot.BURN, Spot.MUCK]
        return self.dice.choice([other for other in found if other != place])

    def _fresh_due(self) -> list[Place]:
        """Where the next cards of the shoe are due, while nothing is in flight."""
        step = self.step()
        if step["kind"] != "deal" or self.flying or not step["plan"]:
            return []
        hand = self.hand
        return [due.place for due in hand.due[hand.dealt :]]

    def _lay_out(self, cards: list[Card], places: list[Place]) -> None:
        for card, place in zip(cards, places, strict=False):
            self.lay(card, place)
            self.settled()

    # ------------------------------------------------------------------ slips of the deal

    def wrong_seat(self) -> bool:
        due = self._fresh_due()
        if not due:
            return False
        self.lay(self.draw(), self._elsewhere(due[0]))
        return True

    def skipped_seat(self) -> bool:
        """The card of one seat goes to the next, and so on to the end of the street."""
        due = self._fresh_due()
        if len(due) < 2:
            return False
        number = self.dice.randint(1, len(due) - 1)
        self._lay_out([self.draw() for _ in range(number)], due[1:])
        return True

    def no_burn(self) -> bool:
        due = self._fresh_due()
        if len(due) < 2 or due[0] is not Spot.BURN:
            return False
        number = self.dice.randint(1, len(due) - 1)
        self._lay_out([self.draw() for _ in range(number)], due[1:])
        return True

    def two_burns(self) -> bool:
        due = self._fresh_due()
        if not due or due[0] is not Spot.BURN:
            return False
        number = min(self.dice.randint(2, len(due) + 1), len(self.shoe) - 1)
        self._lay_out([self.draw() for _ in range(number)], [Spot.BURN, *due])
        return True

    def extra_card(self) -> bool:
        """All that is due and a card too many leave the shoe; the last lies somewhere, or stays in her hand."""
        due = self._fresh_due()
        if not due or len(self.shoe) <= len(due) + 1:
            return False
        cards = [self.draw() for _ in range(len(due) + self.dice.choice((1, 1, 2)))]
        self._lay_out(cards, due if self.dice.random() < 0.4 else [*due, self.dice.choice([Spot.BURN, due[-1], Spot.MUCK])])
        return True

    def premature(self) -> bool:
        """Cards of the next street come while somebody is still to act, or at the showdown."""
        if self.phase not in (Phase.BETTING, Phase.SHOWDOWN) or self.stopped or len(self.shoe) < 6:
            return False
        self._early_street(self.dice.randint(1, 4))
        return True

    def _early_street(self, number: int) -> None:
        zone = Zone.DOWN if self.hand.street == 6 else Zone.UP
        cards = [self.draw() for _ in range(number)]
        places: list[Place] = [*([Spot.BURN] if self.dice.random() < 0.7 else []), *(SeatPlace(s, zone) for s in self.live())]
        self._lay_out(cards, places[: self.dice.randint(0, number)])

    def kept_seventh(self) -> bool:
        """A premature seventh was looked at: its owner keeps it (R-ERR-02)."""
        if self.phase is not Phase.BETTING or self.stopped or self.hand.street != 6 or len(self.shoe) < 8:
            return False
        self._early_street(self.dice.randint(2, 4))
        return self.rule("premature", kept=self._seat()) is None

    def premature_in_a_load(self) -> bool:
        """A card leaves the shoe although a load is awaited."""
        if self.step()["kind"] != "scramble" or not self.shoe or self.flying:
            return False
        self.draw()
        return True

    def face_down(self) -> bool:
        """An up card is laid face down, or a down card face up."""
        due = self._fresh_due()
        if not due or not isinstance(due[0], SeatPlace):
            return False
        other = Zone.UP if due[0].zone is Zone.DOWN else Zone.DOWN
        self.lay(self.draw(), SeatPlace(due[0].seat, other))
        return True

    def boxed(self) -> bool:
        """A card drawn lay face up in the deck; others may be out already, and those behind it move up."""
        due = self._fresh_due()
        if self.phase is not Phase.DEALING or self.stopped or not due or len(self.shoe) < 2:
            return False
        out = [self.draw() for _ in range(min(self.dice.choice((1, 2, 3)), len(due), len(self.shoe) - 1))]
        number = self.dice.randint(1, len(out))
        card, role, values = out[number - 1], self.dice.choice(("dealer", "floor")), {"scrap": "boxed"}
        answer = self.rule("set_aside", role, **values)
        if answer == "which_card_is_out":
            answer = self.rule("set_aside", role, **values, number=number)
        if answer is not None:
            return False
        assert card not in self.flying, "another card was set aside than the one that she named"
        if card in self.home and self.dice.random() < 0.5:
            self.lay(card, Spot.MUCK)
        return True

    def boxed_later(self) -> bool:
        """That a card lay face up in the deck is noticed when it is dealt already: another comes after the round (R-MIS-06)."""
        if self.phase not in (Phase.DEALING, Phase.BETTING) or self.hand.street < 3:
            return False
        first = 1 if self.hand.street == 3 else self.hand.street
        return self.rule("replace_boxed", seat=self._seat(), number=self.dice.randint(first, self.hand.street)) is None

    def floor_called(self) -> bool:
        """A player or the dealer stops play for the floor (R-RULE-01)."""
        return self.phase is not None and self.calm and self.rule("stop_play", "dealer") is None

    def _misread(self, code: str) -> bool:
        if not self._fresh_due() or len(self.shoe) < 3:
            return False
        self.draw(code=code)
        return True

    def joker(self) -> bool:
        return self._misread("JK")

    def unreadable(self) -> bool:
        return self._misread("??")

    def foreign_back(self) -> bool:
        """A card of another back comes out of the shoe: it goes back in, or the hand is void."""
        if not self._misread("XX"):
            return False
        self.settled()
        self.put_back(self.flying[-1]) if self.dice.random() < 0.7 else self.void()
        return True

    def cards_differ(self) -> bool:
        """The shoe says another card than the one that the reader sees where it is due."""
        due = self._fresh_due()
        if not due or len(self.shoe) < 3:
            return False
        card = self.draw(code=self.shoe[self.dice.randint(1, len(self.shoe) - 1)].text.upper())
        self.lay(card, due[0] if self.dice.random() < 0.5 else self._elsewhere(due[0]))
        return True

    def duplicate(self) -> bool:
        out = [card for card in DECK if card in self.home]
        return bool(out) and self.dice.random() < 0.3 and self._misread(self.dice.choice(out).text.upper())

    def off_table(self) -> bool:
        """A card falls from the table; the ones behind it are laid before it is found."""
        due = self._fresh_due()
        if len(due) < 2:
            return False
        _, *cards = [self.draw() for _ in range(self.dice.randint(2, min(4, len(due))))]
        self._lay_out(cards, due[1:])
        return True

    def card_back(self) -> bool:
        """The last card out goes back into the shoe."""
        if self.phase is None or not self.flying or self.flying[-1] in self.where:
            return False
        self.put_back(self.flying[-1])
        return True

    def wrong_card_back(self) -> bool:
        """Another card than the last one goes into the shoe."""
        if self.phase is None or len(self.flying) < 2 or self.misread or self.dice.random() < 0.5:
            return False
        card = self.flying.pop(-2)
        self.lift(card)
        self.spoiled = True
        self.put_back(card)
        return True

    def dropped_stub(self) -> bool:
        return self.phase in (Phase.DEALING, Phase.BETTING) and self.calm and self.rule("drop_stub") is None

    # ------------------------------------------------------------------ loads

    def load_unasked(self) -> bool:
        """The stub is taken out of the shoe and put in again although nobody asked."""
        if self.phase not in (Phase.DEALING, Phase.BETTING, Phase.SHOWDOWN) or self.hand.reload_due or self.dice.random() < 0.5:
            return False
        self.put_in(self.rng.sample(self.shoe, len(self.shoe)))
        return True

    def load_miscounted(self) -> bool:
        """The stub comes back with a card too few."""
        if self.step()["kind"] != "scramble" or len(self.shoe) < 2:
            return False
        self.flying.clear()
        self.put_in(self.shoe, cards=len(self.shoe) - 1)
        return True

    def deck_miscounted(self) -> bool:
        if self.step()["kind"] != "load_deck":
            return False
        self.load(cards=self.dice.choice((50, 51, 53)))
        return True

    def wrong_and_right_in_a_load(self) -> bool:
        """While the stub is out of the shoe something comes to lie wrong, and is put right again."""
        if self.step()["kind"] != "scramble" or not self.state.hand_open:
            return False
        place = SeatPlace(self._seat(), Zone.UP)
        if self.dice.random() < 0.5:
            self.lay_tag(place)
            self.settled()
            self.take_tag(place)
            return True
        return self._moved_and_back()

    def _moved_and_back(self) -> bool:
        moved = self._move_one()
        if moved is None:
            return False
        card, place = moved
        self.settled()
        self.lay(card, place)
        return True

    # ------------------------------------------------------------------ cards on the felt

    def _move_one(self) -> tuple[Card, Place] | None:
        """Somebody moves a dealt card; it and where it lay."""
        lying = [card for card, place in self.where.items() if isinstance(place, SeatPlace) and card in self.home]
        if not lying or self.phase is None:
            return None
        card = self.dice.choice(lying)
        place = self.where[card]
        self.lay(card, self._elsewhere(place))
        return card, place

    def moved(self) -> bool:
        return self._move_one() is not None

    def lifted(self) -> bool:
        """A player lifts a card."""
        lying = [card for card in self.where if card in self.home]
        if not lying or self.phase is None:
            return False
        self.pick_up(self.dice.choice(lying))
        return True

    def laid_back(self) -> bool:
        """Cards that somebody holds are laid where they belong."""
        if self.phase is None or not any(card in self.home for card in self.hand_cards):
            return False
        self._put_away()
        return True

    def read_twice_over(self) -> bool:
        """A card lies so near another antenna that both read it; often the other loses it by itself."""
        lying = [card for card in self.where if card not in self.doubt and (card in self.home or card in self.flying)]
        if self.phase is None or not lying:
            return False
        card = self.dice.choice(lying)
        self.read_twice(card, self._elsewhere(self.where[card]))
        if self.dice.random() < 0.4:
            self.settled()
            self.read_once(card)
        return True

    def unseen(self) -> bool:
        """A drawn card is seen by no reader in the time that laying it takes."""
        if self.phase is not Phase.DEALING or not self.flying:
            return False
        before = self.state.seq
        self.tell(UnseenTimeout(self.dice.choice(self.state.custody.flights).draw_no))
        return self.state.seq > before

    def foreign(self) -> bool:
        """A tag of another deck lies on the felt."""
        if len(self.tags) > 2:
            return False
        self.lay_tag(self.dice.choice([SeatPlace(self._seat(), self.dice.choice(_ZONES)) if self.phase else Spot.BURN, *Spot]))
        return True

    # ------------------------------------------------------------------ exposed cards

    def exposed_hole(self) -> bool:
        if self.phase not in (Phase.DEALING, Phase.BETTING) or self.hand.street != 3 or not self.calm:
            return False
        exposed = [entry.seat for entry in self.hand.seats if entry.exposed and entry.live]
        seat = self.dice.choice(exposed) if exposed and self.dice.random() < 0.4 else self._seat()
        return self.rule("expose_hole", self.dice.choice(("dealer", "floor")), seat=seat, number=self.dice.choice((1, 2))) is None

    def mixed_door(self) -> bool:
        ripe = self.phase in (Phase.DEALING, Phase.BETTING) and self.hand.street == 3 and self.calm
        return ripe and self.rule("choose_door", seat=self._seat(), number=self.dice.randint(1, 3)) is None

    def exposed_seventh(self) -> bool:
        if self.phase not in (Phase.DEALING, Phase.BETTING) or self.hand.street != 7 or not self.calm:
            return False
        return self.rule("expose_seventh", seat=self._seat()) is None

    def declared(self) -> bool:
        asked = self.hand.may_declare if self.phase is Phase.BETTING and self.calm else ()
        return bool(asked) and self.rule("declare_all_in", "dealer", seat=self.dice.choice(asked)) is None

    def sevenths_for_common(self) -> bool:
        """Sevenths are dealt although a common card is due (Q-67)."""
        due = self._fresh_due()
        if not due or due[-1] is not Spot.COMMUNITY or self.hand.street != 7:
            return False
        if due[0] is Spot.BURN:
            self.lay(self.draw(), Spot.BURN)
        if len(self.shoe) < 2:
            return False
        self.lay(self.draw(), SeatPlace(self._seat(), Zone.DOWN))
        return self.rule("redo_seventh") is None

    # ------------------------------------------------------------------ people

    def out_of_turn(self) -> bool:
        if self.phase is not Phase.BETTING or not self.calm:
            return False
        verb = self.dice.choice(("fold", "check", "call", "bet", "raise"))
        return self.rule("out_of_turn", "dealer", seat=self._seat(), verb=verb, to=self._amount()) is None

    def _amount(self) -> int:
        stakes = self.hand.setup.stakes
        return self.dice.choice([0, stakes.small, stakes.big, *(action.to for action in legal_actions(self.hand))])

    def wrong_amount(self) -> bool:
        if self.phase is not Phase.BETTING or self.stopped:
            return False
        chips = max(1, self._amount() + self.dice.choice((-1, 0, 0, 1)))
        return (
            self.rule("put_chips", "dealer", seat=self.hand.round.actor, chips=chips, pieces=self.dice.choice((1, 2, 5))) is None
        )

    def wrong_opener(self) -> bool:
        if self.phase is not Phase.BETTING or self.stopped or any(entry.acted.value for entry in self.hand.seats):
            return False
        return self.rule("opened_by", "dealer", seat=self._seat()) is None

    def absent(self) -> bool:
        away = [entry.seat for entry in self.hand.seats if entry.away] if self.phase else []
        if not self.phase or not self.calm:
            return False
        if away and self.dice.random() < 0.5:
            return self.rule("return_to_table", "dealer", seat=self.dice.choice(away)) is None
        return self.dice.random() < 0.3 and self.rule("leave_table", "dealer", seat=self._seat()) is None

    def clock(self) -> bool:
        if self.phase is not Phase.BETTING or self.stopped:
            return False
        seat = self.hand.round.actor
        if self.state.clock is None and self.order(CallClock(seat)) is not None:
            return False
        if self.dice.random() < 0.5:
            self.tell(ClockRanOut(seat))
        return True

    def undone(self) -> bool:
        ripe = self.phase is not None and self.calm and self.hand.previous is not None
        return ripe and self.rule("undo_action", self.dice.choice(("dealer", "floor"))) is None

    def award_undone(self) -> bool:
        over = self.state.hand is not None and self.hand.over and self.calm and not self.spoiled
        if over and self.dice.random() < 0.3:  # somebody leaves or moves first: then it is too late (R-SHOW-10)
            seat = self.dice.choice(self.state.seats).seat
            self.order(self.dice.choice((LeaveSeat(seat), ChangeSeat(seat, self.dice.randint(1, 8)))))
        return over and self.rule("undo_award") is None

    def killed(self) -> bool:
        if self.phase is None or not self.calm or not self.live():
            return False
        seats = self.dice.sample(self.live(), min(len(self.live()), self.dice.choice((1, 1, 1, 2))))
        cause = self.dice.choice(list(DeadCause)).value
        if self.rule("kill_hands", seats=seats, cause=cause) is not None:
            return False
        for seat in seats:
            self.fold_cards(seat) if self.dice.random() < 0.6 else None
        return True

    def retrieved(self) -> bool:
        """The muck is gone through for a hand that was killed by mistake (R-ERR-07)."""
        if self.state.hand is None or not self.calm:
            return False
        dead = [entry.seat for entry in self.hand.seats if not entry.live or entry.mucked]
        return bool(dead) and self.rule("retrieve_hand", seat=self.dice.choice(dead), agreed_by="Guy") is None

    def seen(self) -> bool:
        mucked = [entry.seat for entry in self.hand.seats if entry.mucked] if self.state.hand and self.calm else []
        return bool(mucked) and self.rule("let_see", seat=self.dice.choice(mucked)) is None

    def misdealt(self) -> bool:
        if self.phase is None or not self.calm:
            return False
        return self.rule("misdeal", cause=self.dice.choice(list(MisdealCause)).value) is None

    def voided(self) -> bool:
        if self.state.hand is None or self.dice.random() < 0.8:
            return False
        return self.order(VoidHand("floor")) is None

    def out_of_place(self) -> bool:
        """Requests that make no sense now; each is refused by its rule or taken."""
        seat, number = self.dice.randint(1, 8), self.dice.randint(0, 60)
        order = self.dice.choice(
            (Act(seat, self.dice.choice(list(Verb)), number), Resume(), StartHand(number), LeaveSeat(seat), SitOut(seat))
        )
        known = self.command(order, decision=self.dice.choice((None, None, "7-3-1-0-0")))
        first = self.tell(known)
        again = self.tell(known)
        assert not again.events
        assert (again.refusal is None) is (first.refusal is None)
        if again.refusal is not None and first.refusal is not None:
            assert (again.refusal.rule, again.refusal.code) == (first.refusal.rule, first.refusal.code)
        return True

    # ------------------------------------------------------------------ devices

    def link_lost(self) -> bool:
        if self.dice.random() < 0.5:
            return False
        self.tell(LinkChanged("felt", self.dice.choice((0, 3)), LinkState.DOWN, "no answer"))
        if self.dice.random() < 0.5:
            self.tell(LinkChanged("felt", 0, LinkState.UP, ""))
            self.tell(LinkChanged("felt", 3, LinkState.UP, ""))
        return True

    def restarted(self) -> bool:
        """The controller starts anew from its journal, and the readers tell again of what is no card, or read twice."""
        if self.dice.random() < 0.7:
            return False
        self.restart()
        for place in self.tags[:]:
            self.tags.remove(place)
            self.lay_tag(place)
        for card, other in list(self.doubt.items()):
            self.read_twice(card, other)
        self.tell(FeltIsReady())
        return True

    def shoe_restarted(self) -> bool:
        """The shoe starts anew; now and then a card has left it of which it cannot tell any more."""
        if self.dice.random() < 0.7:
            return False
        self.reboot(draw_no=self.draw_no + self.dice.choice((0, 0, 1)))
        return True

    # ------------------------------------------------------------------ between hands

    def table_life(self) -> bool:
        if self.state.hand_open or not self.calm:
            return False
        taken = [seat.seat for seat in self.state.seats]
        seat, other, unit = self.dice.choice(taken), self.dice.randint(1, 8), self.game.stakes.unit
        game = SetGame(self.dice.choice(list(VariantCode)))
        bought, new = AddChips(seat, 40 * unit), SeatPlayer(other, "New", 90 * unit)
        people = (SitOut(seat), SitIn(seat), ChangeSeat(seat, other), LeaveSeat(seat), bought, new)
        self.order(self.dice.choice((*people, game, PauseTable("dinner"), ReopenTable())))
        return True

    def prepare(self) -> None:
        """Whoever is out of chips buys some, at least two play, and the table is open."""
        if self.state.paused or self.state.closed:
            self.must(ReopenTable())
        for seat in self.state.seats:
            if seat.out:
                self.must(SitIn(seat.seat))
            if seat.stack < self.game.stakes.unit:
                self.must(AddChips(seat.seat, self.dice.choice((1, 20, 300)) * self.game.stakes.unit))
        while len(self.state.seats) < 2:
            free = next(n for n in range(1, 8) if n not in {seat.seat for seat in self.state.seats})
            self.must(SeatPlayer(free, "New", 90 * self.game.stakes.unit))
