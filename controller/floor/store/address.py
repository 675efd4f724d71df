"""Where the store is: ``sqlite:///path`` or ``postgresql://user@host/database``, with the driver that the program brings."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

StoreAddress: TypeAlias = URL

_DRIVERS: Final = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}


class AddressError(ValueError):
    """No address of a store; the text says which ones are, and holds no password."""


def parse_address(text: str, base: Path, password: str | None = None) -> URL:
    """The address with its driver; a relative path of SQLite is relative to ``base``. ``AddressError`` says what is wrong."""
    ways = "write sqlite:///floor.sqlite3 or postgresql://user@host/database"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise AddressError(f"the store's address is none: {ways}") from None
    if url.password is not None:
        raise AddressError("a password stands in the store's address: write it into a file and name that as store.password_file")
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        raise AddressError(f"{url.drivername} is no kind of store: {ways}")
    if url.drivername == "postgresql":
        if not url.database:
            raise AddressError(f"the store's address names no database: {ways}")
        return url.set(drivername=driver, password=password)
    if not url.database or url.database == ":memory:" or url.host:
        raise AddressError(f"the store's address names no file: {ways}")
    return url.set(drivername=driver, database=str(base / url.database))


def shown(url: URL) -> str:
    """The address for people, without a password."""
    return url.render_as_string(hide_password=True)
