"""``floor``: its errors are one sentence and exit 2, its check is exit 0 or 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.parsing import DOES_NOT_HOLD, OK, WRONG_USE


def test_a_configuration_that_is_none_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the file's name."""
    assert main(["floor", str(tmp_path / "floor.toml")]) == WRONG_USE
    assert f"{tmp_path}/floor.toml cannot be read" in capsys.readouterr().err


def test_a_check_that_finds_something_is_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], free_port: Callable[[], int]
) -> None:
    """As one JSON object, or as lines for people."""
    (tmp_path / "floor.toml").write_text(f'venue = "nice"\n[mqtt]\nport = {free_port()}\n', encoding="utf-8")
    assert main(["floor", str(tmp_path / "floor.toml"), "--check", "--json"]) == DOES_NOT_HOLD
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], len(found["problems"])) == (False, 1)
    assert main(["floor", str(tmp_path / "floor.toml"), "--check"]) == DOES_NOT_HOLD
    assert capsys.readouterr().out.startswith("Problems: 1\n- mqtt: nothing answers at 127.0.0.1:")


def test_the_floors_key_is_made_once_and_its_public_half_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked again the same one is told; one that others may read is an error with its way out."""
    (tmp_path / "floor.toml").write_text('venue = "nice"\n[orders]\nkey_file = "keys/floor.key"\n', encoding="utf-8")
    made = []
    for _ in range(2):
        assert main(["floor", str(tmp_path / "floor.toml"), "--make-key", "--json"]) == OK
        made.append(json.loads(capsys.readouterr().out))
    assert [one["made"] for one in made] == [True, False]
    assert made[0]["public"] == made[1]["public"] == (tmp_path / "keys/floor.key.pub").read_text(encoding="utf-8")
    assert main(["floor", str(tmp_path / "floor.toml"), "--make-key"]) == OK
    assert f"give each table {tmp_path}/keys/floor.key.pub as floor.public_key_file" in capsys.readouterr().out
    (tmp_path / "keys/floor.key").chmod(0o644)
    assert main(["floor", str(tmp_path / "floor.toml"), "--make-key"]) == WRONG_USE
    assert "orders.key_file: " in capsys.readouterr().err
