"""The desk of a room: each change is asked for by a person, checked, kept, and put on the trail."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from controller.floor.board.moment import told
from controller.floor.people.trail import Trail
from controller.floor.room.rota import Layout, Shift, at_table, laid_out, taken_over
from controller.floor.room.waiting import (
    ENDS,
    Game,
    OpenSeat,
    Refused,
    Standing,
    Waiting,
    called,
    ended,
    games_of,
    in_line,
    joined,
    open_seats,
    put_back,
)
from controller.floor.store.room import RoomRows

LATEST_START: Final = timedelta(hours=2)
"""How long ago a layout may have begun: what was dealt before is past."""
LEFT_FOR: Final = timedelta(hours=1)
"""How long who has left the list is still shown, so that a slip can be seen."""

Tiles = Callable[[], Mapping[str, Mapping[str, Any]]]


class RoomDesk:
    """One room. ``rows`` gives the store's part, or raises while it is away; ``tiles`` are the board's; ``clock``: UTC."""

    def __init__(self, rows: Callable[[], RoomRows], tiles: Tiles, trail: Trail, clock: Callable[[], datetime]) -> None:
        self._rows = rows
        self._tiles = tiles
        self._trail = trail
        self._clock = clock

    async def picture(self) -> Mapping[str, Any]:
        """The list of each game with its open seats, and the rota of each table: docs/reference/floor-http.md."""
        now, rows, tiles = self._clock(), self._rows(), self._tiles()
        known = await self._seen_to_sit(rows, await rows.waiting(now - LEFT_FOR), tiles, now)
        shifts = await rows.shifts(now)
        seats = open_seats(tiles)
        left = sorted(
            (one for one in known if one.standing in ENDS), key=lambda one: (one.ended_at or now, one.entry), reverse=True
        )
        return {
            "now": told(now),
            "games": [
                _game(game, in_line(known, game), seats.get(game, ()), _sitting(tiles), now) for game in games_of(known, seats)
            ],
            "left": [_entry(one, now) for one in left],
            "tables": {table: _rota(shifts, table, now, _dealer(tile)) for table, tile in tiles.items()},
            "shifts": [_shift(one) for one in shifts],
        }

    async def join(self, game: Game, name: str, by: str) -> Waiting:
        """``name`` begins to wait for ``game``; ``Refused`` where that cannot be."""
        now, rows = self._clock(), self._rows()
        one = joined(secrets.token_hex(8), game, name, now, await rows.waiting(now))
        if (table := _sitting(self._tiles()).get((game, one.name.casefold()))) is not None:
            raise Refused("sits_already", name=one.name, table=table)
        await rows.join(one)
        self._note("joined_list", by, one)
        return one

    async def call(self, entry: str, version: int, table: str, by: str) -> Waiting:
        """Call a player to ``table``."""
        if table not in self._tiles():
            raise Refused("no_such_table", table=table)
        return await self._change(entry, version, "called_player", by, lambda one: called(one, table, self._clock()))

    async def put_back(self, entry: str, version: int, by: str) -> Waiting:
        """Take a call back."""
        return await self._change(entry, version, "put_back", by, put_back)

    async def end(self, entry: str, version: int, how: Standing, table: str | None, by: str) -> Waiting:
        """A player leaves the list."""
        return await self._change(entry, version, f"list_{how.value}", by, lambda one: ended(one, how, self._clock(), table))

    async def lay(self, layout: Layout, by: str) -> list[Shift]:
        """Lay out the rota of some tables anew from a time on."""
        if layout.starts < self._clock() - LATEST_START:
            raise Refused("starts_past", hours=int(LATEST_START.total_seconds() // 3600))
        unknown = next((table for table in layout.tables if table not in self._tiles()), None)
        if unknown is not None:
            raise Refused("no_such_table", table=unknown)
        tidy = Layout(
            [" ".join(name.split()) for name in layout.dealers], layout.tables, layout.starts, layout.minutes, layout.pushes
        )
        shifts = laid_out(tidy, _keys())
        rows = self._rows()
        elsewhere = [one for one in await rows.shifts(layout.starts) if one.table not in layout.tables]
        for one in shifts:
            taken_over(one, one.dealer, elsewhere)
        await rows.lay(shifts, layout.starts)
        self._trail.note("laid_rota", by, tables=list(layout.tables), dealers=list(tidy.dealers), starts=told(layout.starts))
        return shifts

    async def take(self, shift: str, dealer: str, by: str) -> Shift:
        """Another dealer takes a shift."""
        rows = self._rows()
        shifts = await rows.shifts(self._clock())
        before = next((one for one in shifts if one.shift == shift), None)
        if before is None:
            raise Refused("no_such_shift")
        after = taken_over(before, dealer, shifts)
        if not await rows.take(after, before.dealer):
            raise Refused("changed_meanwhile")
        self._trail.note(
            "took_shift", by, table=after.table, dealer=after.dealer, instead_of=before.dealer, starts=told(after.starts)
        )
        return after

    async def _change(self, entry: str, version: int, kind: str, by: str, how: Callable[[Waiting], Waiting]) -> Waiting:
        rows = self._rows()
        before = await rows.entry(entry)
        if before is None:
            raise Refused("no_such_entry")
        if before.version != version:
            raise Refused("changed_meanwhile")
        after = how(before)
        if not await rows.change(after):
            raise Refused("changed_meanwhile")
        self._note(kind, by, after)
        return after

    async def _seen_to_sit(
        self, rows: RoomRows, known: list[Waiting], tiles: Mapping[str, Mapping[str, Any]], now: datetime
    ) -> list[Waiting]:
        """Who was called to a table and sits there waits no longer: seating is done at the table. Somebody
        of that name at another one may be another person, which ``sits`` leaves to whoever keeps the list."""
        sitting = _sitting(tiles)
        return [await self._seated(rows, one, sitting.get((one.game, one.name.casefold())), now) for one in known]

    async def _seated(self, rows: RoomRows, one: Waiting, table: str | None, now: datetime) -> Waiting:
        """``one`` after having been seen at ``table``."""
        if one.standing is not Standing.CALLED or one.table != table:
            return one
        seated = ended(one, Standing.SEATED, now, table)
        if not await rows.change(seated):
            return one
        self._note("list_seated", "", seated)
        return seated

    def _note(self, kind: str, by: str, one: Waiting) -> None:
        self._trail.note(kind, by, table=one.table, name=one.name, game=one.game.name)


def _sitting(tiles: Mapping[str, Mapping[str, Any]]) -> dict[tuple[Game, str], str]:
    """The table of everybody who sits in a game, by game and name."""
    return {
        (Game(tile["game"]["variant"], tile["game"]["small"], tile["game"]["big"]), seat["name"].casefold()): table
        for table, tile in tiles.items()
        if tile["game"] is not None
        for seat in tile["seats"]
        if seat["name"]
    }


def _keys() -> Iterator[str]:
    while True:
        yield secrets.token_hex(8)


def _dealer(tile: Mapping[str, Any]) -> str | None:
    dealer: Mapping[str, str] | None = tile["dealer"]
    return None if dealer is None else dealer["name"]


def _game(
    game: Game, line: Sequence[Waiting], seats: Sequence[OpenSeat], sitting: Mapping[tuple[Game, str], str], now: datetime
) -> dict[str, Any]:
    return {
        **game._asdict(),
        "waiting": [{**_entry(one, now), "sits": sitting.get((game, one.name.casefold()))} for one in line],
        "open": [seat._asdict() for seat in seats],
    }


def _entry(one: Waiting, now: datetime) -> dict[str, Any]:
    return {
        "entry": one.entry,
        "version": one.version,
        **one.game._asdict(),
        "name": one.name,
        "since": told(one.since),
        "standing": one.standing.value,
        "called_at": None if one.called_at is None else told(one.called_at),
        "until": None if one.until is None else told(one.until),
        "late": one.is_late(now),
        "table": one.table,
        "ended_at": None if one.ended_at is None else told(one.ended_at),
    }


def _rota(shifts: Sequence[Shift], table: str, now: datetime, signed_in: str | None) -> dict[str, Any]:
    said = at_table(shifts, table, now, signed_in)
    after = said["next"]
    return {**said, "next": None if after is None else {**after, "at": told(after["at"])}, "signed_in": signed_in}


def _shift(one: Shift) -> dict[str, Any]:
    return {"shift": one.shift, "table": one.table, "dealer": one.dealer, "starts": told(one.starts), "ends": told(one.ends)}
