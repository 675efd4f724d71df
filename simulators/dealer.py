"""A simulated dealer: hands, eyes and the button presses that a real one makes. The ``step`` of the snapshot alone drives her.

She keeps no copy of the hand. What she must do next follows from the newest snapshot and from the cards before her, so the
controller may be killed at any time: the count of cards in the shoe against the snapshot's ``stub`` tells which cards she drew
that the controller has not seen, and so where the cards in her hand are due.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from simulators.console import Command, Console, Snapshot
from simulators.felt import FULL_DECK, HAND, PACKET, SHOE, Felt
from simulators.habits import BeforeHand, DealerStats, Habits, Held, HoldChoice, HoldPolicy, Pace, void_after
from simulators.packets import Packets
from simulators.players import Player

T = TypeVar("T")

NOW: Final = 0.0
LOOK_S: Final = 5.0
"""Table seconds after which she reads the screen again though nothing new was announced."""
RETRY_S: Final = 0.25
"""Table seconds between two pulls at a shoe whose gate is closed."""
HOLD_LOOK_S: Final = 1.0
THROWN_S: Final = 8.0
"""Table seconds that she gives the screen to take a hand that lies in the muck for a fold."""
RELOAD_S: Final = 15.0
"""Table seconds after which a packet that the controller has not noticed is taken out and loaded again."""
HURRY_S: Final = 0.1
REFUSALS_IN_A_ROW: Final = 20
"""Refusals without an accepted press between them that a dealer takes before she gives up."""

MUCK: Final = "muck"
BURN: Final = "burn"
DEAD: Final = frozenset({"folded", "ghost"})
OVER: Final = frozenset({"ended", "voided"})


class ShoeSlot(Protocol):
    """The shoe as the dealer's hands know it."""

    def load(self, codes: Sequence[str], set_id: str, /) -> None:
        """Put a packet in, first card on top; codes are rank and suit as ``AS``. ``RuntimeError`` while it has no current."""

    def draw(self) -> str | None:
        """Pull the next card out; ``None`` when the gate is closed or nothing is left."""


Drives: TypeAlias = Callable[[], Coroutine[Any, Any, bool]]
"""Whether a dealer's console drives the table now."""


class DealerStuck(Exception):  # noqa: N818
    """She cannot go on: refused too often in a row, or asked for a step that she does not know."""


class _StoppedError(Exception):
    """Somebody asked her to stop."""


class SimulatedDealer:
    """Deals hands on ``felt`` with ``shoe``, pressing the buttons of ``console``; ``players`` sit at their seats.

    ``packets`` gives each packet's order, ``set_id`` is its name in LOAD. ``hold_policy`` decides while the table is stopped.
    ``drives`` tells whether her console drives: while it does not, she presses nothing, and her hands go on with the cards.
    Ends after ``max_hands`` finished hands, when the table closes, when ``packets`` has no next one, or on ``stop``.
    """

    def __init__(
        self,
        console: Console,
        felt: Felt,
        shoe: ShoeSlot,
        players: Mapping[int, Player],
        packets: Packets,
        *,
        rng: random.Random,
        pace: Pace | None = None,
        habits: Habits | None = None,
        hold_policy: HoldPolicy | None = None,
        before_hand: BeforeHand | None = None,
        set_id: str = "DECK1",
        max_hands: int | None = None,
        drives: Drives | None = None,
    ) -> None:
        self._console = console
        self._felt = felt
        self._shoe = shoe
        self._players = players
        self._packets = packets
        self._rng = rng
        self._pace = pace or Pace()
        self._habits = habits or Habits()
        self._hold_policy = hold_policy or void_after()
        self._before_hand = before_hand
        self._set_id = set_id
        self._max_hands = max_hands
        self._drives = drives
        self.stats = DealerStats()
        self._stopping = asyncio.Event()
        self._done = False
        self._accepted_seq = 0
        self._refused_in_a_row = 0
        self._due: dict[str, str] = {}
        self._order: Sequence[str] | None = None
        self._drawn = 0
        self._loaded_at: float | None = None
        self._held_since: float | None = None
        self._thrown: tuple[str, float] | None = None
        self._hand: int | None = None
        self._counted: int | None = None

    async def run(self) -> DealerStats:
        """Deal until the end; returns the statistics. ``DealerStuck`` when she cannot go on."""
        try:
            snapshot = await self._unless_stopped(self._console.snapshot())
            while not self._finished(snapshot):
                pause_s = await self._step(snapshot)
                if self._done:
                    break
                snapshot = await self._look(snapshot, pause_s)
        except _StoppedError:
            pass
        return self.stats

    def stop(self) -> None:
        """Ask her to stop; ``run`` returns after the movement that she is in."""
        self._stopping.set()

    # --- the screen ------------------------------------------------------------------------------------------------------------

    async def _look(self, seen: Snapshot, pause_s: float) -> Snapshot:
        """The next snapshot: at once, or a newer one within ``pause_s``; never older than her last accepted press."""
        if pause_s == NOW and seen["seq"] >= self._accepted_seq:
            return await self._unless_stopped(self._console.snapshot())
        after = max(seen["seq"], self._accepted_seq - 1)
        try:
            async with asyncio.timeout((pause_s or LOOK_S) / self._pace.speed):
                return await self._unless_stopped(self._console.changed(after))
        except TimeoutError:
            return await self._unless_stopped(self._console.snapshot())

    async def _press(self, command: Command, snapshot: Snapshot, *, decision: str | None = None) -> bool:
        """Press a button; whether it was accepted. A console that only watches presses nothing."""
        await self._spend(self._pace.press_s)
        if self._drives is not None and not await self._unless_stopped(self._drives()):
            return False
        self.stats.taps += 1
        answer = await self._unless_stopped(self._console.send(command, decision=decision, seq=snapshot["seq"]))
        if answer["ok"]:
            self._accepted_seq = answer["seq"]
            self._refused_in_a_row = 0
            return True
        refusal = answer["refusal"]
        self.stats.refusals += 1
        self.stats.refused[str(refusal["code"])] += 1
        self._refused_in_a_row += 1
        if self._refused_in_a_row >= REFUSALS_IN_A_ROW:
            raise DealerStuck(f"{command['type']} was refused {self._refused_in_a_row} times in a row: {refusal['message']}")
        return False

    async def _unless_stopped(self, asked: Coroutine[Any, Any, T]) -> T:
        """Wait for the console, or for ``stop``."""
        answer = asyncio.ensure_future(asked)
        stopped = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({answer, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise _StoppedError
            return answer.result()
        finally:
            for task in (answer, stopped):
                task.cancel()
            await asyncio.gather(answer, stopped, return_exceptions=True)

    async def _spend(self, table_s: float) -> None:
        await asyncio.sleep(self._pace.seconds(table_s, self._rng))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # --- the steps: each returns the table seconds to wait for something newer, NOW to look at once ----------------------------

    async def _step(self, snapshot: Snapshot) -> float:
        step = snapshot["step"]
        steps: dict[str, Callable[[Snapshot], Coroutine[Any, Any, float]]] = {
            "load_deck": self._load_deck,
            "start_hand": self._start_hand,
            "deal": self._deal,
            "scramble": self._scramble,
            "act": self._act,
            "table": self._table,
            "award": self._award,
            "resume": self._resume,
            "hold": self._hold,
            "wait": self._wait,
        }
        kind = str(step["kind"])
        if kind not in steps:
            raise DealerStuck(f"the screen asks for {kind!r}, which no dealer knows")
        if kind not in {"load_deck", "scramble", "start_hand"}:
            self._loaded_at = None
        if kind != "hold":
            self._held_since = None
        if kind in {"deal", "act", "table"}:
            await self._muck_dead(snapshot)
        return await steps[kind](snapshot)

    async def _load_deck(self, snapshot: Snapshot) -> float:
        if self._lately_loaded():
            return LOOK_S
        if self._order is None or self._drawn:
            order = self._packets.fresh()
            if order is None:
                self._done = True
                return NOW
            self._order, self._drawn = order, 0
        self._felt.gather((*self._felt.places, HAND, SHOE), PACKET, at=self._now())
        self._due.clear()
        await self._spend(self._pace.shuffle_s)
        self.stats.loads += self._put_in(self._order)
        return await self._tell_count(snapshot)

    async def _scramble(self, snapshot: Snapshot) -> float:
        if self._lately_loaded():
            return LOOK_S
        for card in self._felt.cards_at(BURN):
            self._due.pop(card, None)
        self._felt.gather((SHOE, BURN), PACKET, at=self._now())
        await self._spend(self._pace.shuffle_s / 2)
        self.stats.scrambles += self._put_in(self._packets.scrambled(self._felt.cards_at(PACKET), drawn=self._drawn))
        return await self._tell_count(snapshot)

    async def _tell_count(self, snapshot: Snapshot) -> float:
        """Tell how many cards are in, where the shoe does not."""
        if self._loaded_at is None or not snapshot.get("by_hand", {}).get("count_deck"):
            return LOOK_S
        return await self._pressed({"type": "count_deck", "cards": self._felt.count(SHOE)}, snapshot)

    def _lately_loaded(self) -> bool:
        return self._loaded_at is not None and self._now() - self._loaded_at < RELOAD_S / self._pace.speed

    def _put_in(self, order: Sequence[str]) -> bool:
        """Load the shoe; a shoe without current takes no packet, and she tries again later."""
        try:
            self._shoe.load([card.upper() for card in order], self._set_id)
        except RuntimeError:
            return False
        self._felt.load(order, at=self._now())
        self._loaded_at = self._now()
        return True

    async def _start_hand(self, snapshot: Snapshot) -> float:
        if snapshot.get("paused") or snapshot.get("closing"):  # somebody of the floor wants no hand now
            return HOLD_LOOK_S
        if self._felt.count(SHOE) != len(FULL_DECK):  # the screen may speak of a deck that was taken out while all was off
            return await self._load_deck(snapshot)
        for command in self._before_hand(snapshot) if self._before_hand else ():
            return NOW if await self._press(command, snapshot) else HOLD_LOOK_S
        return await self._pressed({"type": "start_hand"}, snapshot)

    async def _pressed(self, command: Command, snapshot: Snapshot, *, decision: str | None = None) -> float:
        return NOW if await self._press(command, snapshot, decision=decision) else HOLD_LOOK_S

    async def _deal(self, snapshot: Snapshot) -> float:
        unseen, plan = self._unseen(snapshot), snapshot["step"]["plan"]
        if unseen < 0 or unseen > len(plan):
            return LOOK_S
        held = self._felt.cards_at(HAND)
        due = self._dues(snapshot)
        if held:
            if len(held) > len(due):
                return LOOK_S
            return await self._lay(held[0], due[-len(held)])
        if unseen == len(plan):
            return LOOK_S
        code = self._shoe.draw()
        if code is None:
            return RETRY_S
        card = self._felt.draw(at=self._now())
        if card.upper() != code:
            raise DealerStuck("the shoe gave another card than the one that lay on top of it")
        self._drawn += 1
        self.stats.cards_drawn += 1
        self._due[card] = self._felt.resolve(plan[unseen])
        if self._rng.random() < self._habits.looks_up:
            return NOW
        return await self._lay(card, plan[unseen])

    def _unseen(self, snapshot: Snapshot) -> int:
        """How many cards have left the shoe that the snapshot does not know of."""
        return int(snapshot["hand"]["stub"]) - self._felt.count(SHOE)

    def _dues(self, snapshot: Snapshot) -> list[str]:
        """Where the drawn cards are due whose arrival the snapshot does not know of, in the order drawn."""
        step = snapshot["step"]
        if step["kind"] != "deal":
            return []
        return [*step["in_flight"], *step["plan"][: max(self._unseen(snapshot), 0)]]

    async def _lay(self, card: str, position: str) -> float:
        """Carry a card from her hand to where it is due, or by a slip to another seat; then pause before the next."""
        due = target = self._felt.resolve(position)
        self._due[card] = due
        if due.startswith("seat/") and self._rng.random() < self._habits.slips:
            end = due.split("/")[2:]
            others = [place for place in self._felt.places if place.startswith("seat/") and place.split("/")[2:] == end]
            target = self._rng.choice([place for place in others if place != due] or [due])
            self.stats.slips += target != due
        await self._spend(self._pace.travel_s)
        self._felt.move(card, target, origin=HAND, at=self._now())
        hurries = self._rng.random() < self._habits.hurries
        await self._spend(HURRY_S if hurries else max(self._pace.card_s - self._pace.travel_s, HURRY_S))
        return NOW

    async def _act(self, snapshot: Snapshot) -> float:
        step = snapshot["step"]
        seat = int(step["seat"])
        await self._spend(self._pace.think_s)
        lies_there = self._thrown is not None and self._thrown[0] == step["decision"]
        if lies_there and self._thrown is not None and self._now() < self._thrown[1]:
            return LOOK_S
        fold = next((one for one in step["actions"] if one["verb"] == "fold"), None)
        action = fold if lies_there and fold else self._players[seat].choose(snapshot, seat, step["actions"])
        throws = action is fold and not lies_there and 0 < self._habits.throws > self._rng.random()
        if throws and (self._drives is None or await self._unless_stopped(self._drives())):  # else who drives says who folds
            await self._muck(seat)
            self._thrown = (step["decision"], self._now() + THROWN_S / self._pace.speed)
            return LOOK_S
        command = {"type": "act", "seat": seat, "verb": action["verb"], "to": action.get("to")}
        if not await self._press(command, snapshot, decision=step["decision"]):
            return HOLD_LOOK_S
        if action["verb"] == "fold":
            await self._muck(seat)
        return NOW

    async def _table(self, snapshot: Snapshot) -> float:
        step = snapshot["step"]
        if not step["order"]:
            return LOOK_S
        seat = int(step["order"][0])
        cards = (
            self._cards_of(seat) + self._felt.cards_at("community") if "community" in self._felt.places else self._cards_of(seat)
        )
        await self._spend(self._pace.think_s)
        if seat not in step["may_muck"] or self._players[seat].shows(snapshot, seat, cards):
            return await self._pressed({"type": "table_hand", "seat": seat}, snapshot, decision=step["decision"])
        if not await self._press({"type": "muck_hand", "seat": seat}, snapshot, decision=step["decision"]):
            return HOLD_LOOK_S
        await self._muck(seat)
        return NOW

    async def _award(self, snapshot: Snapshot) -> float:
        return await self._pressed({"type": "award_pots"}, snapshot, decision=snapshot["step"]["decision"])

    async def _resume(self, snapshot: Snapshot) -> float:
        return await self._pressed({"type": "resume"}, snapshot)

    async def _wait(self, snapshot: Snapshot) -> float:
        return LOOK_S

    async def _hold(self, snapshot: Snapshot) -> float:
        if self._held_since is None:
            self._held_since = self._now()
        seconds = (self._now() - self._held_since) * self._pace.speed
        match self._hold_policy(Held(snapshot["hold"] or {}, seconds, self._misplaced() is not None)):
            case HoldChoice.WAIT:
                return HOLD_LOOK_S
            case HoldChoice.VOID:
                return await self._void(snapshot)
            case HoldChoice.MEND:
                card = self._misplaced()
                if card is None:
                    return HOLD_LOOK_S
                await self._spend(self._pace.press_s + self._pace.travel_s)
                self._felt.move(card, self._due[card], origin=self._felt.where(card), at=self._now())
                self.stats.mended += 1
                return HOLD_LOOK_S

    async def _void(self, snapshot: Snapshot) -> float:
        people = {"by": "Simulated floor", "agreed_by": "Simulated dealer"}
        if not await self._press({"type": "void_hand", "reason": "the table stayed stopped", **people}, snapshot):
            return HOLD_LOOK_S
        if self._hand is not None:
            self._count(self._hand, voided=True)
        return NOW

    # --- cards on the felt -----------------------------------------------------------------------------------------------------

    def _misplaced(self) -> str | None:
        """A card that is not where she should have put it, the one drawn first."""
        return next((card for card, due in self._due.items() if self._felt.where(card) != due), None)

    def _cards_of(self, seat: int) -> tuple[str, ...]:
        return tuple(card for place in self._felt.of_seat(seat) for card in self._felt.cards_at(place))

    async def _muck_dead(self, snapshot: Snapshot) -> None:
        """Clear the cards of folded seats, ghost cards too, once the readers have seen them arrive (R-DEAL-06)."""
        awaited = {position.split("/")[1] for position in self._dues(snapshot) if position.startswith("seat/")}
        for seat in snapshot["seats"]:
            if seat["state"] in DEAD and str(seat["seat"]) not in awaited:
                await self._muck(int(seat["seat"]))

    async def _muck(self, seat: int) -> None:
        """Move the cards that are due at ``seat`` to the muck; one that another hand laid there is the seat's too."""
        places = self._felt.of_seat(seat)
        cards = [card for card in self._cards_of(seat) if self._due.get(card, places[0]) in places]
        if cards:
            await self._spend(self._pace.travel_s)
        for card in cards:
            self._due[card] = MUCK
            self._felt.move(card, MUCK, origin=self._felt.where(card), at=self._now())

    # --- the end ---------------------------------------------------------------------------------------------------------------

    def _finished(self, snapshot: Snapshot) -> bool:
        """Count the hands that are over; whether she has dealt all that she was asked to."""
        hand = snapshot["hand"] or {"number": None, "phase": None}
        number, over = hand["number"], hand["phase"] in OVER
        if self._hand is not None and (number != self._hand or over):
            self._count(self._hand, voided=number == self._hand and hand["phase"] == "voided")
        if number not in {None, self._counted} and not over:
            self._hand = number
        return snapshot["status"] == "closed" or (self._max_hands is not None and self.stats.hands >= self._max_hands)

    def _count(self, number: int, *, voided: bool) -> None:
        if number != self._counted:
            self.stats.hands += 1
            self.stats.voided += voided
        self._counted, self._hand = number, None
