"""Who answers on a line of FEIG readers, at which speed, and how many tags lie there: asked once, without changing a setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from drivers.clock import Clock
from drivers.feig.frames import ANY_ADDRESS
from drivers.feig.identity import DEVICE_ID_MODE
from drivers.feig.messages import AskInfo, AskVersion, Info, Inventory, Ping, Request, RfReset, Tags, Version
from drivers.feig.session import PATIENCE_PER_TAG_S, Answered, LineSession, LineSettings
from drivers.feig.wire import FeigWire
from drivers.link.base import Opener
from drivers.link.serial import Parity, SerialSettings
from drivers.link.visit import visit
from drivers.ports import DriverError

DELIVERED: Final = SerialSettings(38400, Parity.EVEN)
"""How readers are set when they are delivered (FEIG §2.2)."""
LINES: Final = (
    DELIVERED,
    *(
        line
        for baud in (38400, 115200, 57600, 19200, 9600, 4800)
        for parity in (Parity.EVEN, Parity.NONE, Parity.ODD)
        if (line := SerialSettings(baud, parity)) != DELIVERED
    ),
)
"""All that CFG1 can set, the likeliest first."""
DECK_TAGS: Final = 52
"""A whole deck may lie on one antenna."""
PING_S: Final = 0.05
"""Wait for the answer to a ping: a reader takes 5 to 12 ms, an adapter may hold bytes back for 16 ms."""
PING_BYTES: Final = 8


class Heard(Enum):
    """What came back when a line was pinged."""

    READER = "reader"
    NOISE = "noise"
    """Bytes that are no answer: readers that answer all at once, or no reader."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ReaderFound:
    """A reader that answered. ``device_id`` is upper-case hex, None when it does not tell one; ``tags`` None: no inventory."""

    address: int
    version: Version
    device_id: str | None
    tags: tuple[str, ...] | None = field(repr=False)


async def ask_readers(
    opener: Opener, addresses: Iterable[int], clock: Clock, settings: LineSettings
) -> dict[int, ReaderFound | None]:
    """What answers at each address; None for nobody. ``DriverError`` when the port cannot be opened or is lost."""
    wire = FeigWire(LineSession(settings), clock)
    found: dict[int, ReaderFound | None] = {}
    async with visit(opener, wire):
        opening = await wire.wait_open()
        for address in addresses:
            found[address] = await _ask(wire, opening, address)
    return found


async def _ask(wire: FeigWire, opening: int, address: int) -> ReaderFound | None:
    async def answer(request: Request, *, probing: bool = False, extra_s: float = 0.0) -> object:
        end = await wire.exchange(opening, address, request, probing=probing, extra_s=extra_s)
        return end.answer if isinstance(end, Answered) else None

    version = await answer(AskVersion(), probing=True)
    if not isinstance(version, Version):
        return None
    info = await answer(AskInfo(DEVICE_ID_MODE))
    await answer(RfReset())
    tags = await answer(Inventory(), extra_s=DECK_TAGS * PATIENCE_PER_TAG_S)
    return ReaderFound(
        address,
        version,
        info.data.hex().upper() if isinstance(info, Info) and info.data else None,
        tags.uids if isinstance(tags, Tags) else None,
    )


def line_settings(line: SerialSettings) -> LineSettings:
    """The session's view of a line that is set so."""
    return LineSettings(baud=line.baud, bits_per_byte=10 if line.parity is Parity.NONE else 11)


async def listen(opener: Opener, clock: Clock, line: SerialSettings, address: int = ANY_ADDRESS) -> Heard:
    """Who answers a ping on a line that ``opener`` sets as ``line``. ``DriverError`` when it cannot be opened or is lost."""
    wire = _pinger(line, clock)
    async with visit(opener, wire):
        end = await wire.exchange(await wire.wait_open(), address, Ping(), probing=True)
    if isinstance(end, Answered):
        return Heard.READER
    return Heard.NOISE if wire.meter.bytes_in else Heard.NOTHING


async def answering(
    opener: Opener, addresses: Iterable[int], clock: Clock, line: SerialSettings, tell: Callable[[int], object] = int
) -> tuple[int, ...]:
    """The addresses at which a reader answers a ping; ``tell`` is given each before it is asked. A silent one costs 60 ms."""
    wire = _pinger(line, clock)
    found: list[int] = []
    async with visit(opener, wire):
        opening = await wire.wait_open()
        for address in addresses:
            tell(address)
            if isinstance(await wire.exchange(opening, address, Ping(), probing=True), Answered):
                found.append(address)
    return tuple(found)


async def find_line(
    opener_at: Callable[[SerialSettings], Opener], clock: Clock, address: int = ANY_ADDRESS, *, without: SerialSettings
) -> SerialSettings | None:
    """How a line is set at which a reader answers at ``address``, first as delivered; ``without`` is known to be silent.

    It opens the port for each of ``LINES``, about two seconds in all. None when none answers.
    """
    for line in LINES:
        if (line.baud, line.parity) == (without.baud, without.parity):
            continue
        with suppress(DriverError):  # an adapter that cannot be set so
            if await listen(opener_at(line), clock, line, address) is Heard.READER:
                return line
    return None


def _pinger(line: SerialSettings, clock: Clock) -> FeigWire:
    return FeigWire(LineSession(replace(line_settings(line), probe_s=PING_S, longest_answer=PING_BYTES)), clock)
