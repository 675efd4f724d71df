"""``stud-table manifest``: written once, compared, told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.manifest import installed


def test_the_command_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written once and never over another; equal: exit 0, different: exit 1 and the names."""
    now = installed()
    path = tmp_path / "manifest.json"
    assert main(["manifest", "--write", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["digest"], said["ok"], said["differences"]) == (now.digest, True, [])
    assert main(["manifest", "--check", str(path)]) == 0
    out = capsys.readouterr().out
    assert now.digest in out
    assert out.endswith(f"\nthe same as the release in {path}\n")
    assert main(["manifest", "--write", str(path)]) == 2
    assert capsys.readouterr().err == f"stud-table: {path} is there already: name another file with --write, or move it away\n"
    assert main(["manifest", "--write", str(tmp_path / "none" / "m.json")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"stud-table: {tmp_path / 'none' / 'm.json'} cannot be written (No such file or directory): name another"
    )
    assert main(["manifest", "--check", str(tmp_path / "none")]) == 2
    assert "none cannot be read" in capsys.readouterr().err
    assert main(["manifest"]) == 0
    assert "the release" not in capsys.readouterr().out
    path.write_text(json.dumps(replace(now, version="0.0.1").as_json()), encoding="utf-8")
    assert main(["manifest", "--check", str(path)]) == 1
    assert f"version {now.version} instead of 0.0.1" in capsys.readouterr().out
