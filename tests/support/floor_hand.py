"""A table's address and a floor that signs for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.access.door import Door
from controller.access.floor_token import FloorSigner, FloorVerifier, Signer
from controller.console.desk import Desk
from controller.console.floor_orders import decision_of
from controller.console.orders import CommandBody
from controller.gate.gate import Gate
from support.console_site import StorySite
from support.table_story import TableStory

FAY, KIM, ED, ANN = Signer("Fay", "floor"), Signer("Kim", "floor"), Signer("Ed", "engineer"), Signer("Ann", "dealer")
SUE, ADA = Signer("Sue", "surveillance"), Signer("Ada", "auditor")
NOW = 1_767_380_000
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
VENUE, TABLE = "nice", "T1"


class FloorHand:
    """What a floor sends to a table over a story. ``floor_now`` and ``table_now`` are their clocks."""

    def __init__(self, told: TableStory, *, people: Path | None = None, knows_floor: bool = True) -> None:
        self.told = told
        self.floor_now = self.table_now = float(NOW)
        self.keys = 0
        self.signer = FloorSigner(KEY, VENUE, lambda: self.floor_now)
        self.verifier = FloorVerifier(KEY.public_key(), VENUE, TABLE, lambda: self.table_now)

        def gate(desk: Desk) -> Gate:
            return Gate(name=TABLE, tell=desk.tell, door=None if people is None else Door(people, lambda: 0.0))

        self.site = StorySite(told, gate, self.verifier if knows_floor else None)

    def body(self, command: Mapping[str, Any], **more: Any) -> bytes:
        """A command under a new key, given on the picture of now."""
        self.keys += 1
        return json.dumps({"key": f"floor-{self.keys:04}", "seq": self.told.state.seq, "command": command, **more}).encode()

    def token(
        self, body: bytes, person: Signer = FAY, agreed: Signer | None = None, *, table: str = TABLE, what: str = "POST commands"
    ) -> str:
        """A token for that body."""
        decision = decision_of(CommandBody.model_validate_json(body)) if what == "POST commands" else ""
        return self.signer.sign(table, person, agreed, what, body, decision)[0]

    async def ask(self, method: str, path: str, token: str, body: bytes | None = None) -> httpx.Response:
        """Ask the table's address."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        async with httpx.AsyncClient(transport=self.site.transport, base_url="http://table", trust_env=False) as client:
            return await client.request(method, f"/api/v1/floor/{path}", content=body, headers=headers)

    async def send(self, body: bytes, token: str, path: str = "commands") -> httpx.Response:
        """Send it."""
        return await self.ask("POST", path, token, body)

    async def order(
        self, command: Mapping[str, Any], person: Signer = FAY, agreed: Signer | None = None, **more: Any
    ) -> httpx.Response:
        """Give an order as a floor does."""
        body = self.body(command, **more)
        return await self.send(body, self.token(body, person, agreed))

    async def preview(self, command: Mapping[str, Any], person: Signer = FAY) -> httpx.Response:
        """Ask what an order would change."""
        body = json.dumps({"command": command}).encode()
        return await self.send(body, self.token(body, person, what="POST preview"), "preview")

    async def sheet(self, person: Signer = FAY, **query: Any) -> httpx.Response:
        """Ask for a sheet."""
        asked = urlencode(query)
        token, _ = self.signer.sign(TABLE, person, None, f"GET sheets?{asked}")
        return await self.ask("GET", f"sheets?{asked}", token)


def code(answer: httpx.Response) -> str:
    """The refusal's code, empty for what was taken."""
    return "" if answer.json()["ok"] else str(answer.json()["refusal"]["code"])
