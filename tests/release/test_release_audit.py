"""The look-up of known vulnerabilities: what is known fails, nobody who answers does not, and what was not asked is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from release import audit
from release.audit import NOBODY, judge, main

FLAW = {"name": "rich", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
CLEAN = {"name": "h11", "version": "0.16.0", "vulns": []}
UNKNOWN = {"name": "iotcore", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    ("dependencies", "known", "notes"),
    [
        ([CLEAN, FLAW, UNKNOWN], ("audit: rich 1.0 has CVE-1: mended in 1.1",), ()),
        ([CLEAN], (), ("audit: no known vulnerability in 1 packages",)),
        ([CLEAN, UNKNOWN], (), ("audit: no known vulnerability in 1 packages", "audit: the feed does not know iotcore")),
        ([UNKNOWN], (), (NOBODY,)),
    ],
)
def test_each_answer_has_its_verdict(dependencies: list[object], known: tuple[str, ...], notes: tuple[str, ...]) -> None:
    """A mirror without a feed knows no package: that is not *no vulnerability*."""
    found = judge(json.dumps({"dependencies": dependencies, "fixes": []}))
    assert (found.known, found.notes) == (known, notes)


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[]"])
def test_no_answer_fails_nothing_and_is_one_line(text: str) -> None:
    """Without a network nobody knows, and nothing is claimed."""
    assert judge(text).notes == (NOBODY,)
    assert judge(text).known == ()


def test_what_is_known_ends_with_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """And everything else with zero."""
    answers = {"good": json.dumps({"dependencies": [CLEAN]}), "bad": json.dumps({"dependencies": [FLAW]})}
    monkeypatch.setattr(audit, "look_up", lambda lock: answers[lock.name])
    for name in answers:
        (tmp_path / name).write_text("a==1 \\\n    --hash=sha256:" + "0" * 64 + "\n", encoding="utf-8")
    assert main([str(tmp_path / "good")]) == 0
    assert main([str(tmp_path / "good"), str(tmp_path / "bad")]) == 1
    assert "CVE-1" in capsys.readouterr().out


def test_a_lock_that_names_nothing_is_not_sound(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Exit 2: that nobody was asked about it is not for want of a network."""
    (tmp_path / "empty.lock").touch()
    for name, why in (("none.lock", "cannot be read (No such file or directory)"), ("empty.lock", "names no package")):
        assert main([str(tmp_path / name)]) == 2
        assert capsys.readouterr().err.startswith(f"audit: {tmp_path / name} {why}: ")
