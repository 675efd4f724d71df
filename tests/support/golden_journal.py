"""The golden journals: written once by a release, opened, verified and exported by every later one.

``python -m support.golden_journal write`` (in ``tests``) writes those journals of this release that are not there yet, and the
shapes of its records; ``… expect`` writes anew what is expected of all that are there, where an export was changed on purpose.
A journal is never written anew, nor is its head.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from controller.export.files import FORMATS, export_journal
from controller.hand.cards import Card
from controller.hand.places import SeatPlace, Spot
from controller.journal.codec import Codec
from controller.journal.store import JournalStore
from controller.journal.verify import read_origin, verify_chain
from controller.rehearsal import Play
from controller.table.evolve import evolve
from controller.table.keyring import Keyring
from controller.table.opening import rebuild
from controller.table.records import decode, table_codec
from controller.table.state import TableState
from controller.verify import audit
from simulators.virtual_time import run_virtual
from support.golden_stories import STORIES
from support.houses import House
from support.slip_walk import evening
from support.table_runs import write_journal

GOLDEN: Final = Path(__file__).parents[1] / "data" / "golden"
RELEASE: Final = "0.1"
SHAPES: Final = "shapes.json"
EXPECTED: Final = "expected.json"
KEY: Final = "table.key"
"""Of journals that whole controllers wrote, so that later ones open their sealed cards as well."""
ADDED: Final[Mapping[str, dict[str, Any]]] = {"CommandAnswered": {"person": "", "agreed_by": ""}}
"""Fields that records in the state got since, with what they are in a journal of before: left out there."""
SLIP_SEEDS: Final = (14, 90, 116, 130, 132, 151, 175, 202, 213, 233, 249, 273, 339)
"""Evenings with slips which together have every kind of record that slips and rulings make."""


def journals() -> tuple[Path, ...]:
    """The folder of each golden journal, of every release."""
    return tuple(sorted(path.parent for path in GOLDEN.glob(f"*/*/{EXPECTED}")))


def plain(value: object) -> Any:
    """``value`` as JSON: fields by name, those at their default left out, so that a field that is added changes nothing."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Card):
        return value.text
    if isinstance(value, SeatPlace | Spot):
        return str(value)
    if isinstance(value, Mapping):
        return sorted(([plain(key), plain(item)] for key, item in value.items()), key=json.dumps)
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=json.dumps)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        defaults: dict[str, Any] = value._field_defaults  # type: ignore[attr-defined]
        return _named({name: getattr(value, name) for name in value._fields}, defaults)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return _named({field.name: getattr(value, field.name) for field in fields(value)}, ADDED.get(type(value).__name__, {}))
    raise TypeError(f"{type(value).__name__} has no plain form")


def _named(values: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in values.items() if name not in defaults or value != defaults[name]}


def end_state(journal: Path) -> TableState:
    """The state that the newest file's events lead to, read without a key."""
    codec, state = table_codec(), TableState()

    def take(_: int, body: Any) -> None:
        nonlocal state
        state = evolve(state, decode(codec, body, {}))

    found = verify_chain(journal, take)
    assert found.ok, found.reason
    return state


def digest(state: TableState) -> str:
    """One SHA-256 over the plain form of ``state``."""
    return sha256(json.dumps(plain(state), sort_keys=True).encode()).hexdigest()


def opened_state(journal: Path) -> TableState:
    """The state that a controller rebuilds from a copy of ``journal`` with its table's key, hidden cards and all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        shutil.copytree(journal, folder)
        origin = read_origin(journal)
        store = JournalStore.open(folder, table=origin.table, journal_id="", created="")
        try:
            keyring = Keyring((folder / KEY).read_bytes(), table=origin.table, journal_id=origin.journal)
            keyring.unwrap(store.hand_keys())
            assert keyring.sealers
            assert not keyring.blind
            return rebuild(store.events(store.origin.first), table_codec(), keyring)
        finally:
            store.close()


def findings(journal: Path) -> dict[str, Any]:
    """What this release makes of ``journal``: its audit, its records by kind, its last state and its exports."""
    found = audit(journal)
    kinds: dict[str, int] = {}

    def count(_: int, body: Any) -> None:
        kinds[body["type"]] = kinds.get(body["type"], 0) + 1

    verify_chain(journal, count)
    return {
        "verify": found.as_json(),
        "kinds": dict(sorted(kinds.items())),
        "state": digest(end_state(journal)),
        "opened": digest(opened_state(journal)) if (journal / KEY).exists() else None,
        "exports": {wanted: _exported(journal, wanted) for wanted in FORMATS},
    }


def _exported(journal: Path, wanted: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        export = export_journal(journal, wanted, out)
        texts = b"".join(path.name.encode() + b"\n" + path.read_bytes() for path in export.files)
        return {"hands": export.hands, "skipped": len(export.skipped), "digest": sha256(texts).hexdigest()}


def shapes(codec: Codec) -> dict[str, Any]:
    """Version and fields of every kind of record."""
    return {tag: {"version": version, "fields": list(names)} for tag, version, names in sorted(codec.shapes())}


def write(folder: Path) -> None:
    """Play the evenings and keep in ``folder`` the journals that are not there yet, and the shapes of today's records."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, variant in enumerate(("stud", "stud8", "razz")):
        target = folder / f"evening-{variant}"
        if not target.exists():
            _played(target, variant, seed=number)
    for seed in SLIP_SEEDS:
        target = folder / f"slips-{seed}"
        if not target.exists():
            write_journal(target, evening(seed, hands=1).bodies)
    for name, story in STORIES.items():
        if not (folder / name).exists():
            write_journal(folder / name, story().bodies)
    (folder / SHAPES).write_text(_text(shapes(table_codec())), encoding="utf-8")


def _played(target: Path, variant: str, *, seed: int) -> None:
    """Four hands through a whole controller, its journal in several files."""
    with tempfile.TemporaryDirectory() as name:
        seats = {1: ("Ann", 90), 3: ("Bob", 30), 4: ("Cleo", 200), 8: ("Dan", 200)}
        house = House(Path(name), Play(variant=variant, seats=seats), seed=seed, rotate_after=100)

        async def story() -> None:
            try:
                await house.evening(4)
            finally:
                await house.close()

        run_virtual(story(), max_seconds=3_000)
        target.mkdir()
        for path in sorted((Path(name) / "start1").glob("journal*.sqlite3")):
            shutil.copy(path, target / path.name)
        shutil.copy(Path(name) / "keys" / KEY, target / KEY)


def expect() -> None:
    """Write down what is expected of each journal that is there. The head of one that has its expectation stays."""
    for journal in sorted({path.parent for path in GOLDEN.glob("*/*/journal.sqlite3")}):
        found, kept = findings(journal), journal / EXPECTED
        before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else found
        if found["verify"] != before["verify"]:
            raise SystemExit(f"{journal.name}: what was written is read otherwise: {found['verify']}, not {before['verify']}")
        kept.write_text(_text(found), encoding="utf-8")


def _text(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write"]:
            write(GOLDEN / RELEASE)
            expect()
        case ["expect"]:
            expect()
        case _:
            raise SystemExit(__doc__)
