"""``GET /healthz`` and ``GET /readyz``: whether the process is alive, and whether every part that it stands on is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import FastAPI, Response

Readiness = Callable[[], Mapping[str, bool]]
"""Each part by name, and whether it is there."""


def add_health(api: FastAPI, ready: Readiness, parts: str) -> None:
    """Add both routes. ``parts`` names for people what ``ready`` tells of."""

    @api.get("/healthz")
    async def _healthz() -> dict[str, str]:
        """The process is alive."""
        return {"status": "alive"}

    about = f"{parts}; 503 while one is missing."

    @api.get("/readyz", description=about, responses={503: {"model": dict[str, bool], "description": "A part is missing"}})
    async def _readyz(response: Response) -> dict[str, bool]:
        found = dict(ready())
        response.status_code = 200 if all(found.values()) else 503
        return found
