"""``install``: what it writes and says, and that nothing is written where something is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.deploy_example import PLACES, TABLE

from controller.cli import main
from controller.installation.sheets import table_sheet


def test_files_and_what_is_left_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once; a second time the folder is there already."""
    (tmp_path / "t.toml").write_text(table_sheet(TABLE), encoding="utf-8")
    places = [word for name, place in PLACES.items() for word in ("--place", f"{name}={place}")]
    words = ["install", "--table", str(tmp_path / "t.toml"), "--out", str(tmp_path / "out"), *places]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(told["files"]) == sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()
    )
    assert told["open"][0] == "write /etc/stud-table/T1/people.json, where it is not there yet"
    assert main(words) == 2
    assert capsys.readouterr().err == f"stud-table: {tmp_path / 'out'} is there already: name another folder with --out\n"
    assert main([*words[: -len(places) - 1], str(tmp_path / "two")]) == 0
    assert "- /dev/stud-table/T1/shoe: say where it is plugged in: --place T1/shoe=ID_PATH\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["--program", "stud-table"],
        ["--program", "/opt/a b"],
        ["--place", "shoe=x"],
        ["--staff", "10.0.0.1/24"],
        ["--floor", "/nowhere/floor.toml"],
    ],
)
def test_wrong_use_is_one_sentence(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, and nothing is written."""
    try:
        code: object = main(["install", "--out", str(tmp_path / "out"), *words])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()
