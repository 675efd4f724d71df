"""What an HTTP address stands on: a port that is taken is named, and addresses can be typed."""

from __future__ import annotations

import pytest

from controller.config import ConfigError
from controller.http_server import console_address, listening


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
