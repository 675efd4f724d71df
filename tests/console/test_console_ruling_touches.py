"""At most three touches to any ruling's preview, counted over all that the program offers (screens §7).

The walk does what the page does with what the table answers: a touch on a choice is one, a number takes its digits and *Next*,
words take a keyboard. Behind a choice that asks for more lies the unusual case, which may take longer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import pytest
from support.by_hand_story import ByHandStory
from support.console_site import StorySite
from support.slip_story import SlipStory
from support.table_story import TableStory

from controller.console.forms import RULINGS
from controller.console.orders import CommandBody
from controller.hand.cards import DECK
from controller.hand.commands import MuckHand, TableHand
from controller.hand.showdown import to_show
from controller.hand.terms import Verb
from controller.table.inputs import UnexplainedTimeout
from drivers.ports import EventKey, NoticeKind, ShoeNotice, ShoeStopped

MOST: Final = 3
SHOWN: Final = 16
"""Tiles that a sheet shows without being scrolled."""
KEYED: Final = 99
"""Touches of what is typed: more than any budget."""
EIGHT: Final = "1 2 3 4 5 6 7 8"


class Preview(NamedTuple):
    """A preview that was reached: whether what changes is told there, and what stands beside it to be changed."""

    name: str
    touches: int
    command: dict[str, Any]
    told: bool
    options: list[dict[str, Any]]


# --- the table's states, each with what is offered there --------------------------------------------------


def _third() -> SlipStory:
    """Eight seats, the bring-in is paid, three have spoken; nobody can be told from the cards alone."""
    told = SlipStory(EIGHT).begin().deal()
    told.calmly()
    told.calmly()
    return told


def _raised() -> SlipStory:
    """Fifth street, a bet is faced by seven."""
    told = SlipStory(EIGHT).begin()
    told.deal()
    told.street(5)
    told.deal()
    bet = next(one for one in told.step()["actions"] if one["verb"] == "bet")
    assert told.act(Verb.BET, bet["to"]) is None
    assert told.act(Verb.FOLD) is None
    return told


def _posting() -> SlipStory:
    return SlipStory(EIGHT).begin().deal()


def _dealing() -> SlipStory:
    told = SlipStory(EIGHT).begin()
    for _ in range(17):
        told.deal_one()
    told.draw()
    return told


def _seventh() -> SlipStory:
    told = SlipStory("2 4 7").begin().passive(7)
    assert told.rule("expose_seventh", seat=4) is None
    return told


def _dealt_seventh() -> SlipStory:
    return SlipStory("2 4 7").begin().passive(7)


def _common() -> SlipStory:
    told = SlipStory(EIGHT).begin()
    told.deal()
    while told.hand.live_count == 8:
        if told.hand.round.post_due or told.hand.round.actor == told.hand.bring_in_seat:
            told.calmly()
        else:
            assert told.act(Verb.FOLD) is None
    told.street(7)
    told.deal_one()
    for card, seat in zip(told.draws(2), (1, 2), strict=True):
        told.lay(card, f"seat/{seat}/down")
    return told


def _premature() -> SlipStory:
    told = _third()
    told.draws(1)
    assert told.hold == "premature_card"
    return told


def _differ() -> SlipStory:
    told = SlipStory("2 4 7").begin().street(4)
    told.deal_one()
    card = told.draw(code="9D" if told.shoe[0].text != "9d" else "8D")
    told.lay(card, "seat/2/up")
    told.tell(UnexplainedTimeout(card))
    assert told.hold == "cards_differ"
    return told


def _joker() -> SlipStory:
    told = _dealing()
    told.draw(code="JK")
    return told


def _extra() -> SlipStory:
    """A card too many, before anybody has spoken."""
    told = SlipStory("2 4 7").begin().deal()
    told.draws(1)
    return told


def _down() -> ByHandStory:
    told = ByHandStory(dict.fromkeys(range(1, 9), 100))
    told.begin(list(DECK))
    told.lose("felt-1")
    return told


def _keyed() -> ByHandStory:
    """The readers of seat 1 are set aside, and a card is confirmed by hand."""
    told = ByHandStory({1: 100, 2: 100}, seed=1)
    told.begin(list(DECK))
    told.lose("felt-1")
    assert told.step_past("felt-1") is None
    told.deal_one()
    return told


def _shoe_error() -> SlipStory:
    told = SlipStory("2 4 7").begin()
    told.deal_one()
    told.seq += 1
    told.tell(ShoeNotice("shoe", EventKey(told.boot, told.seq), NoticeKind.FAULT, "E2 latched"))
    assert told.hold == "shoe_error"
    return told


def _shoe_stopped() -> SlipStory:
    told = SlipStory("2 4 7").begin()
    told.deal_one()
    told.tell(ShoeStopped("shoe", "draw_no", "A card was skipped."))
    return told


def _showdown() -> SlipStory:
    told = SlipStory("1 2 3").begin().passive()
    first, second = to_show(told.hand)[:2]
    assert told.order(TableHand(first)) is None
    assert told.order(MuckHand(second)) is None
    return told


def _awarded() -> SlipStory:
    told = SlipStory("1 2 3").begin().passive()
    told.showdown()
    assert told.hand.over
    return told


def _called() -> SlipStory:
    told = _third()
    assert told.rule("stop_play", "dealer") is None
    return told


def _away() -> SlipStory:
    told = _third()
    assert told.rule("leave_table", "dealer", seat=told.hand.round.actor % 8 + 1) is None
    return told


def _mucked() -> SlipStory:
    """A hand that was thrown in lies in the muck before its turn."""
    told = _raised()
    order = [entry.seat for entry in told.hand.seats if entry.active]
    told.fold_cards(order[(order.index(told.hand.round.actor) + 2) % len(order)])
    return told


STATES: Final[Mapping[str, Callable[[], TableStory]]] = {
    name.strip("_"): made
    for name, made in (
        ("third", _third),
        ("raised", _raised),
        ("posting", _posting),
        ("dealing", _dealing),
        ("seventh", _seventh),
        ("dealt_seventh", _dealt_seventh),
        ("common", _common),
        ("premature", _premature),
        ("differ", _differ),
        ("joker", _joker),
        ("extra", _extra),
        ("down", _down),
        ("keyed", _keyed),
        ("shoe_error", _shoe_error),
        ("shoe_stopped", _shoe_stopped),
        ("showdown", _showdown),
        ("awarded", _awarded),
        ("called", _called),
        ("away", _away),
        ("mucked", _mucked),
    )
}

# --- the walk --------------------------------------------------


_TOLD: Final[set[str]] = set()
"""Rulings of which some preview told what changes, so that the others need not be asked for."""


class Walk:
    """Every way from the dealer's page to a preview, with the touches that it takes."""

    def __init__(self, at: StorySite) -> None:
        self.at = at
        self.found: list[Preview] = []
        self.straight: str | None = None
        """The ruling that *Can't move* leads to in one touch."""
        self.listed: dict[str, int] = {}

    async def all(self) -> None:
        """By the bar, by the problem sheet and by each seat's tile."""
        for buttons in self.at.screen["bar"].values():
            for button in buttons:
                if (button["opens"] or "").startswith("form:"):
                    await self.form(button["opens"], 1)
                elif button["opens"] == "stop":
                    await self.opened(await self.get("stop"), 1)
        if any(button["opens"] == "problem" for button in self.at.screen["bar"]["problem"]):
            await self.sheet("problem", {})
        for row in self.at.pages.picture()["seats"]:
            await self.sheet("seat", {"seat": row["seat"]})

    async def sheet(self, name: str, given: Mapping[str, Any]) -> None:
        await self.opened(await self.get(name, **given), 1, name)

    async def opened(self, found: Mapping[str, Any], touches: int, name: str = "stop") -> None:
        """A list, or the form that a stop leads to."""
        if found["kind"] == "form":
            self.straight = found["name"]
            await self.ask(found, found["fields"], json.loads(json.dumps(found["command"])), touches)
            return
        self.listed[name] = max(self.listed.get(name, 0), len(found["items"]))
        for item in found["items"]:
            if item["name"] in RULINGS or item["name"] == "void_hand":
                await self.form(item["opens"], touches + 1)

    async def get(self, name: str, **given: Any) -> dict[str, Any]:
        answer = await self.at.client.get("/api/v1/sheets", params={"name": name, **given})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def form(self, spec: str, touches: int) -> None:
        name, _, query = spec.partition("?")
        found = await self.get(name, **dict(part.split("=") for part in query.split("&") if part))
        await self.ask(found, found["fields"], json.loads(json.dumps(found["command"])), touches)

    async def ask(self, form: Mapping[str, Any], fields: list[dict[str, Any]], command: dict[str, Any], touches: int) -> None:
        """Answer the first of ``fields`` in every way that a button has, and go on."""
        if not fields:
            await self.preview(form, command, touches)
            return
        for value, opens, more in answers_of(fields[0]):
            if opens:
                await self.form(opens, touches + more)
                continue
            answered = json.loads(json.dumps(command))
            put(form, answered, fields[0]["path"], value)
            await self.ask(form, fields[1:], answered, touches + more)

    async def preview(self, form: Mapping[str, Any], command: dict[str, Any], touches: int) -> None:
        """What stands on the sheet then: what changes, unless a face was named."""
        CommandBody.model_validate({"key": "press-0001", "seq": 0, "command": command})
        told = form["name"] in _TOLD
        if form["preview"] and "card" not in command.get("ruling", {}) and not told:
            told = (await self.previewed(command))["ok"]
        elif not form["preview"]:
            told = True
        if told:
            _TOLD.add(form["name"])
        self.found.append(Preview(form["name"], touches, command, told, form.get("options", [])))

    async def previewed(self, command: dict[str, Any]) -> dict[str, Any]:
        """What it would change, asked as the floor's where it is not the dealer's, as the page does."""
        answer: dict[str, Any] = (await self.at.client.post("/api/v1/preview", json={"command": command})).json()
        if not answer["ok"] and answer["refusal"]["code"] in ("floor_rules", "floor_rules_it", "undo_is_floors"):
            given = {**command, "role": "floor"}
            answer = (await self.at.client.post("/api/v1/preview", json={"command": given})).json()
        return answer


def answers_of(field: Mapping[str, Any]) -> Iterator[tuple[Any, str | None, int]]:
    """Each answer that a button has, the form that it opens, and its touches."""
    match field["type"]:
        case "choice":
            yield from ((one["value"], one.get("opens"), 1) for one in field["choices"] if "asks" not in one)
        case "choices":
            yield from (([one["value"]], None, 2) for one in field["choices"])
        case "card":
            yield "Ac" if field["path"] == "card" else ["Ac"], None, 1
        case "number":
            yield max(1, field["least"]), None, 2
        case _:
            yield "words", None, KEYED


def put(form: Mapping[str, Any], command: dict[str, Any], path: str, value: Any) -> None:
    """As the page puts an answer into the command."""
    target = command[form["inside"]] if form["inside"] else command
    target.update(value if isinstance(value, dict) else {path: value})


_WALKED: Final[dict[str, Walk]] = {}


async def walked(name: str) -> Walk:
    """The walk of a state, which changes nothing and is done once."""
    if name not in _WALKED:
        told = STATES[name]()
        before = told.state
        walk = Walk(StorySite(told))
        async with walk.at.client:
            await walk.all()
        assert told.state == before
        _WALKED[name] = walk
    return _WALKED[name]


# --- what is claimed --------------------------------------------------


@pytest.mark.parametrize("name", STATES)
async def test_no_ruling_takes_more_than_three_touches_to_its_preview(name: str) -> None:
    """Whichever seat, card, cause or amount a button names, by each of the doors; and no sheet must be scrolled for it."""
    walk = await walked(name)
    assert {(one.name, one.touches) for one in walk.found if one.touches > MOST} == set()
    assert max(walk.listed.values(), default=0) <= SHOWN, walk.listed


async def test_every_ruling_has_a_preview_that_is_reached_in_three_touches() -> None:
    """Where it can be meant: what changes is told, not why it is refused."""
    reached: set[str] = set()
    for name in STATES:
        reached |= {one.name for one in (await walked(name)).found if one.touches <= MOST and one.told}
    offered = {*RULINGS, "void_hand"} - {"stop_play"}  # a button that calls the floor at once
    assert offered - reached == set()


async def test_what_a_device_saw_takes_one_touch() -> None:
    """*Can't move* leads straight to the ruling that the stop most often comes to (screens §7)."""
    straight = {name: (await walked(name)).straight for name in STATES}
    assert {name: ruling for name, ruling in straight.items() if ruling} == {
        "premature": "premature",
        "extra": "premature",
        "differ": "trust_reader",
        "joker": "set_aside",
        "down": "step_past",
        "shoe_error": "clear_shoe",
        "shoe_stopped": "take_shoe_again",
    }


def told_rows(told: TableStory) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = StorySite(told).pages.picture()["seats"]
    return rows


async def test_any_act_before_its_turn_is_three_touches_from_the_seat() -> None:
    """Tile, *Out of turn*, and what the seat did where it is not the likeliest: each with the amount that is legal there."""
    found = {}
    for one in (await walked("raised")).found:
        if one.name == "out_of_turn" and one.touches < MOST:
            (acts,) = [field for field in one.options if field["path"] == "act"]
            found[one.command["ruling"]["seat"]] = [choice["text"]["en"] for choice in acts["choices"] if "asks" not in choice]
    facing = ["Call 8", "Raise to 16", "Fold"]
    assert found == {2: facing, 3: facing, 4: facing, 5: facing, 6: facing, 7: ["Check", "Fold"]}


async def test_what_the_table_has_seen_is_answered_already() -> None:
    """A hand that lies in the muck was folded, and is dead because it lies there; one device down is meant."""
    told = STATES["mucked"]()
    seat = next(row["seat"] for row in told_rows(told) if row.get("folding"))
    at = StorySite(told)
    async with at.client:
        walk = Walk(at)
        fold = (await walk.get("form:out_of_turn", seat=seat))["command"]["ruling"]
        dead = (await walk.get("form:kill_hands", seat=seat))["command"]["ruling"]
    assert (fold["verb"], dead["seats"], dead["cause"]) == ("fold", [seat], "in_muck")
    for name, ruling, path, value in (("joker", "set_aside", "scrap", "joker"), ("down", "step_past", "device", "felt-1")):
        assert {one.command["ruling"][path] for one in (await walked(name)).found if one.name == ruling} == {value}


async def test_silent_chips_are_offered_where_they_mean_something_else() -> None:
    """Facing 8 (R-BET-12): one larger chip and 11 are a call, 12 and 16 a raise."""
    said = {}
    for one in (await walked("raised")).found:
        if one.name == "put_chips":
            given = one.command["ruling"]
            said[given["chips"], given["pieces"]] = one.touches
    assert said == {(25, 1): 3, (16, 2): 3, (12, 2): 3, (11, 2): 3}


async def test_a_form_can_be_completed_for_what_no_button_says() -> None:
    """Another amount, another reason, one antenna: the last choice asks for it, and the table can read what comes of it."""
    asked = set()
    for name in ("raised", "down"):
        at = StorySite(STATES[name]())
        async with at.client:
            walk = Walk(at)
            for ruling in ("put_chips", "void_hand", "step_past", "out_of_turn?seat=3"):
                spec, _, query = ruling.partition("?")
                form = await walk.get(f"form:{spec}", **dict(part.split("=") for part in query.split("&") if part))
                for field in (*form["fields"], *form["options"]):
                    for behind in [choice["asks"] for choice in field.get("choices", ()) if "asks" in choice]:
                        command = json.loads(json.dumps(form["command"]))
                        for one in behind:
                            value: Any = "words" if one["type"] == "text" else one.get("least", 0) + 1
                            put(form, command, one["path"], one["choices"][0]["value"] if one["type"] == "choice" else value)
                        if not form["fields"] or field in form["fields"]:
                            CommandBody.model_validate({"key": "press-0001", "seq": 0, "command": command})
                            asked.add(form["name"])
    assert asked == {"put_chips", "void_hand", "step_past", "out_of_turn"}
