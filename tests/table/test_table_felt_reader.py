"""Antenna scans become evidence of places and cards; what has no place or no card is not guessed."""

from __future__ import annotations

import random

from controller.hand.cards import DECK, Card
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.table.felt_reader import EXPLAIN_S, FeltReader
from controller.table.inputs import LeftFrom, ReadOnce, ReadTwice, SeenAt, TableInput
from controller.tracking.antennas import sample_nineteen
from controller.tracking.presence import PresenceSettings
from controller.tracking.registry import generate_registry
from drivers.ports import AntennaScan

REGISTRY = generate_registry(random.Random(3))
MAP = sample_nineteen()
CARD, UP3 = DECK[17], SeatPlace(3, Zone.UP)
STRANGER = "E004010000000000"


def reader(lying: dict[Card, Place] | None = None, *, speed: float = 1.0) -> FeltReader:
    """A reader of the sample table."""
    return FeltReader(MAP, REGISTRY, PresenceSettings(speed=speed), lying or {}, now=0.0)


def scans(felt: FeltReader, place: Place, tags: tuple[str, ...], *, times: int, start: float = 0.0) -> list[TableInput]:
    """What some scans of the antenna at ``place`` establish, ten a second."""
    antenna = MAP.antenna(place)
    assert antenna is not None
    line, address = antenna
    found: list[TableInput] = []
    for number in range(times):
        found += felt.scan(AntennaScan(line, address, tags, clean=True, at=start + number / 10))
    return found


def test_a_tag_of_the_deck_is_its_card_and_any_other_a_stranger() -> None:
    """Told at the antenna's place: a card as soon as it is there and once more when it rests, a stranger when it rests."""
    felt = reader()
    tags = (REGISTRY.tag(CARD), STRANGER)
    assert scans(felt, UP3, tags, times=2) == [SeenAt(UP3, CARD, rests=False)]
    assert scans(felt, UP3, tags, times=20, start=0.2) == [SeenAt(UP3, CARD), SeenAt(UP3, None)]


def test_a_card_rests_in_the_muck_later_than_at_a_seat() -> None:
    """When it has lain there for as long as one takes to be gone (screens §3: 0.8 s)."""
    felt = reader()
    tags = (REGISTRY.tag(CARD),)
    assert scans(felt, Spot.MUCK, tags, times=8) == [SeenAt(Spot.MUCK, CARD, rests=False)]
    assert scans(felt, Spot.MUCK, tags, times=3, start=0.8) == [SeenAt(Spot.MUCK, CARD)]


def test_a_stranger_that_is_carried_past_is_never_told() -> None:
    """Neither its coming nor its going."""
    felt = reader()
    scans(felt, UP3, (STRANGER,), times=2)
    assert not scans(felt, SeatPlace(4, Zone.UP), (STRANGER,), times=2, start=0.2)
    assert not scans(felt, UP3, (), times=2, start=0.25)
    assert scans(felt, SeatPlace(4, Zone.UP), (STRANGER,), times=6, start=0.4) == [SeenAt(SeatPlace(4, Zone.UP), None)]


def test_what_leaves_is_told_with_its_card() -> None:
    """After the presence filter's patience, not after one miss."""
    felt = reader()
    scans(felt, UP3, (REGISTRY.tag(CARD), STRANGER), times=5)
    assert not scans(felt, UP3, (), times=3, start=1.0)
    gone = scans(felt, UP3, (), times=12, start=1.3)
    assert gone == [LeftFrom(UP3, CARD), LeftFrom(UP3, None)]


def test_what_the_journal_knows_is_not_announced_again() -> None:
    """A card that still lies where it lay says nothing; one that is gone is told."""
    felt = reader({CARD: UP3, DECK[18]: Spot.BURN})
    assert not scans(felt, UP3, (REGISTRY.tag(CARD),), times=5)
    assert scans(felt, Spot.BURN, (), times=12, start=1.0) == [LeftFrom(Spot.BURN, DECK[18])]


def test_a_known_card_at_a_place_that_is_no_more_is_seen_anew() -> None:
    """The antennas were wired otherwise before: nothing waits for one that is gone."""
    felt = reader({CARD: SeatPlace(3, Zone.ANY)})
    assert scans(felt, UP3, (REGISTRY.tag(CARD),), times=5) == [SeenAt(UP3, CARD, rests=False), SeenAt(UP3, CARD)]


def test_a_scan_of_an_unknown_antenna_is_counted_alone() -> None:
    """Line or address that the configuration does not name."""
    felt = reader()
    for line, address in (("felt-z", 1), ("felt-a", 99)):
        assert felt.scan(AntennaScan(line, address, (REGISTRY.tag(CARD),), clean=True, at=0.0)) == ()
    assert felt.unmapped == 2


def test_a_tag_read_in_two_places_has_one() -> None:
    """Cross-reading moves no card; it is told as a doubt while it lasts (FEIG readers side by side)."""
    felt = reader()
    tag = (REGISTRY.tag(CARD),)
    scans(felt, UP3, tag, times=5)
    other = SeatPlace(4, Zone.UP)
    told: list[TableInput] = []
    for number in range(20):
        at = 1.0 + number / 10
        told += scans(felt, UP3, tag, times=1, start=at)
        told += scans(felt, other, tag, times=1, start=at + 0.05)
    assert told == [ReadTwice(UP3, other, CARD)]
    told = scans(felt, other, (), times=12, start=3.05)
    assert told == [ReadOnce(UP3, other, CARD)]


def test_a_place_is_seen_while_none_of_its_readers_is_known_to_be_out_of_order() -> None:
    """Line and antenna; a place without an antenna is asked for as one that is seen, since nothing else would ask."""
    felt = reader()
    antenna = MAP.antenna(UP3)
    assert antenna is not None
    line, address = antenna
    assert felt.sees(UP3, {})
    assert felt.sees(UP3, {(line, 0): "up", (line, address): "up", (line, address + 1): "down"})
    assert not felt.sees(UP3, {(line, 0): "up", (line, address): "stale"})
    assert not felt.sees(UP3, {(line, 0): "down"})
    assert felt.sees(SeatPlace(3, Zone.ANY), {})
    assert not felt.sees(SeatPlace(3, Zone.ANY), {(line, address): "down"})


def test_the_felt_is_ready_when_every_antenna_has_spoken() -> None:
    """And nothing has changed for a while."""
    felt = reader()
    for place in MAP.places:
        assert not felt.ready(9.0)
        scans(felt, place, (), times=3)
    assert felt.ready(9.0)


def test_the_time_to_explain_a_card_follows_the_speed() -> None:
    """The stated factor divides it as it divides the presence times; a drawn card has two seconds at any pace."""
    assert reader(speed=20).explain_s == EXPLAIN_S / 20
    assert [reader(speed=speed).unseen_s for speed in (1, 1.25, 20)] == [3.0, 2.4, 2.0]


def test_an_antenna_with_settings_of_its_own_keeps_to_them() -> None:
    """One that must read a tag three times tells it one scan later than its neighbour."""
    slow = PresenceSettings(appear_hits=3)
    felt = FeltReader(MAP, REGISTRY, PresenceSettings(), {}, now=0.0, at={UP3: slow})
    other = SeatPlace(4, Zone.UP)
    assert scans(felt, UP3, (REGISTRY.tag(CARD),), times=2) == []
    assert scans(felt, other, (REGISTRY.tag(DECK[18]),), times=2) == [SeenAt(other, DECK[18], rests=False)]
    assert scans(felt, UP3, (REGISTRY.tag(CARD),), times=1, start=0.2) == [SeenAt(UP3, CARD, rests=False)]
