"""``walk``: the last ten hands of a journal, step by step, as everybody at the table could see them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from unicodedata import category

from controller.cli.hands import head_of
from controller.cli.parsing import DOES_NOT_HOLD, OK, UsageError, add_command, add_json, language, positive, print_json, somewhere
from controller.floor.history.steps import Step
from controller.walk import RECALLED, Walk, WalkedHand, walk
from controller.words.catalogue import Language, text
from controller.words.reasons import card_words

_STATES: Final = {"folded": "lbl.folded", "all_in": "lbl.allin", "ghost": "lbl.ghost", "out": "lbl.sitout"}
"""Words for the state of a seat that does not simply play."""
_KEYS: Final = {"": 1, "b": -1}
"""What is typed for the next step and the one before."""


def add_walk_command(commands: Any) -> None:
    """Add ``walk``."""
    about = "the last ten hands of a journal step by step, for an inspector: record, rule, chips, and no card that was not public"
    parser = add_command(commands, "walk", _walk, about, "stud-table walk copy/ --hand 12 --language fr")
    parser.add_argument("journal", type=somewhere, metavar="JOURNAL", help="a copy of the journal: its folder, or one file")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--hands", type=positive, default=RECALLED, metavar="N", help=f"the last N hands (default {RECALLED})")
    group.add_argument("--hand", type=positive, default=0, metavar="N", help="hand number N alone")
    parser.add_argument("--head", type=head_of, metavar="HEAD", help="a head that was noted elsewhere: it must be in the chain")
    parser.add_argument("--names", action="store_true", help="players, dealers and who ruled by their names")
    parser.add_argument("--all", action="store_true", help="print every step at once, also on a terminal")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _walk(options: argparse.Namespace) -> int:
    chosen = language() if options.language is None else Language(options.language)
    try:
        found = walk(options.journal, hands=options.hands, only=options.hand, names=options.names, head=options.head)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from None
    if options.hand and not found.hands and found.chain.ok:
        raise UsageError(f"{options.journal} holds no hand {options.hand}: leave --hand out for the last ones")
    if options.json:
        print_json(_json(found))
    else:
        _tell(found, chosen, by_step=not options.all and sys.stdin.isatty() and sys.stdout.isatty())
    return OK if found.chain.ok else DOES_NOT_HOLD


def _json(found: Walk) -> dict[str, Any]:
    chain = found.chain
    return {
        "ok": chain.ok,
        "table": found.table,
        "journal": found.journal,
        "events": chain.events,
        "head": chain.head.hex(),
        "first_bad": chain.first_bad,
        "reason": chain.reason,
        "hands": [hand.as_json() for hand in found.hands],
    }


def _tell(found: Walk, chosen: Language, *, by_step: bool) -> None:
    chain = found.chain
    tell_plain(text("ui.recall", chosen) + "\n")
    tell_plain(
        text("walk.source", chosen, table=found.table, journal=found.journal, events=chain.events, head=chain.head.hex()) + "\n"
    )
    if not chain.ok:
        tell_plain(text("walk.damaged", chosen, seq=chain.first_bad or 0, why=chain.reason or "") + "\n")
    if by_step:
        step_through(found.hands, chosen, ask=input, tell=tell_plain)
        return
    for hand in found.hands:
        tell_plain("\n" + head_line(hand, chosen) + "\n")
        for step in hand.told().steps:
            tell_plain("".join(line + "\n" for line in step_lines(step, chosen)))


def tell_plain(said: str) -> None:
    """Write lines in which nothing is an order to the terminal: who changed a journal could have put one into a name."""
    lines = said.split("\n")
    sys.stdout.write("\n".join("".join("\ufffd" if category(letter)[0] == "C" else letter for letter in line) for line in lines))


def step_through(
    hands: tuple[WalkedHand, ...], chosen: Language, *, ask: Callable[[str], str], tell: Callable[[str], object]
) -> None:
    """Show one step after the other with the table after it: Return goes on, ``b`` back, ``n`` and ``p`` to another hand, ``q``
    or the end of the input ends it."""
    number, at = 0, 0
    while number < len(hands):
        hand, steps = hands[number], hands[number].told().steps
        tell("\n" + head_line(hand, chosen) + "\n")
        while 0 <= at < len(steps):
            tell("".join(line + "\n" for line in (*step_lines(steps[at], chosen), *seat_lines(steps[at].view, chosen))))
            try:
                said = ask(text("walk.ask", chosen, k=at + 1, n=len(steps)) + " ").strip().lower()
            except EOFError:
                return
            if said == "q":
                return
            if said in ("n", "p"):
                at = len(steps) if said == "n" else -1
                break
            at += _KEYS.get(said, 0)
        number = number + 1 if at >= len(steps) else max(number - 1, 0)
        at = 0


def head_line(hand: WalkedHand, chosen: Language) -> str:
    """Number, game, posted rules, records and end of a hand."""
    opening = hand.events[0].opening
    game = "-"
    if opening is not None:
        stakes = opening.stakes.model_dump()
        name = text(f"lbl.{opening.variant}", chosen)
        game = text("history.pdf.game", chosen, game=name, rules=opening.rules or "-", **stakes)
    end = text(f"history.outcome.{hand.outcome}", chosen) if hand.outcome else text("walk.open", chosen)
    return text("walk.hand", chosen, n=hand.number, game=game, first=hand.first, last=hand.last, end=end)


def step_lines(step: Step, chosen: Language) -> Iterator[str]:
    """Number of the record, time, sentences with their rules, by whose word, and all chips that were put in."""
    said, at = chosen.value, step.event.at.strftime("%H:%M:%S")
    undone = f" [{text('history.undone', chosen)}]" if step.is_undone else ""
    pot = "" if step.pot is None else f" · {text('walk.pot', chosen, x=step.pot)}"
    evidence = "" if step.evidence is None else f" [{step.evidence[said]}]"
    rule = f" ({step.rule})" if step.rule else ""
    yield f"{step.event.seq:>8}  {at}  {step.text[said]}{rule}{evidence}{undone}{pot}"
    yield from (f"{'':>20}{sentence[said]} ({more})" for sentence, more in step.more)


def seat_lines(view: Mapping[str, Any] | None, chosen: Language) -> Iterator[str]:
    """The table after a step: each seat with its chips and the cards that lie open there, and the common card."""
    for seat in () if view is None else [seat for seat in view["seats"] if seat["state"] != "empty"]:
        open_cards = " ".join(card_words(card) for card in seat["tabled"] or seat["up"])
        down = "" if seat["tabled"] or not seat["down"] else text("ui.say.down", chosen, k=seat["down"])
        bet = "" if not seat["street_chips"] else text("lbl.bet", chosen, x=seat["street_chips"])
        state = text(_STATES[seat["state"]], chosen) if seat["state"] in _STATES else ""
        name = f" {seat['name']}" if seat["name"] else ""
        parts = (text("walk.seat", chosen, n=seat["seat"], name=name, x=seat["stack"]), state, bet, down, open_cards)
        yield f"{'':>10}" + " · ".join(part for part in parts if part)
    if view is not None and view["community"]:
        yield f"{'':>10}{text('lbl.common', chosen)} · {card_words(view['community'])}"
