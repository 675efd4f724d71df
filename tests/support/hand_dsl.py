"""Hands as short stories: seats and stacks, cards by seat, actions in words; the cards deal themselves.

``Story({1: 100, 5: 60}, cards={5: "?? ?? 2c"})`` posts the antes and deals up to the first decision. ``"??"`` and everything
that is not named is a card that disturbs nothing: up cards of middling rank that never pair their own board. Amounts are
totals of the street.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card, parse_card
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, MuckHand, PostAnte, Refusal, StubReloaded, TableHand
from controller.hand.decide import Decision, decide
from controller.hand.events import HandEvent
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.rules import HouseRules, house_rules
from controller.hand.showdown import to_show
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, Phase, open_state
from controller.hand.steps import CardDue, LoadDue, TableDue, next_step
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

FOUR_EIGHT = Stakes(ante=1, bring_in=2, small=4, big=8, unit=1)
_VERBS = {"post": Verb.BRING_IN, "fold": Verb.FOLD, "call": Verb.CALL, "check": Verb.CHECK, "to": Verb.RAISE}
_WORDS = {Verb.BRING_IN: "post"}
_QUIET_RANKS = "6789TJ"


def cards_of(text: str) -> tuple[Card, ...]:
    """The cards of ``text``; strokes between streets are for the reader."""
    return tuple(parse_card(word) for word in text.replace("|", " ").replace(",", " ").split())


def rules_of(preset: str = "seeds", **knobs: str) -> HouseRules:
    """A preset with knobs overridden; dots are written as two underscores."""
    return house_rules(preset, {name.replace("__", "."): value for name, value in knobs.items()})


class Story:
    """One hand being told. Every step asserts that it was accepted; ``refusal`` asks for what must not be."""

    def __init__(
        self,
        stacks: Mapping[int, int],
        *,
        variant: str = "stud",
        stakes: Stakes = FOUR_EIGHT,
        cards: Mapping[int, str] | None = None,
        burns: str = "",
        community: str = "",
        preset: str = "seeds",
        last_two: bool = False,
        **knobs: str,
    ) -> None:
        setup = HandSetup(1, VariantCode(variant), stakes, rules_of(preset, **knobs), last_two)
        self.stacks = dict(sorted(stacks.items()))
        self.state = open_state(setup, tuple(self.stacks.items()))
        self.events: list[HandEvent] = []
        self._named = {seat: text.replace("|", " ").split() for seat, text in (cards or {}).items()}
        self._burns = list(cards_of(burns))
        self._community = list(cards_of(community))
        named = [word for words in self._named.values() for word in words if word != "??"]
        self._free = [card for card in DECK if card not in {*map(parse_card, named), *self._burns, *self._community}]
        self._given: dict[int, int] = dict.fromkeys(self.stacks, 0)
        self.laid: list[tuple[str, Card]] = []
        for seat in self.stacks:
            self.tell(PostAnte(seat))
        self.deal()

    # ------------------------------------------------------------------ telling

    def tell(self, given: HandInput) -> Decision:
        """Give one input, which must be accepted."""
        decision = decide(self.state, given)
        assert isinstance(decision, Decision), f"{given} was refused: {decision}"
        self.events.extend(decision.events)
        self.state = decision.state
        return decision

    def refusal(self, given: HandInput) -> Refusal:
        """Give one request, which must be refused and change nothing."""
        refused = decide(self.state, given)
        assert isinstance(refused, Refusal), f"{given} was accepted"
        return refused

    def refused_rule(self, text: str) -> str:
        """The rule that forbids an action written as in ``bets``."""
        seat, verb, to = self._parse(text)
        return self.refusal(Act(seat, verb, to)).rule

    def deal(self) -> None:
        """Lay every card that is due, scrambles and compulsory tabling included, until somebody is asked."""
        while True:
            match next_step(self.state):
                case LoadDue(cards):
                    self._load(cards)
                case CardDue():
                    self.deal_one()
                case TableDue(seats) if self.state.phase is Phase.DEALING:  # turned up before the hand is run out (R-SHOW-06)
                    self.show(*seats)
                case _:
                    return

    def deal_one(self) -> Card:
        """Lay the next card that is due."""
        due = self.state.due[self.state.dealt]
        match due.place:
            case SeatPlace(seat, zone):
                card = self._free_card(zone, seat) if due.ghost else self._seat_card(seat, zone)
            case Spot.BURN:
                card = self._burns.pop(0) if self._burns else self._free_card(Zone.DOWN)
            case _:
                card = self._community.pop(0) if self._community else self._free_card(Zone.DOWN)
        self.laid.append((f"{due.place}{' ghost' if due.ghost else ''}", card))
        self.tell(CardLaid(due.place, card))
        return card

    def bets(self, *lines: str) -> Story:
        """Actions in order, as ``"1 post 2, 3 fold, 4 call, 7 to 4"``; a street's cards fall when its round closes."""
        for text in ",".join(lines).split(","):
            seat, verb, to = self._parse(text)
            assert self.actor == seat, f"{text.strip()!r}: seat {self.actor} is to act"
            self.tell(Act(seat, verb, to))
            self.deal()
        return self

    def passive(self, until: int) -> Story:
        """Everybody posts, calls or checks until ``until`` is the street."""
        while self.state.street < until and self.actor:
            first = legal_actions(self.state)[0]
            self.tell(Act(self.actor, first.verb, first.to))
            self.deal()
        return self

    def show(self, *seats: int) -> Story:
        """These seats table their hands."""
        for seat in seats:
            self.tell(TableHand(seat))
        return self

    def muck(self, *seats: int) -> Story:
        """These seats concede unseen."""
        for seat in seats:
            self.tell(MuckHand(seat))
        return self

    def showdown(self) -> Story:
        """Everybody who must shows, and the dealer confirms the awards."""
        self.show(*to_show(self.state))
        if self.state.phase is Phase.SHOWDOWN:
            self.tell(AwardPots())
        return self

    # ------------------------------------------------------------------ reading

    @property
    def actor(self) -> int:
        """Who is asked, 0 for nobody."""
        return self.state.round.actor

    @property
    def options(self) -> str:
        """What the seat to act may do, as ``"call 2, complete 4, fold"``."""
        return ", ".join(
            _WORDS.get(action.verb, action.verb.value) + ("" if action.verb in (Verb.FOLD, Verb.CHECK) else f" {action.to}")
            for action in legal_actions(self.state)
        )

    @property
    def pot(self) -> int:
        """All chips in the middle that are not yet awarded."""
        paid = sum(pot.chips for pot, shares in zip(self.state.pots, self.state.awards, strict=True) if shares is not None)
        return sum(entry.total for entry in self.state.seats) - paid

    @property
    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """Chips and seats of each pot, main pot first."""
        return [(pot.chips, pot.seats) for pot in self.state.pots]

    @property
    def ends(self) -> dict[int, int]:
        """Stacks now."""
        return {entry.seat: entry.stack for entry in self.state.seats}

    @property
    def won(self) -> dict[int, int]:
        """What each seat got from pots; seats without are left out."""
        return {entry.seat: entry.won for entry in self.state.seats if entry.won}

    def happened(self, kind: type[Any]) -> list[Any]:
        """All events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    # ------------------------------------------------------------------ cards

    def _parse(self, text: str) -> tuple[int, Verb, int]:
        words = text.split()
        seat, verb = int(words[0]), _VERBS[words[1]]
        if len(words) > 2:
            return seat, verb, int(words[2])
        return seat, verb, next((action.to for action in legal_actions(self.state) if action.verb is verb), 0)

    def _load(self, cards: int) -> None:
        self._free.extend(card for card in self.state.burned if card is not None)
        self.tell(StubReloaded(cards))

    def _seat_card(self, seat: int, zone: Zone) -> Card:
        number = self._given[seat]
        self._given[seat] += 1
        words = self._named.get(seat, [])
        if number < len(words) and words[number] != "??":
            return parse_card(words[number])
        return self._free_card(zone, seat)

    def _free_card(self, zone: Zone, seat: int = 0) -> Card:
        card = next(self._candidates(zone, seat), self._free[0])
        self._free.remove(card)
        return card

    def _candidates(self, zone: Zone, seat: int) -> Iterator[Card]:
        """Up: quiet ranks that are not on the board, nor named for it. Elsewhere: the other ranks first."""
        if zone is Zone.UP:
            board = {word[0] for word in self._named.get(seat, [])[2:6]}
            board |= {card.text[0] for card in self.state.seats[self.state.index_of(seat)].up}
            yield from (card for card in self._free if card.text[0] in _QUIET_RANKS and card.text[0] not in board)
            yield from (card for card in self._free if card.text[0] not in board)
        else:
            yield from (card for card in self._free if card.text[0] not in _QUIET_RANKS)


def third(behind: Mapping[int, int], low: int, **options: Any) -> Story:
    """Third street with these chips behind the antes; seat ``low`` holds the low door card (the high one in razz)."""
    stakes: Stakes = options.get("stakes", FOUR_EIGHT)
    door = "?? ?? Ks" if options.get("variant") == "razz" else "?? ?? 2c"
    cards = {low: door} | dict(options.pop("cards", {}))
    return Story({seat: chips + stakes.ante for seat, chips in behind.items()}, cards=cards, **options)


def later(street: int, behind: Mapping[int, int], opens: int, **options: Any) -> Story:
    """A later street with these chips behind, after bring-in, calls and checks; seat ``opens`` shows an ace and opens it."""
    stakes: Stakes = options.get("stakes", FOUR_EIGHT)
    paid = stakes.ante + stakes.bring_in
    cards = {opens: "?? ?? Ah"} | dict(options.pop("cards", {}))
    story = Story({seat: chips + paid for seat, chips in behind.items()}, cards=cards, **options).passive(street)
    assert story.state.street == street
    assert story.ends == dict(sorted(behind.items()))
    return story
