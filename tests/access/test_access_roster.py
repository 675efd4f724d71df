"""The people file: its owner's alone, whole or as before, and nothing in it signs anybody in."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from controller.access import roster as people_file
from controller.access.people import BadPerson, Person, Role
from controller.access.roster import MAX_PEOPLE, Roster, RosterError, change_roster, load_roster

PIN, BADGE = "482915", "E0A1B2C3D4"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A dealer with a PIN and a floor person with a badge."""
    path = tmp_path / "people.json"
    change_roster(path, lambda roster: roster.with_person("12", "Ann", Role.DEALER).with_pin("12", PIN), new=True)
    change_roster(path, lambda roster: roster.with_person("3", "Fay", Role.FLOOR).with_badge("3", BADGE))
    return path


def test_badge_and_pin_tell_who_it_is(file: Path) -> None:
    """A badge alone, a PIN with its number; nothing else tells anybody."""
    roster = load_roster(file)
    ann, fay = roster.person("12"), roster.person("3")
    assert roster.by_pin("12", PIN) == ann
    assert roster.by_badge(BADGE.lower()) == fay
    for number, pin in (("12", "482916"), ("3", PIN), ("3", ""), ("4", PIN), ("", "")):
        assert roster.by_pin(number, pin) is None
    for badge in ("E0A1B2C3D5", PIN, "", "?", "\0"):
        assert roster.by_badge(badge) is None


def test_the_file_holds_neither_badge_nor_pin_and_is_its_owners_alone(file: Path) -> None:
    """Mode 0600; a person prints without hashes."""
    text = file.read_text()
    assert (PIN in text, BADGE in text) == (False, False)
    assert file.stat().st_mode & 0o777 == 0o600
    roster = load_roster(file)
    assert "argon2" not in repr(roster)
    assert all(one.badge not in repr(roster) for one in roster.people if one.badge)


def test_a_file_that_others_may_read_is_not_used(file: Path) -> None:
    """PINs of six digits are guessed from their hashes in an hour."""
    file.chmod(0o640)
    with pytest.raises(RosterError, match="chmod 600"):
        load_roster(file)


def test_a_file_of_two_with_one_number_or_one_name_is_none(file: Path) -> None:
    """Whatever wrote it: the record must tell people apart, and so must those who are asked for two."""
    whole = json.loads(file.read_text())
    ann = whole["people"][1]
    for other in ({**ann, "number": "13"}, {**ann, "name": "Bea"}, {**ann, "number": "13", "name": "ＡＮＮ "}):
        file.write_text(json.dumps({**whole, "people": [*whole["people"], other]}))
        with pytest.raises(RosterError, match="no people file"):
            load_roster(file)


def test_a_full_house_is_read_person_by_person(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sign-in reads the file anew beside a running hand: names are looked at once each, not each against all."""
    whole = json.loads(file.read_text())
    people = [
        {"number": str(n), "name": f"Person {n}", "role": "dealer", "badge": "", "pin": ""} for n in range(MAX_PEOPLE, 0, -1)
    ]
    file.write_text(json.dumps({**whole, "people": people}))
    asked: list[str] = []

    def counted(name: str) -> str:
        asked.append(name)
        return name

    monkeypatch.setattr(people_file, "told_apart", counted)
    roster = load_roster(file)
    assert [one.number for one in roster.people] == [str(n) for n in range(1, MAX_PEOPLE + 1)]
    assert len(asked) <= 3 * MAX_PEOPLE
    file.write_text(json.dumps({**whole, "people": [*people, {**people[0], "number": "9999", "name": "One more"}]}))
    with pytest.raises(RosterError, match="no people file"):
        load_roster(file)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 2, "salt": "", "people": []}', '{"format": 1, "salt": "zz", "people": []}',
     '{"format": 1, "salt": "", "people": [{"number": "1", "name": "Ann", "role": "boss", "badge": "", "pin": ""}]}',
     '{"format": 1, "salt": "", "people": [{"number": "1", "name": "Ann", "role": "floor", "badge": null, "pin": ""}]}',
     '{"format": 1, "salt": "", "people": [{"number": "1", "name": "Ann", "role": "floor"}]}'],
)  # fmt: skip
def test_a_file_that_is_none_is_told_with_the_way_out(tmp_path: Path, text: str) -> None:
    """Never half of its people."""
    path = tmp_path / "people.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(RosterError, match="is no people file"):
        load_roster(path)
    with pytest.raises(RosterError):
        change_roster(path, lambda roster: roster, new=True)
    assert path.read_text() == text


def test_two_people_with_one_name_in_the_file_are_refused(file: Path) -> None:
    """Also where an editor wrote it."""
    data = json.loads(file.read_text())
    data["people"][0]["name"] = "ANN "
    file.write_text(json.dumps(data))
    with pytest.raises(RosterError):
        load_roster(file)


def test_a_file_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    """And changing one that is not there makes none unless a person is added."""
    path = tmp_path / "people.json"
    with pytest.raises(RosterError, match="stud-table people add"):
        load_roster(path)
    with pytest.raises(RosterError, match="stud-table people add"):
        change_roster(path, lambda roster: roster.without("1"))
    assert not path.exists()


def test_what_cannot_be_changes_nothing(file: Path) -> None:
    """A number or badge that is taken, a person who is not there."""
    before = file.read_text()
    for change in (
        lambda roster: roster.with_person("12", "Ben", Role.DEALER),
        lambda roster: roster.with_badge("12", BADGE),
        lambda roster: roster.without("99"),
        lambda roster: roster.with_pin("99", PIN),
        lambda roster: roster.with_pin("12", "1"),
    ):
        with pytest.raises(BadPerson):
            change_roster(file, change)
    assert file.read_text() == before


def test_a_new_pin_ends_the_old_one_and_leaves_the_badge(file: Path) -> None:
    """A reset is at once; an empty one takes it away."""
    change_roster(file, lambda roster: roster.with_pin("3", "777123"))
    change_roster(file, lambda roster: roster.with_pin("3", "555123"))
    roster = load_roster(file)
    assert (roster.by_pin("3", "777123"), roster.by_pin("3", "555123"), roster.by_badge(BADGE)) == (
        None,
        *2 * (roster.person("3"),),
    )
    assert change_roster(file, lambda roster: roster.with_badge("3", "")).by_badge(BADGE) is None


def test_who_is_removed_is_nobody(file: Path) -> None:
    """Their number is free again."""
    change_roster(file, lambda roster: roster.without("12"))
    assert load_roster(file).by_pin("12", PIN) is None
    change_roster(file, lambda roster: roster.with_person("12", "Ann", Role.FLOOR))


def test_two_desks_that_change_at_once_lose_nothing(file: Path) -> None:
    """Each change is read, made and written alone."""

    def add(first: int) -> None:
        for number in range(first, first + 10):
            change_roster(file, lambda roster, number=number: roster.with_person(str(number), f"P{number}", Role.DEALER))  # type: ignore[misc]

    threads = [threading.Thread(target=add, args=(first,)) for first in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(load_roster(file).people) == 32


def test_a_roster_is_bounded() -> None:
    """One more is refused."""
    roster = Roster(b"", tuple(Person(str(number), f"P{number}", Role.DEALER) for number in range(1, MAX_PEOPLE + 1)))
    with pytest.raises(BadPerson, match="already"):
        roster.with_person("99999", "One more", Role.DEALER)
