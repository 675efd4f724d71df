"""The answers to what is asked over MQTT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from controller.displays.outbox import Backfill
from controller.displays.snapshot import Snapshot
from controller.mqtt.payloads import (
    BACKFILL_PAGE,
    Alarm,
    BackfillReply,
    BackfillRequest,
    Device,
    SnapshotReply,
    SnapshotRequest,
    Stamp,
    TableStatus,
)
from controller.mqtt.reading import read

_REQUESTS: Final[Mapping[str, type[SnapshotRequest | BackfillRequest]]] = {
    "snapshot": SnapshotRequest,
    "backfill": BackfillRequest,
}


def request_in(what: str, payload: bytes) -> SnapshotRequest | BackfillRequest | None:
    """The request in a message on ``request/<what>``; ``None`` for what is none, or does not fit its schema."""
    model = _REQUESTS.get(what)
    try:
        return None if model is None else read(model, payload)
    except ValidationError:
        return None


def snapshot_reply(
    request: SnapshotRequest,
    stamp: Stamp,
    status: TableStatus,
    snapshot: Snapshot | None,
    alarms: Mapping[str, Alarm],
    displays: Mapping[str, Device],
) -> SnapshotReply:
    """Everything retained: what ``snapshot`` has, and what the table's state knows nothing of."""
    known = {} if snapshot is None else {**snapshot.alarms}
    devices = {} if snapshot is None else {**snapshot.devices}
    return SnapshotReply(
        seq=stamp.seq,
        epoch=stamp.epoch,
        at=stamp.at,
        request=request.request,
        status=status,
        public=None if snapshot is None else snapshot.public,
        seats=() if snapshot is None else tuple(view for _, view in sorted(snapshot.seats.items())),
        alarms=tuple(alarm for _, alarm in sorted((known | dict(alarms)).items())),
        devices=tuple(device for _, device in sorted((devices | dict(displays)).items())),
    )


async def backfill_reply(request: BackfillRequest, stamp: Stamp, backfill: Backfill) -> BackfillReply:
    """The public events from the one asked for on that are committed at ``stamp``, a page of them."""
    found = await backfill(request.from_seq, limit=BACKFILL_PAGE + 1)
    return BackfillReply(
        seq=stamp.seq,
        epoch=stamp.epoch,
        at=stamp.at,
        request=request.request,
        from_seq=request.from_seq,
        events=tuple(event for event in found[:BACKFILL_PAGE] if event.seq <= stamp.seq),
        more=len(found) > BACKFILL_PAGE,
    )
