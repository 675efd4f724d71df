"""Signing in and out, as routes of a table's or a floor's HTTP address (screens §11)."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from controller.access.door import Proof
from controller.access.people import Person
from controller.gate.gate import Caller, Gate, session_view
from controller.gate.refused import SessionAnswer, answers

Secret = Annotated[SecretStr, Field(max_length=64)]


class ProofBody(BaseModel):
    """Who somebody is: a badge as its reader types it, or a staff number and its PIN."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    badge: Secret = SecretStr("")
    number: Annotated[str, StringConstraints(max_length=5)] = ""
    pin: Secret = SecretStr("")

    def proof(self) -> Proof:
        """As the door looks at it."""
        return Proof(self.badge.get_secret_value(), self.number, self.pin.get_secret_value())


class Arrivals(Protocol):
    """What signing in comes to where a console drives something."""

    def admit(self, person: Person, at: str, before: Person | None) -> None:
        """``NotAllowed`` when ``person`` may not sign in at console ``at`` over ``before`` now."""

    async def arrived(self, caller: Caller, before: Person | None = None) -> None:
        """Somebody signed in, over ``before``."""


class Nothing:
    """Whoever is known may sign in, and that is all."""

    def admit(self, person: Person, at: str, before: Person | None) -> None:
        """Everybody."""

    async def arrived(self, caller: Caller, before: Person | None = None) -> None:
        """Nothing follows."""


def add_session(api: FastAPI, gate: Gate, base: str, arrivals: Arrivals | None = None) -> None:
    """Serve them from ``api`` at ``base``."""
    comes = arrivals or Nothing()

    @api.get(base, responses=answers(SessionAnswer))
    async def _session(request: Request) -> dict[str, Any]:
        """Who is signed in on this console; `access` is `people`, or `open` where nobody signs in."""
        return session_view(gate, gate.caller(request))

    @api.post(base, responses=answers(SessionAnswer, 409, 429))
    async def _sign_in(body: ProofBody, request: Request) -> JSONResponse:
        """Sign in by badge, or by number and PIN. 401 for nobody's, 429 after failed tries, 409 where nobody signs in, and
        for another dealer's hand on the console that drives it, in which the floor takes no part."""
        before = request.cookies.get(gate.cookie, "")
        earlier, at = gate.last_at(before), gate.caller(request).console
        token, session = await gate.sign_in(
            body.proof(), source_of(request), before, lambda person: comes.admit(person, at, earlier)
        )
        caller = Caller(token, session.console, session.person)
        await comes.arrived(caller, earlier)
        answer = JSONResponse(session_view(gate, caller))
        answer.set_cookie(gate.cookie, token, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")
        return answer

    @api.post(f"{base}/lock", responses=answers(SessionAnswer))
    async def _lock(request: Request) -> dict[str, Any]:
        """Lock this console: its person is signed out, its picture stays to be read, and the hand goes on."""
        await gate.lock(request.cookies.get(gate.cookie, ""))
        return session_view(gate, gate.caller(request))

    @api.delete(base, responses=answers(SessionAnswer))
    async def _sign_out(request: Request) -> Response:
        """Sign out: this console shows nothing of the table any more."""
        await gate.sign_out(request.cookies.get(gate.cookie, ""))
        answer = JSONResponse(session_view(gate, Caller()))
        answer.delete_cookie(gate.cookie, path="/", httponly=True, samesite="strict")
        return answer


def source_of(request: Request) -> str:
    """Where a request comes from: the address of its connection."""
    return "" if request.client is None else request.client.host
