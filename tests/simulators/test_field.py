"""What antennas read: couplings, and what tags do to readers in the field. A card stays in its one place all the while."""

from __future__ import annotations

import random

import pytest

from simulators.felt import HAND, PACKET, SHOE, Felt
from simulators.field import Field, own_place_only, with_neighbours
from simulators.rig import NINETEEN, make_tags

PLACES = [place for line in NINETEEN.values() for place in line.values()]
HERE, BESIDE = "seat/3/up", "seat/4/up"


def table(*, coupling: dict[str, dict[str, float]] | None = None, cards: int = 3) -> tuple[Felt, Field]:
    """A felt with cards at one place."""
    felt = Felt(make_tags(random.Random(1)), PLACES)
    for card in felt.cards_at(PACKET)[:cards]:
        felt.move(card, HERE, origin=PACKET, at=0.0)
    return felt, Field(felt, rng=random.Random(2), coupling=coupling)


def rate(field: Field, place: str, tags: tuple[str, ...], scans: int = 2000) -> float:
    """Share of the possible readings of ``tags`` at ``place``."""
    hits = sum(len(set(tags) & set(field.read(place))) for _ in range(scans))
    return hits / (scans * len(tags))


def test_without_faults_each_antenna_reads_its_own_place_and_no_other() -> None:
    """All cards, every time; cards in packet, shoe or hand answer nowhere."""
    felt, field = table()
    assert set(field.coupling) == set(PLACES)
    assert field.coupling == own_place_only(PLACES)
    for place in PLACES:
        assert set(field.read(place)) == set(felt.tags_at(place))
    read = field.antennas({1: HERE, 2: BESIDE})
    assert set(read(1)) == set(felt.tags_at(HERE))
    assert (read(2), read(9)) == ((), ())
    assert {PACKET, SHOE, HAND}.isdisjoint(field.coupling)


def test_a_coupling_says_how_reliably_which_antenna_reads_which_place() -> None:
    """Own place 0.9, antennas beside it 0.1, others never."""
    coupling = with_neighbours(PLACES, hit=0.9, bleed=0.1)
    felt, field = table(coupling=coupling)
    tags = felt.tags_at(HERE)
    assert rate(field, HERE, tags) == pytest.approx(0.9, abs=0.03)
    for beside in ("seat/3/down", "seat/2/up", BESIDE):
        assert rate(field, beside, tags) == pytest.approx(0.1, abs=0.03)
    for far in ("seat/5/up", "seat/4/down", "muck", "seat/1/up"):
        assert rate(field, far, tags) == 0
    assert coupling["burn"].keys() == {"burn", "muck", "community"}


def test_misses_come_on_top_of_the_coupling() -> None:
    """For all antennas, or for one."""
    felt, field = table()
    tags = felt.tags_at(HERE)
    field.faults.miss = 0.2
    assert rate(field, HERE, tags) == pytest.approx(0.8, abs=0.03)
    field.faults.miss_at[HERE] = 1.0
    assert field.read(HERE) == ()
    field.faults.clear()
    assert rate(field, HERE, tags, 10) == 1.0


def test_every_second_scan_is_empty() -> None:
    """As of readers that must release a card first."""
    _, field = table()
    field.faults.alternate.add(HERE)
    assert [len(field.read(HERE)) for _ in range(6)] == [3, 0, 3, 0, 3, 0]


def test_a_tag_is_read_at_two_antennas_once_each() -> None:
    """A double report, certain or now and then."""
    felt, field = table()
    field.faults.bleed[BESIDE] = {HERE: 1.0}
    assert set(field.read(BESIDE)) == set(felt.tags_at(HERE)) == set(field.read(HERE))
    field.faults.bleed[HERE] = {HERE: 1.0}
    assert len(field.read(HERE)) == 3


def test_foreign_and_stuck_tags_are_told_besides_the_true_ones() -> None:
    """A stuck tag stays when its card has left, a foreign one is no card's."""
    felt, field = table(cards=1)
    (tag,) = felt.tags_at(HERE)
    (card,) = felt.cards_at(HERE)
    field.faults.stuck[HERE] = (tag,)
    field.faults.foreign[BESIDE] = ("E007000000000BAD",)
    felt.move(card, "muck", origin=HERE, at=1.0)
    assert field.read(HERE) == (tag,)
    assert field.read("muck") == (tag,)
    assert field.read(BESIDE) == ("E007000000000BAD",)
    field.faults.alternate.add(HERE)
    assert [field.read(HERE) for _ in range(2)] == [(tag,), (tag,)]


def test_a_garbled_tag_has_another_number() -> None:
    """Of the same length; never the true one's."""
    felt, field = table(cards=1)
    (tag,) = felt.tags_at(HERE)
    field.faults.garble = 1.0
    told = {field.read(HERE)[0] for _ in range(200)}
    assert {len(other) for other in told} == {len(tag)}
    assert len(told) > 100


def test_stacked_cards_detune_each_other_and_a_lone_one_is_read() -> None:
    """Two on each other are read now and then."""
    felt, field = table(cards=2)
    field.faults.stacked[HERE] = 0.2
    assert rate(field, HERE, felt.tags_at(HERE)) == pytest.approx(0.2, abs=0.03)
    felt.move(felt.cards_at(HERE)[0], "muck", origin=HERE, at=1.0)
    assert rate(field, HERE, felt.tags_at(HERE), 20) == 1.0


def test_a_lifted_card_answers_nowhere_until_it_is_put_back() -> None:
    """It is still where it was: nobody took it away."""
    felt, field = table(cards=2)
    card, other = felt.cards_at(HERE)
    field.faults.lifted.add(card)
    assert field.read(HERE) == (felt.tag(other),)
    field.faults.lifted.clear()
    assert set(field.read(HERE)) == set(felt.tags_at(HERE))
