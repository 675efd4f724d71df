"""A crash of the table leaves no core, and its memory is not for other processes of its user (recovery §11)."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.demo import Demo, DemoPlan

CRASH = """
import os
{first}
held = "ace" + " of " + "spades"
os.abort()
"""
HARDENED = "from controller.hardening import keep_memory_private; keep_memory_private()"
AS_PRIVATE = 'import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), __import__("resource").getrlimit(4))'

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cores and prctl as Linux has them")


def unlimited() -> None:
    """Let the child write as large a core as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def cores(first: str, folder: Path) -> list[Path]:
    """What a process that crashes in ``folder`` leaves there."""
    folder.mkdir()
    command = [sys.executable, "-c", CRASH.format(first=first)]
    ended = subprocess.run(command, cwd=folder, preexec_fn=unlimited, capture_output=True, check=False, env=environment())
    assert ended.returncode == -signal.SIGABRT
    return list(folder.iterdir())


def environment() -> dict[str, str]:
    """Where the package is found."""
    return {"PYTHONPATH": str(Path(__file__).parents[2])}


def test_a_crash_leaves_no_core(tmp_path: Path) -> None:
    """Where this machine writes cores into the folder of the process, an ordinary one is found there, with what it held."""
    assert cores(HARDENED, tmp_path / "hardened") == []
    plain = cores("", tmp_path / "plain")
    if plain:
        assert b"ace of spades" in plain[0].read_bytes()


def test_the_process_is_undumpable_from_then_on() -> None:
    """As the kernel tells it: dumpable 0, cores of 0 bytes, for good."""
    command = [sys.executable, "-c", f"{HARDENED}; {AS_PRIVATE}"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    assert told.stdout == "0 (0, 0)\n"


@pytest.mark.ports
async def test_a_table_at_work_is_private(tmp_path: Path) -> None:
    """``stud-table run`` does it: the limit of the running process is 0, and so it stays."""
    demo = Demo(DemoPlan(tmp_path, hands=1, seed=3, fast=True, seats=2))
    try:
        await demo.start()
        controller = demo._started.controller
        assert controller is not None
        limits = Path(f"/proc/{controller.pid}/limits").read_text(encoding="ascii")
        assert next(line for line in limits.splitlines() if line.startswith("Max core file size")).split()[4:6] == ["0", "0"]
    finally:
        await demo.stop()
