"""The wheel: the same bytes wherever it is made, every file of the program and no other, and it runs without the repository."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.built_wheel import ROOT, copy_of_the_sources, environment_of

from release.__main__ import put
from release.smoke import SmokeError, walk
from release.wheel import BuildError, Tree, build, differences, digest, export


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The sources as they lie here."""
    return copy_of_the_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def wheel(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their wheel."""
    return build(tree, tmp_path_factory.mktemp("wheel"), ("wheel",))[0]


def test_the_same_bytes_from_another_folder_mask_zone_and_time(tree: Tree, wheel: Path, tmp_path: Path) -> None:
    """Nothing of the machine or the moment is in a wheel."""
    elsewhere = tmp_path / "a longer path/tree"
    shutil.copytree(tree.folder, elsewhere)
    for path in elsewhere.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1, 1))
    before, zone = os.umask(0o077), os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Kiritimati"
    try:
        again = build(Tree(elsewhere, tree.epoch, tree.files), tmp_path / "out", ("wheel",))[0]
    finally:
        os.umask(before)
        os.environ.pop("TZ")
        if zone is not None:
            os.environ["TZ"] = zone
    assert again.name == wheel.name
    assert digest(again) == digest(wheel)


def test_the_wheel_is_the_program_and_nothing_else(tree: Tree, wheel: Path, tmp_path: Path) -> None:
    """Words, pages, sheets and migrations too; what is missing or was added is named."""
    assert differences(wheel, tree) == ()
    for kind in (
        "words/console.fr.toml",
        "site/pages/floor.html",
        "migrations/env.py",
        "templates/table.sheet",
        "static/inter.woff2",
    ):
        assert any(name.endswith(kind) for name in tree.files), kind
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(other, "w") as made:
        for name in packed.namelist():
            if name != "controller/words/console.fr.toml":
                made.writestr(name, b"")
        made.writestr("tests/conftest.py", b"")
    assert differences(other, tree) == ("controller/words/console.fr.toml is missing", "tests/conftest.py was added")


@pytest.mark.ports
def test_the_wheel_runs_without_the_repository(tree: Tree, wheel: Path, tmp_path: Path) -> None:
    """Version, a hand of the demo, its journal, ``init`` and ``check``, in an environment that has no way back here."""
    programs = environment_of(wheel, tmp_path / "environment")
    (tmp_path / "walk").mkdir()
    seen = walk(programs, tmp_path / "walk", tree.version, with_floor=False)
    assert seen[0] == f"stud-table {tree.version}"
    assert len(seen) == 4


def test_a_program_that_comes_from_the_repository_is_found(tmp_path: Path) -> None:
    """The walk is of what is installed, or it is none."""
    found = Path(sys.executable).parent
    with pytest.raises(SmokeError, match="is loaded, which is not in"):
        walk(found, tmp_path, subprocess.check_output([found / "stud-table", "--version"], text=True).split()[1])


def test_without_its_commit_nothing_is_made(tmp_path: Path) -> None:
    """One sentence; what looks like an option is none."""
    for odd in ("no-such-tag", f"--output={tmp_path / 'file'}"):
        with pytest.raises(BuildError, match=f"has no commit '{re.escape(odd)}', name a tag or commit of it: .*"):
            export(ROOT, odd, tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.ports
def test_a_whole_release_is_made_and_runs_in_an_empty_environment(tmp_path: Path) -> None:
    """``python -m release``: built twice, installed from the lock and the wheel alone, walked through with the floor's page; the
    digests are those of the files."""
    command = [sys.executable, "-m", "release", "--out", str(tmp_path / "made")]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert "the floor's page came with its" in made.stderr
    for line in (tmp_path / "made/SHA256SUMS").read_text(encoding="utf-8").splitlines():
        told, name = line.split("  ")
        assert digest(tmp_path / "made" / name) == told


def test_a_release_is_in_its_folder_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the disk is full in the middle, and after a run that was cut."""
    made, out = tmp_path / "made", tmp_path / "dist/release"
    made.mkdir()
    (made / "wheel").touch()
    (out.parent / ".release.new").mkdir(parents=True)
    (out.parent / ".release.new/old").touch()

    def full(_made: Path, to: Path) -> None:
        to.mkdir()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("shutil.copytree", full)
        with pytest.raises(BuildError, match=rf"^{out} cannot be written \(No space left on device\): name another folder"):
            put(made, out)
    assert list(out.parent.iterdir()) == []
    put(made, out)
    assert [path.name for path in out.parent.rglob("*")] == ["release", "wheel"]
