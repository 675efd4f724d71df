"""The room's desk as routes of the floor's HTTP address: the waiting list and the rota."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final, Literal

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from controller.floor.room.rota import Layout
from controller.floor.room.waiting import Game, Refused, Standing, Waiting
from controller.floor.room_desk.desk import RoomDesk
from controller.gate.gate import Gate
from controller.gate.refused import EVERYWHERE, refused_answer
from controller.mqtt.payloads import Instant
from controller.words.catalogue import Language
from controller.words.said import say

NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
LONGEST_PUSH: Final = int(timedelta(hours=8).total_seconds() // 60)
MAX_DEALERS: Final = 200


def _on_a_line(words: str) -> str:
    if not words.isprintable():
        raise ValueError("it has signs that cannot be printed: write it on one line, in letters of one direction")
    return words


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64), AfterValidator(_on_a_line)]
Bet = Annotated[int, Field(ge=1, le=1_000_000)]
Version = Annotated[int, Field(ge=1)]


class ByBody(BaseModel):
    """Whose order it is, where nobody signs in; elsewhere the session says it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] = ""


class JoinBody(ByBody):
    """A player begins to wait for a game."""

    variant: Literal["stud", "stud8", "razz"]
    small: Bet
    big: Bet
    name: Words


class ChangeBody(ByBody):
    """What becomes of a player of the list; ``version`` is the one that the page showed."""

    do: Literal["call", "back", "seated", "gone", "withdrawn"]
    version: Version
    table: Words | None = None


class RotaBody(ByBody):
    """A layout: dealers in their order move one table on with each push."""

    dealers: Annotated[tuple[Words, ...], Field(min_length=1, max_length=MAX_DEALERS)]
    tables: Annotated[tuple[Words, ...], Field(min_length=1, max_length=MAX_DEALERS)]
    starts: Instant
    minutes: Annotated[int, Field(ge=5, le=LONGEST_PUSH)] = 30
    pushes: Annotated[int, Field(ge=1, le=200)]


class TakeBody(ByBody):
    """Another dealer takes a shift."""

    dealer: Words


def add_room(api: FastAPI, desk: RoomDesk, gate: Gate, language: Language = Language.EN) -> None:
    """Serve it from ``api``."""

    @api.exception_handler(Refused)
    async def _refused(_: Request, error: Refused) -> JSONResponse:
        return refused_answer(409, language, error.code, say(f"refusal.{error.code}", **error.values))

    @api.get("/api/room", responses=EVERYWHERE)
    async def _room() -> JSONResponse:
        """Who waits for which game, where seats are open, and who deals where from when."""
        return JSONResponse(await desk.picture(), headers=NO_STORE)

    _add_waiting(api, desk, gate)
    _add_rota(api, desk, gate)


def _add_waiting(api: FastAPI, desk: RoomDesk, gate: Gate) -> None:
    @api.post("/api/room/waiting", responses=EVERYWHERE)
    async def _join(body: JoinBody, request: Request) -> dict[str, Any]:
        """Put a player at the end of a game's list."""
        by = _person(gate, request, body)
        return _kept(await desk.join(Game(body.variant, body.small, body.big), body.name, by))

    @api.post("/api/room/waiting/{entry}", responses=EVERYWHERE)
    async def _change(entry: str, body: ChangeBody, request: Request) -> dict[str, Any]:
        """Call a player to a table, take the call back, or take the player off the list. 409 when the list has changed since."""
        by = _person(gate, request, body)
        if body.do == "back":
            return _kept(await desk.put_back(entry, body.version, by))
        if body.do in ("call", "seated") and body.table is None:
            raise Refused("table_due")
        if body.do == "call":
            return _kept(await desk.call(entry, body.version, str(body.table), by))
        return _kept(await desk.end(entry, body.version, Standing(body.do), body.table, by))


def _add_rota(api: FastAPI, desk: RoomDesk, gate: Gate) -> None:
    @api.post("/api/room/rota", responses=EVERYWHERE)
    async def _lay(body: RotaBody, request: Request) -> dict[str, Any]:
        """Lay out who deals at some tables from a time on; what was laid out for them from then on is replaced."""
        layout = Layout(body.dealers, body.tables, body.starts, body.minutes, body.pushes)
        return {"ok": True, "shifts": len(await desk.lay(layout, _person(gate, request, body)))}

    @api.post("/api/room/rota/{shift}", responses=EVERYWHERE)
    async def _take(shift: str, body: TakeBody, request: Request) -> dict[str, Any]:
        """Another dealer takes a shift."""
        one = await desk.take(shift, body.dealer, _person(gate, request, body))
        return {"ok": True, "shift": one.shift, "dealer": one.dealer}


def _person(gate: Gate, request: Request, body: ByBody) -> str:
    """Who orders: the session's person, or the name in the order where nobody signs in."""
    person = gate.caller(request).person
    if person is not None:
        return person.name
    if not body.by:
        raise Refused("by_due")
    return body.by


def _kept(one: Waiting) -> dict[str, Any]:
    return {"ok": True, "entry": one.entry, "version": one.version}
