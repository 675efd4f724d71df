"""What each role may do at the floor."""

from __future__ import annotations

import pytest

from controller.access.floor_rights import FLOOR_RIGHTS, may_take
from controller.access.people import Role
from controller.access.rights import Right


@pytest.mark.parametrize("role", Role, ids=str)
def test_roles_at_the_floor(role: Role) -> None:
    """The floor alone orders; an engineer takes alarms of devices; a dealer only looks."""
    rights = FLOOR_RIGHTS[role]
    assert (Right.COMMAND in rights) is (role is Role.FLOOR)
    assert (Right.AUDIT in rights) is (role in (Role.SURVEILLANCE, Role.AUDITOR))
    assert may_take(role, None) is (role is Role.FLOOR)
    assert may_take(role, "shoe") is (role in (Role.FLOOR, Role.ENGINEER))
    assert may_take(role, "shoe") is False or Right.ALARMS in rights
