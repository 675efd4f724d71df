"""The table's HTTP address (FastAPI): health, the dealer's snapshot, commands. Nothing here decides; the desk asks the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from controller.access.floor_token import FloorVerifier
from controller.console.desk import Desk
from controller.console.devices import device_view
from controller.console.floor_orders import add_floor_orders
from controller.console.orders import CommandBody
from controller.console.seat_gateway import SeatGateway
from controller.console.seat_site import add_seat_pages
from controller.console.signin import add_people
from controller.console.site import Pages, add_pages
from controller.gate.gate import NotAllowed, refused_by
from controller.gate.health import Readiness, add_health
from controller.gate.refused import EVERYWHERE, TakenAnswer, answers, problem_said, refused_answer
from controller.gate.scrape import Scrape, add_metrics
from controller.mqtt.topics import TableTopics
from controller.pages.edge import Edge
from controller.table.loop import TableStopped
from controller.words.said import Said, say
from drivers.ports import DeviceReport

MAX_WAIT_S = 10.0
"""Longest wait of a long poll, in seconds."""

Reports = Callable[[], Sequence[DeviceReport]]


def make_api(
    desk: Desk,
    ready: Readiness,
    version: str,
    reports: Reports = tuple,
    pages: Pages | None = None,
    seats: SeatGateway | None = None,
    floor: FloorVerifier | None = None,
    scrape: Scrape | None = None,
) -> FastAPI:
    """The application of one table. ``ready`` names journal, devices and broker with whether each is there; ``reports`` tells the
    health of each device; ``pages`` and ``seats`` are closed by who made them, before the server is told to stop. Without
    ``seats`` the seats' pages wait for a table; without ``floor`` none orders anything from elsewhere; ``scrape``: metrics."""
    pages = pages or Pages(desk, reports)
    gate = pages.gate
    guard = [Depends(gate.guard)]
    api = FastAPI(title="stud-table", version=version, docs_url=None, redoc_url=None, dependencies=guard, responses=EVERYWHERE)

    api.add_middleware(Edge)
    _add_refusals(api, desk)

    add_health(api, ready, "Journal, devices and broker")

    @api.get("/api/v1/snapshot")
    async def _snapshot(
        after: Annotated[int | None, Query(ge=0)] = None, wait: Annotated[float, Query(ge=0, le=MAX_WAIT_S)] = MAX_WAIT_S
    ) -> dict[str, Any]:
        """The dealer's snapshot; with ``after``, once the journal is past it or after ``wait`` seconds."""
        if after is None:
            return desk.snapshot()
        try:
            async with asyncio.timeout(wait):
                return await desk.changed(after)
        except TimeoutError:
            return desk.snapshot()

    @api.get("/api/v1/devices")
    async def _devices() -> dict[str, Any]:
        """Each device with the four facts of its health and their ages, its counters, and a line's antennas. No card, no tag."""
        return {"devices": [device_view(report) for report in reports()]}

    @api.post("/api/v1/commands", responses=answers(TakenAnswer, 409))
    async def _command(body: CommandBody, request: Request) -> JSONResponse:
        """Give a command. 200 when it was taken, 409 when the rules, a passed decision, another console's hand on the wheel or a
        missing consent refuse it."""
        answer = await pages.command(body, gate.caller(request))
        return JSONResponse(answer, status_code=200 if answer["ok"] else 409)

    add_pages(api, pages)
    add_people(api, pages, gate)
    add_floor_orders(api, pages, floor)
    add_metrics(api, scrape or Scrape())
    add_seat_pages(api, seats or SeatGateway(TableTopics("venue", "table")), desk)
    return api


def _add_refusals(api: FastAPI, desk: Desk) -> None:
    """Whatever goes wrong is one sentence in each language, and never a traceback."""

    def refused(status: int, code: str, said: Said | None = None, headers: Mapping[str, str] | None = None) -> JSONResponse:
        return refused_answer(status, desk.language, code, said or say(f"refusal.{code}"), headers=headers)

    @api.exception_handler(RequestValidationError)
    async def _unreadable(_: Request, error: RequestValidationError) -> JSONResponse:
        return refused(422, "unreadable", problem_said(error.errors()[0]))

    @api.exception_handler(400)
    @api.exception_handler(404)
    @api.exception_handler(405)
    @api.exception_handler(413)
    async def _not_served(_: Request, error: HTTPException) -> JSONResponse:
        return refused(error.status_code, _NOT_SERVED[error.status_code], headers=error.headers)

    @api.exception_handler(NotAllowed)
    async def _not_allowed(_: Request, error: NotAllowed) -> JSONResponse:
        return refused_by(error, desk.language)

    @api.exception_handler(TableStopped)
    async def _stopped(_: Request, _error: TableStopped) -> JSONResponse:
        return refused(503, "stopped")

    @api.exception_handler(Exception)
    async def _failed(_: Request, _error: Exception) -> JSONResponse:
        return refused(500, "failed")  # what went wrong stands in the log alone


_NOT_SERVED: Final[Mapping[int, str]] = {
    400: "unreadable",
    404: "no_such_address",
    405: "no_such_method",
    413: "too_large",
}
