"""The installation in ``deploy/example``: what ``install`` makes of a table and a floor as ``init`` writes them.

``python -m support.deploy_example`` (in ``tests``) writes it anew after a change.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from controller.installation.plan import Installation, Wanted, plan
from controller.installation.sheets import Broker, FloorChoice, TableChoice, floor_sheet, table_sheet

EXAMPLE: Final = Path(__file__).parents[2] / "deploy/example"
DEVICES: Final = ("shoe", "felt-a", "felt-b", "felt-c", "felt-d", "felt-e")
TABLE: Final = TableChoice(
    shoe="/dev/stud-table/T1/shoe",
    readers=tuple(f"/dev/stud-table/T1/{line}" for line in DEVICES[1:]),
    broker=Broker("broker.room.example", 8883),
    tls=True,
    http=("10.0.0.7", 8443),
)
FLOOR: Final = FloorChoice(
    store="postgresql://stud-floor@db.room.example/floor?sslmode=verify-full",
    broker=Broker("broker.room.example", 8883),
    tls=True,
)
PLACES: Final = {f"T1/{device}": f"pci-0000:00:14.0-usb-0:2.{number}:1.0" for number, device in enumerate(DEVICES, 1)}


def installed(folder: Path, wanted: Wanted | None = None, *, table: str = "", floor: str = "") -> Installation:
    """What is installed for the sample's two files, which are written to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.toml").write_text(table or table_sheet(TABLE), encoding="utf-8")
    (folder / "floor.toml").write_text(floor or floor_sheet(FLOOR), encoding="utf-8")
    given = Wanted(places=PLACES) if wanted is None else wanted
    return plan(replace(given, tables=(folder / "table.toml",), floor=folder / "floor.toml"))


def write(files: Mapping[str, str], out: Path) -> None:
    """The files below ``out``."""
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    shutil.rmtree(EXAMPLE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as given:
        write(installed(Path(given)).files, EXAMPLE)
