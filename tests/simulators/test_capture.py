"""Traffic as JSON lines: what was written is read again, damage is named by its line, and nothing prints its bytes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from drivers.link.base import Link
from drivers.ports import DriverError
from simulators.capture import FORMAT, Capture, CaptureError, Entry, Recorder, TappedOpener, Way, read_capture
from simulators.memory_link import MemoryLink
from simulators.virtual_time import run_virtual

HEADER = '{"format":"stud-table-capture/1","t":0}\n'


def test_what_is_recorded_is_read_again() -> None:
    """Header, times in nanoseconds, ports, directions and bytes; the lines are as documented."""
    lines: list[str] = []
    times = iter((1.0, 1.5, 2.25, 2.25))
    recorder = Recorder(lines.append, lambda: next(times), firmware="SIM 1.0", deck="D1")
    recorder.note("shoe", Way.OPENED)
    recorder.note("felt-a", Way.TX, b"\x07\x01\xb0")
    recorder.note("shoe", Way.RX, b"$1")
    assert lines[2] == '{"t":2250000000,"port":"felt-a","dir":"tx","hex":"0701B0"}\n'
    assert json.loads(lines[0]) == {"format": FORMAT, "t": 1_000_000_000, "firmware": "SIM 1.0", "deck": "D1"}
    assert (recorder.entries, recorder.bytes) == (3, 5)
    capture = read_capture(lines)
    assert (capture.t0, capture.about) == (1_000_000_000, {"firmware": "SIM 1.0", "deck": "D1"})
    assert capture.entries == (
        Entry(1_500_000_000, "shoe", Way.OPENED),
        Entry(2_250_000_000, "felt-a", Way.TX, b"\x07\x01\xb0"),
        Entry(2_250_000_010, "shoe", Way.RX, b"$1"),  # one instant: the order is kept by 10 ns
    )
    assert capture.ports() == ("shoe", "felt-a")
    assert "0701" not in repr(capture)
    assert repr(b"$1")[2:-1] not in repr(capture.entries)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "is empty"),
        (["{}\n"], "line 1 is no header"),
        (["nonsense\n"], "line 1 is no JSON object"),
        ([HEADER, "[]\n"], "line 2 is no JSON object"),
        ([HEADER, '{"t":1,"port":"a","dir":"up"}\n'], "line 2 is no entry"),
        ([HEADER, '{"t":1,"port":"a","dir":"rx","hex":"0G"}\n'], "line 2 is no entry"),
        ([HEADER, '{"t":1.5,"port":"a","dir":"rx"}\n'], "line 2 is no entry"),
        ([HEADER, '{"t":1,"dir":"rx"}\n'], "line 2 is no entry"),
    ],
)
def test_damage_is_named_by_its_line(lines: list[str], says: str) -> None:
    """One clear sentence."""
    with pytest.raises(CaptureError, match=says):
        read_capture(lines)


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    """A recorder that was killed leaves a good capture behind."""
    file = tmp_path / "x.jsonl"
    file.write_text(HEADER + '{"t":1,"port":"a","dir":"rx","hex":"AA"}\n{"t":2,"po', encoding="utf-8")
    with file.open(encoding="utf-8") as lines:
        assert read_capture(lines) == Capture(0, {}, (Entry(1, "a", Way.RX, b"\xaa"),))


class Sink:
    """A host that answers what it hears, once."""

    def __init__(self) -> None:
        self.heard = b""
        self.link: Link | None = None
        self.lost: list[str] = []

    def link_opened(self, link: Link) -> None:
        self.link = link
        link.write(b"hello")

    def data_received(self, data: bytes) -> None:
        self.heard += data

    def link_lost(self, reason: str) -> None:
        self.lost.append(reason)


def test_a_tapped_port_passes_everything_on_and_writes_it_down() -> None:
    """Refusal, opening, both directions, a loss and a closing; a pause in reading goes through."""

    async def story() -> list[str]:
        lines: list[str] = []
        loop = asyncio.get_running_loop()
        line, sink = MemoryLink("port"), Sink()
        tapped = TappedOpener(line, Recorder(lines.append, loop.time), port="p")
        assert tapped.name == "port"
        line.unplug()
        with pytest.raises(DriverError):
            await tapped.open(sink)
        line.replug()
        link = await tapped.open(sink)
        assert sink.link is link
        line.write(b"up")
        await asyncio.sleep(0.1)
        link.pause_reading()
        line.write(b"later")
        await asyncio.sleep(0.1)
        assert sink.heard == b"up"
        link.resume_reading()
        await asyncio.sleep(0.1)
        assert sink.heard == b"uplater"
        line.unplug()
        line.replug()
        await asyncio.sleep(0.1)
        second = await tapped.open(sink)
        second.close()
        await asyncio.sleep(0.1)
        assert len(sink.lost) == 2
        return lines

    capture = read_capture(run_virtual(story(), max_seconds=10))
    assert [(entry.way, entry.data) for entry in capture.entries] == [
        (Way.REFUSED, b""),
        (Way.OPENED, b""),
        (Way.TX, b"hello"),
        (Way.RX, b"up"),
        (Way.RX, b"later"),
        (Way.LOST, b""),
        (Way.OPENED, b""),
        (Way.TX, b"hello"),
        (Way.CLOSED, b""),
    ]
