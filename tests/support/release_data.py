"""What a release leaves behind, as later ones find it: journal, key, shoe, people, configurations, messages, the copy, formats.

``python -m support.release_data`` (in ``tests``) writes them for the release of now, anew until it is tagged, the last time right
before. From the tag on its commit stands beside them (``python -m release.cut``): nobody writes them again, and later releases
keep the way back to it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Final

from controller.demo_people import write_people
from controller.floor.store.address import parse_address
from controller.floor.store.rows import Batch, KeptEvent, Source
from controller.floor.store.store import open_store
from controller.formats import own_formats
from controller.installation.sheets import FloorChoice, TableChoice, floor_sheet, table_sheet
from controller.journal.verify import read_origin
from controller.mqtt.payloads import PublicEvent
from controller.mqtt.topics import ROOT
from controller.rehearsal import Play
from drivers.shoe.device_memory import ShoeMemory
from release.cut import COMMIT
from simulators.memory_broker import MemoryClient
from simulators.virtual_time import run_virtual
from support.houses import House
from support.mqtt_samples import Listener

RELEASES: Final = Path(__file__).parents[1] / "data/releases"
PLAY: Final = Play(seats={1: ("Ann", 200), 4: ("Cleo", 200), 8: ("Dan", 200)})
SEED: Final = 11
HANDS: Final = 2
VENUE: Final = "demo"
PLAY_TABLE: Final = "T1"
STORE: Final = "floor.sqlite3"
PEOPLE: Final = "people.json"
MESSAGES: Final = "messages.jsonl"
"""What the table published, a message a line: what the broker retained at the end, then its public events in order."""


def house_on(release: Path, folder: Path) -> House:
    """The table of ``release`` after its shoe and controller had no current: the same deck, another evening."""
    shutil.copytree(release / "journal", folder / "start1")
    shutil.copytree(release / "keys", folder / "keys")
    for path in (folder / "keys").iterdir():
        path.chmod(0o600)  # what version control does not keep
    memory = ShoeMemory(**json.loads((release / "shoe.json").read_text(encoding="utf-8")))
    return House(folder, PLAY, seed=SEED, memory=memory)


def is_tagged(release: Path) -> bool:
    """Whether that release is out."""
    return (release / COMMIT).exists()


def write(release: Path) -> None:
    """Two hands, and everything that is left of them."""
    if is_tagged(release):
        raise SystemExit(f"{release.name} is tagged: its data stays as it is; raise the version first")
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        house, told = House(Path(name), PLAY, seed=SEED), list[PublicEvent]()
        heard, topics = Listener((f"{ROOT}/+/+/events",)), dict[str, bytes]()

        async def story() -> None:
            tap = asyncio.create_task(MemoryClient(house.broker, "tap", heard).run())
            try:
                await house.evening(HANDS)
                assert house.app is not None
                told.extend(await house.app.public_events(1, limit=1000))
                topics.update(house.broker.retained)
            finally:
                tap.cancel()
                await house.close()

        run_virtual(story(), max_seconds=3_000)
        (release / "journal").mkdir()
        for path in sorted((Path(name) / "start1").glob("journal*.sqlite3")):
            shutil.copy(path, release / "journal" / path.name)
        shutil.copytree(Path(name) / "keys", release / "keys")
        (release / "shoe.json").write_text(json.dumps(asdict(house.devices.shoe.memory)) + "\n", encoding="utf-8")
    lines = [*topics.items(), *((topic, payload) for topic, payload, _ in heard.heard)]
    messages = [{"topic": topic, "payload": json.loads(payload)} for topic, payload in lines]
    (release / MESSAGES).write_text("".join(f"{json.dumps(one)}\n" for one in messages), encoding="utf-8")
    source = Source(PLAY_TABLE, read_origin(release / "journal").journal)
    asyncio.run(_copy(release, [KeptEvent(source, event) for event in told]))
    with tempfile.TemporaryDirectory() as name:
        write_people(Path(name) / PEOPLE)
        shutil.copy(Path(name) / PEOPLE, release / PEOPLE)
    choice = TableChoice(shoe="/dev/stud-table/T1/shoe", readers=tuple(f"/dev/stud-table/T1/{one}" for one in "ab"), tls=True)
    (release / "table.toml").write_text(table_sheet(choice), encoding="utf-8")
    (release / "floor.toml").write_text(floor_sheet(FloorChoice(tls=True)), encoding="utf-8")
    (release / "formats.json").write_text(json.dumps(own_formats().as_json(), indent=1) + "\n", encoding="utf-8")


async def _copy(release: Path, events: list[KeptEvent]) -> None:
    """The floor's copy of the public events, in one file."""
    async with open_store(parse_address(f"sqlite:///{STORE}", release), VENUE) as store:
        await store.write(Batch(tuple(events)))
    with sqlite3.connect(release / STORE) as base:
        base.execute("PRAGMA journal_mode = DELETE")
    base.close()


if __name__ == "__main__":
    write(RELEASES / version("stud-table"))
