"""The demo's people: who may sign in at its table with numbers and PINs that it prints, and how its simulated dealer does."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from controller.access.people import Role
from controller.access.roster import Roster, change_roster
from simulators.console import Answer, Command, HttpConsole


class DemoPerson(NamedTuple):
    """Somebody with a number and a PIN that are no secret."""

    number: str
    name: str
    role: Role
    pin: str


SIMULATED_DEALER: Final = DemoPerson("99", "Simulated dealer", Role.DEALER, "640918")
FLOOR: Final = DemoPerson("3", "Fay", Role.FLOOR, "731946")
PEOPLE: Final = (
    DemoPerson("12", "Ines", Role.DEALER, "482915"),
    DemoPerson("13", "Paul", Role.DEALER, "905172"),
    FLOOR,
    DemoPerson("4", "Kim", Role.FLOOR, "260853"),
    DemoPerson("7", "Sue", Role.SURVEILLANCE, "618402"),
    DemoPerson("8", "Ed", Role.ENGINEER, "357091"),
)
"""Two dealers to relieve each other, two of the floor, and who only looks on."""
APPROVALS: Final = {"approval_due": (FLOOR,), "two_approvals_due": (FLOOR, PEOPLE[0])}


def write_people(path: Path) -> None:
    """Make the people file; one that an earlier demo left stays as it is."""

    def change(roster: Roster) -> Roster:
        for number, name, role, pin in (SIMULATED_DEALER, *PEOPLE):
            if roster.person(number) is None:
                roster = roster.with_person(number, name, role).with_pin(number, pin)
        return roster

    change_roster(path, change, new=True)


def access_of(folder: Path, *, people: bool, floor: Path | None) -> dict[str, Any]:
    """The part of a table's configuration that says who may do what there; ``folder`` gets the people file."""
    raw: dict[str, Any] = {} if floor is None else {"floor": {"public_key_file": str(floor)}}
    if people:
        write_people(folder / "people.json")
        raw |= {"access": "people", "people": "people.json"}
    return raw


def people_lines() -> str:
    """Who may sign in, a line each."""
    return "\n".join(f"{person.role.value:12}  number {person.number:>2}  PIN {person.pin}  {person.name}" for person in PEOPLE)


class SignsIn(httpx.Auth):
    """Signs the simulated dealer in whenever the table does not know her, as after a start of its controller."""

    def __init__(self, number: str = SIMULATED_DEALER.number, pin: str = SIMULATED_DEALER.pin) -> None:
        self._proof = {"number": number, "pin": pin}
        self._cookie = ""
        self._console = ""

    def console(self) -> str:
        """The console of her session."""
        return self._console

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """The request; after a 401 a sign-in and the request again."""
        request.headers["cookie"] = self._cookie
        response = yield request
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return
        answer = yield httpx.Request("POST", request.url.copy_with(path="/api/v1/session", query=None), json=self._proof)
        if answer.status_code == httpx.codes.OK:
            self._cookie = answer.headers["set-cookie"].partition(";")[0]
            await answer.aread()
            self._console = str(answer.json()["console"])
            request.headers["cookie"] = self._cookie
            yield request


class AgreedConsole(HttpConsole):
    """The simulated dealer's console where people sign in: those whose consent an order needs give it."""

    def __init__(self, client: httpx.AsyncClient, *, rng: random.Random, speed: float) -> None:
        super().__init__(client, rng=rng, speed=speed)
        self._client = client

    async def send(self, command: Command, *, decision: str | None, seq: int) -> Answer:
        """Send ``command``; once more with consents where it wants them."""
        answer = await super().send(command, decision=decision, seq=seq)
        asked = () if answer["ok"] else APPROVALS.get(answer["refusal"]["code"], ())
        if not asked:
            return answer
        given = [await self._agree(person, command) for person in asked]
        return await self.send_agreed(command, given, decision=decision, seq=seq)

    async def _agree(self, person: DemoPerson, command: Command) -> str:
        body: dict[str, Any] = {"number": person.number, "pin": person.pin, "command": dict(command)}
        return str((await self._client.post("/api/v1/approvals", json=body)).json().get("approval", ""))
