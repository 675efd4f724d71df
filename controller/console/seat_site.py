"""The seats' pages, their streams and their echoes, as routes of the table's HTTP address. They take no action (R-BET-13)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from enum import Enum
from typing import Annotated, Any, Final, Literal

from fastapi import FastAPI, Header, Response
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict

from controller.console.desk import Desk
from controller.console.seat_gateway import SeatGateway
from controller.console.site import templates
from controller.gate.refused import EventStreamResponse, answers, refused_answer
from controller.mqtt.compact import Digest, DisplayName, Echo
from controller.mqtt.payloads import MAX_SEATS, SeqNumber
from controller.pages.policy import HEADERS, STREAM_HEADERS
from controller.table.player_calls import Heard
from controller.words.catalogue import Language, text
from controller.words.said import say

SeatInPath = Annotated[int, InPath(ge=1, le=MAX_SEATS)]
_OWN: Final = (
    "age.live",
    "age.stale",
    "age.unknown",
    "lbl.hand",
    "lbl.seat",
    "lbl.pot",
    "lbl.tocall",
    "lbl.common",
    "seat.stack",
    "seat.canwin",
    "seat.notlive",
    "seat.since",
    "seat.waiting",
    "seat.bet",
    "seat.won",
    "seat.seconds",
    "seat.callfloor",
    "seat.called",
    "seat.rules.open",
    "seat.rules.close",
    "seat.rules.differ",
    "seat.rules.none",
    "seat.pots",
)


class EchoBody(BaseModel):
    """What a page shows: the picture's numbers and the digest of what stands on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epoch: SeqNumber
    seq: SeqNumber
    digest: Digest
    display: DisplayName


class TakenCall(BaseModel):
    """The table knows of the call."""

    ok: Literal[True] = True


class Theme(Enum):
    """Colours of a page."""

    DARK = "dark"
    LIGHT = "light"


def add_seat_pages(api: FastAPI, gateway: SeatGateway, desk: Desk) -> None:
    """Serve the seats' pages from ``api``; ``desk`` tells the table's language and its rules."""
    template = templates().get_template("seat.html")
    words = {one.value: {key: text(key, one, **dict.fromkeys(("s", "time"), "{}")) for key in _OWN} for one in Language}

    @api.get("/seat/{seat}", include_in_schema=False)
    async def _seat(seat: SeatInPath, theme: Theme = Theme.DARK) -> HTMLResponse:
        screen = gateway.streams[seat].screen
        shown = {"seat": seat, "screen": screen, "words": words, "language": desk.language.value, "theme": theme.value}
        return HTMLResponse(template.render(**shown), headers=HEADERS)

    @api.get("/api/v1/rules")
    async def _rules() -> dict[str, Any]:
        """The rules in force in words, in both languages, with the fingerprint that a seat's picture names (REG-50)."""
        return desk.rules()

    @api.get("/api/v1/seats/{seat}/stream", response_class=EventStreamResponse)
    async def _stream(seat: SeatInPath, last_event_id: Annotated[str | None, Header(max_length=48)] = None) -> Response:
        """Server-sent events of one seat's topic: `snapshot`, each `change`, a `beat` for a message without. 503 when full."""
        stream = gateway.streams[seat]
        if stream.is_full:
            return refused_answer(503, desk.language, "too_many_pages", say("refusal.too_many_pages"))
        return EventStreamResponse(_frames(gateway, seat, last_event_id), headers=STREAM_HEADERS)

    @api.post("/api/v1/seats/{seat}/call", responses=answers(TakenCall, 409, 429))
    async def _call(seat: SeatInPath) -> Response:
        """A player asks for the floor: a prompt at the table, which moves nothing; asking again changes nothing. 429 when it was
        answered a moment ago, 409 from a seat where nobody sits."""
        now = asyncio.get_running_loop().time()
        match await desk.call_floor(seat, now):
            case Heard.EMPTY:
                return refused_answer(409, desk.language, "seat_is_empty", say("refusal.seat_is_empty", seat=seat))
            case Heard.TOO_SOON:
                wait = {"Retry-After": str(desk.calls.wait_s(seat, now))}
                return refused_answer(429, desk.language, "called_just_now", say("refusal.called_just_now"), headers=wait)
            case _:
                return JSONResponse({"ok": True})

    @api.post("/api/v1/seats/{seat}/echo", status_code=202)
    async def _echo(seat: SeatInPath, body: EchoBody) -> dict[str, Any]:
        """A page says what it shows; it is compared with what was published, and moves nothing."""
        gateway.say(Echo(seat=seat, **body.model_dump()))
        return {"ok": True}


async def _frames(gateway: SeatGateway, seat: int, last: str | None) -> AsyncIterator[bytes]:
    async for frame in gateway.streams[seat].frames(last):
        yield frame
