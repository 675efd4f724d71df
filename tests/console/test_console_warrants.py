"""In whose names commands stand: one person, the floor, two people; the journal bears them whatever the body says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from support.console_site import StorySite
from support.people_site import PeopleSite, people_file
from support.table_story import TableStory

from controller.access.rights import ORDERS, Needs
from controller.access.sessions import APPROVAL_S
from controller.console.forms import ORDERS as FORMS
from controller.console.forms import RULINGS
from controller.console.orders import CommandBody, OrderBody
from controller.console.warrants import command_of
from controller.gate.gate import Caller
from controller.hand.commands import Refusal, Role
from controller.table.carried_events import CommandAnswered
from controller.table.events import Ruled
from controller.table.rulings import DEALER_MAY, TWO_PEOPLE, ruling_needs

VOID = {"type": "void_hand", "reason": "a card too many"}
STAKES = {"type": "set_stakes", "ante": 1, "bring_in": 2, "small": 4, "big": 8}


def ruling(kind: str, role: str = "floor", **fields: Any) -> dict[str, Any]:
    return {"type": "rule", "ruling": {"kind": kind, **fields}, "role": role}


KILL = ruling("kill_hands", seats=[1], cause="in_muck")
STOP = ruling("stop_play", role="dealer")
KEYED = ruling("undo_keyed")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hashing six people once is enough."""
    return people_file(tmp_path_factory.mktemp("people") / "people.json")


@pytest.fixture
async def site(file: Path) -> AsyncIterator[PeopleSite]:
    """A table whose bring-in is due."""
    made = PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), file)
    async with made.client:
        yield made


def code(answer: httpx.Response) -> str:
    return "" if answer.json()["ok"] else str(answer.json()["refusal"]["code"])


def test_every_order_is_somebodys() -> None:
    """One that is added must be said whose it is; rulings are the table's to say."""
    types = {name for body in get_args(get_args(OrderBody)[0]) for name in get_args(body.model_fields["type"].annotation)}
    assert set(ORDERS) == types - {"rule"}
    assert {*FORMS} <= set(ORDERS)
    for kind in RULINGS:
        needs = ruling_needs(kind, Role.DEALER)
        assert needs is (Needs.TWO if kind in TWO_PEOPLE else Needs.DEALER if kind in DEALER_MAY else Needs.FLOOR)
        assert ruling_needs(kind, Role.FLOOR) is (Needs.TWO if kind in TWO_PEOPLE else Needs.FLOOR)


async def test_a_commands_person_is_the_sessions_and_on_record(site: PeopleSite) -> None:
    """Whatever console or name its body has."""
    async with await site.at_desk("Ann") as ann:
        body = {"key": "press-0001", "seq": 0, "command": {**STOP, "by": "Kim", "agreed_by": "Sue"}, "console": "another"}
        assert (await ann.post("/api/v1/commands", json=body)).status_code == 200
    answer, ruled = site.told.happened(CommandAnswered)[-1], site.told.happened(Ruled)[-1]
    assert (answer.person, answer.agreed_by) == ("Ann", "")
    assert (ruled.role, ruled.by, ruled.agreed_by) == ("dealer", "Ann", "")


async def test_a_void_takes_the_floor_and_another_person(site: PeopleSite) -> None:
    """Alone, neither dealer nor floor; the refusal is on record with the person who tried (REG-40)."""
    async with await site.at_desk("Ann") as ann, await site.at_desk("Fay") as fay:
        alone = await site.command(ann, VOID)
        assert (alone.status_code, code(alone), alone.json()["refusal"]["rule"]) == (409, "two_approvals_due", "REG-40")
        assert site.told.happened(CommandAnswered)[-1].person == "Ann"
        by_fay = await site.agree(ann, "Fay", VOID)
        assert code(await site.command(ann, VOID, by_fay)) == "two_approvals_due"
        by_ben = await site.agree(ann, "Ben", VOID)
        by_fay = await site.agree(ann, "Fay", VOID)
        assert not site.told.hand.over
        assert code(await site.command(ann, VOID, by_fay, by_ben)) == ""
        assert code(await site.command(fay, VOID)) in ("two_approvals_due", "not_driving")
    assert site.told.hand.over
    answer = [one for one in site.told.happened(CommandAnswered) if one.outcome.value == "taken"][-1]
    assert (answer.kind, answer.person, answer.agreed_by) == ("void_hand", "Ann", "Fay, Ben")


async def test_the_floor_at_the_console_needs_one_other_person(site: PeopleSite) -> None:
    """The dealer agrees with an own PIN."""
    async with await site.at_desk("Fay") as fay:
        assert code(await site.command(fay, VOID, await site.agree(fay, "Fay", VOID))) == "same_person"
        assert code(await site.command(fay, VOID, await site.agree(fay, "Sue", VOID))) == "two_approvals_due"
        assert code(await site.command(fay, VOID, await site.agree(fay, "Ann", VOID))) == ""


async def test_a_dealer_is_no_second_person_for_what_she_proposes(site: PeopleSite) -> None:
    """Twice the floor is not two either."""
    async with await site.at_desk("Ann") as ann:
        for second in ("Ann", "Fay"):
            tokens = [await site.agree(ann, name, VOID) for name in ("Fay", second)]
            assert code(await site.command(ann, VOID, *tokens)) == "same_person"


async def test_a_ruling_of_the_floor_takes_the_floor_at_a_dealers_console(site: PeopleSite) -> None:
    """The journal tells the floor as who ruled and the dealer as who entered it."""
    async with await site.at_desk("Ann") as ann:
        assert code(await site.command(ann, KILL)) == "approval_due"
        assert code(await site.command(ann, KILL, await site.agree(ann, "Ben", KILL))) == "approval_due"
        assert code(await site.command(ann, KILL, await site.agree(ann, "Fay", KILL))) == ""
    ruled, answer = site.told.happened(Ruled)[-1], site.told.happened(CommandAnswered)[-1]
    assert (ruled.by, answer.person, answer.agreed_by) == ("Fay", "Ann", "Fay")


async def test_nobody_rules_as_the_floor_by_saying_so(site: PeopleSite) -> None:
    """A dealer's ruling given as the floor's takes the floor."""
    async with await site.at_desk("Ann") as ann:
        assert code(await site.command(ann, {**STOP, "role": "floor"})) == "approval_due"
        assert code(await site.command(ann, STOP)) == ""


async def test_a_consent_is_for_what_was_shown(site: PeopleSite) -> None:
    """Another reason, other stakes, later, a second time: it is none; names in the body change nothing."""
    async with await site.at_desk("Fay") as fay:
        given = await site.agree(fay, "Ann", VOID)
        assert code(await site.command(fay, {**VOID, "reason": "another"}, given)) == "approval_passed"
        site.now += APPROVAL_S
        assert code(await site.command(fay, VOID, given)) == "approval_passed"
        assert code(await site.command(fay, VOID, "made-up")) == "approval_passed"
        killed = await site.agree(fay, "Ann", KEYED)
        assert code(await site.command(fay, {**KEYED, "by": "x", "agreed_by": "y"}, killed)) not in (
            "approval_passed",
            "two_people",
        )
        assert code(await site.command(fay, KEYED, killed)) == "approval_passed"


async def test_a_consent_is_for_the_hand_in_which_it_was_given(site: PeopleSite) -> None:
    """Who let this hand be void has not let the next one be; under its key the first void still finds its answer."""
    async with await site.at_desk("Fay") as fay:
        kept, used = await site.agree(fay, "Ann", VOID), await site.agree(fay, "Ann", VOID)
        body = {"key": "the-first-void", "seq": site.told.state.seq, "command": VOID, "approvals": [used]}
        assert (await fay.post("/api/v1/commands", json=body)).status_code == 200
        site.told.load()
        assert code(await site.command(fay, {"type": "start_hand"})) == ""
        assert code(await site.command(fay, VOID, kept)) == "approval_passed"
        assert not site.told.hand.over
        assert (await fay.post("/api/v1/commands", json=body)).status_code == 200
        assert not site.told.hand.over


def test_behind_a_closed_gate_no_command_is_nobodys(site: PeopleSite) -> None:
    """A session that ends between the gate and the table leaves no command of an open table behind, whatever its body names."""
    driver = site.told.state.wheel[0].console if site.told.state.wheel else "any"
    body = CommandBody.model_validate({"key": "press-0001", "seq": 0, "command": {**KEYED, "by": "A", "agreed_by": "B"}})
    command = command_of(body.model_copy(update={"console": driver}), site.pages.gate, Caller(), driven=True, hand=1)
    assert command.denied == Refusal("REG-38", "sign_in_first")


async def test_a_resend_of_two_peoples_order_happens_once(site: PeopleSite) -> None:
    """Under its key it finds its answer, though the consent is used."""
    async with await site.at_desk("Fay") as fay:
        given = await site.agree(fay, "Ann", VOID)
        body = {"key": "the-same-press", "seq": 0, "command": VOID, "approvals": [given]}
        first, second = [await fay.post("/api/v1/commands", json=body) for _ in range(2)]
        assert first.json() == second.json() == {"ok": True, "seq": first.json()["seq"]}
        assert sum(1 for one in site.told.happened(CommandAnswered) if one.key == "the-same-press") == 1


@pytest.mark.parametrize(
    ("by", "agreed_by"), [("", ""), ("Fay", ""), ("", "Ann"), ("Fay", "FAY "), ("\u200bFay", "F a y"), (" ", "  ")]
)
async def test_where_nobody_signs_in_two_people_are_named_and_not_one_twice(by: str, agreed_by: str) -> None:
    """A void, other stakes and the close are refused without two names, and the record bears them when they are given."""
    for order, rule in ((VOID, "REG-40"), (STAKES, "REG-25"), ({"type": "close_table"}, "REG-48")):
        site = StorySite(TableStory({1: 100, 3: 100, 5: 100}))
        if order is VOID:
            site.told.start().deal()
        async with site.client as client:
            body = {"key": "one-person", "seq": site.told.state.seq, "command": {**order, "by": by, "agreed_by": agreed_by}}
            alone = await client.post("/api/v1/commands", json=body)
            assert (alone.status_code, code(alone)) == (409, "two_names_due")
            assert alone.json()["refusal"]["rule"] == rule
            body = {"key": "two-people", "seq": site.told.state.seq, "command": {**order, "by": "Fay ", "agreed_by": "Ann"}}
            assert code(await client.post("/api/v1/commands", json=body)) == ""
        answer = site.told.happened(CommandAnswered)[-1]
        assert (answer.kind, answer.person, answer.agreed_by) == (order["type"], "Fay", "Ann")


async def test_stakes_and_the_close_take_two(file: Path) -> None:
    """Who changes a configuration is not who approves it (REG-25); two people close a session (REG-48)."""
    site = PeopleSite(TableStory({1: 100, 3: 100}), file)
    async with site.client, await site.at_desk("Fay") as fay:
        for order, rule in ((STAKES, "REG-25"), ({"type": "close_table"}, "REG-48")):
            alone = await site.command(fay, order)
            assert (code(alone), alone.json()["refusal"]["rule"]) == ("two_approvals_due", rule)
            assert code(await site.command(fay, order, await site.agree(fay, "Kim", order))) == ""
            assert site.told.happened(CommandAnswered)[-1].agreed_by == "Kim"


async def test_before_anybody_agrees_everybody_sees_what_would_change(site: PeopleSite) -> None:
    """A preview asks for no consent and is none."""
    async with await site.at_desk("Ann") as ann:
        answer = await ann.post("/api/v1/preview", json={"command": VOID})
        assert answer.json()["ok"]
        answer = await ann.post("/api/v1/preview", json={"command": ruling("retrieve_hand", seat=1)})
        assert answer.json()["refusal"]["code"] != "two_people"


async def test_one_person_at_two_consoles_drives_from_one(site: PeopleSite) -> None:
    """The wheel is a console's; the name in the refusal is who drives."""
    async with await site.at_desk("Ann") as one, await site.at_desk("Ann") as two:
        answer = await site.command(two, STOP)
        assert (answer.status_code, code(answer), answer.json()["picture"]["wheel"]["name"]) == (409, "not_driving", "Ann")
        await two.post("/api/v1/wheel", json={"console": "one-that-is-not-hers", "name": "Somebody"})
        assert site.told.state.wheel[0].name == "Ann"
        assert code(await site.command(one, STOP)) == "not_driving"
        assert code(await site.command(two, STOP)) == ""
        await two.post("/api/v1/wheel/return", json={"console": "x"})
        assert code(await site.command(two, STOP)) == "not_driving"


async def test_where_nobody_drives_nobody_gives_an_order(site: PeopleSite) -> None:
    """After the wheel was given back, as after a start: taking over is explicit."""
    async with await site.at_desk("Ann") as ann:
        await ann.post("/api/v1/wheel/return", json={"console": "x"})
        answer = await site.command(ann, STOP)
        assert (answer.status_code, code(answer)) == (409, "nobody_drives")
        await ann.post("/api/v1/wheel", json={"console": "x", "name": "x"})
        assert code(await site.command(ann, STOP)) == ""
