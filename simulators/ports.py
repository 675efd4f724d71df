"""A serial device's end of a Linux pseudo-terminal, with what a terminal lacks: pace, a wire that forgets, a cable to pull.

Raw mode is set before the name is published, and the name is a symbolic link that is swapped atomically, as udev's by-id names.
After each close by the host one setting of the line is changed, or the kernel would refuse the next opening at even parity.
"""

from __future__ import annotations

import asyncio
import os
import select
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from simulators.device_port import DeviceSink, LineSpeed, PacedBytes

READ_BYTES: Final = 4096
INBOUND_BYTES: Final = 4096
"""Bytes of the host that wait for their pace; beyond them the terminal is not read, so the host feels back-pressure."""
POLL_S: Final = 0.02
"""Real seconds between two looks whether a host has opened the port."""

_OUTPUT_SPEED: Final = 5
"""Index of the output speed in termios attributes."""


class PseudoTerminal:
    """A ``DevicePort`` under ``path`` in the file system. ``replug`` publishes it for the first time too."""

    def __init__(self, path: Path, *, pace: LineSpeed | None = None, on_sent: Callable[[bytes], None] | None = None) -> None:
        """``on_sent`` is told of every piece as soon as its last byte is in the terminal: for those who measure."""
        self._path = path
        self._on_sent = on_sent
        char_s = pace.char_s if pace is not None else 0.0
        self._out = PacedBytes(char_s, self._to_host)
        self._in = PacedBytes(char_s, self._to_device)
        self._sink: DeviceSink | None = None
        self._master: int | None = None
        self._slave_name = ""
        self._is_host_there = False
        self._is_reading = False
        self._is_stalled = False
        self._poll_timer: asyncio.TimerHandle | None = None
        self.lost_bytes = 0

    @property
    def path(self) -> Path:
        """The published name."""
        return self._path

    @property
    def is_stalled(self) -> bool:
        """Whether the device takes no bytes at all."""
        return self._is_stalled

    @is_stalled.setter
    def is_stalled(self, value: bool) -> None:
        self._is_stalled = value
        self._set_reading()

    def attach(self, sink: DeviceSink) -> None:
        """Name the device."""
        self._sink = sink

    def replug(self) -> None:
        """Make a terminal in raw mode and publish it. Needs a running loop. Nothing when it is there already."""
        if self._master is not None:
            return
        master, slave = os.openpty()
        tty.setraw(slave)
        self._slave_name = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(master, False)
        self._master = master
        fresh = self._path.with_name(f".{self._path.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(self._slave_name)
        fresh.replace(self._path)
        self._poll()

    def unplug(self) -> None:
        """Take the name away and close the terminal: the host loses the port."""
        if self._master is None:
            return
        master = self._master
        self._path.unlink(missing_ok=True)
        self._leave()
        self._master = None
        os.close(master)

    def rename(self, path: Path) -> None:
        """Bear another name from the next ``replug`` on, as in another socket. ``RuntimeError`` while plugged in."""
        if self._master is not None:
            raise RuntimeError(f"{self._path} is plugged in: unplug it first")
        self._path = path

    def close(self) -> None:
        """As ``unplug``; bytes on their way are gone."""
        self.unplug()
        self._out.clear()

    def write(self, data: bytes) -> float:
        """Bytes of the device; lost unless a host has the port open when they leave."""
        return self._out.push(data)

    def _to_host(self, data: bytes) -> None:
        sent = 0
        if self._master is not None and self._is_host_there:
            with suppress(BlockingIOError):
                sent = os.write(self._master, data)
        self.lost_bytes += len(data) - sent
        if sent and self._on_sent is not None:
            self._on_sent(data[:sent])

    def _to_device(self, data: bytes) -> None:
        if self._sink is not None:
            self._sink.host_data(data)
        self._set_reading()

    def _poll(self) -> None:
        """Look for a host; and, while the terminal is not read, for its going."""
        self._poll_timer = None
        if self._master is None:
            return
        poller = select.poll()
        poller.register(self._master, select.POLLIN)
        is_there = not any(flags & select.POLLHUP for _, flags in poller.poll(0))
        if is_there and not self._is_host_there:
            self._is_host_there = True
            if self._sink is not None:
                self._sink.host_connected()
            self._set_reading()
        elif not is_there and self._is_host_there and self._is_stalled:
            self._host_closed()
        if not self._is_host_there or self._is_stalled:
            self._poll_again()

    def _poll_again(self) -> None:
        if self._poll_timer is None and self._master is not None:
            self._poll_timer = asyncio.get_running_loop().call_later(POLL_S, self._poll)

    def _set_reading(self) -> None:
        """Read while a host is there and the device keeps up."""
        wanted = self._is_host_there and not self._is_stalled and self._in.waiting_bytes < INBOUND_BYTES
        if self._master is None or wanted == self._is_reading:
            return
        self._is_reading = wanted
        loop = asyncio.get_running_loop()
        if wanted:
            loop.add_reader(self._master, self._readable)
        else:
            loop.remove_reader(self._master)
            self._poll_again()

    def _readable(self) -> None:
        if self._master is None:
            return
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # EIO: nobody has the other end open any more
            self._host_closed()
            return
        self._in.push(data)
        self._set_reading()

    def _host_closed(self) -> None:
        self._leave()
        self._forget()
        self._poll_again()

    def _leave(self) -> None:
        """Stop reading and tell the device that its host is gone."""
        was_there, self._is_host_there = self._is_host_there, False
        self._set_reading()
        self._in.clear()
        if self._poll_timer is not None:
            self._poll_timer.cancel()
            self._poll_timer = None
        if was_there and self._sink is not None:
            self._sink.host_gone()

    def _forget(self) -> None:
        """Drop what the last host left unread, and change a setting so that the next one may ask for parity again."""
        with suppress(OSError):
            slave = os.open(self._slave_name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                tty.setraw(slave)
                settings = termios.tcgetattr(slave)
                settings[_OUTPUT_SPEED] = termios.B50
                termios.tcsetattr(slave, termios.TCSANOW, settings)
                termios.tcflush(slave, termios.TCIOFLUSH)
            finally:
                os.close(slave)
