"""``manifest``: digests of the installed files, and whether they are those of a release."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from controller.cli.parsing import DOES_NOT_HOLD, OK, UsageError, add_command, add_json, not_written, print_json, somewhere
from controller.manifest import ManifestError, installed, read_manifest


def add_manifest_command(commands: Any) -> None:
    """Add ``manifest``."""
    about = "digests of the installed files, this program's and those of what it stands on"
    parser = add_command(commands, "manifest", _manifest, about, "stud-table manifest --check /etc/stud-table/manifest.json")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--write", type=somewhere, metavar="FILE", help="write the manifest of what is installed; never over another"
    )
    group.add_argument("--check", type=Path, metavar="FILE", help="compare what is installed with the manifest of a release")
    add_json(parser)


def _manifest(options: argparse.Namespace) -> int:
    found = installed()
    lines: tuple[str, ...] = ()
    if options.check is not None:
        try:
            lines = read_manifest(options.check).differences(found)
        except ManifestError as error:
            raise UsageError(str(error)) from None
    if options.write is not None:
        try:
            descriptor = os.open(options.write, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise UsageError(f"{options.write} is there already: name another file with --write, or move it away") from None
        except OSError as error:
            raise not_written(options.write, error, option="--write") from None
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(found.as_json(), indent=1) + "\n")
    if options.json:
        print_json({**found.as_json(), "ok": not lines, "differences": list(lines)})
    else:
        sys.stdout.write(f"stud-table {found.version}: {len(found.files)} files, digest {found.digest}\n")
        sys.stdout.write("".join(f"- {line}\n" for line in lines))
        if options.check is not None and not lines:
            sys.stdout.write(f"the same as the release in {options.check}\n")
    return DOES_NOT_HOLD if lines else OK
