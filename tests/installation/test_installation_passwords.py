"""Passwords of a broker's users: entries that mosquitto's own tool makes alike, kept when the password is carried away."""

from __future__ import annotations

from pathlib import Path

from controller.installation.passwords import entries_text, entry_of, fits, read_entries, with_passwords

OF_MOSQUITTO = "$7$101$O+dY3RmQoidZK+TT$UJEDeS6KY/PIngy5ehoxLWWRGQb2oeJT8nCcLqXXAzeKUGbBqzuGWwxxulbhokUT6a+VCuXa1CCW3fSrcssvVQ=="
"""What ``mosquitto_passwd`` made of ``secret``."""


def test_an_entry_is_of_its_password_alone() -> None:
    """Salted: two of the same password differ."""
    one, two = entry_of("secret"), entry_of("secret")
    assert one != two
    assert fits("secret", one)
    assert fits("secret", two)
    assert fits("secret", OF_MOSQUITTO)
    assert not fits("Secret", one)
    for damaged in ("", "x", one[:-4], one.replace("$7$", "$6$"), "$7$101$*$*"):
        assert not fits("secret", damaged)


def test_passwords_are_made_once(tmp_path: Path) -> None:
    """For their owner alone; one that was carried away stays in force, and a changed one gets a new entry."""
    made = with_passwords(["a", "b"], {}, tmp_path / "secrets")
    password = (tmp_path / "secrets/a").read_text(encoding="utf-8").strip()
    assert fits(password, made["a"])
    assert not fits(password, made["b"])
    assert len(password) >= 32
    assert (tmp_path / "secrets/a").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert with_passwords(["a", "b"], made, tmp_path / "secrets") == made
    (tmp_path / "secrets/a").unlink()
    (tmp_path / "secrets/b").write_text("another one", encoding="utf-8")
    again = with_passwords(["a", "b"], read_entries(entries_text(made)), tmp_path / "secrets")
    assert again["a"] == made["a"]
    assert fits("another one", again["b"])
    assert not (tmp_path / "secrets/a").exists()
