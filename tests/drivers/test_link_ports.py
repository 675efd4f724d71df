"""Ports as they are in a card room: pulled out, held by another program, gone and back under the same name."""

from __future__ import annotations

import array
import asyncio
import fcntl
import os
import random
import socket
import subprocess
import sys
import termios
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from drivers.link.base import Link, LinkSink, Node, PortBusy
from drivers.link.serial import SerialOpener, SerialSettings, _close_port, _SerialLink, claim
from drivers.link.supervisor import NODE_POLL_S, Supervisor
from drivers.ports import DriverError
from simulators.virtual_time import run_virtual

TIOCGEXCL = 0x80045440


class Notes:
    """A sink that writes down what it hears."""

    def __init__(self) -> None:
        self.opened = 0
        self.lost: list[str] = []

    def link_opened(self, link: Link) -> None:
        self.opened += 1

    def data_received(self, data: bytes) -> None:
        pass

    def link_lost(self, reason: str) -> None:
        self.lost.append(reason)


class Pulled:
    """A pyserial port whose cable was pulled: the kernel refuses every setting, as ``termios.error``, and the closing too."""

    def __init__(self) -> None:
        self.end, self.device = socket.socketpair()
        self.end.setblocking(False)
        self.calls: list[str] = []

    def fileno(self) -> int:
        return self.end.fileno()

    def reset_output_buffer(self) -> None:
        self.calls.append("flush")
        raise termios.error(5, "Input/output error")

    def close(self) -> None:
        self.calls.append("close")
        self.end.close()
        raise termios.error(5, "Input/output error")


async def until(condition: Callable[[], bool], *, seconds: float = 5.0) -> None:
    """Wait for ``condition``, on the loop, at most ``seconds``."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def test_a_port_that_was_pulled_out_is_closed_all_the_same() -> None:
    """termios.error is no OSError: neither flushing nor closing lets it out, and the closing is not left out for the flush."""
    port = Pulled()
    _close_port(cast("Any", port))
    assert port.calls == ["flush", "close"]
    port.device.close()


async def test_a_pulled_port_is_told_once_and_nothing_is_left_in_a_future() -> None:
    """The loss is told although the closing fails, and no error waits in a thread for somebody to see it."""
    loop = asyncio.get_running_loop()
    unseen: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: unseen.append(context))
    port, notes = Pulled(), Notes()
    link = _SerialLink(cast("Any", port), "pulled", notes)
    port.device.close()
    await until(lambda: bool(notes.lost))
    assert port.calls == ["flush", "close"]
    assert notes.lost == ["the device is gone"]
    del link
    import gc

    gc.collect()
    await asyncio.sleep(0)
    assert unseen == []


def test_a_claimed_terminal_is_exclusive() -> None:
    """TIOCEXCL stands on the terminal; a pseudo-terminal that a link opens stays without, or it would outlive a killed host."""
    master, slave = os.openpty()
    flag = array.array("i", [0])
    fcntl.ioctl(slave, TIOCGEXCL, flag)
    assert flag[0] == 0
    claim(slave)
    fcntl.ioctl(slave, TIOCGEXCL, flag)
    assert flag[0] == 1
    os.close(slave)
    os.close(master)


@pytest.mark.ports
async def test_who_holds_a_port_is_named_in_one_sentence() -> None:
    """A second program is refused, and the sentence names port, holder and way out."""
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    code = (
        f"import fcntl,sys; f=open({path!r},'rb',buffering=0); fcntl.flock(f,fcntl.LOCK_EX); "
        "print('held',flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(PortBusy) as refused:
            await SerialOpener(path, SerialSettings()).open(Notes())
        assert str(refused.value).startswith(f"{path} is in use by ")
        assert f"(process {other.pid})" in str(refused.value)
        assert "stop the other program" in str(refused.value)
        other.stdin.close()
    notes = Notes()
    link = await SerialOpener(path, SerialSettings()).open(notes)
    link.close()
    await until(lambda: bool(notes.lost))
    os.close(master)
    os.close(slave)


async def test_a_file_that_is_no_terminal_and_a_missing_one_are_refused_with_the_way_out(tmp_path: Path) -> None:
    """Each refusal says what is wrong with which port."""
    file = tmp_path / "a-file"
    file.touch()
    with pytest.raises(DriverError, match="a-file"):
        await SerialOpener(str(file), SerialSettings()).open(Notes())
    with pytest.raises(DriverError, match="is not there: plug the device in"):
        await SerialOpener(str(tmp_path / "none"), SerialSettings()).open(Notes())


class NodePort:
    """An opener with a node that a test takes away and puts back."""

    def __init__(self) -> None:
        self.node: object = None
        self.attempts: list[float] = []
        self.link: Dead | None = None
        self.looks = 0

    @property
    def name(self) -> str:
        return "by-id/shoe"

    def seen(self) -> object:
        self.looks += 1
        return self.node

    async def open(self, sink: LinkSink) -> Link:
        self.attempts.append(asyncio.get_running_loop().time())
        if self.node is None or self.node == "no rights":
            raise DriverError("by-id/shoe cannot be opened")
        self.link = Dead(sink)
        sink.link_opened(self.link)
        return self.link


class Dead:
    """A link that takes all and tells nothing."""

    def __init__(self, sink: LinkSink) -> None:
        self.sink = sink

    def write(self, data: bytes) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def close(self, reason: str = "closed") -> None:
        asyncio.get_running_loop().call_soon(self.sink.link_lost, reason)


class Longest(random.Random):
    """The longest wait that the jitter allows."""

    def uniform(self, a: float, b: float) -> float:
        return b


def test_a_node_that_comes_back_is_opened_at_once() -> None:
    """Away for a minute, so that the back-off stands at 5 s: the port is open within one look of its node's coming."""
    port, notes = NodePort(), Notes()
    assert isinstance(port, Node)

    async def story() -> None:
        loop = asyncio.get_running_loop()
        supervisor = Supervisor(port, notes, rng=Longest())
        task = asyncio.create_task(supervisor.run())
        await asyncio.sleep(60.3)
        assert notes.opened == 0
        assert len(port.attempts) < 20, "a port that is away is tried with back-off, not with each look"
        port.node = "first"
        await asyncio.sleep(NODE_POLL_S + 0.01)
        assert (notes.opened, supervisor.is_open, supervisor.opened) == (1, True, 1)
        # the same name, another node, before anybody could look: as when a cable is pulled and pushed in
        port.node = "second"
        assert port.link is not None
        port.link.close("the cable was pulled")
        lost_at = loop.time()
        await asyncio.sleep(0.02)
        assert notes.opened == 2
        assert port.attempts[-1] - lost_at < 0.02
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(story(), max_seconds=600)


def test_a_node_that_stands_there_all_the_time_is_tried_with_back_off() -> None:
    """No new node, no rush: 0.25, 0.5, 1, 2, 4, 5 s; new rights on it count as a new node."""
    port = NodePort()
    port.node = "no rights"

    async def story() -> None:
        task = asyncio.create_task(Supervisor(port, Notes(), rng=Longest()).run())
        await asyncio.sleep(17.9)
        waits = [later - sooner for sooner, later in zip(port.attempts, port.attempts[1:], strict=False)]
        assert waits[:6] == pytest.approx([0.25, 0.5, 1.0, 2.0, 4.0, 5.0], abs=0.001)
        port.node = "rights given"
        await asyncio.sleep(NODE_POLL_S + 0.01)
        assert port.link is not None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(story(), max_seconds=600)


def test_the_node_of_a_serial_port_is_seen_behind_its_by_id_name(tmp_path: Path) -> None:
    """A by-id name is a link: nothing behind it is nothing; another target, or other rights on it, are another node."""
    by_id = tmp_path / "usb-shoe"
    opener = SerialOpener(str(by_id), SerialSettings())
    assert opener.seen() is None
    first, second = tmp_path / "ttyUSB0", tmp_path / "ttyUSB1"
    first.touch()
    by_id.symlink_to(first)
    one = opener.seen()
    assert one is not None
    assert opener.seen() == one
    first.chmod(0o600)
    other_rights = opener.seen()
    assert other_rights not in (None, one)
    first.unlink()
    assert opener.seen() is None
    second.touch()
    by_id.unlink()
    by_id.symlink_to(second)
    assert opener.seen() not in (None, one, other_rights)
