"""Two pictures as SVG, made with the standard library: hands an hour over time, and slips by kind. Their words say the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Final

from controller.floor.store.hand_rows import HOUR_S
from controller.floor.store.reports import Row
from controller.words.catalogue import Language, catalogue, text

WIDTH: Final = 960
HEIGHT: Final = 300
_LEFT: Final = 48
_TOP: Final = 44
_BOTTOM: Final = 40
_GOAL: Final = (20, 30)
"""Hands an hour that a table is expected to play (screens §8)."""
MAX_BARS: Final = 12
_ROW: Final = 34
_STYLE: Final = (
    "<style>svg{font:16px Inter,system-ui,sans-serif;background:#1e2225}text{fill:#f3f5f6}.quiet{fill:#c6cdd3}"
    ".bar{fill:#a8d4ff}.goal{fill:#343a3f}.line{stroke:#8c97a0;stroke-width:1}.title{font-weight:700;font-size:18px}"
    "</style>"
)


def pace_plot(rows: Sequence[Row], since: datetime, until: datetime, step: int, language: Language) -> str:
    """Hands an hour and table of each ``step`` hours as bars, the band that is aimed at behind them."""
    title = text("history.plot.pace", language)
    first, last = int(since.timestamp()) // HOUR_S // step * step, max(int(until.timestamp()) - 1, 0) // HOUR_S // step * step
    count = max(1, (last - first) // step + 1)
    most: float = max([_GOAL[1] + 5, *(row["hands_per_hour"] for row in rows)])
    high, wide = HEIGHT - _TOP - _BOTTOM, (WIDTH - _LEFT - 12) / count

    def y(value: float) -> float:
        return _TOP + high * (1 - value / most)

    band = f'y="{y(_GOAL[1]):.1f}" width="{WIDTH - _LEFT - 12}" height="{y(_GOAL[0]) - y(_GOAL[1]):.1f}"'
    parts = [f'<rect class="goal" x="{_LEFT}" {band}/>']
    parts += [
        f'<text class="quiet" x="{_LEFT - 8}" y="{y(value) + 5:.1f}" text-anchor="end">{value}</text>' for value in (0, *_GOAL)
    ]
    for row in rows:
        at, value = row["at"] // HOUR_S, row["hands_per_hour"]
        x = _LEFT + (at - first) / step * wide
        parts.append(
            f'<rect class="bar" x="{x + wide * 0.1:.1f}" y="{y(value):.1f}" width="{max(wide * 0.8, 0.5):.1f}" '
            f'height="{y(0) - y(value):.1f}"><title>{_when(at, step, language)}: {_figure(value, language)}</title></rect>'
        )
    for number in range(0, count, max(1, -(-count // 12))):
        x = _LEFT + (number + 0.5) * wide
        label = _when(first + number * step, step, language)
        parts.append(f'<text class="quiet" x="{x:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{label}</text>')
    parts.append(f'<line class="line" x1="{_LEFT}" x2="{WIDTH - 12}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>')
    hands = sum(row["hands"] for row in rows)
    said = text("history.plot.pace.say", language, k=hands, x=_figure(_mean(rows), language))
    return _svg(HEIGHT, title, said, parts, language)


def _mean(rows: Sequence[Row]) -> float:
    hours = sum(row["table_hours"] for row in rows)
    return round(sum(row["hands"] for row in rows) / hours, 1) if hours else 0.0


def slips_plot(rows: Sequence[Row], since: datetime, until: datetime, language: Language) -> str:
    """How often each kind of slip happened, the most frequent first."""
    sums: dict[str, int] = {}
    for row in rows:
        sums[row["kind"]] = sums.get(row["kind"], 0) + row["slips"]
    shown = sorted(sums.items(), key=lambda one: (-one[1], one[0]))[:MAX_BARS]
    most, left = max([1, *(times for _, times in shown)]), 400
    parts = []
    for number, (kind, times) in enumerate(shown):
        y, width = _TOP + number * _ROW, (WIDTH - left - 80) * times / most
        parts.append(f'<text x="{left - 12}" y="{y + 21}" text-anchor="end">{escape(slip_words(kind, language))}</text>')
        parts.append(f'<rect class="bar" x="{left}" y="{y + 5}" width="{width:.1f}" height="{_ROW - 12}"/>')
        parts.append(f'<text x="{left + width + 8:.1f}" y="{y + 21}">{times}</text>')
    said = ", ".join(f"{slip_words(kind, language)}: {times}" for kind, times in shown) or text("history.none", language)
    days = f"{_day(since, language)} – {_day(until, language)}"
    return _svg(_TOP + max(1, len(shown)) * _ROW + 12, f"{text('history.plot.slips', language)} · {days}", said, parts, language)


def slip_words(kind: str, language: Language) -> str:
    """A few words for a kind of slip or stop: its own, or those of the dealer's banner."""
    known = catalogue(language)
    for key in (f"history.slip.{kind}", f"floor.title.{kind}", f"ui.stop.{kind}"):
        if key in known:
            said = known[key].removeprefix("STOP · ")
            return said[:1].upper() + said[1:]
    return kind.replace("_", " ")


def _svg(height: int, title: str, said: str, parts: Sequence[str], language: Language) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" lang="{language.value}" '
        f'aria-labelledby="t d"><title id="t">{escape(title)}</title><desc id="d">{escape(said)}</desc>{_STYLE}'
    )
    return head + f'<text class="title" x="12" y="28">{escape(title)}</text>' + "".join(parts) + "</svg>"


def _when(hour: int, step: int, language: Language) -> str:
    at = datetime.fromtimestamp(hour * HOUR_S, UTC)
    if step > 1:
        return at.strftime("%d/%m" if language is Language.FR else "%d %b")
    return at.strftime("%H h" if language is Language.FR else "%H:00")


def _day(at: datetime, language: Language) -> str:
    return at.astimezone(UTC).strftime("%d/%m/%Y" if language is Language.FR else "%d %b %Y")


def _figure(value: float, language: Language) -> str:
    said = f"{value:g}"
    return said.replace(".", ",") if language is Language.FR else said
