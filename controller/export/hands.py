"""Finished hands as frozen values, read from a journal without any key.

A hand is what stands after every correction: an undone action, a given-up deal and a wrong award are left out (they stay in the
journal), a ruling and a stop of play are listed. Cards that were not public are ``None``, also where a caller knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple, get_args

from controller.export.plays import Play, plays_of
from controller.hand.events import AntePosted, BurnMade, HandEvent, HandHeld, HandOpened
from controller.hand.evolve import evolve as evolve_hand
from controller.hand.evolve_irregular import gives_all_back
from controller.hand.irregular_events import ActionUndone, AwardUndone, BurnedEarly, HandRetrieved, MisdealDeclared
from controller.hand.places import Place
from controller.hand.state import HandSetup, HandState, Phase, open_state
from controller.hand.terms import SeatChips
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.errors import JournalDamaged
from controller.journal.verify import ReplayDisagrees, read_origin, verify_chain
from controller.table.by_hand_events import ConfirmationUndone, ManuallyVerified
from controller.table.carried_events import JournalContinued
from controller.table.events import Ruled, TableEvent
from controller.table.evolve import evolve
from controller.table.records import decode, table_codec
from controller.table.state import TableState
from controller.words.rule_card import rules_hash

UNFINISHED: Final = "the hand is not finished"
MAX_NOTES: Final = 100
"""Rulings, and stops of play, that are listed for one hand; later ones stand in the journal alone."""


class Ruling(NamedTuple):
    """A ruling that was given in the hand: which, in which role, by whom, why (R-RULE-01)."""

    kind: str
    role: str
    by: str
    reason: str


class Stop(NamedTuple):
    """A stop of play: what was wrong on the felt, and where."""

    code: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a hand stands: table and journal, its first and last event there, and when these were written (RFC 3339)."""

    table: str = ""
    journal: str = ""
    first: int = 0
    last: int = 0
    started: str = ""
    ended: str = ""
    head: str = ""
    """The chain's hash after the last event, hexadecimal: the journal that holds the hand must hold it (``verify --head``)."""


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """One hand that ended or was voided. ``stacks`` are those before the ante, ``events`` what stands after corrections.

    ``end`` is the state of the last event; ``plays`` tells the hand in order with public cards only.
    """

    origin: Origin
    setup: HandSetup
    names: Mapping[int, str]
    stacks: tuple[SeatChips, ...]
    events: tuple[HandEvent, ...] = field(repr=False)
    end: HandState = field(repr=False)
    plays: tuple[Play, ...] = field(repr=False)
    rulings: tuple[Ruling, ...] = ()
    stops: tuple[Stop, ...] = ()
    redeals: int = 0
    undone: int = 0
    without: tuple[str, ...] = ()
    """What no device told in the hand: ``shoe``, or places without a working reader (REG-47)."""
    keyed: bool = False
    """People confirmed or keyed cards."""

    @property
    def manually_verified(self) -> bool:
        """People verified the hand in part, in the place of devices."""
        return self.keyed or bool(self.without)

    @property
    def number(self) -> int:
        """Number of the hand at its table."""
        return self.setup.number

    @property
    def void(self) -> str | None:
        """Why the hand was voided; ``None`` for a hand that was played to its end (R-RULE-03)."""
        return self.end.void_reason if self.end.phase is Phase.VOIDED else None

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats dealt in, clockwise from the dealer's left."""
        return tuple(entry.seat for entry in self.stacks)

    @property
    def won(self) -> dict[int, int]:
        """What each seat got from pots, after rake; empty for a voided hand."""
        return {entry.seat: entry.won for entry in self.end.seats if entry.won}

    @property
    def finishing(self) -> dict[int, int]:
        """The stacks after the hand."""
        return {entry.seat: entry.stack for entry in self.end.seats}

    @property
    def rake(self) -> int:
        """What the house took; nothing of a voided hand."""
        return 0 if self.void is not None else sum(self.end.rake)

    @property
    def rules_hash(self) -> str:
        """The hash of the rule card that was posted (Q-04); made of the rules for a hand that was opened before it was kept."""
        setup = self.setup
        return setup.rules_hash or rules_hash(setup.rules, setup.stakes, setup.variant)


class HandLog:
    """The events of one hand as they come, corrections applied."""

    def __init__(self, opening: HandState, names: Mapping[int, str], origin: Origin | None = None) -> None:
        self._opening = opening
        self._names = {entry.seat: names.get(entry.seat, "") or f"Seat {entry.seat}" for entry in opening.seats}
        self.origin = Origin() if origin is None else origin
        self._kept: list[tuple[HandState, HandEvent]] = []
        self._rulings: list[Ruling] = []
        self._stops: list[Stop] = []
        self._redeals = self._undone = 0
        self._marked = ManuallyVerified((), keyed=False)

    def take(self, before: HandState, event: HandEvent) -> None:
        """``event``, and the hand in which it came."""
        match event:
            case ActionUndone() | AwardUndone():
                self._undone += 1
                self._go_back(before.previous)
                return
            case HandRetrieved(seat=seat) if gives_all_back(before, seat):
                self._go_back(before.previous)
                return
            case MisdealDeclared():
                self._redeals += 1
                self._kept = [entry for entry in self._kept if isinstance(entry[1], AntePosted)]
                return
            case HandHeld(code=code, place=place) if len(self._stops) < MAX_NOTES:
                self._stops.append(Stop(code, place))
            case _:
                pass
        self._kept.append((before, event))

    def confirmation_undone(self, before: HandState) -> None:
        """What was confirmed in the hand ``before`` was entered wrongly: what came of it is taken out."""
        self._undone += 1
        index = next((i for i, entry in enumerate(self._kept) if entry[0] is before), len(self._kept))
        self._kept = self._kept[:index]

    def marked(self, event: ManuallyVerified) -> None:
        """People verify the hand in part; the last mark says all (REG-47)."""
        self._marked = event

    def ruled(self, event: Ruled) -> None:
        """A ruling of this hand."""
        if len(self._rulings) < MAX_NOTES:
            self._rulings.append(Ruling(event.kind, event.role, event.by, event.reason))

    def finished(self, end: HandState) -> FinishedHand:
        """The hand as it ended. ``ValueError`` when it is not over."""
        if not end.over:
            raise ValueError(UNFINISHED)
        events = tuple(event for _, event in self._kept)
        return FinishedHand(
            self.origin,
            self._opening.setup,
            self._names,
            tuple(SeatChips(entry.seat, entry.stack) for entry in self._opening.seats),
            events,
            end,
            plays_of(events),
            tuple(self._rulings),
            tuple(self._stops),
            self._redeals,
            self._undone,
            self._marked.without,
            self._marked.keyed,
        )

    def _go_back(self, previous: HandState | None) -> None:
        """Take out what came after ``previous``; a burn that was made stays made (Q-84)."""
        index = next((i for i in range(len(self._kept) - 1, -1, -1) if self._kept[i][0] is previous), None)
        if index is not None:
            burned = [entry for entry in self._kept[index:] if isinstance(entry[1], BurnMade | BurnedEarly)]
            self._kept = [*self._kept[:index], *burned]


def hand_of(
    setup: HandSetup,
    stacks: Sequence[tuple[int, int]],
    events: Sequence[HandEvent],
    *,
    names: Mapping[int, str] | None = None,
    origin: Origin | None = None,
) -> FinishedHand:
    """A hand of its events alone, without ``HandOpened``. ``ValueError`` when they do not lead to its end."""
    state = open_state(setup, tuple(stacks))
    log = HandLog(state, names or {}, origin)
    for event in events:
        log.take(state, event)
        state = evolve_hand(state, event)
    return log.finished(state)


_HAND_EVENTS: Final = get_args(HandEvent)
OnHand = Callable[[FinishedHand], None]
OnSkipped = Callable[[int, str], None]


def read_hands(path: Path, on_hand: OnHand, on_skipped: OnSkipped) -> None:
    """Give each finished hand of the journal ``path`` (the file or its folder) in order, and the number of one that is not.

    ``FileNotFoundError`` when there is none, ``JournalDamaged`` at the first record that does not hold: what was given until then
    is true, and nothing behind it is known.
    """
    origin = read_origin(path)
    reader = _Reader(on_hand, Origin(origin.table, origin.journal))
    found = verify_chain(path, reader.take, on_head=reader.note_head)
    if not found.ok:
        raise JournalDamaged(found.first_bad or 0, found.reason or "it does not hold")
    unfinished = reader.close()
    if unfinished:
        on_skipped(unfinished, UNFINISHED)


class _Reader:
    """The table after each event, and the hand that is being read. A hand is closed when the next one opens."""

    def __init__(self, on_hand: OnHand, origin: Origin) -> None:
        self._codec = table_codec()
        self._on_hand = on_hand
        self._state = TableState()
        self._log: HandLog | None = None
        self._origin = origin
        self._head = b""

    def note_head(self, _: int, head: bytes) -> None:
        """The chain's hash after the event that is taken next."""
        self._head = head

    def take(self, seq: int, body: Body) -> None:
        """One event; ``ReplayDisagrees`` when it cannot follow."""
        try:
            event = decode(self._codec, body, {})
            self._read(seq, str(body.get("at", "")), event)
        except (CodecError, ValueError, KeyError, IndexError) as error:
            raise ReplayDisagrees(f"{body.get('type')} cannot follow what stands before it: {type(error).__name__}") from None

    def _read(self, seq: int, at: str, event: TableEvent) -> None:
        before = self._state.hand
        if isinstance(event, HandOpened | JournalContinued):
            self.close()
        keyed = self._state.keyed
        self._state = evolve(self._state, event)
        hand = self._state.hand
        if isinstance(event, HandOpened) and hand is not None:
            names = {entry.seat: entry.name for entry in self._state.seats}
            self._origin = replace(self._origin, first=seq, last=seq, started=at, ended=at, head=self._head.hex())
            self._log = HandLog(hand, names)
        elif self._log is not None and isinstance(event, Ruled):
            self._log.ruled(event)
        elif self._log is not None and isinstance(event, ConfirmationUndone):
            self._log.confirmation_undone(keyed[-1].hand)
        elif self._log is not None and isinstance(event, ManuallyVerified):
            self._log.marked(event)
        elif self._log is not None and before is not None and isinstance(event, _HAND_EVENTS):
            self._log.take(before, event)
            self._origin = replace(self._origin, last=seq, ended=at, head=self._head.hex())

    def close(self) -> int:
        """Give the hand that was read; its number when it is not over, else 0."""
        log, hand = self._log, self._state.hand
        self._log = None
        if log is None or hand is None:
            return 0
        if not hand.over:
            return hand.setup.number
        log.origin = self._origin
        self._on_hand(log.finished(hand))
        return 0
