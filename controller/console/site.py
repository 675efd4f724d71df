"""The console's page, its assets, its event stream and its wheel, as routes of the table's HTTP address.

Nothing is loaded from another address and nothing is written into the page as script or style, so the policy allows neither.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import FastAPI, Header, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field

from controller.console.desk import Desk
from controller.console.devices import devices_sheet
from controller.console.orders import OrderBody, order_of
from controller.console.seat_health import display_lines, with_displays
from controller.console.stream import EventStream
from controller.console.tokens import stylesheet
from controller.console.wheel import Driver, Wheel
from controller.mqtt.payloads import Device
from controller.words.catalogue import Language, catalogue, text
from drivers.ports import DeviceReport

PAGES: Final = Path(str(resources.files("controller.console") / "pages"))
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
Reports = Callable[[], Sequence[DeviceReport]]
Displays = Callable[[], Mapping[str, Device]]
ConsoleId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class DriverBody(BaseModel):
    """A console that takes the wheel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    console: ConsoleId
    name: Annotated[str, Field(min_length=1, max_length=64)]


class LetGoBody(BaseModel):
    """A console that gives the wheel back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    console: ConsoleId


class PreviewBody(BaseModel):
    """An order that is only asked about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: OrderBody


class Pages:
    """What the pages of one table share: their stream and their wheel. Needs no loop until a page looks on."""

    def __init__(self, desk: Desk, reports: Reports = tuple, displays: Displays = dict) -> None:
        self.desk = desk
        self._reports = reports
        self._displays = displays
        self.wheel = Wheel()
        self.stream = EventStream(self.picture, self._changed, secrets.token_hex(8))
        self.wheel.moved = self.stream.poke

    def picture(self) -> dict[str, Any]:
        """The dealer's snapshot with its screen, who drives, and the seats' displays that are not as they should be."""
        document = self.desk.document(self.wheel.view())
        strip = document["screen"]["strip"]
        strip["devices"] = with_displays(strip["devices"], self._displays())
        return document

    def sheet(self, name: str, given: Mapping[str, str], console: str) -> dict[str, Any] | None:
        """What opens over the page of ``console`` under ``name``; ``None`` when there is no such sheet."""
        if name == "devices":
            return devices_sheet(self._reports(), display_lines(self._displays()))
        driver = self.wheel.view()
        drives = driver is None or driver["console"] == console
        return self.desk.sheet(name, given, driver, drives=drives)

    async def _changed(self, after_seq: int) -> None:
        await self.desk.changed_to(after_seq)

    def close(self) -> None:
        """End the streams: the server stops."""
        self.stream.close()


def add_pages(api: FastAPI, pages: Pages) -> None:
    """Serve the pages from ``api``."""
    template = templates().get_template("dealer.html")
    tokens = stylesheet()

    @api.get("/", include_in_schema=False)
    async def _dealer() -> HTMLResponse:
        words = {language.value: _words(language) for language in Language}
        picture = pages.picture()
        return HTMLResponse(template.render(picture=picture, words=words, language=pages.desk.language.value), headers=HEADERS)

    @api.get("/tokens.css", include_in_schema=False)
    async def _tokens() -> Response:
        return Response(tokens, media_type="text/css", headers={"Cache-Control": "no-cache"})

    @api.get("/api/v1/stream")
    async def _stream(last_event_id: Annotated[str | None, Header(max_length=32)] = None) -> Response:
        """Server-sent events: `snapshot`, each `change` with the journal's number as id, `beat`. 503 when it is full."""
        if pages.stream.is_full:
            refusal = {"rule": "", "code": "too_many_pages", "message": "Too many pages look at this table; close one."}
            return JSONResponse({"ok": False, "refusal": refusal}, status_code=503)
        return StreamingResponse(_frames(pages, last_event_id), media_type="text/event-stream", headers=STREAM_HEADERS)

    @api.get("/api/v1/sheets")
    async def _sheet(
        name: Annotated[str, Query(max_length=40)],
        seat: Annotated[int, Query(ge=0, le=8)] = 0,
        number: Annotated[int, Query(ge=0, le=7)] = 0,
        console: Annotated[str, Query(max_length=64)] = "",
    ) -> Response:
        """What opens over the console: a list, a form with the command that comes of it, or a text; in both languages."""
        given = {key: str(value) for key, value in (("seat", seat), ("number", number)) if value}
        found = pages.sheet(name, given, console)
        if found is None:
            refusal = {"rule": "", "code": "no_such_sheet", "message": "There is no such sheet."}
            return JSONResponse({"ok": False, "refusal": refusal}, status_code=404)
        return JSONResponse(found)

    @api.post("/api/v1/preview")
    async def _preview(body: PreviewBody) -> JSONResponse:
        """What an order would change, without giving it. 409 when it would be refused; one that names a face has no preview."""
        try:
            answer = pages.desk.preview(body.command.type, order_of(body.command))
        except ValueError:
            refusal = {"rule": "R-RULE-06", "code": "no_preview", "message": "An order that names a card has no preview."}
            return JSONResponse({"ok": False, "refusal": refusal}, status_code=409)
        return JSONResponse(answer, status_code=200 if answer["ok"] else 409)

    @api.get("/api/v1/wheel")
    async def _wheel() -> dict[str, Any]:
        """Which console drives the table, as its own word; `null` while none has taken over."""
        return {"driver": pages.wheel.view()}

    @api.post("/api/v1/wheel")
    async def _take(body: DriverBody) -> dict[str, Any]:
        """Take over: this console drives, the others watch."""
        pages.wheel.take(Driver(body.console, body.name))
        return {"driver": pages.wheel.view()}

    @api.post("/api/v1/wheel/return")
    async def _give_back(body: LetGoBody) -> dict[str, Any]:
        """Let go: the console that drove before drives again."""
        pages.wheel.give_back(body.console)
        return {"driver": pages.wheel.view()}

    api.mount("/static", StaticFiles(directory=PAGES / "static"), name="static")


async def _frames(pages: Pages, last: str | None) -> AsyncIterator[bytes]:
    number = int(last) if last is not None and last.isascii() and last.isdigit() else None
    async for frame in pages.stream.frames(number):
        yield frame


@cache
def templates() -> Environment:
    """The pages' templates."""
    return Environment(
        loader=PackageLoader("controller.console", "pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def _words(language: Language) -> dict[str, str]:
    """The texts that the page itself says, by key; those of the screen come with it."""
    return {
        key: text(key, language, **dict.fromkeys(("s", "time", "message", "n"), "{}"))
        for key in _OWN
        if key in catalogue(language)
    }


_OWN: Final = (
    "ui.live",
    "ui.notlive",
    "ui.notlive.sub",
    "ui.taken",
    "ui.note.changed",
    "ui.note.refused",
    "ui.note.sending",
    "ui.note.lost",
    "ui.act.back",
    "ui.act.apply",
    "ui.act.next",
    "ui.act.again",
    "ui.act.menu",
    "ui.act.giveback",
    "ui.pot",
    "ui.takes",
    "ui.changes",
    "ui.skip",
)
