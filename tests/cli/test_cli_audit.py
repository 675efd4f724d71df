"""``stud-table audit``: wrong use is one sentence. What it opens: ``controller/test_audit_desk.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"--reason": " "}, 2, "--reason is empty"),
        ({"--key": "none.pem"}, 2, "none.pem is not there"),
        ({"--hand": "0"}, 2, "'0' is no whole number from 1 on: give 1 or more;"),
        ({}, 1, "is no private key of an auditor"),
    ],
)
def test_wrong_use_is_one_sentence(
    change: dict[str, str], status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 for what was typed, 1 for a file that is no key; nothing is logged."""
    (tmp_path / "a.pem").write_text("no key")
    log = tmp_path / "log"
    words = {"--hand": "1", "--key": str(tmp_path / "a.pem"), "--reason": "why", "--log": str(log), **change}
    try:
        ended = main(["audit", "open", str(tmp_path), *(part for pair in words.items() for part in pair)])
    except SystemExit as stop:
        ended = int(str(stop.code))
    told = capsys.readouterr()
    assert (ended, told.out, log.exists()) == (status, "", False)
    assert said in told.err
    assert told.err.count("\n") == 1


def test_a_key_that_cannot_be_written_names_the_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its folder is not there."""
    path = tmp_path / "none" / "a.pem"
    assert main(["audit", "keygen", str(path)]) == 2
    said = f"stud-table: {path} cannot be written (No such file or directory): name another place, in a folder that is there"
    assert capsys.readouterr().err == f"{said} and can be written\n"
