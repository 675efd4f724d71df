"""The MQTT client over TLS at a real mosquitto: who is let in, who is not and why, and that nothing waits in the cipher."""

from __future__ import annotations

import asyncio
import logging
import random
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support.mqtt_samples import Listener
from support.venue_broker import venue_broker
from support.venue_keys import VenueKeys

from controller.mqtt.broker import start_broker
from controller.mqtt.client import Connection, MqttClient
from controller.tls import ClientTls

pytestmark = pytest.mark.ports
ROOT = "stud/v1/nice/T12"


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> VenueKeys:
    return VenueKeys(tmp_path_factory.mktemp("venue"))


@asynccontextmanager
async def running(port: int, tls: ClientTls | None, host: str = "localhost") -> AsyncIterator[Listener]:
    listener = Listener((f"{ROOT}/#",))
    client = MqttClient(Connection(host, port, "one", tls=tls), listener, random.Random(1))
    task = asyncio.create_task(client.run())
    try:
        yield listener
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_burst_of_messages_arrives_whole(venue: VenueKeys) -> None:
    """What TLS has deciphered waits in no socket: nothing would call the reader for it."""
    with venue_broker(venue) as port:
        async with running(port, venue.client("table-T12")) as table:
            async with asyncio.timeout(10):
                await table.connected.wait()
            assert table.link is not None
            link = table.link
            await asyncio.gather(*(link.publish(f"{ROOT}/events", b"x" * 100, retain=False, qos=1) for _ in range(60)))
            await table.until(lambda: len(table.heard) == 60)


async def said(port: int, tls: ClientTls | None, caplog: pytest.LogCaptureFixture, words: str, host: str = "localhost") -> bool:
    """Whether the client logs that within ten seconds; it must not be let in."""
    caplog.clear()
    caplog.set_level(logging.INFO, "controller.mqtt")
    async with running(port, tls, host) as listener, asyncio.timeout(10):
        while words not in caplog.text:
            assert not listener.sessions
            await asyncio.sleep(0.02)
    return not listener.sessions


async def test_who_is_not_let_in_is_told_why(venue: VenueKeys, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Plain, another authority on either side, another name, no certificate, a revoked one (REG-49)."""
    other = VenueKeys(tmp_path)
    mine, theirs = venue.client("table-T12"), other.client("table-T12")
    gone = venue.client("display-T12-seat-2")
    venue.authority.revoke("display-T12-seat-2", now=venue.now)
    with venue_broker(venue, hosts=("localhost",)) as port:
        assert await said(port, theirs, caplog, "ca_file does not vouch for its certificate")
        assert await said(port, mine, caplog, "its certificate is for another name", host="127.0.0.1")
        assert await said(port, replace(mine, certificate=None, key=None), caplog, "it asks for a certificate")
        stranger = replace(theirs, authority=mine.authority)
        assert await said(port, stranger, caplog, "it does not know the authority of our certificate")
        assert await said(port, gone, caplog, "it says that our certificate is revoked")
        assert await said(port, None, caplog, "the broker closed the connection")
        assert "Traceback" not in caplog.text


async def test_a_plain_broker_is_told_from_an_encrypted_one(
    venue: VenueKeys, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody has named the wrong port."""
    with start_broker(tmp_path) as broker:
        assert await said(broker.port, venue.client("table-T12"), caplog, "it ended the handshake: name its TLS port")


def test_another_client_is_let_in_and_out(venue: VenueKeys) -> None:
    """openssl shakes hands with the broker by our files, and by no version before 1.2."""
    tls = venue.client("table-T12")
    with venue_broker(venue) as port:
        given = ["-CAfile", str(tls.authority), "-cert", str(tls.certificate), "-key", str(tls.key), "-verify_return_error"]
        call = ["openssl", "s_client", "-connect", f"localhost:{port}", "-verify_hostname", "localhost", *given]
        for more, worked in (((), True), (("-tls1_2",), True), (("-tls1_1",), False)):
            told = subprocess.run([*call, *more], input=b"", capture_output=True, check=False)
            assert (told.returncode == 0) is worked
