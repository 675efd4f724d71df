"""The dealer's card: the order of a hand, the limits, what the console tells, and what to do at each stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controller.cards.game import HAND_WIDTHS, SLIPS, CardGame, hand_rows
from controller.cards.sheet import Block, Look, Row, Sheet
from controller.console.bar import KEYS

MENDED: Final = (
    "wrong_place",
    "card_not_seen",
    "two_places",
    "moved_card",
    "live_card_mucked",
    "antennas_crossed",
    "foreign_card",
    "unexplained_card",
    "extra_card",
    "card_to_scramble",
    "reload_stub",
    "stub_count",
    "other_deck",
    "joker",
    "device_down",
    "shoe_locked",
    "shoe_degraded",
    "shoe_not_cleared",
    "disk_late",
)
"""Stops that end when dealer or table has put right what they name."""
CALLED: Final = (
    "premature_card",
    "unreadable_card",
    "cards_differ",
    "duplicate_card",
    "card_unknown",
    "face_in_doubt",
    "wrong_card_back",
    "unexpected_load",
    "shoe_stopped",
    "shoe_restarted",
    "shoe_tampered",
    "shoe_error",
    "stub_too_short",
    "floor_called",
)
"""Stops that the floor ends."""
_BETTING: Final = (
    "cap.max_raises",
    "cap.completion_is_raise",
    "cap.heads_up",
    "allin.half_bet",
    "bring_in.tie",
    "bring_in.short",
)
_TELLS: Final = ("blue", "bright", "undo", "hold", "muck", "red", "problem", "floor", "asks", "display", "notlive")
_BUTTONS: Final = ("mucks", "undo", "see", "problem", "cantmove", "floor", "playon", "apply", "resume", "start")
_PLACES: Final = ("main", "fold", "raise", "big", "all", "start", "undo", "problem")


def dealer_sheet(game: CardGame) -> Sheet:
    """The card of the dealers of a table."""
    word = game.word
    keys = ((" · ".join(f"**{_keys(place)}** {word(f'ui.keys.{place}')}" for place in _PLACES),),)
    return Sheet(
        game.language.value,
        word("cards.dealer.title"),
        game.line("cards.game"),
        Block("", hand_rows(game), HAND_WIDTHS, has_head=True),
        (
            Block(word("cards.head.betting"), game.posted((*_BETTING, f"open.tie.{game.variant.value}"))),
            Block(word("cards.head.console"), tuple((_tells(game, name),) for name in _TELLS)),
            Block(word("cards.head.slips"), game.posted(("misdeal.sa", *SLIPS))),
            Block(word("cards.head.keys"), keys),
        ),
        (
            Block(word("cards.head.mend"), _stops(game, MENDED)),
            Block(word("cards.head.call"), _stops(game, CALLED), look=Look.STOP),
        ),
        game.foot(),
    )


def _tells(game: CardGame, name: str) -> str:
    buttons = {button: game.word(f"ui.act.{button}") for button in _BUTTONS}
    return game.word(f"cards.tells.{name}", tabled=game.word("ui.act.tabled", n="…"), **buttons)


def _stops(game: CardGame, codes: Iterable[str]) -> tuple[Row, ...]:
    return tuple((f"**{game.stop(code)}** → {game.word(f'cards.do.{code}')}",) for code in codes)


def _keys(place: str) -> str:
    return " ".join(key.replace("Control+", "Ctrl\xa0").upper() for key in KEYS[place])
