"""A seat's display as values, from views of every kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from support.mqtt_samples import seat, seat_view
from support.seat_views import STOPPED, views
from support.table_story import card_texts

from controller.console.seat_screen import seat_screen
from controller.mqtt.compact import compact_of
from controller.mqtt.payloads import AwardLine, Option, PlayerClock, Pot, SeatState, SeatView, TableStatus


@given(views())
@settings(max_examples=150, deadline=None)
def test_no_card_but_an_open_one_and_both_languages_everywhere(view: SeatView) -> None:
    """Of any view a whole picture is made; a card in it lies open in the view (R-RULE-06)."""
    screen = json.loads(json.dumps(seat_screen(view)))
    public = {card for one in view.seats for card in (*one.up, *(one.tabled or ()))} | {view.community}
    assert set(card_texts(screen)) <= public
    for text in (screen["title"], screen["game"], *screen["lines"], *(option["text"] for option in screen["options"])):
        assert set(text) == {"en", "fr"}


@given(views())
@settings(max_examples=150, deadline=None)
def test_everything_that_the_digest_covers_is_on_the_page(view: SeatView) -> None:
    """A seat whose chips or cards the line names has a tile with them; the page could not echo it otherwise."""
    screen, compact = seat_screen(view), compact_of(view)
    tiles = {tile["seat"]: tile for tile in screen["boards"]}
    for number, (bet, won, cards) in enumerate(zip(compact.bets, compact.won, compact.up, strict=True), 1):
        tile = tiles.get(number, {"bet": 0, "won": 0, "cards": []})
        assert (tile["bet"], tile["won"], tuple(tile["cards"])) == (bet, won, cards)
    assert [(option["verb"], option["to"], option["amount"]) for option in screen["options"]] == list(compact.options)
    assert [pot["amount"] for pot in screen["pots"]] == list(compact.pots)


def english(**more: Any) -> tuple[str, list[str]]:
    screen = seat_screen(seat_view(**more))
    return screen["title"]["en"], [line["en"] for line in screen["lines"]]


HERE = STOPPED.model_copy(update={"place": "seat/4/up"})
NOBODY_BET = tuple(one.model_copy(update={"street_chips": 0}) for one in seat_view().seats)
WAITS: dict[str, Any] = {"is_actor": False, "options": ()}


@pytest.mark.parametrize(
    ("more", "title", "lines"),
    [
        ({}, "YOUR TURN", ["Seat 3: 8", "Opened: seat 3"]),
        ({"options": (Option(verb="bring_in", to=2, amount=2),), "street": 3}, "YOU BRING IN 2", ["Seat 3: 8", "Opened: seat 3"]),
        ({"seats": NOBODY_BET}, "YOUR TURN", ["First to act: seat 3"]),
        ({"seat": 1, "actor": 4, "put_in": 20, **WAITS}, "Seat 4 to act", ["8 to call", "You have put in 20"]),
        ({"actor": None, **WAITS}, "Cards are being dealt", []),
        ({"seat": 6, **WAITS}, "ALL-IN", ["Seat 4 to act", "8 to call"]),
        ({"seat": 2, **WAITS}, "Folded", ["Seat 4 to act", "8 to call"]),
        ({"seat": 8, **WAITS}, "Empty", []),
        ({"hand": None, **WAITS}, "Between hands", ["8 to call"]),
        ({"hold": STOPPED}, "Play is stopped", ["A device does not answer."]),
        (
            {"hold": HERE},
            "Please do not touch the new card",
            ["A device does not answer."],
        ),
        ({"phase": "ended", "awards": (AwardLine(pot=0, seat=4, chips=58),), **WAITS}, "You win 58", ["Seat 4 takes 58"]),
        ({"phase": "ended", "awards": (AwardLine(pot=0, seat=1, chips=58),), **WAITS}, "Hand over", ["Seat 1 takes 58"]),
        ({"phase": "voided", "returned": 26, **WAITS}, "Hand void: 26 returned to you", []),
        ({"phase": "voided", **WAITS}, "Hand void", []),
        ({"status": TableStatus.SUSPENDED}, "Not in play", ["suspended"]),
    ],
)
def test_titles_and_lines_by_state(more: dict[str, Any], title: str, lines: list[str]) -> None:
    """As the screens say."""
    if more.get("hand", 1) is None:
        more = {**more, "actor": None}
        lines = []
    assert english(**more) == (title, lines)


def test_options_are_told_with_what_they_leave() -> None:
    """Text of each, and the chips that are left; nothing is asked of who is not in turn."""
    screen = seat_screen(seat_view())
    assert [(o["text"]["en"], o["sub"]["en"]) for o in screen["options"]] == [
        ("Fold", "give up the pot"),
        ("Call 8", "leaves you 288"),
        ("Raise to 16", "leaves you 280"),
    ]
    assert screen["note"]["en"].startswith("Say it or show it")
    assert seat_screen(seat_view(is_actor=False))["options"] == []


def test_a_short_stack_is_told_that_it_goes_all_in() -> None:
    """A call for less, and a raise for less."""
    options = (Option(verb="call", to=5, amount=5, all_in=True), Option(verb="raise", to=13, amount=13, all_in=True))
    assert [o["text"]["en"] for o in seat_screen(seat_view(options=options))["options"]] == ["All-in 5", "All-in to 13"]


def test_a_pot_that_is_not_his_says_so() -> None:
    """Main pot and side pot, with who can win them."""
    pots = (Pot(amount=50, seats=(1, 4, 6)), Pot(amount=8, seats=(1, 4)))
    screen = seat_screen(seat_view(6, pots=pots, my_pots=(0,), is_actor=False))
    assert [(p["name"]["en"], p["amount"], p["mine"]) for p in screen["pots"]] == [
        ("Main pot", 50, True),
        ("Side pot 1", 8, False),
    ]
    assert screen["pots"][1]["word"] == {"en": "not yours", "fr": "hors de votre portée"}


def test_a_clock_and_rules_are_told() -> None:
    """Seconds to count down, and the fingerprint of the rules that are played."""
    screen = seat_screen(seat_view(clock=PlayerClock(seat=4, seconds=30), rules="0123456789abcdef"))
    assert screen["clock"] == {"seat": 4, "seconds": 30, "hand": 1287}
    assert screen["rules"]["en"] == "Rules 0123456789abcdef"


def test_boards_are_those_of_the_hand() -> None:
    """Live seats, and who has chips or cards there; an empty seat and a folded one without chips have none."""
    screen = seat_screen(seat_view())
    assert [tile["seat"] for tile in screen["boards"]] == [1, 3, 4, 6, 7]
    assert [tile["seat"] for tile in screen["boards"] if tile["you"]] == [4]
    bare = (seat(1, "Ann", 5, SeatState.OUT), seat(2, "Ben", 5, SeatState.OUT))
    assert seat_screen(seat_view(1, seats=bare, hand=None, pots=(), my_pots=()))["boards"] == []
