"""What a release reads and writes of journals: whether another release, older or newer, can go on with one (roll-back rule).

A release that is asked about a journal compares kinds and versions of its records with what a release reads; nothing is opened
with a key, and nothing is changed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from controller.journal.canonical import Body
from controller.journal.schema import FORMAT, JOURNAL_CREATED
from controller.journal.verify import verify_chain
from controller.table.records import table_codec


class FormatsError(ValueError):
    """The file tells no formats of a release."""


@dataclass(frozen=True, slots=True)
class Formats:
    """A release, the version of the journal's tables, and the versions of each kind of record that it reads."""

    release: str
    journal: int
    records: Mapping[str, tuple[int, ...]]

    def as_json(self) -> dict[str, Any]:
        """As a file of the release has it."""
        records = {tag: list(seen) for tag, seen in self.records.items()}
        return {"release": self.release, "journal": self.journal, "records": records}

    def reads(self, tag: str, number: int) -> bool:
        """Whether a record of that kind and version is read."""
        return tag == JOURNAL_CREATED or number in self.records.get(tag, ())


@dataclass(frozen=True, slots=True)
class Readable:
    """Whether a release reads a journal: ``problems`` names what it does not, a sentence each, with where it stands first."""

    release: str
    events: int
    hands: int
    head: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """It does."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        told = {"release": self.release, "events": self.events, "hands": self.hands, "head": self.head}
        return {"ok": self.ok, **told, "problems": list(self.problems)}


def own_formats() -> Formats:
    """This release's."""
    records: dict[str, list[int]] = {}
    for tag, number in sorted(table_codec().readable()):
        records.setdefault(tag, []).append(number)
    return Formats(version("stud-table"), FORMAT, {tag: tuple(seen) for tag, seen in records.items()})


def load_formats(path: Path) -> Formats:
    """Those of another release, as ``stud-table formats --json`` told them; ``FormatsError`` when the file tells none."""
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"release": str(release), "journal": int(journal), "records": dict(records)}:
                return Formats(release, journal, {str(tag): tuple(map(int, seen)) for tag, seen in records.items()})
            case _:
                pass
    except OSError as error:
        raise FormatsError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError):
        pass
    raise FormatsError(f"{path} tells no formats: write it with stud-table formats --json of that release")


def readable(journal: Path, reader: Formats) -> Readable:
    """Whether the release of ``reader`` reads ``journal``. ``FileNotFoundError`` where there is none."""
    first: dict[tuple[str, int], int] = {}
    seen: Counter[str] = Counter()

    def look(seq: int, body: Body) -> None:
        tag, number = str(body.get("type")), body.get("v", 1)
        seen[tag] += 1
        first.setdefault((tag, number if isinstance(number, int) else 0), seq)

    found = verify_chain(journal, look)
    problems = [] if found.ok else [f"the journal does not hold: {found.reason}"]
    if reader.journal != FORMAT:
        problems.append(f"the journal's tables have format {FORMAT}, and release {reader.release} reads {reader.journal}")
    problems += [
        f"record {seq} is {tag} of version {number}, which release {reader.release} does not read"
        for (tag, number), seq in sorted(first.items(), key=lambda one: one[1])
        if not reader.reads(tag, number)
    ]
    return Readable(reader.release, found.events, seen["CardsCounted"], found.head.hex(), tuple(problems))
