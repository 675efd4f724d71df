"""The mark of a hand that people verified in part, where everybody sees it (REG-47)."""

from __future__ import annotations

import random
from datetime import datetime

import pytest
from rich.console import Console
from support.by_hand_story import ByHandStory
from support.table_story import AT

from controller.displays.adapter import DisplayAdapter
from controller.displays.drawing import draw
from controller.hand.cards import DECK
from controller.mqtt.payloads import PublicView
from controller.words.catalogue import Language


def header(view: PublicView, language: Language) -> str:
    """What a terminal of 100 columns shows of it."""
    console = Console(width=100, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(draw(view, 0.1, language))
    return capture.get()


@pytest.mark.parametrize(("language", "label"), [(Language.EN, "verified by hand"), (Language.FR, "vérifié à la main")])
def test_a_hand_that_people_verified_says_so_to_everybody(language: Language, label: str) -> None:
    """On the public topic, on each seat's, and on their displays, from the moment on that a device does not tell."""
    told = ByHandStory({1: 100, 2: 100}, seed=2)
    told.begin(random.Random(2).sample(DECK, len(DECK)))
    adapter = DisplayAdapter("T1", 1)
    for dark in (False, True):
        if dark:
            told.lose("felt-1")
            assert told.step_past("felt-1") is None
        snapshot = adapter.snapshot(told.state, (), datetime.fromisoformat(AT))
        assert len(snapshot.seats) == 8
        for view in (snapshot.public, *snapshot.seats.values()):
            assert view is not None
            assert view.manually_verified is dark
            assert (label in header(view, language)) is dark
