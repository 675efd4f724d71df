"""Who shows, in which order, and when a pot is decided (R-SHOW, R-ALLIN-05, Q-72)."""

from __future__ import annotations

from collections.abc import Sequence

from controller.hand.events import PotAwarded, ShowdownOpened
from controller.hand.knobs import LosersMuck, OddChipDistribution, ShowOrder
from controller.hand.openers import opener_seat
from controller.hand.pots import award_pot, split
from controller.hand.state import HandState, SeatHand
from controller.hand.terms import Share


def open_showdown(state: HandState) -> ShowdownOpened:
    """The order of showing: side pots first, in each from the last wager of seventh street or the first to act (Q-72).

    Asked for only with two live hands and no more betting (R-SHOW-01 to R-SHOW-03, R-SHOW-07).
    """
    start = state.round.last_wager if state.street == 7 else 0
    if not start:
        start = _first_without_bet(state)
    order: list[int] = []
    for pot in reversed(state.pots):
        seats = _clockwise_from(state, start, pot.seats)
        order.extend(seat for seat in seats if seat not in order)
    if state.face_up:  # who is not at risk turns up first (R-SHOW-06)
        order.sort(key=lambda seat: not state.seats[state.index_of(seat)].active)
    return ShowdownOpened(tuple(order))


def _first_without_bet(state: HandState) -> int:
    """First to show when seventh street was checked or not bet (R-SHOW-03, Q-74)."""
    match state.setup.rules.show_order:
        case ShowOrder.FIRST_TO_ACT:
            return opener_seat(state, 7)
        case ShowOrder.SEAT_ORDER:
            return state.seats[0].seat
        case ShowOrder.FROM_BRING_IN_SEAT:
            return state.bring_in_seat or state.seats[0].seat
        case ShowOrder.LAST_RAISER_OF_HAND:
            return state.last_raiser or opener_seat(state, 7)


def _clockwise_from(state: HandState, start: int, among: Sequence[int]) -> list[int]:
    """Seats of ``among`` clockwise, beginning with ``start`` or the next one after it."""
    numbers = [entry.seat for entry in state.seats]
    first = numbers.index(start)
    return [seat for seat in numbers[first:] + numbers[:first] if seat in among]


def claimants(state: HandState, pot: int) -> tuple[int, ...]:
    """Seats that still have a claim on ``pot``."""
    entries = (state.seats[state.index_of(seat)] for seat in state.pots[pot].seats)
    return tuple(entry.seat for entry in entries if entry.live and not entry.mucked)


def to_show(state: HandState) -> tuple[int, ...]:
    """Seats that must still table or muck, in the order of showing; empty when every open pot is decided."""
    contested: set[int] = set()
    for number, shares in enumerate(state.awards):
        if shares is None:
            seats = claimants(state, number)
            if len(seats) > 1:
                contested.update(seats)
    return tuple(seat for seat in state.show_order if seat in contested and not all_tabled(state.seats[state.index_of(seat)]))


def all_tabled(entry: SeatHand) -> bool:
    """Whether every card of the seat lies face up for all."""
    return entry.tabled is not None and len(entry.tabled) == len(entry.down) + len(entry.up)


def may_muck(state: HandState, seat: int) -> bool:
    """A seat may concede unless it is tabled, must be because somebody is all-in, or has the last claim on an open pot.

    R-SHOW-04, R-SHOW-06, R-POT-10.
    """
    entry = state.seats[state.index_of(seat)]
    if entry.tabled is not None or entry.mucked or not entry.live or state.face_up:
        return False
    rules = state.setup.rules
    if (rules.face_up_when_all_in or rules.losers_may_muck is LosersMuck.EXCEPT_ALL_IN) and _in_all_in_pot(state, seat):
        return False
    return all(
        shares is not None or seat not in state.pots[number].seats or len(claimants(state, number)) > 1
        for number, shares in enumerate(state.awards)
    )


def _in_all_in_pot(state: HandState, seat: int) -> bool:
    """Whether the seat contests a pot with a player who is all-in (R-SHOW-06)."""
    all_in = {entry.seat for entry in state.seats if entry.live and not entry.active}
    return any(seat in pot.seats and all_in & set(pot.seats) for pot in state.pots)


def unseen_awards(state: HandState) -> tuple[PotAwarded, ...]:
    """Pots that one seat alone can win: paid at once, last formed first, not shown (R-DEAL-05, R-ALLIN-05, R-SHOW-08, R-POT-09).

    A pot whose last hands were killed together is shared by them (R-POT-10).
    """
    awards: list[PotAwarded] = []
    for number in range(len(state.pots) - 1, -1, -1):
        if state.awards[number] is not None:
            continue
        seats = claimants(state, number)
        chips = state.pots[number].chips - state.rake[number]
        if len(seats) == 1:
            awards.append(PotAwarded(number, (Share(seats[0], chips, None),)))
        elif not seats:
            heirs = [seat for seat in state.pots[number].seats if seat in state.dead_together] or list(state.pots[number].seats)
            shares = split(chips, heirs, state.setup.stakes.unit, OddChipDistribution.ONE_EACH)
            awards.append(PotAwarded(number, tuple(Share(seat, part, None) for seat, part in shares.items())))
    return tuple(awards)


def proposed_awards(state: HandState) -> tuple[PotAwarded, ...]:
    """What the tabled cards win, last formed pot first, each among its own hands; call it when ``to_show`` is empty.

    R-SHOW-05, R-SHOW-07, R-ALLIN-06, R-POT-01, R-POT-08.
    """
    setup = state.setup
    awards: list[PotAwarded] = []
    for number in range(len(state.pots) - 1, -1, -1):
        if state.awards[number] is not None:
            continue
        hands = {seat: tabled for seat in claimants(state, number) if (tabled := state.seats[state.index_of(seat)].tabled)}
        chips = state.pots[number].chips - state.rake[number]
        shares = award_pot(chips, hands, state.commons, setup.game, setup.rules, setup.stakes.unit)
        awards.append(PotAwarded(number, shares))
    return tuple(awards)
