"""Who a certificate is for: a kind and a name, and the common name by which the broker knows its bearer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address
from typing import Final

MAX_SEATS: Final = 8
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_DISPLAY: Final = re.compile(rf"([A-Za-z0-9_-]{{1,32}})-(?:seat-([1-{MAX_SEATS}])|public)")
_HOST: Final = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)


class IdentityError(ValueError):
    """No identity; the message says which there are."""


class Kind(Enum):
    """What bears the certificate."""

    TABLE = "table"
    FLOOR = "floor"
    BROKER = "broker"
    DISPLAY = "display"
    BRIDGE = "bridge"
    AUDITOR = "auditor"


SERVES: Final = frozenset((Kind.TABLE, Kind.FLOOR, Kind.BROKER))
"""Kinds that others connect to, by a host name in the certificate."""
CONNECTS: Final = frozenset(Kind) - {Kind.BROKER}
"""Kinds that connect to a broker."""


@dataclass(frozen=True, slots=True)
class Identity:
    """``table T12``, ``display T12-seat-2`` or ``T12-public``, ``floor floor``, and so on."""

    kind: Kind
    name: str

    def __post_init__(self) -> None:
        if self.kind is Kind.DISPLAY:
            if not _DISPLAY.fullmatch(self.name):
                raise IdentityError(f"{self.name!r} is no display: name it TABLE-seat-N or TABLE-public, as T12-seat-2")
        elif not _NAME.fullmatch(self.name):
            raise IdentityError(f"{self.name!r} is no name: 1 to 32 letters, digits, _ and -")

    @property
    def common_name(self) -> str:
        """The name in the certificate, and the broker's user: ``table-T12``, ``display-T12-seat-2``; the floor is ``floor``."""
        is_alone = self.kind is Kind.FLOOR and self.name == self.kind.value
        return self.name if is_alone else f"{self.kind.value}-{self.name}"


def display_of(table: str, seat: int | None) -> Identity:
    """The display of ``seat`` (1-based) at ``table``, or its public one."""
    return Identity(Kind.DISPLAY, f"{table}-public" if seat is None else f"{table}-seat-{seat}")


def identity_of(common_name: str) -> Identity:
    """Whose common name that is. ``IdentityError``."""
    kind, _, name = common_name.partition("-")
    try:
        return Identity(Kind(kind), name or kind)
    except ValueError:
        raise IdentityError(f"{common_name!r} is no name of a certificate, as table-T12 or display-T12-seat-2") from None


def checked_host(text: str) -> str:
    """A host name or an IP address. ``IdentityError``."""
    try:
        return str(ip_address(text))
    except ValueError:
        if not _HOST.fullmatch(text):
            raise IdentityError(f"{text!r} is no host name and no address: write broker.room.example or 192.0.2.7") from None
    return text.lower()
