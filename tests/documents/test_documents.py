"""The documentation says what the code does: made parts are current, examples parse, the sample table loads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Final, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from controller.cli.commands import parser_of
from controller.cli.parsing import DOES_NOT_HOLD, FENCED, OK, WRONG_USE
from controller.config import TableConfig, load_config
from controller.serve import load_registry

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
PLACEHOLDERS: Final = {"FILE…": "hands.jsonl", "DATA/journal.sqlite3": "journal.sqlite3", "mqtt://…": "mqtt://127.0.0.1:1883"}


def test_parts_made_from_the_code_are_current(generator: ModuleType) -> None:
    """Commands, house rules, sentences, events, endpoints and phases stand in the documents as the code has them."""
    stale = [
        path.name for path, text in generator.pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, f"{', '.join(stale)}: run .venv/bin/python docs/generate.py"


def test_every_part_is_used(generator: ModuleType) -> None:
    """A part that no page shows is no part."""
    used = {part[1] for page in PAGES for part in generator.PART.findall(page.read_text(encoding="utf-8"))}
    assert used == set(generator.PARTS)


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of a configuration with its default as the documents write it."""
    for name, field in model.model_fields.items():
        inner = _section(field.annotation)
        if inner is None:
            yield prefix + name, field.get_default(call_default_factory=True) if not field.is_required() else "required"
            continue
        if name == "readers":
            yield prefix + name, "none"
        yield from keys_of(inner, f"{prefix}{name}.")


def _section(annotation: Any) -> type[BaseModel] | None:
    candidates = [annotation]
    if get_origin(annotation) in (tuple, Union, UnionType):
        candidates = list(get_args(annotation))
    return next((entry for entry in candidates if isinstance(entry, type) and issubclass(entry, BaseModel)), None)


def test_every_key_of_table_toml_is_explained() -> None:
    """The reference has each key of the configuration, no other, and its default."""
    page = (DOCS / "reference/table-toml.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z_.]+)` \| (.+?) \|", page, flags=re.MULTILINE))
    known = dict(keys_of(TableConfig))
    assert told.keys() == known.keys()
    for key, default in known.items():
        if isinstance(default, bool):
            assert told[key] == f"`{str(default).lower()}`", key
        elif isinstance(default, int | float):
            assert told[key] == f"`{default:g}`", key
        elif isinstance(default, str):
            assert told[key].strip("`") == default, key
        else:
            assert told[key] != "required", key


def test_the_sample_table_loads() -> None:
    """The files that a venue starts from have no problem: nineteen antennas, 52 cards."""
    config = load_config(ROOT / "deploy/sample/table.toml")
    assert not config.problems()
    assert len(config.antennas()) == 19
    assert load_registry(config).set_id == "D20260117A"


def commands_of(page: Path) -> Iterator[str]:
    """The ``stud-table`` commands in the code blocks of a page."""
    for block in re.findall(r"^ *```(?:sh)?\n(.*?)^ *```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command = re.match(r" *(?:\.venv/bin/)?stud-table (?!:)([a-z].*)", line)
            if command is not None:
                yield re.sub(r"\[[^]]*\]…?", "", command[1])


EXAMPLES: Final = sorted({(page.name, command) for page in PAGES for command in commands_of(page)})


@pytest.mark.parametrize(("page", "command"), EXAMPLES)
def test_commands_in_the_documents_parse(page: str, command: str) -> None:
    """Whoever types what a page shows is understood."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)]
    assert parser_of().parse_args(words).run is not None, page


def test_examples_were_found() -> None:
    """The pages show the commands that exist, so the test above tests something."""
    assert {command.split()[0] for _, command in EXAMPLES} >= {"demo", "run", "watch", "replay", "verify", "bench"}


def test_exit_codes_are_as_told() -> None:
    """The reference lists the codes that the commands use."""
    page = (DOCS / "reference/commands.md").read_text(encoding="utf-8")
    told = [int(code) for code in re.findall(r"^\| (\d+) \|", page, flags=re.MULTILINE)]
    assert told == [OK, DOES_NOT_HOLD, WRONG_USE, FENCED, 130]


def test_every_page_can_be_found_from_the_index() -> None:
    """No page is an orphan: the index links it, or the list of decisions does."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page.parent.name != "decisions"]
    assert not [page for page in pages if page != "index.md" and f"]({page})" not in index]


def test_diagrams_are_said_in_words(generator: ModuleType) -> None:
    """Each diagram has a title, and names in words every phase change, module, card or topic that it draws."""
    said = {path.stem: text for path, text in generator.diagrams().items()}
    spoken = {name: re.search(r"<title[^>]*>.+</title>\n<desc[^>]*>(.+)</desc>", text) for name, text in said.items()}
    told = {name: found[1] for name, found in spoken.items() if found is not None}
    assert told.keys() == said.keys() == {"phases", "layers", "dealing", "venue"}
    for before, event, after in generator.changes():
        assert f"{before.value} to {after.value} by {event}" in told["phases"]
    for module in ("hand", "cli", "link", "floor_serve"):
        assert re.search(rf"\b{module}\b", told["layers"])
    assert "32 seat 4 down" in told["dealing"]
    assert "display-T12-seat-4 reads seat/4, compact/4 and writes echo/4, call/4" in told["venue"]


def test_every_diagram_stands_in_a_page(generator: ModuleType) -> None:
    """No picture is made that nobody sees, and none is shown without words for who cannot see it."""
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert all(re.search(rf"!\[[^\]]{{20,}}\]\([^)]*images/{path.name}\)", pages) for path in generator.diagrams())
