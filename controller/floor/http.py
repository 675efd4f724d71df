"""The floor's HTTP address (FastAPI): health, the picture of all tables, and its changes as one stream a page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from controller.floor.follow import TableStreams
from controller.page_stream import PageStream, Picture

STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

NOBODY: Final = "Nobody heard of that table"
FULL: Final = "as many pages look on as are served: close one, or try again in a moment"

Readiness = Callable[[], Mapping[str, bool]]


def make_floor_api(
    stream: PageStream,
    tables: TableStreams,
    picture: Callable[[], Picture],
    detail: Callable[[str], Picture | None],
    ready: Readiness,
    version: str,
    hosts: Collection[str] | None = None,
) -> FastAPI:
    """The application of one venue. ``picture`` is the newest one, ``detail`` a table's own or ``None``; ``ready`` names broker
    and store with whether each is there; ``stream`` and ``tables``, a stream a table, are closed by who made them, before the
    server is told to stop.
    ``hosts``: the names that requests may be addressed to, ``None`` for any; a page of another name reads nothing here."""

    def guard(request: Request) -> None:
        host = request.headers.get("host", "")
        name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
        if hosts is not None and name.lower() not in hosts:
            raise HTTPException(403, f"this address is not called {name}: use one of {', '.join(sorted(hosts))}")

    api = FastAPI(title="stud-table floor", version=version, docs_url=None, redoc_url=None, dependencies=[Depends(guard)])

    @api.get("/healthz")
    async def _healthz() -> dict[str, str]:
        """The process is alive."""
        return {"status": "alive"}

    @api.get("/readyz", responses={503: {"model": dict[str, bool], "description": "A part is missing"}})
    async def _readyz(response: Response) -> dict[str, bool]:
        """Broker and store; 503 while one is missing."""
        parts = dict(ready())
        response.status_code = 200 if all(parts.values()) else 503
        return parts

    @api.get("/api/board")
    async def _board() -> JSONResponse:
        """The picture of all tables."""
        return JSONResponse({"boot": stream.boot, **picture()}, headers=NO_STORE)

    @api.get("/api/stream", response_class=StreamingResponse)
    async def _stream(last_event_id: Annotated[str | None, Header(max_length=64)] = None) -> Response:
        """Server-sent events: `snapshot`, each `change`, `beat`. 503 when as many pages look on as are served."""
        if stream.is_full:
            raise HTTPException(503, FULL)
        frames = stream.frames(number_of(last_event_id, stream.boot))
        return StreamingResponse(_closing(frames), headers=STREAM_HEADERS, media_type="text/event-stream")

    _add_tables(api, stream.boot, tables, detail)
    return api


def _add_tables(api: FastAPI, boot: str, tables: TableStreams, detail: Callable[[str], Picture | None]) -> None:
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
    async def _table_stream(table: str, last_event_id: Annotated[str | None, Header(max_length=64)] = None) -> Response:
        """The same as server-sent events: `snapshot`, each `change`, `beat`. 503 when as many pages look on as are served."""
        known(table)
        if tables.is_full:
            raise HTTPException(503, FULL)
        frames = tables.frames(table, number_of(last_event_id, boot))
        return StreamingResponse(_closing(frames), headers=STREAM_HEADERS, media_type="text/event-stream")


def number_of(last: str | None, boot: str) -> int | None:
    """The number in ``Last-Event-ID``; ``None`` for none, and for one of another start."""
    start, _, number = (last or "").rpartition("-")
    return int(number) if start == boot and number.isascii() and number.isdigit() else None


async def _closing(frames: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with aclosing(frames) as open_frames:
        async for frame in open_frames:
            yield frame


def name_of(boot: str) -> Callable[[int], str]:
    """Ids of the stream, as ``number_of`` reads them."""
    return lambda seq: f"{boot}-{seq}"
