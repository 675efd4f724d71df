"""Kill the controller again and again while its devices and people live on: nothing is lost, nothing happens twice."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from support.table_runs import journal_bodies, playing, started, stud_table, until

from controller.demo import Demo, DemoPlan
from controller.journal.sealing import load_or_create_table_key
from controller.journal.store import JournalStore
from controller.table.keyring import Keyring
from controller.table.opening import rebuild
from controller.table.records import table_codec
from controller.table.state import TableState
from simulators.felt import HAND, PACKET, SHOE

pytestmark = pytest.mark.ports

KILLS: Final = 12
DARK_EVERY: Final = 4
"""Of so many kills one comes while cards are dealt, and the shoe gives some before its gate closes for want of a controller."""
LIVE_AGAIN_S: Final = 20.0
"""Longest real time from a start to ``live``; it takes about two seconds on a free machine."""
SETTLE_S: Final = 1.0
"""Real seconds, twenty times as many at the table, in which readers have seen everything that lies there."""


async def status(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/api/v1/snapshot")
    found: dict[str, Any] = answer.json()
    return found


async def live_again(client: httpx.AsyncClient, *, within_s: float = LIVE_AGAIN_S) -> float:
    """Seconds until the table is live; fails with what the screen says instead."""
    began = time.monotonic()
    while (snapshot := await status(client))["status"] != "live":
        if time.monotonic() - began > within_s:
            pytest.fail(f"not live after {within_s} s: {snapshot['status']}, {snapshot['step']}, {snapshot['devices']}")
        await asyncio.sleep(0.02)
    return time.monotonic() - began


def rebuilt(data: Path) -> TableState:
    """The table as a controller would find it, with its own keys."""
    store = JournalStore.open(data, table="T1", journal_id="00000000", created="2026-01-01T00:00:00Z")
    try:
        keyring = Keyring(load_or_create_table_key(data / "keys" / "table.key"), table="T1", journal_id=store.origin.journal)
        keyring.unwrap(store.hand_keys())
        assert keyring.blind == ()
        return rebuild(store.events(), table_codec(), keyring)
    finally:
        store.close()


def acted_twice(bodies: list[tuple[int, Any]]) -> list[str]:
    """Command keys with more than one answer."""
    keys = Counter(body["key"] for _, body in bodies if body["type"] == "CommandAnswered")
    return [key for key, count in keys.items() if count > 1]


def cards_still_due(demo: Demo, snapshot: dict[str, Any]) -> list[str]:
    """Where the cards of this street go that have not left the shoe; none while its gate is closed."""
    step, felt = snapshot["step"], demo.devices.felt
    if step["kind"] != "deal" or not demo.devices.shoe.is_gate_open:
        return []
    return [felt.resolve(place) for place in step["plan"][int(snapshot["hand"]["stub"]) - felt.count(SHOE) :]]


async def kill_in_the_deal(demo: Demo, client: httpx.AsyncClient, rng: random.Random) -> int:
    """Kill while the gate is open, and draw on; some cards are laid too, the last may stay in the dealer's hand. Cards drawn."""
    await live_again(client)
    due: list[str] = []
    while not due:
        due = cards_still_due(demo, await status(client))
        await asyncio.sleep(0)
    demo.kill_controller()  # from here to the end nothing else runs in this process
    felt, now = demo.devices.felt, asyncio.get_running_loop().time()
    drawn = 0
    for place in due[: rng.randint(1, 3)]:
        if felt.count(HAND) or demo.devices.shoe.draw() is None:
            break
        card = felt.draw(at=now)
        drawn += 1
        if rng.random() < 0.7:
            felt.move(card, place, origin=HAND, at=now)
    return drawn


async def kill_and_start(demo: Demo, rng: random.Random) -> float:
    """Kill at a random moment: in play, right after a start, or while the controller still starts. Seconds until live again."""
    async with httpx.AsyncClient(base_url=demo.http) as client:
        if rng.random() < 0.8:
            await live_again(client)
            await asyncio.sleep(rng.uniform(0.0, 1.0))
        else:
            await asyncio.sleep(rng.uniform(0.0, 0.4))
        demo.kill_controller()
        await demo.start_controller()
        return await live_again(client)


async def kill_in_the_deal_and_start(demo: Demo, rng: random.Random) -> tuple[float, int]:
    """The same in the middle of the deal. Seconds until live again, and cards that left the shoe in the dark."""
    async with httpx.AsyncClient(base_url=demo.http) as client:
        drawn = await kill_in_the_deal(demo, client, rng)
        await demo.start_controller()
        return await live_again(client), drawn


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kills", [KILLS, pytest.param(200, marks=pytest.mark.long)])
def test_kills_lose_nothing(kills: int, tmp_path: Path) -> None:
    """SIGKILLs at random moments of one demo, each followed by a start on the same data; at some the shoe gives cards meanwhile.

    Every time the table is live again within seconds; hands go on, ``verify`` holds, no command acts twice, and where the
    journal says that a card lies, it lies.
    """
    seed = int(os.environ.get("STUD_TABLE_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"STUD_TABLE_SEED={seed}")
    rng = random.Random(seed)
    demo = Demo(DemoPlan(tmp_path, seed=seed, variant=rng.choice(("stud", "stud8", "razz")), fast=True))

    dark: list[int] = []

    async def run() -> list[float]:
        waits: list[float] = []
        async with started(demo), playing(demo) as play:
            for number in range(kills):
                if number % DARK_EVERY == DARK_EVERY - 1:
                    wait, drawn = await kill_in_the_deal_and_start(demo, rng)
                    waits.append(wait)
                    dark.append(drawn)
                else:
                    waits.append(await kill_and_start(demo, rng))
                assert not play.done()
            before = demo.stats.hands
            await until(lambda: demo.stats.hands > before + 1, within_s=30)
            demo.stop_dealing()
            await play
            await asyncio.sleep(SETTLE_S)
        return waits

    waits = asyncio.run(run())
    print(f"{kills} kills, {sum(dark)} cards in the dark at {len(dark)} of them")
    print(f"live again after {sum(waits) / len(waits):.2f} s on average, {max(waits):.2f} s at most; {demo.stats}")
    result = demo.result(demo.stats)
    assert result.ok, result.audit.reason
    assert result.voided == 0
    assert demo.stats.hands >= 2
    bodies = journal_bodies(demo.data)
    assert sum(body["type"] == "ControllerStarted" for _, body in bodies) == kills + 1
    assert any(dark), "in some of the dark cards were drawn; in which is up to the moment"
    assert acted_twice(bodies) == []
    assert stud_table("verify", demo.data, "--json").returncode == 0
    told_truth(demo, rebuilt(demo.data))


def told_truth(demo: Demo, state: TableState) -> None:
    """The journal's custody is the felt's and the shoe's, card for card."""
    felt, held = demo.devices.felt, state.custody
    lies = {card.text: str(place) for card, place in held.lying.items()}
    assert lies == {card: place for place in felt.places for card in felt.cards_at(place)}
    assert (held.in_shoe, felt.count(PACKET)) == (felt.count(SHOE), 0)
    in_hand = [flight.card.text for flight in held.flights if flight.card is not None and flight.card not in held.lying]
    assert in_hand == list(felt.cards_at(HAND))
    assert held.accounted == 52
    assert state.chips_conserved
