"""What an HTTP address of ours stands on: its socket, and uvicorn as a part of our process that we stop."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import uvicorn
from fastapi import FastAPI

from controller.config_values import ConfigError
from controller.tls import ServerTls, TlsError

_Stamp = tuple[tuple[int, int, int], ...]
_log = logging.getLogger("controller")

RENEWAL_S: Final = 10
"""How often it is looked whether the certificate was renewed, in seconds."""
STOP_HTTP_S: Final = 1
"""Longest wait for HTTP clients at a stop, in seconds."""


class QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers: who runs it decides when it stops."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


class Renewal:
    """The certificate of an address, looked at again: one that was renewed is shown without a restart. Open connections go on."""

    def __init__(self, tls: ServerTls) -> None:
        self._tls = tls
        self._context: ssl.SSLContext | None = None
        self._shown: _Stamp = ()
        self._refused: _Stamp = ()

    def context(self) -> ssl.SSLContext:
        """That of the server. ``TlsError``."""
        self._shown = self._stamp()
        self._context = self._tls.context()
        return self._context

    async def look(self) -> None:
        """Take the files when they are others. Those that do not belong together, as while they are copied, are waited for."""
        found = self._stamp()
        if self._context is None or not found or found in (self._shown, self._refused):
            return
        try:
            self._tls.renew(self._context)
        except TlsError as error:
            self._refused = found
            _log.warning("http: the certificate that is shown stays: %s", error)
        else:
            self._shown = found
            _log.info("http: the certificate was renewed")

    def _stamp(self) -> _Stamp:
        """What tells that the files are others, or somebody else's to read; nothing while one is missing."""
        try:
            found = [path.stat() for path in (self._tls.certificate, self._tls.key)]
        except OSError:
            return ()
        return tuple((one.st_ctime_ns, one.st_ino, one.st_size) for one in found)


def server_config(api: FastAPI, tls: ServerTls | None = None) -> uvicorn.Config:
    """How ``api`` is served: its lines in our log, none of requests. It stops while event streams are open.
    ``TlsError`` when it loads."""
    renewal = None if tls is None else Renewal(tls)
    return uvicorn.Config(
        api,
        log_config=None,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=STOP_HTTP_S,
        ssl_context_factory=None if renewal is None else lambda _config, _default: renewal.context(),
        callback_notify=None if renewal is None else renewal.look,
        timeout_notify=RENEWAL_S,
    )


def listening(host: str, port: int) -> socket.socket:
    """The socket of the address; uvicorn itself would end the process, with a fenced table's exit code. ``ConfigError``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error) if error.errno is None else os.strerror(error.errno)
        raise ConfigError(f"http: {host}:{port} cannot be listened on ({reason}); name another port") from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # its connections inherit it; else each answer waits 40 ms
    return listener


def console_address(host: str, port: int, scheme: str = "http") -> str:
    """The address for a browser: on this machine where every address is listened on."""
    named = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - no address to listen on
    return f"{scheme}://[{named}]:{port}/" if ":" in named else f"{scheme}://{named}:{port}/"
