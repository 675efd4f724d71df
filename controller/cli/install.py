"""``install``: units, accounts, device names, database and more for tables and floor, as files to be looked at and copied."""

from __future__ import annotations

import argparse
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

from controller.cli.parsing import OK, UsageError, add_command, add_json, not_written, print_json, somewhere
from controller.installation.plan import PROGRAM, Installation, Wanted, plan

EXAMPLE_PLACE: Final = "pci-0000:00:14.0-usb-0:2:1.0"


def add_install_command(commands: Any) -> None:
    """Add ``install``."""
    about = "what a machine needs to run tables and floor as services, as files below one folder; nothing is changed"
    example = (
        "stud-table install --table T1/table.toml --floor floor.toml --place T1/shoe=pci-0000:00:14.0-usb-0:2:1.0 --out installed"
    )
    parser = add_command(commands, "install", _install, about, example)
    parser.add_argument("--out", type=somewhere, required=True, metavar="DIR", help="a folder that is not there yet")
    parser.add_argument("--table", type=Path, action="append", default=[], metavar="TABLE.toml", help="a table, once for each")
    parser.add_argument("--floor", type=Path, metavar="FLOOR.toml", help="the floor")
    parser.add_argument("--program", type=_program, default=PROGRAM, metavar="PATH", help=f"the program (default {PROGRAM})")
    place = "where a device is plugged in: ID_PATH of udev, or serial: and the adapter's serial number; once for each"
    parser.add_argument("--place", type=_place, action="append", default=[], metavar="TABLE/DEVICE=PLACE", help=place)
    staff = "staff's network, for the firewall (default 10.0.0.0/24)"
    parser.add_argument("--staff", type=_network, default=Wanted().staff, metavar="NET", help=staff)
    parser.add_argument("--simulate", action="store_true", help="simulated devices, dealer and players instead of real ones")
    add_json(parser)


def _program(text: str) -> Path:
    if not text.startswith("/") or any(mark in text for mark in " \t\n$%\"'\\"):
        raise argparse.ArgumentTypeError(f"{text!r} is no path from / on without spaces: write where stud-table is")
    return Path(text)


def _place(text: str) -> tuple[str, str]:
    name, equals, place = text.partition("=")
    if not equals or "/" not in name or not place:
        raise argparse.ArgumentTypeError(f"{text!r} tells no place: write TABLE/DEVICE=PLACE, as T1/shoe={EXAMPLE_PLACE}")
    return name, place


def _network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}: write a network, as 10.0.0.0/24") from None


def _install(options: argparse.Namespace) -> int:
    wanted = Wanted(
        tuple(options.table), options.floor, options.program, dict(options.place), simulate=options.simulate, staff=options.staff
    )
    made = plan(wanted)
    _write(made, options.out)
    if options.json:
        print_json({"out": str(options.out), "files": list(made.files), "open": list(made.open)})
    else:
        sys.stdout.write("".join(f"{options.out / name}\n" for name in made.files))
        sys.stdout.write("Now:\n" + "".join(f"- {line}\n" for line in made.open))
    return OK


def _write(made: Installation, out: Path) -> None:
    if out.exists():
        raise UsageError(f"{out} is there already: name another folder with --out")
    try:
        for name, text in made.files.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_written(out, error, option="--out") from None
