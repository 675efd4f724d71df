"""The interfaces as files for programs: valid by their makers' schemas, and every topic of the code in them, both ways."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any, Final, get_args

import jsonschema
import pytest

from controller.mqtt.topics import CommandTopic, TableTopics, Topic

ROOT: Final = Path(__file__).parents[2]
REFERENCE: Final = ROOT / "docs/reference"
SCHEMAS: Final = ROOT / "tests/data/schemas"
TOPICS: Final = TableTopics("nice", "T12")
VALUES: Final = {"venue": "nice", "table": "T12", "seat": "4", "id": "hold", "name": "shoe", "request": "r1"}


def read(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", ["openapi-table", "openapi-floor"])
def test_the_http_addresses_are_valid_openapi(name: str) -> None:
    """The official schema of OpenAPI 3.1 finds nothing in the document, and would find a path without an answer."""
    validator = jsonschema.Draft202012Validator(read(SCHEMAS / "openapi-3.1.json"))
    document = read(REFERENCE / f"{name}.json")
    assert not [error.message for error in validator.iter_errors(document)]
    assert not validator.is_valid({**document, "paths": {"healthz": {}}})


def test_the_topics_are_valid_asyncapi() -> None:
    """The official schema of AsyncAPI 3.0 finds nothing in the document, and would find an operation without a channel."""
    validator = jsonschema.Draft7Validator(read(SCHEMAS / "asyncapi-3.0.json"))
    document = read(REFERENCE / "asyncapi.json")
    assert not [error.message for error in validator.iter_errors(document)]
    assert not validator.is_valid({**document, "operations": {"status": {"action": "send"}}})


def asyncapi() -> dict[str, Any]:
    return read(REFERENCE / "asyncapi.json")


def test_every_topic_of_the_code_is_a_channel_and_the_reverse(generator: ModuleType) -> None:
    """Each channel's address is read as the kind of topic it is said to be; commands alone are no channel."""
    told = set()
    for kind, channel in generator.generate_interfaces.CHANNELS:
        topic = TOPICS.parse(f"{TOPICS.root}/{channel.address}".format(**VALUES))
        assert kind is None or isinstance(topic, kind), channel.address
        told.add(kind)
    assert told - {None} == set(get_args(Topic)) - {CommandTopic}
    addresses = {channel["address"].format(**VALUES) for channel in asyncapi()["channels"].values()}
    assert addresses == {f"{TOPICS.root}/{one.address}".format(**VALUES) for _, one in generator.generate_interfaces.CHANNELS}


def test_every_published_schema_is_a_message_and_the_reverse() -> None:
    """No payload has a schema that no channel names, and no channel names one that is not there."""
    messages = [message for channel in asyncapi()["channels"].values() for message in channel["messages"].values()]
    named = {message["payload"]["schema"]["$ref"] for message in messages if "schema" in message["payload"]}
    assert named == {path.relative_to(REFERENCE).as_posix() for path in (REFERENCE / "mqtt-schemas").glob("*.json")}


def test_what_is_told_as_retained_and_received_is_what_the_table_does(generator: ModuleType) -> None:
    """Retained is what a starting table looks for of its own, received what it subscribes to; the bridge's is the broker's."""
    for kind, channel in generator.generate_interfaces.CHANNELS:
        topic = f"{TOPICS.root}/{channel.address}".format(**VALUES)

        def within(filters: tuple[str, ...], topic: str = topic) -> bool:
            return any(generator._matches(one, topic) for one in filters)

        assert (channel.action == "receive") is within((*TOPICS.requests, *TOPICS.of_displays)), channel.address
        if kind is not None:
            assert (channel.retained == "yes") is within(TOPICS.own_retained), channel.address


def test_a_request_names_its_reply() -> None:
    """Both requests are answered on the reply's channel, by a message that is there."""
    document = asyncapi()
    for asked in ("snapshot", "backfill"):
        reply = document["operations"][f"request-{asked}"]["reply"]
        assert reply["messages"] == [{"$ref": f"#/channels/reply/messages/reply-{asked}"}]
        assert f"reply-{asked}" in document["channels"]["reply"]["messages"]
