"""Files that are whole or as they were before, whatever happens while they are written."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_NO_LINKS: Final = frozenset((errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS))
"""What a file system says that has no links."""


def write_whole(path: Path, text: str) -> None:
    """Write a file of mode 0600, durably: whole or as it was before. It stays its owner's, whoever writes. ``OSError`` when it
    cannot be written."""
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)  # what a torn run left, or another put there: its mode and its readers would stay
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            give_to_owner(descriptor, path)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_new(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a new file of ``mode``, less the process's mask, durably: whole or not at all. ``FileExistsError`` where one is;
    ``OSError``."""
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            give_to_owner(descriptor, path)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        _name(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def _name(beside: Path, path: Path) -> None:
    """A link, unlike a new name, never takes the place of a file that is there; some file systems, as FAT, have none."""
    try:
        os.link(beside, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        beside.replace(path)


def sync_folder(folder: Path) -> None:
    """Make new names in it durable; where its file system cannot, what its power's loss may take is a new name alone."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps others from changing the file until the block ends; the lock of a program that dies goes with it."""
    descriptor = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    give_to_owner(descriptor, path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def others_may_use(path: Path) -> bool:
    """Whether it is there and group or others have any right to it."""
    with suppress(OSError):
        return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    return False


def give_to_owner(descriptor: int, path: Path) -> None:
    """The owner of ``path``, or of its folder, has the open file too: root at the desk must not lock the table out."""
    with suppress(OSError):
        owner = (path if path.exists() else path.parent).stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
