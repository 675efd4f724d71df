"""The demo's people sign in with what is printed, and its simulated dealer does so by herself."""

from __future__ import annotations

import random
from pathlib import Path

import httpx
from support.people_site import PeopleSite
from support.table_story import TableStory

from controller.access.roster import load_roster, roster_problem
from controller.demo_people import PEOPLE, SIMULATED_DEALER, AgreedConsole, SignsIn, people_lines, write_people
from simulators.console import HttpWheel


def site_of(folder: Path) -> PeopleSite:
    """A table in a hand with the demo's people."""
    write_people(folder / "people.json")
    return PeopleSite(TableStory({1: 100, 3: 100, 5: 100}).start().deal(), folder / "people.json")


async def test_each_of_them_signs_in_with_the_printed_pin(tmp_path: Path) -> None:
    """By number, each in an own role, whom a later demo in the same folder leaves as they are."""
    site = site_of(tmp_path)
    before = load_roster(site.file)
    assert roster_problem(site.file) == ""
    write_people(site.file)
    assert load_roster(site.file) == before
    for person, line in zip(PEOPLE, people_lines().splitlines(), strict=True):
        role, _, number, _, pin, name = line.split()
        async with site.browser() as browser:
            answer = await browser.post("/api/v1/session", json={"number": number, "pin": pin})
        assert answer.json()["person"] == {"name": name, "role": role} == {"name": person.name, "role": person.role.value}


async def test_the_simulated_dealer_signs_in_again_when_the_table_forgot_her(tmp_path: Path) -> None:
    """As after a start of the controller; and she notices that somebody took over."""
    signs_in = SignsIn()
    for _ in range(2):
        site = site_of(tmp_path)
        async with httpx.AsyncClient(transport=site.transport, base_url="http://table", auth=signs_in) as client:
            wheel = HttpWheel(client, "simulated-dealer", SIMULATED_DEALER.name, signs_in.console)
            assert await wheel.drives()
            assert site.told.state.wheel[0].person == SIMULATED_DEALER.name
            ines, fay = await site.at_desk("Ines"), await site.at_desk("Fay")
            for person, drives in ((ines, True), (fay, False)):  # in her hand the floor must take part
                await person.post("/api/v1/wheel", json={"console": "x", "name": "x"})
                assert await wheel.drives() is drives
                await person.aclose()


async def test_her_console_gets_the_consents_that_a_void_takes(tmp_path: Path) -> None:
    """As when an earlier demo left a hand open: two people agree, and the record names them."""
    site = site_of(tmp_path)
    async with httpx.AsyncClient(transport=site.transport, base_url="http://table", auth=SignsIn()) as client:
        console = AgreedConsole(client, rng=random.Random(1), speed=20.0)
        snapshot = await console.snapshot()
        answer = await console.send({"type": "void_hand", "reason": "left open"}, decision=None, seq=snapshot["seq"])
    assert answer["ok"], answer
    assert site.told.hand.over
