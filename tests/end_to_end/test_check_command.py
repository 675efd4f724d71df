"""``stud-table check`` over real ports: each thing that is wrong is named once, with its remedy, in both languages."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from controller.cli import main
from controller.deck_care import DeckPassed, change_care, digest_of
from controller.rehearsal import Play, config_for, registry_of
from controller.whole_file import write_whole
from simulators.feig_reader import DEFAULT_SETTINGS
from simulators.felt import FULL_DECK
from simulators.ports import PseudoTerminal
from simulators.rig import NINETEEN, SHOE_PORT, SimulatedTable, device_id, make_tags

pytestmark = pytest.mark.ports

SWAPPED_EN = (
    "The reader at address 2 of felt-a belongs to felt-b/1: "
    "swap the two cables back, or change the two ports in the configuration."
)
MISSING_EN = "felt-c: {} is not there: plug the device in, or correct the port (ls -l /dev/serial/by-path shows what there is)."
FOREIGN_EN = "7 of 7 tags on the felt are not of the deck SIM: take the right deck, or enrol this one with stud-table deck enrol."


class Bench:
    """A table's devices on pseudo-terminals, and its configuration on disk."""

    def __init__(self, folder: Path, broker_port: int) -> None:
        rng = random.Random(1)
        self.folder = folder
        self.tags = make_tags(rng)
        names = (SHOE_PORT, *NINETEEN)
        self.ports = {name: PseudoTerminal(folder / f"port-{name}") for name in names}
        self.devices = SimulatedTable(self.ports, tags=self.tags, rng=rng)
        self.raw: dict[str, Any] = config_for(
            Play(speed=1.0),
            ports={name: str(port.path) for name, port in self.ports.items()},
            mqtt={"host": "127.0.0.1", "port": broker_port},
        )
        for reader in self.raw["readers"]:
            reader["identities"] = {address: device_id(reader["name"], int(address)) for address in reader["antennas"]}
        self.enrolled = self.tags

    def line(self, name: str) -> dict[str, Any]:
        return next(reader for reader in self.raw["readers"] if reader["name"] == name)

    async def check(self, *options: str) -> tuple[int, str, str]:
        """Run the command in a process of its own while the devices live in this one."""
        write_whole(self.folder / "deck.toml", registry_of(self.enrolled).toml())
        passed = DeckPassed("2026-01-01T10:00:00.000Z", "Ann", "Ben", "desk", digest_of(registry_of(self.enrolled)))
        change_care(self.folder / "deck.care.json", lambda care: care.found(passed))
        (self.folder / "table.toml").write_text(tomli_w.dumps(self.raw), encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "controller.cli",
            "check",
            str(self.folder / "table.toml"),
            *options,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return process.returncode or 0, out.decode(), err.decode()


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    """Devices with current, and somebody who listens at the broker's address."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    made = Bench(folder, server.sockets[0].getsockname()[1])
    made.devices.start()
    try:
        yield made
    finally:
        made.devices.stop()
        server.close()
        await server.wait_closed()


async def test_a_table_in_order_is_well(tmp_path: Path) -> None:
    """All nineteen readers and the shoe answer, the deck on the muck is the enrolled one: exit 0, and nothing to mend."""
    async with bench(tmp_path) as table:
        for card in FULL_DECK[:5]:
            table.devices.felt.move(card, "muck", origin="packet", at=0.0)
        code, out, err = await table.check("--json")
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert (told["ok"], told["problems"]) == (True, [])
        assert len(told["devices"]) == 20
        assert told["notes"][0]["text_en"] == "5 cards of the deck SIM lie on the felt."
        settings = [table.devices.readers["felt-a"].settings(1, block) for block in DEFAULT_SETTINGS]
        assert settings == list(DEFAULT_SETTINGS.values()), "a check changes nothing"


async def test_wrong_path_swapped_reader_and_foreign_deck_are_named_with_their_remedies(tmp_path: Path) -> None:
    """One wrong path, one reader of another line, one deck that is not enrolled: exit 1, three problems, none of them twice."""
    async with bench(tmp_path) as table:
        table.line("felt-c")["port"] = str(tmp_path / "ttyUSB9")
        table.devices.readers["felt-a"].device_ids[2] = bytes.fromhex(device_id("felt-b", 1))
        table.enrolled = make_tags(random.Random(99))
        for card in FULL_DECK[:7]:
            table.devices.felt.move(card, "muck", origin="packet", at=0.0)
        code, out, err = await table.check("--json")
        assert (code, err) == (1, "")
        told = json.loads(out)
        assert told["ok"] is False
        path = tmp_path / "ttyUSB9"
        assert {problem["about"]: problem["text_en"] for problem in told["problems"]} == {
            "felt-a": SWAPPED_EN,
            "felt-c": MISSING_EN.format(path),
            "deck": FOREIGN_EN,
        }
        assert len(told["problems"]) == 3
        assert all(problem["text_fr"] != problem["text_en"] for problem in told["problems"])
        assert not any(tag in out for tag in table.tags.values())

        code, out, err = await table.check("--language", "fr")
        assert (code, err) == (1, "")
        lines = out.splitlines()
        assert lines[-4] == "Problèmes\N{NO-BREAK SPACE}: 3"
        assert lines[-3].startswith("- Le lecteur à l’adresse 2 de felt-a appartient à felt-b/1")
        assert "remettez les deux câbles à leur place" in lines[-3]
        assert "branchez l’appareil, ou corrigez le port" in lines[-2]
        assert lines[-1].startswith("- 7 des 7 puces sur le tapis ne sont pas du jeu SIM")


def test_device_ids_that_cannot_be_are_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and one sentence a problem: a device id that is expected twice, an address without antenna."""
    table = Bench(tmp_path, 1883)
    table.line("felt-b")["identities"]["1"] = device_id("felt-a", 1)
    table.line("felt-c")["identities"]["9"] = "AB"
    (tmp_path / "table.toml").write_text(tomli_w.dumps(table.raw), encoding="utf-8")
    assert main(["check", str(tmp_path / "table.toml")]) == 2
    err = capsys.readouterr().err
    assert f"the device id {device_id('felt-a', 1)} is expected 2 times" in err
    assert "felt-c.identities names address 9" in err
