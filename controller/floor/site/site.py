"""The floor's pages and their assets, as routes of the floor's HTTP address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from controller.access.rights import Right
from controller.floor.site.words import page_words
from controller.gate.gate import Gate, session_view
from controller.pages.policy import HEADERS, assets
from controller.pages.tokens import stylesheet
from controller.words.catalogue import Language

PAGES: Final = Path(str(resources.files("controller.floor.site") / "pages"))

ORDERS: Final = "/api/tables/{table}/commands"
"""Where orders to a table go; pages of a floor that passes none on have no button for one."""

Picture = Mapping[str, Any]


def add_floor_pages(
    api: FastAPI,
    picture: Callable[[], Picture],
    detail: Callable[[str], Picture | None],
    gate: Gate | None = None,
    language: Language = Language.EN,
) -> None:
    """Serve the pages from ``api``. ``picture`` is the newest one of all tables and ``detail`` one table's, which are in the page
    of whom ``gate`` lets read; ``language`` is that of a first visit."""
    keeper = gate or Gate(name="floor")
    templates = Environment(
        loader=PackageLoader("controller.floor.site", "pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    tokens = stylesheet()

    def page(request: Request, name: str, shown: Callable[[], Picture], **more: Any) -> HTMLResponse:
        caller = keeper.caller(request)
        values = {
            "venue": picture()["venue"],
            "picture": shown() if Right.READ in keeper.rights(caller) else None,
            "session": session_view(keeper, caller),
            "words": page_words(),
            "language": language.value,
            "orders": "yes" if any(getattr(route, "path", "") == ORDERS for route in api.routes) else "",
            **more,
        }
        return HTMLResponse(templates.get_template(name).render(**values), headers=HEADERS)

    @api.get("/", include_in_schema=False)
    async def _floor(request: Request) -> HTMLResponse:
        return page(request, "floor.html", picture)

    @api.get("/tables/{table}", include_in_schema=False)
    async def _one(table: str, request: Request) -> HTMLResponse:
        """One table by itself; 404, to whom may read, for one that nobody heard of."""

        def shown() -> Picture:
            found = detail(table)
            if found is None:
                raise HTTPException(404, f"no table {table} was ever heard at this venue's broker: see / for those that were")
            return {"seq": 0, **found}

        return page(request, "table.html", shown, table=table)

    def past(request: Request, kind: str, script: str, path: str = "", table: str = "") -> HTMLResponse:
        return page(request, "past.html", dict, kind=kind, script=script, path=path, table=table)

    @api.get("/hands", include_in_schema=False)
    async def _hands(request: Request) -> HTMLResponse:
        return past(request, "hands", "hands")

    @api.get("/hands/{table}/{journal}/{hand}", include_in_schema=False)
    async def _replay(request: Request, table: str, journal: str, hand: int) -> HTMLResponse:
        """One hand; whether it is there its address under ``/api`` says."""
        path = "/".join(quote(part, safe="") for part in (table, journal, str(hand)))
        return past(request, "hand", "replay", path, table)

    @api.get("/reports", include_in_schema=False)
    async def _reports(request: Request) -> HTMLResponse:
        return past(request, "reports", "reports")

    @api.get("/room", include_in_schema=False)
    async def _room(request: Request) -> HTMLResponse:
        """Waiting lists and rota; the page asks for them itself."""
        return page(request, "room.html", lambda: {key: picture()[key] for key in ("now", "venue", "pits")})

    @api.get("/tokens.css", include_in_schema=False)
    async def _tokens() -> Response:
        return Response(tokens, media_type="text/css", headers={"Cache-Control": "no-cache"})

    api.mount("/static", assets(PAGES / "static"), name="static")
