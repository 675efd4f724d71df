# ruff: noqa: INP001, SLF001 - a script, no package; it looks at parsers and registries that have no other reader
"""Writes the parts of the documentation that are made from the code. Run it after a change of commands, rules, words or events:

    .venv/bin/python docs/generate.py

A part stands between ``<!-- made from the code: NAME -->`` and ``<!-- end -->``; everything around it is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_args

import generate_interfaces

from controller.cli.commands import parser_of
from controller.console.http import make_api
from controller.console.orders import OrderBody
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
    """The HTTP address's paths."""
    api = make_api(None, dict, "0")  # type: ignore[arg-type]  # only described, never asked
    rows = []
    for path, methods in api.openapi()["paths"].items():
        for method, described in methods.items():
            given = ", ".join(code(parameter["name"]) for parameter in described.get("parameters", []))
            rows.append((code(f"{method.upper()} {path}"), given, prose(described["description"])))
    return table(("endpoint", "parameters", "what"), rows)


def orders() -> str:
    """The commands that can be given over HTTP."""
    rows = []
    for body in get_args(get_args(OrderBody)[0]):
        names = [name for name in body.model_fields if name != "type"]
        rows.append((code(get_args(body.model_fields["type"].annotation)[0]), ", ".join(map(code, names)), prose(body.__doc__)))
    return table(("type", "fields", "what"), rows)


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
    """The phases of a hand as a diagram: what was seen in all recorded hands, and voiding."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.ANTES.value}: HandOpened"]
    lines += [f"    {before.value} --> {after.value}: {event}" for before, event, after in changes()]
    lines += [f"    {phase.value} --> [*]" for phase in Phase if phase in (Phase.ENDED, Phase.VOIDED)]
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


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
    "hand-events": lambda: _events(HandEvent),
    "table-events": lambda: _events(OwnEvent),
    "endpoints": endpoints,
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
    return {path: renewed(text) for path, text in texts.items() if PART.search(text)} | generate_interfaces.files()


def main() -> None:
    """Write what is not current, and name it."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(DOCS.parent)}\n")


if __name__ == "__main__":
    main()
