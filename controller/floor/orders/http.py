"""Orders to a table as routes of the floor's HTTP address, with the bodies and answers of the table's own (screens §7, §11).

Whose order it is stands in the floor's session, who agreed in a consent given at the floor; both are signed for the table. Each
order stands with its answer in the floor's trail, without the face of a card that it keyed.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse

from controller.access.sessions import APPROVAL_S
from controller.floor.orders.desk import OrderDesk, PassedApproval, PassedCommand, PassedPreview
from controller.floor.orders.passing import Answered, NotPassed
from controller.gate.refused import ApprovalAnswer, answers, refused_answer
from controller.gate.session import source_of
from controller.words.catalogue import Language
from controller.words.said import say


def add_orders(api: FastAPI, desk: OrderDesk, language: Language = Language.EN) -> None:
    """Serve them from ``api``. ``language`` is that of refusals of the floor's own, beside both."""
    gate, passing = desk.gate, desk.passing

    @api.exception_handler(NotPassed)
    async def _not_passed(_: Request, error: NotPassed) -> JSONResponse:
        return refused_answer(error.status, language, error.code, say(f"refusal.{error.code}", table=error.table))

    @api.get("/api/tables/{table}/sheets", responses=answers(None, 404, 409))
    async def _sheet(
        table: str,
        request: Request,
        name: Annotated[str, Query(max_length=40)],
        seat: Annotated[int, Query(ge=0, le=8)] = 0,
        number: Annotated[int, Query(ge=0, le=7)] = 0,
    ) -> JSONResponse:
        """The table's own sheet, with what the floor may order alone."""
        asked = {"name": name, **{key: str(value) for key, value in (("seat", seat), ("number", number)) if value}}
        return _answered(await passing.ask(table, desk.who(gate.caller(request)), asked))

    @api.post("/api/tables/{table}/preview", responses=answers(None, 404, 409))
    async def _preview(table: str, body: PassedPreview, request: Request) -> JSONResponse:
        """What an order would change at the table, or why it would be refused."""
        return _answered(await passing.preview(table, desk.who(gate.caller(request), body.command), body.command.plain()))

    @api.post("/api/tables/{table}/commands", responses=answers(None, 404, 409))
    async def _command(table: str, body: PassedCommand, request: Request) -> JSONResponse:
        """Give an order; the table decides."""
        return _answered(await desk.command(table, body, gate.caller(request)))

    @api.post("/api/tables/{table}/approvals", responses=answers(ApprovalAnswer, 404, 409, 429))
    async def _approve(table: str, body: PassedApproval, request: Request) -> dict[str, Any]:
        """Agree with an order that this page is about to give to that table, by an own badge or PIN; for 120 seconds, and that
        order alone. The answer's `approval` goes into the command."""
        passing.table(table)
        known = await gate.known(body.proof(), source_of(request))
        given = desk.agree(table, body.command, known, gate.caller(request))
        return {"ok": True, "approval": given, "name": known.person.name, "role": known.person.role.value, "seconds": APPROVAL_S}


def _answered(answer: Answered) -> JSONResponse:
    return JSONResponse(answer.content, status_code=answer.status)
