"""Until when certificates hold."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from support.ending_certificate import certificate_until

from controller.certificates import certificates_of, expires_at

END = datetime(2027, 3, 1, 12, 30, tzinfo=UTC)


def test_the_end_of_a_certificate_is_read_from_its_file(tmp_path: Path) -> None:
    """To the second; a file that is gone, or is none, has none."""
    path = certificate_until(END, tmp_path)
    assert expires_at(path) == END
    path.write_text("no certificate", encoding="utf-8")
    assert expires_at(path) is None
    assert expires_at(tmp_path / "none") is None


def test_what_is_not_named_is_not_looked_at(tmp_path: Path) -> None:
    """Each by where it is shown."""
    assert certificates_of(None, None) == {}
    assert certificates_of(None, tmp_path) == {"http": tmp_path}
    assert certificates_of(tmp_path, tmp_path / "a") == {"mqtt": tmp_path, "http": tmp_path / "a"}
