"""What an HTTP address stands on: a port that is taken is named, and addresses can be typed."""

from __future__ import annotations

import asyncio
import shutil
import ssl
from pathlib import Path

import pytest
from fastapi import FastAPI
from support.venue_keys import VenueKeys

from controller.config import ConfigError
from controller.http_server import QuietServer, Renewal, console_address, listening, server_config
from controller.tls import ServerTls


def test_a_port_that_is_taken_is_named() -> None:
    """With the way out; the process is not ended by the server behind our back."""
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"http: 127.0.0.1:{port} cannot be listened on \(.*\); name another port"):
            listening("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("0.0.0.0", "http://127.0.0.1:80/"),  # noqa: S104 - no address to listen on
        ("::", "http://[::1]:80/"),
    ],
)
def test_an_address_can_be_typed(host: str, address: str) -> None:
    """On this machine where every address is listened on."""
    assert console_address(host, 80) == address


async def test_a_renewed_certificate_is_shown_without_a_restart(tmp_path: Path) -> None:
    """In new handshakes; a connection that is open goes on, and half of a copied pair changes nothing."""
    venue = VenueKeys(tmp_path)
    old, new = venue.server("table-T1"), venue.server("floor")
    tls = ServerTls(tmp_path / "certificate.pem", tmp_path / "key.pem")
    shutil.copy(old.certificate, tls.certificate)
    shutil.copy(old.key, tls.key)
    config, trusted = server_config(FastAPI(), tls), ssl.create_default_context(cafile=venue.authority_file)
    with listening("127.0.0.1", 0) as listener:
        port = int(listener.getsockname()[1])
        server = QuietServer(config)
        serving = asyncio.create_task(server.serve([listener]))

        async def shown() -> tuple[str, asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusted, server_hostname="localhost")
            return str(dict(one[0] for one in writer.get_extra_info("peercert")["subject"])["commonName"]), reader, writer

        try:
            first, reader, writer = await shown()
            shutil.copy(new.certificate, tls.certificate)
            await _look(config)
            half, _, closing = await shown()
            shutil.copy(new.key, tls.key)
            await _look(config)
            second, _, other = await shown()
            assert (first, half, second) == ("table-T1", "table-T1", "floor")
            writer.write(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 404")
            for one in (writer, closing, other):
                one.close()
        finally:
            server.should_exit = True
            await serving


async def test_a_renewed_key_that_was_open_to_others_is_taken_once_it_is_not(tmp_path: Path) -> None:
    """Whoever does what the log asks for, and changes nothing but the rights, needs no restart."""
    venue = VenueKeys(tmp_path)
    old, new = venue.server("table-T1"), venue.server("floor")
    tls = ServerTls(tmp_path / "certificate.pem", tmp_path / "key.pem")
    shutil.copy(old.certificate, tls.certificate)
    shutil.copy(old.key, tls.key)
    renewal = Renewal(tls)
    renewal.context()
    shutil.copy(new.certificate, tls.certificate)
    shutil.copyfile(new.key, tls.key)
    tls.key.chmod(0o644)
    await renewal.look()
    refused = renewal._shown
    tls.key.chmod(0o600)
    await renewal.look()
    assert renewal._shown != refused


async def _look(config: object) -> None:
    """What the server does every ten seconds."""
    await config.callback_notify()  # type: ignore[attr-defined]
