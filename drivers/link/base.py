"""A byte link to a device: what opens it, what it is, and who hears from it.

All callbacks run on the event loop. A sink hears ``link_opened`` once, any number of ``data_received`` and ``link_lost`` exactly
once, also after ``close``; after that nothing more of this link.
"""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

from drivers.ports import DriverError

WRITE_BUFFER_BYTES: Final = 4096
"""Bytes a link keeps for a device that does not take them; one byte more is a ``LinkOverflow``."""

CLOSED: Final = "closed by the host"


class LinkOverflow(DriverError):  # noqa: N818 - a name of the published interface
    """The device does not take its bytes: the bounded write buffer is full and the new bytes were not taken."""


class PortBusy(DriverError):  # noqa: N818 - a name of the published interface
    """Another program holds the port: it is never shared, since each of two readers would get half of the bytes."""


class NoPort(DriverError):  # noqa: N818 - a name of the published interface
    """What stands under the name is no serial port: a file, a folder, or another kind of device."""


class Link(Protocol):
    """An open byte link."""

    def write(self, data: bytes) -> None:
        """Send ``data`` without blocking. ``LinkOverflow`` when the buffer cannot hold all of it (then none is taken).
        On a lost or closed link the bytes vanish: ``link_lost`` tells."""

    def pause_reading(self) -> None:
        """Deliver nothing until ``resume_reading``: the device's bytes wait in the system's buffers."""

    def resume_reading(self) -> None:
        """Go on delivering."""

    def close(self, reason: str = CLOSED) -> None:
        """Give the port back; the sink hears ``link_lost`` with ``reason`` once it is really closed."""


class LinkSink(Protocol):
    """Who hears from a link."""

    def link_opened(self, link: Link) -> None:
        """The link is open; called before ``Opener.open`` returns."""

    def data_received(self, data: bytes) -> None:
        """Any chunk of the stream: half a line, three lines."""

    def link_lost(self, reason: str) -> None:
        """The link is closed or gone; ``reason`` is a short clause for people."""


class Opener(Protocol):
    """Opens one port, as often as asked."""

    @property
    def name(self) -> str:
        """The port as configured, for log lines."""

    async def open(self, sink: LinkSink) -> Link:
        """Open the port and tell ``sink``. ``DriverError`` names port, cause and way out."""


@runtime_checkable
class Node(Protocol):
    """An opener whose port is a node of the file system, which goes and comes with the cable."""

    def seen(self) -> object:
        """What stands there now, to compare with what stood there before; None when nothing does. Never blocks on the device."""
