"""A PostgreSQL server for tests: its own data, a socket in its own folder, no network, run by another user where we are root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import psycopg

START_S: Final = 30.0
USER: Final = "postgres"
"""Whom the server runs as where we are root, which it refuses; the system's package makes that user."""


def find_postgres() -> Path | None:
    """The folder of the server's programs: the newest that is installed, or on ``PATH``."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


class Postgres:
    """One server. ``stop`` and ``start`` as often as wanted; ``remove`` at the end."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = USER if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="stud-pg-"))
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(self._folder, entry.pw_uid, entry.pw_gid)
        self._databases = 0
        self._server: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self._data), "-U", USER, "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
        self.start()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd="/",
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = ("listen_addresses=", "fsync=off", "max_connections=40", "shared_buffers=16MB", "max_wal_senders=0")
        self._server = subprocess.Popen(
            [
                str(self._programs / "postgres"),
                "-D",
                str(self._data),
                "-k",
                str(self._folder),
                *(part for one in settings for part in ("-c", one)),
            ],
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self._conninfo("postgres")).close()
            except psycopg.OperationalError:
                assert self._server.poll() is None, "PostgreSQL ended by itself"
                assert time.monotonic() < deadline, "PostgreSQL did not start"
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End it at once but in order, its clients' connections too."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(START_S)
            self._server = None

    def remove(self) -> None:
        """Stop, and leave nothing."""
        self.stop()
        shutil.rmtree(self._folder)

    def _conninfo(self, database: str) -> str:
        return f"host={self._folder} user={USER} dbname={database} connect_timeout=5"

    def new_database(self) -> str:
        """The address of an empty database."""
        self._databases += 1
        name = f"floor{self._databases}"
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://{USER}@/{name}?host={self._folder}"
