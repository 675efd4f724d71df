"""``simulate``: the whole controller on virtual time, seeded and repeatable."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from controller.cli.parsing import DOES_NOT_HOLD, OK, VARIANTS, UsageError, add_command, add_json, count, print_json, progress
from controller.simulate.batch import Doubt, Report, command, compare, exchange, play, spare_collector
from controller.simulate.faults import Level
from controller.simulate.plan import Drawn, Plan, Result

MAX_SEEDS: Final = 1_000_000
TOLD: Final = 20
"""So many seeds of a kind are told one by one; ``--json`` tells all."""


def add_simulate_command(commands: Any) -> None:
    """Add ``simulate``."""
    about = "the whole controller with simulated devices, broker, people, disk and clock on virtual time, from one seed"
    parser = add_command(
        commands, "simulate", _simulate, about, "stud-table simulate --seeds 1-100 --hands 5 --faults heavy --jobs 2 --json"
    )
    parser.add_argument("--hands", type=count, default=3, metavar="N", help="hands of each seed (default 3)")
    parser.add_argument(
        "--seeds", type=_seeds, default=range(1, 11), metavar="A-B", help="from seed A to seed B, or one seed (default 1-10)"
    )
    parser.add_argument("--variant", choices=VARIANTS, help="the game (default: drawn from the seed)")
    parser.add_argument(
        "--faults", choices=[level.value for level in Level], default=Level.NONE.value, help="how much goes wrong (default none)"
    )
    parser.add_argument(
        "--only", type=_numbers, metavar="N,N", help="of the seed's faults only those of these numbers, or none of them"
    )
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="processes that run at the same time (default 1)")
    parser.add_argument(
        "--twice", action="store_true", help="each seed once more in a process with other hashes: the journals must be the same"
    )
    parser.add_argument(
        "--twins", action="store_true", help="each seed beside a twin with two hidden cards exchanged: both must tell the same"
    )
    add_json(parser)


def _seeds(text: str) -> range:
    low, dash, high = text.partition("-")
    if not low.isdecimal() or (dash and not high.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} names no seeds: write 7, or 1-100")
    seeds = range(int(low), int(high or low) + 1)
    if not 0 < len(seeds) <= MAX_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} names {len(seeds)} seeds: 1 to {MAX_SEEDS} are possible, the lower one first")
    return seeds


def _numbers(text: str) -> tuple[int, ...]:
    if text == "none":
        return ()
    parts = text.split(",")
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} names no faults: write their numbers as 3,8, or none")
    return tuple(int(part) for part in parts)


def _simulate(options: argparse.Namespace) -> int:
    if options.hands < 1 or options.jobs < 1:
        raise UsageError("--hands and --jobs are at least 1")
    level = Level(options.faults)
    plans = [Plan(seed, options.hands, options.variant, level, options.only) for seed in options.seeds]
    if options.only:
        for plan in plans:
            _check_drawn(plan, options.only)
    spare_collector()
    report = play(plans, jobs=options.jobs, tell=progress)
    if options.twice:
        progress("once more, with other hashes")
        compare(report, plans, jobs=options.jobs)
    if options.twins:
        exchange(report, plans, tell=progress)
    progress("")
    if options.json:
        print_json(report.as_json())
    else:
        sys.stdout.write("\n".join(_lines(report)) + "\n")
    return OK if report.ok else DOES_NOT_HOLD


def _check_drawn(plan: Plan, only: Sequence[int]) -> None:
    """``UsageError`` where ``only`` names a fault that the seed has not drawn: its run would be one without it."""
    drawn = [fault.number for fault in Drawn.of(replace(plan, kept=None)).faults]
    strange = ",".join(str(number) for number in only if number not in drawn)
    if strange and drawn:
        raise UsageError(f"--only {strange}: with --faults {plan.level.value} seed {plan.seed} draws the faults 1 to {drawn[-1]}")
    if strange:
        raise UsageError(
            f"--only {strange}: with --faults {plan.level.value} seed {plan.seed} draws no faults: choose more with --faults or"
            " --hands, or another seed"
        )


def _lines(report: Report) -> Sequence[str]:
    lines: list[str] = []
    for result in (*report.failures, *report.stuck):
        lines += _told(result)
    for what, doubts in (
        ("LOST", report.lost),
        ("DIFFERS under other hashes", report.differ),
        ("LEAKS: with two hidden cards exchanged it tells something else", report.leaks),
        ("PROVES NOTHING beside its twin", report.unpaired),
    ):
        lines += [line for doubt in doubts[:TOLD] for line in _doubted(doubt, what)]
        if len(doubts) > TOLD:
            lines.append(f"{what}: {len(doubts) - TOLD} seeds more, from seed {doubts[TOLD].seed} to seed {doubts[-1].seed}")
    seeds, rate = len(report.heads), report.hands / report.seconds if report.seconds else 0.0
    faults = f"{report.struck.total()} faults of {report.drawn.total()} drawn"
    bad = f"{report.failed} failed, {len(report.stuck)} stuck"
    lines.append(
        f"{report.hands} hands of {seeds} seed{'' if seeds == 1 else 's'} with {faults} and {report.crashes} ends of the "
        f"controller: {bad}, {report.voided} hands void; {rate:.1f} hands a second"
    )
    return lines


def _doubted(doubt: Doubt, what: str) -> list[str]:
    return [f"seed {doubt.seed} {what}", f"  {doubt.what}", f"  again: {doubt.command}", ""]


def _told(result: Result) -> list[str]:
    """The story of a run that failed, and how to see it again."""
    what = f"FAILED: {result.failure}" if result.failure else f"is STUCK: {result.stuck}"
    first = [] if result.at_first in (None, result.what) else [f"  with all its faults it said: {result.at_first}"]
    faults = ", ".join(f"{fault.number} {fault.name}" for fault in result.faults) or "no fault at all"
    story = (f"  {line}" for line in result.story)
    return [
        f"seed {result.plan.seed} {what}",
        *first,
        f"  with {faults}",
        *story,
        f"  again: {' '.join(command(result.plan))}",
        "",
    ]
