"""The wheel and the archive of the sources, from a commit alone: the same bytes from every folder, clock, zone, user and mask."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

PACKAGES: Final = ("controller", "drivers", "simulators")
"""What the wheel installs."""
BESIDE: Final = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
"""What a wheel says about itself."""
ENDINGS: Final = {"wheel": "-py3-none-any.whl", "sdist": ".tar.gz"}


class BuildError(Exception):
    """Why there is no wheel, or not the one that was meant; one clear sentence."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a commit in a folder of their own. ``epoch`` is the commit's time in seconds."""

    folder: Path
    epoch: int
    files: tuple[str, ...]

    @property
    def version(self) -> str:
        """The one place that says it."""
        return str(tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def export(root: Path, commit: str, folder: Path) -> Tree:
    """The files of ``commit`` of the repository at ``root``, without what lies around there. ``BuildError`` where it is not."""
    try:
        found = _git(root, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
    except BuildError as error:
        raise BuildError(f"{root} has no commit {commit!r}, name a tag or commit of it: {error}") from None
    told = _git(root, "log", "-1", "--format=%ct", found)
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", found))) as packed:
        packed.extractall(folder, filter="data")
        files = tuple(sorted(one.name for one in packed.getmembers() if one.isfile()))
    return Tree(folder, int(told), files)


def _git(root: Path, *arguments: str) -> bytes:
    try:
        return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True).stdout  # noqa: S603, S607
    except FileNotFoundError:
        raise BuildError("git is not installed: apt-get install git") from None
    except subprocess.CalledProcessError as error:
        raise BuildError(f"git {arguments[0]}: {error.stderr.decode(errors='replace').strip()}") from None


def build(tree: Tree, out: Path, kinds: tuple[str, ...] = ("wheel", "sdist")) -> tuple[Path, ...]:
    """Wheel and sources of ``tree`` in ``out``, in the order of ``kinds``."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(tree.epoch)}
    found = []
    for kind in kinds:
        made = subprocess.run(  # noqa: S603
            [*command, "-t", kind], cwd=tree.folder, env=environment, capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise BuildError(f"hatchling makes no {kind}: {made.stderr.strip()}")
        found.append(out / f"stud_table-{tree.version}{ENDINGS[kind]}")
    return tuple(found)


def differences(wheel: Path, tree: Tree) -> tuple[str, ...]:
    """Files of the program that ``wheel`` lacks, and files in it that are none of the program; a line each."""
    beside = f"stud_table-{tree.version}.dist-info"
    wanted = {name for name in tree.files if PurePosixPath(name).parts[0] in PACKAGES} | {f"{beside}/{name}" for name in BESIDE}
    with zipfile.ZipFile(wheel) as packed:
        found = {name for name in packed.namelist() if not name.endswith("/")}
    lines = [f"{name} is missing" for name in sorted(wanted - found)] + [f"{name} was added" for name in sorted(found - wanted)]
    return tuple(lines)


def digest(path: Path) -> str:
    """SHA-256, hexadecimal."""
    return sha256(path.read_bytes()).hexdigest()
