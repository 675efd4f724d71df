"""``stud-table doctor``: what somebody who helps from afar wants to know of a table or a floor, in one archive (R-RULE-06).

No record of the journal goes in, no card, no tag and no key: counts and digests alone. The secrets of this machine are read to
cut them out of everything else, should a line have them.
"""

from __future__ import annotations

import io
import json
import os
import platform
import random
import re
import shutil
import ssl
import tarfile
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx

from controller.check import check_table
from controller.config import TableConfig
from controller.config_values import ConfigError
from controller.floor_config import FloorConfig
from controller.floor_serve import check_floor
from controller.http_server import console_address
from controller.journal.errors import JournalError
from controller.journal.schema import FORMAT
from controller.journal.sealing import TABLE_KEY
from controller.journal.verify import files_of, verify_chain
from controller.kernel_clock import is_synchronised
from controller.manifest import ManifestError, check_installed
from controller.serve import load_deck_care, load_registry
from controller.verify import kinds_after
from controller.words.catalogue import Language
from drivers.clock import SystemClock

CUT: Final = "(cut out)"
ASK_S: Final = 3.0
"""Longest wait for an answer of the program itself."""
LOG_BYTES: Final = 512 * 1024
"""So much of the end of a log."""
LONG_LINE: Final = 16
HASH: Final = re.compile(rb"\"(?:salt|pin|badge)\"\s*:\s*\"([^\"\\]{8,})\"")
"""What the people file keeps of a PIN or badge."""
LEAST_SECRET: Final = 4
"""Shorter contents of a secret's file are no secret, and would be found everywhere."""
SECRET: Final = re.compile(r"(?i)pass|secret|token|badge|\bpin\b|key$|private")
_RANK: Final = rb"(?:10|[2-9TJQKA])"
_SIGN: Final = rb"(?:\xe2\x99[\xa0-\xa7]|\\u266[0-7])"
_ENGLISH: Final = (
    rb"(?:ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|deuce|two|10|[2-9])"
    rb" of (?:club|diamond|heart|spade)s?"
)
_FRENCH: Final = (
    rb"(?:as|roi|dame|valet|dix|neuf|huit|sept|six|cinq|quatre|trois|deux|10|[2-9])"
    rb" de (?:tr\S{1,6}fle|carreau|c\S{1,6}ur|pique)s?"
)
CARD: Final = re.compile(
    rb"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))(?:%(rank)b[cdhsCDHS])+(?![0-9A-Za-z])|%(rank)b%(sign)b|%(sign)b%(rank)b"
    rb"|\xf0\x9f(?:\x82[\xa0-\xbf]|\x83[\x80-\xbf])|(?i:\b(?:%(english)b|%(french)b))"
    % {b"rank": _RANK, b"sign": _SIGN, b"english": _ENGLISH, b"french": _FRENCH}
)
"""A card as the program writes it, alone or several in a row, by its sign, or in words."""
TAG: Final = re.compile(rb"\"([0-9A-Fa-f]{8,20})\"")
PROSE: Final = ("check.json", "live.json", "log.txt")
"""Files of sentences, which may name cards; numbers and versions of the others may look like some."""
README: Final = """What is in this archive of stud-table, made at {at}

versions.json       the program, Python, the system, every installed package
configuration.json  the configuration as it was read; secrets and addresses' paths are cut out, files are named and not in here
check.json          what `check` finds wrong
journal.json        files, number of records by type, whether the hash chain holds; no record
live.json           what the running program answers of its health; says so where it does not run
metrics.txt         its metrics
machine.json        disk, memory, load, clock
manifest.json       whether the installed files are the release's, where a manifest is configured
log.txt             the end of the log, where --log named one

There is no card, no tag, no key, no PIN, no password and no token in it. Names of players are in the journal, and not in here;
a log may name people who gave orders. Whoever gets it can tell what is wrong with the machine, and nothing of a hand.
"""

Collected = Mapping[str, bytes]


async def examine(config: TableConfig | FloorConfig, log: Path | None = None) -> dict[str, bytes]:
    """Everything that goes into the archive, by file name. What cannot be had says why in its place."""
    live, metrics = await _ask(config)
    found: dict[str, Any] = {
        "versions.json": _versions(),
        "configuration.json": cut(config.model_dump(mode="json")),
        "check.json": await _check(config),
        "live.json": live,
        "machine.json": _machine(config.data if isinstance(config, TableConfig) else Path()),
    }
    if isinstance(config, TableConfig):
        found["journal.json"] = _journal(config.data)
        found["manifest.json"] = _manifest(config.manifest)
    texts = {name: json.dumps(value, ensure_ascii=False, indent=1, default=str).encode() for name, value in found.items()}
    texts["metrics.txt"] = metrics
    if log is not None:
        texts["log.txt"] = _end_of(log)
    secrets = tuple(secrets_of(config))
    cleaned = {name: without(text, secrets) for name, text in texts.items()}  # before cards: a password may have one in it
    cleaned |= {name: CARD.sub(b"(card)", cleaned[name]) for name in PROSE if name in cleaned}
    return {"README.txt": README.format(at=datetime.now(UTC).isoformat(timespec="seconds")).encode(), **cleaned}


def write_archive(files: Collected, out: Path) -> None:
    """Write ``files`` as a tar.gz of mode 0600. ``FileExistsError`` for one that is there, ``OSError`` when it
    cannot be written."""
    packed = io.BytesIO()
    folder = out.name.removesuffix(".gz").removesuffix(".tar").removesuffix(".tgz")
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), 0o600, int(time.time())
            archive.addfile(entry, io.BytesIO(content))
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(packed.getvalue())


def cut(value: Any, name: str = "") -> Any:
    """A configuration without what could be a secret: a value under a name of one, and of an address all but its host."""
    if isinstance(value, Mapping):
        return {key: cut(part, str(key)) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [cut(part, name) for part in value]
    if value is not None and SECRET.search(name) and not name.endswith("_file"):
        return CUT
    if isinstance(value, str) and "://" in value:
        with suppress(ValueError):
            parts = urlsplit(value)
            return f"{parts.scheme}://{parts.hostname or ''}/{CUT}"
        return CUT
    return value


def secrets_of(config: TableConfig | FloorConfig) -> Iterator[bytes]:
    """The contents of every secret file that the configuration names, as far as this user may read them."""
    named = [config.mqtt.password_file, config.mqtt.key_file] if config.mqtt is not None else []
    named.append(config.http.key_file)
    if isinstance(config, TableConfig):
        named += [*config.key_folder.glob(f"{TABLE_KEY}*"), None if config.shoe is None else config.shoe.key_file]
        yield from _tags(config.deck)
    else:
        named += [config.store.password_file, config.orders.key_file, *(hook.secret_file for hook in config.webhook)]
    for path in named:
        with suppress(OSError):
            content = b"" if path is None else path.read_bytes()
            yield from (one for one in _spelled(content, content.strip()) if len(one) >= LEAST_SECRET)
    with suppress(OSError):
        yield from HASH.findall(b"" if config.people is None else config.people.read_bytes())


def _spelled(raw: bytes, told: bytes) -> set[bytes]:
    """The ways in which a secret may stand in a text: as it is, escaped, in hexadecimal, in base64, and each long line of a PEM
    file."""
    lines = {line.strip() for line in told.splitlines() if len(line) >= LONG_LINE and not line.startswith(b"-----")}
    ways = {way for one in (raw, told) for way in (one.hex().encode(), one.hex().upper().encode())}
    ways |= {encoded(one).rstrip(b"=") for one in (raw, told) for encoded in (b64encode, urlsafe_b64encode)}
    with suppress(UnicodeDecodeError):
        text = told.decode()
        ways |= {json.dumps(text, ensure_ascii=only)[1:-1].encode() for only in (False, True)} | {quote(text, safe="").encode()}
    return {told} | ways | lines


def _tags(deck: Path) -> Iterator[bytes]:
    """Each tag of the deck as it may be written: in one, by bytes, and from its other end, as it travels."""
    with suppress(OSError):
        for tag in TAG.findall(deck.read_bytes()):
            for octets in (bytes.fromhex(tag.decode()), bytes.fromhex(tag.decode())[::-1]) if len(tag) % 2 == 0 else ():
                for told in (octets.hex(), octets.hex(" "), octets.hex(":"), octets.hex("-")):
                    yield from (told.encode(), told.upper().encode())


def without(text: bytes, secrets: Collection[bytes]) -> bytes:
    """``text`` with every one of ``secrets`` cut out."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, CUT.encode())
    return text


def _versions() -> dict[str, Any]:
    packages = sorted({f"{one.metadata['Name']} {one.version}" for one in distributions()})
    return {"python": platform.python_version(), "system": platform.platform(), "packages": packages}


async def _check(config: TableConfig | FloorConfig) -> dict[str, Any]:
    try:
        if isinstance(config, FloorConfig):
            floor = await check_floor(config)
            return {"ok": floor.ok, "problems": list(floor.problems), "newest_migration": _newest_migration()}
        registry, care = load_registry(config), load_deck_care(config)
        checked = await check_table(config, registry, care, clock=SystemClock(), rng=random.SystemRandom())
        return checked.data(Language.EN)
    except ConfigError as error:
        return {"ok": False, "problems": [str(error)]}


def _newest_migration() -> str:
    """The version to which a store that answers was brought."""
    versions = Path(__file__).parent / "floor/store/migrations/versions"
    return max((path.stem for path in versions.glob("v[0-9]*.py")), default="")


def _journal(folder: Path) -> dict[str, Any]:
    try:
        found = verify_chain(folder)
        kinds = kinds_after(folder, 0)
        files = [{"name": path.name, "bytes": path.stat().st_size} for path in files_of(folder)]
    except (JournalError, OSError) as error:
        return {"problem": str(error)}
    told = {"ok": found.ok, "first_bad": found.first_bad, "reason": found.reason}
    counts = {"records": found.events, "head": found.head.hex(), "files": files, "records_by_type": dict(sorted(kinds.items()))}
    return {"format": FORMAT, **told, **counts}


def _manifest(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {"configured": False}
    try:
        found = check_installed(path)
    except ManifestError as error:
        return {"configured": True, "ok": False, "problem": str(error)}
    return {"configured": True, "ok": True, "release": found.version, "digest": found.digest}


def _machine(folder: Path) -> dict[str, Any]:
    there = next((place for place in (folder, *folder.absolute().parents) if place.is_dir()), Path("/"))
    usage = shutil.disk_usage(there)
    memory = dict(re.findall(r"^(MemTotal|MemAvailable|SwapFree):\s+(\d+) kB", _text("/proc/meminfo"), flags=re.MULTILINE))
    return {
        "wall_clock": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "synchronised": is_synchronised(),
        "up_s": _text("/proc/uptime").partition(" ")[0],
        "load": os.getloadavg(),
        "disk": {"total": usage.total, "free": usage.free},
        "memory_kb": memory,
    }


def _text(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8")
    return ""


async def _ask(config: TableConfig | FloorConfig) -> tuple[dict[str, Any], bytes]:
    """What the program that runs answers here; its certificate may name the machine otherwise, and nothing is told to it."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    paths = ("healthz", "readyz", "api/v1/devices") if isinstance(config, TableConfig) else ("healthz", "readyz")
    base = console_address(config.http.host, config.http.port, config.http.scheme)
    live: dict[str, Any] = {}
    async with httpx.AsyncClient(base_url=base, timeout=ASK_S, verify=trust, trust_env=False) as client:
        try:
            for path in paths:
                answer = await client.get(path)
                live[path] = {"status": answer.status_code, "body": answer.json()}
            return live, (await client.get("metrics")).content
        except (httpx.HTTPError, ValueError) as error:
            return {**live, "problem": f"{base} does not answer: {type(error).__name__}"}, b"# the program does not answer\n"


def _end_of(log: Path) -> bytes:
    """Its last lines, whole ones: half a line may begin within a secret. ``OSError`` when it cannot be read."""
    with log.open("rb") as file:
        start = max(0, os.fstat(file.fileno()).st_size - LOG_BYTES)
        file.seek(start)
        return file.read() if not start else file.read().partition(b"\n")[2]
