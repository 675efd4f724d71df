"""What the venue's floor asks and orders from its own screen, as routes of the table's HTTP address (recovery §7).

Each request bears a token that the floor signed for it alone; nothing else opens these routes, no session and no open mode. The
table decides as it does for its own console, by the same rights and rules, and the order needs no wheel: it deals nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import JSONResponse

from controller.access.floor_rights import FLOOR_ORDERS, FLOOR_RIGHTS, may_take
from controller.access.floor_token import OPEN, BadToken, FloorVerifier, FloorWord, Signer
from controller.access.people import Person, Role, are_two, checked_name
from controller.access.rights import Lack, Right, Warrant, warrant
from controller.console.forms import RULINGS
from controller.console.orders import AcknowledgeAlarmBody, CommandBody, OrderBody
from controller.console.ruling_orders import RuleBody
from controller.console.site import Pages, PreviewBody, previewed
from controller.console.warrants import denied, in_names, kind_of, named, needs_of
from controller.gate.gate import NotAllowed
from controller.gate.refused import TakenAnswer, answers, refused_answer
from controller.hand.commands import Refusal
from controller.hand.commands import Role as RulesAs
from controller.table.access_events import FloorOrdered
from controller.table.alarms import device_of
from controller.table.inputs import Command
from controller.words.said import say

BASE: Final = "/api/v1/floor/"
CONSOLE: Final = "floor"
_READABLE: Final = frozenset(("hands", "rules", "devices"))
_FORM: Final = "form:"


def add_floor_orders(api: FastAPI, pages: Pages, verifier: FloorVerifier | None) -> None:
    """Serve them from ``api``. Without ``verifier`` the table knows no floor, and refuses each."""

    async def signed(request: Request) -> FloorWord:
        """What the request's token says; ``NotAllowed`` for one that is not taken."""
        if verifier is None:
            raise NotAllowed(403, "no_floor")
        name = request.url.path.rpartition("/")[2]
        query = f"?{request.url.query}" if request.url.query else ""
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        try:
            word = verifier.verify(given, f"{request.method} {name}{query}", await request.body())
            people_of(word)
        except BadToken as error:
            raise NotAllowed(429 if error.code == "too_many_orders" else 401, error.code) from None
        return word

    is_signed: Any = Depends(signed)

    def admitted(word: FloorWord, right: Right = Right.COMMAND) -> None:
        """``NotAllowed`` for who has not that right at the floor; an order itself is refused by the table, on record."""
        refusal = unadmitted(word, right, is_open=pages.gate.is_open)
        if refusal is not None:
            raise NotAllowed(403, refusal.code, **dict(refusal.values))

    @api.get(f"{BASE}sheets", responses=answers(None, 404))
    async def _floor_sheet(
        name: Annotated[str, Query(max_length=40)],
        seat: Annotated[int, Query(ge=0, le=8)] = 0,
        number: Annotated[int, Query(ge=0, le=7)] = 0,
        word: FloorWord = is_signed,
    ) -> JSONResponse:
        """As `/api/v1/sheets`, with what the floor may order alone, and the `seq` of the picture that it is made of."""
        admitted(word, Right.READ if name in _READABLE else Right.COMMAND)
        if name == "hands":
            await pages.desk.remember()
        found = floor_sheet(pages, name, {key: str(value) for key, value in (("seat", seat), ("number", number)) if value})
        if found is None:
            return refused_answer(404, pages.desk.language, "no_such_sheet", say("refusal.no_such_sheet"))
        return JSONResponse({**found, "seq": pages.desk.state.seq})

    @api.post(f"{BASE}preview", responses=answers(None, 409))
    async def _floor_preview(body: PreviewBody, word: FloorWord = is_signed) -> JSONResponse:
        """As `/api/v1/preview`: what an order of the floor would change."""
        admitted(word)
        order = body.command.model_copy(update={"role": RulesAs.FLOOR}) if isinstance(body.command, RuleBody) else body.command
        return previewed(pages.desk, order)

    @api.post(f"{BASE}commands", responses=answers(TakenAnswer, 409))
    async def _floor_command(body: CommandBody, word: FloorWord = is_signed) -> JSONResponse:
        """As `/api/v1/commands`, in the names of the token's people. What was refused to them is on record."""
        if word.decision != decision_of(body):
            raise NotAllowed(401, "token_other_decision")
        device = _device(pages, body.command)
        answer = await pages.desk.give(floor_command(body, word, is_open=pages.gate.is_open, device=device))
        return JSONResponse(answer, status_code=200 if answer["ok"] else 409)


def decision_of(body: CommandBody) -> str:
    """What the command answers: the decision that it names, or the picture that it was given on."""
    return body.decision or f"seq/{body.seq}"


def floor_sheet(pages: Pages, name: str, given: Mapping[str, str]) -> dict[str, Any] | None:
    """The sheet as the floor may have it; ``None`` when there is none, and for the form of an order that is not the floor's."""
    if name.startswith(_FORM) and not _is_floors(name.removeprefix(_FORM)):
        return None
    if name == "devices":
        return pages.sheet(name, given, CONSOLE)
    found = pages.desk.sheet(name, given, None, drives=True)
    if found is None or "items" not in found:
        return found
    items = [item for item in found["items"] if _is_shown(item)]
    return {**found, "items": items, "hint": found["hint"] if items else say("ui.list.empty")}


def _is_floors(name: str) -> bool:
    return name in RULINGS or name in FLOOR_ORDERS


def _is_shown(item: Mapping[str, Any]) -> bool:
    return _is_floors(item["name"]) if "name" in item else item.get("opens") in _READABLE


def people_of(word: FloorWord) -> tuple[Person, tuple[Person, ...]] | None:
    """Who gives the order, and who agreed; ``None`` from a floor where nobody signs in. ``BadToken`` for who cannot be."""
    if word.person.role == OPEN:
        return None
    try:
        return _person(word.person), tuple(_person(one) for one in (word.agreed,) if one is not None)
    except ValueError:
        raise BadToken("token_unreadable") from None


def _person(signer: Signer) -> Person:
    return Person("", checked_name(signer.name), Role(signer.role))


def unadmitted(word: FloorWord, right: Right = Right.COMMAND, *, is_open: bool) -> Refusal | None:
    """Why whoever the token names may not do that at a table that ``is_open``, or not; ``None`` when they may."""
    people = people_of(word)
    if people is None:
        return None if is_open else Refusal("REG-38", "floor_is_open")
    if right not in FLOOR_RIGHTS[people[0].role]:
        return Refusal("REG-38", "may_not", (("name", people[0].name),))
    return None


def _device(pages: Pages, order: OrderBody) -> str | None:
    """The device whose alarm is acknowledged; ``None`` for anything else."""
    return device_of(pages.desk.state, order.alarm) if isinstance(order, AcknowledgeAlarmBody) else None


def floor_command(body: CommandBody, word: FloorWord, *, is_open: bool, device: str | None = None) -> Command:
    """The command as the table takes it, in the names of the token's people, or denied to them. A ruling is the floor's; an alarm
    of a ``device`` an engineer acknowledges too."""
    order = body.command.model_copy(update={"role": RulesAs.FLOOR}) if isinstance(body.command, RuleBody) else body.command
    body = body.model_copy(update={"command": order})
    agreed = word.agreed or Signer("", "")
    from_floor = FloorOrdered(body.key, *word.person, *agreed, word.key, word.token)
    command = replace(body.to_command(), console=CONSOLE, person=word.person.name, floor=from_floor)
    if not isinstance(order, RuleBody) and order.type not in FLOOR_ORDERS:
        return replace(command, denied=Refusal("REG-38", "not_the_floors"))
    sees = isinstance(order, AcknowledgeAlarmBody)
    refusal = unadmitted(word, Right.ALARMS if sees else Right.COMMAND, is_open=is_open)
    if refusal is not None:
        return replace(command, denied=refusal)
    people = people_of(word)
    if people is not None and sees:
        person = people[0]
        if not may_take(person.role, device):
            return replace(command, denied=Refusal("REG-38", "may_not", (("name", person.name),)))
        return in_names(command, Warrant(person.name), person)
    if people is None:
        return named(command, order)
    person, others = people
    found = warrant(needs_of(order), kind_of(order), person, others)
    if isinstance(found, Lack):
        return replace(command, denied=denied(order.type, _same(found.code, person, others), person))
    return in_names(command, found, person)


def _same(code: str, person: Person, others: tuple[Person, ...]) -> str:
    """Who agrees with the own order is told that, and not that somebody is missing."""
    return "same_person" if any(not are_two(one.name, person.name) for one in others) else code
