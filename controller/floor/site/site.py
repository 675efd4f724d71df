"""The floor's pages and their assets, as routes of the floor's HTTP address. They take no command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from controller.access.rights import Right
from controller.floor.site.words import page_words
from controller.gate.gate import Gate, session_view
from controller.pages.policy import HEADERS, assets
from controller.pages.tokens import stylesheet
from controller.words.catalogue import Language

PAGES: Final = Path(str(resources.files("controller.floor.site") / "pages"))

Picture = Mapping[str, Any]


def add_floor_pages(
    api: FastAPI, picture: Callable[[], Picture], gate: Gate | None = None, language: Language = Language.EN
) -> None:
    """Serve the pages from ``api``. ``picture`` is the newest one of all tables, which is in the page of whom ``gate`` lets read;
    ``language`` is that of a first visit."""
    keeper = gate or Gate(name="floor")
    templates = Environment(
        loader=PackageLoader("controller.floor.site", "pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    tokens = stylesheet()

    def page(request: Request, name: str, **more: Any) -> HTMLResponse:
        caller = keeper.caller(request)
        now = picture()
        shown = {
            "venue": now["venue"],
            "picture": now if Right.READ in keeper.rights(caller) else None,
            "session": session_view(keeper, caller),
            "words": page_words(),
            "language": language.value,
            **more,
        }
        return HTMLResponse(templates.get_template(name).render(**shown), headers=HEADERS)

    @api.get("/", include_in_schema=False)
    async def _floor(request: Request) -> HTMLResponse:
        return page(request, "floor.html")

    @api.get("/tables/{table}", include_in_schema=False)
    async def _open(table: str) -> RedirectResponse:
        """To the table's own address, where it says who may do what."""
        address = picture()["tables"].get(table, {}).get("http")
        if address is None:
            raise HTTPException(404, f"no table {table} has told its address: see http.announce in its configuration")
        return RedirectResponse(address, headers={"Cache-Control": "no-store"})

    @api.get("/tokens.css", include_in_schema=False)
    async def _tokens() -> Response:
        return Response(tokens, media_type="text/css", headers={"Cache-Control": "no-cache"})

    api.mount("/static", assets(PAGES / "static"), name="static")
