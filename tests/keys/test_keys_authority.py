"""The venue's authority: what it signs, whom it takes back, and that its key stays its own."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from support.venue_keys import VenueKeys

from controller.keys import authority
from controller.keys.authority import (
    AUTHORITY,
    AUTHORITY_KEY,
    REVOKED,
    KeysError,
    load_authority,
    make_authority,
    new_key,
    utc_now,
)
from controller.keys.folder import CERTIFICATE
from controller.keys.identity import Identity, Kind, identity_of


def verified(venue: VenueKeys, common_name: str, purpose: str, *more: str) -> str:
    """What openssl says of that certificate under strict rules and the list of revoked ones."""
    trust = ["-CAfile", str(venue.authority_file), "-CRLfile", str(venue.revoked_file), "-crl_check", "-x509_strict"]
    certificate = str(venue.issued(common_name) / CERTIFICATE)
    told = subprocess.run(
        ["openssl", "verify", *trust, "-purpose", purpose, *more, certificate], capture_output=True, text=True, check=False
    )
    return "OK" if told.returncode == 0 else told.stdout + told.stderr


def test_another_program_takes_the_certificates(tmp_path: Path) -> None:
    """Each for what it is: a display can pass for no broker, and a broker signs in nowhere."""
    venue = VenueKeys(tmp_path)
    venue.issued("broker-main", ("broker.room.example", "192.0.2.7"))
    assert verified(venue, "broker-main", "sslserver", "-verify_hostname", "broker.room.example") == "OK"
    assert verified(venue, "broker-main", "sslserver", "-verify_ip", "192.0.2.7") == "OK"
    assert "hostname mismatch" in verified(venue, "broker-main", "sslserver", "-verify_hostname", "other.room.example").lower()
    assert verified(venue, "display-T12-seat-2", "sslclient") == "OK"
    assert verified(venue, "display-T12-seat-2", "sslserver") != "OK"
    assert verified(venue, "broker-main", "sslclient") != "OK"


def test_a_revoked_certificate_is_on_the_list(tmp_path: Path) -> None:
    """And the others are not; the same name may be issued again."""
    venue = VenueKeys(tmp_path)
    venue.issued("table-T13")
    venue.issued("table-T12")
    gone = venue.authority.revoke("table-T12", now=utc_now())
    assert [one.identity.common_name for one in gone] == ["table-T12"]
    assert "revoked" in verified(venue, "table-T12", "sslclient")
    assert verified(venue, "table-T13", "sslclient") == "OK"
    with pytest.raises(KeysError, match="not revoked already"):
        venue.authority.revoke("table-T12", now=utc_now())
    venue.authority.issue(identity_of("table-T12"), new_key().public_key(), (), now=utc_now())
    assert not venue.authority.current("table-T12").is_revoked
    venue.authority.revoke("table-T13", now=utc_now())
    assert "revoked" in verified(venue, "table-T12", "sslclient")


def test_the_authority_is_made_once(tmp_path: Path) -> None:
    """Its key is its owner's alone, and never written over."""
    made = make_authority(tmp_path / "a", "nice", now=utc_now())
    before = (tmp_path / "a" / AUTHORITY_KEY).read_bytes()
    assert (tmp_path / "a" / AUTHORITY_KEY).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    with pytest.raises(KeysError, match=r"authority\.key is there already: a key is never written over"):
        make_authority(tmp_path / "a", "nice", now=utc_now())
    assert (tmp_path / "a" / AUTHORITY_KEY).read_bytes() == before
    loaded = load_authority(tmp_path / "a")
    assert (loaded.venue, loaded.certificate) == ("nice", made.certificate)
    assert "PRIVATE" not in repr(loaded)


@pytest.mark.parametrize(("whose", "what"), [(os, "fsync"), (os, "link"), (authority, "_write_list"), (authority, "_write")])
def test_an_authority_that_was_torn_is_made_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: object, what: str
) -> None:
    """While its key is written, before it has its name, before the list, before the certificate: no half key, none too many."""

    def die(*_: object) -> None:
        raise InterruptedError

    folder = tmp_path / "a"
    with monkeypatch.context() as patch:
        patch.setattr(whose, what, die)
        with pytest.raises((InterruptedError, KeysError)):
            make_authority(folder, "nice", now=utc_now())
    key = (folder / AUTHORITY_KEY).read_bytes() if (folder / AUTHORITY_KEY).exists() else None
    assert key is None or key.endswith(b"-----END PRIVATE KEY-----\n")
    make_authority(folder, "nice", now=utc_now())
    assert key in (None, (folder / AUTHORITY_KEY).read_bytes())
    assert sorted(path.name for path in folder.iterdir()) == [AUTHORITY_KEY, AUTHORITY, REVOKED]
    load_authority(folder).issue(identity_of("table-T1"), new_key().public_key(), (), now=utc_now())
    with pytest.raises(KeysError, match="a key is never written over"):
        make_authority(folder, "nice", now=utc_now())


def test_what_lasts_longest_is_taken_by_browsers(tmp_path: Path) -> None:
    """825 days with both ends, though it begins an hour ago; a shorter one lasts its days from now."""
    venue, now = make_authority(tmp_path / "a", "nice", now=utc_now()), utc_now()
    made = venue.issue(identity_of("table-T1"), new_key().public_key(), (), now=now, days=825)
    assert made.not_valid_after_utc - made.not_valid_before_utc < timedelta(days=825)
    made = venue.issue(identity_of("table-T1"), new_key().public_key(), (), now=now, days=30)
    assert made.not_valid_after_utc == now + timedelta(days=30)


def test_an_authority_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """None there, a key that others may read, another's key, no list."""
    with pytest.raises(KeysError, match="is not there: make the venue's authority with stud-table keys init"):
        load_authority(tmp_path / "none")
    make_authority(tmp_path / "a", "nice", now=utc_now())
    make_authority(tmp_path / "b", "nice", now=utc_now())
    (tmp_path / "a" / AUTHORITY_KEY).chmod(0o640)
    with pytest.raises(KeysError, match="may be read by others"):
        load_authority(tmp_path / "a")
    (tmp_path / "a" / AUTHORITY_KEY).chmod(0o600)
    (tmp_path / "a" / AUTHORITY).write_bytes((tmp_path / "b" / AUTHORITY).read_bytes())
    with pytest.raises(KeysError, match=r"is not the key of authority\.pem"):
        load_authority(tmp_path / "a")
    (tmp_path / "b" / REVOKED).unlink()
    with pytest.raises(KeysError, match="is no list of revoked certificates"):
        load_authority(tmp_path / "b").issued()


def test_what_would_be_worth_nothing_is_not_issued(tmp_path: Path) -> None:
    """A server without a name, names where nobody connects, and what outlives its authority."""
    venue = make_authority(tmp_path / "a", "nice", now=utc_now() - timedelta(days=3500))
    public = new_key().public_key()
    with pytest.raises(KeysError, match="others connect to broker-main by name"):
        venue.issue(Identity(Kind.BROKER, "main"), public, (), now=utc_now())
    with pytest.raises(KeysError, match="nobody connects to bridge-T1: leave --host out"):
        venue.issue(Identity(Kind.BRIDGE, "T1"), public, ("a",), now=utc_now())
    with pytest.raises(KeysError, match="the authority itself expires on"):
        venue.issue(Identity(Kind.TABLE, "T1"), public, (), now=utc_now())
    with pytest.raises(KeysError, match="1 to 825 days"):
        venue.issue(Identity(Kind.TABLE, "T1"), public, (), now=utc_now(), days=826)
