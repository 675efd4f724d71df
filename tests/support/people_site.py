"""A console's address where people sign in, over a story."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from controller.access.door import Door
from controller.access.people import Person, Role
from controller.access.roster import Roster, change_roster, load_roster
from controller.console.desk import Desk
from controller.gate.gate import Caller, Gate
from support.console_site import StorySite
from support.table_story import TableStory

PINS = {"12": "482915", "13": "905172", "3": "731946", "4": "260853", "7": "618402", "8": "357091", "9": "840263"}
PEOPLE = (
    ("12", "Ann", Role.DEALER),
    ("13", "Ben", Role.DEALER),
    ("3", "Fay", Role.FLOOR),
    ("4", "Kim", Role.FLOOR),
    ("7", "Sue", Role.SURVEILLANCE),
    ("8", "Ed", Role.ENGINEER),
    ("9", "Ada", Role.AUDITOR),
)
BADGE = "E0A1B2C3D4"
"""Fay's."""


def people_file(path: Path) -> Path:
    """Everybody with a PIN, Fay with a badge too."""

    def change(roster: Roster) -> Roster:
        for number, name, role in PEOPLE:
            roster = roster.with_person(number, name, role).with_pin(number, PINS[number])
        return roster.with_badge("3", BADGE)

    change_roster(path, change, new=True)
    return path


class PeopleSite(StorySite):
    """The pages of a story's table, with people; ``now`` is what the gate's clock says."""

    def __init__(self, told: TableStory, file: Path, hosts: frozenset[str] | None = None) -> None:
        self.now = 0.0
        self.hosts = hosts
        self.file = file
        super().__init__(told, self._gate)

    def _gate(self, desk: Desk) -> Gate:
        clock = self.clock
        return Gate(name="T1", tell=desk.tell, door=Door(self.file, clock), hosts=self.hosts, spared=self.plays, clock=clock)

    def clock(self) -> float:
        """The gate's clock."""
        return self.now

    def plays(self, console: str) -> bool:
        """Whether that console drives an open hand."""
        state = self.told.state
        return state.hand_open and bool(state.wheel) and state.wheel[0].console == console

    def person(self, name: str) -> Person:
        """Somebody of the file."""
        return next(one for one in load_roster(self.file).people if one.name == name)

    async def at_desk(self, name: str) -> httpx.AsyncClient:
        """A browser at which ``name`` has signed in, without a look at a PIN."""
        client = self.browser()
        token, session = self.pages.gate.sessions.start(self.person(name))
        client.cookies.set(self.pages.gate.cookie, token)
        await self.pages.arrived(Caller(token, session.console, session.person))
        return client

    def browser(self) -> httpx.AsyncClient:
        """A browser with no cookie."""
        return httpx.AsyncClient(transport=self.transport, base_url="http://table")

    async def command(self, client: httpx.AsyncClient, command: dict[str, Any], *approvals: str) -> httpx.Response:
        """Give a command under a new key."""
        key = f"press-{len(self.told.events):06}-{id(client) % 10_000}"
        body = {"key": key, "seq": self.told.state.seq, "command": command, "approvals": list(approvals)}
        return await client.post("/api/v1/commands", json=body)

    async def agree(self, client: httpx.AsyncClient, name: str, command: dict[str, Any]) -> str:
        """``name`` agrees at that console by PIN."""
        person = self.person(name)
        body = {"number": person.number, "pin": PINS[person.number], "command": command}
        answer = await client.post("/api/v1/approvals", json=body)
        assert answer.status_code == 200, answer.text
        assert json.loads(answer.text)["name"] == name
        return str(answer.json()["approval"])
