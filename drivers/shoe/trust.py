"""What a host makes of lines without a good tag, and of a shoe with a lock that the table has no key for (TSP/1 `AU`)."""

from __future__ import annotations

from typing import Final

from drivers.ports import Trouble, trouble
from drivers.shoe.authentication import HostLock
from drivers.shoe.codec import AUTHENTICATED, parse_device
from drivers.shoe.evidence import ProtocolFault
from drivers.shoe.lines import LineError, parse_line
from drivers.shoe.link_health import LinkHealth
from drivers.shoe.messages import DeviceHello, DeviceMessage, Heartbeat

OPEN: Final = (
    "the shoe at {name} does not authenticate its lines: "
    "use one that does and is paired with this table, or take shoe.key_file out"
)
LOCKED: Final = "the shoe at {name} authenticates its lines: name its key under shoe.key_file"


def locked_shoe(name: str) -> Trouble:
    """The shoe demands authentication and the table has no key."""
    return trouble("shoe_locked", LOCKED, name=name)


def opens(message: DeviceMessage, *, is_asked: bool) -> bool:
    """Under the key of the opening a shoe says who it is, and answers our question; nothing else."""
    return isinstance(message, DeviceHello) or (isinstance(message, Heartbeat) and is_asked)


def lock_trouble(name: str, hello: DeviceHello, *, has_key: bool) -> Trouble | None:
    """Why a shoe that says ``hello`` fits no table with, or without, a key; None when it does."""
    if (AUTHENTICATED in hello.caps) is has_key:
        return None
    return trouble("shoe_open", OPEN, name=name) if has_key else locked_shoe(name)


def distrust(
    now: float, lock: HostLock | None, health: LinkHealth, name: str, body: bytes, *, is_asked: bool
) -> ProtocolFault | None:
    """Count a line without a good tag; the fault when there are too many of them. A shoe that does not authenticate is
    quarantined when it answers our question: there is no way down to an open line. In a session its HELLO is a bad line like
    any other, or one forged line would shut the right shoe out and silence the alarm."""
    health.bad_lines(now, 1)
    if lock is not None:
        health.tags = lock.counters
    if is_asked and _is_open_hello(body):
        health.heard(now)
        health.quarantine(trouble("shoe_open", OPEN, name=name))
    if lock is None or health.trouble is not None or not lock.is_tampered(now):
        return None
    return ProtocolFault("tamper", "Lines that are not the shoe's come over its line: look who is at the cable.")


def _is_open_hello(body: bytes) -> bool:
    """Whether the line is the HELLO of a shoe that does not authenticate."""
    try:
        message = parse_device(parse_line(body))
    except LineError:
        return False
    return isinstance(message, DeviceHello) and AUTHENTICATED not in message.caps
