"""Alarms at the floor's HTTP address: acknowledge, shelve, and what has been (docs/reference/floor-http.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, StringConstraints

from controller.access.floor_rights import may_take
from controller.floor.alarms.desk import AlarmDesk
from controller.floor.alarms.summary import summary
from controller.floor.board.alarms import StandingAlarm
from controller.floor.board.incident import Incident
from controller.floor.board.incidents import MAX_REASON, AlarmRefused
from controller.floor.board.moment import told as told_at
from controller.floor.store.alarm_reads import MAX_STORIES
from controller.gate.gate import Caller, Gate, NotAllowed
from controller.gate.refused import answers, refused_answer
from controller.mqtt.payloads import Instant
from controller.words.catalogue import Language
from controller.words.said import say

NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
DAY: Final = timedelta(days=1)
_STATUS: Final = {"unknown": 404, "shelf_reason": 422, "shelf_minutes": 422, "nobody": 422}

Words = Annotated[str, StringConstraints(min_length=1, max_length=MAX_REASON)]


class Named(BaseModel):
    """One alarm as it was seen, and in open mode who asks; where people sign in it is the person of the session."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, StringConstraints(min_length=2, max_length=160)]
    raised_at: Instant
    by: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] = ""


class Shelving(Named):
    """For how many minutes, and why."""

    minutes: Literal[15, 30]
    reason: Words


class Clearing(Named):
    """Why it is over."""

    reason: Words


TellTable = Callable[[StandingAlarm, str, Caller], Awaitable[bool]]


def add_alarms(
    api: FastAPI, desk: AlarmDesk, gate: Gate | None = None, language: Language = Language.EN, tell: TellTable | None = None
) -> None:
    """Serve them from ``api``. ``tell`` tells a table who has acknowledged its alarm, and whether it took it."""
    keeper = gate or Gate(name="floor")

    @api.exception_handler(AlarmRefused)
    async def _refused(_: Request, error: AlarmRefused) -> JSONResponse:
        values = {name: str(value) for name, value in error.values.items()}
        said = say(f"floor.refused.{error.code}", **values)
        return refused_answer(_STATUS.get(error.code, 409), language, error.code, said)

    @api.post("/api/alarms/acknowledge", responses=answers(None, 404, 409))
    async def _acknowledge(body: Named, request: Request) -> JSONResponse:
        """A named person has seen it; nothing is cleared by that. The table of an alarm that stands is told: `table_told` is
        whether it took it, null where it keeps no record of such an alarm."""
        by = _person(keeper, desk, body, request)
        one, is_stored = await desk.acknowledge(body.id, body.raised_at, by)
        told = None
        if tell is not None and one.cleared_at is None and one.alarm.raised_seq is not None:
            told = await tell(one.alarm, by, keeper.caller(request))
        return JSONResponse(
            {"ok": True, "stored": is_stored, "table_told": told, "alarm": one.as_json()},
            headers=NO_STORE,
        )

    @api.post("/api/alarms/shelve", responses=answers(None, 404, 409))
    async def _shelve(body: Shelving, request: Request) -> JSONResponse:
        """Set an alarm of priority 2 or 3 aside for a time."""
        by = _person(keeper, desk, body, request)
        return await _done(desk.shelve(body.id, body.raised_at, by, body.minutes, body.reason))

    @api.post("/api/alarms/unshelve", responses=answers(None, 404, 409))
    async def _unshelve(body: Named, request: Request) -> JSONResponse:
        """Take it from the shelf."""
        by = _person(keeper, desk, body, request)
        return await _done(desk.unshelve(body.id, body.raised_at, by))

    @api.post("/api/alarms/clear", responses=answers(None, 404, 409))
    async def _clear(body: Clearing, request: Request) -> JSONResponse:
        """End an alarm about a copy, whose end nothing else tells."""
        by = _person(keeper, desk, body, request)
        return await _done(desk.clear(body.id, body.raised_at, by, body.reason))

    _add_history(api, desk)


def _add_history(api: FastAPI, desk: AlarmDesk) -> None:
    """What has been."""

    @api.get("/api/alarms", responses=answers(None))
    async def _alarms(
        since: Instant | None = None,
        table: Annotated[str | None, Query(max_length=64)] = None,
        limit: Annotated[int, Query(ge=1, le=MAX_STORIES)] = 100,
    ) -> JSONResponse:
        """Alarms that were raised since then, the newest first, each with its trail. A day unless `since` is given."""
        found = await desk.reads.since(_since(since, desk), table, limit)
        return JSONResponse({"alarms": [story.as_json() for story in found]}, headers=NO_STORE)

    @api.get("/api/alarms/summary", responses=answers(None))
    async def _summary(since: Instant | None = None) -> JSONResponse:
        """Calls against hands since then, of the room and of each table. A day unless `since` is given."""
        start, store = _since(since, desk), desk.reads
        told: dict[str, Any] = summary(await store.counts(start), await store.hands(start))
        return JSONResponse({"since": told_at(start), **told}, headers=NO_STORE)


def _person(gate: Gate, desk: AlarmDesk, body: Named, request: Request) -> str:
    """Who asks, if he may take that alarm."""
    who = gate.caller(request).person
    one = desk.find(body.id)
    if one is not None and not may_take(None if who is None else who.role, one.alarm.device):
        raise NotAllowed(403, "may_not", name="" if who is None else who.name)
    name = body.by if who is None else who.name
    if not name:
        raise AlarmRefused("nobody")
    return name


async def _done(deed: Awaitable[tuple[Incident, bool]]) -> JSONResponse:
    one, is_stored = await deed
    return JSONResponse({"ok": True, "stored": is_stored, "alarm": one.as_json()}, headers=NO_STORE)


def _since(asked: datetime | None, desk: AlarmDesk) -> datetime:
    return desk.now() - DAY if asked is None else asked
