"""The shoe's side of TSP/1: window, repeats, store, orders once, gate letters, restarts."""

from __future__ import annotations

from drivers.shoe.codec import format_host, parse_device
from drivers.shoe.device_memory import SequenceLimits, ShoeMemory
from drivers.shoe.device_session import GATE_CLOSES_UNACKED, DeviceSession
from drivers.shoe.event_store import KEPT, WINDOW, EventStore
from drivers.shoe.lines import LineFramer, parse_line
from drivers.shoe.messages import (
    Ack,
    CardRead,
    Cause,
    Command,
    DeviceHello,
    DeviceMessage,
    Epoch,
    Heartbeat,
    HostHello,
    HostMessage,
    KeyPressed,
    Lock,
    Nak,
    Outcome,
    Response,
    Verb,
)

BOOT = 0x7F3A
OURS = Epoch(7, 0xA31C)


class Bench:
    """A shoe on the bench, with an idle UART."""

    def __init__(self, *, limits: SequenceLimits | None = None) -> None:
        self.shoe = DeviceSession(ShoeMemory(boot=BOOT - 1, load=0x40), 0.0, limits=limits)
        self.boot = BOOT

    def say(self, now: float, *messages: HostMessage) -> None:
        for message in messages:
            self.shoe.received(now, format_host(message))

    def hear(self, now: float, *, limit: int = 300) -> list[DeviceMessage]:
        """Everything that the shoe has to say now; each line leaves at once."""
        told: list[DeviceMessage] = []
        for _ in range(limit):
            line = self.shoe.next_line(now)
            if line is None:
                return told
            self.shoe.line_left(now)
            (body,) = LineFramer().feed(line)
            told.append(parse_device(parse_line(body)))
        raise AssertionError("the shoe never stops talking")

    def events(self, now: float) -> list[int]:
        return [m.seq for m in self.hear(now) if not isinstance(m, DeviceHello | Heartbeat | Response)]

    def greet(self, now: float, epoch: Epoch = OURS, seq: int = 0) -> None:
        self.say(now, HostHello(self.boot, seq, epoch, "TABLE7", 1))

    def order(self, now: float, number: int, argument: str, *, verb: Verb = Verb.LOCK, epoch: Epoch = OURS) -> list[Response]:
        self.say(now, Command(self.boot, number, epoch, verb, argument))
        return [m for m in self.hear(now) if isinstance(m, Response)]

    def beat(self, now: float) -> Heartbeat:
        self.say(now, Command(0, 0x51C4, OURS, Verb.STATUS))
        return next(m for m in self.hear(now) if isinstance(m, Heartbeat))


def opened() -> Bench:
    bench = Bench()
    bench.greet(0.0)
    bench.order(0.0, 1, "0")
    bench.say(0.0, Ack(BOOT, bench.shoe.unacked, OURS))
    return bench


def test_a_start_has_a_new_number_and_a_closed_gate() -> None:
    """The start counter is one above the stored one before the first line, and only LOCK 0 opens the gate."""
    bench = Bench()
    assert bench.shoe.memory.boot == BOOT
    assert bench.shoe.letters == "H"
    hello, beat = bench.hear(0.0)[:2]
    assert isinstance(hello, DeviceHello)
    assert (hello.re, hello.cause, hello.last_seq) == (0, Cause.POWER, 0)
    assert isinstance(beat, Heartbeat)
    assert (beat.gate, beat.epoch, beat.first, beat.acked) == ("H", Epoch(0, 0), 1, 0)


def test_hello_comes_every_second_until_a_host_is_honoured() -> None:
    """HELLO is repeated each second; after a host HELLO only HB goes on."""
    bench = Bench()
    for now in (0.0, 1.0, 2.0):
        assert any(isinstance(m, DeviceHello) for m in bench.hear(now))
    bench.greet(2.5)
    beats = bench.hear(2.5)
    assert [type(m) for m in beats] == [Heartbeat]
    assert not any(isinstance(m, DeviceHello) for m in bench.hear(4.0))


def test_status_is_answered_by_hello_and_heartbeat_with_its_token() -> None:
    """STATUS is obeyed from anyone and in any boot."""
    bench = opened()
    bench.hear(0.0)
    bench.say(0.1, Command(0, 0xBEEF, Epoch(1, 1), Verb.STATUS))
    assert [m.re for m in bench.hear(0.1) if isinstance(m, DeviceHello | Heartbeat)] == [0xBEEF, 0xBEEF]


def test_events_go_out_at_once_and_eight_are_under_way() -> None:
    """The window is 8: the ninth waits until the mark rises."""
    bench = opened()
    bench.shoe.loaded(52, "D1")
    for _ in range(WINDOW + 2):
        bench.shoe.drawn(0.0, "AS")
    first = 2
    assert bench.events(0.0) == list(range(first, first + WINDOW))
    bench.say(0.1, Ack(BOOT, first, OURS))
    assert bench.events(0.1) == [first + WINDOW]


def test_the_oldest_event_is_repeated_after_a_quarter_second_doubling_to_two() -> None:
    """0.25, 0.5, 1, 2, 2 s after its last byte left, byte for byte; a risen mark starts afresh."""
    bench = opened()
    bench.hear(0.0)
    store = EventStore()
    for name in (b"one", b"two"):
        store.add(name)
    assert [store.next_seq(0.0), store.next_seq(0.0), store.next_seq(0.0)] == [1, 2, None]
    store.left(1, 0.1)
    now = 0.1
    for wait in (0.25, 0.5, 1.0, 2.0, 2.0):
        assert store.next_seq(now + wait - 0.01) is None
        now += wait
        assert store.next_seq(now + 1e-9) == 1
        assert store.line(1) == b"one"
        assert store.next_seq(now + 60) is None, "not again before it has left"
        store.left(1, now)
    store.left(2, now)
    assert store.acknowledge(1, now)
    assert store.next_seq(now + 0.25 + 1e-9) == 2


def test_nak_sends_on_from_there_and_the_same_one_only_after_a_quarter_second() -> None:
    """NAK acknowledges nothing and calls up the events from its number on."""
    bench = opened()
    bench.shoe.loaded(52, "D1")
    for _ in range(4):
        bench.shoe.drawn(0.0, "AS")
    assert bench.events(0.0) == [2, 3, 4, 5, 6]
    bench.say(0.1, Nak(BOOT, 4, OURS))
    assert bench.events(0.1) == [4, 5, 6]
    bench.say(0.2, Nak(BOOT, 4, OURS))
    assert bench.events(0.2) == []
    bench.say(0.36, Nak(BOOT, 4, OURS))
    assert 4 in bench.events(0.36)
    assert bench.shoe.unacked == 5


def test_marks_that_cannot_be_are_answered_by_who_we_are() -> None:
    """ACK above the last event and NAK beyond the next one change nothing and get HELLO and HB, at most once a second."""
    bench = opened()
    bench.hear(0.0)
    for message in (Ack(BOOT, 500, OURS), Nak(BOOT, 500, OURS)):
        bench.say(0.1, message)
    assert [type(m) for m in bench.hear(0.1)] == [DeviceHello, Heartbeat]
    bench.say(0.2, Ack(BOOT, 500, OURS))
    assert bench.hear(0.2) == []


def test_lines_for_another_start_change_nothing() -> None:
    """An ACK, an order or a HELLO for another boot gets HELLO and HB."""
    bench = opened()
    bench.hear(0.0)
    bench.shoe.loaded(52, "D1")
    for other in (
        Ack(BOOT - 1, 2, OURS),
        Command(BOOT - 1, 9, OURS, Verb.LOCK, "1"),
        HostHello(BOOT - 1, 0, Epoch(9, 9), "X", 1),
    ):
        bench.say(0.1, other)
    assert bench.shoe.is_gate_open
    assert bench.shoe.unacked == 1
    assert bench.beat(0.1).epoch == OURS


def test_an_order_is_carried_out_once_and_answered_alike_again() -> None:
    """Same id and body: same answer; other body: REUSED; lower id: OLD; and nothing is done twice."""
    bench = opened()
    (done,) = bench.order(0.0, 5, "1")
    assert done.outcome is Outcome.OK
    events = bench.shoe.unacked
    assert bench.order(0.1, 5, "1") == [done]
    assert [a.reason for a in bench.order(0.2, 5, "0")] == ["REUSED"]
    assert [a.reason for a in bench.order(0.3, 4, "0")] == ["OLD"]
    assert bench.shoe.unacked == events
    assert bench.shoe.letters == "H"


def test_ok_names_the_last_event_before_it_was_done() -> None:
    """The barrier is the LOCK event that the order made."""
    bench = opened()
    bench.hear(0.0)
    bench.say(0.1, Command(BOOT, 2, OURS, Verb.LOCK, "1"))
    told = bench.hear(0.1)
    answer = next(m for m in told if isinstance(m, Response))
    lock = next(m for m in told if isinstance(m, Lock))
    assert answer.barrier == lock.seq
    assert lock.holders == "H"


def test_busy_is_not_remembered() -> None:
    """LOCK 1 with a card in the exit is BUSY; the same order again is carried out once the card is gone."""
    bench = opened()
    bench.shoe.is_exit_occupied = True
    assert [a.outcome for a in bench.order(0.0, 2, "1")] == [Outcome.BUSY]
    assert bench.shoe.is_gate_open
    bench.shoe.is_exit_occupied = False
    assert [a.outcome for a in bench.order(0.5, 2, "1")] == [Outcome.OK]
    assert not bench.shoe.is_gate_open


def test_a_smaller_epoch_and_a_clone_are_fenced() -> None:
    """Orders of an older controller, or of one with the same start number, get ERR,FENCED under their own epoch."""
    bench = opened()
    bench.hear(0.0)
    for epoch in (Epoch(6, 0x9D02), Epoch(7, 0xFFFF)):
        (answer,) = bench.order(0.1, 9, "1", epoch=epoch)
        assert (answer.epoch, answer.reason) == (epoch, "FENCED")
        bench.greet(0.1, epoch)
        assert bench.beat(0.1).epoch == OURS
    assert bench.shoe.is_gate_open


def test_a_larger_epoch_takes_over_and_order_ids_start_again() -> None:
    """A newer controller's HELLO is honoured, and its first order is no old one."""
    bench = opened()
    newer = Epoch(8, 1)
    assert bench.order(0.0, 9, "1", epoch=newer) == [], "not before its HELLO"
    bench.greet(0.1, newer)
    assert [a.outcome for a in bench.order(0.1, 1, "1", epoch=newer)] == [Outcome.OK]
    assert [a.reason for a in bench.order(0.1, 99, "0")] == ["FENCED"]


def test_three_silent_seconds_close_the_gate_and_only_lock_0_opens_it() -> None:
    """T comes 3 s after the last line of the honoured epoch; lines alone do not lift it, STATUS keeps nothing open."""
    bench = opened()
    bench.say(1.0, Ack(BOOT, 1, OURS))
    bench.say(3.5, Command(0, 1, OURS, Verb.STATUS))
    bench.shoe.tick(3.99)
    assert bench.shoe.is_gate_open
    bench.shoe.tick(4.0)
    assert bench.shoe.letters == "T"
    bench.say(4.1, Ack(BOOT, 1, OURS))
    assert bench.shoe.letters == "T"
    bench.order(4.2, 2, "0")
    assert bench.shoe.is_gate_open


def test_lock_0_does_not_open_against_key_rule_and_error() -> None:
    """LOCK 0 takes away H and T alone; CLEAR takes away E once no latched error is left."""
    bench = opened()
    bench.shoe.key_lock(is_locked=True)
    bench.shoe.error("E1", is_latched=True)
    bench.shoe.error("E3", is_latched=False)
    bench.order(0.0, 2, "1")
    assert bench.shoe.letters == "HKE"
    bench.order(0.0, 3, "0")
    assert bench.shoe.letters == "KE"
    assert bench.beat(0.0).state == "FAULT"
    bench.order(0.0, 4, "E1", verb=Verb.CLEAR)
    bench.shoe.key_lock(is_locked=False)
    assert bench.shoe.is_gate_open
    assert [a.reason for a in bench.order(0.0, 5, "E1", verb=Verb.CLEAR)] == ["UNKNOWN"]


def test_a_nearly_full_store_closes_the_gate_and_only_counts_buttons() -> None:
    """At 112 un-acked events the rule closes the gate (R); no un-acked event is dropped; room opens it again."""
    bench = opened()
    bench.hear(0.0)
    for _ in range(GATE_CLOSES_UNACKED - 1):
        bench.shoe.button("HELP")
    assert bench.shoe.is_gate_open
    bench.shoe.button("HELP")
    assert bench.shoe.letters == "R"
    kept = bench.shoe.unacked
    bench.shoe.button("HELP")
    assert bench.shoe.unacked == kept == GATE_CLOSES_UNACKED + 1
    seqs: list[int] = []
    now = 0.0
    while bench.shoe.unacked:
        seqs += bench.events(now)
        bench.say(now, Ack(BOOT, seqs[-1], OURS))
    assert sorted(set(seqs)) == list(range(2, seqs[-1] + 1))
    assert bench.shoe.is_gate_open


def test_the_store_keeps_128_events_for_resend() -> None:
    """Acknowledged events stay until 128 are kept; one more drops the oldest; RESEND brings back what is kept."""
    bench = opened()
    for seq in range(2, KEPT + 2):
        bench.shoe.button("HELP")
        bench.say(0.0, Ack(BOOT, seq, OURS))
    assert bench.beat(0.0).first == 2
    bench.hear(0.0)
    bench.say(0.0, Command(BOOT, 0x77, OURS, Verb.RESEND, "120"))
    again = [m for m in bench.hear(0.0) if isinstance(m, KeyPressed)]
    assert [m.seq for m in again] == list(range(120, KEPT + 2))


def test_nak_and_hello_bring_back_whatever_resend_would() -> None:
    """From every event that is kept: NAK where nothing is acknowledged, HELLO in any case. So the host sends no RESEND."""

    def told(last: int, acked: int, message: HostMessage) -> list[int]:
        bench = opened()
        for seq in range(2, last + 1):
            bench.shoe.button("HELP")
            bench.events(0.0)
            if seq <= acked:
                bench.say(0.0, Ack(BOOT, seq, OURS))
        bench.say(0.1, message)
        seqs: list[int] = []
        while len(seqs) < last and (more := bench.events(0.1)):
            seqs += more
            bench.say(0.1, Ack(BOOT, seqs[-1], OURS))
        return seqs

    last = 9
    for first in range(2, last + 1):
        wanted = list(range(first, last + 1))
        for acked in (1, last):
            resent = told(last, acked, Command(BOOT, 0x77, OURS, Verb.RESEND, str(first)))
            assert resent == wanted
            assert told(last, acked, HostHello(BOOT, first - 1, OURS, "TABLE7", 1)) == wanted
        assert told(last, 1, Nak(BOOT, first, OURS)) == wanted


def test_an_order_to_name_the_deck_changes_nothing() -> None:
    """SETID is obeyed and remembered as any order; LOAD names what was put in."""
    bench = opened()
    assert [a.outcome for a in bench.order(0.0, 2, "D20260117A", verb=Verb.SET_ID)] == [Outcome.OK]
    assert bench.shoe.is_gate_open
    assert [a.reason for a in bench.order(0.0, 2, "D1", verb=Verb.SET_ID)] == ["REUSED"]


def test_hello_sets_the_mark_backwards_too() -> None:
    """A controller that has less gets it again from there."""
    bench = opened()
    bench.shoe.loaded(52, "D1")
    bench.say(0.0, Ack(BOOT, 2, OURS))
    bench.hear(0.0)
    bench.greet(0.1, Epoch(8, 1), seq=1)
    assert bench.beat(0.1).acked == 1
    assert bench.shoe.unacked == 1


def test_card_counters_are_stored_before_the_line_leaves() -> None:
    """Draw number and remaining are stored as soon as the card is out; staging reserves nothing; a card that came back counts."""
    bench = opened()
    bench.shoe.loaded(52, "D1")
    bench.shoe.staged()
    bench.shoe.drawn(1.0, "KH")
    assert (bench.shoe.memory.draw_no, bench.shoe.memory.remaining) == (1, 51)
    bench.shoe.drawn(1.4, "QH")
    bench.shoe.reinserted("QH", 2)
    assert (bench.shoe.memory.draw_no, bench.shoe.memory.remaining) == (2, 51)
    cards = [m for m in bench.hear(1.4) if isinstance(m, CardRead)]
    assert [(c.code, c.mode.value, c.draw_no, c.remaining, c.gap_ms) for c in cards] == [
        ("--", "S", 1, 52, 0),
        ("KH", "C", 1, 51, 0),
        ("QH", "C", 2, 50, 400),
        ("QH", "R", 2, 51, 0),
    ]


def test_a_sequence_end_waits_for_acks_and_starts_a_new_numbering() -> None:
    """From the limit on, with everything acknowledged: boot + 1, cause S, gate held (R) until the host's HELLO; counters stay."""
    bench = Bench(limits=SequenceLimits(roll_from=4, close_at=100))
    bench.greet(0.0)
    bench.order(0.0, 1, "0")
    bench.shoe.loaded(52, "D1")
    bench.shoe.drawn(0.0, "AS")
    bench.shoe.drawn(0.0, "KS")
    bench.say(0.0, Ack(BOOT, 3, OURS))
    assert bench.shoe.memory.boot == BOOT
    bench.say(0.1, Ack(BOOT, 4, OURS))
    assert bench.shoe.memory == ShoeMemory(boot=BOOT + 1, load=0x41, draw_no=2, remaining=50)
    assert bench.shoe.letters == "R"
    hello = next(m for m in bench.hear(0.1) if isinstance(m, DeviceHello))
    assert (hello.boot, hello.cause) == (BOOT + 1, Cause.SEQUENCE_END)
    bench.boot += 1
    bench.greet(0.2)
    assert bench.shoe.is_gate_open


def test_the_gate_closes_just_before_the_last_number() -> None:
    """At the upper limit the rule closes the gate until a new numbering began."""
    bench = Bench(limits=SequenceLimits(roll_from=3, close_at=5))
    bench.greet(0.0)
    bench.order(0.0, 1, "0")
    for _ in range(4):
        bench.shoe.button("HELP")
    assert bench.shoe.letters == "R"


def test_noise_and_lines_of_others_change_nothing() -> None:
    """Echoes, damaged and foreign lines are dropped."""
    bench = opened()
    bench.hear(0.0)
    line = format_host(Command(BOOT, 9, OURS, Verb.LOCK, "1"))
    bench.shoe.received(0.1, line.replace(b"LOCK,1", b"LOCK,0"))
    bench.shoe.received(0.1, b"\x00\xff$$$\n" + line.replace(b"HOST", b"SH01"))
    assert bench.shoe.is_gate_open
    assert bench.hear(0.1) == []
