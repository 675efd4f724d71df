"""A journal's finished hands as files: each appears whole under its name or not at all, and none is ever overwritten."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.export import jsonl, stars
from controller.export.check import check_jsonl, check_phh
from controller.export.hands import FinishedHand, read_hands
from controller.export.phh import phh_text
from controller.journal.verify import read_origin

FORMATS: Final = ("phh", "stars", "jsonl")


class ExportRefused(Exception):  # noqa: N818 - nothing went wrong: it is refused
    """Why nothing was written, as one sentence."""


class Skipped(NamedTuple):
    """A hand that the export leaves out, by its number, and why."""

    hand: int
    reason: str


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the number of hands, the files in the order of the hands, and what was left out."""

    hands: int
    files: tuple[Path, ...]
    skipped: tuple[Skipped, ...]

    def as_json(self) -> dict[str, Any]:
        """The published keys."""
        return {
            "hands": self.hands,
            "files": [str(path) for path in self.files],
            "skipped": [{"hand": left.hand, "reason": left.reason} for left in self.skipped],
        }


def _always(_: FinishedHand) -> str | None:
    return None


def _unchecked(_: FinishedHand, __: str) -> tuple[str, ...]:
    return ()


class _Format(NamedTuple):
    """How a format is written: text of a hand, why it cannot hold one, our check, and the name of a file."""

    text: Callable[[FinishedHand], str]
    why_not: Callable[[FinishedHand], str | None]
    check: Callable[[FinishedHand, str], tuple[str, ...]]
    name: Callable[[FinishedHand], str]
    end: str


def _stem(hand: FinishedHand) -> str:
    return re.sub(r"[^\w-]", "_", hand.origin.table) or "table"


_WAYS: Final[Mapping[str, _Format]] = {
    "phh": _Format(phh_text, _always, check_phh, lambda hand: f"{_stem(hand)}-{hand.number:06d}.phh", ""),
    "stars": _Format(stars.stars_text, stars.why_not, _unchecked, lambda hand: f"{_stem(hand)}.txt", "\n\n"),
    "jsonl": _Format(jsonl.jsonl_line, jsonl.why_not, check_jsonl, lambda hand: f"{_stem(hand)}.jsonl", "\n"),
}


def export_journal(journal: Path, wanted: str, out: Path) -> Exported:
    """Write the finished hands of ``journal`` into the folder ``out`` in the format ``wanted``, one of ``FORMATS``.

    PHH is one file a hand, the others one file. Each hand is read back and compared with the ledger before its file appears.
    ``ExportRefused`` when a file is there already, ``FileNotFoundError`` when there is no journal, ``JournalDamaged`` when it
    does not hold: then nothing is left behind. ``OSError`` when the folder cannot be used.
    """
    read_origin(journal)
    made = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True, exist_ok=True)
    try:
        staging = Path(tempfile.mkdtemp(prefix=".export-", dir=out))
        try:
            writer = _Writer(_WAYS[wanted], staging, out)
            read_hands(journal, writer.take, writer.skip)
            return writer.publish()
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except BaseException:
        with suppress(OSError):
            for folder in made:  # innermost first, and none that holds anything
                folder.rmdir()
        raise


class _Writer:
    """Files in the making."""

    def __init__(self, way: _Format, staging: Path, out: Path) -> None:
        self._way = way
        self._staging = staging
        self._out = out
        self._names: dict[str, None] = {}
        self._skipped: list[Skipped] = []
        self._hands = 0

    def take(self, hand: FinishedHand) -> None:
        """One hand: written, or left out with the reason."""
        reason = self._way.why_not(hand)
        if reason is not None:
            self.skip(hand.number, reason)
            return
        text = self._way.text(hand)
        problems = self._way.check(hand, text)
        if problems:
            self.skip(hand.number, f"the written hand is not the ledger's: {problems[0]}")
            return
        name = self._way.name(hand)
        self._refuse_existing(name)
        with (self._staging / name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text + self._way.end)
        self._names[name] = None
        self._hands += 1

    def skip(self, number: int, reason: str) -> None:
        """A hand that is left out."""
        self._skipped.append(Skipped(number, reason))

    def publish(self) -> Exported:
        """Every file gets its name, synced before."""
        for name in self._names:
            self._refuse_existing(name)
        for name in self._names:
            with (self._staging / name).open("rb") as file:
                os.fsync(file.fileno())
            (self._staging / name).rename(self._out / name)
        return Exported(self._hands, tuple(self._out / name for name in self._names), tuple(self._skipped))

    def _refuse_existing(self, name: str) -> None:
        if (self._out / name).exists():
            raise ExportRefused(f"{self._out / name} is there already: name another folder with --out, or move it away")
