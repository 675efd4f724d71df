"""``GET /api/audit/<table>``: what the floor's copy proves of a table's journals (docs/reference/floor-http.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse

from controller.floor.board.moment import told
from controller.floor.store.audit_reads import AuditReads
from controller.floor.store.store import StoreError

ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    404: {"description": "Nothing is kept of that table"},
    503: {"description": "The store is away"},
}
NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def add_audit(api: FastAPI, reads: Callable[[], AuditReads]) -> None:
    """Serve it from ``api``; ``reads`` may raise ``StoreError``."""

    @api.get(
        "/api/audit/{table}", responses={404: {"description": "Nothing is kept of that table"}, 503: {"description": "No store"}}
    )
    async def _audit(table: str) -> JSONResponse:
        """Each journal that is kept of the table, the newest first: how far, what is proven, holes, heads, differences."""
        try:
            found = await reads().journals(table)
        except StoreError as error:
            raise HTTPException(503, f"{error}; what the tables tell is asked of them again when it is back") from None
        if not found:
            raise HTTPException(404, f"nothing is kept of a table {table}: see /api/board for those that were heard")
        return JSONResponse({"table": table, "journals": [_shown(row) for row in found]}, headers=NO_STORE)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    head = row["head"]
    return {
        "journal": row["journal"],
        "kept": row["seq"],
        "kept_at": told(row["at"]),
        "link": row["link"],
        "verified": row["verified"],
        "head": None if head is None else {"seq": head["seq"], "head": head["head"], "at": told(head["at"])},
        "holes": [_hole(hole) for hole in row["holes"]],
        "differences": [
            {"seq": one["seq"], "what": one["what"], "found_at": told(one["found_at"])} for one in row["differences"]
        ],
    }


def _hole(hole: dict[str, Any]) -> dict[str, Any]:
    closed = hole["closed_at"]
    return {
        "after": hole["after_seq"],
        "next": hole["next_seq"],
        "found_at": told(hole["found_at"]),
        "closed_at": None if closed is None else told(closed),
    }
