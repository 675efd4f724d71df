"""Signing in and out, and agreeing with an order, as routes of the table's HTTP address (screens §11)."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from controller.access.door import Proof
from controller.access.sessions import APPROVAL_S
from controller.console.gate import Caller, Gate
from controller.console.orders import OrderBody
from controller.console.refused import ApprovalAnswer, SessionAnswer, answers
from controller.console.site import Pages, session_view
from controller.console.warrants import content_of

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


class ApprovalBody(ProofBody):
    """Somebody agrees with one order, which is the next one of this console."""

    command: OrderBody


def add_people(api: FastAPI, pages: Pages, gate: Gate) -> None:
    """Serve them from ``api``."""

    @api.get("/api/v1/session", responses=answers(SessionAnswer))
    async def _session(request: Request) -> dict[str, Any]:
        """Who is signed in on this console; `access` is `people`, or `open` where nobody signs in."""
        return session_view(gate, gate.caller(request))

    @api.post("/api/v1/session", responses=answers(SessionAnswer, 409, 429))
    async def _sign_in(body: ProofBody, request: Request) -> JSONResponse:
        """Sign in by badge, or by number and PIN. 401 for nobody's, 429 after failed tries, 409 where nobody signs in, and
        for another dealer's hand on the console that drives it, in which the floor takes no part."""
        before = request.cookies.get(gate.cookie, "")
        earlier = gate.last_at(before)
        admit = partial(pages.admit, at=gate.caller(request).console, before=earlier)
        token, session = await gate.sign_in(body.proof(), source_of(request), before, admit)
        caller = Caller(token, session.console, session.person)
        await pages.arrived(caller, earlier)
        answer = JSONResponse(session_view(gate, caller))
        answer.set_cookie(gate.cookie, token, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")
        return answer

    @api.post("/api/v1/session/lock", responses=answers(SessionAnswer))
    async def _lock(request: Request) -> dict[str, Any]:
        """Lock this console: its person is signed out, its picture stays to be read, and the hand goes on."""
        await gate.lock(request.cookies.get(gate.cookie, ""))
        return session_view(gate, gate.caller(request))

    @api.delete("/api/v1/session", responses=answers(SessionAnswer))
    async def _sign_out(request: Request) -> Response:
        """Sign out: this console shows nothing of the table any more."""
        await gate.sign_out(request.cookies.get(gate.cookie, ""))
        answer = JSONResponse(session_view(gate, Caller()))
        answer.delete_cookie(gate.cookie, path="/", httponly=True, samesite="strict")
        return answer

    @api.post("/api/v1/approvals", responses=answers(ApprovalAnswer, 409, 429))
    async def _approve(body: ApprovalBody, request: Request) -> dict[str, Any]:
        """Agree with an order that this console is about to give, by an own badge or PIN; for 120 seconds, and that order alone.
        The answer's `approval` goes into the command."""
        known = await gate.known(body.proof(), source_of(request))
        given = gate.sessions.approve(
            gate.caller(request).token, known.person, content_of(body.command, pages.desk.state.hand_number)
        )
        return {"ok": True, "approval": given, "name": known.person.name, "role": known.person.role.value, "seconds": APPROVAL_S}


def source_of(request: Request) -> str:
    """Where a request comes from: the address of its connection."""
    return "" if request.client is None else request.client.host
