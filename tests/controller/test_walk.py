"""The last hands of a journal, step by step, without a key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.table_runs import rehearsed_bodies, write_journal

from controller.walk import WalkedHand, walk


@pytest.fixture(scope="module")
def bodies() -> list[dict[str, Any]]:
    """Four hands of a rehearsed table."""
    return rehearsed_bodies(hands=4, seed=6, seats=3)


@pytest.fixture(scope="module")
def journal(bodies: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_journal(tmp_path_factory.mktemp("walked"), bodies)


def steps(hand: WalkedHand) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hand.as_json()["steps"]
    return found


def test_the_last_hands_are_told_with_record_rule_and_chips(journal: Path, bodies: list[dict[str, Any]]) -> None:
    """In order; each step has the number of its record, its rule, all chips that were put in, and the table after it (REG-01)."""
    found = walk(journal, hands=3)
    assert [hand.number for hand in found.hands] == [2, 3, 4]
    assert (found.chain.ok, found.chain.events, found.table) == (True, len(bodies), "T1")
    for hand in found.hands:
        told = steps(hand)
        assert [step["seq"] for step in told] == sorted({step["seq"] for step in told})
        assert (told[0]["seq"], told[-1]["seq"]) == (hand.first, hand.last)
        kinds = {bodies[step["seq"] - 1]["type"] for step in (told[0], told[-1])}
        assert kinds <= {"HandOpened", "HandEnded", "HandVoided"}
        assert all(re.fullmatch(r"(R|Q)-.*\d", step["rule"]) for step in told if step["event"] != "pots_fixed")
        assert all(step["view"] is not None and step["pot"] is not None for step in told)
        chips = [
            sum(seat["stack"] for seat in step["view"]["seats"]) + step["pot"] for step in told if step["event"] == "action_taken"
        ]
        assert len(set(chips)) == 1


def test_no_down_card_is_told_before_its_hand_is_tabled(journal: Path) -> None:
    """And then those of that seat alone: what was mucked is told by nobody (R-RULE-06)."""
    seen = 0
    for hand in walk(journal).hands:
        tabled: set[int] = set()
        for step in steps(hand):
            if step["event"] == "hand_tabled":
                tabled.add(step["seat"])
            down = [seat for seat in step["view"]["seats"] if seat["tabled"]]
            assert {seat["seat"] for seat in down} <= tabled
            if step["event"] == "card_dealt" and step["street"] == 7:
                seen += 1
                assert step["card"] is None
            if step["event"] in ("burn_made", "ghost_dealt"):
                assert step["card"] is None
    assert seen


def test_nobody_is_named_unless_names_are_asked_for(journal: Path) -> None:
    """Players, dealer and who ruled."""
    hidden, shown = (json.dumps([hand.as_json() for hand in walk(journal, names=names).hands]) for names in (False, True))
    assert "Player 1" not in hidden
    assert "Player 1" in shown


def test_a_hand_that_is_not_over_is_told_so_far(bodies: list[dict[str, Any]], tmp_path: Path) -> None:
    """Cut in its second street, as a controller that died leaves it."""
    deals = [number for number, body in enumerate(bodies) if body["type"] == "DealStarted"]
    found = walk(write_journal(tmp_path, bodies[: deals[-1] + 1]))
    assert found.hands[-1].outcome == ""
    assert found.hands[-1].as_json()["ended_at"] is None
    assert steps(found.hands[-1])[-1]["event"] == "deal_started"
    assert [hand.outcome for hand in found.hands[:-1]] == ["hand_ended"] * 3


def test_one_hand_alone(journal: Path) -> None:
    """By its number; none where there is none."""
    assert [hand.number for hand in walk(journal, only=2).hands] == [2]
    assert walk(journal, only=99).hands == ()


def test_it_reads_only_and_ends_at_what_does_not_hold(bodies: list[dict[str, Any]], tmp_path: Path) -> None:
    """Hands before a changed record are told, and which record it is; a head of another journal is missed; no file is touched."""
    folder = write_journal(tmp_path / "whole", bodies)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = walk(folder, head=bytes(32))
    assert (other.chain.ok, len(other.hands)) == (False, 4)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    opened = [number for number, body in enumerate(bodies) if body["type"] == "HandOpened"]
    changed = [dict(body) for body in bodies]
    changed[opened[2] + 5] = {**changed[opened[2] + 5], "type": "NoSuchRecord"}
    found = walk(write_journal(tmp_path / "changed", changed))
    assert (found.chain.ok, found.chain.first_bad) == (False, opened[2] + 6)
    assert [hand.number for hand in found.hands] == [1, 2, 3]
