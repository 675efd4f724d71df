"""A deterministic asyncio event loop on virtual time: the whole controller and its simulators run as fast as the machine allows.

``time()`` is a counter. When nothing is ready, the selector does not wait but moves the counter to the next timer.
Timers that are due at one instant are called in the order in which they were set, whatever other timers there are.
Nothing ready and no timer is a deadlock, and is reported with the names of the tasks that wait.
Threads have no place here: what they do takes real time, in an order that no seed decides.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import Context, ContextVar, copy_context
from heapq import heapify, heappop, heappush
from typing import Any, Final, NoReturn, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_TURNS_WITHOUT_TIME: Final = 1_000_000
"""Turns of the loop at one instant before it counts as a stall: two tasks that call each other for ever."""

TURNS_BETWEEN_LOOKS: Final = 64
"""Turns of a loop without foreign file descriptors between two looks at its own wake-up socket."""

MAX_REAL_WAIT_S: Final = 5.0
"""Real seconds that a silent file descriptor may hold up a loop that has nothing else to wait for."""

MOST_CANCELLED: Final = 256
"""Cancelled timers that may wait for their time; one more, and all that make up more than half are thrown out."""

CLOSING_SECONDS: Final = 60.0
"""Virtual seconds that cancelled tasks get for their clean-up when a run ends."""


class VirtualTimeError(RuntimeError):
    """Something that has no meaning on virtual time: a thread, or a run that cannot go on."""


class VirtualDeadlock(VirtualTimeError):  # noqa: N818
    """Nothing is ready and no timer is set: the run would wait for ever. Names the pending tasks."""


class VirtualTimeout(VirtualTimeError):  # noqa: N818
    """The run reached its last virtual second. Names the pending tasks."""


class VirtualStall(VirtualTimeError):  # noqa: N818
    """Tasks keep each other ready and time stands still."""


class _VirtualSelector(selectors.BaseSelector):
    """Polls the real selector without waiting; where the loop would wait, it moves the loop's time instead."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self._watched = self._real.get_map()
        self._turns = 0
        self.loop: VirtualEventLoop | None = None

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._turns += 1
        loop = self.loop
        if len(self._watched) == 1 and loop is not None and timeout is not None and self._turns % TURNS_BETWEEN_LOOKS:
            loop.advance(timeout)  # nothing but the loop's own wake-up socket: no call of the system for every turn
            return []
        ready = self._real.select(0)
        if loop is None or ready:
            return ready
        if timeout is None:
            foreign = len(self._real.get_map()) > 1  # one is the loop's own wake-up socket
            ready = self._real.select(MAX_REAL_WAIT_S) if foreign else []
            if not ready:
                raise VirtualDeadlock(f"nothing is ready and no timer is set at {loop.time():.3f} s; pending: {loop.pending()}")
            return ready
        loop.advance(timeout)
        return ready


class Process:
    """Whose callbacks are held back together: everything that is called for in a context with it in ``PROCESS``."""

    def __init__(self) -> None:
        self.is_paused = False
        self.waiting: list[asyncio.Handle] = []


PROCESS: Final[ContextVar[Process | None]] = ContextVar("process", default=None)


class _Timer(asyncio.TimerHandle):
    """A timer that is made in one go, without what the base class notes for a loop in debug mode."""

    __slots__ = ()

    def __init__(
        self, when: float, callback: Callable[..., object], args: Sequence[Any], loop: VirtualEventLoop, context: Context | None
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = self._source_traceback = None
        self._when = when
        self._scheduled = True


class VirtualEventLoop(asyncio.SelectorEventLoop):
    """A selector event loop whose ``time()`` starts at 0 and moves only when nothing is ready.

    Real file descriptors are polled between turns, but virtual time does not wait for them while a timer is set.
    Timers and turns are its own: asyncio's heap gives those of one instant in an order that hangs on every other timer.
    """

    _ready: deque[asyncio.Handle]
    _selector: _VirtualSelector
    _stopping: bool
    _clock_resolution: float
    _process_events: Callable[[list[tuple[selectors.SelectorKey, int]]], None]
    _check_closed: Callable[[], None]

    def __init__(self, *, max_seconds: float) -> None:
        self._virtual_s = 0.0
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers_set = self._cancelled = 0
        self._deadline_s = max_seconds
        self._turns_now = 0
        self._owner = threading.get_ident()
        self._paused: set[Process | None] = set()
        selector = _VirtualSelector()
        super().__init__(selector)
        selector.loop = self

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._virtual_s

    def pause(self, process: Process) -> None:
        """Nothing that was called for by ``process`` runs from the next turn on; what becomes due waits."""
        process.is_paused = True
        self._paused.add(process)

    def resume(self, process: Process) -> None:
        """What waited comes in its order, all at once."""
        process.is_paused = False
        self._paused.discard(process)
        self._ready.extend(process.waiting)
        process.waiting.clear()

    def _hold_back(self) -> None:
        """Take what belongs to a paused process out of this turn."""
        turn = list(self._ready)
        self._ready.clear()
        for handle in turn:
            process = handle._context.get(PROCESS)  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio has no other face for it
            (self._ready if process not in self._paused else process.waiting).append(handle)

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """As any loop's."""
        return self.call_at(self._virtual_s + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """As any loop's; of two timers for one instant the one that was set first is called first."""
        self._check_closed()
        timer = _Timer(when, callback, args, self, context)
        self._timers_set += 1
        heappush(self._timers, (when, self._timers_set, timer))
        return timer

    def call_soon(self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None) -> asyncio.Handle:
        """As any loop's."""
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """From the timer itself."""
        self._cancelled += handle._scheduled  # type: ignore[attr-defined]  # noqa: SLF001 - as the base class reads it

    def _run_once(self) -> None:
        """Turns as the base class does them, until somebody stops the loop."""
        while True:
            self._turn()
            if self._stopping:
                return

    def _turn(self) -> None:
        timers, ready = self._timers, self._ready
        if self._cancelled > MOST_CANCELLED and self._cancelled > len(timers) // 2:
            timers[:] = [due for due in timers if not due[2].cancelled()]
            heapify(timers)
            self._cancelled = 0
        while timers and timers[0][2]._cancelled:  # noqa: SLF001 - asked a million times
            self._pop()
        timeout: float | None = None
        if ready or self._stopping:
            timeout = 0.0
        elif timers:
            timeout = max(0.0, timers[0][0] - self._virtual_s)
        if events := self._selector.select(timeout):
            self._process_events(events)
        due_s = self._virtual_s + self._clock_resolution
        while timers and timers[0][0] < due_s:
            ready.append(self._pop())
        if self._paused:
            self._hold_back()
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:  # noqa: SLF001 - asked a million times
                handle._run()  # noqa: SLF001 - as the base class calls it

    def _pop(self) -> asyncio.TimerHandle:
        timer = heappop(self._timers)[2]
        timer._scheduled = False  # type: ignore[attr-defined]  # noqa: SLF001 - as the base class marks it
        self._cancelled -= timer._cancelled  # noqa: SLF001
        return timer

    def advance(self, seconds: float) -> None:
        """Move the time on, as the selector does instead of waiting.

        Raises ``VirtualTimeout`` past the deadline and ``VirtualStall`` when the time stands still for
        ``MAX_TURNS_WITHOUT_TIME`` turns.
        """
        if seconds <= 0:
            self._turns_now += 1
            if self._turns_now > MAX_TURNS_WITHOUT_TIME:
                raise VirtualStall(f"time stands still at {self._virtual_s:.3f} s; pending: {self.pending()}")
            return
        self._turns_now = 0
        if self._virtual_s + seconds > self._deadline_s:
            raise VirtualTimeout(f"the run needs more than its {self._deadline_s:.0f} virtual seconds; pending: {self.pending()}")
        self._virtual_s += seconds

    def grant(self, seconds: float) -> None:
        """Let the loop run on for ``seconds`` from now, so that cancelled tasks can clean up."""
        self._deadline_s = self._virtual_s + seconds
        self._turns_now = 0

    def pending(self) -> str:
        """The tasks that are not done, by name and coroutine, sorted; never their arguments."""
        names = [f"{task.get_name()} ({getattr(task.get_coro(), '__qualname__', '?')})" for task in asyncio.all_tasks(self)]
        return ", ".join(sorted(names)) or "no task"

    def run_in_executor(self, executor: Any, func: Callable[[*Ts], T], *args: *Ts) -> NoReturn:
        """Refused with ``VirtualTimeError``: a thread's work has no virtual time."""
        name = getattr(func, "__qualname__", type(func).__qualname__)
        raise VirtualTimeError(f"run_in_executor({name}) on virtual time: threads are not repeatable, call it inline")

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """As ``call_soon`` on the loop's own thread; refused with ``VirtualTimeError`` on any other."""
        if threading.get_ident() != self._owner:
            raise VirtualTimeError("call_soon_threadsafe from another thread on virtual time: threads are not repeatable")
        return super().call_soon_threadsafe(callback, *args, context=context)


def run_virtual(coro: Coroutine[Any, Any, T], *, max_seconds: float) -> T:
    """Run ``coro`` to its end on a new virtual loop and return its result.

    Raises what ``coro`` raises, ``VirtualDeadlock`` when it waits for nothing, and ``VirtualTimeout`` after ``max_seconds``
    virtual seconds. Tasks that are left are cancelled and get ``CLOSING_SECONDS`` virtual seconds to finish.
    """
    loop = VirtualEventLoop(max_seconds=max_seconds)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        try:
            return runner.run(coro)
        except VirtualTimeError:
            loop.grant(CLOSING_SECONDS)
            _cancel_all(loop)
            raise
        finally:
            loop.grant(CLOSING_SECONDS)


def _cancel_all(loop: VirtualEventLoop) -> None:
    """End the tasks of a run that cannot go on, and let them clean up."""
    tasks = sorted(asyncio.all_tasks(loop), key=lambda task: task.get_name())
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks))
