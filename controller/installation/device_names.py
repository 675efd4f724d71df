"""udev rules that name serial ports by the place where they are plugged in, and give each to the group of its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.config import ConfigError
from controller.installation.service import may_be_given, whole

_DEV: Final = "/dev/"
_BY_PATH: Final = "/dev/serial/by-path/"
_BY_ID: Final = "/dev/serial/by-id/"
_OWN: Final = "/dev/stud-table/"
_PLACE: Final = re.compile(r"[A-Za-z0-9:.,_+@=-]+")
"""What a place may consist of: udev takes other characters for patterns."""
_SERIAL: Final = "serial:"

HEAD: Final = """\
# Names of serial ports by place. Made by stud-table install. After a change: udevadm control --reload && udevadm trigger -s tty
# What a port's place is called, udevadm info -q property -n /dev/ttyUSB0 | grep ID_PATH= tells.

# FTDI adapters hand over what they read after 1 ms, not after 16.
ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"

"""


@dataclass(frozen=True, slots=True)
class NamedPort:
    """A device of a table and the port that the configuration gives it."""

    table: str
    group: str
    device: str
    port: str

    @property
    def name(self) -> str:
        """What the port is called in a rule, as ``T1/shoe``."""
        return f"{self.table}/{self.device}"


def rules(ports: tuple[NamedPort, ...], places: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The rules file, and what is still to be told: ports whose place nobody named. ``places``: name → ``ID_PATH``, the path that
    udev made of it, or ``serial:`` and the adapter's serial number. ``ConfigError`` for a place that is none."""
    unknown = sorted(places.keys() - {port.name for port in ports})
    if unknown:
        known = ", ".join(port.name for port in ports) or "none"
        raise ConfigError(f"--place {unknown[0]}: there is no such device; there are: {known}")
    lines, missing = [HEAD], []
    for port in ports:
        match = _match(port, places)
        if match is not None:
            lines.append(f"{match}, {', '.join(_assigned(port))}\n")
        elif port.port.startswith(_OWN):
            missing.append(f"{port.port}: say where it is plugged in: --place {port.name}=ID_PATH")
    return "".join(lines), tuple(missing)


def _match(port: NamedPort, places: Mapping[str, str]) -> str | None:
    place = places.get(port.name, port.port if port.port.startswith((_BY_PATH, _BY_ID)) else "")
    if not place:
        return None
    for begin, key in ((f"{_DEV}serial/", "SYMLINK"), (_SERIAL, "ENV{ID_SERIAL_SHORT}"), ("", "ENV{ID_PATH}")):
        if place.startswith(begin):
            value = place.removeprefix(_DEV if key == "SYMLINK" else begin)
            if _PLACE.fullmatch(value.replace("/", "") if key == "SYMLINK" else value) is None:
                break
            return f'SUBSYSTEM=="tty", {key}=="{value}"'
    raise ConfigError(f"--place {port.name}: {place!r} is no place: write what ID_PATH says, or serial: and a serial number")


def _assigned(port: NamedPort) -> Iterator[str]:
    """Name, rights, and no modem manager or braille display that would talk to the device."""
    yield f'SYMLINK+="stud-table/{port.name}"'
    yield f'GROUP="{port.group}"'
    yield 'MODE="0660"'
    yield 'ENV{ID_MM_DEVICE_IGNORE}="1"'
    yield 'ENV{BRLTTY_BRAILLE_DRIVER}=""'


def folder_of_simulated(port: str) -> Path | None:
    """Where a simulated device must publish ``port``; ``None`` for one of the system's own names or folders, or of another
    machine."""
    if not Path(port).is_absolute() or port.startswith((_BY_PATH, _BY_ID)):
        return None
    folder = whole(Path(port)).parent
    passing = folder.parts[1:2] in (("run",), ("tmp",)) and len(folder.parts) > len(("/", "run"))
    return folder if passing or folder.is_relative_to(_OWN) or may_be_given(folder) else None
