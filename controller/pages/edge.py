"""What goes around every request and answer: a body has a bound, and no browser keeps or guesses what it was given.

A body is read before the gate looks at who asks, so its bound holds for nobody and for everybody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders

MAX_BODY: Final = 64 * 1024
"""Bytes of the longest body: the largest command there is takes a twentieth of it."""
CACHED: Final = {"assets": "no-cache", "other": "no-store"}
"""Modules and styles are asked for anew, or an upgraded table would be driven by yesterday's page; nothing else is kept."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Edge:
    """The outermost part of the address, around ``app``."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass the request on. What reads a body beyond ``MAX_BODY`` gets an ``HTTPException`` with status 413."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        left = MAX_BODY
        assets = str(scope["path"]).startswith("/static/")

        async def bounded() -> Message:
            nonlocal left
            if told.isdigit() and int(told) > MAX_BODY:
                raise HTTPException(413, headers={"Connection": "close"})
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, headers={"Connection": "close"})
            return message

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Cache-Control", CACHED["assets" if assets else "other"])
            await send(message)

        await self._app(scope, bounded, headed)
