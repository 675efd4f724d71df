"""``replay`` and ``verify``: hands that were played, and the journal that holds them."""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    VARIANTS,
    UsageError,
    add_command,
    add_json,
    positive,
    positive_or_all,
    print_json,
    progress,
    somewhere,
)
from controller.hand.rules import PRESETS, HouseRules, house_rules
from controller.replay import Report, Verdict, through_hand, with_explanation
from controller.replay_devices import PortsReplay, through_devices
from controller.verify import audit
from simulators.recorded import load_hands
from simulators.recorded_hand import RecordedHand

WAYS: Final = ("hand", "devices", "ports")
WAYS_HELP: Final = (
    "hand: the state machine alone (default); devices: a whole simulated table in memory; ports: with real ports and broker"
)


def add_hand_commands(commands: Any) -> None:
    """Add ``replay`` and ``verify``."""
    _add_replay(commands)
    _add_verify(commands)


def _add_replay(commands: Any) -> None:
    about = "recorded hands through the hand state machine, a simulated table, or real ports and broker"
    parser = add_command(
        commands,
        "replay",
        _replay,
        about,
        "stud-table replay hands.jsonl --preset seeds --set bring_in.short=match_short --through devices --json",
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="recorded hands, one JSON object a line")
    parser.add_argument("--preset", choices=PRESETS, default="seeds", help="house rules to start from (default seeds)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="knob=value", dest="knobs", help="override a house rule; may be given again"
    )
    parser.add_argument("--variant", choices=VARIANTS, help="only hands of this game")
    parser.add_argument("--through", choices=WAYS, default="hand", help=WAYS_HELP)
    parser.add_argument("--limit", type=positive_or_all, default=0, metavar="N", help="at most N hands (default: all)")
    add_json(parser)


def _replay(options: argparse.Namespace) -> int:
    rules = house_rules(options.preset, _knobs(options.knobs))
    began = time.monotonic()
    report = Report()
    hands = (hand for file in options.files for hand in load_hands(file))
    with _way(options.through) as way:
        for hand in hands:
            if options.variant not in (None, hand.variant):
                continue
            report.add(with_explanation(hand, rules, way(hand, rules)))
            progress(f"{report.hands} hands, {report.agree} agree")
            if report.hands == options.limit:
                break
    progress("")
    found = report.as_json(time.monotonic() - began)
    if options.json:
        print_json(found)
    else:
        _tell_replay(report, found)
    return OK if report.ok else DOES_NOT_HOLD


def _tell_replay(report: Report, found: dict[str, Any]) -> None:
    out = sys.stdout
    counts = f"{report.agree} agree, {len(report.differ)} differ, {len(report.refused)} refused"
    out.write(f"{report.hands} hands: {counts}, {found['seconds']} s\n")
    for refused in report.refused:
        why = "illegal by casino rules" if refused.flagged else refused.house_rule or "not explained"
        out.write(f"refused {refused.hand_id}, {refused.event}: {refused.rule} {refused.message} ({why})\n")
    for differs in report.differ:
        out.write(
            f"differs {differs.hand_id}, {differs.event}: expected {differs.expected}, got {differs.got} ({differs.rule})\n"
        )


@contextmanager
def _way(through: str) -> Iterator[Callable[[RecordedHand, HouseRules], Verdict]]:
    if through == "hand":
        yield through_hand
        return
    logging.getLogger("drivers").setLevel(logging.ERROR)
    if through == "devices":
        yield through_devices
        return
    ports = PortsReplay()
    try:
        yield ports.replay
    finally:
        ports.close()


def _knobs(given: Sequence[str]) -> dict[str, str]:
    knobs: dict[str, str] = {}
    for entry in given:
        name, equals, value = entry.partition("=")
        if not equals:
            raise UsageError(f"--set {entry}: write knob=value, as --set cap.max_raises=4")
        knobs[name.strip()] = value.strip()
    return knobs


def _add_verify(commands: Any) -> None:
    about = "check a journal's hash chain, and that replaying it gives the state it claims; needs no key"
    parser = add_command(commands, "verify", _verify, about, "stud-table verify data/journal.sqlite3 --json")
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="the journal file, or its folder")
    about_head = (
        "a head that was noted elsewhere, from status over MQTT or an export: a journal that was cut short does not hold it"
    )
    parser.add_argument("--head", type=head_of, metavar="HEAD", help=about_head)
    about_jobs = "files of the folder that are checked at once (default: as many as there are processors)"
    parser.add_argument("--jobs", type=partial(positive, otherwise=", or leave the option out"), metavar="N", help=about_jobs)
    add_json(parser)


def head_of(text: str) -> bytes:
    """A head in hexadecimal, for argparse."""
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no head: it has 64 hexadecimal digits")
    return bytes.fromhex(text)


def _verify(options: argparse.Namespace) -> int:
    try:
        found = audit(options.journal, head=options.head, jobs=options.jobs or len(os.sched_getaffinity(0)))
    except FileNotFoundError as error:
        raise UsageError(str(error)) from None
    if options.json:
        print_json(found.as_json())
    elif found.ok:
        sys.stdout.write(f"the journal holds: {found.events} events, {found.hands} hands, head {found.head}\n")
    else:
        last = min(found.events, (found.first_bad or 0) - 1)
        held = f"; it holds up to event {last}" if last > 0 else ""
        sys.stdout.write(f"the journal does not hold at event {found.first_bad}: {found.reason}{held}\n")
    return OK if found.ok else DOES_NOT_HOLD
