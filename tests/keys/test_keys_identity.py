"""Who a certificate is for: names that the broker tells apart, and none that is another's."""

from __future__ import annotations

import pytest

from controller.keys.identity import Identity, IdentityError, Kind, checked_host, display_of, identity_of


@pytest.mark.parametrize(
    ("kind", "name", "common_name"),
    [
        (Kind.TABLE, "T12", "table-T12"),
        (Kind.FLOOR, "floor", "floor"),
        (Kind.FLOOR, "night", "floor-night"),
        (Kind.DISPLAY, "T12-seat-2", "display-T12-seat-2"),
        (Kind.DISPLAY, "T-seat-1-public", "display-T-seat-1-public"),
        (Kind.BRIDGE, "T12", "bridge-T12"),
    ],
)
def test_the_common_name_tells_kind_and_name(kind: Kind, name: str, common_name: str) -> None:
    """And leads back to both."""
    assert Identity(kind, name).common_name == common_name
    assert identity_of(common_name) == Identity(kind, name)


def test_a_display_is_of_a_seat_or_of_all() -> None:
    """By table and seat."""
    assert display_of("T12", 2).common_name == "display-T12-seat-2"
    assert display_of("T12", None).common_name == "display-T12-public"


@pytest.mark.parametrize("name", ["", "table", "seat-2", "T12-seat-9", "T12/seat-2", "T12-seat-2\n", "T12", "#"])
def test_what_is_no_display_is_refused(name: str) -> None:
    """A name of another form could stand for another's in the access list."""
    with pytest.raises(IdentityError, match="is no display: name it TABLE-seat-N"):
        Identity(Kind.DISPLAY, name)


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "T 12", "T12\n", "x" * 33])
def test_what_is_no_name_is_refused(name: str) -> None:
    """Nothing that an access list or a topic reads otherwise."""
    with pytest.raises(IdentityError, match="is no name"):
        Identity(Kind.TABLE, name)


def test_hosts_are_names_or_addresses() -> None:
    """Names in lower case; no wildcard, no address with a port."""
    assert [checked_host(host) for host in ("Broker.room.example", "192.0.2.7", "2001:DB8::1")] == [
        "broker.room.example",
        "192.0.2.7",
        "2001:db8::1",
    ]
    for host in ("", "*.room.example", "broker:8883", "a b", "-a"):
        with pytest.raises(IdentityError, match="is no host name and no address"):
            checked_host(host)
