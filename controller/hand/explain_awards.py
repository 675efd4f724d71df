"""Why chips go where they go: uncalled bets, pots, rake, the order of showing, and every share of an award."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller.hand.cards import Card
from controller.hand.evaluation import best_high_five, best_low_five, low_eight_value
from controller.hand.events import HandTabled, PotAwarded, PotsFixed, ShowdownOpened, UncalledReturned
from controller.hand.knobs import OddChipDistribution, OddChipPolicy, RakeAllocation
from controller.hand.pots import odd_chip_order
from controller.hand.showdown import claimants
from controller.hand.state import HandState, Status
from controller.hand.terms import Pot, Share
from controller.hand.variants import Wins
from controller.hand.why import Value, Why, Word, faces, reading, seats_of, why


def uncalled_returned(before: HandState, event: UncalledReturned) -> tuple[Why, ...]:
    """The part of a total that nobody matched goes back (R-ALLIN-03)."""
    matched = max((entry.total for entry in before.seats if entry.seat != event.seat), default=0)
    entry = before.seats[before.index_of(event.seat)]
    if entry.status is Status.KILLED and entry.total - event.chips > matched:
        return (why("uncalled.dead", "R-ALLIN-03", seat=event.seat, x=event.chips, forced=entry.forced),)
    return (why("uncalled", "R-ALLIN-03", seat=event.seat, x=event.chips, matched=matched),)


def pots_fixed(before: HandState, event: PotsFixed) -> tuple[Why, ...]:
    """Each pot with the seats that can win it, why there is no more betting, and the rake (R-ALLIN-02, R-ALLIN-04, R-RAKE-01)."""
    reasons = [
        why(
            "pot.alone" if len(pot.seats) == 1 and before.live_count > 1 else "pot",
            "R-ALLIN-05" if len(pot.seats) == 1 and before.live_count > 1 else "R-ALLIN-02",
            **_named(number, len(event.pots)),
            x=pot.chips,
            seats=seats_of(pot.seats),
        )
        for number, pot in enumerate(event.pots)
    ]
    if before.live_count > 1 and before.street < 7:
        reasons.append(why("run_out", "R-ALLIN-04"))
    rules = before.setup.rules
    total = sum(pot.chips for pot in event.pots)
    taken = sum(event.rake)
    if taken:
        capped = rules.rake_cap and total * rules.rake_percent // 100 > rules.rake_cap
        pro_rata = rules.rake_allocation is RakeAllocation.PRO_RATA and len(event.pots) > 1
        key = "rake.capped" if capped else "rake"
        reasons.append(why(key, "R-RAKE-01", x=taken, percent=rules.rake_percent, total=total, cap=rules.rake_cap))
        if len(event.pots) > 1:
            reasons.append(why("rake.pro_rata" if pro_rata else "rake.main_first", "R-RAKE-01"))
    elif rules.rake_percent and rules.no_fourth_no_drop and not before.fourth_dealt and before.live_count <= 1:
        reasons.append(why("rake.no_fourth", "R-RAKE-01"))
    return tuple(reasons)


def _named(number: int, count: int) -> Mapping[str, Value]:
    """The name of a pot: the pot, the main pot, or a side pot by its number."""
    if count == 1:
        return {"pot": Word("lbl.pot"), "k": 0}
    return {"pot": Word("lbl.side" if number else "lbl.main"), "k": number}


def showdown_opened(before: HandState, event: ShowdownOpened) -> tuple[Why, ...]:
    """Who shows first and why; side pots before the main pot (R-SHOW-01 to R-SHOW-03, R-SHOW-07)."""
    order = seats_of(event.order)
    first = event.order[0]
    wagered = before.round.last_wager if before.street == 7 else 0
    if wagered:
        key = "show.last_wager" if first == wagered else "show.after_last_wager"
        reasons: tuple[Why, ...] = (why(key, "R-SHOW-02", seat=first, wagered=wagered, order=order),)
    else:
        policy = before.setup.rules.show_order.value
        reasons = (why(f"show.no_bet.{policy}", "R-SHOW-03", seat=first, order=order),)
    open_pots = [pot for pot, shares in zip(before.pots, before.awards, strict=True) if shares is None]
    if len(open_pots) > 1:
        reasons = (*reasons, why("show.side_first", "R-SHOW-07"))
    return reasons


def hand_tabled(before: HandState, event: HandTabled) -> tuple[Why, ...]:
    """How the tabled cards are read; a hand that is turned up before its last card is not read yet (R-SHOW-05, R-SHOW-06)."""
    cards = (*event.cards, *before.commons)
    if before.face_up:
        return (why("tabled.all_in", "R-SHOW-06", seat=event.seat),)
    if len(cards) < 5:
        return (why("tabled.few", "R-SHOW-05", seat=event.seat),)
    ways = [why("tabled", "R-SHOW-05", seat=event.seat, hand=reading(cards, wins)) for wins in before.setup.game.wins[:1]]
    if Wins.LOW_EIGHT in before.setup.game.wins:
        if low_eight_value(cards) is None:
            ways.append(why("tabled.no_low", "R-EVAL-02", seat=event.seat))
        else:
            ways.append(why("tabled.low", "R-EVAL-02", seat=event.seat, hand=reading(cards, Wins.LOW_EIGHT)))
    return tuple(ways)


def pot_awarded(before: HandState, event: PotAwarded) -> tuple[Why, ...]:
    """Each share of a pot: unseen, by high, by low, halves, ties and odd chips (R-POT-01 to R-POT-10)."""
    pot = before.pots[event.pot]
    names = _named(event.pot, len(before.pots))
    if event.shares[0].wins is None:
        return _unseen(before, event, pot, names)
    commons = before.commons
    hands = {
        seat: (*tabled, *commons)
        for seat in claimants(before, event.pot)
        if (tabled := before.seats[before.index_of(seat)].tabled)
    }
    reasons: list[Why] = []
    halves: dict[Wins, list[Share]] = {}
    for share in event.shares:
        if share.wins is not None:
            halves.setdefault(share.wins, []).append(share)
    eight = Wins.LOW_EIGHT in before.setup.game.wins
    chips = sum(share.chips for share in event.shares)
    for wins, shares in halves.items():
        reasons.extend(_shares(before, wins, shares, hands, names))
    if eight and len(halves) == 2:
        high = sum(share.chips for share in halves[Wins.HIGH])
        if high * 2 != chips:
            reasons.append(why("award.odd_half", "R-POT-05", **names, high=high, low=chips - high))
    elif eight and Wins.BOTH not in halves:
        reasons.append(why("award.no_low", "R-POT-05", **names))
    return tuple(reasons)


def _unseen(before: HandState, event: PotAwarded, pot: Pot, names: Mapping[str, Value]) -> tuple[Why, ...]:
    if len(event.shares) > 1 or event.shares[0].seat not in claimants(before, event.pot):
        shared = seats_of(share.seat for share in event.shares)
        return (why("award.killed_together", "R-POT-10", **names, seats=shared, x=sum(share.chips for share in event.shares)),)
    share = event.shares[0]
    values = {"seat": share.seat, "x": share.chips}
    if any(before.seats[before.index_of(seat)].mucked for seat in pot.seats):
        return (why("award.others_mucked", "R-SHOW-08", **names, **values),)
    if before.live_count > 1:
        return (why("award.side_alone", "R-ALLIN-05", **names, **values),)
    return (why("award.unseen", "R-POT-09", **names, **values),)


_SIDES = {Wins.HIGH: "high", Wins.LOW_EIGHT: "low", Wins.LOW: "razz", Wins.BOTH: "both"}
_RULES = {Wins.HIGH: "R-EVAL-01", Wins.LOW_EIGHT: "R-EVAL-02", Wins.LOW: "R-EVAL-03", Wins.BOTH: "R-POT-07"}


def _shares(
    before: HandState, wins: Wins, shares: list[Share], hands: Mapping[int, tuple[Card, ...]], names: Mapping[str, Value]
) -> Iterator[Why]:
    """One half, or a whole pot: its winner's hand, or the tie and who gets the odd chips."""
    side = _SIDES[wins]
    for share in shares:
        hand = reading(hands[share.seat], wins)
        values: dict[str, Value] = {"seat": share.seat, "x": share.chips, "hand": hand}
        if wins is Wins.BOTH:
            low = reading(hands[share.seat], Wins.LOW_EIGHT)
            key, rule = ("award.both", "R-POT-01") if len(shares) == 1 else ("award.both.tie", "R-POT-07")
            yield why(key, rule, **names, **values, low=low)
        elif len(shares) == 1:
            yield why(f"award.{side}", _RULES[wins], **names, **values)
        else:
            rule = "R-POT-06" if Wins.LOW_EIGHT in before.setup.game.wins else "R-POT-02"
            yield why(f"award.{side}.tie", rule, **names, **values, ties=len(shares))
    if len({share.chips for share in shares}) > 1:
        yield _odd_chips(before, wins, shares, hands)


def _odd_chips(before: HandState, wins: Wins, shares: list[Share], hands: Mapping[int, tuple[Card, ...]]) -> Why:
    """Who gets the odd chips of a tie, by the house's order (R-POT-03)."""
    rules = before.setup.rules
    high = wins in (Wins.HIGH, Wins.BOTH)
    tied = {share.seat: hands[share.seat] for share in shares}
    read_as = Wins.HIGH if high else wins
    order = odd_chip_order(tied, before.commons, read_as, rules.odd_chip_policy)
    least = min(share.chips for share in shares)
    favoured = seats_of(share.seat for share in shares if share.chips > least)
    all_to = "all" if rules.odd_chip_distribution is OddChipDistribution.ALL_TO_FIRST else "one"
    values: dict[str, Value] = {"seats": favoured}
    match rules.odd_chip_policy:
        case OddChipPolicy.DEALER_LEFT:
            return why(f"odd.left.{all_to}", "R-POT-03", **values)
        case OddChipPolicy.FIVE_CARD_HIGH_SUIT:
            five = best_high_five(tied[order[0]]) if high else best_low_five(tied[order[0]])
            own = [card for card in five if card not in before.commons]
            return why(f"odd.five.{all_to}", "R-POT-03", **values, first=order[0], card=faces(*own[:1]))
        case OddChipPolicy.RROP_SEVEN:
            way = "high" if high else "low"
            return why(f"odd.seven.{way}.{all_to}", "R-POT-03", **values, first=order[0])
