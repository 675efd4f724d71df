"""The gate before every address: who asks, from where, and whether they may (REG-38). Open where nobody signs in.

A browser's request that changes something must come from the address's own page, and in open mode to its own name: another
page on that machine drives nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from fastapi import Request
from fastapi.responses import JSONResponse

from controller.access.door import Door, Failed, Known, Proof, Wait
from controller.access.people import Person, Role
from controller.access.rights import ENDPOINTS, LOCKED, NOBODYS, RIGHTS, Right
from controller.access.roster import RosterError
from controller.access.sessions import Departure, Session, Sessions
from controller.gate.refused import refused_answer
from controller.hand.commands import Refusal
from controller.logs import person
from controller.table.access_events import SignedIn, SignedOut, SignInFailed
from controller.words.catalogue import Language
from controller.words.said import say

NO_SESSION: Final = frozenset((Right.PUBLIC, Right.SIGNED, Right.WATCH))
"""What no session is asked for. It keeps nobody signed in, such as a seat's page in the same browser."""
LOOK_S: Final = 2.0
"""How often sessions are aged and the people file is looked at."""
SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))

Told = SignedIn | SignedOut | SignInFailed
Tell = Callable[[Told], Awaitable[None]]

_log = logging.getLogger("controller")


class NotAllowed(Exception):  # noqa: N818 - an answer to who asks
    """The gate stays closed: with which status, and why."""

    def __init__(self, status: int, code: str, **values: str | int) -> None:
        super().__init__(code)
        self.status = status
        self.refusal = Refusal("REG-38", code, tuple(values.items()))


@dataclass(frozen=True, slots=True)
class Allowed:
    """What an address asks for, and what each role may: of the table unless it is the floor's."""

    endpoints: Mapping[str, Right] = field(default_factory=lambda: ENDPOINTS)
    rights: Mapping[Role, frozenset[Right]] = field(default_factory=lambda: RIGHTS)


class Caller(NamedTuple):
    """Who asks: the session's token and what it stands for. All empty in open mode, and for nobody."""

    token: str = ""
    console: str = ""
    person: Person | None = None


class Gate:
    """The gate of a table, or of a floor by ``allowed``. ``door`` is ``None`` in open mode. ``tell`` puts who comes and goes on
    record; ``spared`` tells whose console must not be locked now; ``hosts``: names that requests may be addressed to, ``None``
    for any."""

    def __init__(
        self,
        *,
        name: str = "table",
        tell: Tell | None = None,
        door: Door | None = None,
        spared: Callable[[str], bool] = lambda _console: False,
        hosts: Collection[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        allowed: Allowed | None = None,
    ) -> None:
        self.door = door
        self.cookie = f"stud-{name}"
        self._allowed = allowed or Allowed()
        self.sessions = Sessions(clock, self._left, spared)
        self._tell = tell or _nowhere
        self._hosts = hosts
        self._gone: list[Departure] = []

    @property
    def is_open(self) -> bool:
        """Nobody signs in here: whoever reaches the address may do everything."""
        return self.door is None

    # --- who asks -------------------------------------------------------------------------------------------------------------

    async def guard(self, request: Request) -> None:
        """Let the request through, or raise ``NotAllowed``. An address that nobody declared is nobody's."""
        self._check_host(request)
        if request.method not in SAFE:
            _check_origin(request)
        if self.is_open:
            return
        wanted = self._allowed.endpoints.get(f"{request.method} {request.scope['route'].path}")
        if wanted in NO_SESSION:
            return
        caller = self.caller(request)
        person.set("" if caller.person is None else caller.person.name)
        if wanted is None:
            raise NotAllowed(403, "may_not", name="" if caller.person is None else caller.person.name)
        if wanted in self.rights(caller):
            return
        if caller.person is None:
            raise NotAllowed(401, "sign_in_first")
        raise NotAllowed(403, "may_not", name=caller.person.name)

    def caller(self, request: Request) -> Caller:
        """Who asks, by the request's cookie. What only reads by itself keeps nobody signed in."""
        token = request.cookies.get(self.cookie, "")
        session = None if self.is_open or not token else self.sessions.find(token, active=request.method not in SAFE)
        return Caller() if session is None else Caller(token, session.console, session.person)

    def last_at(self, token: str) -> Person | None:
        """Who is signed in on the console of ``token``, or was when it was locked."""
        session = self.sessions.find(token, active=False)
        return None if session is None else session.person or session.left

    def rights(self, caller: Caller) -> frozenset[Right]:
        """What the caller may do. Everything in open mode."""
        if self.is_open:
            return frozenset(Right)
        if caller.person is not None:
            return self._allowed.rights[caller.person.role]
        return LOCKED if caller.console else NOBODYS

    def reads(self, token: str) -> bool:
        """Whether a page that was let in may go on reading."""
        return self.is_open or self.sessions.find(token, active=False) is not None

    def _check_host(self, request: Request) -> None:
        if self._hosts is None:
            return
        host = request.headers.get("host", "")
        name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
        if name.lower() not in self._hosts:
            raise NotAllowed(403, "other_host")

    # --- coming and going -----------------------------------------------------------------------------------------------------

    async def sign_in(
        self, proof: Proof, source: str, before: str, admit: Callable[[Person], None] = lambda _person: None
    ) -> tuple[str, Session]:
        """A new session for whom ``proof`` proves; ``before`` is the token of the session on that console, if there is one.
        ``admit`` raises ``NotAllowed`` for who may not sign in there now."""
        known = await self.known(proof, source)
        admit(known.person)
        token, session = self.sessions.start(known.person, before)
        await self.settle()
        await self._tell(SignedIn(known.person.name, known.person.role.value, session.console, known.means))
        return token, session

    async def known(self, proof: Proof, source: str) -> Known:
        """Who it is; ``NotAllowed`` for nobody, and while they must wait. A failed try is on record, without what was given."""
        if self.door is None:
            raise NotAllowed(409, "nobody_signs_in")
        try:
            found = await self.door.look(proof, source)
        except RosterError as error:
            _log.error("%s", error)
            raise NotAllowed(503, "people_unreadable") from None
        match found:
            case Known():
                return found
            case Wait(seconds=seconds):
                raise NotAllowed(429, "wait_after_failures", seconds=seconds)
            case Failed(person=person, failures=failures, wait_s=wait_s):
                await self._tell(SignInFailed(person, source, failures, wait_s))
                raise NotAllowed(401, "not_known")

    def _left(self, departure: Departure) -> None:
        self._gone.append(departure)

    async def settle(self) -> None:
        """Put on record who has gone, in order."""
        while self._gone:
            gone = self._gone.pop(0)
            await self._tell(SignedOut(gone.person, gone.console, gone.cause))

    async def lock(self, token: str) -> None:
        """Nobody is at that console any more; it goes on reading."""
        self.sessions.lock(token)
        await self.settle()

    async def sign_out(self, token: str) -> None:
        """That console is nobody's."""
        self.sessions.end(token)
        await self.settle()

    async def look(self) -> None:
        """Age the sessions, and end those of people who are no longer as they were in their file."""
        roster = None
        if self.door is not None:
            try:
                roster = await self.door.changed()
            except RosterError as error:
                _log.error("%s", error)
        if roster is None:
            self.sessions.sweep()
        else:
            people = frozenset(roster.people)
            self.sessions.sweep(lambda person: person in people)
        await self.settle()

    async def run(self) -> None:
        """Look again and again, until cancelled; what ``tell`` raises comes through."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self.look()


async def _nowhere(_: Told) -> None:
    """Nobody comes or goes where nobody signs in."""


def session_view(gate: Gate, caller: Caller) -> dict[str, Any]:
    """Who is signed in, as JSON; ``may`` says whether orders may be given from there."""
    person = caller.person
    return {
        "access": "open" if gate.is_open else "people",
        "console": caller.console,
        "locked": bool(caller.console) and person is None,
        "person": None if person is None else {"name": person.name, "role": person.role.value},
        "may": Right.COMMAND in gate.rights(caller),
    }


def refused_by(error: NotAllowed, language: Language) -> JSONResponse:
    """The gate's answer to whom it does not let in."""
    values = dict(error.refusal.values)
    headers = {"Retry-After": str(values["seconds"])} if "seconds" in values else None
    said = say(f"refusal.{error.refusal.code}", **values)
    return refused_answer(error.status, language, error.refusal.code, said, rule=error.refusal.rule, headers=headers)


def _check_origin(request: Request) -> None:
    """A browser names where a request comes from; a program that is none names nothing."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise NotAllowed(403, "other_origin")
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host", ""):
        raise NotAllowed(403, "other_origin")
