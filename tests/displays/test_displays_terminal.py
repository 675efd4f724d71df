"""The display in a terminal: what it takes for true and how old its picture is."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import dataclass
from random import Random

import pytest
from rich.console import Console
from support.mqtt_samples import AT, TOPICS, Journal, Listener, event, public_view, publisher, seat_view, snapshot

from controller.displays import terminal
from controller.displays.terminal import Picture, watch, watch_events
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.compact import Echo, compact_of
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import Payload, SeatView, StatusPayload, TableStatus
from controller.words.catalogue import Language
from drivers.clock import LoopClock
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.virtual_time import run_virtual

CLOCK = LoopClock(AT)


@dataclass(frozen=True)
class Arrived:
    topic: str
    payload: bytes
    retain: bool = False


def arrived(topic: str, payload: Payload, *, retain: bool = False) -> Arrived:
    return Arrived(topic, payload.model_dump_json().encode(), retain)


def status(epoch: int = 2, said: TableStatus = TableStatus.LIVE) -> StatusPayload:
    return StatusPayload(seq=9, epoch=epoch, at=AT, status=said)


async def test_smaller_epochs_and_older_views_are_dropped() -> None:
    """A zombie's picture and a picture that came late do not replace the newest one."""
    picture = Picture(TOPICS, clock=CLOCK)
    picture.on_message(arrived(TOPICS.public, public_view(9, epoch=2)))
    picture.on_message(arrived(TOPICS.public, public_view(8, epoch=2)))
    picture.on_message(arrived(TOPICS.public, public_view(99, epoch=1)))
    picture.on_message(arrived(TOPICS.status, status(1, TableStatus.LOST)))
    assert picture.view == public_view(9, epoch=2)
    assert picture.status is TableStatus.STARTING
    picture.on_message(arrived(TOPICS.public, public_view(1, epoch=3)))
    assert picture.view == public_view(1, epoch=3)


async def test_what_was_retained_is_no_sign_of_life() -> None:
    """A kept picture is shown, but it is not live before something new comes; a last will never is."""
    picture = Picture(TOPICS, clock=CLOCK)
    picture.on_message(arrived(TOPICS.public, public_view(), retain=True))
    picture.on_message(arrived(TOPICS.status, status(), retain=True))
    picture.on_message(arrived(TOPICS.status, status(said=TableStatus.LOST)))
    assert picture.view is not None
    assert picture.age_s is None
    picture.on_message(arrived(TOPICS.status, status()))
    assert picture.age_s == pytest.approx(0, abs=0.5)


async def test_a_seat_s_display_takes_its_age_from_its_own_topic_alone() -> None:
    """A table that says that it lives while this seat's topic is silent leaves this picture as old as it is."""
    picture = Picture(TOPICS, clock=CLOCK, seat=4)
    picture.on_message(arrived(TOPICS.seat(4), seat_view(), retain=True))
    picture.on_message(arrived(TOPICS.status, status()))
    assert picture.age_s is None
    picture.on_message(arrived(TOPICS.seat(4), seat_view(seq=124)))
    assert picture.age_s == pytest.approx(0, abs=0.5)


def test_a_seat_s_display_says_what_it_shows_while_it_is_live() -> None:
    """The table knows it by its name and agrees; when the broker is dead nothing is claimed."""

    async def story() -> None:
        broker, served, heard = MemoryBroker(), publisher(Journal()), Listener((TOPICS.echo(4),))
        picture = Picture(TOPICS, clock=CLOCK, seat=4, name="watch-7")
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run())
            for name, handler in (("ear", heard), ("display", picture), ("table", served))
        ]
        served.offer(snapshot(7))
        await asyncio.sleep(5)
        echoes = [Echo.model_validate_json(payload) for payload in heard.payloads(TOPICS.echo(4))]
        assert 4 <= len(echoes) <= 7
        assert {echo.digest for echo in echoes} == {compact_of(seat_view(4)).digest()}
        assert [(name, device.health.value) for name, device in served.displays.items()] == [("display-4-watch-7", "ok")]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run_virtual(story(), max_seconds=60)


async def test_a_heartbeat_is_no_change() -> None:
    """Without a terminal each change is printed once, however often the same picture comes."""
    picture = Picture(TOPICS, clock=CLOCK, seat=4)
    picture.on_message(arrived(TOPICS.seat(4), seat_view()))
    await picture.changed()
    picture.on_message(arrived(TOPICS.seat(4), seat_view(seq=130)))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await picture.changed()
    picture.on_message(arrived(TOPICS.seat(4), seat_view(seq=131, to_call=9)))
    await picture.changed()


async def test_a_newer_table_is_drawn_as_far_as_it_is_known() -> None:
    """A display is upgraded after its table or before it: it draws nothing that it does not know, and has room for words that
    it does not."""
    known, newer = Picture(TOPICS, clock=CLOCK), Picture(TOPICS, clock=CLOCK)
    said = json.loads(public_view().model_dump_json())
    known.on_message(Arrived(TOPICS.public, json.dumps(said).encode()))
    said["seats"][0]["down_cards"] = ["As"]
    newer.on_message(Arrived(TOPICS.public, json.dumps(said | {"weather": "warm"}).encode()))
    assert newer.view == known.view == public_view()


async def test_words_of_a_newer_table_are_drawn_as_they_are() -> None:
    """A state of a seat or a table that this release does not know stops no display."""
    picture = Picture(TOPICS, clock=CLOCK, seat=4)
    said = json.loads(seat_view(is_actor=False, hold=None).model_dump_json())
    for seat in said["seats"]:
        seat["state"] = "resting"
    picture.on_message(Arrived(TOPICS.seat(4), json.dumps(said).encode()))
    picture.on_message(
        Arrived(TOPICS.status, json.dumps(json.loads(status().model_dump_json()) | {"status": "draining"}).encode())
    )
    assert isinstance(picture.view, SeatView)
    assert compact_of(picture.view).seat == 4
    out = io.StringIO()
    for language in Language:
        Console(file=out, width=80).print(picture.draw(language))
    assert "draining" in out.getvalue()


async def test_nonsense_is_passed_over() -> None:
    """Payloads that fit no schema and other topics change nothing."""
    picture = Picture(TOPICS, clock=CLOCK, seat=4)
    for topic in (TOPICS.seat(4), TOPICS.status, TOPICS.events, "other/topic"):
        picture.on_message(Arrived(topic, b'{"seq":1}'))
    assert picture.view is None
    picture.on_message(arrived(TOPICS.seat(4), seat_view()))
    assert picture.view == seat_view()


def test_the_age_grows_with_silence_and_the_picture_says_so() -> None:
    """At a live table the picture stays younger than a heartbeat; when the broker dies it ages past the limit and comes back."""

    async def story() -> None:
        broker, served, picture = MemoryBroker(), publisher(Journal()), Picture(TOPICS, clock=CLOCK, seat=4)
        tasks = [
            asyncio.create_task(MemoryClient(broker, "display", picture).run()),
            asyncio.create_task(MemoryClient(broker, "table", served).run()),
        ]
        served.offer(snapshot(7))
        await picture.changed()
        await asyncio.sleep(10)
        assert picture.age_s is not None
        assert picture.age_s <= 1.1
        broker.stop()
        await asyncio.sleep(5)
        assert picture.age_s >= 4
        console = Console(width=80, file=io.StringIO(), color_system=None)
        console.print(picture.draw(Language.FR))
        assert isinstance(console.file, io.StringIO)
        assert "PLUS EN DIRECT" in console.file.getvalue()
        broker.start()
        await asyncio.sleep(2)
        assert picture.age_s <= 1.1
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run_virtual(story(), max_seconds=60)


async def test_a_line_stands_below_the_picture_on_a_terminal() -> None:
    """The picture has the whole screen, so what must stay readable is handed in and drawn under it."""
    out = io.StringIO()
    console = Console(file=out, width=80, height=40, force_terminal=True, color_system=None)
    nobody = Connection("127.0.0.1", 9, "watch")
    watching = asyncio.create_task(
        watch(nobody, TOPICS, console, Random(1), seat=None, language=Language.EN, clock=CLOCK, below="to copy")
    )
    async with asyncio.timeout(5):
        while "to copy" not in out.getvalue():
            await asyncio.sleep(0)
    watching.cancel()
    await asyncio.wait([watching])
    assert out.getvalue().index("Waiting for the table") < out.getvalue().index("to copy")


async def test_without_a_terminal_silence_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing is drawn, a missing broker is said once, on standard error; so is a broker without the table."""
    monkeypatch.setattr(terminal, "SILENCE_S", 0.0)
    nobody = Connection("127.0.0.1", 9, "watch")
    console = Console(file=io.StringIO(), width=80)
    watching = asyncio.create_task(watch(nobody, TOPICS, console, Random(1), seat=None, language=Language.EN, clock=CLOCK))
    said = ""
    async with asyncio.timeout(5):
        while not said:
            await asyncio.sleep(0)
            said = capsys.readouterr().err
    watching.cancel()
    await asyncio.wait([watching])
    assert said.startswith("stud-table: No broker answers at 127.0.0.1:9 yet: start the table")
    client = MqttClient(nobody, Picture(TOPICS, clock=CLOCK), Random(1))
    monkeypatch.setattr(MqttClient, "connected", True)
    await terminal._tell_silence(lambda: Picture(TOPICS, clock=CLOCK).is_blank, client, nobody, TOPICS, Language.FR)
    assert f"n’a rien de la table {TOPICS.table}" in capsys.readouterr().err
    heard = Picture(TOPICS, clock=CLOCK)
    heard.on_message(arrived(TOPICS.status, status()))
    await terminal._tell_silence(lambda: heard.is_blank, client, nobody, TOPICS, Language.FR)
    assert capsys.readouterr().err == ""


async def test_events_that_cannot_come_are_explained(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Who prints events is told of a missing broker too, once, and of nothing where a table was heard."""
    monkeypatch.setattr(terminal, "SILENCE_S", 0.0)
    nobody, printed = Connection("127.0.0.1", 9, "watch"), list[str]()
    watching = asyncio.create_task(
        watch_events(nobody, TOPICS, Random(1), CLOCK, printed.append, after_seq=0, language=Language.FR)
    )
    said = ""
    async with asyncio.timeout(5):
        while not said:
            await asyncio.sleep(0)
            said = capsys.readouterr().err
    watching.cancel()
    await asyncio.wait([watching])
    assert said.startswith("stud-table: Aucun broker ne répond encore à 127.0.0.1:9")
    assert not printed
    follower = EventFollower(TOPICS, "watch", clock=CLOCK, on_event=lambda _: None)
    assert not follower.has_heard
    follower.on_message(arrived(TOPICS.status, status()))
    assert follower.has_heard


def test_a_picture_that_was_lost_is_asked_for() -> None:
    """The broker drops a view and nothing follows on it: the display sees that it is behind the newest event, and asks once."""

    async def story() -> None:
        broker, journal, served = MemoryBroker(), Journal(), publisher(Journal())
        picture, asked = Picture(TOPICS, clock=CLOCK, name="display"), Listener((TOPICS.request_snapshot,))
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run())
            for name, handler in (("t", served), ("d", picture), ("ear", asked))
        ]
        served.offer(snapshot(1, events=journal.commit(event(1))))
        await asyncio.sleep(3)
        assert picture.view == public_view(1)
        broker.lose("d", TOPICS.public, 1)
        changed = public_view(2, raises=2)
        served.offer(snapshot(2, public=changed, events=journal.commit(event(2))))
        await asyncio.sleep(0.1)
        assert picture.view == public_view(1)
        await asyncio.sleep(3)
        assert picture.view == changed
        before = len(asked.heard)
        await asyncio.sleep(10)
        assert len(asked.heard) == before, "nobody asks for what it has"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(story(), max_seconds=100)


def test_a_view_that_does_not_change_is_not_asked_for_again() -> None:
    """An event that changes nothing in a seat's picture leaves its seq behind; one answer settles it."""

    async def story() -> None:
        broker, journal, served = MemoryBroker(), Journal(), publisher(Journal())
        picture, asked = Picture(TOPICS, clock=CLOCK, name="display"), Listener((TOPICS.request_snapshot,))
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run())
            for name, handler in (("t", served), ("d", picture), ("ear", asked))
        ]
        for seq in (1, 2):
            served.offer(snapshot(seq, events=journal.commit(event(seq))))
            await asyncio.sleep(4)
        before = len(asked.heard)
        await asyncio.sleep(10)
        assert len(asked.heard) == before
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(story(), max_seconds=100)


def test_a_seat_s_picture_that_was_lost_comes_with_the_next_heartbeat() -> None:
    """The broker drops a view: what follows a second later is the same one."""

    async def story() -> None:
        broker, served, picture = MemoryBroker(), publisher(Journal()), Picture(TOPICS, clock=CLOCK, name="display", seat=4)
        tasks = [
            asyncio.create_task(MemoryClient(broker, name, handler).run()) for name, handler in (("t", served), ("d", picture))
        ]
        served.offer(snapshot(1))
        await asyncio.sleep(3)
        broker.lose("d", TOPICS.seat(4), 1)
        served.offer(snapshot(2, seats={4: seat_view(seq=2, to_call=16)}))
        await asyncio.sleep(1.5)
        assert isinstance(picture.view, SeatView)
        assert picture.view.to_call == 16
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(story(), max_seconds=100)


def test_a_display_that_joins_a_broker_without_memory_has_its_picture_at_once() -> None:
    """What was retained is gone and nothing changes at the table: the display asks as it connects."""

    async def story() -> None:
        broker, served = MemoryBroker(), publisher(Journal())
        picture = Picture(TOPICS, clock=CLOCK, name="display", seat=3)
        table = asyncio.create_task(MemoryClient(broker, "t", served).run())
        served.offer(snapshot(1))
        await served.drained()
        broker.inject(TOPICS.seat(3), b"", retain=True)
        display = asyncio.create_task(MemoryClient(broker, "d", picture).run())
        await asyncio.sleep(0.1)
        assert picture.view == seat_view(3, 1)
        assert picture.age_s is not None
        for task in (table, display):
            task.cancel()
        await asyncio.gather(table, display, return_exceptions=True)

    run_virtual(story(), max_seconds=100)
