"""What a machine gets for its tables and floor: units that systemd accepts and rates, names by place, files with their rights."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from support.deploy_example import EXAMPLE, FLOOR, PLACES, TABLE, installed, write

from controller.config import ConfigError, TableConfig, parse_config
from controller.floor_config import FloorConfig, parse_floor_config
from controller.installation.plan import Wanted, plan
from controller.installation.sheets import TableChoice, floor_sheet, table_sheet, wiring

LOCAL = ("127.0.0.1", 8443)
UNITS = "etc/systemd/system"
ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
LEAST = 30
"""Ten times the exposure that a unit may have at most."""


def test_the_example_is_what_the_command_makes(tmp_path: Path) -> None:
    """``deploy/example`` shows what is installed; a change of one is a change of both."""
    made = installed(tmp_path)
    kept = {
        path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8") for path in EXAMPLE.rglob("*") if path.is_file()
    }
    assert kept == made.files, "run python -m support.deploy_example in tests"
    assert made.open[-1] == "systemctl daemon-reload && systemctl enable --now stud-table@T1 stud-floor"
    assert not [line for line in made.open if "--place" in line]


def test_a_table_may_ask_the_kernel_for_the_clock_and_not_set_it(tmp_path: Path) -> None:
    """Else a table in production would know nothing of its clock; and chrony tells the kernel with ``rtcsync`` alone."""
    made = installed(tmp_path)
    table, floor = (made.files[f"{UNITS}/{name}.service"].splitlines() for name in ("stud-table@", "stud-floor"))
    filters = [line.partition("=")[2] for line in table if line.startswith("SystemCallFilter=")]
    assert filters[-2:] == ["~@privileged", "adjtimex clock_adjtime"]
    assert [line for line in table if line.startswith("ProtectClock=")][-1] == "ProtectClock=no"
    assert "CapabilityBoundingSet=" in table
    assert [line for line in floor if line.startswith("ProtectClock=")][-1] == "ProtectClock=yes"
    assert "rtcsync" in made.files["etc/chrony/conf.d/stud-table.conf"].splitlines()


def analyzed(*arguments: str | Path, units: Path) -> subprocess.CompletedProcess[str]:
    """``systemd-analyze`` that sees ``units`` beside the system's."""
    path = f"{units}:/usr/lib/systemd/system"
    command = [str(ANALYZE), *map(str, arguments)]
    return subprocess.run(command, env={**os.environ, "SYSTEMD_UNIT_PATH": path}, capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_accepts_the_units_and_rates_them(tmp_path: Path) -> None:
    """No word of complaint, and an exposure of 3.0 at most; without its hardening the same unit is refused."""
    write(installed(tmp_path / "given", Wanted(program=Path(sys.executable), simulate=True)).files, tmp_path)
    units = tmp_path / UNITS
    names = sorted(path.name for path in units.glob("*.service"))
    assert len(names) == 3
    asked = [units / name.replace("@", "@T1") for name in names]
    accepted = analyzed("verify", *asked, units=units)
    assert (accepted.returncode, accepted.stderr) == (0, "")
    for name in ("stud-floor.service", "stud-simulator-T1.service", "stud-table@.service"):
        rated = analyzed("security", "--offline=true", f"--threshold={LEAST}", units / name, units=units)
        assert rated.returncode == 0, rated.stdout
    bare = units / "stud-bare.service"
    text = (units / "stud-floor.service").read_text(encoding="utf-8")
    bare.write_text(
        re.sub(r"^(Protect|Restrict|SystemCall|Capability|NoNew).*\n", "", text, flags=re.MULTILINE), encoding="utf-8"
    )
    assert analyzed("security", "--offline=true", f"--threshold={LEAST}", bare, units=units).returncode != 0


@pytest.mark.long
def test_the_program_needs_no_memory_that_is_written_and_run() -> None:
    """``MemoryDenyWriteExecute``, with what the kernel itself offers of it: everything loads, ciphers and hashes work."""
    code = """
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
    sys.exit(77)
import controller.floor_serve, controller.serve, aiosqlite, psycopg
from argon2 import PasswordHasher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from controller.hardening import keep_memory_private
AESGCM(bytes(16)).encrypt(bytes(12), b"x", None)
PasswordHasher(memory_cost=64).hash("x")
keep_memory_private()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if ended.returncode == 77:
        pytest.skip("this kernel has no PR_SET_MDWE")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_ports_are_named_by_place_and_given_to_their_table(tmp_path: Path) -> None:
    """By what udev calls the place, by its own path, or by the adapter's serial number; what nobody told is asked for."""
    sheet = table_sheet(TABLE).replace('"/dev/stud-table/T1/felt-b"', '"/dev/serial/by-path/pci-0:2:1.0-port0"')
    places = {"T1/shoe": "pci-0000:00:14.0-usb-0:2:1.0", "T1/felt-a": "serial:FT5XYZ"}
    made = installed(tmp_path, Wanted(places=places), table=sheet)
    rules = made.files["etc/udev/rules.d/70-stud-table.rules"].splitlines()
    mine = 'GROUP="stud-T1", MODE="0660", ENV{ID_MM_DEVICE_IGNORE}="1", ENV{BRLTTY_BRAILLE_DRIVER}=""'
    assert rules[-3:] == [
        f'SUBSYSTEM=="tty", ENV{{ID_PATH}}=="pci-0000:00:14.0-usb-0:2:1.0", SYMLINK+="stud-table/T1/shoe", {mine}',
        f'SUBSYSTEM=="tty", ENV{{ID_SERIAL_SHORT}}=="FT5XYZ", SYMLINK+="stud-table/T1/felt-a", {mine}',
        f'SUBSYSTEM=="tty", SYMLINK=="serial/by-path/pci-0:2:1.0-port0", SYMLINK+="stud-table/T1/felt-b", {mine}',
    ]
    assert made.open[:3] == tuple(
        f"/dev/stud-table/T1/felt-{line}: say where it is plugged in: --place T1/felt-{line}=ID_PATH" for line in "cde"
    )


def changed(**values: object) -> str:
    """The sample's table.toml with other values of its first keys."""
    text = table_sheet(TABLE)
    for key, value in values.items():
        text = re.sub(rf"^#?{key} = .*$", f'{key} = "{value}"', text, count=1, flags=re.MULTILINE)
    return text


@pytest.mark.parametrize(
    ("table", "places", "says"),
    [
        (
            changed(data="/run/user/7/T1"),
            {},
            "data: the service may not write in /run/user/7/T1: put it below /var/lib/stud-table/T1",
        ),
        (changed(deck="deck.toml"), {}, "deck: the service may not write in /etc/stud-table/T1: put it below"),
        (changed(deck="/deck.toml"), {}, "deck: the service may not write in /: put it below /var/lib/stud-table/T1, or into a"),
        (changed(deck="/var/lib/stud-table/deck.toml"), {}, "deck: the service may not write in /var/lib/stud-table: put it"),
        (changed(deck="/var/lib/deck.toml"), {}, "deck: the service may not write in /var/lib: put it"),
        (changed(witness="/srv/T1"), {}, "folder of its own, as /srv/stud-T1"),
        (changed(data="/srv/x/../../usr/lib/T1"), {}, "data: the service may not write in /usr/lib/T1: put it"),
        (changed(data="//etc/T1"), {}, "data: the service may not write in /etc/T1: put it"),
        (changed(data="/var/lib/stud-floor/T1"), {}, "/var/lib/stud-floor would be of floor alone, and T1 writes in"),
        (changed(witness="/srv/two words/w"), {}, "/srv/two words: units cannot name it"),
        (changed(name="T" * 27), {}, "no account can be called stud-TTT"),
        (changed(name="floor"), {}, "no account can be called stud-floor"),
        (changed(), {"T1/felt-z": "x"}, "--place T1/felt-z: there is no such device; there are: T1/shoe, T1/felt-a"),
        (changed(), {"T1/shoe": 'x", RUN+="y'}, "is no place: write what ID_PATH says"),
        (changed(), {"T1/shoe": "usb-*"}, "is no place: write what ID_PATH says"),
    ],
)
def test_what_cannot_be_installed_is_refused(table: str, places: Mapping[str, str], says: str, tmp_path: Path) -> None:
    """One sentence, before a file is written."""
    with pytest.raises(ConfigError) as refused:
        installed(tmp_path, Wanted(places=places), table=table)
    assert says in str(refused.value)


def test_a_table_is_named_once_and_something_is_named(tmp_path: Path) -> None:
    """Two files of one table would share its folders."""
    path = tmp_path / "table.toml"
    path.write_text(changed(), encoding="utf-8")
    with pytest.raises(ConfigError, match="two configurations are of table T1"):
        plan(Wanted(tables=(path, path)))
    with pytest.raises(ConfigError, match="nothing to install"):
        plan(Wanted())


def test_two_tables_have_no_folder_together(tmp_path: Path) -> None:
    """It would be the second one's alone, and the first one's witness could not be written."""
    paths = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for path, name in zip(paths, ("T1", "T2"), strict=True):
        sheet = table_sheet(replace(TABLE, name=name, shoe=None, readers=()))
        path.write_text(
            re.sub(r"^#?witness = .*$", f'witness = "/srv/witness/{name}"', sheet, flags=re.MULTILINE), encoding="utf-8"
        )
    with pytest.raises(
        ConfigError, match=r"/srv/witness would be of T2 alone, and T1 .*: give each a folder of its own, as /srv/wi"
    ):
        plan(Wanted(tables=tuple(paths)))


def test_a_folder_of_another_disk_is_opened_and_no_other(tmp_path: Path) -> None:
    """The unit's own folders need no word; the witness's medium gets one, in the unit and in the folders that are made."""
    made = installed(tmp_path, Wanted(places=PLACES), table=changed(witness="/srv/witness/T1"))
    drop_in = made.files[f"{UNITS}/stud-table@T1.service.d/10-configuration.conf"]
    assert drop_in.splitlines()[1:] == ["[Service]", "ReadWritePaths=/srv/witness"]
    assert "d /srv/witness 0700 stud-T1 stud-T1\n" in made.files["etc/tmpfiles.d/stud-table.conf"]


def test_simulated_devices_stand_under_the_names_of_the_table(tmp_path: Path) -> None:
    """A unit for everything around the table, whose dealer signs in; a device that cannot be simulated is named."""
    made = installed(tmp_path, Wanted(simulate=True))
    unit = made.files[f"{UNITS}/stud-simulator-T1.service"]
    pin = "/etc/stud-table/T1/rehearsal.pin"
    assert f"stud-table rehearse /etc/stud-table/T1/table.toml --number 99 --pin-file {pin}\n" in unit
    assert f"z {pin} 0600 stud-T1 stud-T1\n" in made.files["etc/tmpfiles.d/stud-table.conf"]
    assert made.open[0] == f"write {pin}, the PIN of number 99 in people"
    assert made.open[-1].endswith("--now stud-simulator-T1 stud-table@T1 stud-floor")
    opened = installed(tmp_path / "open", Wanted(simulate=True), table=table_sheet(replace(TABLE, people=False, http=LOCAL)))
    assert "rehearse /etc/stud-table/T1/table.toml\n" in opened.files[f"{UNITS}/stud-simulator-T1.service"]
    assert "DeviceAllow=char-pts rw" in made.files[f"{UNITS}/stud-table@T1.service.d/10-configuration.conf"]
    assert "etc/udev/rules.d/70-stud-table.rules" not in made.files
    sheet = table_sheet(TABLE).replace('"/dev/stud-table/T1/shoe"', '"socket://shoe.room.example:4001"')
    with pytest.raises(ConfigError, match=r"shoe: no device of driver tsp1 at socket://.* can be simulated"):
        installed(tmp_path, Wanted(simulate=True), table=sheet)
    for port in ("/dev/ttyUSB0", "/run/shoe", "/dev/stud-table/../shoe"):  # their folder would be given to the table's account
        sheet = table_sheet(TABLE).replace('"/dev/stud-table/T1/shoe"', f'"{port}"')
        with pytest.raises(ConfigError, match=rf"shoe: no device of driver tsp1 at {port} can be simulated"):
            installed(tmp_path, Wanted(simulate=True), table=sheet)


def test_staff_reaches_what_is_not_for_this_machine_alone(tmp_path: Path) -> None:
    """The firewall's example opens the broker over TLS and the pages that listen on a network."""
    rules = installed(tmp_path, Wanted(places=PLACES, staff="10.0.0.0/25")).files["etc/stud-table/firewall.nft"]
    assert "define staff = { 10.0.0.0/25 }" in rules
    assert re.findall(r"tcp dport (\d+) ip saddr", rules) == ["22", "8883", "8443"]
    rules = installed(tmp_path, Wanted(places=PLACES, staff="fd00::/8")).files["etc/stud-table/firewall.nft"]
    assert re.findall(r"(\w+) saddr \$staff", rules) == ["ip6", "ip6", "ip6"]


@pytest.mark.skipif(shutil.which("nft") is None or os.geteuid() != 0, reason="nft is not installed, or not for this user")
@pytest.mark.parametrize("staff", ["10.0.0.0/25", "fd00::/8"])
def test_nft_takes_the_firewall(tmp_path: Path, staff: str) -> None:
    """As it is; nothing of this machine is changed."""
    path = tmp_path / "firewall.nft"
    path.write_text(
        installed(tmp_path, Wanted(places=PLACES, staff=staff)).files["etc/stud-table/firewall.nft"], encoding="utf-8"
    )
    checked = subprocess.run([str(shutil.which("nft")), "-c", "-f", str(path)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_role_and_database_are_quoted_as_sql_wants_it(tmp_path: Path) -> None:
    """Without a server there is no such file; a name that would end psql's own line is refused."""
    with pytest.raises(ConfigError, match=r"store\.url: psql cannot take its user or database"):
        installed(tmp_path, floor=floor_sheet(FLOOR).replace("stud-floor@", "f%0ADROP@"))
    made = installed(tmp_path, floor=floor_sheet(FLOOR).replace("stud-floor@", "f%22x@")).files
    assert 'CREATE ROLE "f""x" LOGIN' in made["etc/stud-table/floor/postgresql.sql"]
    plain = installed(
        tmp_path, floor=floor_sheet(FLOOR).replace(FLOOR.store, "sqlite:////var/lib/stud-floor/floor.sqlite3")
    ).files
    assert "etc/stud-table/floor/postgresql.sql" not in plain


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every key of a configuration; sections of tables by their name alone."""
    for name, field in model.model_fields.items():
        found = re.search(r"controller\.[\w.]+Section", str(field.annotation))
        inner = getattr(sys.modules[found[0].rpartition(".")[0]], found[0].rpartition(".")[2]) if found else None
        if inner is None or name == "at":
            yield prefix + name
        else:
            yield from keys_of(inner, f"{prefix}{name}.")


def told(raw: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Every key of a parsed sheet."""
    for name, value in raw.items():
        one = value[0] if isinstance(value, list) and isinstance(value[0], dict) else value
        if isinstance(one, dict) and name not in ("rules", "antennas", "identities", "options", "at", "pits"):
            yield from told(one, f"{prefix}{name}.")
        else:
            yield prefix + name


@pytest.mark.parametrize(
    ("sheet", "model"), [(table_sheet(TableChoice()), TableConfig), (floor_sheet(FLOOR), FloorConfig)], ids=["table", "floor"]
)
def test_a_sheet_has_every_key(sheet: str, model: type[BaseModel]) -> None:
    """Also those that are not chosen, with an example that TOML takes; and no other key."""
    whole = tomllib.loads(re.sub(r"^#(?=[\[\w\"])", "", sheet, flags=re.MULTILINE))
    wrong = set(told(whole)) ^ set(keys_of(model))
    assert not wrong, f"{sorted(wrong)}: mend controller/installation/templates/*.sheet, then python -m support.deploy_example"


@pytest.mark.parametrize(("seats", "lines"), [(2, 1), (2, 3), (7, 2), (7, 5), (8, 3), (8, 9)])
@pytest.mark.parametrize("one", [True, False])
def test_whatever_is_chosen_loads(lines: int, seats: int, *, one: bool) -> None:
    """Every seat has its antennas, muck, burn and common card lie on the last line, and the configuration has no problem."""
    readers = tuple(f"/dev/stud-table/T1/{line}" for line in range(lines))
    choice = TableChoice(shoe="/dev/stud-table/T1/shoe", readers=readers, seats=seats, one_antenna=one)
    config = parse_config(tomllib.loads(table_sheet(choice)), "table.toml")
    assert config.game.game("").rules.max_seats == seats
    assert len(config.antennas()) == seats * (1 if one else 2) + 3
    assert list(wiring(choice)[-1].values())[-3:] == ["muck", "burn", "community"]


def test_further_lines_of_readers_stand_before_what_explains_the_next_section() -> None:
    """The words on the broker stand above the broker, however many lines of readers there are."""
    readers = tuple(f"/dev/stud-table/T1/{line}" for line in range(5))
    sheet = table_sheet(TableChoice(shoe="/dev/stud-table/T1/shoe", readers=readers))
    assert sheet.count("[[readers]]") == len(readers)
    assert "\n\n# The broker.\n[mqtt]\n" in sheet


def test_the_floors_sheet_loads() -> None:
    """With either store."""
    for choice in (FLOOR, type(FLOOR)()):
        assert parse_floor_config(tomllib.loads(floor_sheet(choice)), Path("floor.toml")).venue == "main-room"
