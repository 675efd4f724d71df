"""A file that is written is whole or as it was, nobody else's, and leaves nothing beside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from controller.whole_file import write_new, write_whole


@pytest.mark.parametrize("mode", [None, 0o644])
def test_others_may_not_read_it_whatever_was_there(tmp_path: Path, mode: int | None) -> None:
    """A file that others could read is replaced by one that they cannot; what a torn run left beside it is gone."""
    path = tmp_path / "deck.toml"
    (tmp_path / ".deck.toml.new").write_text("half", encoding="utf-8")
    if mode is not None:
        path.write_text("old", encoding="utf-8")
        path.chmod(mode)
    write_whole(path, "né\n")
    assert path.read_text(encoding="utf-8") == "né\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["deck.toml"]


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_half_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    """It is never opened for writing itself: the error comes through, and the old content stands."""
    path = tmp_path / "deck.toml"
    write_whole(path, "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", fail) if point == "fsync" else (Path, "replace", fail)))
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["deck.toml"]


def test_a_file_system_that_syncs_no_folder_keeps_the_file_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second sync, of the folder, fails: what is written stands, and nobody is told of an error."""
    synced: list[int] = []

    def sync(handle: int) -> None:
        synced.append(handle)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", sync)
    write_whole(tmp_path / "deck.toml", "new")
    assert len(synced) == 2
    assert (tmp_path / "deck.toml").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_takes_nobodys_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool) -> None:
    """Also on a file system without links, as FAT."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "key.pem"
    write_new(path, b"first")
    with pytest.raises(FileExistsError):
        write_new(path, b"second")
    assert path.read_bytes() == b"first"
    assert [found.name for found in tmp_path.iterdir()] == ["key.pem"]
