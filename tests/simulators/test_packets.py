"""The order of cards in the shoe: fair and repeatable, or as recorded."""

from __future__ import annotations

import random

from simulators.felt import FULL_DECK
from simulators.packets import PreparedPackets, ShuffledPackets


def test_a_shuffle_has_all_52_and_repeats_with_its_seed() -> None:
    """Fresh packets differ from each other; the same seed gives the same row of them."""
    one, again = (ShuffledPackets(random.Random(3)) for _ in range(2))
    packets = [one.fresh() for _ in range(3)]
    assert packets == [again.fresh() for _ in range(3)]
    assert all(sorted(packet) == sorted(FULL_DECK) for packet in packets)
    assert packets[0] != packets[1]


def test_a_scramble_keeps_its_cards() -> None:
    """Stub and burns in another order, nothing else."""
    cards = FULL_DECK[:10]
    scrambled = ShuffledPackets(random.Random(3)).scrambled(cards, drawn=42)
    assert sorted(scrambled) == sorted(cards)
    assert scrambled != cards


def test_prepared_packets_come_in_turn_and_end() -> None:
    """Recorded cards on top, the unused below, then nothing."""
    packets = PreparedPackets([[("As", "seat/1/down"), ("Kd", "seat/2/down")], [("2c", "seat/1/down")]])
    first, second = packets.fresh(), packets.fresh()
    assert first is not None
    assert second is not None
    assert (first[:2], second[0], packets.fresh()) == (("As", "Kd"), "2c", None)
    assert sorted(first) == sorted(FULL_DECK)


def test_after_a_scramble_the_rest_of_the_record_comes_first() -> None:
    """A burn that the record deals again is on top; a card that is not in the stub is left out."""
    packets = PreparedPackets([[("As", "seat/1/up"), ("Kd", "burn"), ("Qh", "seat/1/up"), ("9c", "burn"), ("Kd", "seat/1/down")]])
    packets.fresh()
    assert packets.scrambled(("2c", "9c", "Kd", "3c"), drawn=3) == ("9c", "Kd", "2c", "3c")
