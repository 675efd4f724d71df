"""The three games as rows (rules §20)."""

from __future__ import annotations

from controller.hand.variants import STREETS, VARIANTS, VariantCode, Wins


def test_the_rows_of_the_rule_book() -> None:
    """Rules §20: aces low in razz alone; high, high and eight-or-better low, low."""
    rows = {code.value: (game.code is code, game.ace_low, game.wins) for code, game in VARIANTS.items()}
    assert rows == {
        "stud": (True, False, (Wins.HIGH,)),
        "stud8": (True, False, (Wins.HIGH, Wins.LOW_EIGHT)),
        "razz": (True, True, (Wins.LOW,)),
    }
    assert set(VARIANTS) == set(VariantCode)


def test_seven_cards_lie_down_down_up_up_up_up_down_and_the_big_bet_starts_on_fifth() -> None:
    """R-DEAL-01, R-DEAL-02, R-SETUP-02."""
    assert [up for street in STREETS.values() for up in street.up] == [False, False, True, True, True, True, False]
    assert [number for number, street in STREETS.items() if street.big] == [5, 6, 7]
    assert all(number == street.number for number, street in STREETS.items())
