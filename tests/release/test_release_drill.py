"""The drill between two releases: which one is meant, what it makes of what it sees, and, at length, the drill itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from release.cut import COMMIT, RELEASES, ROOT
from release.drill import Drill, DrillError, Release, configurations, resolve


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main")
    return subprocess.check_output(["git", *who, "-C", folder, *arguments], text=True).strip()


def test_a_release_is_found_by_its_tag_or_by_what_it_left(tmp_path: Path) -> None:
    """A clone without tags has the commit beside the release's data; one that has neither says so."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "one")
    first = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "two")
    with pytest.raises(DrillError, match=r"there is no release v0\.1\.0 in this clone"):
        resolve(tmp_path, "v0.1.0")
    kept = tmp_path / RELEASES / "0.1.0"
    kept.mkdir(parents=True)
    (kept / COMMIT).write_text(f"{first}\n", encoding="utf-8")
    assert [resolve(tmp_path, name) for name in ("v0.1.0", "0.1.0", first, "HEAD~1")] == [first] * 4
    (kept / COMMIT).write_text(f"{'0' * 40}\n", encoding="utf-8")
    with pytest.raises(DrillError, match="in this clone"):
        resolve(tmp_path, "0.1.0")
    git(tmp_path, "tag", "v0.1.0", first)
    assert resolve(tmp_path, "0.1.0") == first


def spoken(folder: Path, name: str, answers: dict[str, Any]) -> Release:
    """A release whose ``stud-table`` answers each command from ``answers``: what it prints, or exit code and error."""
    program = folder / name / ".venv/bin/stud-table"
    program.parent.mkdir(parents=True)
    lines = (
        f"#!{sys.executable}",
        "import json, sys",
        f"answer = json.loads({json.dumps(answers)!r})[sys.argv[1]]",
        "if isinstance(answer, dict):",
        "    print(json.dumps(answer))",
        "else:",
        "    print(answer[1], file=sys.stderr)",
        "    sys.exit(answer[0])",
    )
    program.write_text("\n".join(lines), encoding="utf-8")
    program.chmod(0o755)
    return Release(name, folder / name)


WHOLE = {"ok": True, "journals": [{"events": 90, "notes": []}]}
LATE = {"ok": True, "journals": [{"events": 90, "notes": ["2 events of the journal are newer than the copy"]}]}
GOOD = {"demo": {"chips_conserved": True, "cards_conserved": True}, "verify": {"hands": 1, "head": "aa"}, "floor": WHOLE}


@pytest.mark.parametrize(
    ("seen_by_the_old", "why"),
    [
        ({}, None),
        ({"demo": {"chips_conserved": False, "cards_conserved": True}}, "old does not account for every chip"),
        ({"verify": {"hands": 0, "head": "aa"}}, "old counts 0 hands of 1 at T1"),
        ({"verify": {"hands": 1, "head": "bb"}}, "see other heads of T1"),
        ({"verify": [1, "record 7 does not hold"]}, "ends with 1: record 7 does not hold"),
        (
            {"floor": {"ok": True, "journals": [{"events": 90, "notes": ["events are missing"]}]}},
            "old: the floor's copy of T1 is not whole",
        ),
        ({"floor": {"ok": False, "journals": [{"events": 90, "notes": []}]}}, "old: the floor's copy of T1 is not whole"),
        ({"floor": {"ok": True, "journals": []}}, "old: the floor's copy of T1 is not whole"),
    ],
)
def test_what_does_not_hold_ends_the_drill(tmp_path: Path, seen_by_the_old: dict[str, Any], why: str | None) -> None:
    """Each with the release and the table that it is about."""
    old, new = spoken(tmp_path, "old", {**GOOD, **seen_by_the_old}), spoken(tmp_path, "new", GOOD)
    drill = Drill(old, new, tmp_path, 1)
    if why is None:
        drill.play(old)
        assert drill.heads == {"T1": "aa", "T2": "aa"}
        return
    with pytest.raises(DrillError, match=why):
        drill.play(old)


def test_what_came_too_late_for_the_copy_is_there_a_step_later(tmp_path: Path) -> None:
    """The last events of a step may be told to nobody any more; a copy that has no more after the next is not whole."""
    late, whole = spoken(tmp_path, "late", {**GOOD, "floor": LATE}), spoken(tmp_path, "whole", GOOD)
    drill = Drill(late, late, tmp_path, 1)
    drill.play(late)
    assert drill.public == {"T1": 92, "T2": 92}
    drill.old = drill.new = spoken(tmp_path, "again", {**GOOD, "verify": {"hands": 2, "head": "aa"}})
    with pytest.raises(DrillError, match="whole: the floor's copy of T1 is not whole, 92 events were there"):
        drill.play(whole)


def test_an_old_floor_that_refuses_must_say_that_a_newer_release_wrote(tmp_path: Path) -> None:
    """Otherwise the way back is another trouble than the one that the how-to tells of."""
    (tmp_path / "floor.sqlite3").write_bytes(b"x")
    said = [1, "a newer release brought it up to date; start that one, or restore the copy"]
    for name, answer, reads in (("a", WHOLE, True), ("b", said, False)):
        assert Drill(spoken(tmp_path, name, {"floor": answer}), Release("new", tmp_path), tmp_path, 1).old_floor_reads() is reads
    with pytest.raises(DrillError, match="with other words: no such column"):
        Drill(spoken(tmp_path, "c", {"floor": [1, "no such column"]}), Release("new", tmp_path), tmp_path, 1).old_floor_reads()


def test_what_a_release_finds_wrong_with_the_others_configuration_is_told(tmp_path: Path) -> None:
    """A broker that is not there is nothing of the file."""
    (tmp_path / "deck.toml").touch()
    writer = spoken(tmp_path, "writer", {"init": {}})
    broker, other = {"code": "check.broker", "text_en": "no broker"}, {"code": "check.deck", "text_en": "no deck"}
    takes = spoken(tmp_path, "takes", {"check": {"problems": [broker]}, "floor": WHOLE})
    not_all = spoken(tmp_path, "not_all", {"check": {"problems": [broker, other]}, "floor": [2, "unknown key"]})
    refuses = spoken(tmp_path, "refuses", {"check": [2, "unknown key"], "floor": WHOLE})
    found = [
        configurations(writer, one, tmp_path / "deck.toml", tmp_path / f"work-{one.name}") for one in (takes, not_all, refuses)
    ]
    assert found == [(), ("table.toml: no deck", "floor.toml: unknown key"), ("table.toml: unknown key",)]


TAGGED = [path.name for path in sorted((ROOT / RELEASES).iterdir()) if (path / COMMIT).is_file()]


@pytest.mark.long
@pytest.mark.ports
@pytest.mark.parametrize("release", TAGGED or ["HEAD"])
def test_the_drill_from_each_release_there_and_back(release: str) -> None:
    """With the very programs of both, on one folder; the last commit where no release is tagged yet."""
    ended = subprocess.run([ROOT / ".ci/drill", release], cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode == 2:
        pytest.skip(ended.stderr)
    assert ended.returncode == 0, ended.stderr
