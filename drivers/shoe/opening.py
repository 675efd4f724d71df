"""The question that opens a session: a random token, and the pair of HELLO and HB that answers it (TSP/1 opening a session)."""

from __future__ import annotations

import random
from typing import Final

from drivers.ports import ShoeState
from drivers.shoe.messages import Cause, DeviceHello, Heartbeat

TOKENS: Final = 0x10000


class Opening:
    """One question and its answer. A copy kept in some buffer carries another token and counts for nothing."""

    def __init__(self, rng: random.Random) -> None:
        self.token = new_token(rng)
        self.hello: DeviceHello | None = None
        self.beat: Heartbeat | None = None

    @property
    def boot(self) -> int:
        """The start that answered, 0 while none did."""
        return self.beat.boot if self.beat is not None else 0

    def take(self, message: DeviceHello | Heartbeat) -> tuple[DeviceHello, Heartbeat] | None:
        """The pair that ``message`` completes: both with our token, both of one boot."""
        if message.re != self.token:
            return None
        if isinstance(message, DeviceHello):
            self.hello = message
        else:
            self.beat = message
        return self.pair()

    def pair(self) -> tuple[DeviceHello, Heartbeat] | None:
        """The pair, once it is in."""
        if self.hello is None or self.beat is None or self.hello.boot != self.beat.boot:
            return None
        return self.hello, self.beat

    def rolled_over(self, boot: int) -> Heartbeat | None:
        """The HB of a shoe that began a new numbering after ``boot`` at its sequence end; None for any other answer."""
        pair = self.pair()
        if pair is None or pair[0].cause is not Cause.SEQUENCE_END or pair[1].boot != boot + 1:
            return None
        return pair[1]


def new_token(rng: random.Random) -> int:
    """A token for STATUS; 0 stands for unasked."""
    return rng.randrange(1, TOKENS)


def state_of(hello: DeviceHello, beat: Heartbeat) -> ShoeState:
    """What a pair says of the shoe."""
    return ShoeState(
        serial=hello.serial,
        model=hello.model,
        boot=beat.boot,
        last_seq=max(hello.last_seq, beat.last_seq),
        acked=beat.acked,
        first_kept=beat.first,
        load=beat.load,
        draw_no=beat.draw_no,
        remaining=beat.remaining,
        gate=beat.gate,
        cause=hello.cause.value,
        errors=beat.errors,
    )
