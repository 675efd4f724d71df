"""The floor's key: made once, its owner's alone, with a public half that a table takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from controller.access.floor_key import FloorKeyError, key_name, load_floor_key, load_floor_public, make_floor_key


def test_a_key_is_made_once_with_its_public_half_beside_it(tmp_path: Path) -> None:
    """Mode 0600; a second one is never written over it."""
    public = make_floor_key(tmp_path / "keys" / "floor.key")
    made = load_floor_key(tmp_path / "keys" / "floor.key")
    assert public == tmp_path / "keys" / "floor.key.pub"
    assert key_name(load_floor_public(public)) == key_name(made.public_key())
    assert (tmp_path / "keys" / "floor.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FloorKeyError, match="never written over"):
        make_floor_key(tmp_path / "keys" / "floor.key")


@pytest.mark.parametrize("point", ["fsync", "link"])
def test_a_torn_key_is_none_and_its_public_half_is_made_when_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """A key is whole or not there; where the public half is missing the same command makes it of the same key."""
    path = tmp_path / "floor.key"

    def die(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(os, point, die)
        with pytest.raises((InterruptedError, FloorKeyError)):
            make_floor_key(path)
    assert list(tmp_path.iterdir()) == []
    public = make_floor_key(path)
    made, text = path.read_bytes(), public.read_text(encoding="utf-8")
    public.unlink()
    assert make_floor_key(path).read_text(encoding="utf-8") == text
    assert path.read_bytes() == made


def test_what_is_wrong_with_a_key_is_told_with_the_way_out(tmp_path: Path) -> None:
    """None there, read by others, another kind, the wrong half."""
    path = tmp_path / "floor.key"
    with pytest.raises(FloorKeyError, match=r"cannot be read .*--make-key"):
        load_floor_key(path)
    public = make_floor_key(path)
    path.chmod(0o640)
    with pytest.raises(FloorKeyError, match="may be read by others"):
        load_floor_key(path)
    with pytest.raises(FloorKeyError, match=r"is no public Ed25519 key: copy the \.pub file"):
        load_floor_public(path)
    public.chmod(0o600)
    with pytest.raises(FloorKeyError, match="is no Ed25519 key"):
        load_floor_key(public)
    other = X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.chmod(0o600)
    path.write_bytes(other)
    with pytest.raises(FloorKeyError, match="is no Ed25519 key"):
        load_floor_key(path)
    with pytest.raises(FloorKeyError, match="cannot be read"):
        load_floor_public(tmp_path / "missing.pub")
