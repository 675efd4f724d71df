"""The reference names what there is, and nothing else: commands, knobs, events, refusals, alarms, addresses, metrics.

What there is comes from the program's own tables, or, where a code stands in the sources alone, from a scan of them
(``support/source_scan.py``). What is told comes from the pages as text. Neither side uses ``docs/generate.py``.
"""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from support.source_scan import Texts, environment, made, sources, tree, under, valued

from controller.access.floor_rights import FLOOR_ENDPOINTS
from controller.access.rights import ENDPOINTS
from controller.cli import parsing
from controller.cli.commands import parser_of
from controller.config import TableConfig
from controller.console.orders import OrderBody
from controller.console.ruling_orders import RulingBody
from controller.floor.board.alarms import PRIORITIES
from controller.floor_config import FloorConfig
from controller.hand.rules import knob_names
from controller.mqtt.schemas import schemas
from controller.mqtt.topics import TableTopics
from controller.table.records import table_codec
from drivers.registry import reader_driver, reader_names, shoe_driver, shoe_names

REFERENCE: Final = Path(__file__).parents[2] / "docs/reference"


# --- what the program has -------------------------------------------------------------------------------------------------------


def commands(parser: argparse.ArgumentParser, before: str = "") -> Iterator[str]:
    """Each command, and each with one of its arguments, as people type it; one that only has commands of its own is none."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if before and not inner:
        yield before.strip()
        for action in parser._actions:
            if not isinstance(action, argparse._HelpAction):
                yield f"{before.strip()} {action.option_strings[0] if action.option_strings else '<argument>'}"
    for action in inner:
        for name, own in action.choices.items():
            yield from commands(own, f"{before} {name}")


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every key of a configuration with those of its sections."""
    for name, field in model.model_fields.items():
        section = section_of(field.annotation)
        yield from (prefix + name,) if section is None else keys(section, f"{prefix}{name}.")


def section_of(annotation: Any) -> type[BaseModel] | None:
    """The section that stands under a key, or is repeated there."""
    inner = get_args(annotation) if get_origin(annotation) in (tuple, Union, UnionType) else (annotation,)
    return next((one for one in inner if isinstance(one, type) and issubclass(one, BaseModel)), None)


def in_sheet(name: str, model: type[BaseModel]) -> set[str]:
    """The keys of a sheet that ``stud-table init`` fills, down to those that the model does not look into."""
    sheet = tomllib.loads(resources.files("controller.installation").joinpath("templates", name).read_text(encoding="utf-8"))
    known = set(keys(model))
    return {next((key for key in known if f"{found}.".startswith(f"{key}.")), found) for found in flat(sheet)}


def flat(sheet: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Dotted names of everything in a file of TOML."""
    for name, value in sheet.items():
        one = value[0] if isinstance(value, list) and value else value
        yield from flat(one, f"{prefix}{name}.") if isinstance(one, dict) and one else (f"{prefix}{name}",)


def exits() -> set[str]:
    """The codes with which ``main`` ends: those that it names, and the number for Ctrl-C."""
    module = tree(sources()["controller/cli/__init__.py"])
    names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and node.id.isupper()}
    numbers = {str(node.value) for node in ast.walk(module) if isinstance(node, ast.Constant) and type(node.value) is int}
    return {str(getattr(parsing, name)) for name in names} | numbers


def topics() -> set[str]:
    """Every topic of a table, with ``<…>`` for what differs from one to the other."""
    topics, found = TableTopics("v", "t"), set()
    for name, member in vars(TableTopics).items():
        if isinstance(member, property) and isinstance(topic := member.fget(topics), str) and name != "root":  # type: ignore[misc]
            found.add(topic)
        elif name in ("seat", "compact", "echo", "call"):
            found.add(getattr(topics, name)(1))
        elif name in ("alarm", "device", "reply"):
            found.add(getattr(topics, name)("x"))
    return {re.sub(r"/(1|x)$", "/<>", topic.removeprefix(f"{topics.root}/")) for topic in found} | {"bridge"}


def of_union(union: Any, tag: str) -> set[str]:
    """Names under ``tag`` of all bodies of a union."""
    return {name for body in get_args(get_args(union)[0]) for name in get_args(body.model_fields[tag].annotation)}


def driver_options() -> set[str]:
    """Each driver by its name, and with each of its options."""
    drivers = [*((name, shoe_driver(name)) for name in shoe_names()), *((name, reader_driver(name)) for name in reader_names())]
    return {name for name, _ in drivers} | {f"{name} {option}" for name, driver in drivers for option in driver.options}


# --- what the pages tell --------------------------------------------------------------------------------------------------------


@cache
def pages() -> Texts:
    """The pages of the reference by name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(REFERENCE.glob("*.md"))}


def between(text: str, begin: str, end: str) -> str:
    """What stands behind ``begin`` up to ``end``, or to the end of the page."""
    return text.partition(begin)[2].partition(end)[0]


def part(text: str, name: str) -> set[str]:
    """First cells of a table that is made from the code."""
    return first_cells(between(text, f"<!-- made from the code: {name} -->", "<!-- end -->"))


def first_cells(text: str) -> set[str]:
    """All that stands as code in the first cells of tables."""
    return {
        name
        for cell in re.findall(r"^\| ((?:[^|\\]|\\.)*) \|", text, flags=re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", cell)
    }


def leaves(names: set[str]) -> set[str]:
    """Without names of sections, whose keys are told too."""
    return {name for name in names if not any(other.startswith(f"{name}.") for other in names)}


def told_commands(text: str) -> set[str]:
    """Commands and their arguments, as ``commands`` gives them."""
    found: set[str] = set()
    for section in re.split(r"^### ", between(text, "<!-- made from the code: commands -->", "<!-- end -->"), flags=re.MULTILINE)[
        1:
    ]:
        name = re.match(r"`stud-table (.+?)`", section)[1]  # type: ignore[index]
        options = first_cells(section)
        found |= {name, *(f"{name} {option.split()[0] if option.startswith('-') else '<argument>'}" for option in options)}
    return found


def told_options(text: str) -> set[str]:
    """Drivers with their options, from the first and last cells."""
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| ([^|]*) \|$", text.partition("\n## ")[0], flags=re.MULTILINE)
    return {name for name, _ in rows} | {f"{name} {option}" for name, cell in rows for option in re.findall(r"`(\w+)` \(", cell)}


# --- kind by kind ---------------------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """Things of one kind: those that there are, by the sources, and those that pages tell of."""

    known: Callable[[Texts], set[str]]
    told: Callable[[Texts], set[str]]
    page: str
    """Where they are told."""


def messages(name: str) -> Callable[[Texts], set[str]]:
    """Codes of one part of the page of messages."""
    return lambda texts: part(texts["messages.md"], name)


KINDS: Final[Mapping[str, Kind]] = {
    "command": Kind(lambda _: set(commands(parser_of())), lambda texts: told_commands(texts["commands.md"]), "commands.md"),
    "JSON of a command": Kind(
        lambda _: {one.removesuffix(" --json") for one in commands(parser_of()) if one.endswith(" --json")},
        lambda texts: first_cells(between(texts["commands.md"], "## What stands in the JSON", "\n## ")),
        "commands.md",
    ),
    "exit code": Kind(
        lambda _: exits(), lambda texts: set(re.findall(r"^\| (\d+) \|", texts["commands.md"], re.MULTILINE)), "commands.md"
    ),
    "variable": Kind(
        environment, lambda texts: first_cells(between(texts["commands.md"], "## Environment", "\n## ")), "commands.md"
    ),
    "table.toml": Kind(
        lambda _: leaves(set(keys(TableConfig))),
        lambda texts: leaves(first_cells(texts["table-toml.md"].partition("\n## ")[0])),
        "table-toml.md",
    ),
    "floor.toml": Kind(
        lambda _: leaves(set(keys(FloorConfig))),
        lambda texts: leaves(
            first_cells(texts["floor-toml.md"].partition("\n## ")[0])
            | {f"webhook.{name}" for name in first_cells(between(texts["floor-toml.md"], "\n## Webhooks", "\n## "))}
        ),
        "floor-toml.md",
    ),
    "house rule": Kind(lambda _: set(knob_names()), lambda texts: part(texts["house-rules.md"], "knobs"), "house-rules.md"),
    "driver": Kind(lambda _: driver_options(), lambda texts: told_options(texts["drivers.md"]), "drivers.md"),
    "record": Kind(
        lambda _: set(table_codec()._by_tag),
        lambda texts: part(texts["journal-events.md"], "hand-events") | part(texts["journal-events.md"], "table-events"),
        "journal-events.md",
    ),
    "public event": Kind(
        lambda texts: valued("event", texts, "controller/displays/public_events.py"),
        lambda texts: part(texts["mqtt.md"], "public-events"),
        "mqtt.md",
    ),
    "topic": Kind(
        lambda _: topics(),
        lambda texts: (
            {re.sub(r"<\w+>", "<>", name) for name in first_cells(texts["mqtt.md"].partition("\n## ")[0])}
            | {"reply/<>" for _ in re.findall(r"answered on `reply/<request>`", texts["mqtt.md"])}
        ),
        "mqtt.md",
    ),
    "schema": Kind(
        lambda _: set(schemas()), lambda texts: set(re.findall(r"mqtt-schemas/([\w-]+\.json)", texts["mqtt.md"])), "mqtt.md"
    ),
    "address": Kind(lambda _: set(ENDPOINTS), lambda texts: part(texts["http.md"], "endpoints"), "http.md"),
    "floor address": Kind(
        lambda _: set(FLOOR_ENDPOINTS), lambda texts: part(texts["floor-http.md"], "floor-endpoints"), "floor-http.md"
    ),
    "order": Kind(lambda _: of_union(OrderBody, "type"), lambda texts: part(texts["http.md"], "orders"), "http.md"),
    "ruling": Kind(lambda _: of_union(RulingBody, "kind"), lambda texts: part(texts["http.md"], "rulings"), "http.md"),
    "refusal": Kind(lambda texts: made("refusal", texts), messages("refusals"), "messages.md"),
    "alarm refusal": Kind(lambda texts: made("alarm refusal", texts), messages("alarm-refusals"), "messages.md"),
    "hold": Kind(lambda texts: made("hold", texts), messages("holds"), "messages.md"),
    "alarm": Kind(lambda texts: made("alarm", texts) | set(PRIORITIES), messages("alarms"), "messages.md"),
    "prompt": Kind(lambda texts: valued("code", texts, "controller/views/dealer.py"), messages("prompts"), "messages.md"),
    "trouble": Kind(
        lambda texts: made("trouble", texts) | under("device.", texts, "controller/check.py"),
        messages("device-troubles"),
        "messages.md",
    ),
    "finding": Kind(lambda texts: under("check.", texts, "controller/c"), messages("check-findings"), "messages.md"),
    "metric": Kind(
        lambda texts: made("metric", texts),
        lambda texts: part(texts["metrics.md"], "table-metrics") | part(texts["metrics.md"], "floor-metrics"),
        "metrics.md",
    ),
    "key of the table's sheet": Kind(lambda _: set(keys(TableConfig)), lambda _: in_sheet("table.sheet", TableConfig), ""),
    "key of the floor's sheet": Kind(lambda _: set(keys(FloorConfig)), lambda _: in_sheet("floor.sheet", FloorConfig), ""),
}
"""Log messages are sentences and have no codes; what a rule is told by stands in ``rules.md``, which has its own test."""


@pytest.mark.parametrize("name", KINDS)
def test_what_there_is_is_told_and_nothing_else(name: str) -> None:
    """Whoever reads the reference knows every one of them, and finds every one that it names."""
    kind = KINDS[name]
    known, told = kind.known(sources()), kind.told(pages())
    assert known, "the scan finds nothing"
    assert (sorted(known - told), sorted(told - known)) == ([], []), "not told, told though there is none"


# --- the tests themselves -------------------------------------------------------------------------------------------------------

INVENTED: Final = {
    "refusal": ("controller/table/decide.py", 'Refusal("R-RULE-01", "planted")'),
    "alarm refusal": ("controller/floor/board/incidents.py", 'AlarmRefused("planted")'),
    "hold": ("controller/tracking/custody.py", 'FeltProblem("planted" if True else "wrong_place", None)'),
    "alarm": ("controller/table/faults.py", 'Fault("planted", 2)'),
    "prompt": ("controller/views/dealer.py", '{"code": "planted"}'),
    "trouble": ("drivers/feig/identity.py", 'trouble("planted", "")'),
    "finding": ("controller/check.py", '"check.planted"'),
    "metric": ("controller/metrics/table_metrics.py", 'gauge("planted", "")'),
    "public event": ("controller/displays/public_events.py", '{"event": "planted"}'),
    "variable": ("controller/serve.py", 'os.environ["planted"]'),
}
"""For each kind that is looked for in the sources, a line that makes one more."""


@pytest.mark.parametrize("name", INVENTED)
def test_one_more_in_the_sources_is_found(name: str) -> None:
    """What somebody adds without a word in the reference is missing there."""
    path, line = INVENTED[name]
    texts = {**sources(), path: f"{sources()[path]}\n{line}\n"}
    assert KINDS[name].known(texts) - KINDS[name].told(pages()) == {"planted"}


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.page])
def test_one_less_and_one_more_on_a_page_are_found(name: str) -> None:
    """A page that loses one, or tells of one that there is not, is not as the program is."""
    kind = KINDS[name]
    page, told = pages()[kind.page], kind.told(pages())
    one = (
        max((one for one in told if not any(other != one and one in other for other in told)), key=len)
        .split()[-1]
        .removeprefix("webhook.")
    )
    other = re.sub(r"[A-Za-z0-9]+", "9", one, count=1)
    changed = kind.told({**pages(), kind.page: re.sub(rf"(?<![\w.]){re.escape(one)}(?![\w.])", other, page)})
    assert told - changed
    assert changed - told


def test_a_code_that_cannot_be_read_fails_the_scan() -> None:
    """Nobody hides a refusal behind a variable."""
    texts = {"controller/table/decide.py": 'Refusal("R-RULE-01", somewhere.code)'}
    with pytest.raises(AssertionError, match="name it in HANDED_ON"):
        made("refusal", texts)
