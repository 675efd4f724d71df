"""``formats``: what it says, and with which code it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.table_runs import write_journal

from controller.cli import main


def test_a_release_is_asked_about_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 when it reads it, 1 when it does not, 2 for what is none."""
    data = write_journal(tmp_path / "data", [{"type": "SeatSold", "epoch": 1}])
    assert main(["formats", "--json"]) == 0
    own = json.loads(capsys.readouterr().out)
    assert main(["formats"]) == 0
    assert f"release {own['release']} reads journals of format {own['journal']}" in capsys.readouterr().out
    assert main(["formats", str(data)]) == 1
    assert f"- record 1 is SeatSold of version 1, which release {own['release']} does not read\n" == capsys.readouterr().out
    reader = tmp_path / "other.json"
    reader.write_text(json.dumps(own | {"release": "9.9.9", "records": {"SeatSold": [1]}}), encoding="utf-8")
    assert main(["formats", str(data), "--reader", str(reader)]) == 0
    assert "release 9.9.9 reads this journal: 1 events, 0 hands" in capsys.readouterr().out
    assert main(["formats", str(data), "--reader", str(reader), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    for words in (["formats", str(tmp_path / "none")], ["formats", "--reader", str(tmp_path / "none.json")]):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1
