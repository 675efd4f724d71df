"""Signing in and out, and agreeing with an order, as routes of the table's HTTP address (screens §11)."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request

from controller.access.sessions import APPROVAL_S
from controller.console.orders import OrderBody
from controller.console.site import Pages
from controller.console.warrants import content_of
from controller.gate.gate import Gate
from controller.gate.refused import ApprovalAnswer, answers
from controller.gate.session import ProofBody, add_session, source_of


class ApprovalBody(ProofBody):
    """Somebody agrees with one order, which is the next one of this console."""

    command: OrderBody


def add_people(api: FastAPI, pages: Pages, gate: Gate) -> None:
    """Serve them from ``api``."""
    add_session(api, gate, "/api/v1/session", pages)

    @api.post("/api/v1/approvals", responses=answers(ApprovalAnswer, 409, 429))
    async def _approve(body: ApprovalBody, request: Request) -> dict[str, Any]:
        """Agree with an order that this console is about to give, by an own badge or PIN; for 120 seconds, and that order alone.
        The answer's `approval` goes into the command."""
        known = await gate.known(body.proof(), source_of(request))
        given = gate.sessions.approve(
            gate.caller(request).token, known.person, content_of(body.command, pages.desk.state.hand_number)
        )
        return {"ok": True, "approval": given, "name": known.person.name, "role": known.person.role.value, "seconds": APPROVAL_S}
