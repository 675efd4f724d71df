"""What a table obeys of its floor: orders that somebody signed for it, now, once, and that are the floor's; and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from support.floor_hand import ADA, ANN, ED, FAY, KEY, KIM, NOW, SUE, VENUE, FloorHand, code
from support.people_site import people_file
from support.table_story import TableStory

from controller.access.floor_rights import FLOOR_ORDERS
from controller.access.floor_token import AHEAD_S, LIFE_S, MOST_S, OPEN, FloorSigner, Signer
from controller.access.people import Role
from controller.access.rights import ORDERS, Needs
from controller.console.forms import RULINGS
from controller.hand.betting import legal_actions
from controller.hand.commands import Act
from controller.table.access_events import AlarmAcknowledged, FloorOrdered
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.events import Ruled
from controller.table.inputs import Rule, StopPlay
from controller.table.parts import Driver
from controller.table.rulings import TWO_PEOPLE
from controller.table.state import decision_id
from controller.table.wheel import TakeWheel
from drivers.ports import LinkChanged, LinkState

PAUSE = {"type": "pause_table", "reason": "break"}
VOID = {"type": "void_hand", "reason": "a card too many"}
KILL = {"type": "rule", "ruling": {"kind": "kill_hands", "seats": [3], "cause": "in_muck"}, "role": "floor"}
STOP = {"type": "rule", "ruling": {"kind": "stop_play"}, "role": "dealer"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing them once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


def driven(file: Path) -> FloorHand:
    """A table whose bring-in is due, at which Ann drives."""
    told = TableStory({1: 100, 3: 100, 5: 100})
    told.by("one", "Ann", TakeWheel("Ann"))
    return FloorHand(told.start().deal(), people=file)


@pytest.fixture
def hand(file: Path) -> FloorHand:
    """Such a table for what changes it."""
    return driven(file)


@pytest.fixture(scope="module")
def one(file: Path) -> FloorHand:
    """Such a table for everything that is refused."""
    return driven(file)


@pytest.fixture
def still(one: FloorHand) -> Iterator[FloorHand]:
    """It, in whose state nothing moves but what is told of refusals."""
    one.floor_now = one.table_now = float(NOW)
    before = one.told.state
    yield one
    assert one.told.state._replace(seq=before.seq, answers=before.answers) == before


def acts(hand: FloorHand) -> None:
    """Ann enters what the actor does."""
    told = hand.told
    action = legal_actions(told.hand)[0]
    order = told.command(Act(told.hand.round.actor, action.verb, action.to), decision=decision_id(told.hand))
    assert told.tell(replace(order, kind="act", console="one", person="Ann")).refusal is None


async def test_the_floor_rules_while_a_dealer_drives_and_both_stand_in_the_journal(hand: FloorHand) -> None:
    """In its person's name, from the floor's console, at once on the dealer's screen; the wheel stays where it is."""
    assert code(await hand.order(KILL)) == ""
    answer, signed = hand.told.happened(CommandAnswered)[-1], hand.told.happened(FloorOrdered)[-1]
    assert (answer.outcome, answer.person, signed.key) == (Outcome.TAKEN, "Fay", answer.key)
    assert (signed.person, signed.role, signed.agreed_by, signed.floor) == ("Fay", "floor", "", hand.signer.name)
    ruled = hand.told.happened(Ruled)[-1]
    assert (ruled.kind, ruled.role, ruled.by) == ("kill_hands", "floor", "Fay")
    assert hand.told.state.wheel == (Driver("one", "Ann", "Ann"),)
    note = hand.site.screen["note"]
    assert ("Fay" in note["en"], "Fay" in note["fr"], note["en"] == note["fr"]) == (True, True, False)


async def test_what_the_floor_said_stands_until_the_next_order_at_the_table(hand: FloorHand) -> None:
    """A refused one takes nothing away."""
    await hand.order(KILL)
    said = hand.site.screen["note"]
    await hand.order(VOID)
    assert hand.site.screen["note"] == said
    acts(hand)
    assert hand.site.screen["note"] != said


def another_key(hand: FloorHand, body: bytes) -> str:
    """Signed by another key under this floor's name."""
    claims = jwt.decode(hand.token(body), options={"verify_signature": False})
    return jwt.encode(claims, Ed25519PrivateKey.generate(), algorithm="EdDSA", headers={"kid": hand.signer.name})


def another_floor(hand: FloorHand, body: bytes) -> str:
    """Of a floor that this table does not know."""
    return FloorSigner(Ed25519PrivateKey.generate(), VENUE, lambda: hand.floor_now).sign("T1", FAY, None, "POST commands", body)[
        0
    ]


def no_signature(hand: FloorHand, body: bytes) -> str:
    """The algorithm `none`."""
    claims = jwt.decode(hand.token(body), options={"verify_signature": False})
    return jwt.encode(claims, None, algorithm="none", headers={"kid": hand.signer.name})  # type: ignore[arg-type]


def claimed(hand: FloorHand, body: bytes, **changed: Any) -> str:
    """Signed with the floor's key, with other claims."""
    claims = {**jwt.decode(hand.token(body), options={"verify_signature": False}), **changed}
    return jwt.encode(claims, KEY, algorithm="EdDSA", headers={"kid": hand.signer.name})


def at(hand: FloorHand, body: bytes, seconds: float) -> str:
    """Signed so long from now."""
    hand.floor_now += seconds
    return hand.token(body)


REFUSED: list[tuple[str, int, Callable[[FloorHand, bytes], str]]] = [
    ("token_missing", 401, lambda _hand, _body: ""),
    ("token_unreadable", 401, lambda _hand, _body: "no.token.at-all"),
    ("token_unreadable", 401, lambda hand, body: hand.token(body) + "A" * 5000),
    ("token_unreadable", 401, no_signature),
    ("token_unreadable", 401, lambda hand, body: claimed(hand, body, jti="")),
    ("token_unreadable", 401, lambda hand, body: claimed(hand, body, exp="never")),
    ("token_unreadable", 401, lambda hand, body: claimed(hand, body, agreed={"name": "Kim"})),
    ("token_unreadable", 401, lambda hand, body: claimed(hand, body, role="owner")),
    ("token_bad_signature", 401, another_key),
    ("token_bad_signature", 401, lambda hand, body: hand.token(body)[:-8] + "AAAAAAAA"),
    ("token_other_floor", 401, another_floor),
    ("token_other_table", 401, lambda hand, body: hand.token(body, table="T2")),
    ("token_other_table", 401, lambda hand, body: claimed(hand, body, iss="monaco")),
    ("token_expired", 401, lambda hand, body: at(hand, body, -LIFE_S)),
    ("token_expired", 401, lambda hand, body: claimed(hand, body, iat=int(hand.floor_now) - MOST_S)),
    ("token_future", 401, lambda hand, body: at(hand, body, AHEAD_S + 1)),
    ("token_other_request", 401, lambda hand, body: hand.token(body, what="POST preview")),
    ("token_other_body", 401, lambda hand, body: hand.token(body.replace(b"break", b"brawl"))),
    ("token_other_decision", 401, lambda hand, body: claimed(hand, body, decision="seq/1")),
]


@pytest.mark.parametrize(("refused", "status", "forge"), REFUSED, ids=[f"{n}-{one[0]}" for n, one in enumerate(REFUSED)])
async def test_a_token_that_is_not_in_order_moves_nothing(
    still: FloorHand, refused: str, status: int, forge: Callable[[FloorHand, bytes], str]
) -> None:
    """One clear sentence in both languages, and no record: what nobody signed is nobody's order."""
    body = still.body(PAUSE)
    before = len(still.told.events)
    answer = await still.send(body, forge(still, body))
    assert (answer.status_code, code(answer)) == (status, refused)
    refusal = answer.json()["refusal"]
    assert refusal["message_en"].endswith(".")
    assert refusal["message_fr"] != refusal["message_en"]
    assert len(still.told.events) == before


async def test_a_token_is_taken_until_its_last_second_and_from_a_clock_that_is_a_little_ahead(hand: FloorHand) -> None:
    """Machines' clocks differ by seconds."""
    for seconds in (1.0 - LIFE_S, AHEAD_S):
        body = hand.body(PAUSE if seconds < 0 else {"type": "reopen_table"})
        hand.floor_now = hand.table_now + seconds
        assert code(await hand.send(body, hand.token(body))) == ""


async def test_a_token_is_used_once_and_a_start_changes_nothing(hand: FloorHand) -> None:
    """Replayed to the same process it is refused; to another one the key that the journal keeps answers for it."""
    body = hand.body(PAUSE)
    token = hand.token(body)
    first = await hand.send(body, token)
    assert code(first) == ""
    before = len(hand.told.events)
    assert code(await hand.send(body, token)) == "token_used"
    assert (await hand.send(body, hand.token(body))).json() == first.json()
    again = FloorHand(hand.told)
    assert (await again.send(body, token)).json() == first.json()
    assert len(hand.told.events) == before


async def test_used_tokens_are_forgotten_when_they_could_not_be_taken_any_more(hand: FloorHand) -> None:
    """Memory is bounded, and an evening of orders does not fill it."""
    for _ in range(3):
        assert (await hand.preview(PAUSE)).status_code == 200
        hand.floor_now = hand.table_now = hand.table_now + MOST_S + AHEAD_S
    assert len(hand.verifier._used) == 1


async def test_an_order_on_a_picture_that_has_passed_comes_back_with_the_one_of_now(hand: FloorHand) -> None:
    """Somebody acted meanwhile: the ruling was for another state of the hand."""
    body = hand.body(KILL)
    acts(hand)
    answer = await hand.send(body, hand.token(body))
    assert (answer.status_code, code(answer)) == (409, "picture_passed")
    assert answer.json()["picture"]["seq"] == hand.told.state.seq


@pytest.mark.parametrize("person", [ANN, SUE, ED, ADA], ids=lambda one: one.role)
async def test_a_role_that_may_not_is_refused_on_record(still: FloorHand, person: Signer) -> None:
    """Whatever its floor let it sign."""
    answer = await still.order(PAUSE, person)
    assert (answer.status_code, code(answer)) == (409, "may_not")
    told = still.told.happened(CommandAnswered)[-1]
    assert (told.outcome, told.code, told.person) == (Outcome.REFUSED, "may_not", person.name)
    assert still.told.happened(FloorOrdered)[-1].role == person.role
    for answer in (await still.preview(PAUSE, person), await still.sheet(person, name="menu")):
        assert (answer.status_code, code(answer)) == (403, "may_not")


NOT_THE_FLOORS = sorted(set(ORDERS) - FLOOR_ORDERS)
BODIES: dict[str, dict[str, Any]] = {
    "act": {"seat": 1, "verb": "call", "to": 2},
    "act_around": {"verb": "check", "seats": [1, 3]},
    "table_hand": {"seat": 1},
    "confirm_cards": {"cards": [{"place": "burn"}]},
    "count_deck": {"cards": 52},
    "muck_hand": {"seat": 1},
    "call_clock": {"seat": 1},
    "answer_seat": {"seat": 1},
}


@pytest.mark.parametrize("kind", NOT_THE_FLOORS)
async def test_dealing_and_betting_are_for_who_sits_at_the_table(still: FloorHand, kind: str) -> None:
    """On record, and with no other effect."""
    answer = await still.order({"type": kind, **BODIES.get(kind, {})}, decision="1-1-1")
    assert (answer.status_code, code(answer)) == (409, "not_the_floors")


def test_what_is_the_floors_is_all_that_neither_deals_nor_bets() -> None:
    """Every order is on one of the two sides, by name."""
    assert set(ORDERS) >= FLOOR_ORDERS
    assert sorted(
        ("act", "act_around", "answer_seat", "award_pots", "call_clock", "collect_time", "confirm_cards", "count_deck",
         "muck_hand", "resume", "start_hand", "table_hand", "undo_confirmation")
    ) == NOT_THE_FLOORS  # fmt: skip
    assert {name for name, needs in ORDERS.items() if needs is not Needs.DEALER} <= FLOOR_ORDERS


TWO: list[tuple[Signer, Signer | None, str]] = [
    (FAY, None, "two_approvals_due"),
    (FAY, FAY, "same_person"),
    (FAY, Signer("FAY ", "dealer"), "same_person"),
    (FAY, SUE, "two_approvals_due"),
    (FAY, ADA, "two_approvals_due"),
    (FAY, ED, "two_approvals_due"),
    (FAY, KIM, ""),
    (FAY, ANN, ""),
]


@pytest.mark.parametrize(("person", "agreed", "refused"), TWO)
async def test_two_people_are_two_and_each_may(hand: FloorHand, person: Signer, agreed: Signer | None, refused: str) -> None:
    """As at the table's own console (REG-40)."""
    assert code(await hand.order(VOID, person, agreed)) == refused
    told = hand.told.happened(CommandAnswered)[-1]
    assert (told.person, told.agreed_by) == ("Fay", "" if agreed is None or refused else agreed.name)
    assert hand.told.state.hand_open is bool(refused)


async def test_an_engineer_is_the_second_person_for_a_device_alone(still: FloorHand) -> None:
    """And is named in the ruling."""
    step = {"type": "rule", "ruling": {"kind": "step_past", "device": "felt-1"}, "role": "floor"}
    assert code(await still.order(step, FAY, ED)) not in ("two_approvals_due", "same_person", "may_not", "two_people")
    assert code(await still.order({**KILL, "ruling": {"kind": "undo_keyed"}}, FAY, ED)) == "two_approvals_due"


async def test_names_in_the_body_count_nothing(hand: FloorHand) -> None:
    """A ruling bears those of the token."""
    await hand.order({**STOP, "by": "Kim", "agreed_by": "Sue"})
    ruled = hand.told.happened(Ruled)[-1]
    assert (ruled.by, ruled.agreed_by, ruled.role) == ("Fay", "", "floor")


async def test_a_floor_where_nobody_signs_in_rules_at_open_tables_alone(hand: FloorHand) -> None:
    """There by the names in the order, as the table's own open mode does."""
    nobody = Signer("", OPEN)
    assert code(await hand.order(PAUSE, nobody)) == "floor_is_open"
    assert (await hand.sheet(nobody, name="menu")).status_code == 403
    open_table = FloorHand(TableStory({1: 100, 3: 100}).start().deal())
    assert code(await open_table.order(PAUSE, nobody)) == ""
    assert code(await open_table.order(VOID, nobody)) == "two_names_due"
    assert code(await open_table.order({**VOID, "by": "Fay", "agreed_by": "Kim"}, Signer("Fay", OPEN))) == ""
    told = open_table.told.happened(CommandAnswered)[-1]
    assert (told.person, told.agreed_by) == ("Fay", "Kim")
    assert "Fay" in open_table.site.screen["note"]["en"]


async def test_a_table_that_names_no_floor_obeys_none(file: Path) -> None:
    """Nor does it in open mode without a token."""
    closed = FloorHand(TableStory({1: 100, 3: 100}), people=file, knows_floor=False)
    answer = await closed.order(PAUSE)
    assert (answer.status_code, code(answer)) == (403, "no_floor")
    open_table = FloorHand(TableStory({1: 100, 3: 100}))
    answer = await open_table.send(open_table.body(PAUSE), "")
    assert (answer.status_code, code(answer)) == (401, "token_missing")


async def test_a_preview_is_what_the_table_would_show_and_changes_nothing(still: FloorHand) -> None:
    """A ruling of two people shows what comes of it once both have agreed; a face has none."""
    before = len(still.told.events)
    answer = await still.preview(VOID)
    assert (answer.status_code, bool(answer.json()["changes"])) == (200, True)
    keyed = {"type": "rule", "ruling": {"kind": "key_card", "place": "seat/1/up", "card": "As"}, "role": "floor"}
    assert code(await still.preview(keyed)) == "no_preview"
    assert len(still.told.events) == before


async def test_sheets_hold_what_the_floor_may_order(still: FloorHand) -> None:
    """No item that deals or bets, no form of one, and the number of the picture that it was made of."""
    menu = (await still.sheet(name="menu")).json()
    names = {item["name"] for item in menu["items"] if "name" in item}
    assert {"pause_table", "close_table"} <= names <= FLOOR_ORDERS
    assert menu["seq"] == still.told.state.seq
    assert all("setting" not in item and "wheel" not in item for item in menu["items"])
    seat = (await still.sheet(name="seat", seat=3)).json()
    assert {item["name"] for item in seat["items"]} <= {*RULINGS, *FLOOR_ORDERS}
    form = (await still.sheet(name="form:void_hand")).json()
    assert form["command"]["type"] == "void_hand"
    for name in ("form:start_hand", "form:collect_time", "form:no_such_thing"):
        assert (await still.sheet(name=name)).status_code == 404
    for name in ("rules", "devices", "hands", "problem"):
        assert (await still.sheet(name=name)).status_code == 200


async def test_a_sheet_with_nothing_on_it_says_so() -> None:
    """Between hands there is nothing to rule on: a sentence, not an empty sheet."""
    sheet = (await FloorHand(TableStory({1: 100, 3: 100})).sheet(name="problem")).json()
    assert (sheet["items"], sheet["hint"]["en"]) == ([], "Nothing of this is possible at the table now.")


async def test_a_sheets_token_is_for_that_sheet(still: FloorHand) -> None:
    """Another query is another request."""
    token, _ = still.signer.sign("T1", FAY, None, "GET sheets?name=menu")
    answer = await still.ask("GET", "sheets?name=hands", token)
    assert code(answer) == "token_other_request"


async def test_every_ruling_of_two_takes_two_from_the_floor_too(still: FloorHand) -> None:
    """None of them is taken from one."""
    bodies = {"retrieve_hand": {"seat": 3}, "step_past": {"device": "felt-1"}, "key_card": {"place": "burn"}}
    for kind in sorted(TWO_PEOPLE):
        answer = await still.order({"type": "rule", "ruling": {"kind": kind, **bodies.get(kind, {})}, "role": "dealer"})
        assert code(answer) == "two_approvals_due", kind


def test_every_role_is_tried() -> None:
    """A new one must be looked at."""
    assert {one.role for one in (FAY, ANN, SUE, ED, ADA)} == {role.value for role in Role}


async def test_a_body_that_cannot_be_read_is_no_order(still: FloorHand) -> None:
    """As at the table's own address."""
    body = json.dumps({"key": "floor-9999", "seq": 1, "command": {"type": "pause_table"}}).encode()
    token, _ = still.signer.sign("T1", FAY, None, "POST commands", body, "seq/1")
    answer = await still.send(body, token)
    assert (answer.status_code, code(answer)) == (422, "unreadable")


async def test_an_alarm_is_acknowledged_by_whom_it_is_for(hand: FloorHand) -> None:
    """REG-13, REG-38: the floor takes each, an engineer those of a device, anybody else none; and nothing moves by it."""
    told = hand.told
    told.by("one", "Ann", Rule("stop_play", StopPlay()))
    told.tell(LinkChanged("shoe", 0, LinkState.DOWN, ""))
    device, hold = ({"type": "acknowledge_alarm", "alarm": one.alarm, "raised_seq": one.raised_seq} for one in told.state.alarms)
    assert (device["alarm"], hold["alarm"]) == ("device_down_shoe", "hold")
    for person, order in ((ED, hold), (ANN, device), (SUE, device), (ADA, device)):
        assert code(await hand.order(order, person)) == "may_not"
    assert told.happened(AlarmAcknowledged) == []
    assert [code(await hand.order(device, ED)), code(await hand.order(hold, FAY))] == ["", ""]
    seen = told.happened(AlarmAcknowledged)
    assert [(one.alarm, one.by, one.role) for one in seen] == [
        ("device_down_shoe", "Ed", "engineer"),
        ("hold", "Fay", "floor"),
    ]
    assert told.hold == "floor_called"
    assert hand.site.screen["banner"]["seen"] == {"en": "Seen by Fay", "fr": "Vu par Fay"}
    told.tell(LinkChanged("shoe", 0, LinkState.UP, ""))
    answer = (await hand.order(device, FAY)).json()
    assert answer["refusal"]["code"] == "alarm_passed"
    assert ("look again" in answer["refusal"]["message_en"], "regardez" in answer["refusal"]["message_fr"]) == (True, True)
