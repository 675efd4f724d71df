"""Events before views: a drafted snapshot is drawn when its events are out."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.mqtt_samples import AT, TOPICS, Calls, Journal, event, public_view, publisher, snapshot

from controller.displays.publisher import DisplayPublisher
from controller.displays.snapshot import Draft, Snapshot
from controller.mqtt.payloads import BackfillReply, BackfillRequest, PublicEvent, SnapshotReply, SnapshotRequest, TableStatus
from simulators.virtual_time import run_virtual

SENDING_S = 0.01


@dataclass
class Link:
    """A connection on which each message takes a while."""

    topics: list[str] = field(default_factory=list)
    payloads: list[dict[str, Any]] = field(default_factory=list)

    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
        self.topics.append(topic.removeprefix(TOPICS.root + "/"))
        self.payloads.append(json.loads(payload))
        await asyncio.sleep(SENDING_S)


@dataclass
class Drawing:
    """Drafts and how often they were drawn."""

    drawn: list[int] = field(default_factory=list)

    def draft(self, seq: int, *events: PublicEvent) -> Draft:
        def draw() -> Snapshot:
            self.drawn.append(seq)
            return snapshot(seq, public=public_view(seq, raises=seq))

        return Draft(seq, 2, AT, TableStatus.LIVE, events, draw)


@dataclass(frozen=True)
class Message:
    topic: str
    payload: bytes
    retain: bool = False


async def started(served: DisplayPublisher, link: Link) -> asyncio.Task[None]:
    session = asyncio.create_task(served.run_session(link))
    await asyncio.sleep(0.5)
    link.topics.clear()
    link.payloads.clear()
    return session


async def stopped(session: asyncio.Task[None]) -> None:
    session.cancel()
    await asyncio.wait([session])


def test_a_card_is_told_before_any_view() -> None:
    """The event is the first message after the status; public view and seats follow, drawn once."""

    async def story() -> None:
        served, link, drawing = publisher(Journal(), Calls()), Link(), Drawing()
        session = await started(served, link)
        served.offer(drawing.draft(7, event(7)))
        assert drawing.drawn == []
        await served.drained()
        assert [topic for topic in link.topics if topic != "status"][:2] == ["events", "public"]
        assert drawing.drawn == [7]
        await stopped(session)

    run_virtual(story(), max_seconds=60)


def test_views_give_way_to_an_event() -> None:
    """While views are sent a card is dealt: it waits for one message at most, and the newest views follow."""

    async def story() -> None:
        served, link, drawing = publisher(Journal(), Calls()), Link(), Drawing()
        session = await started(served, link)
        served.offer(drawing.draft(7))
        await asyncio.sleep(2.5 * SENDING_S)
        before = len(link.topics)
        served.offer(drawing.draft(8, event(8)))
        await served.drained()
        later = [topic for topic in link.topics[before:] if topic != "status"]
        assert later[:2] == ["events", "public"]
        assert link.payloads[link.topics.index("public", before)]["seq"] == 8
        await stopped(session)

    run_virtual(story(), max_seconds=60)


def test_a_draft_that_a_newer_one_replaces_is_never_drawn() -> None:
    """Only the newest picture is drawn; every event is sent."""

    async def story() -> None:
        served, link, drawing = publisher(Journal(), Calls()), Link(), Drawing()
        session = await started(served, link)
        served.offer(drawing.draft(7, event(7)))
        served.offer(drawing.draft(8, event(8)))
        await served.drained()
        assert drawing.drawn == [8]
        assert [payload["seq"] for payload, topic in zip(link.payloads, link.topics, strict=True) if topic == "events"] == [7, 8]
        await stopped(session)

    run_virtual(story(), max_seconds=60)


def test_an_asker_gets_the_drafted_picture() -> None:
    """Snapshot and backfill replies tell the newest committed number, whether its views are drawn already or not."""

    async def story() -> None:
        journal, link, drawing = Journal(), Link(), Drawing()
        served = publisher(journal, Calls())
        session = await started(served, link)
        stamp: dict[str, Any] = {"seq": 0, "epoch": 0, "at": AT}
        served.offer(drawing.draft(7, *journal.commit(event(7))))
        for asked, topic in (
            (SnapshotRequest(**stamp, request="s"), TOPICS.request_snapshot),
            (BackfillRequest(**stamp, request="b", from_seq=1), TOPICS.request_backfill),
        ):
            served.on_message(Message(topic, asked.model_dump_json().encode()))
        await served.drained()
        replies = dict(zip(link.topics, link.payloads, strict=True))
        found = SnapshotReply.model_validate(replies["reply/s"])
        assert found.seq == 7
        assert found.public is not None
        assert found.public.seq == 7
        page = BackfillReply.model_validate(replies["reply/b"])
        assert (page.seq, [told.seq for told in page.events]) == (7, [7])
        await stopped(session)

    run_virtual(story(), max_seconds=60)


def test_a_draft_is_checked_as_a_snapshot_is() -> None:
    """Neither another epoch nor a number that goes back is taken."""

    async def story() -> None:
        served, drawing = publisher(Journal(), Calls()), Drawing()
        served.offer(drawing.draft(7))
        with pytest.raises(ValueError, match="offered after 7"):
            served.offer(drawing.draft(6))
        with pytest.raises(ValueError, match="epoch 3"):
            served.offer(Draft(8, 3, AT, TableStatus.LIVE, (), lambda: snapshot(8)))

    run_virtual(story(), max_seconds=60)
