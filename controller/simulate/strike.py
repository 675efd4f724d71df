"""Brings the drawn faults about, each at its time, and ends them."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from controller.mqtt.payloads import StatusPayload, TableStatus
from controller.simulate.disk import Moment
from controller.simulate.faults import RESTART_AGAIN_S, SPOILS, Fault
from simulators.mischief import FAULTS, Mischief

if TYPE_CHECKING:
    from controller.simulate.run import Simulation

CLOCK_STEPS_S: Final = (-86_400.0, -3_600.0, 3_600.0, 86_400.0)
SLOW_DISK_S: Final = (0.1, 2.0)
SLOW_BROKER_S: Final = 0.5
MOMENTS: Final = {"kill-before-commit": Moment.BEFORE, "kill-in-commit": Moment.WITHIN, "kill-after-commit": Moment.AFTER}
_OF_PROCESS: Final = frozenset({"kill", "kill-twice", "paused", "power-loss"})
"""What befalls a process that runs, and nothing where none does."""


class Striker:
    """Strikes one simulation with its faults. ``is_over`` when the last one has ended and everything is sound."""

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self.is_over = False
        self._struck: Counter[str] = Counter()

    @property
    def struck(self) -> Counter[str]:
        """How often each fault came about: it met what it acts upon; an error, a press, the end at a commit had its occasion."""
        run, found = self._run, self._struck.copy()
        found.update({name: run.disk.failed[moment] for name, moment in MOMENTS.items()})
        if run.dealer is not None:
            found.update({f"dealer-{name}": count for name, count in run.dealer.erred.items()})
        found.update(run.console.fumbled)
        return +found

    async def run(self) -> None:
        """All faults, each at its time; then nothing until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for fault in self._run.drawn.faults:
                tasks.create_task(self._one(fault), name=f"fault {fault.number}")
        dealer = self._run.dealer
        if dealer is not None:
            dealer.armed.clear()
        self._run.console.armed.clear()
        self.is_over = True
        await asyncio.get_running_loop().create_future()

    async def _one(self, fault: Fault) -> None:
        await asyncio.sleep(fault.at_s)
        self._run.note(f"fault {fault.number}: {fault.name} for {fault.seconds:.1f} s")
        rng = random.Random(fault.seed)
        end: Callable[[], object] | None
        self._struck[fault.name] += self._meets(fault.name)
        if fault.name in FAULTS:
            end = FAULTS[fault.name](Mischief(self._run.rehearsal.devices, rng))
        else:
            end = await self._other(fault, rng)
        if end is not None:
            await asyncio.sleep(fault.seconds)
            end()

    def _meets(self, name: str) -> bool:
        """Whether a fault that begins now meets what it acts upon; others are counted when that comes."""
        if name.startswith(("dealer-", "press-")) or name in MOMENTS or name in SPOILS:
            return False
        return self._run.is_alive or name not in _OF_PROCESS

    async def _other(self, fault: Fault, rng: random.Random) -> Callable[[], object] | None:
        run = self._run
        match fault.name.split("-", 1):
            case ["dealer", name]:
                if run.dealer is not None:  # she has not come to the table yet: nobody errs
                    run.dealer.armed[name] += 1
            case ["press", _]:
                run.console.armed[fault.name] += 1
            case ["clock", _]:
                run.clock.step(rng.choice(CLOCK_STEPS_S))
            case ["broker", name]:
                return self._broker(name)
            case ["disk", name]:
                return self._disk(name, rng)
            case ["power", _]:
                return self._power(rng)
            case ["kill", "twice"]:
                run.kill()
                await asyncio.sleep(rng.uniform(0.0, RESTART_AGAIN_S))
                run.kill()
            case ["kill", _]:
                run.disk.fail_at(MOMENTS[fault.name])
            case ["kill"]:
                run.kill()
            case _:
                return self._process(fault.name, rng)
        return None

    def _process(self, name: str, rng: random.Random) -> Callable[[], object] | None:
        """The controller's process stands still, or ends and leaves a journal that is not what was durable."""
        run = self._run
        if name == "paused":
            run.pause()
            return run.resume
        run.kill()
        if name == "tail-cut":
            self._struck[name] += run.disk.lose_tail(rng.randint(1, 3))
        else:
            self._struck[name] += run.disk.flip()
        return None

    def _broker(self, name: str) -> Callable[[], object] | None:
        broker = self._run.broker
        match name:
            case "gone":
                broker.stop()
                return broker.start
            case "restart":
                broker.restart()
            case "cut":
                broker.cut("table")
            case "takeover":
                self.take_over()
            case _:
                usual_s, broker.latency_s = broker.latency_s, SLOW_BROKER_S
                return lambda: setattr(broker, "latency_s", min(usual_s, broker.latency_s))
        return None

    def take_over(self) -> None:
        """Somebody says on the table's own status that a controller of a larger epoch runs it: ours must fall silent and stop."""
        run = self._run
        run.watch.rivals += 1
        said = StatusPayload(seq=0, epoch=run.watch.epoch + 1, at=run.clock.wall(), status=TableStatus.LIVE)
        run.broker.inject(run.topics.status, said.model_dump_json().encode(), retain=True)

    def _disk(self, name: str, rng: random.Random) -> Callable[[], object]:
        disk = self._run.disk
        if name == "slow":
            disk.slow_s = rng.uniform(*SLOW_DISK_S)
            return lambda: setattr(disk, "slow_s", 0.0)
        field = "is_full" if name == "full" else "is_broken"
        setattr(disk, field, True)
        return lambda: setattr(disk, field, False)

    def _power(self, rng: random.Random) -> Callable[[], object] | None:
        """The table's current fails, and in half the cases the shoe's too (REG-05)."""
        self._run.kill()
        if rng.random() < 0.5:
            return None
        shoe = self._run.rehearsal.devices.shoe
        shoe.stop()
        return shoe.start
