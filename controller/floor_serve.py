"""``stud-table floor``: a venue's collector and its HTTP address, until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import signal
import socket
import ssl
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple, cast

from fastapi import FastAPI

from controller.access.door import Door
from controller.access.floor_key import FloorKeyError, load_floor_key, make_floor_key
from controller.access.floor_rights import FLOOR_ENDPOINTS, FLOOR_RIGHTS
from controller.access.floor_token import FloorSigner
from controller.access.roster import roster_problem
from controller.certificates import certificates_of
from controller.config_values import LOOPBACK, ConfigError
from controller.export.phh import phh_text
from controller.export.told import told_hand
from controller.floor.alarms.http import add_alarms
from controller.floor.audit.http import add_audit
from controller.floor.history.http import add_history
from controller.floor.http import make_floor_api
from controller.floor.orders.desk import OrderDesk
from controller.floor.orders.http import add_orders
from controller.floor.orders.passing import Passing
from controller.floor.orders.proposals import Proposals
from controller.floor.orders.proposals_http import add_proposals
from controller.floor.room_desk.http import add_room
from controller.floor.service import FloorService
from controller.floor.site.site import add_floor_pages
from controller.floor.store.address import StoreAddress, shown
from controller.floor.store.store import FloorStore, StoreError, open_store
from controller.floor_config import FloorConfig
from controller.gate.gate import Allowed, Gate
from controller.gate.scrape import Network, Scrape, add_metrics
from controller.http_server import QuietServer, console_address, listening, server_config
from controller.metrics.exposition import Exposition
from controller.metrics.floor_metrics import FLOOR_METRICS, FloorMetrics
from controller.mqtt.client import MqttClient
from controller.mqtt.payloads import PublicEvent
from controller.service_manager import service_manager
from controller.tls import ServerTls, TlsError, why_failed
from drivers.clock import SystemClock

COLLECTED: Final = (50_000, 10_000, 100)
"""New objects, and collections of the younger kind, after which Python looks for circles: among the newest a few times a second,
through everything about once an hour."""
BROKER_S: Final = 3.0
"""Longest wait for the broker's port when the configuration is checked."""

_log = logging.getLogger("controller.floor")


def calm_collector() -> None:
    """Let Python's collector of circles stand still for a shorter time: it goes through all that a floor knows, a quarter of a
    second with a thousand tables. What is loaded by now is left out, and the rest seldom looked through: hardly anything is in
    a circle. For a process that serves a floor alone."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


async def run_floor(config: FloorConfig) -> None:
    """Run until SIGTERM or SIGINT. Errors of configuration come through; broker and store may come and go."""
    check_people(config)
    signer, tls = signer_of(config), config.http.tls()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(wanted, stop.set)
    address = config.store.address()
    service = FloorService(config.venue, partial(open_store, address, config.venue), SystemClock(), pits=config.pits)
    for hook in config.webhook:
        service.alarms.send_to(hook.target(), config.venue)
    connection = config.mqtt.connection(f"stud-{config.venue}-{service.stream.boot[:8]}-floor")
    client = MqttClient(connection, service.collector, random.SystemRandom())
    with listening(config.http.host, config.http.port) as listener:
        _log.info("the copy is kept in %s", shown(address))
        _log.info("the floor is at %s", console_address(config.http.host, listener.getsockname()[1], config.http.scheme))
        passing = Passing(signer, service.known, table_trust(config), plain_hosts=plain_hosts(config))
        try:
            certificates = certificates_of(config.mqtt.cert_file, config.http.cert_file)
            api = floor_api(service, gate_of(config, service), passing, config.metrics.networks(), certificates)
            await _run_until(service, api, client, listener, stop, tls)
        finally:
            await passing.close()


def check_people(config: FloorConfig) -> None:
    """``ConfigError`` where people are to sign in and nobody could, or nobody of the floor."""
    if config.people is not None and (problem := roster_problem(config.people)):
        raise ConfigError(f"people: {problem}, or take people out at a floor that this machine alone reaches")


def table_trust(config: FloorConfig) -> ssl.SSLContext | None:
    """By what the floor knows its tables' HTTPS addresses; ``ConfigError`` when the authority cannot be read."""
    trusted = config.table_authority
    try:
        return None if trusted is None else trusted.context()
    except TlsError as error:
        raise ConfigError(f"orders.ca_file: {error}") from None


def signer_of(config: FloorConfig) -> FloorSigner:
    """What signs the floor's orders; its key is made where it is missing. ``ConfigError`` when it cannot be used."""
    path = config.orders.key_file
    try:
        if not path.exists():
            _log.info(
                "the floor's key is made; give each table its public half as floor.public_key_file: %s", make_floor_key(path)
            )
        key = load_floor_key(path)
    except FloorKeyError as error:
        raise ConfigError(f"orders.key_file: {error}") from None
    clock = SystemClock()
    return FloorSigner(key, config.venue, lambda: clock.wall().timestamp())


def gate_of(config: FloorConfig, service: FloorService) -> Gate:
    """The gate before the floor's address: by the people file, or open to this machine."""
    clock = SystemClock()
    return Gate(
        name=f"floor-{config.venue}",
        tell=service.trail.tell,
        door=None if config.people is None else Door(config.people, clock.monotonic),
        hosts=LOOPBACK if config.http.host in LOOPBACK else None,
        clock=clock.monotonic,
        allowed=Allowed(FLOOR_ENDPOINTS, FLOOR_RIGHTS),
    )


class Address(NamedTuple):
    """What the floor's address serves, behind its gate."""

    api: FastAPI
    gate: Gate


def plain_hosts(config: FloorConfig) -> Collection[str] | None:
    """Where orders may go without encryption: to none in production, else to this machine, or where that was said to any."""
    if config.production:
        return ()
    return None if config.orders.plain else LOOPBACK


def floor_api(
    service: FloorService, gate: Gate, passing: Passing, watchers: Sequence[Network], certificates: Mapping[str, Path]
) -> Address:
    """Everything that the floor's address serves; ``watchers`` may read its metrics, which tell when ``certificates`` end."""
    release, venue = version("stud-table"), service.board.venue
    samples = FloorMetrics(
        service, passing, gate.sessions, version=release, venue=venue, wall=time.time, certificates=certificates
    )
    api = make_floor_api(service.stream, service.tables, service.picture, service.detail, service.ready, release, gate)
    desk = OrderDesk(passing, service.trail, gate)
    add_alarms(api, service.alarms, gate, tell=desk.seen)
    add_orders(api, desk)
    add_proposals(api, desk, Proposals(time.monotonic))
    add_room(api, service.room, gate)
    add_audit(api, lambda: service.writer.copy.audit)
    add_history(api, lambda: cast("FloorStore", service.writer.copy), gate, phh_of)
    add_metrics(api, Scrape(Exposition(FLOOR_METRICS, samples).text, watchers))
    add_floor_pages(api, service.picture, service.detail, gate)
    return Address(api, gate)


def phh_of(table: str, journal: str, events: Sequence[PublicEvent]) -> str:
    """One hand of the copy as PHH; ``UntoldError`` where it tells too little."""
    return phh_text(told_hand(table, journal, events))


async def _run_until(
    service: FloorService,
    address: Address,
    client: MqttClient,
    listener: socket.socket,
    stop: asyncio.Event,
    tls: ServerTls | None,
) -> None:
    """Collector, pages and address side by side until ``stop``; the first failure of one ends all."""
    server = QuietServer(server_config(address.api, tls))
    looking = asyncio.create_task(address.gate.run(), name="gate")
    http = asyncio.create_task(server.serve([listener]), name="http")
    listening_task = asyncio.create_task(client.run(), name="broker")
    work = asyncio.create_task(service.run(), name="floor")
    stopped = asyncio.create_task(stop.wait(), name="stop")
    telling = asyncio.create_task(
        service_manager().keep(serves=lambda: server.started, trouble=str, status=lambda: _status(service)),
        name="service manager",
    )
    tasks = (http, listening_task, work, looking, stopped)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        service.close()
        server.should_exit = True
        for task in (listening_task, work, looking, stopped, telling):
            task.cancel()
        await asyncio.gather(*tasks, telling, return_exceptions=True)


def _status(service: FloorService) -> str:
    """What a floor that serves has to say of itself."""
    missing = [name for name, there in service.ready().items() if not there]
    return f"not there: {', '.join(missing)}" if missing else "broker and store are there"


@dataclass(frozen=True, slots=True)
class FloorChecked:
    """What is wrong with a floor's surroundings, one sentence each."""

    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing is."""
        return not self.problems


async def check_floor(config: FloorConfig) -> FloorChecked:
    """Whether broker and store answer. The store is made where it is missing, as a start would."""
    people = "" if config.people is None else roster_problem(config.people)
    found = [*await _broker_problems(config), *await _store_problems(config.store.address(), config.venue)]
    found += [f"people: {people}"] if people else []
    return FloorChecked((*found, *_key_problems(config), *_webhook_problems(config)))


def _webhook_problems(config: FloorConfig) -> list[str]:
    found: list[str] = []
    for hook in config.webhook:
        try:
            hook.target()
        except ConfigError as error:
            found.append(str(error))
    return found


def _key_problems(config: FloorConfig) -> list[str]:
    """A key that is not there yet is made at the start."""
    if config.orders.key_file.exists():
        try:
            load_floor_key(config.orders.key_file)
        except FloorKeyError as error:
            return [f"orders.key_file: {error}"]
    return []


async def _broker_problems(config: FloorConfig) -> list[str]:
    host, port = config.mqtt.host, config.mqtt.port
    try:
        context = None if config.mqtt.tls is None else config.mqtt.tls.context()
        async with asyncio.timeout(BROKER_S):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
    except TlsError as error:
        return [f"mqtt: {error}"]
    except OSError as error:
        if why := why_failed(error):
            return [f"mqtt: the broker at {host}:{port}: {why}"]
        return [f"mqtt: nothing answers at {host}:{port}: start the venue's broker, or correct mqtt in the configuration"]
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return []


async def _store_problems(address: StoreAddress, venue: str) -> list[str]:
    try:
        async with open_store(address, venue) as store:
            await store.marks()
    except StoreError as error:
        return [f"store: {error}"]
    return []
