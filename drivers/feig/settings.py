"""The two configuration blocks of a FEIG reader that matter at a table (manual H60301-3e, CFG1 and CFG5)."""

from __future__ import annotations

from typing import Final

CFG_INTERFACE: Final = 1
"""Block with TR-RESPONSE-TIME in bytes 6 and 7, in steps of 100 ms."""
CFG_ANTICOLLISION: Final = 5
"""Block with ONT in bit 0 of byte 11."""

_RESPONSE_TIME: Final = slice(6, 8)
_ONT_BYTE: Final = 11


def lists_only_new(record: bytes) -> bool:
    """ONT of CFG5: the reader lists a tag only once, so that 'absent' and 'already told' look the same."""
    return bool(record[_ONT_BYTE] & 1)


def with_all_listed(record: bytes) -> bytes:
    """CFG5 with ONT = 0: every inventory lists every tag."""
    return record[:_ONT_BYTE] + bytes((record[_ONT_BYTE] & ~1,)) + record[_ONT_BYTE + 1 :]


def response_ms(record: bytes) -> int:
    """TR-RESPONSE-TIME of CFG1 in milliseconds."""
    return int.from_bytes(record[_RESPONSE_TIME], "big") * 100


def with_response_ms(record: bytes, response_time_ms: int) -> bytes:
    """CFG1 with TR-RESPONSE-TIME ``response_time_ms``, in whole steps of 100 ms, at least one."""
    steps = max(1, response_time_ms // 100)
    return record[: _RESPONSE_TIME.start] + steps.to_bytes(2, "big") + record[_RESPONSE_TIME.stop :]
