"""Status bytes of the FEIG host protocol (FEIG §2.2)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Status(IntEnum):
    """First byte of an answer's payload."""

    OK = 0x00
    NO_TRANSPONDER = 0x01
    DATA_FALSE = 0x02
    WRITE_ERROR = 0x03
    ADDRESS_ERROR = 0x04
    WRONG_TYPE = 0x05
    AUTHENTICATION = 0x08
    COLLISION = 0x0B
    BUSY = 0x0F
    EEPROM = 0x10
    PARAMETER = 0x11
    LOGIN = 0x13
    READ_PROTECT = 0x15
    WRITE_PROTECT = 0x16
    ACTIVATION = 0x17
    UNKNOWN_COMMAND = 0x80
    LENGTH = 0x81
    NOT_AVAILABLE = 0x82
    RF_ERROR = 0x83
    RF_WARNING = 0x84
    NO_VALID_DATA = 0x92
    OVERFLOW = 0x93
    MORE_DATA = 0x94
    TAG_ERROR = 0x95
    HARDWARE = 0xF1
    INITIALISATION = 0xF2

    @property
    def meaning(self) -> str:
        """What the reader says with this status, as part of a sentence."""
        return _MEANING[self]


_MEANING: Final = {
    Status.OK: "all is well",
    Status.NO_TRANSPONDER: "no tag on the antenna",
    Status.DATA_FALSE: "the data of a tag had a false check",
    Status.WRITE_ERROR: "a tag was not written",
    Status.ADDRESS_ERROR: "no such address in the tag",
    Status.WRONG_TYPE: "the tag is of another type",
    Status.AUTHENTICATION: "the tag refused the authentication",
    Status.COLLISION: "tags answered at the same time",
    Status.BUSY: "the reader is busy",
    Status.EEPROM: "the reader's stored settings are damaged",
    Status.PARAMETER: "a parameter is out of range",
    Status.LOGIN: "the reader asks for a login",
    Status.READ_PROTECT: "the block may not be read",
    Status.WRITE_PROTECT: "the block may not be written",
    Status.ACTIVATION: "the firmware is not activated",
    Status.UNKNOWN_COMMAND: "the reader does not know the command",
    Status.LENGTH: "the request has a wrong length",
    Status.NOT_AVAILABLE: "the command is not available in the reader's present mode",
    Status.RF_ERROR: "the anti-collision was not finished",
    Status.RF_WARNING: "noise or a fault on the antenna",
    Status.NO_VALID_DATA: "the reader has no valid data",
    Status.OVERFLOW: "the reader's buffer overflowed",
    Status.MORE_DATA: "more tags than one answer holds",
    Status.TAG_ERROR: "a tag answered with an error",
    Status.HARDWARE: "the reader warns of its hardware",
    Status.INITIALISATION: "the reader warns of its start",
}


def meaning_of(code: int) -> str:
    """The meaning of a status byte, listed or not."""
    try:
        return Status(code).meaning
    except ValueError:
        return f"status {code:02X}, which no manual lists"
