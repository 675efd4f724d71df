"""Until when the certificates hold that this process shows: a room in which nobody renews them stands still on one day."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509

SOON: Final = timedelta(days=30)
"""Before its end a certificate is told of for so long."""


def certificates_of(mqtt: Path | None, http: Path | None) -> dict[str, Path]:
    """The files that are named, by where they are shown: `mqtt` to the broker, `http` at the address."""
    return {name: path for name, path in (("mqtt", mqtt), ("http", http)) if path is not None}


def expires_at(path: Path) -> datetime | None:
    """When the first certificate in the file, in PEM, ends; ``None`` where there is none to read, which TLS itself tells of."""
    try:
        return x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    except (OSError, ValueError):
        return None
