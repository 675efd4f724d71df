"""A PN532 as the table sees it: one antenna with room for two cards, scanned again and again (PN532 §2.3)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final, assert_never

from drivers.clock import Clock
from drivers.factory import ReaderDriver, ReaderSetup
from drivers.link.base import Opener
from drivers.link.polled import NotReady, PolledReader, Scan
from drivers.link.serial import SerialSettings
from drivers.pn532.messages import (
    MAX_TARGETS,
    PN532_IC,
    Answer,
    AskFirmware,
    Done,
    Echo,
    Firmware,
    ListTargets,
    Refused,
    Release,
    Request,
    RfField,
    SamConfiguration,
    SetRetries,
    Targets,
)
from drivers.pn532.session import Answered, ChipSession, Counters, GaveUp, Patience
from drivers.pn532.wire import ChipWire
from drivers.ports import Deliver, LinkState

RETRIES: Final = 1
"""Passive activations beyond the first in a poll. The chip's own default is for ever: an empty antenna would never answer."""
NO_PN532: Final = "the chip does not say that it is a PN532: connect the reader that belongs here"
NO_BOUND: Final = "the chip takes no bound for its retries, so an empty antenna would block it: use another one"


class Pn532Reader(PolledReader[Answered | GaveUp]):
    """``ReaderPort`` for one chip.

    A card that stays selected misses every second poll, so each scan ends with the release of all cards and the field off.
    The chip lists two cards at most: a scan with two is not clean, since a third card may lie there unseen.
    """

    def __init__(
        self,
        *,
        name: str,
        opener: Opener,
        deliver: Deliver,
        clock: Clock,
        rng: random.Random,
        antenna: int = 1,
        baud: int = 115200,
        round_s: float = 0.1,
    ) -> None:
        """As ``PolledReader``."""
        self._wire = ChipWire(ChipSession(Patience(baud=baud)), clock)
        super().__init__(
            name=name, opener=opener, deliver=deliver, clock=clock, rng=rng, wire=self._wire, antenna=antenna, round_s=round_s
        )

    @property
    def counters(self) -> Counters:
        """What the line went through since the start."""
        return self._wire.counters

    def counted(self) -> Mapping[str, int]:
        """The same for the report."""
        return asdict(self.counters)

    async def prepare(self) -> str:
        """Wake the chip up, see that it is a PN532, and bound its patience."""
        if isinstance(await self._ask(SamConfiguration()), Refused):
            raise NotReady(LinkState.QUARANTINE, NO_PN532)
        firmware = await self._ask(AskFirmware())
        if not isinstance(firmware, Firmware) or firmware.ic != PN532_IC:
            raise NotReady(LinkState.QUARANTINE, NO_PN532)
        if isinstance(await self._ask(SetRetries(RETRIES)), Refused):
            raise NotReady(LinkState.QUARANTINE, NO_BOUND)
        return f"PN532, firmware {firmware.version}.{firmware.revision}"

    async def scan(self) -> Scan:
        """Search, then let go of the cards; the field comes on by itself with the next search."""
        answer = await self._ask(ListTargets())
        match answer:
            case Targets(targets):
                scan = Scan(tuple(target.uid for target in targets), clean=len(targets) < MAX_TARGETS)
            case Refused():
                scan = Scan((), clean=False, refusal=answer.meaning)
            case Done() | Echo() | Firmware():
                raise AssertionError(type(answer))
            case _:
                assert_never(answer)
        await self._ask(Release())
        await self._ask(RfField(on=False))
        return scan

    async def _ask(self, request: Request) -> Answer:
        end = await self._wire.exchange(self.opening, request)
        match end:
            case Answered(answer=answer):
                return answer
            case GaveUp(reason=reason, alive=alive):
                raise NotReady(LinkState.STALE if alive else LinkState.DOWN, reason)
            case _:
                assert_never(end)


def _make(setup: ReaderSetup) -> Pn532Reader:
    (wired,) = setup.antennas
    return Pn532Reader(
        name=setup.name,
        opener=setup.opener,
        deliver=setup.deliver,
        clock=setup.clock,
        rng=setup.rng,
        antenna=wired.address,
        baud=setup.baud,
        round_s=setup.round_s,
    )


DRIVER: Final = ReaderDriver(
    "NXP PN532 on its UART, ISO 14443-A, one antenna for two cards at most", _make, SerialSettings(115200), most_antennas=1
)
