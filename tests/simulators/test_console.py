"""The simulated touch screen: one press counts once, and the controller may go away and come back."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from simulators.console import LONG_POLL_S, Console, ConsoleAway, ConsoleError, HttpConsole, HttpWheel, LocalConsole
from simulators.virtual_time import run_virtual


class Server:
    """A controller's HTTP interface that answers from a script: a status, an object, or an error to raise."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.times: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.times.append(asyncio.get_running_loop().time())
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer) if isinstance(answer, int) else httpx.Response(200, json=answer)

    def run(self, story: Callable[[HttpConsole], Any], *, speed: float = 1.0) -> Any:
        async def whole() -> Any:
            async with httpx.AsyncClient(transport=httpx.MockTransport(self), base_url="http://table") as client:
                return await story(HttpConsole(client, rng=random.Random(1), speed=speed))

        return run_virtual(whole(), max_seconds=600)


def body(request: httpx.Request) -> dict[str, Any]:
    return dict(json.loads(request.content))


def test_a_press_carries_key_seq_decision_and_command() -> None:
    """The body that the controller's interface asks for."""
    server = Server({"ok": True, "seq": 8})
    answer = server.run(lambda console: console.send({"type": "act", "seat": 3}, decision="12-4", seq=7))
    sent = body(server.requests[0])
    assert answer == {"ok": True, "seq": 8}
    assert (server.requests[0].method, server.requests[0].url.path) == ("POST", "/api/v1/commands")
    assert (sent["seq"], sent["decision"], sent["command"]) == (7, "12-4", {"type": "act", "seat": 3})
    assert len(sent["key"]) == 36


def test_a_press_is_repeated_under_its_key_until_it_is_answered() -> None:
    """Lost connection, no answer in time and a starting server: the same body each time; the next press has another key."""
    lost = [httpx.ConnectError("no"), httpx.ReadError("cut"), httpx.ReadTimeout("late"), 503]
    server = Server(*lost, {"ok": True, "seq": 8}, {"ok": True, "seq": 9})

    async def story(console: HttpConsole) -> int:
        await console.send({"type": "start_hand"}, decision=None, seq=7)
        await console.send({"type": "start_hand"}, decision=None, seq=8)
        return console.outages

    assert server.run(story) == 1
    bodies = [body(request) for request in server.requests]
    assert bodies[:5] == [bodies[0]] * 5
    assert bodies[5]["key"] != bodies[0]["key"]


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_pauses_double_up_to_a_bound_and_scale_with_the_speed(speed: float) -> None:
    """0.2 s, 0.4, 0.8, 1.6, then 2 s each, divided by the speed."""
    server = Server(*[httpx.ConnectError("no")] * 7, {"seq": 1})
    server.run(lambda console: console.snapshot(), speed=speed)
    pauses = [round((b - a) * speed, 6) for a, b in zip(server.times, server.times[1:], strict=False)]
    assert pauses == [0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]


def test_waiting_asks_with_a_long_poll_until_the_snapshot_is_newer() -> None:
    """An older or equal snapshot does not count, nor does one that comes at once make it ask in a tight loop."""
    server = Server({"seq": 5}, {"seq": 4}, httpx.RemoteProtocolError("cut"), {"seq": 6})
    assert server.run(lambda console: console.changed(5)) == {"seq": 6}
    assert dict(server.requests[0].url.params) == {"after": "5", "wait": f"{LONG_POLL_S:g}"}
    assert server.times == pytest.approx([0.0, 0.1, 0.2, 0.4])


def test_a_refusal_with_a_4xx_status_is_an_answer() -> None:
    """Refused by a rule is no failure of the console."""
    refusal = {"ok": False, "refusal": {"rule": "R-BET-03", "code": "cap_reached", "message": "The cap is reached.", "seq": 7}}
    transport = httpx.MockTransport(lambda request: httpx.Response(409, json=refusal))

    async def story() -> dict[str, Any]:
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            return await HttpConsole(client, rng=random.Random(1)).send({"type": "act"}, decision="x", seq=7)

    assert run_virtual(story(), max_seconds=10) == refusal


@pytest.mark.parametrize("answer", [404, {"detail": "no"}, 200])
def test_an_answer_that_is_none_is_an_error_and_not_repeated(answer: object) -> None:
    """A wrong address or a body without the agreed keys."""
    server = Server(answer)
    with pytest.raises(ConsoleError, match="/api/v1/snapshot answered status"):
        server.run(lambda console: console.snapshot())
    assert len(server.requests) == 1


def test_a_local_console_survives_the_controllers_absence() -> None:
    """The same behaviour over two callables of the same process; keys repeat with the seed."""
    bodies: list[Any] = []
    down = [True, True, False, True, False]

    async def fetch(after: int | None) -> dict[str, Any]:
        if down.pop(0):
            raise ConsoleAway("down")
        return {"seq": 1 if after is None else after + 1}

    async def submit(sent: Any) -> dict[str, Any]:
        bodies.append(sent)
        return {"ok": True, "seq": 3}

    async def story() -> tuple[Any, Any, int]:
        console = LocalConsole(fetch, submit, rng=random.Random(2))
        protocol: Console = console
        first, second = await protocol.snapshot(), await protocol.changed(1)
        await protocol.send({"type": "resume"}, decision=None, seq=2)
        return first, second, console.outages

    assert run_virtual(story(), max_seconds=10) == ({"seq": 1}, {"seq": 2}, 2)
    down[:] = [True, True, False, True, False]
    run_virtual(story(), max_seconds=10)
    assert bodies[0] == bodies[1]


async def test_the_wheel_is_taken_where_nobody_has_it_and_left_to_who_took_over() -> None:
    """Also after the controller has forgotten it; an unreachable controller changes nothing."""
    state: dict[str, Any] = {"driver": None, "away": False}

    def answer(request: httpx.Request) -> httpx.Response:
        if state["away"]:
            raise httpx.ConnectError("away")
        if request.method == "POST":
            state["driver"] = json.loads(request.content)
        return httpx.Response(200, json={"driver": state["driver"]})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://table") as client:
        wheel = HttpWheel(client, "simulated-dealer", "Dealer")
        assert await wheel.drives()
        assert state["driver"]["console"] == "simulated-dealer"
        state["driver"] = {"console": "page", "name": "Console"}
        assert not await wheel.drives()
        for away, driver in ((True, None), (False, None)):
            state["away"], state["driver"] = away, driver
            assert not await wheel.drives()
            assert state["driver"] is None
        state["driver"] = {"console": "simulated-dealer", "name": "Dealer"}
        assert await wheel.drives()
