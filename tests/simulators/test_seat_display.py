"""The simulated seat display against the table's publisher: it tells the truth, and its lies are found out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from hypothesis import given, settings
from support.mqtt_samples import TOPICS, Journal, publisher, seat_view, snapshot
from support.seat_views import views

from controller.displays.publisher import DisplayPublisher
from controller.mqtt.compact import compact_of
from controller.mqtt.payloads import SeatView
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.seat_display import SimulatedDisplays, line_of
from simulators.virtual_time import run_virtual

Story = Callable[[MemoryBroker, DisplayPublisher, SimulatedDisplays], Coroutine[Any, Any, None]]


def at_table(story: Story) -> None:
    async def whole() -> None:
        broker, served, displays = MemoryBroker(), publisher(Journal()), SimulatedDisplays(TOPICS.root, (3, 4))
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run())
            for name, handler in (("displays", displays), ("table", served))
        ]
        served.offer(snapshot(7))
        await asyncio.sleep(3)
        await story(broker, served, displays)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run_virtual(whole(), max_seconds=300)


def alarms(broker: MemoryBroker) -> list[str]:
    return [name.rpartition("/")[2] for name, payload in broker.retained.items() if "/alarms/" in name and payload]


def health(served: DisplayPublisher) -> dict[str, str]:
    return {name: device.health.value for name, device in served.displays.items()}


@given(views())
@settings(max_examples=50, deadline=None)
def test_its_line_is_the_table_s(view: SeatView) -> None:
    """Two programs that share nothing but the guide make the same line of any picture."""
    compact = compact_of(view)
    assert line_of(compact.model_dump(mode="json")) == compact.line()


def test_a_good_display_raises_nothing_over_changes() -> None:
    """It follows each picture and stands as ok."""

    async def story(broker: MemoryBroker, served: DisplayPublisher, displays: SimulatedDisplays) -> None:
        for seq in range(8, 20):
            served.offer(snapshot(seq, seats={n: seat_view(n, seq, to_call=seq) for n in (3, 4)}))
            await asyncio.sleep(0.7)
        assert displays.displays[4].shown == displays.displays[4].sent
        assert alarms(broker) == []
        assert health(served) == {"display-3-simulated": "ok", "display-4-simulated": "ok"}

    at_table(story)


def test_a_liar_is_found_out_and_forgiven() -> None:
    """An amount, a card, a turn that are not: the alarm of that seat alone, until it is mended."""

    async def story(broker: MemoryBroker, served: DisplayPublisher, displays: SimulatedDisplays) -> None:
        for lie in ({"call": 4}, {"up": [["As"]]}, {"state": "wait"}, {"seat": 3}):
            displays.displays[4].lie(**lie)
            await asyncio.sleep(1.5)
            assert alarms(broker) == ["display_4"]
            displays.displays[4].mend()
            await asyncio.sleep(1.5)
            assert alarms(broker) == []

    at_table(story)


def test_a_frozen_display_is_behind_as_soon_as_the_picture_has_moved_on() -> None:
    """While nothing changes it shows the right thing; two seconds after a change it does not."""

    async def story(broker: MemoryBroker, served: DisplayPublisher, displays: SimulatedDisplays) -> None:
        displays.displays[4].freeze()
        await asyncio.sleep(5)
        assert alarms(broker) == []
        served.offer(snapshot(8, seats={n: seat_view(n, 8, to_call=5) for n in (3, 4)}))
        await asyncio.sleep(4)
        assert alarms(broker) == ["display_4"]
        displays.displays[4].mend()
        await asyncio.sleep(1.5)
        assert alarms(broker) == []

    at_table(story)


def test_a_dark_display_is_lost() -> None:
    """The alarm of its seat stands, and of no other; the others live on."""

    async def story(broker: MemoryBroker, served: DisplayPublisher, displays: SimulatedDisplays) -> None:
        displays.displays[4].go_dark()
        await asyncio.sleep(8)
        assert health(served) == {"display-3-simulated": "ok", "display-4-simulated": "lost"}
        assert alarms(broker) == ["display_4"]

    at_table(story)


def test_a_display_whose_broker_is_gone_claims_nothing() -> None:
    """After two seconds it shows no amounts and says nothing; with the broker it comes back by itself."""

    async def story(broker: MemoryBroker, served: DisplayPublisher, displays: SimulatedDisplays) -> None:
        broker.stop()
        await asyncio.sleep(2.5)
        now = asyncio.get_running_loop().time()
        assert displays.displays[4].echo(now) is None
        broker.start()
        await asyncio.sleep(4)
        assert displays.displays[4].echo(asyncio.get_running_loop().time()) is not None
        assert alarms(broker) == []

    at_table(story)
