"""``bench``: figures beside their yardsticks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from controller.bench import FIGURES, BenchError, run_figures
from controller.cli.parsing import OK, UsageError, add_command, add_json, print_json


def add_bench_command(commands: Any) -> None:
    """Add ``bench``."""
    about = "figures, each beside its yardstick in the same run"
    parser = add_command(commands, "bench", _bench, about, "stud-table bench hand latency journal tracking --json")
    parser.add_argument("figures", nargs="*", type=_figure, metavar="|".join(FIGURES), help="default: all")
    add_json(parser)


def _figure(name: str) -> str:
    """A figure's name, as bench knows it."""
    if name not in FIGURES:
        raise argparse.ArgumentTypeError(f"there is no figure {name!r}; there are {', '.join(FIGURES)}")
    return name


def _bench(options: argparse.Namespace) -> int:
    try:
        figures = run_figures(options.figures or tuple(FIGURES))
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
