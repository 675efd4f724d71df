"""A PostgreSQL server for tests: a run's own one, which may lose everything with the machine."""

from __future__ import annotations

from typing import Final

from controller.bench.postgres_server import PostgresServer

SETTINGS: Final = ("fsync=off", "max_connections=40", "shared_buffers=16MB", "max_wal_senders=0")


class Postgres(PostgresServer):
    """One server, ``stop`` and ``start`` as often as wanted; ``new_database`` for each test."""

    def __init__(self) -> None:
        super().__init__(SETTINGS)
