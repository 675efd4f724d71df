"""A PostgreSQL server of a run's own: its data in a folder, a socket there, no network; by another user where we are root.

Its settings are the package's own, but for what makes it private and what is asked for: what is measured is what an untuned
server does.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from controller.bench.figure import BenchError

START_S: Final = 30.0
USER: Final = "postgres"
"""Whom the server runs as where we are root, which it refuses; the system's package makes that user."""
DATABASE: Final = "floor"
_POLL_S: Final = 0.05


def find_postgresql() -> Path | None:
    """The folder of the server's programs: the newest that is installed, or on ``PATH``."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


class PostgresServer:
    """One server with one empty database; a context manager that leaves nothing. ``settings``, as ``fsync=off``, are beside the
    package's own. ``BenchError`` when it does not come up."""

    def __init__(self, settings: Sequence[str] = ()) -> None:
        programs = find_postgresql()
        if programs is None:
            raise BenchError("PostgreSQL is not installed: install the package postgresql, or name a store with --store")
        self._programs = programs
        self._settings = ("listen_addresses=", *settings)
        self._databases = 0
        self._user = USER if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="stud-bench-pg-"))
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the server, whose children serve the connections."""
        return 0 if self._server is None else self._server.pid

    @property
    def url(self) -> str:
        """The address of the database."""
        return self._url(DATABASE)

    def new_database(self) -> str:
        """The address of another empty database."""
        self._databases += 1
        name = f"{DATABASE}{self._databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def __enter__(self) -> Self:
        try:
            if self._user is not None:
                entry = pwd.getpwnam(self._user)
                os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self._run("initdb", "-D", str(self.folder / "data"), "-U", USER, "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
            self.start()
            self._run("createdb", "-h", str(self.folder), "-U", USER, DATABASE)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._remove()

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [str(self._programs / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder)]
        self._server = subprocess.Popen(  # noqa: S603 - the path was looked up above, the arguments are our own
            [*command, *(word for one in self._settings for word in ("-c", one))],
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while not self._asks("pg_isready", "-q", "-h", str(self.folder)):
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise BenchError("PostgreSQL did not start: start one yourself and name it with --store")
            time.sleep(_POLL_S)

    def stop(self) -> None:
        """End it at once but in order, its clients' connections too; ``start`` starts it again."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(START_S)
            self._server = None

    def execute(self, statement: str) -> None:
        """Run SQL in the database."""
        self._run("psql", "-q", "-h", str(self.folder), "-U", USER, "-d", DATABASE, "-v", "ON_ERROR_STOP=1", "-c", statement)

    def _remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _asks(self, program: str, *arguments: str) -> bool:
        return self._done(program, *arguments).returncode == 0

    def _run(self, program: str, *arguments: str) -> None:
        done = self._done(program, *arguments)
        if done.returncode != 0:
            raise BenchError(f"{program} failed: {done.stderr.decode().strip().splitlines()[-1:]}")

    def _done(self, program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(self._programs / program), *arguments]
        return subprocess.run(  # noqa: S603 - the path was looked up above, the arguments are our own
            command,
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd="/",
            capture_output=True,
            check=False,
        )
