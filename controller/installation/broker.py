"""mosquitto's files for a venue's broker, and for a table's own that bridges to it, from the configurations."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.config import load_config, read_toml
from controller.config_network import MQTT_TLS_PORT, MqttSection
from controller.config_values import ConfigError
from controller.floor_config import load_floor_config
from controller.installation.access import (
    ASKED,
    BRIDGE_STATE,
    TOLD,
    Grant,
    TableClients,
    acl_text,
    of_table,
    of_venue,
)
from controller.installation.passwords import entries_text, read_entries, with_passwords
from controller.keys.authority import AUTHORITY, REVOKED
from controller.keys.folder import CERTIFICATE, KEY
from controller.keys.identity import Kind
from controller.mqtt.topics import TableTopics
from controller.whole_file import write_whole

CONFIGURATION: Final = "mosquitto.conf"
ACL: Final = "acl"
PASSWORDS: Final = "passwords"
SECRETS: Final = "secrets"
FOLDER: Final = Path("/etc/mosquitto/stud-table")
STORE: Final = Path("/var/lib/mosquitto")
_USER: Final = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_@.-]{0,63}")
QUEUED: Final = 10_000_000
"""No limit but that in bytes. With 0, which says the same, mosquitto 2.0.11 cuts off who publishes what it may not."""
BRIDGE_CERTIFICATE: Final = "bridge-certificate.pem"
BRIDGE_KEY: Final = "bridge-key.pem"


@dataclass(frozen=True, slots=True)
class Clients:
    """Who speaks to the venue's broker."""

    venue: str
    tables: tuple[TableClients, ...]
    floors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where mosquitto finds its files, and how its clients are known: by certificates, or else by passwords."""

    folder: Path = FOLDER
    store: Path = STORE
    port: int = MQTT_TLS_PORT
    by_passwords: bool = False


@dataclass(frozen=True, slots=True)
class Venue:
    """The venue's broker, as a table's own bridges to it."""

    host: str
    port: int = MQTT_TLS_PORT


def clients_of(paths: Sequence[Path], *, by_passwords: bool = False) -> Clients:
    """Who speaks to the broker by those configurations. ``ConfigError`` when one cannot be, or they are of several venues."""
    tables: list[TableClients] = []
    floors: list[str] = []
    venues: dict[str, Path] = {}
    for path in paths:
        if "table" in read_toml(path):
            table = load_config(path)
            user = _user(path, table.mqtt) if by_passwords else ""
            seats = table.displays.seats or tuple(range(1, table.game.game("").rules.max_seats + 1))
            tables.append(TableClients(table.table.name, seats, user))
            venues.setdefault(table.table.venue, path)
        else:
            floor = load_floor_config(path)
            floors.append((_user(path, floor.mqtt) if by_passwords else "") or Kind.FLOOR.value)
            venues.setdefault(floor.venue, path)
    if len(venues) != 1:
        named = " and ".join(f"{venue} ({path})" for venue, path in venues.items())
        raise ConfigError(f"a broker is of one venue, and these are of {named or 'none'}: name the files of one")
    names = [table.name for table in tables]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"table.name: several tables are called {', '.join(doubled)}: each has its own name")
    return Clients(next(iter(venues)), tuple(tables), tuple(dict.fromkeys(floors)))


def _user(path: Path, mqtt: MqttSection | None) -> str:
    """The user that the configuration in ``path`` names, empty without one. ``ConfigError`` for what would be more than a name in
    mosquitto's files, or a file elsewhere."""
    user = (mqtt.username if mqtt is not None else None) or ""
    if user and _USER.fullmatch(user) is None:
        raise ConfigError(f"{path}: mqtt.username: {user!r} is no user of a broker: take up to 64 letters, digits, and @._-")
    return user


def venue_files(clients: Clients, setting: Setting, auditors: Sequence[str] = ()) -> dict[str, str]:
    """Configuration and access list of the venue's broker, by name; without the passwords."""
    grants = venue_grants(clients, auditors)
    return {CONFIGURATION: _configuration(setting, "The venue's broker", busy=True), ACL: acl_text(grants)}


def venue_grants(clients: Clients, auditors: Sequence[str] = ()) -> list[Grant]:
    """Everybody at the venue's broker. ``ConfigError`` where two would be one there: each could then what the other may."""
    grants = of_venue(clients.venue, clients.tables, clients.floors, tuple(dict.fromkeys(auditors)))
    users = [grant.user for grant in grants]
    if shared := sorted({user for user in users if users.count(user) > 1}):
        raise ConfigError(f"mqtt.username: several would be {', '.join(shared)} at the broker: give each table and floor its own")
    return grants


def table_files(clients: Clients, table: TableClients, setting: Setting, venue: Venue) -> dict[str, str]:
    """Configuration, access list and bridge of a table's own broker, by name; without the passwords."""
    configuration = _configuration(setting, f"Table {table.name}'s own broker", busy=False)
    return {
        CONFIGURATION: f"{configuration}\n{_bridge(clients.venue, table.name, setting, venue)}",
        ACL: acl_text(of_table(clients.venue, table)),
    }


def written(files: Mapping[str, str], grants: Sequence[Grant], out: Path, setting: Setting) -> list[str]:
    """Write the files, and the passwords where they are asked for; the names of those that changed. ``OSError``."""
    out.mkdir(parents=True, exist_ok=True)
    whole = dict(files)
    if setting.by_passwords:
        known = read_entries(_content(out / PASSWORDS))
        whole[PASSWORDS] = entries_text(with_passwords([grant.user for grant in grants], known, out / SECRETS))
    changed = [name for name, text in whole.items() if _content(out / name) != text]
    for name in changed:
        write_whole(out / name, whole[name])
    return changed


def differences(files: Mapping[str, str], grants: Sequence[Grant], out: Path, setting: Setting) -> list[str]:
    """What is otherwise there than the configurations ask for, one sentence each."""
    found = []
    for name, text in files.items():
        there = _content(out / name)
        if not there:
            found.append(f"{out / name} is not there")
        elif there != text:
            found.append(f"{out / name} is otherwise than the configurations ask for")
    if setting.by_passwords:
        known, users = read_entries(_content(out / PASSWORDS)), [grant.user for grant in grants]
        found += [f"{out / PASSWORDS} has no entry for {user}" for user in users if user not in known]
        found += [f"{out / PASSWORDS} lets {user} in, who is in no configuration" for user in known if user not in users]
    names = (*files, PASSWORDS, KEY, BRIDGE_KEY)
    found += [f"{out / name} may be read by others: take their rights away (chmod 640)" for name in names if _is_open(out / name)]
    return found


def _is_open(path: Path) -> bool:
    """Whether others than the owner's group may use it: mosquitto may read what is root's by its group."""
    return path.exists() and bool(path.stat().st_mode & stat.S_IRWXO)


def _content(path: Path) -> str:
    """What stands there; nothing when there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _configuration(setting: Setting, whose: str, *, busy: bool) -> str:
    at = setting.folder
    by_name = [f"password_file {at / PASSWORDS}"]
    by_certificate = ["require_certificate true", "use_identity_as_username true", f"crlfile {at / REVOKED}"]
    inflight = [
        "# What a thousand tables retain comes at once when a floor connects; it reads no more at once than is on its way.",
        "max_inflight_messages 256",
        "# A table that was taken away does not leave its bridge's queue for ever. (At a table's own broker this would end its",
        "# bridge after a restart: mosquitto before 2.0.16, #2634.)",
        "persistent_client_expiration 14d",
    ]
    lines = [
        f"# {whose}. Made by stud-table broker from the configurations: change those, and make it again.",
        "",
        f"listener {setting.port}",
        f"cafile {at / AUTHORITY}",
        f"certfile {at / CERTIFICATE}",
        f"keyfile {at / KEY}",
        "tls_version tlsv1.2",
        "allow_anonymous false",
        *(by_name if setting.by_passwords else by_certificate),
        f"acl_file {at / ACL}",
        "set_tcp_nodelay true",
        "message_size_limit 1048576",
        "",
        "# What is retained, and what waits for a bridge or a floor, lies on this disk; beyond the limit in bytes the newest is",
        "# dropped, and whoever misses it asks the table.",
        "persistence true",
        f"persistence_location {setting.store}/",
        f"autosave_interval {60 if busy else 10}",
        f"max_queued_messages {QUEUED}",
        "max_queued_bytes 268435456",
        *(inflight if busy else ()),
    ]
    return "\n".join(lines) + "\n"


def _bridge(venue: str, table: str, setting: Setting, to: Venue) -> str:
    root = f"{TableTopics(venue, table).root}/"
    at = setting.folder
    lines = [
        "# The bridge to the venue's broker; who it is there says its certificate.",
        f"connection stud-{venue}-{table}",
        f"address {to.host}:{to.port}",
        f"remote_clientid stud-{venue}-{table}-bridge",
        f"bridge_cafile {at / AUTHORITY}",
        f"bridge_certfile {at / BRIDGE_CERTIFICATE}",
        f"bridge_keyfile {at / BRIDGE_KEY}",
        "bridge_tls_version tlsv1.2",
        "bridge_insecure false",
        "bridge_protocol_version mqttv311",
        "cleansession false",
        "keepalive_interval 5",
        "restart_timeout 1 5",
        "try_private true",
        "bridge_outgoing_retain true",
        "notifications true",
        f"notification_topic {root}{BRIDGE_STATE}",
        *(f"topic {part} out 1 {root} {root}" for part in TOLD),
        *(f"topic {part} in 1 {root} {root}" for part in ASKED),
    ]
    return "\n".join(lines) + "\n"
