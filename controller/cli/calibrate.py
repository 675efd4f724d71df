"""``calibrate``: how well each antenna reads, what it reads of its neighbours, and what grew worse since the last time."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from controller.calibration.compare import worse
from controller.calibration.desk import Desk, make_record
from controller.calibration.figures import Calibration
from controller.calibration.guide import Guide, Plan, Step
from controller.calibration.judge import judge
from controller.calibration.plot import picture
from controller.calibration.report import data, history, history_lines, lines
from controller.calibration.store import CalibrationError, last, load, save, stored
from controller.calibration.words import words
from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    UsageError,
    add_command,
    add_json,
    count,
    language,
    print_json,
    progress,
)
from controller.config import TableConfig, load_config
from controller.journal.files import lock_folder
from controller.serve import load_registry
from controller.tracking.enrolment import Said
from controller.tracking.registry import DeckRegistry
from controller.whole_file import write_whole
from controller.words.catalogue import Language
from drivers.clock import SystemClock
from drivers.ports import DriverError

SCANS: Final = 100
"""With no miss in so many the 95 % interval ends at 3.7 %, below the 5 % that are allowed."""
WAIT_S: Final = 60
MOST_SCANS: Final = 10_000


def add_calibrate_command(commands: Any) -> None:
    """Add ``calibrate``."""
    about = "measure the antennas with cards of the deck: hit rate, bleed, noise and scan time, compared with the last time"
    parser = add_command(commands, "calibrate", _calibrate, about, "stud-table calibrate /etc/stud-table/table.toml --scans 200")
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's configuration; no controller may run it")
    parser.add_argument(
        "--antenna",
        action="append",
        default=[],
        metavar="PLACE",
        help="measure this antenna alone, as seat/3/up; may be given again. The others keep their last figures",
    )
    parser.add_argument("--scans", type=count, default=SCANS, metavar="N", help=f"scans with cards (default {SCANS})")
    parser.add_argument("--noise", type=count, default=SCANS, metavar="N", help=f"scans of the empty felt (default {SCANS})")
    parser.add_argument("--stacked", action="store_true", help="measure the cards of each antenna in a stack too")
    parser.add_argument(
        "--wait", type=count, default=WAIT_S, metavar="N", help=f"wait N seconds for cards at an antenna (default {WAIT_S})"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="where the picture goes (default: beside the stored file)")
    parser.add_argument("--history", action="store_true", help="measure nothing: list the calibrations that are stored")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _calibrate(options: argparse.Namespace) -> int:
    chosen = language() if options.language is None else Language(options.language)
    config = load_config(options.table)
    if options.history:
        return _history(config, chosen, as_json=options.json)
    registry = load_registry(config)
    plan = _plan(config, options)
    _check_plot(options.plot)
    out = sys.stderr if options.json else sys.stdout
    tell = _teller(out, chosen)
    config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _held(config.data):
        before = _stored(lambda: last(config.data))
        try:
            record = asyncio.run(_measure(config, registry, plan, tell, chosen, before))
        except KeyboardInterrupt:
            progress("")
            tell(Said("calibrate.cancelled"))
            if options.json:
                print_json({"antennas": [], "ok": False, "cancelled": True, "file": None, "plot": None})
            return DOES_NOT_HOLD
        except DriverError as error:
            raise UsageError(str(error)) from None
        file = save(config.data, record)
        plot: Path = options.plot or file.with_suffix(".svg")
        write_whole(plot, picture(record, chosen))
    grown = () if before is None else worse(record, before)
    out.write("\n".join(lines(record, before, grown, chosen)) + "\n")
    tell(Said("calibrate.written", {"file": str(file)}))
    tell(Said("calibrate.plotted", {"file": str(plot)}))
    if options.json:
        print_json({**data(record, before, grown, chosen), "file": str(file), "plot": str(plot)})
    return OK if not judge(record) else DOES_NOT_HOLD


def _plan(config: TableConfig, options: argparse.Namespace) -> Plan:
    """What is measured; ``UsageError`` for an antenna that the table has not, or numbers that measure nothing."""
    for name, value in (("--scans", options.scans), ("--noise", options.noise), ("--wait", options.wait)):
        if not 1 <= value <= MOST_SCANS:
            raise UsageError(f"{name} {value} measures nothing: give a number from 1 to {MOST_SCANS}")
    antennas = config.antennas()
    wired = {antenna: place for place in antennas.places if (antenna := antennas.antenna(place)) is not None}
    if not wired:
        raise UsageError(f"{options.table} has no readers: there is nothing to calibrate")
    known = {str(place): antenna for antenna, place in wired.items()} | {
        str(place).removesuffix("/any"): antenna for antenna, place in wired.items()
    }
    for name in options.antenna:
        if name not in known:
            raise UsageError(f"there is no antenna {name}: this table has {', '.join(str(place) for place in wired.values())}")
    chosen = [known[name] for name in dict.fromkeys(options.antenna)] or list(wired)
    kinds = (False, True) if options.stacked else (False,)
    return Plan(
        antennas=wired,
        steps=[Step(antenna, stacked) for antenna in chosen for stacked in kinds],
        noise_scans=options.noise,
        scans=options.scans,
        wait_s=options.wait,
    )


def _check_plot(path: Path | None) -> None:
    """Before anybody lays a card: whether the picture can be written there."""
    if path is None:
        return
    if path.suffix.lower() != ".svg":
        raise UsageError(f"{path}: the picture is an SVG file: name it …{path.stem}.svg")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}: make it, or name another file")


@contextmanager
def _held(data: Path) -> Iterator[None]:
    """Keep the table's controller from starting meanwhile; ``JournalBusy`` while one runs."""
    lock = lock_folder(data)
    try:
        yield
    finally:
        os.close(lock)


def _stored(read: Callable[[], Calibration | None]) -> Calibration | None:
    try:
        return read()
    except CalibrationError as error:
        raise UsageError(str(error)) from None


def _teller(out: Any, chosen: Language) -> Callable[[Said], None]:
    """Each text on a line of its own; a bell on a terminal, since the person looks at the felt."""

    def tell(said: Said) -> None:
        progress("")
        bell = "\a" if out.isatty() else ""
        out.write(bell + words(said.code, chosen, said.values) + "\n")
        out.flush()

    return tell


async def _measure(
    config: TableConfig,
    registry: DeckRegistry,
    plan: Plan,
    tell: Callable[[Said], None],
    chosen: Language,
    before: Calibration | None,
) -> Calibration:
    """Guide through the whole of it; on a terminal the return key leaves an antenna out."""
    clock = SystemClock()

    def watch(said: Said | None) -> None:
        if said is not None:
            progress(words(said.code, chosen, said.values))

    desk = Desk(config, registry, plan, tell, clock=clock, rng=random.SystemRandom(), watch=watch)
    loop = asyncio.get_running_loop()
    listens = sys.stdin.isatty()
    if listens:
        tell(Said("calibrate.help"))
        loop.add_reader(sys.stdin, _on_return, desk, loop)
    try:
        await desk.run()
    finally:
        progress("")
        if listens:
            with suppress(OSError):
                loop.remove_reader(sys.stdin)
    guide: Guide = desk.guide
    at = clock.wall().replace(microsecond=0)
    return make_record(config, registry, plan, guide, at=at, before=before)


def _on_return(desk: Desk, loop: asyncio.AbstractEventLoop) -> None:
    if sys.stdin.readline():
        desk.skip()
    else:  # the terminal's end of input, which would be read for ever
        loop.remove_reader(sys.stdin)


def _history(config: TableConfig, chosen: Language, *, as_json: bool) -> int:
    try:
        found = [(path, load(path)) for path in stored(config.data)]
    except CalibrationError as error:
        raise UsageError(str(error)) from None
    if as_json:
        print_json({"calibrations": [history(path, record) for path, record in found]})
    else:
        sys.stdout.write("\n".join(history_lines(found, chosen)) + "\n")
    return OK
