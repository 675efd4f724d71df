"""The sections that say with whom a table or a floor speaks: the broker, its own HTTP address, and what production refuses."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from controller.config_values import LOOPBACK, ConfigError, FilePath, Host, Section
from controller.mqtt.client import Connection
from controller.tls import ClientTls, ServerTls, TlsError
from controller.whole_file import others_may_use

MQTT_TLS_PORT: Final = 8883
"""Where brokers listen with TLS (IANA: secure-mqtt)."""
KEYS: Final = "stud-table keys issue makes both"


class MqttSection(Section):
    """The broker. With ``ca_file`` the connection is TLS; ``cert_file`` then says who we are."""

    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    username: str | None = None
    password_file: FilePath | None = None
    ca_file: FilePath | None = None
    cert_file: FilePath | None = None
    key_file: FilePath | None = None

    @model_validator(mode="before")
    @classmethod
    def _tls_port(cls, given: object) -> object:
        return {"port": MQTT_TLS_PORT, **given} if isinstance(given, Mapping) and given.get("ca_file") else given

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        _both(self.cert_file, self.key_file)
        if self.cert_file is not None and self.ca_file is None:
            raise ValueError("cert_file needs ca_file, the venue's authority.pem: without it the connection is plain")
        return self

    def beside(self, base: Path) -> MqttSection:
        """The same with its files relative to ``base``."""
        return self.model_copy(update=_placed(self, base, "password_file", "ca_file", "cert_file", "key_file"))

    def password(self) -> str | None:
        """What the broker wants of us; ``ConfigError`` before anything is opened."""
        return None if self.password_file is None else read_password(self.password_file, "mqtt.password_file", "username and ")

    @property
    def tls(self) -> ClientTls | None:
        """How the connection is encrypted; ``None``: not at all."""
        return None if self.ca_file is None else ClientTls(self.ca_file, self.cert_file, self.key_file)

    def connection(self, client_id: str) -> Connection:
        """Where the broker is and who we are there; ``ConfigError`` when password, authority or key cannot be used."""
        try:
            if self.tls is not None:
                self.tls.context()
        except TlsError as error:
            raise ConfigError(f"mqtt: {error}") from None
        return Connection(self.host, self.port, client_id, self.username, self.password(), self.tls)


class ServedSection(Section):
    """An HTTP address of ours; with ``cert_file`` it is HTTPS."""

    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    cert_file: FilePath | None = None
    key_file: FilePath | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        _both(self.cert_file, self.key_file)
        return self

    def beside(self, base: Path) -> Self:
        """The same with its files relative to ``base``."""
        return self.model_copy(update=_placed(self, base, "cert_file", "key_file"))

    @property
    def scheme(self) -> str:
        """``https`` or ``http``."""
        return "http" if self.cert_file is None else "https"

    def tls(self) -> ServerTls | None:
        """How it is encrypted, ``None`` for not at all; ``ConfigError`` when certificate or key cannot be used."""
        if self.cert_file is None or self.key_file is None:
            return None
        tls = ServerTls(self.cert_file, self.key_file)
        try:
            tls.context()
        except TlsError as error:
            raise ConfigError(f"http: {error}") from None
        return tls


class HttpSection(ServedSection):
    """The table's HTTP address; loopback unless configured. ``announce``: where others reach it, as through a proxy."""

    announce: Annotated[str, StringConstraints(pattern=r'^https?://[^\s\x00?#@\\"<>]{1,200}$')] | None = None

    @property
    def reached_by_others(self) -> str:
        """By which key others than this machine reach it, as behind a proxy, with its value; empty where none do."""
        if self.host not in LOOPBACK:
            return f"http.host {self.host}"
        with suppress(ValueError):
            if self.announce is None or urlsplit(self.announce).hostname in LOOPBACK:
                return ""
        return f"http.announce {self.announce}"

    @property
    def address(self) -> str | None:
        """What the table's status announces: nothing while the port is not known, or of an address for every network."""
        if self.announce is not None or self.port == 0 or self.host in ("0.0.0.0", "::"):  # noqa: S104 - no address to listen on
            return self.announce
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/"


def read_password(path: Path, key: str, beside: str = "") -> str:
    """The password in the file that ``key`` names. ``ConfigError`` when there is none; ``beside`` goes out with it."""
    way_out = f"write the password there, or take out {beside}password_file"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"{key}: {path} cannot be read: {error.strerror}; {way_out}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{key}: {path} is no text in UTF-8: {way_out}") from None


def refused_in_production(mqtt: MqttSection | None, http: ServedSection, secrets: Mapping[str, Path | None]) -> list[str]:
    """Each plain connection, and each of ``secrets`` (by its key of the file) that others may read, one sentence each."""
    found: list[str] = []
    if mqtt is not None and mqtt.ca_file is None:
        found.append(f"mqtt is plain: set mqtt.ca_file to the venue's authority, with mqtt.cert_file and mqtt.key_file; {KEYS}")
    elif mqtt is not None and mqtt.cert_file is None and mqtt.password_file is None:
        found.append(f"mqtt: nothing says who we are: set mqtt.cert_file and mqtt.key_file; {KEYS}")
    if http.cert_file is None:
        found.append(f"http is plain: set http.cert_file and http.key_file; {KEYS}")
    if isinstance(http, HttpSection) and (http.announce or "").startswith("http:"):
        found.append("http.announce is plain: announce an https address")
    files = {
        "mqtt.password_file": None if mqtt is None else mqtt.password_file,
        "mqtt.key_file": None if mqtt is None else mqtt.key_file,
        "http.key_file": http.key_file,
        **secrets,
    }
    return found + [
        f"{key}: {path} may be read by others: make it its owner's alone (chmod 600)"
        for key, path in files.items()
        if path is not None and others_may_use(path)
    ]


def _both(certificate: Path | None, key: Path | None) -> None:
    if (certificate is None) != (key is None):
        raise ValueError("cert_file and key_file belong together: set both, or take both out")


def _placed(section: Section, base: Path, *names: str) -> dict[str, Any]:
    """Those of its paths that are given, relative to ``base``."""
    return {name: base / path for name in names if (path := getattr(section, name)) is not None}
