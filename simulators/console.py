"""The dealer's touch screen as a simulated dealer uses it: read the snapshot, wait for a newer one, press a button.

A command carries an idempotency key, the snapshot's ``seq`` that the dealer saw and the decision that it answers. While the
controller is away, the console asks again with growing pauses; the same press keeps its key, so it counts once.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import httpx

T = TypeVar("T")

Snapshot: TypeAlias = dict[str, Any]
Command: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = dict[str, Any]

LONG_POLL_S: Final = 10.0
"""Seconds that the controller may hold a request for a newer snapshot."""
ANSWER_S: Final = 10.0
"""Seconds beyond which a request without an answer counts as lost."""
FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 2.0
"""Pauses between tries while the controller is away, before they are divided by the speed; each is twice the last."""
EMPTY_ANSWER_S: Final = 0.1
"""Pause after an answer that came at once and was not newer."""


class ConsoleAway(ConnectionError):  # noqa: N818
    """The controller cannot be reached now; the console tries again."""


class ConsoleError(Exception):
    """The controller answered something that is neither a snapshot nor an answer to a command. Trying again would not help."""


class Console(Protocol):
    """The dealer's screen."""

    async def snapshot(self) -> Snapshot:
        """The snapshot as of now."""

    async def changed(self, after_seq: int) -> Snapshot:
        """Wait for a snapshot whose ``seq`` is above ``after_seq``; returns at once when there is one."""

    async def send(self, command: Command, *, decision: str | None, seq: int) -> Answer:
        """Press a button and return the answer, accepted or refused, however often the controller must be asked for it."""


class Wire(Protocol):
    """One try each; ``ConsoleAway`` when the controller cannot be reached."""

    async def fetch(self, after: int | None) -> Snapshot:
        """The snapshot; with ``after``, held back until it is newer or the long poll ends."""

    async def submit(self, body: Mapping[str, Any]) -> Answer:
        """The answer to one command."""


class RetryingConsole:
    """A ``Console`` over a wire that may fail. ``speed`` divides the pauses; ``rng`` makes the idempotency keys."""

    def __init__(self, wire: Wire, *, rng: random.Random, speed: float = 1.0) -> None:
        self._wire = wire
        self._rng = rng
        self._speed = speed
        self._outages = 0

    @property
    def outages(self) -> int:
        """Times that the controller went away while it was asked something."""
        return self._outages

    async def snapshot(self) -> Snapshot:
        """The snapshot as of now; waits while the controller is away."""
        return await self._until_there(lambda: self._wire.fetch(None))

    async def changed(self, after_seq: int) -> Snapshot:
        """Wait for a snapshot above ``after_seq``, across the controller's absence too."""
        loop = asyncio.get_running_loop()
        while True:
            asked = loop.time()
            snapshot = await self._until_there(lambda: self._wire.fetch(after_seq))
            if snapshot["seq"] > after_seq:
                return snapshot
            if loop.time() - asked < EMPTY_ANSWER_S / self._speed:
                await asyncio.sleep(EMPTY_ANSWER_S / self._speed)

    async def send(self, command: Command, *, decision: str | None, seq: int) -> Answer:
        """Send ``command`` under one new key until it is answered."""
        return await self.send_agreed(command, (), decision=decision, seq=seq)

    async def send_agreed(self, command: Command, approvals: Sequence[str], *, decision: str | None, seq: int) -> Answer:
        """The same with the consents that it needs where people sign in."""
        key = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        body = {"key": key, "seq": seq, "decision": decision, "command": dict(command)}
        if approvals:
            body["approvals"] = list(approvals)
        return await self._until_there(lambda: self._wire.submit(body))

    async def _until_there(self, ask: Callable[[], Awaitable[T]]) -> T:
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                return await ask()
            except ConnectionError:
                if pause_s == FIRST_PAUSE_S:
                    self._outages += 1
            await asyncio.sleep(pause_s / self._speed)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


class HttpConsole(RetryingConsole):
    """The console over HTTP, under its own word ``console`` where it has one. ``client`` has the controller's address as its base
    and stays the caller's to close."""

    def __init__(self, client: httpx.AsyncClient, *, rng: random.Random, speed: float = 1.0, console: str = "") -> None:
        super().__init__(_HttpWire(client, console), rng=rng, speed=speed)


class HttpWheel:
    """The wheel of a table over HTTP, as a console that lets itself be relieved: it takes the wheel where nobody has it.

    ``session`` tells the console that the table gave it, where people sign in; empty where they do not."""

    def __init__(self, client: httpx.AsyncClient, console: str, name: str, session: Callable[[], str] = str) -> None:
        self._client = client
        self._me = {"console": console, "name": name}
        self._session = session
        self._relieved = False

    async def drives(self) -> bool:
        """Whether this console drives. After a restart of the controller, which forgets it, who was relieved stays so."""
        try:
            driver = (await self._client.get("/api/v1/wheel", timeout=ANSWER_S)).json()["driver"]
            if driver is None and not self._relieved:
                driver = (await self._client.post("/api/v1/wheel", json=self._me, timeout=ANSWER_S)).json()["driver"]
        except httpx.TransportError:
            return not self._relieved
        if driver is not None:
            self._relieved = driver["console"] != (self._session() or self._me["console"])
        return not self._relieved


class LocalConsole(RetryingConsole):
    """The console of a controller in the same process.

    ``fetch(after)`` gives the snapshot, held back until it is above ``after`` where that is a number; ``submit(body)`` answers a
    command body as the HTTP interface would. Either may raise ``ConnectionError`` while the controller is down.
    """

    def __init__(
        self,
        fetch: Callable[[int | None], Awaitable[Snapshot]],
        submit: Callable[[Mapping[str, Any]], Awaitable[Answer]],
        *,
        rng: random.Random,
        speed: float = 1.0,
    ) -> None:
        super().__init__(_LocalWire(fetch, submit), rng=rng, speed=speed)


class _LocalWire:
    def __init__(
        self, fetch: Callable[[int | None], Awaitable[Snapshot]], submit: Callable[[Mapping[str, Any]], Awaitable[Answer]]
    ) -> None:
        self._fetch = fetch
        self._submit = submit

    async def fetch(self, after: int | None) -> Snapshot:
        return await self._fetch(after)

    async def submit(self, body: Mapping[str, Any]) -> Answer:
        return await self._submit(body)


class _HttpWire:
    def __init__(self, client: httpx.AsyncClient, console: str) -> None:
        self._client = client
        self._me = {"console": console} if console else {}

    async def fetch(self, after: int | None) -> Snapshot:
        query: dict[str, str] = {} if after is None else {"after": str(after), "wait": f"{LONG_POLL_S:g}"}
        held_s = 0.0 if after is None else LONG_POLL_S
        request = self._client.build_request("GET", "/api/v1/snapshot", params=query, timeout=held_s + ANSWER_S)
        return _object(await self._try(request), key="seq")

    async def submit(self, body: Mapping[str, Any]) -> Answer:
        request = self._client.build_request("POST", "/api/v1/commands", json={**body, **self._me}, timeout=ANSWER_S)
        return _object(await self._try(request), key="ok")

    async def _try(self, request: httpx.Request) -> httpx.Response:
        try:
            response = await self._client.send(request)
        except httpx.TransportError as error:
            raise ConsoleAway(f"{request.method} {request.url.path}: {type(error).__name__}") from error
        if response.is_server_error:
            raise ConsoleAway(f"{request.method} {request.url.path}: status {response.status_code}")
        return response


def _object(response: httpx.Response, *, key: str) -> dict[str, Any]:
    """The JSON object of an answer, refusals with a 4xx status included; ``ConsoleError`` when it lacks ``key``."""
    try:
        body = response.json()
    except json.JSONDecodeError:
        body = None
    if not isinstance(body, dict) or key not in body:
        path = response.request.url.path
        raise ConsoleError(f"{path} answered status {response.status_code} without {key!r}: is that the controller's address?")
    return body
