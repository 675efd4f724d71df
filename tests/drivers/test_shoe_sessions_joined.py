"""Both sides of TSP/1 joined by a bad line, on simulated time: what must hold whatever line, controller and shoe do."""

from __future__ import annotations

import random
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest

from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    DrawMode,
    EventKey,
    GateChanged,
    KnownShoe,
    LinkChanged,
    LinkState,
    ShoeFound,
    ShoeNotice,
    ShoeStopped,
)
from drivers.shoe.device_memory import SequenceLimits, ShoeMemory
from drivers.shoe.device_session import DeviceSession
from drivers.shoe.effects import Deliver, HangUp, Send
from drivers.shoe.host_session import HostSession
from drivers.shoe.messages import Cause, Command, Epoch, Response

STEP_S = 0.005
CHAR_S = 10 / 9600
DECK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


@dataclass
class Faults:
    lost: float = 0.0
    flipped: float = 0.0
    doubled: float = 0.0
    crash_per_s: float = 0.0
    restart_per_s: float = 0.0
    unplug_per_s: float = 0.0
    accept_delay_s: float = 0.02


class CountingShoe(DeviceSession):
    """Notes every order that it carries out."""

    done: list[tuple[int, str, int]]

    def _carry_out(self, command: Command) -> Response:
        answer = super()._carry_out(command)
        if answer.outcome.value == "OK":
            self.done.append((command.boot, str(command.epoch), command.number))
        return answer


class Wire:
    """One direction at 9600 baud: lines arrive in order, whole, damaged, twice or not at all."""

    def __init__(self, rng: random.Random, faults: Faults) -> None:
        self.rng, self.faults = rng, faults
        self.queue: deque[tuple[float, bytes]] = deque()
        self.free_at = 0.0

    def push(self, now: float, line: bytes) -> float:
        self.free_at = max(now, self.free_at) + len(line) * CHAR_S
        if self.rng.random() >= self.faults.lost:
            data = bytearray(line)
            if self.rng.random() < self.faults.flipped:
                data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
            for _ in range(2 if self.rng.random() < self.faults.doubled else 1):
                self.queue.append((self.free_at, bytes(data)))
        return self.free_at

    def arrived(self, now: float) -> list[bytes]:
        out = []
        while self.queue and self.queue[0][0] <= now:
            out.append(self.queue.popleft()[1])
        return out


@dataclass
class Journal:
    """What the table has made durable."""

    known: KnownShoe | None = None
    cards: list[str] = field(default_factory=list)
    keys: list[EventKey] = field(default_factory=list)
    epoch: int = 0


class World:
    """Shoe, line, controller and hands, from one seed."""

    def __init__(self, seed: int, faults: Faults, *, limits: SequenceLimits | None = None) -> None:
        self.rng = random.Random(seed)
        self.faults = faults
        self.now = 0.0
        self.limits = limits
        self.done: list[tuple[int, str, int]] = []
        self.journal = Journal()
        self.drawn: list[str] = []
        self.stops: list[ShoeStopped] = []
        self.found: list[ShoeFound] = []
        self.wires = Wire(self.rng, faults), Wire(self.rng, faults)
        self.deck = deque(DECK * 8)
        self.busy_until: float | None = None
        self.memory = ShoeMemory(boot=0x7F39, load=0x40)
        self.is_table_alive = True
        self.start_shoe(Cause.POWER)
        self.shoe.loaded(len(self.deck), "D1")
        self.start_host()

    def start_shoe(self, cause: Cause) -> None:
        self.shoe = CountingShoe(self.memory, self.now, cause=cause, limits=self.limits)
        self.shoe.done = self.done
        self.busy_until = None

    def start_host(self) -> None:
        self.journal.epoch += 1
        self.host = HostSession(
            device="shoe",
            epoch=Epoch(self.journal.epoch, self.rng.randrange(0x10000)),
            rng=self.rng,
            known=self.journal.known,
        )
        self.inbox: deque[tuple[float, object]] = deque()
        self.link = LinkState.DOWN
        self.order = 0
        self.is_stopped = False
        self.life_at = 0.0
        self.reopen()

    def reopen(self) -> None:
        if self.host.phase.value != "closed":
            self.host.closed(self.now, "pulled")
        self.wires[0].queue.clear()
        self.host.opened(self.now)

    def run(self, seconds: float, *, is_dealing: bool = True) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += STEP_S
            self.trouble()
            self.move_bytes()
            if self.is_table_alive:
                self.table()
            if is_dealing and self.rng.random() < STEP_S * 4:
                self.deal()

    def trouble(self) -> None:
        if self.rng.random() < self.faults.crash_per_s * STEP_S:
            self.start_host()
        if self.rng.random() < self.faults.unplug_per_s * STEP_S:
            self.reopen()
        if self.rng.random() < self.faults.restart_per_s * STEP_S:
            self.memory = self.shoe.memory
            self.start_shoe(Cause.POWER)

    def deal(self) -> None:
        self.shoe.tick(self.now)
        if self.shoe.is_gate_open and self.deck:
            card = self.deck.popleft()
            self.drawn.append(card)
            self.shoe.drawn(self.now, card)

    def move_bytes(self) -> None:
        to_host, to_shoe = self.wires
        self.shoe.tick(self.now)
        if self.busy_until is not None and self.now >= self.busy_until:
            self.shoe.line_left(self.now)
            self.busy_until = None
        if self.busy_until is None:
            line = self.shoe.next_line(self.now)
            if line is not None:
                self.busy_until = to_host.push(self.now, line)
        for data in to_shoe.arrived(self.now):
            self.shoe.received(self.now, data)
        for data in to_host.arrived(self.now):
            self.host.received(self.now, data)
        if self.now >= self.host.next_at(self.now):
            self.host.tick(self.now)
        self.effects()

    def effects(self) -> None:
        for effect in self.host.drain():
            match effect:
                case Send(line):
                    self.wires[1].push(self.now, line)
                case Deliver(event):
                    self.inbox.append((self.now + self.rng.uniform(0, 2 * self.faults.accept_delay_s), event))
                case HangUp():
                    self.host.closed(self.now, "fenced")

    def table(self) -> None:
        """A table: it journals, then accepts; it opens the gate when all is well."""
        while self.inbox and self.inbox[0][0] <= self.now:
            self.take(self.inbox.popleft()[1])
        if self.now >= self.life_at:
            self.life_at = self.now + 1.0
            self.host.sign_of_life(self.now)
            is_good = self.link in (LinkState.UP, LinkState.DEGRADED)  # a street that is begun is dealt to its end
            if is_good and not self.is_stopped and self.rng.random() < 0.7:
                self.order += 1
                self.host.order_gate(self.now, self.order, is_open=self.rng.random() < 0.8)
        self.effects()

    def take(self, event: object) -> None:
        journal = self.journal
        match event:
            case ShoeFound():
                self.found.append(event)
                known = journal.known
                if known is None or known.boot != event.state.boot:
                    known = KnownShoe(event.state.boot, 0, event.state.load, event.state.draw_no)
                    journal.known = known
                self.host.adopt(self.now, known.boot, known.accepted_seq)
            case LinkChanged():
                self.link = event.state
            case ShoeStopped():
                self.stops.append(event)
                self.is_stopped = True
            case CommandDone():
                pass
            case CardDrawn() | DeckLoaded() | GateChanged() | ShoeNotice():
                self.commit(event)

    def commit(self, event: CardDrawn | DeckLoaded | GateChanged | ShoeNotice) -> None:
        journal = self.journal
        assert journal.known is not None
        assert event.key.boot == journal.known.boot
        known = replace(journal.known, accepted_seq=event.key.seq)
        match event:
            case CardDrawn() if event.mode is not DrawMode.REINSERTED:
                journal.cards.append(event.code)
                known = replace(known, draw_no=event.draw_no)
            case DeckLoaded():
                known = replace(known, load=event.load, draw_no=0)
            case _:
                pass
        journal.keys.append(event.key)
        journal.known = known
        self.host.accept(self.now, event.key)

    def assert_safe(self) -> None:
        assert self.stops == []
        assert self.journal.cards == self.drawn[: len(self.journal.cards)]
        assert len(set(self.journal.keys)) == len(self.journal.keys)
        assert max(Counter(self.done).values(), default=0) <= 1


@pytest.mark.parametrize("seed", range(12))
def test_a_bad_line_loses_doubles_and_invents_no_card(seed: int) -> None:
    """Journalled cards are a prefix of the cards drawn, and all of them once the line is good again; no stop without cause."""
    world = World(seed, Faults(lost=0.1, flipped=0.1, doubled=0.1, unplug_per_s=0.05))
    world.run(30)
    world.assert_safe()
    world.wires[0].faults = world.wires[1].faults = world.faults = Faults()
    world.run(12, is_dealing=False)
    world.assert_safe()
    assert world.journal.cards == world.drawn
    assert len(world.drawn) > 10
    assert world.link is (LinkState.DEGRADED if world.host.health.is_degraded else LinkState.UP)


def test_a_degraded_link_is_up_again_after_a_minute_without_a_bad_line() -> None:
    """Joined with a whole shoe that loses bytes for half a minute: it is degraded while they are lost and a minute longer."""
    world = World(1, Faults(lost=0.1, flipped=0.1, doubled=0.1))
    world.run(30)
    assert world.link is LinkState.DEGRADED
    world.wires[0].faults = world.wires[1].faults = world.faults = Faults()
    world.run(50, is_dealing=False)
    assert world.link is LinkState.DEGRADED
    world.run(11, is_dealing=False)
    assert world.link is LinkState.UP
    world.assert_safe()


@pytest.mark.parametrize("seed", range(12))
def test_a_controller_killed_at_any_point_goes_on_without_loss(seed: int) -> None:
    """A new controller with what the old one had journalled gets every card once, and no order is carried out twice."""
    world = World(100 + seed, Faults(lost=0.03, doubled=0.03, crash_per_s=0.3, accept_delay_s=0.1))
    world.run(40)
    world.assert_safe()
    world.wires[0].faults = world.wires[1].faults = world.faults = Faults()
    world.run(12, is_dealing=False)
    world.assert_safe()
    assert world.journal.epoch > 3
    assert world.journal.cards == world.drawn


@pytest.mark.parametrize("seed", range(8))
def test_a_shoe_that_restarts_is_noticed_and_invents_nothing(seed: int) -> None:
    """After a restart the lost cards are missing and no other; each new start is told as rebooted, never as a stop."""
    world = World(200 + seed, Faults(lost=0.03, restart_per_s=0.1, crash_per_s=0.1))
    world.run(40)
    assert world.stops == []
    cards, drawn = world.journal.cards, iter(world.drawn)
    assert all(card in drawn for card in cards), "journalled cards are drawn cards in order"
    starts = [found.state.boot for found in world.found]
    assert starts == sorted(starts)
    assert all(found.is_rebooted for before, found in pairwise(world.found) if found.state.boot > before.state.boot)


@pytest.mark.parametrize("seed", range(4))
def test_a_sequence_end_loses_nothing_and_is_no_restart(seed: int) -> None:
    """A shoe that starts a new numbering in the middle of a hand is found again, not rebooted, and no card is lost."""
    world = World(300 + seed, Faults(lost=0.05), limits=SequenceLimits(roll_from=24, close_at=40))
    world.run(60)
    world.wires[0].faults = world.wires[1].faults = world.faults = Faults()
    world.run(12, is_dealing=False)
    world.assert_safe()
    assert world.journal.cards == world.drawn
    assert {found.state.cause for found in world.found} >= {"P", "S"}
    assert not any(found.is_rebooted for found in world.found)


def test_a_hung_table_closes_the_gate_within_five_seconds() -> None:
    """Without signs of life the shoe hears no line of ours, and 3 s later its gate is closed; NAKs are no way round."""
    world = World(7, Faults())
    world.run(8)
    world.host.order_gate(world.now, world.order + 1, is_open=True)
    world.order += 1
    world.effects()
    world.run(0.5)
    assert world.shoe.is_gate_open
    world.is_table_alive = False
    world.run(5.0)
    assert "T" in world.shoe.letters
    count = len(world.drawn)
    world.run(20)
    assert len(world.drawn) == count


def test_an_older_controller_is_fenced_off_at_the_shoe() -> None:
    """Once the shoe honours a larger epoch, the older controller's orders change nothing and it stops at the first heartbeat."""
    world = World(9, Faults())
    world.run(6)
    old = world.host
    world.start_host()
    world.run(4)
    old.sign_of_life(world.now)
    old.order_gate(world.now, 500, is_open=True)
    before = len(world.done)
    lines = [effect.line for effect in old.drain() if isinstance(effect, Send)]
    for line in lines:
        world.shoe.received(world.now, line)
    answers = [world.shoe.next_line(world.now) for _ in range(4)]
    for line in answers:
        if line is not None:
            old.received(world.now, line)
    told = [effect.event for effect in old.drain() if isinstance(effect, Deliver)]
    assert len(world.done) == before
    assert any(isinstance(event, ShoeStopped) and event.code == "fenced" for event in told)
    assert old.phase.value == "fenced"


def test_a_journal_that_lost_its_end_is_found_out_before_the_next_card() -> None:
    """A shoe that was told of more events than we have stops the opening and says so; only a person's adoption goes on."""
    world = World(11, Faults())
    world.run(10)
    known = world.journal.known
    assert known is not None
    world.journal.known = replace(known, accepted_seq=known.accepted_seq - 2)
    world.start_host()
    world.run(3)
    assert [stop.code for stop in world.stops] == ["tail_lost"]
    assert world.stops[0].found is not None
    assert world.host.phase.value == "found"
