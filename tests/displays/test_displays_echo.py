"""Displays say what they show, and the table compares: beats, echoes, alarms, and nothing that a stranger could command."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest
from support.mqtt_samples import AT, TOPICS, Journal, alarm, publisher, seat_view, snapshot
from test_displays_publisher import Scene, scene, virtual

from controller.displays.echo import BEHIND_S, EXPECT_S, FORGET_S, MAX_DISPLAYS, SILENT_S, EchoWatch
from controller.mqtt.compact import ECHO_BYTES, Echo, compact_of
from controller.mqtt.payloads import DeviceHealth
from controller.words.catalogue import Language, text
from simulators.virtual_time import run_virtual


@dataclass(frozen=True)
class Arrived:
    topic: str
    payload: bytes
    retain: bool = False


DIGEST = compact_of(seat_view(4)).digest()
OTHER = seat_view(4, to_call=9)


def echo(seq: int = 7, digest: str = DIGEST, **more: Any) -> bytes:
    return json.dumps({"seat": 4, "epoch": 2, "seq": seq, "digest": digest, **more}).encode()


async def say(on: Scene, payload: bytes, seat: int = 4, *, retain: bool = False) -> None:
    assert on.reader.link is not None
    await on.reader.link.publish(TOPICS.echo(seat), payload, retain=retain, qos=1)
    await asyncio.sleep(0.1)


async def say_for(on: Scene, seconds: float, payload: Callable[[], bytes]) -> None:
    for _ in range(round(seconds / 0.5)):
        await say(on, payload())
        await asyncio.sleep(0.4)


def told(story: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    """``story`` at a publisher that has shown a table."""

    async def whole() -> None:
        async with scene() as on:
            on.publisher.offer(snapshot(7))
            await on.publisher.drained()
            await story(on)

    virtual(whole)


def test_a_call_for_the_floor_is_handed_on_and_anything_else_there_is_refused() -> None:
    """By the schema, of the seat of its topic and not retained; it moves nothing that is published."""

    async def story(on: Scene) -> None:
        assert on.reader.link is not None
        wrong = [
            b"{}",
            b'{"seat":5,"call":"a"}',
            b'{"seat":4,"call":"a","verb":"fold"}',
            b'{"seat":4,"call":"' + b"a" * 99 + b'"}',
        ]
        for payload in (b"", b'{"seat":4,"call":"t-1"}', b'{"seat":4,"call":"t-1"}', *wrong):
            await on.reader.link.publish(TOPICS.call(4), payload, retain=False, qos=1)
        await asyncio.sleep(0.1)
        assert on.calls.called == [(4, "t-1"), (4, "t-1")]
        assert on.calls.refused == [TOPICS.call(4)] * len(wrong)
        assert on.retained("alarms/mqtt_command") is not None

    told(story)


def test_each_seat_s_topic_beats_every_second_with_the_newest_number() -> None:
    """The same picture with the time of now, retained, so that a display needs no other topic for its age."""

    async def story(on: Scene) -> None:
        first = on.retained("seat/4")
        on.publisher.offer(snapshot(9))
        await asyncio.sleep(5)
        beat = on.retained("seat/4")
        assert first is not None
        assert beat is not None
        assert beat["seq"] == 9
        assert beat["at"] > first["at"]
        assert {**beat, "seq": 0, "at": 0} == {**first, "seq": 0, "at": 0}
        compact = compact_of(seat_view(4, 9, at=beat["at"])).model_dump_json().encode()
        assert json.loads(on.broker.retained[TOPICS.compact(4)]).keys() == json.loads(compact).keys()
        assert 5 <= on.sent("seat/4") - 1 <= 6

    told(story)


def test_a_display_that_shows_what_it_was_sent_is_live_and_raises_nothing() -> None:
    """It stands among the devices; a display that was never heard stands nowhere."""

    async def story(on: Scene) -> None:
        await say_for(on, 8, echo)
        found = on.retained("devices/display-4-display")
        assert found is not None
        assert (found["kind"], found["health"]) == ("display", "ok")
        assert on.retained("alarms/display_4") is None
        assert not any("display-3" in name for name in on.broker.retained)

    told(story)


def test_a_display_that_shows_something_else_raises_an_alarm_that_ends_when_it_is_right() -> None:
    """At once, with its seat in both languages; other alarms stay as they are."""

    async def story(on: Scene) -> None:
        on.publisher.offer(snapshot(8, alarms={"a1": alarm("a1")}))
        await say(on, echo(7, "00000000"))
        raised = on.retained("alarms/display_4")
        assert raised is not None
        assert (raised["code"], raised["priority"], raised["place"]) == ("display_differs", 2, "seat/4")
        assert raised["text"]["en"] == text("alarm.display_differs", Language.EN, n=4)
        assert raised["text"]["fr"] == text("alarm.display_differs", Language.FR, n=4)
        assert (on.retained("devices/display-4-display") or {})["health"] == "degraded"
        await say(on, echo())
        assert on.retained("alarms/display_4") is None
        assert on.retained("alarms/a1") is not None
        assert (on.retained("devices/display-4-display") or {})["health"] == "ok"

    told(story)


def test_a_display_may_be_behind_for_two_seconds_and_no_longer() -> None:
    """It still shows the last picture: an alarm only when it goes on doing so."""

    async def story(on: Scene) -> None:
        on.publisher.offer(snapshot(8, seats={4: seat_view(4, 8, to_call=9)}))
        await say_for(on, BEHIND_S - 0.5, echo)
        assert on.retained("alarms/display_4") is None
        await say_for(on, 1.5, echo)
        assert (on.retained("alarms/display_4") or {})["code"] == "display_behind"
        await say(on, echo(8, compact_of(OTHER).digest()))
        assert on.retained("alarms/display_4") is None

    told(story)


def test_an_echo_may_follow_on_the_first_of_a_seat_s_two_topics() -> None:
    """A page that reads ``seat/4`` echoes a change or a beat before ``compact/4`` has left: that is no lie."""

    async def story() -> None:
        served, raised = publisher(Journal()), list[str]()
        digests = {seq: compact_of(seat_view(4, to_call=seq)).digest() for seq in (7, 8)}

        class Link:
            async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
                await asyncio.sleep(0.01)
                raised.extend([topic] if "/alarms/" in topic else [])
                if topic == TOPICS.seat(4):
                    said = json.loads(payload)
                    served.on_message(Arrived(TOPICS.echo(4), echo(said["seq"], digests[said["to_call"]])))

        running = asyncio.create_task(served.run_session(Link()))
        for seq in (7, 8):
            served.offer(snapshot(seq, seats={4: seat_view(4, seq, to_call=seq)}))
            await asyncio.sleep(2.5)
        served.offer(snapshot(9, seats={4: seat_view(4, 9, to_call=8)}))
        await asyncio.sleep(2.5)
        assert raised == []
        assert [device.health for device in served.displays.values()] == [DeviceHealth.OK]
        running.cancel()
        await asyncio.wait([running])

    run_virtual(story(), max_seconds=60)


def test_the_picture_of_another_seat_is_something_else() -> None:
    """Seat 4's display that shows seat 3's picture."""

    async def story(on: Scene) -> None:
        await say(on, echo(digest=compact_of(seat_view(3)).digest()))
        assert (on.retained("alarms/display_4") or {})["code"] == "display_differs"

    told(story)


@pytest.mark.parametrize("more", [{"epoch": 3}, {"seq": 8}])
def test_a_number_that_was_never_sent_is_something_else(more: dict[str, int]) -> None:
    """A later one than there is, or of a controller that does not exist."""

    async def story(on: Scene) -> None:
        await say(on, echo(**more))
        assert (on.retained("alarms/display_4") or {})["code"] == "display_differs"

    told(story)


def test_a_display_of_the_controller_before_has_two_seconds_to_catch_up() -> None:
    """What it had retained is no lie."""

    async def story(on: Scene) -> None:
        await say(on, echo(digest="00000000", epoch=1))
        assert on.retained("alarms/display_4") is None
        await say_for(on, 3, lambda: echo(digest="00000000", epoch=1))
        assert (on.retained("alarms/display_4") or {})["code"] == "display_behind"

    told(story)


def test_a_silent_display_is_not_live_and_comes_back() -> None:
    """Told among the devices."""

    async def story(on: Scene) -> None:
        await say(on, echo())
        await asyncio.sleep(SILENT_S + 2)
        assert (on.retained("devices/display-4-display") or {})["health"] == "lost"
        await say(on, echo())
        assert (on.retained("devices/display-4-display") or {})["health"] == "ok"

    told(story)


def test_an_alarm_outlives_a_short_silence_and_ends_with_a_long_one() -> None:
    """A display that lied and was unplugged is away in the end."""

    async def story(on: Scene) -> None:
        await say(on, echo(digest="00000000"))
        await asyncio.sleep(FORGET_S / 2)
        assert on.retained("alarms/display_4") is not None
        await asyncio.sleep(FORGET_S)
        assert on.retained("alarms/display_4") is None

    told(story)


def test_a_display_that_was_replaced_is_forgotten_and_a_missing_one_is_not() -> None:
    """A page that was closed stays no concern where its seat has another one; a seat's only display stays lost."""
    watch = EchoWatch(2)
    for seat in (3, 4):
        watch.sent(seat, DIGEST, 7, 0.0)
        watch.hear(Echo(seat=seat, epoch=2, seq=7, digest=DIGEST, display="old"), 1.0, AT)
    watch.hear(Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display="new"), FORGET_S + 2, AT)
    assert watch.look(FORGET_S + 2, AT)
    healths = {name: device.health.value for name, device in watch.devices(7, 2, AT).items()}
    assert healths == {"display-3-old": "lost", "display-4-new": "ok"}


@pytest.mark.parametrize(
    "payload",
    [
        b"not json",
        b'{"type": "fold", "seat": 4}',
        echo(verb="fold"),
        echo(seat=3),
        echo(digest="zz"),
        echo(display="x" * ECHO_BYTES),
    ],
)
def test_what_is_no_echo_of_its_seat_is_refused_as_a_command_is(payload: bytes) -> None:
    """Nothing changes but the alarm of commands over MQTT."""

    async def story(on: Scene) -> None:
        before = {name: body for name, body in on.broker.retained.items() if "/public" in name}
        await say(on, payload)
        assert on.calls.refused == [TOPICS.echo(4)]
        assert on.retained("alarms/mqtt_command") is not None
        assert on.retained("alarms/display_4") is None
        assert {name: body for name, body in on.broker.retained.items() if "/public" in name} == before

    told(story)


def test_a_retained_echo_is_refused() -> None:
    """It would look like a display that lives for ever. Deleting one is nothing."""

    async def story(on: Scene) -> None:
        watch = EchoWatch(2)
        watch.sent(4, DIGEST, 7, 0.0)
        await say(on, b"")
        assert on.calls.refused == []
        message = type("Kept", (), {"topic": TOPICS.echo(4), "payload": echo(), "retain": True})()
        assert watch.take(4, message, 0.0, AT) is None
        assert watch.devices(7, 2, AT) == {}

    told(story)


def test_a_silent_display_raises_the_alarm_of_its_seat_until_it_is_heard_again() -> None:
    """With what to do, in both languages; another display of the seat is enough; after a minute it is held to be away."""

    async def story(on: Scene) -> None:
        await say(on, echo())
        await asyncio.sleep(SILENT_S + 2)
        raised = on.retained("alarms/display_4") or {}
        assert (raised["code"], raised["priority"], raised["place"]) == ("display_lost", 2, "seat/4")
        assert raised["text"]["fr"] == text("alarm.display_lost", Language.FR, n=4)
        assert (on.retained("devices/display-4-display") or {})["text"] == raised["text"]
        await say(on, echo(display="other"))
        assert on.retained("alarms/display_4") is None
        await asyncio.sleep(SILENT_S + 2)
        assert on.retained("alarms/display_4") is not None
        await asyncio.sleep(FORGET_S)
        assert on.retained("alarms/display_4") is None

    told(story)


def test_a_display_that_nobody_expects_is_forgotten_after_a_minute() -> None:
    """Where the configuration names others; where it names none, it stays among the devices."""
    named, untold = EchoWatch(2, expected=()), EchoWatch(2)
    for watch in (named, untold):
        watch.sent(4, DIGEST, 7, 0.0)
        watch.hear(Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display="a"), 1.0, AT)
        watch.look(1.0 + FORGET_S, AT)
        assert list(watch.alarms(7, 2, AT)) == ["display_4"]
        watch.look(2.0 + FORGET_S, AT)
        assert watch.alarms(7, 2, AT) == {}
    assert (list(named.devices(7, 2, AT)), list(untold.devices(7, 2, AT))) == ([], ["display-4-a"])


def test_an_expected_display_is_missed_until_it_is_there() -> None:
    """Though nothing was ever heard of it; not before it had time to start, and for as long as it takes."""
    watch = EchoWatch(2, expected=(3, 4))
    watch.connected(100.0)
    for seat in (3, 4):
        watch.sent(seat, DIGEST, 7, 100.0)
    right = Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display="a")
    assert watch.hear(right, 101.0, AT)
    watch.look(100.0 + SILENT_S, AT)
    assert watch.alarms(7, 2, AT) == {}
    watch.hear(right, 100.0 + EXPECT_S, AT)
    assert watch.look(101.0 + EXPECT_S, AT)
    assert {name: alarm.code for name, alarm in watch.alarms(7, 2, AT).items()} == {"display_3": "display_lost"}
    assert watch.devices(7, 2, AT)["display-3"].health is DeviceHealth.LOST
    assert watch.hear(Echo(seat=3, epoch=2, seq=7, digest=DIGEST, display="b"), 102.0 + EXPECT_S, AT)
    assert watch.alarms(7, 2, AT) == {}
    assert list(watch.devices(7, 2, AT)) == ["display-3-b", "display-4-a"]
    watch.look(200.0 + FORGET_S, AT)
    assert list(watch.alarms(7, 2, AT)) == ["display_3", "display_4"]
    watch.connected(300.0)
    watch.look(300.0 + SILENT_S, AT)
    assert watch.alarms(7, 2, AT) == {}  # the broker was away: displays have a while to say something


def test_strangers_make_neither_the_memory_grow_nor_displays_vanish() -> None:
    """Of many names few are kept; one that speaks keeps its place, one that is silent gives it up."""
    watch = EchoWatch(2)
    watch.sent(4, DIGEST, 7, 0.0)
    for number in range(50):
        watch.hear(Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display=f"d{number}"), 1.0, AT)
        watch.hear(Echo(seat=5, epoch=2, seq=7, digest=DIGEST, display=f"d{number}"), 1.0, AT)
    assert list(watch.devices(7, 2, AT)) == [f"display-4-d{number}" for number in range(MAX_DISPLAYS)]
    watch.hear(Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display="late"), 1.0 + SILENT_S + 1, AT)
    assert "display-4-late" in watch.devices(7, 2, AT)
    assert len(watch.devices(7, 2, AT)) == MAX_DISPLAYS


def test_every_display_of_a_seat_is_judged_for_itself() -> None:
    """One that is right does not end the alarm of one that is wrong."""
    watch = EchoWatch(2)
    watch.sent(4, DIGEST, 7, 0.0)
    assert watch.hear(Echo(seat=4, epoch=2, seq=7, digest="00000000", display="a"), 1.0, AT)
    watch.hear(Echo(seat=4, epoch=2, seq=7, digest=DIGEST, display="b"), 1.0, AT)
    assert list(watch.alarms(7, 2, AT)) == ["display_4"]
    healths = {name: device.health for name, device in watch.devices(7, 2, AT).items()}
    assert healths == {"display-4-a": DeviceHealth.DEGRADED, "display-4-b": DeviceHealth.OK}
