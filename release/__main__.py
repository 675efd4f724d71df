"""``python -m release [--commit COMMIT] [--out DIR] [--no-install]``: all that a release consists of, in one new folder."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from release.bill import bill
from release.licences import LicenceError, licences_of
from release.licences import page as licence_page
from release.locked import LockError, needs, read_lock
from release.smoke import SmokeError, install, walk
from release.wheel import BuildError, Tree, build, differences, digest, export

ROOT: Final = Path(__file__).parents[1]
SUMS: Final = "SHA256SUMS"


def write_lists(tree: Tree, wheel: Path, out: Path) -> None:
    """Lock, bill of materials, licences and changes of ``wheel`` in ``out``, and the verifier that needs nothing of it."""
    locked = read_lock(tree.folder / "requirements.lock")
    shutil.copyfile(tree.folder / "requirements.lock", out / "requirements.lock")
    needed, licences = needs(locked), licences_of(locked)
    made = bill(tree.version, digest(wheel), tree.epoch, locked, needed, licences)
    (out / f"stud_table-{tree.version}.cdx.json").write_text(made, encoding="utf-8")
    (out / "licences.md").write_text(licence_page(locked).replace("](../../LICENSE)", "](LICENSE)"), encoding="utf-8")
    for name in ("LICENSE", "CHANGELOG.md", "deploy/verify_journal.py"):
        shutil.copyfile(tree.folder / name, out / Path(name).name)


def write_sums(out: Path) -> None:
    """The digest of each file of ``out``, as ``sha256sum --check`` reads them."""
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(out.iterdir()) if path.name != SUMS]
    (out / SUMS).write_text("".join(lines), encoding="utf-8")


def put(made: Path, out: Path) -> None:
    """The files of ``made`` in ``out``: all of them, or no such folder. ``BuildError`` where it cannot be made."""
    beside = out.with_name(f".{out.name}.new")
    try:
        shutil.rmtree(beside, ignore_errors=True)  # what a torn run left
        shutil.copytree(made, beside)
        beside.rename(out)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise BuildError(f"{out} cannot be written ({error.strerror or error}): name another folder with --out") from None


def make(commit: str, out: Path, *, with_install: bool) -> None:
    """A release of ``commit`` in ``out``, which must not be there. Whole, or not there."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        tree = export(ROOT, commit, work / "tree")
        made = work / "made"
        made.mkdir()
        wheel, _ = build(tree, made)
        again = build(export(ROOT, commit, work / "again/elsewhere"), work / "twice")
        if unequal := [path.name for path in again if digest(path) != digest(made / path.name)]:
            raise BuildError(f"{unequal[0]} was built twice and differs")
        if wrong := differences(wheel, tree):
            raise BuildError(f"the wheel is not the program: {'; '.join(wrong[:5])}")
        write_lists(tree, wheel, made)
        if with_install:
            print("installing it into an empty environment", file=sys.stderr)
            programs = install(work / "environment", wheel, made / "requirements.lock")
            (work / "walk").mkdir()
            for line in walk(programs, work / "walk", tree.version):
                print(f"  {line}", file=sys.stderr)
            command = [str(programs / "stud-table"), "formats", "--json"]
            told = subprocess.run(command, cwd=work, capture_output=True, text=True, check=True).stdout  # noqa: S603
            (made / f"formats-{tree.version}.json").write_text(told, encoding="utf-8")
        write_sums(made)
        put(made, out)
    for path in sorted(out.iterdir()):
        print(path)


def main() -> int:
    """Make it; 1 and one sentence when it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m release", description="everything that a release consists of, in one new folder"
    )
    parser.add_argument("--commit", default="HEAD", help="what to make it from: a tag or commit (default HEAD)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist/release", metavar="DIR", help="the folder to make")
    parser.add_argument(
        "--no-install", action="store_true", help="without the walk in an empty environment, which needs a registry"
    )
    asked = parser.parse_args()
    if asked.out.exists():
        print(f"release: {asked.out} is there already: name another folder, or remove it", file=sys.stderr)
        return 2
    try:
        make(asked.commit, asked.out, with_install=not asked.no_install)
    except (BuildError, LockError, LicenceError, SmokeError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
