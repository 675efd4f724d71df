"""A rehearsal takes no real deck, no port of another and no device that it cannot simulate; that it plays, shows the test of
the whole installation."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from controller.config import ConfigError, TableConfig, parse_config
from controller.deck_care import care_path, load_care
from controller.rehearsal import AT_ONCE, Play, config_for
from controller.rehearsed_table import DealerLogin, RehearsedTable, pace_of, patient, port_of, simulable, simulated_deck, trust_of
from controller.serve import load_registry
from controller.tracking.registry import generate_registry
from simulators.habits import Held, HoldChoice, Pace
from simulators.rig import NINETEEN, SHOE_PORT


def raw_of(folder: Path, **more: Any) -> dict[str, Any]:
    ports = {name: str(folder / name) for name in (SHOE_PORT, *NINETEEN)}
    return {**config_for(Play(), ports=ports, data=str(folder / "data"), deck=str(folder / "deck.toml")), **more}


def config_of(folder: Path, **more: Any) -> TableConfig:
    return parse_config(raw_of(folder, **more), "table.toml")


def test_the_wiring_is_that_of_the_configuration(tmp_path: Path) -> None:
    """Each line with its places by bus address."""
    assert simulable(config_of(tmp_path)) == NINETEEN


def test_what_cannot_be_simulated_together_is_named(tmp_path: Path) -> None:
    """A table that is dealt by hand, or has a device of another driver."""
    raw = raw_of(tmp_path)
    readers: list[Mapping[str, Any]] = raw["readers"]
    by_hand = {key: value for key, value in raw.items() if key != "shoe"}
    chips = [
        {"name": f"chip-{place}", "driver": "pn532", "port": f"/dev/{place}", "antennas": {"1": place}}
        for place in ("muck", "burn", "community")
    ]
    cases = [
        (by_hand, r"needs \[shoe\] and \[\[readers\]\]"),
        ({**raw, "readers": []}, r"needs \[shoe\] and \[\[readers\]\]"),
        ({**raw, "readers": [*readers[:4], *chips]}, "chip-muck: driver pn532 is not simulated"),
    ]
    for case, says in cases:
        with pytest.raises(ConfigError, match=says):
            simulable(parse_config(case, "table.toml"))


def test_a_deck_is_made_once_and_a_real_one_is_not_taken(tmp_path: Path) -> None:
    """Its owner's alone; the check of real cards is recorded by people, never by a rehearsal."""
    config = config_of(tmp_path)
    made = simulated_deck(config, random.Random(1))
    assert config.deck.stat().st_mode & 0o777 == 0o600
    assert simulated_deck(config, random.Random(2)).data() == made.data()
    config.deck.write_text(generate_registry(random.Random(1), deck_id="BLUE7", set_id="D1").toml(), encoding="utf-8")
    with pytest.raises(ConfigError, match="is of real cards"):
        simulated_deck(config, random.Random(1))
    assert load_registry(config).deck_id == "BLUE7"
    assert load_care(care_path(config.deck)).passed is None


def test_a_port_is_taken_from_nobody(tmp_path: Path) -> None:
    """Not from a device, nor from a simulated one that runs; the link of one that is gone is taken."""
    (tmp_path / "gone").symlink_to("/dev/pts/gone")
    assert port_of(str(tmp_path / "gone")) == tmp_path / "gone"
    (tmp_path / "device").touch()
    master, terminal = os.openpty()
    (tmp_path / "runs").symlink_to(os.ttyname(terminal))
    try:
        for path in ("device", "runs"):
            with pytest.raises(ConfigError, match="takes no port from another"):
                port_of(str(tmp_path / path))
    finally:
        os.close(master)
        os.close(terminal)
    with pytest.raises(ConfigError, match="there is no folder"):
        port_of(str(tmp_path / "none" / "shoe"))
    with pytest.raises(ConfigError, match="is no place for a simulated device"):
        port_of("socket://127.0.0.1:7")


async def test_the_dealer_signs_in_where_people_do_and_finds_the_table_where_it_announces_itself(tmp_path: Path) -> None:
    """And what the shoe remembers is kept for the next rehearsal; what is no memory is named."""
    people = {"access": "people", "people": str(tmp_path / "people.json")}
    with pytest.raises(ConfigError, match="--number and --pin-file"):
        RehearsedTable(config_of(tmp_path, **people), login=None, players=2, rng=random.Random(1))
    http = {"host": "10.0.0.7", "port": 8443, "announce": "https://t1.room.example/"}
    login = DealerLogin("99", "640918")
    table = RehearsedTable(config_of(tmp_path, **people, http=http), login=login, players=2, rng=random.Random(1))
    assert table.address == "https://t1.room.example/"
    local = config_of(tmp_path, http={"port": 8443})
    assert RehearsedTable(local, login=None, players=2, rng=random.Random(1)).address == "http://127.0.0.1:8443/"
    kept = tmp_path / "simulated-shoe.json"
    for odd in ('{"boot": "?"', '{"boot": "?"}', "[1]", "7", '{"boot": 1.5}'):
        kept.write_text(odd, encoding="utf-8")
        with pytest.raises(ConfigError, match="is no memory of a simulated shoe"):
            RehearsedTable(local, login=None, players=2, rng=random.Random(1))
    kept.write_text('{"boot": 3, "load": 2, "draw_no": 1, "remaining": 51}', encoding="utf-8")
    RehearsedTable(local, login=None, players=2, rng=random.Random(1))
    kept.unlink()
    kept.mkdir()
    with pytest.raises(ConfigError, match=r"cannot be read \(Is a directory\): give it to this user"):
        RehearsedTable(local, login=None, players=2, rng=random.Random(1))


def test_people_hurry_where_times_are_shorter_and_nobody_voids(tmp_path: Path) -> None:
    """A rehearsal in real time has people who think; two people void, and none of them is simulated."""
    assert pace_of(config_of(tmp_path, felt={"speed": 1.0})) == Pace()
    assert pace_of(config_of(tmp_path, felt={"speed": 20.0})).think_s == AT_ONCE.think_s
    assert patient(Held({}, 1000.0, misplaced=False)) is HoldChoice.WAIT
    assert patient(Held({}, 0.0, misplaced=True)) is HoldChoice.MEND


def test_an_authority_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """Before a device is plugged in; without one the system's own vouch for a table."""
    mqtt = {"host": "broker", "ca_file": str(tmp_path / "authority.pem")}
    with pytest.raises(ConfigError, match=r"mqtt: .*authority.pem cannot be read .* copy the venue's authority.pem there"):
        RehearsedTable(config_of(tmp_path, mqtt=mqtt), login=None, players=2, rng=random.Random(1))
    assert trust_of(config_of(tmp_path)) is True
