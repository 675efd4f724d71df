"""What a service manager is told: readiness, signs of life while table and journal come round, and the stop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from controller import serve
from controller.rehearsal import Play, memory_rehearsal
from controller.serve import tell_manager
from controller.service_manager import ServiceManager
from controller.table.access_events import SignInFailed
from simulators.virtual_time import run_virtual

WATCHDOG_US = 600_000
STUCK_S = 1.0


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    """The manager's end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.setblocking(False)
        yield end


def manager_at(listener: socket.socket, **more: str) -> ServiceManager:
    return ServiceManager({"NOTIFY_SOCKET": listener.getsockname(), "WATCHDOG_USEC": str(WATCHDOG_US), **more}, 77)


def heard(listener: socket.socket) -> list[str]:
    """Every line that has come."""
    lines: list[str] = []
    while True:
        try:
            lines += listener.recv(4096).decode().splitlines()
        except BlockingIOError:
            return lines


def test_signs_of_life_stop_with_the_journal_and_come_back(
    listener: socket.socket, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """READY once the address is served; no WATCHDOG=1 while a commit hangs, and the status says so; at the end STOPPING."""
    monkeypatch.setattr(serve, "STUCK_S", STUCK_S)
    rehearsal = memory_rehearsal(Play(), seed=3)

    async def run() -> None:
        async with rehearsal.opened() as app:
            served = False
            telling = asyncio.create_task(tell_manager(manager_at(listener), app, lambda: served))
            await asyncio.sleep(0.3)
            assert heard(listener) == []
            served = True
            await asyncio.sleep(0.65)
            lines = heard(listener)
            assert lines[0] == "READY=1"
            assert lines.count("READY=1") == 1
            assert lines.count("WATCHDOG=1") >= 2
            assert lines[1].startswith("STATUS=")

            gone = asyncio.Event()
            append = app.table._store.append

            async def hangs(*given: object, **more: object) -> object:
                await gone.wait()
                return await append(*given, **more)  # type: ignore[arg-type]

            app.table._store.append = hangs  # type: ignore[method-assign, assignment]
            await app.table.tell(SignInFailed("", "10.0.0.1", 1, 0))
            await asyncio.sleep(2 * STUCK_S)
            heard(listener)
            await asyncio.sleep(2 * STUCK_S)
            lines = heard(listener)
            assert lines
            assert all(line.startswith("STATUS=table and journal have stood still for ") for line in lines)
            gone.set()
            await asyncio.sleep(2 * STUCK_S)
            assert "WATCHDOG=1" in heard(listener)
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            assert heard(listener)[-1] == "STOPPING=1"

    run_virtual(run(), max_seconds=3600.0)
    assert [record.message[:17] for record in caplog.records if record.levelname == "ERROR"] == ["table and journal"]


async def test_another_process_of_the_service_feeds_no_watchdog(listener: socket.socket) -> None:
    """``WATCHDOG_PID`` names whose signs of life are wanted."""
    assert manager_at(listener).watchdog_s == 0.6
    assert manager_at(listener, WATCHDOG_PID="77").watchdog_s == 0.6
    assert manager_at(listener, WATCHDOG_PID="78").watchdog_s == 0.0
    assert manager_at(listener, WATCHDOG_USEC="soon").watchdog_s == 0.0


async def test_without_a_manager_nothing_is_sent() -> None:
    """A table that a person starts has none, and one whose socket is gone goes on."""
    alone = ServiceManager({}, 77)
    assert not alone.asks
    await alone.keep(serves=lambda: False, trouble=str, status=str)
    ServiceManager({"NOTIFY_SOCKET": "/nowhere/notify"}, 77).tell("READY=1")
    assert ServiceManager({"NOTIFY_SOCKET": "@stud"}, 77)._address == "\0stud"


async def test_a_line_within_a_status_orders_nothing(listener: socket.socket) -> None:
    """A newline begins another assignment, as ``MAINPID``: what a status quotes must not."""
    manager_at(listener).tell("READY=1", "STATUS=no room\nMAINPID=1")
    assert heard(listener) == ["READY=1", "STATUS=no room MAINPID=1"]


async def test_a_manager_that_takes_nothing_is_not_waited_for(listener: socket.socket) -> None:
    """Its queue is full: a table's loop goes on, and the next sign of life is told anew."""
    manager = manager_at(listener)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as full, suppress(BlockingIOError):
        full.setblocking(False)
        for _ in range(100_000):
            full.sendto(b"WATCHDOG=1", listener.getsockname())
    asked: list[float | None] = []

    class Asked(socket.socket):
        def sendto(self, *given: object) -> int:  # type: ignore[override]
            asked.append(self.gettimeout())
            return super().sendto(*given)  # type: ignore[arg-type, call-overload, no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socket", Asked)
        manager.tell("WATCHDOG=1")
    assert asked == [0.0]
