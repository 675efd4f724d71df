# ruff: noqa: E501, INP001 - a script, no package; the sentences of a table stand on their line
"""The interfaces as files for programs: OpenAPI of table and floor, AsyncAPI of the topics. ``generate.py`` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from unittest.mock import MagicMock

from controller.console.http import make_api
from controller.floor_serve import floor_api
from controller.gate.gate import Gate
from controller.mqtt.topics import (
    AlarmTopic,
    CallTopic,
    CompactTopic,
    DeviceTopic,
    EchoTopic,
    EventsTopic,
    PublicTopic,
    ReplyTopic,
    RequestTopic,
    SeatTopic,
    StatusTopic,
    TableTopics,
    Topic,
)

REFERENCE: Final = Path(__file__).parent / "reference"
ADDRESSES: Final = "1"
"""Version of the addresses and topics, which is in their names; a release's own stands in what a running program tells."""
DRAFT: Final = "application/schema+json;version=2020-12"


class Channel(NamedTuple):
    """One kind of topic. ``address`` is the part behind the table's; ``schemas`` are files of ``mqtt-schemas``; ``qos`` as text."""

    address: str
    action: Literal["send", "receive"]
    retained: Literal["yes", "no"]
    qos: str
    schemas: tuple[str, ...]
    about: str


CHANNELS: Final[tuple[tuple[type[Topic] | None, Channel], ...]] = (
    (
        StatusTopic,
        Channel(
            *("status", "send", "yes", "1", ("status",)),
            "`starting`, `recovering`, `live`, `suspended`, `closed`, or by last will `lost`; sent on change and once a second",
        ),
    ),
    (PublicTopic, Channel("public", "send", "yes", "1", ("public",), "what everybody at the table may see")),
    (
        SeatTopic,
        Channel(
            *("seat/{seat}", "send", "yes", "1", ("seat",)),
            "the same from one seat's side: to call, options in words, pots it can win; on change, and once a second (then with QoS 0)",
        ),
    ),
    (
        CompactTopic,
        Channel(
            *("compact/{seat}", "send", "yes", "1", ("compact",)),
            "what that seat's display shows, in at most 1536 bytes for a microcontroller; on change, and once a second (then with QoS 0)",
        ),
    ),
    (
        EchoTopic,
        Channel("echo/{seat}", "receive", "no", "0, 1", ("echo",), "a display of that seat tells the table what it shows"),
    ),
    (CallTopic, Channel("call/{seat}", "receive", "no", "0, 1", ("call",), "the player of that seat asks for the floor")),
    (AlarmTopic, Channel("alarms/{id}", "send", "yes", "1", ("alarm",), "until cleared, then deleted with an empty payload")),
    (DeviceTopic, Channel("devices/{name}", "send", "yes", "1", ("device",), "state of a device's link")),
    (
        EventsTopic,
        Channel("events", "send", "no", "1", ("event",), "public events in order of `seq`, at most one for each `seq`"),
    ),
    (
        None,
        Channel(
            *("bridge", "send", "yes", "1", ()),
            "`1` or, by last will, `0`: whether the table's own mosquitto is [bridged](../how-to/bridge-a-table.md) to the venue's; "
            "from that broker, not from the table",
        ),
    ),
    (
        RequestTopic,
        Channel(
            *("request/snapshot", "receive", "no", "1", ("request-snapshot",)),
            "answered on `reply/<request>` with [reply-snapshot](mqtt-schemas/reply-snapshot.json)",
        ),
    ),
    (
        RequestTopic,
        Channel(
            *("request/backfill", "receive", "no", "1", ("request-backfill",)),
            "events from a `seq` on, answered on `reply/<request>` with [reply-backfill](mqtt-schemas/reply-backfill.json), 200 at a time",
        ),
    ),
    (
        ReplyTopic,
        Channel(
            "reply/{request}", "send", "no", "1", ("reply-snapshot", "reply-backfill"), "the answer to the request of that id"
        ),
    ),
)
"""Every topic that carries something; ``action`` is the table's. What looks like a command is none (``CommandTopic``)."""

PARAMETERS: Final[Mapping[str, str]] = {
    "venue": "The venue's name, one segment of a topic",
    "table": "The table's name, one segment of a topic",
    "seat": "A seat, from 1, clockwise from the dealer's left",
    "id": "The alarm's id",
    "name": "The device's name in table.toml, or display-<seat>-<display>",
    "request": "The id that the request gave",
}


def topics() -> Iterable[tuple[str, str, str, str, str]]:
    """A row for each topic: name, retained, QoS, schemas as links, what it is."""
    for _, channel in CHANNELS:
        name = channel.address.replace("{seat}", "{n}").replace("{", "<").replace("}", ">")
        schemas = ", ".join(f"[{schema}](mqtt-schemas/{schema}.json)" for schema in channel.schemas) or "–"
        yield f"`{name}`", channel.retained, channel.qos, schemas, channel.about


def asyncapi() -> dict[str, Any]:
    """The topics as AsyncAPI 3.0, seen from the table: it sends what it publishes and receives what others ask."""
    root = TableTopics("{venue}", "{table}").root
    channels, operations = {}, {}
    for _, channel in CHANNELS:
        name = _name(channel)
        channels[name] = _channel(f"{root}/{channel.address}", channel)
        operations[name] = _operation(name, channel)
    for asked in ("snapshot", "backfill"):
        told = "#/channels/reply"
        operations[f"request-{asked}"]["reply"] = {
            "channel": {"$ref": told},
            "messages": [{"$ref": f"{told}/messages/reply-{asked}"}],
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "stud-table",
            "version": ADDRESSES,
            "description": "The topics of one table, seen from the table. Payloads are UTF-8 JSON, money is whole chips, seats count from 1.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "venue": {
                "host": "broker.room.example:8883",
                "protocol": "secure-mqtt",
                "protocolVersion": "3.1.1",
                "description": "A broker of the venue's; both sides show a certificate of its authority.",
                "security": [{"type": "X509", "description": "The name in it is the user of the access list."}],
            },
            "own": {
                "host": "127.0.0.1:1883",
                "protocol": "mqtt",
                "protocolVersion": "3.1.1",
                "description": "The table's own broker, reached from its own machine alone.",
            },
        },
        "channels": channels,
        "operations": operations,
    }


def _name(channel: Channel) -> str:
    return channel.address.partition("/{")[0].replace("/", "-")


def _channel(address: str, channel: Channel) -> dict[str, Any]:
    names = [name for name in PARAMETERS if f"{{{name}}}" in address]
    return {
        "address": address,
        "summary": channel.about.partition("; ")[0].replace("`", ""),
        "parameters": {name: {"description": PARAMETERS[name]} for name in names},
        "messages": {
            schema: {"payload": {"schemaFormat": DRAFT, "schema": {"$ref": f"mqtt-schemas/{schema}.json"}}}
            for schema in channel.schemas
        }
        or {"state": {"contentType": "text/plain", "payload": {"type": "string", "enum": ["0", "1"]}}},
    }


def _operation(name: str, channel: Channel) -> dict[str, Any]:
    return {
        "action": channel.action,
        "channel": {"$ref": f"#/channels/{name}"},
        "bindings": {
            "mqtt": {"qos": int(channel.qos[-1]), "retain": channel.retained == "yes", "bindingVersion": "0.2.0"},
        },
    }


def openapi_table() -> dict[str, Any]:
    """The table's address as OpenAPI 3.1."""
    return make_api(None, dict, ADDRESSES).openapi()  # type: ignore[arg-type]  # only described, never asked


def openapi_floor() -> dict[str, Any]:
    """The floor's address as OpenAPI 3.1."""
    api = floor_api(MagicMock(), Gate(name="floor"), MagicMock(), (), {}).api
    api.version = ADDRESSES
    return api.openapi()


def files() -> dict[Path, str]:
    """Every file of an interface with the text it should have."""
    made = {"openapi-table.json": openapi_table(), "openapi-floor.json": openapi_floor(), "asyncapi.json": asyncapi()}
    return {REFERENCE / name: json.dumps(text, indent=1, ensure_ascii=False) + "\n" for name, text in made.items()}
