"""Who answers on a line of FEIG readers, and how many tags lie there: asked once, without changing a setting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from drivers.clock import Clock
from drivers.feig.identity import DEVICE_ID_MODE
from drivers.feig.messages import AskInfo, AskVersion, Info, Inventory, Request, RfReset, Tags, Version
from drivers.feig.session import Answered, LineSession, LineSettings
from drivers.feig.wire import FeigWire
from drivers.link.base import Opener
from drivers.link.visit import visit


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
    async def answer(request: Request, *, probing: bool = False) -> object:
        end = await wire.exchange(opening, address, request, probing=probing)
        return end.answer if isinstance(end, Answered) else None

    version = await answer(AskVersion(), probing=True)
    if not isinstance(version, Version):
        return None
    info = await answer(AskInfo(DEVICE_ID_MODE))
    await answer(RfReset())
    tags = await answer(Inventory())
    return ReaderFound(
        address,
        version,
        info.data.hex().upper() if isinstance(info, Info) and info.data else None,
        tags.uids if isinstance(tags, Tags) else None,
    )
