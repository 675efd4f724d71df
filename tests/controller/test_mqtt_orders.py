"""No message over MQTT is an order: whatever lies on whichever topic that a table reads, nothing happens at the table."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from support.floor_hand import FAY, KEY
from support.houses import House

from controller.access.floor_key import key_name
from controller.access.floor_token import FloorSigner
from controller.console.seat_gateway import SeatGateway
from controller.mqtt.ports import Handler
from controller.mqtt.topics import TableTopics
from controller.rehearsal import Play
from simulators.memory_broker import MemoryClient
from simulators.rig import seat_players
from simulators.virtual_time import run_virtual

TOPICS = TableTopics("demo", "T1")
BODY = {"key": "ghost-0001", "seq": 0, "command": {"type": "pause_table", "reason": "ghost"}, "console": "floor"}
TOKEN, _ = FloorSigner(KEY, "demo", lambda: 0.0).sign("T1", FAY, None, "POST commands", json.dumps(BODY).encode(), "seq/0")
ORDERS = [
    json.dumps(BODY).encode(),
    json.dumps({**BODY, "command": {"type": "start_hand"}}).encode(),
    json.dumps({**BODY["command"], "by": "Fay", "agreed_by": "Kim"}).encode(),  # type: ignore[dict-item]
    json.dumps({"seat": 1, "call": "pause_table", **BODY}).encode(),
    json.dumps({"authorization": f"Bearer {TOKEN}", "key": key_name(KEY.public_key()), "body": BODY}).encode(),
    TOKEN.encode(),
    b"start_hand",
    b"\xff\x00",
    b"",
]


class Heard(House):
    """A house that tells which handler listens at the broker."""

    async def _serve(self, handler: Handler) -> None:
        self.handlers = [handler, SeatGateway(TOPICS)]
        await MemoryClient(self.broker, "table", handler).run()


def concrete(pattern: str) -> list[str]:
    """Topics under a filter."""
    ends, ones = ("start_hand", "pause_table/T1"), ("1", "hold", "felt-a")
    return [pattern.replace("#", end).replace("+", one) for end in ends for one in ones]


def test_no_message_on_any_topic_moves_a_table(tmp_path: Path) -> None:
    """Each filter that the table or its seats' pages subscribe to, with every form of an order, kept at the broker or not: no
    record is written, and the table plays on."""

    async def story() -> tuple[int, int, int, bool]:
        house = Heard(tmp_path, Play(seats={1: ("Ann", 100), 3: ("Bob", 100)}), seed=3)
        try:
            house.devices.start()
            app = await house.start()
            await seat_players(house.console(), house.play.seats)
            await asyncio.sleep(2)
            before = app.journal.last_seq
            filters = [pattern for handler in house.handlers for pattern in handler.subscriptions()]
            topics = sorted({topic for pattern in filters for topic in concrete(pattern)})
            for topic in topics:
                for payload in ORDERS:
                    for retain in (False, True):
                        house.broker.inject(topic, payload, retain=retain)
                await asyncio.sleep(0)
            await asyncio.sleep(1)
            after = app.journal.last_seq
            hands = (await house.deal(1)).hands
            return len(topics), after - before, hands, app.table.state.paused == ""
        finally:
            await house.close()

    topics, records, hands, open_still = run_virtual(story(), max_seconds=3_000)
    assert topics > 40
    assert (records, hands, open_still) == (0, 1, True)
