"""``GET /metrics``: who watches over the program, by the address that asks. No session opens it (REG-38)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from fastapi import FastAPI, Request, Response

from controller.gate.gate import NotAllowed

Network = IPv4Network | IPv6Network
HERE: Final[tuple[Network, ...]] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
"""This machine itself, which may always ask."""
TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Scrape:
    """What is told, as the text of now, and to which networks beside this machine."""

    text: Callable[[], bytes] = bytes
    allow: Sequence[Network] = field(default=())

    def admits(self, host: str) -> bool:
        """Whether the address ``host`` may ask; what is no address may not."""
        try:
            address = ip_address(host)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in (*HERE, *self.allow))


def add_metrics(api: FastAPI, scrape: Scrape) -> None:
    """Add the route. ``NotAllowed`` for an address that is not allowed."""

    @api.get("/metrics", response_class=Response, responses={200: {"content": {TEXT.partition(";")[0]: {}}}})
    async def _metrics(request: Request) -> Response:
        """What Prometheus reads: see docs/reference/metrics.md. For this machine and the addresses of `metrics.allow` alone."""
        host = "" if request.client is None else request.client.host
        if not scrape.admits(host):
            raise NotAllowed(403, "not_watching", address=host)
        return Response(scrape.text(), media_type=TEXT, headers={"Cache-Control": "no-store"})
