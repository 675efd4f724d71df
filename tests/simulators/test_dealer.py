"""The simulated dealer against a scripted table: she deals what is due, and survives a controller that dies at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import pytest
from scripted_table import ScriptedTable, a_felt

from simulators.console import LocalConsole
from simulators.dealer import REFUSALS_IN_A_ROW, DealerStuck, SimulatedDealer
from simulators.felt import HAND, PACKET, SHOE, Felt
from simulators.habits import DealerStats, Habits, HoldChoice, Pace, rebuy, void_after
from simulators.packets import PreparedPackets, ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

Story = Callable[["Evening"], Coroutine[Any, Any, None]]


class Evening:
    """One dealer at one scripted table."""

    def __init__(self, *, seed: int = 1, felt: Felt | None = None, table: dict[str, Any] | None = None, **dealer: Any) -> None:
        self.felt = felt or a_felt()
        self.table = ScriptedTable(self.felt, **(table or {}))
        rng = random.Random(seed)
        speed = dealer.setdefault("pace", Pace()).speed
        self.console = LocalConsole(self.table.fetch, self.table.submit, rng=rng, speed=speed)
        players = {seat: RandomPlayer(rng) for seat in range(1, 9)}
        packets = dealer.pop("packets", None) or ShuffledPackets(rng)
        self.dealer = SimulatedDealer(self.console, self.felt, self.table, players, packets, rng=rng, **dealer)


def evening(story: Story | None = None, *, max_seconds: float = 3_000, **made: Any) -> Evening:
    """Run a dealer to her end beside the table and ``story``; the evening is returned for inspection."""

    async def whole() -> Evening:
        one = Evening(**made)
        beside = [asyncio.create_task(one.table.live())]
        if story is not None:
            beside.append(asyncio.create_task(story(one)))
        try:
            await one.dealer.run()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        return one

    return run_virtual(whole(), max_seconds=max_seconds)


def everything(felt: Felt) -> int:
    return sum(felt.count(place) for place in (*felt.places, PACKET, SHOE, HAND))


def test_hands_are_dealt_played_and_paid() -> None:
    """Three hands of three seats: every card at the place that was due, every step pressed once."""
    one = evening(max_hands=3)
    stats = one.dealer.stats
    assert (stats.hands, stats.voided, stats.refusals, stats.loads) == (3, 0, 0, 3)
    assert stats.cards_drawn == 3 * (3 * 7 + 4)
    assert one.table.faults == []
    assert stats.taps == len(one.table.commands)
    assert [command["type"] for command in one.table.commands].count("award_pots") == 3
    assert everything(one.felt) == 52


def test_two_evenings_of_one_seed_are_equal_and_another_seed_differs() -> None:
    """Every movement of every card, with its time, follows from the seed."""
    first, again, other = (evening(seed=seed, max_hands=2).felt.moves for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_speed_divides_every_pause() -> None:
    """Ten times as fast takes about a tenth of the time."""
    slow = evening(max_hands=2, table={"lag_s": 0.0}).felt.moves[-1].at
    fast = evening(max_hands=2, table={"lag_s": 0.0}, pace=Pace(speed=10.0)).felt.moves[-1].at
    assert fast < slow / 5


@pytest.mark.parametrize("looks_up", [0.0, 1.0])
@pytest.mark.parametrize("lag_s", [0.0, 0.3, 3.0])
def test_a_slow_line_makes_no_card_premature(lag_s: float, looks_up: float) -> None:
    """However late the controller sees the draws, she draws exactly the plan and lays each card where it is due."""
    one = evening(max_hands=2, table={"lag_s": lag_s}, habits=Habits(looks_up=looks_up, hurries=0.5))
    assert one.table.faults == []
    assert one.dealer.stats.hands == 2
    assert one.dealer.stats.cards_drawn == len(one.table.dealt) == 2 * 25


def test_a_folded_seat_goes_to_the_muck() -> None:
    """After the fold the seat's antennas are empty and its cards lie in the muck."""

    async def story(one: Evening) -> None:
        one.table.offers = lambda seat: [{"verb": "fold" if seat == 3 else "check", "to": None}]

    one = evening(story, max_hands=1, table={"seats": (1, 3, 4)})
    assert [one.felt.count(place) for place in one.felt.of_seat(3)] == [0, 0]
    assert one.felt.count("muck") >= 3
    assert one.dealer.stats.cards_drawn == 9 + 4 + 2 * 4


def test_a_card_that_another_hand_laid_goes_with_the_hand_that_folds() -> None:
    """Of seat 3 lies a card that she did not lay: no card of a folded hand stays at its place."""

    async def story(one: Evening) -> None:
        one.table.offers = lambda seat: [{"verb": "fold" if seat == 3 else "check", "to": None}]
        while one.felt.count("seat/3/up") == 0:
            await asyncio.sleep(0.05)
        hers, now = one.felt.cards_at("seat/3/down")[0], asyncio.get_running_loop().time()
        one.felt.move(one.felt.cards_at(SHOE)[-1], "seat/3/down", origin=SHOE, at=now)
        one.felt.move(hers, SHOE, origin="seat/3/down", at=now)

    one = evening(story, max_hands=1, table={"seats": (1, 3, 4)})
    assert [one.felt.count(place) for place in one.felt.of_seat(3)] == [0, 0]


def test_ghost_cards_are_cleared_once_they_were_seen() -> None:
    """A seat that folded free still receives its card (R-DEAL-06); it goes to the muck after the readers saw it."""

    async def story(one: Evening) -> None:
        while one.table.street < 4:
            await asyncio.sleep(0.05)
        one.table.state[3] = "ghost"
        one.table.plan = ["burn", "seat/1/up", "seat/3/up", "seat/4/up"]

    one = evening(story, max_hands=1)
    assert [one.felt.count(place) for place in one.felt.of_seat(3)] == [0, 0]
    assert ("seat/3/up", "muck") in [(move.origin, move.target) for move in one.felt.moves]
    assert one.table.faults == []


def test_a_scramble_puts_the_burns_back_into_the_stub() -> None:
    """Before seventh street three burns and the stub are loaded again; one new burn is made (R-STUB-02)."""
    one = evening(max_hands=1, table={"scramble": True})
    assert one.dealer.stats.scrambles == 1
    assert [cards for cards, _ in one.table.loads] == [52, 52 - 9 - 3 * 4 + 3]
    assert one.felt.count("burn") == 1
    assert one.table.faults == []


def test_a_prepared_order_is_dealt_as_recorded_across_a_scramble() -> None:
    """The cards of a recorded hand come out in their order, the returned burns again after the scramble; then she stops."""
    seats, burned = (1, 3, 4), ("2c", "3c", "4c")
    cards = iter(card for card in reversed(a_felt().cards_at(PACKET)) if card not in burned)
    order = [(next(cards), f"seat/{seat}/{zone}") for zone in ("down", "down", "up") for seat in seats]
    for burn in burned:
        order += [(burn, "burn"), *((next(cards), f"seat/{seat}/up") for seat in seats)]
    order += [
        (next(cards), "burn"),
        *zip(("4c", "2c"), ("seat/1/down", "seat/3/down"), strict=True),
        (next(cards), "seat/4/down"),
    ]
    one = evening(packets=PreparedPackets([order]), table={"scramble": True, "seats": seats})
    assert one.table.dealt == order
    assert one.dealer.stats.hands == 1


def test_a_table_with_one_antenna_per_seat_works() -> None:
    """Up and down cards lie at the one place of the seat."""
    one = evening(felt=a_felt(two_antennas=False), max_hands=1)
    assert one.dealer.stats.hands == 1
    assert one.table.faults == []


@pytest.mark.parametrize("seed", range(12))
def test_the_controller_may_die_at_any_card(seed: int) -> None:
    """Killed at random cards, for a moment or for long, with a card in her hand or on its way: no card is lost or drawn twice."""

    async def story(one: Evening) -> None:
        rng = random.Random(seed)
        waiting = rng.randrange(1, 12)
        card = asyncio.Event()
        one.table.on_card = card.set
        while True:
            for _ in range(waiting):
                card.clear()
                await card.wait()
            await asyncio.sleep(rng.random())
            await one.table.kill(rng.choice([0.2, 2.0, 20.0]))
            waiting = rng.randrange(1, 12)

    one = evening(story, seed=seed, max_hands=3, habits=Habits(looks_up=0.5))
    stats = one.dealer.stats
    assert (stats.hands, stats.voided, one.table.faults) == (3, 0, [])
    assert stats.cards_drawn == len(one.table.dealt) == 3 * 25
    assert one.console.outages > 0
    assert everything(one.felt) == 52


def test_after_resume_the_card_in_her_hand_goes_where_it_is_in_flight_to() -> None:
    """The screen dies with a card in her hand; the card stays there until the controller says where it is due."""
    seen: list[str] = []

    async def story(one: Evening) -> None:
        one.table.on_card = lambda: setattr(one.table, "down", one.dealer.stats.cards_drawn == 4)
        while not one.table.down:
            await asyncio.sleep(0.05)
        one.table.on_card = lambda: None
        await one.table.kill(30.0)
        seen.append(f"{one.felt.count(HAND)} in hand")
        while one.felt.count(HAND):
            await asyncio.sleep(0.05)
        seen.extend(command["type"] for command in one.table.commands[-1:])
        seen.append(one.felt.moves[-1].target)

    one = evening(story, max_hands=1, habits=Habits(looks_up=1.0), table={"lag_s": 0.0})
    assert seen == ["1 in hand", "resume", one.felt.resolve(one.table.dealt[4][1])]
    assert one.dealer.stats.hands == 1


def test_a_slip_stops_the_table_and_is_put_right() -> None:
    """A card at a wrong seat makes a hold; she moves it to its place and the hand goes on without a void."""
    one = evening(max_hands=2, habits=Habits(slips=0.1))
    stats = one.dealer.stats
    assert stats.slips > 0
    assert (stats.mended, stats.voided, stats.hands) == (stats.slips, 0, 2)


@pytest.mark.parametrize(("code", "seconds"), [("foul", 40), ("shoe_degraded", 90)])
def test_a_hold_that_does_not_clear_is_voided(code: str, seconds: int) -> None:
    """After the policy's seconds, divided by the speed, the hand is void and the next one is dealt. A hold that says that it
    ends by itself gets the time that it says."""
    times: list[float] = []

    async def story(one: Evening) -> None:
        while one.table.number == 0 or not one.table.flying:
            await asyncio.sleep(0.01)
        one.table._see = lambda: setattr(one.table, "hold", {"code": code, "place": None, "reason": "no"})  # type: ignore[method-assign]
        times.append(asyncio.get_running_loop().time())
        while one.table.phase != "voided":
            await asyncio.sleep(0.01)
        times.append(asyncio.get_running_loop().time())
        del one.table._see

    one = evening(story, max_hands=2, hold_policy=void_after(40), pace=Pace(speed=4.0))
    assert (one.dealer.stats.hands, one.dealer.stats.voided) == (2, 1)
    assert seconds / 4 <= times[1] - times[0] < seconds / 4 + 2


def test_the_hold_policy_decides() -> None:
    """A policy that waits never voids; ``stop`` ends the run."""

    async def story(one: Evening) -> None:
        one.table._see = lambda: setattr(one.table, "hold", {"code": "foul", "place": None, "reason": "no"})  # type: ignore[method-assign]
        await asyncio.sleep(500)
        one.dealer.stop()

    one = evening(story, hold_policy=lambda held: HoldChoice.WAIT)
    assert one.table.commands == []


def test_stop_ends_her_while_the_controller_is_away() -> None:
    """She does not wait for a dead screen when the evening is over."""

    async def story(one: Evening) -> None:
        one.table.down = True
        await asyncio.sleep(60)
        one.dealer.stop()

    assert evening(story, max_seconds=100).dealer.stats == DealerStats()


def test_refusals_are_counted_and_the_screen_is_read_again() -> None:
    """Every second press is refused; the hand is played all the same."""

    async def story(one: Evening) -> None:
        turn = iter(range(10_000))
        one.table.refuse = lambda command: "stale_seq" if next(turn) % 2 else None

    stats = evening(story, max_hands=2).dealer.stats
    assert stats.hands == 2
    assert stats.refusals > 5
    assert stats.refused == {"stale_seq": stats.refusals}


def test_one_refusal_too_many_in_a_row_is_an_error() -> None:
    """A table that refuses everything is told, not pressed for ever."""

    async def story(one: Evening) -> None:
        one.table.refuse = lambda command: "closed"

    with pytest.raises(DealerStuck, match=f"start_hand was refused {REFUSALS_IN_A_ROW} times in a row"):
        evening(story)


def test_an_unknown_step_is_an_error() -> None:
    """A screen that asks for something new needs a new dealer."""

    async def story(one: Evening) -> None:
        one.table.step = {"kind": "juggle"}

    with pytest.raises(DealerStuck, match="juggle"):
        evening(story)


def test_a_packet_that_nobody_noticed_is_loaded_again_in_the_same_order() -> None:
    """LOAD got lost: after a while the same cards go in once more."""

    async def story(one: Evening) -> None:
        while not one.table.notices:
            await asyncio.sleep(0.01)
        one.table.notices.clear()

    one = evening(story, max_hands=1)
    loaded = [move.card for move in one.felt.moves if move.target == SHOE]
    assert one.dealer.stats.loads == 2
    assert loaded[:52] == loaded[52:]


def test_a_deck_that_was_taken_out_is_loaded_before_the_hand_starts() -> None:
    """The screen still asks to start, as after a cut of the current: she starts no hand with a shoe that is not full."""
    started: list[tuple[int, int]] = []

    async def story(one: Evening) -> None:
        one.table.step = {"kind": "start_hand"}
        obey = one.table._obey

        def note(command: dict[str, Any]) -> None:
            if command["type"] == "start_hand":
                started.append((one.felt.count(SHOE), len(one.table.loads)))
            obey(command)

        one.table._obey = note  # type: ignore[method-assign]

    one = evening(story, max_hands=2)
    assert started == [(52, 1), (52, 2)]
    assert (one.dealer.stats.hands, one.dealer.stats.loads, one.table.faults) == (2, 2, [])


def test_a_shoe_without_current_is_loaded_when_it_is_back() -> None:
    """The packet stays in her hands until the shoe takes it; the prepared order is not lost."""

    async def story(one: Evening) -> None:
        load, refused = one.table.load, []

        def dead(codes: list[str], set_id: str) -> None:
            if len(refused) < 2:
                refused.append(set_id)
                raise RuntimeError("no current")
            load(codes, set_id)

        one.table.load = dead  # type: ignore[method-assign]

    order = [(card, "any") for card in a_felt().cards_at(PACKET)]
    one = evening(story, max_hands=1, packets=PreparedPackets([order]))
    assert (one.dealer.stats.loads, one.dealer.stats.hands) == (1, 1)
    assert [card for card, _ in one.table.dealt] == [card for card, _ in order[:25]]


def test_a_shoe_and_a_felt_that_differ_are_an_error() -> None:
    """A fault in the simulation itself is not dealt on."""

    async def story(one: Evening) -> None:
        draw = one.table.draw
        one.table.draw = lambda: draw() and "XX"  # type: ignore[method-assign]

    with pytest.raises(DealerStuck, match="another card"):
        evening(story)


def test_a_broke_player_buys_chips_between_hands() -> None:
    """Commands of ``before_hand`` are sent until there are none, then the hand starts."""

    async def story(one: Evening) -> None:
        one.table.stacks[3] = 0

    one = evening(story, max_hands=1, before_hand=rebuy(50))
    assert [command["type"] for command in one.table.commands[:2]] == ["add_chips", "start_hand"]
    assert one.table.stacks[3] == 50


def test_a_closed_table_ends_the_evening() -> None:
    """The status says so."""

    async def story(one: Evening) -> None:
        with contextlib.suppress(AttributeError):
            whole = one.table.snapshot
            one.table.snapshot = lambda: whole() | {"status": "closed"}  # type: ignore[method-assign]

    assert evening(story).dealer.stats.hands == 0


@pytest.mark.parametrize("wish", [{"paused": "a break"}, {"closing": True}], ids=str)
def test_who_wants_no_hand_gets_none(wish: dict[str, Any]) -> None:
    """The floor pauses or closes the table: she waits, presses nothing, and deals on when it is open again."""

    async def story(one: Evening) -> None:
        whole = one.table.snapshot
        one.table.snapshot = lambda: whole() | wish  # type: ignore[method-assign]
        await asyncio.sleep(200)
        assert one.table.commands == []
        one.table.snapshot = whole  # type: ignore[method-assign]

    assert evening(story, max_hands=2).dealer.stats.hands == 2


def test_no_error_of_hers_tells_a_card() -> None:
    """A dealer that gives up says which press was refused, and no card (R-RULE-06)."""

    def refuse(command: Mapping[str, Any]) -> str | None:
        return "no" if command["type"] == "act" else None

    async def story(one: Evening) -> None:
        one.table.refuse = refuse

    with pytest.raises(DealerStuck) as caught:
        evening(story)
    assert str(caught.value) == f"act was refused {REFUSALS_IN_A_ROW} times in a row: refused: no"


def test_a_dealer_who_was_relieved_deals_and_presses_nothing() -> None:
    """Her hands go on with the cards; the wagers are another's, until she drives again."""
    driving = False

    async def drives() -> bool:
        return driving

    async def story(one: Evening) -> None:
        nonlocal driving
        await asyncio.sleep(200)
        assert (one.dealer.stats.taps, one.dealer.stats.hands) == (0, 0)
        assert one.dealer.stats.loads > 0
        driving = True

    one = evening(story, max_hands=2, drives=drives)
    assert one.dealer.stats.hands == 2
    assert one.dealer.stats.taps > 0
