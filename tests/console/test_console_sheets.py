"""The sheets over the table: what each offers and when, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from support.console_site import StorySite
from support.table_story import TableStory

from controller.console.story import KEPT, MAX_COMMITS, HandStories
from controller.hand.commands import LeaveTable, VoidHand
from controller.hand.events import AntePosted, BurnMade, CardDealt, HandEvent, HandOpened
from controller.hand.places import Zone
from controller.hand.terms import Verb
from controller.table.inputs import Rule
from controller.table.loop import Record
from controller.table.state import TableState
from controller.words.said import say
from drivers.ports import LinkChanged, LinkState

HAND_EVENTS = get_args(HandEvent)


async def names(at: StorySite, name: str, **given: Any) -> list[str]:
    """The forms that a sheet lists."""
    sheet = (await at.client.get("/api/v1/sheets", params={"name": name, **given})).json()
    return [item.get("name", item["text"]["en"]) for item in sheet["items"]]


async def test_a_seat_offers_what_its_player_may_do() -> None:
    """In the hand, out of it, between hands, and where nobody sits."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    at = StorySite(told)
    async with at.client:
        assert await names(at, "seat", seat=2) == ["seat_player"]
        assert "leave_seat" in await names(at, "seat", seat=1)
        told.start().deal()
        told.act(Verb.BRING_IN, 2)
        out = told.hand.round.actor
        told.act(Verb.FOLD)
        live = told.hand.round.actor
        assert "call_clock" in await names(at, "seat", seat=live)
        assert "leave_seat" not in await names(at, "seat", seat=live)
        assert "return_to_table" not in await names(at, "seat", seat=live)
        told.order(Rule("leave_table", LeaveTable(told.hand.seats[-1].seat)))
        away = await names(at, "seat", seat=told.hand.seats[-1].seat)
        assert "return_to_table" in away or told.hand.seats[-1].status.value != "live"
        assert (await names(at, "seat", seat=out))[0] == "retrieve_hand"
        assert (await at.client.get("/api/v1/sheets", params={"name": "seat"})).status_code == 404


async def test_the_problem_sheet_lists_what_can_be_true_now() -> None:
    """A misdeal on third street and no more on fifth; the floor can always be called while a hand is open."""
    told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
    at = StorySite(told)
    async with at.client:
        assert "misdeal" in await names(at, "problem")
        told.passive(5)
        assert "misdeal" not in await names(at, "problem")
        assert "void_hand" in await names(at, "problem")
        sheet = (await at.client.get("/api/v1/sheets", params={"name": "problem"})).json()
        assert sheet["floor"]["commands"][0]["command"]["ruling"] == {"kind": "stop_play"}


async def test_a_console_that_watches_is_offered_nothing_that_changes_the_game() -> None:
    """The menu of a watcher: texts and settings alone."""
    at = StorySite(TableStory({1: 100, 3: 100}))
    async with at.client:
        await at.client.post("/api/v1/wheel", json={"console": "one", "name": "one"})
        assert "pause_table" in await names(at, "menu", console="one")
        assert await names(at, "menu", console="two") == [
            "Last ten hands",
            "Rules in force",
            "Devices",
            "Keys",
            "Light, dark",
            "Left-handed",
        ]


async def test_the_floor_is_offered_the_orders_that_can_be_meant_now() -> None:
    """Whoever drives: no void without a hand, no second pause."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    at = StorySite(told)
    async with at.client:
        assert await names(at, "orders") == ["pause_table", "close_table"]
        told.start().deal()
        await at.client.post("/api/v1/wheel", json={"console": "one", "name": "one"})
        assert await names(at, "orders") == ["pause_table", "close_table", "void_hand"]
        order = {"key": "pause-01", "seq": 0, "console": "one", "command": {"type": "pause_table", "reason": "break"}}
        assert (await at.client.post("/api/v1/commands", json=order)).status_code == 200
        assert await names(at, "orders") == ["reopen_table", "close_table", "void_hand"]


async def test_the_wheel_can_be_given_back_from_the_menu() -> None:
    """Where somebody drove before."""
    at = StorySite(TableStory({1: 100, 3: 100}))
    async with at.client:
        for console in ("one", "two"):
            await at.client.post("/api/v1/wheel", json={"console": console, "name": console})
        assert "Give back" in await names(at, "menu", console="two")


async def test_the_last_ten_hands_and_the_present_one_can_be_read() -> None:
    """Newest first, each event as the sentence of its reason, in both languages; the eleventh back is gone."""
    told = TableStory({1: 100, 3: 100})
    at = StorySite(told)
    for _ in range(KEPT + 1):
        told.start().deal()
        told.act(Verb.BRING_IN, 2)
        told.order(VoidHand("a test"))
    async with at.client:
        sections = (await at.client.get("/api/v1/sheets", params={"name": "hands"})).json()["sections"]
    assert [section["title"]["en"] for section in sections] == ["Hand 12, now", *(f"Hand {n}" for n in range(11, 1, -1))]
    assert any("bring" in line["en"] for line in sections[0]["lines"])
    assert all(line["en"] and line["fr"] for section in sections for line in section["lines"])


async def test_a_recall_is_marked_and_changes_nothing() -> None:
    """REG-03: between hands, in a hand, and while a fault stops it; to a console that watches too. There is nothing to press."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    at = StorySite(told)
    async with at.client:
        for trouble in (
            lambda: None,
            lambda: told.start().deal(),
            lambda: told.tell(LinkChanged("felt-1", 2, LinkState.DOWN, "no answer")),
            told.reboot,
        ):
            trouble()
            before, screen = told.state, at.screen
            found = (await at.client.get("/api/v1/sheets", params={"name": "hands", "console": "other"})).json()
            assert found["mark"] == say("ui.recall")
            assert found.keys() == {"kind", "title", "mark", "sections"}
            assert all(section.keys() == {"title", "lines"} for section in found["sections"])
            assert (told.state, at.screen) == (before, screen)
    assert told.step()["kind"] in ("wait", "resume")


def test_of_a_long_hand_nothing_is_lost() -> None:
    """REG-02: eight players to the end make far more than fifty steps, and each is told once, in its order; a hand beyond all
    bounds says that more came."""
    told, stories = TableStory(dict.fromkeys(range(1, 9), 1000)), HandStories()
    committed = []

    def watch(state: TableState, records: Sequence[Record]) -> None:
        stories.note(committed[-1] if committed else TableState(), records)
        committed.append(state)

    committed.append(told.state)
    told.watch = watch
    told.play_hand()
    ((_, lines),) = stories.sections()
    steps = [event for event in told.events if isinstance(event, HAND_EVENTS) and not isinstance(event, AntePosted | HandOpened)]
    down = [event for event in steps if isinstance(event, CardDealt) and event.place.zone is Zone.DOWN]
    burns = [event for event in steps if isinstance(event, BurnMade)]
    assert len(lines) == len(steps) - len(down) - len(burns) > 50
    (hand,) = stories.told
    hand.commits.extend(hand.commits * (MAX_COMMITS // len(hand.commits)))
    ((_, lines),) = stories.sections()
    assert lines[-1] == say("ui.recall.more")


async def test_rules_and_keys_can_be_read() -> None:
    """The posted rules with their fingerprint; every key with what it does."""
    at = StorySite(TableStory({1: 100, 3: 100}))
    async with at.client:
        rules = (await at.client.get("/api/v1/sheets", params={"name": "rules"})).json()
        keys = (await at.client.get("/api/v1/sheets", params={"name": "keys"})).json()
    assert sum(len(section["lines"]) for section in rules["sections"]) > 40
    assert len(keys["sections"][0]["lines"]) == 13
