"""The composition of a table: whole hands with simulated devices, and controllers that die and start again in the middle."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.houses import House
from support.table_story import card_texts, without_hidden

from controller.app import FencedError, TableApp
from controller.config_values import AntennaSection
from controller.hand.places import Spot
from controller.journal.errors import JournalBusy, JournalFailed, JournalMismatch
from controller.journal.verify import verify_chain
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import BACKFILL_PAGE, PublicEvent
from controller.mqtt.topics import TableTopics
from controller.rehearsal import START, Play
from controller.table.carried_events import TableConfigured
from controller.table.events import ControllerStarted, DealKeyMade, GateOrdered, Resumed, Suspended
from controller.table.opening import rebuild
from controller.table.state import TableStatus
from drivers.clock import LoopClock
from drivers.factory import MultiplexerDriver, ReaderSetup
from drivers.ports import ReaderPort
from drivers.registry import reader_driver
from simulators.habits import Habits
from simulators.memory_broker import MemoryClient, MemoryMessage
from simulators.virtual_time import run_virtual

PLAY = Play(seats={1: ("Ann", 60), 3: ("Bob", 12), 4: ("Cleo", 200), 8: ("Dan", 200)})
CARD = re.compile(r"\b(10|[2-9TJQKA])[cdhsCDHS]\b")


def virtual(story: Callable[[], Awaitable[Any]]) -> Any:
    """Run a story on virtual time."""

    async def run() -> Any:
        return await story()

    return run_virtual(run(), max_seconds=3_000)


def same_but_for_the_start(before: TableApp, after: TableApp) -> None:
    """What a controller that was started anew knows is what the dead one knew (REG-04)."""
    old, new = before.table.state, after.table.state
    assert new.hand == old.hand or not old.hand_open
    assert without_hidden(new)["hand"] == without_hidden(old)["hand"]
    assert (new.seats, new.bought_in, new.cashed_out, new.raked) == (old.seats, old.bought_in, old.cashed_out, old.raked)
    assert new.answers.keys() == old.answers.keys()
    assert (new.custody.in_shoe, new.custody.placed_count) == (old.custody.in_shoe, old.custody.placed_count)
    if old.hand_open:
        assert new.custody.flights == old.custody.flights
        assert new.custody.drawn == old.custody.drawn
    assert new.starts == old.starts + 1


@pytest.mark.parametrize("seed", range(5))
def test_controllers_that_die_at_any_time_lose_nothing(tmp_path: Path, seed: int) -> None:
    """Killed at random points on one folder, again and again in two hands: each start finds the same state, gate orders count
    from 1, the hands are finished, chips and cards are conserved, and the journal's chain holds."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=seed)
        rng = random.Random(seed)

        async def trouble() -> None:
            while True:
                await asyncio.sleep(rng.uniform(0.1, 1.0))
                dead = await house.kill()
                await asyncio.sleep(rng.choice((0.01, 0.1, 4.0)))
                same_but_for_the_start(dead, await house.start())

        try:
            stats = await house.evening(2, trouble)
            assert (stats.hands, stats.voided) == (2, 0)
            assert house.starts >= 3
            state = house._there().table.state
            assert state.chips_conserved
            assert state.cards_conserved
            check_orders([record.event for record in house.records])
            bodies = list(house._there().journal.read())
            assert len(bodies) == state.seq == len(house.records)
            checked = verify_chain(house.folder / f"start{house.starts}")
            assert (checked.ok, checked.events) == (True, state.seq)
        finally:
            await house.close()

    virtual(story)


def check_orders(events: Sequence[object]) -> None:
    """Gate orders are numbered from 1 without gaps in each start, open and closed in turn; the first one may close a gate that
    the last controller left open."""
    orders: list[GateOrdered] = []
    for event in (*events, ControllerStarted("")):
        if isinstance(event, ControllerStarted):
            assert [order.order for order in orders] == list(range(1, len(orders) + 1))
            assert all(order.is_open is not after.is_open for order, after in pairwise(orders))
            orders = []
        elif isinstance(event, GateOrdered):
            orders.append(event)


class Ear:
    """Hears everything at the broker."""

    def __init__(self) -> None:
        self.heard: list[MemoryMessage] = []

    def subscriptions(self) -> Sequence[str]:
        return ("#",)

    def will(self) -> None:
        return None

    def farewell(self) -> None:
        return None

    async def run_session(self, link: object) -> None:
        await asyncio.Event().wait()

    def on_message(self, message: MemoryMessage) -> None:
        self.heard.append(message)


def test_no_message_no_snapshot_and_no_log_line_tells_a_hidden_card(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Over whole hands: whatever reaches the broker or the dealer's screen was shown by then, and log lines name no card and
    no tag (R-RULE-06)."""
    caplog.set_level(logging.DEBUG)

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=11)
        ear = Ear()
        shown: set[str] = set()
        screens: list[dict[str, Any]] = []
        hearing = asyncio.create_task(MemoryClient(house.broker, "ear", ear).run())

        async def look() -> None:
            while True:
                await asyncio.sleep(0.05)
                if house.app is not None:
                    screen = house.app.desk.snapshot()
                    assert set(card_texts(screen)) <= face_up(house)
                    screens.append(screen)

        try:
            await house.evening(2, look)
            await house._there().displays_drained()
            shown = face_up(house, whole=True)
            payloads = [json.loads(message.payload) for message in ear.heard if message.payload]
            assert set(card_texts(payloads)) <= shown
            assert len(payloads) > 200
            assert len(screens) > 20
            down = {record.event.card.text for record in house.records if type(record.event).__name__ == "CardRead"}  # type: ignore[union-attr]
            assert down - shown
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
            await house.close()
        assert not [line for line in caplog.messages if CARD.search(line) or any(tag in line for tag in house.tags.values())]

    virtual(story)


def face_up(house: House, *, whole: bool = False) -> set[str]:
    """Cards that have been shown in the hand of now, or in the whole evening."""
    shown: set[str] = set()
    for record in house.records:
        match type(record.event).__name__:
            case "HandOpened" if not whole:
                shown = set()
            case "CardDealt":
                if str(record.event.place).endswith("up"):  # type: ignore[union-attr]
                    shown.add(record.event.card.text)  # type: ignore[union-attr]
            case "CommunityDealt":
                shown.add(record.event.card.text)  # type: ignore[union-attr]
            case "HandTabled":
                shown |= {card.text for card in record.event.cards}  # type: ignore[union-attr]
            case _:
                pass
    return shown


def test_a_shoe_that_falls_out_in_the_middle_is_confirmed_by_the_dealer(tmp_path: Path) -> None:
    """Power lost while cards are due, and a cable pulled for four seconds: each time the hand is suspended, a person confirms,
    and the hand is played to its end (TSP/1 REBOOTED, gate)."""

    async def story() -> None:
        house = House(tmp_path, replace(PLAY, speed=4), seed=5)

        def due() -> bool:
            """Cards are due and each that left the shoe is journalled."""
            known = house._there().table.state.custody.draw_no
            return bool(house._there().desk.snapshot()["step"].get("plan")) and known == house.devices.shoe.memory.draw_no > 0

        async def trouble() -> None:
            await until(house, due)
            house.devices.shoe.restart()
            await until(house, lambda: resumed(house) == 2)
            await until(house, due)
            house.links["shoe"].unplug()
            await asyncio.sleep(4)
            house.links["shoe"].replug()

        try:
            stats = await house.evening(2, trouble)
            assert (stats.hands, stats.voided) == (2, 0)
            causes = [record.event.cause for record in house.records if isinstance(record.event, Suspended)]
            assert causes[0] == "restarted"
            assert "silence" in causes
            assert resumed(house) == 1 + len(causes)
        finally:
            await house.close()

    virtual(story)


def resumed(house: House) -> int:
    """How often play was resumed."""
    return sum(isinstance(record.event, Resumed) for record in house.records)


async def until(house: House, holds: Callable[[], object]) -> None:
    """Look until something holds."""
    while house.app is None or not holds():
        await asyncio.sleep(0.02)


def test_slips_are_mended_on_the_felt_and_hands_go_on(tmp_path: Path) -> None:
    """Cards at wrong seats hold the hand; moved to their place they lift the hold by themselves."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=8)
        house.habits = Habits(slips=0.1)
        try:
            stats = await house.evening(2)
            assert stats.slips > 2
            assert stats.mended >= stats.slips > 0
            assert (stats.hands, stats.voided) == (2, 0)
            held = [type(record.event).__name__ for record in house.records if "Hold" in type(record.event).__name__]
            assert held.count("HoldLifted") > 2
        finally:
            await house.close()

    virtual(story)


def test_a_restart_with_nothing_going_on_changes_nothing(tmp_path: Path) -> None:
    """Configuration and key are found again; the table is live by itself."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        try:
            house.devices.start()
            for _ in range(3):
                await house.start()
                await until(house, lambda: house._there().table.state.status is TableStatus.LIVE)
                await house.kill()
            kinds = [type(record.event) for record in house.records]
            assert kinds.count(TableConfigured) == kinds.count(DealKeyMade) == 1
            assert kinds.count(ControllerStarted) == kinds.count(Resumed) == 3
        finally:
            await house.close()

    virtual(story)


def test_a_folder_has_one_controller_and_one_table(tmp_path: Path) -> None:
    """A second one is refused while the first lives, and another table's journal always."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        try:
            app = await house.start()
            outside = app._outside
            with pytest.raises(JournalBusy):
                await TableApp(house.config, outside).__aenter__()
            await house.kill()
            await app.journal.close()
            other = house.config.model_copy(update={"table": house.config.table.model_copy(update={"name": "T2"})})
            with pytest.raises(JournalMismatch):
                await TableApp(other, outside).__aenter__()
        finally:
            await house.close()

    virtual(story)


def test_a_controller_that_sees_a_newer_one_stops(tmp_path: Path) -> None:
    """By a larger epoch at the broker; it says which."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        house.devices.start()
        app = await house.start()
        running = house._running
        assert running is not None
        await until(
            house, lambda: house._there().readiness() == {"journal": True, "devices": True, "broker": True, "program": True}
        )
        stamp = {"seq": 1, "epoch": 99, "at": "2026-01-01T00:00:00Z", "status": "live"}
        house.broker.inject(topic_of(house), json.dumps(stamp).encode(), retain=True)
        done, _ = await asyncio.wait((running,), timeout=5)
        assert done
        error = running.exception()
        assert isinstance(error, ExceptionGroup)
        (fenced,) = error.exceptions
        assert isinstance(fenced, FencedError)
        assert "epoch 99" in str(fenced)
        assert "clear everything that the broker retains" in str(fenced)
        house.app = house._running = None
        await app.journal.close()
        house.devices.stop()

    virtual(story)


@pytest.mark.parametrize("what", ["more records", "another record"])
def test_a_copy_that_lacks_what_the_broker_has_heard_of_stops(tmp_path: Path, what: str) -> None:
    """Two tables that go on from one backup, in the same epoch: the one whose journal ends first stops, and so does one that has
    another record under the number (recovery §1)."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        house.devices.start()
        app = await house.start()
        running = house._running
        assert running is not None
        await until(house, lambda: house._there().readiness()["broker"])
        await asyncio.sleep(2)
        heard = json.loads(house.broker.retained[topic_of(house)])
        assert (heard["journal"], heard["head"]) == (app.journal.origin.journal, app.journal.head.hex())
        house.broker.inject(topic_of(house), json.dumps({**heard, "journal": "00000000", "seq": heard["seq"] + 1}).encode())
        await asyncio.sleep(2)
        assert not running.done(), "another journal is no witness"
        told = {"more records": {"seq": heard["seq"] + 1}, "another record": {"head": "00" * 32}}[what]
        house.broker.inject(topic_of(house), json.dumps({**heard, **told}).encode(), retain=True)
        done, _ = await asyncio.wait((running,), timeout=5)
        assert done
        error = running.exception()
        assert isinstance(error, ExceptionGroup)
        (fenced,) = error.exceptions
        assert isinstance(fenced, FencedError)
        assert "start from the newest copy, or clear everything that the broker retains" in str(fenced)
        house.app = house._running = None
        await app.journal.close()
        house.devices.stop()

    virtual(story)


def topic_of(house: House) -> str:
    """The table's status topic, as the broker has it."""
    (topic,) = [topic for topic in house.broker.retained if topic.endswith("/status")]
    return topic


def test_a_failing_journal_ends_the_controller(tmp_path: Path) -> None:
    """What failed comes through; nothing was published of it."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        try:
            house.devices.start()
            app = await house.start()
            running = house._running
            assert running is not None
            await until(house, lambda: house._there().table.state.status is TableStatus.LIVE)
            seq = app.table.state.seq
            app.journal._store._failure = "the disk is gone"
            house.devices.shoe.lid(is_open=True)
            await asyncio.wait((running,), timeout=5)
            error = running.exception()
            assert isinstance(error, ExceptionGroup)
            assert isinstance(error.exceptions[0], JournalFailed)
            assert app.table.state.seq == seq == house.records[-1].seq
        finally:
            await house.close()

    virtual(story)


def test_readiness_names_what_is_missing(tmp_path: Path) -> None:
    """Devices before they have answered, the broker while it is away."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        try:
            house.broker.stop()
            app = await house.start()
            assert app.readiness() == {"journal": True, "devices": False, "broker": False, "program": True}
            house.devices.start()
            house.broker.start()
            await until(house, lambda: all(app.readiness().values()))
            house.broker.stop()
            house.links["felt-a"].unplug()
            await until(house, lambda: not app.readiness()["devices"])
            assert not app.readiness()["broker"]
        finally:
            await house.close()

    virtual(story)


def test_events_that_a_reader_missed_are_read_from_the_journal(tmp_path: Path) -> None:
    """The same ones as were sent, from any number on, with hand and street; pages are bounded."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=3)
        ear = Ear()
        hearing = asyncio.create_task(MemoryClient(house.broker, "ear", ear).run())
        try:
            await house.evening(2)
            app = house._there()
            await app.displays_drained()
            await asyncio.sleep(1)
            sent = [json.loads(message.payload) for message in ear.heard if message.topic.endswith("/events")]
            middle = sent[len(sent) // 2]["seq"]
            for start in (1, middle):
                found = [
                    json.loads(event.model_dump_json(exclude_none=True)) for event in await app.public_events(start, limit=10_000)
                ]
                assert found == [event for event in sent if event["seq"] >= start]
            assert len(await app.public_events(1, limit=7)) == 7
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
            await house.close()

    virtual(story)


def test_a_reader_has_every_event_across_files_and_controllers(tmp_path: Path) -> None:
    """The journal goes on in new files, a controller dies, and messages are lost: who follows has each public event once, in
    order; who comes last reads the same, page by page, from the oldest file on (REG-15)."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=11, rotate_after=150)
        found: tuple[list[PublicEvent], list[PublicEvent]] = [], []
        early, late = (
            EventFollower(TableTopics("demo", "T1"), name, clock=LoopClock(START), on_event=into.append)
            for name, into in zip(("early", "late"), found, strict=True)
        )

        async def trouble() -> None:
            for heard in (30, 60, 90):
                await until(house, lambda heard=heard: len(found[0]) >= heard)  # type: ignore[misc]
                house.broker.lose("early", "#", 3)
            await until(house, lambda: len(found[0]) >= 120)
            await house.kill()
            await house.start()

        tasks = [asyncio.create_task(MemoryClient(house.broker, "early", early).run())]
        try:
            await house.evening(6, trouble)
            app = house._there()
            await app.displays_drained()
            tasks.append(asyncio.create_task(MemoryClient(house.broker, "late", late).run()))
            await asyncio.sleep(5)
            everything = list(await app.public_events(1, limit=10_000))
            assert house.starts == 2
            assert len(list((tmp_path / "start2").glob("journal*.sqlite3"))) > 2
            assert len(everything) > BACKFILL_PAGE, "the last reader needs more than one page"
            assert [event.previous for event in everything] == [0, *(event.seq for event in everything[:-1])]
            linked = [(event.seq, event.event, event.link, event.head) for event in everything]
            for read in found:
                assert [(event.seq, event.event, event.link, event.head) for event in read] == linked
            assert all(event.link is not None for event in everything)
            assert len([event for event in everything if event.head is not None]) > 6
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await house.close()

    virtual(story)


def test_a_journal_replays_to_the_state_of_the_table(tmp_path: Path) -> None:
    """With the keys that are still there and the codec of the composition."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=4)
        try:
            await house.evening(1)
            app = house._there()
            again = rebuild(app.journal.read(), app._codec, app.table._keyring)
            assert without_hidden(again) == without_hidden(app.table.state)
        finally:
            await house.close()

    virtual(story)


def test_an_antenna_s_own_presence_reaches_the_felt(tmp_path: Path) -> None:
    """What the configuration says of one place, its antenna keeps to; the others keep to the table's."""

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        felt = house.config.felt.model_copy(update={"at": {"muck": AntennaSection(gone_misses=16)}})
        house.config = house.config.model_copy(update={"felt": felt})
        try:
            app = await house.start()
            antennas = app.table._felt._presence._antennas
            assert {place for place, antenna in antennas.items() if antenna.settings.gone_misses == 16} == {Spot.MUCK}
        finally:
            await house.close()

    virtual(story)


def test_a_line_is_made_with_its_multiplexer_and_its_second_opener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the configuration names by name, the driver gets; lines without have none."""
    made: dict[str, ReaderSetup] = {}
    feig = reader_driver("feig")

    def make(setup: ReaderSetup) -> ReaderPort:
        made[setup.name] = setup
        return feig.make(replace(setup, multiplexer=None))

    box = MultiplexerDriver("none", lambda _: pytest.fail("made by its driver alone"))
    monkeypatch.setattr("controller.app.reader_driver", lambda _: replace(feig, make=make))
    monkeypatch.setattr("controller.app.multiplexer_driver", lambda _: box)

    async def story() -> None:
        house = House(tmp_path, PLAY, seed=1)
        first, *others = house.config.readers
        first = first.model_copy(update={"multiplexer": "switch-box"})
        house.config = house.config.model_copy(update={"readers": (first, *others)})
        try:
            await house.start()
        finally:
            await house.close()
        assert {name for name, setup in made.items() if setup.multiplexer is box} == {first.name}
        assert {setup.delivered for setup in made.values()} == {None}

    virtual(story)
