"""The waiting list of each game: who came first is called first, and a called player has a few minutes to come. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final, NamedTuple

TO_COME: Final = timedelta(minutes=5)
"""How long the seat of who was called is kept; then the page says so, and a person decides."""
MAX_WAITING: Final = 500
"""Players that wait in one venue; one more is refused."""


class Game(NamedTuple):
    """A game and its limits, as tables announce them; bets in chips."""

    variant: str
    small: int
    big: int

    @property
    def name(self) -> str:
        """As it stands in an address or a key: ``stud 4/8``."""
        return f"{self.variant} {self.small}/{self.big}"


class Standing(Enum):
    """Where a player of the list stands. The last three are ends."""

    WAITING = "waiting"
    CALLED = "called"
    SEATED = "seated"
    GONE = "gone"
    """Called, and did not come."""
    WITHDRAWN = "withdrawn"
    """Wants to play no longer."""


ENDS: Final = frozenset((Standing.SEATED, Standing.GONE, Standing.WITHDRAWN))


class Refused(Exception):  # noqa: N818 - an answer to who asks
    """The list stays as it is: why, as a code with its values."""

    def __init__(self, code: str, **values: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.values: Mapping[str, str | int] = values


@dataclass(frozen=True, slots=True)
class Waiting:
    """A player who waits for a game. ``version`` grows with each change, so that of two changes at once one is refused.
    ``since`` is the place in the list: who is put back keeps it."""

    entry: str
    game: Game
    name: str
    since: datetime
    standing: Standing = Standing.WAITING
    version: int = 1
    called_at: datetime | None = None
    table: str | None = None
    """Where the player was called to, and then sits."""
    ended_at: datetime | None = None

    @property
    def until(self) -> datetime | None:
        """Until when the seat of who was called is kept; ``None`` for who was not."""
        return self.called_at + TO_COME if self.standing is Standing.CALLED and self.called_at is not None else None

    def is_late(self, now: datetime) -> bool:
        """Whether the time to come is over."""
        return self.until is not None and now > self.until


def joined(entry: str, game: Game, name: str, now: datetime, known: Iterable[Waiting]) -> Waiting:
    """A new place at the end of the list of ``game``. ``known``: everybody who waits; the same name waits for a game once."""
    waiting = [one for one in known if one.standing not in ENDS]
    name = " ".join(name.split())
    if not name:
        raise Refused("name_due")
    if any(one.game == game and one.name.casefold() == name.casefold() for one in waiting):
        raise Refused("waits_already", name=name, game=game.name)
    if len(waiting) >= MAX_WAITING:
        raise Refused("list_full", count=MAX_WAITING)
    return Waiting(entry, game, name, now)


def called(one: Waiting, table: str, now: datetime) -> Waiting:
    """``one`` is called to ``table``; called again, the minutes begin again."""
    _open(one)
    return replace(one, standing=Standing.CALLED, called_at=now, table=table, version=one.version + 1)


def put_back(one: Waiting) -> Waiting:
    """The call is taken back: ``one`` waits on, at the place of before."""
    if one.standing is not Standing.CALLED:
        raise Refused("not_called", name=one.name)
    return replace(one, standing=Standing.WAITING, called_at=None, table=None, version=one.version + 1)


def ended(one: Waiting, how: Standing, now: datetime, table: str | None = None) -> Waiting:
    """``one`` leaves the list: seated at ``table``, gone without an answer, or by the player's own wish."""
    _open(one)
    if how is Standing.GONE and one.standing is not Standing.CALLED:
        raise Refused("not_called", name=one.name)
    return replace(one, standing=how, ended_at=now, table=table or one.table, version=one.version + 1)


def in_line(known: Iterable[Waiting], game: Game) -> list[Waiting]:
    """Who waits for ``game``, the first first."""
    return sorted((one for one in known if one.game == game and one.standing not in ENDS), key=_place)


class OpenSeat(NamedTuple):
    """A seat that nobody has."""

    table: str
    seat: int


def open_seats(tiles: Mapping[str, Mapping[str, Any]]) -> dict[Game, list[OpenSeat]]:
    """By game the empty seats of the tables that are heard, as their tiles tell them."""
    found: dict[Game, list[OpenSeat]] = {}
    for table, tile in tiles.items():
        game = tile["game"]
        if tile["liveness"] != "online" or game is None:
            continue
        seats = [OpenSeat(table, seat["seat"]) for seat in tile["seats"] if seat["state"] == "empty"]
        found.setdefault(Game(game["variant"], game["small"], game["big"]), []).extend(seats)
    return found


def games_of(known: Iterable[Waiting], seats: Mapping[Game, Sequence[OpenSeat]]) -> list[Game]:
    """Every game that is dealt or waited for, in a fixed order."""
    return sorted({*(one.game for one in known if one.standing not in ENDS), *seats})


def _place(one: Waiting) -> tuple[datetime, str]:
    return one.since, one.entry


def _open(one: Waiting) -> None:
    if one.standing in ENDS:
        raise Refused("left_the_list", name=one.name)
