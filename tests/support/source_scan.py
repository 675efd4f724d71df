"""What the sources make by a code of its own: refusals, alarms, metrics and more, as their syntax has them.

Every place that makes such a thing is looked at. One whose code cannot be read there is named in ``HANDED_ON``, or fails the
scan.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
Texts = Mapping[str, str]
"""Name → text: of the pages, or of the sources."""


class Maker(NamedTuple):
    """A call that makes a thing by its code: which argument has it (a name: as a keyword), and in which files."""

    name: str
    argument: int | str
    where: str = "controller/"


MAKERS: Final[Mapping[str, tuple[Maker, ...]]] = {
    "refusal": (
        Maker("Refusal", 1),
        Maker("NotAllowed", 1),
        Maker("BadToken", 0),
        Maker("NotPassed", 1),
        Maker("Lack", 0),
        Maker("Refused", 0, "controller/floor/"),
        Maker("refused_now", 2),
        Maker("refused_answer", 2),
        Maker("refused", 1, "controller/console/http.py"),
    ),
    "alarm refusal": (Maker("AlarmRefused", 0),),
    "hold": (
        Maker("HandHeld", 0, "controller/hand/"),
        Maker("FeltProblem", 0),
        Maker("FeltWrong", 0, "controller/table/"),
        Maker("_replace", "fault", "controller/tracking/"),
    ),
    "alarm": (Maker("Fault", 0, "controller/table/faults.py"), Maker("Alarm", "code", "controller/displays/")),
    "trouble": (Maker("trouble", 0, "drivers/"),),
    "metric": (Maker("counter", 0), Maker("gauge", 0), Maker("histogram", 0)),
}
_BARS: Final = ("cap_reached", "nobody_to_raise", "not_reopened", "kept_seventh")
HANDED_ON: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("controller/console/floor_orders.py", "refusal.code"): (),
    ("controller/console/floor_orders.py", "error.code"): (),
    ("controller/console/http.py", "code"): (),
    ("controller/console/http.py", "_NOT_SERVED[error.status_code]"): ("no_such_address", "no_such_method", "too_large"),
    ("controller/console/site.py", "refusal.code"): (),
    ("controller/console/warrants.py", "code"): (),
    ("controller/displays/adapter.py", "fault.code"): (),
    ("controller/displays/adapter.py", "FLOOR_ASKED"): ("floor_asked",),
    ("controller/displays/adapter.py", "hold.code"): (),
    ("controller/displays/echo.py", "f'display_{code}'"): ("display_lost", "display_behind", "display_differs"),
    ("controller/displays/intrusion.py", "MQTT_COMMAND"): ("mqtt_command",),
    ("controller/floor/alarms/http.py", "error.code"): (),
    ("controller/floor/orders/http.py", "error.code"): (),
    ("controller/floor/orders/passing.py", "code"): ("table_not_trusted", "table_unreachable"),
    ("controller/floor/room/rota.py", "f'{name}_twice'"): ("dealer_twice", "table_twice"),
    ("controller/floor/room_desk/http.py", "error.code"): (),
    ("controller/gate/gate.py", "code"): (),
    ("controller/gate/gate.py", "error.refusal.code"): (),
    ("controller/hand/decide.py", "given.code"): (),
    ("controller/hand/requests.py", "code"): _BARS,
    ("controller/table/decide.py", "known.code"): (),
    ("controller/table/match.py", "problem.code"): (),
    ("controller/tracking/confirmed.py", "FACE_IN_DOUBT"): ("face_in_doubt",),
    ("controller/tracking/confirmed.py", "fault"): ("face_in_doubt",),
    ("controller/tracking/crossed.py", "CROSSED"): ("antennas_crossed",),
    ("controller/tracking/custody.py", "custody.fault"): (),
}
"""Codes of calls that have none in them; none, where it was made elsewhere and is only passed on."""


@cache
def sources() -> Texts:
    """Every module of the program by its path."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for package in ("controller", "drivers", "simulators")
        for path in sorted((ROOT / package).rglob("*.py"))
    }


@cache
def tree(text: str) -> ast.Module:
    """A module's syntax, parsed once."""
    return ast.parse(text)


def made(kind: str, texts: Texts) -> set[str]:
    """Codes of everything of that kind that the sources make."""
    found: set[str] = set()
    for path, text in texts.items():
        for maker in MAKERS[kind]:
            if path.startswith(maker.where) and f"{maker.name}(" in text:
                for argument in arguments(tree(text), maker):
                    found |= codes_of(argument, path)
    return found


def arguments(module: ast.Module, maker: Maker) -> Iterator[ast.expr]:
    """The argument with the code, of each call."""
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", getattr(node.func, "attr", "")) != maker.name:
            continue
        if isinstance(maker.argument, str):
            yield from (keyword.value for keyword in node.keywords if keyword.arg == maker.argument)
        elif len(node.args) > maker.argument:
            yield node.args[maker.argument]


def codes_of(argument: ast.expr, path: str) -> set[str]:
    """What ``argument`` can be; ``AssertionError`` for one that is neither text, one of two texts, nor known by ``HANDED_ON``."""
    match argument:
        case ast.Constant(value=str(code)):
            return {code}
        case ast.IfExp(body=one, orelse=other):
            return codes_of(one, path) | codes_of(other, path)
        case _:
            said = ast.unparse(argument)
            assert (path, said) in HANDED_ON, f"{path}: {said} is no code that can be read there: name it in HANDED_ON"
            return set(HANDED_ON[path, said])


def under(prefix: str, texts: Texts, where: str) -> set[str]:
    """What stands in the modules below ``where`` as text that begins with ``prefix``, without it."""
    return {
        node.value.removeprefix(prefix)
        for path, text in texts.items()
        if path.startswith(where) and f'"{prefix}' in text
        for node in ast.walk(tree(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(rf"{re.escape(prefix)}\w+", node.value)
    }


def valued(key: str, texts: Texts, where: str) -> set[str]:
    """The texts that stand under ``key`` in the dictionaries of a module."""
    return {
        str(value.value)
        for node in ast.walk(tree(texts[where]))
        if isinstance(node, ast.Dict)
        for name, value in zip(node.keys, node.values, strict=True)
        if isinstance(name, ast.Constant) and name.value == key and isinstance(value, ast.Constant)
    }


def environment(texts: Texts) -> set[str]:
    """Variables of the environment that are read: every argument of ``.get`` and index of what is called so."""
    found: set[str] = set()
    for text in texts.values():
        for node in ast.walk(tree(text)) if re.search("environ|getenv", text) else ():
            match node:
                case ast.Call(func=ast.Attribute(value=of, attr="get" | "pop"), args=[ast.Constant(value=str(name)), *_]):
                    pass
                case ast.Subscript(value=of, slice=ast.Constant(value=str(name))):
                    pass
                case ast.Call(func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str(name)), *_]):
                    found.add(name)
                    continue
                case _:
                    continue
            if ast.unparse(of) in ("os.environ", "environ", "environment"):
                found.add(name)
    return found
