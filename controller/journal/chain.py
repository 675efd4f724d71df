"""The hash chain: each record's hash binds the one before, its number and its body.

``h = SHA-256(h_prev ‖ seq as 8 bytes, high first ‖ SHA-256(canonical body))``, 32 zero bytes before the first record. It proves
order and content without any key, but never the end: a cut tail looks whole, so a start asks witnesses outside the file.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
ZERO_HEAD: Final = bytes(HASH_BYTES)


def next_head(head: bytes, seq: int, body: bytes) -> bytes:
    """The chain's head after record ``seq`` with the canonical text ``body`` follows ``head``."""
    return sha256(head + seq.to_bytes(8, "big") + sha256(body).digest()).digest()
