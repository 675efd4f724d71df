"""Slips upon slips: what a second mistake meets while the first is being put right. The walks of whole evenings found them."""

from __future__ import annotations

from pathlib import Path

from support.by_hand_story import NINETEEN
from support.slip_story import SlipStory
from support.table_story import without_hidden

from controller.hand.commands import MuckHand, TableHand, VoidHand
from controller.hand.events import HandHeld
from controller.hand.irregular_events import CardEliminated, HandSeen, SeventhKept, SeventhRedone
from controller.hand.places import Spot
from controller.hand.state import Phase
from controller.table.events import CardsCounted
from controller.table.inputs import ConfirmCards, LaidCard, Resume, Rule, StartHand, TakeShoeAgain, UnexplainedTimeout
from controller.table.parts import Equipment
from controller.tracking.custody import DECK_SIZE
from drivers.ports import LinkChanged, LinkState, ShoeStopped

RAKED = {"rake.percent": "30", "rake.cap": "50"}


def story(seats: str = "2 4 7", **settings: object) -> SlipStory:
    """A table whose deck is loaded when a hand begins."""
    return SlipStory(seats, **settings)


def restarted_with_a_card_out(told: SlipStory) -> None:
    """The shoe starts anew and says that a card left it which nobody heard of; the dealer confirms the picture."""
    told.reboot(draw_no=told.draw_no + 1)
    assert told.order(Resume()) is None


def after_a_muck(**settings: object) -> tuple[SlipStory, int]:
    """A hand that was paid at the showdown, and the seat that mucked."""
    told = story(**settings).begin().passive()
    first, second, *_ = told.step()["order"]
    assert told.order(TableHand(first)) is None
    assert told.order(MuckHand(second)) is None
    told.showdown()
    return told, second


def test_a_mucked_hand_that_is_seen_after_the_award_moves_no_chip(tmp_path: Path) -> None:
    """R-SHOW-09, R-POT-11: it was paid, with its rake; chips are where they were, and those bought since stay bought."""
    told, seat = after_a_muck(rules=RAKED)
    before = (told.state.raked, told.state.seats)
    assert told.state.raked > 0
    assert told.rule("let_see", seat=seat) is None
    assert told.happened(HandSeen)
    assert (told.state.raked, told.state.seats) == before
    told.holds(tmp_path)


def test_a_void_after_the_award_gives_the_rake_back_though_a_hand_was_seen(tmp_path: Path) -> None:
    """R-RULE-03, R-MIS-08: what is void is void whatever was looked at since."""
    told, seat = after_a_muck(rules=RAKED)
    assert told.rule("let_see", seat=seat) is None
    assert told.order(VoidHand("fouled deck")) is None
    assert (told.state.raked, [entry.stack for entry in told.state.seats]) == (0, [100, 100, 100])
    told.holds(tmp_path)


def test_a_card_drawn_while_the_stub_is_awaited_is_one_of_52(tmp_path: Path) -> None:
    """R-ERR-06: what goes back into the stub counts as in it; a card more that comes out is neither lost nor doubled."""
    told = story().begin().street(4)
    told.draws(2)
    assert told.rule("drop_stub") is None
    card = told.draw()
    assert (told.hold, told.state.custody.accounted) == ("reload_stub", DECK_SIZE)
    told.put_back(card)
    assert told.state.custody.accounted == DECK_SIZE
    told.draw()
    told.scramble()
    assert told.hold is None
    told.finish(tmp_path)


def test_another_card_that_goes_back_is_told_and_counted_the_same_with_and_without_keys(tmp_path: Path) -> None:
    """R-ERR-08: the hand can only be void; 52 cards are counted, by an auditor without keys too."""
    told = story().begin()
    first, _ = told.draws(2)
    told.put_back(first)
    assert told.hold == "wrong_card_back"
    assert without_hidden(told.replayed({})) == without_hidden(told.state)
    assert told.order(VoidHand("a card went back")) is None
    counted = told.happened(CardsCounted)[-1]
    assert counted.shoe + counted.flight + counted.dealt == counted.expected
    told.holds(tmp_path)


def test_a_second_premature_card_on_the_burns_goes_back_to_the_stub(tmp_path: Path) -> None:
    """R-ERR-01, R-DEAL-03: one burn a street, never more; the floor's ruling is the way out all the same."""
    told = story().begin()
    told.deal()
    told.calmly()
    told.lay(told.draw(), "burn")
    assert (told.hold, told.hand.early_burn) == (None, True)
    told.calmly()
    second = told.draw()
    told.lay(second, "burn")
    assert told.hold == "premature_card"
    assert told.rule("premature") is None
    assert (told.hold, told.hand.burns) == ("reload_stub", 1)
    told.scramble()
    assert told.hold is None
    assert second in told.shoe
    told.finish(tmp_path)


def test_a_load_is_taken_and_counted_though_a_reader_is_down(tmp_path: Path) -> None:
    """R-ERR-06: no reader is needed for a load: a wrong count is told at once, and only then the reader is waited for."""
    told = story().begin().street(4)
    told.deal_one()
    assert told.rule("drop_stub") is None
    told.tell(LinkChanged("felt", 0, LinkState.DOWN, "no answer"))
    told.put_in(told.shoe, cards=len(told.shoe) - 1)
    assert told.hold == "stub_count"
    told.scramble()
    assert (told.hold, told.hand.reload_due) == ("device_down", 0)
    told.tell(LinkChanged("felt", 0, LinkState.UP, ""))
    assert told.hold is None
    told.finish(tmp_path)


def test_the_next_deck_may_be_loaded_during_the_showdown(tmp_path: Path) -> None:
    """R-ERR-06: no card is dealt any more, so nothing stops; the deck is loaded again before the next hand."""
    told = story().begin().passive()
    assert told.hand.phase is Phase.SHOWDOWN
    told.put_in(told.rng.sample(told.shoe, len(told.shoe)))
    assert told.hold is None
    told.showdown()
    counted = told.happened(CardsCounted)[-1]
    assert counted.shoe + counted.flight + counted.dealt == counted.expected
    assert told.step()["kind"] == "load_deck"
    told.play_hand()
    told.holds(tmp_path)


def test_a_shoe_that_lost_count_at_the_showdown_takes_no_pot_away(tmp_path: Path) -> None:
    """R-ERR-08, R-RULE-02: no card is dealt any more, so the pot is awarded; an undo asks, the next hand begins with a load."""
    told = story().begin().passive()
    restarted_with_a_card_out(told)
    assert (told.hold, told.step()["kind"]) == (None, "table")
    assert told.rule("undo_action") is None
    assert (told.hold, told.hand.phase) == ("shoe_restarted", Phase.BETTING)
    assert told.rule("drop_stub") is None
    told.scramble()
    told.play_on()
    told = story().begin().passive()
    restarted_with_a_card_out(told)
    told.showdown()
    assert told.step()["kind"] == "load_deck"
    told.load()
    assert not told.state.shoe.restarted
    told.finish(tmp_path)


def test_a_kept_seventh_beside_a_common_sixth_goes_back_alone(tmp_path: Path) -> None:
    """Q-67, R-ERR-02: the common card counts as everybody's; the seventh goes back, and no burn of an earlier street."""
    told = story("1 2 3 4 5 6 7 8", rules={"stub.policy": "no_reshuffle"}).begin().street(4)
    told.draw()
    assert told.rule("set_aside", "dealer", scrap="boxed") is None
    told.hand_cards.clear()
    told.street(6).deal()
    assert len(told.hand.commons) == 1
    told.calmly()
    burn, seventh = told.draws(2)
    told.lay(burn, "burn")
    told.lay(seventh, "seat/1/down")
    assert told.rule("premature", kept=1) is None
    assert told.happened(SeventhKept)
    burns = sorted(str(place) for place in told.state.custody.placed.values()).count("burn")
    while not told.happened(SeventhRedone):
        told.calmly()
    held = told.state.custody
    assert seventh not in held.placed
    assert sorted(str(place) for place in held.placed.values()).count("burn") == burns == told.hand.burns
    told.scramble()
    assert told.hold is None
    told.finish(tmp_path)


def test_a_card_that_was_eliminated_unread_is_known_when_a_reader_sees_it(tmp_path: Path) -> None:
    """R-ERR-01, R-ERR-08: the ruling took it: that it lies in the muck needs no explanation."""
    told = story(rules={"premature.policy": "eliminate_round"}).begin()
    told.deal()
    told.calmly()
    card = told.draw(code="??")
    assert told.rule("premature") is None
    assert told.happened(CardEliminated)[-1].card is None
    told.lay(card, "muck")
    told.tell(UnexplainedTimeout(card))
    assert told.hold is None
    assert told.state.custody.placed[card] is Spot.MUCK
    told.street(4)
    told.deal_one()
    assert told.hold is None
    assert told.happened(CardEliminated)[-1].card != card
    told.finish(tmp_path)


def test_no_action_is_undone_once_the_stub_is_scrambled_and_miscounted(tmp_path: Path) -> None:
    """R-RULE-02, Q-66: the burns are among it, so it is counted right first; then the undo is the floor's as ever."""
    told = story("1 2 3 4 5 6 7 8").begin()
    while told.hand.phase is not Phase.SCRAMBLE:
        told.calmly() if told.hand.phase is Phase.BETTING else told.deal_one()
    told.put_in(told.shoe, cards=len(told.shoe))
    assert told.hold == "stub_count"
    assert told.rule("undo_action") == "stub_is_scrambled"
    told.scramble()
    assert told.hold is None
    stub = told.hand.stub
    assert told.rule("undo_action") is None
    assert (told.hand.phase, told.hand.stub, told.hand.burns) == (Phase.BETTING, stub, 0)
    told.finish(tmp_path)


def to_the_scramble(told: SlipStory) -> SlipStory:
    """On to the moment when the stub does not reach."""
    while told.hand.phase is not Phase.SCRAMBLE:
        told.calmly() if told.hand.phase is Phase.BETTING else told.deal_one()
    return told


def test_a_shoe_that_restarts_during_a_scramble_is_mended_by_the_load(tmp_path: Path) -> None:
    """R-STUB-02, R-ERR-08: its counts are in doubt, and the load that is awaited anyway gives right ones: it comes next."""
    told = to_the_scramble(story("1 2 3 4 5 6 7 8").begin())
    restarted_with_a_card_out(told)
    assert (told.hold, told.step()["kind"]) == (None, "scramble")
    told.put_in(told.shoe, cards=len(told.shoe))
    assert told.hold == "stub_count", "the burns are missing"
    told.scramble()
    assert told.hold is None
    assert told.hand.phase is Phase.DEALING
    told.finish(tmp_path)


def test_a_miscounted_stub_stays_miscounted_though_the_shoe_restarts(tmp_path: Path) -> None:
    """R-STUB-01, R-ERR-08: neither the confirmed picture nor the dropped stub makes its count right, nor a second wrong count."""
    told = to_the_scramble(story("1 2 3 4 5 6 7 8").begin())
    told.put_in(told.shoe, cards=len(told.shoe))
    restarted_with_a_card_out(told)
    assert told.hold == "stub_count"
    assert told.rule("undo_action") == "stub_is_scrambled"
    assert told.rule("drop_stub") is None
    assert told.hold == "stub_count"
    told.put_in(told.shoe, cards=len(told.shoe))
    assert (told.hold, told.state.gate.is_open) == ("stub_count", False)
    told.scramble()
    assert (told.hold, told.hand.phase) == (None, Phase.DEALING)
    told.finish(tmp_path)


def test_a_scrambled_stub_whose_shoe_lost_count_is_loaded_again(tmp_path: Path) -> None:
    """R-STUB-01, R-ERR-08: it came back right, but before the dealer confirms the picture the shoe restarts with other counts."""
    told = to_the_scramble(story("1 2 3 4 5 6 7 8").begin())
    told.reboot()
    told.scramble()
    restarted_with_a_card_out(told)
    assert (told.hold, told.hand.phase) == ("stub_count", Phase.SCRAMBLE)
    told.put_in(told.shoe)
    assert (told.hold, told.hand.phase) == (None, Phase.DEALING)
    told.finish(tmp_path)


def test_a_miscounted_stub_is_told_again_once_its_stopped_shoe_runs(tmp_path: Path) -> None:
    """R-STUB-01, R-ERR-08: while the shoe is stopped that is told; taken again, it still holds the wrong stub."""
    told = to_the_scramble(story("1 2 3 4 5 6 7 8").begin())
    told.put_in(told.shoe, cards=len(told.shoe))
    told.tell(ShoeStopped("shoe", "draw_no", "A card was skipped."))
    assert told.hold == "shoe_stopped"
    assert told.rule("undo_action") == "stub_is_scrambled"
    assert told.order(Rule("take_shoe_again", TakeShoeAgain(), "Fay", "Dan", "the cable was seen")) is None
    told.find_shoe()
    assert told.order(Resume()) is None
    assert told.hold == "stub_count"
    told.scramble()
    assert (told.hold, told.hand.phase) == (None, Phase.DEALING)
    told.finish(tmp_path)


def test_no_action_is_undone_while_the_burns_are_shuffled_in(tmp_path: Path) -> None:
    """R-RULE-02, Q-66: as long as all burns lie in their place the undo finds them there; once one of them is taken it would
    count cards of the stub as burns. After the load it is the floor's."""
    told = to_the_scramble(story("1 2 3 4 5 6 7 8").begin())
    burns = told.hand.burns
    assert told.rule("undo_action", "dealer") is None
    assert (told.hand.phase, told.hand.burns) == (Phase.BETTING, burns)
    to_the_scramble(told)
    burn = next(card for card, place in told.where.items() if place is Spot.BURN)
    told.lift(burn)
    assert told.rule("undo_action", "dealer") == told.rule("undo_action") == "burns_are_mixed"
    assert told.hand.phase is Phase.SCRAMBLE
    told.hand_cards.append(burn)
    told.scramble()
    assert told.rule("undo_action") is None
    assert (told.hand.phase, told.hand.burns) == (Phase.BETTING, 0)
    told.finish(tmp_path)


def test_burns_that_no_reader_tells_are_the_floors_to_look_at() -> None:
    """R-RULE-02, REG-47: the dealer alone takes nothing back there."""
    readers = tuple(wired for wired in NINETEEN if wired[0] is not Spot.BURN)
    told = story("1 2 3 4 5 6 7 8", equipment=Equipment("shoe", readers))
    told.begin()
    while told.hand.phase is not Phase.SCRAMBLE:
        if told.hand.phase is Phase.BETTING:
            told.calmly()
            continue
        burns = told.plan()[:1] == ["burn"]
        told.draw() if burns else told.deal_one()
        if burns:
            told.hand_cards.clear()
            assert told.order(ConfirmCards((LaidCard(Spot.BURN),))) is None
    assert told.rule("undo_action", "dealer") == "floor_looks_at_burns"
    assert told.rule("undo_action") is None


def test_the_dealer_is_told_which_cards_go_back_with_the_stub(tmp_path: Path) -> None:
    """R-ERR-01, R-ERR-06: what lies on the felt, but was not dealt when the stub fell, goes back too: its place is told."""
    told = story().begin().street(4)
    _, first, second = told.draws(3)
    told.lay(second, "seat/4/up")
    told.lay(first, "seat/2/up")
    assert told.rule("drop_stub") is None
    assert told.hold == "reload_stub"
    assert told.moves() == [("seat/4/up", "stub"), ("seat/2/up", "stub")]
    told.put_in(told.shoe)
    assert (told.hold, len(told.moves())) == ("stub_count", 2), "it is told until the count is right"
    told.scramble()
    assert (told.hold, told.moves()) == (None, [])
    told.finish(tmp_path)


def test_a_kept_seventh_that_goes_back_before_a_scramble_is_one_load(tmp_path: Path) -> None:
    """Q-67, R-STUB-02: stub, burns and what goes back are loaded together; the screen's count is theirs."""
    rules = {"stub.policy": "no_reshuffle", "premature.policy": "eliminate_round"}
    told = story("1 2 3 4 5 6 7 8", rules=rules).begin().street(4)
    told.draw()
    assert told.rule("set_aside", "dealer", scrap="boxed") is None
    told.hand_cards.clear()
    told.street(6).deal()
    assert len(told.hand.commons) == 1
    told.calmly()
    cards = told.draws(7)
    told.lay(cards[0], "burn")
    told.lay(cards[-1], "seat/1/down")
    assert told.rule("premature", kept=1) is None
    for card in cards[1:-1]:
        told.lay(card, "muck") if told.state.custody.placed.get(card) is Spot.MUCK else None
    told.mend()
    while told.hand.phase is Phase.BETTING:
        told.calmly()
    (redone,) = told.happened(SeventhRedone)
    assert HandHeld("reload_stub", None) not in told.events[told.events.index(redone) :]
    assert (told.hand.phase, told.hand.reload_due) == (Phase.SCRAMBLE, 0)
    step = told.step()
    assert step["cards"] == told.hand.stub + told.hand.burns + told.hand.set_aside
    told.scramble()
    assert told.hold is None
    told.finish(tmp_path)


def test_no_hand_starts_with_cards_that_were_to_be_shuffled(tmp_path: Path) -> None:
    """R-DECK-01, R-DECK-02: a misdeal, or a stub that fell, and then a void: nothing was loaded since."""
    told = story().begin()
    told.draws(2)
    assert told.rule("misdeal", cause="wrong_count") is None
    assert told.order(VoidHand("enough")) is None
    assert told.step()["kind"] == "load_deck"
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "load_awaited"
    told.load()
    assert told.order(StartHand()) is None
    assert told.rule("drop_stub") is None
    assert told.order(VoidHand("enough")) is None
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "load_awaited"
    told.play_hand()
    told.holds(tmp_path)


def test_the_deck_of_a_redeal_that_is_short_is_told_though_the_shoe_had_restarted(tmp_path: Path) -> None:
    """R-DECK-01, R-ERR-08: the restart is mended by the load; that a card is missing is told instead of it."""
    told = story().begin()
    told.deal_one()
    assert told.rule("misdeal", cause="wrong_count") is None
    told.draw_no += 1
    told.reboot()
    assert told.order(Resume()) is None
    assert told.hold == "shoe_restarted"
    told.load(cards=51)
    assert told.hold == "stub_count"
    told.load()
    assert told.hold is None
    told.finish(tmp_path)


def test_a_misdeal_gathers_all_52_however_the_stub_was_counted(tmp_path: Path) -> None:
    """R-MIS-03: a stub that came back short is no matter for the whole deck."""
    told = story().begin()
    told.deal_one()
    assert told.rule("drop_stub") is None
    told.put_in(told.shoe, cards=len(told.shoe) - 2)
    assert told.hold == "stub_count"
    assert told.rule("misdeal", cause="wrong_count") is None
    assert told.state.custody.accounted == DECK_SIZE
    told.load()
    told.finish(tmp_path)
