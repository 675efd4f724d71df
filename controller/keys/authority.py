"""The venue's authority: makes certificates, revokes them, and knows by its own folder which there are.

``authority.pem`` is given to everybody, ``authority.key`` to nobody. ``issued/`` holds each certificate by its serial number,
``revoked.pem`` is the list of revoked ones (RFC 5280 §5) that the broker loads. Keys of others are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.keys.identity import CONNECTS, SERVES, Identity, IdentityError, Kind, identity_of
from controller.whole_file import locked, others_may_use, write_new, write_whole

AUTHORITY: Final = "authority.pem"
AUTHORITY_KEY: Final = "authority.key"
REVOKED: Final = "revoked.pem"
ISSUED: Final = "issued"
AUTHORITY_YEARS: Final = 10
DAYS: Final = 365
"""How long a certificate lasts unless it is told otherwise."""
MAX_DAYS: Final = 825
"""What browsers take of a private authority at most, from the first second of its time to the last."""
BACKDATED: Final = timedelta(hours=1)
"""A machine whose clock is a little slow takes a new certificate too."""

PrivateKey: TypeAlias = EllipticCurvePrivateKey


class KeysError(ValueError):
    """What cannot be done, with the place and the way out; nothing of a key."""


@dataclass(frozen=True, slots=True)
class Issued:
    """One certificate, as ``keys list`` tells it."""

    identity: Identity
    serial: int
    expires: datetime
    hosts: tuple[str, ...]
    is_revoked: bool
    certificate: x509.Certificate


@dataclass(frozen=True, slots=True)
class Authority:
    """A venue's authority that can sign."""

    folder: Path
    venue: str
    certificate: x509.Certificate
    _key: PrivateKey

    @property
    def expires(self) -> datetime:
        """When nothing that it issued is trusted any more."""
        return self.certificate.not_valid_after_utc

    def issued(self) -> list[Issued]:
        """Every certificate of the folder, by name and then the newest first. ``KeysError`` for a file that is none."""
        revoked = _revoked_serials(self.folder)
        found = [_told(path, revoked) for path in sorted((self.folder / ISSUED).glob("*.pem"))]
        found.sort(key=lambda one: (one.certificate.not_valid_before_utc, one.expires), reverse=True)
        found.sort(key=lambda one: one.identity.common_name)
        return found

    def current(self, common_name: str) -> Issued:
        """The newest certificate of that name that is not revoked. ``KeysError`` when there is none."""
        for one in self.issued():
            if one.identity.common_name == common_name and not one.is_revoked:
                return one
        raise KeysError(f"{self.folder} has issued nothing for {common_name} that is not revoked: keys list tells what there is")

    def issue(
        self, identity: Identity, public: EllipticCurvePublicKey, hosts: Sequence[str], *, now: datetime, days: int = DAYS
    ) -> x509.Certificate:
        """A certificate for that key, kept in the folder. ``KeysError`` when it would outlive the authority, or names no host."""
        if identity.kind in (Kind.BROKER, Kind.FLOOR) and not hosts:
            raise KeysError(f"others connect to {identity.common_name} by name: give each name and address with --host")
        if hosts and identity.kind not in SERVES:
            raise KeysError(f"nobody connects to {identity.common_name}: leave --host out")
        if not 1 <= days <= MAX_DAYS:
            raise KeysError(f"{days} days cannot be: a certificate lasts 1 to {MAX_DAYS} days")
        expires = min(now + timedelta(days=days), now - BACKDATED + timedelta(days=MAX_DAYS, seconds=-1))
        if expires > self.expires:
            raise KeysError(
                f"the authority itself expires on {self.expires:%Y-%m-%d}: give fewer --days, or make a new authority"
            )
        certificate = self._signed(identity, public, hosts, now, expires)
        kept = self.folder / ISSUED
        kept.mkdir(mode=0o700, exist_ok=True)
        _write(kept / f"{certificate.serial_number:040x}.pem", certificate.public_bytes(Encoding.PEM))
        return certificate

    def revoke(self, common_name: str, *, now: datetime) -> list[Issued]:
        """Put every certificate of that name on the list; those it puts there. ``KeysError`` when there is none."""
        with locked(self.folder / REVOKED):
            going = [one for one in self.issued() if one.identity.common_name == common_name and not one.is_revoked]
            if not going:
                raise KeysError(f"{self.folder} has issued nothing for {common_name} that is not revoked already")
            _write_list(self, [*_revoked_entries(self.folder), *(_entry(one.serial, now) for one in going)], now)
        return going

    def _signed(
        self, identity: Identity, public: EllipticCurvePublicKey, hosts: Sequence[str], now: datetime, expires: datetime
    ) -> x509.Certificate:
        serves, connects = bool(hosts), identity.kind in CONNECTS
        uses = [ExtendedKeyUsageOID.SERVER_AUTH] * serves + [ExtendedKeyUsageOID.CLIENT_AUTH] * connects
        builder = _builder(_subject(self.venue, identity.common_name), self.certificate.subject, public, now, expires)
        builder = (
            builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_others=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        return builder.sign(self._key, SHA256())


def new_key() -> PrivateKey:
    """A key on P-256: browsers, mosquitto and microcontrollers know it, and Ed25519 not all of them."""
    return generate_private_key(SECP256R1())


def make_authority(folder: Path, venue: str, *, now: datetime) -> Authority:
    """Make the venue's authority, or go on where a torn run left its key and no certificate.

    ``KeysError`` when there is one: what it issued would be worth nothing.
    """
    path = folder / AUTHORITY_KEY
    is_torn = path.exists() and not (folder / AUTHORITY).exists() and not (folder / ISSUED).exists()
    key = _key_in(path) if is_torn else new_key()
    subject = _subject(venue, f"{venue} stud-table authority")
    expires = now + timedelta(days=365 * AUTHORITY_YEARS)
    certificate = (
        _builder(subject, subject, key.public_key(), now, expires)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_others=True), critical=True)
        .sign(key, SHA256())
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_torn:
            write_key(path, key)
        authority = Authority(folder, venue, certificate, key)
        _write_list(authority, [], now)
        _write(folder / AUTHORITY, certificate.public_bytes(Encoding.PEM))
    except OSError as error:
        raise KeysError(f"{folder} cannot be written ({error.strerror}): name another folder") from None
    return authority


def load_authority(folder: Path) -> Authority:
    """The authority of the folder. ``KeysError`` when there is none, it cannot be read, or others may read its key."""
    key = _key_in(folder / AUTHORITY_KEY)
    try:
        certificate = x509.load_pem_x509_certificate((folder / AUTHORITY).read_bytes())
    except FileNotFoundError:
        raise KeysError(f"{folder / AUTHORITY} is not there: make the venue's authority with stud-table keys init") from None
    except OSError as error:
        raise KeysError(f"{folder / AUTHORITY} cannot be read ({error.strerror}): give it to this user") from None
    except ValueError:
        raise KeysError(f"{folder / AUTHORITY} is no certificate: restore it and its key from the same copy") from None
    if key.public_key() != certificate.public_key():
        raise KeysError(f"{folder / AUTHORITY_KEY} is not the key of {AUTHORITY}: restore both from the same copy")
    venue = certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return Authority(folder, str(venue[0].value) if venue else "", certificate, key)


def _key_in(path: Path) -> PrivateKey:
    """The authority's key. ``KeysError`` when there is none, or others may read it."""
    if others_may_use(path):
        raise KeysError(f"{path} may be read by others, who could pass for anybody: make it its owner's alone (chmod 600)")
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        raise KeysError(f"{path} is not there: make the venue's authority with stud-table keys init") from None
    except OSError as error:
        raise KeysError(f"{path} cannot be read ({error.strerror}): give it to this user") from None
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, EllipticCurvePrivateKey):
        raise KeysError(f"{path} is no key of an authority: restore it and its certificate from the same copy")
    return key


def write_key(path: Path, key: PrivateKey) -> None:
    """Write a key, mode 0600, durably: whole or not at all. ``OSError``.

    ``KeysError`` when there is a file already: a key is never written over.
    """
    try:
        write_new(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    except FileExistsError:
        raise KeysError(f"{path} is there already: a key is never written over; move it away, or name another place") from None


def write_certificate(path: Path, certificate: x509.Certificate) -> None:
    """Write a certificate, which is no secret; one that is there is replaced. ``OSError``."""
    _write(path, certificate.public_bytes(Encoding.PEM))


def _write(path: Path, pem: bytes) -> None:
    write_whole(path, pem.decode("ascii"))
    path.chmod(0o644)


def _told(path: Path, revoked: frozenset[int]) -> Issued:
    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        name = str(certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)
        identity = identity_of(name)
    except (OSError, ValueError, IndexError, IdentityError):
        raise KeysError(f"{path} is no certificate of this program: move it away") from None
    serial = certificate.serial_number
    return Issued(identity, serial, certificate.not_valid_after_utc, hosts_of(certificate), serial in revoked, certificate)


def hosts_of(certificate: x509.Certificate) -> tuple[str, ...]:
    """Names and addresses that it is for."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    return tuple(str(name.value) for name in names)


def _revoked_entries(folder: Path) -> list[x509.RevokedCertificate]:
    try:
        return list(x509.load_pem_x509_crl((folder / REVOKED).read_bytes()))
    except (OSError, ValueError):
        raise KeysError(f"{folder / REVOKED} is no list of revoked certificates: restore it from a copy") from None


def _revoked_serials(folder: Path) -> frozenset[int]:
    return frozenset(entry.serial_number for entry in _revoked_entries(folder))


def _entry(serial: int, now: datetime) -> x509.RevokedCertificate:
    return x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(now).build()


def _write_list(authority: Authority, entries: Sequence[x509.RevokedCertificate], now: datetime) -> None:
    """Sign and write the list. It lasts as long as the authority: a broker refuses everybody once its list has run out."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.certificate.subject)
        .last_update(now - BACKDATED)
        .next_update(authority.expires)
        .add_extension(x509.CRLNumber(int(now.timestamp())), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.certificate.public_key()), critical=False)  # type: ignore[arg-type]
    )
    for entry in entries:
        builder = builder.add_revoked_certificate(entry)
    _write(authority.folder / REVOKED, builder.sign(authority._key, SHA256()).public_bytes(Encoding.PEM))  # noqa: SLF001


def _builder(
    subject: x509.Name, issuer: x509.Name, public: EllipticCurvePublicKey, now: datetime, expires: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(expires)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _subject(venue: str, common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, venue), x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, signs_others: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_others,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_others,
        crl_sign=signs_others,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def utc_now() -> datetime:
    """Now, in whole seconds as certificates have them."""
    return datetime.now(UTC).replace(microsecond=0)
