# ruff: noqa: INP001 - a script, no package
"""Takes the pictures of the README: a real demo, a real broker, and what ``stud-table watch`` would draw at one moment.

    .venv/bin/python docs/images/make_pictures.py

Writes ``running-table.svg`` (a seat display in English), ``running-table-public.svg`` and ``running-table-fr.svg`` beside itself.
Nothing in them is posed: the moment is the first one in which the wanted seat is to act with several choices.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from controller.demo import Demo, DemoPlan
from controller.displays.drawing import draw
from controller.displays.terminal import Picture
from controller.mqtt.client import Connection, MqttClient
from controller.mqtt.payloads import PublicView, SeatView
from controller.mqtt.topics import TableTopics
from controller.words.catalogue import Language
from drivers.clock import SystemClock

HERE: Final = Path(__file__).parent
COLUMNS: Final = 110
SEAT: Final = 3
HANDS: Final = 12
FROM_STREET: Final = 5
CELL_WIDTH: Final = 0.632
"""Width of a character by the height that rich counts with (20); lines are 24.4 high and the font 21, so that boxes close."""
MOST_S: Final = 120.0
THEME: Final = TerminalTheme((22, 27, 34), (222, 226, 230), [(0, 0, 0)] * 8, [(255, 255, 255)] * 8)
SVG: Final = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 21px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""A terminal's picture that needs no font and nothing else from elsewhere."""


def worth_showing(view: PublicView | None) -> bool:
    """Whether seat ``SEAT`` is to act late in a hand, with three choices and at least three others still in."""
    return (
        isinstance(view, SeatView)
        and view.is_actor
        and view.hold is None
        and (view.street or 0) >= FROM_STREET
        and len(view.options) >= 3
        and sum(1 for seat in view.seats if seat.up) >= 3
    )


def same_moment(public: PublicView | None, seat: PublicView | None) -> tuple[PublicView, SeatView] | None:
    """Both pictures when they show the same decision and it is worth showing."""
    if public is None or not isinstance(seat, SeatView) or not worth_showing(seat):
        return None
    return (public, seat) if (public.hand, public.street, public.actor) == (seat.hand, seat.street, seat.actor) else None


async def moment(folder: Path) -> tuple[PublicView, SeatView]:
    """The public picture and the seat's, of the same decision, from a running demo."""
    demo = Demo(DemoPlan(folder, hands=HANDS, seed=7, fast=True, seats=8))
    await demo.start()
    topics = TableTopics("demo", "T1")
    public, seat = Picture(topics, clock=SystemClock()), Picture(topics, clock=SystemClock(), seat=SEAT, name="picture")
    tasks = [
        asyncio.create_task(MqttClient(Connection(*demo.mqtt, f"picture-{index}"), picture, random.Random()).run())
        for index, picture in enumerate((public, seat))
    ]
    tasks.append(asyncio.create_task(demo.play()))
    try:
        async with asyncio.timeout(MOST_S):
            while True:
                await seat.changed()
                await asyncio.sleep(0.02)
                if (found := same_moment(public.view, seat.view)) is not None:
                    return found
    finally:
        demo.stop_dealing()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await demo.stop()


def save(name: str, view: PublicView, language: Language, title: str) -> None:
    """One picture, as a terminal of ``COLUMNS`` columns shows it."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(draw(view, 0.2, language))
    svg = console.export_svg(
        title=title, theme=THEME, code_format=SVG, unique_id=name.removesuffix(".svg"), font_aspect_ratio=CELL_WIDTH
    )
    (HERE / name).write_text("\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n", encoding="utf-8")


def main() -> None:
    """Play until the moment comes, and save it."""
    with tempfile.TemporaryDirectory(prefix="stud-picture-") as folder:
        public, seat = asyncio.run(moment(Path(folder)))
    save("running-table.svg", seat, Language.EN, f"stud-table watch --seat {SEAT}")
    save("running-table-public.svg", public, Language.EN, "stud-table watch")
    save("running-table-fr.svg", seat, Language.FR, f"stud-table watch --seat {SEAT} --language fr")
    sys.stdout.write(f"hand {public.hand}, street {public.street}, no. {public.seq}\n")


if __name__ == "__main__":
    main()
