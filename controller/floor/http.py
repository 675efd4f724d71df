"""The floor's HTTP address (FastAPI): health, the picture of all tables, and its changes as one stream a page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse

from controller.floor.follow import TableStreams
from controller.floor.store.store import StoreError
from controller.gate.gate import Gate, NotAllowed, refused_by
from controller.gate.health import Readiness, add_health
from controller.gate.refused import problem_said, refused_answer
from controller.gate.session import add_session
from controller.page_stream import PageStream, Picture
from controller.pages.edge import Edge
from controller.words.catalogue import Language
from controller.words.said import say

STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

NOBODY: Final = "Nobody heard of that table"
FULL: Final = "as many pages look on as are served: close one, or try again in a moment"


def make_floor_api(
    stream: PageStream,
    tables: TableStreams,
    picture: Callable[[], Picture],
    detail: Callable[[str], Picture | None],
    ready: Readiness,
    version: str,
    gate: Gate | None = None,
    language: Language = Language.EN,
) -> FastAPI:
    """The application of one venue. ``picture`` is the newest one, ``detail`` a table's own or ``None``; ``ready`` names broker
    and store with whether each is there; ``stream`` and ``tables``, a stream a table, are closed by who made them, before the
    server is told to stop. ``gate``: who may come in, everybody unless given; ``language`` is that of refusals, beside both."""
    gate = gate or Gate(name="floor")
    api = FastAPI(title="stud-table floor", version=version, docs_url=None, redoc_url=None, dependencies=[Depends(gate.guard)])
    api.add_middleware(Edge)
    add_session(api, gate, "/api/session")

    @api.exception_handler(NotAllowed)
    async def _not_allowed(_: Request, error: NotAllowed) -> JSONResponse:
        return refused_by(error, language)

    @api.exception_handler(RequestValidationError)
    async def _unreadable(_: Request, error: RequestValidationError) -> JSONResponse:
        return refused_answer(422, language, "unreadable", problem_said(error.errors()[0]))

    @api.exception_handler(StoreError)
    async def _store_away(_: Request, _error: StoreError) -> JSONResponse:
        return refused_answer(503, language, "store_away", say("refusal.store_away"))

    add_health(api, ready, "Broker and store")

    @api.get("/api/board")
    async def _board() -> JSONResponse:
        """The picture of all tables."""
        return JSONResponse({"boot": stream.boot, **picture()}, headers=NO_STORE)

    @api.get("/api/stream", response_class=StreamingResponse)
    async def _stream(request: Request, last_event_id: Annotated[str | None, Header(max_length=64)] = None) -> Response:
        """Server-sent events: `snapshot`, each `change`, `beat`. 503 when as many pages look on as are served."""
        if stream.is_full:
            raise HTTPException(503, FULL)
        frames = _closing(stream.frames(number_of(last_event_id, stream.boot)), gate, gate.caller(request).token)
        return StreamingResponse(frames, headers=STREAM_HEADERS, media_type="text/event-stream")

    _add_tables(api, stream.boot, tables, detail, gate)
    return api


def _add_tables(api: FastAPI, boot: str, tables: TableStreams, detail: Callable[[str], Picture | None], gate: Gate) -> None:
    """Each table by itself."""

    def known(table: str) -> Picture:
        found = detail(table)
        if found is None:
            raise HTTPException(
                404, f"no table {table} was ever heard at this venue's broker: see /api/board for those that were"
            )
        return found

    @api.get("/api/tables/{table}", responses={404: {"description": NOBODY}})
    async def _table(table: str) -> JSONResponse:
        """One table's own page: tile, public view, devices, alarms, what happened last, and its journal."""
        return JSONResponse({"boot": boot, **known(table)}, headers=NO_STORE)

    @api.get("/api/tables/{table}/stream", response_class=StreamingResponse, responses={404: {"description": NOBODY}})
    async def _table_stream(
        table: str, request: Request, last_event_id: Annotated[str | None, Header(max_length=64)] = None
    ) -> Response:
        """The same as server-sent events: `snapshot`, each `change`, `beat`. 503 when as many pages look on as are served."""
        known(table)
        if tables.is_full:
            raise HTTPException(503, FULL)
        frames = _closing(tables.frames(table, number_of(last_event_id, boot)), gate, gate.caller(request).token)
        return StreamingResponse(frames, headers=STREAM_HEADERS, media_type="text/event-stream")


def number_of(last: str | None, boot: str) -> int | None:
    """The number in ``Last-Event-ID``; ``None`` for none, and for one of another start."""
    start, _, number = (last or "").rpartition("-")
    return int(number) if start == boot and number.isascii() and number.isdigit() else None


async def _closing(frames: AsyncGenerator[bytes], gate: Gate, token: str) -> AsyncGenerator[bytes]:
    """The stream of one page, which ends when its session may read no longer; a heartbeat is soon enough."""
    async with aclosing(frames) as open_frames:
        async for frame in open_frames:
            if not gate.reads(token):
                return
            yield frame


def name_of(boot: str) -> Callable[[int], str]:
    """Ids of the stream, as ``number_of`` reads them."""
    return lambda seq: f"{boot}-{seq}"
