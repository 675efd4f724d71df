"""``floor``: its errors are one sentence and exit 2, its check is exit 0 or 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.parsing import DOES_NOT_HOLD, WRONG_USE


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
