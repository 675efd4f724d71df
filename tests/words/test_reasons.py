"""Reasons in words: about fifty situations as they are read out, in both languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest
from support.hand_dsl import Story, later, third

import controller.hand.explain
from controller.hand import commands as told
from controller.hand.cards import parse_card
from controller.hand.commands import CardLaid, Refusal, Role, VoidHand
from controller.hand.decide import decide
from controller.hand.events import (
    ActionTaken,
    AntePosted,
    CardDealt,
    HandHeld,
    HandVoided,
    PotAwarded,
    PotsFixed,
    RoundOpened,
    ShowdownOpened,
    StubCounted,
    UncalledReturned,
)
from controller.hand.evolve import evolve
from controller.hand.explain import explain
from controller.hand.explain_betting import why_allowed, why_barred
from controller.hand.irregular_events import (
    ActionUndone,
    AllInDeclared,
    BurnedEarly,
    CardsReturned,
    DeadCause,
    FaceUpRequired,
    HandRefunded,
    HandsKilled,
    HoleExposed,
    MisdealCause,
    MisdealDeclared,
    OutOfTurnNoted,
    OutOfTurnReleased,
    Scrap,
    SeventhShown,
)
from controller.hand.places import parse_place
from controller.hand.state import open_state
from controller.hand.terms import Verb
from controller.words.catalogue import Language, catalogue, placeholders
from controller.words.reasons import seats_words, sentence

SOURCES: Final = Path(controller.hand.explain.__file__).parent
CODES: Final = [path for folder in ("hand", "table", "tracking") for path in sorted((SOURCES.parent / folder).glob("*.py"))]
"""Where requests are refused and play is stopped."""
EN, FR = Language.EN, Language.FR


def said(story: Story, kind: type, language: Language = EN) -> list[str]:
    """Every sentence about the events of ``kind`` in the story."""
    state = open_state(story.state.setup, tuple(story.stacks.items()))
    sentences: list[str] = []
    for event in story.events:
        if isinstance(event, kind):
            sentences += [sentence(why, language) for why in explain(state, event)]
        state = evolve(state, event)
    return [text.replace("\u00a0", " ") for text in sentences]


def both(story: Story, kind: type) -> tuple[str, str]:
    """The last event's first sentence in both languages, without its rule in French."""
    return said(story, kind)[-1], said(story, kind, FR)[-1]


# ------------------------------------------------------------------ who brings in


def test_the_lowest_door_card_by_suit() -> None:
    """The sentence that everybody at the table can check (R-BRING-02)."""
    story = Story({2: 50, 4: 50, 6: 50}, cards={2: "?? ?? 2h", 4: "?? ?? 2c", 6: "?? ?? Ah"})
    assert both(story, RoundOpened) == (
        "Seat 4 brings in: 2♣ is the lowest door card, clubs before hearts (R-BRING-02)",
        "Le siège 4 pose le bring-in : 2♣, plus basse carte porte, trèfle avant cœur (R-BRING-02)",
    )


def test_the_lowest_door_card_alone() -> None:
    """No suit is named where none decides (R-BRING-01)."""
    story = Story({1: 50, 3: 50}, cards={1: "?? ?? Ac", 3: "?? ?? 3s"})
    assert said(story, RoundOpened) == ["Seat 3 brings in: 3♠ is the lowest door card (R-BRING-01)"]


def test_the_highest_door_card_in_razz() -> None:
    """Aces are low, and the highest suit is worst (R-BRING-01, R-BRING-02)."""
    story = Story({1: 50, 3: 50, 5: 50}, variant="razz", cards={1: "?? ?? Kd", 3: "?? ?? Ks", 5: "?? ?? Ac"})
    assert both(story, RoundOpened) == (
        "Seat 3 brings in: K♠ is the highest door card, spades above diamonds (R-BRING-02)",
        "Le siège 3 pose le bring-in : K♠, plus haute carte porte, pique au-dessus de carreau (R-BRING-02)",
    )


def test_equal_door_cards_by_place() -> None:
    """Where the house goes by place, the sentence names the other seat (R-BRING-02)."""
    story = Story({2: 50, 5: 50}, cards={2: "?? ?? 2h", 5: "?? ?? 2c"}, bring_in__tie="nearest_dealer_left")
    assert both(story, RoundOpened) == (
        "Seat 2 brings in: 2♥ is lowest like that of seat 5, but nearer the dealer's left (R-BRING-02)",
        "Le siège 2 pose le bring-in : 2♥, la plus basse, à égalité (siège 5), mais plus près à gauche du croupier (R-BRING-02)",
    )


def test_the_low_card_is_all_in() -> None:
    """The next seat posts whatever its card, or may fold, by the house rule (R-BRING-07)."""
    must = third({1: 50, 2: 0, 3: 50}, low=2)
    assert said(must, RoundOpened) == [
        "Seat 3 posts whatever its card: 2♣ of seat 2 is lowest, but all-in on the ante (R-BRING-07)"
    ]
    may = third({1: 50, 2: 0, 3: 50}, low=2, bring_in__low_all_in_on_ante="next_may_fold")
    assert both(may, RoundOpened) == (
        "Seat 3 may fold, bring in or open: 2♣ of seat 2 is lowest, but all-in on the ante (R-BRING-07)",
        (
            "Le siège 3 peut se coucher, poser le bring-in ou ouvrir : 2♣, siège 2, est la plus basse, mais à tapis sur l’ante "
            "(R-BRING-07)"
        ),
    )


# ------------------------------------------------------------------ antes and posts


def test_antes_short_and_exact() -> None:
    """A short ante says what it can win (R-ANTE-01, R-ANTE-02, R-ANTE-03)."""
    story = Story({1: 50, 2: 3, 3: 5}, stakes=Story({1: 9, 2: 9}).state.setup.stakes._replace(ante=5))
    assert said(story, AntePosted) == [
        "Seat 1 antes 5: everybody dealt in pays before the first card (R-ANTE-01)",
        "Seat 2 antes its last 3 of 5: all-in, it can win as much from each (R-ANTE-02)",
        "Seat 3 antes its last 5: all-in, it owes nothing more and plays for the antes (R-ANTE-03)",
    ]


def test_a_short_post() -> None:
    """The others still owe the full bring-in, or what was posted (R-BRING-08)."""
    full = third({1: 50, 5: 1, 6: 50}, low=5).bets("5 post 1")
    assert both(full, ActionTaken) == (
        "Seat 5 posts all it has, 1; the others still owe 2 (R-BRING-08)",
        "Le siège 5 pose tout ce qu’il a, 1 ; les autres doivent toujours 2 (R-BRING-08)",
    )
    match = third({1: 50, 5: 1, 6: 50}, low=5, bring_in__short="match_short").bets("5 post 1")
    assert said(match, ActionTaken) == ["Seat 5 posts all it has, 1; the others may call 1 (R-BRING-08)"]


def test_completion_is_a_bet_or_a_raise() -> None:
    """Whether a completion counts depends on the house (R-BET-02)."""
    plain = third({1: 50, 2: 50}, low=1).bets("1 post 2, 2 to 4")
    assert both(plain, ActionTaken) == (
        "Seat 2 completes to 4: the bet of the street, not a raise (R-BET-02)",
        "Le siège 2 complète à 4 : la mise de l’avenue, pas une relance (R-BET-02)",
    )
    counted = third({1: 50, 2: 50}, low=1, cap__completion_is_raise="true").bets("1 post 2, 2 to 4")
    assert said(counted, ActionTaken)[-1] == "Seat 2 completes to 4: here it counts as a raise (R-BET-02)"


# ------------------------------------------------------------------ who opens


def test_the_high_board_opens() -> None:
    """The board is named, card by card (R-OPEN-01)."""
    story = Story({1: 50, 2: 50}, cards={1: "?? ?? Qs Qh", 2: "?? ?? 2c Kd"}).passive(4)
    assert both(story, RoundOpened)[0].startswith("Open pair at seat 1")
    assert said(story, RoundOpened)[1] == "Seat 1 opens: Q♠ Q♥ is the highest board (R-OPEN-01)"


def test_the_low_board_opens_in_razz() -> None:
    """Aces low (R-OPEN-04)."""
    story = Story({1: 50, 2: 50}, variant="razz", cards={1: "?? ?? Kh Qd", 2: "?? ?? As 8c"}).passive(4)
    assert both(story, RoundOpened) == (
        "Seat 2 opens: A♠ 8♣ is the lowest board (R-OPEN-04)",
        "Le siège 2 ouvre : A♠ 8♣, plus faible jeu visible (R-OPEN-04)",
    )


def test_equal_boards() -> None:
    """By place, or by the suit of the highest card (R-OPEN-02)."""
    cards = {2: "?? ?? Kh 9d", 6: "?? ?? Ks 9c"}
    left = Story({2: 50, 6: 50}, cards=cards).passive(4)
    assert both(left, RoundOpened) == (
        "Seat 2 opens: K♥ 9♦ ties with seat 6, but nearer the dealer's left (R-OPEN-02)",
        "Le siège 2 ouvre : K♥ 9♦, à égalité (siège 6), mais plus près à gauche du croupier (R-OPEN-02)",
    )
    suit = Story({2: 50, 6: 50}, cards=cards, open__tie__stud="high_card_by_suit").passive(4)
    assert said(suit, RoundOpened)[-1] == "Seat 6 opens: K♠ 9♣ ties with seat 2, but K♠ is highest by suit (R-OPEN-02)"


def test_the_opener_is_all_in() -> None:
    """The next clockwise acts, not the next best board (R-OPEN-03)."""
    story = Story({1: 50, 3: 50, 6: 1}, cards={6: "?? ?? Qs Kh", 3: "?? ?? 2c 3d"}).passive(4)
    assert said(story, RoundOpened)[-2:] == [
        "Seat 6 opens: Q♠ K♥ is the highest board (R-OPEN-01)",
        "Seat 1 acts first: seat 6 opens but is all-in, so the next clockwise (R-OPEN-03)",
    ]


def test_the_open_pair() -> None:
    """Everybody, or its owner alone, may bet big (R-BET-05, R-BET-06)."""
    cards = {1: "?? ?? 9h 9c", 2: "?? ?? 2c Kd"}
    anybody = Story({1: 50, 2: 50}, cards=cards).passive(4)
    assert both(anybody, RoundOpened) == (
        "Open pair at seat 1: every player may bet 4 or 8 on this street (R-BET-05)",
        "Paire visible : siège 1 ; chacun peut miser 4 ou 8 sur cette avenue (R-BET-05)",
    )
    owner = Story({1: 50, 2: 50}, variant="stud8", cards=cards, fourth_pair__stud8="pair_holder_open").passive(4)
    assert said(owner, RoundOpened)[-1] == "Open pair at seat 1: its owner may open for 8 instead of 4 (R-BET-06)"
    anybody.bets("1 to 8")
    assert said(anybody, ActionTaken)[-1] == (
        "Seat 1 bets 8: the big size is open beside an open pair, and all raises are big from now on (R-BET-05)"
    )


def test_a_pair_is_announced() -> None:
    """On the board, but not of faces in razz (R-DEAL-07)."""
    story = Story({1: 50, 2: 50}, cards={1: "?? ?? 9h 9c", 2: "?? ?? 2c Kd"}).passive(4)
    assert "Announce seat 1: a pair of nines (R-DEAL-07)" in said(story, CardDealt)
    assert "À annoncer, siège 1 : paire de neuf (R-DEAL-07)" in said(story, CardDealt, FR)
    razz = Story({1: 50, 2: 50}, variant="razz", cards={1: "?? ?? Kh Kc", 2: "?? ?? 2c 3d"}).passive(4)
    assert not [text for text in said(razz, CardDealt) if "Announce" in text]


# ------------------------------------------------------------------ wagers


def test_raises_and_the_cap() -> None:
    """Each raise has its number; the last one says that the cap is reached (R-BET-03)."""
    story = later(5, {1: 100, 2: 100}, opens=1).bets("1 to 8, 2 to 16, 1 to 24, 2 to 32")
    assert said(story, ActionTaken)[-2:] == [
        "Seat 2 raises to 32: raise 3 of 3 (R-BET-03)",
        "Cap reached at 32: after 3 raises only call or fold (R-BET-03)",
    ]
    assert said(story, ActionTaken, FR)[-1] == "Plafond atteint à 32 : après 3 relances, suivre ou se coucher (R-BET-03)"
    barred = why_barred(story.state)
    assert barred is not None
    assert sentence(barred, EN) == "Seat 1 may call or fold: the cap is reached after 3 raises (R-BET-03)"


def test_no_cap_between_two() -> None:
    """The sentence names the policy's effect (R-BET-04)."""
    story = later(5, {1: 100, 2: 100}, opens=1, cap__heads_up="uncapped_before_cap")
    assert said(story, RoundOpened)[-1] == "Two players are left to bet: no cap, else it is 3 raises (R-BET-04)"
    story.bets("1 to 8, 2 to 16")
    assert said(story, ActionTaken)[-1] == "Seat 2 raises to 16: raise 1; between two the cap of 3 does not hold (R-BET-04)"


def test_all_in_below_half_a_bet() -> None:
    """11 over 8 is no raise (R-BET-08)."""
    story = later(5, {1: 100, 2: 11, 3: 100}, opens=1).bets("1 to 8, 2 to 11")
    assert both(story, ActionTaken) == (
        "Seat 2 is all-in to 11, no raise: 3 above 8 is less than half of 8; who has acted may only call or fold (R-BET-08)",
        (
            "Siège 2, tapis à 11, sans relance : 3 de plus que 8, moins de la moitié de 8 ; "
            "qui a parlé ne peut que suivre ou se coucher (R-BET-08)"
        ),
    )
    story.bets("3 call 11")
    barred = why_barred(story.state)
    assert barred is not None
    assert sentence(barred, EN) == (
        "Seat 1 may call or fold: it has acted, and a short all-in does not open the betting again (R-BET-08)"
    )


def test_all_in_of_half_a_bet() -> None:
    """13 over 8 is a raise, and the next one is to 21 (R-BET-08)."""
    story = later(5, {1: 100, 2: 13, 3: 100}, opens=1).bets("1 to 8, 2 to 13")
    assert both(story, ActionTaken) == (
        "Seat 2 is all-in to 13, a raise: 5 above 8 is at least half of 8; the next raise is to 21 (R-BET-08)",
        "Siège 2, tapis à 13, relance : 5 de plus que 8, au moins la moitié de 8 ; la relance suivante est à 21 (R-BET-08)",
    )


def test_all_in_between_post_and_completion() -> None:
    """3 over a post of 2 is the bet, measured from nothing (R-BET-09)."""
    story = third({1: 50, 2: 3, 3: 50}, low=1).bets("1 post 2, 2 to 3")
    assert said(story, ActionTaken)[-1] == "Seat 2 is all-in to 3, a bet: at least half of 4; the next raise is to 7 (R-BET-09)"


def test_what_may_be_done_and_why() -> None:
    """One reason beside each button, and whether an all-in is a raise (R-BET-08)."""
    story = later(5, {1: 100, 2: 13, 3: 100}, opens=1).bets("1 to 8")
    assert [sentence(why, EN) for why in why_allowed(story.state)] == [
        "Seat 2 may call 8 (R-BET-01)",
        "Seat 2 may go all-in to 13, a raise: at least half a bet more (R-BET-08)",
        "Seat 2 may fold (R-BET-01)",
    ]
    assert [sentence(why, FR).replace("\u00a0", " ") for why in why_allowed(story.state)][1] == (
        "Siège 2, tapis possible à 13, relance : au moins une demi-mise de plus (R-BET-08)"
    )


def test_a_free_fold() -> None:
    """Its cards still come, until chips go in (R-DEAL-06)."""
    story = later(4, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 fold")
    assert said(story, ActionTaken)[-1] == (
        "Seat 1 folds with nothing to call: its cards still come, dead, until somebody bets (R-DEAL-06)"
    )
    story.bets("2 to 4")
    assert said(story, ActionTaken)[-1] == "Chips went in: no more cards for the folded seat 1 (R-DEAL-06)"


# ------------------------------------------------------------------ pots, showdown, awards


def test_uncalled_and_unseen() -> None:
    """Everybody folds to a bring-in (R-ALLIN-03, R-POT-09)."""
    story = third({1: 50, 2: 50, 3: 50}, low=1).bets("1 post 2, 2 fold, 3 fold")
    assert both(story, UncalledReturned) == (
        "2 back to seat 1: nobody put in more than 1 (R-ALLIN-03)",
        "2 rendus au siège 1 : personne n’a mis plus de 1 (R-ALLIN-03)",
    )
    assert both(story, PotAwarded) == (
        "Pot: 3 to seat 1, the last live hand, unseen (R-POT-09)",
        "Pot : 3 au siège 1, dernière main vivante, sans montrer (R-POT-09)",
    )


def test_main_and_side_pot() -> None:
    """Each pot with its seats (R-ALLIN-02)."""
    story = later(6, {1: 100, 2: 8, 3: 100}, opens=1).bets("1 to 8, 2 call, 3 to 16, 1 call")
    story.bets("1 check, 3 check")
    assert said(story, PotsFixed)[:2] == [
        "Main pot: 33 between seats 1, 2 and 3 (R-ALLIN-02)",
        "Side pot 1: 16 between seats 1 and 3 (R-ALLIN-02)",
    ]
    assert said(story, PotsFixed, FR)[1] == "Pot parallèle 1 : 16, sièges 1 et 3 (R-ALLIN-02)"


def test_rake_and_no_rake() -> None:
    """Percentage, cap, and nothing before 4th street (R-RAKE-01)."""
    story = later(7, {1: 100, 2: 100}, opens=1, rake__percent="10", rake__cap="6").bets(
        "1 to 8, 2 to 16, 1 to 24, 2 to 32, 1 call"
    )
    assert said(story, PotsFixed)[-1] == "Rake 6: 10 % of 70, at most 6 (R-RAKE-01)"
    early = third({1: 50, 2: 50}, low=1, rake__percent="10").bets("1 post 2, 2 fold")
    assert said(early, PotsFixed)[-1] == "No rake: the hand ended before 4th street (R-RAKE-01)"


def test_order_of_showing() -> None:
    """The last wager of 7th street, or the first to act (R-SHOW-02, R-SHOW-03)."""
    bet = later(7, {2: 100, 5: 100, 7: 100}, opens=2).bets("2 to 8, 5 to 16, 7 call, 2 call")
    assert both(bet, ShowdownOpened) == (
        "Seat 5 shows first: it bet or raised last on 7th street; order: seats 5, 7 and 2 (R-SHOW-02)",
        "Le siège 5 montre en premier : il a misé ou relancé en dernier à la 7ᵉ avenue ; ordre : sièges 5, 7 et 2 (R-SHOW-02)",
    )
    checked = later(7, {2: 100, 5: 100, 7: 100}, opens=5).bets("5 check, 7 check, 2 check")
    assert said(checked, ShowdownOpened) == [
        "Seat 5 shows first: no bet on 7th street, so the first to act; order: seats 5, 7 and 2 (R-SHOW-03)"
    ]


def test_a_high_hand_wins() -> None:
    """Category and ranks of the winning hand (R-EVAL-01)."""
    cards = {1: "9s 9d 9c Kh 5c 5d 2h", 2: "As Ks 3d 7h 8c Jd 4h"}
    story = Story({1: 50, 2: 50}, cards=cards).passive(8).showdown()
    assert both(story, PotAwarded) == (
        "Pot: 6 to seat 1, best high hand, full house, nines over fives (R-EVAL-01)",
        "Pot : 6 au siège 1, meilleure main haute, full, neuf par cinq (R-EVAL-01)",
    )


def test_high_and_low_halves_with_an_odd_chip() -> None:
    """Each half with its reading; the odd chip goes high (R-POT-05, R-EVAL-02)."""
    cards = {1: "Kh Kd Qs 9c Td 2s Ks", 2: "Ah 2c 3d 5h 7s Jc Kc", 3: "?? ?? 4c 6h"}
    story = Story({1: 50, 2: 50, 3: 50}, variant="stud8", cards=cards)
    story.bets("2 post 2, 3 fold, 1 call").passive(8).showdown()
    assert said(story, PotAwarded) == [
        "Pot: 4 to seat 1, best high hand, three of a kind, K-K-K-Q-10 (R-EVAL-01)",
        "Pot: 3 to seat 2, best low, 7-5-3-2-A (R-EVAL-02)",
        "Pot: the odd chip goes to the high half, 4 and 3 (R-POT-05)",
    ]


def test_nobody_has_a_low() -> None:
    """High takes it all (R-POT-05)."""
    cards = {1: "Kh Kd Qs 9c Td 2s Ks", 2: "Ah Ac Jd 9h Ts Jc 8c"}
    story = Story({1: 50, 2: 50}, variant="stud8", cards=cards).passive(8).showdown()
    assert both(story, PotAwarded) == (
        "Pot: no hand qualifies for low, so high takes it all (R-POT-05)",
        "Pot : aucune main basse qualifiée, le haut prend tout (R-POT-05)",
    )


def test_the_same_seats_tie_both_ways() -> None:
    """One split in place of two (R-POT-07)."""
    cards = {3: "Ah 2c 3d 4s 5h Kd Qc", 6: "Ac 2d 3s 4h 5c Kh Qs"}
    story = Story({3: 50, 6: 50}, variant="stud8", cards=cards).passive(8).showdown()
    assert said(story, PotAwarded)[0] == "Pot: 3 to seat 3: the same seats tie both ways, so it is split once (R-POT-07)"


STRAIGHTS: Final = {1: "9c 8d 7h 6s 5c Jd 2h", 4: "9s 8c 7d 6h 5d Qc 2c", 7: "9h 8s 7s 6c 5s Kd 3c"}


@pytest.mark.parametrize(
    ("policy", "english", "french"),
    [
        (
            "dealer_left",
            "Odd chips one each, nearest the dealer's left first: seats 1 and 4 (R-POT-03)",
            "Jetons impairs un par un, au plus près à gauche du croupier d’abord : sièges 1 et 4 (R-POT-03)",
        ),
        (
            "five_card_high_suit",
            "Odd chips one each by the highest card and suit of the five: seats 4 and 7; seat 4 with 9♠ (R-POT-03)",
            "Jetons impairs un par un, plus haute carte des cinq, couleur comprise : sièges 4 et 7 ; siège 4 avec 9♠ (R-POT-03)",
        ),
        (
            "rrop_seven",
            "Odd chips one each by the highest card and suit of all seven: seats 4 and 7; seat 7 first (R-POT-03)",
            "Jetons impairs un par un, plus haute carte des sept, couleur comprise : sièges 4 et 7 ; siège 7 d’abord (R-POT-03)",
        ),
    ],
)
def test_odd_chips(policy: str, english: str, french: str) -> None:
    """Who gets them and by which order (R-POT-03)."""
    options = {"odd_chip__policy": policy, "odd_chip__distribution": "one_each"}
    aces = {2: "?? ?? Ac", 3: "?? ?? Ad"}
    story = Story(dict.fromkeys((1, 2, 3, 4, 7), 50), cards=STRAIGHTS | aces, **options)
    story.bets("4 post 2, 7 call, 1 call, 2 fold, 3 fold").passive(8).showdown()
    assert both(story, PotAwarded) == (english, french)
    assert said(story, PotAwarded)[1] == (
        f"Pot: {story.won[4]} to seat 4, one of 3 that tie for high, straight, 9-8-7-6-5 (R-POT-02)"
    )


@pytest.mark.parametrize("policy", ["dealer_left", "five_card_high_suit", "rrop_seven"])
@pytest.mark.parametrize("distribution", ["one_each", "all_to_first"])
def test_odd_chips_of_a_tied_low(policy: str, distribution: str) -> None:
    """Every order and way of handing them out has its sentence for a low too (R-POT-03)."""
    options = {"odd_chip__policy": policy, "odd_chip__distribution": distribution}
    cards = {2: "7c 5c 4d 3s 2h Kc Qd", 5: "7h 5s 4h 3c 2s Js Jh", 6: "?? ?? Kh"}
    story = Story(dict.fromkeys((2, 5, 6), 50), variant="razz", cards=cards, **options)
    story.bets("6 post 2, 2 call, 5 call").passive(4)
    while story.state.street < 8 and story.actor:
        story.bets(f"{story.actor} fold" if story.actor == 6 else f"{story.actor} check")
    story.showdown()
    sentences = said(story, PotAwarded)
    assert sentences[0].endswith("one of 2 that tie, 7-5-4-3-2 (R-POT-02)")
    odd = sentences[-1].startswith("All odd chips" if distribution == "all_to_first" else "Odd chips one each")
    assert odd == (story.won[2] != story.won[5])
    assert odd


# ------------------------------------------------------------------ the stub


def test_eight_to_the_river() -> None:
    """The common card says how the cards were counted (R-STUB-02)."""
    story = Story(dict.fromkeys(range(1, 9), 100)).passive(7)
    assert both(story, StubCounted) == (
        "7th street: stub 1 and 3 burns do not reach 10 for 8 hands; all are shuffled for one common card (R-STUB-02)",
        "7ᵉ avenue : talon de 1 et 3 brûlées, il en faut 10 pour 8 mains ; on mélange tout pour une carte commune (R-STUB-02)",
    )
    assert said(story, RoundOpened)[-1].endswith("belongs to no board: those of 6th street decide (R-STUB-05)")


# ------------------------------------------------------------------ slips and rulings


class HalfDealt(Story):
    """A hand whose first deal stopped after ``cards`` cards; nothing deals itself."""

    def __init__(self, seats: int, cards: int) -> None:
        super().__init__(dict.fromkeys(range(1, seats + 1), 50))
        for _ in range(cards):
            self.deal_one()

    def deal(self) -> None:
        """Cards are laid by ``deal_one`` alone."""


def test_one_exposed_card() -> None:
    """It becomes the up card (R-EXP-01)."""
    story = HalfDealt(3, 2)
    story.tell(told.ExposeHole(2, 1))
    card = story.happened(HoleExposed)[-1].card.text
    english, french = both(story, HoleExposed)
    assert english.startswith("A down card of seat 2 was exposed: ")
    assert english.endswith(" is its up card, its third card comes down (R-EXP-01)")
    assert french.startswith("Carte fermée exposée, siège 2 : ")
    assert card[0].replace("T", "10") in english


def test_two_exposed_cards() -> None:
    """Dead with its ante back (R-EXP-02)."""
    story = HalfDealt(3, 5)
    story.tell(told.ExposeHole(2, 1))
    story.tell(told.ExposeHole(2, 1, Role.FLOOR))
    assert both(story, HandRefunded) == (
        "Seat 2 is dead and gets its ante of 1 back: both its down cards were exposed (R-EXP-02)",
        "Siège 2, main morte, ante de 1 rendue : ses deux cartes fermées ont été exposées (R-EXP-02)",
    )


def test_misdeal() -> None:
    """Cause and what stays (R-MIS-01, R-MIS-03)."""
    story = third({1: 50, 2: 50, 3: 50}, low=1).bets("1 post 2")
    story.tell(told.DeclareMisdeal(MisdealCause.SEAT_LEFT_OUT))
    assert said(story, MisdealDeclared) == [
        "Misdeal: a seat with its ante was left out (R-MIS-01)",
        "Bets go back to seat 1, the antes stay for the redeal (R-MIS-03)",
    ]
    assert said(story, MisdealDeclared, FR)[0] == "Maldonne : siège avec ante oublié (R-MIS-01)"


def test_dead_hand() -> None:
    """Cause and its rule (R-ABS-03, R-ABS-04)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 to 8")
    story.tell(told.KillHands((2,), DeadCause.UPCARDS_LIFTED))
    assert both(story, HandsKilled) == (
        "Dead hand, seat 2: up cards lifted or turned while facing a bet (R-ABS-03)",
        "Main morte, siège 2 : cartes ouvertes levées ou retournées face à une mise (R-ABS-03)",
    )


def test_premature_cards() -> None:
    """The burn stands, the rest is shuffled (R-ERR-01)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1).bets("1 check")
    burn, card = story._free.pop(), story._free.pop()
    story.tell(told.PrematureCards((burn, card), burned=True))
    assert said(story, BurnedEarly) == ["The burn that was made too early stays the burn of the coming street (R-ERR-01)"]
    assert said(story, CardsReturned)[0].startswith("Cards dealt too early (1) go back: the stub of ")
    assert both(story, HandHeld)[0].startswith("Play is stopped: Cards go back into the stub.")


def test_undo() -> None:
    """Everything is as before (R-RULE-02)."""
    story = later(5, {1: 50, 2: 50}, opens=1).bets("1 to 8")
    story.tell(told.UndoAction())
    assert both(story, ActionUndone) == (
        "The last action of seat 1 is taken back: all is as before it (R-RULE-02)",
        "Dernière action du siège 1 saisie par erreur : tout est comme avant (R-RULE-02)",
    )


def test_out_of_turn() -> None:
    """An action before its turn waits, and is released when the price changes (R-BET-14)."""
    story = later(5, {1: 50, 2: 50, 3: 50}, opens=1)
    story.tell(told.NoteOutOfTurn(3, Verb.CHECK, 0))
    assert both(story, OutOfTurnNoted) == (
        "Seat 3 acted before seat 1: its action waits, and binds unless the price changes (R-BET-14)",
        "Le siège 3 a parlé avant le siège 1 : son action attend et l’engage si le prix ne change pas (R-BET-14)",
    )
    story.bets("1 to 8, 2 call")
    assert said(story, OutOfTurnReleased) == [
        "The price has changed: seat 3 takes its chips back and has every option (R-BET-14)"
    ]


def test_seventh_face_up() -> None:
    """The owner is asked whether it is all-in for the pots as they stand (R-EXP-06)."""
    story = later(6, {1: 50, 2: 50, 3: 50}, opens=1)
    story.passive(7)
    story.tell(told.ExposeSeventh(2))
    english, french = both(story, SeventhShown)
    assert english.endswith("was exposed: before any action it may declare all-in for the pots as they stand (R-EXP-06)")
    assert french.endswith("avant toute action, il peut se déclarer à tapis pour les pots tels quels (R-EXP-06)")
    story.tell(told.DeclareAllIn(2))
    assert said(story, AllInDeclared) == [
        "Seat 2 plays for the pots as they stand: further bets make a side pot without it (R-EXP-06)"
    ]


def test_hands_turned_up() -> None:
    """Where the house turns hands up, the order is named (R-SHOW-06)."""
    story = later(5, {1: 8, 2: 50, 3: 8}, opens=1, preset="tournament").bets("1 to 8, 2 call, 3 call")
    assert said(story, FaceUpRequired)[0].startswith("No more betting is possible: all live hands are turned up, in this order: ")


def test_void() -> None:
    """Everything goes back (R-RULE-03)."""
    story = third({1: 50, 2: 50}, low=1).bets("1 post 2")
    story.tell(VoidHand("fire alarm"))
    assert both(story, HandVoided) == (
        "The hand is void: 4 go back to 2 contributors, antes too, without rake (R-RULE-03)",
        "Coup annulé : 4 rendus à 2 joueurs, antes comprises, sans prélèvement (R-RULE-03)",
    )


def test_play_stopped() -> None:
    """The hold's own text, and the rule by its kind (R-ERR-01)."""
    story = later(5, {1: 50, 2: 50}, opens=1)
    story.tell(CardLaid(parse_place("seat/1/up"), parse_card("2c")))
    (sentence,) = said(story, HandHeld)
    assert sentence.startswith("Play is stopped: A card left the shoe although none is due. Leave it where it is")
    assert sentence.endswith(" and call the floor: bets made before it are entered first (R-ERR-01)")


# ------------------------------------------------------------------ the catalogue


def test_lists_of_seats() -> None:
    """One, several, none."""
    assert [seats_words(seats, EN) for seats in ((), (4,), (1, 4), (1, 4, 6))] == [
        "",
        "seat 4",
        "seats 1 and 4",
        "seats 1, 4 and 6",
    ]
    assert seats_words((1, 4, 6), FR) == "sièges 1, 4 et 6"


def reason_patterns() -> list[str]:
    """The keys that the sources give to ``why``, as patterns: what is put in is any part of a key."""
    found = []
    for path in SOURCES.glob("explain*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.escape(node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w.]+" for part in node.values]
                found.append("".join(parts))
    return found


def test_every_reason_has_its_text() -> None:
    """Whatever key the sources give to ``why`` outright stands in the catalogue; what is put together matches some key."""
    keys = {key.removeprefix("why.") for key in catalogue(EN)} | set(catalogue(EN))
    missing = []
    for path in SOURCES.glob("explain*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "why":
                continue
            parts = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            if isinstance(node.args[0], ast.JoinedStr):
                continue
            missing += [part.value for part in parts if isinstance(part.value, str) and part.value not in keys]
    assert missing == []


def test_no_reason_is_never_given() -> None:
    """Every ``why.`` text belongs to a key of the sources."""
    patterns = re.compile("|".join(f"(?:{pattern})" for pattern in reason_patterns() if pattern))
    keys = [key.removeprefix("why.") for key in catalogue(EN) if key.startswith("why.")]
    assert [key for key in keys if not patterns.fullmatch(key)] == []


def refusal_codes() -> set[str]:
    """Second arguments of every ``Refusal`` in the core, with the codes that functions hand on."""
    codes = {"cap_reached", "nobody_to_raise", "not_reopened", "kept_seventh", "no_betting", "antes_are_posted", "no_showdown"}
    for path in CODES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refusal" and len(node.args) > 1:
                codes |= {
                    part.value
                    for part in ast.walk(node.args[1])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return codes


def test_every_refusal_of_the_core_has_its_text() -> None:
    """A refused ruling says why, like a refused action (R-RULE-01)."""
    assert sorted(code for code in refusal_codes() if f"refusal.{code}" not in catalogue(EN)) == []


def refusals_with_values() -> list[tuple[str, set[str]]]:
    """Code and value names of every refusal that is written out in the core."""
    found = []
    for path in CODES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "Refusal" or len(node.args) < 2:
                continue
            names = {
                pair.elts[0].value
                for pair in (node.args[2].elts if len(node.args) > 2 and isinstance(node.args[2], ast.Tuple) else [])
                if isinstance(pair, ast.Tuple) and isinstance(pair.elts[0], ast.Constant)
            }
            codes = [part.value for part in ast.walk(node.args[1]) if isinstance(part, ast.Constant)]
            found += [(code, {str(name) for name in names}) for code in codes if isinstance(code, str)]
    return found


def test_the_text_of_a_refusal_wants_no_other_values() -> None:
    """Wherever a code is used, its values fill the sentence."""
    odd = [(code, names) for code, names in refusals_with_values() if placeholders(catalogue(EN)[f"refusal.{code}"]) - names]
    assert odd == []


def test_every_hold_of_the_core_has_its_text() -> None:
    """Whatever stops play has a sentence that says the way out (R-ERR-08)."""
    codes = {
        part.value
        for path in CODES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("HandHeld", "FeltProblem")
        for part in ast.walk(node.args[0])
        if isinstance(part, ast.Constant)
    }
    assert sorted(code for code in codes if f"hold.{code}" not in catalogue(EN)) == []


@pytest.mark.parametrize(("kind", "members"), [("misdeal", MisdealCause), ("dead", DeadCause), ("scrap", Scrap)])
def test_every_cause_has_its_words(kind: str, members: type[MisdealCause | DeadCause | Scrap]) -> None:
    """Causes of misdeals and dead hands, and scrapped cards, in both languages (R-MIS-01, R-ABS-03, R-MIS-06)."""
    assert [member.value for member in members if f"{kind}.{member.value}" not in catalogue(EN)] == []


def test_the_values_of_a_refused_ruling_fill_its_text() -> None:
    """A refusal's own values are all that its sentence needs."""
    story = later(5, {1: 50, 2: 50}, opens=1)
    for given in (
        told.DeclareMisdeal(MisdealCause.EXTRA_CARDS),
        told.ExposeHole(1, 1),
        told.ChooseDoor(1, 1),
        told.ExposeSeventh(1),
        told.DeclareAllIn(1),
        told.KillHands((7,), DeadCause.CLOCK),
        told.RetrieveHand(1),
        told.PrematureCards((), burned=False),
        told.ScrapCard(Scrap.JOKER, None),
        told.RedoSeventh(),
        told.UndoAward(),
        told.NoteOutOfTurn(1, Verb.CHECK, 0),
        told.OpenedBy(1),
        told.PutChips(2, 8, 1),
        told.ReturnToTable(1),
        told.ExpireClock(2),
        told.LetSee(1),
    ):
        refusals = [decide(story.state, given)]
        if isinstance(given, told.LetSee):  # a card too many on seventh is no burn of a next street
            refusals.append(decide(later(7, {1: 50, 2: 50}, opens=1).state, told.KeepExtraAsBurn(None)))
        for refused in refusals:
            assert isinstance(refused, Refusal), given
            for language in Language:
                assert catalogue(language)[f"refusal.{refused.code}"].format_map(dict(refused.values))
