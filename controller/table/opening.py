"""From a journal to a running table: replay, then the events of a start (recovery §2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controller.journal.canonical import Body
from controller.journal.codec import Codec
from controller.table import records
from controller.table.by_hand_events import TableEquipped
from controller.table.carry import configured
from controller.table.events import ControllerStarted, DealKeyDropped, DealKeyMade, TableEvent
from controller.table.evolve import evolve
from controller.table.keyring import Keyring
from controller.table.parts import Equipment
from controller.table.state import Game, TableState


def rebuild(bodies: Iterable[tuple[int, Body]], codec: Codec, keyring: Keyring) -> TableState:
    """The state that the journal holds: the events of its newest file, in order, from the first."""
    state = TableState()
    for _, body in bodies:
        state = evolve(state, records.decode(codec, body, keyring.sealers))
    return state


def equipped(equipment: Equipment) -> TableEquipped:
    """The event that tells which devices the configuration gives."""
    antennas = tuple((str(place), line, address) for place, line, address in equipment.antennas)
    return TableEquipped(equipment.shoe, antennas, equipment.counts, equipment.locks)


def opening(
    state: TableState,
    game: Game,
    *,
    program: str,
    deals: Collection[int],
    kept: Collection[int] = (),
    equipment: Equipment | None = None,
) -> tuple[TableEvent, ...]:
    """The first events of a controller: its start, the configuration where it changed, and a key where none opens.

    A game that a person chose at the table stays (Q-90) unless the configuration is another one than before.
    ``deals`` are the deals whose keys opened, ``kept`` those that have one at all: what is past is dropped (recovery §3).
    While a hand is open its game and rules stay as they are (Q-04).
    """
    events: list[TableEvent] = [ControllerStarted(program)]
    if not state.hand_open and state.configured != game:
        events.append(configured(game))
    if equipment is not None and state.equipment != equipment:
        events.append(equipped(equipment))
    events.extend(DealKeyDropped(deal) for deal in sorted(kept) if deal not in state.deals_kept)
    if state.deal not in deals:
        if not state.in_deal:  # what an open hand's key hides may be read again, when the table's key comes back
            events.extend(DealKeyDropped(deal) for deal in state.deals_kept)
        events.append(DealKeyMade(state.deal + 1, "", ()))
    return tuple(events)
