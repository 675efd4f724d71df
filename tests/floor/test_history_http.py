"""Hands and reports at the floor's address: found, told step by step, on paper; and never a card that nobody was shown."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fpdf import FPDF
from support.golden_stories import STORIES
from support.history_runs import by_hand, heard
from support.slip_walk import evening
from support.table_story import TableStory

from controller.access.people import Person, Role
from controller.floor.history import http as history_http
from controller.floor.history.http import add_history
from controller.floor.history.pdf import plain
from controller.floor.history.steps import told
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import open_store
from controller.floor_serve import phh_of
from controller.gate.gate import Caller, Gate
from controller.hand.state import public_cards
from controller.mqtt.links import ChainName, link_after, start_of
from controller.mqtt.payloads import PublicEvent

JOURNAL = "5f0c9a1e"
HAND = f"/api/hands/T12/{JOURNAL}/1"
SPAN = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}


def linked(events: list[PublicEvent]) -> list[PublicEvent]:
    """The events with the links that a table gives them."""
    head, before, found = "ab" * 32, "", list[PublicEvent]()
    for event in events:
        if event.event == "hand_opened":
            before, event = (
                start_of(ChainName("T12", JOURNAL), event.previous or 0, head),
                event.model_copy(update={"head": head}),
            )
        if before:
            before = link_after(before, event)
            event = event.model_copy(update={"link": before})
        found.append(event)
    return found


def recorded(seed: int) -> list[PublicEvent]:
    """What a floor heard of an evening with slips."""
    return linked([one.event for one in heard(evening(seed, hands=1).bodies) if one.event is not None])


class _As(Gate):
    """A gate that lets everybody in as somebody of ``role``."""

    def __init__(self, role: Role | None) -> None:
        super().__init__(name="floor")
        self._role = role

    def caller(self, request: Any) -> Caller:
        if self._role is None:
            return Caller()
        return Caller("t", "c", Person("1", "Somebody", self._role))


@asynccontextmanager
async def floor(folder: Path, events: list[PublicEvent], role: Role | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """The address of a floor that has heard ``events`` of one table."""
    async with open_store(parse_address("sqlite:///floor.sqlite3", folder), "nice") as store:
        await store.write(Batch(tuple(KeptEvent(Source("T12", JOURNAL), event) for event in events)))
        api = FastAPI()
        add_history(api, lambda: store, _As(role), phh_of)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://127.0.0.1") as client:
            yield client


async def test_a_hand_is_found_and_told_step_by_step(tmp_path: Path) -> None:
    """The list leads to the hand; each step has a number, a time, a sentence in both languages with its rule, and a picture."""
    async with floor(tmp_path, recorded(132)) as client:
        found = (await client.get("/api/hands", params={"table": "T12"})).json()
        [row] = found["hands"]
        assert (row["table"], row["journal"], row["hand"], found["cursor"]) == ("T12", JOURNAL, 1, None)
        hand = (await client.get(f"/api/hands/{row['table']}/{row['journal']}/{row['hand']}")).json()
        assert (hand["links"], hand["untold"]) == ("whole", None)
        steps = hand["steps"]
        assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
        assert all(step["text"]["en"] and step["text"]["fr"] and step["view"] for step in steps)
        assert steps[0]["event"] == "hand_opened"
        assert hand["seats"] == row["seats"] != []
        assert steps[-1]["view"]["phase"] in ("ended", "voided")
        dealt = next(step for step in steps if step["event"] == "card_dealt")
        assert dealt["evidence"]["en"].startswith("shoe 1 · seat ")
        assert [mark["street"] for mark in hand["streets"]][:2] == ["antes", "3"]
        assert (await client.get("/api/hands/T12/00c0ffee/1")).status_code == 404


async def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A foreign cursor, a span that is none, a report that is none."""
    async with floor(tmp_path, recorded(132)) as client:
        for address in (
            "/api/hands?cursor=AAAA",
            "/api/hands?variant=holdem",
            "/api/hands?from=0001-01-01T00:00:00%2B14:00",
            "/api/hands/T1/5f0c9a1e/99999999999999999999",
            "/api/reports/pace?to=0001-01-01T00:00:00Z",
            "/api/reports/tables?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
        ):
            assert (await client.get(address)).status_code == 422, address
        answer = await client.get("/api/reports/luck")
        assert answer.status_code == 404
        assert "incidents" in answer.json()["detail"]


async def test_a_copy_that_was_changed_says_so(tmp_path: Path) -> None:
    """One event is another than the table told: the hand's chain does not hold."""
    events = recorded(132)
    at = next(number for number, event in enumerate(events) if event.event == "ante_posted")
    events[at] = events[at].model_copy(update={"chips": 99_999})
    async with floor(tmp_path, events) as client:
        hand = (await client.get(HAND)).json()
        assert hand["links"] == "broken"
        assert (await client.get(f"{HAND}/hand.pdf")).status_code == 200


async def test_a_hand_that_an_older_program_told_has_its_steps_without_pictures(tmp_path: Path) -> None:
    """Nothing is guessed: the steps are listed, PHH is refused with the way out."""
    events = [event.model_copy(update={"opening": None}) for event in recorded(132)]
    async with floor(tmp_path, events) as client:
        hand = (await client.get(HAND)).json()
        assert "hand_opened" in hand["untold"]
        assert {step["view"] for step in hand["steps"]} == {None}
        answer = await client.get(f"{HAND}/hand.phh")
        assert answer.status_code == 409
        assert "stud-table export" in answer.json()["detail"]


async def test_exports_and_reports(tmp_path: Path) -> None:
    """CSV of a search and of steps, PHH, PDF, each report as JSON and CSV, two pictures in both languages."""
    async with floor(tmp_path, recorded(132)) as client:
        rows = list(csv.DictReader(io.StringIO((await client.get("/api/hands.csv")).text)))
        assert [row["hand"] for row in rows] == ["1"]
        steps = list(csv.DictReader(io.StringIO((await client.get(f"{HAND}/hand.csv?lang=fr")).text)))
        assert "siège" in steps[1]["text"].lower()
        assert 'variant = "F' in (await client.get(f"{HAND}/hand.phh")).text
        paper = await client.get(f"{HAND}/hand.pdf")
        assert paper.content.startswith(b"%PDF")
        assert paper.headers["content-disposition"] == 'attachment; filename="T12-1.pdf"'
        for name in ("tables", "dealers", "games", "pace", "slips", "locked", "misreads", "alarms", "incidents"):
            report = (await client.get(f"/api/reports/{name}", params=SPAN)).json()
            assert all(len(row) == len(report["columns"]) for row in report["rows"])
            text = (await client.get(f"/api/reports/{name}.csv", params=SPAN)).text
            assert text.splitlines()[0] == ",".join(report["columns"])
        for picture in ("pace", "slips"):
            for language in ("en", "fr"):
                svg = (await client.get(f"/api/reports/{picture}.svg", params={**SPAN, "lang": language})).text
                assert "<title" in svg
                assert "<desc" in svg


async def test_a_paper_is_made_beside_what_the_floor_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a second: in the loop's own thread no table would be heard meanwhile, and no page told."""
    made: list[str] = []

    def note(*_: object) -> bytes:
        made.append(threading.current_thread().name)
        return b"%PDF"

    monkeypatch.setattr(history_http, "hand_pdf", note)
    async with floor(tmp_path, recorded(132)) as client:
        assert (await client.get(f"{HAND}/hand.pdf")).content == b"%PDF"
        assert (await client.get(f"{HAND[: HAND.rindex('/')]}/{10**30}")).status_code == 422
    assert made != [threading.current_thread().name]


async def test_an_engineer_reads_no_names(tmp_path: Path) -> None:
    """Hands, steps, exports and reports without them; a search by name is refused (screens §11)."""
    names = {player.name for event in recorded(132) if event.opening for player in event.opening.players}
    assert names
    async with floor(tmp_path, recorded(132), Role.ENGINEER) as client:
        for address in ("/api/hands", "/api/hands.csv", HAND, f"{HAND}/hand.csv", f"{HAND}/hand.phh", "/api/reports/incidents"):
            text = (await client.get(address, params=SPAN if "reports" in address else {})).text
            assert not [name for name in names if name in text], address
        assert (await client.get("/api/hands?player=Ann")).status_code == 403
        assert (await client.get("/api/reports/dealers", params=SPAN)).json()["rows"] == []


CARD = re.compile(r"\b(10|[2-9TJQKA])([cdhs♣♦♥♠])\b|(10|[2-9JQKA])([♣♦♥♠])")


def named(text: str) -> set[str]:
    """The cards that a text names, as ``Td``."""
    suits = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
    found = set()
    for rank, suit, other_rank, other_suit in CARD.findall(text):
        rank, suit = (rank or other_rank).replace("10", "T"), suit or other_suit
        found.add(rank + suits.get(suit, suit))
    return found


async def secret_kept(story: TableStory | Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """No answer names a card that was never public; the number of answers that were looked through."""
    written: list[str] = []
    original = FPDF.multi_cell

    def written_down(paper: FPDF, *args: Any, **more: Any) -> Any:
        written.append(f"{args} {more}")
        return original(paper, *args, **more)

    monkeypatch.setattr(FPDF, "multi_cell", written_down)
    bodies = list(story.bodies)
    shown: dict[int, set[str]] = {}
    for one in heard(bodies):
        if one.state.hand is not None:
            shown.setdefault(one.state.hand.setup.number, set()).update(card.text for card in public_cards(one.state.hand))
        if one.event is not None and one.event.hand is not None:
            shown.setdefault(one.event.hand, set()).update(one.event.cards or (), (one.event.card,) if one.event.card else ())
    events = [one.event for one in heard(bodies) if one.event is not None]
    looked = 0
    async with floor(folder, events) as client:
        for number in by_hand(events):
            for name in ("", "/hand.csv", "/hand.csv?lang=fr", "/hand.phh", "/hand.pdf"):
                answer = await client.get(f"/api/hands/T12/{JOURNAL}/{number}{name}")
                if answer.status_code == 404:
                    continue
                text = " ".join(written) if name == "/hand.pdf" else answer.text
                hidden = named(text.replace("\\u", "")) - shown[number]
                assert not hidden, (name, hidden)
                assert name != "/hand.pdf" or written
                looked += 1
                written.clear()
    return looked


@pytest.mark.parametrize("name", ["no-device", "all-call"])
async def test_no_hidden_card_is_in_any_answer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON, CSV, PHH and the words on paper name public cards alone (R-RULE-06)."""
    assert await secret_kept(STORIES[name](), tmp_path, monkeypatch)


@pytest.mark.long
async def test_no_hidden_card_is_in_any_answer_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every golden story, and forty evenings with slips."""
    stories: list[Any] = [story() for story in STORIES.values()]
    for number, story in enumerate([*stories, *(evening(seed, hands=1) for seed in range(40))]):
        folder = tmp_path / str(number)
        folder.mkdir()
        await secret_kept(story, folder, monkeypatch)


def test_an_undone_action_is_struck_through() -> None:
    """The step stays, marked, and what took it back stands behind it (screens §10)."""
    events = [one.event for one in heard(evening(267, hands=1).bodies) if one.event is not None]
    [hand] = by_hand(events).values()
    steps = told("T12", JOURNAL, hand).steps
    undone = next(step for step in steps if step.event.event == "action_undone")
    struck = [step for step in steps if step.is_undone]
    assert struck
    assert struck[0].number < undone.number
    assert struck[0].event.event in ("action_taken", "hand_mucked", "hands_killed")


def test_names_of_any_alphabet_stand_on_paper() -> None:
    """Without their marks where the reader's fonts lack them, and never as an error."""
    assert plain("Łukasz Żak’s 10♦") == "?ukasz Zak's 10d"
    assert plain("Chloé – 王") == "Chloé - ?"
