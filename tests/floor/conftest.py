"""A PostgreSQL server for the tests of a module, where its programs are installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.postgres import Postgres

from controller.bench.postgres_server import find_postgresql


def _server() -> Iterator[Postgres]:
    if find_postgresql() is None:
        pytest.skip("PostgreSQL is not installed: .ci/prepare dev postgresql installs it where it may")
    with Postgres() as server:
        yield server


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """A server with no database of ours; skipped where PostgreSQL is not installed."""
    yield from _server()


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """One for a test that stops it and starts it again."""
    yield from _server()
