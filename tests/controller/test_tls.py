"""TLS contexts from files, and why a handshake failed, in one sentence; handshakes in memory, without a network."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from support.venue_keys import VenueKeys, long_ago

from controller.keys.authority import utc_now
from controller.keys.folder import CERTIFICATE, KEY
from controller.tls import REVOKED, ClientTls, ServerTls, TlsError, why_failed


def handshake(client: ssl.SSLContext, server: ssl.SSLContext, name: str = "localhost") -> str | None:
    """The version that both agree on; the client's error comes through."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = client.wrap_bio(to_client, to_server, server_hostname=name)
    other = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(10):
        done = 0
        for side in (one, other):
            try:
                side.do_handshake()
                done += 1
            except ssl.SSLWantReadError:
                pass
        if done == 2:
            return one.version()
    raise AssertionError("no end of the handshake")


@pytest.fixture
def venue(tmp_path: Path) -> VenueKeys:
    return VenueKeys(tmp_path / "nice")


def why(client: ClientTls, server: ServerTls, name: str = "localhost") -> str:
    with pytest.raises(ssl.SSLError) as caught:
        handshake(client.context(), server.context(), name)
    return why_failed(caught.value)


def test_both_sides_agree_on_a_version_from_1_2_on(venue: VenueKeys) -> None:
    """Nothing older, whatever the other side offers."""
    client, server = venue.client("table-T12").context(), venue.server("broker-main").context()
    assert handshake(client, server) == "TLSv1.3"
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    assert handshake(client, server) == "TLSv1.2"
    assert {client.minimum_version, server.minimum_version} == {ssl.TLSVersion.TLSv1_2}
    assert client.check_hostname


def test_a_revoked_server_is_not_trusted(venue: VenueKeys, tmp_path: Path) -> None:
    """By the list beside the authority, as it is at each connection; without one nobody knows. A list of another is named."""
    client, server = venue.client("table-T12"), venue.server("broker-main")
    alone = tmp_path / "alone" / "authority.pem"
    alone.parent.mkdir()
    alone.write_bytes(venue.authority_file.read_bytes())
    unlisted = ClientTls(alone)
    venue.authority.revoke("broker-main", now=utc_now())
    assert why(client, server).startswith("its certificate is revoked")
    assert handshake(unlisted.context(), server.context()) == "TLSv1.3"
    listed = alone.with_name(REVOKED)
    listed.write_bytes(VenueKeys(tmp_path / "other").revoked_file.read_bytes())
    assert why(unlisted, server).startswith("revoked.pem beside ca_file is no list of that authority")
    listed.write_text("none", encoding="utf-8")
    with pytest.raises(TlsError, match=r"revoked\.pem is no list of revoked certificates"):
        unlisted.context()


def test_why_the_other_side_is_not_trusted(venue: VenueKeys, tmp_path: Path) -> None:
    """Another authority, a certificate that has run out, another name, an address that is not in it."""
    other = VenueKeys(tmp_path / "other")
    client, server = venue.client("table-T12"), venue.server("broker-main")
    assert why(other.client("table-T12"), server).startswith("ca_file does not vouch for its certificate: copy the authority.pem")
    assert why(client, server, "other.room.example").startswith("its certificate is for another name")
    assert why(client, server, "192.0.2.1").startswith("its certificate is for another name")
    venue.issued("broker-old", ("localhost",), long_ago(), days=30)
    assert why(client, venue.server("broker-old")).startswith("its certificate has expired: stud-table keys renew")
    assert why_failed(ConnectionRefusedError("no")) == ""


def test_an_error_that_hides_the_cause_is_seen_through(venue: VenueKeys, tmp_path: Path) -> None:
    """The MQTT client and the HTTP client raise errors of their own."""
    client, server = VenueKeys(tmp_path / "other").client("table-T1").context(), venue.server("broker-main").context()

    def connect() -> None:
        try:
            handshake(client, server)
        except ssl.SSLError as error:
            raise ConnectionError(str(error)) from None

    with pytest.raises(ConnectionError) as caught:
        connect()
    assert why_failed(caught.value).startswith("ca_file does not vouch")


def test_files_that_cannot_be_used_are_named(venue: VenueKeys, tmp_path: Path) -> None:
    """Missing, of others to read, of another pair, or none; nothing of a key is told."""
    one, two = venue.issued("table-T1"), venue.issued("table-T2")
    pairs = {
        "cannot be read": ServerTls(tmp_path / "none", one / KEY),
        "is not the key of": ServerTls(one / CERTIFICATE, two / KEY),
        "are no certificate and its open key": ServerTls(one / KEY, one / KEY),
    }
    for said, pair in pairs.items():
        with pytest.raises(TlsError, match=said) as caught:
            pair.context()
        assert (one / KEY).read_text().splitlines()[1] not in str(caught.value)
    (one / KEY).chmod(0o640)
    with pytest.raises(TlsError, match=r"key\.pem may be read by others, who could pass for us"):
        ServerTls(one / CERTIFICATE, one / KEY).context()
    with pytest.raises(TlsError, match="holds no authority's certificate"):
        ClientTls(two / KEY).context()
    with pytest.raises(TlsError, match=r"cannot be read \(No such file"):
        ClientTls(tmp_path / "none").context()
