"""The wheel of the sources as they lie here, and an environment that has it and no way back to the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from sysconfig import get_path
from typing import Final

from release.wheel import PACKAGES, Tree

ROOT: Final = Path(__file__).parents[2]
BESIDE: Final = ("pyproject.toml", "README.md", "LICENSE")
OURS: Final = ("stud_table-", "_editable_impl_stud_table", "__editable__")
EPOCH: Final = 1_700_000_000


def copy_of_the_sources(folder: Path) -> Tree:
    """What a commit of now would have of the program, in ``folder``."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *PACKAGES, *BESIDE]
    told = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = tuple(sorted(name for name in told.split("\0") if name and (ROOT / name).is_file()))
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return Tree(folder, EPOCH, files)


def environment_of(wheel: Path, folder: Path) -> Path:
    """The ``bin`` of an environment in ``folder`` with ``wheel`` and the packages of this one, but no way to the repository."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    bin_folder = folder / "bin"
    site = next((folder / "lib").glob("python*/site-packages"))
    for path in Path(get_path("purelib")).iterdir():
        if not path.name.startswith(OURS):
            (site / path.name).symlink_to(path)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    program = bin_folder / "stud-table"
    program.write_text(
        f"#!{bin_folder}/python\nimport sys\nfrom controller.cli import main\nsys.exit(main())\n", encoding="utf-8"
    )
    program.chmod(0o755)
    return bin_folder
