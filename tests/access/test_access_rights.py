"""Whose order is whose: every role, alone and with every other person beside."""

from __future__ import annotations

from itertools import product

import pytest

from controller.access.people import Person, Role
from controller.access.rights import DEVICE_RULINGS, ORDERS, RIGHTS, Lack, Needs, Right, Warrant, may_agree, warrant

DEALER, FLOOR, SURVEILLANCE, ENGINEER, AUDITOR = (Person(str(n), role.value.title(), role) for n, role in enumerate(Role, 1))
OTHER_DEALER, OTHER_FLOOR = Person("11", "Ben", Role.DEALER), Person("12", "Kim", Role.FLOOR)
EVERYBODY = (DEALER, FLOOR, SURVEILLANCE, ENGINEER, AUDITOR, OTHER_DEALER, OTHER_FLOOR)


def test_surveillance_engineer_and_auditor_only_read_and_nobody_reads_nothing() -> None:
    """The whole table of roles."""
    may = {role: {right for right in Right if right in rights} for role, rights in RIGHTS.items()}
    reads, commands = {Right.PUBLIC, Right.READ}, {Right.PUBLIC, Right.READ, Right.COMMAND}
    assert may == {**dict.fromkeys(Role, reads), Role.DEALER: commands, Role.FLOOR: commands}


@pytest.mark.parametrize("proposer", EVERYBODY)
def test_a_dealers_order_takes_a_dealer_or_the_floor(proposer: Person) -> None:
    """Nobody's consent makes it anybody else's."""
    for agreed in ((), (FLOOR,), (FLOOR, OTHER_DEALER)):
        found = warrant(Needs.DEALER, "act", proposer, agreed)
        may = proposer.role in (Role.DEALER, Role.FLOOR)
        assert found == (Warrant(proposer.name) if may else Lack("may_not"))


@pytest.mark.parametrize(("proposer", "agreed"), [*product((DEALER, FLOOR), ((), *((one,) for one in EVERYBODY)))])
def test_an_order_of_the_floor_takes_the_floor(proposer: Person, agreed: tuple[Person, ...]) -> None:
    """As who gives it, or as who agrees."""
    found = warrant(Needs.FLOOR, "set_last_two", proposer, agreed)
    floor = [person for person in (proposer, *agreed) if person.role is Role.FLOOR]
    assert found == (Warrant(floor[0].name) if floor else Lack("approval_due"))


TWO = [
    (FLOOR, (DEALER,), ("Floor", "Dealer")),
    (FLOOR, (OTHER_FLOOR,), ("Floor", "Kim")),
    (DEALER, (FLOOR, OTHER_DEALER), ("Floor", "Ben")),
    (DEALER, (OTHER_DEALER, FLOOR), ("Floor", "Ben")),
    (DEALER, (FLOOR, OTHER_FLOOR), ("Floor", "Kim")),
]


@pytest.mark.parametrize(("proposer", "agreed", "names"), TWO)
def test_two_people_are_the_floor_and_another_one(proposer: Person, agreed: tuple[Person, ...], names: tuple[str, str]) -> None:
    """The floor gives it."""
    assert warrant(Needs.TWO, "void_hand", proposer, agreed) == Warrant(*names)


LACKING = [
    (FLOOR, (), "two_approvals_due"),
    (DEALER, (), "two_approvals_due"),
    (DEALER, (FLOOR,), "two_approvals_due"),
    (DEALER, (OTHER_DEALER,), "two_approvals_due"),
    (DEALER, (FLOOR, DEALER), "same_person"),
    (DEALER, (FLOOR, FLOOR), "same_person"),
    (FLOOR, (FLOOR,), "same_person"),
    (FLOOR, (SURVEILLANCE,), "two_approvals_due"),
    (FLOOR, (ENGINEER,), "two_approvals_due"),
    (FLOOR, (AUDITOR,), "two_approvals_due"),
]


@pytest.mark.parametrize(("proposer", "agreed", "code"), LACKING)
def test_one_person_is_never_two_and_a_dealer_does_not_agree_with_herself(
    proposer: Person, agreed: tuple[Person, ...], code: str
) -> None:
    """Surveillance agrees with nothing; an engineer with no void."""
    assert warrant(Needs.TWO, "void_hand", proposer, agreed) == Lack(code)


@pytest.mark.parametrize("kind", sorted(DEVICE_RULINGS))
def test_an_engineer_is_the_second_person_for_a_device(kind: str) -> None:
    """And for that alone."""
    assert warrant(Needs.TWO, kind, FLOOR, (ENGINEER,)) == Warrant("Floor", "Engineer")
    assert warrant(Needs.TWO, "key_card", FLOOR, (ENGINEER,)) == Lack("two_approvals_due")


def test_every_pair_of_people_for_two() -> None:
    """All proposers, with every pair that could agree: there is a floor among them, two names, and no dealer's own consent."""
    for proposer, one, two in product((DEALER, FLOOR, OTHER_DEALER, OTHER_FLOOR), EVERYBODY, EVERYBODY):
        found = warrant(Needs.TWO, "void_hand", proposer, (one, two))
        if isinstance(found, Warrant):
            by, other = (next(p for p in EVERYBODY if p.name == name) for name in found)
            assert (by.role, by.name != other.name) == (Role.FLOOR, True)
            assert {by, other} <= {proposer, one, two}
            assert other.role in (Role.DEALER, Role.FLOOR)
            assert not (other is proposer and proposer.role is Role.DEALER)
            assert other is not proposer or may_agree(by, "void_hand", proposer)


def test_what_requirements_reserve_takes_two() -> None:
    """Void, stakes, close-out (REG-40, REG-25, REG-48)."""
    assert {name for name, needs in ORDERS.items() if needs is Needs.TWO} == {"void_hand", "set_stakes", "close_table"}
