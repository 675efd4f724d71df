"""A copy of the floor's store, made by the document's commands while the floor writes, holds and is gone on with."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from support.floor_samples import JOURNAL, happened
from support.postgres import Postgres

from controller.bench.postgres_server import find_postgresql
from controller.cli import main
from controller.displays.chain import Place, Roots
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import open_store
from controller.mqtt.links import ChainName

PAGE: Final = (Path(__file__).parents[2] / "docs/how-to/back-up-and-restore.md").read_text(encoding="utf-8")
SOURCE: Final = Source("T1", JOURNAL)


def command(begin: str) -> str:
    """The command of the page that begins so."""
    (found,) = re.findall(rf"^ *({re.escape(begin)} .*)$", PAGE, flags=re.MULTILINE)
    return str(found)


def chained() -> Iterator[KeptEvent]:
    """Events as a table tells them, each on the one before."""
    place = Place(roots=Roots(ChainName(*SOURCE), lambda seq: f"{seq:064x}"))
    for seq in range(1, 10_000):
        event, place = place.hang(happened(seq, at=seq))
        yield KeptEvent(SOURCE, event, proven=True)


async def copied(url: str, folder: Path, copy: Callable[[], None]) -> None:
    """Write on while ``copy`` is made."""
    events = chained()
    async with open_store(parse_address(url, folder), "nice") as store:
        await store.write(Batch(tuple(next(events) for _ in range(50))))
        done = asyncio.create_task(asyncio.to_thread(copy))
        while not done.done():
            await store.write(Batch(tuple(next(events) for _ in range(5))))
        await done


def holds(folder: Path, url: str) -> bool:
    """What ``floor --verify`` says of a store."""
    path = folder / "copy.toml"
    path.write_text(f'venue = "nice"\n[store]\nurl = "{url}"\n', encoding="utf-8")
    return main(["floor", str(path), "--verify"]) == 0


def test_a_file_is_copied_while_the_floor_writes(tmp_path: Path) -> None:
    """SQLite's own copy is of one moment; the copied file verifies, and a floor goes on with it."""
    words = shlex.split(command("python3 -c"))
    words[0], words[-2:] = sys.executable, [str(tmp_path / "floor.sqlite3"), str(tmp_path / "copy.sqlite3")]
    asyncio.run(copied("sqlite:///floor.sqlite3", tmp_path, lambda: _run(words)))
    assert holds(tmp_path, "sqlite:///copy.sqlite3")


@pytest.mark.ports
def test_a_server_is_copied_while_the_floor_writes(tmp_path: Path) -> None:
    """``pg_dump`` and ``pg_restore`` as the page gives them, into an empty database."""
    programs = find_postgresql()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: .ci/prepare dev postgresql installs it where it may")
    with Postgres() as server:
        first, second = server.new_database(), server.new_database()
        dump, restore = shlex.split(command("pg_dump")), shlex.split(command("pg_restore"))
        dump[0], restore[0] = str(programs / "pg_dump"), str(programs / "pg_restore")
        file = str(tmp_path / "floor.dump")
        dump[dump.index("--file") + 1], dump[-1] = file, first
        restore[restore.index("--dbname") + 1], restore[-1] = second, file
        asyncio.run(copied(first, tmp_path, lambda: _run(dump)))
        _run(restore)
        assert holds(tmp_path, second)


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, check=False, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr


def test_a_copy_that_lacks_an_event_is_found(tmp_path: Path) -> None:
    """So the tests above can fail."""
    asyncio.run(copied("sqlite:///floor.sqlite3", tmp_path, lambda: None))
    shutil.copy(tmp_path / "floor.sqlite3", tmp_path / "copy.sqlite3")
    with sqlite3.connect(tmp_path / "copy.sqlite3") as base:
        base.execute("DELETE FROM events WHERE seq = 7")
    base.close()
    assert not holds(tmp_path, "sqlite:///copy.sqlite3")
