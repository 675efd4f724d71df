"""``run`` loads what a table needs alone."""

from __future__ import annotations

import subprocess
import sys


def test_run_loads_nothing_of_the_other_commands() -> None:
    """A table at work carries no simulators, no benches and no terminal drawing: each of them is memory for nothing."""
    code = "import sys; from controller.cli import main\nassert main(['run', '/nowhere/table.toml']) == 2\n"
    before = "import sys, controller.cli, controller.cli.run\nprint(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", before], check=True, capture_output=True, text=True).stdout.split()
    assert not {"simulators", "controller.demo", "controller.bench", "httpx", "rich", "iotcore"} & set(loaded)
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stderr == "stud-table: /nowhere/table.toml cannot be read: No such file or directory\n"
