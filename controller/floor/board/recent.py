"""What happened last at one table, as its public events told it: for the table's own page."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from controller.floor.board.moment import told
from controller.mqtt.payloads import PublicEvent

EVENTS: Final = 32
"""Events of one table that are kept here; all of them are in the store."""
HANDS: Final = 8
RULINGS: Final = 8
_SHOWN: Final = frozenset(
    ("seq", "event", "hand", "street", "seat", "place", "verb", "chips", "to", "all_in", "card", "cards", "code", "to_seat")
)
_ENDED: Final = ("hand_ended", "hand_voided")


class Recent:
    """The newest public events, ended hands and rulings. Bounded; heard each once and in order."""

    def __init__(self) -> None:
        self._events: deque[PublicEvent] = deque(maxlen=EVENTS)
        self._hands: deque[Mapping[str, Any]] = deque(maxlen=HANDS)
        self._rulings: deque[PublicEvent] = deque(maxlen=RULINGS)
        self._street = 0
        self._won: dict[int, int] = {}

    def hear(self, heard: PublicEvent) -> None:
        """A public event."""
        self._events.append(heard)
        self._street = max(self._street, heard.street or 0)
        match heard.event:
            case "hand_opened":
                self._street, self._won = 0, {}
            case "pot_awarded":
                for share in heard.shares or ():
                    self._won[share.seat] = self._won.get(share.seat, 0) + share.chips
            case "award_undone":
                self._won = {}
            case "ruled":
                self._rulings.append(heard)
            case _ if heard.event in _ENDED:
                self._hands.append(self._ended(heard))
                self._street, self._won = 0, {}
            case _:
                pass

    def _ended(self, heard: PublicEvent) -> Mapping[str, Any]:
        winners = [{"seat": seat, "chips": chips} for seat, chips in sorted(self._won.items())]
        return {
            "hand": heard.hand,
            "ended_at": told(heard.at),
            "voided": heard.event == "hand_voided",
            "street": self._street or None,
            "winners": [] if heard.event == "hand_voided" else winners,
        }

    @property
    def events(self) -> list[dict[str, Any]]:
        """The newest last, each with what a line about it says."""
        return [_event(event) for event in self._events]

    @property
    def hands(self) -> list[Mapping[str, Any]]:
        """Hands that ended, the newest last. ``winners``: chips by seat; none of a void, nor where the floor heard no award."""
        return list(self._hands)

    @property
    def rulings(self) -> list[dict[str, Any]]:
        """What was ruled, the newest last, with who ruled and who agreed where that was told."""
        return [_ruling(one) for one in self._rulings]


def _event(event: PublicEvent) -> dict[str, Any]:
    return {**event.model_dump(mode="json", exclude_none=True, include=set(_SHOWN)), "at": told(event.at)}


def _ruling(event: PublicEvent) -> dict[str, Any]:
    people = event.ruling
    names = {"by": "" if people is None else people.by, "agreed_by": "" if people is None else people.agreed_by}
    return {"seq": event.seq, "at": told(event.at), "hand": event.hand, "code": event.code, **names}
