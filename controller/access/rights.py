"""Who may do what: one table of addresses, one of orders (REG-38, screens §11). What stands in neither is nobody's.

A role that may give orders gives those of the dealer alone; an order of the floor takes a floor person, one of two people a floor
person and another one, each with an own badge or PIN (REG-25, REG-40, REG-48).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from controller.access.people import Person, Role, are_two


class Right(Enum):
    """What an address asks for."""

    PUBLIC = "public"
    """Nothing: health, the page without its picture, signing in."""
    SIGNED = "signed"
    """A token of the venue's floor for that one request, which the route looks at itself; no session has this right."""
    WATCH = "watch"
    """To come from this machine or an address of ``metrics.allow``, which the route looks at itself; no session has it."""
    READ = "read"
    COMMAND = "command"
    """Giving orders and driving the table."""
    ALARMS = "alarms"
    """Acknowledging and shelving alarms at the floor; which ones, ``floor_rights.may_take`` tells."""
    HISTORY = "history"
    """Searching and replaying hands, and reading reports, at the floor."""
    EXPORT = "export"
    """Taking hands and reports out of the floor."""
    AUDIT = "audit"
    """Looking into the floor's copy, its differences and its trail."""


RIGHTS: Final[Mapping[Role, frozenset[Right]]] = {
    Role.DEALER: frozenset((Right.PUBLIC, Right.READ, Right.COMMAND)),
    Role.FLOOR: frozenset((Right.PUBLIC, Right.READ, Right.COMMAND)),
    Role.SURVEILLANCE: frozenset((Right.PUBLIC, Right.READ)),
    Role.ENGINEER: frozenset((Right.PUBLIC, Right.READ)),
    Role.AUDITOR: frozenset((Right.PUBLIC, Right.READ)),
}
"""At a table."""
NOBODYS: Final = frozenset((Right.PUBLIC,))
LOCKED: Final = frozenset((Right.PUBLIC, Right.READ))
"""A console that somebody locked: its alarms stay readable, and nothing else is done there."""

ENDPOINTS: Final[Mapping[str, Right]] = {
    "GET /": Right.PUBLIC,
    "GET /tokens.css": Right.PUBLIC,
    "GET /seat/{seat}": Right.PUBLIC,
    "GET /api/v1/seats/{seat}/stream": Right.PUBLIC,
    "POST /api/v1/seats/{seat}/echo": Right.PUBLIC,
    "GET /api/v1/rules": Right.PUBLIC,
    "POST /api/v1/seats/{seat}/call": Right.PUBLIC,
    "GET /healthz": Right.PUBLIC,
    "GET /readyz": Right.PUBLIC,
    "GET /metrics": Right.WATCH,
    "GET /api/v1/session": Right.PUBLIC,
    "POST /api/v1/session": Right.PUBLIC,
    "POST /api/v1/session/lock": Right.PUBLIC,
    "DELETE /api/v1/session": Right.PUBLIC,
    "GET /api/v1/snapshot": Right.READ,
    "GET /api/v1/devices": Right.READ,
    "GET /api/v1/stream": Right.READ,
    "GET /api/v1/sheets": Right.READ,
    "GET /api/v1/wheel": Right.READ,
    "POST /api/v1/wheel": Right.COMMAND,
    "POST /api/v1/wheel/return": Right.COMMAND,
    "POST /api/v1/preview": Right.COMMAND,
    "POST /api/v1/commands": Right.COMMAND,
    "POST /api/v1/approvals": Right.COMMAND,
    "GET /api/v1/floor/sheets": Right.SIGNED,
    "POST /api/v1/floor/preview": Right.SIGNED,
    "POST /api/v1/floor/commands": Right.SIGNED,
}
"""Every address of the table, as method and path."""


class Needs(Enum):
    """Whose order it is."""

    DEALER = "dealer"
    """The dealer's, or the floor's."""
    FLOOR = "floor"
    TWO = "two"
    """The floor's and one other person's, not the same."""


ORDERS: Final[Mapping[str, Needs]] = {
    "start_hand": Needs.DEALER,
    "resume": Needs.DEALER,
    "act": Needs.DEALER,
    "act_around": Needs.DEALER,
    "table_hand": Needs.DEALER,
    "confirm_cards": Needs.DEALER,
    "undo_confirmation": Needs.DEALER,
    "count_deck": Needs.DEALER,
    "muck_hand": Needs.DEALER,
    "award_pots": Needs.DEALER,
    "seat_player": Needs.DEALER,
    "leave_seat": Needs.DEALER,
    "add_chips": Needs.DEALER,
    "sit_out": Needs.DEALER,
    "sit_in": Needs.DEALER,
    "change_seat": Needs.DEALER,
    "call_clock": Needs.DEALER,
    "answer_seat": Needs.DEALER,
    "acknowledge_alarm": Needs.DEALER,
    "pause_table": Needs.DEALER,
    "reopen_table": Needs.DEALER,
    "set_game": Needs.DEALER,
    "collect_time": Needs.DEALER,
    "set_last_two": Needs.FLOOR,
    "void_hand": Needs.TWO,
    "set_stakes": Needs.TWO,
    "close_table": Needs.TWO,
}
"""Orders by their name, but for rulings: whose each kind of ruling is, the table says."""

RULES: Final[Mapping[str, str]] = {"void_hand": "REG-40", "set_stakes": "REG-25", "close_table": "REG-48", "rule": "R-RULE-01"}
"""By which rule an order needs its people; any other by REG-38."""

DEVICE_RULINGS: Final = frozenset(("step_past", "take_shoe_again"))
"""What an engineer may be the second person for."""


class Warrant(NamedTuple):
    """In whose names an order stands: who gives it, and who agreed (empty where nobody had to)."""

    by: str
    agreed_by: str = ""


class Lack(NamedTuple):
    """What an order still needs, as a refusal's code."""

    code: str


def warrant(needs: Needs, kind: str, proposer: Person, agreed: Sequence[Person]) -> Warrant | Lack:
    """Whether ``proposer``, who is signed in, and those who ``agreed`` may give the order ``kind``.

    A dealer who proposes is no second person for it; the floor is one of the two and gives it (screens §11).
    """
    floor = [person for person in (proposer, *agreed) if person.role is Role.FLOOR]
    match needs:
        case Needs.DEALER:
            return Warrant(proposer.name) if proposer.role in (Role.DEALER, Role.FLOOR) else Lack("may_not")
        case Needs.FLOOR:
            return Warrant(floor[0].name) if floor else Lack("approval_due")
        case Needs.TWO:
            if not floor:
                return Lack("two_approvals_due")
            seconds = [person for person in (*floor[1:], *agreed) if may_agree(person, kind, proposer)]
            other = next((person for person in seconds if are_two(person.name, floor[0].name)), None)
            if other is not None:
                return Warrant(floor[0].name, other.name)
            return Lack("same_person" if len(agreed) > 1 or proposer in agreed else "two_approvals_due")


def may_agree(person: Person, kind: str, proposer: Person) -> bool:
    """Whether ``person`` may stand behind an order that ``proposer`` is to give: surveillance never, an engineer for devices, and
    nobody behind their own."""
    if not are_two(person.name, proposer.name):
        return False
    return person.role in (Role.DEALER, Role.FLOOR) or (person.role is Role.ENGINEER and kind in DEVICE_RULINGS)
