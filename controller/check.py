"""``stud-table check``: whether a table could be played on now, and for each thing that is wrong, how to mend it.

Devices are asked who they are, without changing a setting; each port is opened once or twice and given back. Nothing that is
told names a tag, or a card that lies on the felt.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.access.floor_key import public_problem
from controller.access.roster import roster_problem
from controller.certificates import SOON, certificates_of, expires_at
from controller.config import ConfigError, PortSection, ReaderSection, ShoeSection, TableConfig
from controller.deck_care import DeckCare, digest_of
from controller.journal.sealing import TABLE_KEY
from controller.kernel_clock import is_synchronised
from controller.table.machine import IsSynchronised
from controller.tls import TlsError, why_failed
from controller.tracking.life import wear_signs
from controller.tracking.registry import DeckRegistry
from controller.whole_file import others_may_use
from controller.words.catalogue import Language, text
from drivers.clock import Clock
from drivers.feig.frames import ANY_ADDRESS
from drivers.feig.identity import Expected
from drivers.feig.probe import ReaderFound, ask_readers, find_line, line_settings
from drivers.link.base import Link, NoPort, Opener, PortBusy
from drivers.link.serial import SOCKET_PREFIX, SerialSettings, opener_for
from drivers.link.visit import visit
from drivers.ports import DriverError, Trouble
from drivers.registry import DEFAULT_READER, DEFAULT_SHOE
from drivers.shoe.authentication import Pair
from drivers.shoe.pairing import Paired
from drivers.shoe.probe import ShoeAnswer, ask_shoe
from drivers.shoe.trust import lock_trouble

LEAST_FREE_MB: Final = 500
"""Room that a journal's disk must have: years of hands, and the disk is seldom the table's alone."""
BROKER_S: Final = 3.0
"""Longest wait for the broker to answer."""
MEGABYTE: Final = 1 << 20

OpenerOf = Callable[[str, SerialSettings], Opener]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or worth knowing: what it is about, its code, and the values of its text."""

    about: str
    code: str
    values: Mapping[str, str | int]

    def words(self, language: Language) -> str:
        """The sentence with its remedy."""
        return text(self.code, language, **self.values)

    def data(self, language: Language) -> dict[str, str]:
        """As JSON tells it; both languages stand beside the chosen one."""
        return {
            "about": self.about,
            "code": self.code,
            "text": self.words(language),
            "text_en": self.words(Language.EN),
            "text_fr": self.words(Language.FR),
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: ``problems`` to mend, ``notes`` to know, and the devices that answered."""

    problems: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    devices: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.problems

    def data(self, language: Language) -> dict[str, Any]:
        """As JSON tells it."""
        return {
            "ok": self.ok,
            "problems": [problem.data(language) for problem in self.problems],
            "notes": [note.data(language) for note in self.notes],
            "devices": dict(self.devices),
        }


async def check_table(
    config: TableConfig,
    registry: DeckRegistry,
    care: DeckCare | None,
    *,
    clock: Clock,
    rng: random.Random,
    opener: OpenerOf = opener_for,
    synchronised: IsSynchronised = is_synchronised,
) -> Checked:
    """Look at devices, deck, broker, disk and keys of ``config``. ``care``: what is known of the deck beside its tags;
    ``synchronised`` is asked whether something keeps the machine's clock."""
    found = await _Ports(config, clock, rng, opener).look()
    deck = _deck(registry, {tag for port in found for tag in port.tags}, has_looked=any(port.has_looked for port in found))
    problems = [problem for port in found for problem in port.problems]
    notes = [note for port in found for note in port.notes]
    (problems if deck.code == "check.deck_foreign" else notes).append(deck)
    if care is not None:
        problems += _care(config, registry, care)
        signs = wear_signs(care.card_hands(), care.wear, config.deck_care.life_hands)
        notes += [Finding("deck", sign.code, sign.values) for sign in signs]
    if config.audit is None:
        notes.append(Finding("audit", "check.no_audit_keys", {}))
    if config.watches_clock and synchronised() is False:
        notes.append(Finding("clock", "check.clock_untrusted", {}))
    ends = certificates_of(None if config.mqtt is None else config.mqtt.cert_file, config.http.cert_file)
    notes += _ending(ends, clock.wall())
    problems += [*await _broker(config), *_disk(config.data), *_secrets(config)]
    answered = {name: said for port in found for name, said in port.answered.items()}
    return Checked(tuple(problems), tuple(notes), answered)


@dataclass(slots=True)
class _Found:
    """What one port told: what is wrong there, who answered, and the tags that lie there."""

    problems: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list, repr=False)
    has_looked: bool = False
    """A reader said what lies on its antenna."""

    def tell(self, about: str, code: str, **values: str | int) -> None:
        self.problems.append(Finding(about, code, values))

    def trouble(self, about: str, trouble: Trouble) -> None:
        self.problems.append(Finding(about, f"device.{trouble.code}", trouble.values))

    def refused(self, name: str, port: str, error: DriverError) -> None:
        if isinstance(error, PortBusy):
            code = "device.port_busy"
        elif isinstance(error, NoPort):
            code = "device.port_none"
        elif not port.startswith(SOCKET_PREFIX) and not Path(port).exists():
            code = "device.port_missing"
        else:
            code = "device.port_refused"
        self.tell(name, code, name=name, port=port)


class _Deaf:
    """A sink that hears nothing."""

    def link_opened(self, link: Link) -> None:
        pass

    def data_received(self, data: bytes) -> None:
        pass

    def link_lost(self, reason: str) -> None:
        pass


class _Ports:
    """Asks each port's device who it is; where nothing fitting answers, whether a device of the other kind does."""

    def __init__(self, config: TableConfig, clock: Clock, rng: random.Random, opener: OpenerOf) -> None:
        self._config = config
        self._clock = clock
        self._rng = rng
        self._opener = opener

    async def look(self) -> list[_Found]:
        """Ask them all at the same time, each at its port; the shoe's comes first, then the lines' in their order."""
        config = self._config
        shoe = () if config.shoe is None else (self._shoe(config.shoe),)
        return list(await asyncio.gather(*shoe, *(self._line(line) for line in config.readers)))

    async def _shoe(self, shoe: ShoeSection) -> _Found:
        found = _Found()
        if shoe.driver != DEFAULT_SHOE:
            return await self._open_only(shoe.name, shoe, shoe.driver)
        key = shoe.key()
        pair = None if key is None else Pair(key, shoe.node or "", shoe.serial or "")
        try:
            answer = await ask_shoe(self._opener(shoe.port, shoe.settings()), self._rng, pair=pair)
        except DriverError as error:
            found.refused(shoe.name, shoe.port, error)
            return found
        if answer.hello is None:
            found.tell(shoe.name, await self._why_no_shoe(shoe, answer), name=shoe.name, port=shoe.port)
            return found
        found.answered[shoe.name] = f"{answer.hello.model} {answer.hello.firmware}, {answer.hello.serial}"
        stranger = Paired(shoe.serial, shoe.model, shoe.node).judge(shoe.name, answer.node, answer.hello)
        for trouble in (stranger, lock_trouble(shoe.name, answer.hello, has_key=key is not None)):
            if trouble is not None:
                found.trouble(shoe.name, trouble)
        if answer.beat is not None and answer.beat.errors:
            found.tell(shoe.name, "device.shoe_fault", name=shoe.name, errors=", ".join(answer.beat.errors))
        return found

    async def _why_no_shoe(self, shoe: ShoeSection, answer: ShoeAnswer) -> str:
        anybody = ReaderSection(name=shoe.name, port=shoe.port, antennas={})
        with suppress(DriverError):
            if any((await self._ask(anybody, (ANY_ADDRESS,))).values()):
                return "device.shoe_is_reader"
        return "device.shoe_garbled" if answer.bytes_in else "device.shoe_silent"

    async def _line(self, line: ReaderSection) -> _Found:
        found = _Found()
        if line.driver != DEFAULT_READER or line.multiplexer is not None:
            return await self._open_only(line.name, line, line.driver)
        try:
            readers = await self._ask(line, tuple(map(int, line.antennas)))
        except DriverError as error:
            found.refused(line.name, line.port, error)
            return found
        if any(readers.values()):
            expected = self._config.expected(line)
            for address, reader in readers.items():
                elsewhere = None if reader is not None else await self._elsewhere(line, address)
                if elsewhere is not None:
                    found.tell(line.name, "device.reader_speed", name=line.name, address=address, found=str(elsewhere))
                else:
                    _reader(found, line, expected, address, reader)
            return found
        if await self._is_shoe(line):
            found.tell(line.name, "device.line_is_shoe", name=line.name, port=line.port)
        elif (elsewhere := await self._elsewhere(line)) is not None:
            found.tell(line.name, "device.line_speed", name=line.name, found=str(elsewhere))
        else:
            found.tell(line.name, "device.line_silent", name=line.name, port=line.port)
        return found

    async def _elsewhere(self, line: ReaderSection, address: int = ANY_ADDRESS) -> SerialSettings | None:
        """How the line must be set to have an answer; a network line is set at its other end."""
        if line.port.startswith(SOCKET_PREFIX):
            return None
        return await find_line(partial(self._opener, line.port), self._clock, address, without=line.settings())

    async def _open_only(self, name: str, port: PortSection, driver: str) -> _Found:
        """A device whose protocol is asked nothing here: its port can be opened, or not."""
        found = _Found()
        try:
            async with visit(self._opener(port.port, port.settings()), _Deaf()):
                found.notes.append(Finding(name, "check.port_opens", {"name": name, "port": port.port, "driver": driver}))
        except DriverError as error:
            found.refused(name, port.port, error)
        return found

    async def _is_shoe(self, line: ReaderSection) -> bool:
        try:
            answer = await ask_shoe(self._opener(line.port, SerialSettings()), self._rng)
        except DriverError:
            return False
        return answer.hello is not None or answer.unasked > 0

    async def _ask(self, line: ReaderSection, addresses: tuple[int, ...]) -> dict[int, ReaderFound | None]:
        settings = line.settings()
        return await ask_readers(self._opener(line.port, settings), addresses, self._clock, line_settings(settings))


def _reader(found: _Found, line: ReaderSection, expected: Expected, address: int, reader: ReaderFound | None) -> None:
    """What one reader of a line that answers told."""
    if reader is None:
        found.tell(line.name, "device.reader_silent", name=line.name, port=line.port, address=address)
        return
    found.answered[f"{line.name}/{address}"] = _reader_words(reader)
    stranger = expected.judge(line.name, address, reader.version.hardware, reader.device_id)
    if stranger is not None:
        found.trouble(line.name, stranger)
    if reader.tags is None:
        found.tell(line.name, "device.inventory_failed", name=line.name, address=address)
    else:
        found.has_looked = True
        found.tags += reader.tags


def _reader_words(reader: ReaderFound) -> str:
    version = reader.version
    said = f"software {version.software >> 8}.{version.software & 0xFF:02d}, hardware {version.hardware:02X}"
    return said if reader.device_id is None else f"{said}, device id {reader.device_id}"


def _deck(registry: DeckRegistry, tags: AbstractSet[str], *, has_looked: bool) -> Finding:
    """Whether what lies on the felt is the deck; numbers alone, never a tag or a card."""
    foreign = sum(tag not in registry for tag in tags)
    if foreign:
        return Finding("deck", "check.deck_foreign", {"count": foreign, "all": len(tags), "deck": registry.deck_id})
    if tags:
        return Finding("deck", "check.deck_seen", {"count": len(tags), "deck": registry.deck_id})
    return Finding("deck", "check.deck_not_seen" if has_looked else "check.deck_no_reader", {})


def _care(config: TableConfig, registry: DeckRegistry, care: DeckCare) -> Iterator[Finding]:
    """What keeps the deck from being played: its quarantine or one of a card, and a missing check (R-DECK-01, REG-41)."""
    deck = registry.deck_id
    if (mark := care.quarantine) is not None:
        yield Finding("deck", "check.deck_quarantined", {"deck": deck, "since": mark.at, "by": mark.by, "reason": mark.reason})
    for card, mark in care.cards.items():
        values = {"deck": deck, "card": card.text, "since": mark.at, "by": mark.by, "reason": mark.reason}
        yield Finding("deck", "check.card_quarantined", values)
    is_checked = care.passed is not None and care.passed.digest == digest_of(registry)
    if config.needs_deck_check and not is_checked:
        yield Finding("deck", "check.deck_not_checked", {"deck": deck, "file": str(config.deck)})


async def _broker(config: TableConfig) -> list[Finding]:
    """Whether somebody listens at the broker's address."""
    if config.mqtt is None:
        return []
    try:
        context = None if config.mqtt.tls is None else config.mqtt.tls.context()
        async with asyncio.timeout(BROKER_S):
            _, writer = await asyncio.open_connection(config.mqtt.host, config.mqtt.port, ssl=context)
    except TlsError as error:
        return [Finding("mqtt", "check.tls", {"problem": str(error)})]
    except OSError as error:
        if why := why_failed(error):
            return [Finding("mqtt", "check.tls", {"problem": f"{config.mqtt.host}:{config.mqtt.port}: {why}"})]
        return [Finding("mqtt", "check.broker", {"host": config.mqtt.host, "port": config.mqtt.port})]
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return []


def _disk(folder: Path) -> Iterator[Finding]:
    """Whether the journal can be written, and has room. A folder that is still to be made is judged by its parent."""
    there = next((place for place in (folder, *folder.absolute().parents) if place.is_dir()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError:
        yield Finding("data", "check.data_folder", {"path": str(folder)})
        return
    free = shutil.disk_usage(there).free // MEGABYTE
    if free < LEAST_FREE_MB:
        yield Finding("data", "check.disk_full", {"path": str(folder), "free": free, "least": LEAST_FREE_MB})


def _ending(certificates: Mapping[str, Path], now: datetime) -> Iterator[Finding]:
    """Certificates that end soon or have ended."""
    for about, path in certificates.items():
        end = expires_at(path)
        if end is not None and end - now < SOON:
            yield Finding(about, "check.certificate_ends", {"path": str(path), "at": end.date().isoformat()})


def _secrets(config: TableConfig) -> Iterator[Finding]:
    """Whether others may read the table key, which opens every sealed card, the deck, which names every card that a reader tells
    of, the shoe's key or the broker's password; and whether that password is there."""
    folder = config.key_folder
    if others_may_use(folder):
        yield Finding("keys", "check.key_folder", {"path": str(folder)})
    if others_may_use(folder / TABLE_KEY):
        yield Finding("keys", "check.key_file", {"path": str(folder / TABLE_KEY)})
    if others_may_use(config.deck):
        yield Finding("deck", "check.deck_open", {"path": str(config.deck)})
    if config.shoe is not None and config.shoe.key_file is not None and others_may_use(config.shoe.key_file):
        yield Finding(config.shoe.name, "check.key_file", {"path": str(config.shoe.key_file)})
    if config.access == "people" and (problem := roster_problem(config.people)):
        yield Finding("people", "check.people", {"problem": problem})
    try:
        config.http.tls()
    except ConfigError as error:
        yield Finding("http", "check.tls", {"problem": str(error)})
    if config.floor is not None and (problem := public_problem(config.floor.public_key_file)):
        yield Finding("floor", "check.floor", {"problem": problem})
    password = None if config.mqtt is None else config.mqtt.password_file
    if password is None:
        return
    if not os.access(password, os.R_OK):
        yield Finding("mqtt", "check.password_missing", {"path": str(password)})
    elif others_may_use(password):
        yield Finding("mqtt", "check.password_open", {"path": str(password)})
