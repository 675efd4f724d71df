"""``stud-table cards``: the cards of a table's own configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main

ROOT = Path(__file__).parents[2]
TABLE = str(ROOT / "deploy/sample/table.toml")


def test_cards_are_written_with_their_fingerprint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both languages or one, over those of before; ``check`` tells the same fingerprint."""
    out = tmp_path / "new" / "cards"
    assert main(["cards", TABLE, "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (
        {Path(path).name for path in told["files"]}
        == {path.name for path in out.iterdir()}
        == {f"{card}-{language}.pdf" for card in ("dealer", "floor", "rules") for language in ("en", "fr")}
    )
    assert told["rules"].encode() in (out / "rules-fr.pdf").read_bytes()
    (out / "rules-fr.pdf").write_bytes(b"old")
    assert main(["cards", TABLE, "--out", str(out), "--language", "fr"]) == 0
    assert told["rules"] in capsys.readouterr().out
    assert (out / "rules-fr.pdf").read_bytes().startswith(b"%PDF")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and one sentence."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["cards", TABLE, "--out", str(tmp_path / "file")]) == 2
    assert "--out" in capsys.readouterr().err
