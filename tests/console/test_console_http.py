"""The table's HTTP address: one clear sentence for whatever goes wrong, and never a traceback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from support.table_story import TableStory

from controller.console.desk import Desk
from controller.console.http import MAX_WAIT_S, make_api
from controller.table.inputs import Command
from controller.table.loop import STOPPED, Answer, TableStopped
from controller.table.state import TableState
from controller.words.catalogue import Language


class FakeTable:
    """A story in a table's place; ``stopped`` tells like a table whose loop has ended."""

    def __init__(self, told: TableStory) -> None:
        self.told = told
        self.moved = asyncio.Event()
        self.stopped = False

    @property
    def state(self) -> TableState:
        return self.told.state

    async def changed(self, after_seq: int) -> TableState:
        while self.state.seq <= after_seq:
            await self.moved.wait()
        return self.state

    async def command(self, command: Command) -> Answer:
        if self.stopped:
            raise TableStopped(STOPPED)
        refusal = self.told.tell(command).refusal
        moved, self.moved = self.moved, asyncio.Event()
        moved.set()
        return Answer(self.state.answers[command.key][1], refusal)


class Site:
    """An address over a story with its client."""

    def __init__(self) -> None:
        self.told = TableStory({1: 100, 3: 100})
        self.table = FakeTable(self.told)
        self.ready: Mapping[str, bool] = {"journal": True, "devices": True, "broker": True, "program": True}
        desk = Desk(self.table, "T1", Language.EN)  # type: ignore[arg-type]
        transport = httpx.ASGITransport(make_api(desk, lambda: self.ready, "1.0"))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://table")

    async def post(self, command: Any, **others: Any) -> httpx.Response:
        """Press a button."""
        body = {"key": "press-0001", "seq": 0, "decision": None, "command": command} | others
        return await self.client.post("/api/v1/commands", json=body)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """An address for one test."""
    made = Site()
    async with made.client:
        yield made


async def test_health_is_of_the_process_and_readiness_of_its_parts(site: Site) -> None:
    """503 while one part is missing, and which."""
    assert (await site.client.get("/healthz")).json() == {"status": "alive"}
    ready = await site.client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, dict(site.ready))
    site.ready = {"journal": True, "devices": False, "broker": True}
    missing = await site.client.get("/readyz")
    assert (missing.status_code, missing.json()["devices"]) == (503, False)
    assert (await site.client.get("/healthz")).status_code == 200


async def test_the_snapshot_is_the_dealers(site: Site) -> None:
    """As JSON, at the journal's number."""
    snapshot = (await site.client.get("/api/v1/snapshot")).json()
    assert (snapshot["seq"], snapshot["table"]) == (site.told.state.seq, "T1")
    assert snapshot["step"] == {"kind": "load_deck"}


async def test_a_long_poll_returns_when_something_happens(site: Site) -> None:
    """At once when the journal is past the number already, later when it moves, and as it is when the wait is over."""
    seq = site.told.state.seq
    assert (await site.client.get("/api/v1/snapshot", params={"after": seq - 1})).json()["seq"] == seq
    waiting = asyncio.ensure_future(site.client.get("/api/v1/snapshot", params={"after": seq, "wait": 5}))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    await site.post({"type": "add_chips", "seat": 1, "chips": 5})
    assert (await waiting).json()["seq"] > seq
    late = await site.client.get("/api/v1/snapshot", params={"after": 10**6, "wait": 0.01})
    assert (late.status_code, late.json()["seq"]) == (200, site.told.state.seq)


@pytest.mark.parametrize("query", [{"after": -1}, {"after": "x"}, {"after": 1, "wait": MAX_WAIT_S + 1}, {"after": 1, "wait": -1}])
async def test_a_question_that_cannot_be_is_answered_in_one_sentence(site: Site, query: dict[str, Any]) -> None:
    """422, with the parameter's name."""
    answer = await site.client.get("/api/v1/snapshot", params=query)
    assert answer.status_code == 422
    one_sentence(answer)
    assert answer.json()["refusal"]["message"].startswith(("after: ", "wait: "))


def one_sentence(answer: httpx.Response) -> None:
    """A refusal that a person can read, in either language."""
    body = answer.json()
    message = body["refusal"]["message"]
    assert body["ok"] is False
    assert body["refusal"]["message_en"] == message
    assert body["refusal"]["message_fr"] not in ("", message)
    assert message[-1] == "."
    assert "\n" not in message
    assert len(message) < 200
    assert not {"Traceback", "File", "pydantic", "Error"} & set(message.split())


async def test_a_command_is_taken_once(site: Site) -> None:
    """200 with the number; the same press again gives the same answer."""
    first = await site.post({"type": "add_chips", "seat": 1, "chips": 5})
    assert first.status_code == 200
    again = await site.post({"type": "add_chips", "seat": 1, "chips": 5})
    assert again.json() == first.json() == {"ok": True, "seq": site.told.state.seq - 1}
    assert site.told.state.seats[0].stack == 105


async def test_a_refusal_is_a_409_with_rule_and_sentence(site: Site) -> None:
    """Repeated as it was; another content under its key is refused by its own code."""
    answer = await site.post({"type": "seat_player", "seat": 1, "name": "Ann", "stack": 5})
    assert answer.status_code == 409
    one_sentence(answer)
    assert answer.json()["refusal"]["rule"] == "R-SETUP-07"
    assert (await site.post({"type": "seat_player", "seat": 1, "name": "Ann", "stack": 5})).json() == answer.json()
    other = await site.post({"type": "seat_player", "seat": 2, "name": "Ann", "stack": 5})
    assert (other.status_code, other.json()["refusal"]["code"]) == (409, "key_reused")
    passed = await site.post({"type": "act", "seat": 1, "verb": "fold"}, key="press-0002", decision="1-3-1-0-0")
    assert (passed.status_code, passed.json()["refusal"]["code"]) == (409, "decision_passed")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b'{"key": "press-0001"}',
        b'{"key": "press-0001", "seq": 0, "decision": null, "command": {"type": "dance"}}',
        b'{"key": "press-0001", "seq": 0, "decision": null, "command": {"type": "act", "seat": 99, "verb": "call"}}',
        b'{"key": "x", "seq": 0, "decision": null, "command": {"type": "start_hand"}}',
        b'{"key": "press-0001", "seq": 1e400, "decision": null, "command": {"type": "start_hand"}}',
    ],
    ids=lambda body: body[:40].decode("latin1"),
)
async def test_what_cannot_be_read_is_told_in_one_sentence(site: Site, body: bytes) -> None:
    """422, nothing reaches the table, and nothing of the body is repeated."""
    seq = site.told.state.seq
    answer = await site.client.post("/api/v1/commands", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    one_sentence(answer)
    assert answer.json()["refusal"]["code"] == "unreadable"
    assert site.told.state.seq == seq


async def test_a_body_that_no_parser_takes_is_told_in_one_sentence(site: Site) -> None:
    """Nested deeper than any command."""
    answer = await site.client.post("/api/v1/commands", content=b"[" * 50_000, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    one_sentence(answer)


async def test_a_table_that_stopped_says_so(site: Site) -> None:
    """503 and one sentence: the console asks again after the restart."""
    site.table.stopped = True
    answer = await site.post({"type": "add_chips", "seat": 1, "chips": 5})
    assert answer.status_code == 503
    one_sentence(answer)


async def test_other_addresses_and_methods_are_none(site: Site) -> None:
    """No page that lists the interface, no other method."""
    for path in ("/docs", "/redoc", "/static/none.js", "/static/../dealer.html", "/api/v1/commands/1"):
        answer = await site.client.get(path)
        assert answer.status_code == 404
        one_sentence(answer)
    for answer in (await site.client.get("/api/v1/commands"), await site.client.post("/api/v1/snapshot")):
        assert answer.status_code == 405
        assert answer.headers["allow"]
        one_sentence(answer)
