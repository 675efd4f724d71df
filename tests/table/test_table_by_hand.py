"""Work without a device: hands end as they would with all of them, marked, and no down card is told (REG-19, REG-47)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.by_hand_story import NINETEEN, WHOLE, ByHandStory, Choices
from support.slip_story import ruling
from support.table_runs import write_journal
from support.table_story import TableStory, without_hidden

from controller.export.hands import FinishedHand, read_hands
from controller.export.jsonl import jsonl_line
from controller.export.phh import phh_fields
from controller.hand.cards import DECK, Card, parse_card
from controller.hand.commands import Refusal, Role, TableHand
from controller.hand.events import CardDealt, HandEnded
from controller.hand.places import SeatPlace, Spot, Zone, parse_place
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.by_hand import MAX_FACES_BACK
from controller.table.by_hand_events import CardConfirmed, DeviceBack, ManuallyVerified
from controller.table.carry import carriable
from controller.table.events import CardsCounted, SeatKeyReleased
from controller.table.inputs import (
    ConfirmCards,
    CountDeck,
    FeltIsReady,
    KeyCard,
    LaidCard,
    Resume,
    Rule,
    StartHand,
    UndoConfirmation,
    UndoKeyed,
)
from controller.table.parts import Equipment
from controller.table.state import TableStatus
from controller.verify import audit
from drivers.ports import CardDrawn, DrawMode, EventKey, LinkChanged, LinkState, ShoeFound, ShoeState

SEATS = {1: 200, 2: 60, 4: 300, 6: 300}
NO_SHOE = Equipment("", NINETEEN)
NO_READERS = Equipment("shoe", ())
NOTHING = Equipment("", ())
UP1, UP2, DOWN1 = SeatPlace(1, Zone.UP), SeatPlace(2, Zone.UP), SeatPlace(1, Zone.DOWN)


def deck(seed: int) -> list[Card]:
    """A shuffled deck."""
    return random.Random(seed).sample(DECK, len(DECK))


def stacks(told: TableStory) -> list[int]:
    """Chips by seat."""
    return [seat.stack for seat in told.state.seats]


def twin(seed: int, *, variant: str = "stud", seats: dict[int, int] | None = None) -> TableStory:
    """The same hand with every device at work."""
    told = TableStory(seats or SEATS, variant=variant, seed=seed)
    told.start(deck(seed))
    return told.play_on(Choices(seed))


def refused(refusal: Refusal | None) -> str | None:
    """The code."""
    return None if refusal is None else refusal.code


def finished(told: TableStory, folder: Path) -> list[FinishedHand]:
    """The journal holds for an auditor without a key; its hands as exports read them."""
    path = write_journal(folder, told.bodies)  # type: ignore[arg-type]
    found = audit(path)
    assert found.ok, found.reason
    assert found.cards_conserved
    hands: list[FinishedHand] = []
    read_hands(path, hands.append, lambda number, why: None)
    return hands


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
@pytest.mark.parametrize("gear", [NO_SHOE, NO_READERS, NOTHING], ids=["no shoe", "no readers", "nothing"])
def test_a_table_without_devices_plays_the_same_hands(gear: Equipment, variant: str, tmp_path: Path) -> None:
    """Same deck, same decisions: the same chips to the same seats as with all devices, and the hand says what did not tell."""
    for seed in range(4):
        told = ByHandStory(SEATS, equipment=gear, variant=variant, seed=seed)
        told.begin(deck(seed))
        told.play_on(Choices(seed), lambda story: story.view() and None)  # type: ignore[attr-defined]
        assert stacks(told) == stacks(twin(seed, variant=variant))
        counted = told.happened(CardsCounted)[-1]
        assert counted.shoe + counted.flight + counted.dealt == counted.expected == 52
        (hand,) = finished(told, tmp_path / f"{seed}")
        assert hand.manually_verified
        assert ("shoe" in hand.without) is (not gear.shoe)
        assert ("seat/1/up" in hand.without) is (not gear.antennas)
        assert phh_fields(hand)["_manually_verified"] is True
        assert '"manually_verified"' in jsonl_line(hand)


@pytest.mark.parametrize("street", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("device", ["felt-1", "felt-e", "shoe"])
def test_a_device_pulled_on_a_street_ends_the_hand_all_the_same(device: str, street: int, tmp_path: Path) -> None:
    """Pulled amid a street: the deal stops, two people step past it, and the hand ends with the same awards."""
    for seed in range(3):
        told = ByHandStory({1: 400, 2: 400, 4: 400}, seed=seed)
        told.begin(deck(seed))
        choose = Choices(seed)
        pulled = False

        def pull(story: ByHandStory) -> None:
            nonlocal pulled
            hand = story.hand
            if pulled or hand.phase is not Phase.DEALING or hand.street != street or not hand.dealt:
                return
            pulled = True
            story.lose(device)
            assert story.hold == "device_down"
            assert story.step()["kind"] == "hold"
            assert story.step_past(device) is None
            assert story.hold is None

        told.play_on(choose, pull)  # type: ignore[arg-type]
        assert stacks(told) == stacks(twin(seed, seats={1: 400, 2: 400, 4: 400}))
        (hand,) = finished(told, tmp_path / f"{seed}")
        assert hand.manually_verified is pulled
        assert told.state.past == ((device, 0),) * pulled


def test_a_blind_hand_is_played_to_its_end(tmp_path: Path) -> None:
    """The deal's key is lost on fourth street: cards dealt before are keyed when they are tabled, the award is the same."""
    for seed in range(4):
        told = ByHandStory({1: 400, 2: 400, 4: 400}, seed=seed)
        told.begin(deck(seed))
        choose = Choices(seed)
        lost = False

        def lose(story: ByHandStory) -> None:
            nonlocal lost
            if lost or story.hand.phase is not Phase.BETTING or story.hand.street != 4:
                return
            lost = True
            before = without_hidden(story.state)["hand"]
            story.restart(keys=False)
            assert without_hidden(story.state)["hand"] == before
            story.tell(FeltIsReady())
            assert story.order(Resume()) is None

        told.play_on(choose, lose)  # type: ignore[arg-type]
        assert stacks(told) == stacks(twin(seed, seats={1: 400, 2: 400, 4: 400}))
        (hand,) = finished(told, tmp_path / f"{seed}")
        assert hand.keyed is (lost and any(entry.tabled for entry in told.hand.seats))


def dark_seat_one(seed: int = 1) -> ByHandStory:
    """Third street is being dealt and the readers of seat 1 are set aside."""
    told = ByHandStory({1: 100, 2: 100}, seed=seed)
    told.begin(deck(seed))
    told.lose("felt-1")
    assert told.step_past("felt-1") is None
    return told


def test_only_two_people_step_past_and_only_past_what_is_dead() -> None:
    """The floor and somebody else; a device that answers, is none of the table's or is set aside already is refused."""
    told = ByHandStory({1: 100, 2: 100})
    told.begin(deck(1))
    assert refused(told.step_past("felt-1")) == "device_answers"
    told.lose("felt-1")
    assert refused(told.step_past("felt-9")) == "no_such_device"
    assert refused(told.step_past("felt-1", role=Role.DEALER)) == "floor_rules_it"
    assert refused(told.step_past("felt-1", agreed_by="")) == "two_people"
    for one_person in ("Fay", "fay", " Fay ", "F ay", "Fay\u200b", "\uff26ay", " ", "\u200b"):
        assert refused(told.step_past("felt-1", agreed_by=one_person)) == "two_people", repr(one_person)
    for nobody in ("", " "):
        assert refused(told.step_past("felt-1", by=nobody)) == "two_people", repr(nobody)
    assert told.hold == "device_down"
    assert told.step_past("felt-1") is None
    assert refused(told.step_past("felt-1")) == "device_is_past"
    assert refused(told.step_past("felt-1", antenna=1)) == "device_is_past"


def test_one_antenna_is_stepped_past_alone() -> None:
    """The rest of its line still tells."""
    told = ByHandStory({1: 100, 2: 100})
    told.begin(deck(1))
    told.tell(LinkChanged("felt-1", 2, LinkState.DOWN, "no answer"))
    assert told.hold == "device_down"
    assert told.step_past("felt-1", antenna=2) is None
    assert told.hold is None
    assert {UP1} == told.state.dark


def test_a_down_card_is_confirmed_and_never_named() -> None:
    """Count alone: a face is refused for a down card; the shoe's reading stays sealed; tabling needs no key for what it read."""
    told = dark_seat_one()
    card = told.take()
    told.put(card, DOWN1)
    assert told.view()["by_hand"]["confirm"] == [{"place": "seat/1/down", "key": False}]
    assert refused(told.order(ConfirmCards((LaidCard(DOWN1, card),)))) == "card_stays_down"
    assert told.order(ConfirmCards((LaidCard(DOWN1),))) is None
    dealt = told.happened(CardDealt)[-1]
    assert (dealt.place, dealt.card) == (DOWN1, card)
    assert told.view()["by_hand"]["to_key"] == []


def test_what_the_dealer_may_not_confirm() -> None:
    """Another place than the next, a place whose reader works, a card still in the shoe, another face than the shoe read."""
    told = dark_seat_one()
    assert refused(told.order(ConfirmCards((LaidCard(DOWN1),)))) == "not_drawn_yet"
    assert refused(told.order(ConfirmCards((LaidCard(UP2),)))) == "not_the_next_card"
    told.deal_one()
    card = told.take()
    assert refused(told.order(ConfirmCards((LaidCard(SeatPlace(2, Zone.DOWN)),)))) == "reader_tells_it"
    told.put(card, SeatPlace(2, Zone.DOWN))
    told.deal_one()
    told.deal_one()
    up = told.take()
    told.put(up, UP1)
    other = next(card for card in DECK if card not in told.state.custody.drawn)
    assert refused(told.order(ConfirmCards((LaidCard(UP1, other),)))) == "shoe_read_another"
    ruled = Rule("key_card", KeyCard(UP1, other), "Fay", "Dan", "face")
    assert told.order(ruled) is None
    assert told.hand.seats[0].up == (other,)


def test_an_up_card_that_the_shoe_could_not_read_is_keyed() -> None:
    """No reader there to tell it: no hold, the dealer keys its face."""
    told = dark_seat_one()
    for _ in range(4):
        told.deal_one()
    card = told.draw(code="??")
    told.put(card, UP1)
    assert told.hold is None
    assert told.view()["by_hand"]["confirm"] == [{"place": "seat/1/up", "key": True}]
    assert refused(told.order(ConfirmCards((LaidCard(UP1),)))) == "card_to_key"
    assert told.confirm() is None
    assert told.hand.seats[0].up == (card,)


def test_two_people_key_a_card_that_a_working_reader_does_not_see() -> None:
    """A dead tag: the reader of the place works and tells nothing; floor and one other key the card, and the hand is marked."""
    told = ByHandStory({1: 100, 2: 100}, seed=2)
    told.begin(deck(2))
    for _ in range(4):
        told.deal_one()
    card = told.draw()
    assert refused(told.order(Rule("key_card", KeyCard(UP1, card, Role.DEALER), "Dan", "Fay"))) == "floor_rules_it"
    assert refused(told.order(Rule("key_card", KeyCard(UP1, card), "Fay", ""))) == "two_people"
    assert told.order(Rule("key_card", KeyCard(UP1, card), "Fay", "Dan")) is None
    assert told.hand.seats[0].up == (card,)
    assert told.happened(ManuallyVerified) == [ManuallyVerified((), keyed=True)]


def without_any(seed: int = 3) -> ByHandStory:
    """A hand without shoe and readers, third street dealt up to the door cards."""
    told = ByHandStory({1: 100, 2: 100}, equipment=NOTHING, seed=seed)
    told.begin(deck(seed))
    for _ in range(4):
        told.deal_one()
    return told


def test_a_row_is_confirmed_at_once_all_or_none() -> None:
    """Two door cards in one press; with one wrong among them nothing happened."""
    told = without_any()
    first, second = told.shoe[:2]
    before = told.state
    wrong = ConfirmCards((LaidCard(UP1, first), LaidCard(UP2, first)))
    assert refused(told.order(wrong)) == "card_is_seen"
    assert told.state.hand == before.hand
    assert told.state.custody == before.custody
    assert told.order(ConfirmCards((LaidCard(UP1, first), LaidCard(UP2, second)))) is None
    assert told.hand.phase is Phase.BETTING
    assert told.view()["by_hand"]["seen"] == sorted([first.text, second.text])


def test_a_keyed_card_is_taken_back_until_somebody_acts(tmp_path: Path) -> None:
    """The bring-in follows the right card; after the next action only the floor can help (R-RULE-02)."""
    told = without_any()
    low, high = parse_card("2c"), parse_card("As")
    assert told.order(ConfirmCards((LaidCard(UP1, low), LaidCard(UP2, parse_card("Kd"))))) is None
    assert told.hand.round.actor == 1
    for _ in range(2):
        assert told.view()["by_hand"]["may_undo"]
        assert told.order(UndoConfirmation()) is None
    assert told.hand.phase is Phase.DEALING
    assert told.plan() == ["seat/1/up", "seat/2/up"]
    assert told.order(ConfirmCards((LaidCard(UP1, high), LaidCard(UP2, low)))) is None
    assert told.hand.round.actor == 2
    assert told.state == told.replayed(told.keyring.sealers)
    assert told.act(Verb.BRING_IN, 2) is None
    assert refused(told.order(UndoConfirmation())) == "nothing_confirmed"
    told.truth += [(high, UP1), (low, UP2)]
    told.shoe = [card for card in told.shoe if card not in (high, low)][:44]
    while not told.hand.over:
        if told.hand.phase is Phase.BETTING:
            assert told.act(Verb.FOLD) is None
    (hand,) = finished(told, tmp_path)
    assert hand.undone == 2
    assert [play.card for play in hand.plays if getattr(play, "up", False)] == [high, low]


def test_a_down_card_counted_twice_is_taken_back(tmp_path: Path) -> None:
    """Its box leaves the seat with it: the auditor still finds what was tabled."""
    told = ByHandStory({1: 100, 2: 100}, equipment=NO_READERS, seed=5)
    told.begin(deck(5))
    told.deal_one()
    assert told.order(UndoConfirmation()) is None
    assert told.order(ConfirmCards((LaidCard(DOWN1),))) is None
    told.play_on(Choices(1))
    finished(told, tmp_path)


def test_a_mis_keyed_tabling_is_taken_back(tmp_path: Path) -> None:
    """A wrong face among the tabled cards is entered anew before the award; the wrong one stands nowhere in the export."""
    told = ByHandStory({1: 400, 2: 400}, equipment=NOTHING, seed=7)
    told.begin(deck(7))
    told.passive()
    seat = told.step()["order"][0]
    right = told.unread(seat)
    spare = next(card for card in DECK if card not in {card for card, _ in told.truth})
    assert refused(told.order(TableHand(seat, right[:2]))) == "cards_to_key"
    assert refused(told.order(TableHand(seat, (*right[:2], right[0])))) == "card_is_seen"
    assert told.order(TableHand(seat, (*right[:2], spare))) is None
    assert told.order(UndoConfirmation()) is None
    assert told.hand.seats[told.hand.index_of(seat)].tabled is None
    assert told.order(TableHand(seat, right)) is None
    told.showdown()
    (hand,) = finished(told, tmp_path)
    assert spare not in hand.end.seats[hand.end.index_of(seat)].cards
    assert hand.end.seats[hand.end.index_of(seat)].tabled is not None
    assert spare not in (hand.end.seats[hand.end.index_of(seat)].tabled or ())


def test_a_tabled_card_that_the_shoe_gave_to_another_stops_play() -> None:
    """Seat 1 was dealt unread, seat 2 was read: a face that lies sealed at seat 2 cannot be tabled by seat 1 (R-MIS-08)."""
    told = dark_seat_one(11)
    for _ in range(2):
        told.put(told.draw(code="??"), DOWN1) or told.confirm()
        told.deal_one()
    told.passive()
    theirs = told.hand.seats[1].down[0]
    mine = told.unread(1)
    assert len(mine) == 2
    assert theirs is not None
    assert told.order(TableHand(1, (mine[0], theirs))) is None
    assert told.hold == "face_in_doubt"
    assert refused(told.order(UndoConfirmation())) == "floor_takes_it_back"
    assert told.order(Rule("undo_keyed", UndoKeyed(), "Fay", "Dan", "looked")) is None
    assert told.hold is None
    assert told.order(TableHand(1, mine)) is None


def keyed_by_seat_one(told: ByHandStory, face: Card) -> Refusal | None:
    """The dealer keys the door card of seat 1."""
    return told.order(ConfirmCards((LaidCard(UP1, face),)))


def test_keying_faces_is_no_way_to_find_out_which_cards_lie_down(tmp_path: Path) -> None:
    """R-RULE-06: a face that lies sealed elsewhere stops play with a sentence that names none, and only two people take it back;
    of those that are taken the dealer takes back three in a hand, and each try stands in the journal."""
    told = dark_seat_one(11)
    for _ in range(2):
        told.put(told.draw(code="??"), DOWN1) or told.confirm()
        told.deal_one()
    theirs, door = told.hand.seats[1].down[0], told.draw(code="??")
    assert theirs is not None
    told.put(door, UP1)
    assert keyed_by_seat_one(told, theirs) is None
    assert (told.hold, told.view()["hold"]["place"]) == ("face_in_doubt", None)
    assert refused(told.order(UndoConfirmation())) == "floor_takes_it_back"
    for by, agreed in (("Fay", ""), ("Fay", "Fay")):
        assert refused(told.order(Rule("undo_keyed", UndoKeyed(), by, agreed))) == "two_people"
    assert refused(told.order(Rule("undo_keyed", UndoKeyed(Role.DEALER), "Dan", "Fay"))) == "floor_rules_it"
    assert told.order(Rule("undo_keyed", UndoKeyed(), "Fay", "Dan")) is None
    assert told.hold is None
    free = [card for card in DECK if card not in told.state.custody.drawn and card != door]
    for face in free[: MAX_FACES_BACK - 1]:
        assert keyed_by_seat_one(told, face) is None
        assert told.order(UndoConfirmation()) is None
    assert keyed_by_seat_one(told, free[-1]) is None
    assert refused(told.order(UndoConfirmation())) == "floor_takes_it_back"
    assert told.order(Rule("undo_keyed", UndoKeyed(), "Fay", "Dan")) is None
    tries = [event for event in told.happened(CardConfirmed) if event.place == UP1]
    assert len(tries) == MAX_FACES_BACK + 1
    assert keyed_by_seat_one(told, door) is None
    told.play_on(Choices(1))
    finished(told, tmp_path)


def test_an_exposed_card_that_nobody_read_is_keyed(tmp_path: Path) -> None:
    """R-EXP-01: it becomes the door card like any other, may be taken back as any face, and the third comes down."""
    told = without_any()
    face = next(card for card, place in told.truth if place == DOWN1)
    expose = {"seat": 1, "number": 1}
    assert refused(told.order(ruling("expose_hole", "dealer", **expose))) == "card_to_key"
    wrong = next(card for card in DECK if card not in {card for card, _ in told.truth})
    assert told.order(ruling("expose_hole", "dealer", **expose, card=wrong.text)) is None
    assert told.order(UndoConfirmation()) is None
    assert told.hand.seats[0].up == ()
    assert told.order(ruling("expose_hole", "dealer", **expose, card=face.text)) is None
    assert (told.hand.seats[0].up, told.plan()[0]) == ((face,), "seat/1/down")
    told.truth[told.truth.index((face, DOWN1))] = (face, UP1)
    told.truth.sort(key=lambda entry: entry[1] != DOWN1)
    assert told.state.cards_keyed
    told.play_on(Choices(3))
    (hand,) = finished(told, tmp_path)
    assert hand.keyed


def test_an_exposed_card_cannot_be_another_ones() -> None:
    """R-MIS-08: a face that lies sealed stops play until two people take it back, one that everybody has seen is refused."""
    told = dark_seat_one(11)
    for _ in range(2):
        told.put(told.draw(code="??"), DOWN1) or told.confirm()
        told.deal_one()
    theirs = told.hand.seats[1].down[0]
    assert theirs is not None
    assert told.order(ruling("expose_hole", seat=1, number=1, card=theirs.text)) is None
    assert told.hold == "face_in_doubt"
    assert refused(told.order(UndoConfirmation())) == "floor_takes_it_back"
    assert told.order(Rule("undo_keyed", UndoKeyed(), "Fay", "Dan")) is None
    assert told.hold is None
    told.deal_one()
    seen = told.hand.seats[0].up[0]
    assert refused(told.order(ruling("expose_hole", seat=1, number=1, card=seen.text))) == "card_is_seen"


def test_the_shoe_that_comes_back_late_changes_nothing() -> None:
    """It delivers a card that people have dealt since: the event is durable, and no card is doubled."""
    told = ByHandStory({1: 100, 2: 100}, seed=4)
    told.begin(deck(4))
    told.deal_one()
    told.lose("shoe")
    assert told.step_past("shoe") is None
    card = told.take()
    told.put(card, SeatPlace(2, Zone.DOWN))
    before = told.state.custody
    told.tell(CardDrawn("shoe", EventKey(told.boot, told.seq + 1), card.text.upper(), DrawMode.COUNTED, 2, 50, 300))
    assert told.state.custody == before
    assert told.hold is None


def test_devices_come_back_with_the_next_deck() -> None:
    """Not in the middle of a hand; the shoe when a deck is loaded through it, and the next hand is marked no more."""
    told = ByHandStory({1: 100, 2: 100}, seed=6)
    told.begin(deck(6))
    for device in ("shoe", "felt-2"):
        told.lose(device)
        assert told.step_past(device) is None
    for device in ("shoe", "felt-2"):
        told.tell(LinkChanged(device, 0, LinkState.UP, ""))
    assert told.state.past == (("felt-2", 0), ("shoe", 0))
    told.play_on(Choices(6))
    assert not told.happened(DeviceBack)
    assert told.state.cards_keyed
    told.truth.clear()
    TableStory.load(told, deck(8))
    assert told.state.past == ()
    assert told.order(StartHand()) is None
    assert not told.state.by_hand
    assert not told.state.cards_keyed


@pytest.mark.parametrize("gear", [WHOLE, NO_SHOE], ids=["shoe", "no shoe"])
def test_a_reader_that_died_with_cards_on_it_keeps_no_hand_from_starting(gear: Equipment) -> None:
    """Nobody tells that its cards were gathered: with the whole deck loaded or counted they lie there no more."""
    told = ByHandStory({1: 100, 2: 100}, equipment=gear, seed=6)
    told.begin(deck(6))
    for _ in range(6):
        told.deal_one()
    told.lose("felt-2")
    assert told.step_past("felt-2") is None
    told.play_on(Choices(6))
    for card, place in list(told.where.items()):
        if place in (UP2, SeatPlace(2, Zone.DOWN)):
            del told.where[card]  # gathered, and its reader is dead
    told.load(deck(8))
    assert told.order(StartHand()) is None
    assert carriable(told.state._replace(hand=None))


def test_a_deck_is_counted_only_without_a_shoe_and_whole() -> None:
    """52 between hands; the shoe counts its own; no stub is due in the middle of a hand (REG-44)."""
    told = ByHandStory({1: 100, 2: 100}, equipment=NOTHING)
    assert told.view()["by_hand"]["count_deck"] == 52
    assert told.step()["kind"] == "load_deck"
    assert refused(told.order(CountDeck(51))) == "wrong_count"
    assert told.order(CountDeck(52)) is None
    assert told.view()["by_hand"]["count_deck"] == 0
    assert told.order(StartHand()) is None
    assert refused(told.order(CountDeck(52))) == "no_deck_due"
    other = ByHandStory({1: 100, 2: 100})
    assert refused(other.order(CountDeck(52))) == "shoe_counts"


def test_a_deck_is_counted_again_after_an_uncounted_shoe_was_unheard() -> None:
    """A shoe that tells no load and was away between hands: cards may have left it, so no hand starts before a new count; in a
    hand the dealer confirms the picture, and the readers compare."""
    told = ByHandStory({1: 100, 2: 100}, equipment=Equipment("shoe", NINETEEN, counts=False, locks=False))
    assert told.view()["shoe"] == {"locks": False}
    assert told.order(CountDeck(52)) is None
    assert told.step()["kind"] == "start_hand"
    met_again(told)
    assert told.step()["kind"] == "load_deck"
    assert refused(told.order(StartHand())) == "deck_not_loaded"
    assert told.order(CountDeck(52)) is None
    assert told.order(StartHand()) is None
    met_again(told)
    assert told.state.status is TableStatus.SUSPENDED
    assert told.order(Resume()) is None
    assert told.hold is None
    assert told.state.gate.is_open


def met_again(told: ByHandStory) -> None:
    """The port was lost and opened again: a start of its own whose counts begin at nothing."""
    boot = told.state.shoe.boot + 1
    said = ShoeState("", "ANGEL-EYE", boot, 0, 0, 1, 0, 0, -1, "-")
    told.tell(ShoeFound("shoe", said, is_rebooted=True))


def test_a_stub_that_is_mixed_without_a_shoe_is_counted() -> None:
    """Eight players to seventh street: burns are mixed in, the dealer counts, and a card falls for everybody (R-STUB-02)."""
    seats = dict.fromkeys(range(1, 9), 500)
    told = ByHandStory(seats, equipment=NOTHING, seed=1)
    told.begin(deck(1))
    calls: Callable[..., object] = lambda hand, actions: next(a for a in actions if a.verb is not Verb.FOLD)  # noqa: E731
    told.play_on(calls)  # type: ignore[arg-type]
    assert told.hand.phase is Phase.ENDED
    assert told.state.cards_conserved


def test_the_grid_hides_what_lies_down() -> None:
    """Two tables that differ in two down cards alone show the same to the dealer, word for word (R-RULE-06)."""
    order = deck(9)
    swapped = list(order)
    swapped[0], swapped[51] = swapped[51], swapped[0]
    views = []
    for cards in (order, swapped):
        told = dark_seat_one(9)
        told = ByHandStory({1: 100, 2: 100}, seed=9)
        told.begin(cards)
        told.lose("felt-1")
        told.step_past("felt-1")
        for _ in range(6):
            told.deal_one()
        views.append(told.view())
    assert views[0] == views[1]


def test_a_restart_waits_for_no_device_that_is_set_aside() -> None:
    """Set aside before the restart, or by two people during it."""
    told = dark_seat_one()
    told.deal_one()
    told.restart()
    assert told.state.past == (("felt-1", 0),)
    told.tell(LinkChanged("felt-2", 0, LinkState.DOWN, ""))
    assert told.step_past("felt-2") is None
    told.tell(FeltIsReady())
    assert told.order(Resume()) is None
    told.deal_one()


def test_a_table_that_loses_a_device_from_its_configuration_forgets_it() -> None:
    """A line that is no longer configured is no longer set aside."""
    told = dark_seat_one()
    told.equipment = replace_antennas(WHOLE, "felt-1")
    told.restart()
    assert told.state.past == ()
    assert {UP1, DOWN1} <= told.state.dark


def replace_antennas(gear: Equipment, line: str) -> Equipment:
    """``gear`` without ``line``."""
    return gear._replace(antennas=tuple(entry for entry in gear.antennas if entry[1] != line))


def test_no_key_of_another_deal_is_released() -> None:
    """A blind hand is sealed under a lost key: tabling releases none (recovery §10)."""
    told = ByHandStory({1: 100, 2: 100}, seed=3)
    told.begin(deck(3))
    told.deal()
    told.restart(keys=False)
    told.tell(FeltIsReady())
    told.order(Resume())
    told.passive()
    told.showdown()
    assert told.happened(HandEnded)
    assert not told.happened(SeatKeyReleased)


def test_a_confirmation_is_sealed_like_any_evidence() -> None:
    """The body of a keyed up card carries its place and a box, no face."""
    told = without_any()
    told.deal_one()
    event = told.happened(CardConfirmed)[-1]
    body = next(body for body in reversed(told.bodies) if body["type"] == "CardConfirmed")
    assert event.card is not None
    assert event.card.text not in str(body)
    assert body["place"] == "seat/1/up"
    assert parse_place(str(body["place"])) == UP1
    assert replace(event, card=None).card is None
    assert Spot.BURN not in {place for _, place in told.truth}
