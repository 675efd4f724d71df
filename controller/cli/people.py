"""``people add|list|remove|reset``: who may sign in. A PIN or badge comes from the terminal, never from an argument."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from getpass import getpass
from pathlib import Path
from typing import Any

from controller.access.people import BadPerson, Person, Role, checked_badge, checked_pin
from controller.access.roster import Roster, RosterError, change_roster, load_roster
from controller.cli.parsing import OK, Parser, UsageError, add_command, add_json, print_json


def add_people_commands(commands: Any) -> None:
    """Add ``people`` with its own commands."""
    about = "the people who may sign in at a table: number, name, role, badge and PIN"
    people = commands.add_parser("people", help=about, description=about)
    own = people.add_subparsers(dest="people_command", required=True, metavar="COMMAND", parser_class=Parser)
    about = "add a person; PIN and badge are read from the terminal. The first one makes the file"
    example = "stud-table people add people.json --number 12 --name Ann --role dealer"
    parser = _command(own, "add", _add, about, example)
    parser.add_argument("--number", required=True, metavar="N", help="staff number, 1 to 5 digits")
    parser.add_argument("--name", required=True, metavar="NAME", help="the name that screens and records bear")
    roles = [role.value for role in Role]
    parser.add_argument("--role", required=True, choices=roles, help="what this person may do")
    _add_proof(parser)
    _command(own, "list", _list, "who is there, by number", "stud-table people list people.json")
    about = "take a person out: nobody signs in by that badge or PIN any more, and who is signed in is signed out"
    parser = _command(own, "remove", _remove, about, "stud-table people remove people.json --number 12")
    parser.add_argument("--number", required=True, metavar="N", help="whose")
    about = "give a person another PIN, with --badge another badge: the old one is worth nothing from then on"
    parser = _command(own, "reset", _reset, about, "stud-table people reset people.json --number 12 --badge")
    parser.add_argument("--number", required=True, metavar="N", help="whose")
    _add_proof(parser)


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], about: str, example: str
) -> argparse.ArgumentParser:
    parser = add_command(commands, name, run, about, example)
    parser.add_argument("file", type=Path, metavar="PEOPLE.json", help="the people file, made with mode 0600")
    add_json(parser)
    return parser


def _add_proof(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--badge", action="store_true", help="a badge, held to this terminal's reader, and no PIN")
    parser.add_argument("--both", action="store_true", help="a badge and a PIN: either of the two signs in")


def _add(options: argparse.Namespace) -> int:
    badge, pin = _proof(options)

    def change(roster: Roster) -> Roster:
        return _proved(roster.with_person(options.number, options.name, Role(options.role)), options.number, badge, pin)

    return _told(options, _changed(options, change, new=True), options.number, "added")


def _reset(options: argparse.Namespace) -> int:
    _person(_loaded(options), options.number)
    badge, pin = _proof(options)
    roster = _changed(options, lambda roster: _proved(roster, options.number, badge, pin))
    return _told(options, roster, options.number, "has a new " + " and ".join(_named(badge, pin)))


def _remove(options: argparse.Namespace) -> int:
    person = _person(_loaded(options), options.number)
    _changed(options, lambda roster: roster.without(options.number))
    if options.json:
        print_json({"removed": _as_json(person)})
    else:
        sys.stdout.write(f"{person.number} {person.name} removed\n")
    return OK


def _list(options: argparse.Namespace) -> int:
    people = _loaded(options).people
    if options.json:
        print_json({"people": [_as_json(person) for person in people]})
    else:
        for one in people:
            proof = " and ".join(_named(one.badge, one.pin)) or "nothing to sign in with"
            sys.stdout.write(f"{one.number:>5}  {one.name:<32}  {one.role.value:<12}  {proof}\n")
    return OK


def _proof(options: argparse.Namespace) -> tuple[str, str]:
    """Badge and PIN as given at the terminal, empty for what is not asked for. ``UsageError`` when they cannot be."""
    try:
        badge = checked_badge(read_secret("Hold the badge to the reader: ")) if options.badge or options.both else ""
        pin = _new_pin() if options.both or not options.badge else ""
    except BadPerson as error:
        raise UsageError(str(error)) from None
    return badge, pin


def _new_pin() -> str:
    pin = checked_pin(read_secret("PIN, 6 to 12 digits: "))
    if read_secret("The same PIN again: ") != pin:
        raise UsageError("the two PINs differ: nothing is changed")
    return pin


def read_secret(prompt: str) -> str:
    """A line of the terminal that is not shown. ``UsageError`` where there is no terminal: a secret goes through no pipe."""
    if not sys.stdin.isatty():
        raise UsageError("a PIN or badge is read from a terminal: run this command in one")
    try:
        return getpass(prompt)
    except EOFError:
        raise UsageError("nothing was given: nothing is changed") from None


def _proved(roster: Roster, number: str, badge: str, pin: str) -> Roster:
    roster = roster.with_badge(number, badge) if badge else roster
    return roster.with_pin(number, pin) if pin else roster


def _loaded(options: argparse.Namespace) -> Roster:
    try:
        return load_roster(options.file)
    except RosterError as error:
        raise UsageError(str(error)) from None


def _person(roster: Roster, number: str) -> Person:
    found = roster.person(number)
    if found is None:
        raise UsageError(f"nobody has the number {number}: stud-table people list tells who is there")
    return found


def _changed(options: argparse.Namespace, change: Callable[[Roster], Roster], *, new: bool = False) -> Roster:
    try:
        return change_roster(options.file, change, new=new)
    except (RosterError, BadPerson) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{options.file} cannot be written ({error.strerror}): give file and folder to this user") from None


def _told(options: argparse.Namespace, roster: Roster, number: str, what: str) -> int:
    person = _person(roster, number)
    if options.json:
        print_json(_as_json(person))
    else:
        sys.stdout.write(f"{person.number} {person.name}, {person.role.value}: {what}\n")
    return OK


def _named(badge: str, pin: str) -> list[str]:
    return [name for name, given in (("badge", badge), ("PIN", pin)) if given]


def _as_json(person: Person) -> dict[str, Any]:
    return {
        "number": person.number,
        "name": person.name,
        "role": person.role.value,
        "badge": bool(person.badge),
        "pin": bool(person.pin),
    }
