"""``keys``: from nothing to a venue's certificates, by commands alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What the command said; nothing of a key in it."""
    assert main(["keys", *arguments]) == code
    said = capsys.readouterr()
    assert "PRIVATE KEY" not in said.out + said.err
    return said.out + said.err


def test_a_venue_is_set_up_by_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Authority, certificates, the list of what there is; a revoked one no longer counts."""
    monkeypatch.chdir(tmp_path)
    assert "made the authority of nice in authority" in told(capsys, "init", "nice")
    told(capsys, "issue", "broker", "main", "--host", "broker.room.example", "--host", "192.0.2.7")
    assert "made table-T12 for table-T12" in told(capsys, "issue", "table", "T12", "--days", "20")
    listed = json.loads(told(capsys, "list", "--json", code=1))
    assert (listed["ok"], listed["venue"]) == (False, "nice")
    assert {one["name"]: (one["state"], one["hosts"]) for one in listed["certificates"]} == {
        "authority": ("valid", []),
        "broker-main": ("valid", ["broker.room.example", "192.0.2.7"]),
        "table-T12": ("soon", []),
    }
    assert json.loads(told(capsys, "renew", "table-T12", "--out", "new", "--json")) == {"folders": {"table-T12": "new/table-T12"}}
    assert "table-T12" in told(capsys, "list")
    assert "revoked: 2; copy authority/revoked.pem to the broker" in told(capsys, "revoke", "table-T12")
    assert "revoked" in told(capsys, "list")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list",), "make the venue's authority with stud-table keys init"),
        (("init", "a/b"), "'a/b' is no name"),
    ],
)
def test_wrong_use_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """Without an authority, and of a venue that is none."""
    monkeypatch.chdir(tmp_path)
    assert said in told(capsys, *arguments, code=2)


def test_what_cannot_be_issued_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A display of no seat, a broker that nobody finds, a second authority, an unknown name."""
    monkeypatch.chdir(tmp_path)
    told(capsys, "init", "nice")
    assert "a key is never written over" in told(capsys, "init", "nice", code=2)
    assert "is no display" in told(capsys, "issue", "display", "T12-seat-9", code=2)
    assert "by name" in told(capsys, "issue", "broker", "main", code=2)
    assert "has issued nothing for table-T9" in told(capsys, "renew", "table-T9", code=2)
    assert "has issued nothing for table-T9" in told(capsys, "revoke", "table-T9", code=2)
    told(capsys, "issue", "table", "T12")
    before = Path("authority/revoked.pem").read_bytes()
    assert "has issued nothing for table-T9" in told(capsys, "revoke", "table-T12", "table-T9", code=2)
    assert Path("authority/revoked.pem").read_bytes() == before
