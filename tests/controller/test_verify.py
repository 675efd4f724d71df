"""The audit: what it proves of a journal without any key, shown by forgeries whose hash chain is whole."""

from __future__ import annotations

import copy
from base64 import b64encode
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.slip_walk import evening
from support.table_runs import rehearsed_bodies, write_journal

from controller.verify import audit

Bodies = list[dict[str, Any]]


@pytest.fixture(scope="module")
def played() -> Bodies:
    """Three hands, with tabled, mucked and folded hands."""
    bodies = rehearsed_bodies(hands=3, seed=4)
    kinds = {body["type"] for body in bodies}
    assert {"HandTabled", "HandMucked", "PotAwarded", "UncalledReturned", "SeatKeyReleased", "HandEnded"} <= kinds
    return bodies


def first(bodies: Bodies, kind: str, meets: Callable[[dict[str, Any]], bool] = lambda body: True) -> int:
    """Index of the first body of ``kind`` that meets a condition; its seq is one more."""
    return next(index for index, body in enumerate(bodies) if body["type"] == kind and meets(body))


def forged(bodies: Bodies, folder: Path, forge: Callable[[Bodies], int]) -> tuple[int, int | None, str | None]:
    """What ``forge`` changed, by seq, and what the audit says of the journal with a recomputed chain."""
    copied = copy.deepcopy(bodies)
    index = forge(copied)
    found = audit(write_journal(folder, copied))
    return index + 1, found.first_bad, found.reason


def test_a_true_journal_holds(played: Bodies, tmp_path: Path) -> None:
    """Written anew without a change it holds: events, hands, chips and cards are counted."""
    found = audit(write_journal(tmp_path, played))
    assert found.ok
    assert (found.events, found.hands) == (len(played), 3)
    assert found.chips_conserved
    assert found.cards_conserved
    assert found.as_json().keys() >= {"ok", "events", "hands", "head", "first_bad"}


@pytest.mark.parametrize("seed", [15, 40, 55, 146, 289])
def test_an_evening_of_slips_holds(tmp_path: Path, seed: int) -> None:
    """What honest people repaired is no forgery: a wrong deck that ended a hand, a card that was boxed before a misdeal and dealt
    after it, a seventh that was seen and opens the round (R-DECK-01, R-MIS-06, R-EXP-06)."""
    found = audit(write_journal(tmp_path, evening(seed, hands=1).bodies))
    assert found.ok, (found.first_bad, found.reason)


@pytest.mark.parametrize(
    ("kind", "field"),
    [("ActionTaken", "chips"), ("ActionTaken", "to"), ("AntePosted", "chips"), ("UncalledReturned", "chips")],
)
def test_forged_amounts_are_named_at_their_event(played: Bodies, tmp_path: Path, kind: str, field: str) -> None:
    """A chip more in a wager, an ante or a return is found at that very event, not when the hand ends (REG-33)."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, kind, lambda body: body[field] > 0)
        bodies[index][field] += 1
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_a_pot_that_goes_to_another_seat_is_named(played: Bodies, tmp_path: Path) -> None:
    """The award is what the tabled cards win (REG-33)."""

    def forge(bodies: Bodies) -> int:
        shown = [body["seat"] for body in bodies if body["type"] == "HandTabled"]
        index = first(bodies, "PotAwarded", lambda body: body["shares"][0]["seat"] in shown)
        share = bodies[index]["shares"][0]
        share["seat"] = next(seat for seat in (1, 2, 3, 4, 5) if seat != share["seat"])
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_stacks_that_the_hand_does_not_lead_to_are_named(played: Bodies, tmp_path: Path) -> None:
    """``HandEnded`` with a chip moved from one stack to another (REG-33)."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "HandEnded")
        rich, poor = bodies[index]["stacks"][0], bodies[index]["stacks"][1]
        rich["chips"] += 1
        poor["chips"] -= 1
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_a_hand_that_opens_with_other_stacks_is_named(played: Bodies, tmp_path: Path) -> None:
    """Between hands no chip comes or goes but by an event."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "HandOpened", lambda body: body["number"] == 2)
        bodies[index]["seats"][0]["chips"] += 5
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_a_tabled_card_that_was_exchanged_is_named(played: Bodies, tmp_path: Path) -> None:
    """A down card shown at the showdown is the one that was sealed when it was dealt; the released key opens the box."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "HandTabled")
        cards = bodies[index]["cards"]
        known = {card for body in bodies if body["type"] == "HandTabled" for card in body["cards"]}
        up = {body["card"] for body in bodies if body["type"] == "CardDealt" and "card" in body}
        cards[0] = next(card for card in (rank + "c" for rank in "23456789TJQKA") if card not in known | up)
        return first(bodies[index:], "SeatKeyReleased") + index

    changed, named, reason = forged(played, tmp_path, forge)
    assert (named, reason) == (changed, f"seat {played[changed - 1]['seat']} tabled other cards than it was dealt")


def test_an_exchanged_up_card_of_a_tabled_hand_is_named(played: Bodies, tmp_path: Path) -> None:
    """What lay open before everybody cannot change at the showdown."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "HandTabled")
        cards = bodies[index]["cards"]
        cards[2], cards[0] = cards[0], cards[2]
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_a_wrong_released_key_is_named(played: Bodies, tmp_path: Path) -> None:
    """The key of a seat is the one that the deal committed to."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "SeatKeyReleased")
        bodies[index]["key"] = b64encode(bytes(32)).decode()
        return index

    changed, named, reason = forged(played, tmp_path, forge)
    assert (named, reason) == (
        changed,
        f"the key of seat {played[changed - 1]['seat']} is not the one that the deal committed to",
    )


def test_a_nonce_that_comes_twice_is_named(played: Bodies, tmp_path: Path) -> None:
    """Two boxes of one deal with one nonce: whoever has both has both cards, without any key (recovery §10)."""

    def forge(bodies: Bodies) -> int:
        one, other = [index for index, body in enumerate(bodies) if body["type"] == "BurnMade" and body["deal"] == 2][:2]
        bodies[other]["sealed"] = bodies[one]["sealed"][:16] + bodies[other]["sealed"][16:]
        return other

    changed, named, reason = forged(played, tmp_path, forge)
    assert named == changed
    assert "nonce" in str(reason)


def test_a_nonce_may_come_again_in_another_deal(played: Bodies, tmp_path: Path) -> None:
    """Each deal has its own keys: what counts is the pair."""

    def forge(bodies: Bodies) -> int:
        burns = [index for index, body in enumerate(bodies) if body["type"] == "BurnMade"]
        one, other = burns[0], next(index for index in burns if bodies[index]["deal"] != bodies[burns[0]]["deal"])
        bodies[other]["sealed"] = bodies[one]["sealed"][:16] + bodies[other]["sealed"][16:]
        return other

    assert forged(played, tmp_path, forge)[1] is None


@pytest.mark.parametrize("change", [{"deal": 1}, {"sealed": "AAAA"}, {"sealed": 7}])
def test_a_box_of_another_deal_or_length_is_named(played: Bodies, tmp_path: Path, change: dict[str, Any]) -> None:
    """Boxes are of the deal in play, and all of one length."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "BurnMade", lambda body: body["deal"] == 2)
        bodies[index].update(change)
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_a_deal_whose_number_was_there_is_named(played: Bodies, tmp_path: Path) -> None:
    """The number is part of each sub-key: the same one twice could be the same key twice."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "DealKeyMade", lambda body: body["deal"] == 3)
        bodies[index]["deal"] = 2
        return index

    changed, named, reason = forged(played, tmp_path, forge)
    assert (named, reason) == (changed, "the key is of another deal than the next")


def test_cards_that_do_not_add_up_are_named(played: Bodies, tmp_path: Path) -> None:
    """52 cards are in the shoe, in flight or dealt when a hand is over."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "CardsCounted")
        bodies[index]["shoe"] -= 1
        return index

    changed, named, reason = forged(played, tmp_path, forge)
    assert (named, reason) == (changed, "51 cards are accounted for, not 52")


def test_a_left_out_event_is_named_at_what_follows_it(played: Bodies, tmp_path: Path) -> None:
    """Each event is what the rules make of the one before: an action cannot be taken out (REG-33)."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "ActionTaken")
        del bodies[index]
        return next(number for number in range(index, len(bodies)) if bodies[number]["type"] in {"ActionTaken", "RoundClosed"})

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def test_an_action_out_of_turn_is_named(played: Bodies, tmp_path: Path) -> None:
    """A forged actor is no legal actor (R-BET-14)."""

    def forge(bodies: Bodies) -> int:
        index = first(bodies, "ActionTaken", lambda body: body["verb"] == "fold")
        bodies[index]["seat"] = bodies[index]["seat"] % 5 + 1
        return index

    changed, named, _ = forged(played, tmp_path, forge)
    assert named == changed


def announcing(body: dict[str, Any], kind: str, **said: int) -> dict[str, Any]:
    """A record of ``kind`` as it would stand right before ``body``."""
    return {"type": kind, **{name: body[name] for name in ("at", "epoch") if name in body}, **said}


@pytest.mark.parametrize("behind", ["fold", "call", "nothing"])
def test_a_fold_that_was_read_and_does_not_follow_is_named(behind: str, played: Bodies, tmp_path: Path) -> None:
    """Who reads the journal would believe that the muck told a fold which nobody made (R-BET-14)."""
    bodies = copy.deepcopy(played)
    verb = "fold" if behind == "fold" else "call"
    at = first(bodies, "ActionTaken", lambda body: body["verb"] == verb)
    bodies.insert(at, announcing(bodies[at], "FoldRead", seat=bodies[at]["seat"]))
    found = audit(write_journal(tmp_path, bodies[: at + 1] if behind == "nothing" else bodies))
    assert found.first_bad == {"fold": None, "call": at + 2, "nothing": at + 1}[behind]
    assert found.ok == (behind == "fold")


@pytest.mark.parametrize(("acts", "holds"), [(1, True), (2, False)])
def test_a_word_for_everybody_with_too_few_actions_is_named(acts: int, holds: bool, played: Bodies, tmp_path: Path) -> None:
    """As many actions follow as it says, before anything else is decided."""
    bodies = copy.deepcopy(played)
    kinds = [body["type"] for body in bodies]
    answered = next(at for at, pair in enumerate(pairwise(kinds)) if pair == ("ActionTaken", "CommandAnswered"))
    bodies.insert(answered, announcing(bodies[answered], "AllActed", acts=acts))
    found = audit(write_journal(tmp_path, bodies))
    assert found.first_bad == (None if holds else answered + 3)
    assert found.ok == holds


def test_a_hand_cut_off_in_the_middle_of_a_consequence_is_named(played: Bodies, tmp_path: Path) -> None:
    """The last event leads to others that are not there: the journal does not end where a commit can end."""
    index = first(played, "RoundClosed")
    found = audit(write_journal(tmp_path, copy.deepcopy(played[: index + 1])))
    assert (found.ok, found.first_bad) == (False, index + 1)


def test_a_leaving_player_takes_its_stack(played: Bodies, tmp_path: Path) -> None:
    """Chips cannot leave the table beside the stack."""
    bodies = copy.deepcopy(played)
    seat = bodies[first(bodies, "SeatTaken")]["seat"]
    bodies.append({"type": "SeatLeft", "seat": seat, "chips": 1, "at": bodies[-1]["at"], "epoch": 1})
    found = audit(write_journal(tmp_path, bodies))
    assert (found.first_bad, found.reason) == (len(bodies), f"seat {seat} leaves with other chips than its stack")


@pytest.mark.parametrize("change", [{"type": "NoSuchEvent"}, {"type": "ActionTaken"}, {"type": "CardDealt", "seat": "x"}])
def test_events_that_cannot_be_read_are_named(played: Bodies, tmp_path: Path, change: dict[str, Any]) -> None:
    """An unknown type, or fields that do not fit it."""
    bodies = copy.deepcopy(played[:50])
    bodies.append({**change, "at": bodies[-1]["at"], "epoch": 1})
    found = audit(write_journal(tmp_path, bodies))
    assert found.first_bad == 51


def test_a_missing_journal_is_said(tmp_path: Path) -> None:
    """``FileNotFoundError`` when there is none."""
    with pytest.raises(FileNotFoundError):
        audit(tmp_path)
