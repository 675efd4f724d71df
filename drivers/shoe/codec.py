"""TSP/1 lines to typed messages and back.

``parse_device`` and ``parse_host`` take a checked ``Line``; fields beyond the known ones are ignored (TSP/1 versioning). An event
of an unknown type or with an unreadable field becomes ``UnknownEvent``: it must be journalled and acknowledged like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from drivers.shoe.lines import HOST, Line, LineError, build_line, parse_decimal, parse_hex
from drivers.shoe.messages import (
    CODES,
    GATE_LETTERS,
    NOT_TOLD,
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
    EventMessage,
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

AUTHENTICATED: Final = "AU"
"""Capability of a shoe whose lines bear counter and tag."""
NONCE_DIGITS: Final = 16


def parse_epoch(text: str) -> Epoch:
    """8 hex digits as an epoch; ``LineError`` otherwise."""
    number = parse_hex(text, 8)
    return Epoch(number >> 16, number & 0xFFFF)


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise LineError("a field that should be 0 or 1 is not")
    return text == "1"


def _letters(text: str) -> str:
    if text == "-":
        return ""
    if not text or not set(GATE_LETTERS).issuperset(text):
        raise LineError("a gate field with unknown letters")
    return text


def _plus(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("+") if part)


def _hello(line: Line) -> DeviceHello:
    model, firmware, low, high, caps_text, cause, serial, re, *more = line.fields
    versions, caps = (parse_decimal(low), parse_decimal(high)), _plus(caps_text)
    nonce = _nonce(more[0]) if AUTHENTICATED in caps else ""
    return DeviceHello(line.boot, line.seq, model, firmware, *versions, caps, Cause(cause), serial, parse_hex(re, 4), nonce)


def _nonce(text: str) -> str:
    parse_hex(text, NONCE_DIGITS)
    return text


def _heartbeat(line: Line) -> Heartbeat:
    state, errors, remaining, uptime, load, draw_no, gate, first, acked, epoch, command, re, *_ = line.fields
    return Heartbeat(
        boot=line.boot,
        last_seq=line.seq,
        state=state,
        errors=() if errors == "0" else _plus(errors),
        remaining=parse_decimal(remaining),
        uptime_s=parse_decimal(uptime),
        load=parse_hex(load, 4),
        draw_no=parse_decimal(draw_no),
        gate=_letters(gate),
        first=parse_hex(first, 4),
        acked=parse_hex(acked, 4),
        epoch=parse_epoch(epoch),
        command=parse_hex(command, 4),
        re=parse_hex(re, 4),
    )


def _response(line: Line) -> Response:
    epoch, outcome, *rest = line.fields
    match Outcome(outcome):
        case Outcome.OK:
            return Response(line.boot, line.seq, parse_epoch(epoch), Outcome.OK, parse_hex(rest[0], 4))
        case Outcome.ERR:
            return Response(line.boot, line.seq, parse_epoch(epoch), Outcome.ERR, 0, rest[0])
        case Outcome.BUSY:
            return Response(line.boot, line.seq, parse_epoch(epoch), Outcome.BUSY)


def _load(line: Line) -> Load:
    decks, cards, set_id, load, *_ = line.fields
    return Load(line.boot, line.seq, parse_decimal(decks), parse_decimal(cards), set_id, parse_hex(load, 4))


def _card(line: Line) -> CardRead:
    code, mode_text, draw_no, remaining, gap, *_ = line.fields
    mode = CardMode(mode_text)
    if code not in (CODES if mode is not CardMode.STAGED else (NOT_TOLD,)):
        raise LineError("a CARD with a code that its mode does not allow")
    return CardRead(line.boot, line.seq, code, mode, parse_decimal(draw_no), parse_decimal(remaining), parse_decimal(gap))


def _lid(line: Line) -> Lid:
    state, *_ = line.fields
    if state not in ("O", "C"):
        raise LineError("a LID that is neither O nor C")
    return Lid(boot=line.boot, seq=line.seq, is_open=state == "O")


def _error(line: Line) -> ErrorRaised:
    code, latched, draw_no, *_ = line.fields
    return ErrorRaised(boot=line.boot, seq=line.seq, code=code, latched=_flag(latched), draw_no=parse_decimal(draw_no))


def _lock(line: Line) -> Lock:
    closed, letters, *_ = line.fields
    holders = _letters(letters)
    if _flag(closed) != bool(holders):
        raise LineError("a LOCK whose flag and letters disagree")
    return Lock(line.boot, line.seq, holders)


_EVENTS: Final[dict[str, Callable[[Line], EventMessage]]] = {
    "LOAD": _load,
    "CARD": _card,
    "CUT": lambda line: Cut(line.boot, line.seq, parse_decimal(line.fields[0])),
    "EMPTY": lambda line: Empty(line.boot, line.seq),
    "LID": _lid,
    "KEY": lambda line: KeyPressed(line.boot, line.seq, line.fields[0]),
    "ERR": _error,
    "CLR": lambda line: ErrorCleared(line.boot, line.seq, line.fields[0]),
    "LOCK": _lock,
}
_REPORTS: Final[dict[str, Callable[[Line], DeviceHello | Heartbeat | Response]]] = {
    "HELLO": _hello,
    "HB": _heartbeat,
    "RSP": _response,
}


def parse_device(line: Line) -> DeviceMessage:
    """The shoe's message. ``LineError`` for an unreadable HELLO, HB or RSP and for an event without a number."""
    report = _REPORTS.get(line.type)
    if report is not None:
        try:
            return report(line)
        except (ValueError, IndexError, LineError):
            raise LineError(f"an unreadable {line.type} line: check the shoe's firmware") from None
    if line.seq == 0 or line.boot == 0:
        raise LineError("an event without number or start counter: check the shoe's firmware")
    parse = _EVENTS.get(line.type)
    if parse is not None:
        try:
            return parse(line)
        except (ValueError, IndexError, LineError):
            pass  # an unreadable field: the event counts all the same
    return UnknownEvent(line.boot, line.seq, line.type)


def parse_host(line: Line) -> HostMessage:
    """The host's message; ``LineError`` when it is none."""
    try:
        epoch = parse_epoch(line.fields[0])
        match (line.type, *line.fields[1:]):
            case ("HELLO", controller, version, *more):
                nonces = "".join(map(_nonce, more[:2])) if len(more) > 1 else ""
                return HostHello(line.boot, line.seq, epoch, controller, parse_decimal(version), nonces)
            case ("ACK", *_):
                return Ack(line.boot, line.seq, epoch)
            case ("NAK", *rest):
                return Nak(line.boot, line.seq, epoch, rest[0] if rest else "")
            case ("CMD", verb, *rest):
                return Command(line.boot, line.seq, epoch, Verb(verb), rest[0] if rest else "")
            case _:
                pass
    except (ValueError, IndexError):
        pass  # falls through to the one refusal
    raise LineError("an unreadable host line")


def format_host(message: HostMessage) -> bytes:
    """The host's line."""
    match message:
        case HostHello(boot, seq, epoch, controller, version, nonces):
            more = (nonces[:NONCE_DIGITS], nonces[NONCE_DIGITS:]) if nonces else ()
            return build_line(HOST, "HELLO", seq, boot, str(epoch), controller, str(version), *more)
        case Ack(boot, seq, epoch):
            return build_line(HOST, "ACK", seq, boot, str(epoch))
        case Nak(boot, seq, epoch, reason):
            return build_line(HOST, "NAK", seq, boot, str(epoch), *((reason,) if reason else ()))
        case Command(boot, number, epoch, verb, argument):
            return build_line(HOST, "CMD", number, boot, str(epoch), verb.value, *((argument,) if argument else ()))


def format_device(node: str, message: DeviceMessage) -> bytes:
    """The shoe's line; ``node`` is its name on the line."""
    match message:
        case DeviceHello(boot, seq, model, firmware, low, high, caps, cause, serial, re, nonce):
            fields = (model, firmware, str(low), str(high), "+".join(caps), cause.value, serial, f"{re:04X}")
            return build_line(node, "HELLO", seq, boot, *fields, *((nonce,) if nonce else ()))
        case Heartbeat():
            return build_line(node, "HB", message.last_seq, message.boot, *_heartbeat_fields(message))
        case Response(boot, number, epoch, outcome, barrier, reason):
            extra = {Outcome.OK: (f"{barrier:04X}",), Outcome.BUSY: (), Outcome.ERR: (reason,)}[outcome]
            return build_line(node, "RSP", number, boot, str(epoch), outcome.value, *extra)
        case UnknownEvent(boot, seq, kind):
            return build_line(node, kind, seq, boot)
        case _:
            kind, *fields_of_event = _event_fields(message)
            return build_line(node, kind, message.seq, message.boot, *fields_of_event)


def _heartbeat_fields(beat: Heartbeat) -> tuple[str, ...]:
    return (
        beat.state,
        "+".join(beat.errors) or "0",
        str(beat.remaining),
        str(beat.uptime_s),
        f"{beat.load:04X}",
        f"{beat.draw_no:04d}",
        beat.gate or "-",
        f"{beat.first:04X}",
        f"{beat.acked:04X}",
        str(beat.epoch),
        f"{beat.command:04X}",
        f"{beat.re:04X}",
    )


def _event_fields(
    event: Load | CardRead | Cut | Empty | Lid | KeyPressed | ErrorRaised | ErrorCleared | Lock,
) -> tuple[str, ...]:
    """Type and fields of an event."""
    match event:
        case Load():
            return "LOAD", str(event.decks), str(event.cards), event.set_id, f"{event.load:04X}"
        case CardRead():
            counts = f"{event.draw_no:04d}", str(event.remaining), str(event.gap_ms)
            return "CARD", event.code, event.mode.value, *counts
        case Cut():
            return "CUT", f"{event.draw_no:04d}"
        case Empty():
            return ("EMPTY",)
        case Lid():
            return "LID", "O" if event.is_open else "C"
        case KeyPressed():
            return "KEY", event.name
        case ErrorRaised():
            return "ERR", event.code, "1" if event.latched else "0", f"{event.draw_no:04d}"
        case ErrorCleared():
            return "CLR", event.code
        case Lock():
            return "LOCK", "1" if event.holders else "0", event.holders or "-"
