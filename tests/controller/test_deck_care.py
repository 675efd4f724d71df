"""The record of a deck's care: whole or as it was, changed by several programs, each hand counted once."""

from __future__ import annotations

import multiprocessing
import os
import random
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from controller import whole_file
from controller.deck_care import (
    CareError,
    DeckCare,
    DeckPassed,
    Quarantined,
    care_path,
    change_care,
    digest_of,
    load_care,
)
from controller.hand.cards import DECK
from controller.tracking.life import Wear
from controller.tracking.registry import DeckRegistry, generate_registry
from controller.whole_file import write_whole

AT = "2026-01-01T10:00:00.000Z"
MARK = Quarantined("Ann", AT, "“bent” corner")
REGISTRY = generate_registry(random.Random(3))
PASSED = DeckPassed(AT, "Ann", "Ben", "feig at desk, antenna 1", digest_of(REGISTRY))
QH = DECK[41]


def full() -> DeckCare:
    """A record in which everything is set."""
    care = DeckCare().put_aside(MARK, None).put_aside(MARK, QH).played("5f0c9a1e/3", 9).found(PASSED)
    return replace(care, enrolled="d1", since={QH: 4}).worn("d1", {QH: Wear(100, 7, 1)})


def test_what_is_written_is_read_and_others_may_not_read_it(tmp_path: Path) -> None:
    """Every field comes back; nothing lies beside the file but its lock; mode 0600."""
    path = care_path(tmp_path / "d2.toml")
    assert path == tmp_path / "d2.care.json"
    assert change_care(path, lambda _: full()) == full() == load_care(path)
    assert {found.name for found in tmp_path.iterdir()} == {"d2.care.json", ".d2.care.json.lock"}
    assert {stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()} == {0o600}


def test_no_file_is_a_deck_of_which_nothing_is_known(tmp_path: Path) -> None:
    """And a change that changes nothing writes none."""
    path = tmp_path / "d.care.json"
    assert change_care(path, lambda care: care) == DeckCare()
    assert not path.exists()


@pytest.mark.parametrize("point", ["write", "fsync", "replace"])
def test_a_crash_in_the_middle_of_writing_leaves_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Whatever fails, what was there is there, whole; and the next change is written."""
    path = tmp_path / "d.care.json"
    before = change_care(path, lambda _: full())

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        if point == "write":
            broken.setattr(os, "fdopen", fail)
        else:
            broken.setattr(os, "fsync", fail) if point == "fsync" else broken.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="No space left"):
            change_care(path, lambda care: care.played("5f0c9a1e/3", 10))
    assert load_care(path) == before
    assert change_care(path, lambda care: care.played("5f0c9a1e/3", 10)).hands == 8


def test_a_torn_file_beside_it_is_nobodys_business(tmp_path: Path) -> None:
    """A program that was killed while it wrote left half a file under another name."""
    path = tmp_path / "d.care.json"
    write_whole(path, '{"format": 1')
    with pytest.raises(CareError, match="put back its last copy"):
        load_care(path)
    path.rename(tmp_path / ".d.care.json.new")
    change_care(path, lambda _: full())
    assert load_care(path) == full()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2}', "null", "1", "\udcff"], ids=["empty", "list", "none", "newer", "null", "1", "bytes"]
)
def test_a_file_that_is_no_record_names_itself_and_the_way_out(tmp_path: Path, text: str) -> None:
    """One sentence, and no traceback of a parser."""
    path = tmp_path / "d.care.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(CareError, match=r"d\.care\.json is no record of a deck's care: put back"):
        load_care(path)


def test_hands_count_once_however_often_they_are_told() -> None:
    """A run is told again after a crash, late, or out of order: the sum is of different hands; another journal adds its own."""
    care = DeckCare()
    for last in (5, 6, 6, 5, 7, 7):
        care = care.played("aaaa0001/5", last)
    assert care.hands == 3
    care = care.played("aaaa0001/20", 21).played("bbbb0002/5", 5)
    assert care.hands == 6


def test_a_replaced_card_begins_its_life_and_the_others_go_on() -> None:
    """Its hands, wear and quarantine are gone; the check with the old tag is over; the deck's hands stay."""
    care = DeckCare().played("j/1", 100).worn("d1", {QH: Wear(10, 1), DECK[0]: Wear(10, 2)}).put_aside(MARK, QH).found(PASSED)
    care = care.enrolled_anew(AT, "Ann", "d2", QH).played("j/1", 130)
    assert care.card_hands() == dict.fromkeys(DECK, 130) | {QH: 30}
    assert (care.wear, care.cards, care.passed, care.barred) == ({DECK[0]: Wear(10, 2)}, {}, None, None)
    assert care.log[-1] == {"at": AT, "what": "replaced", "by": "Ann", "card": QH.text}
    assert care.worn("d1", {QH: Wear(5, 5)}) == care, "readings of the old tag are nobody's"
    assert care.worn("d2", {QH: Wear(5, 5)}).wear[QH] == Wear(5, 5)


def test_a_new_deck_in_an_old_file_begins_at_nothing_but_its_log() -> None:
    """52 new tags are a new deck."""
    care = full().enrolled_anew(AT, "Ann", "d9", None)
    assert replace(care, log=()) == DeckCare(enrolled="d9")
    assert [line["what"] for line in care.log] == ["quarantined", "quarantined", "checked", "enrolled"]


def test_who_and_when_stand_in_the_log_for_good() -> None:
    """Quarantine, release, a check that failed: each with its people; a check before a quarantine is over (Q-98, REG-42)."""
    care = DeckCare().found(PASSED).put_aside(MARK, None)
    assert (care.passed, care.barred) == (None, MARK)
    care = care.released(AT, "Ben", "Cleo", None).failed(AT, "Ann", "Ben", "desk")
    assert care.barred is None
    assert [(line["what"], line["by"], line.get("agreed_by")) for line in care.log] == [
        ("checked", "Ann", "Ben"),
        ("quarantined", "Ann", None),
        ("released", "Ben", "Cleo"),
        ("check_failed", "Ann", "Ben"),
    ]
    for card in (None, QH):
        with pytest.raises(KeyError):
            care.released(AT, "Ben", "Cleo", card)


def test_a_card_in_quarantine_bars_its_deck() -> None:
    """Until it is released, or replaced (REG-42)."""
    care = DeckCare().put_aside(MARK, QH)
    assert care.barred == MARK
    assert care.released(AT, "Ben", "Cleo", QH).barred is None
    assert care.enrolled_anew(AT, "Ann", "d2", QH).barred is None
    assert care.enrolled_anew(AT, "Ann", "d2", DECK[0]).barred == MARK


def test_the_digest_names_the_enrolment() -> None:
    """One other tag, or two cards whose tags are swapped, is another one."""
    tags = {card: REGISTRY.tag(card) for card in DECK}
    swapped = {**tags, DECK[0]: tags[DECK[1]], DECK[1]: tags[DECK[0]]}
    assert digest_of(DeckRegistry("SIM", "SIM", tags)) == digest_of(REGISTRY)
    assert digest_of(DeckRegistry("SIM", "SIM", swapped)) != digest_of(REGISTRY)


def _add_hands(path: Path, journal: str) -> None:
    for last in range(1, 26):
        change_care(path, lambda care: care.played(f"{journal}/1", last))  # noqa: B023 - called at once


@pytest.mark.ports
def test_two_programs_that_change_it_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """Table and desk write in turn: every change of both is there."""
    path = tmp_path / "d.care.json"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_hands, args=(path, name)) for name in ("aaaa", "bbbb")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert load_care(path).runs == {"aaaa/1": 25, "bbbb/1": 25}


def test_root_at_the_desk_does_not_lock_the_table_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written goes to the owner of the file, or of its folder."""
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(whole_file.os, "fchown", lambda _, user, group: given.append((user, group)))
    change_care(tmp_path / "d.care.json", lambda _: full())
    owner = tmp_path.stat()
    assert given == [(owner.st_uid, owner.st_gid)] * 2
