"""Slips of a dealer where shoe and readers see them: each is told at once, stops what must stop, and ends as the rule book says.

After every commit chips and cards are conserved and no card that is not public stands in clear; at the end of each story the
journal replays with and without its keys, and an auditor without any key finds it right.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.slip_story import SlipStory, cards, names, ruling
from support.table_story import TableStory

from controller.hand.cards import DECK
from controller.hand.commands import Act, AwardPots, MuckHand, TableHand, VoidHand
from controller.hand.events import BurnMade, CardDealt, HandHeld, HandOpened, HandVoided, RoundOpened
from controller.hand.irregular_events import (
    BurnedEarly,
    CardEliminated,
    CardScrapped,
    HandSeen,
    HoleExposed,
    MisdealDeclared,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
    StubReturned,
)
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.stakes import Stakes
from controller.hand.state import Phase, Status
from controller.hand.terms import Verb
from controller.table.events import (
    CardIdentified,
    ClockStarted,
    DealKeyMade,
    Ruled,
    SeatKeyReleased,
    Suspended,
    TimeCollected,
)
from controller.table.inputs import (
    AddChips,
    CallClock,
    ChangeSeat,
    CloseTable,
    CollectTime,
    LeaveSeat,
    LeftFrom,
    PauseTable,
    ReopenTable,
    SeatPlayer,
    SeenAt,
    SetStakes,
    SitIn,
    SitOut,
    StartHand,
    UnexplainedTimeout,
)
from controller.table.pause import ClockRanOut
from controller.words.rule_card import rules_hash

ELIMINATE = {"premature.policy": "eliminate_round"}


def story(seats: str = "2 4 7", **settings: object) -> SlipStory:
    """A table whose deck is loaded when a hand begins."""
    return SlipStory(seats, **settings)


def fourth(later: str = "", seats: str = "2 4 7", **settings: object) -> SlipStory:
    """The moment before the burn of fourth street; ``later`` lies on top of the stub."""
    return story(seats, **settings).begin("", later).street(4)


# ---------------------------------------------------------------------- cards before action (R-ERR-03, R-ERR-04)


def test_two_sets_read_at_each_others_antennas_stop_as_crossed_and_nobody_is_told_to_move_a_card() -> None:
    """R-ERR-08: the cables are suspected. A card that lies right and is moved would count for the wrong hand from then on."""
    told = fourth()
    two, four = (SeatPlace(seat, Zone.DOWN) for seat in (2, 4))
    sets = {place: [card for card, where in told.where.items() if where == place] for place in (two, four)}
    assert [len(cards) for cards in sets.values()] == [2, 2]
    first, *rest = [(card, other) for place, other in ((two, four), (four, two)) for card in sets[place]]
    told.lay(*first)
    assert (told.hold, told.moves()) == ("moved_card", [("seat/4/down", "seat/2/down")])
    for card, other in rest:
        told.lay(card, other)
    assert (told.hold, told.moves()) == ("antennas_crossed", [])
    for place, own in sets.items():
        for card in own:
            told.lay(card, place)
    assert (told.hold, told.moves()) == (None, [])


def test_a_card_at_a_wrong_seat_stops_play_until_it_lies_right(tmp_path: Path) -> None:
    """R-ERR-04: place and way out are told, no card; play goes on by itself."""
    told = fourth()
    told.deal_one()
    card = told.draw()
    told.lay(card, "seat/4/up")
    assert (told.hold, told.moves()) == ("wrong_place", [("seat/4/up", "seat/2/up")])
    assert not told.plan()
    told.mend()
    assert told.hold is None
    assert told.hand.seats[0].up[-1] is card
    told.finish(tmp_path)


def test_no_burn_is_put_right_card_by_card(tmp_path: Path) -> None:
    """R-ERR-03 example A: 6c burn, Td→2, 3h→4, Ks→7."""
    told = fourth("6c Td 3h Ks")
    drawn = told.draws(3)
    for card, seat in zip(drawn, (2, 4, 7), strict=True):
        told.lay(card, f"seat/{seat}/up")
    assert told.hold == "wrong_place"
    assert told.moves() == [("seat/2/up", "burn"), ("seat/4/up", "seat/2/up"), ("seat/7/up", "seat/4/up")]
    told.mend()
    assert (told.hold, told.plan()) == (None, ["seat/7/up"])
    told.deal()
    assert [entry.up[-1].text for entry in told.hand.seats] == ["Td", "3h", "Ks"]
    assert names([card for card in told.hand.burned if card]) == "6c"
    told.finish(tmp_path)


def two_burns() -> SlipStory:
    """Burned 6c and Td; 3h→2, Ks→4, 9d→7."""
    told = fourth("6c Td 3h Ks 9d")
    for card, place in zip(told.draws(5), ("burn", "burn", "seat/2/up", "seat/4/up", "seat/7/up"), strict=True):
        told.lay(card, place)
    return told


def test_two_burns_are_put_right_and_the_last_card_is_the_next_burn(tmp_path: Path) -> None:
    """R-ERR-03 example B: burn 6c, Td→2, 3h→4, Ks→7, 9d back on top of the stub, where it becomes the next burn (REG-17)."""
    told = two_burns()
    assert told.moves() == [
        ("burn", "seat/2/up"),
        ("seat/2/up", "seat/4/up"),
        ("seat/4/up", "seat/7/up"),
        ("seat/7/up", "stub"),
    ]
    told.mend()
    assert told.hold is None
    assert [entry.up[-1].text for entry in told.hand.seats] == ["Td", "3h", "Ks"]
    assert (told.hand.phase, told.shoe[0].text, told.hand.burns) == (Phase.BETTING, "9d", 1)
    told.street(5).deal_one()
    assert names([card for card in told.hand.burned if card]) == "6c 9d"
    told.finish(tmp_path)


def test_the_card_too_many_may_lie_on_the_burns_instead(tmp_path: Path) -> None:
    """R-ERR-03: before action it is the next burn all the same, without a touch; fifth street is dealt without another."""
    told = two_burns()
    for card, place in zip(cards("9d Ks 3h Td"), ("burn", "seat/7/up", "seat/4/up", "seat/2/up"), strict=True):
        told.lay(card, place)
    assert (told.hold, told.hand.burns, told.hand.early_burn) == (None, 2, True)
    assert told.street(5).plan() == ["seat/2/up", "seat/4/up", "seat/7/up"]
    told.finish(tmp_path)


def test_a_skipped_seat_gets_what_lies_behind_it(tmp_path: Path) -> None:
    """R-ERR-04 example: burn; 8h→2, Qc→7, 5s→2 again. Correct: 8h→2, Qc→4, 5s→7."""
    told = fourth("6c 8h Qc 5s")
    for card, place in zip(told.draws(4), ("burn", "seat/2/up", "seat/7/up", "seat/2/up"), strict=True):
        told.lay(card, place)
    assert told.moves() == [("seat/7/up", "seat/4/up"), ("seat/2/up", "seat/7/up")]
    told.mend()
    assert [entry.up[-1].text for entry in told.hand.seats] == ["8h", "Qc", "5s"]
    told.finish(tmp_path)


def test_a_card_at_a_folded_seat_goes_to_the_next_live_one(tmp_path: Path) -> None:
    """R-ERR-04: what lies at a folded place belongs to the next live seat."""
    told = story("1 3 5 8").begin()
    told.deal()
    while told.hand.seats[1].live:
        if told.hand.round.actor == 3 and not told.hand.round.post_due:
            assert told.act(Verb.FOLD) is None
        else:
            told.calmly()
    told.fold_cards(3)
    told.street(4)
    told.deal_one()
    told.deal_one()
    told.lay(told.draw(), "seat/3/up")
    assert told.moves() == [("seat/3/up", "seat/5/up")]
    told.mend()
    told.finish(tmp_path)


def test_the_burn_is_in_the_muck(tmp_path: Path) -> None:
    """R-DEAL-03: a burn that lies anywhere else stops play."""
    told = fourth()
    told.lay(told.draw(), "muck")
    assert told.moves() == [("muck", "burn")]
    told.mend()
    told.finish(tmp_path)


# ---------------------------------------------------------------------- a card too many on third street (R-MIS-05)


def extra_card(**settings: object) -> SlipStory:
    """All have three cards, and one more has left the shoe before the last was seen."""
    told = story(**settings).begin()  # type: ignore[arg-type]
    while len(told.plan()) > 1:
        told.deal_one()
    target = told.plan()[0]
    last, _ = told.draws(2)
    assert told.hold == "extra_card"
    told.lay(last, target)
    return told


def test_a_card_too_many_on_the_burns_is_the_burn_of_fourth_street(tmp_path: Path) -> None:
    """R-MIS-05: no touch is needed, and fourth street is dealt without another burn."""
    told = extra_card()
    assert (told.hold, told.hand.phase) == ("premature_card", Phase.BETTING)
    (extra,) = told.hand_cards
    told.lay(extra, "seat/2/up")
    assert told.moves() == [("seat/2/up", "stub")]
    told.lay(extra, "burn")
    assert (told.hold, told.hand.burns) == (None, 1)
    assert told.state.custody.placed[extra] is Spot.BURN
    assert told.street(4).plan() == ["seat/2/up", "seat/4/up", "seat/7/up"]
    told.finish(tmp_path)


def test_the_dealer_may_say_so_where_no_reader_sees_the_burns(tmp_path: Path) -> None:
    """R-MIS-05 as a ruling of the dealer; only one card too many can be the burn."""
    told = extra_card()
    assert told.rule("burn_extra", "dealer") is None
    assert (told.hold, told.hand.early_burn) == (None, True)
    assert told.rule("burn_extra", "dealer") == "no_extra_card"
    told.lay(told.hand_cards[0], "burn")
    told.finish(tmp_path)


def test_a_card_too_many_can_go_back_into_the_shoe(tmp_path: Path) -> None:
    """R-ERR-03: on top of the stub it is the next burn; the hold ends by itself."""
    told = extra_card()
    (extra,) = told.hand_cards
    told.put_back(extra)
    assert told.hold is None
    told.street(4).deal_one()
    assert told.hand.burned == (extra,)
    told.finish(tmp_path)


# ---------------------------------------------------------------------- premature cards (R-ERR-01, R-ERR-02)


def premature(street: int = 4, **settings: object) -> SlipStory:
    """Burn and one card of ``street`` came while a player was still to act: both lie where they would."""
    told = story(**settings).begin().street(street - 1).deal()  # type: ignore[arg-type, assignment]
    told.calmly()
    told.calmly() if street > 4 else None
    burn, card = told.draws(2)
    told.lay(burn, "burn")
    told.lay(card, "seat/2/up" if street < 7 else "seat/2/down")
    assert told.hold == "premature_card"
    return told


def test_premature_cards_go_back_and_the_burn_stays(tmp_path: Path) -> None:
    """R-ERR-01: the stub is loaded anew with the right count, betting goes on, the street is dealt without another burn."""
    told = premature()
    before = told.hand.stub
    assert told.rule("premature", "dealer") == "floor_rules_it"
    assert told.rule("premature") is None
    assert (told.hold, told.hand.burns, told.step()["kind"]) == ("reload_stub", 1, "scramble")
    assert told.step() == {"kind": "scramble", "burns": 0, "cards": before - 1}
    told.put_in(told.shoe)
    assert told.hold == "stub_count", "that the count is wrong must be told"
    told.scramble()
    assert (told.hold, told.step()["kind"]) == (None, "act")
    assert told.happened(StubReturned) == [StubReturned(before - 1, whole=False)]
    assert told.street(4).plan() == ["seat/2/up", "seat/4/up", "seat/7/up"]
    told.passive()
    told.finish(tmp_path)
    assert len(told.happened(BurnMade)) + len(told.happened(BurnedEarly)) == 4


def test_premature_cards_make_up_a_round_under_the_other_policy(tmp_path: Path) -> None:
    """R-ERR-01 ``eliminate_round``: out of play, with one more for each seat that had none; then burn and go on."""
    told = premature(rules=ELIMINATE)
    assert told.rule("premature") is None
    assert (told.hold, told.moves()) == ("moved_card", [("seat/2/up", "muck")])
    told.mend()
    assert (told.hold, told.hand.set_aside, told.hand.burns) == (None, 1, 1)
    assert told.street(4).plan() == ["muck", "muck", "burn", "seat/2/up", "seat/4/up", "seat/7/up"]
    told.deal()
    assert len(told.happened(CardEliminated)) == 3
    told.finish(tmp_path)


def test_set_aside_cards_come_back_with_a_scramble(tmp_path: Path) -> None:
    """R-ERR-01, R-STUB-03: they are a reserve, and no card of theirs is a duplicate afterwards."""
    told = story("1 2 3 4 5 6 7 8", rules=ELIMINATE).begin()
    told.deal()
    told.calmly()
    told.lay(told.draw(), "seat/1/up")
    assert told.rule("premature") is None
    told.mend()
    told.passive(7)
    assert told.state.custody.loaded < 52, "the stub was scrambled"
    told.finish(tmp_path)


def test_only_a_burn_came_too_early(tmp_path: Path) -> None:
    """R-ERR-01: it stays the burn; nothing is loaded."""
    told = story().begin()
    told.deal()
    told.calmly()
    told.calmly()
    told.lay(told.draw(), "burn")
    assert told.hold == "premature_card"
    assert told.rule("premature") is None
    assert told.hold is None
    assert told.street(4).plan()[0] == "seat/2/up"
    told.finish(tmp_path)


@pytest.mark.parametrize("seat", [2, 4])
def test_a_seventh_that_was_looked_at_is_kept(tmp_path: Path, seat: int) -> None:
    """R-ERR-02, Q-61: its owner keeps it whichever of them it was; the others go back, and the stub is loaded anew."""
    told = story().begin().street(6).deal()
    told.calmly()
    burn, *sevenths = told.draws(3)
    told.lay(burn, "burn")
    for card, place in zip(sevenths, ("seat/2/down", "seat/4/down"), strict=True):
        told.lay(card, place)
    assert told.rule("premature", kept=seat) is None
    (kept,) = told.happened(SeventhKept)
    assert (kept.seat, kept.card) == (seat, sevenths[seat // 4])
    assert told.state.custody.placed[sevenths[seat // 4]] == SeatPlace(seat, Zone.DOWN)
    told.scramble()
    assert told.hold is None
    assert told.street(7).plan() == [f"seat/{other}/down" for other in (2, 4, 7) if other != seat]
    told.finish(tmp_path)


def test_a_card_drawn_at_the_showdown_lies_with_the_burns(tmp_path: Path) -> None:
    """R-ERR-01: no card is dealt any more, so nothing is shuffled for it, and play does not stay stopped (REG-17)."""
    told = story().begin().passive()
    assert told.hand.phase is Phase.SHOWDOWN
    told.lay(told.draw(), "seat/2/up")
    assert told.hold == "premature_card"
    assert told.rule("premature") is None
    assert told.moves() == [("seat/2/up", "burn")]
    told.mend()
    assert told.hold is None
    told.finish(tmp_path)


def test_a_card_drawn_before_a_scramble_is_shuffled_in(tmp_path: Path) -> None:
    """R-STUB-02: the count of the load tells that it is in again."""
    told = story("1 2 3 4 5 6 7 8").begin()
    while told.hand.phase is not Phase.SCRAMBLE:
        if told.hand.phase is Phase.BETTING:
            told.calmly()
        else:
            told.deal_one()
    told.draw()
    assert told.hold == "card_to_scramble"
    told.scramble()
    assert told.hold is None
    told.finish(tmp_path)


def test_the_floor_is_called_for_a_card_too_many_only_when_it_may_rule(tmp_path: Path) -> None:
    """R-ERR-01: while cards that are due are still out, the sentence says to lay those: the ruling is refused. When they
    lie it calls the floor, whose ruling is taken."""
    told = story("1 2 3").begin().street(4)
    told.draw()
    told.lay(told.hand_cards[0], "burn")
    out = told.draws(4)
    for number, card in enumerate(out[:3], 1):
        assert (told.hold, told.rule("premature")) == ("extra_card", "nothing_premature")
        told.lay(card, f"seat/{number}/up")
    assert (told.hand.phase, told.hold) == (Phase.BETTING, "premature_card")
    assert told.rule("premature") is None
    told.finish(tmp_path)


# ---------------------------------------------------------------------- misdeal (R-MIS-01 to R-MIS-04)


def test_a_misdeal_is_dealt_again_with_the_same_antes(tmp_path: Path) -> None:
    """R-MIS-03: bets go back, antes stay, a whole deck under a new key; cards in flight are gathered too."""
    told = story().begin()
    told.deal()
    told.calmly()
    told.draw()
    deal = told.state.deal
    assert told.rule("misdeal", "dealer", cause="wrong_count") == "floor_rules_it"
    assert told.rule("misdeal", cause="wrong_count") is None
    (misdeal,) = told.happened(MisdealDeclared)
    assert [chips for _, chips in misdeal.refunds] == [2]
    assert told.step() == {"kind": "load_deck", "cards": 52}
    told.load()
    assert told.state.deal == deal + 1
    assert told.happened(DealKeyMade)[-1].deal == deal + 1
    assert (told.hand.phase, told.plan()[0]) == (Phase.DEALING, "seat/2/down")
    assert [entry.total for entry in told.hand.seats] == [1, 1, 1]
    assert len(told.happened(HandOpened)) == 1
    told.finish(tmp_path)


def test_a_redeal_waits_for_the_whole_deck(tmp_path: Path) -> None:
    """R-DECK-01: 51 cards are no deck."""
    told = story().begin()
    told.deal_one()
    assert told.rule("misdeal", cause="first_card_wrong_seat") is None
    told.load(cards=51)
    assert told.hold == "stub_count"
    told.load()
    assert told.hold is None
    told.finish(tmp_path)


def test_after_substantial_action_there_is_no_misdeal(tmp_path: Path) -> None:
    """R-MIS-04."""
    told = story().begin()
    told.deal()
    for _ in range(3):
        told.calmly()
    assert told.rule("misdeal", cause="wrong_count") in {"substantial_action", "deal_is_past"}
    told.finish(tmp_path)


# ---------------------------------------------------------------------- what the shoe says (R-MIS-06, R-ERR-08)


def test_a_boxed_card_is_set_aside_and_the_next_takes_its_place(tmp_path: Path) -> None:
    """R-MIS-06: the dealer alone; the card behind it in flight moves up, and everybody has seen the boxed one."""
    told = fourth("6c Td 3h Ks 9d")
    burn, boxed, behind = told.draws(3)
    told.lay(burn, "burn")
    told.lay(boxed, "muck")
    assert told.rule("set_aside", "dealer", scrap="boxed") is None
    assert told.happened(CardScrapped)[-1].card is boxed
    told.lay(behind, "seat/2/up")
    assert told.hold is None
    assert told.hand.seats[0].up[-1] is behind
    told.finish(tmp_path)


@pytest.mark.parametrize(("number", "laid"), [(1, ()), (2, ()), (3, ()), (0, (0, 1)), (0, (1, 2)), (0, (0, 2))])
def test_of_several_cards_that_are_out_the_boxed_one_is_set_aside(tmp_path: Path, number: int, laid: tuple[int, ...]) -> None:
    """R-MIS-06: the only one that does not lie where it is due; where readers cannot tell, the dealer is asked which, once.
    Those behind it move up."""
    told = fourth("6c Td 3h Ks 9d")
    told.deal_one()
    out = told.draws(3)
    seats = [2, 4, 7]
    for index in laid:
        told.lay(out[index], f"seat/{seats[index]}/up")
    if number:
        assert told.rule("set_aside", "dealer", scrap="boxed") == "which_card_is_out"
        assert told.rule("set_aside", "dealer", scrap="boxed", number=4) == "not_so_many_out"
    boxed = out[number - 1] if number else next(card for index, card in enumerate(out) if index not in laid)
    assert told.rule("set_aside", "dealer", scrap="boxed", number=number) is None
    assert told.happened(CardScrapped)[-1].card is boxed
    told.lay(boxed, "muck")
    rest = [card for card in out if card is not boxed]
    for card, seat in zip(rest, seats, strict=False):
        told.lay(card, f"seat/{seat}/up")
    assert told.hold is None
    assert [told.hand.seats[number].up[-1] for number in (0, 1)] == rest
    told.finish(tmp_path)


def test_a_second_boxed_card_on_the_initial_deal_is_a_misdeal(tmp_path: Path) -> None:
    """R-MIS-01, R-MIS-06: that takes the floor."""
    told = story().begin()
    told.draw()
    assert told.rule("set_aside", "dealer", scrap="boxed") is None
    told.draw()
    assert told.rule("set_aside", "dealer", scrap="boxed") == "floor_rules"
    assert told.rule("set_aside", scrap="boxed") is None
    assert told.hand.phase is Phase.REDEAL
    told.finish(tmp_path)


@pytest.mark.parametrize("seats", ["2 4 7", "1 2 3 4 5 6 7 8"])
def test_a_joker_from_the_shoe_is_set_aside(tmp_path: Path, seats: str) -> None:
    """R-MIS-06, R-MIS-07, Q-71: it was one of the 52 that were loaded, so the stub is one card shorter to its end."""
    told = fourth(seats=seats)
    told.deal_one()
    target = told.plan()[0]
    told.draw(code="JK")
    assert told.hold == "joker"
    assert told.rule("set_aside", "dealer", scrap="joker") is None
    assert (told.hold, told.plan()[0]) == (None, target)
    assert told.hand.stub == len(told.shoe)
    told.passive()
    told.finish(tmp_path)


def test_a_joker_behind_a_card_that_lies_right_is_the_one_set_aside(tmp_path: Path) -> None:
    """R-MIS-06: the older card in flight is dealt all the same."""
    told = fourth("6c Td 3h Ks 9d")
    burn = told.draw()
    first = told.draw()
    told.draw(code="JK")
    told.lay(burn, "burn")
    told.lay(first, "seat/2/up")
    assert told.hold == "joker"
    assert told.hand.seats[0].up[-1] is first
    assert told.rule("set_aside", "dealer", scrap="joker") is None
    assert told.plan() == ["seat/4/up", "seat/7/up"]
    told.finish(tmp_path)


@pytest.mark.parametrize("down", [True, False])
def test_a_card_that_the_shoe_could_not_read_is_named_by_the_reader(tmp_path: Path, down: bool) -> None:
    """R-ERR-08, devices §3: laid where it is due, it needs no touch."""
    told = story().begin() if down else fourth()
    told.deal_one()
    target = told.plan()[0]
    card = told.draw(code="??")
    assert told.hold == "unreadable_card"
    told.lay(card, target)
    assert told.hold is None
    assert told.happened(CardIdentified)[-1].card is card
    told.finish(tmp_path)


def test_a_card_that_the_shoe_could_not_read_at_a_wrong_place(tmp_path: Path) -> None:
    """R-ERR-08: it is not guessed; laid right it is known."""
    told = fourth()
    told.deal_one()
    card = told.draw(code="??")
    told.lay(card, "seat/7/up")
    assert told.hold == "unreadable_card"
    told.lay(card, "seat/2/up")
    assert told.hold is None
    told.finish(tmp_path)


def test_shoe_and_reader_differ_and_the_face_decides(tmp_path: Path) -> None:
    """R-ERR-08, Q-98: the floor trusts the reader; the card that the shoe named may still come."""
    told = fourth("6c Td 3h Ks 9d")
    told.deal_one()
    card = told.draw(code="9D")
    told.lay(card, "seat/2/up")
    assert told.hold is None, "the shoe may still explain it"
    assert told.rule("trust_reader") == "nothing_differs"
    told.tell(UnexplainedTimeout(card))
    assert told.hold == "cards_differ"
    assert told.rule("trust_reader", "dealer") == "floor_rules_it"
    assert told.rule("trust_reader") is None
    assert told.hold is None
    assert told.hand.seats[0].up[-1] is card
    told.deal()
    told.deal_one() if told.plan() else None
    told.finish(tmp_path)


def test_a_card_that_comes_twice_ends_in_a_void(tmp_path: Path) -> None:
    """R-MIS-08: every chip goes back, antes too."""
    told = story().begin()
    told.deal()
    told.street(4)
    seen = told.hand.seats[0].up[0]
    told.draw(code=seen.text.upper())
    assert told.hold == "duplicate_card"
    assert told.order(VoidHand("fouled deck")) is None
    assert [seat.stack for seat in told.state.seats] == [100, 100, 100]
    told.holds(tmp_path)
    told.load()
    assert told.order(StartHand()) is None


def test_a_card_of_another_deck_stops_play_until_it_is_gone(tmp_path: Path) -> None:
    """R-DECK-04: on the felt, not in the muck."""
    told = fourth()
    told.tell(SeenAt(SeatPlace(4, Zone.UP), None))
    assert told.hand.hold == ("foreign_card", SeatPlace(4, Zone.UP))
    told.tell(LeftFrom(SeatPlace(4, Zone.UP), None))
    assert told.hold is None
    told.finish(tmp_path)


# ---------------------------------------------------------------------- the stub


def test_a_dropped_stub_is_loaded_again(tmp_path: Path) -> None:
    """R-ERR-06: shuffled, cut, the same count; play goes on where it stood."""
    told = fourth()
    told.deal_one()
    plan, stub = told.plan(), told.hand.stub
    assert told.rule("drop_stub") is None
    assert (told.hold, told.step()) == ("reload_stub", {"kind": "scramble", "burns": 0, "cards": stub})
    told.scramble()
    assert (told.hold, told.plan()) == (None, plan)
    told.finish(tmp_path)


def test_a_load_nobody_asked_for_is_put_right_by_the_floor(tmp_path: Path) -> None:
    """R-ERR-06: the stub was out of the shoe, so its order is gone: it is shuffled and loaded as such."""
    told = story().begin()
    told.deal()
    told.put_in(told.rng.sample(told.shoe, len(told.shoe)))
    assert told.hold == "unexpected_load"
    assert told.rule("drop_stub") is None
    assert told.hold == "reload_stub"
    told.scramble()
    assert told.hold is None
    told.finish(tmp_path)


def test_a_deck_loaded_twice_before_the_first_card_is_dealt_from(tmp_path: Path) -> None:
    """For a hand and for its redeal: no card of the first order was out, so nothing depends on it (R-DECK-03, R-MIS-03)."""
    told = story().begin()
    told.load()
    assert told.hold is None
    told.deal_one()
    assert told.rule("misdeal", cause="wrong_count") is None
    told.load()
    told.load()
    assert told.hold is None
    told.deal()
    assert not told.happened(HandHeld)
    told.finish(tmp_path)


def test_sevenths_in_place_of_the_common_card_come_back(tmp_path: Path) -> None:
    """Q-67: R = 7, S = 4: burn and two sevenths out → two cards and the burn back: 4 in the stub; burn, turn one."""
    told = story("1 2 3 4 5 6 7 8").begin()
    told.deal()
    while told.hand.live_count == 8:
        if told.hand.round.post_due or told.hand.round.actor == told.hand.bring_in_seat:
            told.calmly()
        else:
            assert told.act(Verb.FOLD) is None
    told.street(7)
    assert (told.hand.stub, told.plan()) == (4, ["burn", "community"])
    told.deal_one()
    wrong = told.draws(2)
    for card, seat in zip(wrong, (1, 2), strict=True):
        told.lay(card, f"seat/{seat}/down")
    assert told.hold == "wrong_place"
    burns = dict(told.state.custody.placed)
    assert told.rule("redo_seventh") is None
    (redone,) = told.happened(SeventhRedone)
    assert redone.stub == 4
    lost = burns.keys() - told.state.custody.placed.keys()
    assert len(lost) == 1, "the burns of earlier streets stay where they lie"
    told.scramble()
    assert (told.hold, told.plan(), told.hand.stub) == (None, ["burn", "community"], 4)
    told.finish(tmp_path)


# ---------------------------------------------------------------------- exposed cards (R-EXP)


def test_an_exposed_hole_card_is_the_door_card_and_the_third_comes_down(tmp_path: Path) -> None:
    """R-EXP-01: custody follows: the exposed card belongs up, also when the third card is out already."""
    told = story("2 5 7").begin()
    while len(told.plan()) > 2:
        told.deal_one()
    third = told.draw()
    exposed = told.hand.seats[1].down[1]
    assert exposed is not None
    assert told.rule("expose_hole", "dealer", seat=5, number=2) is None
    assert told.happened(HoleExposed)[-1].card is exposed
    assert told.state.custody.placed[exposed] == SeatPlace(5, Zone.UP)
    told.lay(exposed, "seat/5/up")
    told.lay(third, "seat/5/up")
    assert told.moves() == [("seat/5/up", "seat/5/down")]
    told.lay(third, "seat/5/down")
    assert told.hold is None
    entry = told.hand.seats[1]
    assert (entry.up, len(entry.down)) == ((exposed,), 2)
    told.finish(tmp_path)


def test_two_exposed_hole_cards_are_the_floors_and_the_ante_goes_back(tmp_path: Path) -> None:
    """R-EXP-02: dead with refund."""
    told = story("2 5 7").begin()
    while len(told.plan()) > 3:
        told.deal_one()
    assert told.rule("expose_hole", "dealer", seat=5, number=1) is None
    assert told.rule("expose_hole", "dealer", seat=5, number=1) == "floor_rules"
    assert told.rule("expose_hole", seat=5, number=1) is None
    assert told.hand.seats[1].status is Status.REFUNDED
    told.finish(tmp_path)


def test_a_door_card_dealt_down_is_turned_up(tmp_path: Path) -> None:
    """R-EXP-05: on the felt it lies wrong until it is turned; mixed with the others the floor turns one of three."""
    told = story("2 5 7").begin()
    while len(told.plan()) > 1:
        told.deal_one()
    card = told.draw()
    told.lay(card, "seat/7/down")
    assert told.moves() == [("seat/7/down", "seat/7/up")]
    told.mend()
    assert told.hold is None
    before = told.happened(RoundOpened)
    assert told.rule("choose_door", "dealer", seat=7, number=3) == "floor_rules_it"
    assert told.rule("choose_door", seat=7, number=1) is None
    chosen = told.hand.seats[2].up[0]
    assert told.state.custody.placed[chosen] == SeatPlace(7, Zone.UP)
    assert told.state.custody.placed[card] == SeatPlace(7, Zone.DOWN)
    assert len(told.happened(RoundOpened)) == len(before) + 1, "the bring-in is read anew"
    told.finish(tmp_path)


def test_a_seventh_face_up_turns_up_those_behind_it(tmp_path: Path) -> None:
    """R-EXP-06 ``wsop_live``: the first player's is up, so everybody's is; a card drawn already goes there too."""
    told = story().begin().street(7)
    told.deal_one()
    told.deal_one()
    following = told.draw()
    assert told.rule("expose_seventh", seat=2) is None
    told.lay(following, "seat/4/up")
    assert told.hold is None
    told.deal()
    assert [entry.seventh_up for entry in told.hand.seats] == [True, True, True]
    assert told.happened(SeventhShown)
    told.finish(tmp_path)


def test_a_seventh_face_up_is_replaced_in_a_tournament(tmp_path: Path) -> None:
    """R-EXP-06 ``replace``, Q-68: the dead card lies in the muck, the next card of the stub takes its place."""
    told = story(rules={"expose.seventh": "replace"}).begin().passive(7)
    dead = told.hand.seats[1].down[-1]
    assert dead is not None
    assert told.rule("expose_seventh", seat=4) is None
    assert told.moves() == [("seat/4/down", "muck")]
    told.mend()
    assert told.plan() == ["seat/4/down"]
    assert told.state.custody.placed[dead] is Spot.MUCK
    told.deal()
    assert told.happened(SeventhReplaced)
    assert (told.hand.phase, told.hold) == (Phase.BETTING, None)
    told.finish(tmp_path)


def test_a_declared_all_in_is_asked_and_taken(tmp_path: Path) -> None:
    """R-EXP-06, Q-52."""
    told = story().begin().passive(7)
    assert told.rule("expose_seventh", seat=4) is None
    assert told.rule("declare_all_in", "dealer", seat=7) == "may_not_declare"
    assert told.rule("declare_all_in", "dealer", seat=4) is None
    assert told.hand.seats[1].declared
    told.finish(tmp_path)


# ---------------------------------------------------------------------- dead hands, undo (R-ABS-03, R-ERR-07, R-RULE-02)


def test_a_dead_hand_comes_back_only_with_two_people(tmp_path: Path) -> None:
    """R-ERR-07, Q-85: the floor and another person, while its cards are known."""
    told = story().begin().passive(5)
    told.calmly()
    seat = next(entry.seat for entry in told.hand.seats if entry.seat != told.hand.round.actor)
    assert told.rule("kill_hands", "dealer", seats=[seat], cause="in_muck") == "floor_rules_it"
    assert told.rule("kill_hands", seats=[seat], cause="in_muck") is None
    told.fold_cards(seat)
    assert told.rule("retrieve_hand", seat=seat) == "two_people"
    assert told.rule("retrieve_hand", seat=seat, agreed_by="Fay") == "two_people"
    assert told.rule("retrieve_hand", "dealer", seat=seat, agreed_by="Guy") == "floor_rules_it"
    assert told.rule("retrieve_hand", seat=seat, agreed_by="Guy") is None
    assert next(entry for entry in told.hand.seats if entry.seat == seat).live
    assert told.hold == "live_card_mucked"
    told.cards_back(seat)
    assert told.hold is None
    assert told.happened(Ruled)[-1].agreed_by == "Guy"
    told.finish(tmp_path)


def test_a_hand_whose_death_ended_the_hand_comes_back(tmp_path: Path) -> None:
    """R-ERR-07: all is as before it, rake and chips too, while the cards lie."""
    told = story("2 7", preset="live_cash").begin().passive(4)
    seat = told.hand.round.actor
    assert told.act(Verb.BET, 4) is None
    other = told.hand.round.actor
    assert other != seat
    assert told.act(Verb.FOLD) is None
    assert told.hand.over
    assert told.rule("retrieve_hand", seat=other, agreed_by="Guy") is None
    assert (told.hand.phase, told.hand.round.actor) == (Phase.BETTING, other)
    told.finish(tmp_path)


def test_the_dealer_takes_back_one_action_and_the_floor_more(tmp_path: Path) -> None:
    """R-RULE-02."""
    told = story().begin().passive(5)
    first = told.hand.round.actor
    told.calmly()
    told.calmly()
    assert told.rule("undo_action", "dealer") is None
    assert told.rule("undo_action", "dealer") == "undo_is_floors"
    assert told.rule("undo_action") is None
    assert told.hand.round.actor == first
    assert told.rule("undo_action") == "too_late_to_undo"
    told.finish(tmp_path)


@pytest.mark.parametrize("laid", [False, True])
def test_a_burn_in_flight_survives_an_undo(tmp_path: Path, laid: bool) -> None:
    """R-RULE-02, Q-84, R-ERR-01: the round is open again, so what left the shoe is premature; the burn stays the burn."""
    told = fourth()
    burn = told.draw()
    assert told.rule("undo_action", "floor") is None
    assert (told.hand.phase, told.hold) == (Phase.BETTING, "premature_card")
    told.lay(burn, "burn") if laid else None
    assert told.rule("premature") is None
    if not laid:
        assert told.hold == "reload_stub", "a card in her hand goes back"
        told.scramble()
    assert told.hold is None
    assert told.hand.burns == int(laid)
    assert len(told.street(4).plan()) == 4 - laid
    told.finish(tmp_path)


def test_a_burn_that_lies_is_the_burn_after_an_undo(tmp_path: Path) -> None:
    """R-RULE-02, Q-84: the floor's, and it is not burned twice."""
    told = fourth()
    told.deal_one()
    assert told.rule("undo_action", "dealer") == "undo_is_floors"
    assert told.rule("undo_action") is None
    assert (told.hold, told.hand.burns) == (None, 1)
    assert told.street(4).plan() == ["seat/2/up", "seat/4/up", "seat/7/up"]
    told.finish(tmp_path)


def test_burn_and_cards_in_her_hand_survive_an_undo(tmp_path: Path) -> None:
    """R-RULE-02: cards drawn but not laid are no cards dealt; nobody gets one of them, and none is lost."""
    told = fourth()
    told.draws(3)
    assert told.rule("undo_action") is None
    assert [flight.due for flight in told.state.custody.flights] == [None, None, None]
    assert told.rule("premature") is None
    told.scramble()
    told.finish(tmp_path)


def test_an_undo_after_the_street_was_dealt_is_too_late(tmp_path: Path) -> None:
    """R-RULE-02: once a card was dealt on the strength of it only forward rulings are left."""
    told = fourth()
    told.deal_one()
    told.deal_one()
    assert told.rule("undo_action") == "too_late_to_undo"
    told.finish(tmp_path)


def test_an_undo_of_a_hand_whose_cards_are_gathered_is_too_late(tmp_path: Path) -> None:
    """R-RULE-02: the next deck lies in the shoe, so nobody can play on with the old cards."""
    told = story("2 7").begin().passive(4)
    told.act(Verb.BET, 4)
    told.act(Verb.FOLD)
    assert told.hand.over
    told.load()
    assert told.rule("undo_action") == "cards_are_gathered"
    assert told.rule("retrieve_hand", seat=2, agreed_by="Guy") == "cards_are_gathered"
    told.play_hand()
    told.holds(tmp_path)


# ---------------------------------------------------------------------- awards (R-RULE-04, R-SHOW-10)


def test_an_award_is_undone_before_the_next_hand(tmp_path: Path) -> None:
    """R-RULE-04: chips bought since wait again, rake is taken once; then the next hand starts and it is too late."""
    told = story(preset="live_cash", stakes=Stakes(5, 10, 20, 40)).begin().passive().showdown()
    stacks = [seat.stack for seat in told.state.seats]
    raked = told.state.raked
    assert raked
    assert told.order(AddChips(2, 50)) is None
    assert told.rule("undo_award", "dealer") == "floor_rules_it"
    assert told.rule("undo_award") is None
    assert (told.hand.phase, told.state.raked) == (Phase.SHOWDOWN, 0)
    assert told.order(AwardPots()) is None
    assert [seat.stack for seat in told.state.seats] == [stacks[0] + 50, *stacks[1:]]
    assert told.state.raked == raked
    told.holds(tmp_path)
    told.start()
    assert told.rule("undo_award") == "no_award_to_undo"


def test_a_void_after_the_end_keeps_chips_bought_since(tmp_path: Path) -> None:
    """R-MIS-08: the right ends when the next hand starts; what was bought meanwhile is nobody's pot."""
    told = story().begin().passive().showdown()
    told.load()
    assert told.order(AddChips(4, 30)) is None
    assert told.order(VoidHand("fouled deck")) is None
    assert [seat.stack for seat in told.state.seats] == [100, 130, 100]
    told.holds(tmp_path)
    assert told.order(StartHand()) is None


@pytest.mark.parametrize("order", [LeaveSeat(2), ChangeSeat(2, 3), CollectTime()])
def test_stacks_that_moved_since_are_not_moved_back(tmp_path: Path, order: LeaveSeat | ChangeSeat | CollectTime) -> None:
    """R-SHOW-10: who has left, moved or paid for time since has other chips than the hand left."""
    told = story(rules={"rake.time_collection": "5"}).begin().passive().showdown()
    assert told.order(order) is None
    assert told.rule("undo_award") == "stacks_have_moved"
    refusal = told.order(VoidHand("late"))
    assert refusal is not None
    assert refusal.code == "stacks_have_moved"
    told.play_hand()
    told.holds(tmp_path)


def test_a_new_player_at_the_seat_gets_none_of_the_old_ones_chips(tmp_path: Path) -> None:
    """R-SETUP-07: whoever sat down since the hand has no part in it."""
    told = story().begin().passive().showdown()
    assert told.order(LeaveSeat(2)) is None
    assert told.order(SeatPlayer(2, "New", 500)) is None
    assert told.rule("undo_award") == "stacks_have_moved"
    told.play_hand()
    told.holds(tmp_path)


def test_no_key_of_the_next_deal_is_released(tmp_path: Path) -> None:
    """R-RULE-06: an award undone after the next deck was loaded: a hand tabled then opens no box of the new deal."""
    told = story().begin().passive()
    waiting = told.step()["order"]
    assert told.order(TableHand(waiting[0])) is None
    for seat in waiting[1:]:
        if told.order(MuckHand(seat)) is not None:
            assert told.order(TableHand(seat)) is None
    assert told.hand.over or told.order(AwardPots()) is None
    deal = told.state.deal
    told.load()
    assert told.state.deal == deal + 1
    if told.rule("undo_award") is None:
        mucked = [entry.seat for entry in told.hand.seats if entry.mucked]
        for seat in mucked:
            told.rule("retrieve_hand", seat=seat, agreed_by="Guy")
    told.showdown()
    assert {key.deal for key in told.happened(SeatKeyReleased)} == {deal}
    told.holds(tmp_path)


def test_a_mucked_hand_may_be_seen(tmp_path: Path) -> None:
    """R-SHOW-09: the floor's word; it wins nothing."""
    told = story().begin().passive()
    waiting = told.step()["order"]
    assert told.order(TableHand(waiting[0])) is None
    assert told.order(MuckHand(waiting[1])) is None
    assert told.rule("let_see", "dealer", seat=waiting[1]) == "floor_rules_it"
    assert told.rule("let_see", seat=waiting[1]) is None
    assert told.happened(HandSeen)
    told.finish(tmp_path)


# ---------------------------------------------------------------------- people at the betting (R-BET, R-ABS)


def test_an_action_out_of_turn_waits_and_a_fold_stands(tmp_path: Path) -> None:
    """R-BET-14, Q-42: entered by the dealer."""
    told = story("1 3 5 8").begin().passive(5)
    actor = told.hand.round.actor
    order = [entry.seat for entry in told.hand.seats]
    behind = order[order.index(actor) - 1]
    assert told.rule("out_of_turn", "dealer", seat=actor, verb="check") == "is_in_turn"
    assert told.rule("out_of_turn", "dealer", seat=behind, verb="bet", to=8) is None
    folded = order[order.index(actor) - 2]
    assert told.rule("out_of_turn", "dealer", seat=folded, verb="fold") is None
    told.calmly()
    told.calmly()
    assert told.hand.seats[told.hand.index_of(behind)].street_chips == 8
    told.finish(tmp_path)


def test_silent_chips_are_read(tmp_path: Path) -> None:
    """R-BET-12: the machine says what they mean."""
    told = story().begin().passive(5)
    actor = told.hand.round.actor
    assert told.rule("put_chips", "dealer", seat=actor, chips=8, pieces=2) is None
    assert told.hand.round.match == 8
    told.finish(tmp_path)


def test_a_wrong_opener_that_stands(tmp_path: Path) -> None:
    """R-BRING-09."""
    told = story().begin()
    told.deal()
    other = next(entry.seat for entry in told.hand.seats if entry.seat != told.hand.round.actor)
    assert told.rule("opened_by", "dealer", seat=other) is None
    assert told.hand.round.actor == other
    told.finish(tmp_path)


def test_an_absent_player_checks_and_is_dead_facing_a_bet(tmp_path: Path) -> None:
    """R-ABS-02: the dealer enters that he left; back in time he plays on."""
    told = story().begin().passive(5)
    actor = told.hand.round.actor
    order = [entry.seat for entry in told.hand.seats]
    away = order[(order.index(actor) + 1) % 3]
    assert told.rule("leave_table", "dealer", seat=away) is None
    assert told.rule("return_to_table", "dealer", seat=away) is None
    assert told.rule("return_to_table", "dealer", seat=away) == "not_away"
    assert told.rule("leave_table", "dealer", seat=away) is None
    assert told.act(Verb.BET, 8) is None
    assert told.hand.seats[told.hand.index_of(away)].status is Status.KILLED
    told.finish(tmp_path)


def test_the_clock_runs_out(tmp_path: Path) -> None:
    """R-ABS-04: dead facing a bet; the time bank is gone with it."""
    told = story(rules={"clock.time_bank": "30"}).begin().passive(5)
    assert told.act(Verb.BET, 8) is None
    seat = told.hand.round.actor
    other = next(entry.seat for entry in told.hand.seats if entry.seat != seat)
    refusal = told.order(CallClock(other))
    assert refusal is not None
    assert refusal.code == "no_clock_now"
    assert told.order(CallClock(seat)) is None
    assert told.happened(ClockStarted)[-1] == ClockStarted(seat, 100, 30)
    told.tell(ClockRanOut(other))
    assert told.state.clock is not None
    told.tell(ClockRanOut(seat))
    assert told.state.clock is None
    assert told.hand.seats[told.hand.index_of(seat)].status is Status.KILLED
    assert [entry.bank_s for entry in told.state.seats] == [30 * (entry.seat != seat) for entry in told.state.seats]
    told.finish(tmp_path)


def test_a_hold_stops_the_clock(tmp_path: Path) -> None:
    """R-RULE-01: nobody's time runs while play is stopped."""
    told = story().begin().passive(5)
    assert told.order(CallClock(told.hand.round.actor)) is None
    told.tell(SeenAt(SeatPlace(4, Zone.UP), None))
    assert told.state.clock is None
    told.tell(LeftFrom(SeatPlace(4, Zone.UP), None))
    told.finish(tmp_path)


# ---------------------------------------------------------------------- table life (R-SETUP, R-DECK, R-RAKE)


def test_who_sits_out_is_not_dealt_in(tmp_path: Path) -> None:
    """Q-05: from the next hand on, and back."""
    told = story().begin()
    assert told.order(SitOut(4)) is None
    told.finish(tmp_path / "a")
    assert [entry.seat for entry in told.play_hand().hand.seats] == [2, 7]
    assert told.order(SitOut(4)) is not None
    assert told.order(SitIn(4)) is None
    assert len(told.play_hand().hand.seats) == 3
    told.holds(tmp_path / "b")


def test_chips_bought_during_a_hand_play_from_the_next_one(tmp_path: Path) -> None:
    """R-SETUP-03."""
    told = story().begin()
    assert told.order(AddChips(4, 60)) is None
    assert told.hand.seats[1].stack == 99
    told.finish(tmp_path)
    assert sum(seat.stack for seat in told.state.seats) == 360


def test_chips_bought_during_a_hand_outlast_its_void_and_an_undo(tmp_path: Path) -> None:
    """R-SETUP-03, R-RULE-04: a promise is kept once, however the hand ends."""
    told = story().begin().passive()
    assert told.order(AddChips(4, 60)) is None
    told.showdown()
    assert told.rule("undo_award") is None
    assert told.order(AddChips(4, 5)) is None
    assert told.order(VoidHand("test")) is None
    assert [seat.stack for seat in told.state.seats] == [100, 165, 100]
    told.holds(tmp_path)


def test_a_seat_change_takes_the_chips_along(tmp_path: Path) -> None:
    """R-SETUP-07: between hands, to an empty seat; the last hand stays at the old one."""
    told = story().begin()
    assert told.order(ChangeSeat(4, 5)) is not None
    told.finish(tmp_path / "a")
    stack = told.state.seats[1].stack
    assert told.order(ChangeSeat(4, 2)) is not None
    assert told.order(ChangeSeat(4, 5)) is None
    assert (told.state.seats[1].seat, told.state.seats[1].stack) == (5, stack)
    told.play_hand()
    told.holds(tmp_path / "b")


def test_a_table_pauses_closes_and_reopens(tmp_path: Path) -> None:
    """No hand starts meanwhile; the open one is played to its end."""
    told = story().begin()
    for order, code in ((PauseTable("dinner"), "table_is_paused"), (CloseTable(), "table_is_closed")):
        assert told.order(order) is None
        assert told.order(order) is not None
        told.play_on()
        told.load()
        refusal = told.order(StartHand())
        assert refusal is not None
        assert refusal.code == code
        assert told.order(ReopenTable()) is None
        assert told.order(ReopenTable()) is not None
        assert told.order(StartHand()) is None
    told.finish(tmp_path)


def test_stakes_change_between_hands_with_the_posted_hash(tmp_path: Path) -> None:
    """Q-04: the next hand's; the fingerprint of the posted card stands in every hand."""
    told = story().begin()
    assert told.order(SetStakes(Stakes(2, 4, 8, 16))) is not None
    told.finish(tmp_path / "a")
    assert told.order(SetStakes(Stakes(2, 4, 8, 4))) is not None
    assert told.order(SetStakes(Stakes(2, 4, 8, 16))) is None
    told.play_hand()
    first, second = told.happened(HandOpened)
    game = told.game
    assert first.rules_hash == rules_hash(game.rules, game.stakes, game.variant)
    assert second.rules_hash == rules_hash(game.rules, Stakes(2, 4, 8, 16), game.variant) == told.hand.setup.rules_hash
    told.holds(tmp_path / "b")


def test_time_is_collected_between_hands(tmp_path: Path) -> None:
    """R-RAKE-02: who has less pays what he has."""
    told = TableStory({2: 100, 4: 3}, rules={"rake.time_collection": "5"})
    assert told.order(CollectTime()) is None
    assert told.happened(TimeCollected) == [TimeCollected(2, 5), TimeCollected(4, 3)]
    assert (told.state.raked, [seat.stack for seat in told.state.seats]) == (8, [95, 0])
    assert story().order(CollectTime()) is not None


def test_a_buy_in_has_its_minimum() -> None:
    """R-SETUP-05: ten big bets unless the house posts another."""
    for rules, least in (({"buyin.min": "0"}, 80), ({"buyin.min": "55"}, 55)):
        told = story(rules=rules, seats="")
        refusal = told.order(SeatPlayer(1, "Ann", least - 1))
        assert refusal is not None
        assert (refusal.rule, refusal.code) == ("R-SETUP-05", "buy_in_too_small")
        assert told.order(SeatPlayer(1, "Ann", least)) is None


@pytest.mark.parametrize(("cut", "taken"), [(9, False), (10, True), (48, True), (49, False), (None, True)])
def test_a_cut_has_its_least(cut: int | None, taken: bool) -> None:
    """R-DECK-03: ten cards moved, four in each part; a shoe that cannot count is believed."""
    told = story()
    told.load()
    refusal = told.order(StartHand(cut))
    assert (refusal is None) is taken
    if refusal is not None:
        assert refusal.code == "cut_too_thin"


# ---------------------------------------------------------------------- who may rule


DEALERS = {
    *("expose_hole", "declare_all_in", "burn_extra", "set_aside", "undo_action"),
    *("out_of_turn", "opened_by", "put_chips", "leave_table", "return_to_table"),
}
ALL = [
    ("misdeal", {"cause": "wrong_count"}),
    *((kind, {"seat": 2}) for kind in ("expose_seventh", "declare_all_in", "retrieve_hand", "opened_by")),
    *((kind, {"seat": 2}) for kind in ("leave_table", "return_to_table", "expire_clock", "let_see")),
    *((kind, {"seat": 2, "number": 1}) for kind in ("expose_hole", "choose_door", "replace_boxed")),
    ("kill_hands", {"seats": [2], "cause": "clock"}),
    *((kind, {}) for kind in ("burn_extra", "redo_seventh", "drop_stub", "undo_action", "undo_award", "trust_reader", "play_on")),
    ("premature", {}),
    ("set_aside", {"scrap": "boxed"}),
    ("out_of_turn", {"seat": 2, "verb": "fold"}),
    ("put_chips", {"seat": 2, "chips": 8, "pieces": 1}),
]


@pytest.mark.parametrize(("kind", "values"), ALL, ids=[kind for kind, _ in ALL])
def test_who_may_give_a_ruling(kind: str, values: dict[str, object], tmp_path: Path) -> None:
    """R-RULE-01: the dealer's are few, all others are the floor's; a refused ruling changes nothing."""
    told = story().begin().passive(5)
    before = told.state
    code = told.rule(kind, "dealer", **values)
    assert (code == "floor_rules_it") is (kind not in DEALERS)
    if code is not None:
        assert told.state.hand == before.hand
        assert told.state.custody == before.custody
    assert told.rule(kind, "floor", **values) != "floor_rules_it"
    if told.hold is not None and not told.hand.over:
        told.scramble() if told.hand.reload_due else None
    told.finish(tmp_path)


def test_a_ruling_is_told_before_its_effects_with_who_and_why() -> None:
    """R-RULE-01: kind, role, people, reason and what it was about; and no card."""
    told = story().begin()
    told.deal()
    assert told.rule("kill_hands", seats=[2, 4], cause="mixed") is None
    ruled = told.happened(Ruled)[-1]
    assert ruled == Ruled("kill_hands", "floor", "Fay", "", "told so", (("seats", "2 4"), ("cause", "mixed")))


def test_rulings_wait_while_the_table_is_suspended(tmp_path: Path) -> None:
    """Only a void is possible before a person has confirmed the picture."""
    told = fourth()
    told.reboot()
    assert told.happened(Suspended)
    assert told.rule("drop_stub") == "suspended"
    assert told.order(VoidHand("lost")) is None
    told.holds(tmp_path)
    assert told.happened(HandVoided)


def test_nobody_acts_while_play_is_stopped(tmp_path: Path) -> None:
    """R-RULE-01: no action, no card; the gate is closed."""
    told = premature()
    refusal = told.order(Act(told.hand.round.actor, Verb.FOLD, 0))
    assert refusal is not None
    assert refusal.code == "held"
    assert not told.state.gate.is_open
    told.rule("premature")
    told.scramble()
    told.finish(tmp_path)


def test_a_hand_with_a_slip_on_every_street_ends_with_all_cards(tmp_path: Path) -> None:
    """One story with many: 52 cards, all chips, one journal."""
    told = extra_card(seats="2 4 7")
    told.lay(told.hand_cards[0], "burn")
    told.calmly()
    told.street(4)
    told.lay(told.draw(), "seat/7/up")
    told.mend()
    told.deal()
    told.calmly()
    assert told.rule("undo_action", "dealer") is None
    told.street(5)
    told.draw(code="JK")
    assert told.rule("set_aside", "dealer", scrap="joker") is None
    told.street(6).deal()
    assert told.rule("drop_stub") is None
    told.finish(tmp_path)
    assert told.happened(CardDealt)
    assert ruling("drop_stub").by == "Fay"
    assert len(DECK) == 52
