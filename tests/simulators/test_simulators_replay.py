"""A device made of a recording: strict to the byte, or lenient by request; in its time or at once; on any port."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from drivers.feig.frames import Frame, encode
from drivers.link.base import Link
from drivers.ports import DriverError
from simulators.capture import NS, Entry, Way
from simulators.memory_link import MemoryLink
from simulators.replay import LenientReplay, StrictReplay, feig_requests
from simulators.virtual_time import run_virtual


class Host:
    """What a host heard, when, and how often it lost the port."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, bytes]] = []
        self.losses = 0

    def link_opened(self, link: Link) -> None:
        """Opened."""

    def data_received(self, data: bytes) -> None:
        self.heard.append((round(asyncio.get_running_loop().time(), 3), data))

    def link_lost(self, reason: str) -> None:
        self.losses += 1


def entries(*given: tuple[float, Way, bytes]) -> list[Entry]:
    """A recording of one port, in seconds."""
    return [Entry(round(at * NS), "p", way, data) for at, way, data in given]


def virtually(story: Coroutine[Any, Any, None]) -> None:
    """Run a story on virtual time."""
    run_virtual(story, max_seconds=100)


TALK = entries(
    (1.0, Way.OPENED, b""),
    (1.0, Way.RX, b"boot"),
    (1.1, Way.TX, b"ask"),
    (1.4, Way.RX, b"ans"),
    (1.5, Way.RX, b"wer"),
)


def test_what_the_device_said_is_said_again_in_its_time() -> None:
    """After the host's bytes, and not before the recorded moment."""

    async def story() -> None:
        line, host = MemoryLink(), Host()
        replay = StrictReplay(line, TALK, t0=0)
        replay.start()
        await asyncio.sleep(1.0)
        link = await line.open(host)
        await asyncio.sleep(0.1)
        link.write(b"a")
        link.write(b"sk")
        await asyncio.sleep(1)
        assert host.heard == [(1.0, b"boot"), (1.4, b"ans"), (1.5, b"wer")]
        assert (replay.left, replay.mismatch) == (0, None)
        replay.stop()

    virtually(story())


def test_an_answer_waits_for_its_question_also_past_its_time() -> None:
    """And at once, a replay waits for nothing else."""

    async def story() -> None:
        for is_timed, expected in ((True, [1.0, 3.0, 3.0]), (False, [0.0, 2.0, 2.0])):
            line, host = MemoryLink(), Host()
            start = asyncio.get_running_loop().time()
            replay = StrictReplay(line, TALK, t0=0, origin=start, is_timed=is_timed)
            replay.start()
            await asyncio.sleep(1.0 if is_timed else 0.0)
            link = await line.open(host)
            await asyncio.sleep(2.0)
            link.write(b"ask")
            await asyncio.sleep(0.1)
            assert [at - start for at, _ in host.heard] == pytest.approx(expected)
            replay.stop()

    virtually(story())


@pytest.mark.parametrize(("said", "what"), [(b"asq", "something else"), (b"ask?", "did not say then"), (b"", "")])
def test_the_first_difference_ends_a_strict_replay(said: bytes, what: str) -> None:
    """It is kept by its entry, without a byte of it, and the device is gone."""

    async def story() -> None:
        line, host = MemoryLink(), Host()
        replay = StrictReplay(line, TALK, t0=0, is_timed=False)
        replay.start()
        link = await line.open(host)
        await asyncio.sleep(0.1)
        link.write(said)
        await asyncio.sleep(0.1)
        if not said:
            assert replay.mismatch is None
            assert replay.left == 3
            return
        assert what in str(replay.mismatch)
        assert "entry" in str(replay.mismatch)
        assert "as" not in str(replay.mismatch).split()
        assert host.losses == 1
        with pytest.raises(DriverError):
            await line.open(host)

    virtually(story())


def test_a_lost_port_is_lost_again_and_refused_as_often() -> None:
    """Until the cable was in again; the host's own closing is the host's."""

    async def story() -> None:
        line, host = MemoryLink(), Host()
        told = entries(
            (0.0, Way.OPENED, b""),
            (1.0, Way.LOST, b""),
            (1.5, Way.REFUSED, b""),
            (2.0, Way.REFUSED, b""),
            (3.0, Way.OPENED, b""),
            (3.5, Way.CLOSED, b""),
            (4.0, Way.OPENED, b""),
            (4.0, Way.RX, b"again"),
            (5.0, Way.LOST, b""),
        )
        replay = StrictReplay(line, told, t0=0)
        replay.start()
        await line.open(host)
        await asyncio.sleep(1.2)
        assert host.losses == 1
        with pytest.raises(DriverError):
            await line.open(host)
        await asyncio.sleep(1.8)
        link = await line.open(host)
        link.close()
        await asyncio.sleep(1.0)
        await line.open(host)
        await asyncio.sleep(2.0)
        assert host.heard == [(4.0, b"again")]
        assert (replay.left, replay.mismatch, host.losses) == (0, None, 3)

    virtually(story())


def asked(address: int, data: bytes = b"\x01\x00") -> bytes:
    """An inventory request."""
    return encode(Frame(address, 0xB0, data))


READERS = entries(
    (0.0, Way.OPENED, b""),
    (0.0, Way.RX, b"noise"),
    (0.1, Way.TX, asked(1)),
    (0.2, Way.RX, b"one, first"),
    (0.3, Way.TX, asked(2)),
    (0.35, Way.RX, b"two"),
    (0.4, Way.TX, asked(1)),
    (0.6, Way.RX, b"one, "),
    (0.7, Way.RX, b"second"),
)


def test_a_lenient_replay_answers_requests_in_any_order() -> None:
    """Each with the next answer to one like it, after its time; used up, they come round again; others get none."""

    async def story() -> None:
        line, host = MemoryLink(), Host()
        replay = LenientReplay(line, READERS, requests=feig_requests)
        replay.start()
        link = await line.open(host)
        await asyncio.sleep(1.0)
        for request in (asked(2), asked(1), asked(1), asked(3), asked(1)):
            for byte in request:
                link.write(bytes([byte]))
            await asyncio.sleep(1.0)
        assert host.heard == [
            (0.0, b"noise"),
            (1.05, b"two"),
            (2.1, b"one, first"),
            (3.2, b"one, "),
            (3.3, b"second"),
            (5.1, b"one, first"),
        ]
        assert replay.unanswered == 1
        link.write(asked(1))
        await asyncio.sleep(0.05)
        link.close()  # what was to be said is not said
        host.heard.clear()
        await line.open(host)
        await asyncio.sleep(1.0)
        assert [data for _, data in host.heard] == [b"noise"]
        replay.stop()

    virtually(story())


def test_a_lenient_replay_may_answer_at_once() -> None:
    """For tests that have no time."""

    async def story() -> None:
        line, host = MemoryLink(), Host()
        LenientReplay(line, READERS, requests=feig_requests, is_timed=False).start()
        link = await line.open(host)
        link.write(asked(1) + asked(1))
        await asyncio.sleep(0.0)
        await asyncio.sleep(0.001)
        assert b"".join(data for _, data in host.heard) == b"noiseone, firstone, second"

    virtually(story())
