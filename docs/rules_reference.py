# ruff: noqa: INP001, T201 - a script, no package
"""Makes ``docs/reference/rules.md``: every rule in one line, where it is decided and which tests prove it.

    .venv/bin/python docs/rules_reference.py

The lines stand in ``docs/reference/rules.toml``. A rule is decided where its id stands in a docstring or comment of a function
of ``controller`` or ``drivers``; declarations of events, commands and knobs, and words about decisions, decide nothing. It is
proved by a test file that names it; tests of words alone prove nothing. A rule about people alone stands under ``[people]`` with
the ruling that the floor enters for it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT / "docs/reference/rules.toml"
PAGE: Final = ROOT / "docs/reference/rules.md"
_ID: Final = re.compile(r"\bR-([A-Z]+)-(\d\d)(?:\s+to\s+R-\1-(\d\d))?")
_DECLARATIONS: Final = ("commands.py", "events.py", "irregular_events.py", "knobs.py", "terms.py", "why.py")
_WORDS: Final = ("controller/words/", "controller/cards/", "controller/hand/explain")
_TESTS_OF_WORDS: Final = (
    "test_cards.py",
    "test_reasons.py",
    "test_rule_card.py",
    "test_hand_explain.py",
    "test_rules_reference.py",
)
_FAMILIES: Final = {
    "SETUP": "Table and stakes",
    "DECK": "Deck, shuffle, cut",
    "ANTE": "Antes",
    "DEAL": "Dealing",
    "EXP": "Exposed cards",
    "MIS": "Misdeals, fouled deck",
    "ERR": "Errors after third street",
    "STUB": "Running out of cards",
    "BRING": "Bring-in",
    "OPEN": "Who opens",
    "BET": "Betting",
    "ALLIN": "All-in and pots",
    "ABS": "Absence, time, dead hands",
    "SHOW": "Showdown",
    "EVAL": "Reading hands",
    "POT": "Awarding pots",
    "RAKE": "Rake and extras",
    "RULE": "Rulings and corrections",
}


class Rule(NamedTuple):
    """One row: ``places`` are functions that decide it, ``tests`` files that prove it, ``ruling`` the floor's command."""

    id: str
    line: str
    places: tuple[str, ...]
    tests: tuple[str, ...]
    ruling: str


def ids_in(text: str) -> list[tuple[str, int]]:
    """Every rule id in ``text`` with its offset; ``R-A-01 to R-A-04`` is four."""
    found: list[tuple[str, int]] = []
    for hit in _ID.finditer(text):
        family, first, last = hit.group(1), int(hit.group(2)), int(hit.group(3) or hit.group(2))
        found += [(f"R-{family}-{number:02}", hit.start()) for number in range(first, last + 1)]
    return found


def _scopes(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First and last line and name of each function, methods as ``Class.method``; classes themselves are declarations."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    scopes = []
    for node in tree.body:
        if isinstance(node, functions):
            scopes.append((node.lineno, node.end_lineno or node.lineno, node.name))
        elif isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, functions)]
            scopes += [(part.lineno, part.end_lineno or part.lineno, f"{node.name}.{part.name}") for part in methods]
    return scopes


def places() -> dict[str, list[str]]:
    """Rule id → functions of the sources that name it, as ``controller/hand/pots.py: split``."""
    found: dict[str, set[str]] = defaultdict(set)
    for folder in ("controller", "drivers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if (path.name in _DECLARATIONS and path.parent.name == "hand") or name.startswith(_WORDS):
                continue
            text = path.read_text(encoding="utf-8")
            scopes = _scopes(ast.parse(text))
            for rule, offset in ids_in(text):
                line = text.count("\n", 0, offset) + 1
                found[rule].update(f"{name}: {scope}" for first, last, scope in scopes if first <= line <= last)
    return {rule: sorted(names) for rule, names in found.items()}


def tests() -> dict[str, list[str]]:
    """Rule id → test files that name it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.name not in _TESTS_OF_WORDS:
            for rule, _ in ids_in(path.read_text(encoding="utf-8")):
                found[rule].add(path.relative_to(ROOT).as_posix())
    return {rule: sorted(names) for rule, names in found.items()}


def rulings() -> set[str]:
    """Names of the commands that can be entered: classes of the hand's commands and the table's inputs."""
    names: set[str] = set()
    for file in ("controller/hand/commands.py", "controller/table/inputs.py"):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        names |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return names


def rules() -> tuple[Rule, ...]:
    """All rules in their order; ``ValueError`` for a ruling that is no command."""
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    decided, proved, people = places(), tests(), data.get("people", {})
    unknown = {ruling for names in people.values() for ruling in names.split(", ")} - rulings()
    if unknown:
        raise ValueError(f"rules.toml: {', '.join(sorted(unknown))} is no command that can be entered")
    return tuple(
        Rule(rule, line, tuple(decided.get(rule, ())), tuple(proved.get(rule, ())), people.get(rule, ""))
        for rule, line in data["rules"].items()
    )


def gaps() -> dict[str, str]:
    """Rule id → what it lacks; empty when every rule is decided somewhere and proved by a test."""
    missing: dict[str, str] = {}
    for rule in rules():
        lacks = [] if rule.places or rule.ruling else ["no place"]
        if not rule.tests:
            lacks.append("no test")
        if lacks:
            missing[rule.id] = ", ".join(lacks)
    return missing


def unknown_ids() -> list[str]:
    """Ids that stand in sources or tests but in no line of the data."""
    known = {rule.id for rule in rules()}
    return sorted((set(places()) | set(tests())) - known)


def page() -> str:
    """The page as Markdown."""
    every = rules()
    parts = [
        "# Rules",
        "",
        "Made by `docs/rules_reference.py`; do not edit. Every rule in one line, the functions that decide it and the tests that",
        "prove it. Where sources conflict a house rule decides; `stud-table` posts them in words.",
    ]
    for family, title in _FAMILIES.items():
        parts += ["", f"## {title}", "", "| rule | in short | decided in | proved by |", "| --- | --- | --- | --- |"]
        parts += [_row(rule) for rule in every if rule.id.split("-")[1] == family]
    return "\n".join(parts) + "\n"


def _row(rule: Rule) -> str:
    by_file: dict[str, list[str]] = {}
    for place in rule.places:
        file, _, function = place.partition(": ")
        by_file.setdefault(file, []).append(f"`{function}`")
    where = [f"[{file.removeprefix('controller/')}](../../{file}): {', '.join(names)}" for file, names in by_file.items()]
    if rule.ruling:
        where.append("people alone: the floor enters " + ", ".join(f"`{name}`" for name in rule.ruling.split(", ")))
    proofs = [f"[{Path(file).stem.removeprefix('test_')}](../../{file})" for file in rule.tests]
    return f"| {rule.id} | {rule.line} | {'<br>'.join(where) or '–'} | {', '.join(proofs) or '–'} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    for identifier, lack in gaps().items():
        print(f"{identifier}: {lack}")
