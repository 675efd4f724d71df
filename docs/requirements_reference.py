# ruff: noqa: INP001, T201 - a script, no package
"""Makes ``docs/reference/requirements.md``: what regulators ask, the tests that prove it, and what is open.

    .venv/bin/python docs/requirements_reference.py
    .venv/bin/python docs/requirements_reference.py --results FILE     # prints it with the results of a run

Lines and tests stand in ``docs/reference/requirements.toml``; each test that is named there must be there.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT / "docs/reference/requirements.toml"
PAGE: Final = ROOT / "docs/reference/requirements.md"
HEAD: Final = """# Requirements

Made by `docs/requirements_reference.py` from `requirements.toml`. It says which tests prove a row, and what a row asks beyond
them; a row without a test is open. It says nothing of a run: `pytest --outcomes FILE` notes what became of each test, and
`docs/requirements_reference.py --results FILE` prints this page with the result of every row, its date and its commit.

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


def result(names: Sequence[str], tests: Mapping[str, str]) -> str:
    """What a run says of a row: it passed when every case of every test that it names was run and passed."""
    if not names:
        return "open"
    cases = [[said for test, said in tests.items() if re.sub(r"\[.*", "", test) == f"tests/{name}"] for name in names]
    said = {word for one in cases for word in one}
    if said & {"failed", "error"}:
        return "failed"
    return "passed" if all(cases) and said == {"passed"} else "not run whole"


def page(run: Mapping[str, Any] | None = None) -> str:
    """The page as it should be; with what ``pytest --outcomes`` wrote of ``run``, a result in each row."""
    data = read()
    rows = []
    for row, line in data["lines"].items():
        names = data["tests"].get(row, ())
        beyond = data["missing"].get(row, "")
        proof = [*(f"`{re.sub('^.*/', '', name)}`" for name in names), *([f"open: {beyond}"] if beyond else [])]
        said = "" if run is None else result(names, run["tests"])
        told = "" if run is None else f" {said} in part |" if beyond and said == "passed" else f" {said} |"
        rows.append(f"| {row} | {line} | {'<br>'.join(proof) or 'open'} |{told}\n")
    if run is None:
        return HEAD + "| row | what is asked | proved by |\n| --- | --- | --- |\n" + "".join(rows)
    changed = ", with changes that are not committed" if run["changed"] else ""
    of = f"Results of {run['at']}, commit `{run['commit']}`{changed}.\n\n"
    return HEAD + of + "| row | what is asked | proved by | result |\n| --- | --- | --- | --- |\n" + "".join(rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--results"]:
        print(page(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))), end="")
    else:
        PAGE.write_text(page(), encoding="utf-8")
        print("\n".join(missing(read()["tests"], read()["lines"])), end="")
