"""Programs of the system that some tests talk to. ``.ci/prepare`` installs them where it may."""

from __future__ import annotations

import os
import shutil
from typing import Final

import pytest

CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")


def program(*names: str, package: str) -> str:
    """Path of the first of ``names`` that is installed. Without one the test is skipped, but fails in CI."""
    for name in names:
        if (found := shutil.which(name)) is not None:
            return found
    advice = f"{names[0]} is not installed: apt-get install {package}"
    if os.environ.get("CI"):
        pytest.fail(advice)
    pytest.skip(advice)
