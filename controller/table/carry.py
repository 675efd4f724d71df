"""The table's state from one file of the journal to the next (recovery §3, new journal file).

Between hands little is to be carried: no hand, no card on the felt, no clock. What opens a hand sees to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from controller.hand.rules import house_rules, knob_values
from controller.hand.stakes import Stakes
from controller.journal.schema import FORMAT, Origin
from controller.table.carried_events import JournalContinued, TableConfigured
from controller.table.state import Game, TableState, TableStatus
from controller.tracking.custody import DECK_SIZE, Custody

Commitments: TypeAlias = tuple[tuple[str, str], ...]
"""Part of a deal's key and the commitment to its sub-key, in hexadecimal."""

ANSWERS_CARRIED: Final = 200
"""The last commands whose repetition is still known in the new file."""


def configured(game: Game) -> TableConfigured:
    """The event that makes ``game`` the one of later hands."""
    knobs = tuple(knob_values(game.rules).items())
    return TableConfigured(game.variant, *game.stakes, preset=game.rules.preset, knobs=knobs, set_id=game.set_id)


def configured_game(event: TableConfigured) -> Game:
    """The game of such an event."""
    stakes = Stakes(event.ante, event.bring_in, event.small, event.big, event.unit)
    return Game(event.variant, stakes, house_rules(event.preset, dict(event.knobs)), event.set_id)


def carriable(state: TableState) -> bool:
    """Whether all there is to know of ``state`` can be carried: everything stands as it does before a hand opens."""
    whole = Custody(in_shoe=DECK_SIZE, loaded=DECK_SIZE, draw_no=state.custody.draw_no)
    broken = state.shoe.halted or state.shoe_errors
    idle = not (
        broken or state.asked or state.let_go or state.hand_open or state.paused or state.closed or state.locked or state.clock
    )
    return idle and state.status is TableStatus.LIVE and state.felt_ready and state.custody == whole


def carried(state: TableState, origin: Origin, kid: str, commitments: Commitments) -> JournalContinued:
    """The first event of the file of ``origin``, after ``state``; ``kid`` and ``commitments`` are of the present deal's key."""
    held = state.custody
    return JournalContinued(
        journal=origin.journal,
        format=FORMAT,
        table=origin.table,
        created=origin.created,
        first=origin.first,
        before=origin.before.hex(),
        game=None if state.game is None else configured(state.game),
        configured=None if state.configured is None else configured(state.configured),
        starts=state.starts,
        seats=state.seats,
        hand_number=state.hand_number,
        deal=state.deal,
        kid=kid,
        commitments=commitments,
        sealed_count=state.sealed_count,
        in_shoe=held.in_shoe,
        loaded=held.loaded,
        draw_no=held.draw_no,
        shoe=state.shoe,
        gate=state.gate,
        links=tuple((device, antenna, link) for (device, antenna), link in state.links.items()),
        answers=tuple(state.answers.values())[-ANSWERS_CARRIED:],
        bought_in=state.bought_in,
        cashed_out=state.cashed_out,
        raked=state.raked,
        last_two=state.last_two,
        equipment=state.equipment,
        past=state.past,
        deck=state.deck,
        wheel=state.wheel,
        disk=state.disk,
        wall_clock=state.wall_clock,
        alarms=state.alarms,
    )


def restored(event: JournalContinued) -> TableState:
    """The state that ``event`` carries."""
    links: Mapping[tuple[str, int], str] = {(device, antenna): link for device, antenna, link in event.links}
    return TableState(
        game=None if event.game is None else configured_game(event.game),
        configured=None if event.configured is None else configured_game(event.configured),
        status=TableStatus.LIVE,
        starts=event.starts,
        felt_ready=True,
        seats=event.seats,
        hand_number=event.hand_number,
        deal=event.deal,
        hand_deal=event.deal,
        sealed_count=event.sealed_count,
        custody=Custody(in_shoe=event.in_shoe, loaded=event.loaded, draw_no=event.draw_no),
        shoe=event.shoe,
        gate=event.gate,
        links=links,
        answers={answer.key: (answer, seq) for answer, seq in event.answers},
        bought_in=event.bought_in,
        cashed_out=event.cashed_out,
        raked=event.raked,
        last_two=event.last_two,
        equipment=event.equipment,
        past=event.past,
        deck=event.deck,
        wheel=event.wheel,
        disk=event.disk,
        wall_clock=event.wall_clock,
        alarms=event.alarms,
        seq=event.first,
    )
