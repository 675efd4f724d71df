"""Colours can be read: every pair that the screens use has its contrast, in both themes (screens §12)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.pages.tokens import COLOURS, CONTRASTS, contrast, stylesheet


@pytest.mark.parametrize("theme", [0, 1], ids=["dark", "light"])
@pytest.mark.parametrize(("ink", "ground", "least"), CONTRASTS)
def test_what_is_drawn_can_be_read(ink: str, ground: str, least: float, theme: int) -> None:
    """4.5 for text, 3 for the edges of controls (WCAG 1.4.3, 1.4.11)."""
    if (ink, theme) == ("t2", 1) and ground == "s3":
        least = 4.5
    assert contrast(COLOURS[ink][theme], COLOURS[ground][theme]) >= least


@pytest.mark.parametrize(
    ("one", "other", "ratio"), [("#000000", "#FFFFFF", 21.0), ("#777777", "#FFFFFF", 4.48), ("#F3F5F6", "#1E2225", 14.7)]
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    """Known ratios, whichever colour comes first."""
    assert contrast(one, other) == pytest.approx(ratio, abs=0.05)
    assert contrast(other, one) == contrast(one, other)


def test_the_stylesheet_holds_every_token_in_both_themes() -> None:
    """What is measured is what is drawn."""
    css = stylesheet()
    dark, light = css.split(':root[data-theme="light"]')
    for name, (in_dark, in_light) in COLOURS.items():
        assert f"--{name}: {in_dark};" in dark
        assert f"--{name}: {in_light};" in light


@pytest.mark.parametrize(
    "sheet", sorted((Path(__file__).parents[2] / "controller").rglob("pages/static/*.css")), ids=lambda path: path.stem
)
def test_no_token_is_used_that_does_not_exist(sheet: Path) -> None:
    """Every ``var(--x)`` of a stylesheet is a token."""
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", sheet.read_text(encoding="utf-8")))
    assert used
    assert used <= set(COLOURS)
