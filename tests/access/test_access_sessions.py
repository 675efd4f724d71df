"""Who is signed in where, for how long, and what a consent is good for."""

from __future__ import annotations

from itertools import count

import pytest

from controller.access.people import Person, Role
from controller.access.sessions import APPROVAL_S, IDLE_S, LONGEST_S, MAX_APPROVALS, MAX_SESSIONS, Departure, Sessions

ANN, BEN = Person("12", "Ann", Role.DEALER), Person("13", "Ben", Role.DEALER)
FAY, SUE, ED = Person("3", "Fay", Role.FLOOR), Person("7", "Sue", Role.SURVEILLANCE), Person("8", "Ed", Role.ENGINEER)


class Desk:
    """Sessions with a clock that is set, and what they told."""

    def __init__(self) -> None:
        self.now = 0.0
        self.left: list[Departure] = []
        self.spared: set[str] = set()
        numbers = count(1)
        self.sessions = Sessions(
            lambda: self.now, self.left.append, lambda console: console in self.spared, lambda: f"token-{next(numbers)}"
        )

    def causes(self) -> list[tuple[str, str]]:
        """Who left, and why."""
        return [(one.person, one.cause) for one in self.left]


@pytest.fixture
def desk() -> Desk:
    """Nobody is signed in."""
    return Desk()


def test_a_token_is_its_session_and_no_other_word_is(desk: Desk) -> None:
    """Each sign-in has a console and a token of its own."""
    ann, session = desk.sessions.start(ANN)
    fay, other = desk.sessions.start(FAY)
    assert (session.person, other.person) == (ANN, FAY)
    assert len({ann, fay, session.console, other.console}) == 4
    assert desk.sessions.find(ann) == session
    for token in ("", "token-9", session.console, ann.upper()):
        assert desk.sessions.find(token) is None


def test_tokens_are_kept_as_digests_and_random() -> None:
    """What a memory dump shows signs nobody in."""
    sessions = Sessions(lambda: 0.0, lambda _: None)
    tokens = {sessions.start(ANN)[0] for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) >= 43 for token in tokens)
    assert all(token not in repr(vars(sessions)) for token in tokens)


def test_a_flood_of_sign_ins_ends_no_session_that_drives_a_hand(desk: Desk) -> None:
    """The idlest of the others ends in its place."""
    ann, session = desk.sessions.start(ANN)
    desk.spared.add(session.console)
    for _ in range(MAX_SESSIONS + 3):
        desk.now += 1.0
        desk.sessions.start(BEN)
    assert desk.sessions.find(ann) is not None
    assert desk.causes() == [("Ben", "too_many")] * 4


def test_a_locked_console_reads_and_another_person_takes_its_place(desk: Desk) -> None:
    """The hand goes on: the console stays the same, so it keeps the wheel."""
    ann, session = desk.sessions.start(ANN)
    desk.sessions.lock(ann)
    locked = desk.sessions.find(ann)
    assert locked is not None
    assert (locked.person, locked.console) == (None, session.console)
    desk.sessions.lock(ann)
    ben, after = desk.sessions.start(BEN, before=ann)
    assert after.console == session.console
    assert desk.sessions.find(ann) is None
    assert desk.sessions.find(ben) == after
    assert desk.causes() == [("Ann", "locked")]


def test_a_relief_without_a_lock_signs_the_first_one_out(desk: Desk) -> None:
    """Two people are never signed in at one console."""
    ann, _ = desk.sessions.start(ANN)
    desk.sessions.start(BEN, before=ann)
    assert desk.causes() == [("Ann", "relieved")]


def test_nobody_names_a_console_that_is_not_theirs(desk: Desk) -> None:
    """A token that is none, or has ended, gives a new console."""
    ann, session = desk.sessions.start(ANN)
    desk.sessions.end(ann)
    for before in (ann, session.console, "x"):
        assert desk.sessions.start(BEN, before=before)[1].console != session.console
    assert desk.causes() == [("Ann", "signed_out")]


@pytest.mark.parametrize("person", [ANN, FAY, SUE, ED])
def test_who_does_nothing_is_locked_after_the_time_of_the_role(desk: Desk, person: Person) -> None:
    """A request in time keeps the session; one that only reads does not."""
    token, _ = desk.sessions.start(person)
    desk.now += IDLE_S[person.role] - 1
    if IDLE_S[person.role] < LONGEST_S / 2:
        assert desk.sessions.find(token).person == person  # type: ignore[union-attr]
        desk.now += IDLE_S[person.role] - 1
    assert desk.sessions.find(token, active=False).person == person  # type: ignore[union-attr]
    desk.now += 1
    found = desk.sessions.find(token)
    assert found is None or found.person is None
    assert desk.causes() in ([(person.name, "idle")], [(person.name, "expired")])


def test_a_session_ends_after_a_shift_however_busy(desk: Desk) -> None:
    """Locked or not."""
    token, _ = desk.sessions.start(ANN)
    other, _ = desk.sessions.start(BEN)
    desk.sessions.lock(other)
    while desk.now < LONGEST_S - 600:
        desk.now += 600
        assert desk.sessions.find(token) is not None
    desk.now = LONGEST_S
    assert desk.sessions.find(token) is None
    assert desk.sessions.find(other) is None
    assert desk.causes() == [("Ben", "locked"), ("Ann", "expired")]


def test_the_console_that_drives_a_hand_is_spared_until_it_is_over(desk: Desk) -> None:
    """A dealer's page never locks itself in a hand."""
    token, session = desk.sessions.start(ANN)
    desk.spared.add(session.console)
    desk.now = 2 * LONGEST_S
    assert desk.sessions.find(token, active=False).person == ANN  # type: ignore[union-attr]
    desk.sessions.sweep()
    assert desk.left == []
    desk.spared.clear()
    desk.sessions.sweep()
    assert desk.causes() == [("Ann", "expired")]


def test_a_sweep_tells_what_nobody_asks_for(desk: Desk) -> None:
    """Idle, and struck off the file: also where another PIN was given."""
    desk.sessions.start(ANN)
    fay, _ = desk.sessions.start(FAY)
    ben, _ = desk.sessions.start(BEN)
    desk.now += IDLE_S[Role.FLOOR]
    desk.sessions.sweep()
    desk.sessions.sweep(lambda person: person is not BEN)
    assert desk.causes() == [("Fay", "idle"), ("Ben", "struck_off")]
    assert desk.sessions.find(ben) is None
    assert desk.sessions.find(fay) is not None


def test_sessions_are_bounded(desk: Desk) -> None:
    """One more ends the one that was idle longest."""
    tokens = []
    for _ in range(MAX_SESSIONS):
        desk.now += 1
        tokens.append(desk.sessions.start(ANN)[0])
    desk.sessions.find(tokens[0])
    desk.sessions.start(BEN)
    assert [one.cause for one in desk.left] == ["too_many"]
    assert desk.sessions.find(tokens[0]) is not None
    assert desk.sessions.find(tokens[1]) is None


def test_a_consent_is_for_one_order_of_one_console_and_two_minutes(desk: Desk) -> None:
    """For another order, from another console, later: it is none."""
    ann, _ = desk.sessions.start(ANN)
    ben, _ = desk.sessions.start(BEN)
    given = desk.sessions.approve(ann, FAY, "void")
    assert desk.sessions.approved(ben, given, "void", "k1") is None
    assert desk.sessions.approved(ann, given, "close", "k1") is None
    assert desk.sessions.approved(ann, "token-99", "void", "k1") is None
    assert desk.sessions.approved(ann, given, "void", "k1") == FAY
    desk.now += APPROVAL_S
    assert desk.sessions.approved(ann, given, "void", "k1") is None


def test_a_consent_counts_once_and_a_repetition_finds_it_again(desk: Desk) -> None:
    """Under the same key it is the same press; under another it is a second order."""
    ann, _ = desk.sessions.start(ANN)
    given = desk.sessions.approve(ann, FAY, "void")
    for _ in range(3):
        assert desk.sessions.approved(ann, given, "void", "k1") == FAY
    assert desk.sessions.approved(ann, given, "void", "k2") is None


def test_a_consent_passes_with_its_console_and_its_person(desk: Desk) -> None:
    """Signed out, or struck off; and they are bounded."""
    ann, _ = desk.sessions.start(ANN)
    ben, _ = desk.sessions.start(BEN)
    of_fay, of_ed = desk.sessions.approve(ann, FAY, "x"), desk.sessions.approve(ben, ED, "x")
    desk.sessions.sweep(lambda person: person is not FAY)
    assert desk.sessions.approved(ann, of_fay, "x", "k") is None
    desk.sessions.end(ben)
    desk.sessions.sweep()
    assert desk.sessions.approved(ben, of_ed, "x", "k") is None
    first = desk.sessions.approve(ann, FAY, "x")
    for _ in range(MAX_APPROVALS):
        last = desk.sessions.approve(ann, FAY, "x")
    assert desk.sessions.approved(ann, first, "x", "k") is None
    assert desk.sessions.approved(ann, last, "x", "k") == FAY
