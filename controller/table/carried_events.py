"""What the journal carries from file to file, and the events that it repeats for it: game and answers of commands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.hand.variants import VariantCode
from controller.table.machine_events import ClockNoted, DiskNoted
from controller.table.parts import DeckInPlay, Driver, Equipment, Gate, Raised, ShoeKnown, TableSeat


@dataclass(frozen=True, slots=True)
class TableConfigured:
    """Game, stakes and house rules that later hands are played by (Q-04). ``knobs`` are pairs of name and value.

    ``chosen``: by a person at the table (Q-90), not by the configuration; it holds until the configuration changes.
    """

    variant: VariantCode
    ante: int
    bring_in: int
    small: int
    big: int
    unit: int
    preset: str
    knobs: tuple[tuple[str, str], ...]
    set_id: str
    chosen: bool = False


class Outcome(Enum):
    """What became of a command."""

    TAKEN = "taken"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """A command's answer, which a repetition under the same key gets again. ``digest`` is of its content but for keyed cards.

    ``person`` gave it and ``agreed_by`` agreed, both as they had signed in; empty where nobody signs in, and for the table's own.
    """

    key: str
    digest: str
    kind: str
    outcome: Outcome
    rule: str = ""
    code: str = ""
    values: tuple[tuple[str, str], ...] = ()
    person: str = ""
    agreed_by: str = ""


@dataclass(frozen=True, slots=True)
class JournalContinued:
    """A new file of the journal begins: which one, the number of this record, the chain's head before it, and the table's state.

    It happens right before a hand opens, when the deck is whole in the shoe, nobody is on the clock and the last hand is settled.
    ``answers`` are the last commands' with their numbers; ``kid`` and ``commitments`` name the key of the present deal.
    """

    journal: str
    format: int
    table: str
    created: str
    first: int
    before: str
    game: TableConfigured | None
    configured: TableConfigured | None
    starts: int
    seats: tuple[TableSeat, ...]
    hand_number: int
    deal: int
    kid: str
    commitments: tuple[tuple[str, str], ...]
    sealed_count: int
    in_shoe: int
    loaded: int
    draw_no: int
    shoe: ShoeKnown
    gate: Gate
    links: tuple[tuple[str, int, str], ...]
    answers: tuple[tuple[CommandAnswered, int], ...]
    bought_in: int
    cashed_out: int
    raked: int
    last_two: bool
    equipment: Equipment | None
    past: tuple[tuple[str, int], ...]
    deck: DeckInPlay | None
    wheel: tuple[Driver, ...]
    disk: DiskNoted
    wall_clock: ClockNoted
    alarms: tuple[Raised, ...]
