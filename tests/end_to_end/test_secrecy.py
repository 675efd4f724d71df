"""No card is told before it is public: everything published and answered in 200 hands, read against the world's own truth."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from support.table_runs import Recorder, journal_bodies, playing, started, subscribed

from controller.console.http import make_api
from controller.demo import Demo, DemoPlan
from controller.journal.files import JOURNAL_FILE
from controller.mqtt.ports import Message
from controller.rehearsal import FAST, Play, Rehearsal, memory_rehearsal
from controller.simulate.secrets import Listener, Truth, cards_in
from simulators.console import HttpConsole
from simulators.felt import FULL_DECK, Felt
from simulators.habits import DealerStats, rebuy
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN, make_tags
from simulators.virtual_time import run_virtual

HANDS: Final = 50
"""Hands of one run on virtual time; there are four runs."""
BUY_IN: Final = 300
FOUR_SEATS: Final = {line: NINETEEN[line] for line in ("felt-a", "felt-b", "felt-e")}
"""Less to scan, so that 200 hands do not take minutes."""


class Overhearer(Recorder):
    """A subscriber to every topic that reads at once."""

    def __init__(self, listener: Listener) -> None:
        super().__init__("#")
        self._listener = listener

    def on_message(self, message: Message) -> None:
        self._listener.hear(message.topic, message.payload, asyncio.get_running_loop().time())


class Overheard(httpx.AsyncBaseTransport):
    """HTTP to the table. Each answer is read, and the dealer's presses tell who folds, who shows and when a hand starts."""

    def __init__(self, inner: httpx.AsyncBaseTransport, listener: Listener, truth: Truth) -> None:
        self._inner = inner
        self._listener = listener
        self._truth = truth

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        now = asyncio.get_running_loop().time
        command = json.loads(request.content)["command"] if request.method == "POST" else {"type": ""}
        if command["type"] == "table_hand":
            self._truth.tabled(command["seat"], now())
        elif command["type"] == "act" and command["verb"] == "fold":
            self._truth.folded(command["seat"])
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        if command["type"] == "start_hand" and response.is_success:
            self._truth.started(now())
        self._listener.hear(request.url.path, body, now())
        return httpx.Response(response.status_code, headers=response.headers, content=body, request=request)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def rehearse(
    rehearsal: Rehearsal, broker: MemoryBroker, seats: Mapping[int, Any], seed: int
) -> tuple[DealerStats, Listener]:
    """Hands dealt over HTTP on virtual time, with somebody who reads all topics, all answers and the journal."""
    rng = random.Random(seed)
    truth = Truth(rehearsal.devices.felt)
    listener = Listener(truth, rehearsal.tags)
    async with rehearsal.opened() as app:
        overhearing = asyncio.create_task(MemoryClient(broker, "overhearer", Overhearer(listener)).run())
        api = httpx.ASGITransport(make_api(app.desk, app.readiness, "test", app.reports))
        async with httpx.AsyncClient(transport=Overheard(api, listener, truth), base_url="http://table") as client:
            players = {seat: RandomPlayer(random.Random(rng.getrandbits(64)), 0.3, 0.6, free_fold=0.05) for seat in seats}
            stats = await rehearsal.deal(
                app,
                players,
                ShuffledPackets(random.Random(seed)),
                hands=HANDS,
                console=HttpConsole(client, rng=rng, speed=FAST),
                before_hand=rebuy(BUY_IN),
            )
            await client.get("/readyz")
            await client.get("/api/v1/devices")
        overhearing.cancel()
        await asyncio.gather(overhearing, return_exceptions=True)
        listener.read_journal(body for _, body in app.journal.read(1))
    return stats, listener


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("variant", "seats", "seed"), [("stud", 3, 1), ("stud", 4, 2), ("stud8", 3, 3), ("razz", 4, 4)])
def test_fifty_hands_tell_no_card_before_it_is_public(
    variant: str, seats: int, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every message on every topic, every answer over HTTP, every line of the logs and every clear field of the journal."""
    caplog.set_level(logging.DEBUG)
    for noisy in ("asyncio", "httpx", "httpcore"):
        caplog.set_level(logging.WARNING, logger=noisy)
    sitting = {seat: (f"Player {seat}", BUY_IN) for seat in range(1, seats + 1)}
    play = Play(variant=variant, seats=sitting, rules={"table.max_seats": "4"})
    broker = MemoryBroker()
    rehearsal = memory_rehearsal(play, seed=seed, broker=broker, wiring=FOUR_SEATS)
    stats, listener = run_virtual(rehearse(rehearsal, broker, play.seats, seed), max_seconds=36_000.0)
    assert (stats.hands, stats.voided) == (HANDS, 0)
    assert listener.leaks == []
    assert listener.read > HANDS * 100
    assert listener.cards_seen > HANDS * 20, "up cards and tabled hands were told"
    logged = [record.getMessage() for record in caplog.records]
    assert [line for line in logged if any(cards_in(line)) or any(uid in line for uid in rehearsal.tags.values())] == []


@pytest.mark.ports
def test_five_hands_over_a_real_broker_tell_no_card_before_it_is_public(tmp_path: Path) -> None:
    """The same over sockets, with the controller in its own process: topics, answers, its log, and the bytes of its journal."""
    listeners: list[Listener] = []

    async def run(demo: Demo) -> None:
        async with started(demo):
            truth = Truth(demo.devices.felt, old_s=1.0)  # a loaded machine may deliver late
            listener = Listener(truth, make_tags(random.Random(demo.plan.seed)))
            listeners.append(listener)
            parts = demo._started
            assert parts.client is not None
            await parts.client.aclose()
            parts.client = httpx.AsyncClient(base_url=demo.http, transport=Overheard(httpx.AsyncHTTPTransport(), listener, truth))
            async with subscribed(demo.mqtt, Overhearer(listener), "overhearer"), playing(demo) as play:
                await play
                await asyncio.sleep(0.3)
            listener.read_journal(body for _, body in journal_bodies(demo.data))

    demo = Demo(DemoPlan(tmp_path, hands=5, seed=12, fast=True, seats=4))
    asyncio.run(run(demo))
    assert demo.stats.hands == 5
    assert listeners[0].leaks == []
    assert listeners[0].cards_seen > 100
    tags = make_tags(random.Random(12)).values()
    written = b"".join(path.read_bytes() for path in demo.data.glob(f"{JOURNAL_FILE}*"))
    log = (tmp_path / "controller.log").read_text()
    for uid in tags:
        assert uid.encode() not in written
        assert uid.lower().encode() not in written
        assert bytes.fromhex(uid) not in written
        assert uid not in log
    assert list(cards_in(log)) == []


def test_the_reader_finds_what_is_told_too_early() -> None:
    """The check itself: a down card, a burn, a ghost's card, an old hand's card and a tag are found; public ones are not."""
    tags = make_tags(random.Random(1))
    felt = Felt(tags, ["seat/1/down", "seat/1/up", "seat/2/up", "burn", "community"])
    truth = Truth(felt)
    listener = Listener(truth, tags)
    felt.load(FULL_DECK, at=1.0)
    truth.started(1.5)
    felt.draw(at=2.0)
    felt.move("2c", "seat/1/down", origin="hand", at=2.0)
    felt.draw(at=3.0)
    felt.move("3c", "seat/1/up", origin="hand", at=3.0)
    truth.folded(2)
    felt.draw(at=4.0)
    felt.move("4c", "seat/2/up", origin="hand", at=4.0)
    felt.draw(at=5.0)
    felt.move("5c", "burn", origin="hand", at=5.0)
    listener.hear("public", b'{"up": ["3c"], "at": "2026-01-01T00:00:05Z"}', 5.0)
    assert listener.leaks == []
    for told in (
        '{"card": "2c"}',
        '{"text": "the burn was 5\u2663"}',
        "4c",
        '["3c", "2C"]',
        f'{{"tag": "{tags["2c"].lower()}"}}',
    ):
        before = len(listener.leaks)
        listener.hear("x", told, 5.0)
        assert len(listener.leaks) == before + 1, told
    listener.hear("x", '{"card": "3c"}', 2.5)
    assert len(listener.leaks) == 6
    truth.tabled(1, 6.0)
    listener.hear("x", '["2c", "3c"]', 6.0)
    assert len(listener.leaks) == 6
    listener.read_journal(
        [{"type": "DeckInShoe", "cards": 52}, {"type": "BurnMade", "card": "5c"}, {"type": "T", "sealed": "2d/9"}]
    )
    assert len(listener.leaks) == 7
