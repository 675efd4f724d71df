"""Recorded hands through a whole table: simulated devices on virtual time, or real pseudo-terminals and a real broker."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, get_args

from controller.app import Serve, TableApp
from controller.hand.commands import Refusal
from controller.hand.events import HandEvent
from controller.hand.rules import HouseRules, knob_values
from controller.hand.state import HandState
from controller.mqtt.broker import RunningBroker, start_broker
from controller.mqtt.client import Connection, MqttClient, table_client_id
from controller.mqtt.ports import Handler
from controller.rehearsal import FAST, Play, Rehearsal, line_speeds, memory_rehearsal
from controller.replay import Differs, Verdict, act_of, compare, refused, shown_seats
from controller.table.inputs import Command
from controller.table.loop import Record
from drivers.clock import SystemClock
from drivers.link.serial import Parity, SerialSettings, opener_for
from simulators.memory_broker import MemoryBroker
from simulators.packets import PreparedPackets
from simulators.players import ScriptedPlayers, ScriptMismatch
from simulators.ports import PseudoTerminal
from simulators.recorded import physical_order
from simulators.recorded_hand import Checked, Folded, RecordedHand, Wagered
from simulators.rig import NINETEEN
from simulators.virtual_time import run_virtual

MAX_HAND_S: Final = 3600.0
"""Longest a hand may take on virtual time; more means that it hangs."""
REAL_HAND_S: Final = 60.0

_HAND_EVENTS: Final = get_args(HandEvent)


def play_of(recorded: RecordedHand, rules: HouseRules, *, speed: float = FAST) -> Play:
    """What a table must be set to for a recorded hand."""
    stakes = recorded.stakes
    return Play(
        variant=recorded.variant,
        stakes={
            "ante": stakes.ante,
            "bring_in": stakes.bring_in,
            "small": stakes.small_bet,
            "big": stakes.big_bet,
            "unit": 1,
        },
        preset=rules.preset,
        rules={**knob_values(rules), "buyin.min": "1"},
        seats={seat: (f"Seat {seat}", chips) for seat, chips in recorded.stacks.items()},
        speed=speed,
    )


async def through_table(recorded: RecordedHand, rehearsal: Rehearsal) -> Verdict:
    """One recorded hand through an opened rehearsal."""
    script = ScriptedPlayers(recorded.decisions, shown=shown_seats(recorded))
    packets = PreparedPackets([physical_order(recorded, burns=True)])
    async with rehearsal.opened() as app:
        try:
            await rehearsal.deal(app, dict.fromkeys(recorded.seats, script), packets, hands=1)
        except ScriptMismatch as mismatch:
            return await _mismatch(recorded, app, mismatch)
    return compare(recorded, hand_events_of(rehearsal.records))


def hand_events_of(records: Sequence[Record]) -> list[HandEvent]:
    """The hand's events among a table's records."""
    return [record.event for record in records if isinstance(record.event, _HAND_EVENTS)]


async def _mismatch(recorded: RecordedHand, app: TableApp, mismatch: ScriptMismatch) -> Verdict:
    """Ask the table for the recorded action that it did not offer: it refuses it by a rule, or another seat is to act."""
    actions = [event for event in recorded.events if isinstance(event, Wagered | Checked | Folded)]
    hand = app.table.state.hand
    if hand is None or mismatch.number > len(actions):
        return Differs(recorded.hand_id, "end", "the hand is over", "another action is asked", "R-BET-16")
    event = actions[mismatch.number - 1]
    answer = await app.table.command(_command(event, hand))
    if answer.refusal is None:
        return Differs(recorded.hand_id, f"street {event.street}", "not offered", "taken", "R-BET-01")
    return refused(recorded, event, Refusal(*answer.refusal))


def _command(event: Wagered | Checked | Folded, hand: HandState) -> Command:
    return Command("replayed-action", "replayed", "act", act_of(event, hand))


def through_devices(recorded: RecordedHand, rules: HouseRules, *, seed: int = 1) -> Verdict:
    """The hand through the whole controller with simulated devices on virtual time."""
    rehearsal = memory_rehearsal(play_of(recorded, rules), seed=seed, broker=MemoryBroker())
    return run_virtual(through_table(recorded, rehearsal), max_seconds=MAX_HAND_S)


class PortsReplay:
    """Recorded hands over real pseudo-terminals and a real broker, one after the other."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="stud-replay-")
        self._broker: RunningBroker = start_broker(Path(self._folder.name))
        self._hands = 0

    def close(self) -> None:
        """Stop the broker and remove the folder."""
        self._broker.stop()
        self._folder.cleanup()

    def replay(self, recorded: RecordedHand, rules: HouseRules) -> Verdict:
        """One hand in real time."""
        return asyncio.run(asyncio.wait_for(self._replay(recorded, rules), REAL_HAND_S))

    async def _replay(self, recorded: RecordedHand, rules: HouseRules) -> Verdict:
        play = play_of(recorded, rules)
        folder = Path(self._folder.name)
        speeds = line_speeds(NINETEEN, play.speed)
        ports = {name: PseudoTerminal(folder / name, pace=pace) for name, pace in speeds.items()}
        openers = {
            name: opener_for(
                str(folder / name),
                SerialSettings(baud=pace.baud, parity=Parity.EVEN if pace.parity else Parity.NONE),
            )
            for name, pace in speeds.items()
        }
        self._hands += 1  # a seed for each hand, so that each journal has its own id: the broker knows the ones before
        rehearsal = Rehearsal(play, seed=self._hands, ports=ports, openers=openers, clock=SystemClock(), serve=self._serve())
        return await through_table(recorded, rehearsal)

    def _serve(self) -> Serve:
        connection = Connection(self._broker.host, self._broker.port, table_client_id("demo", "T1"))

        async def serve(handler: Handler) -> None:
            await MqttClient(connection, handler, random.Random(1)).run()

        return serve
