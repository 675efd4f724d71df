"""Where the 52 cards are: shoe, in flight, dealt places, as journalled evidence and dealing tell (devices §3, reconciliation).

The shoe tells which card left it and in which order, the readers tell where a card lies; a card is dealt when both agree.
Pure values; a card that could not be read, or whose key is gone, is ``None`` and takes no part in matching.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.hand.cards import Card
from controller.hand.places import Place, SeatPlace, Spot, covers
from controller.hand.terms import Due

DECK_SIZE: Final = 52


class Flight(NamedTuple):
    """A card that left the shoe and is not dealt yet; ``due`` is ``None`` when no card was due.

    ``kind`` says why ``card`` is not known: ``unreadable``, ``foreign`` or ``joker``; ``card`` otherwise. ``confirmed``: a person
    said that it lies where it is due, or a reader where no shoe tells.
    """

    draw_no: int
    card: Card | None
    due: Due | None
    kind: str = "card"
    confirmed: bool = False


class FeltProblem(NamedTuple):
    """What is wrong on the felt; ``place`` where it lies. Never a card."""

    code: str
    place: Place | None


class Custody(NamedTuple):
    """The deck of one load. ``placed``: where dealt cards belong; ``lying``: where readers see cards now."""

    in_shoe: int = 0
    loaded: int = 0
    draw_no: int = 0
    drawn: frozenset[Card] = frozenset()
    flights: tuple[Flight, ...] = ()
    placed: Mapping[Card, Place] = {}
    placed_count: int = 0
    lying: Mapping[Card, Place] = {}
    unknown: Mapping[Place, int] = {}
    """Dealt cards that nobody has read, by where they belong: they were confirmed by hand, or their key is gone."""
    strangers: Mapping[Place, int] = {}
    unexplained: frozenset[Card] = frozenset()
    elsewhere: Mapping[Card, Place] = {}
    """Cards that are read at a second place too, which is told here; ``lying`` has the first."""
    unseen: frozenset[int] = frozenset()
    """Draw numbers of cards in flight that no reader has seen in time."""
    aside: frozenset[Card] = frozenset()
    """Cards that were eliminated: a reserve of the stub (R-ERR-01)."""
    nameless: tuple[Place, ...] = ()
    """Where cards lie that a ruling took although nothing had told which they are."""
    awaits_load: int = -1
    """The shoe's load while another one is awaited; -1 when none is."""
    fault: str = ""

    @property
    def accounted(self) -> int:
        """Cards in the shoe, in flight and dealt; 52 when none is lost or doubled."""
        return self.in_shoe + len(self.flights) + self.placed_count


def load(custody: Custody, cards: int) -> Custody:
    """A whole deck lies in the shoe: a new deal begins, and of the old one only what readers see is left (R-DECK-01)."""
    seen = custody.lying, custody.strangers, custody.elsewhere
    return Custody(in_shoe=cards, loaded=cards, lying=seen[0], strangers=seen[1], elsewhere=seen[2])


def is_untouched(custody: Custody) -> bool:
    """No card of this load has left the shoe: another order of the whole deck changes nothing for anybody."""
    return not (custody.draw_no or custody.flights or custody.placed_count)


def reload_stub(custody: Custody, cards: int) -> Custody:
    """A stub of ``cards`` cards lies in the shoe; draw numbers start again (R-STUB-02, R-ERR-01).

    A card that was out although none was due has been shuffled in with the others: the count tells.
    """
    drawn = frozenset(custody.placed)
    return custody._replace(in_shoe=cards, loaded=cards, draw_no=0, drawn=drawn, flights=(), unseen=frozenset(), awaits_load=-1)


def unburn(custody: Custody, cards: int) -> Custody:
    """All cards that were burned or set aside, ``cards`` of them, are in the stub again (R-STUB-02)."""
    kept = {card: place for card, place in custody.placed.items() if place is not Spot.BURN and card not in custody.aside}
    nameless = tuple(place for place in custody.nameless if isinstance(place, SeatPlace))
    unknown: dict[Place, int] = {place: count for place, count in custody.unknown.items() if place is not Spot.BURN}
    held = custody._replace(placed_count=custody.placed_count - cards, unknown=unknown, nameless=nameless)
    return held._replace(placed=kept, drawn=frozenset(kept), aside=frozenset())


def take_back(custody: Custody, gone: frozenset[Card], cards: int) -> Custody:
    """``cards`` dealt cards go back to be shuffled into the stub, those of ``gone`` as far as they are known (Q-67)."""
    kept = {card: place for card, place in custody.placed.items() if card not in gone}
    return custody._replace(
        in_shoe=custody.in_shoe + cards,
        placed=kept,
        placed_count=custody.placed_count - cards,
        drawn=custody.drawn - gone,
        nameless=tuple(place for place in custody.nameless if not isinstance(place, SeatPlace)),
    )


def give_up(custody: Custody) -> Custody:
    """The deal is given up: every card goes back for the redeal, however the stub was counted last (R-MIS-03)."""
    return custody._replace(
        in_shoe=DECK_SIZE,
        flights=(),
        placed={},
        placed_count=0,
        unknown={},
        unexplained=frozenset(),
        unseen=frozenset(),
        aside=frozenset(),
        nameless=(),
    )


def redirect(custody: Custody, due: tuple[Due, ...]) -> Custody:
    """The cards in flight are for ``due``, in the order in which they left the shoe; those behind it for nothing (R-ERR-01)."""
    flights = tuple(
        flight._replace(due=due[number] if number < len(due) else None) for number, flight in enumerate(custody.flights)
    )
    return custody if flights == custody.flights else custody._replace(flights=flights)


def draw(custody: Custody, draw_no: int, card: Card | None, due: Due | None, remaining: int, kind: str = "card") -> Custody:
    """A card left the shoe. A card that had left it before is a fault of deck or shoe (R-ERR-08)."""
    doubled = card is not None and card in custody.drawn
    return custody._replace(
        in_shoe=_left_in_shoe(custody, remaining, -1),
        draw_no=draw_no,
        drawn=custody.drawn if card is None else custody.drawn | {card},
        flights=(*custody.flights, Flight(draw_no, card, due, kind)),
        unexplained=custody.unexplained if card is None else custody.unexplained - {card},
        fault="duplicate_card" if doubled else custody.fault,
    )


def _left_in_shoe(custody: Custody, remaining: int, change: int) -> int:
    """Cards in the shoe when one went out (-1) or in (1), as the shoe counts them.

    While a load is awaited the cards that go back into the stub count as in it, though the shoe has them not yet.
    """
    return remaining if remaining >= 0 and custody.awaits_load < 0 else custody.in_shoe + change


def put_back(custody: Custody, draw_no: int, card: Card | None, remaining: int) -> Custody:
    """The last card out went back into the shoe; any other card going in is a fault (TSP/1, mode R).

    ``draw_no`` tells which card it is where one of the two readings is unknown.
    """
    last = custody.flights[-1] if custody.flights else None
    if last is None or last.draw_no != draw_no:
        return custody._replace(in_shoe=_left_in_shoe(custody, remaining, 1), fault="wrong_card_back")
    differs = card is not None and last.card is not None and card != last.card
    return custody._replace(
        in_shoe=_left_in_shoe(custody, remaining, 1),
        drawn=custody.drawn - {card, last.card},
        flights=custody.flights[:-1],
        fault="wrong_card_back" if differs else custody.fault,
    )


def deal_head(custody: Custody, card: Card | None = None) -> Custody:
    """The oldest card in flight was dealt to its place; ``card`` is what everybody saw there, where its own reading is gone."""
    flight, *rest = custody.flights
    known = card if flight.card is None else flight.card
    placed, unknown, drawn = custody.placed, custody.unknown, custody.drawn
    place = None if flight.due is None else flight.due.place
    if place is not None and known is None:
        unknown = {**unknown, place: unknown.get(place, 0) + 1}
    elif place is not None and known is not None:
        placed, drawn = {**placed, known: place}, drawn | {known}
    return custody._replace(
        flights=tuple(rest), placed=placed, unknown=unknown, drawn=drawn, placed_count=custody.placed_count + 1
    )


def take_head(custody: Custody, place: Place) -> Custody:
    """The oldest card in flight goes to ``place`` by a ruling: early burn, eliminated (R-ERR-01)."""
    return take_flight(custody, 0, place)


def take_flight(custody: Custody, behind: int, place: Place) -> Custody:
    """The card in flight with ``behind`` older ones goes to ``place`` by a ruling (R-ERR-01, R-MIS-06)."""
    flight, rest = custody.flights[behind], (*custody.flights[:behind], *custody.flights[behind + 1 :])
    placed = custody.placed if flight.card is None else {**custody.placed, flight.card: place}
    return custody._replace(
        flights=rest, placed=placed, placed_count=custody.placed_count + 1, nameless=_nameless(custody, flight, place)
    )


def _nameless(custody: Custody, flight: Flight, place: Place) -> tuple[Place, ...]:
    return (*custody.nameless, place) if flight.kind == "unreadable" else custody.nameless


def unexplained(custody: Custody, card: Card) -> Custody:
    """The shoe had its time to explain ``card``: it is one that a ruling took unread, where such a one lies, or unexplained."""
    place = custody.lying[card]
    taken = next((number for number, where in enumerate(custody.nameless) if covers(place, where)), None)
    if taken is None:
        return custody._replace(unexplained=custody.unexplained | {card})
    return custody._replace(
        placed={**custody.placed, card: custody.nameless[taken]},
        drawn=custody.drawn | {card},
        nameless=(*custody.nameless[:taken], *custody.nameless[taken + 1 :]),
    )


def take_card(custody: Custody, card: Card | None, place: Place) -> Custody:
    """A certain card in flight goes to ``place`` by a ruling, the last one where it is not known (R-ERR-02)."""
    known = [number for number, flight in enumerate(custody.flights) if card is not None and flight.card == card]
    return take_flight(custody, known[0] if known else len(custody.flights) - 1, place)


def send_back(custody: Custody) -> Custody:
    """The cards in flight go back to be shuffled into the stub (R-ERR-01)."""
    gone = {flight.card for flight in custody.flights if flight.card is not None}
    return custody._replace(flights=(), drawn=custody.drawn - gone, in_shoe=custody.in_shoe + len(custody.flights))


def see(custody: Custody, card: Card, place: Place) -> Custody:
    """A reader established that ``card`` lies at ``place``."""
    return custody._replace(
        lying={**custody.lying, card: place},
        unexplained=custody.unexplained - {card},
        elsewhere=_without(custody.elsewhere, card),
        unseen=custody.unseen and custody.unseen - {flight.draw_no for flight in custody.flights if flight.card == card},
    )


def leave(custody: Custody, card: Card, place: Place) -> Custody:
    """A reader established that ``card`` no longer lies at ``place``; it may have been seen elsewhere since."""
    if custody.lying.get(card) != place:
        return custody
    return custody._replace(
        lying=_without(custody.lying, card),
        unexplained=custody.unexplained - {card},
        elsewhere=_without(custody.elsewhere, card),
    )


def read_twice(custody: Custody, card: Card, other: Place) -> Custody:
    """A card is read at ``other`` too, for longer than a card needs to pass: where it lies is in doubt (devices §3)."""
    return custody._replace(elsewhere={**custody.elsewhere, card: other})


def read_once(custody: Custody, card: Card) -> Custody:
    """One of the two places has lost the card."""
    return custody._replace(elsewhere=_without(custody.elsewhere, card))


def _without(places: Mapping[Card, Place], card: Card) -> Mapping[Card, Place]:
    return {known: place for known, place in places.items() if known != card} if card in places else places


def overdue(custody: Custody, draw_no: int) -> Custody:
    """No reader has seen this card in flight in the time that a dealer needs to lay it (devices §3: no RFID in 3 s)."""
    return custody._replace(unseen=custody.unseen | {draw_no})


def awaited(custody: Custody) -> tuple[Flight, ...]:
    """Cards in flight that a reader must see yet, oldest first; not those that are told as overdue."""
    return tuple(flight for flight in _not_seen(custody) if flight.draw_no not in custody.unseen)


def _not_seen(custody: Custody) -> tuple[Flight, ...]:
    return tuple(
        flight
        for flight in custody.flights
        if flight.card is not None and flight.due is not None and flight.card not in custody.lying and not flight.confirmed
    )


def is_astray(custody: Custody, card: Card, place: Place, live_seats: frozenset[int]) -> bool:
    """Whether ``card`` would be wrong at ``place``, as far as is known where it is due: in flight, or dealt."""
    for flight in custody.flights:
        if flight.card == card:
            return flight.due is not None and not covers(place, flight.due.place)
    due = custody.placed.get(card)
    return due is not None and (_fouls(place, due, live_seats) or _is_thrown(place, due, live_seats))


def stranger(custody: Custody, place: Place, change: int) -> Custody:
    """A tag that is no card of this deck came to (1) or left (-1) ``place``."""
    strangers = {**custody.strangers, place: max(0, custody.strangers.get(place, 0) + change)}
    return custody._replace(strangers={where: count for where, count in strangers.items() if count})


def ready_flight(custody: Custody) -> Flight | None:
    """The oldest card in flight when it lies where it is due: shoe and felt agree, or it was confirmed (devices §3)."""
    flight = custody.flights[0] if custody.flights else None
    if flight is None or flight.due is None or not (flight.confirmed or flight.card in custody.lying):
        return None
    place = None if flight.card is None else custody.lying.get(flight.card)
    return flight if flight.confirmed or (place is not None and covers(place, flight.due.place)) else None


def without_reason(custody: Custody) -> tuple[Card, ...]:
    """Cards that a reader sees though the shoe never reported them in this load, and that are no dealt ones which nobody read.

    In the order in which they were first seen: another order would tell something of cards that are not public."""
    unread, found = dict(custody.unknown), [card for card in custody.lying if card not in custody.drawn]
    return tuple(card for card in found if not _is_unread(custody.lying[card], unread))


def _is_unread(place: Place, unread: dict[Place, int]) -> bool:
    """Whether a card at ``place`` can be one of the ``unread``; takes it out of them. Any of them may have been mucked."""
    due = next((due for due, count in unread.items() if count and (place is Spot.MUCK or covers(place, due))), None)
    if due is not None:
        unread[due] -= 1
    return due is not None


def wrong_places(
    custody: Custody, live_seats: frozenset[int], *, load_due: bool = False
) -> tuple[tuple[Place, Place | None], ...]:
    """Cards that lie elsewhere than they belong: which way each must go. Those in flight in the order they left the shoe, then
    dealt ones; ``None`` is the stub, for a card that was not due, or that goes back while a load is due (R-ERR-01,
    R-ERR-03, R-ERR-04).
    """
    moves: list[tuple[Place, Place | None]] = []
    for flight in custody.flights:
        place = None if flight.card is None else custody.lying.get(flight.card)
        if place is None:
            continue
        if flight.due is None:
            moves.append((place, None))
        elif not covers(place, flight.due.place):
            moves.append((place, flight.due.place))
        elif flight.card is not None and flight.card in custody.elsewhere:
            moves.append((custody.elsewhere[flight.card], flight.due.place))
    for card, due in custody.placed.items():
        place = custody.lying.get(card)
        if place is not None and _fouls(place, due, live_seats):
            moves.append((place, due))
    if load_due:
        moves.extend((custody.lying[card], None) for card in without_reason(custody))
    return tuple(moves)


def felt_problem(custody: Custody, live_seats: frozenset[int], dark: frozenset[Place] = frozenset()) -> FeltProblem | None:
    """The first thing that is wrong on the felt; ``None`` when it agrees with shoe and dealing (R-ERR-08).

    A card of another deck is foreign wherever it lies but in the muck (R-DECK-04). At a ``dark`` place no reader tells anything:
    a card that the shoe could not read waits there for a person. That a card is missing comes last, since what is seen instead of
    it tells more.
    """
    if custody.fault:
        return FeltProblem(custody.fault, None)
    for flight in custody.flights:
        if (problem := _flight_problem(custody, flight, dark)) is not None:
            return problem
    for place in custody.strangers:
        if place is not Spot.MUCK:
            return FeltProblem("foreign_card", place)
    return _dealt_problem(custody, live_seats) or _unexplained_problem(custody) or _missing_problem(custody)


def _flight_problem(custody: Custody, flight: Flight, dark: frozenset[Place]) -> FeltProblem | None:
    place = None if flight.card is None else custody.lying.get(flight.card)
    if flight.due is None:
        return FeltProblem("premature_card", place)
    waits = flight.confirmed or (flight.due.place in dark and flight.kind != "foreign")
    if flight.card is None and (flight.kind == "joker" or not waits):
        return FeltProblem("joker" if flight.kind == "joker" else "unreadable_card", None)
    if place is not None and not covers(place, flight.due.place):
        return _or_doubt(custody, flight.card, FeltProblem("wrong_place", place))
    return None


def _dealt_problem(custody: Custody, live_seats: frozenset[int]) -> FeltProblem | None:
    lying = custody.lying
    for card, due in custody.placed.items():
        place = lying.get(card)
        if place is not None and place is not due and _fouls(place, due, live_seats):
            return _or_doubt(custody, card, FeltProblem("moved_card", place))
    doubtful = _doubtful(custody, live_seats) if custody.elsewhere else None
    return None if doubtful is None else FeltProblem("two_places", doubtful)


def _or_doubt(custody: Custody, card: Card | None, problem: FeltProblem) -> FeltProblem:
    """``problem``, unless the card is read at another place too: then that is what is told."""
    return FeltProblem("two_places", problem.place) if card in custody.elsewhere else problem


def _unexplained_problem(custody: Custody) -> FeltProblem | None:
    for card, place in custody.lying.items() if custody.unexplained else ():
        if card in custody.unexplained:
            return FeltProblem("cards_differ" if _in_place_of_head(custody, place) else "unexplained_card", place)
    return None


def _missing_problem(custody: Custody) -> FeltProblem | None:
    for flight in _not_seen(custody) if custody.unseen else ():
        if flight.draw_no in custody.unseen and flight.due is not None:
            return FeltProblem("card_not_seen", flight.due.place)
    return None


def _doubtful(custody: Custody, live_seats: frozenset[int]) -> Place | None:
    """Where a card lies that is read at a second place too, when it is in flight or one of the two is a live hand's."""
    in_flight = {flight.card for flight in custody.flights}
    for card, other in custody.elsewhere.items():
        place = custody.lying.get(card)
        if place is None:
            continue
        live = any(isinstance(where, SeatPlace) and where.seat in live_seats for where in (place, other))
        if live or card in in_flight:
            return place
    return None


def _in_place_of_head(custody: Custody, place: Place) -> bool:
    """A card lies where the oldest card in flight is due, which no reader sees: shoe and reader differ (R-ERR-08)."""
    if not custody.flights:
        return False
    head = custody.flights[0]
    return head.due is not None and head.card not in custody.lying and covers(place, head.due.place)


def _is_thrown(place: Place, due: Place, live_seats: frozenset[int]) -> bool:
    """A live hand's card lies in the muck: a fold, or a slip."""
    return place is Spot.MUCK and isinstance(due, SeatPlace) and due.seat in live_seats


def _fouls(place: Place, due: Place, live_seats: frozenset[int]) -> bool:
    """A dealt card lies in another live hand than its own, or a live hand's card at any other seat (R-ERR-04)."""
    if not isinstance(place, SeatPlace):
        return False
    if isinstance(due, SeatPlace) and due.seat == place.seat:
        return False
    return place.seat in live_seats or (isinstance(due, SeatPlace) and due.seat in live_seats)
