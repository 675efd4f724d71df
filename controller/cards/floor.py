"""The floor's card: alarms by priority with what to do, who rules, misdeals and their money, how late, stop and go on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controller.access.rights import DEVICE_RULINGS, ORDERS, Needs
from controller.cards.game import SLIPS, CardGame
from controller.cards.sheet import Block, Look, Row, Sheet
from controller.console.forms import RULINGS
from controller.hand.commands import Role
from controller.hand.irregular_events import MisdealCause
from controller.table.rulings import ruling_needs
from controller.words.catalogue import catalogue

ALARMS: Final = {
    1: (
        "hold",
        "shoe_stopped",
        "shoe_tampered",
        "program_changed",
        "disk_full",
        "disk_late",
        "table_lost",
        "table_silent",
        "bridge_away",
        "broker_away",
        "copy_differs",
        "copy_ahead",
    ),
    2: (
        "floor_asked",
        "device_down",
        "shoe_error",
        "display_differs",
        "display_lost",
        "display_behind",
        "mqtt_command",
        "disk_short",
        "store_away",
        "webhook_fails",
        "copy_hole",
    ),
    3: ("disk_slow", "clock_untrusted"),
}
"""Every alarm by its priority; ``disk_late`` is one of priority 2 before play has to wait for it."""
_MONEY: Final = (
    ("misdeal", "stay", "back", "none", "redeal"),
    ("dead", "stay", "called", "usual", "play_on"),
    ("refund", "own_back", "none", "usual", "play_on"),
    ("void", "back", "back", "none", "new"),
)
"""Ruling; antes, bets, rake, and what comes then (R-MIS-03, R-ABS-03, R-EXP-02, R-RULE-03)."""
_LATE: Final = ("undo_dealer", "undo_floor", "burn", "retrieve", "award", "shuffle")
"""R-RULE-02, R-ERR-03, R-ERR-04, R-ERR-07, R-RULE-04, R-DECK-05."""
_STOP: Final = ("freeze", "rule", "resume", "void", "aside", "ack", "down")


def floor_sheet(game: CardGame) -> Sheet:
    """The card of the floor people who look after a table."""
    word = game.word
    return Sheet(
        game.language.value,
        word("cards.floor.title"),
        game.line("cards.floor.subtitle"),
        Block(word("cards.head.people"), tuple((row,) for row in _people(game))),
        (
            Block(word("cards.head.first"), _alarms(game, 1), look=Look.STOP),
            Block(word("cards.head.second"), _alarms(game, 2)),
            Block(word("cards.head.third"), _alarms(game, 3)),
            Block(word("cards.head.late"), _late(game), (1.0, 1.25)),
        ),
        (
            Block(word("cards.head.stop"), tuple((_stop(game, name),) for name in _STOP)),
            Block(word("cards.head.misdeal"), tuple((row,) for row in _misdeal(game))),
            Block(word("cards.head.money"), _money(game), (1.2, 0.95, 1.15, 1.25, 1.05), has_head=True),
            Block(word("cards.head.slips"), game.posted(SLIPS)),
        ),
        game.foot(),
    )


def _alarms(game: CardGame, priority: int) -> tuple[Row, ...]:
    known = catalogue(game.language)
    names = {code: (f"cards.alarm.{code}", f"floor.title.{code}", f"ui.fault.{code}") for code in ALARMS[priority]}
    titles = {code: next(known[key] for key in keys if key in known) for code, keys in names.items()}
    return tuple((f"**{title}** → {game.word(f'cards.alarm.do.{code}')}",) for code, title in titles.items())


def _people(game: CardGame) -> tuple[str, ...]:
    """Who may give which ruling and order, as the table asks for it (R-RULE-01, REG-38, REG-40)."""
    needs = {kind: ruling_needs(kind, Role.DEALER) for kind in RULINGS} | {
        order: who for order, who in ORDERS.items() if who is not Needs.DEALER
    }
    theirs = {who: [one for one, whose in needs.items() if whose is who] for who in Needs}
    rows = [game.word(f"cards.people.{who.value}", list=_forms(game, kinds)) for who, kinds in theirs.items()]
    return (*rows, game.word("cards.people.engineer", list=_forms(game, sorted(DEVICE_RULINGS))))


def _forms(game: CardGame, kinds: Iterable[str]) -> str:
    said = [game.word(f"ui.form.{kind}") for kind in kinds]
    return ", ".join([*said[:1], *(one[:1].lower() + one[1:] for one in said[1:])])


def _misdeal(game: CardGame) -> tuple[str, ...]:
    ((too_late,),) = game.posted(("misdeal.sa",))
    return (
        game.word("cards.misdeal.causes", list=" · ".join(game.word(f"misdeal.{cause.value}") for cause in MisdealCause)),
        game.word("cards.misdeal.sa", rule=too_late[:1].lower() + too_late[1:]),
        game.word("cards.misdeal.redeal"),
    )


def _money(game: CardGame) -> tuple[Row, ...]:
    head = ("", *(game.word(f"cards.money.{name}") for name in ("antes", "bets", "rake", "next")))
    said = ([game.word(f"cards.money.{name}") for name in row] for row in _MONEY)
    return (head, *((f"**{ruling}**", *rest) for ruling, *rest in said))


def _late(game: CardGame) -> tuple[Row, ...]:
    return tuple((f"**{game.word(f'cards.late.{name}')}**", game.word(f"cards.late.{name}.till")) for name in _LATE)


def _stop(game: CardGame, name: str) -> str:
    keys = {
        "freeze": "floor.one.freeze",
        "rule": "floor.one.rule",
        "floor": "ui.act.floor",
        "playon": "ui.act.playon",
        "apply": "ui.act.apply",
        "resume": "ui.act.resume",
        "void": "ui.form.void_hand",
        "aside": "ui.form.step_past",
        "ack": "floor.deed.acknowledge",
        "shelve": "floor.deed.shelve",
    }
    return game.word(f"cards.stop.{name}", **{name: game.word(key).rstrip("…") for name, key in keys.items()})
