"""A table with simulated devices and people in one process: whole hands, repeatable from their seed."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from controller.app import TableApp
from controller.config import ConfigError
from controller.hand.events import CommunityDealt, HandEnded, HoldLifted, StubScrambled
from controller.journal.errors import JournalFailed
from controller.rehearsal import FAST, Play, Rehearsal, config_for, line_speeds, local_console, memory_rehearsal, registry_of
from controller.table.events import CardsCounted
from simulators.habits import DealerStats, Habits
from simulators.memory_broker import MemoryBroker
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN, SEVEN_SEATS_ONE_EACH, SHOE_PORT, make_tags
from simulators.virtual_time import run_virtual

FOUR = {1: ("Ann", 200), 3: ("Bob", 200), 4: ("Cleo", 200), 6: ("Dan", 200)}


def play(rehearsal: Rehearsal, *, hands: int = 1, seed: int = 1, looseness: float = 0.6) -> DealerStats:
    """Play to the end on virtual time."""

    async def run() -> DealerStats:
        players = {seat: RandomPlayer(random.Random(seed + seat), looseness=looseness) for seat in range(1, 9)}
        async with rehearsal.opened() as app:
            stats = await rehearsal.deal(app, players, ShuffledPackets(random.Random(seed)), hands=hands)
            check(app)
            return stats

    return run_virtual(run(), max_seconds=2_000)


def check(app: TableApp) -> None:
    """Nothing is lost."""
    assert app.table.state.chips_conserved
    assert app.table.state.cards_conserved


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_whole_hands_are_played_without_a_refusal_or_a_void(variant: str) -> None:
    """Over links in memory, with a broker: every hand ends, 52 cards are counted after each."""
    rehearsal = memory_rehearsal(Play(variant=variant, seats=FOUR), seed=3, broker=MemoryBroker())
    stats = play(rehearsal, hands=2)
    assert (stats.hands, stats.voided, stats.refusals, stats.loads) == (2, 0, 0, 2)
    counted = [record.event for record in rehearsal.records if isinstance(record.event, CardsCounted)]
    assert [event.shoe + event.flight + event.dealt for event in counted] == [52, 52]
    assert sum(isinstance(record.event, HandEnded) for record in rehearsal.records) == 2


def test_eight_players_who_never_fold_scramble_the_stub_and_share_a_card() -> None:
    """The whole way: burns back, a second load in the hand, one card in the centre (R-STUB-02)."""
    eight = {seat: (f"P{seat}", 900) for seat in range(1, 9)}
    rehearsal = memory_rehearsal(Play(seats=eight), seed=5)
    stats = play(rehearsal, looseness=1.0)
    kinds = [type(record.event) for record in rehearsal.records]
    assert (stats.hands, stats.voided, stats.scrambles) == (1, 0, 1)
    assert kinds.count(StubScrambled) == kinds.count(CommunityDealt) == 1


def test_a_table_with_one_antenna_a_seat_plays_the_same() -> None:
    """The order of dealing alone tells up from down."""
    settings = Play(seats=FOUR, rules={"table.max_seats": "7"})
    stats = play(memory_rehearsal(settings, seed=3, wiring=SEVEN_SEATS_ONE_EACH))
    assert (stats.hands, stats.voided) == (1, 0)


def test_a_seed_gives_the_same_evening_and_another_one_another() -> None:
    """Records with their times, byte for byte; nothing comes from the machine's clock or chance."""

    def evening(seed: int) -> list[str]:
        rehearsal = memory_rehearsal(Play(seats=FOUR), seed=seed)
        play(rehearsal, seed=seed)
        return [f"{record.seq} {record.at} {record.event!r}" for record in rehearsal.records]

    first = evening(7)
    assert evening(7) == first
    assert evening(8) != first


def test_a_slip_holds_and_is_mended() -> None:
    """The dealer of the rehearsal has the habits given."""
    rehearsal = memory_rehearsal(Play(seats=FOUR), seed=4, habits=Habits(slips=0.2))
    stats = play(rehearsal)
    assert stats.slips > 0
    assert stats.voided == 0
    assert any(isinstance(record.event, HoldLifted) for record in rehearsal.records)


def test_what_ends_the_controller_ends_the_rehearsal() -> None:
    """Nobody deals on at a table that is gone."""
    rehearsal = memory_rehearsal(Play(seats=FOUR), seed=4)

    async def run() -> None:
        async with rehearsal.opened() as app:
            asyncio.get_running_loop().call_later(0.5, setattr, app.journal._store, "_failure", "the disk is gone")
            players = {seat: RandomPlayer(random.Random(seat)) for seat in range(1, 9)}
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(1)), hands=50)

    with pytest.raises(ExceptionGroup) as caught:
        run_virtual(run(), max_seconds=2_000)
    assert isinstance(caught.value.exceptions[0], JournalFailed)


def test_what_a_player_raises_comes_through() -> None:
    """And the table is closed."""

    class Odd(RandomPlayer):
        def choose(self, *_: Any) -> Any:
            raise LookupError("no idea")

    rehearsal = memory_rehearsal(Play(seats=FOUR), seed=4)

    async def run() -> None:
        async with rehearsal.opened() as app:
            players = {seat: Odd(random.Random(seat)) for seat in range(1, 9)}
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(1)), hands=1)

    with pytest.raises(LookupError, match="no idea"):
        run_virtual(run(), max_seconds=2_000)


def test_the_console_of_the_process_answers_as_http_does() -> None:
    """Snapshot, change and command."""
    rehearsal = memory_rehearsal(Play(seats=FOUR), seed=4)

    async def run() -> None:
        async with rehearsal.opened() as app:
            console = local_console(app, random.Random(1), FAST)
            snapshot = await console.snapshot()
            while snapshot["status"] != "live":
                snapshot = await console.changed(snapshot["seq"])
            command = {"type": "seat_player", "seat": 2, "name": "Eve", "stack": 50}
            answer = await console.send(command, decision=None, seq=snapshot["seq"])
            assert answer["ok"]
            refused = await console.send(command, decision=None, seq=snapshot["seq"])
            assert refused["refusal"]["code"] == "seat_is_taken"

    run_virtual(run(), max_seconds=100)


def test_the_configuration_is_checked_as_a_file_would_be() -> None:
    """A rehearsal with a rule that is none is refused."""
    with pytest.raises(ConfigError, match="house rule"):
        memory_rehearsal(Play(rules={"no.such": "1"}), seed=1)


def test_parts_of_a_rehearsal() -> None:
    """The registry holds the simulated tags; lines run at their pace times the speed; a port is named for each device."""
    tags = make_tags(random.Random(1))
    registry = registry_of(tags)
    assert {registry.tag(card): card.text for card in map(registry.card, tags.values()) if card is not None} == {
        tag: card for card, tag in tags.items()
    }
    speeds = line_speeds(NINETEEN, 20)
    assert set(speeds) == {SHOE_PORT, *NINETEEN}
    raw = config_for(Play(), ports={name: f"/dev/{name}" for name in speeds})
    assert [reader["port"] for reader in raw["readers"]] == [f"/dev/{line}" for line in NINETEEN]
    assert "mqtt" not in raw
