"""One line's session on a real link."""

from __future__ import annotations

from drivers.clock import Clock
from drivers.feig.messages import Forward, Info, Refused, Request
from drivers.feig.session import Answered, Counters, GaveUp, LineSession
from drivers.link.exchange import ExchangeWire
from drivers.ports import DriverError


class FeigWire(ExchangeWire[Answered | GaveUp]):
    """Sink of a link that carries a ``LineSession``."""

    def __init__(self, session: LineSession, clock: Clock) -> None:
        super().__init__(session, clock)
        self._line = session

    @property
    def counters(self) -> Counters:
        """What the line went through."""
        return self._line.counters

    async def exchange(
        self, opening: int, address: int, request: Request, *, probing: bool = False, extra_s: float = 0.0
    ) -> Answered | GaveUp:
        """Ask and wait for the end of the exchange (``LineSession.start``). ``LineLost`` when the port of ``opening`` is gone."""
        return await self.run(opening, lambda now: self._line.start(address, request, now, probing=probing, extra_s=extra_s))


async def forward(wire: FeigWire, opening: int, address: int, request: Forward) -> bytes:
    """Send a foreign command through the reader at ``address``; the data of its answer. ``DriverError`` when it is refused or not
    answered, ``LineLost`` when the port of ``opening`` is gone."""
    match await wire.exchange(opening, address, request):
        case Answered(answer=Info(data)):
            return data
        case Answered(answer=Refused() as refused):
            raise DriverError(f"the reader at address {address} refuses command {request.control:02X}: {refused.meaning}")
        case GaveUp(reason=reason):
            raise DriverError(reason)
        case Answered(answer=answer):
            raise AssertionError(type(answer))
