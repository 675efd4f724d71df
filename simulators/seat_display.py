"""A seat's display as a microcontroller would be one: reads the compact payload, says what it shows, and can be told to lie.

It knows the payload from its guide alone and shares no code with the table. One connection serves the displays of several seats.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

ECHO_S: Final = 1.0
STALE_S: Final = 2.0
_LISTS: Final = ("pots", "bets", "won")


class _Message(Protocol):
    @property
    def topic(self) -> str: ...

    @property
    def payload(self) -> bytes: ...

    @property
    def retain(self) -> bool: ...


class _Link(Protocol):
    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None: ...


class SimulatedDisplay:
    """The display of one seat: ``shown`` is what stands on it, whatever was sent.

    ``lie`` draws something else over it, ``freeze`` keeps the picture while echoes go on, ``go_dark`` unplugs it, ``mend`` ends
    all three.
    """

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.sent: dict[str, Any] | None = None
        self._shown: dict[str, Any] | None = None
        self._lies: dict[str, Any] = {}
        self._frozen = False
        self.is_dark = False
        self._heard_at: float | None = None

    @property
    def shown(self) -> Mapping[str, Any] | None:
        """What a player reads; ``None`` before the first picture."""
        return None if self._shown is None else {**self._shown, **self._lies}

    def is_live(self, now: float) -> bool:
        """Whether it shows amounts: the table was heard within the last two seconds."""
        return self._heard_at is not None and now - self._heard_at <= STALE_S

    def lie(self, **fields: Any) -> None:
        """Show these in the place of what was sent."""
        self._lies.update(fields)

    def freeze(self) -> None:
        """Draw nothing any more, though the network goes on."""
        self._frozen = True

    def go_dark(self) -> None:
        """Say nothing any more."""
        self.is_dark = True

    def mend(self) -> None:
        """Be a good display again, with the newest picture."""
        self._lies.clear()
        self._frozen = self.is_dark = False
        self._shown = self.sent

    def hear(self, message: _Message, now: float) -> None:
        """A picture came; of an older controller or an older number it is dropped."""
        if not message.payload:
            self.sent = self._shown = None
            return
        try:
            picture = json.loads(message.payload)
        except ValueError:
            return
        before = self.sent
        if before is not None and (picture["epoch"], picture["seq"]) < (before["epoch"], before["seq"]):
            return
        self.sent = picture
        if not message.retain:
            self._heard_at = now
        if not self._frozen:
            self._shown = picture

    def echo(self, now: float) -> bytes | None:
        """What it says of itself; nothing while it shows no amounts."""
        shown = self.shown
        if shown is None or self.is_dark or not self.is_live(now):
            return None
        digest = f"{zlib.crc32(line_of(shown).encode('ascii')):08x}"
        said = {"seat": self.seat, "epoch": shown["epoch"], "seq": shown["seq"], "digest": digest, "display": "simulated"}
        return json.dumps(said).encode()


def line_of(picture: Mapping[str, Any]) -> str:
    """The line of what stands on a display."""
    parts = [str(picture[name]) for name in ("seat", "state", "hand", "street", "actor", "call", "stack", "win")]
    parts += [",".join(str(amount) for amount in picture[name]) for name in _LISTS]
    parts.append(",".join("".join(cards) for cards in picture["up"]))
    parts.append(picture["common"])
    parts.append(",".join(":".join(str(part) for part in option) for option in picture["options"]))
    return "|".join(parts)


class SimulatedDisplays:
    """Handler of a connection that serves the displays of ``seats``; ``root`` is the table's topic without the closing slash."""

    def __init__(self, root: str, seats: Iterable[int]) -> None:
        self._root = root
        self.displays = {seat: SimulatedDisplay(seat) for seat in seats}

    def subscriptions(self) -> Sequence[str]:
        """Each seat's own topic."""
        return [f"{self._root}/compact/{seat}" for seat in self.displays]

    def will(self) -> None:
        """A display leaves nothing behind."""

    def farewell(self) -> None:
        """A display leaves nothing behind."""

    async def run_session(self, link: _Link) -> None:
        """Each display's echo once a second."""
        loop = asyncio.get_running_loop()
        while True:
            for seat, display in self.displays.items():
                said = display.echo(loop.time())
                if said is not None:
                    await link.publish(f"{self._root}/echo/{seat}", said, retain=False, qos=0)
            await asyncio.sleep(ECHO_S)

    def on_message(self, message: _Message) -> None:
        """A picture of one of the seats."""
        display = self.displays.get(int(message.topic.rpartition("/")[2]))
        if display is not None:
            display.hear(message, asyncio.get_running_loop().time())
