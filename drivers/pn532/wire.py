"""A PN532's session on a real link."""

from __future__ import annotations

from drivers.clock import Clock
from drivers.link.exchange import ExchangeWire
from drivers.pn532.messages import Request
from drivers.pn532.session import Answered, ChipSession, Counters, GaveUp


class ChipWire(ExchangeWire[Answered | GaveUp]):
    """Sink of a link that carries a ``ChipSession``."""

    def __init__(self, session: ChipSession, clock: Clock) -> None:
        super().__init__(session, clock)
        self._chip = session

    @property
    def counters(self) -> Counters:
        """What the line went through."""
        return self._chip.counters

    async def exchange(self, opening: int, request: Request) -> Answered | GaveUp:
        """Ask and wait for the end of the exchange (``ChipSession.start``). ``LineLost`` when the port of ``opening`` is gone."""
        return await self.run(opening, lambda now: self._chip.start(request, now))
