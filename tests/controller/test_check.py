"""What a check says of a table, on virtual time: who does not answer, who answers in another's place, what lies there."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.ending_certificate import certificate_until

from controller.access.floor_key import make_floor_key
from controller.check import LEAST_FREE_MB, Checked, check_table
from controller.config import MqttSection, parse_config
from controller.config_values import AuditSection
from controller.deck_care import DeckCare, DeckPassed, Quarantined, digest_of
from controller.hand.cards import DECK
from controller.journal.audit_shares import AuditKey
from controller.rehearsal import Play, config_for, registry_of
from controller.tracking.life import Wear
from controller.words.catalogue import Language
from drivers.clock import LoopClock
from drivers.link.base import Link, LinkSink, Opener, PortBusy
from drivers.link.serial import SerialSettings
from simulators.feig_reader import FeigReaders
from simulators.memory_link import MemoryLink
from simulators.rig import NINETEEN, SHOE_PORT, SimulatedTable, device_id, make_tags
from simulators.virtual_time import run_virtual

WRONG_SPEED = "{}, not at the line speed in the configuration: {}."


class Busy:
    """A port that another program holds."""

    name = "busy"

    async def open(self, sink: LinkSink) -> Link:
        raise PortBusy("busy is in use by another program")


class Bench:
    """A table's devices on lines in memory; ``ports`` are looked up by their names."""

    def __init__(self, folder: Path) -> None:
        rng = random.Random(1)
        self.folder = folder
        self.mqtt: MqttSection | None = None
        first, second = (AuditKey(bytes([9, number, *range(30)])).text for number in (1, 2))
        self.audit: AuditSection | None = AuditSection(surveillance=first, compliance=second)
        self.at: dict[tuple[str, int], Opener] = {}
        self.care: DeckCare | None = None
        self.synchronised: bool | None = False
        self.tags = make_tags(rng)
        self.links = {name: MemoryLink(name) for name in (SHOE_PORT, *NINETEEN)}
        self.openers: dict[str, Opener] = dict(self.links)
        self.devices = SimulatedTable(self.links, tags=self.tags, rng=rng)
        self.raw: dict[str, Any] = config_for(Play(speed=1.0), ports={name: name for name in self.links})
        for reader in self.raw["readers"]:
            reader["identities"] = {address: device_id(reader["name"], int(address)) for address in reader["antennas"]}

    def look(self) -> Checked:
        """Check it; a port by a name that is none is not there."""
        config = parse_config(self.raw, "bench")
        config = config.model_copy(
            update={"data": self.folder / "data", "keys": self.folder / "keys", "mqtt": self.mqtt, "audit": self.audit}
        )

        def opener(url: str, settings: SerialSettings) -> Opener:
            gone = MemoryLink(url)
            gone.unplug()
            return self.at.get((url, settings.baud), self.openers.get(url, gone))

        async def story() -> Checked:
            self.devices.start()
            clock = LoopClock(datetime(2026, 1, 1, tzinfo=UTC))
            try:
                return await check_table(
                    config,
                    registry_of(self.tags),
                    self.care,
                    clock=clock,
                    rng=random.Random(1),
                    opener=opener,
                    synchronised=lambda: self.synchronised,
                )
            finally:
                self.devices.stop()

        return run_virtual(story(), max_seconds=600)

    def codes(self) -> dict[str, str]:
        """What is wrong, by what it is about."""
        return {problem.about: problem.code for problem in self.look().problems}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A table in order."""
    return Bench(tmp_path)


def test_a_table_in_order_is_well(bench: Bench) -> None:
    """All answer; with no card on the felt the deck is not judged, and that is said."""
    checked = bench.look()
    assert checked.problems == ()
    assert checked.ok
    assert len(checked.devices) == 20
    assert checked.devices["felt-b/1"] == f"software 3.03, hardware 44, device id {device_id('felt-b', 1)}"
    assert [note.code for note in checked.notes] == ["check.deck_not_seen"]


@pytest.mark.parametrize(("synchronised", "told"), [(False, ["clock"]), (True, []), (None, [])])
def test_a_clock_that_nothing_keeps_is_noted_where_the_table_looks(
    bench: Bench, synchronised: bool | None, told: list[str]
) -> None:
    """To know, and no reason not to play; silence of the machine is none either."""
    bench.raw["watch_clock"], bench.synchronised = True, synchronised
    checked = bench.look()
    assert checked.ok
    assert [note.about for note in checked.notes if note.about != "deck"] == told


def test_shoe_and_readers_on_each_other_s_ports_are_recognised(bench: Bench) -> None:
    """The two cables are crossed: the shoe's port names a reader, the line's a shoe; a dumb line is named too."""
    bench.openers[SHOE_PORT], bench.openers["felt-a"] = bench.links["felt-a"], bench.links[SHOE_PORT]
    bench.devices.readers["felt-b"].faults.silent = {1, 2, 3, 4}
    assert bench.codes() == {"shoe": "device.shoe_is_reader", "felt-a": "device.line_is_shoe", "felt-b": "device.line_silent"}


def test_two_swapped_lines_are_named_reader_by_reader(bench: Bench) -> None:
    """Both lines have the addresses 1 to 4: the device ids alone tell, and each sentence names where the reader belongs."""
    bench.openers["felt-a"], bench.openers["felt-b"] = bench.links["felt-b"], bench.links["felt-a"]
    said = [problem.words(Language.EN) for problem in bench.look().problems]
    assert len(said) == 8
    assert said[0].startswith("The reader at address 1 of felt-a belongs to felt-b/1: swap the two cables back")
    assert said[7].startswith("The reader at address 4 of felt-b belongs to felt-a/4")


def test_each_other_thing_that_is_wrong_has_its_own_name(bench: Bench) -> None:
    """Another shoe, a held port, a port that refuses, one silent reader, one of another model."""
    bench.raw["shoe"]["serial"] = "S7777777"
    bench.openers["felt-a"] = Busy()
    bench.raw["readers"][1]["port"] = str(bench.folder)  # is there, and is no port
    bench.devices.readers["felt-c"].faults.silent = {3}
    bench.raw["readers"][3]["hardware"] = "45"
    checked = bench.look()
    assert [problem.code for problem in checked.problems] == [
        "device.shoe_other",
        "device.port_busy",
        "device.port_refused",
        "device.reader_silent",
        *["device.reader_model"] * 4,
    ]
    assert all(problem.words(language) for problem in checked.problems for language in Language)
    data = checked.data(Language.FR)
    assert data["ok"] is False
    assert data["problems"][0]["text"] == data["problems"][0]["text_fr"]


def test_a_shoe_without_the_lock_that_the_table_has_a_key_for_is_named(bench: Bench) -> None:
    """``run`` would quarantine it, so the check must not call the table well; another node is another shoe."""
    key = bench.folder / "shoe.key"
    key.write_text("00" * 32)
    key.chmod(0o600)
    bench.raw["shoe"] |= {"serial": "S0012345", "node": "SH01", "key_file": str(key)}
    assert bench.codes() == {"shoe": "device.shoe_open"}
    other = Bench(bench.folder)
    other.raw["shoe"] |= {"node": "SH02"}
    assert other.codes() == {"shoe": "device.shoe_other"}


def test_a_full_disk_and_an_open_key_folder_are_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less room than a journal needs; keys that others may read."""
    keys = bench.folder / "keys"
    keys.mkdir(mode=0o755)
    monkeypatch.setattr("controller.check.shutil.disk_usage", lambda _: SimpleNamespace(free=(LEAST_FREE_MB - 1) << 20))
    assert bench.codes() == {"data": "check.disk_full", "keys": "check.key_folder"}
    keys.chmod(0o700)
    monkeypatch.setattr("controller.check.tempfile.TemporaryFile", _refuse)
    assert Bench(bench.folder).codes() == {"data": "check.data_folder"}


def test_a_secret_that_others_may_read_is_named(bench: Bench) -> None:
    """Table key, deck, key of the shoe and password of the broker, each with its path; one that is missing is named too."""
    (bench.folder / "keys").mkdir(mode=0o700)
    table_key, shoe_key, password = bench.folder / "keys/table.key", bench.folder / "shoe.key", bench.folder / "password"
    deck = bench.folder / "deck.toml"
    for path in (table_key, shoe_key, password, deck):
        path.write_text("00" * 32)
        path.chmod(0o640)
    bench.raw["deck"] = str(deck)
    bench.raw["shoe"] |= {"serial": "S0012345", "node": "SH01", "key_file": str(shoe_key)}
    bench.mqtt = MqttSection(password_file=password)
    told = [
        (one.code, one.values.get("path"))
        for one in bench.look().problems
        if "key_file" in one.code or "password" in one.code or "deck_open" in one.code
    ]
    assert told == [
        ("check.key_file", str(table_key)),
        ("check.deck_open", str(deck)),
        ("check.key_file", str(shoe_key)),
        ("check.password_open", str(password)),
    ]
    for path in (table_key, shoe_key):
        path.chmod(0o600)
    password.unlink()
    again = Bench(bench.folder)
    again.raw, again.mqtt = bench.raw, bench.mqtt
    codes = [problem.code for problem in again.look().problems]
    assert [code for code in codes if "key_file" in code or "password" in code] == ["check.password_missing"]


def test_files_that_tls_cannot_use_are_named(bench: Bench) -> None:
    """The broker's authority, and the certificate of the console's address."""
    nothing = bench.folder / "none"
    bench.raw["http"] = {"cert_file": str(nothing), "key_file": str(nothing)}
    bench.mqtt = MqttSection(ca_file=nothing)
    told = [(one.about, one.values["problem"]) for one in bench.look().problems if one.code == "check.tls"]
    assert [about for about, _ in told] == ["mqtt", "http"]
    assert all(f"{nothing} cannot be read" in str(problem) for _, problem in told)


def test_a_certificate_that_ends_within_a_month_is_told(bench: Bench) -> None:
    """Before it stops the room, with its last day and the way out; one that holds longer is not."""
    path = certificate_until(datetime(2026, 1, 25, tzinfo=UTC), bench.folder)
    bench.mqtt = MqttSection(ca_file=path, cert_file=path, key_file=path)
    (note,) = [note for note in bench.look().notes if note.code == "check.certificate_ends"]
    assert (note.about, note.values) == ("mqtt", {"path": str(path), "at": "2026-01-25"})
    certificate_until(datetime(2026, 3, 1, tzinfo=UTC), bench.folder)
    again = Bench(bench.folder)
    again.mqtt = bench.mqtt
    assert "check.certificate_ends" not in [note.code for note in again.look().notes]


def test_a_console_at_which_nobody_could_sign_in_is_a_problem(bench: Bench) -> None:
    """With the way out; at an open table nobody is asked for."""
    assert "people" not in bench.codes()
    again = Bench(bench.folder)
    again.raw = {**bench.raw, "access": "people", "people": str(bench.folder / "people.json")}
    (problem,) = (one for one in again.look().problems if one.about == "people")
    assert "stud-table people add" in problem.words(Language.EN)


def test_a_floors_key_that_cannot_be_used_is_a_problem(bench: Bench) -> None:
    """With the way out; a table that names no floor needs none, and one with its public half is well."""
    made = make_floor_key(bench.folder / "floor.key")
    for name, wrong in (("floor.key", True), ("missing.pub", True), (made.name, False)):
        again = Bench(bench.folder)
        again.raw = {**bench.raw, "floor": {"public_key_file": str(bench.folder / name)}}
        found = [problem for problem in again.look().problems if problem.about == "floor"]
        assert bool(found) is wrong
        assert all("copy the .pub file" in problem.words(Language.EN) for problem in found)


def test_a_table_without_audit_keys_plays_and_says_so(bench: Bench) -> None:
    """No problem: a note, in both languages (recovery §10, two people)."""
    bench.audit = None
    checked = bench.look()
    assert checked.ok
    assert "check.no_audit_keys" in [note.code for note in checked.notes]
    assert all("audit keygen" in note.words(language) for note in checked.notes[-1:] for language in Language)


def test_the_deck_was_not_looked_at_when_no_reader_answers(bench: Bench) -> None:
    """An empty felt is something else than a felt that nobody has seen."""
    for line in bench.devices.readers.values():
        line.faults.silent = set(line.addresses)
    checked = bench.look()
    assert [note.code for note in checked.notes] == ["check.deck_no_reader"]
    assert all(checked.notes[0].words(language) for language in Language)


def test_readers_at_another_line_speed_are_named(bench: Bench) -> None:
    """All of a line, whose configuration is wrong then, or one among the others, which is to be set."""
    felt_a, felt_b = bench.links["felt-a"], bench.links["felt-b"]
    bench.devices.readers["felt-b"].faults.silent = {3}
    strays = MemoryLink("strays")
    FeigReaders(strays, addresses=(3,), tags=lambda _: (), rng=random.Random(1))
    deaf = MemoryLink("deaf")
    bench.at = {
        **{(line, baud): deaf for line in ("felt-a", "felt-b") for baud in (4800, 9600, 38400, 57600, 115200)},
        ("felt-a", 19200): felt_a,
        ("felt-b", 9600): strays,
        ("felt-b", 19200): deaf,
        ("felt-b", 38400): felt_b,
    }
    said = [problem.words(Language.EN) for problem in bench.look().problems]
    assert said == [
        WRONG_SPEED.format("felt-a: the readers answer at 19200 8E1", "correct baud and parity there, or set the readers (CFG1)"),
        WRONG_SPEED.format("felt-b: the reader at address 3 answers at 9600 8E1", "set it as the others of its line (CFG1)"),
    ]


def _refuse(**_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_line_behind_a_multiplexer_is_opened_and_asked_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its addresses are antennas' numbers, at which no reader would answer."""
    monkeypatch.setattr("controller.config.multiplexer_driver", lambda _: None)
    bench.raw["readers"][0] |= {"multiplexer": "switch-box", "identities": {}}
    checked = bench.look()
    assert ("check.port_opens", "felt-a") in {(note.code, note.about) for note in checked.notes}
    assert not [problem for problem in checked.problems if problem.about == "felt-a"]
    assert "felt-a/1" not in checked.devices


def test_a_line_of_another_driver_is_opened_and_asked_nothing(bench: Bench) -> None:
    """A PN532's port opens, which is said; the same port gone is a problem like any other."""
    line = bench.raw["readers"][4]
    line |= {"driver": "pn532", "antennas": {"1": "burn"}, "identities": {}, "seldom": []}
    bench.raw["readers"].append({"name": "felt-f", "port": "felt-f", "antennas": {"1": "muck", "2": "community"}})
    bench.openers["felt-f"] = Busy()
    checked = bench.look()
    assert [note.code for note in checked.notes] == ["check.port_opens", "check.deck_not_seen"]
    assert [problem.code for problem in checked.problems] == ["device.port_busy"]


AT = "2026-01-01T10:00:00.000Z"
MARK = Quarantined("Ann", AT, "a bent corner")


def passed(bench: Bench) -> DeckPassed:
    """A check of the deck as it is enrolled."""
    return DeckPassed(AT, "Ann", "Ben", "desk", digest_of(registry_of(bench.tags)))


@pytest.mark.parametrize(
    ("care", "codes"),
    [
        (DeckCare(), {"check.deck_not_checked"}),
        (DeckCare().put_aside(MARK, None), {"check.deck_quarantined", "check.deck_not_checked"}),
        (DeckCare().put_aside(MARK, DECK[7]), {"check.card_quarantined", "check.deck_not_checked"}),
        (DeckCare(passed=DeckPassed(AT, "Ann", "Ben", "desk", "old")), {"check.deck_not_checked"}),
    ],
    ids=["never checked", "deck in quarantine", "card in quarantine", "a card was replaced"],
)
def test_a_deck_that_may_not_be_played_is_named(bench: Bench, care: DeckCare, codes: set[str]) -> None:
    """Each with its remedy in both languages: the command that mends it."""
    bench.care = care
    problems = bench.look().problems
    assert {problem.code for problem in problems} == codes
    for problem in problems:
        for language in Language:
            assert "stud-table deck " in problem.words(language)
            assert DECK[7].text in problem.words(language) or problem.code != "check.card_quarantined"


def test_a_house_that_wants_no_check_is_told_of_none(bench: Bench) -> None:
    """``deck_care.check = "off"``; a quarantine holds all the same."""
    bench.care = DeckCare().put_aside(MARK, None)
    bench.raw["deck_care"] = {"check": "off"}
    assert {problem.code for problem in bench.look().problems} == {"check.deck_quarantined"}


def test_cards_near_their_end_are_notes_with_a_remedy(bench: Bench) -> None:
    """A worn card and a deck that is old are told while all is well yet."""
    wear = {card: Wear(10_000, 10) for card in DECK} | {DECK[9]: Wear(9_000, 1_000, 4)}
    bench.care = DeckCare(passed=passed(bench), runs={"j/1": 950}, wear=wear)
    bench.raw["deck_care"] = {"life_hands": 1_000}
    found = bench.look()
    assert found.ok
    told = {note.code: note for note in found.notes}
    assert {"deck.old", "deck.worn", "deck.unread"} <= told.keys()
    for language in Language:
        assert f"--replace {DECK[9].text}" in told["deck.worn"].words(language)
        assert "1000" in told["deck.old"].words(language)
