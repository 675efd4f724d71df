"""A hand told in order with public cards only: what every format is written from.

A down card is public when its seat tabled its hand, or an exposure turned it up (R-EXP); every other is ``None``, whatever the
events carry. Seats are 1-based, money is whole chips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from controller.hand import events as e
from controller.hand import irregular_events as slips
from controller.hand.cards import Card
from controller.hand.events import HandEvent
from controller.hand.places import Spot, Zone
from controller.hand.terms import Verb
from controller.hand.variants import Wins


@dataclass(frozen=True, slots=True)
class Anted:
    """A seat posted its ante."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card came to a seat; ``card`` is ``None`` when it never was public. ``ghost``: a dead card (R-DEAL-06)."""

    seat: int
    street: int
    card: Card | None = field(repr=False)
    up: bool
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Burned:
    """A card was burned before ``street``."""

    street: int


@dataclass(frozen=True, slots=True)
class Common:
    """The common card (R-STUB-04)."""

    street: int
    card: Card = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """``burns`` burns went back into the stub, which holds ``stub`` cards then."""

    street: int
    burns: int
    stub: int


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat acted: ``chips`` added, ``to`` its total on the street, ``price`` the total to be matched before.

    ``in_turn`` is false for what stood although another seat was asked (R-BET-14).
    """

    seat: int
    street: int
    verb: Verb
    chips: int
    to: int
    all_in: bool
    price: int
    in_turn: bool = True


@dataclass(frozen=True, slots=True)
class Killed:
    """A hand was ruled dead (R-ABS-03)."""

    seat: int
    street: int


@dataclass(frozen=True, slots=True)
class Returned:
    """The uncalled part went back (R-ALLIN-03)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat tabled its cards."""

    seat: int
    cards: tuple[Card, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mucked:
    """A seat conceded unseen."""

    seat: int


@dataclass(frozen=True, slots=True)
class Won:
    """A share of a pot, 0 for the main pot; ``wins`` is ``None`` when nobody contested it."""

    seat: int
    chips: int
    pot: int
    wins: Wins | None


Play: TypeAlias = Anted | Dealt | Burned | Common | Reshuffled | Acted | Killed | Returned | Shown | Mucked | Won
LAST_STREET: Final = 7
_Test: TypeAlias = Callable[[Play], bool]


def plays_of(events: Sequence[HandEvent]) -> tuple[Play, ...]:
    """The plays of a hand's events, corrections applied."""
    story = _Story()
    for event in events:
        story.take(event)
    return tuple(story.told())


class _Story:
    """Plays so far; slips of the deal change what was dealt before them."""

    def __init__(self) -> None:
        self._plays: list[Play] = []
        self._street = 3
        self._price = 0
        self._actor = 0
        self._burns = 0
        self._kept: list[Dealt] = []
        self._tabled: dict[int, tuple[Card, ...]] = {}

    def take(self, event: HandEvent) -> None:
        """One event."""
        match event:
            case e.DealStarted(street=street, due=due):
                self._street = street
                if street == LAST_STREET:  # a premature seventh that was kept is dealt here, unless a common card is (R-ERR-02)
                    self._plays.extend(() if any(card.place is Spot.COMMUNITY for card in due) else self._kept)
                    self._kept.clear()
            case e.RoundOpened(street=street, actor=actor):
                self._street, self._price, self._actor = street, 0, actor
            case e.CardDealt(street=street, place=place, card=card):
                up = place.zone is Zone.UP
                self._plays.append(Dealt(place.seat, street, card if up else None, up))
            case e.ActionTaken():
                told = (event.seat, self._street, event.verb, event.chips, event.to, event.all_in, self._price)
                self._plays.append(Acted(*told, in_turn=event.seat == self._actor))
                self._price, self._actor = event.match, event.actor
            case e.HandTabled(seat=seat, cards=cards):
                self._tabled[seat] = cards
                self._plays.append(Shown(seat, cards))
            case e.AntePosted(seat=seat, chips=chips):
                self._plays.append(Anted(seat, chips))
            case e.UncalledReturned(seat=seat, chips=chips):
                self._plays.append(Returned(seat, chips))
            case e.HandMucked(seat=seat):
                self._plays.append(Mucked(seat))
            case e.PotAwarded(pot=pot, shares=shares):
                self._plays.extend(Won(share.seat, share.chips, pot, share.wins) for share in shares)
            case _:
                self._rest(event)

    def _rest(self, event: HandEvent) -> None:
        """The common card, burns, ghosts and the stub."""
        match event:
            case e.BurnMade() | slips.BurnedEarly():
                self._burns += 1
                self._plays.append(Burned(self._street))
            case e.GhostDealt(street=street, place=place):
                self._plays.append(Dealt(place.seat, street, None, up=False, ghost=True))
            case e.CommunityDealt(card=card):
                self._plays.append(Common(self._street, card))
            case e.StubCounted(street=street):
                self._street = street
            case e.StubScrambled(cards=cards):
                self._plays.append(Reshuffled(self._street, self._burns, cards))
                self._burns = 0
            case _:
                self._slip(event)

    def _slip(self, event: HandEvent) -> None:
        match event:
            case slips.HandsKilled(seats=seats, actor=actor):
                self._actor = actor
                self._plays.extend(Killed(seat, self._street) for seat in seats)
            case slips.HandRetrieved(seat=seat, actor=actor):
                self._actor = actor
                self._drop(lambda play: isinstance(play, Killed | Mucked) and play.seat == seat)
            case slips.HoleExposed() | slips.DoorChosen() | slips.SeventhShown():
                self._turned_up(event)
            case slips.SeventhReplaced(seat=seat):
                self._drop(lambda play: isinstance(play, Dealt) and play.seat == seat and play.street == LAST_STREET)
            case slips.BoxedReplaced(seat=seat, number=number):
                mine = [index for index, play in enumerate(self._plays) if isinstance(play, Dealt) and play.seat == seat]
                del self._plays[mine[number - 1]]
            case slips.SeventhKept(seat=seat):
                self._kept.append(Dealt(seat, LAST_STREET, None, up=False))
            case slips.AllInDeclared() | slips.ActorMoved():
                self._actor = event.actor if isinstance(event, slips.AllInDeclared) else event.seat
            case _:
                pass

    def _turned_up(self, event: slips.HoleExposed | slips.DoorChosen | slips.SeventhShown) -> None:
        mine = [index for index, play in enumerate(self._plays) if isinstance(play, Dealt) and play.seat == event.seat]
        match event:
            case slips.HoleExposed(number=number):
                shown = [index for index in mine if not self._dealt(index).up][number - 1]
            case slips.DoorChosen(number=number):
                for index in mine[:3]:
                    self._plays[index] = replace(self._dealt(index), up=False, card=None)
                shown = mine[number - 1]
            case _:
                shown = mine[-1]
        self._plays[shown] = replace(self._dealt(shown), up=True, card=event.card)

    def _dealt(self, index: int) -> Dealt:
        play = self._plays[index]
        if not isinstance(play, Dealt):
            raise TypeError("this play is no card")
        return play

    def _drop(self, is_it: _Test) -> None:
        """Take out the last play that ``is_it``."""
        for index in range(len(self._plays) - 1, -1, -1):
            if is_it(self._plays[index]):
                del self._plays[index]
                return

    def told(self) -> Iterator[Play]:
        """The plays, with the down cards of seats that tabled: their order is the order of dealing."""
        known = {play.card for play in self._plays if isinstance(play, Dealt)}
        down = {seat: iter([card for card in cards if card not in known]) for seat, cards in self._tabled.items()}
        for play in _with_streets(self._plays):
            if isinstance(play, Dealt) and play.card is None and not play.ghost and play.seat in down:
                yield replace(play, card=next(down[play.seat], None))
            else:
                yield play


def _with_streets(plays: Sequence[Play]) -> list[Play]:
    """A burn is the burn of the street whose card falls next: it may have been made before an undo (Q-84)."""
    told: list[Play] = []
    street: int | None = None
    for play in reversed(plays):
        if isinstance(play, Dealt | Common):
            street = play.street
        told.append(Burned(street) if isinstance(play, Burned) and street is not None else play)
    return told[::-1]
