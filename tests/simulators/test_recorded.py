"""Recorded hands: what the reader accepts and refuses, and the order in which the cards leave the shoe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulators.felt import FULL_DECK
from simulators.recorded import (
    Burned,
    Collected,
    CommonDealt,
    Dealt,
    Folded,
    RecordedHand,
    RecordedHandError,
    Returned,
    StubReshuffled,
    Wagered,
    load_hands,
    parse_hand,
    physical_order,
)

CORPUS = Path(__file__).parents[1] / "data" / "corpus"
FILES = sorted(CORPUS.glob("*.jsonl"))
HANDS = [hand for path in FILES for hand in load_hands(path)]
REAL = [hand for hand in HANDS if not hand.deal_sequence]


def a_hand(change: Callable[[dict[str, Any]], object] = lambda raw: None) -> str:
    """Two seats: seat 2 completes and seat 5 folds, with seat 2's deal written last."""
    raw: dict[str, Any] = {
        "hand_id": "h1",
        "variant": "stud",
        "game_type": "cash",
        "site": "S",
        "source": "s",
        "date": "2020-01",
        "stakes": {"ante": 1, "bring_in": 2, "small_bet": 4, "big_bet": 8, "unit": "chip"},
        "seats": [{"seat": 2, "stack": 100}, {"seat": 5, "stack": 50}],
        "events": [
            {"type": "ante", "seat": 2, "street": 3, "amount": 1},
            {"type": "ante", "seat": 5, "street": 3, "amount": 1},
            {"type": "deal", "seat": 5, "street": 3, "cards": ["??", "??", "2c"], "up": [0, 0, 1]},
            {"type": "deal", "seat": 2, "street": 3, "cards": ["As", "Ad", "Kh"], "up": [0, 0, 1]},
            {"type": "bring_in", "seat": 5, "street": 3, "amount": 2, "to": 2},
            {"type": "complete", "seat": 2, "street": 3, "amount": 4, "to": 4},
            {"type": "call", "seat": 5, "street": 3, "amount": 2, "to": 4},
            {"type": "deal", "seat": 5, "street": 4, "cards": ["??"], "up": [1]},
            {"type": "deal", "seat": 2, "street": 4, "cards": ["7h"], "up": [1]},
            {"type": "bet", "seat": 2, "street": 4, "amount": 4, "to": 4},
            {"type": "fold", "seat": 5, "street": 4},
            {"type": "uncalled", "seat": 2, "amount": 4},
            {"type": "collect", "seat": 2, "amount": 10},
        ],
        "community": None,
        "pot": 10,
        "collected": {"2": 10},
        "uncalled": {"2": 4},
        "rake": 0,
        "features": ["unknown_cards"],
        "fill": {"5": ["9d", "8s", "2c", "3c"], "2": ["As", "Ad", "Kh", "7h"]},
    }
    change(raw)
    return json.dumps(raw)


def test_a_hand_is_read_into_values() -> None:
    """Stakes, stacks, events, decisions and money of one hand."""
    hand = parse_hand(a_hand(), where="x:1")
    assert (hand.seats, hand.stakes.big_bet, hand.stacks[5], hand.shown) == ((2, 5), 8, 50, frozenset())
    assert hand.decisions == ((5, "bring_in", 2), (2, "complete", 4), (5, "call", 4), (2, "bet", 4), (5, "fold", None))
    assert hand.events[5] == Wagered("complete", 2, 3, 4, 4, all_in=False)
    assert hand.events[-2:] == (Returned(2, 4), Collected(2, 10, None))


def test_a_real_hand_is_dealt_in_seat_order_with_fill_and_unused_burns() -> None:
    """Down, down, up, one card at a time, clockwise, whatever order the log has; one burn before fourth street."""
    assert physical_order(parse_hand(a_hand(), where="x:1"), burns=True) == [
        ("As", "seat/2/down"),
        ("9d", "seat/5/down"),
        ("Ad", "seat/2/down"),
        ("8s", "seat/5/down"),
        ("Kh", "seat/2/up"),
        ("2c", "seat/5/up"),
        ("4c", "burn"),
        ("7h", "seat/2/up"),
        ("3c", "seat/5/up"),
    ]


def test_without_burns_none_is_dealt() -> None:
    """For a house that does not burn."""
    assert all(position != "burn" for hand in HANDS for _, position in physical_order(hand, burns=False))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_hand_of_the_sample_reads(path: Path) -> None:
    """No line of the sample is refused, and each hand has chips and cards in order."""
    for hand in load_hands(path):
        put = sum(
            event.amount for event in hand.events if not isinstance(event, Returned | Collected) and hasattr(event, "amount")
        )
        assert put == hand.pot + sum(hand.uncalled.values()), hand.hand_id
        assert sum(hand.collected.values()) + hand.rake == hand.pot, hand.hand_id


def test_the_order_gives_each_seat_the_cards_it_got() -> None:
    """Per place, the physical order is the recorded cards in their order, with ``fill`` where they are unknown."""
    for hand in HANDS:
        laid: dict[str, list[str]] = {}
        for card, position in physical_order(hand, burns=True):
            laid.setdefault(position, []).append(card)
        dealt: dict[str, list[str]] = {}
        for event in hand.events:
            if isinstance(event, Dealt):
                for card, up in zip(event.cards, event.up, strict=True):
                    dealt.setdefault(f"seat/{event.seat}/{'up' if up else 'down'}", []).append(card)
        for position, cards in dealt.items():
            assert all(known in {"??", card} for known, card in zip(cards, laid[position], strict=True)), hand.hand_id
        assert laid.get("community", []) == [event.card for event in hand.events if isinstance(event, CommonDealt)]


def test_the_order_of_a_street_is_round_by_round_clockwise_after_its_burn() -> None:
    """R-DEAL-01 to R-DEAL-03 hold for every hand, and no folded seat gets a card."""
    for hand in HANDS:
        positions = [position for _, position in physical_order(hand, burns=True)]
        seats = [f"seat/{seat}" for seat in hand.seats]
        first = [f"{seat}/{zone}" for zone in ("down", "down", "up") for seat in seats]
        assert positions[: len(first)] == first
        folded: set[int] = set()
        expected = list(first)
        for street in range(4, 8):
            folded |= {event.seat for event in hand.events if isinstance(event, Folded) and event.street < street}
            if any(isinstance(event, Dealt | CommonDealt) and event.street == street for event in hand.events):
                common = any(isinstance(event, CommonDealt) and event.street == street for event in hand.events)
                live = [f"seat/{seat}/{'down' if street == 7 else 'up'}" for seat in hand.seats if seat not in folded]
                expected += ["burn", *(["community"] if common else live)]
        assert positions == expected, hand.hand_id


def test_a_card_comes_twice_only_where_burns_went_back() -> None:
    """52 different cards at most, and a second time only a burn of a reshuffled stub."""
    for hand in HANDS:
        counts = Counter(card for card, _ in physical_order(hand, burns=True))
        assert set(counts) <= set(FULL_DECK)
        returned = {card for event in hand.events if isinstance(event, StubReshuffled) for card in event.burns}
        assert {card for card, count in counts.items() if count > 1} <= returned, hand.hand_id
        assert max(counts.values()) <= 2


def test_generated_burns_are_the_recorded_ones() -> None:
    """The order of a generated hand names the burns that its events name."""
    for hand in HANDS:
        if hand.deal_sequence:
            burns = [card for card, position in physical_order(hand, burns=True) if position == "burn"]
            assert burns == [event.card for event in hand.events if isinstance(event, Burned)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda raw: raw.pop("stakes"), "stakes: missing"),
        (lambda raw: raw["stakes"].update(ante="1"), "stakes: ante: is str, must be a whole number"),
        (lambda raw: raw["stakes"].update(ante=True), "stakes: ante: is bool"),
        (lambda raw: raw.update(variant="holdem"), "variant: 'holdem' is none of stud, stud8, razz"),
        (lambda raw: raw["seats"].append({"seat": 2, "stack": 1}), "listed twice"),
        (lambda raw: raw["seats"].append({"seat": 9, "stack": 1}), "seats 3: seat 9 is not 1 to 8"),
        (lambda raw: raw["events"][0].update(type="blind"), "events 1: unknown type 'blind'"),
        (lambda raw: raw["events"][0].update(amount=-1), "amount is -1"),
        (lambda raw: raw["events"][4].pop("to"), r"events 5 \(bring_in\): to: missing"),
        (lambda raw: raw["events"][9].update(street=8), "street 8 is not 3 to 7"),
        (lambda raw: raw["events"][2].update(up=[0, 1]), "3 cards and 2 marks of up"),
        (lambda raw: raw["events"][3].update(cards=["As", "1d", "Kh"]), "no card"),
        (lambda raw: raw["events"][10].update(seat=4), "seat 4 acts or is paid"),
        (lambda raw: raw["fill"].update({"5": ["9d", "8s", "2d", "3c"]}), "fill of seat 5: differs"),
        (lambda raw: raw["fill"].update({"5": ["As", "8s", "2c", "3c"]}), "dealt twice"),
        (lambda raw: raw["fill"].update({"5": ["??", "8s", "2c", "3c"]}), "every card must be scanned"),
        (lambda raw: raw.update(deal_sequence=[["As", "shoe", 0]]), "deal_sequence 1: must be"),
        (lambda raw: raw.update(collected={"x": 1}), "collected: 'x' is no seat"),
        (lambda raw: raw.update(events={}), "events: is dict, must be a list"),
    ],
)
def test_a_wrong_hand_is_refused_with_what_is_wrong(change: Callable[[dict[str, Any]], object], words: str) -> None:
    """One sentence that starts with the place and tells no card."""
    with pytest.raises(RecordedHandError, match=words) as caught:
        parse_hand(a_hand(change), where="x:1")
    assert str(caught.value).startswith("x:1: ")
    assert not {"As", "9d", "8s", "1d"} & set(str(caught.value).replace(":", " ").split())


def test_without_fill_unknown_cards_are_invented_the_same_each_time() -> None:
    """A record that names public cards alone can be dealt: its unknown cards are unused ones, in the order of the deck."""
    hand = parse_hand(a_hand(lambda raw: raw.pop("fill")), where="x:1")
    assert hand.fill == {5: ("3c", "4c", "2c", "5c"), 2: ("As", "Ad", "Kh", "7h")}
    assert hand == parse_hand(a_hand(lambda raw: raw.pop("fill")), where="x:1")


def test_a_hand_that_names_its_burns_is_dealt_as_its_events_stand() -> None:
    """An unknown burn is an unused card; after a reshuffle the burns may come again."""

    def with_burns(raw: dict[str, Any]) -> None:
        raw["events"].insert(7, {"type": "burn", "street": 4, "card": "??"})
        raw["events"].insert(8, {"type": "stub_reshuffle", "street": 4, "burns_returned": ["??"], "stub": 46})
        raw["events"].insert(9, {"type": "burn", "street": 4, "card": "9s"})

    order = physical_order(parse_hand(a_hand(with_burns), where="x:1"), burns=True)
    assert order[6:] == [("4c", "burn"), ("9s", "burn"), ("3c", "seat/5/up"), ("7h", "seat/2/up")]
    assert [position for _, position in order[:6]] == [
        f"seat/{seat}/{zone}" for zone in ("down", "down", "up") for seat in (2, 5)
    ]


def test_an_error_names_file_and_line(tmp_path: Path) -> None:
    """The third line of a file, after a good hand and an empty line."""
    path = tmp_path / "hands.jsonl"
    path.write_text(f"{a_hand()}\n\n{{\n", encoding="utf-8")
    hands = load_hands(path)
    assert next(hands).hand_id == "h1"
    with pytest.raises(RecordedHandError, match=r"hands\.jsonl:3: no JSON"):
        next(hands)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """Missing, and not text."""
    with pytest.raises(RecordedHandError, match="cannot be read"):
        next(load_hands(tmp_path / "none.jsonl"))
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(RecordedHandError, match="no UTF-8"):
        next(load_hands(tmp_path / "bytes.jsonl"))


def test_a_hand_with_no_card_left_to_burn_is_told() -> None:
    """A record of more cards than a deck with burns has is refused, not guessed."""
    hand = parse_hand(a_hand(), where="x:1")
    full = RecordedHand(
        **{
            **{name: getattr(hand, name) for name in hand.__slots__},
            "fill": {2: hand.fill[2], 5: (*hand.fill[5], *set(FULL_DECK) - {*hand.fill[2], *hand.fill[5]})},
        }
    )
    with pytest.raises(RecordedHandError, match="hand h1: no unused card"):
        physical_order(full, burns=True)


def test_no_hand_prints_its_cards() -> None:
    """A recorded hand in a traceback tells no card (R-RULE-06)."""
    text = repr(HANDS[0]) + repr(REAL[0])
    assert not [card for card in FULL_DECK if f"'{card}'" in text]
