"""What a program writes of itself to standard error: a line for people, or one JSON object a line, each with its place.

The place is the table, the hand and the journal's number of now, and the person on whose request something was written. A line
tells no card that is not public, no PIN, badge or token: who writes one names things by number and code. Lines go to standard
error alone; under systemd the journal keeps, rotates and bounds them (``journalctl -u``, ``journald.conf``).
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, TextIO

Form = Literal["console", "json"]
Level = Literal["debug", "info", "warning", "error"]
PLACE: Final = ("table", "hand", "seq", "person")
"""What a line tells of its place, in this order."""

person: ContextVar[str] = ContextVar("person", default="")
"""Who asked for what is done now; empty for nobody."""


class Where(NamedTuple):
    """Where a program stands: the table, its hand, the journal's last number; each ``None`` where there is none."""

    table: str | None = None
    hand: int | None = None
    seq: int | None = None


class Place(logging.Filter):
    """Puts the place on each record; passes all of them."""

    def __init__(self, where: Callable[[], Where]) -> None:
        super().__init__()
        self.where = where

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true."""
        table, hand, seq = self.where()
        record.place = {"table": table, "hand": hand, "seq": seq, "person": person.get() or None}
        return True


def place_of(record: logging.LogRecord) -> Mapping[str, Any]:
    """What a line tells of its place; nothing stays out."""
    found: Mapping[str, Any] = getattr(record, "place", {})
    return {name: found[name] for name in PLACE if found.get(name) is not None}


def time_of(record: logging.LogRecord) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ConsoleForm(logging.Formatter):
    """Time, level, logger, what is said, and the place in brackets."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback below where there is one."""
        place = " ".join(f"{name}={value}" for name, value in place_of(record).items())
        said = f"{time_of(record)} {record.levelname} {record.name} {record.getMessage()}" + (f" [{place}]" if place else "")
        return said if not record.exc_info else f"{said}\n{self.formatException(record.exc_info)}"


class JsonForm(logging.Formatter):
    """One JSON object a line: ``time``, ``level``, ``logger``, ``message``, the place, and ``error`` with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The object."""
        said = {"time": time_of(record), "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        error = {"error": self.formatException(record.exc_info)} if record.exc_info else {}
        return json.dumps({**said, **place_of(record), **error}, ensure_ascii=False)


FORMS: Final[Mapping[str, type[logging.Formatter]]] = {"console": ConsoleForm, "json": JsonForm}


def set_up_logs(form: Form = "console", level: Level = "info", stream: TextIO | None = None) -> Place:
    """Write everything that is logged from now on to ``stream``, standard error unless given; where handlers are set
    up already, they stay. Where the program stands is told to the filter that is returned, by its ``where``."""
    handler = logging.StreamHandler(stream or sys.stderr)
    place = Place(Where)
    handler.addFilter(place)
    handler.setFormatter(FORMS[form]())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells whole addresses, and a webhook's is a secret
    return place
