"""The dealer's desk: the snapshot with its reasons, answers with their sentences, and a text for every code there is."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.table_story import TableStory

import controller
from controller.console.desk import Desk
from controller.console.orders import CommandBody
from controller.hand.cards import DECK
from controller.hand.commands import Refusal
from controller.table.inputs import Command, SeatPlayer
from controller.table.loop import Answer, Record
from controller.table.state import TableState
from controller.words.catalogue import Language, catalogue, placeholders, text
from controller.words.reasons import card_words

SOURCES = Path(controller.__file__).parent


class FakeTable:
    """A story in a table's place."""

    def __init__(self, told: TableStory) -> None:
        self.told = told
        self.moved = asyncio.Event()

    @property
    def state(self) -> TableState:
        return self.told.state

    async def changed(self, after_seq: int) -> TableState:
        while self.state.seq <= after_seq:
            await self.moved.wait()
        return self.state

    async def command(self, command: Command) -> Answer:
        refusal = self.told.tell(command).refusal
        return Answer(self.state.answers[command.key][1], refusal)


def desk(told: TableStory, language: Language = Language.EN) -> Desk:
    """A desk over a story."""
    return Desk(FakeTable(told), "T1", language)  # type: ignore[arg-type]


async def send(at: Desk, command: dict[str, Any], key: str = "press-0001", decision: str | None = None) -> dict[str, Any]:
    """Press a button of the picture as it is now."""
    body = {"key": key, "seq": at.state.seq, "decision": decision, "command": command}
    return await at.send(CommandBody.model_validate(body))


async def test_a_command_is_answered_with_its_number() -> None:
    """And again with the same, whatever happened since."""
    told = TableStory({1: 100})
    at = desk(told)
    first = await send(at, {"type": "add_chips", "seat": 1, "chips": 5})
    assert first == {"ok": True, "seq": told.state.seq - 1}
    await send(at, {"type": "add_chips", "seat": 1, "chips": 5}, key="press-0002")
    assert await send(at, {"type": "add_chips", "seat": 1, "chips": 5}) == first
    assert told.state.seats[0].stack == 110


async def test_a_refusal_has_rule_code_and_a_sentence_in_both_languages() -> None:
    """The dealer's language first."""
    for language in Language:
        at = desk(TableStory({1: 100}), language)
        answer = await send(at, {"type": "seat_player", "seat": 1, "name": "Ann", "stack": 5})
        refusal = answer["refusal"]
        assert not answer["ok"]
        assert (refusal["rule"], refusal["code"]) == ("R-SETUP-07", "seat_is_taken")
        assert refusal["message_en"] == "Seat 1 is taken."
        assert refusal["message"] == refusal[f"message_{language.value}"]
        assert await send(at, {"type": "seat_player", "seat": 1, "name": "Ann", "stack": 5}) == answer


async def test_a_hold_has_its_reason_in_both_languages() -> None:
    """With the place and without a card."""
    told = TableStory({1: 100, 3: 100}).start()
    told.lay(told.draw(), "seat/3/up")
    hold = desk(told).snapshot()["hold"]
    assert hold["code"] == "wrong_place"
    assert "seat 3" in hold["reason_en"]
    assert "siège 3" in hold["reason_fr"]
    assert hold["reason"] == hold["reason_en"] != hold["reason_fr"]


async def test_changed_waits_for_something_newer() -> None:
    """It gives the snapshot past what was seen."""
    told = TableStory({1: 100})
    table = FakeTable(told)
    at = Desk(table, "T1", Language.EN)  # type: ignore[arg-type]
    waiting = asyncio.ensure_future(at.changed(told.state.seq))
    await asyncio.sleep(0)
    assert not waiting.done()
    told.load()
    table.moved.set()
    assert (await waiting)["seq"] == told.state.seq
    assert at.state is told.state


# ---------------------------------------------------------------------- why


def explained(told: TableStory, at: Desk) -> None:
    """Let the desk hear of every commit of a story."""
    before = told.state

    def watch(state: TableState, records: Sequence[Record]) -> None:
        nonlocal before
        at.committed(before, records)
        before = state

    told.watch = watch


def test_the_last_decision_is_explained_in_both_languages() -> None:
    """One line with its rule (R-BRING-02); cards and refusals leave it as it is, actions change it."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    at = desk(told, Language.FR)
    explained(told, at)
    assert at.snapshot()["why"] is None
    told.start().deal()
    why = at.snapshot()["why"]
    assert why["rule"].startswith("R-BRING-")
    assert why["text_en"].startswith(f"Seat {told.hand.round.actor} ")
    assert why["text_en"].endswith(f"({why['rule']})")
    assert why["text"] == why["text_fr"] != why["text_en"]
    assert told.order(SeatPlayer(8, "Ann", 50)) is not None
    assert at.snapshot()["why"] == why
    told.passive()
    assert at.snapshot()["why"] != why
    told.showdown()
    assert at.snapshot()["why"]["rule"].startswith(("R-POT-", "R-EVAL-"))


def test_whole_hands_are_explained_without_a_hidden_card() -> None:
    """Every line of some hands names only cards that are public (R-RULE-06)."""
    signs = {card_words(card.text): card.text for card in DECK}
    told = TableStory(dict.fromkeys(range(1, 7), 300), seed=3)
    at = desk(told)
    explained(told, at)

    def look(story: TableStory) -> None:
        why = at.snapshot()["why"]
        words = "" if why is None else f"{why['text_en']} {why['text_fr']}"
        shown = {signs[found] for found in re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", words)}
        assert shown <= story.public_texts(), words

    for _ in range(4):
        told.play_hand(each=look)


# ---------------------------------------------------------------------- every code has its text


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of ``name`` in the controller, with its file."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield f"{path.name}:{node.lineno}", node


def texts_in(node: ast.AST) -> set[str]:
    """Every text constant below ``node``."""
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def refusal_codes() -> dict[str, set[str]]:
    """Each refusal code that the sources can produce, with the values that its sentence gets."""
    codes: dict[str, set[str]] = {}
    for where, call in calls("Refusal"):
        if len(call.args) < 2:
            continue
        code = call.args[1]
        names = set()
        for values in call.args[2:]:
            names |= {
                pair.elts[0].value
                for pair in ast.walk(values)
                if isinstance(pair, ast.Tuple) and pair.elts and isinstance(pair.elts[0], ast.Constant)
            }
        if isinstance(code, ast.Attribute):  # an answer that is repeated
            continue
        if isinstance(code, ast.Name):  # handed in by a caller: see the two below
            assert code.id == "code", where
            continue
        for found in texts_in(code):
            codes.setdefault(found, set()).update(names)
    for _, call in calls("refused_now"):
        codes.setdefault(call.args[2].value, set())  # type: ignore[attr-defined]
    for name in ("cap_reached", "nobody_to_raise", "not_reopened", "kept_seventh"):
        codes[name] = {"seat", "raises"}
    return codes


def bars() -> set[str]:
    """Codes that ``wager_bar`` returns."""
    source = (SOURCES / "hand/betting.py").read_text(encoding="utf-8")
    (bar,) = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and node.name == "wager_bar"]
    returned = [node.value for node in ast.walk(bar) if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)]
    return {texts.elts[1].value for texts in returned}  # type: ignore[attr-defined]


def hold_codes() -> set[str]:
    """Each hold code that the sources can produce."""
    codes: set[str] = set()
    for name in ("HandHeld", "FeltWrong", "FeltProblem"):
        for _, call in calls(name):
            if call.args and isinstance(call.args[0], ast.Constant):
                codes.add(str(call.args[0].value))
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "fault":
                codes |= texts_in(node.value) - {""}
    return codes


def test_the_scan_finds_what_is_known_to_be_there() -> None:
    """The scan itself: codes of every layer, and those of ``wager_bar`` as they are listed."""
    codes = refusal_codes()
    assert {"not_your_turn", "no_showdown", "hand_is_open", "decision_passed", "suspended", "recovering", "key_reused"} <= set(
        codes
    )
    assert len(codes) >= 35
    assert bars() == {"cap_reached", "nobody_to_raise", "not_reopened", "kept_seventh"}
    holds = hold_codes()
    assert {"wrong_place", "device_down", "duplicate_card", "stub_count", "unexpected_load", "moved_card"} <= holds
    assert len(holds) >= 13


@pytest.mark.parametrize("language", Language)
def test_every_refusal_has_a_text_and_all_its_values(language: Language) -> None:
    """In both languages: no refusal can end in an error instead of a sentence."""
    for code, values in refusal_codes().items():
        template = catalogue(language)[f"refusal.{code}"]
        assert placeholders(template) <= values, code
        assert (
            Desk(FakeTable(TableStory({})), "T1", language)
            .refusal(  # type: ignore[arg-type]
                Refusal("R-X", code, tuple((value, "seat/7/up" if value in ("place", "places") else "7") for value in values)), 1
            )["message"]
            .endswith((".", "!"))
        )


@pytest.mark.parametrize("language", Language)
def test_every_hold_has_a_text(language: Language) -> None:
    """With a place at most."""
    for code in hold_codes():
        assert placeholders(catalogue(language)[f"hold.{code}"]) <= {"place"}, code
        assert text(f"hold.{code}", language, place="seat/3/up").endswith(".")
