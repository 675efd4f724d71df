"""The gateway between the seats' topics and their pages."""

from __future__ import annotations

import asyncio

import pytest
from support.mqtt_samples import TOPICS, Arrived, Journal, arrived, public_view, publisher, seat_view, snapshot

from controller.console.seat_gateway import MAX_ECHOES, SeatGateway
from controller.mqtt.compact import Echo, compact_of
from controller.mqtt.payloads import SeatView
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.virtual_time import run_virtual


def stacks(gateway: SeatGateway) -> dict[int, int]:
    return {seat: stream.screen["stack"] for seat, stream in gateway.streams.items() if stream.screen is not None}


async def test_each_page_shows_its_own_topic_and_no_other() -> None:
    """A picture of seat 3 on the topic of seat 4 is shown nowhere, nor is anything of another topic."""
    gateway = SeatGateway(TOPICS)
    assert set(gateway.subscriptions()) == {TOPICS.seat(seat) for seat in range(1, 9)}
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(3)))
    for topic in (TOPICS.public, TOPICS.compact(4), TOPICS.status, "other/topic", TOPICS.seat(9)):
        gateway.on_message(arrived(topic, seat_view(4)))
    assert stacks(gateway) == {}
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4)))
    gateway.on_message(arrived(TOPICS.seat(3), seat_view(3)))
    assert stacks(gateway) == {3: 79, 4: 296}


async def test_older_numbers_and_nonsense_are_passed_over() -> None:
    """A zombie's picture, one that came late, one that fits no schema."""
    gateway = SeatGateway(TOPICS)
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 9, epoch=3, to_call=1)))
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 8, epoch=3, to_call=2)))
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 99, epoch=2, to_call=3)))
    gateway.on_message(arrived(TOPICS.seat(4), public_view(99)))
    gateway.on_message(Arrived(TOPICS.seat(4), b"\xff{"))
    screen = gateway.streams[4].screen
    assert screen is not None
    assert screen["call"] == 1
    gateway.on_message(Arrived(TOPICS.seat(4), b""))
    assert gateway.streams[4].screen is None


@pytest.mark.parametrize("kept", [True, False])
async def test_what_the_broker_had_kept_is_shown_and_is_not_live(kept: bool) -> None:
    """The page's age begins with the first message that was sent now."""
    gateway = SeatGateway(TOPICS)
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4), retain=kept))
    frames = gateway.streams[4].frames()
    await anext(frames)
    assert (b'"age":null' in await anext(frames)) is kept
    await frames.aclose()


async def test_the_same_picture_is_checked_and_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each second the table sends it again with a newer number: the page lives on by that, and nothing is read anew."""
    gateway, checked = SeatGateway(TOPICS), list[int]()
    check = SeatView.model_validate_json
    monkeypatch.setattr(SeatView, "model_validate_json", lambda payload: checked.append(len(payload)) or check(payload))
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 7), retain=True))
    frames = gateway.streams[4].frames()
    told = [await anext(frames) for _ in range(2)]
    for seq in (8, 9):
        gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, seq)))
        told.append(await anext(frames))
    assert len(checked) == 1
    assert [b"event: beat" in frame and b'"age":0' in frame for frame in told] == [False, False, True, True]
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 8, to_call=5)))  # older, and another one
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 6)))  # older, and the same
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 10, to_call=6)))
    assert b'"call":6' in await anext(frames)
    gateway.on_message(Arrived(TOPICS.seat(4), b""))
    gateway.on_message(arrived(TOPICS.seat(4), seat_view(4, 11, to_call=6)))
    assert stacks(gateway) == {4: 296}
    await frames.aclose()


def test_what_pages_say_goes_to_the_broker_and_is_judged() -> None:
    """A page that shows what was published is a live display; one that does not raises the alarm of its seat."""

    async def story() -> None:
        broker, served, gateway = MemoryBroker(), publisher(Journal()), SeatGateway(TOPICS)
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run()) for name, handler in (("g", gateway), ("t", served))
        ]
        served.offer(snapshot(7))
        await asyncio.sleep(2)
        digest = compact_of(seat_view(4)).digest()
        gateway.say(Echo(seat=4, epoch=2, seq=7, digest=digest, display="page-1"))
        gateway.say(Echo(seat=3, epoch=2, seq=7, digest=digest, display="page-2"))
        await asyncio.sleep(1)
        assert {name: device.health.value for name, device in served.displays.items()} == {
            "display-3-page-2": "degraded",
            "display-4-page-1": "ok",
        }
        assert [name for name in broker.retained if "/alarms/" in name] == [TOPICS.alarm("display_3")]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run_virtual(story(), max_seconds=60)


def test_echoes_that_cannot_be_sent_are_bounded_and_the_newest_of_each() -> None:
    """Without a broker nothing grows."""

    async def story() -> None:
        gateway, sent = SeatGateway(TOPICS), list[tuple[str, bytes]]()
        for seq in range(5):
            for number in range(2 * MAX_ECHOES):
                gateway.say(Echo(seat=4, epoch=2, seq=seq, digest="00000000", display=f"d{number}"))

        class Link:
            async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
                assert (retain, qos) == (False, 0)
                sent.append((topic, payload))

        running = asyncio.create_task(gateway.run_session(Link()))
        await asyncio.sleep(1)
        running.cancel()
        await asyncio.wait([running])
        assert len(sent) == MAX_ECHOES
        assert {Echo.model_validate_json(payload).seq for _, payload in sent} == {4}

    run_virtual(story(), max_seconds=10)
