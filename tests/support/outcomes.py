"""``pytest --outcomes FILE``: what became of every test, with date and commit, for the page of requirements."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

_WORST = ("passed", "skipped", "failed", "error")


class Outcomes:
    """Plugin that notes the worst that happened to each test and writes it at the end."""

    def __init__(self, file: Path, root: Path) -> None:
        self._file = file
        self._root = root
        self._tests: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of a test."""
        said = "error" if report.failed and report.when != "call" else report.outcome
        known = self._tests.get(report.nodeid, "passed")
        self._tests[report.nodeid] = max(known, said, key=_WORST.index)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        commit, changed = self._git("rev-parse", "HEAD"), bool(self._git("status", "--porcelain"))
        run = {"at": at, "commit": commit or "unknown", "changed": changed, "tests": self._tests}
        self._file.write_text(json.dumps(run, indent=1, sort_keys=True), encoding="utf-8")

    def _git(self, *command: str) -> str:
        done = subprocess.run(["git", *command], cwd=self._root, capture_output=True, text=True, check=False)
        return done.stdout.strip()
