"""The witness of the journal's end."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.errors import JournalError
from controller.journal.high_water import HighWater, HighWaterKeeper, read_high_water, write_high_water

MARK = HighWater("5f0c9a1e", 4711, bytes(range(32)))


def test_a_mark_comes_back(tmp_path: Path) -> None:
    """Written whole, read whole, for its owner alone; no file is no mark."""
    path = tmp_path / "T7.json"
    assert read_high_water(path) is None
    write_high_water(path, MARK)
    assert read_high_water(path) == MARK
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["T7.json"]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"head":"zz","journal":"5f0c9a1e","seq":1}', b'{"head":"00","seq":1}'])
def test_a_damaged_mark_is_refused(tmp_path: Path, content: bytes) -> None:
    """It is no mark of 0: a person looks."""
    (tmp_path / "T7.json").write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        read_high_water(tmp_path / "T7.json")


def test_the_keeper_writes_the_newest_mark(tmp_path: Path) -> None:
    """Marks that come faster than the medium replace each other; the last one stands at the end."""
    keeper = HighWaterKeeper(tmp_path / "T7.json")
    for seq in range(1, 51):
        keeper.note(HighWater("5f0c9a1e", seq, bytes(32)))
    keeper.close()
    keeper.close()
    assert read_high_water(tmp_path / "T7.json") == HighWater("5f0c9a1e", 50, bytes(32))
    assert keeper.failure is None


def test_a_medium_that_fails_is_told_and_stops_nobody(tmp_path: Path) -> None:
    """The keeper ends with its reason; notes after it are harmless."""
    keeper = HighWaterKeeper(tmp_path / "missing" / "T7.json")
    keeper.note(MARK)
    keeper.close()
    keeper.note(MARK)
    assert keeper.failure is not None
    assert "cannot be written" in keeper.failure


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("/dev/full"), Path("/dev")])
def test_what_is_no_file_is_no_witness(path: Path) -> None:
    """A device that never ends is not read into memory."""
    with pytest.raises(JournalError, match=f"^the witness {path} is no file: name one on another medium"):
        read_high_water(path)


def test_a_witness_is_read_within_bounds(tmp_path: Path) -> None:
    """A file that somebody let grow is damaged, and is not read to its end."""
    path = tmp_path / "T7.json"
    write_high_water(path, MARK)
    with path.open("ab") as file:
        file.truncate(1 << 40)  # a hole: no disk holds it, nor would memory
    with pytest.raises(JournalError, match="is damaged"):
        read_high_water(path)
