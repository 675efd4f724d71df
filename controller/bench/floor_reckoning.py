"""What a floor run has to show: the store beside what was told, and the page's times beside those of the telling."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.bench.public_stream import Stream
from controller.floor.store.address import StoreAddress
from controller.floor.store.rows import Source, digest_of
from controller.floor.store.store import open_store
from controller.mqtt.payloads import PublicEvent

_ALL: Final = 1 << 31
_NS_IN_MS: Final = 1_000_000


class Kept(NamedTuple):
    """Events that the store should have, and how many of its rows are missing, too many or others."""

    expected: int
    wrong: int


class Shown(NamedTuple):
    """Milliseconds from publish until the page showed a view or a newer one, for each; tables whose last view it never showed."""

    late_ms: list[float]
    behind: int


async def kept_of(url: StoreAddress, venue: str, streams: Sequence[Stream]) -> Kept:
    """Compare the store with everything that ``streams`` have told: number by number and by content, in order."""
    expected = wrong = 0
    async with open_store(url, venue) as store:
        for stream in streams:
            rows = await store.events(Source(stream.table, stream.journal), 0, _ALL)
            kept = [(row["seq"], row["digest"]) for row in rows]
            told = [(event.seq, digest_of(event)) for event in map(PublicEvent.model_validate_json, stream.events())]
            expected += len(told)
            if kept != told:
                wrong += max(1, len(set(told) ^ set(kept)), abs(len(told) - len(kept)))
    return Kept(expected, wrong)


def shown_of(page: Mapping[str, Any], seen: Path, sent: Sequence[Path], streams: Sequence[Stream]) -> Shown:
    """``page`` and the file ``seen`` are what the page left, ``sent`` the files of those who told."""
    times = {stream.table: _Times() for stream in streams}
    for file in sent:
        for table, view, at_ns in _triples(file):
            times[f"T{table + 1}"].sent.append((view, at_ns))
    for table, view, at_ns in _triples(seen):
        times[f"T{table + 1}"].seen.append((view, at_ns))
    late_ms = [late for one in times.values() for late in one.late_ms()]
    shown: defaultdict[str, int] = defaultdict(lambda: -1, page["shown"])
    return Shown(late_ms, sum(shown[stream.table] != stream.view for stream in streams))


class _Times:
    """Of one table: views and nanoseconds, in order."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, int]] = []
        self.seen: list[tuple[int, int]] = []

    def late_ms(self) -> list[float]:
        """Of each view that was sent and shown, or of which a newer one was."""
        late, at = [], 0
        for view, sent_ns in self.sent:
            while at < len(self.seen) and self.seen[at][0] < view:
                at += 1
            if at == len(self.seen):
                break
            late.append((self.seen[at][1] - sent_ns) / _NS_IN_MS)
        return late


def _triples(file: Path) -> list[tuple[int, int, int]]:
    flat = array("q")
    flat.frombytes(file.read_bytes())
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
