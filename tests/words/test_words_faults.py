"""Each fault in words: what is out of order and the way out, long and in a strip's few words."""

from __future__ import annotations

import pytest

from controller.words.catalogue import Language, text
from controller.words.faults import FAULTS, fault_text

OF_DEVICES = frozenset(("device_down",))
"""Faults of which the strip names the device alone."""


@pytest.mark.parametrize("code", FAULTS)
@pytest.mark.parametrize("language", Language)
def test_a_fault_has_words(code: str, language: Language) -> None:
    """With the device's name where there are several (REG-11)."""
    device = "felt-a/3" if code in OF_DEVICES else ""
    said = fault_text(code, device, language)
    assert device in said
    assert "{" not in said
    if not device:
        assert len(text(f"ui.fault.{code}", language)) <= 40
