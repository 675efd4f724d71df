# ruff: noqa: E501, INP001, ISC004 - a script, no package; a line of SVG stands on its line
"""Diagrams made from the code's own tables, as SVG with real text on a ground of its own. ``generate.py`` writes them.

A diagram names in ``desc`` what it shows, so that whoever hears it read has the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from controller.hand.dealing import _street_due
from controller.hand.places import Spot, Zone
from controller.hand.rules import house_rules
from controller.hand.state import Phase
from controller.hand.variants import STREETS
from controller.installation.access import Grant
from controller.mqtt.topics import ROOT

PROJECT: Final = Path(__file__).parents[1]
IMAGES: Final = Path(__file__).parent / "images"
GROUND, INK, FAINT, LINE = "#fbfaf5", "#1d2a22", "#5b665f", "#8a978e"
GREEN, AMBER, BLUE, GREY = "#dcefe2", "#fbeecb", "#dfe9f7", "#ecece6"
LETTER: Final = 7.0
"""Width of a letter at 13 px, a little more than most have."""

Point = tuple[float, float]


class Drawing:
    """Shapes and words on a ground of ``width`` by ``height`` pixels."""

    def __init__(self, title: str, about: str, width: int, height: int) -> None:
        self.head = (title, about, width, height)
        self.parts: list[str] = []

    def box(self, at: Point, size: Point, fill: str = GREEN, line: str = LINE) -> None:
        """A rectangle with round corners, ``at`` its upper left one."""
        self.parts.append(
            f'<rect x="{at[0]:g}" y="{at[1]:g}" width="{size[0]:g}" height="{size[1]:g}" rx="6" fill="{fill}" stroke="{line}"/>'
        )

    def words(self, at: Point, text: str, style: str = "", anchor: str = "middle") -> None:
        """A line of text about ``at``; ``style`` is a class: ``b`` bold, ``s`` small, ``c`` code."""
        kind = f' class="{style}"' if style else ""
        self.parts.append(f'<text x="{at[0]:g}" y="{at[1]:g}" text-anchor="{anchor}"{kind}>{escape(text)}</text>')

    def label(self, at: Point, text: str) -> None:
        """Small words on the ground's colour, over a line."""
        wide = len(text) * LETTER * 0.86 + 8
        self.parts.append(f'<rect x="{at[0] - wide / 2:g}" y="{at[1] - 12:g}" width="{wide:g}" height="16" fill="{GROUND}"/>')
        self.words(at, text, "s")

    def path(self, d: str, *, arrow: bool = True, dashed: bool = False) -> None:
        """A line by SVG's path ``d``."""
        more = (' marker-end="url(#head)"' if arrow else "") + (' stroke-dasharray="5 4"' if dashed else "")
        self.parts.append(f'<path d="{d}" fill="none" stroke="{INK}" stroke-width="1.4"{more}/>')

    def svg(self) -> str:
        """The file's text."""
        title, about, width, height = self.head
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc">',
                f'<title id="title">{escape(title)}</title>',
                f'<desc id="desc">{escape(about)}</desc>',
                "<defs>",
                '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse">'
                f'<path d="M0 0L10 5L0 10z" fill="{INK}"/></marker>',
                "<style>text{font:13px system-ui,sans-serif;fill:"
                + INK
                + "}.b{font-weight:600}.s{font-size:11.5px;fill:"
                + FAINT
                + "}"
                ".c{font-family:ui-monospace,monospace;font-size:12px}</style>",
                "</defs>",
                f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
                *self.parts,
                "</svg>\n",
            )
        )


def phases(changes: Sequence[tuple[Phase, str, Phase]]) -> str:
    """The phases of a hand in a row: what leads on above, what leads back below, voiding along the bottom."""
    row = [phase for phase in Phase if any(phase in (before, after) for before, _, after in changes)]
    step, wide, top = 150, 104, 130
    x = {phase: 20 + index * step for index, phase in enumerate(row)}
    voids = [before for before, _, after in changes if after is Phase.VOIDED]
    others = [change for change in changes if change[2] is not Phase.VOIDED]
    about = "; ".join(f"{before.value} to {after.value} by {event}" for before, event, after in changes)
    drawing = Drawing("The phases of a hand", about, 20 + step * len(row) - (step - wide) + 20, 286)
    rail = 262
    for before in voids:
        drawing.path(f"M{x[before] + 14:g} {top + 36}V{rail}", arrow=False, dashed=True)
    last = x[Phase.VOIDED] + wide / 2
    drawing.path(f"M{min(x[before] for before in voids) + 14:g} {rail}H{last:g}V{top + 38}", dashed=True)
    drawing.label((x[row[0]] + 250, rail + 4), "HandVoided: every chip back to whoever put it in")
    for before, event, after in others:
        apart = row.index(after) - row.index(before)
        start, end = x[before] + wide / 2, x[after] + wide / 2
        if apart > 0:
            high = top - 34 - 30 * (apart - 1)
            drawing.path(f"M{start + 8:g} {top}C{start + 8:g} {high:g} {end - 8:g} {high:g} {end - 8:g} {top}")
            drawing.label(((start + end) / 2, top - (top - high) * 0.75 + 4), event)
        else:
            low = top + 36 + 34 - 30 * (apart + 1)
            drawing.path(f"M{start - 8:g} {top + 36}C{start - 8:g} {low:g} {end + 8:g} {low:g} {end + 8:g} {top + 36}")
            drawing.label(((start + end) / 2, top + 36 + (low - top - 36) * 0.75 + 4), event)
    for phase in row:
        ends = phase in (Phase.ENDED, Phase.VOIDED)
        drawing.box((x[phase], top), (wide, 36), AMBER if ends else GREEN)
        drawing.words((x[phase] + wide / 2, top + 23), phase.value, "b")
    return drawing.svg()


def _modules(layer: str) -> list[str]:
    return [name.strip(" ()") for name in re.split(r"[|:]", layer)]


def _contract(name: str) -> list[list[str]]:
    contracts: list[dict[str, Any]] = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return [_modules(layer) for layer in next(one["layers"] for one in contracts if one["id"] == name)]


PURE: Final = ("hand", "tracking", "views")


def layers() -> str:
    """The layers of the controller and of the drivers, as import-linter holds them."""
    blocks = [("controller", _contract("controller-layers")), ("drivers", _contract("driver-layers"))]
    pure = next(
        one["source_modules"]
        for one in tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
        if one["id"] == "pure-core"
    )
    rows: list[tuple[str, list[str]]] = []
    for name, block in blocks:
        for layer in block:
            rows += [(name, part) for part in _lines(layer, 760)]
            rows.append((name, []))
    height = 74 + sum(34 if part else 8 for _, part in rows) + 40
    about = "; ".join(f"{name}: " + ", then ".join(" | ".join(layer) for layer in block) for name, block in blocks)
    drawing = Drawing("The layers: imports point down", f"From above to below. {about}", 940, height)
    drawing.words((20, 30), "Imports point down; a module knows what stands below it, and nothing above.", "b", "start")
    drawing.box((660, 14), (22, 22), BLUE)
    drawing.words((690, 30), "pure: no I/O, clock, chance or framework", "s", "start")
    y = 54.0
    for name, group in groupby(rows, key=lambda row: row[0]):
        lines = list(group)
        tall = sum(34 if part else 8 for _, part in lines)
        drawing.box((14, y - 6), (912, tall + 4), "#f3f2ea")
        drawing.words((28, y + 16), name, "b", "start")
        for _, part in lines:
            x = 140.0
            for module in part:
                wide = len(module) * LETTER + 18
                drawing.box((x, y), (wide, 26), BLUE if f"controller.{module}" in pure else GREEN)
                drawing.words((x + wide / 2, y + 18), module)
                x += wide + 8
            y += 34 if part else 8
        y += 14
    drawing.words(
        (28, y + 4),
        "simulators stand on drivers too; controller and simulators meet in the composition modules alone.",
        "s",
        "start",
    )
    return drawing.svg()


def _lines(modules: Iterable[str], width: float) -> list[list[str]]:
    """``modules`` in as few lines as they fit into."""
    lines: list[list[str]] = [[]]
    taken = 0.0
    for module in modules:
        wide = len(module) * LETTER + 26
        if taken + wide > width and lines[-1]:
            lines.append([])
            taken = 0.0
        lines[-1].append(module)
        taken += wide
    return lines


NAMES: Final = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}


def dealing() -> str:
    """Which card goes where, one after another, for four seats under the first preset."""
    seats = (1, 2, 3, 4)
    drawing = Drawing("The order of dealing", "", 930, 96 + 74 * len(STREETS))
    drawing.words((20, 30), "Four seats, preset seeds: the number says when a card leaves the shoe.", "b", "start")
    drawing.box((560, 14), (18, 24), "#ffffff")
    drawing.words((586, 31), "up", "s", "start")
    drawing.box((630, 14), (18, 24), GREEN, INK)
    drawing.words((656, 31), "down: sealed", "s", "start")
    drawing.box((760, 14), (18, 24), GREY)
    drawing.words((786, 31), "burn", "s", "start")
    for index, seat in enumerate(seats):
        drawing.words((330 + index * 160, 66), f"seat {seat}", "b")
    number = 0
    told = []
    for row, street in enumerate(STREETS.values()):
        y = 80 + row * 74
        drawing.words((20, y + 30), f"{NAMES[street.number]} street", "b", "start")
        drawing.words((20, y + 47), f"{'big' if street.big else 'small'} bet", "s", "start")
        due = _street_due(
            street.number,
            tuple((seat, False, False) for seat in seats),
            burn=house_rules("seeds").burns_before(street.number),
            eliminate=0,
        )
        held = dict.fromkeys(seats, 0)
        said = []
        for card in due:
            number += 1
            if card.place is Spot.BURN:
                drawing.box((160, y + 8), (36, 50), GREY)
                drawing.words((178, y + 38), str(number), "b")
                said.append(f"{number} burn")
                continue
            seat, zone = card.place.seat, card.place.zone
            x = 330 + seats.index(seat) * 160 + (held[seat] - (len(street.up) - 1) / 2) * 42 - 18
            held[seat] += 1
            drawing.box((x, y + 8), (36, 50), "#ffffff" if zone is Zone.UP else GREEN, LINE if zone is Zone.UP else INK)
            drawing.words((x + 18, y + 38), str(number), "b")
            said.append(f"{number} seat {seat} {zone.value}")
        told.append(f"{NAMES[street.number]} street: {', '.join(said)}")
    drawing.head = (drawing.head[0], "; ".join(told), *drawing.head[2:])
    return drawing.svg()


def _topics(filters: Iterable[str], table: str) -> list[str]:
    """What stands behind the table's own part of each filter."""
    return [re.sub(rf"^{re.escape(ROOT)}/[^/]+/(?:{re.escape(table)}|\+)/", "", one).replace("+", "…") for one in filters]


def venue(grants: Sequence[Grant], table: str) -> str:
    """Who speaks to whom: the table, its broker, the venue's, displays and floor, with what the access list lets each do."""
    by = {grant.user.partition("-")[0]: grant for grant in grants if not grant.user.endswith("public")}
    display, bridge, floor = by["display"], by["bridge"], by["floor"]
    drawing = Drawing("Table, brokers and floor", _told(grants, table), 1000, 500)
    places: Mapping[str, tuple[Point, Point, str]] = {
        "shoe and readers": ((20, 60), (170, 44), GREY),
        "the table": ((20, 170), (170, 60), GREEN),
        "its own broker": ((300, 170), (170, 60), AMBER),
        "the venue's broker": ((640, 170), (170, 60), AMBER),
        "seat's display": ((300, 380), (170, 60), BLUE),
        "the floor": ((640, 380), (170, 60), GREEN),
        "its store": ((870, 388), (110, 44), GREY),
    }
    for name, (at, size, fill) in places.items():
        drawing.box(at, size, fill)
        drawing.words((at[0] + size[0] / 2, at[1] + size[1] / 2 + 5), name, "b")
    drawing.path("M105 104V168")
    drawing.label((105, 140), "serial lines")
    drawing.path("M192 190H298")
    drawing.path("M298 212H192")
    drawing.label((245, 176), "publishes")
    drawing.label((245, 232), "is asked")
    drawing.path("M472 190H638")
    _list(drawing, (480, 62), "bridge, out", _topics(bridge.writes, table))
    drawing.path("M638 212H472")
    _list(drawing, (480, 234), "bridge, in", _topics(bridge.reads, table))
    drawing.path("M360 232V378")
    drawing.path("M410 378V232")
    _list(drawing, (300, 280), "reads", _topics(display.reads, table), anchor="end", x=350)
    _list(drawing, (420, 310), "writes", _topics(display.writes, table))
    drawing.path("M700 232V378")
    drawing.path("M750 378V232")
    _list(drawing, (0, 256), "reads", _topics(floor.reads, table), anchor="end", x=690)
    _list(drawing, (760, 300), "writes", _topics(floor.writes, table))
    drawing.path("M812 410H868")
    drawing.path("M725 442V476H105V232")
    drawing.label((415, 480), "orders: HTTPS, each signed for one table, request and body")
    return drawing.svg()


def _list(drawing: Drawing, at: Point, head: str, topics: Sequence[str], anchor: str = "start", x: float | None = None) -> None:
    left = at[0] if x is None else x
    drawing.words((left, at[1]), head, "s", anchor)
    for index, topic in enumerate(topics):
        drawing.words((left, at[1] + 15 * (index + 1)), topic, "c", anchor)


def _told(grants: Sequence[Grant], table: str) -> str:
    said = [
        f"{grant.user} reads {', '.join(_topics(grant.reads, table)) or 'nothing'} and writes {', '.join(_topics(grant.writes, table)) or 'nothing'}"
        for grant in grants
    ]
    return "; ".join(said) + "; the floor sends its orders to the table over HTTPS"


def files(changes: Sequence[tuple[Phase, str, Phase]], grants: Sequence[Grant], table: str) -> dict[Path, str]:
    """Every diagram with the text it should have."""
    made = {"phases": phases(changes), "layers": layers(), "dealing": dealing(), "venue": venue(grants, table)}
    return {IMAGES / f"{name}.svg": text for name, text in made.items()}
