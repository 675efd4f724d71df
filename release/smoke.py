"""What a venue does first with a release, in an environment that holds it alone: version, configuration, check, demo, floor page.

Nothing here imports the program: it runs as installed, in a folder of its own.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError

LONGEST_S: Final = 180.0
"""Longest wait for one command."""
READY_S: Final = 60.0
"""Longest wait for the floor's page."""
ASSET: Final = re.compile(r'(?:href|src)="(/[^"#]+\.(?:css|js|svg|woff2))"')
WHERE: Final = """
import controller, drivers, simulators
for one in (controller, drivers, simulators):
    print(one.__file__)
"""


class SmokeError(Exception):
    """What an installed release does not do; one clear sentence, and what it said."""


def install(folder: Path, wheel: Path, lock: Path) -> Path:
    """A new environment in ``folder`` with the packages of ``lock`` and ``wheel``, as the how-to says. Its ``bin``."""
    _run([sys.executable, "-m", "venv", str(folder)], folder.parent)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--require-hashes", "--requirement", str(lock)], folder.parent)
    _run([*pip, "--no-deps", str(wheel)], folder.parent)
    return folder / "bin"


def walk(bin_folder: Path, folder: Path, version: str, *, with_floor: bool = True) -> tuple[str, ...]:
    """Every step with the ``stud-table`` of ``bin_folder``, in ``folder``: what was seen, a line each. ``SmokeError`` is the
    first that fails."""
    program = str(bin_folder / "stud-table")
    seen = []
    said = _run([program, "--version"], folder)
    if version not in said.split():
        raise SmokeError(f"stud-table --version says {said.strip()!r}, the wheel is {version}")
    seen.append(said.strip())
    places = _run([str(bin_folder / "python"), "-c", WHERE], folder).splitlines()
    if outside := [place for place in places if not Path(place).is_relative_to(bin_folder.parent)]:
        raise SmokeError(f"{outside[0]} is loaded, which is not in {bin_folder.parent}")
    played = json.loads(_run([program, "demo", "--hands", "1", "--speed", "fast", "--data", "demo", "--json"], folder))
    if not (played["hands"] == 1 and played["chips_conserved"] and played["cards_conserved"]):
        raise SmokeError(f"the demo's hand is not accounted for: {played}")
    seen.append("a hand was played, every chip and card accounted for")
    _run([program, "verify", "demo/data"], folder)
    seen.append("its journal holds")
    seen.append(_checked(program, folder))
    if with_floor:
        seen.append(_floor_page(program, folder))
    return tuple(seen)


def _checked(program: str, folder: Path) -> str:
    state = folder / "state"
    state.mkdir()
    (state / "deck.toml").write_bytes((folder / "demo/deck.toml").read_bytes())
    (state / "deck.toml").chmod(0o600)
    options = ["--out", "T1", "--yes", "--open", "--state", str(state), "--shoe", "-", "--readers", "-"]
    _run([program, "init", "table", "--name", "T1", *options], folder)
    told: dict[str, Any] = json.loads(_run([program, "check", "T1/table.toml", "--json"], folder, may_end=(0, 1)))
    if problems := [one for one in told["problems"] if one["code"] != "check.broker"]:  # a broker may run here or not
        raise SmokeError(f"check of what init wrote: {problems[0]['text_en']}")
    return "check takes what init wrote"


def _floor_page(program: str, folder: Path) -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"127.0.0.1:{port}"
    options = ["--out", "floor", "--yes", "--open", "--state", str(folder / "state/floor"), "--http", address]
    _run([program, "init", "floor", *options], folder)
    with _running([program, "floor", "floor/floor.toml"], folder):
        page = _fetch(f"http://{address}/", READY_S).decode()
        assets = sorted(set(ASSET.findall(page)))
        if not assets:
            raise SmokeError("the floor's page names no style and no script")
        for asset in assets:
            if not _fetch(f"http://{address}{asset}", 0):
                raise SmokeError(f"{asset} of the floor's page is empty")
    return f"the floor's page came with its {len(assets)} files"


def _fetch(address: str, wait_s: float) -> bytes:
    """What ``address`` answers, asked until ``wait_s`` are over."""
    until = time.monotonic() + wait_s
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - http to this machine
                return bytes(answer.read())
        except URLError as error:
            if time.monotonic() > until:
                raise SmokeError(f"{address}: {error}") from None
        time.sleep(0.2)


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    with (folder / "floor.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=_environment(), stdout=log, stderr=log)  # noqa: S603
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


def _run(command: list[str], folder: Path, may_end: tuple[int, ...] = (0,)) -> str:
    ended = subprocess.run(  # noqa: S603
        command, cwd=folder, env=_environment(), capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    if ended.returncode not in may_end:
        raise SmokeError(f"{Path(command[0]).name} {' '.join(command[1:])} ends with {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout


def _environment() -> Mapping[str, str]:
    """Nothing that leads Python back to where this runs."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
