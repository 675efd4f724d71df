"""Who gets which chips at the end, a second time and by brute force: R-ALLIN-02 and R-POT-01 to R-POT-08 word by word.

Each way in which another engine divides otherwise is a switch, so that a difference can be undone one rule at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from controller.hand.cards import Card
from support import readings

READ: dict[str, tuple[Callable[[Sequence[Card]], Any], ...]] = {
    "stud": (readings.high,),
    "stud8": (readings.high, readings.eight),
    "razz": (readings.razz,),
}


class Contest(NamedTuple):
    """What decides who is paid. ``totals`` is what each seat has in for the hand, less what came back uncalled."""

    variant: str
    totals: dict[int, int]
    live: tuple[int, ...]
    mucked: tuple[int, ...]
    cards: dict[int, tuple[Card, ...]]
    unit: int = 1


class Division(NamedTuple):
    """How a pot is divided, by the knobs and by the ways of PokerKit (R-POT-03, R-POT-07, R-POT-01, R-POT-08)."""

    one_each: bool
    """Odd units go one to each in turn, not all to the first."""
    as_one_pot: bool
    """The same winners both ways share the pot, not each half."""
    each_pot: bool = True
    """Pots stay apart once betting is over (Q-50), also where their losers are out."""
    own_low: bool = True
    """A pot is halved for a low hand of its own, not for one that another pot has."""


POKERKIT = Division(one_each=False, as_one_pot=False, each_pot=False, own_low=False)
STEPS = {"R-POT-03": "one_each", "R-POT-07": "as_one_pot", "R-POT-01": "each_pot", "R-POT-08": "own_low"}
"""The departures of PokerKit's awards, by their rules, in the order in which they are undone."""


def pay(contest: Contest, division: Division) -> dict[int, int]:
    """What each seat gets back of what was put in."""
    claims = [seat for seat in contest.live if seat not in contest.mucked]
    ways = READ[contest.variant]
    read = {seat: [way(contest.cards[seat]) for way in ways] for seat in claims} if len(claims) > 1 else {}
    pots = _pots(contest.totals, contest.live)
    if not division.each_pot:  # losers of every pot and way are out; pots that the same seats are left in are one
        left = {seat for _, seats in pots for seat in _winners_of_any([who for who in seats if who in claims], read, len(ways))}
        pots = _pots(contest.totals, [seat for seat in contest.live if seat in left])
    got = dict.fromkeys(contest.totals, 0)
    for chips, seats in pots:
        contenders = [seat for seat in seats if seat in claims]
        if len(contenders) == 1:
            got[contenders[0]] += chips
            continue
        shown = contenders if division.own_low else claims
        halves = [way for way in range(len(ways)) if any(read[seat][way] is not None for seat in shown)]
        won = [_best(contenders, read, way) for way in halves]
        if division.as_one_pot and len(won) == 2 and won[0] == won[1]:
            won = won[:1]
        for part, winners in zip(_split(chips, len(won), contest.unit, one_each=False), won, strict=True):
            odd_first = _split(part, len(winners), contest.unit, one_each=division.one_each)
            for seat, share in zip(winners, odd_first, strict=True):
                got[seat] += share
    return got


def _pots(totals: dict[int, int], live: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """Chips of every level, put to those who can win them; levels that the same seats can win are one pot (R-ALLIN-02, Q-50)."""
    pots: dict[tuple[int, ...], int] = {}
    below, able = 0, tuple(live)
    for level in sorted(set(totals.values())):
        able = tuple(seat for seat in live if totals[seat] >= level) or able
        pots[able] = pots.get(able, 0) + sum(min(chips, level) - min(chips, below) for chips in totals.values())
        below = level
    return [(chips, seats) for seats, chips in pots.items()]


def _best(seats: Sequence[int], read: dict[int, list[Any]], way: int) -> list[int]:
    """The seats with the best reading, lowest seat first; all of them where none qualifies, as PokerKit pays a low half then."""
    values = [read[seat][way] for seat in seats if read[seat][way] is not None]
    return [seat for seat in seats if not values or read[seat][way] == min(values)]


def _winners_of_any(seats: Sequence[int], read: dict[int, list[Any]], ways: int) -> set[int]:
    if len(seats) == 1:
        return set(seats)
    return {seat for way in range(ways) for seat in _best(seats, read, way) if read[seat][way] is not None}


def _split(chips: int, count: int, unit: int, *, one_each: bool) -> list[int]:
    """Round by round a unit to each; what is left when it does not go round, to the first (R-POT-02 to R-POT-05)."""
    shares = [0] * count
    left = chips
    while left >= unit * count:
        for number in range(count):
            shares[number] += unit
        left -= unit * count
    number = 0
    while one_each and left >= unit:
        shares[number] += unit
        left -= unit
        number += 1
    shares[0] += left
    return shares
