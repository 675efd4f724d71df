"""Cutting a release changes its texts and nothing else; the version stands in one place, and everything tells that one."""

from __future__ import annotations

import re
import subprocess
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from controller.cli import main
from controller.formats import own_formats
from release.cut import COMMIT, NAMING, RELEASES, ROOT, CutError, begin, cut, tagged_commit, version_of

DAY: Final = date(2026, 11, 30)
CHANGES: Final = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- **Something**.\n\n## [0.0.1] - 2026-01-01\n\n- Less.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that a release changes, with the version 0.1.0.dev0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "stud-table"\nversion = "0.1.0.dev0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGES, encoding="utf-8")
    for name in NAMING:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(
            "/opt/stud-table-0.0.1, stud_table-0.0.1-py3-none-any.whl, formats-0.0.1.json\n", encoding="utf-8"
        )
    (tmp_path / RELEASES / "0.1.0").mkdir(parents=True)
    return tmp_path


def changelog(project: Path) -> str:
    return (project / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_release_is_cut_and_the_next_begun(project: Path) -> None:
    """Version, changelog, pages; then the next version, an empty *Unreleased*, and the tagged commit beside the data."""
    cut(project, "0.1.0", DAY)
    assert str(version_of(project)) == "0.1.0"
    assert changelog(project) == CHANGES.replace("## [Unreleased]", "## [0.1.0] - 2026-11-30")
    named = "/opt/stud-table-0.1.0, stud_table-0.1.0-py3-none-any.whl, formats-0.1.0.json\n"
    assert [(project / name).read_text(encoding="utf-8") for name in NAMING] == [named] * len(NAMING)
    begin(project, "0.2.0.dev0", "c0ffee")
    assert str(version_of(project)) == "0.2.0.dev0"
    assert changelog(project) == CHANGES.replace("## [Unreleased]", "## [Unreleased]\n\n## [0.1.0] - 2026-11-30")
    assert (project / RELEASES / "0.1.0" / COMMIT).read_text(encoding="utf-8") == "c0ffee\n"


@pytest.mark.parametrize(
    ("wanted", "why"),
    [("0.2.0.dev0", "is no release"), ("0.0.9", "is older than"), ("0.1", "is no release"), ("new", "is no version")],
)
def test_a_version_that_is_no_next_release_changes_nothing(project: Path, wanted: str, why: str) -> None:
    """One sentence, and every file is as it was."""
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    with pytest.raises(CutError, match=why):
        cut(project, wanted, DAY)
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def files(project: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["CHANGELOG.md", *NAMING])
def test_a_file_that_is_missing_leaves_the_others_as_they_were(project: Path, name: str) -> None:
    """One sentence with the way out; no half of a release."""
    (project / name).unlink()
    before = files(project)
    with pytest.raises(CutError, match=f"^{re.escape(name)} cannot be read .*: git checkout {re.escape(name)} brings it back$"):
        cut(project, "0.1.0", DAY)
    assert files(project) == before


def test_a_release_is_cut_once_and_says_something(project: Path) -> None:
    """Neither twice, nor with an empty changelog; nothing is begun behind what was not cut or has no data."""
    with pytest.raises(CutError, match="is not there"):
        begin(project, "0.2.0.dev0", "c0ffee")
    cut(project, "0.1.0", DAY)
    with pytest.raises(CutError, match=r"has 0\.1\.0 already"):
        cut(project, "0.1.0", DAY)
    for wanted in ("0.1.0.dev0", "0.2.0"):
        with pytest.raises(CutError, match="does not come after"):
            begin(project, wanted, "c0ffee")
    begin(project, "0.2.0.dev0", "c0ffee")
    with pytest.raises(CutError, match="says nothing under Unreleased"):
        cut(project, "0.2.0", DAY)


def test_the_next_is_begun_behind_the_tag_alone(project: Path) -> None:
    """The id beside the data is the tagged commit's."""

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main")
        return subprocess.check_output(["git", *who, "-C", project, *arguments], text=True).strip()

    cut(project, "0.1.0", DAY)
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Release 0.1.0")
    with pytest.raises(CutError, match=r"HEAD is not tagged v0\.1\.0"):
        tagged_commit(project)
    git("tag", "--annotate", "--message", "0.1.0", "v0.1.0")
    assert tagged_commit(project) == git("rev-parse", "HEAD")
    git("commit", "--quiet", "--allow-empty", "--message", "More")
    with pytest.raises(CutError, match=r"HEAD is not tagged v0\.1\.0"):
        tagged_commit(project)


def test_the_version_stands_in_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    """What is installed, the command and the formats tell what ``pyproject.toml`` says, and no source says it again."""
    mine = str(version_of(ROOT))
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.split() == ["stud-table", mine]
    assert (version("stud-table"), own_formats().release) == (mine, mine)
    sources = [path for folder in ("controller", "drivers", "simulators", "release") for path in (ROOT / folder).rglob("*.py")]
    said = re.compile(rf"(?<![\d.]){re.escape(mine)}(?![\d.])")
    assert [str(path) for path in sources if said.search(path.read_text(encoding="utf-8"))] == []


def test_pages_name_the_newest_release() -> None:
    """Whoever installs after them takes the one that is out, or the first that comes."""
    out = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    newest = out[0] if out else version_of(ROOT).base_version
    for name in NAMING:
        named = set(re.findall(r"(?:stud[-_]table|formats)-(\d+\.\d+\.\d+)", (ROOT / name).read_text(encoding="utf-8")))
        assert named == {newest}, name
