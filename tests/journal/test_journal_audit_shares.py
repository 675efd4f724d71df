"""Shares of a deal's key: two auditors together, nobody alone (recovery §10)."""

from __future__ import annotations

import random
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from controller.config import ConfigError, parse_config
from controller.journal.audit_shares import SHARE_BYTES, AuditKey, join_key, parse_audit_key, split_key
from controller.journal.sealing import SealError
from controller.rehearsal import Play, config_for
from simulators.rig import NINETEEN, SHOE_PORT

ANN = X25519PrivateKey.from_private_bytes(bytes(range(32)))
BEN = X25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
AUDITORS = (AuditKey.of(ANN), AuditKey.of(BEN))


def test_shares_tell_nothing_alone_and_fit_one_deal_and_one_auditor() -> None:
    """80 bytes each; another deal, another order, another auditor or a changed byte: nothing opens. Never the same twice."""
    key = bytes(range(100, 132))
    shares = split_key(key, "T1/j/7", random.Random(1).randbytes, auditors=AUDITORS)
    private = {AuditKey.of(one).name: one for one in (ANN, BEN)}
    assert join_key(shares, "T1/j/7", private) == key
    assert shares != split_key(key, "T1/j/7", random.Random(2).randbytes, auditors=AUDITORS)
    assert {len(share) for _, share in shares} == {len(b64encode(bytes(SHARE_BYTES)))}
    (first, one), (second, other) = shares
    spoiled = one[:60] + ("A" if one[60] != "A" else "B") + one[61:]
    for wrong in (((second, other), (first, one)), ((first, other), (second, one)), ((first, spoiled), (second, other))):
        with pytest.raises(SealError, match="does not open"):
            join_key(wrong, "T1/j/7", private)
    with pytest.raises(SealError, match="does not open"):
        join_key(shares, "T1/j/8", private)


@pytest.mark.parametrize(
    ("key", "said"),
    [("?", "no base64"), (b64encode(bytes(31)).decode(), "31 bytes"), (b64encode(bytes(32)).decode(), "weak key")],
)
def test_a_key_that_is_none_is_refused(key: str, said: str) -> None:
    """In the configuration already, by the holder's name; the same key twice likewise."""
    with pytest.raises(ValueError, match=said):
        parse_audit_key(key)
    raw = config_for(Play(), ports={name: name for name in (SHOE_PORT, *NINETEEN)})
    with pytest.raises(ConfigError, match=f"the key of compliance .*{said}"):
        parse_config({**raw, "audit": {"surveillance": AUDITORS[0].text, "compliance": key}}, "table.toml")
    with pytest.raises(ConfigError, match="have the same key"):
        parse_config({**raw, "audit": {"surveillance": AUDITORS[0].text, "compliance": AUDITORS[0].text}}, "table.toml")
