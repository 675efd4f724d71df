"""Tables as CSV (RFC 4180), safe to open in a spreadsheet: what people wrote is never read there as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """``rows`` under ``columns``; times are RFC 3339, what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    match value:
        case None:
            return ""
        case datetime():
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value
