"""The floor's hand at its tables: signs each request for one person, brings it to the address that the table announced, and gives
back what the table answered. It decides nothing (recovery §7).
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote, urlencode

import httpx

from controller.access.floor_token import FloorSigner, Signer
from controller.tls import why_failed

TIMEOUT: Final = httpx.Timeout(5.0, connect=2.0)
"""A table of this venue answers at once; a page waits for it."""
WHOLE_S: Final = 8.0
"""Longest wait for the last byte of an answer: what drips is no table."""
MAX_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of the longest answer: a table's whole picture, with room."""
BASE: Final = "api/v1/floor/"
_NOWHERE: Final = (httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL, ValueError, ExceptionGroup)
"""What comes of an address at which there is no table; of a port or a name that can be none the last three."""
OUTCOMES: Final = ("taken", "refused", "failed", "unreachable")
"""The table took it, refused it (4xx), could not serve it (5xx, or no answer of a table's); or there was no answer at all."""

_log = logging.getLogger("controller.floor")


class NotPassed(Exception):  # noqa: N818 - an answer to who asks
    """The table did not answer: with which status, why as a refusal's code, and for which table."""

    def __init__(self, status: int, code: str, table: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.table = table


class Answered(NamedTuple):
    """What the table answered, and the id of the token that asked."""

    status: int
    content: dict[str, Any]
    token: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the floor knows of a table: its own address, ``None`` when it announced none, and the hand that is dealt there."""

    address: str | None
    hand: int | None


class Passing:
    """One venue's way to its tables. ``known`` tells of a table by name, ``None`` for one that nobody heard of; ``trust`` is what
    vouches for their HTTPS addresses; plain HTTP is taken to ``plain_hosts`` alone, or with ``None`` to any: whoever may write at
    the broker could announce an own address for a table; ``transport`` stands in for the
    network. ``close`` lets go of the connections."""

    def __init__(
        self,
        signer: FloorSigner,
        known: Callable[[str], Known | None],
        trust: ssl.SSLContext | None = None,
        *,
        plain_hosts: Collection[str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._signer = signer
        self._known = known
        self.outcomes = Counter[str](dict.fromkeys(OUTCOMES, 0))
        """What became of everything that was passed on since the start, by one of ``OUTCOMES``."""
        self._plain_hosts = plain_hosts
        self._client = httpx.AsyncClient(
            verify=True if trust is None else trust,
            transport=transport,
            timeout=TIMEOUT,
            trust_env=False,
            follow_redirects=False,
        )

    async def close(self) -> None:
        """End what is kept open."""
        await self._client.aclose()

    def table(self, name: str) -> Known:
        """What is known of that table. ``NotPassed`` for one that nobody heard of."""
        found = self._known(name)
        if found is None:
            raise NotPassed(404, "no_such_table", name)
        return found

    async def ask(self, table: str, person: Signer, sheet: dict[str, str]) -> Answered:
        """A sheet of the table's, for ``person``."""
        return await self._pass(table, "GET", f"sheets?{urlencode(sheet, quote_via=quote)}", person)

    async def preview(self, table: str, person: Signer, command: dict[str, Any]) -> Answered:
        """What an order would change."""
        return await self._pass(table, "POST", "preview", person, body=_bytes({"command": command}))

    async def command(self, table: str, person: Signer, agreed: Signer | None, body: dict[str, Any]) -> Answered:
        """Give an order in those names; the decision or picture that it answers is signed with it."""
        decision = body.get("decision") or f"seq/{body['seq']}"
        return await self._pass(table, "POST", "commands", person, agreed, _bytes(body), decision)

    def _is_safe(self, address: str) -> bool:
        """Whether who answers there has proved to be of this venue, or is on this machine, or is believed by configuration; the
        address is read as the client reads it that goes there. ``httpx.InvalidURL``."""
        url = httpx.URL(address)
        return url.scheme == "https" or self._plain_hosts is None or url.host in self._plain_hosts

    async def _pass(
        self,
        table: str,
        method: str,
        what: str,
        person: Signer,
        agreed: Signer | None = None,
        body: bytes = b"",
        decision: str = "",
    ) -> Answered:
        address = self.table(table).address
        if address is None:
            raise NotPassed(409, "table_no_address", table)
        try:
            if not self._is_safe(address):
                raise NotPassed(409, "table_plain", table)
        except httpx.InvalidURL:
            raise NotPassed(502, "table_unreachable", table) from None
        token, token_id = self._signer.sign(table, person, agreed, f"{method} {what}", body, decision)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        try:
            async with (
                asyncio.timeout(WHOLE_S),
                self._client.stream(
                    method, f"{address.rstrip('/')}/{BASE}{what}", content=body or None, headers=headers
                ) as response,
            ):
                content = await _read(response)
        except httpx.ConnectError as error:
            self.outcomes["unreachable"] += 1
            code = "table_not_trusted" if why_failed(error) else "table_unreachable"
            _log.warning("table %s at %s cannot be reached: %s", table, address, why_failed(error) or error)
            raise NotPassed(502, code, table) from None
        except _NOWHERE:
            self.outcomes["unreachable"] += 1
            raise NotPassed(502, "table_unreachable", table) from None
        except (httpx.HTTPError, TimeoutError):
            self.outcomes["unreachable"] += 1
            raise NotPassed(504, "table_unanswered", table) from None
        found = _json(content)
        is_answer = found is not None and response.status_code < 500
        self.outcomes["failed" if not is_answer else "taken" if response.status_code < 400 else "refused"] += 1
        if found is None:
            raise NotPassed(502, "table_answers_otherwise", table)
        return Answered(response.status_code, found, token_id)


def _bytes(body: dict[str, Any]) -> bytes:
    """The very bytes that are signed and sent."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


async def _read(response: httpx.Response) -> bytes:
    """The answer, or nothing of one that is longer than any table's."""
    parts: list[bytes] = []
    size = 0
    async with aclosing(cast("AsyncGenerator[bytes]", response.aiter_bytes())) as told:
        async for part in told:
            size += len(part)
            if size > MAX_ANSWER:
                return b""
            parts.append(part)
    return b"".join(parts)


def _json(content: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
