"""Licences: every package that is installed with the program has one that we read, and the page lists them."""

from __future__ import annotations

import pytest

from release.licences import AS_A_LIBRARY, LOCK, PAGE, READ, LicenceError, licence_of, licences_of, page, refusal
from release.locked import Locked, LockError, needs, read_lock


def test_the_page_lists_every_package_of_the_lock() -> None:
    """As the installed packages tell it: ``python -m release.licences`` writes it anew after ``make lock``."""
    assert PAGE.read_text(encoding="utf-8") == page(read_lock(LOCK))


@pytest.mark.parametrize(
    ("name", "licence", "may"),
    [
        ("rich", "MIT", True),
        ("paho-mqtt", "EPL-2.0 OR BSD-3-Clause", True),
        ("psycopg", "LGPL-3.0-only", True),
        ("rich", "LGPL-3.0-only", False),
        ("rich", "AGPL-3.0-or-later", False),
        ("rich", "MIT AND GPL-3.0-only", False),
        ("rich", "Apache-2.0 WITH Some-exception", False),
        ("rich", "LicenseRef-Proprietary", False),
    ],
)
def test_a_licence_that_nobody_read_is_refused(name: str, licence: str, may: bool) -> None:
    """Each name in the expression counts; a library's licence is for the packages that are named."""
    assert (refusal(name, licence) is None) is may


def test_a_package_that_tells_no_licence_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """``BSD`` alone is none; the text has to be read."""
    monkeypatch.setattr("release.licences.READ", {})
    with pytest.raises(LicenceError, match="pyserial tells no licence that we know"):
        licence_of("pyserial")


def test_what_was_read_by_hand_is_still_needed() -> None:
    """A package that is gone leaves both lists."""
    locked = read_lock(LOCK)
    names = {one.name for one in locked}
    assert READ.keys() | set().union(*AS_A_LIBRARY.values()) <= names
    assert licences_of(locked).keys() == names


def test_a_lock_of_other_versions_is_refused() -> None:
    """What is installed tells licences of its own version alone."""
    with pytest.raises(LockError, match=r"rich is installed as .*, and the lock says 1\.0: run"):
        needs((Locked("rich", "1.0", ()),))


def test_what_is_needed_on_other_systems_alone_is_left_out() -> None:
    """The lock is for every system, a release for Linux and macOS."""
    assert "tzdata==" in LOCK.read_text(encoding="utf-8")
    assert "tzdata" not in {one.name for one in read_lock(LOCK)}
