# ruff: noqa: INP001, SLF001 - a script, no package; it looks at parsers and registries that have no other reader
"""Writes what is made from the code. Run it after a change of commands, rules, words, events, routes, topics or layers:

    .venv/bin/python docs/generate.py

A part stands between ``<!-- made from the code: NAME -->`` and ``<!-- end -->``; everything around it is written by hand.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

import generate_diagrams
import generate_interfaces

from controller.access.floor_rights import FLOOR_ENDPOINTS, FLOOR_RIGHTS
from controller.access.people import Role
from controller.access.rights import ENDPOINTS, RIGHTS, Right
from controller.cli.commands import parser_of
from controller.console.http import make_api
from controller.console.orders import OrderBody
from controller.console.ruling_orders import RulingBody
from controller.displays import public_events as told_publicly
from controller.floor.board.alarms import PRIORITIES
from controller.hand.commands import PostAnte, Refusal, VoidHand
from controller.hand.decide import decide
from controller.hand.events import HandEvent, HandVoided
from controller.hand.evolve import evolve
from controller.hand.rules import PRESETS, allowed_values, house_rules, knob_names, knob_rule, knob_values
from controller.hand.state import Phase
from controller.hand.variants import STREETS, VARIANTS
from controller.installation.access import Grant, TableClients, acl_text, of_venue
from controller.metrics.declared import Metric
from controller.metrics.exposition import PROCESS
from controller.metrics.floor_metrics import FLOOR_METRICS
from controller.metrics.table_metrics import TABLE_METRICS
from controller.mqtt.topics import ROOT
from controller.replay import _Machine, _play, _show
from controller.table.events import OwnEvent
from controller.table.records import table_codec
from controller.words.catalogue import Language, catalogue
from controller.words.faults import FAULTS
from simulators.recorded import load_hands

DOCS: Final = Path(__file__).parent
CORPUS: Final = DOCS.parent / "tests/data/corpus"
PART: Final = re.compile(r"(<!-- made from the code: ([a-z-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head)]
    lines.append(["---"] * len(lines[0]))
    lines += [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def code(text: str) -> str:
    """``text`` as code; nothing stays nothing."""
    return f"`{text}`" if text else ""


def prose(docstring: str | None) -> str:
    """A docstring on one line, with Markdown's code marks."""
    return " ".join((docstring or "").split()).replace("``", "`")


def commands() -> str:
    """Every command with its arguments and options."""
    return "\n".join("".join(_command(*command)) for command in _commands(parser_of(), ""))


def _commands(parser: argparse.ArgumentParser, before: str) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Name, help and parser of each command; one that only has commands of its own gives those."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        about = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, own in action.choices.items():
            inner = list(_commands(own, f"{before}{name} "))
            yield from inner or [(f"{before}{name}", about[name], own)]


def _command(name: str, about: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    example = (parser.epilog or "").removeprefix("example: ")
    yield f"### `stud-table {name}`\n\n{about[:1].upper()}{about[1:]}.\n\n```\n{example}\n```\n\n"
    shown = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    yield table(("option", "default", "what"), ((code(_option(action)), _default(action), action.help or "") for action in shown))


def _option(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else None
    values = metavar or "|".join(str(choice) for choice in action.choices or () if choice != []) or action.dest.upper()
    if not action.option_strings:
        return f"{values}…" if action.nargs in ("+", "*") else values
    return action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {values}"


def _default(action: argparse.Action) -> str:
    if action.required and action.nargs != "*":
        return "required"
    match action.default:
        case None | False | 0 | [] | {}:
            return ""
        case range() as numbers:
            return code(f"{numbers[0]}-{numbers[-1]}")
        case tuple() as values:
            return code(",".join(map(str, values)))
        case value:
            return code(str(value))


def knobs() -> str:
    """Every house rule with its values, its value in each preset, and the rule it turns."""
    presets = {preset: knob_values(house_rules(preset)) for preset in PRESETS}
    return table(
        ("knob", "values", *(code(preset) for preset in PRESETS), "rule"),
        (
            (code(name), _values(name), *(code(presets[preset][name]) for preset in PRESETS), knob_rule(name))
            for name in knob_names()
        ),
    )


def _values(name: str) -> str:
    values = allowed_values(name)
    if not values:
        return "a whole number, 0 or more"
    if len(values) > 2 and all(value.isdecimal() for value in values):
        return f"{code(values[0])} to {code(values[-1])}"
    return ", ".join(map(code, values))


def _texts(prefix: str) -> str:
    english, french = catalogue(Language.EN), catalogue(Language.FR)
    keys = [key for key in english if key.startswith(prefix)]
    return table(
        ("code", "English", "français"),
        ((code(key.removeprefix(prefix)), english[key], french[key].replace("\u00a0", " ")) for key in keys),
    )


def _events(union: Any) -> str:
    codec = table_codec()
    rows = []
    for cls in get_args(union):
        compiled = codec._by_tag[codec.tag_of(cls)]
        secret = compiled.secret.fields if compiled.secret is not None else frozenset()
        names = ", ".join(code(field.name) + (" (sealed)" if field.name in secret else "") for field in fields(cls))
        rows.append((code(compiled.tag), names, prose(cls.__doc__)))
    return table(("type", "fields", "what happened"), rows)


def endpoints() -> str:
    """The HTTP address's paths, and who may ask."""
    api = make_api(None, dict, "0")  # type: ignore[arg-type]  # only described, never asked
    rows = {}
    for path, methods in api.openapi()["paths"].items():
        for method, described in methods.items():
            given = ", ".join(code(parameter["name"]) for parameter in described.get("parameters", []))
            rows[f"{method.upper()} {path}"] = (given, prose(described["description"]))
    pages = dict.fromkeys(ENDPOINTS.keys() - rows.keys(), ("", "A page, or what it is drawn with."))
    return table(
        ("endpoint", "parameters", "may ask", "what"),
        (
            (code(path), given, _may(ENDPOINTS[path], RIGHTS), what)
            for path, (given, what) in (*rows.items(), *sorted(pages.items()))
        ),
    )


def floor_endpoints() -> str:
    """Every path of the floor's address, and who may ask."""
    return table(("endpoint", "may ask"), ((code(path), _may(right, FLOOR_RIGHTS)) for path, right in FLOOR_ENDPOINTS.items()))


def _may(right: Right, rights: Mapping[Role, frozenset[Right]]) -> str:
    """Whom an address lets in, in words."""
    if right in _ASKS:
        return _ASKS[right]
    return ", ".join(code(role.value) for role, may in rights.items() if right in may)


_ASKS: Final = {
    Right.PUBLIC: "everybody",
    Right.SIGNED: "the floor, by its token",
    Right.WATCH: "this machine, `metrics.allow`",
}


def orders() -> str:
    """The commands that can be given over HTTP."""
    return _bodies(OrderBody, "type")


def rulings() -> str:
    """The rulings that the command ``rule`` can be given for."""
    return _bodies(RulingBody, "kind")


def _bodies(union: Any, tag: str) -> str:
    """One row for each name under ``tag``: those that share a body have the same fields. A ruling has its name at the console."""
    words = catalogue(Language.EN)
    rows = []
    for body in get_args(get_args(union)[0]):
        names = ", ".join(_field(name, field.annotation) for name, field in body.model_fields.items() if name != tag)
        for one in get_args(body.model_fields[tag].annotation):
            said = f"*{words[f'ui.form.{one}']}*: " if tag == "kind" else ""
            rows.append((code(one), names, said + prose(body.__doc__)))
    return table((tag, "fields", "what"), rows)


def _field(name: str, annotation: Any) -> str:
    """A field's name, with its values where they can be counted."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        values = [one.value for one in annotation]
    else:
        values = [one for one in get_args(annotation) if isinstance(one, str)]
    return code(name) + (f" ({', '.join(map(code, values))})" if values else "")


def public_events() -> str:
    """Every public event with the records that it tells, as ``controller/displays/public_events.py`` maps them."""
    tree = ast.parse(inspect.getsource(told_publicly))
    records = {getattr(cls, "__name__", ""): cls for cls in (*get_args(HandEvent), *get_args(OwnEvent))}
    rows: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.match_case(pattern=ast.MatchClass(cls=ast.Attribute(attr=record))):
                found = _told_as(node)
            case ast.FunctionDef(args=ast.arguments(args=[ast.arg(annotation=ast.Attribute(attr=record)), *_])):
                found = _told_as(node)
            case _:
                continue
        for event in found:
            rows.setdefault(event, []).append(record)
    return table(
        ("event", "record", "what happened"),
        ((code(event), ", ".join(map(code, rows[event])), prose(records[rows[event][0]].__doc__)) for event in sorted(rows)),
    )


def _told_as(node: ast.AST) -> list[str]:
    """What stands under ``event`` in the dictionaries below ``node``."""
    return [
        str(value.value)
        for one in ast.walk(node)
        if isinstance(one, ast.Dict)
        for key, value in zip(one.keys, one.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "event" and isinstance(value, ast.Constant)
    ]


TABLE_ALARMS: Final[Mapping[str, tuple[str, str]]] = {
    "device_down": ("2", FAULTS["device_down"]),
    "shoe_tampered": ("1", FAULTS["shoe_tampered"]),
    "shoe_stopped": ("1", FAULTS["shoe_stopped"]),
    "shoe_error": ("2", FAULTS["shoe_error"]),
    "program_changed": ("1", FAULTS["program_changed"]),
    "disk_full": ("1", FAULTS["disk_full"]),
    "disk_short": ("2", FAULTS["disk_short"]),
    "disk_late": ("2; 1 while no card is dealt", FAULTS["disk_late"]),
    "disk_slow": ("3", FAULTS["disk_slow"]),
    "clock_untrusted": ("3", FAULTS["clock_untrusted"]),
    "floor_asked": ("2", "alarm.floor_asked"),
    "display_lost": ("2", "alarm.display_lost"),
    "display_behind": ("2", "alarm.display_behind"),
    "display_differs": ("2", "alarm.display_differs"),
    "mqtt_command": ("2", "alarm.mqtt_command"),
}
"""What a table raises beside its hold, by code: priority, and where the words stand."""


def alarms() -> str:
    """Every alarm that is no hold: the table's, then the floor's own."""
    english, french = catalogue(Language.EN), catalogue(Language.FR)
    own = {name: (str(priority), f"floor.alarm.{name}") for name, priority in PRIORITIES.items()}
    rows = [
        (code(name), whose, priority, english[key], french[key].replace("\u00a0", " "))
        for whose, raised in (("table", TABLE_ALARMS), ("floor", own))
        for name, (priority, key) in raised.items()
    ]
    return table(("code", "raised by", "priority", "English", "français"), rows)


def streets() -> str:
    """The streets, which are the same in the three games."""
    words = {False: "down", True: "up"}
    rows = []
    for street in STREETS.values():
        cards = ", ".join(words[up] for up in street.up)
        rows.append((str(street.number), cards, "big" if street.big else "small"))
    return table(("street", "each live seat gets", "bet"), rows)


def games() -> str:
    """What differs between the games."""
    return table(
        ("game", "brings in", "opens later streets", "wins"),
        (
            (
                code(game.code.value),
                "highest door card, ace low" if game.ace_low else "lowest door card",
                "lowest board" if game.ace_low else "highest board",
                " and ".join(code(wins.value) for wins in game.wins),
            )
            for game in VARIANTS.values()
        ),
    )


Change = tuple[Phase, str, Phase]


@cache
def changes() -> list[Change]:
    """Every change of phase, with the event that made it: of each recorded hand, and of a hand voided in each phase."""
    seen: dict[Change, None] = {}
    for file in sorted(CORPUS.glob("*.jsonl")):
        for recorded in load_hands(file):
            machine = _Machine(recorded, house_rules("seeds"))
            state = machine.state
            for seat in recorded.seats:
                machine.give(PostAnte(seat))
            _play(machine, recorded)
            _show(machine, recorded)
            for event in machine.events:
                after = evolve(state, event)
                if after.phase is not state.phase:
                    seen[state.phase, type(event).__name__, after.phase] = None
                state = after
                voided = decide(state, VoidHand("seen"))
                if not isinstance(voided, Refusal):
                    seen[state.phase, HandVoided.__name__, voided.state.phase] = None
    order = list(Phase)
    return sorted(seen, key=lambda change: (order.index(change[0]), order.index(change[2]), change[1]))


def phases() -> str:
    """Every change of phase in words: what was seen in all recorded hands, and voiding."""
    return table(
        ("from", "by", "to"), ((code(before.value), code(event), code(after.value)) for before, event, after in changes())
    )


def _metrics(metrics: Iterable[Metric], constant: tuple[str, ...]) -> str:
    """Every metric with its kind and labels; ``constant`` stands on each but those of the process."""
    rows = []
    for metric in metrics:
        labels = metric.labels if metric in PROCESS else (*constant, *metric.labels)
        rows.append((code(metric.name), metric.kind.value, ", ".join(map(code, labels)), metric.about))
    return table(("metric", "kind", "labels", "what"), rows)


SEEN: Final = (
    *("status", "public", "events", "seat/4", "seat/5", "compact/4", "compact/5", "echo/4", "echo/5", "call/4", "call/5"),
    *("alarms/hold", "devices/shoe", "bridge", "request/snapshot", "request/backfill", "reply/r1", "command/start"),
)
"""One topic of each kind."""


def access_list() -> str:
    """The access list of a venue with one table and one display, as mosquitto reads it."""
    return f"```\n{acl_text(_grants())}```\n"


def rights() -> str:
    """Who reads and writes which topic."""
    grants = _grants()
    rows = [[code(topic), *(_allowed(grant, f"{ROOT}/nice/T12/{topic}") for grant in grants)] for topic in SEEN]
    return table(["topic", *(code(grant.user) for grant in grants)], rows)


def _grants() -> list[Grant]:
    return of_venue("nice", [TableClients("T12", (4,))], ["floor"], ["ann"])


def _allowed(grant: Grant, topic: str) -> str:
    both = {"read": grant.reads, "write": grant.writes}
    return ", ".join(what for what, filters in both.items() if any(_matches(one, topic) for one in filters))


def _matches(given: str, topic: str) -> bool:
    """Whether a filter is for that topic: ``+`` for one part, ``#`` at its end for all that follow."""
    return re.fullmatch(re.escape(given).replace(r"\+", "[^/]+").replace(r"\#", ".*"), topic) is not None


def topics() -> str:
    """Every topic of a table with what it carries."""
    return table(("topic", "retained", "QoS", "schema", "what"), generate_interfaces.topics())


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "commands": commands,
    "knobs": knobs,
    "holds": lambda: _texts("hold."),
    "refusals": lambda: _texts("refusal."),
    "alarm-refusals": lambda: _texts("floor.refused."),
    "alarms": alarms,
    "prompts": lambda: _texts("prompt."),
    "device-troubles": lambda: _texts("device."),
    "check-findings": lambda: _texts("check."),
    "failures": lambda: _texts("failure."),
    "public-events": public_events,
    "rulings": rulings,
    "hand-events": lambda: _events(HandEvent),
    "table-events": lambda: _events(OwnEvent),
    "endpoints": endpoints,
    "floor-endpoints": floor_endpoints,
    "orders": orders,
    "streets": streets,
    "games": games,
    "phases": phases,
    "table-metrics": lambda: _metrics(TABLE_METRICS, ("table",)),
    "floor-metrics": lambda: _metrics(FLOOR_METRICS, ()),
    "mqtt-access": access_list,
    "mqtt-rights": rights,
    "topics": topics,
}


def renewed(page: str) -> str:
    """The text of a page with every part made anew; ``KeyError`` names a part that nothing makes."""
    return PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]]()}\n{part[3]}", page)


def pages() -> dict[Path, str]:
    """Every page below ``docs`` that has such a part, and every file that is made as a whole, with the text it should have."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
    return {path: renewed(text) for path, text in texts.items() if PART.search(text)} | generate_interfaces.files() | diagrams()


def diagrams() -> dict[Path, str]:
    """Every diagram."""
    return generate_diagrams.files(changes(), _grants(), "T12")


def main() -> None:
    """Write what is not current, and name it."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(DOCS.parent)}\n")


if __name__ == "__main__":
    main()
