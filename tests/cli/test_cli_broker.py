"""``broker`` is tried with its files in tests/installation; here that its example and options stand."""

from __future__ import annotations

import pytest

from controller.cli import main


def test_a_folder_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written where nobody said."""
    with pytest.raises(SystemExit) as caught:
        main(["broker", "table.toml"])
    assert caught.value.code == 2
    assert "--out" in capsys.readouterr().err
