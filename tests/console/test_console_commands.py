"""Every command over HTTP counts once, ends with its time, and answers the picture that its sender saw (recovery §7).

What there is to order is read from the OpenAPI document: a new address or command fails here until it keeps all of that.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import httpx
import pytest
from support.console_site import StorySite
from support.table_story import AT, TableStory

from controller.hand.terms import Verb
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.parts import Raised
from controller.table.timely import ANSWERS, PASSED_BY

COMMANDS: Final = "/api/v1/commands"
CALL: Final = "/api/v1/seats/{seat}/call"
DOCUMENT: Final[dict[str, Any]] = StorySite(TableStory({1: 100})).pages_document()
POSTS: Final = sorted(path for path, methods in DOCUMENT["paths"].items() if set(methods) - {"get"})
TYPES: Final = sorted(DOCUMENT["components"]["schemas"]["CommandBody"]["properties"]["command"]["discriminator"]["mapping"])
"""Every command that the document names."""
NOT_COMMANDS: Final[dict[str, dict[str, Any]]] = {
    "/api/v1/seats/{seat}/echo": {"epoch": 1, "seq": 1, "digest": "0" * 8, "display": "seat-1"},
    "/api/v1/preview": {"command": {"type": "add_chips", "seat": 1, "chips": 5}},
    "/api/v1/wheel/return": {"console": "one"},
    "/api/v1/session": {},
    "/api/v1/session/lock": {},
}
"""What is posted to and changes nothing at the table, with a body that it takes."""
SIGNED: Final = ("/api/v1/floor/commands", "/api/v1/floor/preview")
"""What takes the floor's signed requests alone; see ``test_console_floor_orders``."""
TWO: Final = {"by": "Fay", "agreed_by": "Ann"}
SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "acknowledge_alarm": {"alarm": "hold", "raised_seq": 7},
    "act": {"seat": 1, "verb": "fold"},
    "act_around": {"verb": "call", "seats": [1, 3]},
    "add_chips": {"seat": 1, "chips": 50},
    "answer_seat": {"seat": 1},
    "award_pots": {},
    "call_clock": {"seat": 1},
    "change_seat": {"seat": 1, "to": 8},
    "close_table": TWO,
    "collect_time": {},
    "confirm_cards": {"cards": [{"place": "burn"}]},
    "count_deck": {"cards": 52},
    "leave_seat": {"seat": 1},
    "muck_hand": {"seat": 1},
    "pause_table": {"reason": "dinner"},
    "reopen_table": {},
    "resume": {},
    "rule": {"ruling": {"kind": "undo_action"}, "role": "dealer"},
    "seat_player": {"seat": 2, "name": "Zoe", "stack": 100},
    "set_game": {"variant": "razz"},
    "set_last_two": {"on": True},
    "set_stakes": {"ante": 1, "bring_in": 2, "small": 4, "big": 8, **TWO},
    "sit_in": {"seat": 1},
    "sit_out": {"seat": 1},
    "start_hand": {},
    "table_hand": {"seat": 1},
    "undo_confirmation": {},
    "void_hand": {"reason": "fouled deck", **TWO},
}
"""A command of each type, without its type."""
MAY_BE_OLD: Final = ANSWERS | {"acknowledge_alarm", "confirm_cards"}
"""Commands that no other one passes: they name the decision, the alarm, or the places that are due."""
NOW: Final = datetime.fromisoformat(AT)


def idle() -> TableStory:
    """Between hands."""
    story = TableStory({1: 100, 3: 100, 5: 100})
    story.load()
    return story


def betting() -> TableStory:
    """The bring-in is in, and somebody is to act."""
    story = idle().start().deal()
    story.act(Verb.BRING_IN, 2)
    return story


MOMENTS: Final[dict[str, Callable[[], TableStory]]] = {"idle": idle, "betting": betting}


class Press:
    """One press on the console of a table at ``moment``: the same body again and again, or a little otherwise."""

    def __init__(self, kind: str, moment: str) -> None:
        self.site = StorySite(MOMENTS[moment]())
        self.kind = kind
        self.body = {
            "key": "press-0001",
            "seq": self.told.state.seq,
            "decision": self.site.pages.picture()["decision"] or "none" if kind in ANSWERS else None,
            "command": {"type": kind, **SAMPLES[kind]},
        }

    @property
    def told(self) -> TableStory:
        return self.site.told

    @property
    def records(self) -> list[str]:
        """Every event of the journal by name."""
        return [type(event).__name__ for event in self.told.events]

    async def send(self, **others: Any) -> httpx.Response:
        return await self.site.client.post(COMMANDS, json=self.body | others)

    def passing(self) -> None:
        """Another command is taken that changes what this one decides, and the picture that was seen has passed."""
        by = PASSED_BY[self.kind]
        kind = next(
            kind for kind in ("set_game", "add_chips", "leave_seat", "rule", "act", "start_hand", self.kind) if kind in by
        )
        self.told.commit((CommandAnswered("other-0001", "0" * 32, kind, Outcome.TAKEN),))


def test_every_address_that_is_posted_to_is_known_here() -> None:
    """A new one is a command, which keeps the rules below, or changes nothing at the table."""
    assert sorted([COMMANDS, "/api/v1/wheel", "/api/v1/approvals", CALL, *SIGNED, *NOT_COMMANDS]) == POSTS
    assert sorted(SAMPLES) == TYPES
    assert set(PASSED_BY) | MAY_BE_OLD == set(TYPES)


@pytest.mark.parametrize("path", NOT_COMMANDS)
async def test_what_is_no_command_changes_nothing(path: str) -> None:
    """However often it is sent, no record is written."""
    site = StorySite(idle())
    before = site.told.state
    async with site.client:
        for _ in range(2):
            answer = await site.client.post(path.format(seat=1), json=NOT_COMMANDS[path])
            assert answer.is_success or "nobody_signs_in" in answer.text, answer.text
    assert site.told.state == before


async def test_the_wheel_is_taken_once_and_let_go_once() -> None:
    """However often a console says it."""
    site = StorySite(idle())
    async with site.client:
        for path, body in (("", {"console": "one", "name": "One"}), ("/return", {"console": "one"})):
            await site.client.post(f"/api/v1/wheel{path}", json=body)
            before = site.told.state
            await site.client.post(f"/api/v1/wheel{path}", json=body)
            assert site.told.state == before


async def test_the_floor_is_called_once() -> None:
    """However often a player touches it: one record, and the game is where it was."""
    site = StorySite(betting())
    before = site.told.state
    async with site.client:
        for _ in range(3):
            assert (await site.client.post(CALL.format(seat=3))).is_success
    assert site.told.state == before._replace(
        asked=(3,), alarms=(Raised("floor_asked_3", "floor_asked", before.seq + 1),), seq=before.seq + 1
    )


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("kind", TYPES)
async def test_a_command_counts_once(kind: str, moment: str) -> None:
    """The same key and body: the same answer, and no second event, taken or refused, on a newer picture, after its time."""
    press = Press(kind, moment)
    async with press.site.client:
        first = await press.send()
        records = press.records
        assert records.count("CommandAnswered") == 1 + MOMENTS[moment]().keys
        newer = {"seq": press.told.state.seq, "expires_at": (NOW - timedelta(seconds=1)).isoformat()}
        for others in ({}, newer):
            again = await press.send(**others)
            assert (again.status_code, said(again)) == (first.status_code, said(first))
        assert press.records == records


@pytest.mark.parametrize("kind", TYPES)
async def test_a_key_is_for_one_command(kind: str) -> None:
    """Another body under it is refused, and nothing happens."""
    press = Press(kind, "betting")
    async with press.site.client:
        await press.send()
        records = press.records
        other = {"type": "pause_table", "reason": "another"}
        answer = await press.send(command=other)
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "key_reused")
        assert press.records == records


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("kind", TYPES)
async def test_a_command_ends_with_its_time(kind: str, moment: str) -> None:
    """A second after it nothing comes of it but the refusal, which shows the table of now."""
    press = Press(kind, moment)
    before = press.records
    async with press.site.client:
        answer = await press.send(expires_at=(NOW - timedelta(seconds=1)).isoformat())
    assert answer.status_code == 409
    if kind != "resume":  # there is nothing to resume, which is said first
        assert answer.json()["refusal"]["code"] == "command_expired"
        assert answer.json()["picture"] == press.site.desk.snapshot()
    assert press.records == [*before, "CommandAnswered"]


@pytest.mark.parametrize("kind", sorted(ANSWERS))
async def test_a_command_names_the_decision_that_it_answers(kind: str) -> None:
    """Without one it is no command; for one that has passed it is refused with the picture of now."""
    press = Press(kind, "betting")
    before = press.records
    async with press.site.client:
        for missing in (None, ""):
            answer = await press.send(decision=missing)
            assert (answer.status_code, answer.json()["refusal"]["code"]) == (422, "unreadable")
            assert "decision" in answer.json()["refusal"]["message"]
        assert press.records == before
        answer = await press.send(decision="1-3-1-0-0")
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "decision_passed")
        assert answer.json()["picture"] == press.site.desk.snapshot()
        assert press.records == [*before, "CommandAnswered"]


@pytest.mark.parametrize("kind", sorted(set(PASSED_BY) - {"resume"}))
async def test_a_command_for_a_picture_that_has_passed_is_refused(kind: str) -> None:
    """Another command was taken since that changes what this one decides: the sender is shown the table of now."""
    press = Press(kind, "betting")
    press.passing()
    before = press.records
    async with press.site.client:
        answer = await press.send()
        assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "picture_passed")
        assert answer.json()["picture"] == press.site.desk.snapshot()
        assert press.records == [*before, "CommandAnswered"]
        on_the_new_one = await press.send(key="press-0002", seq=press.told.state.seq)
        assert on_the_new_one.status_code == 200 or on_the_new_one.json()["refusal"]["code"] != "picture_passed"


@pytest.mark.parametrize("kind", sorted(set(PASSED_BY) - {"resume"}))
async def test_a_picture_that_the_table_has_never_had_is_refused(kind: str) -> None:
    """A number behind the journal's end is another journal's."""
    press = Press(kind, "betting")
    async with press.site.client:
        answer = await press.send(seq=press.told.state.seq + 1)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "picture_passed")


async def test_what_moves_chips_moves_them_once_for_two_touches() -> None:
    """Two fingers, or one that trembled, make two keys for one picture: the second press is refused."""
    for kind, moment in (("add_chips", "idle"), ("act", "betting"), ("start_hand", "idle")):
        press = Press(kind, moment)
        if kind == "act":
            step = press.site.pages.picture()["step"]
            to = next(action["to"] for action in step["actions"] if action["verb"] == "call")
            press.body["command"] = {"type": "act", "seat": step["seat"], "verb": "call", "to": to}
        async with press.site.client:
            first, second = await press.send(), await press.send(key="press-0002")
        assert (first.status_code, second.status_code) == (200, 409), (kind, first.text)


async def test_play_can_be_stopped_on_any_picture() -> None:
    """Stop Play is for the moment at which something goes wrong, whatever was entered meanwhile (R-RULE-01)."""
    press = Press("rule", "betting")
    press.body["command"] = {"type": "rule", "ruling": {"kind": "stop_play"}, "role": "dealer"}
    press.passing()
    async with press.site.client:
        answer = await press.send()
    assert answer.status_code == 200, answer.text


async def test_what_cards_do_makes_no_picture_old() -> None:
    """A card that is read during the reach of a hand refuses no good touch (screens §3)."""
    story = idle()
    story.start()
    press = Press("add_chips", "idle")
    press.site = StorySite(story)
    press.body |= {"command": {"type": "rule", "ruling": {"kind": "undo_action"}, "role": "dealer"}, "seq": story.state.seq}
    story.lay(story.draw(), "seat/1/down")
    async with press.site.client:
        answer = await press.send()
    assert answer.json()["refusal"]["code"] != "picture_passed"


def said(answer: httpx.Response) -> dict[str, Any]:
    """The answer without the picture of now."""
    return {name: value for name, value in answer.json().items() if name != "picture"}
