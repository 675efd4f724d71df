"""``demo --tables N``: several simulated tables and their floor, and what became of them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence

from rich.console import Console

from controller.cli.parsing import DOES_NOT_HOLD, OK, print_json
from controller.demo import DemoPlan
from controller.demo_floor import FloorDemo, FloorPlan
from controller.demo_people import people_lines


async def play_floor_demo(each: DemoPlan, tables: int, variants: Sequence[str], *, as_json: bool) -> int:
    """Play until every table's hands are played or Ctrl-C; the exit code says whether chips and cards are accounted for."""
    screen = Console(stderr=as_json)
    demo = FloorDemo(FloorPlan(each, tables, variants))
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(wanted, demo.stop_dealing)
    try:
        await demo.start()
        screen.print(_addresses(demo), soft_wrap=True, highlight=False)
        stats = await demo.play()
    finally:
        await demo.stop()
    result = demo.result(stats)
    if as_json:
        print_json(result.as_json())
    else:
        found = result.as_json()
        kept = "all accounted for" if result.ok else "NOT all accounted for"
        said = f"{found['hands']} hands at {len(result.tables)} tables in {result.seconds:.1f} s"
        slips = f"{found['voided']} voided, {found['irregularities']} irregularities"
        screen.print(f"{said}, {slips}; chips and cards {kept}", soft_wrap=True, highlight=False)
    return OK if result.ok else DOES_NOT_HOLD


def _addresses(demo: FloorDemo) -> str:
    """Where floor and tables can be looked at."""
    tables = "\n".join(f"{one.plan.table:5}  {one.http}/" for one in demo.demos)
    people = f"{people_lines()}\n" if demo.demos[0].plan.people else ""
    return f"floor  {demo.http}/\n{people}{tables}\nCtrl-C ends the demo."
