"""Serial ports and ``socket://`` lines on asyncio.

pyserial opens the port and sets it; bytes go over its descriptor with ``add_reader`` and ``add_writer``, so a device that does
not read can never stall the loop (pyserial's own ``write`` with a zero time-out spins on a full buffer).
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import socket
import termios
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

import serial

from drivers.link.base import CLOSED, WRITE_BUFFER_BYTES, Link, LinkOverflow, LinkSink, NoPort, Opener, PortBusy
from drivers.ports import DriverError

READ_BYTES: Final = 4096
CONNECT_TIMEOUT_S: Final = 5.0
SOCKET_PREFIX: Final = "socket://"
PSEUDO_TERMINALS: Final = "/dev/pts"
_LOCKS: Final = Path("/proc/locks")


class Parity(Enum):
    """Parity bit of a serial line."""

    NONE = "N"
    EVEN = "E"
    ODD = "O"


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """Settings of a serial line with 8 data bits and one stop bit. DTR and RTS are set explicitly: a pulse resets some readers.

    On a pseudo-terminal ``parity`` is not used: it carries none and refuses to be opened with it twice.
    """

    baud: int = 9600
    parity: Parity = Parity.NONE
    has_dtr: bool = True
    has_rts: bool = True

    def __str__(self) -> str:
        """As engineers write it: 38400 8E1."""
        return f"{self.baud} 8{self.parity.value}1"


def opener_for(url: str, settings: SerialSettings) -> Opener:
    """The opener of ``socket://host:port`` or of a serial device's path. ``DriverError`` for an address that is neither."""
    if not url or "\0" in url:
        raise DriverError(f"{url!r} is no port: write a device's path, as /dev/serial/by-path/…, or socket://host:port")
    if not url.startswith(SOCKET_PREFIX):
        return SerialOpener(url, settings)
    host, colon, port = url.removeprefix(SOCKET_PREFIX).rpartition(":")
    if not (host and colon and port.isdigit() and 0 < int(port) < 65536):
        raise DriverError(f"{url} is no address: write socket://host:port")
    return SocketOpener(host, int(port))


def one_spelling(url: str) -> str:
    """``url`` as everybody who means that port would write it: no ``..``, no doubled slash, a host in small letters.

    Links are left: where they lead is a question of the moment, and a port that is held is refused when it is opened.
    """
    if not url.startswith(SOCKET_PREFIX):
        return "/" + os.path.abspath(url).lstrip("/")  # noqa: PTH100 - ``resolve`` would follow links
    host, _, port = url.removeprefix(SOCKET_PREFIX).rpartition(":")
    return f"{SOCKET_PREFIX}{host.lower()}:{int(port)}"


class SerialOpener:
    """Opens a serial device, exclusively, in a thread, since that can block."""

    def __init__(self, path: str, settings: SerialSettings) -> None:
        self._path = path
        self._settings = settings

    @property
    def name(self) -> str:
        """The device's path."""
        return self._path

    def seen(self) -> object:
        """The node behind the name: another adapter, the same one plugged in again and new rights all look different."""
        try:
            node = Path(self._path).stat()
        except OSError:
            return None
        return node.st_dev, node.st_ino, node.st_rdev, node.st_ctime_ns

    async def open(self, sink: LinkSink) -> Link:
        """Open and set the port. ``PortBusy`` when another program holds it, ``NoPort`` when it is none, ``DriverError`` when
        it is not there or refuses."""
        loop = asyncio.get_running_loop()
        opening = loop.run_in_executor(None, _open_port, self._path, self._settings)
        try:
            port = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_opened)
            raise
        except (OSError, ValueError, OverflowError, termios.error) as error:
            raise _refusal(self._path, error) from error
        return _SerialLink(port, self._path, sink)


def _open_port(path: str, settings: SerialSettings) -> serial.Serial:
    """The port, opened and claimed: locked (flock) against programs that ask, and in exclusive mode against those that do not.

    A pseudo-terminal is only locked: it would stay exclusive after a host that was killed, as long as its device lives.
    """
    is_pseudo = Path(path).resolve().is_relative_to(PSEUDO_TERMINALS)
    if is_pseudo:
        settings = replace(settings, parity=Parity.NONE)
    port = serial.Serial(baudrate=settings.baud, parity=settings.parity.value, timeout=0, write_timeout=0, exclusive=True)
    port.port = path
    port.dtr = settings.has_dtr
    port.rts = settings.has_rts
    port.open()
    if not is_pseudo:
        try:
            claim(port.fileno())
        except OSError:
            port.close()
            raise
        hurry(port)
    return port


def hurry(port: serial.Serial) -> None:
    """Low-latency mode, where driver and system have one: some adapters hold the last bytes of an answer back for 16 ms else."""
    with suppress(ValueError, NotImplementedError):
        port.set_low_latency_mode(True)


def claim(fd: int) -> None:
    """Exclusive mode (TIOCEXCL): until the port is closed nobody but root can open it. ``OSError`` when it is no terminal."""
    fcntl.ioctl(fd, termios.TIOCEXCL)


def _refusal(path: str, error: Exception) -> DriverError:
    """Why a port cannot be opened, as one sentence with the way out."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and isinstance(
        error.__context__, termios.error
    ):  # pyserial keeps the number of a failed setting there alone
        number = error.__context__.args[0]
    match number:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return DriverError(f"{path} is not there: plug the device in, or correct the port (ls -l /dev/serial/by-path)")
        case errno.EACCES | errno.EPERM:
            return DriverError(f"{path} may not be opened by this user: add it to the group that owns the port (often dialout)")
        case errno.EBUSY | errno.EAGAIN:
            return PortBusy(f"{path} is in use by {_holder(path)}: a port is never shared, stop the other program")
        case errno.EISDIR | errno.ENOTTY:
            return NoPort(f"{path} is no serial port: name a device as ls -l /dev/serial/by-path shows it, or socket://host:port")
        case _:
            return DriverError(f"cannot open {path}: {error}; check cable, rights and other users of the port")


def _holder(path: str) -> str:
    """Who holds the lock on ``path``, as far as the kernel tells."""
    with suppress(OSError, ValueError, IndexError):
        node = Path(path).stat()
        key = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
        for line in _LOCKS.read_text().splitlines():
            fields = line.split()
            if key in fields:
                pid = int(fields[fields.index(key) - 1])
                return f"{Path(f'/proc/{pid}/comm').read_text().strip()} (process {pid})"
    return "another program"


def _close_opened(opening: asyncio.Future[serial.Serial]) -> None:
    """A port that opened after nobody wanted it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


class _SerialLink:
    """Bytes over an open port's descriptor."""

    def __init__(self, port: serial.Serial, name: str, sink: LinkSink) -> None:
        self._port = port
        self._fd = port.fileno()
        self._name = name
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._out = bytearray()
        self._is_lost = False
        self._is_reading = False
        sink.link_opened(self)
        self.resume_reading()

    def write(self, data: bytes) -> None:
        if self._is_lost:
            return
        if len(self._out) + len(data) > WRITE_BUFFER_BYTES:
            raise LinkOverflow(f"{self._name} takes no bytes: {len(self._out)} wait already; reconnect the device")
        was_empty = not self._out
        self._out += data
        if was_empty:
            self._flush()
            if self._out and not self._is_lost:
                self._loop.add_writer(self._fd, self._flush)

    def _flush(self) -> None:
        try:
            sent = os.write(self._fd, self._out)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(f"writing failed: {error.strerror}")
            return
        del self._out[:sent]
        if not self._out:
            self._loop.remove_writer(self._fd)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(f"reading failed: {error.strerror}")
            return
        if data:
            self._sink.data_received(data)
        else:
            self._lose("the device is gone")

    def pause_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._fd)

    def resume_reading(self) -> None:
        if not self._is_reading and not self._is_lost:
            self._is_reading = True
            self._loop.add_reader(self._fd, self._readable)

    def close(self, reason: str = CLOSED) -> None:
        self._lose(reason)

    def _lose(self, reason: str) -> None:
        """Once: leave the loop, close in a thread (a device that holds its bytes back can block that), then tell."""
        if self._is_lost:
            return
        self._is_lost = True
        self.pause_reading()
        self._loop.remove_writer(self._fd)
        self._out.clear()
        closing = self._loop.run_in_executor(None, _close_port, self._port)
        closing.add_done_callback(lambda _: self._sink.link_lost(reason))


def _close_port(port: serial.Serial) -> None:
    """Close it whatever state it is in: a device that was pulled out answers to nothing."""
    gone = (OSError, serial.SerialException, termios.error)
    with suppress(*gone):
        port.reset_output_buffer()
    with suppress(*gone):
        port.close()


class SocketOpener:
    """Opens a TCP line, as of a network serial server. That it connects does not mean that the device lives."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    @property
    def name(self) -> str:
        """The address."""
        return f"{SOCKET_PREFIX}{self._host}:{self._port}"

    async def open(self, sink: LinkSink) -> Link:
        """Connect. ``DriverError`` when nobody answers within ``CONNECT_TIMEOUT_S``."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                _, link = await loop.create_connection(lambda: _SocketLink(self.name, sink), self._host, self._port)
        except OSError as error:  # TimeoutError is one
            raise DriverError(f"cannot reach {self.name}: {str(error) or 'no answer'}; check address and network") from error
        return link


class _SocketLink(asyncio.Protocol):
    """A TCP connection as a link."""

    def __init__(self, name: str, sink: LinkSink) -> None:
        self._name = name
        self._sink = sink
        self._transport: asyncio.Transport | None = None
        self._reason = "closed by the other side"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError("a TCP connection gives a two-way transport")
        self._transport = transport
        channel = transport.get_extra_info("socket")
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5)
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2)
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
        self._sink.link_opened(self)

    def data_received(self, data: bytes) -> None:
        self._sink.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._sink.link_lost(f"{exc}" if exc is not None else self._reason)

    def write(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        waiting = self._transport.get_write_buffer_size()
        if waiting + len(data) > WRITE_BUFFER_BYTES:
            raise LinkOverflow(f"{self._name} takes no bytes: {waiting} wait already; reconnect the device")
        self._transport.write(data)

    def pause_reading(self) -> None:
        if self._transport is not None and self._transport.is_reading():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is not None and not self._transport.is_reading() and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self, reason: str = CLOSED) -> None:
        if self._transport is not None:
            self._reason = reason
            self._transport.abort()
