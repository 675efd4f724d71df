"""Configuration files with every key and its meaning; what is not chosen stands there as a comment with an example."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

_TEMPLATES: Final = resources.files("controller.installation").joinpath("templates")
_SEATS_OF_A_LINE: Final = 2
_MIDDLE: Final = ("muck", "burn", "community")
_ALL_SEATS: Final = 8
PASSWORD: Final = "mqtt-password"  # noqa: S105 - a file's name


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is, and the user that it knows; empty without one, or where a certificate tells it."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str = ""

    def values(self) -> dict[str, Any]:
        """The section ``mqtt``."""
        signs_in = {"username": self.user, "password_file": PASSWORD} if self.user else {}
        return {"host": self.host, "port": self.port, **signs_in}


@dataclass(frozen=True, slots=True)
class TableChoice:
    """What a table is to be. ``shoe`` and ``readers`` are ports; ``None`` and none: people deal and name the cards by hand."""

    venue: str = "main-room"
    name: str = "T1"
    language: str = "en"
    variant: str = "stud"
    preset: str = "live_cash"
    stakes: tuple[int, int, int, int] = (1, 2, 4, 8)
    seats: int = _ALL_SEATS
    one_antenna: bool = False
    shoe: str | None = None
    shoe_driver: str = "tsp1"
    readers: tuple[str, ...] = ()
    reader_driver: str = "feig"
    broker: Broker = Broker()
    people: bool = True
    tls: bool = False
    http: tuple[str, int] = ("127.0.0.1", 8080)
    state: str = ""
    floor_key: str = ""
    """File with the public half of the floor's key; empty where no floor orders."""


@dataclass(frozen=True, slots=True)
class FloorChoice:
    """What a floor is to be. ``store``: its address."""

    venue: str = "main-room"
    broker: Broker = Broker()
    store: str = "sqlite:////var/lib/stud-floor/floor.sqlite3"
    people: bool = True
    tls: bool = False
    http: tuple[str, int] = ("127.0.0.1", 8090)
    state: str = "/var/lib/stud-floor"


def lines_for(seats: int) -> int:
    """How many lines of readers a table has by default: two seats a line, and one for muck, burn and common card."""
    return -(-seats // _SEATS_OF_A_LINE) + 1


def wiring(choice: TableChoice) -> tuple[dict[str, str], ...]:
    """Places by bus address, for each line of readers in order."""
    count = len(choice.readers)
    ups = ("",) if choice.one_antenna else ("/down", "/up")
    seats = [[f"seat/{seat}{up}" for up in ups] for seat in range(1, choice.seats + 1)]
    groups = max(count - 1, 1)
    lines: list[list[str]] = [[] for _ in range(count)]
    for index, places in enumerate(seats):
        lines[index * groups // len(seats)].extend(places)
    lines[-1].extend(_MIDDLE)
    return tuple({str(address): place for address, place in enumerate(line, 1)} for line in lines)


def table_sheet(choice: TableChoice) -> str:
    """The text of ``table.toml``."""
    where = Path(choice.state) if choice.state else None
    table, keys = Path("/var/lib/stud-table") / choice.name, Path("/var/lib/stud-table-keys") / choice.name
    ante, bring_in, small, big = choice.stakes
    values: dict[str, Any] = {
        "data": str(table / "journal" if where is None else where / "journal"),
        "keys": str(keys if where is None else where / "keys"),
        "deck": str((table if where is None else where) / "deck.toml"),
        "access": "people" if choice.people else "open",
        "table": {"venue": choice.venue, "name": choice.name, "language": choice.language},
        "game": {"variant": choice.variant, "preset": choice.preset},
        "game.stakes": {"ante": ante, "bring_in": bring_in, "small": small, "big": big},
        "game.rules": {"table.max_seats": choice.seats} if choice.seats < _ALL_SEATS else {},
        "mqtt": choice.broker.values(),
        "http": {"host": choice.http[0], "port": choice.http[1]},
    }
    if choice.people:
        values["people"] = "people.json"
    if choice.tls:
        _encrypt(values, f"table-{choice.name}")
    if choice.floor_key:
        values["floor"] = {"public_key_file": choice.floor_key}
    if choice.shoe is not None:
        values["shoe"] = {"driver": choice.shoe_driver, "port": choice.shoe}
    values["readers"] = [
        {
            "name": f"felt-{'abcdefghij'[index]}" if index < 10 else f"felt-{index}",
            "driver": choice.reader_driver,
            "port": port,
            "antennas": antennas,
            **({"seldom": [int(address) for address, place in antennas.items() if place == "muck"]} if len(antennas) > 1 else {}),
        }
        for index, (port, antennas) in enumerate(zip(choice.readers, wiring(choice) if choice.readers else (), strict=True))
    ]
    return _filled("table.sheet", values)


def floor_sheet(choice: FloorChoice) -> str:
    """The text of ``floor.toml``."""
    values: dict[str, Any] = {
        "venue": choice.venue,
        "mqtt": choice.broker.values(),
        "store": {"url": choice.store},
        "http": {"host": choice.http[0], "port": choice.http[1]},
        "orders": {"key_file": str(Path(choice.state) / "floor.key")},
    }
    if not choice.store.startswith("sqlite"):
        values["store"]["password_file"] = "store-password"  # noqa: S105 - a file's name
    if choice.people:
        values["people"] = "people.json"
    if choice.tls:
        _encrypt(values, "floor")
    return _filled("floor.sheet", values)


def _encrypt(values: dict[str, Any], folder: str) -> None:
    """Every connection with the certificate that ``stud-table keys issue`` put into ``folder``."""
    ours = {"cert_file": f"{folder}/certificate.pem", "key_file": f"{folder}/key.pem"}
    values["production"] = True
    values["mqtt"] |= {"ca_file": f"{folder}/authority.pem", **ours}
    values["http"] |= ours


def _filled(name: str, values: Mapping[str, Any]) -> str:
    """The sheet with what is chosen: a line ``key = example`` gets its value, or becomes a comment where there is none."""
    return "\n".join(_lines(_TEMPLATES.joinpath(name).read_text(encoding="utf-8").splitlines(), values)) + "\n"


def _lines(sheet: Sequence[str], values: Mapping[str, Any]) -> Iterator[str]:
    chosen: Mapping[str, Any] | None = values
    repeated: list[Mapping[str, Any]] = []
    section = ""
    for line in sheet:
        if not line:
            yield line
            yield from _again(repeated[1:], section)
            repeated = []
        elif line.startswith("["):
            section = line.strip("[]")
            found = values.get(section)
            repeated = list(found) if isinstance(found, list) else []
            chosen = (repeated[0] if repeated else None) if isinstance(found, list) else found
            yield line if chosen is not None else f"#{line}"
        elif line.startswith("#") or " = " not in line:
            yield line
        else:
            yield _assigned(line, chosen or {})
    yield from _again(repeated[1:], section)


def _assigned(line: str, chosen: Mapping[str, Any]) -> str:
    key = line.split(" = ", 1)[0]
    name = key.strip('"')
    return f"{key} = {_literal(chosen[name])}" if name in chosen else f"#{line}"


def _again(rows: Sequence[Mapping[str, Any]], section: str) -> Iterator[str]:
    """The further tables of an array, without their explanation."""
    for row in rows:
        yield f"[[{section}]]"
        yield from (f"{key} = {_literal(value)}" for key, value in row.items())
        yield ""


def _literal(value: object) -> str:
    """A value as TOML writes it; JSON's strings, numbers and arrays are TOML's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_literal(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
