"""Rulings on cards that went astray after third street."""

from __future__ import annotations

from support.hand_dsl import Story, later

from controller.hand.cards import Card
from controller.hand.commands import (
    CardLaid,
    DropStub,
    FeltRight,
    PrematureCards,
    RetrieveHand,
    ScrapCard,
    StubReloaded,
    UndoAction,
)
from controller.hand.events import BurnMade, SeventhPlan, StubCounted
from controller.hand.irregular_events import Scrap
from controller.hand.places import parse_place
from controller.hand.state import Status

BURN = parse_place("burn")


def spare(story: Story) -> Card:
    """A card that lies nowhere yet."""
    return story._free.pop()


def reload(story: Story) -> None:
    """The shuffled stub goes back into the shoe."""
    story.tell(StubReloaded(story.state.reload_due))


def test_a_premature_seventh_that_was_seen_is_kept() -> None:
    """Its owner may check, call or fold on 6th street, not bet or raise, and gets no other card (R-ERR-02)."""
    story = later(6, {1: 60, 2: 60, 3: 60}, opens=1).bets("1 check")
    story.tell(PrematureCards((spare(story), spare(story)), burned=True, kept=2))
    assert story.state.reload_due == 0
    assert story.options == "check, fold"
    story.bets("2 check, 3 to 8, 1 call")
    assert story.options == "call 8, fold"
    story.bets("2 call")
    entry = story.state.seats[story.state.index_of(2)]
    assert len(entry.cards) == 7
    assert story.laid[-2:][0][0] == "seat/1/down"
    assert story.laid[-1][0] == "seat/3/down"


class Halting(Story):
    """The deal of ``halt`` waits for the test."""

    halt = 4

    def deal(self) -> None:
        """Up to the street that waits."""
        while self.state.hold is None and self.state.street != self.halt and self.state.due[self.state.dealt :]:
            if self.state.phase.value != "dealing":
                return
            self.deal_one()


def test_a_missed_burn_is_put_right_before_action() -> None:
    """A card that goes to a seat in place of the burn stops play until it lies there; one burn a street is made (R-ERR-03)."""
    story = Halting({1: 50, 2: 50}, cards={1: "?? ?? 2c"}).bets("1 post 2, 2 call")
    assert story.state.street == 4
    card = spare(story)
    story.tell(CardLaid(parse_place("seat/1/up"), card))
    assert story.state.hold is not None
    assert story.state.hold.code == "wrong_place"
    story.tell(FeltRight())
    story.tell(CardLaid(BURN, card))
    assert len(story.happened(BurnMade)) == 1
    assert str(story.state.due[story.state.dealt].place) == "seat/1/up"


def test_a_second_burn_stops_play() -> None:
    """Two cards in a row on the burns: the second belongs to the first seat (R-ERR-03)."""
    story = Halting({1: 50, 2: 50}, cards={1: "?? ?? 2c"}).bets("1 post 2, 2 call")
    story.tell(CardLaid(BURN, spare(story)))
    story.tell(CardLaid(BURN, spare(story)))
    assert story.state.hold is not None
    assert story.state.hold.code == "wrong_place"
    assert len(story.happened(BurnMade)) == 1


def test_a_dropped_stub_is_shuffled_and_loaded_again() -> None:
    """Play waits for exactly as many cards as the stub had (R-ERR-06)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 check")
    stub = story.state.stub
    story.tell(DropStub())
    assert story.state.reload_due == stub
    assert story.refused_rule("2 check") == "R-RULE-01"
    reload(story)
    assert story.state.stub == stub
    story.bets("2 check")


def test_a_hand_killed_by_mistake_plays_again() -> None:
    """Until the next card is dealt, when all its cards are known (R-ERR-07)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 to 8, 2 fold")
    story.tell(RetrieveHand(2))
    assert story.state.seats[1].status is Status.LIVE
    late = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 to 8, 2 fold, 3 call")
    assert late.state.street == 6
    assert late.refusal(RetrieveHand(2)).rule == "R-ERR-07"


class Scrapping(Story):
    """A boxed card comes out on 5th street."""

    scrapped = False

    def deal(self) -> None:
        """As always, but for the card that is set aside."""
        if self.state.street == 5 and not self.scrapped:
            self.scrapped = True
            self.tell(ScrapCard(Scrap.BOXED, spare(self)))
        super().deal()


def test_the_stub_is_short_before_sixth_street() -> None:
    """Eight hands and one card lost: the burns go back in before 6th street (R-STUB-06)."""
    story = Scrapping(dict.fromkeys(range(1, 9), 100))
    while story.state.street < 6 and story.actor:
        action = story.options.split(",", maxsplit=1)[0].split()
        story.bets(f"{story.actor} {action[0]} {action[1] if len(action) > 1 else ''}".rstrip())
    counted = [(event.street, event.stub, event.burns, event.plan) for event in story.happened(StubCounted)]
    assert counted[0] == (6, 9, 2, SeventhPlan.REUSE_BURNS)
    assert story.state.street == 6


def test_undo_after_the_round_closed_is_the_floors() -> None:
    """Once the burn lies the dealer cannot undo any more (R-RULE-02, R-ERR-03)."""
    story = Halting({1: 50, 2: 50}, cards={1: "?? ?? 2c"}).bets("1 post 2, 2 call")
    story.tell(CardLaid(BURN, spare(story)))
    assert story.refusal(UndoAction()).code == "undo_is_floors"
    assert story.state.seats[0].street_chips == 0
