"""No card is told before it is public: everything published and answered in an evening, read against the world's own truth."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import random
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from support.spellings import Scanner, Tags, spelled_cards
from support.table_runs import Recorder, journal_bodies, playing, started, subscribed

from controller.app import TableApp
from controller.config import parse_config
from controller.console.desk import Desk
from controller.console.http import make_api
from controller.demo import Demo, DemoPlan
from controller.displays import adapter
from controller.hand.cards import Card
from controller.journal.audit_shares import AuditKey
from controller.journal.codec import Codec
from controller.mqtt.ports import Message
from controller.rehearsal import FAST, Play, Rehearsal, memory_rehearsal
from controller.simulate.disk import fast_folder
from controller.simulate.secrets import Listener, Truth, cards_in
from controller.table import records
from controller.table.events import CardRead
from controller.table.loop import Record
from controller.table.state import TableState
from controller.views.picture import Picture
from simulators.console import HttpConsole
from simulators.felt import FULL_DECK, Felt
from simulators.habits import DealerStats, rebuy
from simulators.memory_broker import MemoryBroker, MemoryClient
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN, make_tags
from simulators.virtual_time import run_virtual

HANDS: Final = 10
"""Hands of one run on virtual time; there are four runs."""
NONE: Final = {"type": ""}
"""What stands for the command of a request that has none."""
PRINTED_EVERY: Final = 50
"""A state is long: of so many records one has it read as it prints."""
BUY_IN: Final = 300
Plant = Callable[[Rehearsal], None]
"""Makes a table that leaks."""
FOUR_SEATS: Final = {line: NINETEEN[line] for line in ("felt-a", "felt-b", "felt-e")}
"""Less to scan, so that they do not take minutes."""


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
        command = json.loads(request.content).get("command", NONE) if request.method == "POST" else NONE
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


def printed(told: object) -> str:
    """State and records as a traceback or a log would print them, but for ciphertext and a house rule that reads like an ace."""
    return re.sub(r"[0-9A-Za-z+/=]{24,}", "", repr(told).replace("SPLIT_AS_ONE_POT", ""))


async def rehearse(
    rehearsal: Rehearsal, broker: MemoryBroker, seats: Mapping[int, Any], seed: int, hands: int = HANDS
) -> tuple[DealerStats, Scanner]:
    """Hands dealt over HTTP on virtual time, with somebody who reads all topics, all answers, all logs and the journal."""
    rng = random.Random(seed)
    truth = Truth(rehearsal.devices.felt)
    listener = Scanner(truth, rehearsal.tags)

    def hear_printed(state: TableState, told: Sequence[Record]) -> None:
        whole = told[-1].seq % PRINTED_EVERY == 0
        listener.hear("printed", printed((told, state) if whole else told), asyncio.get_running_loop().time())

    rehearsal.watchers.append(hear_printed)
    async with rehearsal.opened() as app:
        overhearing = asyncio.create_task(MemoryClient(broker, "overhearer", Overhearer(listener)).run())
        api = httpx.ASGITransport(make_api(app.desk, app.readiness, "test", app.reports))
        async with httpx.AsyncClient(transport=Overheard(api, listener, truth), base_url="http://table") as client:
            players = {seat: RandomPlayer(random.Random(rng.getrandbits(64)), 0.3, 0.6, free_fold=0.05) for seat in seats}
            stats = await rehearsal.deal(
                app,
                players,
                ShuffledPackets(random.Random(seed)),
                hands=hands,
                console=HttpConsole(client, rng=rng, speed=FAST),
                before_hand=rebuy(BUY_IN),
            )
            await client.get("/readyz")
            await client.get("/api/v1/devices")
        overhearing.cancel()
        await asyncio.gather(overhearing, return_exceptions=True)
        listener.read_journal(body for _, body in app.journal.read(1))
    return stats, listener


def played(
    variant: str, seats: int, seed: int, hands: int, logs: pytest.LogCaptureFixture, plant: Plant | None = None
) -> tuple[DealerStats, Scanner]:
    """Hands on a journal that lies on a medium, with audit keys; ``plant`` may spoil the table before it opens."""
    for noisy in ("asyncio", "httpx", "httpcore"):
        logs.set_level(logging.WARNING, logger=noisy)
    logs.set_level(logging.DEBUG)  # the last one, for it is also that of what is kept
    sitting = {seat: (f"Player {seat}", BUY_IN) for seat in range(1, seats + 1)}
    play = Play(variant=variant, seats=sitting, rules={"table.max_seats": "4"})
    broker = MemoryBroker()
    rehearsal = memory_rehearsal(play, seed=seed, broker=broker, wiring=FOUR_SEATS)
    auditors = (AuditKey.of(X25519PrivateKey.from_private_bytes(bytes([number]) * 32)).text for number in (1, 2))
    audit = dict(zip(("surveillance", "compliance"), auditors, strict=True))
    rehearsal.config = parse_config({**rehearsal.config.model_dump(exclude_none=True), "audit": audit}, "rehearsal")
    if plant is not None:
        plant(rehearsal)
    with tempfile.TemporaryDirectory(prefix="stud-secrecy-", dir=fast_folder()) as folder:
        data = Path(folder) / "data"
        rehearsal.outside = dataclasses.replace(rehearsal.outside, folder=data, key_folder=Path(folder) / "keys")
        stats, scanner = run_virtual(rehearse(rehearsal, broker, play.seats, seed, hands), max_seconds=360_000.0)
        assert scanner.read_files(data) > hands * 5_000
    tags = Tags(rehearsal.tags.values())
    lines = [logging.Formatter().format(record) for record in logs.records]
    scanner.leaks += [f"log: {line}" for line in lines if any(cards_in(line)) or any(spelled_cards(line)) or tags.told_in(line)]
    return stats, scanner


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hands", [HANDS, pytest.param(25 * HANDS, marks=pytest.mark.long)])
@pytest.mark.parametrize(("variant", "seats", "seed"), [("stud", 3, 1), ("stud", 4, 2), ("stud8", 3, 3), ("razz", 4, 4)])
def test_hands_tell_no_card_before_it_is_public(
    variant: str, seats: int, seed: int, hands: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every message on every topic, every answer over HTTP, every line of the logs, every clear field of the journal and every
    byte of its folder, and what a state or record is printed as; in every usual spelling."""
    stats, scanner = played(variant, seats, seed, hands, caplog)
    assert (stats.hands, stats.voided) == (hands, 0)
    assert scanner.leaks == []
    assert scanner.read > hands * 100
    assert scanner.cards_seen > hands * 20, "up cards and tabled hands were told"


def leak_in_log(rehearsal: Rehearsal, _: pytest.MonkeyPatch) -> None:
    """Somebody logs what the shoe read."""
    log = logging.getLogger("controller")
    rehearsal.watchers.append(lambda _, told: [log.info("the shoe gave %s", spelled(it.event)) for it in told if read(it.event)])


def leak_in_topic(_: Rehearsal, patch: pytest.MonkeyPatch) -> None:
    """The public view tells the down cards beside their owner's name."""
    shown = adapter.public_view

    def telling(picture: Picture) -> Any:
        view = shown(picture)
        for seat in () if picture.hand is None else picture.hand.seats:
            down = " ".join(card.text for card in seat.down if card is not None)
            view["seats"] = [
                {**row, "name": f"{row['name']} {down}"} if row["seat"] == seat.seat else row for row in view["seats"]
            ]
        return view

    patch.setattr(adapter, "public_view", telling)


def leak_in_error(rehearsal: Rehearsal, patch: pytest.MonkeyPatch) -> None:
    """What a command is told names the first card that lies."""
    give = Desk.give

    async def telling(desk: Desk, command: Any) -> dict[str, Any]:
        lying = next((card.text for card in desk.state.custody.lying), "nothing")
        return {**await give(desk, command), "message": f"not while {lying} lies there"}

    patch.setattr(Desk, "give", telling)
    del rehearsal


def leak_in_devices(rehearsal: Rehearsal, patch: pytest.MonkeyPatch) -> None:
    """The devices' page tells what a reader read last."""
    reports, tag = TableApp.reports, next(iter(rehearsal.tags.values()))
    parted = " ".join(tag[at : at + 2] for at in range(0, len(tag), 2))
    patch.setattr(TableApp, "reports", lambda app: tuple(dataclasses.replace(one, identity=parted) for one in reports(app)))


def leak_in_journal(_: Rehearsal, patch: pytest.MonkeyPatch) -> None:
    """A card stands in clear beside its box."""
    encode = records.encode

    def telling(codec: Codec, event: Any, **more: Any) -> Any:
        card = getattr(event, "card", None) if records.box_of(event) is not None else None
        return encode(codec, event, **more) | ({} if card is None else {"why": spelled(event)})

    patch.setattr(records, "encode", telling)


def leak_when_printed(rehearsal: Rehearsal, patch: pytest.MonkeyPatch) -> None:
    """A card prints itself."""
    patch.setattr(Card, "__repr__", lambda card: card.text)
    del rehearsal


def read(event: object) -> bool:
    """Whether the shoe told a card."""
    return isinstance(event, CardRead) and event.card is not None


def spelled(event: Any) -> str:
    """Its card in words."""
    ranks = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
    return f"{ranks[event.card.rank]} of {('clubs', 'diamonds', 'hearts', 'spades')[event.card.suit]}"


@pytest.mark.parametrize(
    ("leak", "where"),
    [
        (leak_in_log, "log: the shoe gave"),
        (leak_in_topic, "demo/"),
        (leak_in_error, "not while"),
        (leak_in_devices, "/api/v1/devices"),
        (leak_in_journal, "journal.sqlite3"),
        (leak_when_printed, "printed"),
    ],
)
def test_a_planted_leak_is_found(
    leak: Callable[[Rehearsal, pytest.MonkeyPatch], None],
    where: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a log line, a topic, an answer, the devices' page, the journal, and in what a record prints as."""
    _, scanner = played("stud", 2, 5, 1, caplog, lambda rehearsal: leak(rehearsal, monkeypatch))
    assert [told for told in scanner.leaks if where in told] != []


@pytest.mark.ports
def test_five_hands_over_a_real_broker_tell_no_card_before_it_is_public(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same over sockets, with the controller in its own process: topics, answers, and every byte that controller and broker
    leave on the disk: log, journal, temporary files. The deck's own file has its tags and nothing else may."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    listeners: list[Scanner] = []

    async def run(demo: Demo) -> None:
        async with started(demo):
            truth = Truth(demo.devices.felt, old_s=1.0)  # a loaded machine may deliver late
            listener = Scanner(truth, make_tags(random.Random(demo.plan.seed)))
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
    assert listeners[0].read_files(tmp_path, but={"deck.toml"}) > 100_000
    assert listeners[0].leaks == []
    log = (tmp_path / "controller.log").read_text()
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
    truth.plays_again(frozenset((1, 2)))
    felt.draw(at=5.0)
    felt.move("6c", "seat/2/up", origin="hand", at=5.0)
    listener.hear("public", b'{"up": ["3c", "6c"], "at": "2026-01-01T00:00:05Z"}', 5.0)
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


def test_a_finished_hand_may_be_told_until_the_next_one_starts_however_often_the_packet_is_loaded() -> None:
    """A shoe without current makes the dealer shuffle again before the next hand: screens still show the last one. Its down cards
    stay secret, what was open in it is told no more once the next hand has started."""
    tags = make_tags(random.Random(1))
    felt = Felt(tags, ["seat/1/down", "seat/1/up"])
    truth = Truth(felt, old_s=1.0)
    listener = Listener(truth, tags)
    felt.load(FULL_DECK, at=1.0)
    truth.started(1.0, 1)
    felt.draw(at=2.0)
    felt.move("2c", "seat/1/down", origin="hand", at=2.0)
    felt.draw(at=2.0)
    felt.move("3c", "seat/1/up", origin="hand", at=2.0)
    for at in (3.0, 5.0):
        felt.gather(("hand", "shoe", "seat/1/down", "seat/1/up"), "packet", at=at)
        felt.load(FULL_DECK, at=at)
        listener.hear("snapshot", '{"up": ["3c"]}', at + 1.0)
        assert listener.leaks == []
    listener.hear("snapshot", '{"down": ["2c"]}', 6.0)
    assert len(listener.leaks) == 1
    truth.started(7.0, 2)
    listener.hear("topic", '{"up": ["3c"]}', 7.9)
    assert len(listener.leaks) == 1
    listener.hear("topic", '{"up": ["3c"]}', 9.9, old_s=3.0)
    assert len(listener.leaks) == 1
    listener.hear("topic", '{"up": ["3c"]}', 8.1)
    assert len(listener.leaks) == 2
    listener.hear("snapshot", '{"up": ["3c"]}', 7.9, old_s=0.5)
    assert len(listener.leaks) == 3
