"""Asking another page of the floor to agree, and agreeing there, as routes of the floor's HTTP address."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from controller.access.sessions import APPROVAL_S
from controller.floor.orders.desk import OrderDesk, PassedPreview
from controller.floor.orders.proposals import Proposals
from controller.gate.gate import NotAllowed
from controller.gate.refused import answers
from controller.gate.session import ProofBody, source_of


class ProposedAnswer(BaseModel):
    """It waits for another person, for so many seconds."""

    ok: Literal[True]
    id: str
    seconds: int


class AgreedAnswer(BaseModel):
    """Who agreed, with an empty name while nobody has; ``approval`` goes into the command."""

    ok: Literal[True]
    approval: str
    name: str


def add_proposals(api: FastAPI, desk: OrderDesk, proposals: Proposals) -> None:
    """Serve them from ``api``, where people sign in."""
    gate = desk.gate

    @api.post("/api/tables/{table}/proposals", responses=answers(ProposedAnswer, 404, 409))
    async def _propose(table: str, body: PassedPreview, request: Request) -> JSONResponse:
        """Let another page of this floor agree with an order; 409 with the table's refusal for one that it would not take, and
        where nobody signs in."""
        caller = gate.caller(request)
        if gate.is_open:
            raise NotAllowed(409, "nobody_signs_in")
        person = desk.who(caller, body.command)
        answer = await desk.passing.preview(table, person, body.command.plain())
        if not answer.content.get("ok"):
            return JSONResponse(answer.content, status_code=answer.status)
        made = proposals.put(table, body.command, tuple(answer.content.get("changes", ())), caller)
        return JSONResponse({"ok": True, "id": made.id, "seconds": APPROVAL_S})

    @api.get("/api/proposals")
    async def _waiting(request: Request) -> dict[str, Any]:
        """What waits for a person at this page."""
        return {"proposals": proposals.waiting(gate.caller(request).token)}

    @api.get("/api/proposals/{key}", responses=answers(AgreedAnswer, 404))
    async def _agreed(key: str, request: Request) -> dict[str, Any]:
        """Whether somebody has agreed, for the page that proposed and no other."""
        found = proposals.find(key)
        if found is None or found.caller.token != gate.caller(request).token:
            raise NotAllowed(404, "approval_passed")
        return {"ok": True, "approval": found.approval, "name": found.agreed_by}

    @api.post("/api/proposals/{key}", responses=answers(AgreedAnswer, 404, 409, 429))
    async def _agree(key: str, body: ProofBody, request: Request) -> dict[str, Any]:
        """Agree by an own badge or PIN; the page that proposed gives the order then. Never who proposed."""
        known = await gate.known(body.proof(), source_of(request))
        found = proposals.find(key)
        if found is None:
            raise NotAllowed(404, "approval_passed")
        if found.by == known.person.name:
            raise NotAllowed(409, "same_person")
        given = desk.agree(found.table, found.command, known, found.caller)
        proposals.agree(key, given, known.person.name)
        return {"ok": True, "approval": "", "name": known.person.name}

    @api.delete("/api/proposals")
    async def _take_back(request: Request) -> dict[str, Any]:
        """This page asks for nobody any more."""
        proposals.take_back(gate.caller(request).token)
        return {"ok": True}
