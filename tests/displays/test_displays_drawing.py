"""What a display in a terminal looks like. The golden pictures are in ``tests/golden/displays``."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.style import Style
from support.mqtt_samples import SEATS, public_view, seat, seat_view

from controller.displays.drawing import STALE_S, CardLine, draw, face
from controller.mqtt.payloads import AwardLine, Hold, Option, Pot, PublicView, SeatState, Share, TableStatus, Words
from controller.words.catalogue import Language

GOLDEN = Path(__file__).parents[1] / "golden" / "displays"
MOVE = Words(
    en="card at the wrong seat. Move 6♠ from seat 6 to seat 4",
    fr="carte au mauvais siège. Déplacez 6♠ du siège 6 au siège 4",
)


def drawn(picture: RenderableType, width: int = 80) -> str:
    console = Console(width=width, color_system=None, file=io.StringIO(), legacy_windows=False)
    with console.capture() as capture:
        console.print(picture)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def showdown() -> PublicView:
    tabled = ("9s", "Td", "Tc", "2h", "Th", "4c", "Qd")
    seats = (
        *SEATS[:2],
        seat(3, "Chloé", 137, SeatState.LIVE, won=58, tabled=tabled),
        seat(4, "Dmitri", 296, SeatState.LIVE, tabled=("Jh", "6s", "Kc", "Kd", "2c", "2d", "7h")),
        *SEATS[4:],
    )
    award = AwardLine(pot=0, seat=3, chips=58, text=Words(en="three tens", fr="brelan de dix"))
    return public_view(seats=seats, phase="ended", street=7, actor=None, price=None, awards=(award,), raises=0)


def held() -> PublicView:
    return public_view(hold=Hold(code="wrong_place", place="seat/6/up", text=MOVE))


PICTURES = {
    "your-turn": (seat_view(), 0.4, TableStatus.LIVE),
    "public": (public_view(), 0.4, TableStatus.LIVE),
    "hold": (held(), 1.0, TableStatus.SUSPENDED),
    "stale": (seat_view(), 7.25, TableStatus.LIVE),
    "showdown": (showdown(), 0.1, TableStatus.LIVE),
    "void": (seat_view(phase="voided", returned=26, is_actor=False, options=(), actor=None, price=None), 0.4, TableStatus.LIVE),
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", PICTURES)
def test_golden_pictures(name: str, language: Language, width: int) -> None:
    """Each moment looks as in its golden picture, in both languages, on narrow and wide terminals."""
    view, age_s, status = PICTURES[name]
    expected = (GOLDEN / f"{name}-{language.value}-{width}.txt").read_text(encoding="utf-8")
    assert drawn(draw(view, age_s, language, status=status), width) == expected


def test_between_hands_nobody_sits_out() -> None:
    """A seat without cards sits out while others play; between hands it only waits, like everybody."""
    seats = (seat(1, "Amara", 70, SeatState.OUT), *SEATS[1:])
    assert "Sitting out" in drawn(draw(public_view(seats=seats), 0.1, Language.EN))
    between = public_view(seats=seats, hand=None, street=None, phase=None, actor=None, price=None)
    assert "Sitting out" not in drawn(draw(between, 0.1, Language.EN))


def test_amounts_are_veiled_one_moment_past_the_limit() -> None:
    """At ``STALE_S`` the picture is live; after it every amount is a dash and the display says whom to ask."""
    fresh, stale = (drawn(draw(seat_view(), age, Language.EN)) for age in (STALE_S, STALE_S + 0.1))
    assert "Live 2.0 s" in fresh
    assert "296" in fresh
    assert "NOT LIVE 2.1 s" in stale
    assert "Not live: ask the dealer" in stale
    assert not {"296", "58", "YOUR TURN", "Call 8"} & {part for part in ("296", "58", "YOUR TURN", "Call 8") if part in stale}


@pytest.mark.parametrize(("age_s", "status"), [(None, TableStatus.LIVE), (0.1, TableStatus.LOST)])
def test_a_kept_picture_or_a_lost_table_is_not_live(age_s: float | None, status: TableStatus) -> None:
    """Before the first sign of life, and after the last will, nothing is shown as live."""
    picture = drawn(draw(public_view(), age_s, Language.EN, status=status))
    assert "NOT LIVE" in picture
    assert "Pot –" in picture


@pytest.mark.parametrize(("language", "words"), [(Language.EN, "Waiting for the table"), (Language.FR, "En attente de la table")])
def test_without_a_view_the_display_waits(language: Language, words: str) -> None:
    """Before the first view there is one sentence."""
    assert words in drawn(draw(None, None, language))


def test_suits_have_four_colours() -> None:
    """Spades, hearts, diamonds and clubs differ in colour as in symbol, on a terminal of 16 colours too."""
    faces = [face(f"A{suit}") for suit in "shdc"]
    assert [one.plain for one in faces] == ["A♠", "A♥", "A♦", "A♣"]
    assert len({str(one.style) for one in faces}) == 4
    colours = [Style.parse(str(one.style)).color for one in faces]
    assert len({colour.downgrade(ColorSystem.STANDARD).number for colour in colours if colour}) == 4


@pytest.mark.parametrize(
    ("width", "line"), [(40, "▮▮▮ 10♦ 10♣ 9♠ K♥"), (16, "▮▮▮ 10♦10♣9♠K♥"), (14, "▮▮▮ 10♦10♣9♠K♥"), (13, "▮▮▮ T♦T♣9♠K♥")]
)
def test_cards_move_together_where_room_is_scarce(width: int, line: str) -> None:
    """A line of cards loses its gaps first, then the width of its tens."""
    assert drawn(CardLine(3, ("Td", "Tc", "9s", "Kh")), width).rstrip() == line


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (Option(verb="bring_in", to=2, amount=2), "Bring-in 2"),
        (Option(verb="complete", to=4, amount=4), "Complete to 4"),
        (Option(verb="check", to=0, amount=0), "Check"),
        (Option(verb="bet", to=8, amount=8), "Bet 8"),
        (Option(verb="call", to=16, amount=8), "Call 8"),
        (Option(verb="call", to=5, amount=5, all_in=True), "All-in 5"),
        (Option(verb="raise", to=13, amount=13, all_in=True), "All-in to 13"),
    ],
)
def test_options_are_worded_as_on_the_dealers_buttons(option: Option, said: str) -> None:
    """Call says what is owed, raise and completion say the total."""
    assert said in drawn(draw(seat_view(options=(option,)), 0.1, Language.EN))


def test_the_bring_in_is_called_by_its_name() -> None:
    """Who brings in reads so, and not only that it is his turn."""
    options = (Option(verb="bring_in", to=2, amount=2), Option(verb="complete", to=4, amount=4))
    assert "YOU BRING IN 2" in drawn(draw(seat_view(options=options, street=3), 0.1, Language.EN))


def test_a_pot_that_the_seat_cannot_win_says_so() -> None:
    """Beyond an all-in player's pots the display says that they are not his."""
    assert "not yours" in drawn(draw(seat_view(6, my_pots=(0,), is_actor=False), 0.1, Language.EN), 120)
    assert "not yours" not in drawn(draw(seat_view(), 0.1, Language.EN), 120)


def test_many_pots_are_all_shown() -> None:
    """Seven pots and a hi/lo award make the middle grow; no line is cut off."""
    pots = tuple(Pot(amount=100 + index, seats=(1, 3, 4)) for index in range(7))
    awards = (AwardLine(pot=6, seat=3, chips=54, share=Share.HIGH), AwardLine(pot=6, seat=4, chips=52, share=Share.LOW))
    picture = drawn(draw(public_view(pots=pots, awards=awards, community="Ah"), 0.1, Language.FR))
    assert all(str(100 + index) in picture for index in range(7))
    assert "(haut)" in picture
    assert "(bas)" in picture
    assert "Carte commune A♥" in picture


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
@pytest.mark.parametrize("status", TableStatus)
@pytest.mark.parametrize("language", Language)
def test_every_game_status_and_seat_state_has_its_words(variant: str, status: TableStatus, language: Language) -> None:
    """No combination lacks a text, and no line is wider than the terminal."""
    seats = tuple(seat(number, "Anne-Sophie de Montmorency", 10**7, state, down=3) for number, state in enumerate(SeatState, 1))
    for street in (None, 3, 4, 5, 6, 7):
        view = public_view(variant=variant, street=street, hand=None, seats=seats, actor=3, price=0, bring_in_seat=2)
        assert max(len(line) for line in drawn(draw(view, 0.1, language, status=status)).splitlines()) <= 80
