"""``rehearse``: wrong use is one sentence, and a PIN that others may read is not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.parsing import WRONG_USE


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--players", "9"], "--players 9: the table has 8 seats"),
        (["--players", "1"], "two play at least"),
        (["--number", "99"], "--number and --pin-file belong together"),
        (["--number", "99", "--pin-file", "OPEN"], "may be read by others"),
        (["--number", "99", "--pin-file", "NONE"], "cannot be read: write the PIN there"),
        ([], "people sign in at this table"),
    ],
)
def test_wrong_use_is_one_sentence(words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, and no deck is made."""
    state = tmp_path / "state"
    assert main(["init", "table", "--yes", "--out", str(tmp_path), "--state", str(state)]) == 0
    capsys.readouterr()
    (tmp_path / "open").write_text("640918\n", encoding="utf-8")
    (tmp_path / "open").chmod(0o644)
    names = {"OPEN": str(tmp_path / "open"), "NONE": str(tmp_path / "none")}
    assert main(["rehearse", str(tmp_path / "table.toml"), *(names.get(word, word) for word in words)]) == WRONG_USE
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1
    assert not state.exists()
