"""Everything that a machine needs around the program, as files below one folder: what ``stud-table install`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from string import Template
from typing import Final

from controller.config import ConfigError, TableConfig, parse_config, read_toml
from controller.config_values import LOOPBACK
from controller.floor.store.address import parse_address
from controller.floor_config import FloorConfig, parse_floor_config
from controller.installation.device_names import NamedPort, folder_of_simulated, rules
from controller.installation.service import ETC, FLOOR, Service, floor_service, plain, table_service

PROGRAM: Final = Path("/opt/stud-table/bin/stud-table")
"""Where the documents install the program."""
_UNITS: Final = "etc/systemd/system"
_MADE: Final = "Made by stud-table install."
_SIMULATED: Final = ("tsp1", "feig")
REHEARSER: Final = "99"
"""Number of the simulated dealer among a table's people."""
REHEARSAL_PIN: Final = "rehearsal.pin"
"""Beside the configuration: that PIN."""
_STAFF: Final = "10.0.0.0/24"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is installed: configuration files, the program, where ports are plugged in, and whether devices are simulated."""

    tables: tuple[Path, ...] = ()
    floor: Path | None = None
    program: Path = PROGRAM
    places: Mapping[str, str] = field(default_factory=dict)
    simulate: bool = False
    staff: str = _STAFF


@dataclass(frozen=True, slots=True)
class Installation:
    """Files by their path below ``/``, and what is still to be done by a person, a sentence each."""

    files: Mapping[str, str]
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that is installed."""

    service: Service
    config: TableConfig
    source: Path

    def ports(self) -> tuple[NamedPort, ...]:
        return tuple(NamedPort(self.service.name, self.service.user, dev.name, dev.port) for dev in self.config.devices)

    def pins(self) -> tuple[Path, ...]:
        """What the simulated dealer signs in with, where people do."""
        return (self.service.etc / REHEARSAL_PIN,) if self.config.access == "people" else ()

    def writes(self) -> dict[str, Path]:
        """The folders that it writes, by key. Beside the deck stands what is known of its care."""
        place, config = self.service.place, self.config
        data = place(config.data)
        found = {"data": data, "keys": data if config.keys is None else place(config.keys), "deck": place(config.deck).parent}
        return found if config.witness is None else {**found, "witness": place(config.witness).parent}


def plan(wanted: Wanted) -> Installation:
    """The files for ``wanted``; ``ConfigError`` says what cannot be installed so."""
    tables = tuple(_table(path) for path in wanted.tables)
    names = [table.service.name for table in tables]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"two configurations are of table {twice[0]}: name each table once")
    floor = None if wanted.floor is None else _floor(wanted.floor)
    services = (*(table.service for table in tables), *(() if floor is None else (floor[0],)))
    if not services:
        raise ConfigError("nothing to install: name a table with --table TABLE.toml, or the floor with --floor FLOOR.toml")
    files: dict[str, str] = {}
    for table in tables:
        files |= _table_files(table, wanted)
    if floor is not None:
        files |= _floor_files(*floor, wanted)
    named, missing = rules(tuple(port for table in tables for port in table.ports()), {} if wanted.simulate else wanted.places)
    if tables and not wanted.simulate:
        files["etc/udev/rules.d/70-stud-table.rules"] = named
        files["etc/modules-load.d/stud-table.conf"] = _template("modules.conf")
    files["etc/sysusers.d/stud-table.conf"] = _accounts(services)
    files["etc/tmpfiles.d/stud-table.conf"] = _folders(services, tables, floor, wanted)
    files["etc/chrony/conf.d/stud-table.conf"] = _template("chrony.conf")
    files["etc/systemd/journald.conf.d/stud-table.conf"] = _template("journald.conf")
    files["etc/stud-table/firewall.nft"] = _firewall(tables, floor, wanted.staff)
    pins = [path for table in tables if wanted.simulate for path in table.pins()]
    asked = [f"write {path}, the PIN of number {REHEARSER} in people" for path in pins] if wanted.simulate else missing
    simulators = [Path(name).stem for name in sorted(files) if "/stud-simulator-" in name]
    return Installation(dict(sorted(files.items())), tuple(_left(services, asked, simulators)))


def _table(path: Path) -> _Table:
    raw = read_toml(path)
    config = parse_config(raw, str(path))
    return _Table(table_service(config.table.name, raw), config, path)


def _floor(path: Path) -> tuple[Service, FloorConfig, Path]:
    raw = read_toml(path)
    return floor_service(raw), parse_floor_config(raw, ETC / FLOOR / "floor.toml"), path


def _table_files(table: _Table, wanted: Wanted) -> dict[str, str]:
    name = table.service.name
    files = {
        f"{_UNITS}/stud-table@.service": _unit("table.service", program=str(wanted.program)),
        f"etc/stud-table/{name}/table.toml": table.source.read_text(encoding="utf-8"),
    }
    lines = [f"ReadWritePaths={folder}" for folder in table.service.outside(table.writes())]
    lines += ["DeviceAllow=char-pts rw"] if wanted.simulate else []
    if lines:
        files[f"{_UNITS}/stud-table@{name}.service.d/10-configuration.conf"] = _drop_in(name, lines)
    if wanted.simulate:
        path, unit = _simulator(table, wanted)
        files[path] = unit
    return files


def _simulator(table: _Table, wanted: Wanted) -> tuple[str, str]:
    """The unit of everything that stands around the table, under the names that its configuration gives; people sign in, so does
    who deals there."""
    name, user, config = table.service.name, table.service.user, table.config
    devices = [] if config.shoe is None else [(config.shoe.name, config.shoe.driver, config.shoe.port)]
    devices += [(line.name, line.driver, line.port) for line in config.readers]
    for device, driver, port in devices:
        if driver not in _SIMULATED or folder_of_simulated(port) is None:
            raise ConfigError(
                f"{table.source}: {device}: no device of driver {driver} at {port} can be simulated: write a path as "
                f"/dev/stud-table/{name}/{device}, and a driver of {' or '.join(_SIMULATED)}"
            )
        plain(Path(port))
    login = "" if config.access == "open" else f" --number {REHEARSER} --pin-file {table.service.etc / REHEARSAL_PIN}"
    unit = _unit("simulator.service", table=name, user=user, program=str(wanted.program), login=login)
    return f"{_UNITS}/stud-simulator-{name}.service", unit


def _floor_files(service: Service, config: FloorConfig, source: Path, wanted: Wanted) -> dict[str, str]:
    files = {
        f"{_UNITS}/stud-floor.service": _unit("floor.service", program=str(wanted.program)),
        "etc/stud-table/floor/floor.toml": source.read_text(encoding="utf-8"),
    }
    outside = service.outside(_floor_writes(config))
    if outside:
        lines = [f"ReadWritePaths={folder}" for folder in outside]
        files[f"{_UNITS}/stud-floor.service.d/10-configuration.conf"] = _drop_in(FLOOR, lines)
    role, database = _database(config)
    if database:
        files["etc/stud-table/floor/postgresql.sql"] = _template("postgresql.sql", role=role, database=database)
    return files


def _floor_writes(config: FloorConfig) -> dict[str, Path]:
    """The folders that the floor writes, by key."""
    found = {"orders.key_file": config.orders.key_file.parent}
    if config.store.url.startswith("sqlite"):
        found["store.url"] = Path(str(parse_address(config.store.url, ETC / FLOOR).database)).parent
    return found


def _database(config: FloorConfig) -> tuple[str, str]:
    """Role and database at a PostgreSQL server, as SQL quotes them; both empty without one."""
    if config.store.url.startswith("sqlite"):
        return "", ""
    url = parse_address(config.store.url, Path())
    role, database = url.username or f"stud-{FLOOR}", str(url.database)
    if not (role + database).isprintable():
        raise ConfigError("store.url: psql cannot take its user or database: name them by characters that can be printed")
    return role.replace('"', '""'), database.replace('"', '""')


def _unit(template: str, **values: str) -> str:
    return _template(template, hardening=_template("hardening"), **values)


def _template(name: str, **values: str) -> str:
    """A file of ``templates`` with its names filled in; one that needs a value and gets none is our own fault."""
    text = resources.files("controller.installation").joinpath("templates", name).read_text(encoding="utf-8")
    return Template(text).substitute(values) if values or name.endswith(".nft") else text


def _drop_in(name: str, lines: Sequence[str]) -> str:
    head = f"# What the configuration of {name} needs beyond its own folders. {_MADE}\n[Service]\n"
    return head + "".join(f"{line}\n" for line in lines)


def _accounts(services: Sequence[Service]) -> str:
    lines = [f'u {one.user} - "stud-table {one.name}" {one.state[0]}\n' for one in services]
    return f"# Accounts of the services, which nobody signs in to. {_MADE}\n" + "".join(lines)


def _folders(
    services: Sequence[Service], tables: Sequence[_Table], floor: tuple[Service, FloorConfig, Path] | None, wanted: Wanted
) -> str:
    """Folders and rights: the configuration can be read and not written by its service, secrets by nobody else."""
    lines = [f"# Folders and rights, set at each start of the machine. {_MADE}", f"d {ETC} 0755 root root"]
    opened: dict[str, tuple[Path, ...]] = {one.service.name: one.service.outside(one.writes()) for one in tables}
    if floor is not None:
        opened[FLOOR] = floor[0].outside(_floor_writes(floor[1]))
    _check_apart([(one.name, folder) for one in services for folder in (*one.state, *opened[one.name])])
    for one in services:
        mine = f"{one.user} {one.user}"
        lines.append(f"d {one.etc} 0750 root {one.user}")
        lines.append(f"z {one.etc / one.file} 0640 root {one.user}")
        lines += [f"d {folder} 0700 {mine}" for folder in (*one.state, *opened[one.name])]
        lines += [f"z {path} 0600 {mine}" for path in one.secrets() if path.is_relative_to(one.etc)]
        lines += [f"z {path} 0644 root root" for path in one.readable()]
        beside = {path.parent for path in (*one.secrets(), *one.readable()) if path.is_relative_to(one.etc)} - {one.etc}
        lines += [f"d {folder} 0750 root {one.user}" for folder in sorted(beside)]
    if wanted.simulate:
        folders = {(folder_of_simulated(port.port), port.group) for table in tables for port in table.ports()}
        lines += [f"d {folder} 0755 {user} {user}" for folder, user in sorted(folders, key=str)]
        lines += [f"z {path} 0600 {one.service.user} {one.service.user}" for one in tables for path in one.pins()]
    return "".join(f"{line}\n" for line in lines)


def _check_apart(given: Sequence[tuple[str, Path]]) -> None:
    """``ConfigError`` where a folder would be one service's, and another's too, or around it: the other could not enter it."""
    for name, folder in given:
        for other, around in given:
            if name != other and folder.is_relative_to(around):
                reason = f"{around} would be of {other} alone, and {name} writes in {folder}"
                raise ConfigError(f"{reason}: give each a folder of its own, as {around / name}")


def _firewall(tables: Sequence[_Table], floor: tuple[Service, FloorConfig, Path] | None, staff: str) -> str:
    """What staff's network may reach: the addresses that are not for this machine alone, and the venue's broker."""
    served = [(table.config.http.host, table.config.http.port, f"console of {table.service.name}") for table in tables]
    served += [] if floor is None else [(floor[1].http.host, floor[1].http.port, "the floor's pages")]
    open_ports = [(8883, "broker, over TLS"), *((port, what) for host, port, what in served if host not in LOOPBACK)]
    family = "ip6" if ":" in staff else "ip"
    lines = [f'\t\ttcp dport {port} {family} saddr $staff accept comment "{what}"' for port, what in open_ports]
    return _template("firewall.nft", family=family, staff=staff, ports="\n".join(lines))


def _left(services: Sequence[Service], missing: Sequence[str], simulators: Sequence[str]) -> Iterator[str]:
    """What a person has to do: secrets that are to be written, places that are to be told, and the commands in their order."""
    yield from missing
    for one in services:
        mine = [path for path in one.secrets() if path.is_relative_to(one.etc)]
        yield from (f"write {path}, where it is not there yet" for path in mine)
    yield "copy the folder etc over /etc, as root; look at each file before: it is yours from then on"
    yield "systemd-sysusers && systemd-tmpfiles --create; udevadm control --reload && udevadm trigger -s tty"
    units = [f"stud-table@{one.name}" if one.name != FLOOR else "stud-floor" for one in services]
    yield f"systemctl daemon-reload && systemctl enable --now {' '.join((*simulators, *units))}"
