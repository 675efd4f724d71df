"""Alarms told to another program: one signed JSON POST a call and one an end, in order, until the receiver has taken it.

The signature is HMAC-SHA256 over ``<time>.<body>`` with the shared secret, so that neither content nor time can be another.
What is told was published by the table: never a down card (R-RULE-06).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from controller.floor.board.alarms import WEBHOOK
from controller.floor.board.incident import Incident, TrailLine
from controller.floor.board.moment import told

MAX_WAITING: Final = 1000
"""Deliveries that wait for one receiver; with one more the oldest goes, and the next one tells how many did."""
ANSWER_S: Final = 5.0
FIRST_PAUSE_S: Final = 1.0
MOST_PAUSE_S: Final = 60.0
"""Longest pause before a receiver that does not answer is tried again; each pause is twice the one before."""
_AGAIN: Final = frozenset((408, 425, 429))
"""Refusals that say *later*; any other one of 4xx is final."""

_log = logging.getLogger("controller.floor")


@dataclass(frozen=True, slots=True)
class Target:
    """A receiver: what it is told, and the secret by which it knows us."""

    url: str
    secret: bytes
    priorities: Collection[int] = (1, 2)
    events: Collection[str] = ("called", "cleared")

    @property
    def host(self) -> str:
        """For people: the rest of an address may be a secret of its own."""
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class _Delivery:
    name: str
    body: dict[str, Any]


class Webhook:
    """One receiver's queue. ``tell`` never waits; ``run`` is its only task. ``turned`` is called when the receiver stops taking
    what it is sent, and when it takes it again."""

    def __init__(
        self,
        target: Target,
        venue: str,
        wall: Callable[[], datetime],
        turned: Callable[[], None],
        *,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        self.target = target
        self._venue = venue
        self._wall = wall
        self._turned = turned
        self.is_failing = False
        self._first_pause_s = first_pause_s
        self._waiting: deque[_Delivery] = deque()
        self._missed = 0
        self._wake = asyncio.Event()

    @property
    def waiting(self) -> int:
        """Deliveries that were not taken yet."""
        return len(self._waiting)

    def tell(self, line: TrailLine, incident: Incident) -> None:
        """An alarm calls, or one that called is over. That a receiver fails is told to none of them."""
        alarm = incident.alarm
        is_wanted = line.what.value in self.target.events and alarm.priority in self.target.priorities
        if not is_wanted or alarm.code == WEBHOOK:
            return
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self._missed += 1
        name = f"{self._venue}/{alarm.key}/{told(alarm.raised_at)}/{line.what.value}"
        body = {"id": name, "event": line.what.value, "venue": self._venue, "at": told(line.at), "alarm": incident.as_json()}
        self._waiting.append(_Delivery(name, body))
        self._wake.set()

    async def run(self) -> None:
        """Deliver what waits, one after the other, until cancelled."""
        async with httpx.AsyncClient(timeout=ANSWER_S, follow_redirects=False, trust_env=False) as client:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._waiting:
                    await self._deliver(client)

    async def _deliver(self, client: httpx.AsyncClient) -> None:
        """The oldest one, as often as it takes. A refusal for good is told and passed over, so that it holds nothing up."""
        pause_s = self._first_pause_s
        while self._waiting:
            one = self._waiting[0]
            status = await self._post(client, one)
            if status is None or status >= 500 or status in _AGAIN:
                self._turn(is_failing=True)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, MOST_PAUSE_S)
                continue
            if self._waiting and self._waiting[0] is one:
                self._waiting.popleft()
            is_taken = 200 <= status < 300
            self._missed = 0 if is_taken else self._missed + 1
            if not is_taken:
                _log.error("the receiver of alarms at %s refused one with status %d", self.target.host, status)
            self._turn(is_failing=not is_taken)
            return

    def _turn(self, *, is_failing: bool) -> None:
        if is_failing is not self.is_failing:
            self.is_failing = is_failing
            self._turned()

    async def _post(self, client: httpx.AsyncClient, one: _Delivery) -> int | None:
        """The answer's status; ``None`` for no answer. Its body is not read."""
        body = json.dumps({**one.body, "missed": self._missed}, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json",
            "Stud-Table-Event": one.name.encode("unicode_escape").decode(),
            "Stud-Table-Signature": signature(self.target.secret, int(self._wall().timestamp()), body),
        }
        try:
            async with client.stream("POST", self.target.url, content=body, headers=headers) as answer:
                return answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, ExceptionGroup) as error:
            _log.warning("the receiver of alarms at %s does not answer: %s", self.target.host, type(error).__name__)
            return None


def signature(secret: bytes, at_s: int, body: bytes) -> str:
    """``t=<POSIX seconds>,v1=<HMAC-SHA256 of "<t>.<body>", hexadecimal>``."""
    digest = hmac.new(secret, f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={digest}"
