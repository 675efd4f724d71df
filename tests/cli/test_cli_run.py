"""``run``: its options, and what it loads; what tools load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.table_runs import one_sentence

from controller.cli import main, run
from controller.config import ConfigError, TableConfig
from controller.config_values import LogSection


@pytest.mark.parametrize("word", ["--version", "device", "deck", "people", "export", "watch", "backup"])
def test_a_command_loads_no_table(word: str) -> None:
    """A tool answers at once: it carries neither controller nor floor."""
    code = f"import sys\nfrom controller.cli.commands import parser_of\nparser_of({word!r})\nprint(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"controller.app", "controller.floor", "controller.demo", "fastapi", "sqlalchemy"} & set(loaded)


def test_run_loads_nothing_of_the_other_commands() -> None:
    """A table at work carries no simulators, no benches and no terminal drawing: each of them is memory for nothing."""
    code = "import sys; from controller.cli import main\nassert main(['run', '/nowhere/table.toml']) == 2\n"
    before = "import sys, controller.cli, controller.cli.run\nprint(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", before], check=True, capture_output=True, text=True).stdout.split()
    assert not {"simulators", "controller.demo", "controller.bench", "httpx", "rich", "iotcore"} & set(loaded)
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stderr == "stud-table: /nowhere/table.toml cannot be read: No such file or directory\n"


def test_run_reads_its_configuration(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A configuration that cannot work is one sentence."""
    assert main(["run", str(tmp_path / "missing.toml")]) == 2
    assert one_sentence(capsys.readouterr().err)
    seen: list[object] = []

    async def run_table(config: SimpleNamespace, _place: object) -> None:
        seen.append(config.path)

    monkeypatch.setattr(run, "run_table", run_table)
    monkeypatch.setattr(run, "load_config", lambda path: SimpleNamespace(path=path, manifest=None, log=LogSection()))
    assert main(["run", "table.toml"]) == 0
    assert seen == [Path("table.toml")]


def test_a_configuration_error_of_several_lines_is_told_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a problem."""

    def load(path: Path) -> TableConfig:
        raise ConfigError(f"{path}: one\n{path}: two")

    monkeypatch.setattr(run, "load_config", load)
    assert main(["run", "t.toml"]) == 2
    assert capsys.readouterr().err == "stud-table: t.toml: one\nt.toml: two\n"
