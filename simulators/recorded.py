"""Recorded hands from JSONL files, and the physical order in which their cards leave the shoe.

One JSON object a line. Errors name the file, the line and what is wrong there; they tell no card.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from simulators.felt import FULL_DECK
from simulators.recorded_hand import (
    UNKNOWN,
    Anted,
    Burned,
    Checked,
    Collected,
    CommonDealt,
    Dealt,
    Folded,
    Mucked,
    RecordedEvent,
    RecordedHand,
    RecordedPot,
    RecordedStakes,
    Returned,
    SequencedCard,
    StubReshuffled,
    Tabled,
    Verb,
    Wagered,
)

__all__ = [
    "UNKNOWN",
    "Anted",
    "Burned",
    "Checked",
    "Collected",
    "CommonDealt",
    "Dealt",
    "Folded",
    "Mucked",
    "RecordedEvent",
    "RecordedHand",
    "RecordedHandError",
    "RecordedPot",
    "RecordedStakes",
    "Returned",
    "SequencedCard",
    "StubReshuffled",
    "Tabled",
    "Verb",
    "Wagered",
    "load_hands",
    "parse_hand",
    "physical_order",
]

T = TypeVar("T")

VARIANTS: Final = ("stud", "stud8", "razz")
FIRST_BURN_STREET: Final = 4
BURNS_RECORDED: Final = "burns_recorded"
"""Note of a hand whose events hold every burn and ghost card, in the order of dealing, or tell by their absence that none was."""
_CARDS: Final = frozenset(FULL_DECK)
_KINDS: Final = {int: "a whole number", str: "a text", list: "a list", dict: "an object", bool: "true or false"}


class RecordedHandError(Exception):
    """A file or line that is no recorded hand: names the file, the line and what is wrong."""


class _WrongError(Exception):
    """What is wrong in one hand, without file and line."""


def load_hands(path: Path) -> Iterator[RecordedHand]:
    """The hands of a JSONL file in order, read as they are taken; empty lines are skipped.

    Raises ``RecordedHandError`` with file, line and what is wrong at the first line that is no hand.
    """
    if path.is_dir():
        raise RecordedHandError(f"{path}: is a folder: name the files in it, as {path / '*.jsonl'}")
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield parse_hand(line, where=f"{path}:{number}")
    except OSError as error:
        raise RecordedHandError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordedHandError(f"{path}: is no UTF-8 text: unpack it first where it is packed (xz -dk, gunzip -k)") from error


def parse_hand(line: str, *, where: str) -> RecordedHand:
    """One hand from its JSON text; ``RecordedHandError`` starts with ``where``."""
    try:
        return _hand(json.loads(line))
    except json.JSONDecodeError as error:
        raise RecordedHandError(f"{where}: no JSON: {error.msg} at column {error.colno}") from error
    except _WrongError as error:
        raise RecordedHandError(f"{where}: {error}") from None


def physical_order(hand: RecordedHand, *, burns: bool) -> list[tuple[str, str]]:
    """The cards in the order in which they leave the shoe, each with the position it is due at.

    Positions are text: ``seat/3/down``, ``seat/3/up``, ``burn``, ``community``. A generated hand brings its order, where a
    card may come twice: a burn that went back into the stub. A hand whose events name its burns, or whose notes say that they
    would, is dealt as they stand. A real hand's deals are put into seat order (R-DEAL-01, R-DEAL-02), its unknown cards come
    from ``fill`` and its burns (R-DEAL-03) from the unused cards. No card goes to a seat that has folded. Without ``burns`` the
    burns are left out. ``RecordedHandError`` when no unused card is left to burn.
    """
    order = [(dealt.card, dealt.position) for dealt in hand.deal_sequence]
    if not order and (BURNS_RECORDED in hand.notes or any(isinstance(event, Burned) for event in hand.events)):
        order = list(_event_order(hand))
    if order:
        return order if burns else [entry for entry in order if entry[1] != "burn"]
    spare = iter(card for card in FULL_DECK if card not in _used(hand))
    for street in sorted({event.street for event in hand.events if isinstance(event, Dealt | CommonDealt)}):
        if burns and street >= FIRST_BURN_STREET:
            burn = next(spare, None)
            if burn is None:
                raise RecordedHandError(f"hand {hand.hand_id}: no unused card is left to burn before street {street}")
            order.append((burn, "burn"))
        order.extend(_street_order(hand, street))
    return order


def _used(hand: RecordedHand) -> frozenset[str]:
    common = {hand.community} if hand.community else set()
    return frozenset(common.union(*hand.fill.values()))


def _event_order(hand: RecordedHand) -> Iterator[tuple[str, str]]:
    """As the events stand, third street round by round.

    An unknown burn is an unused card. Where burns went back into the stub it may come again: as a later burn, or when all cards
    are used as one that is dealt behind the reshuffle.
    """
    used = _used(hand).union(event.card for event in hand.events if isinstance(event, Burned))
    unused = [card for card in FULL_DECK if card not in used]
    spare = [*unused, *_dealt_after_reshuffle(hand)]
    burned: list[str] = []
    third = True
    for event in hand.events:
        match event:
            case Dealt(street=3):
                if third:
                    yield from _street_order(hand, 3)
                third = False
            case Dealt(seat=seat, up=up):
                for card, is_up in zip(_known(hand, event), up, strict=True):
                    yield card, f"seat/{seat}/{'up' if is_up else 'down'}"
            case CommonDealt(card=card):
                yield card, "community"
            case Burned(street=street, card=card):
                if card == UNKNOWN and not spare:
                    raise RecordedHandError(f"hand {hand.hand_id}: no unused card is left to burn before street {street}")
                burned.append(spare.pop(0) if card == UNKNOWN else card)
                yield burned[-1], "burn"
            case StubReshuffled():
                spare = list(dict.fromkeys(card for card in (*unused, *burned) if card not in used))
                burned.clear()
            case _:
                pass


def _dealt_after_reshuffle(hand: RecordedHand) -> Iterator[str]:
    behind = False
    for event in hand.events:
        match event:
            case StubReshuffled():
                behind = True
            case Dealt() if behind:
                yield from _known(hand, event)
            case CommonDealt(card=card) if behind:
                yield card
            case _:
                pass


def _street_order(hand: RecordedHand, street: int) -> Iterator[tuple[str, str]]:
    """Round by round, clockwise from the lowest seat; then the common card."""
    rows = sorted(
        (event.seat, _known(hand, event), event.up)
        for event in hand.events
        if isinstance(event, Dealt) and event.street == street
    )
    for turn in range(max((len(cards) for _, cards, _ in rows), default=0)):
        for seat, cards, up in rows:
            yield cards[turn], f"seat/{seat}/{'up' if up[turn] else 'down'}"
    for event in hand.events:
        if isinstance(event, CommonDealt) and event.street == street:
            yield event.card, "community"


def _known(hand: RecordedHand, deal: Dealt) -> tuple[str, ...]:
    """The cards of ``deal``, with ``fill`` for what the record does not know."""
    start = 0
    for event in hand.events:
        if event is deal:
            break
        if isinstance(event, Dealt) and event.seat == deal.seat:
            start += len(event.cards)
    return hand.fill[deal.seat][start : start + len(deal.cards)]


# --- one JSON object to one hand ------------------------------------------------------------------------------------------------


def _hand(raw: object) -> RecordedHand:
    top = _typed(raw, dict, "the line")
    seats = _list(top, "seats", lambda seat, what: (_seat(seat, what), _int(seat, "stack", what)))
    events = tuple(_list(top, "events", _event))
    community = top.get("community")
    hand = RecordedHand(
        hand_id=_str(top, "hand_id"),
        variant=_one_of(_str(top, "variant"), VARIANTS, "variant"),
        game_type=_str(top, "game_type"),
        site=_str(top, "site"),
        source=_str(top, "source"),
        date=None if top.get("date") is None else _str(top, "date"),
        stakes=_stakes(_typed(top.get("stakes"), dict, "stakes")),
        stacks=dict(seats),
        events=events,
        community=None if community is None else _card(community, "community"),
        pot=_int(top, "pot"),
        collected=_amounts(top, "collected"),
        uncalled=_amounts(top, "uncalled"),
        rake=_int(top, "rake"),
        features=frozenset(_texts(top, "features")),
        house_rule_sensitive=frozenset(_texts(top, "house_rule_sensitive", absent=True)),
        notes=_texts(top, "notes", absent=True),
        fill=_fill(top, events),
        deal_sequence=tuple(_list(top, "deal_sequence", _sequenced, absent=True)),
        pots=tuple(_list(top, "pots", _pot, absent=True)),
        payoffs=_amounts(top, "payoffs", absent=True),
    )
    _check(hand, seats)
    return hand


def _check(hand: RecordedHand, seats: list[tuple[int, int]]) -> None:
    """What ties the parts together: seats, and every card in one seat's hand only."""
    if len(hand.stacks) != len(seats):
        raise _WrongError("seats: a seat is listed twice")
    named = {event.seat for event in hand.events if not isinstance(event, CommonDealt | Burned | StubReshuffled)}
    strangers = (named | set(hand.collected) | set(hand.uncalled)) - set(hand.stacks)
    if strangers:
        raise _WrongError(f"seat {min(strangers)} acts or is paid, and is not in seats")
    cards = [card for seat in hand.fill.values() for card in seat]
    if UNKNOWN in cards:
        raise _WrongError("fill: a card is unknown, and every card must be scanned")
    if len(set(cards)) != len(cards):
        raise _WrongError("fill: a card is dealt twice")


def _fill(top: Mapping[str, Any], events: tuple[RecordedEvent, ...]) -> dict[int, tuple[str, ...]]:
    """Every card of each seat. It must agree with each card that the events know, and have as many.

    Where the line has no ``fill``, unknown cards become unused ones in the order of the deck: invented, and the same each time.
    """
    dealt: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, Dealt):
            dealt.setdefault(event.seat, []).extend(event.cards)
    if top.get("fill") is None:
        known = {card for cards in dealt.values() for card in cards}
        known.update(event.card for event in events if isinstance(event, CommonDealt | Burned))
        unused = (card for card in FULL_DECK if card not in known)
        return {
            seat: tuple(next(unused, UNKNOWN) if card == UNKNOWN else card for card in cards) for seat, cards in dealt.items()
        }
    given = {_seat_key(seat, "fill"): cards for seat, cards in _typed(top["fill"], dict, "fill").items()}
    fill: dict[int, tuple[str, ...]] = {}
    for seat, cards in dealt.items():
        what = f"fill of seat {seat}"
        filled = [_card(card, what) for card in _typed(given.get(seat), list, what)]
        if len(filled) != len(cards) or any(known not in {UNKNOWN, card} for known, card in zip(cards, filled, strict=True)):
            raise _WrongError(f"{what}: differs from the cards dealt")
        fill[seat] = tuple(filled)
    return fill


def _stakes(raw: Mapping[str, Any]) -> RecordedStakes:
    ante, bring_in, small, big = (_int(raw, key, "stakes") for key in ("ante", "bring_in", "small_bet", "big_bet"))
    return RecordedStakes(ante, bring_in, small, big, _str(raw, "unit", "stakes"))


def _event(raw: Mapping[str, Any], what: str) -> RecordedEvent:
    kind = _str(raw, "type", what)
    make = _EVENTS.get(kind)
    if make is None:
        raise _WrongError(f"{what}: unknown type {kind!r}; known are {', '.join(sorted(_EVENTS))}")
    return make(raw, f"{what} ({kind})")


def _wagered(verb: Verb) -> Callable[[Mapping[str, Any], str], RecordedEvent]:
    def make(raw: Mapping[str, Any], what: str) -> RecordedEvent:
        amount, to = _int(raw, "amount", what), _int(raw, "to", what)
        return Wagered(verb, _seat(raw, what), _street(raw, what), amount, to, raw.get("all_in") is True)

    return make


def _dealt(raw: Mapping[str, Any], what: str) -> RecordedEvent:
    street, cards = _street(raw, what), _cards(raw, what)
    if raw.get("community"):
        if len(cards) != 1:
            raise _WrongError(f"{what}: {len(cards)} common cards")
        return CommonDealt(street, cards[0])
    up = tuple(bool(flag) for flag in _typed(raw.get("up"), list, f"{what}: up"))
    if len(up) != len(cards) or not cards:
        raise _WrongError(f"{what}: {len(cards)} cards and {len(up)} marks of up")
    return Dealt(_seat(raw, what), street, cards, up)


_EVENTS: Final[Mapping[str, Callable[[Mapping[str, Any], str], RecordedEvent]]] = {
    "ante": lambda raw, what: Anted(_seat(raw, what), _int(raw, "amount", what), raw.get("all_in") is True),
    "bring_in": _wagered("bring_in"),
    "complete": _wagered("complete"),
    "bet": _wagered("bet"),
    "raise": _wagered("raise"),
    "call": _wagered("call"),
    "check": lambda raw, what: Checked(_seat(raw, what), _street(raw, what)),
    "fold": lambda raw, what: Folded(_seat(raw, what), _street(raw, what)),
    "deal": _dealt,
    "burn": lambda raw, what: Burned(_street(raw, what), _card(raw.get("card"), what)),
    "stub_reshuffle": lambda raw, what: StubReshuffled(
        _street(raw, what), _cards(raw, what, key="burns_returned"), _int(raw, "stub", what)
    ),
    "uncalled": lambda raw, what: Returned(_seat(raw, what), _int(raw, "amount", what)),
    "show": lambda raw, what: Tabled(_seat(raw, what), _cards(raw, what)),
    "muck": lambda raw, what: Mucked(_seat(raw, what)),
    "collect": lambda raw, what: Collected(
        _seat(raw, what), _int(raw, "amount", what), None if raw.get("pot") is None else _str(raw, "pot", what)
    ),
}


def _sequenced(raw: object, what: str) -> SequencedCard:
    match raw:
        case [card, "burn" | "community" as spot, _]:
            return SequencedCard(_card(card, what), spot)
        case [card, int(seat), up] if 1 <= seat <= 8:
            return SequencedCard(_card(card, what), f"seat/{seat}/{'up' if up else 'down'}")
    raise _WrongError(f"{what}: must be a card, a seat, burn or community, and 1 for up")


def _pot(raw: Mapping[str, Any], what: str) -> RecordedPot:
    return RecordedPot(_int(raw, "amount", what), *(_seats(raw, what, key) for key in ("eligible", "high", "low")))


def _seats(raw: Mapping[str, Any], what: str, key: str) -> tuple[int, ...]:
    return tuple(_typed(seat, int, f"{what}: {key}") for seat in _typed(raw.get(key), list, f"{what}: {key}"))


def _typed(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        found = "missing" if value is None else f"is {type(value).__name__}"
        raise _WrongError(f"{what}: {found}, must be {_KINDS[kind]}")
    return value


def _int(raw: Mapping[str, Any], key: str, what: str = "") -> int:
    number = _typed(raw.get(key), int, f"{what}: {key}" if what else key)
    if number < 0:
        raise _WrongError(f"{what or key}: {key} is {number}, below 0")
    return number


def _str(raw: Mapping[str, Any], key: str, what: str = "") -> str:
    return _typed(raw.get(key), str, f"{what}: {key}" if what else key)


def _one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    if value not in allowed:
        raise _WrongError(f"{what}: {value!r} is none of {', '.join(allowed)}")
    return value


def _seat(raw: Mapping[str, Any], what: str) -> int:
    seat = _int(raw, "seat", what)
    if not 1 <= seat <= 8:
        raise _WrongError(f"{what}: seat {seat} is not 1 to 8")
    return seat


def _seat_key(text: str, what: str) -> int:
    if text not in "12345678" or len(text) != 1:
        raise _WrongError(f"{what}: {text!r} is no seat")
    return int(text)


def _street(raw: Mapping[str, Any], what: str) -> int:
    street = _int(raw, "street", what)
    if not 3 <= street <= 7:
        raise _WrongError(f"{what}: street {street} is not 3 to 7")
    return street


def _card(value: object, what: str) -> str:
    card = _typed(value, str, what)
    if card not in _CARDS and card != UNKNOWN:
        raise _WrongError(f"{what}: something there is no card: write rank 23456789TJQKA and suit c, d, h or s, as Td")
    return card


def _cards(raw: Mapping[str, Any], what: str, key: str = "cards") -> tuple[str, ...]:
    return tuple(_card(card, what) for card in _typed(raw.get(key), list, f"{what}: {key}"))


def _texts(raw: Mapping[str, Any], key: str, *, absent: bool = False) -> tuple[str, ...]:
    return tuple(_typed(text, str, key) for text in _typed([] if absent and raw.get(key) is None else raw.get(key), list, key))


def _amounts(raw: Mapping[str, Any], key: str, *, absent: bool = False) -> dict[int, int]:
    given = _typed({} if absent and raw.get(key) is None else raw.get(key), dict, key)
    return {_seat_key(seat, key): _typed(amount, int, f"{key} of seat {seat}") for seat, amount in given.items()}


def _list(raw: Mapping[str, Any], key: str, make: Callable[[Any, str], T], *, absent: bool = False) -> list[T]:
    items = _typed([] if absent and raw.get(key) is None else raw.get(key), list, key)
    objects = key != "deal_sequence"
    made = []
    for number, item in enumerate(items, start=1):
        what = f"{key} {number}"
        made.append(make(_typed(item, dict, what) if objects else item, what))
    return made
