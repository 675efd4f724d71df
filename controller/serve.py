"""``stud-table run``: one table with its real devices, its broker and its HTTP address, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import random
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import uvicorn

from controller.access.door import Door
from controller.access.floor_key import FloorKeyError, load_floor_public
from controller.access.floor_token import FloorVerifier
from controller.access.roster import roster_problem
from controller.app import FencedError, Outside, TableApp
from controller.certificates import certificates_of
from controller.config import TableConfig
from controller.config_network import MqttSection
from controller.config_values import LOOPBACK, ConfigError
from controller.console.http import make_api
from controller.console.seat_gateway import SeatGateway
from controller.console.site import Pages
from controller.deck_care import CareError, DeckCare, care_path, load_care
from controller.deck_keeper import DeckKeeper
from controller.gate.gate import Gate
from controller.gate.scrape import Scrape
from controller.http_server import QuietServer, console_address, listening, server_config
from controller.kernel_clock import is_synchronised
from controller.logs import Place, Where
from controller.manifest import ManifestError, check_installed
from controller.metrics.exposition import Exposition
from controller.metrics.table_metrics import TABLE_METRICS, TableCounts, TableMetrics
from controller.mqtt.client import Connection, MqttClient, table_client_id
from controller.mqtt.ports import Handler
from controller.mqtt.topics import TableTopics
from controller.service_manager import ServiceManager, service_manager
from controller.table.loop import TableStopped
from controller.table.records import table_codec
from controller.tls import ServerTls
from controller.tracking.registry import DeckRegistry, RegistryError, parse_registry_toml
from controller.whole_file import others_may_use
from drivers.clock import SystemClock
from drivers.link.serial import SOCKET_PREFIX, opener_for
from drivers.registry import reader_driver

SELF_CHECK_S: Final = 24 * 3600.0
"""How often a running table compares its files with the release (REG-22)."""

STUCK_S: Final = 10.0
"""How long table and journal may stand still before the service manager gets no sign of life."""

_log = logging.getLogger("controller")


async def run_table(config: TableConfig, place: Place | None = None) -> None:
    """Run until SIGTERM or SIGINT. Errors of configuration, journal and fence come through. ``place``: what log lines tell."""
    if config.manifest is not None:
        found = await asyncio.to_thread(check_installed, config.manifest)
        _log.info("the installed program is the release %s, digest %s", found.version, found.digest)
    counts = TableCounts()
    outside = replace(_outside(config, load_registry(config)), watch=counts)
    check_people(config)
    if others_may_use(config.deck):
        _log.warning("%s can be read by others, who know every card on the felt by it: take their rights away", config.deck)
    floor, tls = floor_of(config), config.http.tls()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(wanted, stop.set)
    async with TableApp(config, outside) as app:
        if place is not None:
            place.where = partial(where, app)
        _log.info("table %s opened at journal number %d", config.table.name, app.journal.last_seq)
        gc.collect()
        gc.freeze()  # what is loaded stays: no later collection looks at it and holds up a card for that time
        pages = Pages(app.desk, app.reports, app.displays, gate_of(config, app), lambda: app.readiness()["broker"])
        seats = SeatGateway(TableTopics(config.table.venue, config.table.name))
        with listening(config.http.host, config.http.port) as listener:
            address = console_address(config.http.host, listener.getsockname()[1], config.http.scheme)
            _log.info("the dealer's console is at %s, the displays of the seats at %sseat/1 and so on", address, address)
            async with _beside(_serve_seats(config, seats), "the seat gateway"), _beside(_look(pages.gate), "the gate"):
                server = _server(app, pages, seats, floor, scrape_of(config, app, counts, pages.gate), tls)
                await _run_until(app, config.manifest, server, listener, stop, (pages, seats))


def where(app: TableApp) -> Where:
    """Where the table stands, for its log."""
    state, name = app.table.state, app.journal.origin.table
    return Where(name, state.hand.setup.number if state.hand is not None and state.hand_open else None, state.seq)


def check_people(config: TableConfig) -> None:
    """``ConfigError`` where people are to sign in and nobody could, or nobody of the floor."""
    if config.access == "open":
        return
    problem = roster_problem(config.people)
    if problem:
        raise ConfigError(f'people: {problem}, or say access = "open" at a table that this machine alone reaches')


def floor_of(config: TableConfig) -> FloorVerifier | None:
    """What takes the orders of the floor that the configuration names; ``ConfigError`` when its key cannot be used."""
    if config.floor is None:
        return None
    try:
        key = load_floor_public(config.floor.public_key_file)
    except FloorKeyError as error:
        raise ConfigError(f"floor.public_key_file: {error}") from None
    clock = SystemClock()
    return FloorVerifier(key, config.table.venue, config.table.name, lambda: clock.wall().timestamp())


def gate_of(config: TableConfig, app: TableApp) -> Gate:
    """The gate before the table's address: by the people file, or open to this machine."""
    local = config.http.host in LOOPBACK
    clock = SystemClock()

    def plays(console: str) -> bool:
        state = app.table.state
        return state.hand_open and bool(state.wheel) and state.wheel[0].console == console

    return Gate(
        name=config.table.name,
        tell=app.desk.tell,
        door=None if config.access == "open" else Door(config.people, clock.monotonic),
        spared=plays,
        hosts=LOOPBACK if local else None,
        clock=clock.monotonic,
    )


async def _look(gate: Gate) -> None:
    """Age the sessions until the table has stopped, and takes no record of them any more."""
    with contextlib.suppress(TableStopped):
        await gate.run()


@contextlib.asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """``work`` in a task of its own until the block is left. What ends it is logged at once: displays do not hold up a table."""
    task = asyncio.create_task(work, name=name)
    task.add_done_callback(_log_end)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _log_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("%s has ended, restart the table when its hand is over: %r", task.get_name(), task.exception())


async def _serve_seats(config: TableConfig, seats: SeatGateway) -> None:
    """Read the seats' topics for their pages, over a connection beside the table's own."""
    if config.mqtt is not None:
        await MqttClient(_connection(config, config.mqtt, "-seats"), seats, random.SystemRandom()).run()


async def _run_until(
    app: TableApp,
    manifest: Path | None,
    server: uvicorn.Server,
    listener: socket.socket,
    stop: asyncio.Event,
    pages: Sequence[Pages | SeatGateway],
) -> None:
    """Table and HTTP side by side until ``stop``; the first failure of either ends both."""
    table = asyncio.create_task(app.run(), name="table app")
    check = asyncio.create_task(_check_again(app, manifest), name="self-check")
    http = asyncio.create_task(server.serve([listener]), name="http")
    manager = asyncio.create_task(tell_manager(service_manager(), app, lambda: server.started), name="service manager")
    stopped = asyncio.create_task(stop.wait(), name="stop")
    try:
        await asyncio.wait((table, http, stopped), return_when=asyncio.FIRST_COMPLETED)
        if table.done():
            _tell_why(table)
        if http.done() and not stop.is_set():
            http.result()
            raise ConfigError("http: the server has stopped by itself; its own message stands above")
    finally:
        for streams in pages:
            streams.close()
        server.should_exit = True
        for task in (table, stopped, check, manager):
            task.cancel()
        await asyncio.gather(table, http, stopped, check, manager, return_exceptions=True)


async def tell_manager(manager: ServiceManager, app: TableApp, serves: Callable[[], bool]) -> None:
    """Readiness when the address is served; signs of life while the table's loop comes round, which waits for its journal."""

    def trouble() -> str:
        idle = app.table.idle_s
        return f"table and journal have stood still for {idle:.0f} s" if idle > STUCK_S else ""

    def status() -> str:
        missing = [name for name, there in app.readiness().items() if not there]
        return app.table.state.status.value + (f"; not there: {', '.join(missing)}" if missing else "")

    await manager.keep(serves=serves, trouble=trouble, status=status)


async def _check_again(app: TableApp, manifest: Path | None, every_s: float = SELF_CHECK_S) -> None:
    """Compare what is installed with the release again and again; what differs locks the table after the hand (REG-22)."""
    while manifest is not None:
        await asyncio.sleep(every_s)
        try:
            await asyncio.to_thread(check_installed, manifest)
        except ManifestError as error:
            _log.error("%s; no further hand is started", error)
            await app.lock_changed_program()
            return


def _tell_why(table: asyncio.Task[None]) -> None:
    """Raise what ended the table by itself: of several failures the fence, else the first."""
    try:
        table.result()
    except ExceptionGroup as group:
        raise next((cause for cause in group.exceptions if isinstance(cause, FencedError)), group.exceptions[0]) from None


def _server(
    app: TableApp, pages: Pages, seats: SeatGateway, floor: FloorVerifier | None, scrape: Scrape, tls: ServerTls | None
) -> uvicorn.Server:
    api = make_api(app.desk, app.readiness, version("stud-table"), app.reports, pages, seats, floor, scrape)
    return QuietServer(server_config(api, tls))


def scrape_of(config: TableConfig, app: TableApp, counts: TableCounts, gate: Gate) -> Scrape:
    """What ``/metrics`` tells of the table, and to whom."""
    clock = SystemClock()
    samples = TableMetrics(
        app,
        counts,
        gate.sessions,
        version=version("stud-table"),
        venue=config.table.venue,
        tag_of=table_codec().tag_of,
        wall=lambda: clock.wall().timestamp(),
        monotonic=clock.monotonic,
        certificates=certificates_of(None if config.mqtt is None else config.mqtt.cert_file, config.http.cert_file),
    )
    return Scrape(Exposition(TABLE_METRICS, samples, ("table", config.table.name)).text, config.metrics.networks())


def load_registry(config: TableConfig) -> DeckRegistry:
    """The deck registry that the configuration names; ``ConfigError`` says what is wrong with it."""
    try:
        return parse_registry_toml(config.deck.read_bytes())
    except OSError as error:
        raise ConfigError(f"deck: {config.deck} cannot be read: {error.strerror}") from None
    except RegistryError as error:
        raise ConfigError(f"deck: {config.deck}: {error}") from None


def load_deck_care(config: TableConfig) -> DeckCare:
    """What is known of that deck beside its tags; ``ConfigError`` when it cannot be understood."""
    try:
        return load_care(care_path(config.deck))
    except CareError as error:
        raise ConfigError(f"deck: {error}") from None


def _connection(config: TableConfig, mqtt: MqttSection, role: str = "") -> Connection:
    client_id = table_client_id(config.table.venue, config.table.name) + role
    return mqtt.connection(client_id)


def _outside(config: TableConfig, registry: DeckRegistry) -> Outside:
    openers = {device.name: opener_for(device.port, device.settings()) for device in config.devices}
    delivered = {
        line.name: opener_for(line.port, made)
        for line in config.readers
        if (made := reader_driver(line.driver).line) != line.settings() and not line.port.startswith(SOCKET_PREFIX)
    }
    rng = random.SystemRandom()
    if config.mqtt is not None:
        _connection(config, config.mqtt)
    config.data.mkdir(mode=0o700, parents=True, exist_ok=True)

    keeper = DeckKeeper(config.deck, registry, table=config.table.name, needs_check=config.needs_deck_check)
    load_deck_care(config)

    async def serve(handler: Handler) -> None:
        if config.mqtt is not None:
            await MqttClient(_connection(config, config.mqtt), handler, rng).run()

    return Outside(
        openers=openers,
        delivered=delivered,
        registry=registry,
        clock=SystemClock(),
        rng=rng,
        serve=None if config.mqtt is None else serve,
        folder=config.data,
        key_folder=config.key_folder,
        keeper=keeper,
        high_water=config.witness,
        is_synchronised=is_synchronised if config.watches_clock else None,
    )
