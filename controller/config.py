"""``table.toml``: parsed and checked once at the edge; inside, the values are trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StrictInt, StringConstraints, ValidationError, field_validator, model_validator

from controller.config_network import HttpSection, MqttSection, refused_in_production
from controller.config_values import (
    AuditSection,
    Baud,
    Chips,
    ConfigError,
    DeckCareSection,
    DeviceId,
    DisplaysSection,
    FeltSection,
    FilePath,
    FloorSection,
    LogSection,
    MetricsSection,
    Name,
    Section,
    read_toml,
)
from controller.hand.places import Place, parse_place
from controller.hand.rules import HouseRulesError, house_rules, rules_problems
from controller.hand.stakes import Stakes, stakes_problems
from controller.hand.variants import VariantCode
from controller.journal.sealing import TABLE_KEY
from controller.table.state import Game
from controller.tracking.antennas import AntennaError, AntennaMap, parse_antennas
from controller.tracking.presence import PresenceSettings
from drivers.factory import ReaderDriver, ShoeDriver
from drivers.feig.identity import Expected
from drivers.link.serial import Parity, SerialSettings, one_spelling, opener_for
from drivers.ports import DriverError
from drivers.registry import DEFAULT_READER, DEFAULT_SHOE, multiplexer_driver, reader_driver, shoe_driver
from drivers.shoe.authentication import BadKey, parse_key

__all__ = [
    "ConfigError",
    "MqttSection",
    "PortSection",
    "ReaderSection",
    "ShoeSection",
    "TableConfig",
    "invalid",
    "load_config",
    "parse_config",
    "read_toml",
]


class TableSection(Section):
    """Who the table is: topics and journal bear these names."""

    venue: Name
    name: Name
    language: Literal["en", "fr"] = "en"


class StakesSection(Section):
    """Amounts in chips."""

    ante: Chips
    bring_in: Chips
    small: Chips
    big: Chips
    unit: Chips = 1


class GameSection(Section):
    """What is played, by which rules. ``preset`` must be named: house rules move money."""

    variant: Literal["stud", "stud8", "razz"]
    preset: Literal["seeds", "live_cash", "tournament"]
    stakes: StakesSection
    rules: dict[str, str | int | bool] = Field(default_factory=dict)

    def game(self, set_id: str) -> Game:
        """The game as the table plays it; ``ConfigError`` names everything that cannot be."""
        overrides = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in self.rules.items()}
        stakes = Stakes(**self.stakes.model_dump())
        problems = [f"game.{problem}" for problem in stakes_problems(stakes)]
        try:
            rules = house_rules(self.preset, overrides)
        except HouseRulesError as error:
            raise ConfigError("\n".join([*problems, f"game.rules: {error}"])) from None
        if not problems:
            problems = [f"game.rules: {problem}" for problem in rules_problems(rules, stakes)]
        if problems:
            raise ConfigError("\n".join(problems))
        return Game(VariantCode(self.variant), stakes, rules, set_id)


class PortSection(Section):
    """A serial line: a device's path, or ``socket://host:port``. Baud and parity: the driver's unless given."""

    driver: str
    port: str
    baud: Baud
    parity: Literal["none", "even", "odd"]
    options: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @field_validator("port")
    @classmethod
    def _is_port(cls, port: str) -> str:
        try:
            opener_for(port, SerialSettings())
        except DriverError as error:
            raise ValueError(str(error)) from None
        return port

    def settings(self) -> SerialSettings:
        """Settings for the link layer."""
        return SerialSettings(baud=self.baud, parity=Parity[self.parity.upper()])


def _with_line(given: object, default: str, find: Callable[[str], ShoeDriver | ReaderDriver]) -> object:
    """The section with baud and parity of its driver where they are not given; ``ValueError`` for an unknown driver."""
    if not isinstance(given, Mapping) or not isinstance(name := given.get("driver", default), str):
        return given
    try:
        line = find(name).line
    except DriverError as error:
        raise ValueError(str(error)) from None
    return {"baud": line.baud, "parity": line.parity.name.lower(), **given}


class ShoeSection(PortSection):
    """The shoe. ``serial`` pairs it: another shoe is quarantined."""

    driver: str = DEFAULT_SHOE
    name: Name = "shoe"
    serial: str | None = None
    model: str | None = None
    node: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{1,6}$")] | None = None
    key_file: FilePath | None = None
    baud: Baud = 9600
    parity: Literal["none", "even", "odd"] = "none"

    @model_validator(mode="before")
    @classmethod
    def _line(cls, given: object) -> object:
        return _with_line(given, DEFAULT_SHOE, shoe_driver)

    def beside(self, base: Path) -> ShoeSection:
        """The same with the key file relative to ``base``."""
        return self if self.key_file is None else self.model_copy(update={"key_file": base / self.key_file})

    def key(self) -> bytes | None:
        """The shoe's key, None without authentication; ``ConfigError`` when it cannot be read."""
        if self.key_file is None:
            return None
        try:
            return parse_key(self.key_file.read_text(encoding="ascii"))
        except (OSError, UnicodeDecodeError):
            raise ConfigError(f"shoe.key_file: {self.key_file} cannot be read: give the file to this user") from None
        except BadKey as error:
            raise ConfigError(f"shoe.key_file: {error}") from None


class ReaderSection(PortSection):
    """One line of readers: bus address → place. ``seldom`` names addresses that are scanned in every fourth round alone."""

    driver: str = DEFAULT_READER
    name: Name
    baud: Baud = 38400
    parity: Literal["none", "even", "odd"] = "even"
    antennas: dict[str, str]
    seldom: tuple[StrictInt, ...] = ()
    multiplexer: str | None = None
    identities: dict[str, DeviceId] = Field(default_factory=dict)
    hardware: Annotated[str, StringConstraints(pattern=r"^[0-9A-Fa-f]{2}$")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _line(cls, given: object) -> object:
        return _with_line(given, DEFAULT_READER, reader_driver)


class TableConfig(Section):
    """The whole file. Relative paths are relative to it."""

    production: bool = False
    """Every plain connection is refused, and every secret that others may read."""
    watch_clock: bool | None = None
    """Whether the machine's clock is kept is recorded, with an alarm while it is not; ``None``: as ``production``."""
    table: TableSection
    game: GameSection
    data: FilePath
    keys: FilePath | None = None
    manifest: FilePath | None = None
    witness: FilePath | None = None
    """The high-water file: best on another medium than the data."""
    deck: FilePath
    shoe: ShoeSection | None = None
    """Without one the dealer deals from the deck by hand, and counts it."""
    readers: tuple[ReaderSection, ...] = ()
    """Without any the dealer confirms each card."""
    mqtt: MqttSection | None = MqttSection()
    http: HttpSection = HttpSection()
    access: Literal["people", "open"] = "people"
    """``open``: nobody signs in, and whoever reaches the address may do everything. It must be said."""
    people: FilePath = Path("people.json")
    felt: FeltSection = FeltSection()
    deck_care: DeckCareSection = DeckCareSection()
    displays: DisplaysSection = DisplaysSection()
    audit: AuditSection | None = None
    floor: FloorSection | None = None
    metrics: MetricsSection = MetricsSection()
    log: LogSection = LogSection()

    @model_validator(mode="after")
    def _names_differ(self) -> TableConfig:
        names = [device.name for device in self.devices]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"devices have the same name: {', '.join(doubled)}; name each one differently")
        return self

    def problems(self) -> list[str]:
        """What cannot work although each value is allowed, one sentence each."""
        found: list[str] = []
        most = 0
        try:
            most = self.game.game("").rules.max_seats
        except ConfigError as error:
            found += str(error).splitlines()
        try:
            found += _unseen(self.antennas(), most) if self.readers else []
        except AntennaError as error:
            found += [f"readers: {fault}" for fault in str(error).split("; ")]
        found += [] if self.shoe is None else _shoe_problems(self.shoe)
        found += _display_problems(self, most)
        places = {place for reader in self.readers for place in reader.antennas.values()}
        found += [
            f"felt.at: there is no antenna at {place}: correct or remove it" for place in self.felt.at if place not in places
        ]
        if self.access == "open" and (where := self.http.reached_by_others):
            found.append(f'access = "open" with {where}: everybody there could drive the table; listen on 127.0.0.1 alone')
        ports = Counter(one_spelling(device.port) for device in self.devices)
        found += [f"the port {port} has {count} devices: give each its own" for port, count in ports.items() if count > 1]
        for reader in self.readers:
            driver = reader_driver(reader.driver)
            found += [f"readers: {reader.name}: {problem}" for problem in driver.problems(reader.options, len(reader.antennas))]
            found += _multiplexer_problems(reader, driver)
            if (reader.identities or reader.hardware) and not driver.tells_identity:
                found.append(f"readers: {reader.name}: readers of driver {reader.driver} tell no identity: take it out")
            found += [f"readers: {reader.name}.seldom {problem}" for problem in _seldom_problems(reader)]
        known = [device_id for reader in self.readers for device_id in reader.identities.values()]
        found += [
            f"readers: the device id {device_id} is expected {count} times: each reader has its own"
            for device_id, count in Counter(known).items()
            if count > 1
        ]
        for reader in self.readers:
            found += [
                f"readers: {reader.name}.identities names address {address}, which has no antenna on that line"
                for address in reader.identities
                if address not in reader.antennas
            ]
        return found

    def refused(self) -> list[str]:
        """What production refuses, one sentence each; ``production`` asks for it."""
        secrets = {
            "keys": self.key_folder / TABLE_KEY,
            "deck": self.deck,
            "people": self.people if self.access == "people" else None,
            "shoe.key_file": None if self.shoe is None else self.shoe.key_file,
        }
        return refused_in_production(self.mqtt, self.http, secrets) if self.production else []

    def expected(self, line: ReaderSection) -> Expected:
        """Which readers should answer on ``line``, and where those of other lines belong."""
        return Expected(
            {int(address): device_id for address, device_id in line.identities.items()},
            None if line.hardware is None else int(line.hardware, 16),
            {
                device_id: f"{reader.name}/{address}"
                for reader in self.readers
                if reader.name != line.name
                for address, device_id in reader.identities.items()
            },
        )

    def antennas(self) -> AntennaMap:
        """The antenna map; ``ValueError`` names what is wrong."""
        return parse_antennas({reader.name: dict[str, object](reader.antennas) for reader in self.readers})

    def presence_at(self) -> dict[Place, PresenceSettings]:
        """Settings of the antennas that have their own."""
        return {parse_place(place): self.felt.own(place) for place in self.felt.at}

    @property
    def devices(self) -> tuple[ShoeSection | ReaderSection, ...]:
        """The shoe, where there is one, and the lines of readers."""
        return (*(() if self.shoe is None else (self.shoe,)), *self.readers)

    @property
    def needs_deck_check(self) -> bool:
        """A recorded check by identity is demanded before play (R-DECK-01, REG-41); where no reader is, people count the deck."""
        return bool(self.readers) and self.deck_care.check == "recorded"

    @property
    def watches_clock(self) -> bool:
        """The machine is asked whether something keeps its clock; where nobody said so, in production alone."""
        return self.production if self.watch_clock is None else self.watch_clock

    @property
    def key_folder(self) -> Path:
        """Where the table key lies: beside the data unless configured."""
        return self.data / "keys" if self.keys is None else self.keys


def _multiplexer_problems(reader: ReaderSection, driver: ReaderDriver) -> list[str]:
    """A multiplexer that nobody has registered, or that the readers cannot be behind."""
    if reader.multiplexer is None:
        return []
    if not driver.takes_multiplexer:
        return [f"readers: {reader.name}: readers of driver {reader.driver} take no multiplexer: take it out"]
    try:
        multiplexer_driver(reader.multiplexer)
    except DriverError as error:
        return [f"readers: {reader.name}: {error}"]
    if reader.identities:
        return [f"readers: {reader.name}: a reader before a multiplexer has several antennas: take identities out"]
    return []


def _seldom_problems(reader: ReaderSection) -> list[str]:
    """Addresses that are not there or named twice, and a line of which no antenna would be left for each round."""
    found = [
        f"names address {address}, which has no antenna on that line"
        for address in dict.fromkeys(reader.seldom)
        if str(address) not in reader.antennas
    ]
    found += [
        f"names address {address} {count} times: once is enough" for address, count in Counter(reader.seldom).items() if count > 1
    ]
    if not found and len(reader.seldom) == len(reader.antennas):
        found.append("names every antenna of that line: take one out, or a round would scan none")
    return found


def _display_problems(config: TableConfig, most: int) -> list[str]:
    """Displays of seats that the table has not, and any where no broker reaches them."""
    seats = config.displays.seats or ()
    beyond = sorted({seat for seat in seats if most and seat > most})
    found = [f"displays.seats: the table has no seat {seat}, only 1 to {most}: take it out" for seat in beyond]
    doubled = sorted({seat for seat in seats if seats.count(seat) > 1})
    found += [f"displays.seats: seat {seat} is named twice: once is enough" for seat in doubled]
    if seats and config.mqtt is None:
        found.append("displays.seats: there is no broker that displays could hear: add mqtt, or take the seats out")
    return found


def _shoe_problems(shoe: ShoeSection) -> list[str]:
    """What the shoe's driver does not know, and a key that fits no shoe."""
    found = []
    driver = shoe_driver(shoe.driver)
    if shoe.key_file is not None and (shoe.serial is None or shoe.node is None):
        found.append("shoe.key_file needs shoe.serial and shoe.node: the key belongs to that one shoe")
    if shoe.key_file is not None and not driver.takes_key:
        found.append(f"shoe.key_file: the driver {shoe.driver} knows no authentication: take it out")
    found += [f"shoe: {problem}" for problem in driver.problems(shoe.options)]
    if (shoe.serial or shoe.model) and not driver.tells_identity:
        found.append(f"shoe: a shoe of driver {shoe.driver} tells no serial number nor model: take them out")
    return found


def load_config(path: Path) -> TableConfig:
    """The configuration in ``path``; ``ConfigError`` says what is wrong and where, one line a problem."""
    raw = read_toml(path)
    config = parse_config(raw, str(path))
    base = path.parent
    if config.witness is not None and (base / config.witness).exists() and not (base / config.witness).is_file():
        named = base / config.witness
        raise ConfigError(f"{path}: witness: {named} is no file: name one on another medium, which need not be there yet")
    placed = config.model_copy(
        update={
            "data": base / config.data,
            "deck": base / config.deck,
            "people": base / config.people,
            "keys": None if config.keys is None else base / config.keys,
            "witness": None if config.witness is None else base / config.witness,
            "manifest": None if config.manifest is None else base / config.manifest,
            "shoe": None if config.shoe is None else config.shoe.beside(base),
            "mqtt": None if config.mqtt is None else config.mqtt.beside(base),
            "http": config.http.beside(base),
            "floor": None if config.floor is None else FloorSection(public_key_file=base / config.floor.public_key_file),
        }
    )
    if refused := placed.refused():
        raise ConfigError("\n".join(f"{path}: production = true: {one}" for one in refused))
    return placed


def parse_config(raw: dict[str, Any], where: str) -> TableConfig:
    """The configuration of a parsed file; ``where`` names it in errors."""
    try:
        config = TableConfig.model_validate(raw)
    except ValidationError as error:
        raise invalid(error, where) from None
    problems = config.problems()
    if problems:
        raise ConfigError("\n".join(f"{where}: {problem}" for problem in problems))
    return config


def invalid(error: ValidationError, where: str) -> ConfigError:
    """What a model has against a file, one line a problem."""
    return ConfigError("\n".join(f"{where}: {_key(problem['loc'])}: {_said(problem)}" for problem in error.errors()))


def _unseen(antennas: AntennaMap, seats: int) -> list[str]:
    """What nobody could play on: seats without antenna, and no antenna where burns and the common card lie."""
    return [
        f"readers: no antenna at {place}: add one" + (f" or set table.max_seats in game.rules below {place[5:]}" * ("/" in place))
        for place in antennas.missing(seats)
        if place != "muck"
    ]


def _said(problem: Mapping[str, Any]) -> str:
    match problem["type"]:
        case "extra_forbidden":
            return "is no key of the configuration; correct or remove it"
        case "missing":
            return "is missing"
        case _:
            value = problem["input"]
            given = f" ({value!r} was given)" if isinstance(value, str | int | float) else ""
            return str(problem["msg"]).removeprefix("Value error, ") + given


def _key(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "the file"
