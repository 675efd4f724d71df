"""``demo``: a simulated table at work."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    VARIANTS,
    add_command,
    add_json,
    address,
    language,
    positive,
    print_json,
    program,
    progress,
)
from controller.demo import FAULTS, Demo, DemoPlan
from controller.demo_people import people_lines
from controller.displays.terminal import watch
from controller.mqtt.client import Connection
from controller.mqtt.topics import TableTopics
from drivers.clock import SystemClock
from simulators.habits import DealerStats


def add_demo_command(commands: Any) -> None:
    """Add ``demo``."""
    about = "a simulated table: broker, devices on pseudo-terminals, dealer and players, and the controller"
    parser = add_command(commands, "demo", _demo, about, "stud-table demo --hands 5 --speed fast --variant razz")
    wanted = partial(positive, otherwise=", or leave the option out to play on until Ctrl-C")
    parser.add_argument("--hands", type=wanted, default=0, metavar="N", help="stop after N hands (default: play on until Ctrl-C)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of cards, players and faults (default 1)")
    parser.add_argument("--tables", type=positive, default=0, metavar="N", help="so many tables, and the floor that watches them")
    parser.add_argument("--variant", choices=VARIANTS, help="the game (default stud; with --tables one after the other)")
    parser.add_argument(
        "--speed", choices=("real", "fast"), default="real", help="fast: people act at once, times are divided by 20"
    )
    parser.add_argument(
        "--faults", choices=tuple(FAULTS), help="missed reads and slips of the dealer (default none; with --tables slips alone)"
    )
    parser.add_argument("--people", action="store_true", help="people sign in at the console, by printed numbers and PINs")
    parser.add_argument(
        "--broker", default="embedded", metavar="embedded|URL", help="a broker of its own, or mqtt://host:port of a running one"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="where table and journal stay, for later demos too (default: a folder that is removed)",
    )
    add_json(parser)


def _demo(options: argparse.Namespace) -> int:
    with _folder(options.data) as folder:
        plan = DemoPlan(
            folder,
            hands=options.hands,
            seed=options.seed,
            variant=options.variant or "stud",
            fast=options.speed == "fast",
            faults=options.faults or ("slips" if options.tables else "none"),
            people=options.people,
            broker=None if options.broker == "embedded" else address(options.broker),
        )
        if options.tables:
            variants = VARIANTS if options.variant is None else (options.variant,)
            from controller.cli.floor_demo import play_floor_demo

            return asyncio.run(play_floor_demo(plan, options.tables, variants, as_json=options.json))
        return asyncio.run(_play_demo(plan, as_json=options.json))


async def _play_demo(plan: DemoPlan, *, as_json: bool) -> int:
    screen = Console(stderr=as_json)
    demo = Demo(plan)
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(wanted, demo.stop_dealing)
    try:
        await demo.start()
        screen.print(_addresses(demo), soft_wrap=True, highlight=False)
        stats = await _play_and_show(demo, screen, show=screen.is_terminal and not as_json)
    finally:
        await demo.stop()
    result = demo.result(stats)
    if as_json:
        print_json(result.as_json())
    else:
        hands = result.hands
        screen.print(
            f"{hands} hand{'' if hands == 1 else 's'} in {result.seconds:.1f} s, {result.voided} voided, "
            f"{result.irregularities} irregularities; "
            f"chips {_kept(kept=result.chips_conserved)}, cards {_kept(kept=result.cards_conserved)}; "
            f"journal {result.audit.events} events, head {result.audit.head[:16]}",
            soft_wrap=True,
            highlight=False,
        )
    if result.audit.reason is not None:
        sys.stderr.write(f"stud-table: journal event {result.audit.first_bad}: {result.audit.reason}\n")
    return OK if result.ok else DOES_NOT_HOLD


def _addresses(demo: Demo) -> str:
    """Where the table can be looked at, as commands and addresses to copy."""
    host, port = demo.mqtt
    pages = "\n".join(f"seat {seat}  {page}" for seat, page in demo.seat_pages.items())
    people = f"\n{people_lines()}" if demo.plan.people else ""
    return f"dealer  {demo.http}/{people}\n{pages}\nin a terminal  {program()} watch --broker mqtt://{host}:{port} --seat 3"


def _kept(*, kept: bool) -> str:
    return "all accounted for" if kept else "NOT all accounted for"


async def _play_and_show(demo: Demo, screen: Console, *, show: bool) -> DealerStats:
    """Play; on a terminal the public display is drawn meanwhile, elsewhere nothing is shown."""
    if not show:
        try:
            return await demo.play(progress)
        finally:
            progress("")
    host, port = demo.mqtt
    connection = Connection(host, port, f"watch-{os.getpid()}")
    shown = asyncio.create_task(
        watch(
            connection,
            TableTopics("demo", "T1"),
            screen,
            random.Random(),
            seat=None,
            language=language(),
            clock=SystemClock(),
            below=f"\nCtrl-C ends the demo. To see more, for a browser and for another terminal:\n{_addresses(demo)}",
        )
    )
    try:
        return await demo.play()
    finally:
        shown.cancel()
        await asyncio.gather(shown, return_exceptions=True)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="stud-demo-") as folder:
        yield Path(folder)
