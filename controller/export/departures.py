"""Where a hand leaves what another engine knows, each by the rule of this book that says so.

PokerKit is the yardstick of PHH. A hand whose list is empty ends there with the same chips; one with a rule in its list may end
otherwise, or be refused at the point where the rule decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from controller.export.hands import FinishedHand
from controller.export.plays import Acted, Anted, Common, Killed, Mucked, Reshuffled, Shown, Won
from controller.hand import irregular_events as slips
from controller.hand.events import RoundOpened
from controller.hand.evolve import evolve
from controller.hand.knobs import BringInTie, OpenTie, ShortBringIn
from controller.hand.openers import bring_in_seat, opener_seat
from controller.hand.stakes import Stakes
from controller.hand.state import Status, open_state
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode, Wins

WAGERS: Final = (Verb.COMPLETE, Verb.BET, Verb.RAISE)
THEIR_CAP: Final = 4
"""Wagers of one street in PokerKit: a completion or bet and three raises, heads-up too."""
FREE_FOLD: Final = "R-DEAL-06"
"""PokerKit warns of it, and goes on with the same chips."""
_SLIPS: Final[dict[type, str]] = {
    slips.HoleExposed: "R-EXP-01",
    slips.SeventhShown: "R-EXP-06",
    slips.SeventhReplaced: "R-EXP-06",
    slips.BoxedReplaced: "R-MIS-06",
    slips.AllInDeclared: "R-EXP-06",
    slips.HandRefunded: "R-EXP-02",
    slips.HandsKilled: "R-ABS-03",
    slips.HandRetrieved: "R-ERR-07",
    slips.BurnedEarly: "R-ERR-01",
    slips.CardEliminated: "R-ERR-01",
    slips.SeventhKept: "R-ERR-02",
    slips.SeventhRedone: "R-ERR-01",
    slips.CardScrapped: "R-MIS-06",
    slips.ActorMoved: "R-BRING-09",
    slips.DoorChosen: "R-EXP-05",
}


def departures(hand: FinishedHand) -> tuple[str, ...]:
    """The rules by which PokerKit may end otherwise with this hand, each once, in the order of the book's sections."""
    return tuple(sorted({*_setup(hand), *_deal(hand), *_openers(hand), *_betting(hand), *_showdown(hand), *_awards(hand)}))


def _setup(hand: FinishedHand) -> Iterator[str]:
    stakes = hand.setup.stakes
    if hand.void is not None:
        yield "R-RULE-03"
    if stakes.bring_in >= stakes.small:  # there it must be less
        yield "R-BRING-03"
    if hand.rake:  # PHH has no field for it
        yield "R-RAKE-01"


def _deal(hand: FinishedHand) -> Iterator[str]:
    """The stub test counts folded hands there, and cards that nobody knows are never gone from it (R-STUB-03)."""
    yield from (_SLIPS[type(event)] for event in hand.events if type(event) in _SLIPS)
    if _refunded(hand):
        yield "R-EXP-02"
    for play in hand.plays:
        if isinstance(play, Common) or (isinstance(play, Reshuffled) and _scarce(hand)):
            yield "R-STUB-03"


def _refunded(hand: FinishedHand) -> bool:
    """A seat got its ante back and no more cards, perhaps before a redeal."""
    return any(entry.status is Status.REFUNDED for entry in hand.end.seats)


def _scarce(hand: FinishedHand) -> bool:
    """The cards of eight hands: only there its count can come to another end."""
    return len(hand.seats) > 7


def _openers(hand: FinishedHand) -> Iterator[str]:
    """There a tie of door cards is broken by suit, and one of boards by place; a house may do otherwise."""
    rules = replace(
        hand.setup.rules,
        bring_in_tie=BringInTie.SUIT,
        open_tie_stud=OpenTie.NEAREST_DEALER_LEFT,
        open_tie_stud8=OpenTie.NEAREST_DEALER_LEFT,
        open_tie_razz=OpenTie.NEAREST_DEALER_LEFT,
    )
    if rules == hand.setup.rules or _refunded(hand) or any(type(event) in _SLIPS for event in hand.events):
        return
    state = open_state(hand.setup, hand.stacks)
    for event in hand.events:
        if isinstance(event, RoundOpened):
            theirs = state._replace(setup=hand.setup._replace(rules=rules))
            if event.street == 3 and bring_in_seat(theirs) != event.opener:
                yield "R-BRING-02"
            if event.street > 3 and opener_seat(theirs, event.street) != event.opener:
                yield "R-OPEN-02"
        state = evolve(state, event)


def _betting(hand: FinishedHand) -> Iterator[str]:
    """A short post, a big bet on fourth street, a raise over a short all-in, more wagers than its cap."""
    wagers: Counter[int] = Counter()
    short: set[int] = set()
    posted = False
    for play in hand.plays:
        if not isinstance(play, Acted):
            continue
        if not play.in_turn:
            yield "R-BET-14"
        if play.verb in WAGERS:
            if play.street in short:
                yield "R-BET-08"
            wagers[play.street] += 1
            yield from _big_on_fourth(hand, play)
            if play.all_in and play.to != _full(play, hand.setup.stakes):
                short.add(play.street)
        elif play.verb in (Verb.FOLD, Verb.BRING_IN):
            yield from _forced(hand, play, posted=posted)
        posted = posted or play.verb is not Verb.FOLD
    if any(count > THEIR_CAP for count in wagers.values()):
        yield "R-BET-04"
    yield from _pointless(hand)


def _forced(hand: FinishedHand, play: Acted, *, posted: bool) -> Iterator[str]:
    """A fold in place of the post, a free fold, and a short post that others do not match but exceed."""
    if play.verb is Verb.FOLD:
        if play.street == 3 and not posted:
            yield "R-BRING-07"
        if _is_free(hand, play):
            yield FREE_FOLD
    elif play.to < hand.setup.stakes.bring_in and hand.setup.rules.short_bring_in is ShortBringIn.OTHERS_OWE_FULL:
        yield "R-BRING-08"


def _big_on_fourth(hand: FinishedHand, play: Acted) -> Iterator[str]:
    if play.street == 4 and play.to - play.price > hand.setup.stakes.small:
        yield "R-BET-05" if hand.setup.variant is VariantCode.STUD else "R-BET-06"


def _full(play: Acted, stakes: Stakes) -> int:
    """The total of a full bet, completion or raise."""
    size = stakes.big if play.street > 4 else stakes.small
    return size if play.verb is Verb.COMPLETE else play.price + size


def _is_free(hand: FinishedHand, fold: Acted) -> bool:
    """Nothing was to be called."""
    own = 0
    for play in hand.plays:
        if play is fold:
            break
        if isinstance(play, Acted) and play.seat == fold.seat and play.street == fold.street:
            own = play.to
    return own >= fold.price


def _pointless(hand: FinishedHand) -> Iterator[str]:
    """A wager above what the only opponents with chips can match in part (Q-41): refused there, allowed here."""
    stack = {entry.seat: entry.chips for entry in hand.stacks}
    street_chips: dict[int, int] = {}
    live = set(stack)
    street = 3
    for play in hand.plays:
        match play:
            case Acted():
                if play.street != street:
                    street, street_chips = play.street, {}
                others = [stack[seat] + street_chips.get(seat, 0) for seat in live if seat != play.seat]
                highest = max(street_chips.values(), default=0)
                if play.verb in WAGERS and not any(chips > highest for chips in others):
                    yield "R-BET-10"
                stack[play.seat] -= play.chips
                street_chips[play.seat] = street_chips.get(play.seat, 0) + play.chips
                if play.verb is Verb.FOLD:
                    live.discard(play.seat)
            case Killed(seat=seat):
                live.discard(seat)
            case Anted(seat=seat, chips=chips):
                stack[seat] -= chips
            case _:
                pass


def _showdown(hand: FinishedHand) -> Iterator[str]:
    """The last hand with a claim wins unseen once the others mucked; there a hand that is not known cannot win.

    And a seat that has won a side pot unseen may muck for the main pot; there its muck gives both up.
    """
    shown = {play.seat for play in hand.plays if isinstance(play, Shown)}
    unseen = {play.seat for play in hand.plays if isinstance(play, Won) and play.wins is None}
    if any(isinstance(play, Mucked) and play.seat in unseen for play in hand.plays):
        yield "R-ALLIN-05"
    mucked = False
    for play in hand.plays:
        mucked = mucked or isinstance(play, Mucked)
        if mucked and isinstance(play, Won) and play.seat not in shown:
            yield "R-SHOW-08"


def _awards(hand: FinishedHand) -> Iterator[str]:
    """Odd chips and halves: there the whole remainder goes to the first seat, pots with the same winners are one pot, a side pot
    is halved when any pot has a low, the same winners both ways share each half, and the smallest chip is 1."""
    pots: dict[int, list[Won]] = {}
    for play in hand.plays:
        if isinstance(play, Won) and play.wins is not None:
            pots.setdefault(play.pot, []).append(play)
    for shares in pots.values():
        if any(share.wins is Wins.BOTH for share in shares) and len(shares) > 1:
            yield "R-POT-07"
        for wins in {share.wins for share in shares}:
            parts = {share.chips for share in shares if share.wins is wins}
            if len(parts) > 1:
                yield "R-POT-03"
        if hand.setup.stakes.unit > 1 and len({share.chips for share in shares}) > 1:
            yield "R-POT-04"
    uneven = [shares for shares in pots.values() if len({share.chips for share in shares}) > 1]
    if len(uneven) > 1 or (uneven and len(hand.end.pots) > 1):
        yield "R-POT-01"
    lows = {any(share.wins in (Wins.LOW_EIGHT, Wins.BOTH) for share in shares) for shares in pots.values()}
    if hand.setup.variant is VariantCode.STUD8 and len(lows) > 1:
        yield "R-POT-08"
