"""Digests of the installed files: of this program and of every package that it stands on (REG-21 to REG-23).

A release manifest is written once, right after an installation that was checked, and kept where the table's user cannot write.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec
from pathlib import Path
from site import getsitepackages
from typing import Any, Final

from drivers.registry import MULTIPLEXERS, READERS, SHOES

PROGRAM: Final = "stud-table"
OWN_PACKAGES: Final = ("controller", "drivers", "simulators")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_MADE_HERE: Final = ("__pycache__", "direct_url.json", "INSTALLER", "REQUESTED", "RECORD")
"""Names of files and folders that an installation makes for itself and that differ from machine to machine."""
_LOADED: Final = tuple(all_suffixes())
NO_CACHES: Final = f"{os.devnull}/no-caches"
"""Where Python is told to look for compiled files: there can be none."""


class ManifestError(Exception):
    """Why a manifest cannot be used, or which installed files are not those of the release; one clear sentence."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The program's version and the SHA-256 (hexadecimal) of each file by its name, packages first in it."""

    version: str
    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """One SHA-256 over all names and digests."""
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(self.files.items()))
        return sha256(f"{PROGRAM} {self.version}\n{lines}".encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """The manifest as it is written."""
        return {"program": PROGRAM, "version": self.version, "digest": self.digest, "files": dict(sorted(self.files.items()))}

    def differences(self, found: Manifest) -> tuple[str, ...]:
        """What is otherwise in ``found``, a line each, in order of the names."""
        lines = [] if found.version == self.version else [f"version {found.version} instead of {self.version}"]
        for name in sorted(self.files.keys() | found.files.keys()):
            mine, other = self.files.get(name), found.files.get(name)
            if mine != other:
                lines.append(f"{name} {'is missing' if other is None else 'was added' if mine is None else 'was changed'}")
        return tuple(lines)


def command_without_caches() -> tuple[str, ...] | None:
    """This process's command as it runs from the listed files alone; ``None`` when it does.

    Python takes a compiled file of ``__pycache__`` for its source when the two agree in time and size. Those files differ from
    machine to machine and no manifest lists them, so a table that is checked does not read them.
    """
    if sys.pycache_prefix == NO_CACHES:
        return None
    return (sys.executable, "-B", "-X", f"pycache_prefix={NO_CACHES}", *sys.orig_argv[1:])


def installed() -> Manifest:
    """What is installed now. Reads every file: about a second. ``ManifestError`` when one cannot be read."""
    try:
        return _installed()
    except PackageNotFoundError as error:
        raise ManifestError(f"the package {error.name} is not installed: install stud-table anew") from None
    except OSError as error:
        raise ManifestError(f"the installed file {error.filename} cannot be read: {error.strerror}; install it anew") from None


def _installed() -> Manifest:
    files: dict[str, str] = {}
    for package in OWN_PACKAGES:
        root = _root_of(package)
        for path in sorted(root.rglob("*")):
            name = f"{package}/{path.relative_to(root).as_posix()}"
            if path.is_file() and not _made_here(name):
                files[name] = _digest(path)
    own = distribution(PROGRAM)
    for needed in _needed(own):
        listed = dict(_files_of(needed))
        for name, path in (*listed.items(), *_slipped_in(listed)):
            files[f"{needed.name}/{name}"] = _digest(path)
    for path in _run_at_start():
        files[f"site/{path.name}"] = _digest(path)
    return Manifest(own.version, files)


def _run_at_start() -> Iterator[Path]:
    """Files of no package that Python runs by itself before the program."""
    for folder in map(Path, getsitepackages()):
        yield from sorted({*folder.glob("*.pth"), *folder.glob("sitecustomize.py"), *folder.glob("usercustomize.py")})


def read_manifest(path: Path) -> Manifest:
    """The manifest in ``path``; ``ManifestError`` when it is none, or its digest is not that of its lines."""
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"program": "stud-table", "version": str(version), "digest": str(digest), "files": dict(files)}:
                found = Manifest(version, files)
            case _:
                raise ValueError
        if found.digest != digest:
            raise ValueError
    except OSError as error:
        raise ManifestError(f"manifest: {path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError):
        raise ManifestError(f"manifest: {path} is no whole manifest: write it anew from a release that was checked") from None
    return found


def check_installed(path: Path) -> Manifest:
    """What is installed, when it is what the manifest in ``path`` lists; ``ManifestError`` names the first files that are not."""
    expected, found = read_manifest(path), installed()
    lines = expected.differences(found)
    if lines:
        more = f" and {len(lines) - 3} more" if len(lines) > 3 else ""
        raise ManifestError(f"the installed program is not the release: {', '.join(lines[:3])}{more}; install it anew")
    return found


def _root_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ManifestError(f"the package {package} is not installed: install stud-table anew")
    return Path(spec.origin).parent


def _needed(root: Distribution) -> tuple[Distribution, ...]:
    """Every distribution that ``root`` stands on, and each that brings a driver with what that stands on, in order of names.

    What is not installed is not needed here.
    """
    found: dict[str, Distribution] = {}
    drivers = {
        point.dist.name
        for group in (SHOES, READERS, MULTIPLEXERS)
        for point in entry_points(group=group)
        if point.dist is not None
    }
    waiting = [*(root.requires or ()), *sorted(drivers - {root.name})]
    while waiting:
        requirement = waiting.pop()
        match = _NAME.match(requirement)
        if match is None or "extra ==" in requirement:
            continue
        try:
            needed = distribution(match[0])
        except PackageNotFoundError:
            continue
        if needed.name.lower() not in found:
            found[needed.name.lower()] = needed
            waiting.extend(needed.requires or ())
    return tuple(found[name] for name in sorted(found))


def _files_of(needed: Distribution) -> Iterator[tuple[str, Path]]:
    for name in needed.files or ():
        path = Path(str(name.locate()))
        if not _made_here(str(name)) and not str(name).startswith("..") and path.is_file():
            yield name.as_posix(), path


def _slipped_in(listed: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Files in the folders of a package that Python would load and the package does not list, which hide one that it does."""
    known = set(listed.values())
    for folder, name in {path.parent: name for name, path in listed.items() if "/" in name and path.suffix == ".py"}.items():
        for path in sorted(folder.iterdir()):
            if path.name.endswith(_LOADED) and path not in known and path.is_file():
                yield f"{name.rpartition('/')[0]}/{path.name}", path


def _made_here(name: str) -> bool:
    return any(part in _MADE_HERE for part in name.split("/"))


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
