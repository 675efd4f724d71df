"""Whose an order to a table is, who agreed with it, and what stands of it in the floor's trail (screens §11, REG-40)."""

from __future__ import annotations

import asyncio
import json
import re
from hashlib import sha256
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints, model_validator

from controller.access.door import Known
from controller.access.floor_token import OPEN, Signer
from controller.floor.board.alarms import StandingAlarm
from controller.floor.orders.passing import Answered, NotPassed, Passing
from controller.floor.people.trail import Trail
from controller.gate.gate import Caller, Gate, NotAllowed
from controller.gate.session import ProofBody

FACE: Final = re.compile(r"(?<=\")[2-9TJQKA][cdhs](?=\")")
"""A card in an order's JSON: a keyed one may lie face down, and the trail tells none (recovery §10)."""
NAMES: Final = ("by", "agreed_by")
"""Names of people in an order, which are not its content."""
MAX_NAME: Final = 32
SEEN_S: Final = 3.0
"""Longest wait of a page for a table that is told who has seen its alarm."""


class Ordered(BaseModel):
    """Any order: the table knows which there are."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: Annotated[str, StringConstraints(min_length=1, max_length=40)]

    @model_validator(mode="after")
    def _can_be_sent(self) -> Ordered:
        """What no text carries, or nests without end, is signed for nobody."""
        try:
            json.dumps(self.plain(), ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise ValueError("it cannot be written as JSON in UTF-8: take out what is no text, or nested too deep") from None
        return self

    def plain(self) -> dict[str, Any]:
        """As it came."""
        return self.model_dump(mode="json")


class PassedPreview(BaseModel):
    """An order that is only asked about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Ordered


class PassedCommand(PassedPreview):
    """An order as the table takes it, with consents that were given at the floor."""

    key: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    seq: Annotated[StrictInt, Field(ge=0)]
    decision: Annotated[str, Field(max_length=64)] | None = None
    expires_at: Annotated[str, Field(max_length=40)] | None = None
    console: Annotated[str, Field(max_length=64)] = ""
    """Taken and passed over: at the table it is the floor's."""
    approvals: Annotated[tuple[Annotated[str, Field(max_length=64)], ...], Field(max_length=2)] = ()

    def passed(self) -> dict[str, Any]:
        """What goes on to the table."""
        return {
            "key": self.key,
            "seq": self.seq,
            "decision": self.decision,
            "expires_at": self.expires_at,
            "command": self.command.plain(),
        }


class PassedApproval(ProofBody):
    """Somebody agrees with one order, which is the next one of this page."""

    command: Ordered


class OrderDesk:
    """One floor's desk for orders. What it lets through is signed and passed on; the table decides."""

    def __init__(self, passing: Passing, trail: Trail, gate: Gate) -> None:
        self.passing = passing
        self.gate = gate
        self._trail = trail

    def who(self, caller: Caller, command: Ordered | None = None) -> Signer:
        """In whose name: the session's person, or where nobody signs in whoever the order names. ``NotAllowed`` on a page that is
        locked."""
        if self.gate.is_open:
            named = getattr(command, "by", "")
            return Signer(named.strip()[:MAX_NAME] if isinstance(named, str) else "", OPEN)
        if caller.person is None:
            raise NotAllowed(401, "sign_in_first")
        return Signer(caller.person.name, caller.person.role.value)

    async def command(self, table: str, body: PassedCommand, caller: Caller) -> Answered:
        """Give an order. It stands in the trail with the table's answer, or with why there was none (``NotPassed``)."""
        person = self.who(caller, body.command)
        agreed = self._agreed(table, body, caller, person)
        noted = {
            "key": body.key,
            "role": person.role,
            "agreed": None if agreed is None else [agreed.name, agreed.role],
            "command": json.loads(FACE.sub("", json.dumps(body.command.plain()))),
        }
        try:
            answer = await self.passing.command(table, person, agreed, body.passed())
        except NotPassed as error:
            self._trail.note("ordered", person.name, table=table, **noted, answer=error.code, status=error.status)
            raise
        said = {"answer": _code(answer.content), "status": answer.status, "seq": answer.content.get("seq"), "token": answer.token}
        self._trail.note("ordered", person.name, table=table, **noted, **said)
        return answer

    async def seen(self, alarm: StandingAlarm, by: str, caller: Caller) -> bool:
        """Tell the table who has acknowledged its ``alarm``; whether it took it. What the floor has on record stands either way,
        and it is tried once."""
        seq = alarm.raised_seq or 0
        order = Ordered.model_validate(
            {"type": "acknowledge_alarm", "alarm": alarm.alarm, "raised_seq": seq, "by": by[:MAX_NAME]}
        )
        try:
            async with asyncio.timeout(SEEN_S):
                answer = await self.command(alarm.table, PassedCommand(key=token_hex(16), seq=seq, command=order), caller)
        except (NotPassed, NotAllowed, TimeoutError):
            return False
        return answer.status < HTTPStatus.BAD_REQUEST

    def agree(self, table: str, command: Ordered, known: Known, caller: Caller) -> str:
        """Somebody who is ``known`` agrees with an order of that page; the answer is the consent."""
        given = self.gate.sessions.approve(caller.token, known.person, self._content(table, command))
        proposer = "" if caller.person is None else caller.person.name
        self._trail.note("agreed", known.person.name, table=table, to=proposer, means=known.means, command=command.type)
        return given

    def _agreed(self, table: str, body: PassedCommand, caller: Caller, person: Signer) -> Signer | None:
        """Who agreed: of two somebody else. ``NotAllowed`` for a consent that has passed or was for something else."""
        if self.gate.is_open or not body.approvals:
            return None
        content = self._content(table, body.command)
        found = [self.gate.sessions.approved(caller.token, one, content, body.key) for one in body.approvals]
        people = [Signer(one.name, one.role.value) for one in found if one is not None]
        if len(people) < len(found):
            raise NotAllowed(409, "approval_passed")
        return next((one for one in people if one.name != person.name), people[0])

    def _content(self, table: str, command: Ordered) -> str:
        """Names an order at that table in the hand of now and no other one, for whom agrees with it."""
        plain = {name: value for name, value in command.plain().items() if name not in NAMES}
        return sha256(json.dumps([table, self.passing.table(table).hand, plain], sort_keys=True).encode()).hexdigest()


def _code(content: dict[str, Any]) -> str:
    """The code of the table's refusal, ``taken`` for none."""
    refusal = content.get("refusal")
    return str(refusal.get("code", "refused")) if isinstance(refusal, dict) else "taken"
