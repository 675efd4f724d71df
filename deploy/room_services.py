"""What runs in a tried room, as the accounts that its units name: started, waited for, and stopped by process."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

READY_S = 120.0
"""Longest wait for what is started, or a command."""
STOP_S = 30.0
_END = {"postgresql": "INT"}
"""The signal that ends a service well, where it is not TERM."""


class NotPossibleError(Exception):
    """What is missing, and the way out."""


class NotSeenError(Exception):
    """What did not become true."""


@dataclass(frozen=True)
class Account:
    """An account, or this one where there are no others."""

    name: str
    uid: int
    gid: int

    def popen(self) -> dict[str, Any]:
        """How a process becomes it."""
        return {} if self.uid == os.geteuid() else {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass
class Service:
    """Something that runs."""

    name: str
    account: Account
    process: subprocess.Popen[bytes]


@dataclass
class Services:
    """The services below ``root``. ``say`` takes a line for people; ``separate``: they have accounts of their own."""

    root: Path
    say: Callable[[str], None]
    ports: dict[str, int] = field(default_factory=dict)
    running: list[Service] = field(default_factory=list)
    separate: bool = False

    def here(self, text: str) -> str:
        """A text with paths, ports and names of this room."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """What every process here is given, and nothing of this one's."""
        path = f"{self.root}/opt/stud-table/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {"PATH": path, "LANG": "C.UTF-8", "HOME": str(self.root), "TERM": "dumb"}

    def account(self, name: str) -> Account:
        """An account of the room, or of the machine; this one where the room has no others."""
        if not self.separate:
            return Account(name, os.geteuid(), os.getegid())
        for line in (self.root / "etc/passwd").read_text(encoding="utf-8").splitlines():
            given, _, uid, gid, *_ = line.split(":")
            if given == name:
                return Account(name, int(uid), int(gid))
        entry = pwd.getpwnam(name)
        return Account(name, entry.pw_uid, entry.pw_gid)

    def start(self, name: str, account: Account, words: list[str], more: dict[str, str] | None = None) -> Service:
        """Start a process, whose output is its log. It ends with this one, however that ends."""
        with (self.root / f"var/log/{name}.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - the unit's program
                _not_outliving(name, words),
                cwd="/",
                env=self.environment() | (more or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                umask=0o077,
                process_group=0,
                **account.popen(),
            )
        service = Service(name, account, process)
        self.running.append(service)
        return service

    def look_at(self, service: Service) -> None:
        """``NotSeenError`` when it has ended."""
        if service.process.poll() is not None:
            raise NotSeenError(f"{service.name} has ended with {service.process.returncode}: {self.log(service.name)}")

    def log(self, name: str) -> str:
        """The end of what a service said."""
        return (self.root / f"var/log/{name}.log").read_text(encoding="utf-8", errors="replace")[-2000:].strip()

    def until(self, holds: Callable[[], bool], what: str, seconds: float) -> None:
        """Wait until it holds; ``NotSeenError`` when it does not, or something has ended meanwhile."""
        end = time.monotonic() + seconds
        while not holds():
            for service in self.running:
                self.look_at(service)
            if time.monotonic() > end:
                raise NotSeenError(f"{what}: not after {seconds:.0f} s; logs are in {self.root}/var/log")
            time.sleep(0.1)

    def stop(self) -> list[str]:
        """Stop everything in the order that a machine does, by process; those that did not end well."""
        bad = []
        for service in reversed(self.running):
            process = service.process
            if process.poll() is None:
                process.send_signal(signal.Signals[f"SIG{_END.get(service.name, 'TERM')}"])
                try:
                    process.wait(STOP_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            if process.returncode != 0:
                bad.append(f"{service.name} ended with {process.returncode}: {self.log(service.name)}")
        self.running.clear()
        return bad

    def units(self, names: list[str]) -> None:
        """Start what the units say, as the accounts that they name, all at once, and wait until each says that it is ready."""
        with ExitStack() as stack:
            waited = []
            for name in names:
                manager = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                manager.bind(f"\0stud-room-{os.getpid()}-{name}")
                manager.settimeout(0.2)
                waited.append((self._unit(name, {"NOTIFY_SOCKET": f"@stud-room-{os.getpid()}-{name}"}), manager))
            for service, manager in waited:
                self._until_ready(service, manager)

    def _unit(self, name: str, more: dict[str, str]) -> Service:
        template, at, instance = name.partition("@")
        text = (self.root / "etc/systemd/system" / f"{template}{at}.service").read_text(encoding="utf-8")
        said = dict(re.findall(r"^(\w+)=(.*)$", text.replace("%i", instance), re.MULTILINE))
        return self.start(name, self.account(said["User"]), shlex.split(self.here(said["ExecStart"])), more)

    def _until_ready(self, service: Service, manager: socket.socket) -> None:
        end = time.monotonic() + READY_S
        while time.monotonic() < end:
            self.look_at(service)
            with suppress(TimeoutError):
                if b"READY=1" in manager.recv(4096).splitlines():
                    return
        raise NotSeenError(f"{service.name} was not ready after {READY_S:.0f} s: {self.log(service.name)}")

    def postgres(self) -> None:
        """A PostgreSQL server, as the system's package starts one: people at the socket are trusted, on the network none is."""
        programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parts[-2]))
        account = self.account("postgres") if os.geteuid() == 0 else Account("", os.geteuid(), os.getegid())
        if os.geteuid() == 0 and account.uid == 0:
            entry = pwd.getpwnam("postgres")
            account = Account("postgres", entry.pw_uid, entry.pw_gid)
        data, run = self.root / "var/lib/postgresql", self.root / "run/postgres"
        for folder in (data, run):
            folder.mkdir()
            os.chown(folder, account.uid, account.gid)
        words = (
            "-D",
            data,
            "-U",
            "postgres",
            "--auth-local=trust",
            "--auth-host=scram-sha-256",
            "-E",
            "UTF8",
            "--no-locale",
            "-N",
        )
        made = subprocess.run([programs / "initdb", *words], cwd="/", capture_output=True, check=False, **account.popen())  # noqa: S603
        if made.returncode != 0:
            raise NotPossibleError(f"initdb: {made.stderr.decode(errors='replace')}")
        settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={run}", "fsync=off", "max_connections=40")
        options = [word for one in settings for word in ("-c", one)]
        self.start("postgresql", account, [str(programs / "postgres"), "-D", str(data), "-p", self._port("postgres"), *options])
        self.until(lambda: (run / f".s.PGSQL.{self._port('postgres')}").exists(), "PostgreSQL answers", READY_S)


def _not_outliving(name: str, words: list[str]) -> list[str]:
    """The command, ended by the system with the process that starts it, were that killed. Who changes the account by itself is no
    longer told: a shell ends it."""
    if shutil.which("setpriv") is None:
        return words
    ended = ["setpriv", f"--pdeathsig={_END.get(name, 'TERM')}"]
    if name != "mosquitto":
        return [*ended, *words]
    return [*ended, "/bin/sh", "-c", '"$@" & trap "kill $!" TERM; wait $! || wait $!', "sh", *words]


def accepts(port: int) -> bool:
    """Whether somebody accepts connections there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
