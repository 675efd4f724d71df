"""Who is signed in where. Tokens are random and kept as digests; a start of the controller forgets them all.

A session belongs to one console. When it is locked, its person is gone and the console still reads; another person signs in on
it, and the hand goes on meanwhile. Pure but for clock and randomness, which are passed in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, NamedTuple

from controller.access.people import Person, Role

IDLE_S: Final[Mapping[Role, float]] = {
    Role.DEALER: 30 * 60.0,
    Role.FLOOR: 10 * 60.0,
    Role.SURVEILLANCE: 12 * 3600.0,
    Role.ENGINEER: 10 * 60.0,
    Role.AUDITOR: 12 * 3600.0,
}
"""Seconds without a request by its person after which a session is locked; who surveys or audits only looks."""
LONGEST_S: Final = 12 * 3600.0
"""A session ends so long after its person signed in."""
MAX_SESSIONS: Final = 64
"""Sessions at a table; one more ends the one that was idle longest, and not the one that drives a hand."""
APPROVAL_S: Final = 120.0
"""How long a consent stands (screens §7)."""
MAX_APPROVALS: Final = 64
TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """A console with its person, ``None`` while it is locked; ``left`` is then who was there. Times are of the monotonic clock,
    in seconds."""

    console: str
    person: Person | None
    began: float
    seen: float
    left: Person | None = None


class Departure(NamedTuple):
    """Somebody is no longer signed in: at which console, and why (``SignedOut``)."""

    person: str
    console: str
    cause: str


class _Approval(NamedTuple):
    person: Person
    session: str
    content: str
    ends: float
    key: str = ""


def digest(token: str) -> str:
    """What is kept of a token."""
    return sha256(token.encode()).hexdigest()


class Sessions:
    """The sessions of one table. ``left`` hears of each departure; ``spared`` tells whose console must not be locked now."""

    def __init__(
        self,
        clock: Callable[[], float],
        left: Callable[[Departure], None],
        spared: Callable[[str], bool] = lambda _console: False,
        new_token: Callable[[], str] = lambda: secrets.token_urlsafe(TOKEN_BYTES),
    ) -> None:
        self._clock = clock
        self._left = left
        self._spared = spared
        self._new_token = new_token
        self._open: dict[str, Session] = {}
        self._approvals: dict[str, _Approval] = {}

    def start(self, person: Person, before: str = "") -> tuple[str, Session]:
        """A session under a new token; on the console of the session ``before`` where that one still stands, which ends."""
        self.sweep()
        old = self._open.get(digest(before))
        if old is None and len(self._open) >= MAX_SESSIONS:
            idlest = min(self._open, key=lambda kept: (self._spared(self._open[kept].console), self._open[kept].seen))
            self._end(idlest, "too_many")
        console = secrets.token_hex(8) if old is None else old.console
        if old is not None:
            self._end(digest(before), "relieved")
        token, now = self._new_token(), self._clock()
        session = self._open[digest(token)] = Session(console, person, now, now)
        return token, session

    def counts(self) -> tuple[int, int]:
        """Consoles with somebody signed in, and locked ones, as they were looked at last."""
        locked = sum(session.person is None for session in self._open.values())
        return len(self._open) - locked, locked

    def find(self, token: str, *, active: bool = True) -> Session | None:
        """The session of ``token`` as it stands now; ``active``: its person has just done something."""
        kept = digest(token)
        session = self._aged(kept)
        if session is not None and active and session.person is not None:
            session = self._open[kept] = replace(session, seen=self._clock())
        return session

    def lock(self, token: str, cause: str = "locked") -> None:
        """Nobody is at that console any more, and it still reads."""
        self._lock(digest(token), cause)

    def end(self, token: str) -> None:
        """Sign out: the console reads no longer."""
        self._end(digest(token), "signed_out")

    def sweep(self, known: Callable[[Person], bool] = lambda _person: True) -> None:
        """Lock and end what has lived too long, and whose person is ``known`` no longer as they were."""
        for kept in tuple(self._open):
            session = self._aged(kept)
            if session is not None and session.person is not None and not known(session.person):
                self._end(kept, "struck_off")
        now = self._clock()
        self._approvals = {
            kept: one
            for kept, one in self._approvals.items()
            if one.ends > now and one.session in self._open and known(one.person)
        }

    def approve(self, token: str, person: Person, content: str) -> str:
        """``person`` agrees with what the session ``token`` is about to order; ``content`` names that order and no other."""
        self.sweep()
        while len(self._approvals) >= MAX_APPROVALS:
            self._approvals.pop(next(iter(self._approvals)))
        given = self._new_token()
        self._approvals[digest(given)] = _Approval(person, digest(token), content, self._clock() + APPROVAL_S)
        return given

    def approved(self, token: str, given: str, content: str, key: str) -> Person | None:
        """Who agreed by ``given`` with that order of that session; ``None`` when that has passed, was for something else, or was
        used for another command than ``key``: repeated under its key, a command finds it again."""
        kept = digest(given)
        one = self._approvals.get(kept)
        if one is None or one.ends <= self._clock() or (one.session, one.content) != (digest(token), content):
            return None
        if one.key not in ("", key):
            return None
        self._approvals[kept] = one._replace(key=key)
        return one.person

    def _aged(self, kept: str) -> Session | None:
        """The session after what time has done to it. In a hand, the console that drives is spared."""
        session = self._open.get(kept)
        if session is None or self._spared(session.console):
            return session
        now = self._clock()
        if now - session.began >= LONGEST_S:
            self._end(kept, "expired")
        elif session.person is not None and now - session.seen >= IDLE_S[session.person.role]:
            self._lock(kept, "idle")
        return self._open.get(kept)

    def _lock(self, kept: str, cause: str) -> None:
        session = self._open.get(kept)
        if session is not None and session.person is not None:
            self._open[kept] = replace(session, person=None, left=session.person)
            self._left(Departure(session.person.name, session.console, cause))

    def _end(self, kept: str, cause: str) -> None:
        session = self._open.pop(kept, None)
        if session is not None and session.person is not None:
            self._left(Departure(session.person.name, session.console, cause))
