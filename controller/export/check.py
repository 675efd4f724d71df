"""Our own check of an exported hand against the ledger: amounts, cards, order, winners and total.

Programs that read these formats repair what they cannot follow and accept a wrong total or a card that is there twice; this
check accepts nothing. It reads the text back, keeps its own accounts where a format leaves an amount out, and compares fact by
fact with the events of the hand.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from controller.export.hands import FinishedHand
from controller.export.phh import CODES
from controller.export.plays import Acted, Anted, Burned, Common, Dealt, Killed, Mucked, Play, Reshuffled, Returned, Shown, Won
from controller.hand.knobs import ShortBringIn
from controller.hand.terms import Verb

MAX_PROBLEMS: Final = 20
"""Problems that are told of one hand; the first is the one to look at."""
UNKNOWN: Final = "??"


class Fact(NamedTuple):
    """One thing that happened: what, to which seat (0 for the table), with which cards and amounts. No ``repr`` tells a card."""

    what: str
    seat: int
    cards: tuple[str, ...] = ()
    chips: int = 0
    to: int = 0

    def __repr__(self) -> str:
        return f"{self.what} of seat {self.seat}, chips {self.chips}, to {self.to}, {len(self.cards)} cards"


def check_phh(hand: FinishedHand, text: str) -> tuple[str, ...]:
    """Where the PHH ``text`` and the ledger differ, as sentences without a card; empty when they agree."""
    try:
        fields = tomllib.loads(text)
        return _told(_phh_problems(hand, fields))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return (f"the text cannot be read as a PHH hand: {type(error).__name__}",)


def check_jsonl(hand: FinishedHand, line: str) -> tuple[str, ...]:
    """The same for a line of recorded hands."""
    try:
        record = json.loads(line)
        return _told(_jsonl_problems(hand, record))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return (f"the line cannot be read as a recorded hand: {type(error).__name__}",)


def _told(problems: Iterator[str]) -> tuple[str, ...]:
    return tuple(problem for problem, _ in zip(problems, range(MAX_PROBLEMS), strict=False))


def _differ(name: str, written: object, ledger: object) -> Iterator[str]:
    if type(written) is not type(ledger) or written != ledger:
        yield f"{name} is {written}, and the ledger has {ledger}"


def _compare(written: Sequence[Fact], ledger: Sequence[Fact]) -> Iterator[str]:
    for number, (theirs, ours) in enumerate(zip_longest(written, ledger), start=1):
        if theirs != ours:
            same = theirs is not None and ours is not None and theirs._replace(cards=()) == ours._replace(cards=())
            yield f"fact {number}: {'other cards' if same else f'{theirs} is written, and the ledger has {ours}'}"


def _doubles(facts: Sequence[Fact]) -> Iterator[str]:
    """No card is dealt twice."""
    dealt = [card for fact in facts if fact.what in {"deal", "common"} for card in fact.cards if card != UNKNOWN]
    if len(set(dealt)) != len(dealt):
        yield "a card is dealt twice"


# --- what the ledger says -------------------------------------------------------------------------------------------------------


def _ledger(hand: FinishedHand, *, unit: int = 1, whole: bool) -> list[Fact]:
    """The facts of the events; ``whole`` with antes, burns, returns and awards, which PHH does not tell as actions."""
    facts: list[Fact] = []
    third: dict[int, list[Dealt]] = {}
    for play in hand.plays:
        if isinstance(play, Dealt) and play.street == 3:
            third.setdefault(play.seat, []).append(play)
            continue
        facts.extend(_third(third))
        third = {}
        facts.extend(_public_fact(play, unit, whole=whole))
        if whole:
            facts.extend(_money_fact(play, unit))
    return facts


def _public_fact(play: Play, unit: int, *, whole: bool) -> Iterator[Fact]:
    """Actions, cards, and what happened at the showdown."""
    match play:
        case Acted():
            yield Fact(_kind(play.verb, whole=whole), play.seat, (), play.chips // unit, _total(play) // unit)
        case Dealt():
            if whole or not play.ghost:
                yield Fact("deal", play.seat, (_text(play),))
        case Common(card=card):
            yield Fact("common", 0, (card.text,))
        case Killed(seat=seat):
            yield Fact("fold", seat)
        case Shown(seat=seat, cards=cards):
            yield Fact("show", seat, tuple(card.text for card in cards))
        case Mucked(seat=seat):
            yield Fact("muck", seat)
        case _:
            pass


def _money_fact(play: Play, unit: int) -> Iterator[Fact]:
    """Antes, burns, returns and awards."""
    match play:
        case Anted(seat=seat, chips=chips):
            yield Fact("ante", seat, (), chips // unit)
        case Burned():
            yield Fact("burn", 0, (UNKNOWN,))
        case Reshuffled(burns=burns, stub=stub):
            yield Fact("stub_reshuffle", 0, (UNKNOWN,) * burns, burns, stub)
        case Returned(seat=seat, chips=chips):
            yield Fact("uncalled", seat, (), chips // unit)
        case Won(seat=seat, chips=chips, pot=pot):
            if chips:
                yield Fact("collect", seat, (), chips // unit, pot)
        case _:
            pass


def _third(third: Mapping[int, list[Dealt]]) -> Iterator[Fact]:
    for seat, dealt in sorted(third.items()):
        yield Fact("deal", seat, tuple(_text(card) for card in sorted(dealt, key=lambda card: card.up)))


def _text(dealt: Dealt) -> str:
    return UNKNOWN if dealt.card is None else dealt.card.text


def _kind(verb: Verb, *, whole: bool) -> str:
    """PHH has one word for check and call, and one for every wager but the bring-in."""
    if whole:
        return verb.value
    match verb:
        case Verb.CHECK | Verb.CALL:
            return "call"
        case Verb.COMPLETE | Verb.BET | Verb.RAISE:
            return "wager"
        case Verb.BRING_IN | Verb.FOLD:
            return str(verb.value)


def _total(play: Acted) -> int:
    return 0 if play.verb in (Verb.FOLD, Verb.CHECK) and not play.chips else play.to


# --- PHH ------------------------------------------------------------------------------------------------------------------------


def _phh_problems(hand: FinishedHand, fields: Mapping[str, Any]) -> Iterator[str]:
    stakes, seats = hand.setup.stakes, hand.seats
    expected: dict[str, object] = {
        "variant": CODES[hand.setup.variant],
        "ante_trimming_status": True,
        "antes": [stakes.ante] * len(seats),
        "bring_in": stakes.bring_in,
        "small_bet": stakes.small,
        "big_bet": stakes.big,
        "starting_stacks": [chips for _, chips in hand.stacks],
        "seats": list(seats),
        "players": [hand.names[seat] for seat in seats],
        "hand": hand.number,
        "finishing_stacks": [entry.stack for entry in hand.end.seats],
        "_antes_posted": [entry.ante if hand.void is None else _posted(hand, entry.seat) for entry in hand.end.seats],
        "_burns": sum(isinstance(play, Burned) for play in hand.plays),
        "_rake": hand.rake,
        "_rules_hash": hand.rules_hash,
        "_redeals": hand.redeals,
    }
    for name, value in expected.items():
        yield from _differ(name, fields[name], value)
    yield from _phh_end(hand, fields)
    facts = list(_phh_facts(hand, fields))
    yield from _compare(facts, _ledger(hand, whole=False))
    yield from _doubles(facts)


def _posted(hand: FinishedHand, seat: int) -> int:
    return sum(play.chips for play in hand.plays if isinstance(play, Anted) and play.seat == seat)


def _phh_end(hand: FinishedHand, fields: Mapping[str, Any]) -> Iterator[str]:
    """Void or winnings; and the chips add up."""
    if hand.void is not None:
        yield from _differ("_void", fields.get("_void"), hand.void or "voided")
        if "winnings" in fields:
            yield "winnings are given for a voided hand"
        return
    if "_void" in fields:
        yield "_void is given for a hand that was played to its end"
    yield from _differ("winnings", fields["winnings"], [entry.won for entry in hand.end.seats])
    yield from _differ("the sum of winnings", sum(fields["winnings"]), sum(pot.chips for pot in hand.end.pots) - hand.rake)
    before, after = sum(fields["starting_stacks"]), sum(fields["finishing_stacks"]) + fields["_rake"]
    if before != after:
        yield f"{before} chips came in and {after} went out"


def _phh_facts(hand: FinishedHand, fields: Mapping[str, Any]) -> Iterator[Fact]:
    """The actions with the amounts that they mean: the checker's own accounts of stacks, bets and price."""
    accounts = _Accounts(hand, fields)
    for action in fields["actions"]:
        words = action.partition(" #")[0].split()
        match words:
            case ["d", "dh", player, cards]:
                accounts.deal()
                yield Fact("deal", accounts.seat(player), _cards(cards))
            case ["d", "db", cards]:
                accounts.deal()
                yield Fact("common", 0, _cards(cards))
            case [player, "sm"]:
                yield Fact("muck", accounts.seat(player))
            case [player, "sm", cards]:
                yield Fact("show", accounts.seat(player), _cards(cards))
            case [player, "f"]:
                yield Fact("fold", accounts.seat(player))
            case [player, "pb"]:
                yield accounts.put("bring_in", player, int(fields["bring_in"]))
            case [player, "cc"]:
                yield accounts.put("call", player, accounts.price)
            case [player, "cbr", total]:
                yield accounts.put("wager", player, int(total))
            case _:
                raise ValueError("an action that is none")


def _cards(text: str) -> tuple[str, ...]:
    return tuple(text[index : index + 2] for index in range(0, len(text), 2))


class _Accounts:
    """Stacks and bets of a PHH hand as it goes."""

    def __init__(self, hand: FinishedHand, fields: Mapping[str, Any]) -> None:
        self._seats = [int(seat) for seat in fields["seats"]]
        stacks = zip(self._seats, fields["starting_stacks"], fields["_antes_posted"], strict=True)
        self._stack = {seat: chips - ante for seat, chips, ante in stacks}
        self._bets: dict[int, int] = {}
        self._owed = int(fields["bring_in"]) if hand.setup.rules.short_bring_in is ShortBringIn.OTHERS_OWE_FULL else 0
        self.price = 0

    def seat(self, player: str) -> int:
        """The seat of ``p1`` and so on."""
        if player[:1] != "p" or not player[1:].isdecimal() or not 1 <= int(player[1:]) <= len(self._seats):
            raise ValueError("a player that is none")
        return self._seats[int(player[1:]) - 1]

    def deal(self) -> None:
        """A card falls: a new street. A card between two actions of one round does not occur."""
        self._bets, self.price = {}, 0

    def put(self, what: str, player: str, total: int) -> Fact:
        """A seat brings its total of the street to ``total``, or to all it has."""
        seat = self.seat(player)
        own = self._bets.get(seat, 0)
        chips = max(0, min(total - own, self._stack[seat])) if what != "wager" else total - own
        if what == "wager" and not 0 < chips <= self._stack[seat]:
            raise ValueError("a wager that the stack does not hold")
        self._stack[seat] -= chips
        self._bets[seat] = own + chips
        owed = self._owed if what == "bring_in" else 0
        self.price = max(self.price, own + chips, owed)
        return Fact(what, seat, (), chips, own + chips if chips or what != "call" else 0)


# --- recorded hands -------------------------------------------------------------------------------------------------------------


def _jsonl_problems(hand: FinishedHand, record: Mapping[str, Any]) -> Iterator[str]:
    stakes, unit = hand.setup.stakes, hand.setup.stakes.unit
    returned: dict[str, int] = {}
    for play in hand.plays:
        if isinstance(play, Returned):
            returned[str(play.seat)] = returned.get(str(play.seat), 0) + play.chips // unit
    amounts = (stakes.ante // unit, stakes.bring_in // unit, stakes.small // unit, stakes.big // unit)
    commons = [play.card.text for play in hand.plays if isinstance(play, Common)]
    yield from _differ("variant", record["variant"], hand.setup.variant.value)
    given = record["stakes"]
    yield from _differ("stakes", tuple(given[name] for name in ("ante", "bring_in", "small_bet", "big_bet")), amounts)
    yield from _differ(
        "seats", [(row["seat"], row["stack"]) for row in record["seats"]], [(s, c // unit) for s, c in hand.stacks]
    )
    yield from _differ("pot", record["pot"], sum(pot.chips for pot in hand.end.pots) // unit)
    yield from _differ("rake", record["rake"], hand.rake // unit)
    yield from _differ("collected", record["collected"], {str(s): c // unit for s, c in sorted(hand.won.items())})
    yield from _differ("uncalled", record["uncalled"], returned)
    yield from _differ("rules", record["rules"]["hash"], hand.rules_hash)
    yield from _differ("manually_verified", record["manually_verified"], hand.manually_verified)
    yield from _differ("verified_without", record["verified_without"], list(hand.without))
    if record["community"] != (commons[-1] if commons else None):
        yield "the common card is another"
    if sum(record["collected"].values()) + record["rake"] != record["pot"]:
        yield "what was collected and the rake are not the pot"
    if "fill" in record or "deal_sequence" in record:
        yield "the line names cards beside those that were public"
    facts = [_jsonl_fact(event) for event in record["events"]]
    yield from _compare(facts, _ledger(hand, unit=unit, whole=True))
    yield from _doubles(facts)
    yield from _streets(hand, record["events"])


def _jsonl_fact(event: Mapping[str, Any]) -> Fact:
    kind, seat = event["type"], event.get("seat") or 0
    match kind:
        case "deal":
            return Fact("common" if event.get("community") else "deal", seat, tuple(event["cards"]))
        case "show" | "muck":
            return Fact(kind, seat, tuple(event["cards"]))
        case "burn":
            return Fact(kind, seat, (event["card"],))
        case "stub_reshuffle":
            return Fact(kind, 0, tuple(event["burns_returned"]), len(event["burns_returned"]), event["stub"])
        case "collect":
            return Fact(kind, seat, (), event["amount"], _pot_number(event["pot"]))
        case _:
            return Fact(kind, seat, (), event.get("amount", 0), event.get("to", 0))


def _pot_number(text: str) -> int:
    return 0 if text == "main" else int(text.removeprefix("side "))


def _streets(hand: FinishedHand, events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Streets, all-ins, and which cards lie up."""
    written = [(event.get("street"), event.get("all_in", False)) for event in events if event["type"] not in _NO_STREET]
    ups = [tuple(event["up"]) for event in events if event["type"] == "deal"]
    third: dict[int, list[int]] = {}
    later: list[tuple[int, ...]] = []
    for play in hand.plays:
        if isinstance(play, Dealt) and play.street == 3:
            third.setdefault(play.seat, []).append(int(play.up))
        elif isinstance(play, Dealt):
            later.append((int(play.up),))
        elif isinstance(play, Common):
            later.append((1,))
    if written != list(_streets_of(hand)):
        yield "an event stands on another street, or is all-in where the ledger has chips behind, or the other way round"
    if ups != [*(tuple(sorted(up)) for _, up in sorted(third.items())), *later]:
        yield "a card lies up where the ledger has it down, or the other way round"


_NO_STREET: Final = ("uncalled", "show", "muck", "collect")


def _streets_of(hand: FinishedHand) -> Iterator[tuple[int, bool]]:
    """Street and all-in of each event that names them; third street's cards are one event a seat."""
    dealt: set[int] = set()
    stacks = dict(hand.stacks)
    for play in hand.plays:
        match play:
            case Dealt(seat=seat, street=3):
                if seat not in dealt:
                    yield 3, False
                dealt.add(seat)
            case Anted(seat=seat, chips=chips):
                yield 3, stacks[seat] == chips
            case Acted():
                yield play.street, play.all_in and play.verb not in (Verb.FOLD, Verb.CHECK)
            case Dealt(street=street) | Common(street=street) | Burned(street=street) | Reshuffled(street=street):
                yield street, False
            case _:
                pass
