"""An auditor's check of a journal: the hash chain, and that replaying it gives the state it claims. Needs no key.

Beside the chain it proves: every event decodes and follows the one before, each event of a hand is what the rules make of the
one that began it, chips and cards are conserved, stacks are what the events lead to, and a tabled hand is what was sealed when it
was dealt (the seat's key is in the journal by then).
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, get_args

from controller.hand.cards import Card
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    FeltRight,
    FeltWrong,
    HandInput,
    MuckHand,
    PostAnte,
    Refusal,
    StubReloaded,
    TableHand,
    VoidHand,
)
from controller.hand.decide import decide
from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandMucked,
    HandOpened,
    HandTabled,
    HandVoided,
    HoldLifted,
    PotAwarded,
    StubScrambled,
)
from controller.hand.places import Zone
from controller.hand.state import HandState
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.sealing import SealError, box_data, commitment, open_box, seat_part
from controller.journal.verify import ReplayDisagrees, verify_chain
from controller.table.events import CardsCounted, DealKeyMade, SeatKeyReleased, SeatLeft, TableEvent
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
    chips_conserved: bool = True
    cards_conserved: bool = True

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
    if found.ok and replay.unfinished:
        found = replace(found, first_bad=found.events, reason="what it leads to is missing behind it")
    end = replay.state
    return Audit(
        found.ok,
        found.events,
        replay.hands,
        found.head.hex(),
        found.first_bad,
        found.reason,
        chips_conserved=end.chips_conserved,
        cards_conserved=end.cards_conserved,
    )


def _input_of(event: HandEvent, hand: HandState) -> HandInput | None:
    """What was decided when ``event`` came first; ``None`` for one that only follows from another."""
    match event:
        case AntePosted(seat=seat):
            return PostAnte(seat)
        case CardDealt() | GhostDealt() | BurnMade() | CommunityDealt():
            return CardLaid(hand.due[hand.dealt].place, event.card) if hand.dealt < len(hand.due) else None
        case ActionTaken(seat=seat, verb=verb, to=to):
            return Act(seat, verb, to)
        case HandTabled(seat=seat):
            return TableHand(seat)
        case HandMucked(seat=seat):
            return MuckHand(seat)
        case PotAwarded():
            return AwardPots()
        case HandVoided(reason=reason):
            return VoidHand(reason)
        case HandHeld(code=code, place=place):
            return FeltWrong(code, place)
        case HoldLifted():
            return FeltRight()
        case StubScrambled(cards=cards):
            return StubReloaded(cards)
        case _:
            return None


def _knowing(hand: HandState, event: HandEvent) -> HandState:
    """``hand`` as it was for those who knew its down cards: a hand that is tabled told them."""
    if not isinstance(event, HandTabled) or hand.index_of(event.seat) < 0:
        return hand
    index = hand.index_of(event.seat)
    entry = hand.seats[index]
    told = event.cards[:2] + event.cards[2 + len(entry.up) :]
    if len(event.cards) != len(entry.cards):
        return hand
    return hand._replace(seats=(*hand.seats[:index], entry._replace(down=told), *hand.seats[index + 1 :]))


_HAND_EVENTS: Final = get_args(HandEvent)


class _Replay:
    """The state after each event, and what it must agree with."""

    def __init__(self) -> None:
        self._codec = table_codec()
        self._state = TableState()
        self._due: tuple[HandEvent, ...] = ()
        self.hands = 0
        self._kid = ""
        self._commitments: dict[str, str] = {}
        self._boxes: dict[int, list[Body]] = {}
        self._tabled: dict[int, tuple[Card, ...]] = {}

    def take(self, seq: int, body: Body) -> None:
        """One event; ``ReplayDisagrees`` says what does not hold."""
        try:
            event = decode(self._codec, body, {})
            self._check_before(event)
            self._state = evolve(self._state, event)
        except (CodecError, ValueError, KeyError, IndexError) as error:
            raise ReplayDisagrees(f"{body.get('type')} cannot follow what stands before it: {type(error).__name__}") from None
        if self._state.seq != seq:
            raise ReplayDisagrees(f"it is number {seq}, but {self._state.seq - 1} events stand before it")
        self._check(event, body)

    @property
    def state(self) -> TableState:
        """The table after the last event that holds."""
        return self._state

    @property
    def unfinished(self) -> bool:
        """Whether the last event leads to others that did not come."""
        return bool(self._due)

    def _check_before(self, event: TableEvent) -> None:
        """Against the state that ``event`` was decided in."""
        match event:
            case HandOpened():
                self._check_opened(event)
            case SeatLeft(seat=seat, chips=chips):
                if (seat, chips) not in {(entry.seat, entry.stack) for entry in self._state.seats}:
                    raise ReplayDisagrees(f"seat {seat} leaves with other chips than its stack")
            case _ if isinstance(event, _HAND_EVENTS):
                self._check_decided(event)
            case _:
                pass

    def _check_opened(self, event: HandOpened) -> None:
        stacks = {(entry.seat, entry.stack) for entry in self._state.seats}
        if self._state.hand_open or event.number != self._state.hand_number + 1 or not stacks.issuperset(event.seats):
            raise ReplayDisagrees("the hand opens with another number or other stacks than the table has")

    def _check_decided(self, event: HandEvent) -> None:
        """The rules give just this event: as the consequence that is due, or as the first that an input leads to."""
        hand = self._state.hand
        if not self._due and hand is not None:
            given = _input_of(event, hand)
            decision = None if given is None else decide(_knowing(hand, event), given)
            if decision is not None and not isinstance(decision, Refusal):
                self._due = decision.events
        if not self._due or self._due[0] != event:
            self._due = ()
            raise ReplayDisagrees(f"the rules do not lead to this {type(event).__name__}")
        self._due = self._due[1:]

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
            case HandEnded() | HandVoided():
                self._check_chips()
            case CardsCounted(shoe=shoe, flight=flight, dealt=dealt, expected=expected):
                self.hands += 1
                if shoe + flight + dealt != expected:
                    raise ReplayDisagrees(f"{shoe + flight + dealt} cards are accounted for, not {expected}")
            case _:
                pass

    def _check_chips(self) -> None:
        state = self._state
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
