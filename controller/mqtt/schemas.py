"""The published JSON Schemas (draft 2020-12) of what travels over MQTT, made from the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from controller.mqtt.compact import Call, CompactView, Echo
from controller.mqtt.payloads import (
    Alarm,
    BackfillReply,
    BackfillRequest,
    Device,
    PublicEvent,
    PublicView,
    SeatView,
    SnapshotReply,
    SnapshotRequest,
    StatusPayload,
)

_PUBLISHED: Final[tuple[tuple[str, type[BaseModel]], ...]] = (
    ("status", StatusPayload),
    ("public", PublicView),
    ("seat", SeatView),
    ("compact", CompactView),
    ("echo", Echo),
    ("call", Call),
    ("alarm", Alarm),
    ("device", Device),
    ("event", PublicEvent),
    ("request-snapshot", SnapshotRequest),
    ("request-backfill", BackfillRequest),
    ("reply-snapshot", SnapshotReply),
    ("reply-backfill", BackfillReply),
)


def schemas() -> dict[str, str]:
    """File name → text of every published JSON Schema (draft 2020-12)."""
    return {f"{name}.json": _schema_text(model) for name, model in _PUBLISHED}


def export_schemas(folder: Path) -> None:
    """Write ``schemas()`` into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (folder / name).write_text(text, encoding="utf-8")


def _schema_text(model: type[BaseModel]) -> str:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema(mode="serialization")}
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
