"""``python -m release.cut VERSION`` makes the texts those of a release; ``… --next VERSION`` begins the next one behind its tag.

Both change files alone: a person looks, tests, commits and tags.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from packaging.version import InvalidVersion, Version

ROOT: Final = Path(__file__).parents[1]
RELEASES: Final = "tests/data/releases"
COMMIT: Final = "commit"
"""The file beside a release's data that has its commit."""
NAMING: Final = ("docs/how-to/install.md", "docs/how-to/upgrade.md", "docs/tutorial/first-table.md")
"""Pages that tell a reader which release to take."""
_NAMED: Final = re.compile(r"((?:stud[-_]table|formats)-)(\d+\.\d+\.\d+)")
_VERSION: Final = re.compile(r'(?m)^version = "([^"]+)"$')
_OPEN: Final = "## [Unreleased]\n"


class CutError(Exception):
    """Why nothing was changed; one clear sentence."""


def version_of(root: Path) -> Version:
    """What ``pyproject.toml`` says."""
    return Version(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def cut(root: Path, wanted: str, day: date) -> None:
    """The version, the changelog's *Unreleased* under its name and day, and the pages that name a release. ``CutError``."""
    version, now = _version(wanted), version_of(root)
    if version.is_prerelease or str(version) != wanted or len(version.release) != 3:
        raise CutError(f"{wanted} is no release: say three numbers, as 0.2.0")
    if version < now and version != Version(now.base_version):
        raise CutError(f"{wanted} is older than {now}, which pyproject.toml says")
    pages = {name: _text(root, name) for name in NAMING}
    text = _text(root, "CHANGELOG.md")
    if f"## [{wanted}]" in text:
        raise CutError(f"CHANGELOG.md has {wanted} already")
    _, _, rest = text.partition(_OPEN)
    if not rest.partition("\n## ")[0].strip():
        raise CutError("CHANGELOG.md says nothing under Unreleased")
    changed = {name: _NAMED.sub(rf"\g<1>{wanted}", page) for name, page in pages.items()}
    changed["CHANGELOG.md"] = text.replace(_OPEN, f"## [{wanted}] - {day.isoformat()}\n")
    _write(root, changed | _with_version(root, wanted))


def begin(root: Path, wanted: str, commit: str) -> None:
    """The next version, an empty *Unreleased*, and ``commit`` beside the data of the release that was tagged. ``CutError``."""
    version, released = _version(wanted), version_of(root)
    if not version.is_devrelease or version <= released:
        raise CutError(f"{wanted} does not come after {released}: say the next three numbers and .dev0, as 0.3.0.dev0")
    data = root / RELEASES / str(released)
    if not data.is_dir():
        raise CutError(f"{RELEASES}/{released} is not there: python -m support.release_data, in tests, before the tag")
    text = _text(root, "CHANGELOG.md")
    head = f"## [{released}]"
    if head not in text or _OPEN in text:
        raise CutError(f"CHANGELOG.md has no {released} at its top: was it cut?")
    changed = {
        f"{RELEASES}/{released}/{COMMIT}": f"{commit}\n",
        "CHANGELOG.md": text.replace(head, f"{_OPEN}\n{head}", 1),
    }
    _write(root, changed | _with_version(root, wanted))


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        raise CutError(f"{text} is no version: say three numbers, as 0.2.0") from None


def _text(root: Path, name: str) -> str:
    try:
        return (root / name).read_text(encoding="utf-8")
    except OSError as error:
        raise CutError(f"{name} cannot be read ({error.strerror}): git checkout {name} brings it back") from None


def _with_version(root: Path, version: str) -> dict[str, str]:
    name = "pyproject.toml"
    return {name: _VERSION.sub(f'version = "{version}"', _text(root, name), count=1)}


def _write(root: Path, changed: Mapping[str, str]) -> None:
    """The files with these texts, by name. ``CutError`` where one cannot be written: those before it stay changed."""
    for name, text in changed.items():
        try:
            (root / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CutError(
                f"{name} cannot be written ({error.strerror}): make room, git checkout {' '.join(changed)}, and again"
            ) from None


def tagged_commit(root: Path) -> str:
    """The commit that ``v<version>`` names, which must be the one checked out. ``CutError``."""
    tag = f"v{version_of(root)}"
    asked = ["git", "-C", str(root), "rev-parse", "--quiet", f"{tag}^{{commit}}", "HEAD"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()  # noqa: S603
    if len(told) != 2 or told[0] != told[1]:
        raise CutError(f"HEAD is not tagged {tag}: tag the release's commit first")
    return told[0]


def main() -> int:
    """Change the files; 1 and one sentence when they are not as they should be."""
    parser = argparse.ArgumentParser(prog="python -m release.cut", description="the texts of a release, and of what comes after")
    parser.add_argument("version", help="the release, as 0.2.0; with --next what comes after, as 0.3.0.dev0")
    parser.add_argument("--next", action="store_true", dest="after", help="begin the next one, behind the tag of this one")
    asked = parser.parse_args()
    try:
        if asked.after:
            begin(ROOT, asked.version, tagged_commit(ROOT))
        else:
            cut(ROOT, asked.version, datetime.now(UTC).date())
    except CutError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
