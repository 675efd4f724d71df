"""Alarms told to another program: signed, in order, as often as it takes, at a real receiver on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from support.floor_alarms import KeptList
from support.floor_samples import START, alarm, moment, status, view

from controller.floor.alarms import webhook
from controller.floor.alarms.desk import AlarmDesk
from controller.floor.alarms.webhook import MAX_WAITING, Target, Webhook, signature
from controller.floor.board.alarms import WEBHOOK, of_floor, of_table
from controller.floor.board.board import Board
from controller.floor.board.incident import Incident, Trail

pytestmark = pytest.mark.ports

SECRET = b"a secret of thirty-two characters"


class Receiver:
    """Answers with ``statuses`` one after the other, then 200; ``taken`` is what it has taken."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.asked: list[tuple[dict[str, str], bytes]] = []
        self.taken: list[dict[str, object]] = []
        self.url = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Receiver]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?token=t0ken"
        async with server:
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.asked.append((headers, body))
        answer = self.statuses.pop(0) if self.statuses else 200
        if 200 <= answer < 300:
            self.taken.append(json.loads(body))
        where = f"Location: {self.url}\r\n" if answer == 307 else ""
        writer.write(f"HTTP/1.1 {answer} x\r\n{where}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


class Caller:
    """A webhook to ``receiver`` that tries again at once, and what it said of itself."""

    def __init__(self, receiver: Receiver, **target: object) -> None:
        self.said: list[bool] = []
        wanted = Target(receiver.url, SECRET, **target)  # type: ignore[arg-type]
        self.hook = Webhook(wanted, "nice", lambda: START, lambda: self.said.append(self.hook.is_failing), first_pause_s=0.001)

    def tell(self, name: str, what: Trail = Trail.CALLED, priority: int = 1) -> None:
        one = Incident(of_table("T1", alarm(name, priority=priority)), hand=7, called_at=START)
        self.hook.tell(one.line(what, START), replace(one, cleared_at=START) if what is Trail.CLEARED else one)

    async def deliver(self) -> None:
        task = asyncio.create_task(self.hook.run())
        try:
            async with asyncio.timeout(10):
                while self.hook.waiting:
                    await asyncio.sleep(0.005)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_a_call_and_its_end_arrive_signed_and_in_order() -> None:
    """Whatever fails in between; the signature is over time and body, and the same event keeps its id."""
    async with Receiver(500, 503, 429, 200, 500).open() as receiver:
        caller = Caller(receiver)
        caller.tell("hold")
        caller.tell("hold", Trail.CLEARED)
        await caller.deliver()
        assert [(one["event"], one["alarm"]["id"]) for one in receiver.taken] == [("called", "T1/hold"), ("cleared", "T1/hold")]  # type: ignore[index]
        assert receiver.taken[0]["id"] == "nice/T1/hold/2026-01-02T20:00:00.000Z/called"
        headers, body = receiver.asked[-1]
        assert headers["stud-table-signature"] == signature(SECRET, int(START.timestamp()), body)
        assert headers["stud-table-signature"] != signature(b"another", int(START.timestamp()), body)
        assert caller.said == [True, False, True, False]


async def test_a_refusal_for_good_holds_nothing_up() -> None:
    """A receiver that wants one not is passed over and told how many it missed; a redirect is followed by nobody."""
    async with Receiver(400, 307).open() as receiver:
        caller = Caller(receiver)
        for name in ("a", "b", "c"):
            caller.tell(name)
        await caller.deliver()
        assert [(one["alarm"]["alarm"], one["missed"]) for one in receiver.taken] == [("c", 2)]  # type: ignore[index]
        assert len(receiver.asked) == 3


async def test_no_name_of_an_alarm_holds_up_the_next() -> None:
    """A line's end in it would end the header that it stands in."""
    async with Receiver().open() as receiver:
        caller = Caller(receiver)
        odd = alarm("a").model_copy(update={"alarm": "a\r\nX-Evil: 1\n"})
        one = Incident(of_table("T1", odd), hand=7, called_at=START)
        caller.hook.tell(one.line(Trail.CALLED, START), one)
        caller.tell("b")
        await caller.deliver()
        assert [one["alarm"]["alarm"] for one in receiver.taken] == [odd.alarm, "b"]  # type: ignore[index]
        assert "x-evil" not in receiver.asked[0][0]


async def test_an_address_that_cannot_be_asked_ends_nothing() -> None:
    """It is a receiver that fails, as any other."""
    receiver = Receiver()
    receiver.url = "http://127.0.0.1:99999/hook"
    caller = Caller(receiver)
    caller.tell("a")
    running = asyncio.create_task(caller.hook.run())
    try:
        async with asyncio.timeout(10):
            while not caller.said and not running.done():
                await asyncio.sleep(0.001)
    finally:
        running.cancel()
        ended = await asyncio.gather(running, return_exceptions=True)
    assert (caller.said, type(ended[0])) == ([True], asyncio.CancelledError)


async def test_only_what_was_asked_for_is_told() -> None:
    """Priorities and events as configured; never that a receiver fails."""
    async with Receiver().open() as receiver:
        caller = Caller(receiver, priorities=(1,), events=("called",))
        caller.tell("a")
        caller.tell("b", priority=2)
        caller.tell("a", Trail.CLEARED)
        own = Incident(of_floor("", WEBHOOK, START), called_at=START)
        Caller.tell(caller, "d")
        caller.hook.tell(own.line(Trail.CALLED, START), own)
        await caller.deliver()
        assert [one["alarm"]["alarm"] for one in receiver.taken] == ["a", "d"]  # type: ignore[index]


async def test_the_queue_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than fits the oldest goes, and it is said how many."""
    monkeypatch.setattr(webhook, "MAX_WAITING", 3)
    assert MAX_WAITING == 1000
    async with Receiver().open() as receiver:
        caller = Caller(receiver)
        for number in range(5):
            caller.tell(f"a{number}")
        await caller.deliver()
        assert [(one["alarm"]["alarm"], one["missed"]) for one in receiver.taken] == [("a2", 2), ("a3", 0), ("a4", 0)]  # type: ignore[index]


def test_a_store_that_was_never_there_keeps_no_call_back() -> None:
    """Ten seconds after the start, once, and not again when the store is there."""
    board, at = Board("nice"), [0.0]
    board.listen(moment(0), connected=True)
    desk = AlarmDesk(board, KeptList(), lambda: moment(at[0]))
    desk.send_to(Target("http://127.0.0.1:1/", SECRET), "nice")

    def look(second: float) -> int:
        at[0] = second
        board.hear_status("T1", status(), moment(second))
        board.hear_public("T1", view(), moment(second))
        board.hear_alarm("T1", "hold", alarm("hold", at=-60))
        board.changes(moment(second))
        desk.note()
        return desk.waiting

    assert [look(0), look(9), look(10), look(11)] == [0, 0, 1, 1]
    board.restore((), moment(12))
    assert look(12) == 1


async def test_an_alarm_of_the_floor_is_told_and_a_failing_receiver_is_one_alarm(caplog: pytest.LogCaptureFixture) -> None:
    """From the desk: after ten seconds, never before; the failure stands as one alarm and ends with the first that is taken. What
    stands in the address beside its host is in no log."""
    async with Receiver(500).open() as receiver:
        board = Board("nice")
        board.listen(moment(0), connected=True)
        board.restore((), moment(0))
        desk = AlarmDesk(board, KeptList(), lambda: moment(12))
        desk.send_to(Target(receiver.url, SECRET), "nice", first_pause_s=0.05)
        for second, looks in ((0, 0), (9, 0), (12, 1)):
            board.hear_status("T1", status(), moment(second))
            board.hear_public("T1", view(), moment(second))
            board.hear_alarm("T1", "hold", alarm("hold"))
            board.changes(moment(second))
            desk.note()
            assert desk.waiting == looks
        running = asyncio.create_task(desk.run())
        try:
            async with asyncio.timeout(10):
                while not receiver.asked:
                    await asyncio.sleep(0.001)
                await asyncio.sleep(0.01)
                board.changes(moment(12))
                assert f"/{WEBHOOK}" in board.picture(moment(12))["alarms"]
                while desk.waiting:
                    await asyncio.sleep(0.005)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        board.changes(moment(13))
        assert f"/{WEBHOOK}" not in board.picture(moment(13))["alarms"]
        assert [one["event"] for one in receiver.taken] == ["called"]
        assert "t0ken" not in caplog.text
