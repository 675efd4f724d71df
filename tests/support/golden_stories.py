"""Evenings for the golden journals with the records that slips do not make: work without devices, orders between hands, a shoe
that stops."""

from __future__ import annotations

import random
from dataclasses import replace

from controller.hand.around import around
from controller.hand.betting import legal_actions
from controller.hand.cards import DECK, Card
from controller.hand.commands import KillHands, Refusal, Role, UndoAction, VoidHand
from controller.hand.irregular_events import DeadCause
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.showdown import to_show
from controller.hand.terms import Verb
from controller.table.access_events import FloorAsked, FloorOrdered, SignedIn, SignedOut, SignInFailed
from controller.table.inputs import (
    AcknowledgeAlarm,
    ActAround,
    AddChips,
    AnswerSeat,
    ClearShoe,
    CloseTable,
    CollectTime,
    ConfirmCards,
    FeltIsReady,
    LaidCard,
    LockTable,
    MuckedTimeout,
    Order,
    PauseTable,
    PlayOn,
    ReopenTable,
    Resume,
    Rule,
    SetLastTwo,
    StopPlay,
    TakeShoeAgain,
    UndoConfirmation,
)
from controller.table.machine_events import ClockNoted, ClockStepped, ClockTrust, DiskNoted, DiskPace, DiskRoom
from controller.table.muck import folding
from controller.table.parts import Bar, CheckTold, DeckTold, Equipment
from controller.table.wheel import ReturnWheel, TakeWheel
from drivers.ports import CommandDone, EventKey, LinkChanged, LinkState, NoticeKind, ShoeFound, ShoeNotice, ShoeState, ShoeStopped
from support.by_hand_story import ByHandStory, Choices
from support.table_story import AT, TableStory


def _deck(seed: int) -> list[Card]:
    return random.Random(seed).sample(DECK, len(DECK))


def devices_fail() -> TableStory:
    """Shoe and a reader fall out in a hand, people let play go on, and with the next deck both are back."""
    told = ByHandStory({1: 100, 2: 100}, seed=6)
    told.begin(_deck(6))
    for device in ("shoe", "felt-2"):
        told.lose(device)
        assert told.step_past(device) is None
    for device in ("shoe", "felt-2"):
        told.tell(LinkChanged(device, 0, LinkState.UP, ""))
    told.play_on(Choices(6))
    told.truth.clear()
    TableStory.load(told, _deck(8))
    return told


def no_device() -> TableStory:
    """The deck is counted, a confirmation taken back, the cards are keyed at the showdown."""
    told = ByHandStory({1: 400, 2: 400}, equipment=Equipment("", ()), seed=5)
    told.begin(_deck(5))
    told.deal_one()
    assert told.order(UndoConfirmation()) is None
    assert told.order(ConfirmCards((LaidCard(SeatPlace(1, Zone.DOWN)),))) is None
    told.play_on(Choices(1))
    return told


def asked_floor() -> TableStory:
    """A player asks for the floor in a hand, twice, and somebody comes; another one's call still stands."""
    told = TableStory({1: 100, 2: 100, 5: 100}, seed=4)
    told.start().deal()
    for seat in (2, 2, 5):
        told.tell(FloorAsked(seat))
    assert told.order(AnswerSeat(2)) is None
    return told.play_on()


def last_two() -> TableStory:
    """The last two of an event; one is promised chips, and the table is locked and closes after the hand."""
    told = TableStory({1: 100, 2: 100}, preset="tournament", seed=4)
    assert told.order(SetLastTwo(on=True)) is None
    told.start().deal()
    assert told.order(LockTable()) is None
    assert told.order(CloseTable()) is None
    return told.play_on()


def shoe_taken_again() -> TableStory:
    """A shoe breaks its protocol in a hand; two people take it again, and the dealer confirms the picture."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    told.tell(ShoeStopped("shoe", "tamper", "Lines that are not the shoe's."))
    assert told.order(Rule("take_shoe_again", TakeShoeAgain(), "Fay", "Dan", "the cable was seen")) is None
    told.find_shoe()
    assert told.order(Resume()) is None
    return told.play_on()


def shoe_stops() -> TableStory:
    """Time is collected; a shoe tells of its gate, breaks its protocol and is adopted by the next controller."""
    told = TableStory({1: 100, 2: 100}, rules={"rake.time_collection": "5"}, seed=3)
    assert told.order(CollectTime()) is None
    told.start()
    told.deal_one()
    assert told.order(AddChips(1, 20)) is None
    told.gate_event("K")
    told.tell(ShoeStopped("shoe", "draw_no", "A card was skipped."))
    told.restart()
    told.tell(FeltIsReady())
    assert told.order(Resume()) is None
    return told.play_on()


def two_decks() -> TableStory:
    """A checked deck is played, goes into quarantine in the hand and comes out; another one takes its place and is played."""
    told = TableStory({1: 100, 2: 100}, seed=7)
    passed = CheckTold(AT, "Ann", "Ben", "feig at desk, antenna 1", "d1", used=False)
    first = DeckTold("D1", "SET1", "d1", needs_check=True, passed=passed, bar=None)
    told.tell(first)
    told.start()
    told.tell(replace(first, passed=None, bar=Bar("Cleo", AT, "a bent corner")))
    told.play_on()
    told.tell(replace(first, passed=None))
    told.tell(DeckTold("D2", "SET2", "d2", needs_check=True, passed=replace(passed, enrolment="d2"), bar=None))
    told.set_id = "SET2"
    return told.play_hand()


def shoe_error() -> TableStory:
    """A shoe latches an error and the floor has it cleared; it latches another and forgets it in a new session."""
    told = TableStory({1: 100, 2: 100}, seed=3).start()
    told.deal_one()
    for kind, detail in ((NoticeKind.FAULT, "E2 latched"), (NoticeKind.CLEARED, "E2"), (NoticeKind.FAULT, "E7 latched")):
        if kind is NoticeKind.CLEARED:
            assert told.order(Rule("clear_shoe", ClearShoe(), "Fay", "", "the exit is free")) is None
        told.seq += 1
        told.tell(ShoeNotice("shoe", EventKey(told.boot, told.seq), kind, detail))
    shoe, left = told.state.shoe, told.state.custody.in_shoe
    said = ShoeState("S0012345", "M1", shoe.boot, told.seq, told.seq, 1, shoe.load, shoe.draw_no, left, "-")
    told.tell(ShoeFound("shoe", said))
    return told.play_on()


def shoe_not_cleared() -> TableStory:
    """A shoe refuses to clear its error; somebody presses its own button."""
    told = TableStory({1: 100, 2: 100}, seed=4).start()
    told.deal_one()
    told.seq += 1
    told.tell(ShoeNotice("shoe", EventKey(told.boot, told.seq), NoticeKind.FAULT, "E9 latched"))
    assert told.order(Rule("clear_shoe", ClearShoe(), "Fay", "", "nothing is to be seen")) is None
    told.tell(CommandDone("shoe", told.state.gate.order, ok=False, barrier=0, reason="the shoe refused: LATCHED"))
    told.seq += 1
    told.tell(ShoeNotice("shoe", EventKey(told.boot, told.seq), NoticeKind.CLEARED, "E9"))
    return told.play_on()


def people_at_consoles() -> TableStory:
    """People sign in at two consoles, one fails to; the wheel is taken over in a hand and given back."""
    told = TableStory({1: 100, 2: 100}, seed=9)
    for event in (SignedIn("Ann", "dealer", "one", "pin"), SignInFailed("Fay", "127.0.0.1", 1, 0)):
        told.tell(event)
    told.by("one", "Ann", TakeWheel("Ann"))
    told.start().deal()
    told.tell(SignedIn("Fay", "floor", "two", "badge"))
    told.by("two", "Fay", TakeWheel("Fay", "Fay"))
    told.by("two", "Fay", PauseTable("a break"), agreed_by="Ann")
    told.by("two", "Fay", ReturnWheel("Fay"))
    told.tell(SignedOut("Fay", "two", "signed_out"))
    told.console, told.person = "one", "Ann"
    told.order(ReopenTable())
    told.play_on()
    told.by("one", "Ann", ReturnWheel())
    return told


def alarms_seen() -> TableStory:
    """Alarms are acknowledged at the table and from the floor, twice, late, over a start; one is raised anew."""
    told = TableStory({1: 100, 2: 100}, seed=12).start()

    def see(alarm: str, by: str, role: str) -> Refusal | None:
        since = next(one.raised_seq for one in told.state.alarms if one.alarm == alarm)
        return told.order(AcknowledgeAlarm(alarm, since, by, role))

    told.tell(DiskNoted(DiskPace.SLOW, DiskRoom.ENOUGH))
    assert see("disk_slow", "", "") is None
    assert told.order(Rule("stop_play", StopPlay())) is None
    late = told.state.alarms[-1].raised_seq
    assert [see("hold", "Ann", "dealer"), see("hold", "Fay", "floor")] == [None, None]
    assert told.order(Rule("play_on", PlayOn(), "Fay")) is None
    assert told.order(AcknowledgeAlarm("hold", late, "Ann", "dealer")) == Refusal("REG-13", "alarm_passed")
    told.tell(LinkChanged("felt-a", 3, LinkState.DOWN, ""))
    assert see("device_down_felt-a_3", "Ed", "engineer") is None
    told.restart()
    told.tell(LinkChanged("felt-a", 3, LinkState.DOWN, ""))
    return told


def ordered_from_floor() -> TableStory:
    """The floor rules from its own screen while a dealer drives: taken with two people, and refused to one."""
    told = TableStory({1: 100, 2: 100, 3: 100}, seed=12)
    told.by("one", "Ann", TakeWheel("Ann"))
    told.start().deal()

    def from_floor(order: Order, *people: str, denied: Refusal | None = None) -> Refusal | None:
        given = replace(told.command(order), console="floor", person="Fay", agreed_by=people[2], denied=denied)
        signed = FloorOrdered(given.key, *people, "00112233aabbccdd", f"token-{told.keys}")
        return told.tell(replace(given, floor=signed)).refusal

    kill = Rule("kill_hands", KillHands((2,), DeadCause.IN_MUCK, Role.FLOOR), "Fay", "", "seen by the camera")
    assert from_floor(kill, "Fay", "floor", "", "") is None
    denied = Refusal("REG-40", "two_approvals_due", (("name", "Fay"),))
    assert from_floor(VoidHand("a card too many"), "Fay", "floor", "", "", denied=denied) == denied
    assert from_floor(VoidHand("a card too many"), "Fay", "floor", "Ed", "engineer") is None
    return told


def thrown_in() -> TableStory:
    """Hands are thrown into the muck in their turn, before it and at the showdown; of one a single card slips there."""
    told = TableStory({1: 100, 2: 100, 3: 100, 4: 100}, seed=11).start().passive(4)
    actor = told.hand.round.actor
    card = next(card for card, place in told.where.items() if isinstance(place, SeatPlace) and place.seat == actor)
    due = told.where[card]
    told.lay(card, Spot.MUCK)
    told.tell(MuckedTimeout(actor))
    told.lay(card, due)
    told.fold_cards(next(entry.seat for entry in told.hand.seats if entry.live and entry.seat != actor))
    told.fold_cards(actor)
    told.passive()
    told.fold_cards(next(seat for seat in to_show(told.hand)))
    return told.play_on()


def all_call() -> TableStory:
    """The dealer's word for everybody enters calls, and a fold that lies in the muck; it is taken back whole."""
    told = TableStory({1: 100, 2: 100, 3: 100, 4: 100}, seed=12).start().passive(4)
    bet = next(action for action in legal_actions(told.hand) if action.verb is Verb.BET)
    assert told.act(bet.verb, bet.to) is None
    behind = [entry.seat for entry in told.hand.seats if entry.live and entry.seat != told.hand.round.actor]
    told.fold_cards(behind[-1])
    for _ in range(2):
        found = around(told.hand, folding(told.state))
        assert found is not None
        assert told.order(ActAround(found.verb, found.seats)) is None
        assert told.order(Rule("undo_action", UndoAction(), "Ann", "", "he raised")) is None
    return told.play_on()


def disk_and_clock() -> TableStory:
    """The disk becomes slow in a hand, does not keep up, is stuck; the clock is set; after the hand room is short."""
    told = TableStory({1: 100, 2: 100}, seed=12).start()
    told.deal_one()
    for pace in (DiskPace.SLOW, DiskPace.LATE, DiskPace.FAST, DiskPace.STUCK, DiskPace.FAST):
        told.tell(DiskNoted(pace, DiskRoom.ENOUGH))
    assert told.order(Resume()) is None
    told.tell(ClockStepped(-3600))
    told.play_on()
    told.tell(DiskNoted(DiskPace.FAST, DiskRoom.SHORT))
    return told


def clock_not_kept() -> TableStory:
    """Nothing keeps the clock before a hand, somebody sees the alarm, a server answers in the hand, and then nobody looks."""
    told = TableStory({1: 100, 2: 100}, seed=12)
    told.tell(ClockNoted(ClockTrust.UNTRUSTED))
    since = told.state.alarms[-1].raised_seq
    assert told.order(AcknowledgeAlarm("clock_untrusted", since, "Fay", "floor")) is None
    told.start().deal_one()
    told.tell(ClockNoted(ClockTrust.TRUSTED))
    told.play_on()
    told.tell(ClockNoted(ClockTrust.UNKNOWN))
    return told


STORIES = {
    "alarms-seen": alarms_seen,
    "all-call": all_call,
    "clock-not-kept": clock_not_kept,
    "disk-and-clock": disk_and_clock,
    "people-at-consoles": people_at_consoles,
    "ordered-from-floor": ordered_from_floor,
    "thrown-in": thrown_in,
    "devices-fail": devices_fail,
    "no-device": no_device,
    "asked-floor": asked_floor,
    "last-two": last_two,
    "shoe-stops": shoe_stops,
    "two-decks": two_decks,
    "shoe-taken-again": shoe_taken_again,
    "shoe-error": shoe_error,
    "shoe-not-cleared": shoe_not_cleared,
}
"""Each by the name of its journal."""
