"""One hand in this program and in PokerKit at once, compared at every step; where the two part, the rule that says so.

A departure is undone where it shows: PokerKit is told what our rule decides (an amount it refuses, a common card it would not
turn), and the hand goes on. So everything behind a departure is compared, too, and only what no rule explains fails.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

from pokerkit import (
    Automation,
    FixedLimitRazz,
    FixedLimitSevenCardStud,
    FixedLimitSevenCardStudHighLowSplitEightOrBetter,
    Mode,
)

from controller.hand.betting import legal_actions
from controller.hand.cards import Card
from controller.hand.commands import Act, AwardPots, CardLaid, HandInput, MuckHand, PostAnte, StubReloaded, TableHand
from controller.hand.decide import Decision, decide
from controller.hand.events import HandEvent
from controller.hand.places import SeatPlace, Spot
from controller.hand.showdown import may_muck
from controller.hand.stakes import Stakes
from controller.hand.state import HandSetup, HandState, open_state
from controller.hand.steps import ActionDue, AnteDue, AwardDue, CardDue, Held, LoadDue, Over, TableDue, next_step
from controller.hand.terms import Verb
from controller.hand.variants import STREETS, VariantCode
from support import payer
from support.hand_dsl import rules_of

GAMES: dict[str, Any] = {
    "stud": FixedLimitSevenCardStud,
    "stud8": FixedLimitSevenCardStudHighLowSplitEightOrBetter,
    "razz": FixedLimitRazz,
}
AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
MATCHED = {
    "fourth_pair__stud": "off",
    "fourth_pair__stud8": "off",
    "deal__ghost_cards_after_free_fold": "false",
    "bring_in__short": "match_short",
    "bring_in__low_all_in_on_ante": "next_must_post",
    "cap__max_raises": "3",
    "cap__heads_up": "capped",
    "open__tie__stud": "nearest_dealer_left",
    "open__tie__stud8": "nearest_dealer_left",
    "open__tie__razz": "nearest_dealer_left",
    "odd_chip__policy": "dealer_left",
    "odd_chip__distribution": "all_to_first",
    "hilo__same_winners_both_ways": "two_step",
}
"""The knobs under which PokerKit follows the book as far as it can (rules §23)."""
WAGERS = (Verb.COMPLETE, Verb.BET, Verb.RAISE)
THEIR_CAP = 4


class Style(NamedTuple):
    """How often the players of a hand fold, free folds included, wager where they may, and muck at the showdown."""

    folds: float
    wagers: float
    mucks: float


class Pair:
    """One hand in both engines. PokerKit's players are the seats in order, counted from 0.

    ``shoe`` is dealt from its end. ``parted`` counts the departures by their rules.
    """

    def __init__(
        self,
        variant: str,
        stakes: Stakes,
        stacks: dict[int, int],
        shoe: list[Card],
        rng: random.Random,
        style: Style,
        **knobs: str,
    ) -> None:
        setup = HandSetup(1, VariantCode(variant), stakes, rules_of(**{**MATCHED, **knobs}))
        self.stacks = stacks
        self.seats = list(stacks)
        self.state: HandState = open_state(setup, tuple(stacks.items()))
        self.theirs = GAMES[variant].create_state(
            AUTOMATIC,
            True,
            stakes.ante,
            stakes.bring_in,
            stakes.small,
            stakes.big,
            tuple(stacks.values()),
            len(stacks),
            mode=Mode.CASH_GAME,
            divmod=self._in_units,
        )
        self.rng = rng
        self.style = style
        self.shoe = shoe
        self.events: list[HandEvent] = []
        self.parted: Counter[str] = Counter()
        self.mucked: list[int] = []
        self._third: dict[int, list[Card]] = {seat: [] for seat in stacks}
        self._wagers: list[int] = []  # of this street, as totals
        self._full = 0  # the last full level of this street
        self._increments: list[int] = []  # above what was to be matched
        self._acted: set[int] = set()

    def _in_units(self, chips: int, parts: int) -> tuple[int, int]:
        """A division that PokerKit takes: in whole chips of the smallest that plays (R-POT-04)."""
        each = chips // self.state.setup.stakes.unit // parts * self.state.setup.stakes.unit
        return each, chips - each * parts

    def play(self) -> None:
        """To the end in both, and compare the stacks."""
        for _ in range(1000):
            match next_step(self.state):
                case AnteDue(seats):
                    self._tell(PostAnte(seats[0]))
                case CardDue():
                    self._deal()
                case LoadDue(cards):
                    self.shoe.extend(card for card in self.state.burned if card is not None)
                    self.rng.shuffle(self.shoe)
                    self._tell(StubReloaded(cards))
                case ActionDue():
                    self._act()
                case TableDue(seats):
                    self._show(self.rng.choice(seats))
                case AwardDue():
                    self._tell(AwardPots())
                case Over():
                    break
                case Held() as held:
                    raise AssertionError(f"ordinary play comes to {held}")
        while self.theirs.showdown_indices:  # who need not show here: the last with a claim (R-SHOW-08, R-ALLIN-05)
            self.theirs.show_or_muck_hole_cards(True)
        assert not self.theirs.status
        self._compare_stacks()

    def _tell(self, given: HandInput) -> None:
        """One input to our hand."""
        decision = decide(self.state, given)
        assert isinstance(decision, Decision), f"{given} was refused: {decision}"
        if decision.state.street != self.state.street:
            self._wagers, self._full, self._increments, self._acted = [], 0, [], set()
        self.state = decision.state
        self.events += decision.events

    # ------------------------------------------------------------------ cards

    def _deal(self) -> None:
        """Lay one card in both; on third street PokerKit gets each seat's three cards once they lie."""
        due = self.state.due[self.state.dealt]
        street = self.state.street
        rest = self.state.due[self.state.dealt :]
        card = self.shoe.pop()
        self._tell(CardLaid(due.place, card))
        self._pass_lone_seat()
        theirs = self.theirs
        while street > 3 and theirs.showdown_indices:  # all-in: there hands are turned up before the rest is dealt
            theirs.show_or_muck_hole_cards(True)
        if any(left.place is Spot.COMMUNITY for left in rest) and not any(theirs.board_dealing_counts):
            self._part("R-STUB-03")  # folded hands count there
            assert len(self.seats) == 8 or self.state.setup.rules.stub_policy.value == "no_reshuffle"
            for waiting in theirs.hole_dealing_statuses:
                waiting.clear()
            theirs.board_dealing_counts[0] = 1
        burns = due.place is Spot.BURN
        if street > 3 and burns != theirs.card_burning_status:
            self._part("R-STUB-03")  # a second burn after the last card was mixed with the first, or none where the deck ends
            assert self.state.setup.rules.stub_policy.value == "rrop15"
            theirs.card_burning_status = burns
        if burns:
            theirs.burn_card(card.text)
            return
        if due.place is Spot.COMMUNITY:
            theirs.deal_board(card.text)
            return
        assert isinstance(due.place, SeatPlace)
        if street > 3:
            assert self.seats[theirs.hole_dealee_index] == due.place.seat
            theirs.deal_hole(card.text)
            return
        self._third[due.place.seat].append(card)
        if all(len(cards) == 3 for cards in self._third.values()):
            for number in range(3):
                for seat in self.seats:
                    theirs.deal_hole(self._third[seat][number].text)

    # ---------------------------------------------------------------- actions

    def _act(self) -> None:
        """Compare who is asked and everything that may be done, then do one thing in both."""
        theirs, seat = self.theirs, self.state.round.actor
        actions = legal_actions(self.state)
        assert self.seats[theirs.actor_index] == seat
        posting = actions[0].verb is Verb.BRING_IN
        assert posting == theirs.can_post_bring_in()
        assert posting != theirs.can_fold()
        if posting:
            assert actions[0].chips == theirs.effective_bring_in_amount
        else:
            assert actions[0].chips == theirs.checking_or_calling_amount
        wagers = [action for action in actions if action.verb in WAGERS]
        offered = theirs.min_completion_betting_or_raising_to_amount
        last_chips = posting and actions[0].all_in  # PokerKit calls that post a completion, too
        why = None if last_chips else self._why_wagers_differ([action.to for action in wagers], offered)
        folds = [action for action in actions if action.verb is Verb.FOLD]
        chosen = actions[0]
        for often, kind in ((self.style.wagers, wagers), (self.style.folds, folds)):
            if kind and self.rng.random() < often:
                chosen = self.rng.choice(kind)
        self._note(seat, chosen.verb, chosen.to, chosen.rule)
        self._tell(Act(seat, chosen.verb, chosen.to))
        match chosen.verb:
            case Verb.BRING_IN:
                theirs.post_bring_in()
            case Verb.FOLD:
                theirs.fold()
            case Verb.CHECK | Verb.CALL:
                theirs.check_or_call()
            case Verb.COMPLETE | Verb.BET | Verb.RAISE:
                if why is not None:
                    self._part(why)
                    theirs.verify_completion_betting_or_raising_to = lambda amount: amount
                theirs.complete_bet_or_raise_to(chosen.to)
                vars(theirs).pop("verify_completion_betting_or_raising_to", None)

    def _why_wagers_differ(self, ours: list[int], theirs: int | None) -> str | None:
        """The rule by which the totals to which the seat may wager are others there; ``None`` when they are the same.

        Fails where no rule says so. What they would be there follows from the difference alone: R-BET-08 with no half-bet.
        """
        if ours == ([] if theirs is None else [theirs]):
            return None
        stakes, now = self.state.setup.stakes, self.state.round
        seat = self.state.seats[self.state.index_of(now.actor)]
        size = stakes.big if STREETS[self.state.street].big else stakes.small
        reach = seat.stack + seat.street_chips
        others = [entry for entry in self.state.seats if entry.live and entry is not seat]
        if not any(entry.stack + entry.street_chips > now.match for entry in others):
            assert theirs is None
            return "R-BET-10"  # no opponent could call any of it
        assert any(amount != size for amount in self._sizes()), f"{ours} here, {theirs} there, and no short wager before"
        if ours:
            assert ours == [min(reach, self._full + size)]
        if theirs is None:  # each short wager counts for the cap, and is not raised by who faces less than a full raise
            assert len(self._wagers) >= THEIR_CAP or now.match - seat.street_chips < max(self._increments)
        else:
            assert theirs == min(reach, now.match + size)
            assert ours or seat.seat in self._acted or len(self._wagers) > THEIR_CAP  # its own cap was jumped on our word
        return "R-BET-08"

    def _sizes(self) -> list[int]:
        """How far each wager of this street went above the one before it; the first from nothing."""
        return [to - below for below, to in zip([0, *self._wagers], self._wagers, strict=False)]

    def _note(self, seat: int, verb: Verb, to: int, rule: str) -> None:
        """What was done, for what is compared later on this street."""
        if rule == "R-DEAL-06":
            self._part(rule)  # a fold without a bet, of which PokerKit warns
        if verb in WAGERS:
            size = self.state.setup.stakes.big if STREETS[self.state.street].big else self.state.setup.stakes.small
            self._increments.append(to - self.state.round.match)
            self._wagers.append(to)
            self._full = to if 2 * (to - self._full) >= size else self._full
        self._acted.add(seat)

    def _pass_lone_seat(self) -> None:
        """PokerKit asks the last seat with chips once more, though it owes nothing and nobody can call (R-ALLIN-04, Q-32)."""
        if self.theirs.actor_index is None:
            return
        self._part("R-ALLIN-04")
        assert [self.seats[self.theirs.actor_index]] == [entry.seat for entry in self.state.seats if entry.active]
        assert self.state.live_count > 1
        assert self.theirs.checking_or_calling_amount == 0
        self.theirs.check_or_call()

    # --------------------------------------------------------------- showdown

    def _show(self, seat: int) -> None:
        """Table or muck the hand in both; who has won a pot unseen tables, since PokerKit takes that back (R-ALLIN-05)."""
        self._pass_lone_seat()
        index = self.seats.index(seat)
        paid = any(share.seat == seat for shares in self.state.awards for share in shares or ())
        asked = index in self.theirs.showdown_indices
        if asked and not paid and may_muck(self.state, seat) and self.rng.random() < self.style.mucks:
            self.mucked.append(seat)
            self._tell(MuckHand(seat))
            self.theirs.show_or_muck_hole_cards(False, index)
            return
        self._tell(TableHand(seat))
        if asked:
            self.theirs.show_or_muck_hole_cards(True, index)

    def _compare_stacks(self) -> None:
        """Ours are what the brute-force payer gives; theirs too, once each departure is followed, one rule after another."""
        setup = self.state.setup
        contest = payer.Contest(
            setup.variant.value,
            {entry.seat: entry.total for entry in self.state.seats},
            tuple(entry.seat for entry in self.state.seats if entry.live),
            tuple(self.mucked),
            self._whole_hands(),
            setup.stakes.unit,
        )
        assert sum(contest.totals.values()) == sum(entry.won for entry in self.state.seats)
        division = payer.Division(
            one_each=setup.rules.odd_chip_distribution.value == "one_each",
            as_one_pot=setup.rules.same_winners.value == "split_as_one_pot",
        )
        paid = payer.pay(contest, division)
        assert [entry.won for entry in self.state.seats] == list(paid.values())
        for rule, switch in payer.STEPS.items():
            division = division._replace(**{switch: getattr(payer.POKERKIT, switch)})
            before, paid = paid, payer.pay(contest, division)
            if paid != before:
                self._part(rule)
        left = {seat: chips - contest.totals[seat] for seat, chips in self.stacks.items()}
        assert [entry.stack - entry.won for entry in self.state.seats] == list(left.values())
        assert [left[seat] + paid[seat] for seat in self.seats] == list(self.theirs.stacks)

    def _whole_hands(self) -> dict[int, tuple[Card, ...]]:
        commons = self.state.commons
        return {entry.seat: tuple(card for card in (*entry.cards, *commons) if card is not None) for entry in self.state.seats}

    def _part(self, rule: str) -> None:
        self.parted[rule] += 1
