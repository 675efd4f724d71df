"""The licence of every package that is installed with the program, by its own metadata, and whether we may hand it out.

``python -m release.licences`` writes the page of the reference; a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from release.locked import PROGRAM, Locked, needs, read_lock

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs/reference/licences.md"
LOCK: Final = ROOT / "requirements.lock"

ALLOWED: Final = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "EPL-2.0", "HPND", "ISC"),
        *("MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"),
    }
)
"""SPDX names of licences that ask for a notice, or bind changes to their own files alone. Any other is refused until a person
reads it: GPL and AGPL would bind the program."""
AS_A_LIBRARY: Final[Mapping[str, frozenset[str]]] = {
    "LGPL-3.0-only": frozenset({"fpdf2", "psycopg", "psycopg-binary"}),
}
"""Licences that ask to be able to change the library alone, and the packages that are used so: unchanged, installed apart."""
READ: Final[Mapping[str, str]] = {"aiomqtt": "BSD-3-Clause", "jinja2": "BSD-3-Clause", "pyserial": "BSD-3-Clause"}
"""Where metadata says no more than *BSD*: what the licence's own text is."""
_SAID: Final[Mapping[str, str]] = {
    "Apache Software License": "Apache-2.0",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT": "MIT",
    "MIT License": "MIT",
    "MPL-2.0": "MPL-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
}
"""SPDX names of what older metadata writes."""
_OSI: Final = "License :: OSI Approved :: "
_NAMES: Final = re.compile(r"[A-Za-z0-9.+-]+")


class LicenceError(Exception):
    """A package has no licence that we know, or one that we may not hand out; one clear sentence."""


def licence_of(name: str) -> str:
    """The SPDX expression of an installed package; ``LicenceError`` when its metadata tells none that we know."""
    about = distribution(name).metadata
    classified = [line.removeprefix(_OSI) for line in about.get_all("Classifier") or () if line.startswith(_OSI)]
    said = [*(about.get_all("License") or ()), *classified]
    expressed: list[str] = about.get_all("License-Expression") or []
    found = READ.get(name) or next(iter(expressed), None) or next((_SAID[one] for one in said if one in _SAID), None)
    if found is None:
        told = ", ".join(filter(None, said)) or "none"
        raise LicenceError(f"{name} tells no licence that we know ({told}): read its text and name it in READ")
    return found


def refusal(name: str, licence: str) -> str | None:
    """Why a package of that licence may not be in a release, or ``None``."""
    for one in _NAMES.findall(licence):
        if one not in {"AND", "OR", "WITH", *ALLOWED} and name not in AS_A_LIBRARY.get(one, ()):
            return f"{name} is under {one}, which a release may not hold until it is read and named in ALLOWED or AS_A_LIBRARY"
    return None


def licences_of(locked: Iterable[Locked]) -> Mapping[str, str]:
    """The licence of each, by name. ``LicenceError`` where one is missing or refused."""
    found = {one.name: licence_of(one.name) for one in locked}
    if refused := [why for name, licence in found.items() if (why := refusal(name, licence))]:
        raise LicenceError("; ".join(refused))
    return found


def page(locked: tuple[Locked, ...]) -> str:
    """The page of the reference."""
    needed, licences = needs(locked), licences_of(locked)
    rows = [
        f"| `{one.name}` | {one.version} | {licences[one.name]} | {_by_whom(one.name, needed)} |"
        for one in sorted(locked, key=lambda one: one.name)
    ]
    return HEAD + "\n".join(rows) + "\n" + FOOT


def _by_whom(name: str, needed: Mapping[str, tuple[str, ...]]) -> str:
    users = sorted(user for user, names in needed.items() if name in names)
    if PROGRAM in users:
        return "the program"
    return ", ".join(f"`{user}`" for user in users) or "making the wheel"


HEAD: Final = """# Licences

stud-table is under the [MIT licence](../../LICENSE). Its wheel holds one work of others: the typeface Inter, under the SIL Open
Font License 1.1 (`OFL-1.1`), whose text lies beside it. Everything else that an installation of `requirements.lock` brings is a
package of its own, unchanged, with its licence in its folder:

| package | version | licence | needed by |
| --- | --- | --- | --- |
"""
FOOT: Final = """
Wheels with compiled parts carry libraries of their own (OpenSSL in `cryptography`, libpq in `psycopg-binary`, codecs in
`pillow`); their licences stand beside those packages'. `LGPL-3.0-only` asks that its library can be replaced by another build of
it, which an environment of separate packages gives.

Made by `python -m release.licences` from the metadata of the packages. A test refuses a package without a licence, and one whose
licence nobody here has read: GPL and AGPL would bind the program.
"""

if __name__ == "__main__":
    PAGE.write_text(page(read_lock(LOCK)), encoding="utf-8")
