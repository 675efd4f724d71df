"""Payload models and their published schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError
from support.mqtt_samples import AT, alarm, device, event, public_view, seat_view

from controller.mqtt import payloads
from controller.mqtt.compact import Call, Echo, compact_of
from controller.mqtt.payloads import (
    BACKFILL_PAGE,
    BackfillReply,
    BackfillRequest,
    PublicSeat,
    PublicView,
    SeatView,
    SnapshotReply,
    SnapshotRequest,
    StatusPayload,
    TableStatus,
)
from controller.mqtt.schemas import export_schemas, schemas

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "mqtt-schemas"
STAMP: dict[str, Any] = {"seq": 7, "epoch": 2, "at": AT}
EXAMPLES: dict[str, BaseModel] = {
    "status": StatusPayload(**STAMP, status=TableStatus.LIVE),
    "public": public_view(),
    "seat": seat_view(),
    "compact": compact_of(seat_view()),
    "echo": Echo(seat=4, epoch=2, seq=123, digest="0a1b2c3d"),
    "call": Call(seat=4, call="t-0017"),
    "alarm": alarm("a1"),
    "device": device("felt-a"),
    "event": event(9),
    "request-snapshot": SnapshotRequest(**STAMP, request="q-1"),
    "request-backfill": BackfillRequest(**STAMP, request="q-1", from_seq=3),
    "reply-snapshot": SnapshotReply(
        **STAMP,
        request="q-1",
        status=TableStatus.LIVE,
        public=public_view(),
        seats=(seat_view(),),
        alarms=(alarm("a1"),),
        devices=(device("felt-a"),),
    ),
    "reply-backfill": BackfillReply(**STAMP, request="q-1", from_seq=3, events=(event(9),), more=False),
}


def test_the_published_schemas_are_current() -> None:
    """The files in the reference are what the models say now; ``export_schemas`` writes them."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")} == schemas()


def test_export_writes_every_schema(tmp_path: Path) -> None:
    """The exported folder holds one file for each published payload."""
    export_schemas(tmp_path / "schemas")
    assert sorted(path.stem for path in (tmp_path / "schemas").iterdir()) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_payload_fits_its_published_schema(name: str) -> None:
    """What is sent validates against the file that other programs read, and is read back equal."""
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    text = EXAMPLES[name].model_dump_json()
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    assert type(EXAMPLES[name]).model_validate_json(text) == EXAMPLES[name]


def test_golden_status_payload() -> None:
    """The bytes of a status, by hand: seq, epoch, RFC 3339 time, state, no head known, nobody drives."""
    expected = (
        b'{"seq":7,"epoch":2,"at":"2026-01-02T20:15:00Z","status":"live","journal":null,"head":null,"last_event":null,'
        b'"http":null,"dealer":null,"last_link":null,"clock_trusted":null}'
    )
    assert EXAMPLES["status"].model_dump_json().encode() == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_further_field_is_refused(name: str) -> None:
    """A payload with a field that its schema does not name is no payload."""
    fields = json.loads(EXAMPLES[name].model_dump_json())
    with pytest.raises(ValidationError, match="extra"):
        type(EXAMPLES[name]).model_validate(fields | {"hole": "As"})


def test_a_seat_has_no_field_for_a_down_card() -> None:
    """Card texts of a seat are its up cards and a tabled hand alone; down cards are a number (R-RULE-06)."""
    assert _card_fields(PublicSeat) == {"up", "tabled"}
    assert _card_fields(PublicView) == {"community"}
    assert _card_fields(SeatView) == {"community"}
    assert PublicSeat.model_fields["down"].annotation is int


def _card_fields(model: type[BaseModel]) -> set[str]:
    properties = model.model_json_schema()["properties"]
    return {name for name, schema in properties.items() if "tcdhs" in json.dumps(schema).replace("TJQKA][", "t")}


def test_cards_and_seats_are_checked() -> None:
    """A card that is none and a seat beyond the eighth are refused."""
    for bad in ({"up": ("1s",)}, {"seat": 9}, {"down": 8}):
        with pytest.raises(ValidationError):
            PublicSeat(**({"seat": 1, "state": "live"} | bad))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "odd",
    [
        {"at": "0001-01-01T00:00:00+14:00"},
        {"at": "9999-12-31T23:59:59-14:00"},
        {"chips": 2**64},
        {"hand": 2**64},
        {"rake": [1] * 9},
    ],
    ids=str,
)
def test_what_no_reader_could_count_with_is_refused(odd: dict[str, Any]) -> None:
    """A time that another zone has no year for, a number that no database keeps: they would end who reads them."""
    said = {**STAMP, "event": "pots_fixed", "hand": 1}
    assert payloads.PublicEvent.model_validate(said)
    with pytest.raises(ValidationError):
        payloads.PublicEvent.model_validate({**said, **odd})


def test_an_answer_holds_one_page_and_not_one_more() -> None:
    """A backfill answer is bounded."""
    page = tuple(event(seq) for seq in range(1, BACKFILL_PAGE + 1))
    BackfillReply(**STAMP, request="q", from_seq=1, events=page, more=True)
    with pytest.raises(ValidationError, match="at most"):
        BackfillReply(**STAMP, request="q", from_seq=1, events=(*page, event(BACKFILL_PAGE + 1)), more=True)


def test_every_model_is_frozen_and_closed() -> None:
    """No payload or part can be changed, and none takes further fields."""
    models = [item for item in vars(payloads).values() if isinstance(item, type) and issubclass(item, payloads.Part)]
    assert len(models) > 15
    models.remove(payloads.Stamp)
    assert all(model.model_config == {"frozen": True, "extra": "forbid"} for model in models)
