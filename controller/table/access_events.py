"""People at the table's consoles and displays, on record: who signed in and out, who failed to, who drives, which seat asks for
the floor, who has seen an alarm, and what the floor orders from its own screen (REG-13, REG-28, REG-38).

No badge, no PIN and nothing that was typed in their place stands in any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person signed in at a console; ``means``: ``badge`` or ``pin``."""

    person: str
    role: str
    console: str
    means: str


@dataclass(frozen=True, slots=True)
class SignedOut:
    """A person is signed in there no longer; ``cause``: ``signed_out``, ``locked``, ``relieved`` by another person, ``idle``,
    ``expired``, ``struck_off`` the people file, or ``too_many`` others signed in since."""

    person: str
    console: str
    cause: str


@dataclass(frozen=True, slots=True)
class SignInFailed:
    """Somebody failed to sign in, or to agree, from address ``source``. ``person``: whose number was given, empty for nobody's;
    ``failures`` in a row from there, after which the next try waits ``wait_s`` seconds."""

    person: str
    source: str
    failures: int
    wait_s: int


@dataclass(frozen=True, slots=True)
class WheelTaken:
    """A console drives the table from now on, the others watch; ``name`` is what people read, ``person`` who took it."""

    console: str
    name: str
    person: str


@dataclass(frozen=True, slots=True)
class WheelReturned:
    """The console that drove let go: the one before it drives again, if there was one."""

    console: str


@dataclass(frozen=True, slots=True)
class FloorAsked:
    """A player asks for the floor from its seat's display: a prompt, which stops nothing (R-RULE-01)."""

    seat: int


@dataclass(frozen=True, slots=True)
class FloorAnswered:
    """Somebody came to that seat; who stands with the command."""

    seat: int


@dataclass(frozen=True, slots=True)
class AlarmAcknowledged:
    """``by`` has seen the alarm of that name that stands since record ``raised_seq``, which ends nothing; ``role`` as signed in
    (``open``: nobody signs in)."""

    alarm: str
    raised_seq: int
    by: str
    role: str


@dataclass(frozen=True, slots=True)
class FloorOrdered:
    """The command under ``key`` came from the floor's own screen: from ``person`` of that ``role``, and ``agreed_by`` of
    ``agreed_role``, both as they had signed in there (``open``: nobody signs in there). ``floor`` names the key that signed it,
    ``token`` its token."""

    key: str
    person: str
    role: str
    agreed_by: str
    agreed_role: str
    floor: str
    token: str


SignEvent: TypeAlias = SignedIn | SignedOut | SignInFailed
AccessEvent: TypeAlias = SignEvent | WheelTaken | WheelReturned | FloorAsked | FloorAnswered | AlarmAcknowledged | FloorOrdered
