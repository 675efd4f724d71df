"""Colours of the screens, dark and light, as CSS custom properties; contrast is computed from the same values (screens §12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COLOURS: Final[Mapping[str, tuple[str, str]]] = {
    "bg": ("#1E2225", "#C8CDD1"),
    "s1": ("#2A2F33", "#D9DDE0"),
    "s2": ("#343A3F", "#E9ECEE"),
    "s3": ("#465058", "#FFFFFF"),
    "t1": ("#F3F5F6", "#14181B"),
    "t2": ("#C6CDD3", "#333B41"),
    "t3": ("#A3ADB5", "#475058"),
    "ctl": ("#8C97A0", "#59636B"),
    "line": ("#4B545B", "#A3ABB1"),
    "acc": ("#A8D4FF", "#0B4A82"),
    "acc-ink": ("#0E1D2B", "#FFFFFF"),
    "pri": ("#E8ECEF", "#1F2A33"),
    "pri-ink": ("#14181B", "#FFFFFF"),
    "btn": ("#4A545C", "#F4F6F7"),
    "p1": ("#B42318", "#B42318"),
    "p1-ink": ("#FFFFFF", "#FFFFFF"),
    "p1-edge": ("#FF7A6E", "#A61B12"),
    "p2": ("#FFB020", "#FFB020"),
    "p2-ink": ("#1A1300", "#1A1300"),
    "p2-edge": ("#FFB020", "#7A4300"),
    "p3": ("#F2E34C", "#6B5F00"),
    "face": ("#F5F3ED", "#F5F3ED"),
    "spade": ("#14171A", "#14171A"),
    "heart": ("#D0121B", "#D0121B"),
    "diamond": ("#0A3FD0", "#0A3FD0"),
    "club": ("#0A7D5A", "#0A7D5A"),
    "back": ("#6F7F8C", "#6F7F8C"),
    "back-edge": ("#C6CDD3", "#59636B"),
}
"""Name → dark, light."""

_TEXT: Final = 4.5
_EDGE: Final = 3.0
CONTRASTS: Final[tuple[tuple[str, str, float], ...]] = (
    *((ink, ground, _TEXT) for ink in ("t1", "t2", "t3") for ground in ("bg", "s1", "s2")),
    ("t1", "s3", _TEXT),
    ("t2", "s3", _TEXT),
    ("t1", "btn", _TEXT),
    ("acc-ink", "acc", _TEXT),
    ("acc", "bg", _EDGE),
    ("acc", "s1", _TEXT),
    ("acc", "s3", _TEXT),
    ("pri-ink", "pri", _TEXT),
    ("p1-ink", "p1", _TEXT),
    ("p1-edge", "bg", _EDGE),
    ("p1-edge", "s1", _TEXT),
    ("p2-ink", "p2", _TEXT),
    ("p2-edge", "bg", _EDGE),
    ("p3", "s1", _TEXT),
    ("ctl", "bg", _EDGE),
    ("ctl", "s1", _EDGE),
    *((suit, "face", _TEXT) for suit in ("spade", "heart", "diamond", "club")),
)
"""What is drawn on what, and the least contrast (WCAG 1.4.3 for text, 1.4.11 for edges)."""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as ``#RRGGBB`` (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def stylesheet() -> str:
    """The tokens as CSS: dark by default, light where the page says so."""
    dark = "".join(f"  --{name}: {values[0]};\n" for name, values in COLOURS.items())
    light = "".join(f"  --{name}: {values[1]};\n" for name, values in COLOURS.items())
    return f':root {{\n  color-scheme: dark;\n{dark}}}\n\n:root[data-theme="light"] {{\n  color-scheme: light;\n{light}}}\n'
