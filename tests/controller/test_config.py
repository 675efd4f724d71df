"""``table.toml``: taken as it is meant, refused with one clear line a problem."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from controller.config import ConfigError, load_config, parse_config
from controller.config_network import HttpSection
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.stakes import Stakes
from controller.hand.variants import VariantCode
from controller.rehearsal import Play, config_for
from drivers.link.serial import Parity
from simulators.rig import NINETEEN, SEVEN_SEATS_ONE_EACH, SHOE_PORT


def raw(wiring: Any = NINETEEN, **play: Any) -> dict[str, Any]:
    """A configuration that works."""
    ports = {SHOE_PORT: "/dev/shoe", **{line: f"/dev/{line}" for line in wiring}}
    return config_for(Play(**play), ports=ports, wiring=wiring, mqtt={"host": "broker", "port": 1883})


def lines_of(config: dict[str, Any]) -> list[str]:
    """The lines of the error; each names the file."""
    with pytest.raises(ConfigError) as caught:
        parse_config(config, "table.toml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("table.toml: ") for line in lines)
    assert all(len(line) < 250 for line in lines)
    assert not any("pydantic" in line or "Traceback" in line or "Value error" in line for line in lines)
    return [line.removeprefix("table.toml: ") for line in lines]


def test_the_sample_table_is_taken() -> None:
    """Game, antennas, ports and paths as written."""
    config = parse_config(raw(), "table.toml")
    game = config.game.game("SET1")
    assert (game.variant, game.stakes, game.rules.preset, game.set_id) == (
        VariantCode.STUD,
        Stakes(1, 2, 4, 8, 1),
        "seeds",
        "SET1",
    )
    assert len(config.antennas()) == 19
    assert config.shoe.settings().baud == 9600
    assert config.readers[0].settings().parity is Parity.EVEN
    assert config.key_folder == Path("data/keys")
    assert config.http.host == "127.0.0.1"


def test_a_driver_sets_its_line() -> None:
    """Baud and parity are those in which the driver's devices are delivered, unless they are given."""
    config = raw()
    config["readers"][4]["antennas"] = {"1": "muck", "2": "community"}
    config["readers"].append({"name": "desk", "port": "/dev/desk", "driver": "pn532", "antennas": {"1": "burn"}})
    config["readers"][1]["baud"] = 9600
    readers = parse_config(config, "table.toml").readers
    lines = [(reader.driver, reader.settings().baud, reader.settings().parity) for reader in readers]
    assert lines[0] == ("feig", 38400, Parity.EVEN)
    assert lines[1] == ("feig", 9600, Parity.EVEN)
    assert lines[5] == ("pn532", 115200, Parity.NONE)


def test_a_table_with_one_antenna_a_seat_is_taken() -> None:
    """When the house rules say how many seats there are."""
    config = parse_config(raw(SEVEN_SEATS_ONE_EACH, rules={"table.max_seats": "7"}), "table.toml")
    assert config.antennas().seats == (1, 2, 3, 4, 5, 6, 7)


def test_knobs_may_be_numbers_and_booleans() -> None:
    """As TOML writes them."""
    config = raw()
    config["game"]["rules"] = {"cap.max_raises": 4, "deal.ghost_cards_after_free_fold": True}
    rules = parse_config(config, "table.toml").game.game("").rules
    assert (rules.max_raises, rules.ghost_cards) == (4, True)


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Set one key, ``None`` removes it."""

    def apply(config: dict[str, Any]) -> None:
        *way, last = path.split(".")
        part: Any = config
        for name in way:
            part = part[int(name)] if name.isdigit() else part[name]
        if value is None:
            del part[last]
        else:
            part[last] = value

    return apply


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("game.preset", "wild", "game.preset: Input should be 'seeds', 'live_cash' or 'tournament' ('wild' was given)"),
        ("game.preset", None, "game.preset: is missing"),
        ("game.variant", "holdem", "game.variant: Input should be 'stud', 'stud8' or 'razz' ('holdem' was given)"),
        ("game.stakes.ante", "1", "game.stakes.ante: Input should be a valid integer ('1' was given)"),
        ("game.stakes.ante", True, "game.stakes.ante: Input should be a valid integer (True was given)"),
        ("game.colour", "red", "game.colour: is no key of the configuration; correct or remove it"),
        ("table.name", "T 1", "table.name: String should match pattern '^[A-Za-z0-9_-]{1,32}$' ('T 1' was given)"),
        ("mqtt.port", 0, "mqtt.port: Input should be greater than or equal to 1 (0 was given)"),
        ("felt.appear_hits", 4, "felt: 4 hits never fit a window of 3 scans: widen appear_window"),
        ("felt.at", {"muck": {"appear_hits": 4}}, "felt: at muck: 4 hits never fit a window of 3 scans: widen appear_window"),
        ("felt.at", {"sofa": {}}, "felt.at: there is no antenna at sofa: correct or remove it"),
        ("felt.at", {"muck": {"gone_s": 0}}, "felt.at.muck.gone_s: Input should be greater than 0 (0 was given)"),
        ("felt.at", {"muck": {"speed": 2}}, "felt.at.muck.speed: is no key of the configuration; correct or remove it"),
        ("felt.settle_s", float("inf"), "felt.settle_s: Input should be less than or equal to 60 (inf was given)"),
        ("felt.round_s", 1e9, "felt.round_s: Input should be less than or equal to 60 (1000000000.0 was given)"),
        ("felt.gone_misses", 9999, "felt.gone_misses: Input should be less than or equal to 1000 (9999 was given)"),
        ("felt.appear_hits", True, "felt.appear_hits: Input should be a valid integer (True was given)"),
        ("readers.0.baud", -1, "readers.0.baud: Input should be greater than or equal to 1 (-1 was given)"),
        ("shoe.baud", 10**12, "shoe.baud: Input should be less than or equal to 4000000 (1000000000000 was given)"),
        ("readers.1.name", "felt-a", "the file: devices have the same name: felt-a; name each one differently"),
        ("deck", None, "deck: is missing"),
        ("data", "a\0b", r"data: 'a\x00b' is no path: take the NUL character out ('a\x00b' was given)"),
        ("mqtt.password_file", "\0", r"mqtt.password_file: '\x00' is no path: take the NUL character out ('\x00' was given)"),
        ("game.stakes.ante", 10**20, f"game.stakes.ante: Input should be less than or equal to {10**12} ({10**20} was given)"),
        ("http", {"host": ""}, r"http.host: String should match pattern '^[^\s\x00]+$' ('' was given)"),
        ("readers.0.seldom", ("1",), "readers.0.seldom.0: Input should be a valid integer ('1' was given)"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(path: str, value: Any, expected: str) -> None:
    """One line: where, what is allowed, what was given."""
    config = raw()
    change(path, value)(config)
    assert lines_of(config) == [expected]


@pytest.mark.parametrize(
    ("path", "value", "part"),
    [
        ("game.rules", {"cap.raises": "3"}, "game.rules: house rule 'cap.raises' is unknown: use one of cap.max_raises"),
        ("game.rules", {"cap.max_raises": "0"}, "game.rules: cap.max_raises=0 is not allowed"),
        ("game.stakes.bring_in", 5, "game.stakes.bring_in is 5: it must be above 0 and at most the small bet 4"),
        ("readers.0.antennas.2", "seat/1/down", "readers: seat/1/down has 2 antennas: felt-a address 1, felt-a address 2"),
        ("readers.0.antennas.2", "sofa", "readers: line felt-a, address '2': 'sofa' is no place"),
        ("readers.4.antennas", {"1": "muck", "3": "community"}, "readers: no antenna at burn: add one"),
        ("readers.1.port", "/dev/felt-a", "the port /dev/felt-a has 2 devices: give each its own"),
        ("readers.1.port", "/dev/../dev//felt-a", "the port /dev/felt-a has 2 devices: give each its own"),
        ("readers.1.driver", "fieg", "readers.1: there is no driver of readers named 'fieg'; there are feig, pn532"),
        ("shoe.driver", "feig", "shoe: there is no driver of shoes named 'feig'; there are "),
        ("readers.1.driver", "pn532", "readers: felt-b: 4 antennas are too many for its driver, which takes 1 on a line"),
        ("readers.1.options", {"speed": 1}, "readers: felt-b: its driver has no option speed; it has advanced, check_settings"),
        ("shoe.driver", "angel-eye", "shoe: a shoe of driver angel-eye tells no serial number nor model: take them out"),
        ("shoe.options", {"speed": 1}, "shoe: its driver has no option speed; it has none"),
        ("shoe.port", "", "shoe.port: '' is no port: write a device's path, as /dev/serial/by-path/…, or socket://host:port"),
        ("readers.0.port", "socket://a", "readers.0.port: socket://a is no address: write socket://host:port"),
        ("readers.0.seldom", (1, 7), "readers: felt-a.seldom names address 7, which has no antenna on that line"),
        ("readers.0.seldom", (1, 1), "readers: felt-a.seldom names address 1 2 times: once is enough"),
        ("readers.0.seldom", (4, 3, 2, 1), "readers: felt-a.seldom names every antenna of that line: take one out, or a round"),
    ],
)
def test_what_cannot_work_is_named_with_the_way_out(path: str, value: Any, part: str) -> None:
    """Each value is allowed, but not together."""
    config = raw()
    change(path, value)(config)
    assert any(line.startswith(part) for line in lines_of(config)), lines_of(config)


def test_one_server_under_two_spellings_is_one_port() -> None:
    """Small and large letters of its host, and zeros before its number, do not make it another."""
    config = raw()
    config["readers"][0]["port"], config["readers"][1]["port"] = "socket://moxa:4001", "socket://MOXA:04001"
    assert lines_of(config) == ["the port socket://moxa:4001 has 2 devices: give each its own"]


def test_a_seat_without_antenna_is_refused_before_somebody_sits_there() -> None:
    """Its cards would never be dealt."""
    assert lines_of(raw(SEVEN_SEATS_ONE_EACH)) == [
        "readers: no antenna at seat/8: add one or set table.max_seats in game.rules below 8"
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"displays": {"seats": [1, 9]}}, "displays.seats.1"),
        ({"displays": {"seats": [1, 1]}}, "displays.seats: seat 1 is named twice"),
        ({"displays": {"seats": [1, 8]}}, "displays.seats: the table has no seat 8, only 1 to 7: take it out"),
        ({"displays": {"seats": [1]}, "mqtt": None}, "displays.seats: there is no broker"),
    ],
)
def test_displays_that_cannot_be_are_named(given: dict[str, Any], said: str) -> None:
    """A seat that the table has not or that is named twice, and displays that no broker reaches; others are taken."""
    table = raw(SEVEN_SEATS_ONE_EACH, rules={"table.max_seats": "7"})
    assert parse_config({**table, "displays": {"seats": [1, 7]}}, "table.toml").displays.seats == (1, 7)
    with pytest.raises(ConfigError, match=re.escape(said)):
        parse_config({**table, **given}, "table.toml")


def test_several_problems_are_told_at_once() -> None:
    """Whoever edits the file needs one round, not five."""
    config = raw()
    for path, value in (
        ("game.preset", "wild"),
        ("table.venue", ""),
        ("mqtt.port", 70000),
        ("colour", "red"),
        ("shoe.port", None),
    ):
        change(path, value)(config)
    assert len(lines_of(config)) == 5
    config = raw()
    config["game"]["rules"] = {"cap.such": "1"}
    config["game"]["stakes"] |= {"bring_in": 9, "big": 1}
    config["readers"][0]["antennas"]["2"] = "seat/2/up"
    config["readers"][2]["port"] = "/dev/shoe"
    found = lines_of(config)
    assert len(found) >= 5
    for part in ("stakes.bring_in", "stakes.big", "cap.such", "seat/2/up", "/dev/shoe"):
        assert any(part in line for line in found), part


def test_a_file_is_read_with_paths_beside_it(tmp_path: Path) -> None:
    """Data, keys, deck and password file are relative to the file; absolute ones stay."""
    file = tmp_path / "table.toml"
    file.write_text(toml(raw() | {"keys": "secret"}, login="pw.txt"), encoding="utf-8")
    config = load_config(file)
    assert (config.data, config.deck, config.keys) == (tmp_path / "data", tmp_path / "deck.toml", tmp_path / "secret")
    assert config.mqtt is not None
    assert config.mqtt.password_file == tmp_path / "pw.txt"
    assert config.key_folder == tmp_path / "secret"
    file.write_text(toml(raw() | {"data": "/var/lib/table"}), encoding="utf-8")
    assert load_config(file).data == Path("/var/lib/table")


def toml(config: dict[str, Any], login: str | None = None) -> str:
    """A configuration as a file holds it."""
    if login is not None:
        config["mqtt"]["password_file"] = login
    lines = [f'{name} = "{config[name]}"' for name in ("data", "keys", "deck") if name in config]

    def section(name: str, values: dict[str, Any], *, many: bool = False) -> None:
        lines.append(f"[[{name}]]" if many else f"[{name}]")
        nested = {key: value for key, value in values.items() if isinstance(value, dict)}
        for key, value in values.items():
            if not isinstance(value, dict):
                lines.append(f'"{key}" = {value!r}'.replace("'", '"'))
        for key, value in nested.items():
            section(f"{name}.{key}", value)

    for name in ("table", "game", "shoe", "mqtt", "http", "felt"):
        section(name, config[name])
    for reader in config["readers"]:
        section("readers", reader, many=True)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"[table", "is no TOML file"),
        (b"\xff\xfe", "is no TOML file"),
        (b"", "table: is missing"),
    ],
)
def test_a_file_that_is_none_is_told_in_one_line_or_by_its_missing_keys(content: bytes, part: str, tmp_path: Path) -> None:
    """With its name."""
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=part) as caught:
        load_config(file)
    assert all(str(file) in line for line in str(caught.value).splitlines())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """And a folder in its place."""
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read: No such file"):
        load_config(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_config(tmp_path)


@pytest.mark.parametrize("witness", ["/dev/full", "/dev", "folder"])
def test_a_witness_that_is_no_file_is_refused(witness: str, tmp_path: Path) -> None:
    """A device without an end would be read into memory, and what is written would take its place; one that is not there yet is
    made."""
    file, config = tmp_path / "table.toml", raw()
    (tmp_path / "folder").mkdir()
    file.write_text(tomli_w.dumps({**config, "witness": witness}), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"witness: .*{witness} is no file: name one on another medium"):
        load_config(file)
    file.write_text(tomli_w.dumps({**config, "witness": "witness.json"}), encoding="utf-8")
    assert load_config(file).witness == tmp_path / "witness.json"


def test_a_shoe_s_key_is_read_from_beside_the_file_and_never_shown(tmp_path: Path) -> None:
    """The pair is the named shoe's; a key without its shoe, a missing and a bad one are each one clear line."""
    config = raw()
    config["shoe"] |= {"key_file": "shoe.key", "node": "SH01"}
    (tmp_path / "table.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    loaded = load_config(tmp_path / "table.toml")
    with pytest.raises(ConfigError, match=r"shoe\.key cannot be read"):
        loaded.shoe.key()
    key = tmp_path / "shoe.key"
    key.write_text("ab" * 31, encoding="ascii")
    with pytest.raises(ConfigError, match="64 hexadecimal digits") as refused:
        loaded.shoe.key()
    assert "abab" not in str(refused.value)
    key.write_text("ab" * 32 + "\n", encoding="ascii")
    assert loaded.shoe.key() == b"\xab" * 32
    assert parse_config(raw(), "table.toml").shoe.key() is None
    del config["shoe"]["node"]
    assert lines_of(config) == ["shoe.key_file needs shoe.serial and shoe.node: the key belongs to that one shoe"]


def test_readers_are_expected_where_they_belong() -> None:
    """Each line knows its own device ids, the hardware, and where the others' belong."""
    config = raw()
    config["readers"][0] |= {"identities": {"1": "0a01"}, "hardware": "44"}
    config["readers"][1] |= {"identities": {"2": "0B02"}}
    parsed = parse_config(config, "table.toml")
    first = parsed.expected(parsed.readers[0])
    assert (first.device_ids, first.hardware) == ({1: "0A01"}, 0x44)
    assert first.elsewhere == {"0B02": "felt-b/2"}
    config["readers"][0]["identities"]["1"] = "xyz"
    assert lines_of(config)[0].startswith("readers.0.identities.1: ")


def test_an_antenna_s_own_presence_goes_before_the_table_s() -> None:
    """What it does not say is the table's; antennas without an entry have none of their own."""
    config = raw()
    config["felt"] = {
        **config.get("felt", {}),
        "gone_s": 1.5,
        "at": {"muck": {"gone_misses": 16}, "seat/3/up": {"appear_hits": 3}},
    }
    parsed = parse_config(config, "table.toml")
    table = parsed.felt.presence()
    assert parsed.presence_at() == {
        Spot.MUCK: replace(table, gone_misses=16),
        SeatPlace(3, Zone.UP): replace(table, appear_hits=3),
    }
    assert table.gone_s == 1.5


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "http://127.0.0.1:8080/"),
        ({"host": "::1", "port": 81}, "http://[::1]:81/"),
        ({"port": 0}, None),
        ({"host": "0.0.0.0"}, None),  # noqa: S104 - no address to listen on
        ({"host": "0.0.0.0", "announce": "https://t12.room.example/"}, "https://t12.room.example/"),  # noqa: S104 - the same
    ],
)
def test_the_address_that_a_table_announces(given: dict[str, Any], address: str | None) -> None:
    """Its own where one can be told, or what the configuration says."""
    assert HttpSection(**given).address == address
