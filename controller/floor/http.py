"""The floor's HTTP address (FastAPI): health, the picture of all tables, and its changes as one stream a page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from controller.page_stream import PageStream, Picture

STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Readiness = Callable[[], Mapping[str, bool]]


def make_floor_api(
    stream: PageStream,
    picture: Callable[[], Picture],
    detail: Callable[[str], Picture | None],
    ready: Readiness,
    version: str,
    hosts: Collection[str] | None = None,
) -> FastAPI:
    """The application of one venue. ``picture`` is the newest one, ``detail`` a table's own or ``None``; ``ready`` names broker
    and store with whether each is there; ``stream`` is closed by who made it, before the server is told to stop.
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

    @api.get("/api/tables/{table}", responses={404: {"description": "Nobody heard of that table"}})
    async def _table(table: str) -> JSONResponse:
        """Status, public view and devices of one table as it published them."""
        found = detail(table)
        if found is None:
            raise HTTPException(
                404, f"no table {table} was ever heard at this venue's broker: see /api/board for those that were"
            )
        return JSONResponse({"boot": stream.boot, **found}, headers=NO_STORE)

    @api.get("/api/stream", response_class=StreamingResponse)
    async def _stream(last_event_id: Annotated[str | None, Header(max_length=64)] = None) -> Response:
        """Server-sent events: `snapshot`, each `change`, `beat`. 503 when as many pages look on as are served."""
        if stream.is_full:
            raise HTTPException(503, "as many pages look on as are served: close one, or try again in a moment")
        return StreamingResponse(
            _frames(stream, number_of(last_event_id, stream.boot)), headers=STREAM_HEADERS, media_type="text/event-stream"
        )

    return api


def number_of(last: str | None, boot: str) -> int | None:
    """The number in ``Last-Event-ID``; ``None`` for none, and for one of another start."""
    start, _, number = (last or "").rpartition("-")
    return int(number) if start == boot and number.isascii() and number.isdigit() else None


async def _frames(stream: PageStream, last: int | None) -> AsyncGenerator[bytes]:
    async with aclosing(stream.frames(last)) as frames:
        async for frame in frames:
            yield frame


def name_of(boot: str) -> Callable[[int], str]:
    """Ids of the stream, as ``number_of`` reads them."""
    return lambda seq: f"{boot}-{seq}"
