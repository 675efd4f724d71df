"""Who may open a session, and when lines without a good tag become an alarm."""

from __future__ import annotations

import random
from dataclasses import replace

from drivers.shoe.authentication import BAD_TAGS, HostLock, Pair
from drivers.shoe.link_health import LinkHealth
from drivers.shoe.messages import NO_EPOCH, Cause, DeviceHello, Heartbeat, Outcome, Response
from drivers.shoe.trust import distrust, lock_trouble, locked_shoe, opens

HELLO = DeviceHello(1, 0, "SIMSHOE", "1.0.0", 1, 1, ("LK",), Cause.POWER, "S0012345", 0)
BEAT = Heartbeat(1, 0, "LOCKED", (), 52, 12, 0x41, 0, "H", 1, 0, NO_EPOCH, 0, 0)
OPEN_HELLO = b"1,SH01,HELLO,0000,7F3A,SIMSHOE,1.0.0,1,1,LK+LD+PR,P,S0012345,51C4"


def test_the_key_of_the_opening_opens_and_does_no_more() -> None:
    """HELLO always, HB as an answer, nothing else: an answer to a command needs the session's key."""
    assert opens(HELLO, is_asked=False)
    assert opens(BEAT, is_asked=True)
    assert not opens(BEAT, is_asked=False)
    assert not opens(Response(1, 1, NO_EPOCH, Outcome.OK), is_asked=True)


def test_bad_tags_are_an_alarm_and_a_shoe_without_lock_is_not() -> None:
    """Three bad tags in ten seconds are tampering; an open shoe is quarantined, with the remedy, and its lines raise no alarm."""
    lock, health = HostLock(Pair(bytes(32), "SH01", "S0012345"), random.Random(1)), LinkHealth("shoe")
    faults = []
    for number in range(BAD_TAGS):
        assert lock.check(float(number), b"1,SH01,CARD,0001,0001,AS,C,0001,51,0,00000001,0011223344556677") is None
        faults.append(distrust(float(number), lock, health, "shoe", b"1,SH01,CARD,0001", is_asked=True))
    assert [fault and fault.code for fault in faults] == [None, None, "tamper"]
    assert health.counters()["bad_tags"] == BAD_TAGS
    assert distrust(3.0, lock, health, "shoe", OPEN_HELLO, is_asked=True) is None
    assert health.trouble is not None
    assert health.trouble.code == "shoe_open"
    assert "shoe.key_file" in locked_shoe("shoe").sentence


def test_a_shoe_fits_a_table_that_has_its_key_or_needs_none() -> None:
    """Lock and key go together; each half alone is named with its remedy."""
    locked = replace(HELLO, caps=("LK", "AU"))
    assert lock_trouble("shoe", HELLO, has_key=False) is None
    assert lock_trouble("shoe", locked, has_key=True) is None
    found = lock_trouble("shoe", HELLO, has_key=True), lock_trouble("shoe", locked, has_key=False)
    assert [trouble and trouble.code for trouble in found] == ["shoe_open", "shoe_locked"]
