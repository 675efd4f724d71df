"""The people file: who may sign in at a table. JSON of mode 0600, whole or as it was before; it holds hashes alone."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from controller.access.hashing import hash_badge, hash_pin, new_salt, pin_is
from controller.access.people import BadPerson, Person, Role, checked_badge, checked_name, checked_number, checked_pin, told_apart
from controller.whole_file import locked, write_whole

FORMAT: Final = 1
MAX_PEOPLE: Final = 1000
OTHERS: Final = 0o077
"""Rights of group and others, which the file must not give."""


class RosterError(ValueError):
    """A people file that cannot be used. The message names file and way out, and never a badge or a PIN."""


@dataclass(frozen=True, slots=True)
class Roster:
    """The people, by number. ``salt`` is that of their badges."""

    salt: bytes = field(repr=False)
    people: tuple[Person, ...] = ()

    def person(self, number: str) -> Person | None:
        """Who has ``number``; ``None`` for nobody."""
        return next((person for person in self.people if person.number == number), None)

    def by_badge(self, badge: str) -> Person | None:
        """Whose badge it is; ``None`` for nobody's. Slow by design, and as slow for a badge that is none."""
        try:
            hashed = hash_badge(checked_badge(badge), self.salt)
        except BadPerson:
            hashed = hash_badge("-", self.salt)
        return next((one for one in self.people if one.badge and hmac.compare_digest(one.badge, hashed)), None)

    def by_pin(self, number: str, pin: str) -> Person | None:
        """Who has ``number``, if ``pin`` is theirs; ``None`` else. Slow by design, and as slow for a number of nobody."""
        found = self.person(number)
        return found if pin_is("" if found is None else found.pin, pin) else None

    def with_person(self, number: str, name: str, role: Role) -> Roster:
        """One person more, with neither badge nor PIN yet. ``BadPerson`` when number or name is taken or cannot be."""
        person = Person(checked_number(number), checked_name(name), role)
        if self.person(number) is not None:
            raise BadPerson(f"number {number} is taken: give another one, or remove that person first")
        if any(told_apart(other.name) == told_apart(person.name) for other in self.people):
            raise BadPerson(f"{person.name} is there already, but for capitals and blanks: the record must tell people apart")
        if len(self.people) >= MAX_PEOPLE:
            raise BadPerson(f"there are {MAX_PEOPLE} people already: remove those who have left")
        return replace(self, people=_in_order((*self.people, person)))

    def without(self, number: str) -> Roster:
        """Without that person. ``BadPerson`` when there is none."""
        self._known(number)
        return replace(self, people=tuple(person for person in self.people if person.number != number))

    def with_pin(self, number: str, pin: str) -> Roster:
        """That person with another PIN; an empty one takes it away. ``BadPerson`` for a PIN or person that cannot be."""
        return self._with(replace(self._known(number), pin=hash_pin(checked_pin(pin)) if pin else ""))

    def with_badge(self, number: str, badge: str) -> Roster:
        """That person with another badge; an empty one takes it away. ``BadPerson`` when it is somebody else's."""
        person = self._known(number)
        hashed = hash_badge(checked_badge(badge), self.salt) if badge else ""
        if hashed and any(other.badge == hashed for other in self.people if other.number != number):
            raise BadPerson("that badge is somebody else's: give another one, or reset theirs first")
        return self._with(replace(person, badge=hashed))

    def _with(self, changed: Person) -> Roster:
        return replace(self, people=tuple(changed if one.number == changed.number else one for one in self.people))

    def _known(self, number: str) -> Person:
        found = self.person(number)
        if found is None:
            raise BadPerson(f"nobody has the number {number}: stud-table people list tells who is there")
        return found


def load_roster(path: Path) -> Roster:
    """The people of a file. ``RosterError`` when there is none, it cannot be read, or others may read it."""
    try:
        if path.stat().st_mode & OTHERS:
            raise RosterError(f"{path} may be read by others: make it its owner's alone (chmod 600)")
        return _roster(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise RosterError(f"{path} is not there: add the first person with stud-table people add {path}") from None
    except OSError as error:
        raise RosterError(f"{path} cannot be read ({error.strerror}): give the file to this user") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, RosterError):
            raise
        raise RosterError(f"{path} is no people file: put back its last copy, or move it away and add the people anew") from None


def roster_problem(path: Path) -> str:
    """Why no table could be run with that file, with the way out; empty when one can: somebody of the floor signs in."""
    try:
        roster = load_roster(path)
    except RosterError as error:
        return str(error)
    if any(person.role is Role.FLOOR and (person.badge or person.pin) for person in roster.people):
        return ""
    return f"{path} has nobody of the floor who can sign in: add one with stud-table people add"


def change_roster(path: Path, change: Callable[[Roster], Roster], *, new: bool = False) -> Roster:
    """Read, change and write the file with nobody between; ``new``: one that is not there is made. What ``change`` raises comes
    through."""
    with locked(path):
        before = Roster(new_salt()) if new and not path.exists() else load_roster(path)
        after = change(before)
        write_whole(path, json.dumps(_data(after), indent=1, ensure_ascii=False) + "\n")
        return after


def _data(roster: Roster) -> dict[str, Any]:
    people = [
        {"number": one.number, "name": one.name, "role": one.role.value, "badge": one.badge, "pin": one.pin}
        for one in roster.people
    ]
    return {"format": FORMAT, "salt": roster.salt.hex(), "people": people}


def _roster(data: Any) -> Roster:
    if data["format"] != FORMAT:
        raise ValueError
    people: dict[str, Person] = {}
    names: set[str] = set()
    for entry in data["people"]:
        number, name = checked_number(entry["number"]), checked_name(entry["name"])
        badge, pin = entry["badge"], entry["pin"]
        if not isinstance(badge, str) or not isinstance(pin, str):
            raise TypeError
        if number in people or told_apart(name) in names or len(people) >= MAX_PEOPLE:
            raise ValueError
        people[number] = Person(number, name, Role(entry["role"]), badge, pin)
        names.add(told_apart(name))
    return Roster(bytes.fromhex(data["salt"]), _in_order(people.values()))


def _in_order(people: Iterable[Person]) -> tuple[Person, ...]:
    """By number."""
    return tuple(sorted(people, key=lambda one: int(one.number)))
