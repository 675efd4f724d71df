"""A felt that knows where each of the 52 cards of a hand lies, and checks every event of the hand against it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import (
    FeltRight,
    HandInput,
    Refusal,
    StubReloaded,
    VoidHand,
)
from controller.hand.dealing import SHORT
from controller.hand.decide import Decision, decide
from controller.hand.events import (
    ActionTaken,
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandMucked,
    HandTabled,
    PotAwarded,
    RoundOpened,
    ShowdownOpened,
    StubScrambled,
)
from controller.hand.evolve import evolve
from controller.hand.irregular_events import (
    ActionUndone,
    AllInDeclared,
    AwardUndone,
    BoxedReplaced,
    BurnedEarly,
    CardEliminated,
    CardScrapped,
    CardsReturned,
    DoorChosen,
    HandRetrieved,
    HandsKilled,
    HoleExposed,
    MisdealDeclared,
    Scrap,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
    StubReturned,
)
from controller.hand.state import HandState, Phase, Status, open_state
from controller.hand.steps import Held, LoadDue, Over, next_step
from support.hand_walk import Game, Style, most_steps, next_input

RULE: Final = re.compile(r"^R-[A-Z]+-\d\d$")
KEPT_BY_UNDO: Final = ("stub", "burns", "burned", "set_aside", "scrapped", "boxed", "hold", "reload_due")
"""What has left the shoe, or stops play, is a fact that an undo does not change."""
ENDS_UNDO: Final = (
    CardDealt,
    GhostDealt,
    CommunityDealt,
    BurnedEarly,
    CardsReturned,
    CardEliminated,
    HoleExposed,
    DoorChosen,
    SeventhShown,
    SeventhReplaced,
    SeventhKept,
    SeventhRedone,
    HandsKilled,
    HandRetrieved,
    AllInDeclared,
    MisdealDeclared,
)
"""A card that was dealt, or a ruling, on the strength of an action: it is no longer undone (R-RULE-02)."""


class Felt:
    """One hand on a felt. ``give`` tells the hand an input and checks all that must hold after each event."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rng = random.Random(game.seed)
        self.brought = sum(chips for _, chips in game.stacks)
        self.state = open_state(game.setup, game.stacks)
        self.replayed = self.state
        self.met: Counter[str] = Counter()
        self.slips = 0
        self._undoable: list[HandState] = []
        self._before_award: HandState | None = None
        self._gather()

    def _gather(self) -> None:
        """The whole deck is shuffled and lies in the shoe."""
        self.shoe = list(DECK)
        self.rng.shuffle(self.shoe)
        self.burns: list[Card | None] = []
        self.aside: list[Card | None] = []
        self.scrap: list[Card | None] = []
        self.ghosts: list[Card | None] = []
        self.commons: list[Card | None] = []
        self.hands: dict[int, list[Card | None]] = {seat: [] for seat, _ in self.game.stacks}

    # ------------------------------------------------------------------ telling

    def give(self, given: HandInput) -> Decision | Refusal:
        """Tell the hand one input; whatever it answers must be sound."""
        before = self.state
        answer = decide(before, given)
        if isinstance(answer, Refusal):
            assert RULE.match(answer.rule), answer
            assert decide(before, given) == answer
            self.met.update((f"{answer.rule} {answer.code}", f"{type(given).__name__} refused"))
            return answer
        self.met[f"{type(given).__name__} taken"] += bool(answer.events)
        for event in answer.events:
            self._happen(event)
        assert self.state == answer.state
        self._check_going_on()
        return answer

    def go_on(self, style: Style) -> None:
        """The next step of ordinary play, which must be accepted and must lead on."""
        given = self.next_input(style)
        answer = self.give(given)
        assert isinstance(answer, Decision), f"{given} was refused: {answer}"
        assert answer.events, f"{given} led to nothing"
        assert not isinstance(answer.events[0], HandHeld), f"{given} led to a hold: {answer.events}"

    def finish(self, style: Style) -> None:
        """Play the hand to its end without another slip."""
        for _ in range(most_steps(self.game) + 60 * (1 + self.state.redeals)):
            if self.state.over:
                return
            self.go_on(style)
        raise AssertionError("the hand does not end")

    def next_input(self, style: Style) -> HandInput:
        """What ``next_step`` names."""
        match next_step(self.state):
            case Held(hold):
                return VoidHand("no cards") if hold.code == SHORT.code else FeltRight()
            case LoadDue(cards):
                return StubReloaded(cards)
            case _:
                return next_input(self.state, [self.shoe[-1]] if self.shoe else [], self.rng, style)

    # ------------------------------------------------------------------ checking

    def _happen(self, event: HandEvent) -> None:
        before, after = self.state, evolve(self.state, event)
        self.met[type(event).__name__] += 1
        self._move(event, before, after)
        self._note_undo(event, before, after)
        self.state = after
        self.replayed = evolve(self.replayed, event)
        self._check_chips()
        self._check_cards()
        self._check_counts(event)

    def _check_going_on(self) -> None:
        """Never stuck: what ``next_step`` names is there to be done."""
        assert self.replayed == self.state
        step = next_step(self.state)
        if isinstance(step, Over):
            return
        given = self.next_input(Style(0, 1))
        answer = decide(self.state, given)
        assert isinstance(answer, Decision), f"{step}: {given} was refused: {answer}"
        assert answer.events, f"{step}: {given} leads to nothing"
        if self.state.phase is Phase.BETTING and self.state.hold is None and not self.state.reload_due:
            asked = self.state.seats[self.state.index_of(self.state.round.actor)]
            assert asked.active or (asked.status is Status.KILLED and self.state.round.post_due)
            assert legal_actions(self.state)

    def _check_chips(self) -> None:
        """R-POT-11: stacks, what lies in the middle and the rake of paid pots are what was brought."""
        state = self.state
        paid = [number for number, shares in enumerate(state.awards) if shares is not None]
        middle = sum(entry.total for entry in state.seats)
        if state.phase is not Phase.VOIDED:
            middle += sum(state.rake[number] - state.pots[number].chips for number in paid)
        assert sum(entry.stack for entry in state.seats) + middle == self.brought
        assert all(entry.stack >= 0 and entry.total >= 0 and entry.street_chips >= 0 for entry in state.seats)

    def _check_cards(self) -> None:
        """R-DECK-01, R-STUB-01: each card in one place, as the hand believes it."""
        state = self.state
        assert state.stub == len(self.shoe), (state.stub, len(self.shoe))
        assert (list(state.burned), state.burns) == (self.burns, len(self.burns))
        assert (state.set_aside, state.scrapped) == (len(self.aside), len(self.scrap))
        assert list(state.commons) == self.commons
        for entry in state.seats:
            assert Counter(entry.cards) == Counter(self.hands[entry.seat])
        places: list[Sequence[Card | None]] = [
            self.shoe,
            self.burns,
            self.aside,
            self.scrap,
            self.ghosts,
            self.commons,
            *self.hands.values(),
        ]
        assert Counter(card for place in places for card in place) == Counter(DECK)

    def _check_counts(self, event: HandEvent) -> None:
        """R-ERR-05: every live hand has the cards of the street before anybody acts on them."""
        state = self.state
        if isinstance(event, RoundOpened | ShowdownOpened):
            street = 7 if isinstance(event, ShowdownOpened) else state.street
            for entry in state.seats:
                own = len(entry.cards) + len(state.commons)
                assert not entry.live or own == street or (own == 7 and street == 6), (entry.seat, own, street)
        if isinstance(event, PotAwarded):
            for share in event.shares:
                entry = state.seats[state.index_of(share.seat)]
                assert (entry.live and not entry.mucked) or not any(
                    other.live and not other.mucked for other in self._eligible(event.pot)
                )
        if isinstance(event, HandEnded):
            assert sum(chips for _, chips in event.stacks) + event.rake == self.brought

    def _eligible(self, pot: int) -> list[Any]:
        return [self.state.seats[self.state.index_of(seat)] for seat in self.state.pots[pot].seats]

    def _note_undo(self, event: HandEvent, before: HandState, after: HandState) -> None:
        """R-RULE-02, Q-84: an undo gives back the state before the action; what has left the shoe since stays where it lies."""
        match event:
            case ActionTaken():
                self._undoable.append(before)
            case ActionUndone():
                assert self._undoable, "an action was undone after its window"
                expected = self._undoable.pop()
                away = {entry.seat: entry.away for entry in before.seats}
                noted = [waits for waits in before.waiting if waits not in expected.waiting]
                expected = expected._replace(
                    seats=tuple(entry._replace(away=away[entry.seat]) for entry in expected.seats),
                    **{name: getattr(before, name) for name in KEPT_BY_UNDO},
                    early_burn=expected.early_burn or before.burns > expected.burns,
                    waiting=(*expected.waiting, *noted),
                    corrected=True,
                )
                assert after == expected
            case HandTabled():
                self._undoable.clear()
                self._before_award = None
            case HandMucked():
                self._before_award = before
            case PotAwarded():
                contested = any(share.wins is not None for shares in before.awards if shares for share in shares)
                if not contested and any(share.wins is not None for share in event.shares):
                    self._before_award = before
            case AwardUndone():
                assert after == self._before_award
                self._before_award = None
            case _ if isinstance(event, ENDS_UNDO):
                self._undoable.clear()
            case _:
                pass

    # ------------------------------------------------------------------ cards

    def _draw(self, card: Card | None) -> Card | None:
        drawn = self.shoe.pop()
        assert card == drawn
        return drawn

    def _move(self, event: HandEvent, before: HandState, after: HandState) -> None:
        """Move the cards on the felt as the event says."""
        match event:
            case CardDealt(place=place, card=card):
                self.hands[place.seat].append(self._draw(card))
            case GhostDealt(card=card):
                self.ghosts.append(self._draw(card))
            case BurnMade(card=card) | BurnedEarly(card=card):
                self.burns.append(self._draw(card))
            case CommunityDealt(card=card):
                self.commons.append(self._draw(card))
            case CardEliminated(card=card):
                self.aside.append(self._draw(card))
            case SeventhKept(seat=seat, card=card):
                assert card is not None
                self.shoe.remove(card)  # the last of the premature cards; those before it come back
                self.hands[seat].append(card)
            case CardScrapped(scrap=Scrap.BOXED, card=card):
                self.scrap.append(self._draw(card))
            case SeventhReplaced(seat=seat, card=card) | BoxedReplaced(seat=seat, card=card):
                self.hands[seat].remove(card)
                self.scrap.append(card)
            case SeventhRedone(stub=stub):
                kept = [hand.pop() for hand in self.hands.values() if len(hand) + len(self.commons) > 6]
                self._return([*kept, *(self.burns.pop() for _ in range(before.burns - after.burns))])
                assert stub == len(self.shoe)
            case CardsReturned(stub=stub):
                assert stub == len(self.shoe)
                self._return([])
            case StubScrambled(cards=cards):
                self._return([*self.burns, *self.aside])
                self.burns, self.aside = [], []
                assert cards == len(self.shoe)
            case MisdealDeclared():
                self._gather()
            case StubReturned(cards=cards):
                assert cards == len(self.shoe)
            case _:
                pass

    def _return(self, cards: list[Card | None]) -> None:
        self.shoe.extend(card for card in cards if card is not None)
        self.rng.shuffle(self.shoe)
