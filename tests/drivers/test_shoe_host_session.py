"""The host's side of TSP/1: opening, judging a pair, accepting in order, gaps, repeats, faults, orders, fencing, link states."""

from __future__ import annotations

import binascii
import random
from dataclasses import replace

import pytest

from drivers.ports import (
    CardDrawn,
    CommandDone,
    DeckLoaded,
    DriverError,
    EventKey,
    GateChanged,
    KnownShoe,
    LinkChanged,
    LinkState,
    NoticeKind,
    ShoeEvent,
    ShoeFound,
    ShoeNotice,
    ShoeStopped,
)
from drivers.shoe.codec import format_device, parse_host
from drivers.shoe.effects import Deliver, HangUp, Phase, Send
from drivers.shoe.evidence import REMEMBERED
from drivers.shoe.host_session import HostSession
from drivers.shoe.host_timers import HOST_WINDOW
from drivers.shoe.lines import LineFramer, build_line, parse_line
from drivers.shoe.messages import (
    Ack,
    CardMode,
    CardRead,
    Cause,
    Command,
    Cut,
    DeviceHello,
    DeviceMessage,
    Empty,
    Epoch,
    ErrorCleared,
    ErrorRaised,
    Heartbeat,
    HostHello,
    HostMessage,
    KeyPressed,
    Lid,
    Load,
    Lock,
    Nak,
    Outcome,
    Response,
    UnknownEvent,
    Verb,
)
from drivers.shoe.pairing import Paired

BOOT = 0x7F3A
OURS = Epoch(7, 0xA31C)
OLD = Epoch(6, 0x1111)
HELLO = DeviceHello(BOOT, 0, "SIMSHOE", "1.0.0", 1, 1, ("LK",), Cause.POWER, "S0012345", 0)
BEAT = Heartbeat(BOOT, 0, "LOCKED", (), 52, 12, 0x41, 0, "H", 1, 0, OLD, 0, 0)


class Desk:
    """A host session and a hand that types the shoe's lines."""

    def __init__(self, known: KnownShoe | None = None, *, serial: str | None = "S0012345") -> None:
        self.session = HostSession(
            device="shoe", epoch=OURS, rng=random.Random(1), controller="TABLE7", paired=Paired(serial), known=known
        )
        self.told: list[ShoeEvent] = []
        self.hung_up = False

    def sent(self) -> list[HostMessage]:
        """What the session sent since the last look; what it told goes to ``told``."""
        messages: list[HostMessage] = []
        for effect in self.session.drain():
            match effect:
                case Send(line):
                    (body,) = LineFramer().feed(line)
                    messages.append(parse_host(parse_line(body)))
                case Deliver(event):
                    self.told.append(event)
                case HangUp():
                    self.hung_up = True
        return messages

    def hear(self, now: float, *messages: DeviceMessage, node: str = "SH01") -> list[HostMessage]:
        for message in messages:
            self.session.received(now, format_device(node, message))
        return self.sent()

    def open(self, now: float = 0.0) -> int:
        """Open the port; the token of the STATUS that was sent."""
        self.session.opened(now)
        (status,) = self.sent()
        assert isinstance(status, Command)
        assert (status.verb, status.boot) == (Verb.STATUS, 0)
        return status.number

    def pair(self, now: float, token: int, hello: DeviceHello = HELLO, beat: Heartbeat = BEAT, node: str = "SH01") -> None:
        self.hear(now, replace(hello, re=token), replace(beat, re=token), node=node)

    def events(self) -> list[ShoeEvent]:
        """What was told but link changes, once."""
        self.sent()
        told = [event for event in self.told if not isinstance(event, LinkChanged)]
        self.told.clear()
        return told

    def codes(self) -> list[str]:
        return [event.code for event in self.events() if isinstance(event, ShoeStopped)]

    def links(self) -> list[LinkState]:
        self.sent()
        return [event.state for event in self.told if isinstance(event, LinkChanged)]


def in_session(*, load: bool = True) -> Desk:
    """A session that is open, with the LOAD event accepted."""
    desk = Desk()
    desk.pair(0.1, desk.open())
    desk.session.adopt(0.2, BOOT, 0)
    desk.hear(0.3, replace(BEAT, epoch=OURS))
    if load:
        desk.hear(0.4, Load(BOOT, 1, 1, 52, "D1", 0x41))
        desk.session.accept(0.5, EventKey(BOOT, 1))
    desk.events()
    return desk


def card(seq: int, draw_no: int, code: str = "AS", mode: CardMode = CardMode.COUNTED) -> CardRead:
    return CardRead(BOOT, seq, code, mode, draw_no, 52 - draw_no, 400)


def test_status_is_repeated_every_half_second_with_one_token() -> None:
    """Until a pair is in, the same token is asked with again and again."""
    desk = Desk()
    token = desk.open()
    tokens = []
    for tick in range(1, 5):
        desk.session.tick(tick * 0.5)
        tokens += [m.number for m in desk.sent() if isinstance(m, Command)]
    assert tokens == [token] * 4


def test_only_a_fresh_pair_of_one_boot_opens() -> None:
    """Unasked lines, one half of a pair and halves of two starts open nothing; events before the session are dropped."""
    desk = Desk()
    token = desk.open()
    desk.pair(0.1, token ^ 1)
    desk.hear(0.1, Load(BOOT, 1, 1, 52, "D1", 0x41))
    desk.hear(0.1, replace(HELLO, re=token), replace(BEAT, boot=BOOT + 1, re=token))
    assert desk.events() == []
    desk.hear(0.2, replace(HELLO, boot=BOOT + 1, re=token))
    (found,) = desk.events()
    assert isinstance(found, ShoeFound)
    assert (found.state.boot, found.state.serial, found.is_rebooted) == (BOOT + 1, "S0012345", False)
    assert desk.session.phase is Phase.FOUND


def test_hello_follows_the_adoption_and_is_repeated_until_the_heartbeat_shows_our_epoch() -> None:
    """HELLO with the accepted number, again each second while the table lives; then the link is up."""
    desk = Desk()
    desk.pair(0.1, desk.open())
    desk.session.adopt(0.2, BOOT, 0)
    assert desk.sent() == [HostHello(BOOT, 0, OURS, "TABLE7", 1)]
    desk.session.sign_of_life(1.0)
    desk.session.tick(1.2)
    assert HostHello(BOOT, 0, OURS, "TABLE7", 1) in desk.sent()
    desk.hear(1.3, BEAT)
    assert LinkState.UP not in desk.links()
    desk.hear(1.4, replace(BEAT, epoch=OURS))
    assert desk.links()[-1] is LinkState.UP


def test_events_are_told_in_order_and_acknowledged_only_after_they_are_accepted() -> None:
    """LOAD, CARD and LOCK become events; ACK names what is accepted, never what was only received."""
    desk = in_session(load=False)
    assert desk.hear(1.0, Load(BOOT, 1, 1, 52, "D1", 0x41), card(2, 1), Lock(BOOT, 3, "HT")) == []
    loaded, drawn, gate = desk.events()
    assert loaded == DeckLoaded("shoe", EventKey(BOOT, 1), 52, "D1", 0x41)
    assert isinstance(drawn, CardDrawn)
    assert (drawn.code, drawn.draw_no, drawn.remaining) == ("AS", 1, 51)
    assert gate == GateChanged("shoe", EventKey(BOOT, 3), "HT")
    desk.session.accept(1.1, EventKey(BOOT, 2))
    assert desk.sent() == [Ack(BOOT, 2, OURS)]
    desk.session.accept(1.2, EventKey(BOOT, 1))
    desk.session.accept(1.2, EventKey(BOOT - 1, 3))
    assert desk.sent() == []


def test_accepting_what_was_never_delivered_is_an_error() -> None:
    """The table cannot acknowledge ahead of the shoe."""
    with pytest.raises(DriverError):
        in_session().session.accept(1.0, EventKey(BOOT, 9))


def test_other_events_become_notices_without_a_card() -> None:
    """CUT, EMPTY, LID, KEY, ERR, CLR and staged cards are told by kind and a short text."""
    desk = in_session()
    desk.hear(
        1.0,
        Cut(BOOT, 2, 31),
        Empty(BOOT, 3),
        Lid(boot=BOOT, seq=4, is_open=True),
        KeyPressed(BOOT, 5, "HELP"),
        ErrorRaised(boot=BOOT, seq=6, code="E1", latched=True, draw_no=2),
        ErrorCleared(BOOT, 7, "E1"),
        CardRead(BOOT, 8, "--", CardMode.STAGED, 1, 52, 0),
    )
    notices = [(event.kind, event.detail) for event in desk.events() if isinstance(event, ShoeNotice)]
    assert notices == [
        (NoticeKind.CUT, "31"),
        (NoticeKind.EMPTY, ""),
        (NoticeKind.LID, "open"),
        (NoticeKind.KEY, "HELP"),
        (NoticeKind.FAULT, "E1 latched"),
        (NoticeKind.CLEARED, "E1"),
        (NoticeKind.STAGED, ""),
    ]


def test_a_gap_is_asked_for_and_later_events_wait() -> None:
    """NAK names the next wanted event, the same one at most once in 250 ms; a heartbeat ahead of us asks too (REG-17)."""
    desk = in_session()
    assert desk.hear(1.0, card(3, 2), card(4, 3)) == [Nak(BOOT, 2, OURS)]
    assert desk.hear(1.1, replace(BEAT, epoch=OURS, last_seq=4, acked=1)) == []
    assert desk.hear(1.3, replace(BEAT, epoch=OURS, last_seq=4, acked=1)) == [Nak(BOOT, 2, OURS)]
    assert desk.events() == []
    desk.hear(1.4, card(2, 1), card(3, 2))
    assert [event.key.seq for event in desk.events() if isinstance(event, CardDrawn)] == [2, 3]


def test_a_repeat_is_compared_and_the_mark_acknowledged_again() -> None:
    """The same event again is told once and answered by the mark; another body under its number stops the play."""
    desk = in_session()
    desk.hear(1.0, card(2, 1))
    desk.session.accept(1.0, EventKey(BOOT, 2))
    desk.sent()
    assert desk.hear(1.1, card(2, 1)) == [Ack(BOOT, 2, OURS)]
    assert len([event for event in desk.events() if isinstance(event, CardDrawn)]) == 1
    desk.hear(1.2, card(2, 1, "KS"))
    (stop,) = desk.events()
    assert isinstance(stop, ShoeStopped)
    assert stop.code == "same_key"
    assert "KS" not in stop.reason


def test_repeats_are_compared_for_as_many_events_as_a_shoe_keeps() -> None:
    """The newest 128 bodies are remembered; one further back is taken for the repeat it is."""
    desk = in_session()
    for seq in range(2, REMEMBERED + 2):
        desk.hear(1.0, KeyPressed(BOOT, seq, "HELP"))
        desk.session.accept(1.0, EventKey(BOOT, seq))
    desk.events()
    desk.hear(1.1, Load(BOOT, 1, 1, 52, "OTHER", 0x41))
    assert desk.codes() == []
    desk.hear(1.1, KeyPressed(BOOT, 2, "OTHER"))
    assert desk.codes() == ["same_key"]


def test_sixteen_events_may_wait_for_the_table_and_the_next_is_left_to_the_shoe() -> None:
    """What the table does not keep up with is neither told nor asked for, and comes later."""
    desk = in_session()
    for number in range(1, HOST_WINDOW + 2):
        desk.hear(1.0, card(number + 1, number))
    assert len(desk.events()) == HOST_WINDOW
    assert desk.hear(1.0, card(HOST_WINDOW + 3, HOST_WINDOW + 2)) == []
    desk.session.accept(1.1, EventKey(BOOT, 2))
    desk.sent()
    desk.hear(1.2, card(HOST_WINDOW + 2, HOST_WINDOW + 1))
    assert len(desk.events()) == 1


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ((card(2, 2),), "draw_no"),
        ((card(2, 1), card(3, 1)), "draw_no"),
        ((card(2, 1), card(3, 3)), "draw_no"),
        ((Lock(BOOT, 2, "H"), card(3, 1)), "gate"),
        ((Lock(BOOT, 2, "H"), Lock(BOOT, 3, "HT"), card(4, 1)), "gate"),
        ((card(2, 1), card(3, 1, "KS", CardMode.REINSERTED)), "reinserted"),
        ((card(2, 1), card(3, 1, "??", CardMode.REINSERTED)), "reinserted"),
        ((card(2, 1), card(3, 2, "AS", CardMode.REINSERTED)), "reinserted"),
    ],
)
def test_an_event_that_cannot_be_true_stops_the_play(messages: tuple[DeviceMessage, ...], code: str) -> None:
    """Jumped draw numbers, cards through a closed gate, a wrong card back: stop, tell it once, take nothing more (REG-17)."""
    desk = in_session()
    desk.hear(1.0, *messages)
    events = desk.events()
    stops = [event for event in events if isinstance(event, ShoeStopped)]
    assert [stop.code for stop in stops] == [code]
    assert len(events) == len(messages), "the false event itself is not told"
    desk.hear(1.1, KeyPressed(BOOT, len(messages) + 2, "HELP"))
    assert desk.events() == []


def test_a_ruling_takes_the_event_that_stopped_the_play() -> None:
    """After a person's adoption the shoe is greeted again, and the event that it repeats is told."""
    desk = in_session()
    desk.hear(1.0, card(2, 5))
    assert desk.codes() == ["draw_no"]
    desk.session.adopt(2.0, BOOT, 1)
    assert desk.sent() == [HostHello(BOOT, 1, OURS, "TABLE7", 1)]
    desk.hear(2.1, replace(BEAT, epoch=OURS, last_seq=2, acked=1), card(2, 5))
    assert [event.draw_no for event in desk.events() if isinstance(event, CardDrawn)] == [5]


def test_a_stop_outlives_the_port() -> None:
    """Opening the port again does not turn a stop into a new beginning: it is told again with what the shoe is."""
    desk = in_session()
    desk.hear(1.0, card(2, 5))
    desk.events()
    desk.session.closed(2.0, "pulled")
    desk.pair(3.1, desk.open(3.0), replace(HELLO, last_seq=2), replace(BEAT, last_seq=2, acked=1, epoch=OURS))
    (stop,) = desk.events()
    assert isinstance(stop, ShoeStopped)
    assert stop.code == "draw_no"
    assert stop.found is not None


def test_a_card_that_comes_back_in_order_is_no_fault() -> None:
    """Last out, first in, with its own code; the number goes on from where it was."""
    desk = in_session()
    back = CardMode.REINSERTED
    desk.hear(1.0, card(2, 1, "AS"), card(3, 2, "KS"), card(4, 2, "KS", back), card(5, 1, "AS", back), card(6, 3, "AS"))
    assert [event.draw_no for event in desk.events() if isinstance(event, CardDrawn)] == [1, 2, 2, 1, 3]


def test_an_unknown_event_is_told_accepted_and_raised() -> None:
    """It is journalled and acknowledged, since it would come for ever otherwise, and it stops the play; the session goes on."""
    desk = in_session()
    desk.hear(1.0, UnknownEvent(BOOT, 2, "WEIGHT"))
    notice, stop = desk.events()
    assert notice == ShoeNotice("shoe", EventKey(BOOT, 2), NoticeKind.UNKNOWN, "WEIGHT")
    assert isinstance(stop, ShoeStopped)
    assert stop.code == "unknown_event"
    desk.session.accept(1.1, EventKey(BOOT, 2))
    assert desk.sent() == [Ack(BOOT, 2, OURS)]
    desk.hear(1.2, card(3, 1))
    assert len(desk.events()) == 1


KNOWN = KnownShoe(BOOT, 20, 0x41, 7)


@pytest.mark.parametrize(
    ("beat", "code"),
    [
        (replace(BEAT, boot=BOOT - 1, last_seq=20, acked=20), "boot_back"),
        (replace(BEAT, last_seq=19, acked=19), "seq_back"),
        (replace(BEAT, last_seq=22, acked=21), "tail_lost"),
        (replace(BEAT, last_seq=22, acked=20, first=22), "events_gone"),
    ],
)
def test_a_pair_that_contradicts_the_journal_stops_the_opening(beat: Heartbeat, code: str) -> None:
    """Boot or number below ours, acknowledged above ours, events gone: no session; a person's adoption goes on."""
    desk = Desk(KNOWN)
    desk.pair(0.1, desk.open(), replace(HELLO, boot=beat.boot, last_seq=beat.last_seq), beat)
    (stop,) = desk.events()
    assert isinstance(stop, ShoeStopped)
    assert stop.code == code
    assert stop.found is not None
    assert desk.hear(0.2, Load(beat.boot, 21, 1, 52, "D1", 0x41)) == []
    desk.session.adopt(5.0, beat.boot, beat.last_seq)
    assert desk.sent() == [HostHello(beat.boot, beat.last_seq, OURS, "TABLE7", 1)]


def test_the_same_start_with_what_we_have_goes_on() -> None:
    """Same boot and marks that fit: found, not rebooted, and draw numbers go on from the journal's."""
    desk = Desk(KNOWN)
    desk.pair(0.1, desk.open(), replace(HELLO, last_seq=21), replace(BEAT, last_seq=21, acked=20))
    (found,) = desk.events()
    assert isinstance(found, ShoeFound)
    assert not found.is_rebooted
    desk.session.adopt(0.2, BOOT, 20)
    desk.hear(0.3, card(21, 9))
    assert desk.codes() == ["draw_no"]


def test_a_larger_start_is_rebooted_unless_the_sequence_ended_with_equal_counters() -> None:
    """Boot + 1 with cause S and our counters goes on; with other counters, another cause or a later boot it is a restart."""
    for cause, boot, draw_no, is_rebooted in (
        (Cause.SEQUENCE_END, BOOT + 1, 7, False),
        (Cause.SEQUENCE_END, BOOT + 1, 8, True),
        (Cause.SEQUENCE_END, BOOT + 2, 7, True),
        (Cause.POWER, BOOT + 1, 7, True),
        (Cause.WATCHDOG, BOOT + 5, 0, True),
    ):
        desk = Desk(KNOWN)
        desk.pair(0.1, desk.open(), replace(HELLO, boot=boot, cause=cause), replace(BEAT, boot=boot, draw_no=draw_no))
        (found,) = desk.events()
        assert isinstance(found, ShoeFound)
        assert found.is_rebooted is is_rebooted
        desk.session.adopt(0.2, boot, 0)
        desk.hear(0.3, replace(card(1, 12), boot=boot))
        assert desk.codes() == ([] if is_rebooted else ["draw_no"])


def test_adopting_beyond_the_shoes_last_event_is_an_error_and_a_late_adoption_nothing() -> None:
    """The table cannot have accepted what was never sent; an adoption of another start is too late."""
    desk = Desk()
    desk.pair(0.1, desk.open())
    desk.session.adopt(0.2, BOOT - 1, 0)
    assert desk.sent() == []
    with pytest.raises(DriverError):
        desk.session.adopt(0.2, BOOT, 5)


def test_another_shoe_is_quarantined() -> None:
    """Another serial number, or another node than before, opens no session; ours again does."""
    other = Desk()
    other.pair(0.1, other.open(), replace(HELLO, serial="S9999999"))
    assert other.links()[-1] is LinkState.QUARANTINE
    assert other.events() == []
    swapped = in_session()
    swapped.session.closed(2.0, "pulled")
    swapped.pair(3.1, swapped.open(3.0), replace(HELLO, last_seq=1), replace(BEAT, last_seq=1, acked=1), node="SH02")
    assert swapped.links()[-1] is LinkState.QUARANTINE
    swapped.session.closed(4.0, "pulled")
    swapped.pair(5.1, swapped.open(5.0), replace(HELLO, last_seq=1), replace(BEAT, last_seq=1, acked=1))
    assert [type(event) for event in swapped.events()] == [ShoeFound]


def test_without_pairing_the_first_adopted_shoe_is_the_paired_one() -> None:
    """No serial configured: whoever is adopted first stays."""
    desk = Desk(serial=None)
    desk.pair(0.1, desk.open())
    desk.session.adopt(0.2, BOOT, 0)
    desk.sent()
    desk.session.closed(1.0, "pulled")
    desk.pair(2.1, desk.open(2.0), replace(HELLO, serial="S9999999"))
    assert desk.links()[-1] is LinkState.QUARANTINE


def test_echoes_and_other_nodes_are_dropped() -> None:
    """A line of HOST or of another node in the session changes nothing."""
    desk = in_session()
    assert desk.hear(1.0, card(2, 1), node="SH02") == []
    desk.session.received(1.0, build_line("HOST", "CARD", 2, BOOT, "AS", "C", "0001", "51", "0"))
    assert desk.events() == []


def test_a_larger_boot_in_any_line_asks_again_and_a_smaller_one_is_dropped() -> None:
    """The old session takes no event any more; an order whose fate is unknown is told so and never repeated."""
    desk = in_session()
    desk.session.order_gate(1.0, 1, is_open=True)
    desk.sent()
    assert desk.hear(1.1, replace(card(2, 1), boot=BOOT - 1)) == []
    (status,) = desk.hear(1.2, replace(BEAT, boot=BOOT + 1))
    assert isinstance(status, Command)
    assert status.verb is Verb.STATUS
    desk.hear(1.3, card(2, 1))
    assert desk.events() == []
    desk.pair(1.4, status.number, replace(HELLO, boot=BOOT + 1), replace(BEAT, boot=BOOT + 1))
    desk.session.adopt(1.5, BOOT + 1, 0)
    found, done = desk.events()
    assert isinstance(found, ShoeFound)
    assert found.is_rebooted
    assert isinstance(done, CommandDone)
    assert (done.order, done.ok) == (1, False)
    desk.hear(1.6, replace(BEAT, boot=BOOT + 1, epoch=OURS))
    desk.session.sign_of_life(3.5)
    assert not any(isinstance(m, Command) for m in desk.sent())


def test_a_heartbeat_that_acknowledges_more_than_we_have_asks_again() -> None:
    """Only a fresh pair may raise the fault, so the session is opened anew."""
    desk = in_session()
    (status,) = desk.hear(1.0, replace(BEAT, epoch=OURS, last_seq=9, acked=9))
    assert isinstance(status, Command)
    desk.pair(1.1, status.number, replace(HELLO, last_seq=9), replace(BEAT, last_seq=9, acked=9))
    assert desk.codes() == ["tail_lost"]


def test_an_order_is_repeated_byte_for_byte_until_answered() -> None:
    """Every 0.5 s; OK tells the barrier; then the next one goes."""
    desk = in_session()
    desk.session.order_gate(10.0, 1, is_open=True)
    (first,) = desk.sent()
    assert first == Command(BOOT, 1, OURS, Verb.LOCK, "0")
    times = []
    for hundredth in range(1, 700):
        now = 10.0 + hundredth / 100
        if hundredth % 100 == 0:
            desk.session.sign_of_life(now)
        desk.session.tick(now)
        times += [round(now - 10, 2) for m in desk.sent() if m == first]
    assert times == [0.5 * number for number in range(1, 14)]
    desk.session.order_gate(16.995, 2, is_open=False)
    assert desk.sent() == []
    desk.hear(17.1, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    assert desk.hear(17.1, Response(BOOT, 1, OURS, Outcome.OK, 2)) == [Command(BOOT, 2, OURS, Verb.LOCK, "1")]
    assert desk.events() == [CommandDone("shoe", 1, ok=True, barrier=2, reason="")]


def test_busy_goes_on_and_an_error_ends_an_order() -> None:
    """BUSY was not done: the repeats go on. ERR tells its reason. Answers to other orders or epochs change nothing."""
    desk = in_session()
    desk.session.order_gate(1.0, 1, is_open=False)
    desk.sent()
    desk.hear(
        1.1, Response(BOOT, 1, OURS, Outcome.BUSY), Response(BOOT, 9, OURS, Outcome.OK, 1), Response(BOOT, 1, OLD, Outcome.OK, 1)
    )
    assert desk.events() == []
    desk.session.tick(1.5)
    assert desk.sent() == [Command(BOOT, 1, OURS, Verb.LOCK, "1")]
    desk.hear(1.6, Response(BOOT, 1, OURS, Outcome.ERR, 0, "NOLK"))
    assert desk.events() == [CommandDone("shoe", 1, ok=False, barrier=0, reason="the shoe refused: NOLK")]


def test_a_newer_order_replaces_one_that_was_never_sent() -> None:
    """One under way, one waiting; the third replaces the second. Ids must grow."""
    desk = in_session()
    for order in (1, 2, 3):
        desk.session.order_gate(1.0, order, is_open=order % 2 == 0)
    assert desk.sent() == [Command(BOOT, 1, OURS, Verb.LOCK, "1")]
    (done,) = desk.events()
    assert isinstance(done, CommandDone)
    assert (done.order, done.ok) == (2, False)
    with pytest.raises(DriverError):
        desk.session.order_gate(1.0, 3, is_open=True)
    with pytest.raises(DriverError):
        desk.session.order_gate(1.0, 0x10000, is_open=True)


def test_no_order_leaves_before_the_heartbeat_shows_our_epoch() -> None:
    """An order given at the adoption waits for the session."""
    desk = Desk()
    desk.pair(0.1, desk.open())
    desk.session.adopt(0.2, BOOT, 0)
    desk.session.order_gate(0.2, 1, is_open=False)
    assert not any(isinstance(m, Command) for m in desk.sent())
    assert desk.hear(0.3, replace(BEAT, epoch=OURS)) == [Command(BOOT, 1, OURS, Verb.LOCK, "1")]


@pytest.mark.parametrize(
    "line",
    [
        replace(BEAT, epoch=Epoch(8, 0)),
        replace(BEAT, epoch=Epoch(7, 0)),
        Response(BOOT, 1, OURS, Outcome.ERR, 0, "FENCED"),
    ],
)
def test_a_fenced_controller_stops_at_once(line: DeviceMessage) -> None:
    """A larger epoch, a clone with our start number, or FENCED to our order: stop, hang up, say nothing more."""
    desk = in_session()
    desk.hear(1.0, line)
    assert desk.codes() == ["fenced"]
    assert desk.hung_up
    desk.session.sign_of_life(2.0)
    desk.session.order_gate(2.0, 1, is_open=True)
    desk.session.opened(3.0)
    assert desk.sent() == []
    assert desk.session.phase is Phase.FENCED


def test_signs_of_life_become_acks_and_without_them_nothing_but_status_is_sent() -> None:
    """One ACK for each second of calls; 1.5 s after the last call NAK, repeats and duplicates' ACKs stay unsent."""
    desk = in_session()
    sent = []
    for quarter in range(1, 21):
        desk.session.sign_of_life(5.0 + quarter / 4)
        sent += desk.sent()
    assert sent
    assert set(sent) == {Ack(BOOT, 1, OURS)}
    assert 5 <= len(sent) <= 10
    desk.session.order_gate(10.1, 1, is_open=True)
    desk.sent()
    now = 12.0
    assert desk.hear(now, card(4, 3), Load(BOOT, 1, 1, 52, "D1", 0x41)) == []
    desk.session.tick(now)
    assert desk.sent() == []
    assert desk.session.next_at(now) > now, "withheld lines do not spin the timer"
    desk.session.sign_of_life(13.0)
    assert [type(m) for m in desk.sent()] == [Ack, Command]


def test_silence_makes_a_link_stale_then_down_and_a_line_brings_it_back() -> None:
    """2.5 s and 5 s without a valid line; noise is no sign of life."""
    desk = in_session()
    desk.hear(10.0, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    desk.told.clear()
    assert desk.session.next_at(10.0) == pytest.approx(12.5)
    desk.session.received(12.0, b"\xff\xff\xff\n")
    desk.session.tick(12.5)
    desk.session.tick(15.0)
    desk.hear(16.0, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    assert desk.links() == [LinkState.STALE, LinkState.DOWN, LinkState.UP]


def test_a_dead_way_to_the_shoe_is_down() -> None:
    """Heartbeats that show our ACK not arriving for 3 s; one that shows progress brings the link back."""
    desk = in_session()
    desk.hear(1.0, card(2, 1))
    desk.session.accept(1.0, EventKey(BOOT, 2))
    desk.told.clear()
    for now in (1.5, 2.5, 3.5):
        desk.hear(now, replace(BEAT, epoch=OURS, last_seq=2, acked=1))
    assert desk.links() == []
    desk.hear(4.5, replace(BEAT, epoch=OURS, last_seq=2, acked=1))
    desk.hear(5.5, replace(BEAT, epoch=OURS, last_seq=2, acked=2))
    assert desk.links() == [LinkState.DOWN, LinkState.UP]


def test_more_than_five_bad_lines_in_ten_seconds_degrade_the_link_for_a_minute() -> None:
    """Five are tolerated, the sixth is not; over after 60 s without one."""
    desk = in_session()
    bad = b"$1,SH01,CARD,0002*0000\r\n"
    for second in range(5):
        desk.session.received(1.0 + second, bad)
    assert not desk.session.health.is_degraded
    desk.session.received(6.0, bad)
    assert desk.session.health.is_degraded
    desk.hear(65.9, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    assert desk.session.health.is_degraded
    assert desk.links()[-1] is LinkState.DEGRADED
    desk.hear(66.0, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    assert not desk.session.health.is_degraded
    assert desk.links()[-1] is LinkState.UP


def test_a_degraded_link_is_no_better_while_it_is_silent_or_asked_again() -> None:
    """Whatever opens the gate on a good link does not for these; 5 s of silence are still down, and no timer runs idle."""
    desk = in_session()
    desk.hear(1.0, replace(BEAT, epoch=OURS, last_seq=1, acked=1))
    desk.told.clear()
    for _ in range(6):
        desk.session.received(1.0, b"$1,SH01,CARD,0002*0000\r\n")
    assert desk.links() == [LinkState.DEGRADED]
    desk.session.tick(3.5)
    assert desk.links() == [LinkState.DEGRADED, LinkState.DEGRADED]
    assert desk.session.next_at(3.5) == pytest.approx(6.0)
    desk.session.tick(6.0)
    assert desk.links()[-1] is LinkState.DOWN
    desk.session.closed(6.5, "pulled")
    desk.session.opened(7.0)
    assert desk.links()[-1] is LinkState.DEGRADED


def test_lines_of_another_version_are_a_protocol_mismatch() -> None:
    """Told once, STATUS at most once a second, no NAK."""
    desk = in_session()
    line = b"$2,SH01,CARD,0002,7F3A*%04X\r\n"
    line %= binascii.crc_hqx(line[1:-7], 0xFFFF)
    for tenth in range(20):
        desk.session.received(1.0 + tenth / 10, line)
    sent = desk.sent()
    assert [m.verb for m in sent if isinstance(m, Command)] == [Verb.STATUS, Verb.STATUS]
    assert len(sent) == 2
    assert desk.codes() == ["version"]


def test_a_shoe_of_another_major_version_is_not_adopted() -> None:
    """A pair whose versions do not include 1 stops the opening."""
    desk = Desk()
    desk.pair(0.1, desk.open(), replace(HELLO, min_version=2, max_version=3))
    assert desk.codes() == ["version"]
