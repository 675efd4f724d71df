"""What a support archive holds, and what it never does."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import re
import signal
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from support.table_runs import rehearsed_bodies, write_journal

from controller import doctor
from controller.access.people import Role
from controller.access.roster import change_roster
from controller.config import TableConfig, parse_config
from controller.doctor import CARD as CARDS
from controller.doctor import CUT, cut, examine, without, write_archive
from controller.floor_config import load_floor_config
from controller.journal.sealing import load_or_create_table_key
from controller.rehearsal import Play, config_for, registry_of
from controller.serve import run_table
from simulators.rig import NINETEEN, SHOE_PORT, make_tags

PASSWORD, PIN = "correct-horse-battery", "482915"
CARD = re.compile(r"(?<![0-9A-Za-z])(?:10|[2-9TJQKA])(?:[cdhsCDHS](?![0-9A-Za-z])|[♣♦♥♠])")


@pytest.fixture
def config(tmp_path: Path, free_port: Callable[[], int]) -> TableConfig:
    """A table with a password, a key, somebody with a PIN, and no devices."""
    deck = tmp_path / "deck.toml"
    deck.write_text(registry_of(make_tags(random.Random(1))).toml(), encoding="utf-8")
    (tmp_path / "password").write_text(PASSWORD + "\n", encoding="utf-8")
    load_or_create_table_key(tmp_path / "table.key", random_bytes=random.Random(2).randbytes)
    ports = {name: str(tmp_path / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(), ports=ports, data=str(tmp_path / "data"), deck=str(deck), http_port=free_port())
    raw |= {"keys": str(tmp_path), "people": str(tmp_path / "people.json")}
    raw["mqtt"] = {"port": free_port(), "username": "t1", "password_file": str(tmp_path / "password")}
    people = tmp_path / "people.json"
    change_roster(people, lambda known: known.with_person("12", "Ann", Role.FLOOR).with_pin("12", PIN), new=True)
    return parse_config(raw, "test")


def texts(out: Path) -> dict[str, str]:
    """Everything in an archive, by file name."""

    def parts() -> Iterator[tuple[str, str]]:
        with tarfile.open(out) as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                assert file is not None
                yield entry.name.rpartition("/")[2], file.read().decode()

    return dict(parts())


def texts_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """The same before it is packed."""
    return {name: content.decode() for name, content in files.items()}


def test_the_archive_of_a_stopped_table_tells_no_secret_and_no_card(config: TableConfig, tmp_path: Path) -> None:
    """With a journal of hands, a log that tells too much, and each secret's content looked for in every spelling."""
    write_journal(config.data, rehearsed_bodies(hands=1, seed=3, seats=3))
    log, key = tmp_path / "table.log", (tmp_path / "table.key").read_bytes()
    log.write_text(f"seat 3 has Ah and K♠ and 10d\nthe password is {PASSWORD}\nthe key is {key.hex()}\n", encoding="utf-8")
    out = tmp_path / "T1.tar.gz"
    write_archive(asyncio.run(examine(config, log)), out)
    assert out.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        write_archive({}, out)
    found = texts(out)
    whole = "\n".join(found.values())
    tags = set(re.findall(r"[0-9A-Fa-f]{14,}", config.deck.read_text(encoding="utf-8")))
    hashed = re.findall(r"\$argon2[^\"\\]+", config.people.read_text(encoding="utf-8"))
    assert (len(tags), len(hashed)) == (52, 1)
    for secret in (PASSWORD, PIN, key.hex(), base64.b64encode(key).decode(), *tags, *hashed):
        assert secret.lower() not in whole.lower()
    assert not {name: hits for name, text in found.items() if name != "versions.json" and (hits := CARD.findall(text))}
    assert found["log.txt"].count("(card)") == 3
    assert PASSWORD in log.read_text(encoding="utf-8")
    journal = json.loads(found["journal.json"])
    assert (journal["ok"], journal["records"]) == (True, sum(journal["records_by_type"].values()))
    assert "does not answer" in json.loads(found["live.json"])["problem"]
    assert set(re.findall(r"^(\S+\.(?:json|txt)) ", found["README.txt"], flags=re.MULTILINE)) == found.keys() - {"README.txt"}


@pytest.mark.ports
async def test_the_archive_of_a_running_table_has_its_health_and_metrics(config: TableConfig) -> None:
    """The journal is read beside its writer."""
    config = config.model_copy(update={"mqtt": None})
    running = asyncio.create_task(run_table(config))
    async with asyncio.timeout(30):
        while "healthz" not in json.loads((found := await examine(config))["live.json"]):
            await asyncio.sleep(0.1)
    os.kill(os.getpid(), signal.SIGTERM)
    await running
    assert json.loads(found["live.json"])["api/v1/devices"]["status"] == 200
    assert b'stud_table_status{status="recovering",table="T1"} 1.0' in found["metrics.txt"]
    assert json.loads(found["journal.json"])["ok"]


async def test_a_floors_archive_tells_its_store_and_no_password(tmp_path: Path, free_port: Callable[[], int]) -> None:
    """Nor what stands in a receiver's address."""
    (tmp_path / "hook.secret").write_text("sixteen-characters-and-more", encoding="utf-8")
    path = tmp_path / "floor.toml"
    hook = '[[webhook]]\nurl = "https://pager.example/hooks/T0P"\nsecret_file = "hook.secret"\n'
    path.write_text(f'venue = "nice"\n[mqtt]\nport = {free_port()}\n[http]\nport = {free_port()}\n{hook}', encoding="utf-8")
    found = await examine(load_floor_config(path))
    assert json.loads(found["check.json"])["newest_migration"]
    whole = b"\n".join(found.values())
    assert b"T0P" not in whole
    assert b"sixteen-characters" not in whole
    assert b"https://pager.example/" + CUT.encode() in whole


@pytest.mark.parametrize(
    "line",
    [
        "AsKdQh",
        '{"message": "x\\nAs"}',
        "A\\u2660",
        "A♤",
        "K♠️x",
        "♥10",
        "🂡",
        "card_As",
        "the ace of spades",
        "la dame de cœur",
        "le 10 de trèfle",
    ],
)
def test_a_card_is_found_however_it_is_written(line: str) -> None:
    """Several in a row, after an escaped line's end, by each sign, in words; what is none stays."""
    assert b"(card)" in CARDS.sub(b"(card)", line.encode())
    assert (
        CARDS.sub(b"", b"Assets of T1 at 0x0A, 10 of 52 cards, six de plus")
        == b"Assets of T1 at 0x0A, 10 of 52 cards, six de plus"
    )


def test_a_log_leaks_neither_by_its_cut_nor_by_its_escapes(
    config: TableConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password with a card's name and signs in it, in each spelling; tags of the deck, as they travel too; half a line."""
    password = 'long-As-"battery"\\é'  # noqa: S105 - a made one
    (tmp_path / "password").write_text(password, encoding="utf-8")
    (tmp_path / "table.key.next").write_bytes(bytes(range(32)))
    change_roster(config.people, lambda known: known.with_badge("12", "04A1B2C3D4"))
    kept = json.loads(config.people.read_text(encoding="utf-8"))
    tag = bytes.fromhex(re.findall(r'"([0-9A-Fa-f]{16})"', config.deck.read_text(encoding="utf-8"))[0])
    spelled = [password, json.dumps(password), json.dumps(password, ensure_ascii=False), quote(password), bytes(range(32)).hex()]
    spelled += [kept["salt"], kept["people"][0]["badge"], kept["people"][0]["pin"]]
    spelled += [tag.hex(), tag[::-1].hex(" ").upper(), base64.urlsafe_b64encode(password.encode()).decode().rstrip("=")]
    log = tmp_path / "table.log"
    lines = "".join(f"told {one}\n" for one in spelled).encode()
    end = 4096
    monkeypatch.setattr(doctor, "LOG_BYTES", end)
    log.write_bytes(b"x" * 100 + b"half-of-a-secret\n" + lines.rjust(end - 9, b"\n"))
    found = texts_of(asyncio.run(examine(config, log)))
    told = found["log.txt"].strip().splitlines()
    assert "secret" not in found["log.txt"]
    assert [line for line in told if line.replace('"', "") != f"told {CUT}"] == []
    assert len(told) == len(spelled)


def test_what_is_called_a_secret_is_cut_out() -> None:
    """At any depth; a file's name stays, since it says where to look."""
    given = {"options": {"api_token": "x1", "pin": 7, "speed": 2}, "list": [{"password": "p"}], "key_file": "/etc/k", "spin": 3}
    assert cut(given) == {
        "options": {"api_token": CUT, "pin": CUT, "speed": 2},
        "list": [{"password": CUT}],
        "key_file": "/etc/k",
        "spin": 3,
    }
    assert cut({"announce": "https://[x"}) == {"announce": CUT}
    assert without(b"a secret-longer and secret", [b"secret", b"secret-longer"]) == f"a {CUT} and {CUT}".encode()
