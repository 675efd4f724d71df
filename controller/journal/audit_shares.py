"""Two shares of a deal's key for two auditors, who can open it together and neither alone (recovery §10, close and two people).

Share 1 is random, share 2 is the key XOR share 1: each alone is 32 random bytes. Each is put under one auditor's X25519 key with
an ephemeral key of its own: 32 bytes of ephemeral key, 32 of ciphertext, 16 of tag.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from controller.journal.sealing import KEY_BYTES, NONCE_BYTES, TAG_BYTES, RandomBytes, SealError

SHARE_BYTES: Final = 2 * KEY_BYTES + TAG_BYTES
AUDITORS: Final = 2
_ONCE: Final = bytes(NONCE_BYTES)
"""Nonce of a share: its key comes from an ephemeral key that is used this once."""
_PROBE: Final = X25519PrivateKey.from_private_bytes(bytes(range(KEY_BYTES)))


@dataclass(frozen=True, slots=True)
class AuditKey:
    """One auditor's public key, 32 bytes of X25519."""

    public: bytes

    @property
    def name(self) -> str:
        """First eight hexadecimal digits of the key's SHA-256: how journal and log call it."""
        return sha256(self.public).hexdigest()[:8]

    @property
    def text(self) -> str:
        """As ``table.toml`` holds it."""
        return b64encode(self.public).decode()

    @staticmethod
    def of(private: X25519PrivateKey) -> AuditKey:
        """The public key of ``private``."""
        return AuditKey(private.public_key().public_bytes_raw())


def parse_audit_key(text: str) -> AuditKey:
    """The key written in base64; ``ValueError`` when it is none, or one under which every share would lie open."""
    try:
        public = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        raise ValueError("is no base64: copy the line that audit keygen printed") from None
    if len(public) != KEY_BYTES:
        raise ValueError(f"is {len(public)} bytes long, not {KEY_BYTES}: copy the line that audit keygen printed")
    try:
        _PROBE.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise ValueError("is a weak key: make one with audit keygen") from None
    return AuditKey(public)


def parse_auditors(surveillance: str, compliance: str) -> tuple[AuditKey, AuditKey]:
    """Both auditors' keys; ``ValueError`` names the holder of one that is none, or says that both are the same."""
    keys: list[AuditKey] = []
    for holder, text in (("surveillance", surveillance), ("compliance", compliance)):
        try:
            keys.append(parse_audit_key(text))
        except ValueError as error:
            raise ValueError(f"the key of {holder} {error}") from None
    if keys[0] == keys[1]:
        raise ValueError("surveillance and compliance have the same key: make one for each with audit keygen")
    return keys[0], keys[1]


def split_key(
    hand_key: bytes, kid: str, random_bytes: RandomBytes, *, auditors: tuple[AuditKey, AuditKey]
) -> tuple[tuple[str, str], ...]:
    """A share of ``hand_key`` for each of ``auditors``: pairs of the key's name and the share in base64."""
    first = random_bytes(KEY_BYTES)
    parts = (first, _xor(hand_key, first))
    return tuple(
        (auditor.name, b64encode(_put_under(auditor, kid, number, part, random_bytes)).decode())
        for number, (auditor, part) in enumerate(zip(auditors, parts, strict=True), 1)
    )


def join_key(shares: Collection[tuple[str, str]], kid: str, private: Mapping[str, X25519PrivateKey]) -> bytes:
    """The deal's key from both ``shares``; ``private`` keys by name. ``SealError`` when one is missing or does not open."""
    if len(shares) != AUDITORS:
        raise SealError(
            f"{kid} has {len(shares)} audit shares, not {AUDITORS}: no audit keys were configured when its deal was closed"
        )
    missing = [name for name, _ in shares if name not in private]
    if missing:
        raise SealError(f"the audit key {missing[0]} is needed to open {kid}: both auditors must give theirs")
    parts = [_take_out(private[name], kid, number, share) for number, (name, share) in enumerate(shares, 1)]
    return _xor(parts[0], parts[1])


def _put_under(auditor: AuditKey, kid: str, number: int, part: bytes, random_bytes: RandomBytes) -> bytes:
    ephemeral = X25519PrivateKey.from_private_bytes(random_bytes(KEY_BYTES))
    public = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(auditor.public))
    data = _data(kid, number, public, auditor.public)
    return public + AESGCM(_share_key(shared, data)).encrypt(_ONCE, part, data)


def _take_out(private: X25519PrivateKey, kid: str, number: int, text: str) -> bytes:
    try:
        share = b64decode(text, validate=True)
        shared = private.exchange(X25519PublicKey.from_public_bytes(share[:KEY_BYTES]))
        data = _data(kid, number, share[:KEY_BYTES], AuditKey.of(private).public)
        return AESGCM(_share_key(shared, data)).decrypt(_ONCE, share[KEY_BYTES:], data)
    except (ValueError, InvalidTag):
        raise SealError(f"audit share {number} of {kid} does not open: other key, other deal, or damaged") from None


def _data(kid: str, number: int, ephemeral: bytes, auditor: bytes) -> bytes:
    return b"STUD-AUDIT/1|" + kid.encode() + b"|" + str(number).encode() + b"|" + ephemeral + auditor


def _share_key(shared: bytes, data: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=data).derive(shared)


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(left, right, strict=True))
