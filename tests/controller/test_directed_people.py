"""Directed scenarios of recovery §14 about people, cards and secrets: each end is the one that its table demands."""

from __future__ import annotations

import asyncio
import math
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Final

import pytest
from support import planted
from support.houses import House
from support.scenes import PLAN, Scene, betting, dealing, hold_of

from controller.app import FencedError
from controller.config import parse_config
from controller.hand.events import (
    ActionTaken,
    CommunityDealt,
    HandEnded,
    HandHeld,
    HandOpened,
    HandTabled,
    HandVoided,
    PotAwarded,
    SeventhPlan,
    StubCounted,
)
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.mqtt.follower import EventFollower
from controller.mqtt.topics import TableTopics
from controller.rehearsal import START, Play, config_for
from controller.simulate.clock import SteppingClock
from controller.simulate.people import ArmedDealer
from controller.simulate.plan import Drawn
from controller.simulate.results import ResultStore
from controller.simulate.twins import Exchange, TwinRun, difference
from controller.table.carried_events import CommandAnswered
from controller.table.events import DealKeyDropped, DeckInShoe, PlayResumed, PlayStopped, Resumed, Ruled
from controller.table.loop import Record
from controller.table.machine_events import ClockStepped
from controller.table.state import TableState, TableStatus
from drivers.shoe.authentication import Pair
from drivers.shoe.device_memory import ShoeIdentity
from simulators.console import Snapshot
from simulators.dealer import HOLD_LOOK_S, NOW
from simulators.faulty_port import FaultyPort
from simulators.felt import FULL_DECK, HAND, SHOE
from simulators.memory_broker import MemoryClient
from simulators.memory_link import MemoryLink
from simulators.rig import SHOE_PORT
from simulators.shoe import SimulatedShoe
from simulators.virtual_time import run_virtual

FOURTH: Final = ("burn", "seat/1/up", "seat/2/up", "seat/3/up", "seat/4/up")
"""Where the cards of fourth street go in the hand of these scenes."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The hand of these scenes without anything."""
    run = Scene(tmp_path_factory.mktemp("sound"))
    run.played()
    return run


def acted(count: int) -> Callable[[TableState], bool]:
    """So many actions of third street are taken, and the round is open."""

    def when(state: TableState) -> bool:
        hand = state.hand
        return betting(3)(state) and hand is not None and hand.round.raises == 1 and hand.round.actor == count

    return when


def deal_in_the_dark(run: Scene, places: Sequence[str]) -> list[str]:
    """The dealer pulls cards with the key and lays them at ``places``, whoever listens."""
    felt, shoe, dealer, now = (
        run.rehearsal.devices.felt,
        run.rehearsal.devices.shoe,
        run.dealer,
        asyncio.get_running_loop().time(),
    )
    assert dealer is not None
    laid: list[str] = []
    for place in places:
        assert shoe.draw(by_force=True) is not None
        card = felt.draw(at=now)
        felt.move(card, place, origin=HAND, at=now)
        dealer.laid(card, place)
        laid.append(card)
    return laid


def test_in_the_dark_without_bets(tmp_path: Path) -> None:
    """Scenario 14: three cards of fourth street come while the controller is away and third street is bet: none is dealt by
    itself. The hand is held, the floor takes them back into the stub, and the hand is played with what comes then."""

    async def then(run: Scene) -> None:
        run.kill()
        await asyncio.sleep(0.5)
        early.extend(deal_in_the_dark(run, FOURTH[:3]))

    early: list[str] = []
    run = Scene(tmp_path, when=acted(4), then=then)
    assert run.played().crashes == 1
    assert [event.code for event in run.told(HandHeld)][:1] == ["premature_card"]
    assert [event.kind for event in run.told(Ruled)] == ["premature"]
    ruled = run.records.index(next(record for record in run.records if isinstance(record.event, Ruled)))
    assert {getattr(record.event, "street", 3) for record in run.records[:ruled]} == {3}
    assert len(run.hands) == 1
    assert run.told(HandEnded)


class Late(ArmedDealer):
    """A dealer whose floor enters the bets that were spoken, and takes no card back."""

    spoken: list[Mapping[str, Any]]

    async def _hold(self, snapshot: Snapshot) -> float:
        if snapshot["hold"]["code"] == "premature_card" and self.spoken:
            return NOW if await self._rule(snapshot, "floor", self.spoken.pop(0)) else HOLD_LOOK_S
        return await super()._hold(snapshot)


class InTheDark(Scene):
    """Two bets are spoken and fourth street is dealt while the controller is away."""

    dealer_type = Late


def test_in_the_dark_with_bets(sound: Scene, tmp_path: Path) -> None:
    """Scenario 13: the two last bets of third street are spoken and fourth street is dealt while the controller is away. The
    cards are evidence and wait; the floor enters the bets in order, marked as late, and the hand is then the one without the
    crash: pots, cards and turn."""

    async def then(run: Scene) -> None:
        assert isinstance(run.dealer, Late)
        run.dealer.spoken = [{"kind": "late_action", "seat": act.seat, "verb": act.verb.value, "to": act.to} for act in spoken]
        run.kill()
        await asyncio.sleep(0.5)
        deal_in_the_dark(run, FOURTH)

    spoken = sound.told(ActionTaken)[4:6]
    run = InTheDark(tmp_path, when=acted(4), then=then)
    assert run.played().crashes == 1
    ruled = [(event.kind, event.by, dict(event.values)["seat"]) for event in run.told(Ruled)]
    assert ruled == [("late_action", "Fay", str(act.seat)) for act in spoken]
    assert {event.code for event in run.told(HandHeld)} == {"premature_card"}
    assert run.hands == sound.hands


def test_double_fold(sound: Scene, tmp_path: Path) -> None:
    """Scenario 20: a fold twice under one key at once, and 80 ms later under another one, for the decision that it answers and
    for one of no hand: one fold, two refusals, and the next seat keeps its turn."""

    async def press(body: Mapping[str, Any]) -> dict[str, Any] | None:
        if body["command"].get("verb") != "fold":
            return None
        first, again = await asyncio.gather(run.submit(body), run.submit(body))
        await asyncio.sleep(0.08)
        answers.extend((first, again))
        for key, decision in (("second-touch", body["decision"]), ("third-touch", "0-3-1-0-0")):
            answers.append(await run.submit({**body, "key": key, "decision": decision, "seq": run.state.seq}))
        return first

    answers: list[dict[str, Any]] = []
    drawn = Drawn.of(PLAN)
    drawn.habits = replace(drawn.habits, throws=0.0)
    run = Scene(tmp_path, drawn=drawn)
    run.at_press = press
    run.played()
    assert [answer["ok"] for answer in answers] == [True, True, False, False]
    assert answers[0] == answers[1]
    assert [event.seat for event in run.told(ActionTaken) if event.verb is Verb.FOLD] == [3]
    assert run.hands == sound.hands


FREEZE: Final = {"type": "rule", "role": "dealer", "by": "Ann", "reason": "floor", "ruling": {"kind": "stop_play"}}
PLAY_ON: Final = {"type": "rule", "role": "floor", "by": "Fay", "reason": "seen", "ruling": {"kind": "play_on"}}
VOID: Final = {"type": "void_hand", "reason": "fouled deck"}


def race(folder: Path, hers: str, other: Mapping[str, Any], *, hers_first: bool, at_once: bool) -> Scene:
    """A run in which the dealer's first press of ``hers`` and a floor's press of ``other`` come in one millisecond, or one after
    the other. Play goes on if it was stopped."""

    async def press(body: Mapping[str, Any]) -> dict[str, Any] | None:
        command = body["command"]
        if run.met or hers not in (command["type"], command.get("verb")):
            return None
        run.met = True
        theirs = {"key": "floor-key", "seq": body["seq"], "decision": None, "command": dict(other)}
        both = [body, theirs] if hers_first else [theirs, body]
        if at_once:
            answers = await asyncio.gather(*(run.submit(each) for each in both))
        else:
            answers = [await run.submit(each) for each in both]
        run.answers = [answer["ok"] for answer in answers]
        if run.state.stopped:
            assert (await run.press(PLAY_ON, key="play-goes-on"))["ok"]
        return answers[0 if hers_first else 1]

    run = Raced(folder)
    run.at_press = press
    run.played()
    return run


class Raced(Scene):
    """What became of a race."""

    met = False
    answers: Sequence[bool] = ()


@pytest.mark.parametrize("hers_first", [True, pytest.param(False, marks=pytest.mark.long)])
def test_freeze_meets_bring_in(hers_first: bool, sound: Scene, tmp_path: Path) -> None:
    """Scenario 21: play is stopped in the millisecond of the bring-in, in both orders: each is a serial run, record for record.
    What comes behind the stop is refused, and the hand ends as without it."""
    run, serial = (
        race(tmp_path / name, "bring_in", FREEZE, hers_first=hers_first, at_once=name == "at once")
        for name in ("at once", "serial")
    )
    assert run.answers == serial.answers == [True, hers_first]
    assert [record.event for record in run.records] == [record.event for record in serial.records]
    assert len(run.told(PlayStopped)) == len(run.told(PlayResumed)) == 1
    assert run.hands == sound.hands


@pytest.mark.parametrize("hers_first", [True, pytest.param(False, marks=pytest.mark.long)])
def test_void_meets_award(hers_first: bool, tmp_path: Path) -> None:
    """Scenario 21: a hand is declared void in the millisecond of its award, in both orders: each is a serial run. Behind the void
    there is nothing to award; a void behind the award undoes it (R-RULE-04), and every chip is back."""
    run, serial = (
        race(tmp_path / name, "award_pots", VOID, hers_first=hers_first, at_once=name == "at once")
        for name in ("at once", "serial")
    )
    assert run.answers == serial.answers == [True, hers_first]
    assert [record.event for record in run.records] == [record.event for record in serial.records]
    assert len(run.told(HandVoided)) == 1
    assert len(run.told(PotAwarded)) == int(hers_first)
    assert [seat.stack for seat in run.state.seats] == [seats.chips for seats in run.told(HandOpened)[0].seats]


def test_ghost_command(sound: Scene, tmp_path: Path) -> None:
    """Scenario 22: "start hand" lies retained on a request topic and on the command topic when the broker comes back, between
    hands: it is refused and alarmed, nothing is started, and the alarm says so in both languages."""

    async def press(body: Mapping[str, Any]) -> None:
        if body["command"]["type"] != "start_hand":
            return
        run.broker.stop()
        await asyncio.sleep(0.5)
        run.broker.start()
        order = b'{"type":"start_hand","key":"ghost-0001","seq":0}'
        for topic in ("request/start_hand", "command/start_hand"):
            run.broker.inject(f"{run.topics.root}/{topic}", order, retain=True)
        await asyncio.sleep(2.0)
        started.append(len(run.told(HandOpened)) + sum(answer.key == "ghost-0001" for answer in run.told(CommandAnswered)))

    started: list[int] = []
    run = Scene(tmp_path)
    run.at_press = press
    run.played()
    assert started == [0]
    alarms = [alarm for alarm in run.ear.on("/alarms/mqtt_command") if alarm.get("code") == "mqtt_command"]
    assert alarms
    assert all(alarm["text"]["en"] and alarm["text"]["fr"] for alarm in alarms)
    assert run.hands == sound.hands


class Whisper(TwinRun):
    """The shoe takes the first card of fourth street for the first down card of seat 3."""

    def __init__(self, folder: Path, exchange: Exchange | None) -> None:
        super().__init__(PLAN, folder, exchange)
        self.rehearsal.devices.shoe.tells = self._misread
        self.doubled = ""
        self.holds: list[str] = []
        self.rehearsal.watchers.append(self._note_holds)

    def _misread(self, code: str) -> str:
        hand, felt = self.watch.state.hand, self.rehearsal.devices.felt
        if hand is None or hand.street != 3 or hand.phase is not Phase.DEALING or hand.dealt < 10 or self.doubled:
            return code
        self.doubled = felt.cards_at("seat/3/down")[0]
        return self.doubled.upper()

    def _note_holds(self, state: TableState, records: Sequence[Record]) -> None:
        self.holds += [record.event.code for record in records if isinstance(record.event, HandHeld)]


def test_whisper_in_the_alarm(tmp_path: Path) -> None:
    """Scenario 24: the shoe misreads an up card as a down card of seat 3 that lies there already. The hand is held in the same
    step and no screen, alarm, message or log names a card that is not public; a twin in which that down card is another one tells
    the same, byte for byte."""
    one = Whisper(tmp_path / "one", None)
    result = one.play()
    assert (result.failure, result.stuck) == (None, None)
    assert one.holds[0] == "duplicate_card"
    drawn = one.hidden()[0]
    other = next(card for card in FULL_DECK if card not in drawn)
    assert drawn[one.doubled] == math.inf
    twin = Whisper(tmp_path / "twin", Exchange(1, one.doubled, other))
    twin.play()
    assert twin.doubled == other
    assert difference(one.told, twin.told, math.inf) is None
    alarms = [told for told in one.told if "duplicate_card" in told.text]
    assert {told.where.rpartition("/")[2] for told in alarms} >= {"hold", "screen", "public"}


PAIR: Final = Pair(bytes(range(32)), "SH01", "S0012345")


def authenticated(run: Scene, folder: Path) -> None:
    """Shoe and table of the scene authenticate their line."""
    key_file = folder / "shoe.key"
    key_file.write_text(PAIR.key.hex(), encoding="ascii")
    raw = config_for(
        run.drawn.play, ports={name: f"memory-{name}" for name in run.rehearsal.devices.ports}, wiring=run.drawn.wiring
    )
    raw["shoe"] |= {"serial": PAIR.serial, "node": PAIR.node, "key_file": str(key_file)}
    run.rehearsal.config = parse_config(raw, "scene")
    run.rehearsal.devices.shoe.pair_with(PAIR)


@pytest.mark.parametrize("key", [None, pytest.param(bytes(32), marks=pytest.mark.long)], ids=["no key", "another key"])
def test_blind_and_rogue(key: bytes | None, sound: Scene, tmp_path: Path) -> None:
    """Scenario 25: the table's key is another one after a crash on fifth street, and then a stick plays a shoe of the right
    serial number. The hand goes on blind, nothing of the stick is taken, the deal is stopped while it is there, and the hand ends
    as it would have, by cards that are keyed as they lie tabled. No hidden card is guessed from tags."""

    async def then(run: Scene) -> None:
        run.kill()
        (tmp_path / "table.key").write_bytes(b"another table's key, 32 bytes...")
        await run.until(lambda: len(run.told(Resumed)) == 2)
        hand = run.state.hand
        assert hand is not None
        hidden.extend(card for seat in hand.seats for card in seat.down)
        line = run.rehearsal.devices.ports[SHOE_PORT]
        assert isinstance(line, FaultyPort)
        stick = FaultyPort(MemoryLink("stick"), rng=random.Random(1))
        rogue = SimulatedShoe(stick, identity=ShoeIdentity(), pair=None if key is None else replace(PAIR, key=key))
        rogue.start()
        rogue.load([card.upper() for card in FULL_DECK], "SIMDECK1")
        line.cross(stick)
        await run.until(lambda: hold_of(run.state) is not None)
        drawn = run.state.custody.draw_no
        await asyncio.sleep(10.0)
        rogue.draw(by_force=True)
        await asyncio.sleep(1.0)
        holds.append(hold_of(run.state))
        states.append(run.state.links["shoe", 0])
        assert run.state.custody.draw_no == drawn
        line.cross(stick)
        rogue.stop()
        if hold_of(run.state) == "shoe_tampered":
            assert (await run.rule({"kind": "take_shoe_again"}, key="taken-again"))["ok"]

    async def press(body: Mapping[str, Any]) -> dict[str, Any] | None:
        command = body["command"]
        if command["type"] != "table_hand" or run.state.hand_number > 1:
            return None
        unread = run.rehearsal.devices.felt.cards_at(f"seat/{command['seat']}/down")[:2]
        return await run.submit({**body, "command": {**command, "cards": list(unread)}})

    hidden: list[object] = []
    holds: list[str | None] = []
    states: list[str] = []
    run = Scene(tmp_path, when=dealing(5, 2), then=then, plan=replace(PLAN, hands=2))
    run.at_press = press
    authenticated(run, tmp_path)
    assert run.played().crashes == 1
    assert set(hidden) == {None}
    assert (states, holds) == ((["quarantine"], ["device_down"]) if key is None else (["down"], ["shoe_tampered"]))
    assert run.told(HandEnded)[0] == sound.told(HandEnded)[0]
    assert run.told(PotAwarded)[:1] == sound.told(PotAwarded)
    tabled = [event.cards for event in sound.told(HandTabled)]
    assert [event.cards for event in run.told(HandTabled)][: len(tabled)] == tabled
    assert [event.deal for event in run.told(DealKeyDropped)] == [1, 2, 3]
    assert len(run.hands) == 2


def test_store_back_from_yesterday(tmp_path: Path) -> None:
    """Scenario 19: the store is restored as it was before the first result, while the second hand is played. It asks, the table
    sends what it lacks, and it ends with the results of the store that was never away: dense, once, equal."""

    async def then(run: Scene) -> None:
        ended = next(number for number, event in enumerate(run.store.kept) if event.event == "hand_ended")
        old = ResultStore(run.break_off, run.store.kept[: ended - 3])
        follower = EventFollower(
            run.topics, "restored", clock=run.clock, on_event=old.take, after_seq=old.last_seq, on_hole=lambda *_: holes.append(1)
        )
        reading = asyncio.create_task(MemoryClient(run.broker, "restored", follower).run())
        try:
            await run.until(lambda: sum(event.event == "hand_ended" for event in old.kept) == 2)
            assert old.difference(run.store.kept[: len(old.kept)]) is None
            results.extend(event.hand for event in old.kept if event.event == "hand_ended")
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    holes: list[int] = []
    results: list[int | None] = []
    run = Scene(
        tmp_path, when=lambda state: dealing(3, 2)(state) and state.hand_number == 2, then=then, plan=replace(PLAN, hands=3)
    )
    run.played()
    assert (results, holes) == ([1, 2], [])


def test_table_back_from_yesterday(tmp_path: Path) -> None:
    """Scenario 19, the other run: the table's journal is restored as it was a hand ago. The status that the broker keeps is ahead
    of it: the controller says so and stops, plays nothing and tells nothing of it; from the newest copy it goes on."""

    async def story() -> None:
        house = House(tmp_path, Play(seats={1: ("Ann", 200), 2: ("Bob", 200)}), seed=5)
        try:
            house.devices.start()
            app = await house.start()
            await house.deal(1)
            shutil.copytree(tmp_path / "start1", tmp_path / "yesterday")
            await house.deal(1)
            await app.displays_drained()
            seq, told = app.table.state.seq, dict(house.broker.retained)
            await house.kill()
            (tmp_path / "start2").rename(tmp_path / "newest")
            (tmp_path / "yesterday").rename(tmp_path / "start2")
            await house.start()
            assert house.running is not None
            with pytest.raises(ExceptionGroup) as stopped:
                await asyncio.wait_for(house.running, 30.0)
            assert stopped.group_contains(FencedError, match="cut short")
            public = TableTopics("demo", "T1").public
            assert house.broker.retained[public] == told[public]
            await house.kill()
            (tmp_path / "newest").rename(tmp_path / "start3-newest")
            shutil.rmtree(tmp_path / "start3")
            (tmp_path / "start3-newest").rename(tmp_path / "start3")
            again = await house.start()
            assert again.table.state.seq > seq
            stats = await house.deal(1)
            assert (stats.hands, stats.voided) == (1, 0)
        finally:
            await house.close()

    run_virtual(story(), max_seconds=2_000)


class Caller:
    """A player who brings it in, checks and calls, and shows."""

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return next(action for verb in ("check", "call", "bring_in") for action in actions if action["verb"] == verb)

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        return True


class Family(Scene):
    """A hand of eight players who all stay to the end."""

    def player(self) -> Caller:
        return Caller()


def eight() -> Drawn:
    """Eight seats, each with chips enough."""
    drawn = Drawn.of(PLAN)
    seats = {seat: (f"Seat {seat}", 200) for seat in range(1, 9)}
    drawn.play = replace(drawn.play, seats=seats, rules={"buyin.min": "1", "table.max_seats": "8"})
    return drawn


@pytest.mark.parametrize("told", [True, pytest.param(False, marks=pytest.mark.long)], ids=["journalled", "lost with the shoe"])
def test_scramble_and_blackout(told: bool, tmp_path: Path) -> None:
    """Scenario 17: eight players stay to seventh street; stub and burns are shuffled and loaded, and the current of table and
    shoe fails behind it. The new load counts from 0, four cards are in custody, the common card comes once, and the hand is the
    one without the blackout. A load that no journal and no shoe remembers is asked for again."""

    async def then(run: Scene) -> None:
        felt, shoe = run.rehearsal.devices.felt, run.rehearsal.devices.shoe
        while not (felt.count(SHOE) == 4 and (not told or run.state.shoe.load == 2)):
            await asyncio.sleep(0.001)
        run.kill()
        shoe.stop()
        await asyncio.sleep(4.0)
        shoe.start()
        await run.until(lambda: run.state.status is TableStatus.LIVE and run.state.starts == 2)
        held, known = run.state.custody, run.state.shoe
        counts.append((known.load, known.draw_no, held.in_shoe, held.placed_count, held.accounted))

    counts: list[tuple[int, ...]] = []
    sound = Family(tmp_path / "sound", drawn=eight())
    sound.played()
    assert sound.told(StubCounted)[0].plan is SeventhPlan.SCRAMBLE_COMMUNITY
    scramble = lambda state: state.hand is not None and state.hand.phase is Phase.SCRAMBLE  # noqa: E731
    run = Family(tmp_path / "run", drawn=eight(), when=scramble, then=then)
    assert run.played().crashes == 1
    assert counts == [(2, 0, 4, 48, 52) if told else (2, 0, 1, 51, 52)]
    assert [(load.load, load.cards) for load in run.told(DeckInShoe)][1:] == [(2 if told else 3, 4)]
    assert len(run.told(CommunityDealt)) == 1
    assert [type(event) for event in run.hands[0]] == [type(event) for event in sound.hands[0]]
    if told:
        assert run.hands == sound.hands


class WildClock(SteppingClock):
    """A wall clock that jumps about by a month with every look at it."""

    def __init__(self) -> None:
        super().__init__(START)
        self._rng = random.Random(1)

    def wall(self) -> datetime:
        return START + timedelta(seconds=self._rng.uniform(-2e6, 2e6))


def test_no_decision_reads_the_wall_clock(sound: Scene, tmp_path: Path) -> None:
    """Invariant 25: with a wall clock that jumps at every look, the journal tells of that and the hand is the same."""
    run = Scene(tmp_path, clock=WildClock())
    run.played()
    assert run.told(ClockStepped)
    assert run.hands == sound.hands


def test_no_clock_runs_out_while_the_table_is_away(sound: Scene, tmp_path: Path) -> None:
    """Invariant 25, REG-20: a player is on the clock when the controller ends, and nobody resumes for longer than the clock has.
    The hand is not folded for it; the clock begins anew when play does, and the hand is the one without all that."""

    async def then(run: Scene) -> None:
        hand = run.state.hand
        assert hand is not None
        answer = await run.press({"type": "call_clock", "seat": hand.round.actor}, key="call-the-clock")
        assert answer["ok"]
        await asyncio.sleep(1.0)
        run.kill()
        await run.until(lambda: run.state.starts == 2 and run.state.felt_ready)
        await asyncio.sleep(75.0)
        clocks.append(run.state.clock)
        resumes.set()
        await run.until(lambda: run.state.status is TableStatus.LIVE)
        await asyncio.sleep(10.0)
        clocks.append(run.state.clock)
        acts.set()

    async def press(body: Mapping[str, Any]) -> None:
        if body["command"]["type"] == "resume":
            await resumes.wait()
        elif body["command"]["type"] == "act" and len(run.told(ActionTaken)) >= 4:
            await run.until(lambda: acts.is_set() or run.state.status is not TableStatus.LIVE)

    clocks: list[object] = []
    acts, resumes = asyncio.Event(), asyncio.Event()
    run = Scene(tmp_path, when=acted(4), then=then)
    run.at_press = press
    run.played()
    assert None not in clocks
    assert not [event for event in run.told(ActionTaken) if event.verb is Verb.FOLD and event.seat == 4]
    assert run.hands == sound.hands


PLANTED_HERE: Final[Mapping[str, tuple[Callable[[pytest.MonkeyPatch], None], Callable[..., None]]]] = {
    "13 early for ever": (planted.leave_early_cards_early, test_in_the_dark_with_bets),
    "25 a clock that runs on": (planted.run_clocks_while_away, test_no_clock_runs_out_while_the_table_is_away),
    "14 dealt as if due": (planted.take_early_cards_for_due, test_in_the_dark_without_bets),
    "17 burns come twice": (planted.count_scrambled_burns_twice, partial(test_scramble_and_blackout, True)),
    "19 an event is skipped": (planted.backfill_from_the_next, test_store_back_from_yesterday),
    "19 the witness is not heard": (planted.believe_an_older_journal, test_table_back_from_yesterday),
    "20 answers forgotten": (planted.forget_the_answers, test_double_fold),
    "21 nobody waits": (planted.act_while_play_is_stopped, partial(test_freeze_meets_bring_in, False)),
    "21 award stays": (planted.void_after_the_award_keeps_it, partial(test_void_meets_award, True)),
    "22 no alarm": (planted.obey_a_command_on_mqtt, test_ghost_command),
    "24 a digest in the log": (planted.name_the_card_that_came_twice, test_whisper_in_the_alarm),
}


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTED_HERE)
def test_a_scenario_finds_what_is_planted(name: str, sound: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each scenario fails with the bug that it is for."""
    plant, scenario = PLANTED_HERE[name]
    plant(monkeypatch)
    wants = signature(scenario).parameters
    with pytest.raises((AssertionError, TimeoutError, pytest.fail.Exception)):
        scenario(tmp_path=tmp_path, **({"sound": sound} if "sound" in wants else {}))
