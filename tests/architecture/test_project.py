"""Rules of the project: layers, mirrored tests, sizes, texts that speak of the project alone, reasons for dependencies."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
SOURCES: Final = ("controller", "drivers", "simulators")
MAX_LINES: Final = 450

MIRRORED: Final = (
    "controller/access",
    "controller/hand",
    "controller/tracking",
    "controller/journal",
    "controller/views",
    "controller/words",
    "controller/table",
    "controller/displays",
    "controller/console",
    "controller/pages",
    "controller/cli",
    "controller/calibration",
    "drivers",
)
"""Folders where every module with logic has a test file: its own, or one of the folder that imports it."""

TESTED_THROUGH: Final = {
    "controller/hand/explain_awards.py": "tests/hand/test_hand_explain.py",
    "controller/hand/explain_slips.py": "tests/hand/test_hand_explain.py",
    "controller/cli/export.py": "tests/export/test_export_files.py",
    "controller/console/ruling_orders.py": "tests/console/test_console_orders.py",
    "controller/hand/evolve_irregular.py": "tests/hand/test_hand_slips.py",
    "controller/hand/progress.py": "tests/hand/test_hand_decide.py",
    "controller/hand/requests.py": "tests/hand/test_hand_decide.py",
    "controller/hand/windows.py": "tests/hand/test_rules_corrections.py",
    "controller/table/evolve_cards.py": "tests/table/test_table_slips.py",
    "controller/table/evolve_seats.py": "tests/table/test_table_floor_orders.py",
    "controller/table/shoe_errors.py": "tests/table/test_table_shoe_session.py",
    "controller/table/ruling_values.py": "tests/table/test_table_slips.py",
    "controller/table/floor_calls.py": "tests/table/test_table_decide.py",
    "controller/table/match.py": "tests/table/test_table_decide.py",
    "controller/table/story.py": "tests/table/test_table_decide.py",
    "controller/table/rulings.py": "tests/table/test_table_slips.py",
    "controller/journal/scan.py": "tests/journal/test_journal_verify.py",
    "drivers/feig/wire.py": "tests/drivers/test_feig_driver.py",
    "drivers/link/base.py": "tests/drivers/test_feig_driver.py",
    "drivers/shoe/event_store.py": "tests/drivers/test_shoe_sessions_joined.py",
    "drivers/shoe/gate_orders.py": "tests/drivers/test_shoe_sessions_joined.py",
    "drivers/shoe/link_health.py": "tests/drivers/test_shoe_sessions_joined.py",
}
"""Parts that were split off for length, and the test file of the whole. Add one only with that reason."""

BINARY_SUFFIXES: Final = {".png", ".jpg", ".gif", ".ico", ".woff2", ".pdf", ".db", ".sqlite", ".pyc"}
IGNORED_FOLDERS: Final = {".git", ".venv", "dist", "data", "__pycache__", "node_modules", "site"}

MACHINE: Final = re.compile(r"/(?:wor[k]|roo[t]|hom[e]|User[s]|mn[t])/[\w.-]+|[fF]ile://|[A-Z]:\\Users")
"""A path of one machine or person. What a system fixes for everybody (/dev, /proc, /etc, /usr, /run, /var, /opt) is none."""


def python_files(*folders: str) -> Iterator[Path]:
    """Every Python file below ``folders`` of the project, sorted."""
    for folder in folders:
        yield from sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


def relative(path: Path) -> str:
    """``path`` as the project sees it, with slashes."""
    return path.relative_to(ROOT).as_posix()


def pyproject() -> dict[str, Any]:
    """The parsed ``pyproject.toml``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every text file of the project."""
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT).parts
        if IGNORED_FOLDERS.intersection(inside) or any(part.endswith("_cache") or part == ".hypothesis" for part in inside):
            continue
        if path.is_file() and path.suffix not in BINARY_SUFFIXES:
            yield relative(path), path.read_text(encoding="utf-8", errors="replace")


def dependency_names() -> list[str]:
    """Names of all dependencies: run time, extras, groups and the build."""
    project = pyproject()
    entries = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for group in (*project["project"]["optional-dependencies"].values(), *project["dependency-groups"].values()):
        entries += [entry for entry in group if isinstance(entry, str)]
    return sorted({re.split(r"[\s<>=!~;\[]", entry, maxsplit=1)[0].lower() for entry in entries})


def has_logic(module: Path) -> bool:
    """Whether a function of ``module`` does anything: data types, protocols, errors and constants alone need no test."""
    nodes = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
    functions = (node for node in nodes if isinstance(node, FUNCTIONS) and node.name != "__init__")
    return any(not isinstance(statement, ast.Expr | ast.Pass) for function in functions for statement in function.body)


def names_of_tests(module: Path) -> set[str]:
    """Names under which the test file of ``module`` is looked for: ``test_lines.py``, ``test_shoe_lines.py``."""
    return {f"test_{module.stem}.py", f"test_{module.parent.name}_{module.stem}.py"}


def test_imports_keep_to_the_contracts() -> None:
    """The layers and forbidden imports of ``pyproject.toml`` hold. The checker runs on its own: it silences loggers."""
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stdout


def is_tested(module: Path, tests: Path) -> bool:
    """Whether ``module`` has its test file in ``tests``, is imported by one there, or is part of something that is tested."""
    name = relative(module)
    if any((tests / candidate).is_file() for candidate in names_of_tests(module)):
        return True
    if name in TESTED_THROUGH:
        return (ROOT / TESTED_THROUGH[name]).is_file()
    imported = f"from {name.removesuffix('.py').removesuffix('/__init__').replace('/', '.')} import"
    return any(imported in test.read_text(encoding="utf-8") for test in tests.glob("test_*.py"))


def test_every_module_of_the_core_has_its_test_file() -> None:
    """``drivers/shoe/lines.py`` is tested in ``tests/drivers/test_shoe_lines.py``, and so on."""
    missing = [
        f"{relative(module)}: no {' or '.join(sorted(names_of_tests(module)))}"
        for folder in MIRRORED
        for module in python_files(folder)
        if has_logic(module) and not is_tested(module, ROOT / "tests" / Path(folder).name)
    ]
    assert not missing, "\n".join(missing)


def test_every_module_of_the_composition_has_its_test_file() -> None:
    """``controller/verify.py`` is tested in ``tests/controller/test_verify.py``, and so on."""
    modules = [path for path in sorted((ROOT / "controller").glob("*.py")) if has_logic(path)]
    missing = [relative(module) for module in modules if not is_tested(module, ROOT / "tests/controller")]
    assert not missing, "\n".join(missing)


def test_exceptions_from_the_mirror_are_still_needed() -> None:
    """A part that is gone leaves the list of exceptions."""
    assert not [name for name in TESTED_THROUGH if not (ROOT / name).is_file()]


def test_names_of_test_files_are_unique() -> None:
    """pytest imports test files by their bare names."""
    counts = Counter(path.name for path in python_files("tests") if path.name.startswith("test_"))
    assert not [name for name, count in counts.items() if count > 1]


def test_folders_of_tests_are_no_packages() -> None:
    """``tests/drivers`` as a package would hide ``drivers``; helpers alone are one."""
    packages = [relative(path.parent) for path in python_files("tests") if path.name == "__init__.py"]
    assert packages == ["tests/support"]


def test_no_module_is_too_long() -> None:
    """A module of more than 450 lines is two modules."""
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(*SOURCES)}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_LINES}


def test_no_text_names_a_machine() -> None:
    """The project speaks of itself alone: no path and no address of the machine it was written on."""
    found = [
        f"{name}:{number}: {hit.group()}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if (hit := MACHINE.search(line))
    ]
    assert not found, "\n".join(found[:20])


def test_every_dependency_has_its_reason() -> None:
    """Each dependency has a row in the decisions, and no row speaks of one that is gone."""
    record = (ROOT / "docs/decisions/0009-dependencies.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| `([\w.-]+)` \|", record, flags=re.MULTILINE)
    assert sorted(explained) == dependency_names()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", "requirements-docs.lock"])
def test_locks_hold_names_versions_and_hashes_alone(lock: str) -> None:
    """A lock names no address and no path, and every entry is pinned with hashes."""
    lines = [line for line in (ROOT / lock).read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    pattern = re.compile(r"[a-z0-9._-]+==[\w.!+]+(?: ; [^/]+)? \\|    --hash=sha256:[0-9a-f]{64}(?: \\)?")
    assert not [line for line in lines if not pattern.fullmatch(line)]


def test_the_lock_of_the_pages_tools_holds_names_versions_and_hashes_alone() -> None:
    """Every package of npm is pinned by version and SHA-512, and nothing in the lock says where it comes from."""
    lock = json.loads((ROOT / ".ci/pages/package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    wanted = json.loads((ROOT / ".ci/pages/package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    for name, one in packages.items():
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", one["integrity"]), name
        assert "resolved" not in one, name
    assert "://" not in json.dumps(lock)


def test_development_lock_contains_the_runtime_lock() -> None:
    """Tests run with the versions that a table runs with."""

    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^[a-z0-9._-]+==\S+", (ROOT / lock).read_text(encoding="utf-8"), flags=re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")
    names = {pin.partition("==")[0] for pin in pins("requirements-dev.lock") | pins("requirements-docs.lock")}
    assert not set(dependency_names()) - names


def test_decisions_are_numbered_and_listed() -> None:
    """Every record has the next number, its parts, and a row in the list."""
    folder = ROOT / "docs/decisions"
    records = sorted(folder.glob("[0-9]*.md"))
    listed = (folder / "README.md").read_text(encoding="utf-8")
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert f"]({record.name})" in listed, record.name
        parts = ["Context", "Options that were rejected", "Decision", "Consequences"]
        assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == parts, record.name


def test_links_between_documents_lead_somewhere() -> None:
    """Every relative link of a Markdown file names a file or folder of the project."""
    broken = []
    for name, text in texts():
        if name.endswith(".md"):
            targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
            broken += [f"{name}: {target}" for target in targets if not (ROOT / name).parent.joinpath(target).exists()]
    assert not broken, "\n".join(broken)
