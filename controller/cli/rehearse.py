"""``rehearse``: a configured table with simulated devices, dealer and players around it."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

from controller.cli.parsing import DOES_NOT_HOLD, OK, UsageError, add_command, add_json, positive, print_json
from controller.config import load_config
from controller.rehearsed_table import DealerLogin, Played, RehearsedTable
from controller.service_manager import ServiceManager
from controller.whole_file import others_may_use
from simulators.dealer import DealerStuck

PLAYERS = 6


def add_rehearse_command(commands: Any) -> None:
    """Add ``rehearse``."""
    about = "simulated devices on the ports of a configured table, and a dealer and players who play at it; run is the table"
    example = "stud-table rehearse T1/table.toml --hands 3 --number 99 --pin-file T1/rehearsal.pin"
    parser = add_command(commands, "rehearse", _rehearse, about, example)
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration; a simulated deck is made")
    wanted = partial(positive, otherwise=", or leave the option out to play on until Ctrl-C")
    parser.add_argument("--hands", type=wanted, default=0, metavar="N", help="stop after N hands (default: play on until Ctrl-C)")
    parser.add_argument(
        "--players", type=positive, metavar="N", help=f"players, from seat 1 (default {PLAYERS}, or as many as there are seats)"
    )
    parser.add_argument("--number", metavar="N", help="the simulated dealer's number, where people sign in")
    parser.add_argument("--pin-file", type=Path, metavar="FILE", help="file with that PIN, mode 0600")
    add_json(parser)


def _rehearse(options: argparse.Namespace) -> int:
    config = load_config(options.table)
    seats = config.game.game("").rules.max_seats
    players = options.players or min(PLAYERS, seats)
    if not 2 <= players <= seats:
        raise UsageError(f"--players {players}: the table has {seats} seats, and two play at least")
    played = asyncio.run(_play(RehearsedTable(config, login=_login(options), players=players, rng=random.Random()), options))
    if options.json:
        print_json(played.as_json())
    else:
        sys.stdout.write(f"hands: {played.hands}, void: {played.voided}, presses that the table refused: {played.refusals}\n")
    return OK if played.hands >= options.hands else DOES_NOT_HOLD


def _login(options: argparse.Namespace) -> DealerLogin | None:
    if (options.number is None) != (options.pin_file is None):
        raise UsageError("--number and --pin-file belong together: give both, or neither where nobody signs in")
    if options.number is None:
        return None
    if others_may_use(options.pin_file):
        raise UsageError(f"{options.pin_file} may be read by others: make it its owner's alone (chmod 600)")
    try:
        return DealerLogin(options.number, options.pin_file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{options.pin_file} cannot be read: write the PIN there, for this user") from None


async def _play(table: RehearsedTable, options: argparse.Namespace) -> Played:
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(wanted, table.stop_dealing)
    try:
        await table.start()
        ServiceManager(os.environ, os.getpid()).tell("READY=1", "STATUS=the devices are there")
        return await table.play(hands=options.hands, tell=_say)
    except DealerStuck as error:
        raise UsageError(f"the simulated dealer cannot go on: {error}") from None
    finally:
        table.stop()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
