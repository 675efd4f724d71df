"""What an HTTP address of ours stands on: its socket, and uvicorn as a part of our process that we stop."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Final

import uvicorn
from fastapi import FastAPI

from controller.config_values import ConfigError
from controller.tls import ServerTls

STOP_HTTP_S: Final = 1
"""Longest wait for HTTP clients at a stop, in seconds."""


class QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers: who runs it decides when it stops."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def server_config(api: FastAPI, tls: ServerTls | None = None) -> uvicorn.Config:
    """How ``api`` is served: its lines in our log, none of requests. It stops while event streams are open.
    ``TlsError`` when it loads."""
    return uvicorn.Config(
        api,
        log_config=None,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=STOP_HTTP_S,
        ssl_context_factory=None if tls is None else lambda _config, _default: tls.context(),
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
