"""What the store keeps of hands, beside their events: their rows, who played, what went wrong, what was ruled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from controller.floor.store.rows import KeptEvent, Source, key
from controller.mqtt.payloads import PublicEvent

OUTCOMES: Final = ("hand_ended", "hand_voided")
HOUR_S: Final = 3600
OPENED: Final = ("opened_seq", "opened_at", "variant", "dealer", "players")
ENDED: Final = ("ended_seq", "ended_at", "outcome", "rake", "hour")
STOP: Final = "hand_held"
STOP_ENDS: Final = (STOP, "hold_lifted", "hand_voided", "misdeal_declared", "hand_ended")
_SLIPS: Final[Mapping[str, Callable[[PublicEvent], str | None]]] = {
    STOP: lambda event: event.code,
    "misdeal_declared": lambda _: "misdeal",
    "hole_exposed": lambda _: "exposed_card",
    "seventh_shown": lambda _: "exposed_card",
    "card_scrapped": lambda event: event.code,
    "burned_early": lambda _: "burned_early",
    "cards_returned": lambda _: "premature_cards",
    "card_eliminated": lambda _: "premature_cards",
    "seventh_kept": lambda _: "premature_cards",
    "hands_killed": lambda _: "dead_hand",
    "out_of_turn_noted": lambda _: "out_of_turn",
    "action_undone": lambda _: "undone_action",
    "award_undone": lambda _: "undone_award",
    "confirmation_undone": lambda _: "undone_card",
    "hand_voided": lambda _: "voided_hand",
}
"""Events that are slips, each with the kind that it is counted as."""


def hand_rows(venue: str, events: Sequence[KeptEvent]) -> list[dict[str, Any]]:
    """Rows of ``hands``: what these events tell of each hand's beginning, pot and end."""
    rows: dict[tuple[Source, int], dict[str, Any]] = {}
    for source, event in ((kept.source, kept.event) for kept in events):
        if event.hand is None or event.event not in ("hand_opened", "pots_fixed", *OUTCOMES):
            continue
        empty = dict.fromkeys((*OPENED, *ENDED, "pot"))
        row = rows.setdefault((source, event.hand), {**key(venue, source), "hand": event.hand, **empty})
        match event.event:
            case "hand_opened":
                row |= {"opened_seq": event.seq, "opened_at": event.at, **_opening(event)}
            case "pots_fixed":
                row["pot"] = event.chips
            case outcome:
                hour = int(event.at.timestamp()) // HOUR_S
                rake = sum(event.rake or ()) if event.rake is not None or outcome == "hand_voided" else None
                row |= {"ended_seq": event.seq, "ended_at": event.at, "outcome": outcome, "rake": rake, "hour": hour}
    return [row for _, row in sorted(rows.items())]


def _opening(event: PublicEvent) -> dict[str, Any]:
    opening = event.opening
    if opening is None:
        return {}
    return {"variant": opening.variant, "dealer": opening.dealer or None, "players": len(opening.stacks)}


def player_rows(venue: str, events: Sequence[KeptEvent]) -> list[dict[str, Any]]:
    """Rows of ``players``: who was dealt in."""
    rows = []
    for kept in events:
        opening, hand = kept.event.opening, kept.event.hand
        if opening is None or hand is None:
            continue
        dealt_in = {stack.seat for stack in opening.stacks}
        rows += [
            {
                **key(venue, kept.source),
                "hand": hand,
                "seat": player.seat,
                "name": player.name,
                "name_key": name_key(player.name),
                "at": kept.event.at,
            }
            for player in opening.players
            if player.seat in dealt_in
        ]
    return rows


def name_key(name: str) -> str:
    """A name as it is looked for: small letters, one space between words."""
    return " ".join(name.casefold().split())[:64]


def slip_rows(venue: str, events: Sequence[KeptEvent]) -> list[dict[str, Any]]:
    """Rows of ``slips``, without the ends of stops."""
    return [
        {
            **key(venue, kept.source),
            "seq": kept.event.seq,
            "at": kept.event.at,
            "hand": kept.event.hand,
            "event": kept.event.event,
            "code": code,
            "place": kept.event.place,
            "seat": kept.event.seat,
        }
        for kept in events
        if (kind := _SLIPS.get(kept.event.event)) is not None and (code := kind(kept.event)) is not None
    ]


def stop_ends(venue: str, events: Sequence[KeptEvent]) -> list[dict[str, Any]]:
    """What ends the stop that is open before it, in a fixed order, so that two writers do not wait for each other."""
    return [
        {**key(venue, kept.source), "seq": kept.event.seq, "at": kept.event.at}
        for kept in sorted(events, key=lambda kept: (kept.source, kept.event.seq))
        if kept.event.event in STOP_ENDS
    ]


def ruling_rows(venue: str, events: Sequence[KeptEvent]) -> list[dict[str, Any]]:
    """Rows of ``rulings``."""
    rows = []
    for kept in events:
        event, people = kept.event, kept.event.ruling
        if event.event != "ruled" or event.code is None:
            continue
        said = {"role": people and people.role, "person": people and people.by, "agreed_by": people and people.agreed_by}
        row = {**key(venue, kept.source), "seq": event.seq, "at": event.at, "hand": event.hand, "code": event.code}
        rows.append(row | {name: value or None for name, value in said.items()})
    return rows
