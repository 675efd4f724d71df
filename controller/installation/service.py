"""A service with its account and folders: what of its configuration it may write, and who may read the files that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controller.config import ConfigError
from controller.tls import REVOKED

ETC: Final = Path("/etc/stud-table")
FLOOR: Final = "floor"
"""Folder of the floor's configuration, and so no name of a table on the same machine."""
MAX_NAME: Final = 26
"""Of a table whose account is ``stud-`` and its name: accounts have 31 characters at most."""
_SECRET: Final = frozenset(("people", "deck", "password_file", "secret_file", "key_file"))
_PUBLIC: Final = frozenset(("public_key_file", "ca_file", "cert_file", "manifest"))
_SYSTEM: Final = frozenset(
    ["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "tmp", "usr"]
)
"""Folders of the system below which nothing is a service's own."""
_SHARED: Final = frozenset(
    Path(f"/{name}") for name in ["media", "mnt", "opt", "srv", "var/lib/stud-table", "var/lib/stud-table-keys"]
)
"""Folders that several have things in, so that none of them may have it for itself."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9/._:+-]+")


@dataclass(frozen=True, slots=True)
class Service:
    """One table or floor on this machine. ``etc``: its configuration, which it reads alone; ``state``: folders of its own."""

    name: str
    user: str
    file: str
    etc: Path
    state: tuple[Path, ...]
    raw: Mapping[str, Any]

    def secrets(self) -> tuple[Path, ...]:
        """Files for this account alone, in order."""
        return tuple(sorted({path for key, path in self._named() if key in _SECRET}))

    def readable(self) -> tuple[Path, ...]:
        """Files beside its configuration that it reads and others may read too, the list of who is revoked among them."""
        named = {path for key, path in self._named() if key in _PUBLIC}
        named |= {path.with_name(REVOKED) for key, path in self._named() if key == "ca_file"}
        return tuple(sorted(path for path in named if path.is_relative_to(self.etc)))

    def outside(self, written: Mapping[str, Path]) -> tuple[Path, ...]:
        """Folders to be opened for writing beside its own; ``written`` tells by key which folders the service writes.

        ``ConfigError`` for one where no service of ours may write.
        """
        found: set[Path] = set()
        for key, given in written.items():
            folder = whole(given)
            if any(folder.is_relative_to(own) for own in self.state):
                continue
            if not may_be_given(folder):
                reason = f"{self.etc / self.file}: {key}: the service may not write in {folder}"
                raise ConfigError(f"{reason}: put it below {self.state[0]}, or into a folder of its own, as /srv/{self.user}")
            found.add(plain(folder))
        return tuple(sorted(found))

    def place(self, path: str | Path) -> Path:
        """A path of the configuration, relative to it."""
        return self.etc / path

    def _named(self) -> Iterator[tuple[str, Path]]:
        """Every file that the configuration names, with its key."""
        yield from _paths(self.raw, self.etc)


def _paths(raw: Any, base: Path) -> Iterator[tuple[str, Path]]:
    for key, value in raw.items():
        if isinstance(value, Mapping):
            yield from _paths(value, base)
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, Mapping):
                    yield from _paths(one, base)
        elif key in _SECRET | _PUBLIC and isinstance(value, str):
            yield key, plain(base / value)


def whole(path: Path) -> Path:
    """An absolute path without .., as the system follows it."""
    return Path("/" + os.path.normpath(path).lstrip("/"))


def may_be_given(folder: Path) -> bool:
    """Whether one service may have a folder of the machine for itself: nobody else then enters it (``tmpfiles.d``)."""
    match folder.parts[1:]:
        case ():
            return False
        case (top, *_) if top in _SYSTEM:
            return False
        case ("var", *below):
            return below[:1] == ["lib"] and len(below) > 1 and folder not in _SHARED
        case _:
            return folder not in _SHARED


def plain(path: Path) -> Path:
    """``path``, where units and rules can name it as it is; ``ConfigError`` otherwise."""
    if _PLAIN.fullmatch(str(path)) is None:
        raise ConfigError(f"{path}: units cannot name it: take a path of letters, digits, and /._:+-")
    return path


def table_service(name: str, raw: Mapping[str, Any]) -> Service:
    """The table ``name``; ``ConfigError`` where no account can be called after it."""
    if len(name) > MAX_NAME or name == FLOOR:
        reason = f"no account can be called stud-{name}"
        raise ConfigError(f"table.name: {reason}: take a name of up to {MAX_NAME} characters, and not {FLOOR}")
    state = (Path("/var/lib/stud-table") / name, Path("/var/lib/stud-table-keys") / name)
    return Service(name, f"stud-{name}", "table.toml", ETC / name, state, raw)


def floor_service(raw: Mapping[str, Any]) -> Service:
    """The floor."""
    return Service(FLOOR, f"stud-{FLOOR}", "floor.toml", ETC / FLOOR, (Path("/var/lib/stud-floor"),), raw)
