"""What other programs see at the broker of a table at work: each public change once, in order, also after a broker's restart."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from support.table_runs import PROGRAM, ROOT, Recorder, journal_bodies, playing, started, subscribed, until

from controller.demo import Demo, DemoPlan
from controller.displays.adapter import DisplayAdapter
from controller.mqtt.follower import EventFollower
from controller.mqtt.payloads import PublicEvent
from controller.mqtt.topics import TableTopics
from controller.table.loop import Record
from controller.table.records import decode, table_codec
from drivers.clock import SystemClock

pytestmark = pytest.mark.ports

TOPICS: Final = TableTopics("demo", "T1")
BACK_WITHIN_S: Final = 2.0
DEVICES: Final = ("shoe", "felt-a", "felt-b", "felt-c", "felt-d", "felt-e")
SEATS: Final = 4
RETAINED: Final = {
    TOPICS.status,
    TOPICS.public,
    *(TOPICS.seat(seat) for seat in range(1, SEATS + 1)),
    *(TOPICS.device(device) for device in DEVICES),
}


def public_events(data: Path) -> list[tuple[int, str]]:
    """Number and name of each public event in a journal, read without any key."""
    adapter, codec = DisplayAdapter("T1", 1), table_codec()
    records = [Record(seq, str(body["at"]), decode(codec, body, {})) for seq, body in journal_bodies(data)]
    return [(event.seq, event.event) for event in adapter.events(records)]


def names(events: Sequence[PublicEvent | dict[str, Any]]) -> list[tuple[int, str]]:
    return [(event["seq"], event["event"]) if isinstance(event, dict) else (event.seq, event.event) for event in events]


async def heard_all(recorder: Recorder, demo: Demo) -> None:
    """Wait until the events of the last hand that the dealer saw have come too."""
    await until(
        lambda: sum(1 for e in recorder.payloads("/events") if e["event"] == "hand_ended") >= demo.stats.hands, within_s=5
    )


def test_a_second_subscriber_sees_each_public_change_once_and_in_order(tmp_path: Path) -> None:
    """Three fast hands: the topic ``events`` carries just the journal's public events, in order; views never step back."""
    recorder = Recorder("#")

    async def run(demo: Demo) -> None:
        async with started(demo), subscribed(demo.mqtt, recorder, "second"), playing(demo) as play:
            await play
            await heard_all(recorder, demo)

    demo = Demo(DemoPlan(tmp_path, hands=3, seed=7, fast=True, seats=SEATS))
    asyncio.run(run(demo))
    told = names(recorder.payloads("/events"))
    journal = public_events(demo.data)
    seated = [event for event in journal if event[0] < told[0][0]]
    assert {name for _, name in seated} <= {"seat_taken"}  # before anybody could listen
    assert told == journal[len(seated) :]
    for view in ("/public", "/status", "/seat/1"):
        seqs = [payload["seq"] for payload in recorder.payloads(view)]
        assert seqs == sorted(seqs)
    assert recorder.payloads("/status")[-1]["status"] != "lost"


def test_after_a_broker_restart_everything_is_back_within_two_seconds(tmp_path: Path) -> None:
    """The broker dies in play and comes back empty: all retained topics are there within two seconds, and events go on.

    A follower that asks for what it missed has each event once and in order; a plain subscriber hears nothing twice out of order.
    """
    plain, fresh = Recorder(TOPICS.events), Recorder("#")
    followed: list[PublicEvent] = []

    async def run(demo: Demo) -> float:
        async with started(demo), playing(demo):
            follower = EventFollower(TOPICS, name="follower", clock=SystemClock(), on_event=followed.append)
            async with subscribed(demo.mqtt, plain, "plain"), subscribed(demo.mqtt, follower, "follower"):
                await until(lambda: demo.stats.hands >= 1, within_s=30)
                await asyncio.to_thread(demo.restart_broker, 0.5)
                began = time.monotonic()
                async with subscribed(demo.mqtt, fresh, "fresh"):
                    await until(lambda: {topic for _, topic, _, _ in fresh.heard} >= RETAINED, within_s=10)
                    back_s = time.monotonic() - began
                    hands = demo.stats.hands
                    await until(lambda: demo.stats.hands >= hands + 2, within_s=30)
                    demo.stop_dealing()
                    await asyncio.sleep(0.5)
        return back_s

    demo = Demo(DemoPlan(tmp_path, seed=8, fast=True, seats=SEATS))
    back_s = asyncio.run(run(demo))
    print(f"all retained topics were back {back_s:.2f} s after the broker")
    assert back_s < BACK_WITHIN_S
    journal = public_events(demo.data)
    assert names(followed) == journal[: len(followed)]
    assert len(followed) >= len(journal) - 5
    heard = [event["seq"] for event in plain.payloads("/events")]
    assert heard == sorted(heard)
    assert len(heard) - len(set(heard)) <= 1, "at most the event whose acknowledgement died with the broker"
    assert fresh.payloads("/status")[-1]["status"] == "live"


ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


def watched_on_terminal(arguments: Sequence[str], enough: Callable[[str], bool], *, within_s: float) -> str:
    """What ``watch`` draws on a terminal of 100 columns until it is ``enough``, without control sequences."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", "LANG": "C.UTF-8"}
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "watch", *arguments], cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    os.set_blocking(master, False)
    drawn = bytearray()
    deadline = time.monotonic() + within_s
    try:
        while time.monotonic() < deadline and not enough(text_of(drawn)):
            try:
                drawn += os.read(master, 65536)
            except BlockingIOError:
                time.sleep(0.05)
    finally:
        process.terminate()
        process.wait(10)
        os.close(master)
    return text_of(drawn)


def text_of(drawn: bytearray) -> str:
    return ESCAPES.sub("", drawn.decode(errors="replace"))


def shows_the_table(screen: str) -> bool:
    """A pot, the age of the picture, and who sits there."""
    return all(re.search(pattern, screen) for pattern in (r"[Pp]ot\D{0,12}\d", r"\d\.\d s\b", "Ann"))


def test_watch_draws_the_table_on_a_terminal_and_prints_changes_elsewhere(tmp_path: Path) -> None:
    """A demo at work, looked at from other processes: on a terminal pot and age, into a pipe every change once."""

    async def run(demo: Demo) -> tuple[str, str]:
        async with started(demo), playing(demo):
            host, port = demo.mqtt
            url = f"mqtt://{host}:{port}"
            piped = subprocess.Popen(
                [*PROGRAM, "watch", "--broker", url, "--seat", "2", "--language", "en"],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                arguments = ["--broker", url, "--language", "en"]
                screen = await asyncio.to_thread(watched_on_terminal, arguments, shows_the_table, within_s=40.0)
                hands = demo.stats.hands
                await until(lambda: demo.stats.hands >= hands + 2, within_s=40)
            finally:
                piped.terminate()
                printed, _ = await asyncio.to_thread(piped.communicate, timeout=10)
        return screen, printed

    screen, printed = asyncio.run(run(Demo(DemoPlan(tmp_path, seed=9, fast=True, seats=SEATS))))
    assert shows_the_table(screen), screen[-2000:]
    assert printed.count("Ben") > 3
    assert "\x1b[" not in printed
