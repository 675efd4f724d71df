"""Scenes for directed scenarios about people, cards and secrets: something is done at one moment of a run (recovery §14)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from controller.app import TableApp
from controller.console.orders import CommandBody
from controller.hand.events import HandEvent
from controller.hand.state import Phase
from controller.mqtt.ports import Message, Publisher
from controller.simulate.clock import SteppingClock
from controller.simulate.faults import Level
from controller.simulate.plan import Drawn, Plan, Result
from controller.simulate.run import Simulation
from controller.table.loop import Record
from controller.table.state import TableState
from simulators.memory_broker import MemoryClient

T = TypeVar("T")

PLAN: Final = Plan(11, hands=1, variant="stud", level=Level.NONE)
FLOOR: Final = {"role": "floor", "by": "Fay", "agreed_by": "Guy", "reason": "as the floor saw it"}

When = Callable[[TableState], bool]
Answer = dict[str, Any]
AtPress = Callable[[Mapping[str, Any]], Coroutine[Any, Any, Answer | None]]


class Ear:
    """Hears every message at the broker, as far as it is connected."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, str, dict[str, Any]]] = []

    def subscriptions(self) -> Sequence[str]:
        return ("#",)

    def will(self) -> None:
        return None

    def farewell(self) -> None:
        return None

    async def run_session(self, link: Publisher) -> None:
        del link
        await asyncio.get_running_loop().create_future()

    def on_message(self, message: Message) -> None:
        if message.payload:
            now = asyncio.get_running_loop().time()
            self.heard.append((now, message.topic, json.loads(message.payload)))

    def on(self, end: str) -> list[dict[str, Any]]:
        """What came on topics that end so."""
        return [payload for _, topic, payload in self.heard if topic.endswith(end)]


class Scene(Simulation):
    """A run that does ``then`` once, as a task of its own, at the first commit after which ``when`` holds."""

    def __init__(
        self,
        folder: Path,
        *,
        when: When = lambda _: False,
        then: Callable[[Any], Coroutine[Any, Any, None]] | None = None,
        plan: Plan = PLAN,
        drawn: Drawn | None = None,
        clock: SteppingClock | None = None,
    ) -> None:
        super().__init__(plan, folder, drawn=drawn, clock=clock)
        self._when, self._then = when, then
        self.at_press: AtPress | None = None
        """Presses in the place of the dealer's, or ``None`` for hers."""
        self._doing: asyncio.Task[None] | None = None
        self.ear = Ear()
        self.records: list[Record] = []
        """What took effect, in order."""
        self.rehearsal.watchers.append(self._look_at)

    def _look_at(self, state: TableState, records: Sequence[Record]) -> None:
        self.records.extend(records)
        if self._doing is None and self._then is not None and self._when(state):
            self._doing = asyncio.create_task(self._then(self), name="scene")
            self._doing.add_done_callback(self._done)

    async def _submit(self, body: Mapping[str, Any]) -> Answer:
        given = None if self.at_press is None else await self.at_press(body)
        return await self.submit(body) if given is None else given

    async def submit(self, body: Mapping[str, Any]) -> Answer:
        """A press as it is."""
        return await super()._submit(body)

    def _done(self, doing: asyncio.Task[None]) -> None:
        if not doing.cancelled() and (error := doing.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "the scene failed", "exception": error})

    async def _people(self) -> None:
        hearing = asyncio.create_task(MemoryClient(self.broker, "ear", self.ear).run(), name="ear")
        try:
            await super()._people()
        finally:
            left = [task for task in (hearing, self._doing) if task is not None]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    # What a scene does and sees

    @property
    def app(self) -> TableApp:
        """The controller of now."""
        assert self._app is not None
        return self._app

    @property
    def state(self) -> TableState:
        """The table as last told."""
        return self.watch.state

    async def until(self, holds: Callable[[], bool], *, within_s: float = 120.0) -> None:
        """Wait in virtual time."""
        async with asyncio.timeout(within_s):
            while not holds():
                await asyncio.sleep(0.05)

    async def press(self, command: Mapping[str, Any], *, key: str, decision: str | None = None) -> dict[str, Any]:
        """A press on another console than the dealer's."""
        body = {"key": key, "seq": self.state.seq, "decision": decision, "command": dict(command)}
        return await self.app.desk.send(CommandBody.model_validate(body))

    async def rule(self, ruling: Mapping[str, Any], *, key: str) -> dict[str, Any]:
        """The floor rules."""
        return await self.press({"type": "rule", "ruling": dict(ruling), **FLOOR}, key=key)

    def told(self, *kinds: type[T]) -> list[T]:
        """The durable events of these kinds, in order."""
        return [record.event for record in self.records if isinstance(record.event, kinds)]

    @property
    def happened(self) -> bool:
        """The scene was played to its end."""
        return self._doing is not None and self._doing.done() and not self._doing.cancelled()

    @property
    def hands(self) -> list[tuple[HandEvent, ...]]:
        """The events of the hands that ended, without holds."""
        return self.watch.auditor.outcome.hands

    def played(self) -> Result:
        """Play it: nothing is broken, nothing is stuck, and the scene was met."""
        result = self.play()
        assert (result.failure, result.stuck) == (None, None), "\n".join((*result.story, str(result.failure), str(result.stuck)))
        assert self.happened or self._then is None
        return result


def hold_of(state: TableState) -> str | None:
    """Why the hand is stopped."""
    return None if state.hand is None or state.hand.hold is None else state.hand.hold.code


def betting(street: int, *, acted: int = 0) -> When:
    """The betting of a street is open."""
    del acted
    return lambda state: (
        state.hand is not None and state.hand.phase is Phase.BETTING and state.hand.street == street and state.hand.hold is None
    )


def dealing(street: int, dealt: int) -> When:
    """So many cards of a street are dealt."""
    return lambda state: (
        state.hand is not None and (state.hand.phase, state.hand.street) == (Phase.DEALING, street) and state.hand.dealt >= dealt
    )
