# ruff: noqa: INP001, T201 - a script, no package
"""Makes ``docs/reference/requirements.md``: what regulators ask, the tests that prove it, and what is open.

    .venv/bin/python docs/requirements_reference.py

Lines and tests stand in ``docs/reference/requirements.toml``; each test that is named there must be there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT / "docs/reference/requirements.toml"
PAGE: Final = ROOT / "docs/reference/requirements.md"
HEAD: Final = """# Requirements

Made by `docs/requirements_reference.py` from `requirements.toml`. `make test` runs every test that is named here: a row holds
as far as its tests go. A row without one is open, or nobody has named its test yet.

| row | what is asked | proved by |
| --- | --- | --- |
"""


def read() -> dict[str, Any]:
    """Lines and tests by row."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def missing(tests: Mapping[str, Sequence[str]], lines: Mapping[str, str]) -> list[str]:
    """What is named and not there: tests, and rows without a line."""
    found = [f"{row}: no such row" for row in tests if row not in lines]
    for row, names in tests.items():
        for name in names:
            file, _, function = name.partition("::")
            path = ROOT / "tests" / file
            tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            if function not in functions:
                found.append(f"{row}: there is no test {name}")
    return found


def page() -> str:
    """The page as it should be."""
    data = read()
    rows = []
    for row, line in data["lines"].items():
        names = data["tests"].get(row, ())
        proof = "<br>".join(f"`{re.sub('^.*/', '', name)}`" for name in names) or "open"
        rows.append(f"| {row} | {line} | {proof} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print("\n".join(missing(read()["tests"], read()["lines"])), end="")
