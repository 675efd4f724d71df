"""The pair that opens a session: one token, one boot, both halves."""

from __future__ import annotations

import random
from dataclasses import replace

from drivers.shoe.messages import Cause, DeviceHello, Epoch, Heartbeat
from drivers.shoe.opening import Opening, new_token, state_of

HELLO = DeviceHello(5, 3, "SIMSHOE", "1.0.0", 1, 1, ("LK",), Cause.WATCHDOG, "S0012345", 0)
BEAT = Heartbeat(5, 4, "READY", (), 40, 12, 0x41, 12, "", 1, 2, Epoch(6, 1), 0, 0)


def test_only_both_halves_with_our_token_and_one_boot_are_a_pair() -> None:
    """Unasked halves and halves of two starts are none; a later half of the same start completes it."""
    opening = Opening(random.Random(1))
    token = opening.token
    assert opening.take(HELLO) is None
    assert opening.take(replace(BEAT, re=token)) is None
    assert opening.take(replace(HELLO, boot=6, re=token)) is None
    assert opening.take(replace(HELLO, re=token)) is not None
    assert opening.boot == 5


def test_a_token_is_never_the_one_for_unasked() -> None:
    """0000 says that nobody asked."""
    rng = random.Random(2)
    assert all(0 < new_token(rng) <= 0xFFFF for _ in range(2000))


def test_a_pair_says_what_the_shoe_is() -> None:
    """The later of both last events counts: one may have been sent between them."""
    state = state_of(HELLO, BEAT)
    assert (state.last_seq, state.acked, state.draw_no, state.remaining, state.gate, state.cause) == (4, 2, 12, 40, "", "W")
