"""Badges and PINs as argon2id hashes (RFC 9106): what is stored tells neither.

A PIN has its own salt. Badges of one file share theirs, because a badge is asked *whose* it is: one computation answers, however
many people there are. Each takes about 30 ms and 19 MB on a table's machine, away from the event loop.
"""

from __future__ import annotations

import secrets
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import Type, hash_secret_raw

TIME_COST: Final = 2
MEMORY_KIB: Final = 19_456
LANES: Final = 1
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32

_HASHER: Final = PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=LANES)


def new_salt() -> bytes:
    """A salt for the badges of a new file."""
    return secrets.token_bytes(SALT_BYTES)


def hash_pin(pin: str) -> str:
    """The PIN's hash, with its salt and parameters in it."""
    return _HASHER.hash(pin)


def pin_is(hashed: str, pin: str) -> bool:
    """Whether ``pin`` is the one of ``hashed``. A hash that is none takes as long, so that nobody learns who has a PIN."""
    try:
        _HASHER.verify(hashed or _NOBODYS, pin)
    except (VerificationError, InvalidHashError):
        return False
    return bool(hashed)


def hash_badge(badge: str, salt: bytes) -> str:
    """The badge's hash in hexadecimal, under its file's salt."""
    raw = hash_secret_raw(
        badge.encode(),
        salt,
        time_cost=TIME_COST,
        memory_cost=MEMORY_KIB,
        parallelism=LANES,
        hash_len=HASH_BYTES,
        type=Type.ID,
    )
    return raw.hex()


_NOBODYS: Final = (
    f"$argon2id$v=19$m={MEMORY_KIB},t={TIME_COST},p={LANES}$c29tZS1zYWx0LW9mLTE2IQ$KSwN4RFbqJFQIJJ1nM2b3KzLBkbfXQkBOKWJkXvYKm4"
)
"""A hash of nothing that anybody would type, as dear as a real one."""
