"""Runs in which one thing goes wrong at one moment; the hand must be the one without it (recovery §14)."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from controller.app import TableApp
from controller.hand.events import HandEvent
from controller.hand.state import Phase
from controller.simulate.faults import Level
from controller.simulate.plan import Plan, Result
from controller.simulate.run import Simulation
from controller.table.loop import Record
from controller.table.state import TableState
from simulators.faulty_port import FaultyPort
from simulators.rig import SHOE_PORT

T = TypeVar("T")

LOST_LINE_S: Final = 0.06
"""How long the shoe's line is busy with a line of its own that is lost."""

PLAN: Final = Plan(11, hands=1, variant="stud", level=Level.NONE)


class Directed(Simulation):
    """A run in which something happens when a commit, or a press, comes for which it waits."""

    def __init__(
        self,
        folder: Path,
        *,
        when: Callable[[TableState], bool] = lambda _: False,
        at_press: str = "",
        then: Callable[[Simulation], None] = lambda _: None,
    ) -> None:
        super().__init__(PLAN, folder)
        self._when, self._at_press, self._then = when, at_press, then
        self.happened = False
        self.told: list[tuple[float, Any]] = []
        """Each durable event that took effect, with its time."""
        self.others: list[asyncio.Task[None]] = []
        """Tasks that end with the run."""
        self.taken_over: TableApp | None = None
        self.old: list[Record] = []
        """What the first controller wrote after another one took over."""
        self.rehearsal.watchers.append(self._look_at)

    def _look_at(self, state: TableState, records: Sequence[Record]) -> None:
        self.told.extend((asyncio.get_running_loop().time(), record.event) for record in records)
        if not self.happened and self._when(state):
            self.happened = True
            self._then(self)

    async def _submit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if not self.happened and body["command"]["type"] == self._at_press:
            self.happened = True
            self._then(self)
        return await super()._submit(body)

    def hand_over(self, to: TableApp) -> None:
        """The table is ``to``'s: what the first controller still does is no part of it, and it is not started again."""

        async def nothing(*_: object) -> None:
            """A disk of its own."""

        first = self._app
        assert first is not None
        first._outside = replace(first._outside, watch=lambda _, records: self.old.extend(records))
        self.journal = first.journal
        self.journal._disk = SimpleNamespace(begin=nothing, beside=nothing, end=nothing)  # type: ignore[assignment]
        self.taken_over, self._app = to, None
        self.watch.lives(to)

    async def _live(self) -> None:
        if self.taken_over is not None:
            await asyncio.get_running_loop().create_future()
        await super()._live()

    async def _at_end(self) -> None:
        await super()._at_end()
        for task in self.others:
            task.cancel()
        await asyncio.gather(*self.others, return_exceptions=True)

    @property
    def journal_folder(self) -> Path:
        """Who has taken over keeps a journal of its own."""
        folder = None if self.taken_over is None else self.taken_over._outside.folder
        return folder or super().journal_folder

    def told_of(self, kind: type[T]) -> list[T]:
        """The events of one kind, in order."""
        return [event for _, event in self.told if isinstance(event, kind)]

    @property
    def shoe_line(self) -> FaultyPort:
        """The line of the shoe."""
        port = self.rehearsal.devices.ports[SHOE_PORT]
        assert isinstance(port, FaultyPort)
        return port

    def hands(self) -> tuple[Result, list[tuple[HandEvent, ...]]]:
        """How it ended, and the events of the hands that were played."""
        return self.play(), self.watch.auditor.outcome.hands


@functools.lru_cache(1)
def sound() -> list[tuple[HandEvent, ...]]:
    """The same hand without anything."""
    with TemporaryDirectory() as folder:
        result, hands = Directed(Path(folder)).hands()
    assert result.ok
    return hands


def dealing(street: int, dealt: int) -> Callable[[TableState], bool]:
    """So many cards of a street are dealt."""
    return lambda state: (
        state.hand is not None and (state.hand.phase, state.hand.street) == (Phase.DEALING, street) and state.hand.dealt >= dealt
    )


def betting(street: int) -> Callable[[TableState], bool]:
    """The round of a street is open."""
    return lambda state: state.hand is not None and (state.hand.phase, state.hand.street) == (Phase.BETTING, street)


class Tap:
    """Hears what crosses a line in one direction, and may keep a piece from crossing: ``passes`` is asked for each."""

    def __init__(self, line: FaultyPort, *, to_host: bool, passes: Callable[[bytes], bool] = lambda _: True) -> None:
        self.heard: list[tuple[float, bytes]] = []
        self.lost: list[bytes] = []
        name = "send" if to_host else "host_data"
        cross = getattr(line, name)

        def hear(data: bytes) -> Any:
            self.heard.append((asyncio.get_running_loop().time(), data))
            if passes(data):
                return cross(data)
            self.lost.append(data)
            return LOST_LINE_S

        setattr(line, name, hear)

    def lines(self, word: str, since_s: float = 0.0) -> list[bytes]:
        """Whole lines with ``word`` in them of which some part crossed after ``since_s``."""
        heard = b"".join(data for at, data in self.heard if at >= since_s)
        return [line + b"\r\n" for line in heard.split(b"\r\n") if word.encode() in line]


def later(seconds: float, call: Callable[[], object]) -> None:
    """Call it after so many virtual seconds."""
    asyncio.get_running_loop().call_later(seconds, call)


def as_without(run: Directed, *, crashes: int) -> None:
    """The run came to its end, met what it should, and its hand is the sound one."""
    result, hands = run.hands()
    assert (result.failure, result.stuck) == (None, None), "\n".join(result.story)
    assert run.happened
    assert result.crashes >= crashes
    assert hands == sound()
