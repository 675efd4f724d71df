"""``python -m release.audit``: whether a package of the lock has a known vulnerability, by pip-audit.

Exits 0 when none is known or nobody answers, which it says; 1 when one is known; 2 when there is no such lock.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from release.locked import LockError, read_lock

ROOT: Final = Path(__file__).parents[1]
LONGEST_S: Final = 120.0
"""Longest wait for all answers together."""
ANSWER_S: Final = 5
"""Longest wait for one."""
NOBODY: Final = "audit: the feed of known vulnerabilities is not reachable, nothing was looked up"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``known`` has a line for each vulnerability, ``notes`` what else is to be said."""

    known: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def judge(found: str) -> Verdict:
    """What pip-audit's JSON tells. A feed that does not know a package was not asked about it: then that is said."""
    try:
        told: list[dict[str, Any]] = json.loads(found)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Verdict(notes=(NOBODY,))
    bad = [
        f"audit: {one['name']} {one['version']} has {flaw['id']}: {_remedy(flaw)}"
        for one in told
        for flaw in one.get("vulns", ())
    ]
    skipped = [one["name"] for one in told if "skip_reason" in one]
    asked = len(told) - len(skipped)
    if bad:
        return Verdict(known=tuple(bad))
    if not asked:
        return Verdict(notes=(NOBODY,))
    lines = [f"audit: no known vulnerability in {asked} packages"]
    if skipped:
        lines.append(f"audit: the feed does not know {', '.join(skipped)}")
    return Verdict(notes=tuple(lines))


def _remedy(flaw: dict[str, Any]) -> str:
    versions = flaw.get("fix_versions") or ()
    return f"mended in {', '.join(versions)}" if versions else "no version without it"


def look_up(lock: Path) -> str:
    """pip-audit's JSON about ``lock``, or nothing where it got no answer. It installs nothing and resolves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "audit.json"
        options = [
            "--require-hashes",
            "--disable-pip",
            "--progress-spinner",
            "off",
            "--timeout",
            str(ANSWER_S),
            "--format",
            "json",
        ]
        command = [sys.executable, "-m", "pip_audit", *options, "--output", str(out), "--requirement", str(lock)]
        try:
            subprocess.run(command, capture_output=True, timeout=LONGEST_S, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            return ""
        return out.read_text(encoding="utf-8") if out.exists() else ""


def main(locks: Sequence[str]) -> int:
    """Look up each of ``locks``, by default that of run time."""
    wanted = [Path(lock) for lock in locks or (str(ROOT / "requirements.lock"),)]
    try:
        for lock in wanted:
            read_lock(lock)
    except LockError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    verdicts = [judge(look_up(lock)) for lock in wanted]
    for verdict in verdicts:
        for line in (*verdict.known, *verdict.notes):
            print(line)
    return 1 if any(verdict.known for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
