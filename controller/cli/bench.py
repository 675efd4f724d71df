"""``bench``: figures beside their yardsticks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from controller.bench import DEFAULT, FIGURES, BenchError, FloorLoad, run_figures
from controller.cli.parsing import OK, UsageError, add_command, add_json, print_json


def add_bench_command(commands: Any) -> None:
    """Add ``bench``."""
    about = "figures, each beside its yardstick in the same run"
    parser = add_command(commands, "bench", _bench, about, "stud-table bench hand latency journal tracking --json")
    parser.add_argument("figures", nargs="*", type=_figure, metavar="|".join(FIGURES), help="default: all but floor")
    usual = FloorLoad()
    parser.add_argument("--tables", type=_number(1), default=usual.tables, help="of floor: how many (default %(default)s)")
    parser.add_argument("--rate", type=_number(2), default=usual.rate, help="messages a second of each (default %(default)s)")
    parser.add_argument("--seconds", type=_number(1), default=usual.seconds, help="how long (default %(default)s)")
    parser.add_argument("--store", metavar="URL", help="a store of its own for floor; default: a PostgreSQL server for the run")
    add_json(parser)


def _number(least: int) -> Any:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {least} or more")
        return int(text)

    return parse


def _figure(name: str) -> str:
    """A figure's name, as bench knows it."""
    if name not in FIGURES:
        raise argparse.ArgumentTypeError(f"there is no figure {name!r}; there are {', '.join(FIGURES)}")
    return name


def _bench(options: argparse.Namespace) -> int:
    load = FloorLoad(options.tables, options.rate, options.seconds, options.store)
    try:
        figures = run_figures(options.figures or DEFAULT, load)
    except BenchError as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json(figures)
        return OK
    for figure in figures:
        ratio, yardstick = figure["ratio"], figure["yardstick"]
        sys.stdout.write(
            f"{figure['name']}: {figure['value']:.4g} {figure['unit']} (yardstick {yardstick:.4g}, ratio {ratio:.2f})\n"
        )
    return OK
