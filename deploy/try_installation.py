#!/usr/bin/env python3
"""A whole room on one machine before the real one: does what docs/how-to/install.md says, command by command, below one folder.

    .venv/bin/python deploy/try_installation.py ROOM

ROOM is a folder that is not there yet, or empty. The commands are those of the document's ``sh`` blocks, each shown before it is
done; paths from / get ROOM before them, names of the room are this machine, and ports are free ones. Devices are simulated, so
there are no udev rules; instead of systemd this script starts what the units say: as the accounts that they name where it is run
as root, else as itself. It ends when a hand of every table was seen on the floor's page over HTTPS, with ``--stay`` at Ctrl-C.
Exit 0: all was seen; 1: something was not; 2: something that the room needs is missing.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import pty
import pwd
import re
import secrets
import select
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from room_services import READY_S, Account, NotPossibleError, NotSeenError, Services, accepts

DOCUMENT = Path(__file__).parents[1] / "docs/how-to/install.md"
TABLES = ("T1", "T2")
SEEN_S = 600.0
"""Longest wait for the hands: people who think play one in a few minutes."""
FIRST_ACCOUNT, LAST_ACCOUNT = 60600, 60699
"""Numbers that no distribution gives to anybody: an account of the room is nobody on this machine."""
ROOTS = re.compile(r"(?<![\w.~-])/(?=(?:etc|opt|var/lib|dev/stud-table)(?:/|$))", re.MULTILINE)
PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")
"""Names that a shell, a unit and mosquitto's configuration take as they are."""
FLOOR = "3"
"""Number of the floor person who signs in at the floor."""


@dataclass
class Room(Services):
    """The room: what the document does in it. ``fast``: nobody thinks, and times are divided by 20."""

    fast: bool = False
    pins: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work = self.root / "engineer"
        self.cookie = ""
        self.password = secrets.token_hex(16)
        for name in ("broker", "postgres", "T1", "T2", "floor"):
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.ports[name] = int(probe.getsockname()[1])

    # --- the document's commands

    def follow(self, commands: Sequence[str]) -> None:
        """Do each command as it stands, or what ``_instead`` says."""
        os.umask(0o022)
        for folder in ("engineer", "etc", "var/lib", "var/log", "run"):
            (self.root / folder).mkdir(parents=True)
        for command in commands:
            self.say(f"$ {command}")
            for pattern, act in self._instead():
                if re.match(pattern, command):
                    act(command)
                    break
            else:
                self._shell(command)
            if command.startswith("cp "):
                self._move_in()

    def _instead(self) -> list[tuple[str, Callable[[str], None]]]:
        """What is done otherwise than the document says: the beginning of a command, and what is done instead."""
        return [
            (r"apt-get install ", self._look_for_programs),
            (r"(python3 -m venv|ln|export PATH|/opt/stud-table/bin/pip) ", self._program),
            (r"udevadm ", lambda _: self.say("  (simulated devices have no rules)")),
            (r"systemctl restart systemd-journald", lambda _: self.say("  (the machine's own log and clock stay as they are)")),
            (r"stud-table install ", self._simulated),
            (r"systemd-sysusers", self._accounts),
            (r"systemd-tmpfiles", self._folders),
            (r"runuser ", self._as_account),
            (r"(chgrp|install --directory) ", self._grouped),
            (r"systemctl ", self._systemctl),
        ]

    def _simulated(self, command: str) -> None:
        self.say("  (--simulate in place of --place: no device is there)")
        self._shell(re.sub(r" --place \S+", "", command) + " --simulate")

    def here(self, text: str) -> str:
        """A text of the document or of a file with paths of this room, its ports, and this machine for every name."""
        text = ROOTS.sub(f"{self.root}/", text)
        text = re.sub(
            r"broker\.room\.example:8883|(?<=listener )8883", lambda found: found[0].replace("8883", self._port("broker")), text
        )
        for name, port in (("T1", 8081), ("T2", 8082), ("floor", 8090)):
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{self._port(name)}")
        text = text.replace("stud-floor@127.0.0.1/", f"stud-floor@127.0.0.1:{self._port('postgres')}/")
        return re.sub(r"\b[\w-]+\.room\.example", "localhost", text)

    def _port(self, name: str) -> str:
        return str(self.ports[name])

    def _move_in(self) -> None:
        """The files that were copied name places from /: those of this room, and quick people where that is wanted."""
        for path in (*self.root.glob("etc/stud-table/*/*.toml"), *self.root.glob("etc/mosquitto/**/*.conf")):
            text = path.read_text(encoding="utf-8")
            moved = self.here(text)
            if self.fast and path.name == "table.toml":
                moved = moved.replace("#[felt]", "[felt]").replace("#speed = 1.0", "speed = 20.0")
            if moved != text:
                path.write_text(moved, encoding="utf-8")

    def _shell(self, command: str, *, account: Account | None = None, mapped: bool = True) -> None:
        """Do a command on a terminal, and answer what it asks."""
        text = self.here(command) if mapped else command
        argv = ["/bin/sh", "-euc", text]
        if account is not None and account.uid != os.geteuid():
            argv = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups", *argv]
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.work)
            os.execvpe(argv[0], argv, self.environment())  # noqa: S606 - the document's command
        said = self._answer(terminal, command)
        os.close(terminal)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise NotSeenError(f"{text}: exit {code}: {said[-2000:]}")
        for line in said.splitlines():
            self.say(f"  {line}")

    def _answer(self, terminal: int, command: str) -> str:
        """What the command said; its questions get their answers."""
        said, asked, is_typed = "", 0, command.startswith("(umask")
        end = time.monotonic() + READY_S
        while time.monotonic() < end:
            if is_typed and not termios.tcgetattr(terminal)[3] & termios.ECHO:
                is_typed = False
                os.write(terminal, f"{self._typed(command)}\n\x04".encode())
            if not select.select([terminal], [], [], 0.02 if is_typed else 1.0)[0]:
                continue
            try:
                more = os.read(terminal, 65536)
            except OSError:  # the last process at the terminal has ended
                return said
            if not more:
                return said
            said += more.decode(errors="replace").replace("\r\n", "\n")
            if re.search(r"(PIN, 6 to 12 digits|PIN again|[Pp]assword[^\n]*|it again): $", said[asked:]):
                asked = len(said)
                os.write(terminal, f"{self._typed(command)}\n".encode())
        raise NotSeenError(f"{command}: not done after {READY_S:.0f} s: {said[-2000:]}")

    def _typed(self, command: str) -> str:
        """The secret that a command wants: a person's PIN, or the database's password."""
        if "psql" in command or "store-password" in command:
            return self.password
        number = re.search(r"--number (\d+)", command)
        return self.pins.setdefault("99" if number is None else number[1], f"{secrets.randbelow(10**8):08}")

    # --- what stands for the system's part

    def _look_for_programs(self, command: str) -> None:
        missing = [name for name in ("mosquitto", "psql") if shutil.which(name, path=self.environment()["PATH"]) is None]
        if missing or not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
            raise NotPossibleError(f"{' and '.join(missing) or 'a PostgreSQL server'} is not installed: {command}")

    def _program(self, _: str) -> None:
        """The program of this clone stands where the document installs it, run by a Python that every account may run."""
        path = self.root / "opt/stud-table/bin/stud-table"
        if path.exists():
            return
        path.parent.mkdir(parents=True)
        code = ":".join(map(self._place_of, ("controller", "pydantic")))
        others = (shutil.which(f"python3.{sys.version_info.minor}", path=at) for at in ("/usr/local/bin", "/usr/bin"))
        for python in (sys.executable, *filter(None, others)):
            self._write_program(path, code, python)
            if self._may_run(path):
                self.separate = True
                return
        self._write_program(path, code, sys.executable)
        self.say("  NOT AS AT A REAL ROOM: no other account can run this program here, so all services are this one's")

    def _write_program(self, path: Path, code: str, python: str) -> None:
        lines = f'#!/bin/sh\nPYTHONPATH={shlex.quote(code)} exec {shlex.quote(python)} -m controller.cli "$@"\n'
        path.write_text(lines, encoding="utf-8")
        path.chmod(0o755)

    def _place_of(self, package: str) -> str:
        found = find_spec(package)
        if found is None or found.origin is None:
            raise NotPossibleError(f"{sys.executable} knows no {package}: run this with .venv/bin/python of a prepared clone")
        return str(Path(found.origin).parents[1])

    def _may_run(self, path: Path) -> bool:
        """Whether an account that owns nothing runs the program, and the system makes accounts and folders."""
        wanted = ("setpriv", "systemd-sysusers", "systemd-tmpfiles")
        if os.geteuid() != 0 or not all(map(shutil.which, wanted)):
            return False
        nobody = Account("", FIRST_ACCOUNT, FIRST_ACCOUNT)
        try:
            tried = subprocess.run([path, "--version"], cwd="/", capture_output=True, check=False, **nobody.popen())  # noqa: S603
        except OSError:
            return False
        return tried.returncode == 0

    def _accounts(self, _: str) -> None:
        if self.separate:
            (self.root / "etc/sysusers.d/00-room.conf").write_text(f"r - {FIRST_ACCOUNT}-{LAST_ACCOUNT}\n", encoding="utf-8")
            self._shell(f"systemd-sysusers --root={self.root}", mapped=False)

    def _grouped(self, command: str) -> None:
        """What is given to a group; where only root may, it stays this account's."""
        if os.geteuid() == 0:
            self._shell(command)
        elif command.startswith("install "):
            self._shell(re.sub(r" --group \S+", "", command))

    def _folders(self, _: str) -> None:
        if self.separate:
            self._shell(f"systemd-tmpfiles --root={self.root} --create", mapped=False)
            return
        for line in (self.root / "etc/tmpfiles.d/stud-table.conf").read_text(encoding="utf-8").splitlines():
            kind, _, rest = line.partition(" ")
            name, mode = rest.split()[:2] if kind in ("d", "z") else ("", "0")
            path = self.root / name.lstrip("/")
            if kind == "d":
                path.mkdir(parents=True, exist_ok=True)
            if name and path.exists():
                path.chmod(int(mode, 8) | (0o700 if kind == "d" else 0))

    def _as_account(self, command: str) -> None:
        found = re.match(r"runuser -u (\S+) -- (.*)", command)
        if found is None:
            raise NotSeenError(f"{command}: whose command is it?")
        name, rest = found[1], found[2]
        if name == "postgres":
            self.postgres()
            rest = rest.replace(
                "psql ", f"psql --username postgres --host {self.root}/run/postgres --port {self._port('postgres')} "
            )
            self._shell(rest)  # the file is root's: root reads it, whoever psql is
            return
        self._shell(rest, account=self.account(name))

    # --- services

    def _systemctl(self, command: str) -> None:
        words = command.split()
        if words[1] == "restart" and words[2] == "mosquitto":
            store = self.root / "var/lib/mosquitto"
            store.mkdir(exist_ok=True)
            if os.geteuid() == 0:
                entry = pwd.getpwnam("mosquitto")
                os.chown(store, entry.pw_uid, entry.pw_gid)  # as its package does
            conf = self.root / "etc/mosquitto/mosquitto.conf"
            mosquitto = shutil.which("mosquitto", path=self.environment()["PATH"])
            self.start("mosquitto", Account("mosquitto", os.geteuid(), os.getegid()), [str(mosquitto), "-c", str(conf)])
            self.until(lambda: accepts(self.ports["broker"]), "mosquitto accepts", READY_S)
        elif words[1:3] == ["enable", "--now"]:
            self.units(words[3:])

    # --- what must be true

    def sign_in(self) -> None:
        """Sign in at the floor's address."""
        answer, said = self.ask("POST", "/api/session", {"number": FLOOR, "pin": self.pins[FLOOR]})
        if answer.status != http.client.OK:
            raise NotSeenError(f"nobody can sign in at the floor: {answer.status} {said.decode(errors='replace')}")
        self.cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def ask(self, method: str, path: str, body: object = None) -> tuple[http.client.HTTPResponse, bytes]:
        """The floor's answer over HTTPS, its certificate checked against the venue's authority."""
        context = ssl.create_default_context(cafile=str(self.work / "authority/authority.pem"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.ports["floor"], context=context, timeout=30)
        try:
            origin = f"https://127.0.0.1:{self._port('floor')}"
            headers = {"Content-Type": "application/json", "Origin": origin, "Cookie": self.cookie}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def see(self, hands: int) -> dict[str, int]:
        """The number of the hand that every table's page shows once that is the ``hands``-th, and the floor's store has one of
        each table that is over."""
        found: dict[str, int] = {}

        def seen() -> bool:
            for table in TABLES:
                picture = json.loads(self.ask("GET", f"/api/tables/{table}")[1] or b"{}")
                page = self.ask("GET", f"/tables/{table}")[1].decode()
                found[table] = int((picture.get("public") or {}).get("hand") or 0)
                if found[table] < hands or table not in page:
                    return False
            over = json.loads(self.ask("GET", "/api/hands")[1] or b"{}").get("hands", ())  # none while the store is away
            return all(any(one["table"] == table for one in over) for table in TABLES)

        self.until(seen, "a hand of every table on the floor's page", SEEN_S)
        return dict(found)

    def order(self) -> None:
        """Pause and reopen every table from the floor, whose signed orders go to the tables' own addresses."""
        for table in TABLES:
            for command in ({"type": "pause_table", "reason": "break"}, {"type": "reopen_table"}):
                self.until(partial(self._ordered, table, command), f"{command['type']} at {table} from the floor", READY_S)

    def _ordered(self, table: str, command: object) -> bool:
        """Give an order on the picture of now; one that has passed is given again."""
        said = json.loads(self.ask("GET", f"/api/tables/{table}/sheets?name=orders")[1])
        if "seq" in said:
            body = {"key": str(uuid.uuid4()), "seq": said["seq"], "decision": None, "command": command}
            said = json.loads(self.ask("POST", f"/api/tables/{table}/commands", body)[1])
        if said.get("ok"):
            return True
        if (said.get("refusal") or {}).get("code") != "picture_passed":
            raise NotSeenError(f"{table} does not take the floor's order: {said}")
        return False

    def look_around(self) -> list[str]:
        """What an account reads that is another's, and what of the keys anybody reads."""
        owners = {f"stud-{table}": self._places(table) for table in TABLES} | {"stud-floor": self._places("floor")}
        found = []
        for name in owners if self.separate else ():
            foreign = [path for owner, paths in owners.items() if owner != name for path in paths]
            foreign += [self.root / "etc/mosquitto/stud-table", self.work / "authority"]
            words = ["find", *map(str, filter(Path.exists, foreign)), "-type", "f", "-readable"]
            told = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False, **self.account(name).popen())  # noqa: S603
            found += [f"{name} reads {line}" for line in told.stdout.splitlines()]
        return found

    def _places(self, name: str) -> list[Path]:
        state = (
            [self.root / "var/lib/stud-floor"]
            if name == "floor"
            else [
                self.root / f"var/lib/stud-table/{name}",
                self.root / f"var/lib/stud-table-keys/{name}",
            ]
        )
        return [self.root / f"etc/stud-table/{name}", *state]


def commands_of(document: str) -> Iterator[str]:
    """The commands of the document's ``sh`` blocks, in order, a line that ends in a backslash with its next."""
    for block in re.findall(r"^ *```sh\n(.*?)^ *```$", document, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip():
                yield " ".join(line.split())


def room_folder(wanted: Path) -> Path:
    """The empty folder of the room, made where it is missing. ``NotPossibleError`` for one that cannot be a room."""
    root = wanted.absolute()
    with suppress(OSError, RuntimeError):  # links in a circle, or a name that is too long: what follows says so
        root = wanted.resolve()
    if PLAIN.fullmatch(str(root)) is None:
        raise NotPossibleError(f"{str(root)!r} has letters that the commands' shell reads otherwise: name one as /srv/room")
    try:
        if not root.exists():
            root.mkdir(parents=True)
            root.chmod(0o755)
        if any(root.iterdir()):
            raise NotPossibleError(f"{root} is not empty: name another folder")
        closed = next((one for one in (root, *root.parents) if not one.stat().st_mode & 0o001), None)
    except OSError as error:
        raise NotPossibleError(f"{root} can be no room's folder ({error.strerror}): name another one, as /srv/room") from None
    if os.geteuid() == 0 and closed is not None:
        raise NotPossibleError(f"other accounts may not enter {closed}: name a folder elsewhere, as /srv/room")
    return root


def main(words: Sequence[str] | None = None) -> int:
    """Do it; the exit code."""
    parser = argparse.ArgumentParser(description="A whole room on one machine, by the commands of docs/how-to/install.md.")
    parser.add_argument("room", type=Path, help="a folder that is not there yet, or empty, which other accounts may enter")
    parser.add_argument("--hands", type=int, default=1, help="hands of each table to be seen (default 1)")
    parser.add_argument("--fast", action="store_true", help="times are divided by 20, and nobody thinks")
    parser.add_argument("--stay", action="store_true", help="go on until Ctrl-C, to look at the pages")
    given = parser.parse_args(words)
    try:
        root = room_folder(given.room)
    except NotPossibleError as error:
        sys.stderr.write(f"try_installation: {error}\n")
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    room = Room(root, lambda line: print(line, flush=True), fast=given.fast)
    problems: list[str] = []
    try:
        room.follow(list(commands_of(DOCUMENT.read_text(encoding="utf-8"))))
        room.sign_in()
        seen = room.see(given.hands)
        room.order()
        problems = room.look_around()
        whose = (
            sorted({f"{one.name} as {one.account.name}" for one in room.running}) if room.separate else ["all as this account"]
        )
        room.say(
            "\nseen over HTTPS: "
            + ", ".join(f"hand {number} of {table}" for table, number in seen.items())
            + "; "
            + ", ".join(whose)
        )
        if given.stay:
            number = room.pins[FLOOR]
            room.say(f"floor https://127.0.0.1:{room.ports['floor']}/, number {FLOOR}, PIN {number}; Ctrl-C ends the room")
            with suppress(KeyboardInterrupt):
                signal.pause()
    except NotPossibleError as error:
        sys.stderr.write(f"try_installation: {error}\n")
        return 2
    except (NotSeenError, KeyboardInterrupt) as error:
        problems.append(str(error) or "interrupted")
    except OSError as error:
        problems.append(f"the room cannot go on: {error}: make room there, or give the folder to this user")
    finally:
        problems += room.stop()
    for problem in problems:
        sys.stderr.write(f"try_installation: {problem}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
