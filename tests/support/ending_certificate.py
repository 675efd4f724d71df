"""A certificate that ends when a test says."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID


def certificate_until(end: datetime, folder: Path) -> Path:
    """Its file in ``folder``; nobody has its key."""
    key, name = Ed25519PrivateKey.generate(), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table-T1")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
    made = builder.not_valid_before(end - timedelta(days=365)).not_valid_after(end).sign(key, None)
    path = folder / "certificate.pem"
    path.write_bytes(made.public_bytes(Encoding.PEM))
    return path
