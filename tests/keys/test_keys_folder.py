"""What a machine gets: its key once, its certificate as often as it runs out."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from support.venue_keys import VenueKeys, long_ago

from controller.keys.authority import KeysError, utc_now
from controller.keys.folder import CERTIFICATE, KEY, issue_folder, newest, renew_folder, state_of
from controller.keys.identity import identity_of


def certificate(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / CERTIFICATE).read_bytes())


def test_a_key_is_its_owners_and_never_written_over(tmp_path: Path) -> None:
    """The certificate beside it is for everybody; the authority keeps no copy of the key."""
    venue = VenueKeys(tmp_path)
    folder = venue.issued("table-T12", ("t12.room.example",))
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in folder.iterdir()} == {
        "authority.pem": "0o644",
        "certificate.pem": "0o644",
        "key.pem": "0o600",
    }
    key = (folder / KEY).read_bytes()
    with pytest.raises(KeysError, match=r"key\.pem is there already: a key is never written over"):
        issue_folder(venue.authority, identity_of("table-T12"), (), tmp_path / "machines", now=utc_now())
    assert (folder / KEY).read_bytes() == key
    assert not any(key in file.read_bytes() for file in (tmp_path / "authority").rglob("*") if file.is_file())


def test_a_renewed_certificate_is_for_the_same_key_and_hosts(tmp_path: Path) -> None:
    """So that nothing secret is carried to the machine."""
    venue = VenueKeys(tmp_path)
    old = certificate(venue.issued("table-T12", ("t12.room.example",), long_ago(), days=110))
    folder = renew_folder(venue.authority, "table-T12", tmp_path / "renewed", now=utc_now())
    made = certificate(folder)
    assert sorted(file.name for file in folder.iterdir()) == ["authority.pem", "certificate.pem"]
    assert made.public_key() == old.public_key()
    assert venue.authority.current("table-T12").hosts == ("t12.room.example",)
    assert made.not_valid_after_utc > old.not_valid_after_utc + timedelta(days=300)
    with pytest.raises(KeysError, match="has issued nothing for table-T13"):
        renew_folder(venue.authority, "table-T13", tmp_path / "renewed", now=utc_now())


def test_what_runs_out_is_told_by_name(tmp_path: Path) -> None:
    """The newest certificate of a name counts, and of those the ones that are not revoked."""
    venue = VenueKeys(tmp_path)
    venue.issued("table-T1", now=long_ago(), days=30)
    venue.issued("table-T2", now=long_ago(), days=110)
    venue.issued("table-T3", now=long_ago(), days=131)
    venue.issued("table-T4", now=long_ago(), days=30)
    renew_folder(venue.authority, "table-T4", tmp_path / "renewed", now=utc_now())
    venue.issued("table-T5")
    venue.authority.revoke("table-T5", now=utc_now())
    states = {one.identity.common_name: state_of(one, utc_now()) for one in newest(venue.authority.issued())}
    assert states == {
        "table-T1": "expired",
        "table-T2": "soon",
        "table-T3": "valid",
        "table-T4": "valid",
        "table-T5": "revoked",
    }
