"""The token of a floor's order: what it says comes back as it was signed; what a table remembers of it is bounded."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.access import floor_token
from controller.access.floor_key import key_name
from controller.access.floor_token import BadToken, FloorSigner, FloorVerifier, FloorWord, Signer, digest_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


def test_what_was_signed_comes_back() -> None:
    """People, table, request, decision and body; the key by its name."""
    signer = FloorSigner(KEY, "nice", lambda: 1000.7, lambda: "id-1")
    token, named = signer.sign("T1", Signer("Fay", "floor"), Signer("Kim", "floor"), "POST commands", b"{}", "12-4")
    word = FloorVerifier(KEY.public_key(), "nice", "T1", lambda: 1001.0).verify(token, "POST commands", b"{}")
    assert word == FloorWord(
        "nice", "nice/T1", Signer("Fay", "floor"), Signer("Kim", "floor"), "POST commands", "12-4", digest_of(b"{}"),
        1000, 1020, "id-1", key_name(KEY.public_key()),
    )  # fmt: skip
    assert (named, signer.name) == (word.token, word.key)


def test_a_table_remembers_a_bounded_number_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A floor that signs without end is told to wait, and is heard again."""
    monkeypatch.setattr(floor_token, "MAX_USED", 3)
    now = 1000.0
    signer = FloorSigner(KEY, "nice", lambda: now)
    verifier = FloorVerifier(KEY.public_key(), "nice", "T1", lambda: now)

    def ask() -> None:
        verifier.verify(signer.sign("T1", Signer("Fay", "floor"), None, "GET sheets")[0], "GET sheets", b"")

    for _ in range(3):
        ask()
    with pytest.raises(BadToken) as refused:
        ask()
    assert refused.value.code == "too_many_orders"
    now += floor_token.MOST_S + floor_token.AHEAD_S
    ask()
