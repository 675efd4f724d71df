"""The floor's Ed25519 key: the private half is the floor's alone, the public one is given to each table (RFC 8037)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from controller.whole_file import others_may_use, write_new, write_whole

PUBLIC: Final = ".pub"
"""Ends the name of the public half's file, beside the private one."""
NAME_CHARS: Final = 16
MAKE: Final = "make one with stud-table floor FLOOR.toml --make-key"
COPY: Final = f"copy the {PUBLIC} file there that stud-table floor writes beside its own key"


class FloorKeyError(ValueError):
    """A key file that cannot be used. The message names file and way out, and nothing of a key."""


def make_floor_key(path: Path) -> Path:
    """Make a key at ``path``, mode 0600, and its public half beside it, whose path is the answer. ``FloorKeyError`` when there is
    a file already, or none can be written: a key is never written over."""
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.with_name(path.name + PUBLIC).exists():  # a torn run left no public half
            return _write_public(path, load_floor_key(path).public_key())
        write_new(path, pem)
        return _write_public(path, private.public_key())
    except FileExistsError:
        raise FloorKeyError(f"{path} is there already: a key is never written over; move it away for a new one") from None
    except OSError as error:
        raise FloorKeyError(f"{path} cannot be written ({error.strerror}): name another place for the floor's key") from None


def load_floor_key(path: Path) -> Ed25519PrivateKey:
    """The floor's key. ``FloorKeyError`` when it is none, cannot be read, or others may read it."""
    if others_may_use(path):
        raise FloorKeyError(f"{path} may be read by others, who could rule at every table: make it its owner's alone (chmod 600)")
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise FloorKeyError(f"{path} cannot be read ({error.strerror}): {MAKE}") from None
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise FloorKeyError(f"{path} is no Ed25519 key: move it away, and {MAKE}")
    return key


def load_floor_public(path: Path) -> Ed25519PublicKey:
    """The public half, as a table has it. ``FloorKeyError`` when it is none or cannot be read."""
    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        reason = f"{path} cannot be read ({error.strerror})"
        raise FloorKeyError(f"{reason}: {COPY}") from None
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise FloorKeyError(f"{path} is no public Ed25519 key: {COPY}")
    return key


def public_problem(path: Path) -> str:
    """Why a table could not use that public half, with the way out; empty when it can."""
    try:
        load_floor_public(path)
    except FloorKeyError as error:
        return str(error)
    return ""


def public_text(key: Ed25519PublicKey) -> str:
    """The public half as its file holds it (PEM)."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def key_name(key: Ed25519PublicKey) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the key's 32 bytes: how tokens and records call it."""
    return sha256(key.public_bytes_raw()).hexdigest()[:NAME_CHARS]


def _write_public(path: Path, key: Ed25519PublicKey) -> Path:
    public = path.with_name(path.name + PUBLIC)
    write_whole(public, public_text(key))
    public.chmod(0o644)  # it is no secret, and the tables' own users read it
    return public
