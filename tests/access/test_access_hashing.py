"""What is stored of a PIN and a badge tells neither."""

from __future__ import annotations

from argon2 import extract_parameters

from controller.access.hashing import _NOBODYS, LANES, MEMORY_KIB, TIME_COST, hash_badge, hash_pin, new_salt, pin_is


def test_a_pin_is_known_again_and_another_is_not() -> None:
    """Two hashes of one PIN differ by their salts."""
    hashed = hash_pin("482915")
    assert pin_is(hashed, "482915")
    assert not pin_is(hashed, "482916")
    assert hashed != hash_pin("482915")
    assert "482915" not in hashed


def test_nobody_has_the_pin_of_nobody() -> None:
    """Without a hash, and with one that is none, no PIN fits; the hash in its place is as dear as a real one."""
    for pin in ("", "482915"):
        assert not pin_is("", pin)
        assert not pin_is("$argon2id$broken", pin)
    asked = extract_parameters(_NOBODYS)
    assert (asked.memory_cost, asked.time_cost, asked.parallelism) == (MEMORY_KIB, TIME_COST, LANES)
    assert (asked.hash_len, asked.salt_len) == (32, 16)


def test_a_badge_is_hashed_under_its_files_salt() -> None:
    """The same badge in two files is told by neither hash."""
    salt, other = new_salt(), new_salt()
    assert hash_badge("E0A1B2C3", salt) == hash_badge("E0A1B2C3", salt)
    assert hash_badge("E0A1B2C3", salt) != hash_badge("E0A1B2C3", other)
    assert hash_badge("E0A1B2C3", salt) != hash_badge("E0A1B2C4", salt)
