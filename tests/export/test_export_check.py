"""Our own check: it accepts every true export, and notices any single corruption of amount, card, order, winner or total."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tomli_w
from support.exported_hands import corpus, corpus_rules, hands_with_slips, random_hands, replayed
from support.hand_dsl import Story

from controller.export import jsonl
from controller.export.check import MAX_PROBLEMS, Fact, check_jsonl, check_phh
from controller.export.hands import FinishedHand, hand_of
from controller.export.phh import phh_text
from controller.hand.cards import DECK
from controller.hand.commands import VoidHand

AMOUNTS = (
    "antes",
    "starting_stacks",
    "finishing_stacks",
    "winnings",
    "_antes_posted",
    "bring_in",
    "small_bet",
    "big_bet",
    "_rake",
    "_burns",
)
IGNORED = ("v", "source", "site", "hand_id", "game_type", "date", "notes", "features", "showdown", "unit", "preset", "knobs")
"""What tells of the record, not of the hand."""

Corruption = tuple[str, dict[str, Any]]


def a_hand() -> FinishedHand:
    """A bring-in, a completion, a short all-in, two pots, cards tabled, mucked, folded and unknown."""
    story = Story({1: 90, 3: 12, 4: 90, 6: 90}, cards={1: "As Ah Kc | Ac", 3: "Qs Qh Qc | 9d", 4: "?? ?? 2c", 6: "?? ?? 9s"})
    story.bets("4 post, 6 call, 1 to 4, 3 call, 4 call, 6 call, 1 to 4, 3 call, 4 call, 6 call, 1 to 8, 3 call, 4 call, 6 fold")
    story.passive(7)
    story.bets("1 to 8, 4 call")
    story.show(1)
    story.muck(4)
    story.showdown()
    return hand_of(story.state.setup, tuple(story.stacks.items()), story.events)


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where whole numbers, truths and cards stand."""
    match value:
        case dict():
            for name, item in value.items():
                if name not in IGNORED:
                    yield from numbers(item, (*path, name))
        case list():
            for index, item in enumerate(value):
                yield from numbers(item, (*path, index))
        case int():
            yield path
        case str() if len(value) == 2:
            yield path
        case _:
            pass


def changed(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """A copy with another number, truth or card at ``path``."""
    copied = copy.deepcopy(record)
    at = copied
    for step in path[:-1]:
        at = at[step]
    old = at[path[-1]]
    at[path[-1]] = another_card(old) if isinstance(old, str) else not old if isinstance(old, bool) else old + 1
    return copied


def another_card(card: str) -> str:
    """A card that is not ``card``."""
    return next(other.text for other in DECK if other.text != card)


def phh_corruptions(fields: dict[str, Any]) -> Iterator[Corruption]:
    """Every single corruption of a PHH hand."""
    for name in AMOUNTS:
        if name in fields:
            for path in numbers(fields[name], (name,)):
                yield f"amount {path}", changed(fields, path)
    for name in ("seats", "finishing_stacks", "winnings", "starting_stacks"):
        if name in fields and len(set(fields[name])) > 1:
            yield f"{name} turned", {**fields, name: fields[name][1:] + fields[name][:1]}
    actions = fields["actions"]
    for index, action in enumerate(actions):
        for new in action_corruptions(action, len(fields["seats"])):
            yield f"action {index}", {**fields, "actions": [*actions[:index], new, *actions[index + 1 :]]}
        yield f"action {index} left out", {**fields, "actions": actions[:index] + actions[index + 1 :]}
        yield f"action {index} twice", {**fields, "actions": [*actions[: index + 1], *actions[index:]]}
        if index and action != actions[index - 1]:
            swapped = [*actions[: index - 1], action, actions[index - 1], *actions[index + 1 :]]
            yield f"action {index} before its time", {**fields, "actions": swapped}


def action_corruptions(action: str, players: int) -> Iterator[str]:
    """Another amount, card, player or verb."""
    words = action.split()
    for player in [word for word in words if word[0] == "p" and word[1:].isdecimal()]:
        yield " ".join(f"p{int(player[1:]) % players + 1}" if word == player else word for word in words)
    match words:
        case [*start, cards] if "sm" in words[:-1] or "d" in words:
            for index in range(0, len(cards), 2):
                yield " ".join([*start, cards[:index] + another_card(cards[index : index + 2]) + cards[index + 2 :]])
        case [_, "cbr", amount]:
            yield f"{words[0]} cbr {int(amount) + 1}"
            yield f"{words[0]} cc"
        case [_, "sm"]:
            yield f"{words[0]} sm AsKsQsJsTs9s8s"
        case [_, verb]:
            yield f"{words[0]} {'f' if verb != 'f' else 'cc'}"
        case _:
            raise AssertionError(action)


def unnoticed(
    hand: FinishedHand, corruptions: Iterator[Corruption], check: Callable[[dict[str, Any]], tuple[str, ...]]
) -> list[str]:
    """Corruptions that the check lets through."""
    tried = [(what, check(corrupted)) for what, corrupted in corruptions]
    assert len(tried) > 30
    assert not [told for _, told in tried for problem in told for card in DECK if card.text in problem.split()]
    return [what for what, told in tried if not told]


def check_of_phh(hand: FinishedHand) -> Callable[[dict[str, Any]], tuple[str, ...]]:
    """The check of PHH fields."""
    return lambda fields: check_phh(hand, tomli_w.dumps(fields))


def test_any_single_corruption_of_a_phh_hand_is_noticed() -> None:
    """Each amount, card, player, verb, action and order, one by one."""
    hand = a_hand()
    assert check_phh(hand, phh_text(hand)) == ()
    assert unnoticed(hand, phh_corruptions(tomllib.loads(phh_text(hand))), check_of_phh(hand)) == []


def jsonl_corruptions(record: dict[str, Any]) -> Iterator[Corruption]:
    """Every single corruption of a recorded hand."""
    for path in numbers(record):
        yield f"value {path}", changed(record, path)
    events = record["events"]
    for index, event in enumerate(events):
        yield f"event {index} left out", {**record, "events": events[:index] + events[index + 1 :]}
        yield f"event {index} twice", {**record, "events": [*events[: index + 1], *events[index:]]}
        if index and event != events[index - 1]:
            yield (
                f"event {index} before its time",
                {**record, "events": [*events[: index - 1], event, events[index - 1], *events[index + 1 :]]},
            )
    yield "a winner more", {**record, "collected": {**record["collected"], "8": record["collected"].get("8", 0) + 5}}
    yield "invented cards", {**record, "fill": {}}
    yield "another common card", {**record, "community": "As"}


def test_any_single_corruption_of_a_recorded_hand_is_noticed() -> None:
    """Each number, card and event, and the order of events, one by one."""
    hand = a_hand()
    line = jsonl.jsonl_line(hand)
    assert check_jsonl(hand, line) == ()
    assert unnoticed(hand, jsonl_corruptions(json.loads(line)), lambda record: check_jsonl(hand, json.dumps(record))) == []


def test_corruptions_are_noticed_in_random_hands() -> None:
    """The same for hands of any kind: side pots, ties, common cards, razz and eight-or-better."""
    for _, hand in random_hands(6, seed=11, knobs=False):
        assert unnoticed(hand, phh_corruptions(tomllib.loads(phh_text(hand))), check_of_phh(hand)) == []


@pytest.mark.long
def test_corruptions_are_noticed_in_many_hands() -> None:
    """The same, the long way."""
    for _, hand in random_hands(300, seed=12, knobs=True):
        assert unnoticed(hand, phh_corruptions(tomllib.loads(phh_text(hand))), check_of_phh(hand)) == []
        if jsonl.why_not(hand) is None:
            record = json.loads(jsonl.jsonl_line(hand))
            assert unnoticed(hand, jsonl_corruptions(record), lambda r, h=hand: check_jsonl(h, json.dumps(r))) == []  # type: ignore[misc]


def test_true_exports_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random hands of any house, recorded hands, and hands with slips."""
    recorded = (played for hand in corpus() if (played := replayed(hand, corpus_rules())) is not None)
    for _, hand in (*random_hands(150, seed=13, knobs=True), *recorded, *hands_with_slips(60, 14, monkeypatch)):
        assert check_phh(hand, phh_text(hand)) == ()
        if jsonl.why_not(hand) is None:
            assert check_jsonl(hand, jsonl.jsonl_line(hand)) == ()


def test_a_void_that_is_hidden_or_invented_is_noticed() -> None:
    """R-RULE-03: a voided hand has no winnings, and only it says that it is void."""
    story = Story({1: 50, 2: 50}, cards={1: "?? ?? 2c"})
    story.bets("1 post")
    story.tell(VoidHand("fouled deck"))
    hand = hand_of(story.state.setup, tuple(story.stacks.items()), story.events)
    fields = tomllib.loads(phh_text(hand))
    assert check_phh(hand, phh_text(hand)) == ()
    assert check_phh(hand, tomli_w.dumps({**fields, "winnings": [3, 0]})) == ("winnings are given for a voided hand",)
    assert check_phh(hand, tomli_w.dumps({**fields, "_void": "other"})) != ()
    ended = a_hand()
    fields = tomllib.loads(phh_text(ended))
    assert check_phh(ended, tomli_w.dumps({**fields, "_void": "x"})) == ("_void is given for a hand that was played to its end",)


@pytest.mark.parametrize("text", ["", "variant = ", "variant = 'F7S'", "[]", "null", '{"events": 3}'])
def test_what_cannot_be_read_is_said(text: str) -> None:
    """Another text altogether is one sentence."""
    hand = a_hand()
    assert len(check_phh(hand, text)) == 1
    assert len(check_jsonl(hand, text)) == 1


def test_problems_are_bounded_and_tell_no_card() -> None:
    """One past the bound is not told; a fact prints no card (R-RULE-06)."""
    hand = a_hand()
    fields = tomllib.loads(phh_text(hand))
    assert (
        len(check_phh(hand, tomli_w.dumps({**fields, "actions": fields["actions"][::-1], "antes": [9], "seats": [4, 3, 1, 6]})))
        <= MAX_PROBLEMS
    )
    assert "As" not in repr(Fact("deal", 1, ("As",)))
