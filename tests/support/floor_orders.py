"""The floor's way to its tables, straight into consoles of this process: for pages, which see the same answers."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
from fastapi import Request, Response

from controller.access.rights import Right
from support.floor_site import FloorSite

TO_TABLE = (("GET", "sheets"), ("POST", "preview"), ("POST", "commands"), ("POST", "approvals"))
ENDPOINTS = {f"{method} /api/tables/{{table}}/{what}": Right.COMMAND for method, what in TO_TABLE}
"""Who may order, at the floor's gate."""


def add_orders(site: FloorSite, tables: Mapping[str, httpx.AsyncClient]) -> None:
    """Pass what is asked of a table's API at the floor on to that table's client."""
    for method, what in TO_TABLE:
        site.api.add_api_route(f"/api/tables/{{table}}/{what}", _passing(what, tables), methods=[method])


def _passing(what: str, tables: Mapping[str, httpx.AsyncClient]) -> object:
    async def passed(table: str, request: Request) -> Response:
        answer = await tables[table].request(
            request.method,
            f"/api/v1/{what}",
            params=dict(request.query_params),
            content=await request.body(),
            headers={"Content-Type": "application/json"},
        )
        return Response(answer.content, answer.status_code, media_type="application/json")

    return passed
