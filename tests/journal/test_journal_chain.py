"""The hash chain against a value worked out elsewhere."""

from __future__ import annotations

from hashlib import sha256

from controller.journal.canonical import canonical
from controller.journal.chain import ZERO_HEAD, next_head

BOX = "oKGio6SlpqeoqaqrMvTc6qMhJ2QQznEfTWacrDn6jwJHqSIsOThgRHt6LDA="
BODY = (
    b'{"draw_no":17,"hand":1234,"place":"seat/3/down/1",'
    b'"sealed":"oKGio6SlpqeoqaqrMvTc6qMhJ2QQznEfTWacrDn6jwJHqSIsOThgRHt6LDA=","type":"CardDealt"}'
)


def test_golden_body_and_head() -> None:
    """Event 101 after a zero head: body and head byte for byte."""
    event = {"type": "CardDealt", "hand": 1234, "draw_no": 17, "place": "seat/3/down/1", "sealed": BOX}
    assert canonical(event) == BODY
    assert next_head(ZERO_HEAD, 101, BODY).hex() == "1d5987dd05202b283ca1153e0b02796a6e2a6a03aec07f1cf96b28acc2fe0f62"


def test_the_head_binds_what_came_before_the_number_and_the_body() -> None:
    """The formula spelled out: previous head, number as eight bytes, digest of the body."""
    head = next_head(b"\x01" * 32, 258, b"{}")
    assert head == sha256(b"\x01" * 32 + b"\0\0\0\0\0\0\x01\x02" + sha256(b"{}").digest()).digest()
    assert (
        len({head, next_head(ZERO_HEAD, 258, b"{}"), next_head(b"\x01" * 32, 259, b"{}"), next_head(b"\x01" * 32, 258, b"{} ")})
        == 4
    )
