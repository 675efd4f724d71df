"""The floor hears tables of an older and of a newer release: nothing is lost, and what it does not know is kept and told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import ValidationError
from support.floor_copy import VENUE, PlayingTable
from support.floor_in_memory import Room, alarms, virtual
from support.floor_samples import JOURNAL, happened, view
from support.release_data import MESSAGES, RELEASES

from controller.access.floor_token import BadToken, FloorSigner, FloorVerifier, Signer
from controller.floor.audit.check import Checked, _check_row
from controller.floor.collector.chain_check import ChainCheck
from controller.floor.history.steps import told
from controller.floor.service import FloorService
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, Difference, KeptEvent, Source, event_row, kept_as
from controller.floor.store.store import FloorStore, open_store
from controller.mqtt.links import canonical
from controller.mqtt.payloads import (
    BackfillReply,
    DeviceHealth,
    Part,
    PublicEvent,
    PublicView,
    SeatState,
    StatusPayload,
    TableStatus,
)
from controller.mqtt.ports import Message, Publisher
from controller.mqtt.reading import is_newer, read, read_whole, whole
from simulators.memory_broker import MemoryClient

LAST: Final = 30
NEWER: Final = {"weather": {"felt": "warm", "shoe": None}, "since": "0.2.0"}
"""What a newer release says beside what is known; a null is no part of an event's content."""


class NewerTable:
    """A table's connection as a newer release would fill it: every message has more in it, its chain is over all of that."""

    def __init__(self, table: PlayingTable) -> None:
        self._handler = table.handler
        self._name = table.topics.table
        self._links: dict[int, str] = {}
        self.status = "live"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handler, name)

    async def run_session(self, link: Publisher) -> None:
        newer = self

        class Link:
            async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
                await link.publish(topic, newer.said(topic, payload), retain=retain, qos=qos)

        await self._handler.run_session(Link())

    def said(self, topic: str, payload: bytes) -> bytes:
        """The message of the newer release."""
        if not payload:
            return payload
        message = json.loads(payload)
        match topic.split("/")[4]:
            case "status":
                newest = self._links.get(message["last_event"] or 0)
                message |= NEWER | {"status": self.status, "last_link": newest}
            case "public":
                message |= NEWER
                message["stakes"]["straddle"] = 0
            case "events":
                message = self._event(message)
            case "reply":
                message |= NEWER | {"events": [self._event(one) for one in message["events"]]}
        return json.dumps(message).encode()

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        """The link by the reference's words alone (docs/reference/mqtt.md), over all that is told."""
        event |= NEWER
        teller = ("epoch", "previous", "link", "head")
        content = {name: value for name, value in event.items() if value is not None and name not in teller}
        content["weather"] = {"felt": "warm"}
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        if event["previous"]:
            before = bytes.fromhex(self._links[event["previous"]])
        else:
            before = sha256(f"STUD-PUBLIC/1|{self._name}|{JOURNAL}|0|{event['head']}".encode()).digest()
        event["link"] = self._links[event["seq"]] = sha256(before + sha256(text).digest()).hexdigest()
        return event


def detail(service: FloorService, table: str) -> dict[str, Any]:
    """What the table's own page shows."""
    found = service.detail(table)
    assert found is not None
    return dict(found)


def test_a_newer_table_is_heard_kept_and_proven() -> None:
    """Its further fields cost nothing: it is online, every event is kept with all that was told, and every link is proven."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        newer = NewerTable(table)
        room.tasks["T1"] = [asyncio.create_task(MemoryClient(room.broker, "T1", newer).run())]
        table.play(LAST - 2)
        await asyncio.sleep(1)
        service = room.start_floor()
        await asyncio.sleep(2)
        table.play(1, what="card_teleported")
        table.play(1)
        await asyncio.sleep(2)
        tile = service.picture()["tables"]["T1"]
        assert (tile["liveness"], tile["status"], alarms(service)) == ("online", "live", [])
        assert room.copy.kept("T1") == list(range(1, LAST + 1))
        assert room.copy.verified[Source("T1", JOURNAL)] == LAST
        kept = [json.loads(canonical(event)) for event in room.copy.rows.values()]
        assert all((one["since"], one["weather"]) == ("0.2.0", {"felt": "warm"}) for one in kept)
        assert [one["event"] for one in detail(service, "T1")["events"][-2:]] == ["card_teleported", "burn_made"]
        assert "weather" not in json.dumps(service.picture()) + json.dumps(detail(service, "T1"), default=str)
        await room.close()

    virtual(story)


def test_a_status_that_only_a_newer_table_has_is_shown_as_it_is() -> None:
    """It is heard, and play is not shown as live."""

    async def story() -> None:
        room, table = Room(), PlayingTable("T1")
        newer = NewerTable(table)
        newer.status = "draining"
        room.tasks["T1"] = [asyncio.create_task(MemoryClient(room.broker, "T1", newer).run())]
        service = room.start_floor()
        table.play(3)
        await asyncio.sleep(3)
        tile = service.picture()["tables"]["T1"]
        assert (tile["liveness"], tile["status"], tile["state"]) == ("online", "draining", "paused")
        assert room.copy.kept("T1") == [1, 2, 3]
        seen = len(room.copy.others)
        await asyncio.sleep(3)
        assert len(room.copy.others) == seen, "the same word again is no change"
        await room.close()

    virtual(story)


@pytest.mark.parametrize("kind", [TableStatus, SeatState, DeviceHealth])
def test_words_of_a_newer_release_are_taken_as_words_alone(kind: Any) -> None:
    """The same one each time; nothing that is no word."""
    assert kind("draining") is kind("draining")
    assert kind("draining").value == "draining"
    assert kind("draining") not in tuple(kind)
    for odd in ("", "No such", "<b>", "x" * 49, 7, None):
        with pytest.raises(ValueError, match=kind.__name__):
            kind(odd)


def test_what_is_missing_or_said_in_another_way_is_still_refused() -> None:
    """More is taken, less is not: that would be another format."""
    good = json.loads(happened(3).model_dump_json())
    assert not is_newer(read_whole(PublicEvent, json.dumps(good)))
    assert is_newer(read_whole(PublicEvent, json.dumps(good | NEWER)))
    for odd in ({"event": None}, {"seq": "3"}, {"seat": 9}, {"event": "<b>"}):
        for reads in (read, read_whole):
            with pytest.raises(ValidationError):
                reads(PublicEvent, json.dumps(good | NEWER | odd))


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
def test_a_copy_keeps_nothing_that_is_no_json(number: str) -> None:
    """Nobody else could read what was kept of it, and no other program work out its link."""
    event = happened(3).model_dump_json()[:-1]
    with pytest.raises(ValidationError):
        read_whole(PublicEvent, f'{event},"weather":{{"felt":[1.5,{number}]}}}}')


def test_what_is_shown_holds_nothing_that_this_release_does_not_know() -> None:
    """Whatever a newer table, or one that is no table, puts beside what may be shown; a copy of events keeps it."""
    said = json.loads(view().model_dump_json())
    said["seats"][0]["down_cards"] = ["As"]
    shown, kept = (reads(PublicView, json.dumps(said)) for reads in (read, read_whole))
    assert shown == view()
    assert shown.model_extra is shown.seats[0].model_extra is None
    assert whole(kept, kept.model_dump(mode="json"))["seats"][0]["down_cards"] == ["As"]


def test_an_event_of_a_newer_kind_ends_the_drawing_and_is_told() -> None:
    """Nobody guesses what it did to the hand; its step stands in the list."""
    events = [happened(1, "hand_opened"), happened(2, "card_teleported")]
    steps = told("T1", JOURNAL, events)
    assert steps.untold is not None
    assert [step.event.event for step in steps.steps] == ["hand_opened", "card_teleported"]


def test_a_copy_outlives_the_upgrade_of_its_floor(tmp_path: Path) -> None:
    """What a floor kept that did not know all of an event is no difference for one that does; another text is one."""
    source, venue = Source("T1", JOURNAL), "demo"
    link = "ab" * 32
    known = KeptEvent(source, happened(1, "seat_changed", seat=2, to_seat=3, link=link, previous=None), proven=True)
    row, older = kept_as(venue, known)
    assert row == event_row(venue, known)
    assert (row["body"], row["digest"]) != (older["body"], older["digest"])

    def problems(of: dict[str, Any]) -> list[str]:
        found = Checked(source)
        _check_row(venue, of, 0, _NoHoles(), ChainCheck(source, None), found)  # type: ignore[arg-type]
        return [one.said for one in found.problems if "link" not in one.said]

    assert problems(row) == problems(older) == []
    assert problems(older | {"body": older["body"].replace('"to_seat":3', '"to_seat":4')}) != []

    other = KeptEvent(source, known.event.model_copy(update={"to_seat": 4}))

    async def again() -> list[list[Any]]:
        async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), venue) as store:
            await _put(store, older)
            return [list(await store.write(Batch((one,)))) for one in (known, other)]

    assert asyncio.run(again()) == [[], [Difference(source, 1, "event")]]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"pit": "north"}, ""),
        ({"agreed": {"name": "Bo", "role": "floor", "badge": 7}}, ""),
        ({"digest": None}, "token_unreadable"),
    ],
)
def test_an_order_of_another_release_is_taken_whole_or_refused(changed: dict[str, Any], code: str) -> None:
    """More in its token is passed over; without what the table asks for nothing is taken."""
    key, request, body = Ed25519PrivateKey.generate(), "POST commands", b"{}"
    signer = FloorSigner(key, "nice", lambda: 1000.0)
    token, _ = signer.sign("T1", Signer("Ann", "floor"), None, request, body, "12-4")
    claims = jwt.decode(token, options={"verify_signature": False}) | changed
    verifier = FloorVerifier(key.public_key(), "nice", "T1", lambda: 1001.0)
    told = jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": signer.name})
    if code:
        with pytest.raises(BadToken, match=code):
            verifier.verify(told, request, body)
    else:
        assert verifier.verify(told, request, body).person.name == "Ann"


class _NoHoles:
    def covers(self, last: int, seq: int) -> bool:
        del last, seq
        return False


async def _put(store: FloorStore, row: dict[str, Any]) -> None:
    """A row as another release left it."""
    from controller.floor.store.tables import EVENTS

    async with store.transaction() as connection:
        await store.insert(connection, EVENTS, [row])


# --- older ----------------------------------------------------------------------------------------------------------------------


@dataclass
class RecordedTable:
    """A table as a release published it: what it retained, and its events to whoever asks."""

    messages: Sequence[dict[str, Any]]
    link: Publisher | None = None
    asked: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)

    @property
    def root(self) -> str:
        """Of its topics, at this venue."""
        return f"stud/v1/{VENUE}/T1"

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its public events, in order."""
        return [one["payload"] for one in self.messages if one["topic"].endswith("/events")]

    def subscriptions(self) -> Sequence[str]:
        return (f"{self.root}/request/backfill",)

    def will(self) -> None:
        return None

    def farewell(self) -> None:
        return None

    async def run_session(self, link: Publisher) -> None:
        retained = [one for one in self.messages if not one["topic"].endswith("/events")]
        for one in retained:
            topic = f"{self.root}/{one['topic'].split('/', 4)[4]}"
            await link.publish(topic, json.dumps(one["payload"]).encode(), retain=True, qos=1)
        while True:
            asked = await self.asked.get()
            reply = {**asked, "events": [one for one in self.events if one["seq"] >= asked["from_seq"]][:200], "more": False}
            reply |= {"epoch": self.events[-1]["epoch"], "seq": self.events[-1]["seq"]}
            await link.publish(f"{self.root}/reply/{asked['request']}", json.dumps(reply).encode(), retain=False, qos=1)

    def on_message(self, message: Message) -> None:
        self.asked.put_nowait(json.loads(message.payload))


def _recorded() -> list[Path]:
    return sorted(path for path in RELEASES.iterdir() if (path / MESSAGES).exists())


@pytest.mark.parametrize("release", _recorded(), ids=lambda path: path.name)
def test_what_a_release_published_is_heard_by_every_later_floor(release: Path) -> None:
    """Status, picture, devices and every event of its recorded evening; each link is proven, and nothing is alarmed."""
    table = RecordedTable([json.loads(line) for line in (release / MESSAGES).read_text(encoding="utf-8").splitlines()])
    numbers = [one["seq"] for one in table.events]
    assert len(numbers) > 50

    async def story() -> None:
        room = Room()
        room.tasks["T1"] = [asyncio.create_task(MemoryClient(room.broker, "T1", table).run())]
        service = room.start_floor()
        await asyncio.sleep(3)
        (source,) = {one for one, _ in room.copy.rows}
        assert room.copy.kept("T1", source.journal) == numbers
        page = detail(service, "T1")
        assert page["public"] is not None
        assert {one["device"] for one in page["devices"]} >= {"shoe", "felt-a"}
        assert page["tile"]["status"] == "live"
        assert not room.copy.differences
        await room.close()

    virtual(story)


def test_there_is_a_recorded_release() -> None:
    """Otherwise the test above would test nothing."""
    assert _recorded()


def test_every_message_of_the_recorded_release_fits_its_model() -> None:
    """The models that the floor reads with; by today's schema as they are."""
    models: dict[str, type[Part]] = {"status": StatusPayload, "public": PublicView, "events": PublicEvent}
    for release in _recorded():
        for line in (release / MESSAGES).read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            model = models.get(one["topic"].split("/")[4])
            if model is not None:
                read_whole(model, json.dumps(one["payload"]))
    assert BackfillReply.model_fields.keys() >= {"events", "from_seq", "more"}
