"""How a process ended, as a person is told."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.last_words import why_it_ended


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("raise SystemExit(2)", "ready, said the log"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL ended it; where nobody sent it, the system's log"),
        (f"import os; os.kill(os.getpid(), {signal.SIGRTMIN + 3})", f"signal {signal.SIGRTMIN + 3} ended it; where nobody"),
    ],
)
def test_a_signal_is_named_and_not_the_line_before_it(program: str, said: str, tmp_path: Path) -> None:
    """What was killed had no time to say why: its last line is about something else."""
    log = tmp_path / "log"
    log.write_text("starting\nready, said the log\n", encoding="utf-8")
    code = subprocess.run([sys.executable, "-c", program], check=False).returncode
    assert why_it_ended(code, log).startswith(said)


def test_a_process_that_said_nothing(tmp_path: Path) -> None:
    """Its log is empty."""
    log = tmp_path / "log"
    log.touch()
    assert why_it_ended(1, log) == "it said nothing"
