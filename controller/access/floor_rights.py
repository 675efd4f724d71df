"""Who may do what at the floor: one table of its addresses, one of roles (REG-38, screens §11). What stands in neither is
nobody's. Which alarms a role may take, ``may_take`` says beside the right to take any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.access.people import Role
from controller.access.rights import Right

FLOOR_RIGHTS: Final[Mapping[Role, frozenset[Right]]] = {
    Role.DEALER: frozenset((Right.PUBLIC, Right.READ)),
    Role.FLOOR: frozenset((Right.PUBLIC, Right.READ, Right.COMMAND, Right.ALARMS, Right.HISTORY, Right.EXPORT)),
    Role.SURVEILLANCE: frozenset((Right.PUBLIC, Right.READ, Right.HISTORY, Right.EXPORT, Right.AUDIT)),
    Role.ENGINEER: frozenset((Right.PUBLIC, Right.READ, Right.ALARMS, Right.HISTORY, Right.EXPORT)),
    Role.AUDITOR: frozenset((Right.PUBLIC, Right.READ, Right.HISTORY, Right.EXPORT, Right.AUDIT)),
}

FLOOR_ENDPOINTS: Final[Mapping[str, Right]] = {
    "GET /": Right.PUBLIC,
    "GET /tables/{table}": Right.PUBLIC,
    "GET /room": Right.PUBLIC,
    "GET /tokens.css": Right.PUBLIC,
    "GET /healthz": Right.PUBLIC,
    "GET /readyz": Right.PUBLIC,
    "GET /metrics": Right.WATCH,
    "GET /api/session": Right.PUBLIC,
    "POST /api/session": Right.PUBLIC,
    "POST /api/session/lock": Right.PUBLIC,
    "DELETE /api/session": Right.PUBLIC,
    "GET /api/board": Right.READ,
    "GET /api/stream": Right.READ,
    "GET /api/room": Right.READ,
    "POST /api/room/waiting": Right.COMMAND,
    "POST /api/room/waiting/{entry}": Right.COMMAND,
    "POST /api/room/rota": Right.COMMAND,
    "POST /api/room/rota/{shift}": Right.COMMAND,
    "GET /api/tables/{table}": Right.READ,
    "GET /api/tables/{table}/stream": Right.READ,
    "GET /api/tables/{table}/sheets": Right.READ,
    "POST /api/tables/{table}/preview": Right.COMMAND,
    "POST /api/tables/{table}/commands": Right.COMMAND,
    "POST /api/tables/{table}/approvals": Right.COMMAND,
    "POST /api/tables/{table}/proposals": Right.COMMAND,
    "GET /api/proposals": Right.READ,
    "GET /api/proposals/{key}": Right.COMMAND,
    "POST /api/proposals/{key}": Right.READ,
    "DELETE /api/proposals": Right.COMMAND,
    "POST /api/alarms/acknowledge": Right.ALARMS,
    "POST /api/alarms/shelve": Right.ALARMS,
    "POST /api/alarms/unshelve": Right.ALARMS,
    "POST /api/alarms/clear": Right.COMMAND,
    "GET /api/alarms": Right.HISTORY,
    "GET /api/audit/{table}": Right.AUDIT,
    "GET /api/alarms/summary": Right.HISTORY,
    "GET /hands": Right.PUBLIC,
    "GET /hands/{table}/{journal}/{hand}": Right.PUBLIC,
    "GET /reports": Right.PUBLIC,
    "GET /api/hands": Right.HISTORY,
    "GET /api/hands.csv": Right.EXPORT,
    "GET /api/hands/{table}/{journal}/{hand}": Right.HISTORY,
    "GET /api/hands/{table}/{journal}/{hand}/hand.csv": Right.EXPORT,
    "GET /api/hands/{table}/{journal}/{hand}/hand.phh": Right.EXPORT,
    "GET /api/hands/{table}/{journal}/{hand}/hand.pdf": Right.EXPORT,
    "GET /api/reports/pace.svg": Right.HISTORY,
    "GET /api/reports/slips.svg": Right.HISTORY,
    "GET /api/reports/{name}": Right.HISTORY,
    "GET /api/reports/{name}.csv": Right.EXPORT,
}
"""Every address of the floor, as method and path. A page without its picture is public; what is in the picture is not."""

FLOOR_ORDERS: Final = frozenset(
    (
        "void_hand",
        "pause_table",
        "reopen_table",
        "set_game",
        "set_stakes",
        "close_table",
        "seat_player",
        "leave_seat",
        "add_chips",
        "change_seat",
        "sit_out",
        "sit_in",
        "set_last_two",
        "acknowledge_alarm",
    )
)
"""Orders that a table takes from the floor's own screen, beside every ruling. To deal and to bet is for who sits at the table."""


def may_take(role: Role | None, device: str | None) -> bool:
    """Whether somebody of ``role`` may acknowledge or shelve an alarm of ``device``, ``None`` for one of no device. ``None`` as
    role: nobody signs in, and everybody may."""
    return role in (None, Role.FLOOR) or (role is Role.ENGINEER and device is not None)
