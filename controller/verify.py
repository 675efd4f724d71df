"""An auditor's check of a journal: the hash chain, and that replaying it gives the state it claims. Needs no key.

Beside the chain it proves: every event decodes and follows the one before, chips and cards are conserved, each hand's stacks
are what its events lead to, and a tabled hand is what was sealed when it was dealt (the seat's key is in the journal by then).
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.hand.cards import Card
from controller.hand.events import CardDealt, HandEnded, HandOpened, HandTabled, HandVoided
from controller.hand.places import Zone
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.sealing import SealError, box_data, commitment, open_box, seat_part
from controller.journal.verify import ReplayDisagrees, verify_chain
from controller.table.events import CardsCounted, DealKeyMade, SeatKeyReleased, TableEvent
from controller.table.evolve import evolve
from controller.table.records import decode, table_codec
from controller.table.state import TableState


@dataclass(frozen=True, slots=True)
class Audit:
    """Outcome of a check; ``first_bad`` is the number of the first event that does not hold, 0 for the file itself."""

    ok: bool
    events: int
    hands: int
    head: str
    first_bad: int | None
    reason: str | None

    def as_json(self) -> dict[str, Any]:
        """The keys that checks read, and ``reason``."""
        return {
            "ok": self.ok,
            "events": self.events,
            "hands": self.hands,
            "head": self.head,
            "first_bad": self.first_bad,
            "reason": self.reason,
        }


def audit(path: Path) -> Audit:
    """Check the journal in ``path``, a file or its folder. ``FileNotFoundError`` when there is none."""
    replay = _Replay()
    found = verify_chain(path, replay.take)
    return Audit(found.ok, found.events, replay.hands, found.head.hex(), found.first_bad, found.reason)


class _Replay:
    """The state after each event, and what it must agree with."""

    def __init__(self) -> None:
        self._codec = table_codec()
        self._state = TableState()
        self.hands = 0
        self._kid = ""
        self._commitments: dict[str, str] = {}
        self._boxes: dict[int, list[Body]] = {}
        self._tabled: dict[int, tuple[Card, ...]] = {}

    def take(self, seq: int, body: Body) -> None:
        """One event; ``ReplayDisagrees`` says what does not hold."""
        try:
            event = decode(self._codec, body, {})
            self._state = evolve(self._state, event)
        except (CodecError, ValueError, KeyError, IndexError) as error:
            raise ReplayDisagrees(f"{body.get('type')} cannot follow what stands before it: {type(error).__name__}") from None
        if self._state.seq != seq:
            raise ReplayDisagrees(f"it is number {seq}, but {self._state.seq - 1} events stand before it")
        self._check(event, body)

    def _check(self, event: TableEvent, body: Body) -> None:
        match event:
            case DealKeyMade():
                self._kid = event.kid
                self._commitments = dict(event.commitments)
            case HandOpened():
                self._boxes.clear()
                self._tabled.clear()
            case CardDealt(place=place) if place.zone is not Zone.UP:
                self._boxes.setdefault(place.seat, []).append(body)
            case HandTabled(seat=seat, cards=cards):
                self._tabled[seat] = cards
            case SeatKeyReleased():
                self._check_tabled(event)
            case HandEnded(stacks=stacks):
                self._check_chips(dict(stacks))
            case HandVoided():
                self._check_chips(None)
            case CardsCounted(shoe=shoe, flight=flight, dealt=dealt, expected=expected):
                self.hands += 1
                if shoe + flight + dealt != expected:
                    raise ReplayDisagrees(f"{shoe + flight + dealt} cards are accounted for, not {expected}")
            case _:
                pass

    def _check_chips(self, claimed: dict[int, int] | None) -> None:
        state = self._state
        if claimed is not None and any(claimed.get(seat.seat, seat.stack) != seat.stack for seat in state.seats):
            raise ReplayDisagrees("the stacks it claims are not what the events before it lead to")
        if not state.chips_conserved:
            raise ReplayDisagrees(f"{state.chips_on_table} chips are on the table, which is not what came less what went")

    def _check_tabled(self, event: SeatKeyReleased) -> None:
        """The released key is the one committed to, and opens this seat's boxes to the cards that were tabled."""
        key = b64decode(event.key)
        part = seat_part(event.seat)
        if commitment(key).hex() != self._commitments.get(part):
            raise ReplayDisagrees(f"the key of seat {event.seat} is not the one that the deal committed to")
        sealed = []
        for body in self._boxes.get(event.seat, []):
            data = box_data(self._kid, str(body["type"]), _number(body["n"]), str(body["place"]))
            try:
                sealed.append(open_box(key, b64decode(str(body["sealed"])), data).card)
            except SealError as error:
                raise ReplayDisagrees(f"a sealed card of seat {event.seat} does not open: {error}") from None
        up = [card for entry in self._hand_seats() if entry.seat == event.seat for card in entry.up]
        if sorted(card for card in (*sealed, *up) if card is not None) != sorted(self._tabled.get(event.seat, ())):
            raise ReplayDisagrees(f"seat {event.seat} tabled other cards than it was dealt")

    def _hand_seats(self) -> tuple[Any, ...]:
        return () if self._state.hand is None else self._state.hand.seats


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ReplayDisagrees("a sealed event has no ordinal")
    return value
