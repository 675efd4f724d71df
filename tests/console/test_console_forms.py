"""Whatever HTTP can order, the console can: every command and ruling has its button, its form, its preview (screens §7)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from support.console_site import StorySite
from support.table_story import TableStory, card_texts

from controller.console import orders, ruling_orders
from controller.console.forms import ORDERS, RULINGS, UNPREVIEWED, form, possible
from controller.console.orders import CommandBody
from controller.console.preview import REVEALING
from controller.console.sheets import MENU, NOT_ON_PROBLEM, SEAT_ASKS, SEAT_BETWEEN, SEAT_EMPTY, SEAT_FOLDED, SEAT_IN_HAND, sheet
from controller.hand.state import public_cards
from controller.hand.terms import Verb


def kinds_of(union: object, field: str) -> set[str]:
    """Every tag of the bodies of a union."""
    bodies = [body for body in get_args(get_args(union)[0]) if field in body.model_fields]
    return {value for body in bodies for value in get_args(body.model_fields[field].annotation)}


def answers_to(form_: Mapping[str, Any], snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """The command that the first possible answers make, as the page puts it together."""
    command: dict[str, Any] = json.loads(json.dumps(form_["command"]))
    target = command[form_["inside"]] if form_["inside"] else command
    for field in form_["fields"]:
        if any("opens" in choice for choice in field.get("choices", ())):
            query = field["choices"][0]["opens"].partition("?")[2]
            again = form(form_["name"], snapshot, dict(part.split("=") for part in query.split("&")))
            assert again is not None
            return answers_to(again, snapshot)
        match field["type"]:
            case "choice":
                value: Any = field["choices"][0]["value"]
            case "choices":
                value = [field["choices"][0]["value"]]
            case "number":
                value = field["least"]
            case "text":
                value = "words"
            case _:
                value = "As" if field["path"] == "card" else ["As"] * field["count"]
        if field["path"] == "cards" and command["type"] == "confirm_cards":
            command["cards"][0]["card"] = value[0]
        else:
            target.update(value if isinstance(value, dict) else {field["path"]: value})
    return command


def told(moment: str) -> TableStory:
    """A table at one of the moments at which sheets are opened."""
    story = TableStory({1: 100, 3: 100, 5: 100})
    if moment == "idle":
        return story
    story.start()
    if moment == "dealing":
        story.lay(story.draw(), "seat/1/down")
        return story
    if moment == "held":
        story.lay(story.draw(), "seat/3/down")
        return story
    story.deal()
    story.act(Verb.BRING_IN, 2)
    story.act(Verb.FOLD)
    return story


MOMENTS = ("idle", "dealing", "held", "betting")


def test_every_order_and_ruling_can_be_given_from_the_console() -> None:
    """By a button of bar or banner, a sheet or a form; what has a form is a command that exists."""
    rulings = kinds_of(ruling_orders.RulingBody, "kind")
    assert set(RULINGS) == rulings
    by_button = {"acknowledge_alarm", "resume", "act", "act_around", "undo_confirmation", "muck_hand", "award_pots", "rule"}
    assert set(ORDERS) | by_button == kinds_of(orders.OrderBody, "type")
    listed = {*MENU, *SEAT_IN_HAND, *SEAT_FOLDED, *SEAT_BETWEEN, *SEAT_ASKS, *SEAT_EMPTY, *RULINGS, "void_hand"}
    by_bar = {"undo_award", "stop_play", "play_on", "confirm_cards", "table_hand", "count_deck"}
    assert set(RULINGS) | set(ORDERS) <= listed | by_bar
    assert by_bar | set(SEAT_IN_HAND) >= NOT_ON_PROBLEM


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_form_makes_a_command_that_the_table_can_read(moment: str) -> None:
    """Whatever is answered, field by field; and the sheet offers only what can be meant now."""
    at = StorySite(told(moment))
    snapshot = at.desk.asked()
    tried = 0
    for name in possible([*RULINGS, *ORDERS], snapshot):
        made = form(name, snapshot, {})
        assert made is not None
        if any(not field.get("choices", True) for field in made["fields"]):
            continue
        given = {"command": answers_to(made, snapshot), "decision": made["decision"]}
        CommandBody.model_validate({"key": "press-0001", "seq": 0, **given})
        tried += 1
    assert tried >= 5


def questions(story: TableStory) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every form that can be meant now and has a preview, with its first answers."""
    snapshot = StorySite(story).desk.asked()
    for name in possible([*RULINGS, *ORDERS], snapshot):
        made = form(name, snapshot, {})
        assert made is not None
        if name not in UNPREVIEWED and all(field.get("choices", True) for field in made["fields"]):
            yield name, answers_to(made, snapshot)


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_preview_changes_nothing_and_shows_no_hidden_card(moment: str) -> None:
    """It says what would change, or why it is refused; the table stays as it is (screens §1, principle 6)."""
    story = told(moment)
    at = StorySite(story)
    before = story.state
    async with at.client:
        for name, command in questions(story):
            answer = await at.client.post("/api/v1/preview", json={"command": command})
            body = answer.json()
            assert answer.status_code == (200 if body["ok"] else 409), name
            assert body.get("changes") or body.get("refusal"), name
            hand = story.state.hand
            shown = {card.text for card in public_cards(hand)} if hand is not None else set()
            assert set(card_texts(body)) <= shown, name
    assert story.state == before


async def test_a_preview_tells_the_chips_that_move() -> None:
    """A void hand gives back everything, seat by seat, and the sum (R-RULE-03)."""
    at = StorySite(told("betting"))
    async with at.client:
        answer = await at.client.post("/api/v1/preview", json={"command": {"type": "void_hand", "reason": "test"}})
    rows = {row["what"]["en"]: row["how"]["en"] for row in answer.json()["changes"]}
    assert rows["Sum of what goes back"] == str(at.told.hand.chips_in_play - sum(seat.stack for seat in at.told.hand.seats))
    assert rows["Next"] == "the deck is gathered and loaded"


async def test_a_preview_that_moves_nothing_says_so_once_and_no_sum_goes_back_but_out_of_the_pot() -> None:
    """Its heading stood there twice, and a change of seat told its own chips as a sum that goes back."""
    at = StorySite(told("idle"))
    async with at.client:
        for order, whats in (
            ({"type": "sit_out", "seat": 1}, ["At the table"]),
            ({"type": "change_seat", "seat": 1, "to": 4}, ["Seat 1", "Seat 4"]),
        ):
            answer = (await at.client.post("/api/v1/preview", json={"command": order})).json()
            assert [row["what"]["en"] for row in answer["changes"]][: len(whats) + 1] == whats


def test_a_card_is_asked_about_only_at_seats_that_have_it() -> None:
    """While third street is dealt, no seat has a door card yet, and one has a card at all: others previewed as a refusal."""
    story = TableStory({1: 100, 3: 100, 5: 100}).start()
    cards_rulings = ("expose_hole", "choose_door", "replace_boxed")
    story.lay(story.draw(), "seat/1/down")
    snapshot = StorySite(story).desk.asked()
    assert possible(cards_rulings, snapshot) == ["expose_hole", "replace_boxed"]
    boxed = form("replace_boxed", snapshot, {})
    assert boxed is not None
    offered = [choice["value"] for choice in boxed["fields"][0]["choices"]]
    assert {one["seat"] if isinstance(one, dict) else one for one in offered} == {1}
    for seat, listed in ((1, {"expose_hole", "replace_boxed"}), (3, set())):
        shown = sheet("seat", snapshot, {"seat": str(seat)})
        assert shown is not None
        assert {item["name"] for item in shown["items"]} & set(cards_rulings) == listed
    story.deal()
    snapshot = StorySite(story).desk.asked()
    assert possible(cards_rulings, snapshot) == list(cards_rulings)


def test_a_device_that_is_set_aside_already_is_not_asked_about() -> None:
    """REG-47: it stood there as the answer though nothing was left to step past."""
    snapshot = StorySite(told("betting")).desk.asked()
    snapshot |= {"devices": {"felt-a": "down", "felt-b": "down", "shoe": "up"}}
    snapshot["by_hand"] = {**snapshot["by_hand"], "set_aside": ["felt-a"]}
    made = form("step_past", snapshot, {})
    assert made is not None
    assert made["command"]["ruling"]["device"] == "felt-b"
    snapshot["by_hand"]["set_aside"].append("felt-b")
    assert possible(["step_past"], snapshot) == []


async def test_no_command_answers_for_a_preview() -> None:
    """Whatever key it bears."""
    at = StorySite(told("betting"))
    async with at.client:
        for key in ("preview-only", "preview_only", "previews"):
            body = {"key": key, "seq": 0, "command": {"type": "pause_table", "reason": "break"}}
            await at.client.post("/api/v1/commands", json=body)
        assert (await at.client.post("/api/v1/preview", json={"command": {"type": "void_hand", "reason": "test"}})).json()["ok"]


async def test_a_preview_of_an_exposed_card_does_not_tell_who_brings_in() -> None:
    """Nothing that follows from a hidden card is told before Apply: whichever card it is, the answer is the same."""
    said = set()
    for seed in range(6):
        story = TableStory({1: 100, 3: 100, 5: 100}, seed=seed).start()
        story.lay(story.draw(), "seat/1/down")
        at = StorySite(story)
        async with at.client:
            command = {"type": "rule", "ruling": {"kind": "expose_hole", "seat": 1, "number": 1}, "role": "dealer"}
            said.add((await at.client.post("/api/v1/preview", json={"command": command})).text)
    assert len(said) == 1
    assert set(RULINGS) >= REVEALING


@pytest.mark.parametrize("name", sorted(UNPREVIEWED))
async def test_who_names_a_face_gets_no_preview(name: str) -> None:
    """52 questions would find a card that lies face down (recovery §10)."""
    at = StorySite(told("betting"))
    given: dict[str, dict[str, Any]] = {
        "key_card": {"type": "rule", "ruling": {"kind": "key_card", "place": "seat/1/up", "card": "As"}, "role": "floor"},
        "table_hand": {"type": "table_hand", "seat": 1, "cards": ["As"]},
        "confirm_cards": {"type": "confirm_cards", "cards": [{"place": "seat/1/up", "card": "As"}]},
    }
    async with at.client:
        answer = await at.client.post("/api/v1/preview", json={"command": given[name]})
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "no_preview")


def test_a_form_asks_only_what_is_not_known() -> None:
    """A seat that was touched is not asked for again."""
    snapshot = StorySite(told("betting")).desk.asked()
    actor = snapshot["claims"]["actor"]
    silent = form("put_chips", snapshot, {})
    asked = form("out_of_turn", snapshot, {})
    other = next(row["seat"] for row in snapshot["seats"] if row["state"] == "live" and row["seat"] != actor)
    given = form("out_of_turn", snapshot, {"seat": str(other)})
    assert silent is not None
    assert asked is not None
    assert given is not None
    assert ([field["path"] for field in silent["fields"]], silent["command"]["ruling"]["seat"]) == (["silent"], actor)
    assert ([field["path"] for field in asked["fields"]], asked["options"]) == (["seat"], [])
    assert ([field["path"] for field in given["fields"]], [field["path"] for field in given["options"]]) == ([], ["act"])
    assert given["command"]["ruling"]["seat"] == other
    assert given["known"] == [{"en": f"Seat {other} · Player {other}", "fr": f"Siège {other} · Player {other}"}]


def test_two_people_are_asked_where_the_rules_want_two() -> None:
    """And nobody for what the dealer applies alone (R-RULE-01)."""
    snapshot = StorySite(told("betting")).desk.asked()
    people = {}
    for name in ("retrieve_hand", "misdeal", "out_of_turn"):
        made = form(name, snapshot, {})
        assert made is not None
        people[name] = (made["who"], made["command"]["role"], len(made["people"]))
    assert people == {
        "retrieve_hand": ("two", "floor", 2),
        "misdeal": ("floor", "floor", 1),
        "out_of_turn": ("dealer", "dealer", 1),
    }
