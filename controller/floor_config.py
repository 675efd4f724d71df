"""``floor.toml``: the venue, its broker, where the floor keeps its copy, and its address."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, PrivateAttr, StringConstraints, ValidationError, model_validator

from controller.config import invalid, read_toml
from controller.config_network import MqttSection, ServedSection, read_password, refused_in_production
from controller.config_values import LOOPBACK, ConfigError, FilePath, LogSection, MetricsSection, Name, Section
from controller.floor.alarms.webhook import Target
from controller.floor.store.address import StoreAddress, parse_address
from controller.tls import ClientTls

LEAST_SECRET: Final = 16
"""Characters of a webhook's secret at least."""
MAX_WEBHOOKS: Final = 8


class StoreSection(Section):
    """Where the copy is kept: a file of SQLite, or a PostgreSQL server."""

    url: str = "sqlite:///floor.sqlite3"
    password_file: FilePath | None = None
    keep_months: Annotated[int, Field(ge=1, le=1200)] | None = None
    _base: Path = PrivateAttr(default=Path())

    @model_validator(mode="after")
    def _is_address(self) -> StoreSection:
        parse_address(self.url, Path())
        return self

    def beside(self, base: Path) -> StoreSection:
        """The same with file and password file relative to ``base``."""
        file = None if self.password_file is None else base / self.password_file
        section = self.model_copy(update={"password_file": file})
        section._base = base  # noqa: SLF001 - a copy of this very section
        return section

    def is_plain(self) -> bool:
        """Whether it is a database that is reached over a network, and not certainly the right one, encrypted (libpq's
        ``verify-full``; ``verify-ca`` takes whoever has any certificate of that authority)."""
        url = parse_address(self.url, self._base)
        named = [url.host or "", *url.normalized_query.get("host", ()), *url.normalized_query.get("hostaddr", ())]
        hosts = [host for one in named for host in one.split(",") if host]
        is_near = all(host.startswith("/") or host in LOOPBACK for host in hosts) and "service" not in url.query
        return not is_near and url.query.get("sslmode") != "verify-full"

    def address(self) -> StoreAddress:
        """The address with its password; ``ConfigError`` when that cannot be read."""
        if self.password_file is None:
            return parse_address(self.url, self._base)
        return parse_address(self.url, self._base, read_password(self.password_file, "store.password_file"))


class FloorHttpSection(ServedSection):
    """The floor's HTTP address; for this machine alone where nobody signs in."""

    port: Annotated[int, Field(ge=0, le=65535)] = 8090


class OrdersSection(Section):
    """The floor's hand at its tables. The key is made at the first start; its public half, beside it, is given to each table.
    ``ca_file``: the authority of the tables' HTTPS addresses, where it is not the broker's."""

    key_file: FilePath = Path("floor.key")
    ca_file: FilePath | None = None
    plain: bool = False
    """Orders go to any table without encryption: whoever may write at the broker can then announce an own address for a table."""

    def beside(self, base: Path) -> OrdersSection:
        """The same with its files relative to ``base``."""
        authority = None if self.ca_file is None else base / self.ca_file
        return OrdersSection(key_file=base / self.key_file, ca_file=authority, plain=self.plain)


PitName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


class WebhookSection(Section):
    """Another program that is told of alarms. ``secret_file`` holds the secret that signs what it is told."""

    url: Annotated[str, StringConstraints(max_length=2048)]
    secret_file: FilePath
    priorities: Annotated[tuple[Annotated[int, Field(ge=1, le=3)], ...], Field(min_length=1, max_length=3)] = (1, 2)
    events: Annotated[tuple[Literal["called", "cleared"], ...], Field(min_length=1, max_length=2)] = ("called", "cleared")

    @model_validator(mode="after")
    def _is_address(self) -> WebhookSection:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or not _has_port(parts):
            raise ValueError("the address is none: write https://host/path, without a name or password before the host")
        return self

    def target(self) -> Target:
        """The receiver with its secret; ``ConfigError`` when that cannot be read, or is none."""
        try:
            secret = self.secret_file.read_bytes().strip()
        except OSError as error:
            raise ConfigError(
                f"webhook.secret_file: {self.secret_file} cannot be read: {error.strerror}; write the secret there"
            ) from None
        if len(secret) < LEAST_SECRET:
            raise ConfigError(
                f"webhook.secret_file: {self.secret_file} holds less than {LEAST_SECRET} characters; write a longer secret"
            )
        return Target(self.url, secret, self.priorities, self.events)


class FloorConfig(Section):
    """The whole file. Relative paths are relative to it."""

    production: bool = False
    """Every plain connection is refused, and every secret that others may read."""
    venue: Name
    mqtt: MqttSection = MqttSection()
    store: StoreSection = StoreSection()
    http: FloorHttpSection = FloorHttpSection()
    orders: OrdersSection = OrdersSection()
    pits: dict[PitName, tuple[Name, ...]] = Field(default_factory=dict, max_length=64)
    """Tables by pit, in the order of the pits on the page."""
    webhook: Annotated[tuple[WebhookSection, ...], Field(max_length=MAX_WEBHOOKS)] = ()
    metrics: MetricsSection = MetricsSection()
    log: LogSection = LogSection()
    people: FilePath | None = None
    """Who may sign in. Without it nobody signs in, and whoever reaches the address may do everything."""

    def problems(self) -> list[str]:
        """What cannot work although each value is allowed, one sentence each."""
        found = [f"pits: table {table} stands in two pits; a table is in one" for table in self._in_two_pits()]
        if self.people is None and self.http.host not in LOOPBACK:
            reason = "without people nobody signs in, and everybody there could rule"
            found.append(f"http.host {self.http.host}: {reason}; name a people file, or listen on 127.0.0.1")
        return found

    def refused(self) -> list[str]:
        """What production refuses, one sentence each; ``production`` asks for it."""
        if not self.production:
            return []
        secrets = {
            "orders.key_file": self.orders.key_file,
            "store.password_file": self.store.password_file,
            "people": self.people,
            **{f"webhook.secret_file of {urlsplit(hook.url).hostname}": hook.secret_file for hook in self.webhook},
        }
        found = refused_in_production(self.mqtt, self.http, secrets)
        if self.store.is_plain():
            found.append(
                "store.url is plain: add ?sslmode=verify-full to it, or reach the database over its socket on this machine"
            )
        hooks = [f"webhook.url of {urlsplit(hook.url).hostname}" for hook in self.webhook if urlsplit(hook.url).scheme == "http"]
        return found + [f"{hook} is plain: name an https address" for hook in hooks]

    @property
    def table_authority(self) -> ClientTls | None:
        """Whom the floor trusts to vouch for its tables' addresses; ``None``: the authorities of this machine."""
        authority = self.orders.ca_file or self.mqtt.ca_file
        return None if authority is None else ClientTls(authority)

    def _in_two_pits(self) -> list[str]:
        counted = Counter(table for tables in self.pits.values() for table in tables)
        return [table for table, count in counted.items() if count > 1]


def _has_port(parts: SplitResult) -> bool:
    """Whether its port, if it names one, is one."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def load_floor_config(path: Path) -> FloorConfig:
    """The configuration in ``path``; ``ConfigError`` says what is wrong and where, one line a problem."""
    return parse_floor_config(read_toml(path), path)


def parse_floor_config(raw: dict[str, Any], path: Path) -> FloorConfig:
    """The configuration of a parsed file; ``path`` names it in errors, and its folder is where relative paths begin."""
    try:
        config = FloorConfig.model_validate(raw)
    except ValidationError as error:
        raise invalid(error, str(path)) from None
    if problems := config.problems():
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))
    base = path.parent
    people = None if config.people is None else base / config.people
    hooks = tuple(hook.model_copy(update={"secret_file": base / hook.secret_file}) for hook in config.webhook)
    placed = {
        "webhook": hooks,
        "mqtt": config.mqtt.beside(base),
        "store": config.store.beside(base),
        "people": people,
        "orders": config.orders.beside(base),
        "http": config.http.beside(base),
    }
    whole = config.model_copy(update=placed)
    if refused := whole.refused():
        raise ConfigError("\n".join(f"{path}: production = true: {one}" for one in refused))
    return whole
