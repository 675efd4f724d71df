"""A calibration told: lines for people, one object for programs, and the list of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from controller.calibration.compare import TESTS
from controller.calibration.figures import AntennaFigures, Calibration, Outcome, Rate
from controller.calibration.hysteresis import ACCEPT_SHARE
from controller.calibration.judge import hysteresis, judge, notes
from controller.calibration.statistics import quantile
from controller.calibration.words import Value, Verdict, number, words
from controller.words.catalogue import Language, text


def lines(found: Calibration, before: Calibration | None, grown: Sequence[Verdict], language: Language) -> Iterator[str]:
    """A row for each antenna, what the settings of the felt make of it, what grew worse, and last what is wrong."""
    yield ""
    head = [text(f"calibrate.head_{column}", language) for column in ("antenna", "read", "time", "bleed")]
    rows = [head, *(_row(antenna, language) for antenna in found.antennas)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    yield from ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    yield ""
    felt = hysteresis(found)
    if felt is not None:
        values: dict[str, Value] = {
            "place": felt.place,
            "percent": felt.miss * 100,
            "period": felt.period_s,
            "share": felt.accepted * 100,
        }
        more: dict[str, Value] = {
            "removals": felt.removals,
            "misses": felt.misses_to_go,
            "enough": "–" if felt.enough is None else felt.enough,
        }
        yield words("calibrate.hysteresis", language, {**values, **more, "least": ACCEPT_SHARE * 100})
    yield from _compared(before, grown, language)
    verdicts, left_open = judge(found), notes(found)
    if left_open:
        yield text("calibrate.open", language, count=len(left_open))
    if not verdicts:
        yield text("calibrate.ok", language)
        return
    yield text("calibrate.found", language, count=len(verdicts))
    yield from (f"- {verdict.words(language)}" for verdict in verdicts)


def _row(antenna: AntennaFigures, language: Language) -> list[str]:
    """One antenna in a line: readings with their interval, scan time, and the antenna that reads most of what lies there."""
    if antenna.outcome is not Outcome.MEASURED:
        read = text("calibrate.plot_not_measured", language)
    else:
        low, high = antenna.read.interval
        read = f"{_percent(antenna.read, language)} ({number(low * 100, language)}–{number(high * 100, language)})"
    other, bleed = max(antenna.bleed.items(), key=lambda pair: pair[1].share, default=("", Rate()))
    times = antenna.noise.periods_ms
    late = ", ".join(number(quantile(times, share) / 1000, language) for share in (0.5, 0.95)) + " s" if times else "–"
    return [antenna.place, read, late, f"{other} {_percent(bleed, language)}" if bleed.hits else "–"]


def _percent(rate: Rate, language: Language) -> str:
    return f"{number(rate.share * 100, language)} %"


def _compared(before: Calibration | None, grown: Sequence[Verdict], language: Language) -> Iterator[str]:
    if before is None:
        yield text("calibrate.first", language)
        return
    at = f"{before.at:%Y-%m-%d %H:%M} UTC"
    if not grown:
        yield text("calibrate.compared", language, at=at)
        return
    yield text("calibrate.grown", language, at=at, count=len(grown))
    yield from (f"- {one.words(language)}" for one in grown)


def data(found: Calibration, before: Calibration | None, grown: Sequence[Verdict], language: Language) -> dict[str, Any]:
    """As JSON tells it: ``antennas`` and ``ok`` first."""
    verdicts = judge(found)
    failing = {verdict.about for verdict in verdicts}
    felt = hysteresis(found)
    return {
        "antennas": [_antenna_data(antenna, ok=antenna.place not in failing) for antenna in found.antennas],
        "ok": not verdicts,
        "problems": [verdict.data(language) for verdict in verdicts],
        "notes": [note.data(language) for note in notes(found)],
        "hysteresis": None if felt is None else felt.data(),
        "compared_with": None if before is None else before.at.isoformat(),
        "test": TESTS,
        "worse": [one.data(language) for one in grown],
        "deck": found.deck,
        "at": found.at.isoformat(),
    }


def _antenna_data(antenna: AntennaFigures, *, ok: bool) -> dict[str, Any]:
    return {
        "place": antenna.place,
        "ok": ok,
        "outcome": antenna.outcome.value,
        "at": None if antenna.at is None else antenna.at.isoformat(),
        "read": _rate_data(antenna.read),
        "cards": [{"card": one.card, **_rate_data(one.read), "longest_run": one.longest_run} for one in antenna.cards],
        "stacked": None if antenna.stacked is None else _rate_data(antenna.stacked),
        "bleed": {other: _rate_data(rate) for other, rate in antenna.bleed.items() if rate.hits},
        "noise": {
            "scans": antenna.noise.scans,
            "readings": antenna.noise.readings,
            "tags": antenna.noise.tags,
            "errors": _rate_data(antenna.noise.error_rate),
        },
        "period_s": _spread(antenna.noise.periods_ms),
        "inventory_s": _spread(antenna.noise.inventories_ms),
    }


def _rate_data(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    return {"hits": rate.hits, "of": rate.of, "rate": round(rate.share, 5), "low": round(low, 5), "high": round(high, 5)}


def _spread(times_ms: Sequence[float]) -> dict[str, float] | None:
    if not times_ms:
        return None
    return {"median": round(quantile(times_ms, 0.5) / 1000, 5), "p95": round(quantile(times_ms, 0.95) / 1000, 5)}


def history(path: Path, found: Calibration) -> dict[str, Any]:
    """One stored calibration in a row."""
    verdicts = judge(found)
    measured = [antenna for antenna in found.antennas if antenna.outcome is Outcome.MEASURED]
    worst = max(measured, key=lambda antenna: antenna.read.missed.share, default=None)
    return {
        "at": found.at.isoformat(),
        "deck": found.deck,
        "ok": not verdicts,
        "problems": len(verdicts),
        "measured": len(measured),
        "antennas": len(found.antennas),
        "worst": None if worst is None else worst.place,
        "worst_miss": None if worst is None else round(worst.read.missed.share, 5),
        "file": str(path),
    }


def history_lines(found: Sequence[tuple[Path, Calibration]], language: Language) -> Iterator[str]:
    """The stored calibrations, oldest first."""
    if not found:
        yield text("calibrate.none", language)
    for path, record in found:
        row = history(path, record)
        worst = "" if row["worst"] is None else f"{row['worst']} {number(row['worst_miss'] * 100, language)} %"
        problems = text("calibrate.found", language, count=row["problems"]) if row["problems"] else "OK"
        yield f"{record.at:%Y-%m-%d %H:%M}  {row['deck']}  {row['measured']}/{row['antennas']}  {worst}  {problems}"
