"""Every block of code in the documents is what its language says: configuration loads, orders are taken, Python compiles.

Commands are of ``test_documents.py``, the driver that a page makes of ``tests/drivers/test_add_a_driver.py``, frames of
``test_wire_protocols.py``.
"""

from __future__ import annotations

import ast
import copy
import importlib
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema
import pytest
from pydantic import TypeAdapter, ValidationError

from controller.config import ConfigError, TableConfig, parse_config
from controller.console.orders import CommandBody, OrderBody
from controller.floor_config import FloorConfig, parse_floor_config
from drivers.registry import reader_names

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES: Final = frozenset(("", "sh", "text", "toml", "json", "python", "c"))
"""No language is what people type or a program tells; ``text`` is a form, as of a frame; ``c`` is for another compiler."""
BLOCK: Final = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LOOKS_LIKE_CODE: Final = re.compile(r"\s*(?:[{\[]|(?:from|import|def|class) \w|\w+ = )")
TOPIC: Final = re.compile(r"stud/v1/<venue>/<table>/(\w+)/")
FLOOR: Final = "deploy/example/etc/stud-table/floor/floor.toml"
OURS: Final = ("controller", "drivers", "simulators")


class Block(NamedTuple):
    """One block: where it begins, its language, its section up to it, and what stands in it."""

    where: str
    language: str
    before: str
    text: str


def blocks_of(page: Path, text: str) -> Iterator[Block]:
    for found in BLOCK.finditer(text):
        before = text[: found.start()]
        section = before[before.rfind("\n## ") + 1 :]
        where = f"{page.name}:{before.count(chr(10)) + 1}"
        yield Block(where, found[2], section, textwrap.dedent(found[3]))


BLOCKS: Final = [block for page in PAGES for block in blocks_of(page, page.read_text(encoding="utf-8"))]


# --- configuration --------------------------------------------------------------------------------------------------------------


@cache
def sample(path: str) -> Mapping[str, Any]:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def merged(whole: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """``whole`` with what ``part`` says otherwise. A line of readers takes the place of that of its name, and its antennas'
    places are no other line's any more."""
    both = copy.deepcopy(dict(whole))
    for key, value in part.items():
        if key == "readers":
            both[key] = list(_lines(both.get(key, []), value))
        elif isinstance(value, dict) and isinstance(both.get(key), dict):
            both[key] = merged(both[key], value)
        else:
            both[key] = value
    return both


def _lines(before: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    names = {line["name"] for line in new}
    moved = {place for line in new for place in line["antennas"].values()}
    for line in before:
        if line["name"] not in names:
            left = {address: place for address, place in line["antennas"].items() if place not in moved}
            seldom = [address for address in line.get("seldom", []) if str(address) in left]
            yield {**line, "antennas": left, "seldom": seldom}
    for line in new:  # a driver that a page makes is not installed here
        known = line.get("driver", "feig") in reader_names()
        yield line if known else {**line, "driver": "feig"}


def wrong_toml(text: str) -> str | None:
    """What is wrong with a block of TOML; ``None`` for nothing. A fragment is set into the sample's configuration."""
    try:
        part = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    if "project" in part:
        return None  # another package's; whether it holds is of test_add_a_driver
    refused: list[str] = []
    for read in (as_table, as_floor):
        try:
            if read(part):
                return None
        except ConfigError as error:
            refused.append(str(error))
    return refused[0] if refused else f"neither table.toml nor floor.toml has all of {sorted(part)}"


def as_table(part: Mapping[str, Any]) -> bool:
    """Whether ``part`` is of a table's configuration at all; ``ConfigError`` when it is and cannot be one."""
    if not part.keys() <= TableConfig.model_fields.keys():
        return False
    parse_config(merged(sample("deploy/sample/table.toml"), part), "table.toml")
    return True


def as_floor(part: Mapping[str, Any]) -> bool:
    """The same of the floor's."""
    if not part.keys() <= FloorConfig.model_fields.keys():
        return False
    parse_floor_config(merged(sample(FLOOR), part), ROOT / FLOOR)
    return True


# --- JSON -----------------------------------------------------------------------------------------------------------------------

ORDERS: Final[TypeAdapter[Any]] = TypeAdapter(OrderBody)


def wrong_json(block: Block) -> str | None:
    """What is wrong with a block of JSON: its form, its order, or the schema of the topic that its section names last."""
    text = block.text
    try:
        try:
            values = [json.loads(text)]
        except json.JSONDecodeError:
            values = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError as error:
        return str(error)
    topics = TOPIC.findall(block.before)
    for value in values:
        try:
            if topics:
                schema = ROOT / f"docs/reference/mqtt-schemas/{topics[-1]}.json"
                jsonschema.validate(value, json.loads(schema.read_text(encoding="utf-8")))
            elif is_order(value):
                ORDERS.validate_python(value)
        except (jsonschema.ValidationError, ValidationError) as error:
            return str(error)
    return None


def is_order(value: Any) -> bool:
    """Whether an object is meant as an order: a journal's body begins with its time."""
    return isinstance(value, dict) and "type" in value and "at" not in value


def wrong_request(text: str) -> str | None:
    """What is wrong with a command as it is sent over HTTP."""
    try:
        CommandBody.model_validate_json(text.partition("\n")[2])
    except ValidationError as error:
        return str(error)
    return None


# --- Python ---------------------------------------------------------------------------------------------------------------------


def wrong_python(text: str) -> str | None:
    """What is wrong with a block of Python: it does not compile, or imports of ours what is not there."""
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        return str(error)
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.split(".")[0] in OURS:
            try:
                source = importlib.import_module(node.module)
            except ModuleNotFoundError as error:
                return str(error)
            missing = [name.name for name in node.names if not hasattr(source, name.name)]
            if missing:
                return f"{node.module} has no {missing[0]}"
    return None


def wrong(block: Block) -> str | None:
    """What is wrong with a block."""
    match block.language:
        case "toml":
            return wrong_toml(block.text)
        case "json":
            return wrong_json(block)
        case "python":
            return wrong_python(block.text)
        case "" if block.text.startswith("POST /api/v1/commands\n"):
            return wrong_request(block.text)
        case "" if LOOKS_LIKE_CODE.match(block.text):
            return "name its language: toml, json, python, or text"
        case language if language not in LANGUAGES:
            return f"{language} is no language that is looked at here"
        case _:
            return None


def test_every_example_is_what_it_says() -> None:
    """Whoever copies a block from a page has something that works."""
    told = [f"{block.where}: {said}" for block in BLOCKS if (said := wrong(block)) is not None]
    assert not told, "\n".join(told)


@pytest.mark.parametrize(
    ("kind", "least"), [("toml", 10), ("json", 10), ("python", 6)], ids=["configuration", "orders and messages", "Python"]
)
def test_examples_of_each_kind_are_found(kind: str, least: int) -> None:
    """The pages show them, so the test above looks at something."""
    assert sum(block.language == kind for block in BLOCKS) >= least


PLANTED: Final = {
    "no TOML": ("toml", "[mqtt\n", "Expected ']'"),
    "a key that there is not": ("toml", '[mqtt]\nhots = "b"\n', "hots"),
    "a value that cannot be": ("toml", '[log]\nlevel = "loud"\n', "level"),
    "a place twice": ("toml", '[[readers]]\nname = "x"\nport = "/dev/x"\nantennas = { 1 = "burn", 2 = "burn" }\n', "burn"),
    "a section of neither": ("toml", "[casino]\nname = 1\n", "neither"),
    "a floor's key": ("toml", '[[webhook]]\nurl = "https://pager.room.example/"\nsecret = "x"\n', "secret"),
    "no JSON": ("json", '{"type": "act",}', "property name"),
    "an order with another value": (
        "json",
        '{"type": "rule", "role": "floor", "by": "Fay", "reason": "r", "ruling": {"kind": "misdeel"}}',
        "misdeel",
    ),
    "no Python": ("python", "def broken(:\n", "invalid syntax"),
    "a name that is not there": ("python", "from drivers.factory import ReadersDriver\n", "ReadersDriver"),
    "a module that is not there": ("python", "from controller.nowhere import x\n", "nowhere"),
    "no language": ("", '{"type": "act"}', "name its language"),
    "another language": ("yaml", "a: b", "no language"),
    "a command with another key": ("", 'POST /api/v1/commands\n{"kye": "1"}\n', "kye"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_example_is_found(name: str) -> None:
    """One of each kind that somebody might write."""
    language, text, said = PLANTED[name]
    (block,) = blocks_of(Path("planted.md"), f"# Planted\n\n```{language}\n{text.rstrip()}\n```\n")
    assert said in str(wrong(block))


def test_a_message_that_its_schema_refuses_is_found() -> None:
    """The topic that a section names says by which schema its JSON is read."""
    page = '## Call\n\n```\nstud/v1/<venue>/<table>/call/<n>\n```\n\n```json\n{"seat": "four"}\n```\n'
    *_, block = blocks_of(Path("planted.md"), page)
    assert "four" in str(wrong(block))
