"""How long hands and stops lasted: written beside them when their end is told, so that a report only adds up."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Integer, bindparam, cast, func, select, update

from controller.floor.store.hand_rows import STOP
from controller.floor.store.tables import HANDS, SLIPS

_DAY_S: Final = 86_400
LONGEST_S: Final = 2**31 - 1
"""A hand that lasted longer is one of a clock that was set meanwhile: it has no length."""
REACH: Final = 5_000
"""Records before its end in which a stop is looked for: more than a hand with a stop has."""


def seconds_between(start: Any, end: Any, *, postgresql: bool) -> Any:
    """Seconds from ``start`` to ``end`` in the database's own words."""
    if postgresql:
        return func.extract("epoch", end - start)
    return (func.julianday(end) - func.julianday(start)) * _DAY_S


def hand_length(*, postgresql: bool) -> Any:
    """The statement that writes the seconds of one hand, when its beginning and end are known."""
    length = seconds_between(HANDS.c.opened_at, HANDS.c.ended_at, postgresql=postgresql)
    names = ("venue", "table_name", "journal", "hand")
    is_sane = length.between(-LONGEST_S, LONGEST_S)
    is_it = (HANDS.c[name] == bindparam(f"of_{name}") for name in names)
    return update(HANDS).where(*is_it, HANDS.c.opened_at.is_not(None), is_sane).values(seconds=cast(func.round(length), Integer))


def stop_end(*, postgresql: bool) -> Any:
    """The statement that ends the last stop before record ``of_seq``, if it is open or a later record had ended it."""
    seq: Any = bindparam("of_seq")
    at: Any = bindparam("of_at", type_=SLIPS.c.at.type)
    same = tuple(SLIPS.c[name] == bindparam(f"of_{name}") for name in ("venue", "table_name", "journal"))
    before = (SLIPS.c.seq < seq, SLIPS.c.seq > seq - REACH, SLIPS.c.event == STOP)
    last = select(func.max(SLIPS.c.seq)).where(*same, *before).scalar_subquery()
    still = SLIPS.c.until_seq.is_(None) | (SLIPS.c.until_seq > seq)
    length = seconds_between(SLIPS.c.at, at, postgresql=postgresql)
    return update(SLIPS).where(*same, SLIPS.c.seq == last, still).values(until_seq=seq, until_at=at, seconds=length)
