"""The upgrade drill with the very programs of two releases: ``python -m release.drill FROM [--hands N]``.

The old release plays, this one takes over, the old one comes back, and this one goes on: one folder with two tables, people who
sign in, and a floor with its copy. After each step both releases verify each whole journal from the head before, and the floor's
copy is held against it. Its way back is walked as the how-to says: the copy of before is restored, and the old floor fills it
from its tables.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from release.cut import COMMIT, RELEASES

ROOT: Final = Path(__file__).parents[1]
TABLES: Final = ("T1", "T2")
STORE: Final = "floor.sqlite3"
LONGEST_S: Final = 600.0
"""Longest wait for one command."""
NEWER: Final = "a newer release"
"""What an old release says of what it does not know."""
_BEHIND: Final = re.compile(r"(\d+) events of .* are newer than the copy$")
_RELEASE: Final = re.compile(r"v?(\d+\.\d+\.\d+)")


class DrillError(Exception):
    """What does not hold between the two releases; one clear sentence, and what was said."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release as checked out, with an environment of its own, in ``folder``."""

    name: str
    folder: Path

    def run(self, *arguments: str | Path, may_end: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
        """Its ``stud-table``, in its folder: processes that it starts are that release's too."""
        command = [str(self.folder / ".venv/bin/stud-table"), *map(str, arguments)]
        ended = subprocess.run(  # noqa: S603
            command, cwd=self.folder, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
        if ended.returncode not in may_end:
            said = f"{ended.stdout}{ended.stderr}".strip()
            raise DrillError(f"{self.name}: stud-table {' '.join(command[1:])} ends with {ended.returncode}: {said}")
        return ended

    def told(self, *arguments: str | Path, may_end: tuple[int, ...] = (0,)) -> dict[str, Any]:
        """The JSON object that the command prints."""
        found: dict[str, Any] = json.loads(self.run(*arguments, "--json", may_end=may_end).stdout)
        return found


@dataclass(slots=True)
class Drill:
    """Two releases on one folder, ``data``. Hands, heads and public events of each table so far are kept."""

    old: Release
    new: Release
    data: Path
    hands: int
    played: int = 0
    heads: dict[str, str] = field(default_factory=dict)
    public: dict[str, int] = field(default_factory=dict)

    def journal(self, table: str) -> Path:
        """That table's."""
        return self.data / table / "data"

    def play(self, release: Release) -> None:
        """Each table plays the hands with its people and its floor; then everything is looked at by both releases."""
        options = ["--hands", str(self.hands), "--speed", "fast", "--seed", "7", "--people"]
        told = release.told("demo", "--tables", str(len(TABLES)), "--data", self.data, *options)
        if not (told["chips_conserved"] and told["cards_conserved"]):
            raise DrillError(f"{release.name} does not account for every chip and card: {told}")
        self.played += self.hands
        for table in TABLES:
            self.heads[table] = self._verified(table)
        self._whole(release)

    def _verified(self, table: str) -> str:
        """The head that both releases see of a journal that goes on from the head before with every hand."""
        heads: dict[str, str] = {}
        for release in (self.old, self.new):
            before = ("--head", self.heads[table]) if table in self.heads else ()
            found = release.told("verify", self.journal(table), *before)
            if found["hands"] != self.played:
                raise DrillError(f"{release.name} counts {found['hands']} hands of {self.played} at {table}")
            heads[release.name] = found["head"]
        if len(set(heads.values())) != 1:
            raise DrillError(f"the two releases see other heads of {table}: {heads}")
        return next(iter(heads.values()))

    def _whole(self, release: Release) -> None:
        """The floor's copy is the public half of both journals: of everything before this step, and of this step as far as it was
        told before its processes ended; the next one brings the rest."""
        for table in TABLES:
            found = release.told(
                "floor", self.data / "floor.toml", "--verify", "--table", table, "--against", self.journal(table)
            )
            kept, behind, before = 0, 0, self.public.get(table, 0)
            notes = [note for one in found["journals"] for note in one["notes"]]
            for one in found["journals"]:
                kept += one["events"]
            for note in tuple(notes):
                if late := _BEHIND.match(note):
                    behind += int(late[1])
                    notes.remove(note)
            if not found["ok"] or notes or kept <= before:
                raise DrillError(f"{release.name}: the floor's copy of {table} is not whole, {before} events were there: {found}")
            self.public[table] = kept + behind

    def old_floor_reads(self) -> bool:
        """Whether the old floor opens the copy as this release left it; where it does not, it says why and changes nothing."""
        before = (self.data / STORE).read_bytes()
        ended = self.old.run("floor", self.data / "floor.toml", "--verify", may_end=(0, 1, 2, 3))
        if ended.returncode == 0:
            return True
        if NEWER not in ended.stdout + ended.stderr:
            raise DrillError(f"{self.old.name} refuses the floor's copy with other words: {ended.stdout}{ended.stderr}")
        if (self.data / STORE).read_bytes() != before:
            raise DrillError(f"{self.old.name} refuses the floor's copy, and changed it")
        return False

    def restore_store(self, copy: Path) -> None:
        """Put the copy of the floor's copy back, as a person does with the floor stopped."""
        for path in self.data.glob(f"{STORE}*"):
            path.unlink()
        shutil.copy(copy, self.data / STORE)


def configurations(writer: Release, reader: Release, deck: Path, work: Path) -> tuple[str, ...]:
    """What ``reader`` finds wrong with the files that ``init`` of ``writer`` makes; a broker and devices are not looked for."""
    state, made = work / "state", work / "made"
    state.mkdir(parents=True)
    shutil.copy(deck, state / "deck.toml")
    common = ("--yes", "--open", "--state", state)
    writer.run("init", "table", "--name", "T1", "--out", made / "T1", "--shoe", "-", "--readers", "-", *common)
    writer.run("init", "floor", "--out", made / "floor", *common)
    checked = reader.run("check", made / "T1/table.toml", "--json", may_end=(0, 1, 2))
    looked = reader.run("floor", made / "floor/floor.toml", "--verify", may_end=(0, 1, 2, 3))
    lines = [] if looked.returncode == 0 else [f"floor.toml: {looked.stderr.strip() or looked.stdout.strip()}"]
    if checked.returncode == 2:
        return (f"table.toml: {checked.stderr.strip()}", *lines)
    problems = json.loads(checked.stdout)["problems"]
    return (*(f"table.toml: {one['text_en']}" for one in problems if one["code"] != "check.broker"), *lines)


def run(old: Release, new: Release, work: Path, hands: int) -> None:
    """Forwards and back; ``DrillError`` at the first thing that does not hold."""
    drill = Drill(old, new, work / "data", hands)
    before = work / STORE
    _say(f"{old.name} plays {hands} hands at each of {len(TABLES)} tables")
    drill.play(old)
    shutil.copy(drill.data / STORE, before)
    formats = work / "formats.json"
    formats.write_text(json.dumps(old.told("formats")), encoding="utf-8")
    for table in TABLES:
        new.told("backup", drill.journal(table), "--out", work / f"{table}-before")
        new.told("formats", drill.journal(table))
    if wrong := configurations(old, new, drill.data / "T1/deck.toml", work / "old"):
        raise DrillError(f"{new.name} does not take what init of {old.name} wrote: {'; '.join(wrong)}")
    _say(f"{new.name} takes over")
    drill.play(new)
    for line in configurations(new, old, drill.data / "T1/deck.toml", work / "new"):
        _say(f"{old.name} does not take what init of {new.name} wrote, go back with the files of before: {line}")
    for table in TABLES:
        new.told("formats", drill.journal(table), "--reader", formats)
    if drill.old_floor_reads():
        _say(f"{old.name} comes back, with the floor's copy as it is")
        drill.play(old)
    else:
        _say(f"{old.name} refuses the floor's copy, which {new.name} brought up to date")
    _say(f"{old.name} comes back, with the floor's copy of before")
    drill.restore_store(before)
    drill.play(old)
    _say(f"{new.name} goes on")
    drill.play(new)
    heads = ", ".join(f"{table} {head}" for table, head in drill.heads.items())
    _say(f"{drill.played} hands at each table, each chip and card accounted for by both releases; heads {heads}")


def resolve(root: Path, wanted: str) -> str:
    """The commit that a tag, a release's number or a commit names; a release is found without its tag by what it left here.

    ``DrillError`` where it is not in this clone."""
    named = _RELEASE.fullmatch(wanted)
    kept = root / RELEASES / named[1] / COMMIT if named else None
    asked = [f"v{named[1]}" if named else wanted]
    if kept is not None and kept.is_file():
        asked.append(kept.read_text(encoding="utf-8").strip())
    for name in asked:
        command = ["git", "-C", str(root), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if found.returncode == 0:
            return found.stdout.strip()
    raise DrillError(f"there is no release {wanted} in this clone: git tag lists them, git fetch --tags --unshallow brings them")


@contextmanager
def checked_out(root: Path, commit: str, name: str, folder: Path) -> Iterator[Release]:
    """The release of ``commit`` in ``folder`` with its own environment; gone afterwards."""
    tree = ["git", "-C", str(root), "worktree"]
    subprocess.run([*tree, "add", "--quiet", "--detach", str(folder), commit], check=True)  # noqa: S603
    try:
        subprocess.run([str(folder / ".ci/prepare"), "runtime", "mosquitto"], check=True)  # noqa: S603
        yield Release(name, folder)
    finally:
        subprocess.run([*tree, "remove", "--force", str(folder)], check=False)  # noqa: S603


def _say(line: str) -> None:
    print(f"drill: {line}", file=sys.stderr)


def main() -> int:
    """Run it; 1 and one sentence when it does not hold, 2 when there is no such release."""
    parser = argparse.ArgumentParser(prog="drill", description="upgrade from a release and back, with the programs of both")
    parser.add_argument("release", help="where to come from: a tag, a release's number or a commit")
    parser.add_argument("--hands", type=int, default=2, help="hands at each table in each step (default 2)")
    asked = parser.parse_args()
    try:
        commit = resolve(ROOT, asked.release)
    except DrillError as error:
        _say(str(error))
        return 2
    with tempfile.TemporaryDirectory() as name:
        _say(f"preparing {asked.release} ({commit[:12]})")
        with checked_out(ROOT, commit, asked.release, Path(name) / "old") as old:
            try:
                run(old, Release("this release", ROOT), Path(name), asked.hands)
            except DrillError as error:
                _say(str(error))
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
