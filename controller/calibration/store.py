"""Calibrations on disk: one file each in the folder ``calibration`` of the table's data, whole or not there at all."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from controller.calibration.figures import Calibration
from controller.whole_file import write_whole

FOLDER: Final = "calibration"
MOST_KEPT: Final = 10_000
"""Files that are looked at: more than a nightly calibration makes in 27 years."""


class CalibrationError(ValueError):
    """A stored calibration that cannot be read. The message names the file and the way out."""


def folder_of(data: Path) -> Path:
    """Where the calibrations of a table lie."""
    return data / FOLDER


def stored(data: Path) -> tuple[Path, ...]:
    """The files of all calibrations, oldest first: their names are their times."""
    folder = folder_of(data)
    found = sorted(folder.glob("????????T??????Z.json")) if folder.is_dir() else []
    return tuple(found[-MOST_KEPT:])


def load(path: Path) -> Calibration:
    """A stored calibration; ``CalibrationError`` where it is none that this release knows."""
    try:
        return Calibration.model_validate_json(path.read_bytes())
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the file"
        raise CalibrationError(f"{path} is no calibration of this release ({where}): move it away, or restore it") from None


def last(data: Path) -> Calibration | None:
    """The newest calibration of a table; ``None`` before the first."""
    files = stored(data)
    return load(files[-1]) if files else None


def save(data: Path, calibration: Calibration) -> Path:
    """Write ``calibration`` under its time, mode 0600, durably; the path. It appears whole or not at all, and no older one is
    written over."""
    folder = folder_of(data)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    named = calibration.at
    while (path := folder / f"{named:%Y%m%dT%H%M%SZ}.json").exists():  # a clock that was set back
        named += timedelta(seconds=1)
    write_whole(path, calibration.model_dump_json(indent=1, exclude_defaults=False) + "\n")
    return path
