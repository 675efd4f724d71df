"""Serial ports and TCP lines on a real event loop: loss is told once, a full buffer is an error, nothing blocks the loop."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Callable
from pathlib import Path

import pytest
import serial

from drivers.link.base import WRITE_BUFFER_BYTES, Link, LinkOverflow, NoPort
from drivers.link.serial import Parity, SerialOpener, SerialSettings, SocketOpener, hurry, opener_for
from drivers.ports import DriverError
from simulators.device_port import LineSpeed
from simulators.ports import PseudoTerminal


class Notes:
    """A sink that writes down what it hears."""

    def __init__(self) -> None:
        self.data = b""
        self.opened = 0
        self.lost: list[str] = []

    def link_opened(self, link: Link) -> None:
        self.opened += 1

    def data_received(self, data: bytes) -> None:
        self.data += data

    def link_lost(self, reason: str) -> None:
        self.lost.append(reason)


class Device:
    """A device that answers each chunk with it in capitals."""

    def __init__(self, port: PseudoTerminal) -> None:
        self.port = port
        self.heard = b""
        self.hosts = 0
        port.attach(self)

    def host_connected(self) -> None:
        self.hosts += 1

    def host_data(self, data: bytes) -> None:
        self.heard += data
        self.port.write(data.upper())

    def host_gone(self) -> None:
        self.hosts -= 1


async def until(condition: Callable[[], bool], *, seconds: float = 5.0) -> None:
    """Wait for ``condition``, on the loop, at most ``seconds``."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def fill(link: Link) -> None:
    """Write until the link takes no more, within 200 MB."""
    for _ in range(100_000):
        link.write(b"x" * 2048)


def test_addresses_are_read_at_the_edge() -> None:
    """A path is a serial device, socket:// a TCP line; a broken address is refused."""
    assert opener_for("/dev/ttyUSB0", SerialSettings()).name == "/dev/ttyUSB0"
    assert opener_for("socket://10.0.0.7:4001", SerialSettings()).name == "socket://10.0.0.7:4001"
    for bad in ("socket://host", "socket://:5", "socket://host:0", "socket://host:x", "socket://host:65536"):
        with pytest.raises(DriverError):
            opener_for(bad, SerialSettings())


async def test_a_port_that_is_not_there_is_a_driver_error(tmp_path: Path) -> None:
    """The error names the port."""
    with pytest.raises(DriverError, match="nothing-here"):
        await SerialOpener(str(tmp_path / "nothing-here"), SerialSettings()).open(Notes())


@pytest.mark.ports
async def test_bytes_go_both_ways_and_even_parity_reopens(tmp_path: Path) -> None:
    """Control bytes pass in raw mode; the port opens again and again, at even parity too; nothing stale comes."""
    port = PseudoTerminal(tmp_path / "port")
    device = Device(port)
    port.replug()
    for turn in range(3):
        notes = Notes()
        port.write(b"stale")
        await asyncio.sleep(0.03)
        link = await SerialOpener(str(port.path), SerialSettings(38400, Parity.EVEN)).open(notes)
        await until(lambda: device.hosts == 1)
        link.write(b"\x03\x11\x13\x04\r\nab")
        await until(lambda notes=notes: len(notes.data) == 8)  # type: ignore[misc]
        assert notes.data == b"\x03\x11\x13\x04\r\nAB", turn
        link.close()
        link.close()
        await until(lambda notes=notes: bool(notes.lost))  # type: ignore[misc]
        await until(lambda: device.hosts == 0)
        assert (notes.opened, notes.lost) == (1, ["closed by the host"])
    port.close()


@pytest.mark.ports
async def test_a_port_that_asks_the_kernel_for_parity_reopens_too(tmp_path: Path) -> None:
    """Any program may ask for even parity again after a close, since the simulator changes a setting in between."""
    import serial

    port = PseudoTerminal(tmp_path / "port")
    device = Device(port)
    port.replug()
    for _ in range(3):
        raw = serial.Serial(str(port.path), 38400, parity="E", timeout=0)
        await until(lambda: device.hosts == 1)
        raw.close()
        await until(lambda: device.hosts == 0)
    port.close()


@pytest.mark.ports
async def test_a_second_opener_is_refused(tmp_path: Path) -> None:
    """The port is locked; the first opener keeps it."""
    port = PseudoTerminal(tmp_path / "port")
    Device(port)
    port.replug()
    notes = Notes()
    link = await SerialOpener(str(port.path), SerialSettings()).open(notes)
    with pytest.raises(DriverError, match="is in use by"):
        await SerialOpener(str(port.path), SerialSettings()).open(Notes())
    link.close()
    await until(lambda: bool(notes.lost))
    port.close()


@pytest.mark.ports
async def test_unplug_is_told_once_and_the_name_is_gone_until_replug(tmp_path: Path) -> None:
    """link_lost once; writing afterwards vanishes; the same name opens after replug."""
    port = PseudoTerminal(tmp_path / "port")
    device = Device(port)
    port.replug()
    notes = Notes()
    link = await SerialOpener(str(port.path), SerialSettings()).open(notes)
    await until(lambda: device.hosts == 1)
    port.unplug()
    link.write(b"late")
    await until(lambda: bool(notes.lost))
    link.write(b"later")
    link.close()
    await asyncio.sleep(0.05)
    assert len(notes.lost) == 1
    assert not port.path.exists()
    port.replug()
    again = Notes()
    link = await SerialOpener(str(port.path), SerialSettings()).open(again)
    link.write(b"ab")
    await until(lambda: again.data == b"AB")
    link.close()
    await until(lambda: bool(again.lost))
    port.close()


@pytest.mark.ports
async def test_a_device_that_does_not_read_overflows_the_bounded_buffer_and_never_blocks(tmp_path: Path) -> None:
    """Kernel and link hold a bounded lot, then LinkOverflow, and the loop runs on; in the end everything drains in order."""
    port = PseudoTerminal(tmp_path / "port")
    device = Device(port)
    port.replug()
    notes = Notes()
    link = await SerialOpener(str(port.path), SerialSettings()).open(notes)
    await until(lambda: device.hosts == 1)
    port.is_stalled = True
    loop = asyncio.get_running_loop()
    longest, sent = 0.0, 0
    is_full = False
    while not is_full and sent < 1000:
        before = loop.time()
        try:
            link.write(b"%0128d" % sent)
            sent += 1
        except LinkOverflow:
            is_full = True
        longest = max(longest, loop.time() - before)
        await asyncio.sleep(0)
    assert is_full
    assert sent * 128 > WRITE_BUFFER_BYTES
    assert longest < 0.5
    port.is_stalled = False
    await until(lambda: len(device.heard) == sent * 128)
    assert device.heard == b"".join(b"%0128d" % number for number in range(sent))
    link.close()
    await until(lambda: bool(notes.lost))
    port.close()


@pytest.mark.ports
async def test_the_terminal_paces_both_directions(tmp_path: Path) -> None:
    """96 bytes at 9600 baud take 0.1 s each way."""
    port = PseudoTerminal(tmp_path / "port", pace=LineSpeed(9600))
    device = Device(port)
    port.replug()
    notes = Notes()
    link = await SerialOpener(str(port.path), SerialSettings()).open(notes)
    await until(lambda: device.hosts == 1)
    start = asyncio.get_running_loop().time()
    link.write(b"x" * 96)
    await until(lambda: len(notes.data) == 96)
    assert asyncio.get_running_loop().time() - start >= 0.1
    link.close()
    await until(lambda: bool(notes.lost))
    port.close()


@pytest.mark.ports
async def test_a_paused_link_delivers_later(tmp_path: Path) -> None:
    """While reading is paused the bytes wait in the kernel."""
    master, slave = os.openpty()
    tty.setraw(slave)
    notes = Notes()
    link = await SerialOpener(os.ttyname(slave), SerialSettings()).open(notes)
    link.pause_reading()
    os.write(master, b"wait")
    await asyncio.sleep(0.05)
    assert notes.data == b""
    link.resume_reading()
    await until(lambda: notes.data == b"wait")
    link.close()
    await until(lambda: bool(notes.lost))
    os.close(master)
    os.close(slave)


@pytest.mark.ports
async def test_a_tcp_line_is_a_link_too() -> None:
    """Bytes both ways, loss told once, overflow when nobody reads, an error when nobody listens."""
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        writer.write((await reader.readexactly(2)).upper())

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1024)
    port = server.sockets[0].getsockname()[1]
    notes = Notes()
    link = await SocketOpener("127.0.0.1", port).open(notes)
    link.write(b"ab")
    await until(lambda: notes.data == b"AB")
    with pytest.raises(LinkOverflow):
        fill(link)
    link.close()
    await until(lambda: bool(notes.lost))
    assert notes.lost == ["closed by the host"]
    for writer in writers:
        writer.close()
    server.close()
    await server.wait_closed()
    with pytest.raises(DriverError, match="cannot reach"):
        await SocketOpener("127.0.0.1", port).open(Notes())


@pytest.mark.parametrize("name", ["/dev/null", "FILE", "FOLDER"])
def test_what_is_no_serial_port_is_said_in_one_sentence(name: str, tmp_path: Path) -> None:
    """A device of another kind, a file, a folder: named, with what to give instead."""
    (tmp_path / "file").write_text("x")
    path = {"FILE": str(tmp_path / "file"), "FOLDER": str(tmp_path)}.get(name, name)
    with pytest.raises(NoPort) as refused:
        asyncio.run(SerialOpener(path, SerialSettings()).open(Notes()))
    expected = f"{path} is no serial port: name a device as ls -l /dev/serial/by-path shows it, or socket://host:port"
    assert str(refused.value) == expected


@pytest.mark.parametrize("refusal", [None, ValueError("no such mode"), NotImplementedError("not on this platform")])
def test_an_adapter_is_asked_to_hold_nothing_back(refusal: Exception | None) -> None:
    """Low-latency mode is wished for; an adapter without one is used as it is."""
    asked: list[bool] = []

    class Adapter(serial.Serial):
        def set_low_latency_mode(self, low_latency_settings: bool) -> None:
            asked.append(low_latency_settings)
            if refusal is not None:
                raise refusal

    hurry(Adapter())
    assert asked == [True]
