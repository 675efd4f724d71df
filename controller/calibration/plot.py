"""A calibration as one picture (SVG): readings of each antenna, its scan time, and which antenna reads what lies at another.

Written as text: a table's machine needs no drawing library for three shapes, and every browser shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

from controller.calibration.figures import AntennaFigures, Calibration, Outcome
from controller.calibration.judge import MISS_BOUND, PERIOD_BOUND_S, SELDOM_FACTOR
from controller.calibration.statistics import quantile
from controller.calibration.words import number, words
from controller.words.catalogue import Language, text

FONT: Final = 'font-family="DejaVu Sans, Arial, sans-serif" font-size="12"'
ROW: Final = 22
LABEL: Final = 110
READ_WIDTH: Final = 340
TIME_WIDTH: Final = 260
GAP: Final = 70
CELL: Final = 26
MARGIN: Final = 24
TOP: Final = 104
GOOD: Final = "#2b6cb0"
BAD: Final = "#c53030"
INK: Final = "#1a202c"
FAINT: Final = "#cbd5e0"
MUTED: Final = "#718096"
_SLOWEST_SHOWN_S: Final = 0.35
_DARK_FROM: Final = 0.5


def picture(found: Calibration, language: Language) -> str:
    """The picture of ``found`` as the text of an SVG file."""
    rows = len(found.antennas)
    matrix_top = TOP + rows * ROW + 150
    width = max(2 * MARGIN + LABEL + READ_WIDTH + GAP + TIME_WIDTH + GAP, 2 * MARGIN + LABEL + rows * CELL + GAP)
    height = matrix_top + rows * CELL + 2 * MARGIN
    title = f"{words('calibrate.plot_title', language, {'table': found.table})} · {found.at:%Y-%m-%d %H:%M} UTC · {found.deck}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" {FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(MARGIN, 32, title, size=17),
        *_readings(found, language),
        *_times(found, language),
        *_matrix(found, language, matrix_top),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, said: str, *, anchor: str = "start", size: int = 12, fill: str = INK, turn: int = 0) -> str:
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{turned}>{escape(said)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, *, color: str = FAINT, width: float = 1, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"{dashed}/>'


def _box(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1.0, tip: str = "") -> str:
    inner = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" fill-opacity="{opacity:.3f}">'
        f"{inner}</rect>"
    )


def _readings(found: Calibration, language: Language) -> Iterator[str]:
    left, bottom = MARGIN + LABEL, TOP + len(found.antennas) * ROW
    yield _text(MARGIN, TOP - 42, text("calibrate.plot_read", language))
    marks = words("calibrate.plot_read_marks", language, {"bound": round((1 - MISS_BOUND) * 100)})
    yield _text(MARGIN, TOP - 27, marks, size=10, fill=MUTED)
    for percent in range(0, 101, 20):
        x = left + READ_WIDTH * percent / 100
        yield _line(x, TOP - 6, x, bottom)
        yield _text(x, TOP - 12, str(percent), anchor="middle", size=10, fill=MUTED)
    for row, antenna in enumerate(found.antennas):
        yield from _reading(antenna, left, TOP + row * ROW, language)
    bound = left + READ_WIDTH * (1 - MISS_BOUND)
    yield _line(bound, TOP - 6, bound, bottom, color=INK, dash="4 3")


def _reading(antenna: AntennaFigures, left: float, top: float, language: Language) -> Iterator[str]:
    middle = top + ROW / 2
    yield _text(left - 8, middle + 4, antenna.place, anchor="end")
    if antenna.outcome is not Outcome.MEASURED:
        yield _text(left + 6, middle + 4, text("calibrate.plot_not_measured", language), fill=BAD, size=11)
        return
    read = antenna.read
    low, high = read.interval
    color = GOOD if read.missed.share <= MISS_BOUND else BAD
    yield _box(
        left, top + 4, READ_WIDTH * read.share, ROW - 8, color, opacity=0.75, tip=f"{antenna.place}: {read.hits}/{read.of}"
    )
    yield _line(left + READ_WIDTH * low, middle, left + READ_WIDTH * high, middle, color=INK, width=2)
    yield _text(left + READ_WIDTH + 8, middle + 4, number(read.share * 100, language), size=11, fill=color)


def _times(found: Calibration, language: Language) -> Iterator[str]:
    left, bottom = MARGIN + LABEL + READ_WIDTH + GAP, TOP + len(found.antennas) * ROW
    slowest = max((max(antenna.noise.periods_ms, default=0) / 1000 for antenna in found.antennas), default=0.0)
    scale = TIME_WIDTH / max(slowest, _SLOWEST_SHOWN_S)
    yield _text(left, TOP - 42, text("calibrate.plot_time", language))
    yield _text(left, TOP - 27, text("calibrate.plot_time_marks", language), size=10, fill=MUTED)
    step = 0.1 if scale > TIME_WIDTH / 0.8 else 0.5
    for mark in range(int(TIME_WIDTH / scale / step + 1e-9) + 1):
        x = left + scale * step * mark
        yield _line(x, TOP - 6, x, bottom)
        yield _text(x, TOP - 12, number(round(step * mark, 1), language), anchor="middle", size=10, fill=MUTED)
    for row, antenna in enumerate(found.antennas):
        if not antenna.noise.periods_ms:
            continue
        middle = TOP + row * ROW + ROW / 2
        median, late = (quantile(antenna.noise.periods_ms, share) / 1000 for share in (0.5, 0.95))
        bound = PERIOD_BOUND_S * (SELDOM_FACTOR if antenna.seldom else 1)
        color = GOOD if late <= bound else BAD
        yield _line(left + scale * median, middle, left + scale * late, middle, color=color, width=3)
        yield f'<circle cx="{left + scale * median:.1f}" cy="{middle:.1f}" r="4" fill="{color}"/>'
        if scale * bound <= TIME_WIDTH:
            yield _line(left + scale * bound, middle - ROW / 2, left + scale * bound, middle + ROW / 2, color=INK, dash="4 3")


def _matrix(found: Calibration, language: Language, top: float) -> Iterator[str]:
    left, places = MARGIN + LABEL, [antenna.place for antenna in found.antennas]
    yield _text(MARGIN, top - 104, text("calibrate.plot_bleed", language))
    yield _text(MARGIN, top - 88, text("calibrate.plot_bleed_axes", language), size=10, fill=MUTED)
    for column, place in enumerate(places):
        yield _text(left + column * CELL + CELL / 2 + 4, top - 8, place, size=10, turn=-60)
    for row, antenna in enumerate(found.antennas):
        y = top + row * CELL
        yield _text(left - 8, y + CELL / 2 + 4, antenna.place, anchor="end")
        for column, other in enumerate(places):
            x = left + column * CELL
            yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{CELL}" height="{CELL}" fill="none" stroke="{FAINT}"/>'
            if other == antenna.place:
                yield _box(x + 1, y + 1, CELL - 2, CELL - 2, FAINT)
            elif antenna.outcome is Outcome.MEASURED and (rate := antenna.bleed.get(other)) is not None and rate.hits:
                tip = f"{antenna.place} → {other}: {rate.hits}/{rate.of}"
                yield _box(x + 1, y + 1, CELL - 2, CELL - 2, BAD, opacity=0.1 + 0.9 * rate.share, tip=tip)
                fill = "white" if rate.share >= _DARK_FROM else INK
                yield _text(x + CELL / 2, y + CELL / 2 + 4, _short(rate.share), anchor="middle", size=9, fill=fill)


def _short(share: float) -> str:
    """Whole percent, and less than one as such."""
    return f"{share * 100:.0f}" if share >= 0.01 else "<1"
