"""What inputs lead to at the table: evidence is never refused, a request is taken or refused once, holds come and go."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from support.table_story import TableStory, without_hidden

from controller.hand.betting import LegalAction, legal_actions
from controller.hand.cards import DECK, parse_card
from controller.hand.commands import Act, AwardPots, CardLaid, PostAnte, Refusal, TableHand, VoidHand
from controller.hand.decide import decide as decide_hand
from controller.hand.events import (
    CardDealt,
    GhostDealt,
    HandHeld,
    HandVoided,
    HoldLifted,
    SeventhPlan,
    StubCounted,
    StubScrambled,
)
from controller.hand.places import SeatPlace, Spot, Zone, parse_place
from controller.hand.state import Phase, open_state
from controller.hand.terms import Verb
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.decide import TableDecision, decide, durable_key
from controller.table.events import (
    CardRead,
    CardsCounted,
    CardUnexplained,
    DealKeyDropped,
    DealKeyMade,
    DeckInShoe,
    DeviceLink,
    GateOrdered,
    Resumed,
    SeatKeyReleased,
    ShoeAdopted,
    ShoeHalted,
    ShoeNoted,
    Suspended,
)
from controller.table.inputs import (
    AddChips,
    FeltIsReady,
    LeaveSeat,
    LeftFrom,
    LockTable,
    Resume,
    SeatPlayer,
    SeenAt,
    SetGame,
    StartHand,
    TableInput,
    UnexplainedTimeout,
    UnseenTimeout,
)
from controller.table.opening import opening
from controller.table.parts import Gate
from controller.table.pause import WasPaused
from controller.table.state import TableState, TableStatus, decision_id, draws_due
from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    DrawMode,
    EventKey,
    GateChanged,
    LinkChanged,
    LinkState,
    NoticeKind,
    ShoeFound,
    ShoeNotice,
    ShoeState,
    ShoeStopped,
)

THREE = {1: 100, 3: 100, 5: 100}
UP = Zone.UP


def story(seats: dict[int, int] | None = None, **settings: object) -> TableStory:
    """Three players with a hand started; nothing is dealt."""
    return TableStory(seats or THREE, **settings).start()  # type: ignore[arg-type]


def betting(seats: dict[int, int] | None = None, **settings: object) -> TableStory:
    """The same with third street dealt: the bring-in is asked."""
    return story(seats, **settings).deal()


# ---------------------------------------------------------------------- evidence is never refused, requests may be


def test_a_request_that_a_rule_forbids_is_refused_and_journalled() -> None:
    """The refusal names rule and reason, changes nothing else, and stands in the journal (REG-28)."""
    told = betting()
    before = told.state
    other = next(seat for seat in THREE if seat != told.hand.round.actor)
    decision = told.tell(told.command(Act(other, Verb.FOLD, 0)))
    assert decision.refusal is not None
    assert (decision.refusal.rule, decision.refusal.code) == ("R-BET-14", "not_your_turn")
    assert [type(event) for event in decision.events] == [CommandAnswered]
    assert told.state.hand == before.hand
    assert told.state.seats == before.seats


def some_evidence(rng: random.Random, seq: int) -> TableInput:
    """Any evidence of any device, sensible or not."""
    key = EventKey(rng.choice((1, 2)), seq)
    place = rng.choice([SeatPlace(rng.randint(1, 8), rng.choice(list(Zone))), *Spot])
    card = rng.choice([*DECK, None])
    code = rng.choice([*(card.text.upper() for card in DECK), "??", "XX", "JK"])
    makers: list[Callable[[], TableInput]] = [
        lambda: SeenAt(place, card),
        lambda: LeftFrom(place, card),
        lambda: CardDrawn("shoe", key, code, rng.choice(list(DrawMode)), rng.randint(1, 60), rng.randint(-1, 52), 300),
        lambda: DeckLoaded("shoe", key, rng.randint(0, 60), "SET1", rng.randint(1, 9)),
        lambda: GateChanged("shoe", key, rng.choice(["", "H", "T", "HK", "HRT", "E"])),
        lambda: ShoeNotice("shoe", key, rng.choice(list(NoticeKind)), "detail"),
        lambda: ShoeFound("shoe", ShoeState("S", "M", key.boot, seq, 0, 1, 1, 3, 40, "H"), is_rebooted=rng.random() < 0.5),
        lambda: ShoeStopped("shoe", "draw_no", "A card was skipped."),
        lambda: CommandDone("shoe", rng.randint(0, 5), ok=rng.random() < 0.5, barrier=0, reason="x"),
        lambda: LinkChanged(rng.choice(["shoe", "felt-a"]), rng.randint(0, 2), rng.choice(list(LinkState)), "because"),
        FeltIsReady,
        lambda: UnexplainedTimeout(rng.choice(DECK)),
    ]
    return rng.choice(makers)()


@pytest.mark.parametrize("seed", range(40))
def test_evidence_is_never_refused(seed: int) -> None:
    """Whatever devices say in whatever order: no refusal, no error, chips conserved, and the hand can still be voided."""
    rng = random.Random(seed)
    told = story(seed=seed)
    for _ in range(rng.randint(0, 9)):
        if told.plan():
            told.deal_one()
    state = told.state
    for seq in range(1, 60):
        decision = decide(state, some_evidence(rng, seq))
        assert decision.refusal is None
        state = decision.state
        assert state.chips_conserved
    if state.hand_open:
        voided = decide(state, told.command(VoidHand("noise")))
        assert voided.refusal is None
        assert [seat.stack for seat in voided.state.seats] == [100, 100, 100]
        state = voided.state
    assert not state.gate.is_open


def test_what_a_device_said_is_journalled_while_the_table_is_suspended() -> None:
    """A suspended hand takes no card, but nothing that was said is lost (recovery §0.2)."""
    told = story()
    told.reboot()
    assert told.state.status is TableStatus.SUSPENDED
    card = told.draw()
    told.lay(card, "seat/1/down")
    assert told.hand.dealt == 0
    assert [flight.draw_no for flight in told.state.custody.flights] == [1]
    assert told.order(Resume()) is None
    assert told.hand.dealt == 1


def test_a_table_is_locked_also_while_it_is_suspended() -> None:
    """A changed program is found whenever it is found: no hand follows the one that is held (REG-22)."""
    told = story()
    told.reboot()
    assert told.order(LockTable()) is None
    assert told.order(LockTable()) is None
    assert told.state.locked
    assert told.order(Resume()) is None
    told.play_on()
    assert told.hand.phase is Phase.ENDED
    told.load()
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "program_changed"


# ---------------------------------------------------------------------- keys


def test_the_same_key_gets_the_same_answer_and_no_second_effect() -> None:
    """Taken once, however often it comes (recovery §7)."""
    told = TableStory(THREE)
    command = told.command(AddChips(1, 50))
    assert told.tell(command).refusal is None
    for _ in range(3):
        again = told.tell(command)
        assert again == TableDecision((), told.state, None)
    assert told.state.seats[0].stack == 150


def test_a_refusal_is_repeated_even_when_the_order_would_be_right_by_now() -> None:
    """The stored answer counts, not the state of now."""
    told = TableStory({1: 100})
    told.load()
    command = told.command(StartHand())
    first = told.tell(command).refusal
    assert first is not None
    assert told.order(SeatPlayer(2, "Two", 100)) is None
    again = told.tell(command)
    assert again.refusal is not None
    assert (again.refusal.rule, again.refusal.code) == (first.rule, first.code) == ("R-SETUP-01", "too_few_players")
    assert not again.events
    assert not told.state.hand_open


def test_another_content_under_a_used_key_is_refused() -> None:
    """A key belongs to one content; the first one's answer stays."""
    told = TableStory(THREE)
    command = told.command(AddChips(1, 50), key="press-1")
    told.tell(command)
    other = told.tell(told.command(AddChips(1, 60), key="press-1"))
    assert other.refusal == Refusal("R-RULE-01", "key_reused", (("key", "press-1"),))
    assert not other.events
    assert told.tell(command).refusal is None
    assert told.state.seats[0].stack == 150


@pytest.mark.parametrize("taken", [True, False])
def test_keys_outlive_a_restart(taken: bool) -> None:
    """After a restart the journal knows what was answered."""
    told = TableStory(THREE)
    command = told.command(AddChips(1, 50 if taken else 0))
    first = told.tell(command).refusal
    assert (first is None) is taken
    told.restart()
    again = told.tell(command)
    assert not again.events
    assert (again.refusal is None) is taken
    if again.refusal is not None and first is not None:
        assert (again.refusal.rule, again.refusal.code) == (first.rule, first.code)
    assert told.state.seats[0].stack == (150 if taken else 100)
    reused = told.tell(told.command(AddChips(3, 1), key=command.key))
    assert reused.refusal is not None
    assert reused.refusal.code == "key_reused"


def test_a_passed_decision_is_refused() -> None:
    """A tap that answers an older question changes nothing, though the same verb would be legal now (R-BET-14)."""
    told = betting()
    old = decision_id(told.hand)
    actor = told.hand.round.actor
    assert told.act(Verb.BRING_IN, 2) is None
    before = told.state.hand
    for order in (Act(actor, Verb.BRING_IN, 2), Act(told.hand.round.actor, Verb.CALL, 2)):
        refusal = told.order(order, decision=old)
        assert refusal is not None
        assert refusal.code == "decision_passed"
    assert told.state.hand == before


def test_a_decision_of_a_hand_that_is_over_has_passed() -> None:
    """The hand's number is part of a decision's name."""
    told = betting()
    old = decision_id(told.hand)
    told.order(VoidHand("test"))
    told.start().deal()
    assert decision_id(told.hand) != old
    refusal = told.order(Act(told.hand.round.actor, Verb.BRING_IN, 2), decision=old)
    assert refusal is not None
    assert refusal.code == "decision_passed"


# ---------------------------------------------------------------------- gate


def test_gate_orders_are_numbered_from_one_in_each_start() -> None:
    """Opened and closed in turn, without gaps, and from 1 again after a restart (TSP/1 commands)."""
    told = betting()
    orders = told.happened(GateOrdered)
    assert [order.order for order in orders] == list(range(1, len(orders) + 1))
    assert [order.is_open for order in orders] == [True, False]
    told.restart()
    told.tell(FeltIsReady())
    assert told.order(Resume()) is None
    told.passive(4)
    assert [(order.order, order.is_open) for order in told.happened(GateOrdered)[2:]] == [(1, True), (2, False)]


def test_the_gate_closes_when_the_last_card_of_the_street_has_left_not_when_it_lies() -> None:
    """No card may leave the shoe that is not due (R-DEAL-04)."""
    told = story()
    for _ in range(9):
        assert told.state.gate.is_open
        told.draw()
    assert not told.state.gate.is_open
    assert draws_due(told.state) == 0
    assert told.hand.phase is Phase.DEALING


def test_a_start_opens_nothing_before_a_person_confirms() -> None:
    """With a hand open the gate stays closed until the picture is confirmed (recovery §0.3)."""
    told = story()
    told.restart()
    assert not told.state.gate.is_open
    told.tell(FeltIsReady())
    assert told.state.status is TableStatus.RECOVERING
    assert not told.state.gate.is_open
    assert told.order(Resume()) is None
    assert told.state.gate.is_open


def test_an_idle_table_resumes_by_itself() -> None:
    """Without a hand there is nothing to confirm."""
    told = TableStory(THREE)
    told.restart()
    assert told.state.status is TableStatus.RECOVERING
    told.tell(FeltIsReady())
    assert told.state.status is TableStatus.LIVE
    refusal = told.order(Resume())
    assert refusal is not None
    assert refusal.code == "nothing_to_resume"


def test_nothing_but_a_void_is_taken_before_the_table_is_live() -> None:
    """Requests wait for devices and felt; the way out does not."""
    told = betting()
    told.restart()
    for order in (Act(told.hand.round.actor, Verb.BRING_IN, 2), SeatPlayer(8, "Late", 10), Resume()):
        refusal = told.order(order)
        assert refusal is not None
        assert refusal.code in ("recovering", "nothing_to_resume")
    assert told.order(VoidHand("the table is down")) is None
    assert [seat.stack for seat in told.state.seats] == [100, 100, 100]


# ---------------------------------------------------------------------- the shoe falls out


@pytest.mark.parametrize("cause", ["silence", "restarted", "order_failed"])
def test_a_gate_that_closed_by_itself_is_opened_again_by_a_person(cause: str) -> None:
    """The hand is suspended, the gate ordered closed; after the confirmation a new order opens it and the hand goes on."""
    told = story()
    assert told.state.gate == (1, True)
    match cause:
        case "silence":
            told.gate_event("T")
        case "restarted":
            told.reboot()
        case _:
            told.tell(CommandDone("shoe", 1, ok=False, barrier=0, reason="its fate is unknown"))
    assert told.happened(Suspended) == [Suspended(cause)]
    assert told.state.status is TableStatus.SUSPENDED
    assert told.state.gate == (2, False)
    assert told.step() == {"kind": "resume"}
    refusal = told.order(Act(1, Verb.FOLD, 0))
    assert refusal is not None
    assert refusal.code == "suspended"
    assert told.order(Resume()) is None
    assert told.state.gate == (3, True)
    told.play_on()
    assert told.hand.phase is Phase.ENDED


def test_a_gate_that_is_wanted_closed_may_fall_silent() -> None:
    """While a player thinks, no card is due: nothing is suspended, and the next street opens the gate by its own order."""
    told = betting()
    told.gate_event("HT")
    told.tell(CommandDone("shoe", told.state.gate.order, ok=False, barrier=0, reason="never sent"))
    assert told.state.status is TableStatus.LIVE
    told.passive(4)
    assert told.hand.street == 4


def test_an_old_order_that_failed_says_nothing() -> None:
    """An order that a newer one replaced is no doubt about the gate."""
    told = betting().passive(4)
    assert told.state.gate.order > 1
    told.tell(CommandDone("shoe", 1, ok=False, barrier=0, reason="replaced"))
    assert told.state.status is TableStatus.LIVE


def test_a_restart_between_hands_needs_nobody() -> None:
    """Without an open hand the shoe is adopted and the table stays live."""
    told = TableStory(THREE)
    told.reboot()
    assert told.state.status is TableStatus.LIVE
    told.start().deal()


def test_a_shoe_that_lost_a_card_in_its_restart_holds_the_hand() -> None:
    """Counters that do not agree stop the hand until it is voided and a deck loaded (TSP/1 REBOOTED)."""
    told = story()
    told.deal_one()
    told.reboot(draw_no=2)
    assert told.order(Resume()) is None
    assert told.hold == "shoe_restarted"
    assert told.order(VoidHand("a card is missing")) is None
    told.start().deal()
    assert told.hold is None


def test_a_gate_that_a_controller_left_open_is_closed_by_the_next_one() -> None:
    """The shoe closes it only after three seconds of silence, and a start may come sooner; nobody has confirmed the picture yet
    (recovery §2)."""
    told = story()
    told.deal_one()
    assert told.state.gate.is_open
    told.restart()
    told.find_shoe(gate="")
    assert told.events[-1] == GateOrdered(1, is_open=False)
    told.restart()
    told.find_shoe(gate="HT")
    assert not isinstance(told.events[-1], GateOrdered)


@pytest.mark.parametrize("laid_before", [True, False])
def test_a_card_that_the_shoe_never_told_of_is_told_by_the_readers(laid_before: bool) -> None:
    """It left the shoe, was due, and its event was gone with the restart: the counts say so, the felt says which one it is."""
    told, twin = story(), story()
    told.deal_one()
    target = told.plan()[0]
    card = told.shoe.pop(0)
    told.draw_no += 1
    if laid_before:
        told.lay(card, target)
    told.reboot()
    assert told.happened(Suspended) == [Suspended("restarted")]
    assert told.order(Resume()) is None
    if not laid_before:
        assert told.hold == "unreadable_card"
        told.lay(card, target)
    assert told.hold is None
    assert told.state.custody.accounted == 52
    assert told.deal().happened(CardDealt) == twin.deal().happened(CardDealt)
    told.play_on()
    assert told.hand.phase is Phase.ENDED


@pytest.mark.parametrize("laid_before", [True, False])
def test_cards_that_the_shoe_never_told_of_are_told_by_the_readers_two_of_them_at_one_seat(laid_before: bool) -> None:
    """All but the first two down cards of a street were gone with the restart: each seat gets what lies there."""
    told, twin = story(), story()
    told.deal_one()
    places = told.plan()[:5]
    assert places.count("seat/3/down") == 2
    gone = [told.shoe.pop(0) for _ in places]
    told.draw_no += len(gone)

    def lay() -> None:
        for card, place in zip(gone, places, strict=True):
            told.lay(card, place)

    if laid_before:
        lay()
        for card in gone:
            told.tell(UnexplainedTimeout(card))
        assert told.hold == "unexplained_card"
    told.reboot()
    assert told.order(Resume()) is None
    if not laid_before:
        assert told.hold == "unreadable_card"
        lay()
    assert told.hold is None
    assert told.state.custody.accounted == 52
    assert told.deal().happened(CardDealt) == twin.deal().happened(CardDealt)
    told.play_on()
    assert told.hand.phase is Phase.ENDED


@pytest.mark.parametrize(("gone", "counted"), [(1, 2), (2, 1), (25, 25)])
def test_counts_that_tell_of_no_due_cards_hold_the_hand(gone: int, counted: int) -> None:
    """Draws and remaining cards differ, or more left than were due: nobody knows what happened."""
    told = story()
    told.deal_one()
    del told.shoe[:gone]
    told.draw_no += counted
    told.reboot()
    assert told.order(Resume()) is None
    assert told.hold == "shoe_restarted"


def test_a_lost_card_stays_lost_when_the_shoe_is_adopted_again() -> None:
    """The same start found once more, as after a pulled cable, is no reason to go on."""
    told = story()
    told.deal_one()
    told.reboot(draw_no=2)
    told.order(Resume())
    told.find_shoe(draw_no=2)
    assert told.hold == "shoe_restarted"


def test_a_shoe_that_was_not_found_is_sent_no_order() -> None:
    """A felt that is known is not enough: without an adopted shoe there is nobody to open a gate."""
    told = story()
    told.keyring.unwrap(told.wrapped)
    told.commit(opening(told.state, told.game, program="test", deals=(told.state.deal,)))
    told.tell(FeltIsReady())
    assert told.order(Resume()) is None
    assert not told.state.gate.is_open
    told.find_shoe()
    assert told.state.gate == (1, True)


def test_a_shoe_that_broke_its_protocol_holds_the_hand() -> None:
    """Until the next start of the controller adopts it again, or a ruling (``test_table_shoe_session``)."""
    told = story()
    told.tell(ShoeStopped("shoe", "draw_no", "A card was skipped."))
    assert told.happened(ShoeHalted) == [ShoeHalted("draw_no", "A card was skipped.")]
    assert told.hold == "shoe_stopped"
    told.restart()
    told.tell(FeltIsReady())
    told.order(Resume())
    assert told.hold is None


@pytest.mark.parametrize(("device", "antenna"), [("shoe", 0), ("felt-a", 0), ("felt-a", 3)])
@pytest.mark.parametrize("state", [LinkState.DOWN, LinkState.QUARANTINE])
def test_a_dead_device_holds_the_deal_and_no_longer(device: str, antenna: int, state: LinkState) -> None:
    """Dealing waits for the device and goes on by itself."""
    told = story()
    told.tell(LinkChanged(device, antenna, state, "cable"))
    assert told.hold == "device_down"
    assert not told.state.gate.is_open
    told.tell(LinkChanged(device, antenna, LinkState.UP, "back"))
    assert told.hold is None
    assert told.state.gate.is_open


def test_betting_goes_on_without_devices() -> None:
    """No card is needed for a player's action; the next street waits."""
    told = betting()
    told.tell(LinkChanged("felt-a", 0, LinkState.DOWN, "cable"))
    assert told.hold is None
    told.passive(4)
    assert told.hold == "device_down"


def test_a_link_that_stays_as_it_is_is_told_once() -> None:
    """Repeated news makes no events."""
    told = TableStory(THREE)
    for _ in range(3):
        told.tell(LinkChanged("felt-a", 0, LinkState.UP, "in session"))
    assert len(told.happened(DeviceLink)) == 1


# ---------------------------------------------------------------------- what is wrong on the felt


def void_gives_all_back(told: TableStory, code: str) -> None:
    """The hand is held with ``code``; voided, every stack is as before it and the custody is counted (R-RULE-03)."""
    assert told.hold == code
    assert told.step() == {"kind": "hold"}
    assert not told.state.gate.is_open
    actor = told.hand.round.actor or 1
    refusal = told.order(Act(actor, Verb.FOLD, 0))
    assert refusal is not None
    assert refusal.code == "held"
    assert told.order(VoidHand("floor")) is None
    assert [seat.stack for seat in told.state.seats] == list(THREE.values())
    assert told.hand.phase is Phase.VOIDED
    assert isinstance(told.events[-1], CardsCounted)
    told.play_hand()
    assert told.hand.phase is Phase.ENDED


def test_a_card_at_the_wrong_seat_holds_until_it_lies_at_its_own() -> None:
    """The alarm names the place, lifts by itself, and the hand goes on (decision 1 of the architecture)."""
    told = story()
    card = told.draw()
    told.lay(card, "seat/3/down")
    assert told.happened(HandHeld) == [HandHeld("wrong_place", SeatPlace(3, Zone.DOWN))]
    assert not told.state.gate.is_open
    assert told.hand.dealt == 0
    told.lay(card, "seat/1/down")
    assert told.happened(HoldLifted) == [HoldLifted("wrong_place")]
    assert told.hand.dealt == 1
    told.play_on()
    assert told.hand.phase is Phase.ENDED


def test_a_hold_tells_what_is_wrong_now() -> None:
    """Moved to another wrong place, or mended while something else is wrong, the dealer reads the new reason."""
    told = story()
    card = told.draw()
    told.lay(card, "seat/3/down")
    told.lay(card, "seat/5/up")
    assert told.hand.hold == ("wrong_place", SeatPlace(5, UP))
    told.tell(LinkChanged("felt-a", 0, LinkState.DOWN, "cable"))
    told.lay(card, "seat/1/down")
    assert told.hold == "device_down"
    assert told.hand.dealt == 0
    told.tell(LinkChanged("felt-a", 0, LinkState.UP, ""))
    assert told.hold is None
    assert told.hand.dealt == 1


def test_wrong_place_can_be_voided() -> None:
    """The way out is always there."""
    told = story()
    told.lay(told.draw(), "seat/5/up")
    void_gives_all_back(told, "wrong_place")


def test_a_premature_card_holds_the_betting() -> None:
    """A card that leaves the shoe while a player is asked (R-ERR-01, REG-17)."""
    told = betting()
    told.draw()
    void_gives_all_back(told, "premature_card")


def test_a_premature_card_that_goes_back_lets_play_go_on() -> None:
    """The shoe reads it on its way in."""
    told = betting()
    card = told.draw()
    assert told.hold == "premature_card"
    told.put_back(card)
    assert told.hold is None
    told.play_on()
    assert told.hand.phase is Phase.ENDED


def test_an_unreadable_card_holds() -> None:
    """The shoe could not tell it: nobody guesses (R-ERR-08)."""
    told = story()
    told.draw(code="??")
    void_gives_all_back(told, "unreadable_card")


def test_an_unreadable_card_may_be_drawn_again() -> None:
    """Back in and out again, read this time."""
    told = story()
    card = told.draw(code="??")
    told.put_back(card)
    assert told.hold is None
    told.play_on()
    assert told.hand.phase is Phase.ENDED


@pytest.mark.parametrize("code", ["XX", "JK", "--"])
def test_a_card_of_no_deck_holds(code: str) -> None:
    """Foreign cards and jokers are not known (R-MIS-06)."""
    told = story()
    told.draw(code=code)
    assert told.hold == ("joker" if code == "JK" else "unreadable_card")


def test_a_foreign_tag_holds_until_it_is_taken_away() -> None:
    """In a betting round too; in the muck it disturbs nobody."""
    told = betting()
    told.tell(SeenAt(Spot.MUCK, None))
    assert told.hold is None
    told.tell(SeenAt(SeatPlace(3, UP), None))
    assert told.hand.hold == ("foreign_card", SeatPlace(3, UP))
    told.tell(LeftFrom(SeatPlace(3, UP), None))
    assert told.hold is None
    told.tell(LeftFrom(Spot.MUCK, None))
    told.tell(SeenAt(SeatPlace(3, UP), None))
    told.tell(LeftFrom(SeatPlace(3, UP), None))
    told.tell(SeenAt(SeatPlace(5, UP), None))
    told.tell(LeftFrom(SeatPlace(5, UP), None))
    told.play_on()


def test_a_foreign_tag_can_be_voided() -> None:
    """The stranger stays on the felt: the next hand waits until it is gone."""
    told = betting()
    told.tell(SeenAt(SeatPlace(3, UP), None))
    assert told.order(VoidHand("floor")) is None
    told.load()
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "felt_not_clear"
    told.tell(LeftFrom(SeatPlace(3, UP), None))
    assert told.order(StartHand()) is None


def test_a_stranger_that_lay_there_before_a_restart_counts_once() -> None:
    """Readers tell of it anew: one departure is enough (the presence filter knows cards alone)."""
    told = betting()
    told.tell(SeenAt(SeatPlace(3, UP), None))
    told.restart()
    told.tell(SeenAt(SeatPlace(3, UP), None))
    told.tell(FeltIsReady())
    told.order(Resume())
    assert told.hold == "foreign_card"
    told.tell(LeftFrom(SeatPlace(3, UP), None))
    assert told.hold is None


def test_an_unexplained_card_holds_after_its_time() -> None:
    """A card lies there and the shoe has not told of it."""
    told = betting()
    card = told.shoe[-1]
    told.lay(card, "seat/3/up")
    assert told.hold is None
    told.tell(UnexplainedTimeout(card))
    assert told.happened(CardUnexplained) == [CardUnexplained(SeatPlace(3, UP), card)]
    void_gives_all_back(told, "unexplained_card")


def test_an_unexplained_card_taken_away_or_explained_lifts_the_hold() -> None:
    """By the reader when it leaves, by the shoe when it tells of it late."""
    told = story()
    card = told.shoe[0]
    told.lay(card, "seat/1/down")
    told.tell(UnexplainedTimeout(card))
    assert told.hold == "unexplained_card"
    told.lift(card)
    assert told.hold is None
    told.lay(card, "seat/1/down")
    told.tell(UnexplainedTimeout(card))
    assert told.hold == "unexplained_card"
    told.draw()
    assert told.hold is None
    assert told.hand.dealt == 1


def test_a_timeout_that_comes_too_late_says_nothing() -> None:
    """The card was explained, or is gone, meanwhile."""
    told = story()
    card = told.shoe[0]
    assert not told.tell(UnexplainedTimeout(card)).events
    told.draw()
    told.lay(card, "seat/1/down")
    assert not told.tell(UnexplainedTimeout(card)).events


def test_a_card_that_comes_twice_from_the_shoe_holds() -> None:
    """Two cards of one rank and suit: all chips go back (R-MIS-08)."""
    told = story()
    card = told.deal_one()
    told.draw(code=card.text.upper())
    void_gives_all_back(told, "duplicate_card")


def test_another_card_put_into_the_shoe_holds() -> None:
    """Only the last one out can go back."""
    told = story()
    first = told.draw()
    told.draw()
    told.put_back(first)
    void_gives_all_back(told, "wrong_card_back")


def test_a_load_in_the_middle_of_a_hand_holds() -> None:
    """Nobody loads a shoe while cards are dealt from it."""
    told = betting()
    told.put_in(told.rng.sample(DECK, 52))
    void_gives_all_back(told, "unexpected_load")


def test_a_whole_deck_loaded_again_before_the_first_card_is_the_hands_deck() -> None:
    """The dealer loaded twice, or had it cut anew (R-DECK-03), and the shoe tells late of it: no card of the first order is
    out. It is the same deal, with its key."""
    told = story()
    told.put_in(told.rng.sample(DECK, 52))
    assert told.hold is None
    assert len(told.happened(DeckInShoe)) == 2
    assert (told.state.deal, told.state.hand_deal, len(told.happened(DealKeyDropped))) == (2, 2, 1)
    told.play_on()
    assert told.hand.phase is Phase.ENDED
    assert not told.happened(HandHeld)
    assert told.replayed(told.sealers) == told.state


@pytest.mark.parametrize("came_back", [True, False])
def test_a_whole_deck_loaded_after_the_first_card_holds(*, came_back: bool) -> None:
    """One card of the first order was out, though it may be back: somebody must say what happened."""
    told = story()
    card = told.draw()
    if came_back:
        told.put_back(card)
    told.put_in(told.rng.sample(DECK, 52))
    void_gives_all_back(told, "unexpected_load")


def test_a_deck_that_is_not_whole_holds_before_the_first_card_until_a_whole_one_is_loaded() -> None:
    """A card is missing: it is found, and the deck loaded again (R-DECK-01)."""
    told = story()
    told.put_in(told.rng.sample(DECK, 51))
    assert told.hold == "unexpected_load"
    told.put_in(told.rng.sample(DECK, 52))
    assert told.hold is None
    told.play_on()
    assert told.hand.phase is Phase.ENDED


def test_a_live_hands_card_at_another_seat_holds_until_it_is_back() -> None:
    """A dealt card that moves between live hands fouls both."""
    told = betting()
    card = next(card for card, place in told.where.items() if place == SeatPlace(3, UP))
    told.lay(card, "seat/5/up")
    assert told.hand.hold == ("moved_card", SeatPlace(5, UP))
    told.lay(card, "seat/3/up")
    assert told.hold is None
    told.play_on()


def test_a_burn_in_a_live_hand_holds() -> None:
    """An eighth card beside seven is told, wherever it came from (R-ERR-05)."""
    told = betting().passive(5)
    burn = next(card for card, place in told.where.items() if place is Spot.BURN)
    told.lay(burn, "seat/3/down")
    assert told.hand.hold == ("moved_card", SeatPlace(3, Zone.DOWN))
    told.lay(burn, "burn")
    assert told.hold is None


@pytest.mark.parametrize("cards", [0, 51, 53])
def test_a_deck_that_is_not_whole_starts_no_hand(cards: int) -> None:
    """By the shoe's own count (R-DECK-01)."""
    told = TableStory(THREE)
    told.load(cards=cards)
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "deck_not_loaded"


def test_a_card_drawn_between_hands_starts_no_hand() -> None:
    """The next hand needs all 52 in the shoe."""
    told = TableStory(THREE)
    told.load()
    card = told.draw()
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "deck_not_loaded"
    told.put_back(card)
    assert told.order(StartHand()) is None


def test_another_card_in_the_shoe_between_hands_starts_no_hand() -> None:
    """52 cards by number, but nobody knows which."""
    told = TableStory(THREE)
    told.load()
    first, second = told.draw(), told.draw()
    told.put_back(first)
    told.put_back(second)
    assert told.state.custody.in_shoe == 52
    refusal = told.order(StartHand())
    assert refusal is not None
    assert refusal.code == "deck_not_loaded"


# ---------------------------------------------------------------------- stub, ghosts, whole hands


def test_eight_players_to_the_river_scramble_and_get_a_common_card() -> None:
    """Burns go back, and one card in the centre serves all: 52 cards never were enough (R-STUB-02, R-STUB-04, REG-44)."""
    told = TableStory(dict.fromkeys(range(1, 9), 500)).start()
    plans = []
    while not told.hand.over:
        match told.hand.phase:
            case Phase.BETTING | Phase.DEALING:
                told.deal()
                if told.hand.phase is Phase.BETTING:
                    action = next(action for action in told_actions(told) if action.verb is not Verb.FOLD)
                    told.act(action.verb, action.to)
            case Phase.SCRAMBLE:
                plans.append(told.step())
                told.scramble()
            case _:
                told.showdown()
    (counted,) = told.happened(StubCounted)
    assert counted.plan is SeventhPlan.SCRAMBLE_COMMUNITY
    assert plans == [{"kind": "scramble", "burns": 3, "cards": 4}]
    assert told.happened(StubScrambled) == [StubScrambled(4)]
    assert told.hand.phase is Phase.ENDED
    assert told.hand.community is not None
    assert {len(seat.tabled or ()) for seat in told.hand.seats} == {6}
    assert told.happened(CardsCounted) == [CardsCounted(2, 0, 50, 52)]


def told_actions(told: TableStory) -> tuple[LegalAction, ...]:
    """The legal actions of the hand."""
    return legal_actions(told.hand)


def scrambling() -> TableStory:
    """Eight players before the scramble."""
    told = TableStory(dict.fromkeys(range(1, 9), 500)).start()
    while told.hand.phase is not Phase.SCRAMBLE:
        while told.plan():
            told.deal_one()
        if told.hand.phase is Phase.BETTING:
            action = told_actions(told)[0]
            told.act(action.verb, action.to)
    return told


def test_a_stub_that_is_short_holds_until_it_is_whole() -> None:
    """The count of the second load decides."""
    told = scrambling()
    for card in [card for card, place in told.where.items() if place is Spot.BURN]:
        told.lift(card)
        told.shoe.append(card)
    stub = list(told.shoe)
    told.put_in(stub[:-1])
    assert told.hold == "stub_count"
    told.put_in(stub)
    assert told.hold is None
    told.deal()
    assert told.hand.community is not None


def test_a_card_drawn_before_the_scramble_is_premature() -> None:
    """Nothing is due while the stub is to be scrambled."""
    told = scrambling()
    told.draw()
    assert told.hold == "card_to_scramble"


def test_ghost_cards_go_to_seats_that_folded_free() -> None:
    """Dealt face down, sealed, and nobody's (R-DEAL-06)."""
    told = (
        TableStory({1: 100, 3: 100, 5: 100, 7: 100}, rules={"deal.ghost_cards_after_free_fold": "true"}, seed=3)
        .start()
        .passive(4)
    )
    seat = told.hand.round.actor
    assert told.act(Verb.FOLD) is None
    while told.hand.phase is Phase.BETTING and told.hand.street == 4:
        told.act(Verb.CHECK)
    told.deal()
    ghosts = told.happened(GhostDealt)
    assert [ghost.place for ghost in ghosts] == [SeatPlace(seat, Zone.DOWN)]
    assert next(body for body in told.bodies if body["type"] == "GhostDealt").keys() >= {"sealed", "n", "deal"}
    told.play_on()
    assert told.hand.phase is Phase.ENDED


def test_a_seat_that_tables_has_its_key_released_and_no_other() -> None:
    """At once after its cards are public, and once."""
    told = story().passive()
    shown = told.hand.show_order[0]
    assert told.order(TableHand(shown)) is None
    assert [event.seat for event in told.happened(SeatKeyReleased)] == [shown]
    refusal = told.order(TableHand(shown))
    assert refusal is not None
    assert len(told.happened(SeatKeyReleased)) == 1


def test_a_deal_has_a_key_of_its_own_from_load_to_load() -> None:
    """The old one is dropped when the next deck lies in the shoe (R-SHOW-10); a scramble makes none."""
    told = TableStory(THREE)
    assert told.state.deal == 1
    for number in (2, 3):
        told.load()
        assert told.state.deal == number
    assert [event.deal for event in told.happened(DealKeyDropped)] == [1, 2]
    assert [event.deal for event in told.happened(DealKeyMade)] == [1, 2, 3]
    assert len(told.happened(DeckInShoe)) == 2


def test_requests_without_a_hand_are_refused() -> None:
    """In one sentence's worth of a code."""
    told = TableStory(THREE)
    for order in (Act(1, Verb.FOLD, 0), TableHand(1), AwardPots(), VoidHand("why")):
        refusal = told.order(order)
        assert refusal is not None
        assert refusal.code == "no_hand"


def test_roster_and_game_are_frozen_while_a_hand_is_open() -> None:
    """Whoever comes or goes waits for its end (Q-04)."""
    told = story()
    for order in (StartHand(), SeatPlayer(8, "Late", 10), LeaveSeat(1), SetGame(told.game.variant)):
        refusal = told.order(order)
        assert refusal is not None
        assert refusal.code == "hand_is_open"


# ---------------------------------------------------------------------- acknowledgement


def test_each_reliable_event_of_the_shoe_has_its_durable_key() -> None:
    """What may be acknowledged is what says so in the journal; nothing else is."""
    told = story()
    told.tell(ShoeNotice("shoe", told.key(), NoticeKind.LID, "open"))
    told.draw()
    told.gate_event("H")
    keys = [key for event in told.events if (key := durable_key(event)) is not None]
    assert keys == [EventKey(1, seq) for seq in range(1, told.seq + 1)]
    kinds = {type(event) for event in told.events if durable_key(event) is not None}
    assert kinds == {DeckInShoe, ShoeNoted, CardRead}


def test_adoption_goes_on_where_the_journal_stands() -> None:
    """The same start goes on after its last durable event; a new one begins at 0."""
    told = story()
    told.draw()
    told.find_shoe()
    assert told.happened(ShoeAdopted)[-1].accepted_seq == told.seq
    told.reboot()
    adopted = told.happened(ShoeAdopted)[-1]
    assert (adopted.boot, adopted.accepted_seq, adopted.counts_agree) == (2, 0, True)


# ---------------------------------------------------------------------- equal by evidence


def test_deals_are_decided_from_evidence_alone() -> None:
    """The hand's card events equal those of a hand that is told the same cards directly."""
    told = betting()
    state, events = None, []
    for event in told.events:
        match type(event).__name__:
            case "HandOpened":
                state = open_state(told.hand.setup, tuple((seat.seat, seat.chips) for seat in event.seats))  # type: ignore[union-attr]
            case "AntePosted":
                decision = decide_hand(state, PostAnte(event.seat))  # type: ignore[arg-type, union-attr]
                assert not isinstance(decision, Refusal)
                state = decision.state
            case "CardDealt":
                decision = decide_hand(state, CardLaid(event.place, event.card))  # type: ignore[arg-type, union-attr]
                assert not isinstance(decision, Refusal)
                state = decision.state
                events.append(event)
    assert len(events) == 9
    assert state == told.hand


def test_a_blind_start_can_be_voided_and_the_next_hand_is_whole() -> None:
    """Without the deal's key chips and up cards are there; cards are unknown, so the floor voids (recovery §10)."""
    told = betting()
    before = without_hidden(told.state)["hand"]
    told.restart(keys=False)
    assert without_hidden(told.state)["hand"] == before
    assert told.hand.seats[0].down == (None, None)
    told.tell(FeltIsReady())
    told.order(Resume())
    assert told.order(VoidHand("blind")) is None
    assert [seat.stack for seat in told.state.seats] == [100, 100, 100]
    told.play_hand()
    assert told.hand.phase is Phase.ENDED


def test_a_hold_names_no_card() -> None:
    """Codes and places alone (R-RULE-06)."""
    told = betting()
    told.draw()
    held, voided = told.happened(HandHeld), told.happened(HandVoided)
    assert not voided
    assert all(parse_place(str(event.place)) for event in held if event.place is not None)
    assert parse_card("As").text not in repr(held)


def test_resumed_is_told_once() -> None:
    """A felt that is ready twice is ready once."""
    told = TableStory(THREE)
    told.tell(FeltIsReady())
    assert len(told.happened(Resumed)) == 1


def test_answers_are_events_with_their_outcome() -> None:
    """Taken and refused commands stand in the journal with digest and reason."""
    told = TableStory(THREE)
    told.order(AddChips(1, 5))
    told.order(AddChips(1, 0))
    taken, refused = told.happened(CommandAnswered)[-2:]
    assert (taken.outcome, refused.outcome) == (Outcome.TAKEN, Outcome.REFUSED)
    assert refused.code == "bad_chips"
    assert len(refused.digest) == 32


def test_a_state_without_a_game_refuses_everything_politely() -> None:
    """Before the configuration is journalled there is no game."""
    state = TableState(status=TableStatus.LIVE)
    told = TableStory(THREE)
    for order in (StartHand(), SetGame(told.game.variant)):
        refusal = decide(state, told.command(order)).refusal
        assert refusal is not None
        assert refusal.code == "no_game"


def test_a_pause_closes_the_gate_and_forgets_what_felt_and_shoe_were() -> None:
    """The time of a card that ran out meanwhile counts for nothing (recovery §4)."""
    live = TableState(status=TableStatus.LIVE, felt_ready=True, gate=Gate(7, is_open=True))
    paused = decide(live, WasPaused())
    assert [type(event).__name__ for event in paused.events] == ["Suspended", "GateOrdered"]
    state = paused.state
    assert (state.status, state.felt_ready, state.shoe.adopted, state.gate.is_open) == (
        TableStatus.RECOVERING,
        False,
        False,
        False,
    )
    assert decide(state, UnseenTimeout(1)).events == ()
