"""A console's address over a story: what a browser would ask, without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx

from controller.access.floor_token import FloorVerifier
from controller.console.desk import Desk
from controller.console.http import make_api
from controller.console.seat_gateway import SeatGateway
from controller.console.site import Pages
from controller.gate.gate import Gate
from controller.table.access_events import FloorAsked, SignedIn, SignedOut, SignInFailed
from controller.table.inputs import Command
from controller.table.loop import Answer, Record
from controller.table.state import TableState
from controller.table.timely import comes_late
from controller.words.catalogue import Language
from support.mqtt_samples import TOPICS
from support.table_story import AT, TableStory


class StoryTable:
    """A story in a table's place; every commit is told to ``desk``."""

    def __init__(self, told: TableStory) -> None:
        self.told = told
        self.moved = asyncio.Event()

    @property
    def state(self) -> TableState:
        return self.told.state

    async def changed(self, after_seq: int) -> TableState:
        while self.state.seq <= after_seq:
            await self.moved.wait()
        return self.state

    async def tell(self, told: SignedIn | SignedOut | SignInFailed | FloorAsked) -> None:
        self.told.tell(told)

    async def command(self, command: Command) -> Answer:
        late = comes_late(command, datetime.fromisoformat(AT), 0)
        refusal = self.told.tell(replace(command, late=late)).refusal
        return Answer(self.state.answers[command.key][1], refusal)


class StorySite:
    """The pages of a story's table with a client."""

    def __init__(self, told: TableStory, gate: Callable[[Desk], Gate] | None = None, floor: FloorVerifier | None = None) -> None:
        self.told = told
        self.desk = Desk(StoryTable(told), "T1", Language.EN)  # type: ignore[arg-type]
        self._before = told.state
        told.watch = self._committed
        self.seats = SeatGateway(TOPICS)
        self.pages = Pages(self.desk, gate=None if gate is None else gate(self.desk))
        self.api = make_api(self.desk, lambda: {"journal": True}, "1.0", pages=self.pages, seats=self.seats, floor=floor)
        self.transport = httpx.ASGITransport(self.api)
        self.client = httpx.AsyncClient(transport=self.transport, base_url="http://table")

    def _committed(self, state: TableState, records: Sequence[Record]) -> None:
        self.desk.committed(self._before, records)
        self._before = state

    def pages_document(self) -> dict[str, Any]:
        """The OpenAPI document of the address."""
        return self.api.openapi()

    @property
    def screen(self) -> dict[str, Any]:
        """The screen as of now."""
        found = self.pages.picture()["screen"]
        assert isinstance(found, dict)
        return found

    def title(self, language: str = "en") -> str:
        """The banner's title."""
        return str(self.screen["banner"]["title"][language])

    def buttons(self, language: str = "en") -> dict[str, list[str]]:
        """The texts of the buttons by place, empty places left out."""
        bar = self.screen["bar"]
        return {place: [button["text"][language] for button in bar[place]] for place in bar if bar[place]}

    async def press(self, place: str, index: int = 0) -> None:
        """What the page sends for a button."""
        for number, given in enumerate(self.screen["bar"][place][index]["commands"]):
            body = {"key": f"press-{self.told.state.seq}-{number}-{place}", "seq": self.told.state.seq, **given}
            answer = await self.client.post("/api/v1/commands", json=body)
            assert answer.status_code == 200, answer.text
