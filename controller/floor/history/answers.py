"""What the floor's address answers about hands, as JSON and CSV; without names for whom they are no business (screens §11)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from controller.floor.board.moment import told as moment
from controller.floor.history.csv_text import csv_text
from controller.floor.history.steps import Told
from controller.floor.store.history import Cursor
from controller.mqtt.payloads import PublicEvent

_HAND: Final = ("journal", "hand", "opened_at", "ended_at", "outcome", "variant", "dealer", "pot", "rake", "seconds")
COLUMNS: Final = ("table", *_HAND, "players")
STEP_COLUMNS: Final = ("step", "seq", "at", "event", "street", "seat", "card", "text", "rule", "evidence", "pot", "undone")


class CursorError(ValueError):
    """No cursor of ours."""


def cursor_of(row: Mapping[str, Any]) -> str:
    """Where the page behind ``row`` begins, as text that means nothing to others."""
    said = [row["ended_at"].isoformat(), row["table_name"], row["journal"], row["hand"]]
    return urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")


def parse_cursor(text: str) -> Cursor:
    """The place that ``cursor_of`` named; ``CursorError``."""
    try:
        at, table, journal, hand = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return Cursor(datetime.fromisoformat(at), str(table), str(journal), int(hand))
    except (ValueError, TypeError) as error:
        raise CursorError("the cursor is none that was given here: ask for the first page again") from error


def hand_row(row: Mapping[str, Any], *, names: bool) -> dict[str, Any]:
    """A hand of the list."""
    said = {"table": row["table_name"], **{name: row[name] for name in _HAND}}
    said |= {name: None if row[name] is None else moment(row[name]) for name in ("opened_at", "ended_at")}
    if not names:
        said["dealer"] = None
    seats = row.get("seats", ())
    return said | {"seats": [{"seat": one["seat"], "name": one["name"] if names else ""} for one in seats]}


def hands_csv(rows: Iterable[Mapping[str, Any]], *, names: bool) -> str:
    """The list as CSV: a hand a line, its players in one cell."""
    said = (hand_row(row, names=names) for row in rows)
    lines = [
        [*(row[name] for name in COLUMNS[:-1]), " · ".join(f"{one['seat']} {one['name']}".strip() for one in row["seats"])]
        for row in said
    ]
    return csv_text(COLUMNS, lines)


def nameless(events: Sequence[PublicEvent]) -> list[PublicEvent]:
    """The same events with nobody's name in them."""
    return [_nameless(event) for event in events]


def _nameless(event: PublicEvent) -> PublicEvent:
    changed: dict[str, Any] = {}
    if event.opening is not None:
        players = tuple(player.model_copy(update={"name": ""}) for player in event.opening.players)
        changed["opening"] = event.opening.model_copy(update={"players": players, "dealer": ""})
    if event.name is not None:
        changed["name"] = None
    if event.ruling is not None:
        changed["ruling"] = event.ruling.model_copy(update={"by": "", "agreed_by": ""})
    return event.model_copy(update=changed) if changed else event


def hand_json(row: Mapping[str, Any], found: Told, *, names: bool) -> dict[str, Any]:
    """A hand with its steps; ``streets`` are the steps at which each street begins, ``links`` the verdict on the copy's chain."""
    opening = next((step.event.opening for step in found.steps if step.event.opening is not None), None)
    game = None if opening is None else opening.model_dump(mode="json", include={"variant", "stakes", "rules", "preset"})
    dealt_in = set() if opening is None else {stack.seat for stack in opening.stacks}
    players = () if opening is None else (player for player in opening.players if player.seat in dealt_in)
    return {
        **hand_row(row, names=names),
        "seats": [{"seat": player.seat, "name": player.name} for player in players],
        "game": game,
        "links": found.links,
        "untold": found.untold,
        "streets": [{"street": street, "step": number} for number, street in _streets(found)],
        "steps": [
            {
                "step": step.number,
                "seq": step.event.seq,
                "at": moment(step.event.at),
                "event": step.event.event,
                "street": step.event.street,
                "seat": step.event.seat,
                "card": step.event.card,
                "cards": step.event.cards,
                "text": step.text,
                "rule": step.rule,
                "more": [{"text": text, "rule": rule} for text, rule in step.more],
                "evidence": step.evidence,
                "pot": step.pot,
                "undone": step.is_undone,
                "view": step.view,
            }
            for step in found.steps
        ],
    }


def _streets(found: Told) -> list[tuple[int, str]]:
    """The first step of the antes, of each street's deal, and of the showdown."""
    names = {"hand_opened": "antes", "showdown_opened": "showdown"}
    marks = []
    for step in found.steps:
        street = str(step.event.street) if step.event.event == "deal_started" else names.get(step.event.event)
        if street is not None:
            marks.append((step.number, street))
    return marks


def steps_csv(found: Told, language: str) -> str:
    """The steps as CSV, in one language."""
    lines = [
        [
            step.number,
            step.event.seq,
            step.event.at,
            step.event.event,
            step.event.street,
            step.event.seat,
            step.event.card or " ".join(step.event.cards or ()),
            step.text[language],
            step.rule,
            "" if step.evidence is None else step.evidence[language],
            step.pot,
            "yes" if step.is_undone else "",
        ]
        for step in found.steps
    ]
    return csv_text(STEP_COLUMNS, lines)
