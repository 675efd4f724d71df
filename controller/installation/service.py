"""A service with its account and folders: what of its configuration it may write, and who may read the files that it names."""

from __future__ import annotations

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
_HIDDEN: Final = (Path("/home"), Path("/root"), Path("/run/user"), Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - that nobody uses
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
        for key, folder in written.items():
            if any(folder.is_relative_to(own) for own in self.state):
                continue
            if folder.is_relative_to("/etc") or any(folder.is_relative_to(hidden) for hidden in _HIDDEN):
                reason = f"{self.etc / self.file}: {key}: the service may not write in {folder}"
                raise ConfigError(f"{reason}: put it below {self.state[0]}, or on a disk of its own")
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
