"""The table world: every card in one place, 52 in all, whatever is tried."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators import felt as felt_module
from simulators.felt import FULL_DECK, HAND, PACKET, SHOE, Felt, FeltError

TAGS = {card: f"E0040000{number:08X}" for number, card in enumerate(FULL_DECK)}
PLACES = ("seat/1/down", "seat/1/up", "seat/2", "burn", "muck", "community")


def a_felt() -> Felt:
    return Felt(TAGS, PLACES)


def test_a_card_goes_from_packet_to_shoe_to_hand_to_seat() -> None:
    """The way of a dealt card, with the tag that the seat's antenna then reads."""
    felt = a_felt()
    felt.load(["As", "Kd"], at=0.0)
    card = felt.draw(at=1.0)
    assert (card, felt.where(card), felt.count(SHOE), felt.count(PACKET)) == ("As", HAND, 1, 50)
    assert felt.tags_at("seat/1/up") == ()
    felt.move(card, "seat/1/up", origin=HAND, at=1.5)
    assert felt.tags_at("seat/1/up") == (TAGS["As"],)
    assert [(m.number, m.at, m.origin, m.target) for m in felt.moves[-2:]] == [(3, 1.0, SHOE, HAND), (4, 1.5, HAND, "seat/1/up")]


def test_places_keep_the_order_of_arrival() -> None:
    """Up cards stay in the order received (R-DEAL-08)."""
    felt = a_felt()
    felt.load(["2c", "As", "7h"], at=0)
    for _ in range(3):
        felt.move(felt.draw(at=0), "seat/1/up", origin=HAND, at=0)
    assert felt.cards_at("seat/1/up") == ("2c", "As", "7h")


@pytest.mark.parametrize(
    ("card", "target", "origin", "words"),
    [
        ("As", "muck", HAND, "does not lie"),
        ("As", "seat/9/up", PACKET, "no place 'seat/9/up'"),
        ("As", "muck", "seat/9", "no place"),
        ("Zz", "muck", PACKET, "does not lie"),
    ],
)
def test_an_impossible_move_is_refused_and_moves_nothing(card: str, target: str, origin: str, words: str) -> None:
    """A card that is not there, or a place that is not there."""
    felt = a_felt()
    with pytest.raises(FeltError, match=words) as caught:
        felt.move(card, target, origin=origin, at=0)
    assert felt.moves == ()
    assert felt.count(PACKET) == 52
    assert card not in str(caught.value)


def test_the_shoe_takes_one_packet_and_gives_no_card_when_empty() -> None:
    """A second load needs an empty shoe; a card cannot be loaded twice; an empty shoe is told."""
    felt = a_felt()
    with pytest.raises(FeltError, match="empty"):
        felt.draw(at=0)
    with pytest.raises(FeltError, match="twice"):
        felt.load(["As", "As"], at=0)
    felt.load(["As"], at=0)
    with pytest.raises(FeltError, match="still holds 1"):
        felt.load(["Kd"], at=0)


def test_gathering_brings_every_card_back() -> None:
    """Collecting the felt after a hand gives 52 cards in the packet."""
    felt = a_felt()
    felt.load(FULL_DECK, at=0)
    for place in ("seat/1/down", "seat/2", "burn", "muck"):
        felt.move(felt.draw(at=0), place, origin=HAND, at=0)
    assert felt.gather((*felt.places, SHOE, HAND), PACKET, at=1) == 52
    assert felt.count(PACKET) == 52


def test_a_table_with_one_antenna_per_seat_takes_up_and_down_cards_at_it() -> None:
    """``seat/2/up`` means ``seat/2`` there, and stays itself where there are two antennas."""
    felt = a_felt()
    assert (felt.resolve("seat/2/up"), felt.resolve("seat/1/up"), felt.resolve("burn")) == ("seat/2", "seat/1/up", "burn")
    assert (felt.of_seat(1), felt.of_seat(2)) == (("seat/1/down", "seat/1/up"), ("seat/2",))
    with pytest.raises(FeltError, match="no place"):
        felt.resolve("seat/7/up")


def test_a_line_of_antennas_sees_the_places_it_is_wired_to() -> None:
    """The callable that a simulated reader takes; unknown places are refused when it is wired."""
    felt = a_felt()
    tags = felt.antennas({1: "muck", 2: "seat/2"})
    felt.move("As", "muck", origin=PACKET, at=0)
    assert (tags(1), tags(2), tags(3)) == ((TAGS["As"],), (), ())
    with pytest.raises(FeltError, match="no place"):
        felt.antennas({1: "seat/8"})


def test_a_deck_of_51_or_with_a_tag_twice_is_no_deck() -> None:
    """Every card needs a tag of its own."""
    with pytest.raises(FeltError, match="51 cards"):
        Felt({card: TAGS[card] for card in FULL_DECK[1:]}, PLACES)
    with pytest.raises(FeltError, match="51 tags"):
        Felt({**TAGS, "As": TAGS["Kd"]}, PLACES)


def test_the_record_keeps_the_newest_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """One move past the bound drops the oldest; the numbers go on."""
    monkeypatch.setattr(felt_module, "MOVES_KEPT", 4)
    felt = a_felt()
    for number in range(5):
        felt.move("As", ("muck", "burn")[number % 2], origin=felt.where("As"), at=number)
    assert [move.number for move in felt.moves] == [2, 3, 4, 5]


def test_no_move_prints_its_card() -> None:
    """A record in a traceback tells no card (R-RULE-06)."""
    felt = a_felt()
    felt.move("As", "muck", origin=PACKET, at=0)
    assert "As" not in repr(felt.moves)


@given(
    st.lists(
        st.tuples(st.sampled_from(FULL_DECK), st.sampled_from((*PLACES, PACKET, HAND, "nowhere")), st.booleans()), max_size=60
    )
)
def test_52_cards_stay_52_in_one_place_each(tries: list[tuple[str, str, bool]]) -> None:
    """Whatever is tried, possible or not, every card has exactly one place and the record replays to it."""
    felt = a_felt()
    for card, target, honest in tries:
        with contextlib.suppress(FeltError):
            felt.move(card, target, origin=felt.where(card) if honest else "burn", at=0)
    everywhere = [card for place in (*felt.places, PACKET, SHOE, HAND) for card in felt.cards_at(place)]
    assert sorted(everywhere) == sorted(FULL_DECK)
    replayed = dict.fromkeys(FULL_DECK, PACKET)
    for move in felt.moves:
        assert replayed[move.card] == move.origin
        replayed[move.card] = move.target
    assert replayed == {card: felt.where(card) for card in FULL_DECK}


def test_the_moves_after_one_are_those_since_then() -> None:
    """Oldest first; none after the last, all after none."""
    felt = a_felt()
    for card in felt.cards_at(PACKET)[:3]:
        felt.move(card, "muck", origin=PACKET, at=0.0)
    assert felt.moves_after(0) == felt.moves
    assert felt.moves_after(1) == felt.moves[1:]
    assert felt.moves_after(3) == felt.moves_after(9) == ()
