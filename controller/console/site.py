"""The console's page, its assets, its event stream and its wheel, as routes of the table's HTTP address."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field

from controller.access.people import Person, Role
from controller.access.rights import RIGHTS, Right
from controller.console.desk import Desk
from controller.console.devices import devices_sheet
from controller.console.orders import CommandBody, OrderBody, order_of
from controller.console.seat_health import display_lines, with_displays
from controller.console.stream import EventStream
from controller.console.warrants import command_of
from controller.gate.gate import Caller, Gate, NotAllowed, session_view
from controller.gate.refused import EventStreamResponse, WheelAnswer, answers, refused_answer
from controller.mqtt.payloads import Device
from controller.pages.policy import HEADERS, STREAM_HEADERS, assets
from controller.pages.shared_words import SHARED_WORDS
from controller.pages.tokens import stylesheet
from controller.table.inputs import Rule
from controller.table.parts import Driver
from controller.table.wheel import relief
from controller.words.catalogue import Language, catalogue, text
from controller.words.said import say
from drivers.ports import DeviceReport

PAGES: Final = Path(str(resources.files("controller.console") / "pages"))
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
    """What the pages of one table share: stream, wheel, and the gate before them. Needs no loop until a page looks on."""

    def __init__(
        self,
        desk: Desk,
        reports: Reports = tuple,
        displays: Displays = dict,
        gate: Gate | None = None,
        broker: Callable[[], bool] = lambda: True,
    ) -> None:
        """``broker`` tells whether the displays are reached."""
        self.desk = desk
        self._broker = broker
        self.gate = gate or Gate()
        self._reports = reports
        self._displays = displays
        self.stream = EventStream(self.picture, self._changed, secrets.token_hex(8))

    def picture(self) -> dict[str, Any]:
        """The dealer's snapshot with its screen, who drives, and the seats' displays that are not as they should be."""
        document = self.desk.document(self.driver)
        strip = document["screen"]["strip"]
        strip["devices"] = with_displays(strip["devices"], self._displays(), broker=self._broker())
        return document

    @property
    def driver(self) -> dict[str, str | bool] | None:
        """The console that drives; ``can_return`` tells whether another one drives again when it lets go."""
        wheel = self.desk.state.wheel
        return {"console": wheel[0].console, "name": wheel[0].name, "can_return": len(wheel) > 1} if wheel else None

    async def command(self, body: CommandBody, caller: Caller) -> dict[str, Any]:
        """Give a command in the caller's name; who only watches gets the picture with the refusal."""
        state = self.desk.state
        answer = await self.desk.give(command_of(body, self.gate, caller, driven=bool(state.wheel), hand=state.hand_number))
        if not answer["ok"] and answer["refusal"]["code"] in ("not_driving", "nobody_drives"):
            return {**answer, "picture": self.picture()}
        return answer

    def admit(self, person: Person, at: str, before: Person | None) -> None:
        """``NotAllowed`` when ``person`` may not sign in at console ``at`` over ``before``: a relief in a hand, in which the
        floor takes no part."""
        wheel = self.desk.state.wheel
        if wheel and wheel[0].console == at and Right.COMMAND in RIGHTS[person.role]:
            refusal = relief(self.desk.state, person.name, _floor(person, before))
            if refusal is not None:
                raise NotAllowed(409, refusal.code, **dict(refusal.values))

    async def arrived(self, caller: Caller, before: Person | None = None) -> None:
        """Somebody signed in, over ``before``: where nobody drives, or at the console that does, who may give orders has the
        wheel from now on, unless the hand is another one's."""
        wheel = self.desk.state.wheel
        if Right.COMMAND in self.gate.rights(caller) and caller.person and (not wheel or wheel[0].console == caller.console):
            driver = Driver(caller.console, caller.person.name, caller.person.name)
            await self.desk.take_wheel(driver, _floor(caller.person, before if wheel else None))

    def sheet(self, name: str, given: Mapping[str, str], console: str) -> dict[str, Any] | None:
        """What opens over the page of ``console`` under ``name``; ``None`` when there is no such sheet."""
        if name == "devices":
            return devices_sheet(self._reports(), display_lines(self._displays()))
        driver = self.driver
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
    async def _dealer(request: Request) -> HTMLResponse:
        words = {language.value: _words(language) for language in Language}
        caller = pages.gate.caller(request)
        picture = pages.picture() if Right.READ in pages.gate.rights(caller) else None
        shown = {"picture": picture, "words": words, "session": session_view(pages.gate, caller)}
        return HTMLResponse(template.render(**shown, language=pages.desk.language.value), headers=HEADERS)

    @api.get("/tokens.css", include_in_schema=False)
    async def _tokens() -> Response:
        return Response(tokens, media_type="text/css", headers={"Cache-Control": "no-cache"})

    @api.get("/api/v1/stream", response_class=EventStreamResponse)
    async def _stream(request: Request, last_event_id: Annotated[str | None, Header(max_length=32)] = None) -> Response:
        """Server-sent events: `snapshot`, each `change` with the journal's number as id, `beat`. 503 when it is full."""
        if pages.stream.is_full:
            return refused_answer(503, pages.desk.language, "too_many_pages", say("refusal.too_many_pages"))
        token = pages.gate.caller(request).token
        return EventStreamResponse(_frames(pages, last_event_id, token), headers=STREAM_HEADERS)

    @api.get("/api/v1/sheets", responses=answers(None, 404))
    async def _sheet(
        request: Request,
        name: Annotated[str, Query(max_length=40)],
        seat: Annotated[int, Query(ge=0, le=8)] = 0,
        number: Annotated[int, Query(ge=0, le=7)] = 0,
        console: Annotated[str, Query(max_length=64)] = "",
    ) -> Response:
        """What opens over the console: a list, a form with the command that comes of it, or a text; in both languages."""
        given = {key: str(value) for key, value in (("seat", seat), ("number", number)) if value}
        if name == "hands":
            await pages.desk.remember()
        found = pages.sheet(name, given, pages.gate.caller(request).console or console)
        if found is None:
            return refused_answer(404, pages.desk.language, "no_such_sheet", say("refusal.no_such_sheet"))
        return JSONResponse(found)

    @api.post("/api/v1/preview", responses=answers(None, 409))
    async def _preview(body: PreviewBody) -> JSONResponse:
        """What an order would change, without giving it. 409 when it would be refused; one that names a face has no preview."""
        return previewed(pages.desk, body.command)

    _add_wheel(api, pages)
    api.mount("/static", assets(PAGES / "static"), name="static")


def previewed(desk: Desk, body: OrderBody) -> JSONResponse:
    """What an order would change, as an answer."""
    try:
        order = order_of(body)
        if isinstance(order, Rule):  # who agrees sees first what would change
            order = replace(order, by="1", agreed_by="2")
        answer = desk.preview(body.type, order)
    except ValueError:
        return refused_answer(409, desk.language, "no_preview", say("refusal.no_preview"), rule="R-RULE-06")
    return JSONResponse(answer, status_code=200 if answer["ok"] else 409)


def _add_wheel(api: FastAPI, pages: Pages) -> None:
    def turned(answer: dict[str, Any]) -> JSONResponse:
        return JSONResponse({"driver": pages.driver}) if answer["ok"] else JSONResponse(answer, status_code=409)

    @api.get("/api/v1/wheel", responses=answers(WheelAnswer))
    async def _wheel() -> dict[str, Any]:
        """Which console drives the table; `null` while none has taken over."""
        return {"driver": pages.driver}

    @api.post("/api/v1/wheel", responses=answers(WheelAnswer, 409))
    async def _take(body: DriverBody, request: Request) -> JSONResponse:
        """Take over: this console drives, the others watch. Where people sign in, console and name are the session's. 409 for
        another dealer's hand, in which the floor takes no part."""
        caller = pages.gate.caller(request)
        name = "" if caller.person is None else caller.person.name
        driver = Driver(caller.console or body.console, name or body.name, name)
        return turned(await pages.desk.take_wheel(driver, _floor(caller.person)))

    @api.post("/api/v1/wheel/return", responses=answers(WheelAnswer, 409))
    async def _give_back(body: LetGoBody, request: Request) -> JSONResponse:
        """Let go: the console that drove before drives again. 409 as for taking over."""
        caller = pages.gate.caller(request)
        name = "" if caller.person is None else caller.person.name
        return turned(await pages.desk.return_wheel(caller.console or body.console, name, _floor(caller.person)))


async def _frames(pages: Pages, last: str | None, token: str) -> AsyncGenerator[bytes]:
    """The stream of one page, which ends when its session may read no longer; a heartbeat is soon enough."""
    number = int(last) if last is not None and last.isascii() and last.isdigit() else None
    async with aclosing(pages.stream.frames(number)) as frames:
        async for frame in frames:
            if not pages.gate.reads(token):
                return
            yield frame


def _floor(*people: Person | None) -> str:
    """The floor person among ``people``, empty when there is none."""
    return next((person.name for person in people if person is not None and person.role is Role.FLOOR), "")


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
    *SHARED_WORDS,
    "ui.act.again",
    "ui.live",
    "ui.live.not",
    "ui.notlive",
    "ui.notlive.sub",
    "ui.taken",
    "ui.taken.simulated",
    "ui.note.changed",
    "ui.note.hold",
    "ui.note.again",
    "ui.note.refused",
    "ui.note.sending",
    "ui.note.lost",
    "ui.act.menu",
    "ui.act.giveback",
    "ui.pot",
    "ui.takes",
)
