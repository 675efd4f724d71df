"""The table at work: durable first, then state, acknowledgement, gate, publication and answers; and what a failing disk does."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import pytest

from controller.hand.cards import DECK, Card
from controller.hand.commands import Act
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.rules import house_rules
from controller.hand.stakes import Stakes
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb
from controller.hand.variants import VariantCode
from controller.journal.canonical import Body
from controller.journal.errors import JournalFailed
from controller.journal.store import Appended, KeyChange
from controller.table import loop as table_loop
from controller.table.carried_events import CommandAnswered
from controller.table.events import CardRead, FeltReady, TableEvent
from controller.table.felt_reader import EXPLAIN_S, UNSEEN_S, FeltReader
from controller.table.inputs import AddChips, CallClock, Command, FeltIsReady, Order, Resume, SeatPlayer, SeenAt, StartHand
from controller.table.keyring import Keyring
from controller.table.loop import MAX_BATCH, MAX_INBOX, TICK_S, Record, Table, TableStopped
from controller.table.opening import opening
from controller.table.parts import TableSeat
from controller.table.pause import ClockRanOut, WasPaused
from controller.table.records import table_codec
from controller.table.state import ChipsDisagree, Game, TableState, TableStatus
from controller.table.state import Clock as TableClock
from controller.table.story import TableDecision
from controller.table.timely import comes_late
from controller.tracking.antennas import AntennaMap, sample_nineteen
from controller.tracking.presence import PresenceSettings
from controller.tracking.registry import DeckRegistry, generate_registry
from drivers.clock import LoopClock
from drivers.ports import (
    AntennaScan,
    CardDrawn,
    DeckLoaded,
    DrawMode,
    EventKey,
    GateChanged,
    LinkChanged,
    LinkState,
    ShoeFound,
    ShoeState,
)
from simulators.virtual_time import run_virtual

BANKED = Game(VariantCode.STUD, Stakes(1, 2, 4, 8), house_rules("seeds", {"buyin.min": "1", "clock.time_bank": "20"}), "SIM")
GAME = Game(VariantCode.STUD, Stakes(1, 2, 4, 8), house_rules("seeds", {"buyin.min": "1"}), "SIM")
STEP_S = 0.05
START = datetime(2026, 1, 1, tzinfo=UTC)


class Diary:
    """A store, a shoe and a publisher that note in one list what happens to them, in order."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, Any]] = []
        self.epoch = 1
        self.last_seq = 0
        self.rotation_due = False
        self.delay_s = 0.0
        self.fails = False
        self.states: list[TableState] = []

    async def append(self, bodies: Sequence[Body], *, keys: Sequence[KeyChange] = ()) -> Appended:
        self.notes.append(("append", len(bodies)))
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if self.fails:
            raise JournalFailed("the disk is full")
        first, self.last_seq = self.last_seq + 1, self.last_seq + len(bodies)
        self.notes.append(("durable", self.last_seq))
        return Appended(first, self.last_seq, bytes(32))

    @property
    def name(self) -> str:
        return "shoe"

    async def run(self) -> None:
        raise AssertionError("nobody runs this shoe")

    def adopt(self, boot: int, accepted_seq: int) -> None:
        self.notes.append(("adopt", (boot, accepted_seq)))

    def accept(self, key: EventKey) -> None:
        self.notes.append(("accept", key.seq))

    def order_gate(self, order: int, *, is_open: bool) -> None:
        self.notes.append(("gate", (order, is_open)))

    def woken(self) -> None:
        self.notes.append(("woken", None))

    def sign_of_life(self) -> None:
        self.notes.append(("life", None))

    def committed(self, state: TableState, records: Sequence[Record]) -> None:
        self.states.append(state)
        self.notes.append(("published", records[-1].seq))

    def of(self, *kinds: str) -> list[tuple[str, Any]]:
        """Notes of some kinds."""
        return [note for note in self.notes if note[0] in kinds]


class Rig:
    """A running table with its diary."""

    def __init__(self, *, connected: bool = True, game: Game = GAME) -> None:
        self.game = game
        self.diary = Diary()
        self.registry: DeckRegistry = generate_registry(random.Random(1), set_id="SIM")
        self.map: AntennaMap = sample_nineteen()
        clock = LoopClock(START)
        self.wall = clock.wall
        self.table = Table(
            state=TableState(),
            store=self.diary,
            codec=table_codec(),
            keyring=Keyring(bytes(32), table="T1", journal_id="x", random_bytes=random.Random(2).randbytes),
            felt=FeltReader(self.map, self.registry, PresenceSettings(), {}, now=clock.monotonic()),
            clock=clock,
            committed=self.diary.committed,
        )
        self.running: asyncio.Task[None]
        self.connected = connected
        self.seq = self.keys = 0

    async def __aenter__(self) -> Self:
        await self.table.start(opening(TableState(), self.game, program="test", deals=()))
        if self.connected:
            self.table.connect(self.diary)
        self.running = asyncio.create_task(self.table.run(), name="table")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    @property
    def hand_now(self) -> HandState:
        assert self.table.state.hand is not None
        return self.table.state.hand

    def key(self) -> EventKey:
        self.seq += 1
        return EventKey(1, self.seq)

    async def found(self) -> None:
        await self.table.deliver(ShoeFound("shoe", ShoeState("S", "M", 1, 0, 0, 1, 0, 0, 0, "H")))

    async def scan_all(self, lying: dict[Card, SeatPlace] | None = None, *, times: int = 1) -> None:
        """Scans of all antennas."""
        for _ in range(times):
            for line, addresses in self.map.lines.items():
                for address in addresses:
                    place = self.map.place(line, address)
                    tags = tuple(self.registry.tag(card) for card, where in (lying or {}).items() if where == place)
                    await self.table.deliver(AntennaScan(line, address, tags, clean=True, at=asyncio.get_running_loop().time()))
            await asyncio.sleep(STEP_S)

    async def live(self) -> None:
        """Until the table is live."""
        await self.found()
        while self.table.state.status is not TableStatus.LIVE:
            await self.scan_all()

    async def order(self, order: Order, *, key: str | None = None) -> table_loop.Answer:
        self.keys += 1
        return await self.press(Command(key or f"key-{self.keys}", repr(order), type(order).__name__, order))

    async def press(self, command: Command) -> table_loop.Answer:
        return await self.table.command(command)

    async def hand(self) -> None:
        """Two players and a hand started."""
        await self.live()
        for seat in (1, 2):
            await self.order(SeatPlayer(seat, "P", 100))
        await self.table.deliver(DeckLoaded("shoe", self.key(), 52, "SIM", 1))
        answer = await self.order(StartHand())
        assert answer.refusal is None

    async def drawn(self, card: Card, draw_no: int) -> None:
        await self.table.deliver(CardDrawn("shoe", self.key(), card.text.upper(), DrawMode.COUNTED, draw_no, 52 - draw_no, 300))


def virtual(story: Callable[[], Awaitable[None]]) -> None:
    """Run a story on virtual time."""

    async def run() -> None:
        await story()

    run_virtual(run(), max_seconds=600)


def test_nothing_is_acknowledged_ordered_or_published_before_it_is_durable() -> None:
    """For each commit: append, durable, then acknowledgement and gate, then publication (decision 3)."""

    async def story() -> None:
        async with Rig() as rig:
            rig.diary.delay_s = 0.2
            await rig.hand()
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(1)
            durable, waiting = 0, False
            for kind, value in rig.diary.of("append", "durable", "accept", "gate", "published"):
                match kind:
                    case "append":
                        waiting = True
                    case "durable":
                        durable, waiting = value, False
                    case "published":
                        assert value <= durable
                        assert not waiting
                    case _:
                        assert not waiting, f"{kind} while a commit was under way"
            assert rig.diary.of("accept")[-1] == ("accept", 2)
            assert rig.diary.of("gate") == [("gate", (1, True))]

    virtual(story)


def test_a_store_that_fails_ends_the_loop_and_nothing_leaves_it() -> None:
    """No acknowledgement, no gate order, no picture, no answer; who waits is told so in a sentence, then and later."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            before, state = len(rig.diary.notes), rig.table.state
            rig.diary.fails, rig.diary.delay_s = True, 0.1
            await rig.drawn(DECK[0], 1)
            waiting = asyncio.create_task(rig.order(AddChips(1, 1)))
            looking = asyncio.create_task(rig.table.changed(rig.table.state.seq))
            with pytest.raises(JournalFailed, match="disk is full"):
                await rig.running
            with pytest.raises(TableStopped):
                await looking
            assert [kind for kind, _ in rig.diary.notes[before:] if kind != "life"] == ["append"]
            assert rig.table.state is state
            with pytest.raises(TableStopped, match="started anew"):
                await waiting
            with pytest.raises(TableStopped):
                await rig.order(AddChips(1, 1))
            await asyncio.sleep(5)
            assert not [note for note in rig.diary.notes[before:] if note[0] in ("accept", "gate", "published")]
            lives = len(rig.diary.of("life"))
            await asyncio.sleep(5)
            assert len(rig.diary.of("life")) == lives

    virtual(story)


def test_whoever_waits_for_a_full_inbox_is_told_that_the_table_stopped() -> None:
    """Nobody hangs, not even behind the bound."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            rig.diary.fails, rig.diary.delay_s = True, 1.0
            asks = [asyncio.create_task(rig.order(AddChips(1, 1))) for _ in range(MAX_INBOX + MAX_BATCH + 20)]
            results = await asyncio.gather(*asks, return_exceptions=True)
            assert {type(result) for result in results} == {TableStopped}

    virtual(story)


def test_a_journal_that_counts_otherwise_ends_the_loop() -> None:
    """State and journal never part ways silently."""

    async def story() -> None:
        async with Rig() as rig:
            rig.diary.last_seq += 1
            await rig.found()
            with pytest.raises(RuntimeError, match="the journal stands at"):
                await rig.running

    virtual(story)


def test_a_decision_that_makes_a_chip_ends_the_loop_before_it_is_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-POT-11: the journal still ends where all was right; nothing is acknowledged, and the shoe closes by silence."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            before, state = len(rig.diary.notes), rig.table.state
            right = table_loop.decide

            def wrong(*given: Any, **known: Any) -> TableDecision:
                decision = right(*given, **known)
                return decision._replace(state=decision.state._replace(bought_in=decision.state.bought_in - 1))

            monkeypatch.setattr(table_loop, "decide", wrong)
            await rig.drawn(DECK[0], 1)
            with pytest.raises(ChipsDisagree, match="hold 200 chips where 199 were bought in"):
                await rig.running
            assert rig.table.state is state
            assert {kind for kind, _ in rig.diary.notes[before:]} <= {"life"}

    virtual(story)


def test_a_slow_disk_is_no_sign_of_life() -> None:
    """While a commit hangs the shoe hears nothing, so its gate closes by itself (recovery §0.3)."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            await asyncio.sleep(2)
            assert len(rig.diary.of("life")) >= 7
            rig.diary.delay_s = 10.0
            await rig.table.deliver(LinkChanged("felt-a", 0, LinkState.UP, ""))
            await asyncio.sleep(TICK_S)
            lives = len(rig.diary.of("life"))
            await asyncio.sleep(9)
            assert len(rig.diary.of("life")) == lives

    virtual(story)


def test_inputs_that_wait_share_one_commit_up_to_the_bound() -> None:
    """A batch takes at most ``MAX_BATCH`` inputs, in order, and every one gets its own answer."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            await rig.order(SeatPlayer(1, "P", 10))
            rig.diary.notes.clear()
            answers = await asyncio.gather(*(rig.order(AddChips(1, 1)) for _ in range(MAX_BATCH + 1)))
            assert all(answer.refusal is None for answer in answers)
            assert [answer.seq for answer in answers] == sorted({answer.seq for answer in answers})
            assert [value for kind, value in rig.diary.of("append")] == [2 * MAX_BATCH, 2]
            assert rig.table.state.seats[0].stack == 10 + MAX_BATCH + 1

    virtual(story)


def test_a_full_inbox_slows_its_senders_and_drops_nothing() -> None:
    """One past the bound waits until there is room."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            rig.diary.delay_s = 1.0
            await rig.table.deliver(LinkChanged("felt-a", 1, LinkState.UP, ""))
            await asyncio.sleep(0.1)
            for _ in range(MAX_INBOX):
                await rig.table.deliver(GateChanged("shoe", rig.key(), "H"))
            late = asyncio.create_task(rig.table.deliver(GateChanged("shoe", rig.key(), "H")))
            await asyncio.sleep(0.1)
            assert not late.done()
            await asyncio.sleep(30)
            assert late.done()
            assert rig.table.state.shoe.accepted_seq == MAX_INBOX + 1
            assert rig.diary.of("accept")[-1] == ("accept", MAX_INBOX + 1)

    virtual(story)


def test_the_same_key_twice_in_one_batch_is_one_action() -> None:
    """Two presses that arrive together get one answer with one number."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            await rig.order(SeatPlayer(1, "P", 10))
            first, second = await asyncio.gather(rig.order(AddChips(1, 5), key="press"), rig.order(AddChips(1, 5), key="press"))
            assert first == second
            later = await rig.order(AddChips(1, 5), key="press")
            assert later == first
            assert rig.table.state.seats[0].stack == 15

    virtual(story)


def test_a_command_that_comes_after_its_time_is_refused_and_its_answer_kept() -> None:
    """By the table's clock; what was taken in time stays taken when it is repeated later (recovery §7)."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            in_time = rig.wall() + timedelta(seconds=5)
            chair = SeatPlayer(1, "P", 100)
            seat = Command("seat-0001", "a", "seat_player", chair, seen=rig.table.state.seq, until=in_time)
            taken = await rig.press(seat)
            assert taken.refusal is None
            await asyncio.sleep(6)
            assert await rig.press(seat) == taken
            late = Command("seat-0002", "b", "seat_player", SeatPlayer(2, "Q", 100), seen=rig.table.state.seq, until=in_time)
            answer = await rig.press(late)
            assert answer.refusal is not None
            assert answer.refusal.code == "command_expired"
            assert await rig.press(late) == answer
            assert [one.seat for one in rig.table.state.seats] == [1]

    virtual(story)


def test_a_picture_from_before_the_start_is_not_confirmed() -> None:
    """Whoever confirms it has not seen what shoe and readers tell this controller (recovery §2, step 12)."""
    assert comes_late(Command("k", "d", "resume", Resume(), seen=41), START, 42)
    assert not comes_late(Command("k", "d", "resume", Resume(), seen=42), START, 42)
    assert not comes_late(Command("k", "d", "seat_player", SeatPlayer(1, "P", 5), seen=41), START, 42)


def test_a_client_that_goes_away_leaves_the_loop_alone() -> None:
    """Its command may be taken; the next one is answered."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            rig.diary.delay_s = 1.0
            gone = asyncio.create_task(rig.order(SeatPlayer(1, "P", 10)))
            await asyncio.sleep(0.5)
            gone.cancel()
            answer = await rig.order(AddChips(1, 5))
            assert answer.refusal is None
            assert rig.table.state.seats[0].stack == 15

    virtual(story)


def test_the_shoe_is_adopted_after_its_adoption_is_durable() -> None:
    """And hears where the journal stands."""

    async def story() -> None:
        async with Rig() as rig:
            rig.diary.delay_s = 0.5
            await rig.found()
            await asyncio.sleep(0.25)
            assert not rig.diary.of("adopt")
            await asyncio.sleep(0.5)
            assert rig.diary.of("adopt") == [("adopt", (1, 0))]

    virtual(story)


def test_a_table_is_live_only_when_shoe_links_and_every_antenna_are_known() -> None:
    """Each of the three keeps it waiting."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.scan_all(times=60)
            assert not rig.table.state.felt_ready
            await rig.table.deliver(LinkChanged("felt-a", 0, LinkState.OPENING, ""))
            await rig.found()
            await rig.scan_all(times=20)
            assert not rig.table.state.felt_ready
            await rig.table.deliver(LinkChanged("felt-a", 0, LinkState.UP, ""))
            await rig.scan_all(times=20)
            assert rig.table.state.status is TableStatus.LIVE
        async with Rig() as rig:
            await rig.found()
            await asyncio.sleep(5)
            assert not rig.table.state.felt_ready

    virtual(story)


def test_a_card_that_the_shoe_does_not_tell_of_holds_after_its_time() -> None:
    """Not before, and not when the shoe tells of it in time."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            place = SeatPlace(1, Zone.DOWN)
            await rig.scan_all({DECK[0]: place}, times=4)
            seen = asyncio.get_running_loop().time()
            await asyncio.sleep(EXPLAIN_S - 0.5)
            assert rig.table.state.hand is not None
            assert rig.table.state.hand.hold is None
            await asyncio.sleep(0.6)
            assert rig.table.state.hand.hold == ("unexplained_card", place)
            assert asyncio.get_running_loop().time() - seen < EXPLAIN_S + 1
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(0.1)
            assert rig.table.state.hand.hold is None
            await rig.scan_all({DECK[0]: place, DECK[1]: SeatPlace(2, Zone.DOWN)}, times=3)
            await rig.drawn(DECK[1], 2)
            await asyncio.sleep(EXPLAIN_S + 1)
            assert rig.table.state.hand.hold is None

    virtual(story)


def test_a_drawn_card_that_no_reader_sees_holds_after_its_time_and_play_goes_on_when_it_appears() -> None:
    """The dealer is asked, and the answer is the card itself; the next ones have their time too."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            place = SeatPlace(1, Zone.DOWN)
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(UNSEEN_S - 0.1)
            assert rig.hand_now.hold is None
            await asyncio.sleep(0.2)
            assert rig.hand_now.hold == ("card_not_seen", place)
            assert not rig.table.state.gate.is_open
            await rig.scan_all({DECK[0]: place}, times=3)
            assert rig.hand_now.hold is None
            assert rig.hand_now.dealt == 1
            assert rig.table.state.gate.is_open
            await rig.drawn(DECK[1], 2)
            await rig.drawn(DECK[2], 3)
            await rig.scan_all({DECK[0]: place, DECK[1]: SeatPlace(2, Zone.DOWN)}, times=3)
            await asyncio.sleep(UNSEEN_S + 0.1)
            assert rig.hand_now.dealt == 2
            assert rig.hand_now.hold == ("card_not_seen", place)

    virtual(story)


def test_nobody_is_asked_for_a_card_while_its_reader_is_out_of_order() -> None:
    """The readers tell that by themselves; when they are back, the card has its whole time again."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            antenna = rig.map.antenna(SeatPlace(1, Zone.DOWN))
            assert antenna is not None
            line, address = antenna
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(1)
            await rig.table.deliver(LinkChanged(line, address, LinkState.STALE, "silent"))
            await asyncio.sleep(2 * UNSEEN_S)
            assert rig.hand_now.hold is None
            await rig.table.deliver(LinkChanged(line, address, LinkState.DOWN, "silent"))
            await asyncio.sleep(2 * UNSEEN_S)
            assert rig.hand_now.hold == ("device_down", None)
            await rig.table.deliver(LinkChanged(line, address, LinkState.UP, "back"))
            await asyncio.sleep(UNSEEN_S - 0.1)
            assert rig.hand_now.hold is None
            await asyncio.sleep(0.2)
            assert rig.hand_now.hold == ("card_not_seen", SeatPlace(1, Zone.DOWN))

    virtual(story)


def test_readers_may_wait_for_ever_between_hands() -> None:
    """Cards of the last hand are no irregularity before the next one starts."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            await rig.scan_all({DECK[0]: SeatPlace(1, Zone.UP)}, times=4)
            await asyncio.sleep(2 * EXPLAIN_S)
            assert not rig.table.state.custody.unexplained

    virtual(story)


def test_changed_waits_for_the_journal_to_move() -> None:
    """It returns the state past the number that was seen, at once when it is there already."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.live()
            seq = rig.table.state.seq
            waiting = asyncio.create_task(rig.table.changed(seq))
            await asyncio.sleep(1)
            assert not waiting.done()
            await rig.order(SeatPlayer(1, "P", 10))
            assert (await waiting).seq > seq
            assert (await rig.table.changed(seq)).seq == rig.table.state.seq

    virtual(story)


def test_a_table_without_a_shoe_driver_works() -> None:
    """Events of a start come before any device is connected."""

    async def story() -> None:
        async with Rig(connected=False) as rig:
            await rig.found()
            await asyncio.sleep(1)
            assert rig.table.state.shoe.adopted
            assert not rig.diary.of("adopt", "life")

    virtual(story)


def test_records_carry_number_time_and_content() -> None:
    """As they were made durable: with the keys that only the keyring knows."""

    async def story() -> None:
        kinds: list[type[TableEvent]] = []
        async with Rig() as rig:
            seen: list[Record] = []
            rig.table._committed = lambda _, records: seen.extend(records)
            await rig.hand()
            await rig.drawn(DECK[0], 1)
            await asyncio.sleep(0.1)
            kinds = [type(record.event) for record in seen]
            assert [record.seq for record in seen] == list(range(seen[0].seq, seen[0].seq + len(seen)))
            assert all(record.at.startswith("2026-01-01T00:00:") and record.at.endswith("Z") for record in seen)
        assert {FeltReady, CommandAnswered, CardRead} <= set(kinds)

    virtual(story)


# ---------------------------------------------------------------------- the clock (R-ABS-04)


async def facing_a_bet(rig: Rig) -> int:
    """Third street is dealt and brought in: a seat owes chips."""
    await rig.hand()
    lying: dict[Card, SeatPlace] = {}
    plan = [*((seat, Zone.DOWN) for seat in (1, 2, 1, 2)), (1, Zone.UP), (2, Zone.UP)]
    for number, (card, (seat, zone)) in enumerate(zip(DECK[:6], plan, strict=True), 1):
        await rig.drawn(card, number)
        lying[card] = SeatPlace(seat, zone)
    while rig.hand_now.phase is Phase.DEALING:
        await rig.scan_all(lying)
    answer = await rig.order(Act(rig.hand_now.round.actor, Verb.BRING_IN, 2))
    assert answer.refusal is None
    return rig.hand_now.round.actor


def seat_of(rig: Rig, seat: int) -> TableSeat:
    """A seat as it is."""
    return next(entry for entry in rig.table.state.seats if entry.seat == seat)


def test_the_clock_runs_out_in_its_time() -> None:
    """Seconds, countdown and time bank, and not a moment before; facing a bet the hand is dead, the bank is used up."""

    async def story() -> None:
        async with Rig(game=BANKED) as rig:
            actor = await facing_a_bet(rig)
            assert (await rig.order(CallClock(actor))).refusal is None
            assert rig.table.state.clock == TableClock(actor, 90, 20)
            await asyncio.sleep(89)
            assert not rig.hand_now.over
            await asyncio.sleep(2)
            assert rig.hand_now.over
            assert rig.table.state.clock is None
            assert seat_of(rig, actor).bank_s == 0

    virtual(story)


def test_nothing_runs_out_while_the_table_is_away() -> None:
    """A clock that ran out during a pause costs nobody a hand, also where its evidence waits already (R-ABS-04)."""

    async def story() -> None:
        async with Rig(game=BANKED) as rig:
            actor = await facing_a_bet(rig)
            assert (await rig.order(CallClock(actor))).refusal is None
            await asyncio.sleep(85)
            await rig.table.deliver(WasPaused())  # type: ignore[arg-type]
            await rig.table.deliver(ClockRanOut(actor))  # type: ignore[arg-type]
            await asyncio.sleep(200)
            assert rig.table.state.status is TableStatus.RECOVERING
            assert not rig.hand_now.over
            assert rig.table.state.clock == TableClock(actor, 90, 20)

    virtual(story)


def test_a_start_that_takes_its_time_is_no_pause() -> None:
    """A slow disk under the first commit: the loop was not there yet, and stood not still (recovery §4)."""

    async def story() -> None:
        rig = Rig()
        rig.diary.delay_s = 3.0
        async with rig:
            rig.diary.delay_s = 0.0
            await rig.live()
            assert not rig.diary.of("woken")

    virtual(story)


def test_a_felt_that_was_ready_before_a_pause_is_not_ready_after_it() -> None:
    """What waited in the inbox when the process stood still tells of before; the antennas tell anew (recovery §4)."""

    async def story() -> None:
        async with Rig() as rig:
            await rig.hand()
            await rig.table.deliver(WasPaused())  # type: ignore[arg-type]
            await rig.table.deliver(FeltIsReady())  # type: ignore[arg-type]
            await asyncio.sleep(2)
            assert not rig.table.state.felt_ready
            await rig.found()
            await rig.scan_all(times=40)
            assert rig.table.state.felt_ready
            assert (await rig.order(Resume())).refusal is None

    virtual(story)


@pytest.mark.parametrize(("waits", "left"), [(40, 20), (75, 15)])
def test_the_time_bank_keeps_what_was_not_taken(waits: int, left: int) -> None:
    """Who acts within his seconds keeps all of it, who takes five seconds more keeps the rest."""

    async def story() -> None:
        async with Rig(game=BANKED) as rig:
            actor = await facing_a_bet(rig)
            await rig.order(CallClock(actor))
            await asyncio.sleep(waits)
            assert (await rig.order(Act(actor, Verb.CALL, 2))).refusal is None
            assert (rig.table.state.clock, seat_of(rig, actor).bank_s) == (None, left)
            await asyncio.sleep(120)
            assert not rig.hand_now.over

    virtual(story)


def test_a_hand_that_is_thrown_in_takes_from_the_time_bank_as_a_word_does() -> None:
    """A fold that the muck tells ends the clock too, five seconds into the bank (R-ABS-04, screens §3)."""

    async def story() -> None:
        async with Rig(game=BANKED) as rig:
            actor = await facing_a_bet(rig)
            await rig.order(CallClock(actor))
            await asyncio.sleep(75)
            for card, due in list(rig.table.state.custody.placed.items()):
                if isinstance(due, SeatPlace) and due.seat == actor:
                    await rig.table.deliver(SeenAt(Spot.MUCK, card))  # type: ignore[arg-type]
            await asyncio.sleep(1)
            assert rig.hand_now.over
            assert (rig.table.state.clock, seat_of(rig, actor).bank_s) == (None, 15)

    virtual(story)


def test_a_clock_called_in_the_breath_of_another_has_its_own_time() -> None:
    """An action and the next call may share a commit: the old timer is gone, the new one runs in full."""

    async def story() -> None:
        async with Rig(game=BANKED) as rig:
            actor = await facing_a_bet(rig)
            await rig.order(CallClock(actor))
            await asyncio.sleep(60)
            rig.diary.delay_s = 0.01
            waiting = asyncio.create_task(rig.order(AddChips(1, 1)))
            await asyncio.sleep(0.001)
            both = await asyncio.gather(
                rig.order(Act(actor, Verb.COMPLETE, 4)), rig.order(CallClock(3 - actor)), return_exceptions=False
            )
            await waiting
            assert [answer.refusal for answer in both] == [None, None]
            await asyncio.sleep(85)
            assert not rig.hand_now.over
            await asyncio.sleep(10)
            assert rig.hand_now.over

    virtual(story)
