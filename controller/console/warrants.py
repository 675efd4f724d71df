"""In whose names a command stands: the session's person, never one from its body, and those who agreed (recovery §7, REG-40)."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from controller.access.people import Person, are_two
from controller.access.rights import ORDERS, RULES, Lack, Needs, Warrant, warrant
from controller.console.orders import CommandBody, FloorBody, OrderBody, TwoBody
from controller.console.ruling_orders import RuleBody
from controller.gate.gate import Caller, Gate
from controller.hand.commands import Refusal
from controller.table.inputs import AcknowledgeAlarm, Command, Rule
from controller.table.rulings import ruling_needs


def needs_of(order: OrderBody) -> Needs:
    """Whose order it is: of rulings the table says it, and who rules as the floor must be the floor."""
    if isinstance(order, RuleBody):
        return ruling_needs(order.ruling.kind, order.role)
    return ORDERS[order.type]


def content_of(order: OrderBody, hand: int) -> str:
    """Names an order in the ``hand`` of that number and no other one, for whom agrees with it: who lets a hand be void does not
    let the next one be. Names of people in it are not its content."""
    names = {"by", "agreed_by"} & type(order).model_fields.keys()
    plain = order.model_copy(update=dict.fromkeys(names, ""))
    return sha256(f"{hand}|{plain.model_dump_json()}".encode()).hexdigest()


def command_of(body: CommandBody, gate: Gate, caller: Caller, *, driven: bool, hand: int) -> Command:
    """The command as the table takes it. ``driven``: some console drives the table, as one must where people sign in; ``hand``:
    the number of the newest hand."""
    command = body.to_command()
    if gate.is_open:
        return named(replace(command, console=body.console), body.command)
    if caller.person is None:  # the session has ended behind the gate
        return replace(command, denied=Refusal("REG-38", "sign_in_first"))
    person, content = caller.person, content_of(body.command, hand)
    command = replace(command, console=caller.console, person=person.name)
    agreed = [gate.sessions.approved(caller.token, given, content, body.key) for given in body.approvals]
    consenting = tuple(one for one in agreed if one is not None)
    kind = kind_of(body.command)
    found = warrant(needs_of(body.command), kind, person, consenting)
    if isinstance(found, Lack):
        return replace(command, denied=denied(body.command.type, "approval_passed" if None in agreed else found.code, person))
    if not driven:
        return replace(command, denied=Refusal("REG-38", "nobody_drives"))
    return in_names(command, found, person)


def named(command: Command, order: OrderBody) -> Command:
    """Where nobody signs in, an order of the floor bears its name, and one of two people is refused without two."""
    match order:
        case TwoBody(by=by, agreed_by=agreed_by) if not are_two(by, agreed_by):
            return replace(command, denied=Refusal(RULES[order.type], "two_names_due"))
        case TwoBody(by=by, agreed_by=agreed_by):
            return replace(command, person=by.strip(), agreed_by=agreed_by.strip())
        case FloorBody(by=by):
            return replace(command, person=by.strip())
        case _:
            return command


def kind_of(order: OrderBody) -> str:
    """What is ordered: a ruling's own kind, any other order's name."""
    return order.ruling.kind if isinstance(order, RuleBody) else order.type


def denied(kind: str, code: str, person: Person) -> Refusal:
    """Why ``person`` may not give that order, by the rule that reserves it."""
    return Refusal(RULES.get(kind, "REG-38"), code, (("name", person.name),))


def in_names(command: Command, found: Warrant, person: Person) -> Command:
    """The command of ``person`` in the names of the warrant."""
    others = [name for name in (found.by, found.agreed_by) if name and name != person.name]
    order = command.order
    if isinstance(order, Rule):
        order = replace(order, by=found.by, agreed_by=found.agreed_by)
    elif isinstance(order, AcknowledgeAlarm):
        order = replace(order, by=person.name, role=person.role.value)
    return replace(command, order=order, agreed_by=", ".join(others))
