"""What one machine gets: a folder with its key, its certificate and the authority's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from controller.keys.authority import AUTHORITY, DAYS, Authority, Issued, KeysError, new_key, write_certificate, write_key
from controller.keys.identity import Identity

CERTIFICATE: Final = "certificate.pem"
KEY: Final = "key.pem"
SOON_DAYS: Final = 30
"""So long before its end a certificate is told to be renewed."""


def issue_folder(
    authority: Authority, identity: Identity, hosts: Sequence[str], out: Path, *, now: datetime, days: int = DAYS
) -> Path:
    """A new key with its certificate in ``out``/<common name>, which is the answer. ``KeysError``."""
    folder = out / identity.common_name
    key = new_key()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (folder / KEY).exists():
            raise KeysError(
                f"{folder / KEY} is there already: a key is never written over; move it away, or renew it with keys renew"
            )
        certificate = authority.issue(identity, key.public_key(), hosts, now=now, days=days)
        write_key(folder / KEY, key)
        write_certificate(folder / CERTIFICATE, certificate)
        write_certificate(folder / AUTHORITY, authority.certificate)
    except OSError as error:
        raise KeysError(f"{folder} cannot be written ({error.strerror}): name another place with --out") from None
    return folder


def renew_folder(authority: Authority, common_name: str, out: Path, *, now: datetime, days: int = DAYS) -> Path:
    """Another certificate for the same key, name and hosts in ``out``/<common name>: what is carried to the machine is no secret.
    The old one lasts until its end. ``KeysError``."""
    old = authority.current(common_name)
    public = old.certificate.public_key()
    if not isinstance(public, EllipticCurvePublicKey):
        raise KeysError(f"the key of {common_name} is none of this program: issue it anew with keys issue")
    folder = out / common_name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_certificate(folder / CERTIFICATE, authority.issue(old.identity, public, old.hosts, now=now, days=days))
        write_certificate(folder / AUTHORITY, authority.certificate)
    except OSError as error:
        raise KeysError(f"{folder} cannot be written ({error.strerror}): name another place with --out") from None
    return folder


def days_left(expires: datetime, now: datetime) -> int:
    """Whole days until then; negative when it is over."""
    return (expires - now).days


def state_of(one: Issued, now: datetime) -> str:
    """``revoked``, ``expired``, ``soon`` or ``valid``."""
    left = days_left(one.expires, now)
    if one.is_revoked:
        return "revoked"
    return "expired" if left < 0 else "soon" if left < SOON_DAYS else "valid"


def newest(issued: Sequence[Issued]) -> list[Issued]:
    """Of each name the certificate that counts: the newest that is not revoked, else the newest. ``issued`` is in its order."""
    found: dict[str, Issued] = {}
    for one in issued:
        known = found.get(one.identity.common_name)
        if known is None or (known.is_revoked and not one.is_revoked):
            found[one.identity.common_name] = one
    return list(found.values())
