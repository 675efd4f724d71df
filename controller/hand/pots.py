"""Main and side pots, the uncalled bet, rake, and who gets which chip (R-ALLIN-02, R-ALLIN-03, R-RAKE-01, R-POT)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from controller.hand.cards import Card
from controller.hand.evaluation import ace_low_order, best_high_five, best_low_five, high_value, low_eight_value, razz_value
from controller.hand.knobs import OddChipDistribution, OddChipPolicy, RakeAllocation, SameWinners
from controller.hand.rules import HouseRules
from controller.hand.stakes import Stakes
from controller.hand.state import HandState
from controller.hand.terms import Pot, SeatChips, Share
from controller.hand.variants import Variant, Wins


def uncalled(state: HandState) -> SeatChips | None:
    """The part of the highest total that nobody matched, folded seats counted (Q-48); ``None`` when there is none.

    The ante and forced post of a dead hand stay (Q-20, Q-54).
    """
    highest = second = 0
    owner = state.seats[0]
    for entry in state.seats:
        if entry.total > highest:
            highest, second, owner = entry.total, highest, entry
        elif entry.total > second:
            second = entry.total
    excess = highest - second
    if not owner.live:
        excess = min(excess, owner.total - owner.forced)
    return SeatChips(owner.seat, excess) if excess > 0 else None


def build_pots(state: HandState) -> tuple[Pot, ...]:
    """Pots from the totals of the hand, main pot first: a layer for each distinct total of a live seat (R-ALLIN-02).

    What only hands that were killed together paid into is theirs to share (R-POT-10, Q-53).
    """
    live = [entry for entry in state.seats if entry.live]
    reach = max((entry.total for entry in live), default=0)
    heirs = [entry for entry in state.seats if entry.seat in state.dead_together and entry.total > reach]
    levels = sorted({entry.total for entry in (*live, *heirs)})
    pots: list[Pot] = []
    below = 0
    for number, level in enumerate(levels):
        top = level if number < len(levels) - 1 else max(entry.total for entry in state.seats)
        chips = sum(min(entry.total, top) - min(entry.total, below) for entry in state.seats)
        pots.append(Pot(chips, tuple(entry.seat for entry in (live if level <= reach else heirs) if entry.total >= level)))
        below = top
    return tuple(pot for pot in pots if pot.chips)


def rake_pots(pots: Sequence[Pot], rules: HouseRules, stakes: Stakes, *, fourth_dealt: bool) -> tuple[int, ...]:
    """Rake of each pot, rounded down to the rake unit, at most the cap (R-RAKE-01, Q-81)."""
    total = sum(pot.chips for pot in pots)
    unit = rules.rake_unit or stakes.unit
    if not rules.rake_percent or (rules.no_fourth_no_drop and not fourth_dealt):
        return (0,) * len(pots)
    rake = total * rules.rake_percent // 100
    if rules.rake_cap:
        rake = min(rake, rules.rake_cap)
    rake = rake // unit * unit  # a cap between two units is rounded down like the percentage
    if rules.rake_allocation is RakeAllocation.PRO_RATA:
        parts = [rake * pot.chips // total // unit * unit for pot in pots]
        for number in sorted(range(len(pots)), key=lambda number: -pots[number].chips):  # the rest from the largest, if it can
            parts[number] += min(rake - sum(parts), pots[number].chips - parts[number])
        return tuple(parts)
    parts = []
    for pot in pots:
        part = min(rake - sum(parts), pot.chips)
        parts.append(part)
    return tuple(parts)


def split(chips: int, order: Sequence[int], unit: int, distribution: OddChipDistribution) -> dict[int, int]:
    """Equal shares for the seats of ``order``; odd units go in that order (R-POT-02, R-POT-03).

    What is smaller than a unit stays with the first.
    """
    each, odd = divmod(chips // unit, len(order))
    shares = dict.fromkeys(order, each * unit)
    shares[order[0]] += chips % unit
    if distribution is OddChipDistribution.ALL_TO_FIRST:
        shares[order[0]] += odd * unit
    else:
        for seat in order[:odd]:
            shares[seat] += unit
    return shares


def award_pot(
    chips: int, hands: Mapping[int, tuple[Card, ...]], commons: tuple[Card, ...], game: Variant, rules: HouseRules, unit: int
) -> tuple[Share, ...]:
    """Shares of a contested pot among tabled ``hands`` (seat → own cards), by the cards alone (R-POT-01 to R-POT-08)."""
    full = {seat: (*cards, *commons) for seat, cards in hands.items()}
    ways = [(wins, winners) for wins in game.wins if (winners := _winners(full, wins))]

    def order(wins: Wins, winners: Sequence[int]) -> list[int]:
        return odd_chip_order({seat: full[seat] for seat in winners}, commons, wins, rules.odd_chip_policy)

    if len(ways) == 1:
        wins, winners = ways[0]
        return _shares(split(chips, order(wins, winners), unit, rules.odd_chip_distribution), wins)
    (first, high), (second, low) = ways
    if high == low and rules.same_winners is SameWinners.SPLIT_AS_ONE_POT:
        return _shares(split(chips, order(first, high), unit, rules.odd_chip_distribution), Wins.BOTH)
    low_half = chips // unit // 2 * unit  # the odd unit goes to the high half (R-POT-05)
    return (
        *_shares(split(chips - low_half, order(first, high), unit, rules.odd_chip_distribution), first),
        *_shares(split(low_half, order(second, low), unit, rules.odd_chip_distribution), second),
    )


def _shares(chips: Mapping[int, int], wins: Wins) -> tuple[Share, ...]:
    return tuple(Share(seat, amount, wins) for seat, amount in sorted(chips.items()))


def _winners(hands: Mapping[int, tuple[Card, ...]], wins: Wins) -> list[int]:
    """Seats with the best hand of that kind, lowest seat first; empty when nobody qualifies (R-EVAL-02, R-POT-05)."""
    read: Callable[[tuple[Card, ...]], int | None]
    match wins:
        case Wins.HIGH | Wins.BOTH:
            read = high_value
        case Wins.LOW_EIGHT:
            read = low_eight_value
        case Wins.LOW:
            read = razz_value
    values = {seat: value for seat, cards in hands.items() if (value := read(cards)) is not None}
    if not values:
        return []
    best = max(values.values()) if wins is Wins.HIGH else min(values.values())
    return sorted(seat for seat, value in values.items() if value == best)


def odd_chip_order(
    hands: Mapping[int, tuple[Card, ...]], commons: tuple[Card, ...], wins: Wins, policy: OddChipPolicy
) -> list[int]:
    """Order in which tied seats get odd units (R-POT-03, Q-77); a card common to all is skipped."""
    seats = sorted(hands)
    high = wins is Wins.HIGH
    if policy is OddChipPolicy.DEALER_LEFT or len(seats) == 1:
        return seats
    if policy is OddChipPolicy.FIVE_CARD_HIGH_SUIT:

        def five(seat: int) -> tuple[int, ...]:
            cards = best_high_five(hands[seat]) if high else best_low_five(hands[seat])
            return tuple(int(card) if high else ace_low_order(card) for card in cards if card not in commons)

        return sorted(seats, key=five, reverse=True)

    def seven(seat: int) -> tuple[int, ...]:
        own = [card for card in hands[seat] if card not in commons]
        return tuple(sorted((int(card) if high else ace_low_order(card) for card in own), reverse=high))

    return sorted(seats, key=seven, reverse=high)
