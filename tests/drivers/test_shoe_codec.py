"""TSP/1 messages against lines worked out by hand: each is read as its message and written as the same bytes."""

from __future__ import annotations

import pytest

from drivers.shoe.codec import format_device, format_host, parse_device, parse_host
from drivers.shoe.lines import LineError, LineFramer, build_line, parse_line
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

BOOT = 0x7F3A
OURS = Epoch(0x0007, 0xA31C)
CAPS = ("LK", "LD", "PR")

DEVICE: list[tuple[bytes, DeviceMessage]] = [
    (
        b"$1,SH01,HELLO,0000,7F3A,SIMSHOE,1.0.0,1,1,LK+LD+PR,P,S0012345,51C4*648E",
        DeviceHello(BOOT, 0, "SIMSHOE", "1.0.0", 1, 1, CAPS, Cause.POWER, "S0012345", 0x51C4),
    ),
    (
        b"$1,SH01,HELLO,0000,7F3A,SIMSHOE,1.0.0,1,1,LK+LD+PR,P,S0012345,0000*F275",
        DeviceHello(BOOT, 0, "SIMSHOE", "1.0.0", 1, 1, CAPS, Cause.POWER, "S0012345", 0),
    ),
    (
        b"$1,SH01,HELLO,0000,7F3B,SIMSHOE,1.0.0,1,1,LK+LD+PR,S,S0012345,0000*D964",
        DeviceHello(0x7F3B, 0, "SIMSHOE", "1.0.0", 1, 1, CAPS, Cause.SEQUENCE_END, "S0012345", 0),
    ),
    (
        b"$1,SH01,HB,0000,7F3A,LOCKED,0,52,12,0041,0000,H,0001,0000,00000000,0000,51C4*C447",
        Heartbeat(BOOT, 0, "LOCKED", (), 52, 12, 0x41, 0, "H", 1, 0, Epoch(0, 0), 0, 0x51C4),
    ),
    (
        b"$1,SH01,HB,0003,7F3A,READY,0,50,86400,0042,0002,-,0001,0003,0007A31C,0010,0000*9AF6",
        Heartbeat(BOOT, 3, "READY", (), 50, 86400, 0x42, 2, "", 1, 3, OURS, 0x10, 0),
    ),
    (b"$1,SH01,LOAD,0001,7F3A,1,52,D20260117A,0042*9D8F", Load(BOOT, 1, 1, 52, "D20260117A", 0x42)),
    (b"$1,SH01,CARD,0002,7F3A,AS,C,0001,51,412*CDA1", CardRead(BOOT, 2, "AS", CardMode.COUNTED, 1, 51, 412)),
    (b"$1,SH01,CARD,0003,7F3A,??,N,0002,50,380*ADB2", CardRead(BOOT, 3, "??", CardMode.NO_CONFIDENCE, 2, 50, 380)),
    (
        b"$1,SH01,ERR,0004,7F3A,E1,1,0002*1BBA",
        ErrorRaised(boot=BOOT, seq=4, code="E1", latched=True, draw_no=2),
    ),
    (b"$1,SH01,CLR,0005,7F3A,E1*96C3", ErrorCleared(BOOT, 5, "E1")),
    (b"$1,SH01,CUT,0006,7F3A,0031*D564", Cut(BOOT, 6, 31)),
    (b"$1,SH01,LID,0007,7F3A,O*F697", Lid(boot=BOOT, seq=7, is_open=True)),
    (b"$1,SH01,LOCK,0008,7F3A,1,H*C40A", Lock(BOOT, 8, "H")),
    (b"$1,SH01,LOCK,0009,7F3A,0,-*A07C", Lock(BOOT, 9, "")),
    (b"$1,SH01,RSP,0011,7F3A,0007A31C,OK,0008*4234", Response(BOOT, 0x11, OURS, Outcome.OK, 8)),
    (b"$1,SH01,RSP,0012,7F3A,0007A31C,OK,0009*FD08", Response(BOOT, 0x12, OURS, Outcome.OK, 9)),
    (
        b"$1,SH01,RSP,0013,7F3A,00069D02,ERR,FENCED*2584",
        Response(BOOT, 0x13, Epoch(0x0006, 0x9D02), Outcome.ERR, 0, "FENCED"),
    ),
    (b"$1,SH01,CARD,000A,7F3A,--,S,0003,50,0*4017", CardRead(BOOT, 10, "--", CardMode.STAGED, 3, 50, 0)),
    (b"$1,SH01,CARD,000B,7F3A,KH,C,0003,49,900*1EEC", CardRead(BOOT, 11, "KH", CardMode.COUNTED, 3, 49, 900)),
    (b"$1,SH01,CARD,000C,7F3A,KH,R,0003,50,0*A9F2", CardRead(BOOT, 12, "KH", CardMode.REINSERTED, 3, 50, 0)),
]

HOST: list[tuple[bytes, HostMessage]] = [
    (b"$1,HOST,CMD,51C4,0000,0007A31C,STATUS*F9AC", Command(0, 0x51C4, OURS, Verb.STATUS)),
    (b"$1,HOST,HELLO,0000,7F3A,0007A31C,TABLE7,1*E6C4", HostHello(BOOT, 0, OURS, "TABLE7", 1)),
    (b"$1,HOST,ACK,0003,7F3A,0007A31C*33FF", Ack(BOOT, 3, OURS)),
    (b"$1,HOST,NAK,0002,7F3A,0007A31C*6944", Nak(BOOT, 2, OURS)),
    (b"$1,HOST,CMD,0011,7F3A,0007A31C,LOCK,1*E007", Command(BOOT, 0x11, OURS, Verb.LOCK, "1")),
    (b"$1,HOST,CMD,0012,7F3A,0007A31C,LOCK,0*464E", Command(BOOT, 0x12, OURS, Verb.LOCK, "0")),
]


@pytest.mark.parametrize(("line", "message"), DEVICE)
def test_a_line_of_the_shoe_is_its_message_and_back(line: bytes, message: DeviceMessage) -> None:
    """Golden lines of the shoe, both ways."""
    (body,) = LineFramer().feed(line + b"\r\n")
    assert parse_device(parse_line(body)) == message
    assert format_device("SH01", message) == line + b"\r\n"


@pytest.mark.parametrize(("line", "message"), HOST)
def test_a_line_of_the_host_is_its_message_and_back(line: bytes, message: HostMessage) -> None:
    """Golden lines of the host, both ways."""
    (body,) = LineFramer().feed(line + b"\r\n")
    assert parse_host(parse_line(body)) == message
    assert format_host(message) == line + b"\r\n"


@pytest.mark.parametrize(
    "message",
    [
        Empty(BOOT, 1),
        KeyPressed(BOOT, 2, "SHUFFLE, now*"),
        Response(BOOT, 3, OURS, Outcome.BUSY),
        Lock(BOOT, 4, "HKRET"),
        Lid(boot=BOOT, seq=5, is_open=False),
        ErrorRaised(boot=BOOT, seq=6, code="E3", latched=False, draw_no=0),
        Heartbeat(BOOT, 3, "FAULT", ("E1", "E7"), -1, 0, 0, 0, "HE", 1, 0, OURS, 0, 0),
        UnknownEvent(BOOT, 7, "WEIGHT"),
    ],
)
def test_messages_without_a_golden_line_go_both_ways(message: DeviceMessage) -> None:
    """Write and read give the same message."""
    (body,) = LineFramer().feed(format_device("SH01", message))
    assert parse_device(parse_line(body)) == message


def read(kind: str, *fields: str, seq: int = 1, boot: int = BOOT) -> DeviceMessage:
    (body,) = LineFramer().feed(build_line("SH01", kind, seq, boot, *fields))
    return parse_device(parse_line(body))


def test_more_fields_than_known_are_ignored() -> None:
    """Fields may be appended within a major version."""
    assert read("CUT", "0031", "new") == Cut(BOOT, 1, 31)
    assert read("RSP", "0007A31C", "OK", "0008", "new") == Response(BOOT, 1, OURS, Outcome.OK, 8)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("WEIGHT", ("5",)),
        ("CARD", ("1S", "C", "0001", "51", "0")),
        ("CARD", ("--", "C", "0001", "51", "0")),
        ("CARD", ("AS", "S", "0001", "51", "0")),
        ("CARD", ("AS", "Q", "0001", "51", "0")),
        ("CARD", ("AS", "C", "x", "51", "0")),
        ("CARD", ("AS",)),
        ("LOCK", ("0", "H")),
        ("LOCK", ("1", "Z")),
        ("LID", ("X",)),
        ("ERR", ("E1", "2", "0000")),
        ("CUT", ()),
        ("KEY", ()),
    ],
)
def test_an_event_that_cannot_be_read_is_still_an_event(kind: str, fields: tuple[str, ...]) -> None:
    """Unknown types and unreadable fields keep their key, so that they can be journalled and acknowledged; no card shows."""
    message = read(kind, *fields)
    assert message == UnknownEvent(BOOT, 1, kind)


@pytest.mark.parametrize("kind", ["HELLO", "HB", "RSP"])
def test_a_report_that_cannot_be_read_is_refused(kind: str) -> None:
    """HELLO, HB and RSP are not events: unreadable ones are dropped."""
    with pytest.raises(LineError):
        read(kind, "x")


def test_an_event_needs_a_number_and_a_start() -> None:
    """Event 0 and boot 0 do not exist."""
    for seq, boot in ((0, BOOT), (1, 0)):
        with pytest.raises(LineError):
            read("EMPTY", seq=seq, boot=boot)


@pytest.mark.parametrize("fields", [(), ("0007A31C",), ("0007A31C", "JUMP"), ("7A31C", "LOCK", "1"), ("0007A31C", "LOCK", "1")])
def test_a_host_line_that_cannot_be_read_is_refused(fields: tuple[str, ...]) -> None:
    """Commands without epoch or with an unknown verb, and unknown types, are no host lines."""
    kind = "CMD" if fields != ("0007A31C", "LOCK", "1") else "WHAT"
    (body,) = LineFramer().feed(build_line("HOST", kind, 1, BOOT, *fields))
    with pytest.raises(LineError):
        parse_host(parse_line(body))


def test_no_message_prints_its_card() -> None:
    """``repr`` of a card message leaves the code out."""
    assert "KH" not in repr(read("CARD", "KH", "C", "0003", "49", "900"))


def test_epochs_beat_each_other_by_counter_and_differ_by_salt() -> None:
    """A larger counter beats, a smaller does not, the same counter with another random part does, the same epoch does not."""
    assert Epoch(8, 0).beats(Epoch(7, 0xFFFF))
    assert not Epoch(7, 0xFFFF).beats(Epoch(8, 0))
    assert Epoch(7, 1).beats(Epoch(7, 2))
    assert not Epoch(7, 1).beats(Epoch(7, 1))
