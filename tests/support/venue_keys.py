"""A venue's authority in a folder of the test, and what it issued."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from controller.keys.authority import AUTHORITY, REVOKED, Authority, make_authority, utc_now
from controller.keys.folder import CERTIFICATE, KEY, issue_folder
from controller.keys.identity import Identity, Kind, identity_of
from controller.tls import ClientTls, ServerTls

HOSTS = ("localhost", "127.0.0.1")


class VenueKeys:
    """``client`` and ``server`` are what an identity shows; each is issued when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority: Authority = make_authority(folder / "authority", "nice", now=utc_now())
        self.now = utc_now()
        self.authority_file = folder / "authority" / AUTHORITY
        self.revoked_file = folder / "authority" / REVOKED

    def issued(self, common_name: str, hosts: tuple[str, ...] = (), now: datetime | None = None, days: int = 365) -> Path:
        """The folder of that identity."""
        made = self.folder / "machines" / common_name
        if not made.exists():
            identity: Identity = identity_of(common_name)
            hosts = hosts or (HOSTS if identity.kind is Kind.FLOOR else ())
            issue_folder(self.authority, identity, hosts, self.folder / "machines", now=now or utc_now(), days=days)
        return made

    def client(self, common_name: str) -> ClientTls:
        made = self.issued(common_name)
        return ClientTls(self.authority_file, made / CERTIFICATE, made / KEY)

    def server(self, common_name: str, hosts: tuple[str, ...] = HOSTS) -> ServerTls:
        made = self.issued(common_name, hosts)
        return ServerTls(made / CERTIFICATE, made / KEY)


def long_ago() -> datetime:
    """A time at which a certificate of 30 days is over by now."""
    return utc_now() - timedelta(days=100)
