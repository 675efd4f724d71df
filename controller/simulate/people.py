"""People who err on demand: a dealer whose next occasion is an error, and a console that is touched twice, late or wrongly."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.simulate.audit import Violation
from simulators.console import Answer, Command, LocalConsole, Snapshot
from simulators.erring import VOID_S, ErringDealer, Errors

SECOND_TOUCH_S: Final = 0.08
"""Between two touches of a finger that meant one (recovery §14, double fold)."""
STALE: Final = "0-3-1-0-0"
"""A decision of no hand."""
LATE_S: Final = (0.5, 4.0)
"""How long a press may be under way that comes late."""
WRONG: Final[tuple[Mapping[str, Any], ...]] = (
    {"type": "award_pots"},
    {"type": "start_hand"},
    {"type": "resume"},
    {"type": "table_hand", "seat": 1},
    {"type": "muck_hand", "seat": 2},
    {"type": "act", "seat": 1, "verb": "raise", "to": 1000},
    {"type": "act", "seat": 8, "verb": "fold", "to": 0},
    {"type": "add_chips", "seat": 8, "chips": 5},
)
"""Presses that nobody asked for; most are refused, and those that are legal then are as good as meant."""


class ArmedDealer(ErringDealer):
    """An erring dealer who errs when she is told to, on the next occasion for that error, and not by chance."""

    def __init__(self, *args: Any, chance: random.Random, **settings: Any) -> None:
        super().__init__(*args, errors=Errors(), chance=chance, **settings)
        self.armed: Counter[str] = Counter()
        self._counting: tuple[int, int] = (0, 0)
        self._counting_since = 0.0

    def laid(self, card: str, place: str) -> None:
        """She has drawn and laid a card without her screen."""
        self._drawn += 1
        self._due[card] = place

    async def _scramble(self, snapshot: Snapshot) -> float:
        """Load what the screen asks for; when the count does not come right for long, the floor voids the hand."""
        hand = snapshot["hand"]
        asked = (int(hand["number"]), int(hand["stub"]))
        if asked != self._counting:
            self._counting, self._counting_since = asked, self._now()
        if self._now() - self._counting_since > VOID_S:
            return await self._void(snapshot)
        return await super()._scramble(snapshot)

    def _errs(self, name: str) -> bool:
        if not self.armed[name]:
            return False
        self.armed[name] -= 1
        self.erred[name] += 1
        return True


class FumbledConsole(LocalConsole):
    """A console whose next press goes wrong in the ways of ``armed``. ``broken(violation)`` hears of answers that must not be."""

    def __init__(self, *args: Any, rng: random.Random, broken: Callable[[Violation], None], **settings: Any) -> None:
        super().__init__(*args, rng=rng, **settings)
        self._chance = random.Random(rng.getrandbits(64))
        self._keys = rng
        self._broken = broken
        self.armed: Counter[str] = Counter()
        self.fumbled: Counter[str] = Counter()
        """Which presses went wrong."""
        self.pressed: list[tuple[float, str, bool]] = []

    async def send(self, command: Command, *, decision: str | None, seq: int) -> Answer:
        """Send ``command`` until it is answered, perhaps not in the way that was meant."""
        name = next((name for name, count in self.armed.items() if count), "")
        if name:
            self.armed[name] -= 1
            self.fumbled[name] += 1
        match name:
            case "press-twice":
                return await self._twice(command, decision, seq)
            case "press-two-keys":
                return await self._two_keys(command, decision, seq)
            case "press-stale":
                await self._stale(command, seq)
            case "press-late":
                await asyncio.sleep(self._chance.uniform(*LATE_S))
            case "press-wrong":
                await self._press(self._chance.choice(WRONG), decision or STALE, seq)
            case _:
                pass
        return await self._press(command, decision, seq)

    async def _press(self, command: Command, decision: str | None, seq: int, key: str | None = None) -> Answer:
        body = {
            "key": key or f"{self._keys.getrandbits(128):032x}",
            "seq": seq,
            "decision": decision,
            "command": dict(command),
        }
        answer = await self._until_there(lambda: self._wire.submit(body))
        self.pressed.append((asyncio.get_running_loop().time(), _words(command), bool(answer["ok"])))
        return answer

    async def _twice(self, command: Command, decision: str | None, seq: int) -> Answer:
        """The same press arrives twice: one effect, one answer (invariant 16)."""
        key = f"{self._keys.getrandbits(128):032x}"
        first, second = await asyncio.gather(*(self._press(command, decision, seq, key) for _ in range(2)))
        if _said(first) != _said(second):
            self._broken(Violation(f"{_words(command)} under one key was answered {first} and {second}"))
        return first

    async def _two_keys(self, command: Command, decision: str | None, seq: int) -> Answer:
        """Two touches for one: the second answers a decision that has passed, and is refused."""
        answer = await self._press(command, decision, seq)
        await asyncio.sleep(SECOND_TOUCH_S)
        again = await self._press(command, decision, seq)
        if decision is not None and answer["ok"] and again["ok"]:
            self._broken(Violation(f"{_words(command)} answered the decision {decision} twice"))
        return answer

    async def _stale(self, command: Command, seq: int) -> None:
        """A console that still shows the last hand: refused."""
        answer = await self._press(command, STALE, seq)
        if command["type"] == "act" and answer["ok"]:
            self._broken(Violation(f"{_words(command)} was taken for a decision that has passed"))


def _said(answer: Answer) -> dict[str, Any]:
    """The answer without the picture of now that may come with it."""
    return {name: value for name, value in answer.items() if name != "picture"}


def _words(command: Command) -> str:
    rest = " ".join(str(value) for name, value in command.items() if name != "type" and value is not None)
    return f"{command['type']} {rest}".strip().replace("_", " ")
