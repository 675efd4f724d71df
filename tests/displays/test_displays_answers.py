"""The answers to what is asked over MQTT, as values."""

from __future__ import annotations

from support.mqtt_samples import AT, Journal, alarm, device, event, snapshot

from controller.displays.answers import backfill_reply, snapshot_reply
from controller.mqtt.payloads import BACKFILL_PAGE, BackfillRequest, SnapshotRequest, Stamp, TableStatus

STAMP = Stamp(seq=9, epoch=2, at=AT)


def test_a_snapshot_has_what_the_state_knows_and_what_it_does_not() -> None:
    """Alarms and devices of the table, and those of its displays, each once."""
    request = SnapshotRequest(seq=0, epoch=0, at=AT, request="q")
    seen = snapshot(9, alarms={"a1": alarm("a1")})
    reply = snapshot_reply(request, STAMP, TableStatus.LIVE, seen, {"display_4": alarm("display_4")}, {"d": device("d")})
    assert [one.alarm for one in reply.alarms] == ["a1", "display_4"]
    assert [one.device for one in reply.devices] == ["d", "felt-a"]
    assert [view.seat for view in reply.seats] == [3, 4]
    nothing = snapshot_reply(request, STAMP, TableStatus.STARTING, None, {}, {})
    assert (nothing.public, nothing.seats, nothing.devices) == (None, (), ())


async def test_a_backfill_is_a_page_of_what_is_committed() -> None:
    """No event behind the stamp, and word that there are more."""
    journal = Journal()
    journal.commit(*(event(seq) for seq in range(1, BACKFILL_PAGE + 50)))
    request = BackfillRequest(seq=0, epoch=0, at=AT, request="q", from_seq=5)
    reply = await backfill_reply(request, STAMP, journal.read)
    assert [one.seq for one in reply.events] == [5, 6, 7, 8, 9]
    assert reply.more
