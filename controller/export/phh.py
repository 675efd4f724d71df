"""One hand as PHH (Poker Hand History, ``.phh``): F7S, F7S/8 or FR, as PokerKit 0.7.7 reads it.

Players stand clockwise from the dealer's left, their table seats in ``seats``. Up and down follow from the street; a down card
that was not public is ``??``. What the format has no word for stands in fields that begin with ``_``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from typing import Any, Final

from controller.export.departures import departures
from controller.export.hands import FinishedHand
from controller.export.plays import Acted, Anted, Burned, Common, Dealt, Killed, Mucked, Reshuffled, Shown
from controller.hand.cards import Card
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode

CODES: Final = {VariantCode.STUD: "F7S", VariantCode.STUD8: "F7S/8", VariantCode.RAZZ: "FR"}
UNKNOWN: Final = "??"


def phh_text(hand: FinishedHand) -> str:
    """The hand as one TOML document: a field a line, an action a line."""
    return "".join(f"{name} = {_toml(value, spread=name == 'actions')}\n" for name, value in phh_fields(hand).items())


def _toml(value: object, *, spread: bool = False) -> str:
    """A value of the few kinds that a hand has; ``spread`` puts the items of a list on lines of their own."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case time():
            return value.isoformat()
        case str():  # TOML and JSON escape alike, but for DEL
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() if spread:
            return "[\n" + "".join(f"  {_toml(item)},\n" for item in value) + "]"
        case list():
            return "[" + ", ".join(_toml(item) for item in value) + "]"
        case dict():
            return "{ " + ", ".join(f"{name} = {_toml(item)}" for name, item in value.items()) + " }"
        case _:
            raise TypeError(f"{type(value).__name__} has no form in TOML here")


def phh_fields(hand: FinishedHand) -> dict[str, Any]:
    """Fields and values, required ones first. Amounts are chips; ``winnings`` are after rake, and absent for a voided hand.

    ``antes`` are what each player owes: a reader takes what the stack has, with the ante trimmed (R-ANTE-02). What was posted
    stands in ``_antes_posted``; PokerKit exchanges the two entries of a heads-up hand.
    """
    stakes = hand.setup.stakes
    seats = hand.seats
    fields: dict[str, Any] = {
        "variant": CODES[hand.setup.variant],
        "ante_trimming_status": True,
        "antes": [stakes.ante for _ in seats],
        "bring_in": stakes.bring_in,
        "small_bet": stakes.small,
        "big_bet": stakes.big,
        "starting_stacks": [chips for _, chips in hand.stacks],
        "actions": list(_actions(hand)),
        **_when(hand),
        "hand": hand.number,
        "table": hand.origin.table or "table",
        "seats": list(seats),
        "seat_count": max(hand.setup.rules.max_seats, *seats),
        "players": [hand.names[seat] for seat in seats],
        "finishing_stacks": [hand.finishing[seat] for seat in seats],
    }
    if hand.void is None:
        fields["winnings"] = [hand.won.get(seat, 0) for seat in seats]
    return {**fields, **_own(hand)}


def _own(hand: FinishedHand) -> dict[str, Any]:
    """What only this table tells."""
    antes = {play.seat: play.chips for play in hand.plays if isinstance(play, Anted)}
    own: dict[str, Any] = {
        "_manually_verified": hand.manually_verified,
        "_verified_without": list(hand.without),
        "_cards_keyed": hand.keyed,
        "_rules_hash": hand.rules_hash,
        "_preset": hand.setup.rules.preset,
        "_antes_posted": [antes.get(seat, 0) for seat in hand.seats],
        "_unit": hand.setup.stakes.unit,
        "_rake": hand.rake,
        "_burns": sum(isinstance(play, Burned) for play in hand.plays),
        "_scrambles": sum(isinstance(play, Reshuffled) for play in hand.plays),
        "_ghost_cards": sum(isinstance(play, Dealt) and play.ghost for play in hand.plays),
        "_redeals": hand.redeals,
        "_undone": hand.undone,
        "_departures": list(departures(hand)),
        "_rulings": [
            " ".join(part for part in (ruling.kind, f"({ruling.role})", ruling.reason) if part) for ruling in hand.rulings
        ],
        "_holds": [f"{stop.code} {stop.place}" if stop.place is not None else stop.code for stop in hand.stops],
    }
    if hand.void is not None:
        own["_void"] = hand.void or "voided"
    origin = hand.origin
    own["_table"] = {"journal": origin.journal, "first_event": origin.first, "last_event": origin.last, "head": origin.head}
    return own


def _when(hand: FinishedHand) -> dict[str, Any]:
    if not hand.origin.started:
        return {}
    began = datetime.fromisoformat(hand.origin.started)
    return {
        "time": began.time().replace(microsecond=0),
        "time_zone": "UTC",
        "day": began.day,
        "month": began.month,
        "year": began.year,
    }


def _actions(hand: FinishedHand) -> Iterator[str]:
    """Third street is one deal of three cards a player, down cards first; later cards are dealt one by one."""
    player = {seat: f"p{number}" for number, seat in enumerate(hand.seats, start=1)}
    third: dict[int, list[Dealt]] = {}
    for play in hand.plays:
        if isinstance(play, Dealt) and play.street == 3:
            third.setdefault(play.seat, []).append(play)
            continue
        for seat, dealt in sorted(third.items()):
            yield f"d dh {player[seat]} {_texts([card.card for card in sorted(dealt, key=lambda card: card.up)])}"
        third = {}
        match play:
            case Dealt(seat=seat, card=card, ghost=False):
                yield f"d dh {player[seat]} {_texts([card])}"
            case Common(card=card):
                yield f"d db {card.text}"
            case Acted():
                yield f"{player[play.seat]} {_action(play)}"
            case Killed(seat=seat):
                yield f"{player[seat]} f # ruled dead"
            case Shown(seat=seat, cards=cards):
                yield f"{player[seat]} sm {_texts(cards)}"
            case Mucked(seat=seat):
                yield f"{player[seat]} sm"
            case _:
                pass


def _action(play: Acted) -> str:
    match play.verb:
        case Verb.FOLD:
            return "f"
        case Verb.CALL | Verb.CHECK:
            return "cc"
        case Verb.BRING_IN:
            return "pb"
        case Verb.COMPLETE | Verb.BET | Verb.RAISE:
            return f"cbr {play.to}"


def _texts(cards: Sequence[Card | None]) -> str:
    return "".join(UNKNOWN if card is None else card.text for card in cards)
