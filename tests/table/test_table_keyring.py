"""Keys of the deals: made, kept wrapped, released by seat, dropped; and what happens without them."""

from __future__ import annotations

import inspect
import os
import random

import pytest
from support.table_story import AT

from controller.hand.cards import DECK
from controller.hand.places import Spot
from controller.journal.sealing import HandSealer, SealError
from controller.journal.store import KeyDelete, KeyInsert
from controller.table.events import CardSeen, DealKeyDropped, DealKeyMade, Resumed, SeatKeyReleased
from controller.table.keyring import Keyring
from controller.table.records import deal_parts, table_codec
from controller.table.state import TableState


def ring(key: int = 0, journal: str = "j1") -> Keyring:
    """A keyring under table key ``key`` of journal ``journal``."""
    return Keyring(bytes([key]) * 32, table="T1", journal_id=journal, random_bytes=random.Random(7).randbytes)


def made(keyring: Keyring, deal: int) -> tuple[DealKeyMade, KeyInsert]:
    """A deal's key."""
    event, key = keyring.ready(DealKeyMade(deal, "", ()))
    assert isinstance(event, DealKeyMade)
    assert isinstance(key, KeyInsert)
    return event, key


def test_a_deals_key_is_committed_to_part_by_part() -> None:
    """The event names the key and commits to each seat, the burns and the evidence; the row holds it wrapped."""
    keyring = ring()
    event, key = made(keyring, 3)
    assert event.kid == key.kid == "T1/j1/3"
    assert tuple(part for part, _ in event.commitments) == deal_parts()
    assert len({digest for _, digest in event.commitments}) == len(deal_parts()) == 10
    assert dict(event.commitments)["seat/2"] == keyring.sealers[3].commitment("seat/2").hex()
    assert bytes(key.wrapped) not in keyring.sealers[3].part_key("burn")


def test_wrapped_keys_open_after_a_restart() -> None:
    """Another keyring under the same table key opens what this one sealed."""
    keyring = ring()
    _, key = made(keyring, 3)
    other = ring()
    other.unwrap({key.kid: key.wrapped})
    assert other.blind == ()
    assert other.sealers.keys() == {3}
    assert other.sealers[3].part_key("seat/1") == keyring.sealers[3].part_key("seat/1")


@pytest.mark.parametrize("kid", ["", "x", "T1/j1/0", "T1/j1/-3", "T1/j1/+3", "T1/j1/99999999999999999999", "T1/j2/3", "T2/j1/3"])
def test_a_row_that_no_deal_of_this_journal_made_keeps_nobody_from_starting(kid: str) -> None:
    """The chain does not bind the key table: what a hand put there is named, and the deals' keys beside it open."""
    _, key = made(ring(), 3)
    other = ring()
    other.unwrap({kid: b"x", key.kid: key.wrapped})
    assert other.blind == (kid,)
    assert other.kept == (3,)
    assert other.sealers.keys() == {3}


def test_keys_under_another_table_key_leave_the_hand_blind() -> None:
    """They are named and nothing else happens (recovery §10)."""
    _, key = made(ring(), 3)
    other = ring(key=1)
    other.unwrap({key.kid: key.wrapped, "T1/j1/4": b"short"})
    assert other.blind == ("T1/j1/3", "T1/j1/4")
    assert not other.sealers


def test_a_dropped_key_is_gone_from_memory_and_disk() -> None:
    """With one event."""
    keyring = ring()
    made(keyring, 3)
    event, key = keyring.ready(DealKeyDropped(3))
    assert (event, key) == (DealKeyDropped(3), KeyDelete("T1/j1/3"))
    assert not keyring.sealers
    assert keyring.ready(DealKeyDropped(3))[1] == KeyDelete("T1/j1/3")


def test_a_seats_key_is_released_where_it_is_known() -> None:
    """Blind there is none to show."""
    keyring = ring()
    made(keyring, 3)
    event, key = keyring.ready(SeatKeyReleased(3, 5, ""))
    assert isinstance(event, SeatKeyReleased)
    assert len(event.key) == 44
    assert key is None
    assert keyring.ready(SeatKeyReleased(2, 5, "")) == (SeatKeyReleased(2, 5, ""), None)


def test_other_events_are_left_alone() -> None:
    """No key, no change."""
    assert ring().ready(Resumed()) == (Resumed(), None)


def test_events_are_sealed_under_the_deal_before_them() -> None:
    """With the next ordinal of that deal; without a key nothing is written."""
    keyring = ring()
    made(keyring, 1)
    before = TableState(deal=1, sealed_count=8)
    body = keyring.encode(table_codec(), CardSeen(Spot.BURN, DECK[0]), before, epoch=4, at=AT)
    assert (body["deal"], body["n"], body["epoch"], body["at"]) == (1, 9, 4, AT)
    with pytest.raises(SealError):
        keyring.encode(table_codec(), CardSeen(Spot.BURN, DECK[0]), TableState(deal=2), epoch=4, at=AT)


def test_keys_come_from_the_operating_system_unless_a_simulation_says_otherwise() -> None:
    """The default is ``os.urandom`` (recovery §10); no keyring prints a key."""
    assert inspect.signature(Keyring).parameters["random_bytes"].default is os.urandom
    keyring = ring()
    made(keyring, 1)
    sealer: HandSealer = keyring.sealers[1]
    secret = sealer.part_key("seat/1").hex()
    assert secret not in repr(keyring) + repr(sealer) + repr(vars(keyring))
