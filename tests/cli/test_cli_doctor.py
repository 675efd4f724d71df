"""``doctor``: what it says, and that it writes over nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import doctor, main
from controller.config import TableConfig


def test_an_archive_is_made_and_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A table or a floor by what the file says; a file that is there, and a log that is not, are one sentence each."""
    asked: list[object] = []

    async def examine(config: object, log: Path | None) -> dict[str, bytes]:
        asked.append(config)
        if log is not None:
            log.read_bytes()
        return {"README.txt": b"x"}

    monkeypatch.setattr(doctor, "examine", examine)
    floor, out = tmp_path / "floor.toml", tmp_path / "x.tar.gz"
    floor.write_text('venue = "nice"\n', encoding="utf-8")
    assert main(["doctor", str(floor), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"archive": str(out), "files": ["README.txt"]}
    assert out.stat().st_mode & 0o777 == 0o600
    assert not isinstance(asked[0], TableConfig)
    assert main(["doctor", str(floor), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["doctor", str(floor), "--out", str(tmp_path / "y.tar.gz"), "--log", str(tmp_path / "none")]) == 2
    assert "none cannot be read" in capsys.readouterr().err
