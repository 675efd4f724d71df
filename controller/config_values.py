"""What ``table.toml`` is made of: the values that a key may have, and the sections that speak of felt, deck and auditors."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, StringConstraints, model_validator

from controller.journal.audit_shares import AuditKey, parse_auditors
from controller.tracking.life import LIFE_HANDS
from controller.tracking.presence import PresenceSettings

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
DeviceId = Annotated[str, StringConstraints(pattern=r"^([0-9A-Fa-f]{2}){1,16}$", to_upper=True)]
Baud = Annotated[StrictInt, Field(ge=1, le=4_000_000)]
"""Up to the fastest that a serial port can be set to."""
Scans = Annotated[StrictInt, Field(ge=1, le=1000)]
Seconds = Annotated[float, Field(gt=0, le=60)]
Settling = Annotated[float, Field(ge=0, le=60)]
"""A filter that waits longer than a minute is a slip of the pen: an alarm would never come."""
Chips = Annotated[StrictInt, Field(le=10**12)]


def _no_nul(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError(f"{str(path)!r} is no path: take the NUL character out")
    return path


FilePath = Annotated[Path, AfterValidator(_no_nul)]
Host = Annotated[str, StringConstraints(pattern=r"^[^\s\x00]+$")]
"""A name or an address. An empty one would be listened on at every address of the machine."""


LOOPBACK: Final = frozenset(("127.0.0.1", "::1", "localhost"))
"""Hosts that this machine alone reaches."""


class ConfigError(ValueError):
    """A configuration that cannot work. The message names file, key, value and the way out, one line a problem."""


class Section(BaseModel):
    """A table of the file: frozen, and no key that nobody knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AntennaSection(Section):
    """The presence filter of one antenna, where it is another than the table's (devices §6.4)."""

    appear_hits: Scans | None = None
    appear_window: Scans | None = None
    gone_misses: Scans | None = None
    gone_s: Seconds | None = None
    settle_s: Settling | None = None


class FeltSection(Section):
    """Presence filter; ``at`` for single antennas, by place.

    ``speed`` divides its times and those of simulated lines; 1 at a real table.
    """

    speed: Annotated[float, Field(gt=0, le=1000)] = 1.0
    appear_hits: Scans = 2
    appear_window: Scans = 3
    gone_misses: Scans = 8
    gone_s: Seconds = 0.8
    settle_s: Settling = 0.3
    round_s: Seconds = 0.1
    at: dict[str, AntennaSection] = {}

    @model_validator(mode="after")
    def _can_appear(self) -> FeltSection:
        own = {f"at {place}: ": self.own(place) for place in self.at}
        for where, one in {"": self.presence(), **own}.items():
            if one.appear_hits > one.appear_window:
                never = f"{one.appear_hits} hits never fit a window of {one.appear_window} scans"
                raise ValueError(f"{where}{never}: widen appear_window")
        return self

    def presence(self) -> PresenceSettings:
        """Settings of the presence filter (devices §6.4)."""
        return PresenceSettings(
            appear_hits=self.appear_hits,
            appear_window=self.appear_window,
            gone_misses=self.gone_misses,
            gone_s=self.gone_s,
            settle_s=self.settle_s,
            speed=self.speed,
        )

    def own(self, place: str) -> PresenceSettings:
        """Settings of the antenna at ``place``: its own where it has any, the table's else. ``KeyError`` without an entry."""
        return replace(self.presence(), **self.at[place].model_dump(exclude_none=True))


def _networks(given: tuple[str, ...]) -> tuple[str, ...]:
    for one in given:
        try:
            ip_network(one)
        except ValueError:
            raise ValueError(f"{one!r} is no address and no network: write 10.0.0.5 or 10.0.0.0/24") from None
    return given


class MetricsSection(Section):
    """Who may read ``/metrics`` beside this machine: addresses, and networks as ``10.0.0.0/24``."""

    allow: Annotated[tuple[str, ...], Field(max_length=64), AfterValidator(_networks)] = ()

    def networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The same for comparing."""
        return tuple(ip_network(one) for one in self.allow)


class LogSection(Section):
    """How the program writes of itself to standard error: for people, or one JSON object a line; from which level on."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class FloorSection(Section):
    """The venue's floor, whose orders the table takes when they are signed with the key to this public half."""

    public_key_file: FilePath


class DeckCareSection(Section):
    """What is asked of the deck before play. ``check``: ``recorded`` by two people with ``deck check``, or ``off``."""

    check: Literal["recorded", "off"] = "recorded"
    life_hands: Annotated[int, Field(ge=0)] = LIFE_HANDS


class DisplaysSection(Section):
    """The seats' displays. ``seats`` have one: where none is live an alarm says so (REG-11). ``None``: it is not told which."""

    seats: Annotated[tuple[Annotated[int, Field(ge=1, le=8)], ...], Field(max_length=8)] | None = None


class AuditSection(Section):
    """Public keys of the two auditors, as ``audit keygen`` prints them: together they open closed hands."""

    surveillance: str
    compliance: str

    @model_validator(mode="after")
    def _two_keys(self) -> AuditSection:
        self.keys()
        return self

    def keys(self) -> tuple[AuditKey, AuditKey]:
        """Both keys; ``ValueError`` names one that is none."""
        return parse_auditors(self.surveillance, self.compliance)


def read_toml(path: Path) -> dict[str, Any]:
    """What stands in the file; ``ConfigError`` when it cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML file: {error}") from None
