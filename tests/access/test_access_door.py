"""The door: who a badge or PIN is, on a file that changes, and what guesses cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.access.door import MAX_WAITING, Door, Failed, Known, Proof, Wait
from controller.access.people import Role
from controller.access.roster import RosterError, change_roster
from controller.access.throttle import FREE

PIN, BADGE, HERE = "482915", "E0A1B2C3D4", "127.0.0.1"


class Time:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Ann has a PIN, Fay a badge."""
    path = tmp_path / "people.json"
    change_roster(path, lambda roster: roster.with_person("12", "Ann", Role.DEALER).with_pin("12", PIN), new=True)
    change_roster(path, lambda roster: roster.with_person("3", "Fay", Role.FLOOR).with_badge("3", BADGE))
    return path


async def test_a_person_is_known_by_badge_or_pin_as_the_file_says_now(file: Path) -> None:
    """A reset is worth at once."""
    door = Door(file, Time())
    ann = await door.look(Proof(number="12", pin=PIN), HERE)
    fay = await door.look(Proof(badge=BADGE), HERE)
    assert isinstance(ann, Known)
    assert isinstance(fay, Known)
    assert ((ann.person.name, ann.means), (fay.person.name, fay.means)) == (("Ann", "pin"), ("Fay", "badge"))
    change_roster(file, lambda roster: roster.with_pin("12", "905172"))
    assert await door.look(Proof(number="12", pin=PIN), HERE) == Failed("Ann", 1, 0)


async def test_a_failed_try_names_whose_number_it_was_and_nothing_that_was_typed(file: Path) -> None:
    """Of nobody's number and of a badge, nothing: it may be a PIN in the wrong field."""
    door = Door(file, Time())
    assert await door.look(Proof(number="99", pin=PIN), HERE) == Failed("", 1, 0)
    assert await door.look(Proof(badge="482915999"), HERE) == Failed("", 1, 0)
    assert PIN not in repr(Proof(number="12", pin=PIN))


async def test_guesses_wait_and_are_not_looked_at_meanwhile(file: Path) -> None:
    """The right PIN too; from elsewhere as well, for it is hers that is guessed."""
    time = Time()
    door = Door(file, time)
    for _ in range(FREE):
        await door.look(Proof(number="12", pin="111222"), HERE)
    assert await door.look(Proof(number="12", pin=PIN), "10.0.0.9") == Wait(2)
    time.now = 2.0
    assert isinstance(await door.look(Proof(number="12", pin=PIN), "10.0.0.9"), Known)


async def test_guesses_at_pins_keep_no_badge_out_and_guesses_at_badges_no_pin(file: Path) -> None:
    """The whole table signs in at one address: who types there what comes to mind locks nobody else out."""
    door = Door(file, Time())
    for _ in range(FREE):
        await door.look(Proof(number="99", pin="111222"), HERE)
    assert await door.look(Proof(number="12", pin=PIN), HERE) == Wait(2)
    assert isinstance(await door.look(Proof(badge=BADGE), HERE), Known)
    door = Door(file, Time())
    for _ in range(FREE):
        await door.look(Proof(badge="nobodys-badge"), HERE)
    assert await door.look(Proof(badge=BADGE), HERE) == Wait(2)
    assert isinstance(await door.look(Proof(number="12", pin=PIN), HERE), Known)


async def test_tries_at_once_are_looked_at_one_by_one_and_bounded(file: Path) -> None:
    """So that guessing in parallel buys nothing, and hashes do not fill the machine."""
    door = Door(file, Time())
    tries = (door.look(Proof(number="12", pin="111222"), HERE) for _ in range(MAX_WAITING + 2))
    found = await asyncio.gather(*tries)
    assert [type(one) for one in found].count(Failed) == FREE
    assert found[-2:] == [Wait(1), Wait(1)]


async def test_a_file_that_cannot_be_used_lets_nobody_in(file: Path) -> None:
    """It is told, and is no failure of the person."""
    door = Door(file, Time())
    file.write_text("")
    with pytest.raises(RosterError):
        await door.look(Proof(number="12", pin=PIN), HERE)
    with pytest.raises(RosterError):
        await door.changed()


async def test_a_changed_file_is_told_once(file: Path) -> None:
    """And its removal is an error."""
    door = Door(file, Time())
    assert await door.changed() is not None
    assert await door.changed() is None
    change_roster(file, lambda roster: roster.without("12"))
    roster = await door.changed()
    assert roster is not None
    assert [person.name for person in roster.people] == ["Fay"]
    file.unlink()
    with pytest.raises(RosterError):
        await door.changed()
