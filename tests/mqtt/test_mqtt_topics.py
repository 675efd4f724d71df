"""Topic names of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt.topics import (
    AlarmTopic,
    CallTopic,
    CommandTopic,
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

TOPICS = TableTopics("nice", "T12")


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        (TOPICS.status, StatusTopic()),
        (TOPICS.public, PublicTopic()),
        (TOPICS.events, EventsTopic()),
        (TOPICS.seat(8), SeatTopic(8)),
        (TOPICS.compact(8), CompactTopic(8)),
        (TOPICS.echo(2), EchoTopic(2)),
        (TOPICS.call(2), CallTopic(2)),
        (TOPICS.alarm("a-7"), AlarmTopic("a-7")),
        (TOPICS.device("felt-a"), DeviceTopic("felt-a")),
        (TOPICS.request_snapshot, RequestTopic("snapshot")),
        (TOPICS.request_backfill, RequestTopic("backfill")),
        (TOPICS.reply("q1"), ReplyTopic("q1")),
    ],
)
def test_parse_reads_what_the_builders_write(name: str, topic: Topic) -> None:
    """Every published topic is read back as what it was built from."""
    assert name.startswith("stud/v1/nice/T12/")
    assert TOPICS.parse(name) == topic


@pytest.mark.parametrize(
    "name",
    [
        "stud/v1/nice/T12",
        "stud/v1/nice/T1/status",
        "stud/v1/nice/T12/seat/0",
        "stud/v1/nice/T12/seat/x",
        "stud/v1/nice/T12/seat/²",
        "stud/v1/nice/T12/seat/1/down",
        "stud/v1/nice/T12/seat/01",
        "stud/v1/nice/T12/echo/0",
        "stud/v1/nice/T12/call/0",
        "stud/v1/nice/T12/call",
        "stud/v1/nice/T12/echo/1/2",
        "stud/v1/nice/T12/alarms",
        "stud/v2/nice/T12/status",
    ],
)
def test_other_tables_and_unknown_topics_are_none(name: str) -> None:
    """What is not of this table, or not published, is no topic."""
    assert TOPICS.parse(name) is None


def test_anything_under_request_and_command_is_seen() -> None:
    """An unknown request and a command are recognised, so that they can be refused."""
    assert TOPICS.parse("stud/v1/nice/T12/request/start/hand") == RequestTopic("start/hand")
    assert TOPICS.parse("stud/v1/nice/T12/command/start") == CommandTopic()


@pytest.mark.parametrize(
    "name", ["Command/start", "COMMAND", "Request/backfill", "REQUEST/snapshot", "commands/x", "cmd", "Set/seat/1"]
)
def test_a_command_in_another_spelling_is_one(name: str) -> None:
    """Wrong case and other names of commands are heard, so that people are told; a request in wrong case is no request."""
    assert TOPICS.parse(f"{TOPICS.root}/{name}") == CommandTopic()
    first = name.split("/", maxsplit=1)[0]
    assert f"{TOPICS.root}/{first}/#" in TOPICS.requests


@pytest.mark.parametrize("bad", ["", "a/b", "+", "#", "$SYS", "a\0", " a", "x" * 65])
def test_a_name_cannot_break_out_of_its_segment(bad: str) -> None:
    """Venue, table, alarm and device names that would change the topic's shape are refused."""
    with pytest.raises(ValueError, match="cannot be part of a topic"):
        TableTopics(bad, "T1")
    with pytest.raises(ValueError, match="cannot be part of a topic"):
        TOPICS.alarm(bad)


def test_seats_count_from_one() -> None:
    """Seat 0 has no topic."""
    with pytest.raises(ValueError, match="no seat"):
        TOPICS.seat(0)


@given(st.text(max_size=30))
def test_parse_takes_any_text(rest: str) -> None:
    """No topic that somebody sends makes the parser fail."""
    TOPICS.parse(f"{TOPICS.root}/{rest}")
