"""A line with faults: it stands between a device and its port, in memory, on a pseudo-terminal or in front of a real device.

To the device it is a ``DevicePort``, to the port it is the device. Byte faults are chances (``to_host``, ``to_device``); stalls,
dead directions, a wrong baud rate, pulled cables and swapped devices are called.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

from simulators.byte_faults import ByteFaults, Cut, Mangler, chunks, other_baud
from simulators.device_port import DevicePort, DeviceSink

HELD_BYTES: Final = 20_480
"""Bytes that wait in one direction during a stall; what comes then is lost."""
STALE_BYTES: Final = 64
"""Newest bytes of the device that a port may deliver to the next host that opens it (devices §5.2)."""


class _Pipe:
    """One direction: mangles frames, keeps their order, and holds everything back during a stall."""

    def __init__(self, faults: ByteFaults, rng: random.Random, cut: Cut, emit: Callable[[bytes], float]) -> None:
        self.mangler = Mangler(faults, rng)
        self.is_dead = False
        self.is_garbled = False
        self.lost_bytes = 0
        self._cut = cut
        self._emit = emit
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._waiting_bytes = 0
        self._last_at = 0.0
        self._stalled_until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def push(self, data: bytes) -> float:
        """Pass ``data`` on; the seconds until its last byte has left."""
        if not (self._waiting or self.is_dead or self.is_garbled) and data and self.mangler.quiet:
            now = asyncio.get_running_loop().time()
            if self._last_at <= now and self._stalled_until <= now:  # nearly always
                return self._pass_on(data)
        if self.is_dead:
            self.lost_bytes += len(data)
            return 0.0
        if self.is_garbled:
            data = other_baud(data)
        now = asyncio.get_running_loop().time()
        took_s = 0.0
        for frame in self._cut(data):
            for wait_s, piece in self.mangler.pieces(frame):
                took_s = max(took_s, self._queue(now, wait_s, piece))
        return took_s

    def stall(self, seconds: float) -> None:
        """Hold back everything for ``seconds`` from now."""
        loop = asyncio.get_running_loop()
        self._stalled_until = max(self._stalled_until, loop.time() + seconds)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = loop.call_at(self._stalled_until, self._run)

    def clear(self) -> None:
        """Forget what is on its way."""
        self._waiting.clear()
        self._waiting_bytes = 0
        self.mangler.forget()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _queue(self, now: float, wait_s: float, piece: bytes) -> float:
        at = max(now, self._last_at, self._stalled_until) + wait_s
        if at <= now and not self._waiting:
            return self._emit(piece)
        if self._waiting_bytes + len(piece) > HELD_BYTES:
            self.lost_bytes += len(piece)
            return 0.0
        self._last_at = at
        self._waiting.append((at, piece))
        self._waiting_bytes += len(piece)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(at, self._run)
        return at - now

    def _pass_on(self, data: bytes) -> float:
        took_s = 0.0
        for frame in self._cut(data):
            took_s = max(took_s, self._emit(frame))
        return took_s

    def _run(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        while self._waiting and max(self._waiting[0][0], self._stalled_until) <= loop.time() + 1e-6:
            _, piece = self._waiting.popleft()
            self._waiting_bytes -= len(piece)
            self._emit(piece)
        if self._waiting and self._timer is None:
            self._timer = loop.call_at(max(self._waiting[0][0], self._stalled_until), self._run)


class FaultyPort:
    """``port`` with faults. ``cut`` finds the frames of a chunk, for those faults that concern whole frames."""

    def __init__(self, port: DevicePort, *, rng: random.Random, cut: Cut = chunks) -> None:
        self._port = port
        self._sink: DeviceSink | None = None
        self._crossed: FaultyPort | None = None
        self._to_host = _Pipe(ByteFaults(), random.Random(rng.getrandbits(64)), cut, self._emit_to_host)
        self._to_device = _Pipe(ByteFaults(), random.Random(rng.getrandbits(64)), cut, self._emit_to_device)
        self._newest = b""
        self.is_stale_on_open = False
        """The next host that opens the port gets the device's last bytes of before."""
        self.is_plugged = True
        port.attach(self)

    @property
    def to_host(self) -> ByteFaults:
        """Faults from the device to the host."""
        return self._to_host.mangler.faults

    @property
    def to_device(self) -> ByteFaults:
        """Faults from the host to the device."""
        return self._to_device.mangler.faults

    @property
    def done(self) -> Counter[str]:
        """How often which byte fault happened, both directions together."""
        return self._to_host.mangler.done + self._to_device.mangler.done

    @property
    def lost_bytes(self) -> int:
        """Bytes that vanished in a dead direction or a full buffer."""
        return self._to_host.lost_bytes + self._to_device.lost_bytes

    @property
    def is_crossed(self) -> bool:
        """Another device's cable is in this socket."""
        return self._crossed is not None

    # Faults that are called

    def stall(self, seconds: float) -> None:
        """Nothing passes for ``seconds``; then everything does."""
        self._to_host.stall(seconds)
        self._to_device.stall(seconds)

    def deafen(self, *, host: bool = False, device: bool = False) -> None:
        """Half-open: the bytes to the host, or to the device, vanish until the line is healed."""
        self._to_host.is_dead, self._to_device.is_dead = host, device

    def set_wrong_baud(self) -> None:
        """Both ends read garbage until the line is healed."""
        self._to_host.is_garbled = self._to_device.is_garbled = True

    def heal(self) -> None:
        """A good line again; what is held back still comes. A pulled cable stays pulled, swapped devices stay swapped."""
        for pipe in (self._to_host, self._to_device):
            pipe.mangler.faults.clear()
            pipe.is_dead = pipe.is_garbled = False
        self.is_stale_on_open = False

    def cross(self, other: FaultyPort) -> None:
        """The cables of the two devices are in each other's socket. Again, and each is in its own. ``ValueError`` where one of
        them is in a third one's."""
        if {self._crossed, other._crossed} - {None, self, other}:
            raise ValueError("a cable is in one socket: put it back before it goes into a third")
        pulled = [port for port in (self, other) if port.is_plugged]
        for port in pulled:
            port.unplug()
        is_crossed = self._crossed is other
        self._crossed, other._crossed = (None, None) if is_crossed else (other, self)
        for port in pulled:
            port.replug()

    # A port to the device

    def attach(self, sink: DeviceSink) -> None:
        """Name the device."""
        self._sink = sink

    def write(self, data: bytes) -> float:
        """Bytes of the device."""
        return (self._crossed or self).send(data)

    def send(self, data: bytes) -> float:
        """Bytes to the host of this port, from whichever device is at its cable."""
        self._newest = (self._newest + data)[-STALE_BYTES:]
        return self._to_host.push(data)

    def unplug(self) -> None:
        """Pull the cable: what is on its way is gone."""
        self.is_plugged = False
        self._to_host.clear()
        self._to_device.clear()
        self._port.unplug()

    def replug(self) -> None:
        """Plug it in again."""
        self.is_plugged = True
        self._port.replug()

    def close(self) -> None:
        """Remove the port for good."""
        self._to_host.clear()
        self._to_device.clear()
        self._port.close()

    # A device to the port

    def host_connected(self) -> None:
        """A host opened the port."""
        if self.is_stale_on_open and self._newest:
            self._port.write(self._newest)
        if (sink := self._device) is not None:
            sink.host_connected()

    def host_data(self, data: bytes) -> None:
        """Bytes of the host."""
        self._to_device.push(data)

    def host_gone(self) -> None:
        """The host closed the port."""
        self._to_host.clear()
        self._to_device.clear()
        if (sink := self._device) is not None:
            sink.host_gone()

    @property
    def device(self) -> DeviceSink | None:
        """The device that was attached here, wherever its cable is."""
        return self._sink

    @property
    def _device(self) -> DeviceSink | None:
        return (self._crossed or self).device

    def _emit_to_host(self, data: bytes) -> float:
        return self._port.write(data)

    def _emit_to_device(self, data: bytes) -> float:
        if (sink := self._device) is not None:
            sink.host_data(data)
        return 0.0
