"""Text in the PokerStars shape: its lines, the amounts in them, and that it tells no card that was not public."""

from __future__ import annotations

import re

import pytest
from support.exported_hands import hands_with_slips, hidden_cards, random_hands
from support.hand_dsl import Story

from controller.export.hands import Origin, hand_of
from controller.export.stars import NO_COMMON_CARD, stars_text, why_not
from controller.hand.commands import VoidHand
from controller.hand.events import CommunityDealt

ORIGIN = Origin("T7", "0badcafe", 1, 99, "2026-03-01T20:15:30Z", "2026-03-01T20:18:00Z")


def lines_of(story: Story, **names: str) -> list[str]:
    """The lines of a story's hand."""
    known = {int(seat[1:]): name for seat, name in names.items()}
    return stars_text(
        hand_of(story.state.setup, tuple(story.stacks.items()), story.events, names=known, origin=ORIGIN)
    ).splitlines()


def test_a_hand_reads_line_by_line() -> None:
    """Header, seats, antes, streets with old and new up cards, raises by and to, all-in, side pot, showdown and summary."""
    story = Story({1: 90, 3: 10, 4: 90}, cards={1: "As Ah Kc | 9d", 3: "Qs Qh Qc | 9h", 4: "?? ?? 2c | Td"})
    story.bets("4 post, 1 to 4, 3 to 8, 4 call, 1 call, 1 check, 3 to 1, 4 to 4, 1 call, 1 check, 4 to 8, 1 call")
    story.bets("1 check, 4 check, 1 check, 4 check")
    story.show(1, 3)
    story.muck(4)
    story.showdown()
    lines = lines_of(story, s1="Ann", s3="Bob", s4="Cléo")
    assert lines[:11] == [
        "PokerStars Hand #1: 7 Card Stud Limit (4/8) - 2026/03/01 20:15:30 UTC",
        "Table 'T7' 8-max",
        "Seat 1: Ann (90 in chips)",
        "Seat 3: Bob (10 in chips)",
        "Seat 4: Cléo (90 in chips)",
        "Ann: posts the ante 1",
        "Bob: posts the ante 1",
        "Cléo: posts the ante 1",
        "*** 3rd STREET ***",
        "Dealt to Ann [Kc]",
        "Dealt to Bob [Qc]",
    ]
    assert lines[12:19] == [
        "Cléo: brings in for 2",
        "Ann: raises 2 to 4",
        "Bob: raises 4 to 8",
        "Cléo: calls 6",
        "Ann: calls 4",
        "*** 4th STREET ***",
        "Dealt to Ann [Kc] [9d]",
    ]
    assert "Bob: bets 1 and is all-in" in lines
    assert "*** RIVER ***" in lines
    assert "*** SHOW DOWN ***" in lines
    assert next(line for line in lines if line.startswith("Ann: shows")).startswith("Ann: shows [As Ah Kc 9d ")
    assert "Cléo: mucks hand" in lines
    assert "Bob collected 30 from main pot" in lines
    assert "Ann collected 22 from side pot" in lines
    assert "Total pot 52 Main pot 30. Side pot 22. | Rake 0" in lines
    assert lines[-1] == "Seat 4: Cléo mucked"
    assert re.fullmatch(r"Seat 1: Ann showed \[.*\] and won \(22\)", lines[-3])


def test_uncalled_bets_go_back_and_folds_name_their_street() -> None:
    """Nobody shows: the winner collected."""
    story = Story({1: 90, 4: 90, 6: 90}, cards={1: "?? ?? 2c"}).bets("1 post, 4 fold, 6 to 4, 1 fold")
    lines = lines_of(story)
    assert lines[-7:] == [
        "Uncalled bet (2) returned to Seat 6",
        "Seat 6 collected 7 from pot",
        "*** SUMMARY ***",
        "Total pot 7 | Rake 0",
        "Seat 1: Seat 1 folded on the 3rd Street",
        "Seat 4: Seat 4 folded on the 3rd Street",
        "Seat 6: Seat 6 collected (7)",
    ]


@pytest.mark.parametrize(("variant", "phrase"), [("stud8", "7 Card Stud Hi/Lo Limit"), ("razz", "Razz Limit")])
def test_games_have_their_phrase(variant: str, phrase: str) -> None:
    """The header names the game."""
    door = {1: "?? ?? Ks"} if variant == "razz" else {1: "?? ?? 2c"}
    assert f": {phrase} (4/8)" in lines_of(Story({1: 90, 4: 90}, variant=variant, cards=door).bets("1 post, 4 fold"))[0]


def test_a_voided_hand_is_cancelled() -> None:
    """R-RULE-03: other programs count it as partial and store nothing."""
    story = Story({1: 50, 2: 50}, cards={1: "?? ?? 2c"}).bets("1 post")
    story.tell(VoidHand("fouled deck"))
    lines = lines_of(story)
    assert "Hand cancelled" in lines
    assert "Total pot 0 | Rake 0" in lines
    assert not [line for line in lines if "collected" in line]


def test_names_are_one_line_and_differ() -> None:
    """What would end a name in this shape is taken out; a second player of a name gets its seat behind it."""
    story = Story({1: 50, 2: 50, 5: 50}, cards={1: "?? ?? 2c"}).bets("1 post, 2 fold, 5 fold")
    lines = lines_of(story, s1="A:n\nn", s2="Bob", s5="Bob")
    assert lines[2:5] == ["Seat 1: A n n (50 in chips)", "Seat 2: Bob (50 in chips)", "Seat 5: Bob (5) (50 in chips)"]


def test_a_common_card_cannot_be_told() -> None:
    """R-STUB-04: the shape has no word for it, and the hand is left out with that reason."""
    found = 0
    for events, hand in random_hands(150, seed=31, knobs=False):
        common = any(isinstance(event, CommunityDealt) for event in events)
        assert why_not(hand) == (NO_COMMON_CARD if common else None)
        found += common
        if common:
            with pytest.raises(ValueError, match="R-STUB-04"):
                stars_text(hand)
    assert found


def test_money_adds_up_and_no_hidden_card_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was put in is what was returned, collected and raked; a card that never was public stands nowhere (R-RULE-06)."""
    for events, hand in (*random_hands(150, seed=32, knobs=True), *hands_with_slips(40, 33, monkeypatch)):
        if why_not(hand) is not None:
            continue
        text = stars_text(hand)
        cards = set(re.findall(r"\b[2-9TJQKA][cdhs]\b", text))
        assert not {card.text for card in hidden_cards(events)} & cards
        if hand.void is None:
            total = int(re.search(r"^Total pot (\d+)", text, re.MULTILINE)[1])  # type: ignore[index]
            collected = sum(map(int, re.findall(r"collected (\d+) from", text)))
            assert collected + hand.rake == total == sum(pot.chips for pot in hand.end.pots)
