"""``deck quarantine|release|show|list``: what is known of a deck beside its tags, and taking it or a card of it out of play."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from controller.access.people import are_two
from controller.cli.parsing import OK, UsageError, add_command, add_json, count, language, print_json
from controller.deck_care import CareError, DeckCare, Quarantined, care_path, change_care, digest_of, load_care
from controller.hand.cards import DECK, Card, parse_card
from controller.tracking.life import LIFE_HANDS, READINGS_LEAST, Wear, WearSign, wear_signs
from controller.tracking.registry import DeckRegistry, RegistryError, parse_registry_toml
from controller.words.catalogue import Language, text

MOST_MISSED: Final = 5
"""Cards that ``deck show`` names without being asked for all."""


def add_care_commands(commands: Any) -> None:
    """Add ``quarantine``, ``release``, ``show`` and ``list``."""
    about = "take a deck, or one card of it, out of play: no further hand is started with it"
    example = 'stud-table deck quarantine deck.toml --card 7h --by Ann --reason "a bent corner"'
    parser = add_command(commands, "quarantine", _quarantine, about, example)
    _add_deck(parser)
    _add_card(parser)
    parser.add_argument("--by", required=True, metavar="NAME", help="who takes it out of play")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why")
    about = "end a quarantine; two people say so, and the deck is to be checked before it is played"
    example = "stud-table deck release deck.toml --by Ann --agreed-by Ben"
    parser = add_command(commands, "release", _release, about, example)
    _add_deck(parser)
    _add_card(parser)
    parser.add_argument("--by", required=True, metavar="NAME", help="who releases it")
    parser.add_argument("--agreed-by", required=True, metavar="NAME", help="who agrees; another person")
    about = "a deck's life: hands played, what readers and shoe missed, warnings, check and quarantine"
    parser = add_command(commands, "show", _show, about, "stud-table deck show deck.toml")
    _add_deck(parser)
    _add_life(parser)
    about = "several decks, a line each: hands played, warnings, check and quarantine"
    parser = add_command(commands, "list", _list, about, "stud-table deck list decks/*.toml")
    parser.add_argument("decks", type=Path, nargs="+", metavar="DECK.toml", help="the decks' files")
    _add_language(parser)
    _add_life(parser)


def _add_deck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deck", type=Path, metavar="DECK.toml", help="the deck's file")
    _add_language(parser)


def _add_card(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--card", metavar="CARD", help="this one card, as 7h (default: the whole deck)")


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _add_life(parser: argparse.ArgumentParser) -> None:
    life = f"hands that a deck lasts; 0: no warning by age (default {LIFE_HANDS})"
    parser.add_argument("--life-hands", type=_hands, default=LIFE_HANDS, metavar="N", help=life)


def _hands(given: str) -> int:
    return 0 if given == "0" else count(given)


def now() -> str:
    """The time as records tell it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def load_deck(path: Path) -> DeckRegistry:
    """The deck of a file; ``UsageError`` says what is wrong with it."""
    try:
        return parse_registry_toml(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}): name the file of an enrolled deck") from None
    except RegistryError as error:
        raise UsageError(f"{path}: {error}") from None


def changed_care(deck: Path, change: Callable[[DeckCare], DeckCare]) -> DeckCare:
    """Change what is known of a deck; ``UsageError`` when its file cannot be read or written."""
    path = care_path(deck)
    try:
        return change_care(path, change)
    except CareError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}): give file and folder to this user") from None


def writable(path: Path) -> None:
    """Before anybody lays a card: ``UsageError`` when this user could not put the file there."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path} could not be written: there is no folder {folder}: make it, or name another file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{path} could not be written: give the folder {folder} to this user, or name another file")


def two_people(options: argparse.Namespace, *, needed: bool) -> tuple[str, str] | None:
    """Who acts and who agrees, two different people (REG-41, REG-42); ``None`` when nobody is named and nobody need be."""
    by, agreed_by = (options.by or "").strip(), (options.agreed_by or "").strip()
    if not (by or agreed_by or needed):
        return None
    if not are_two(by, agreed_by):
        raise UsageError("name two different people, one with --by and one with --agreed-by")
    return by, agreed_by


def _language(options: argparse.Namespace) -> Language:
    return language() if options.language is None else Language(options.language)


def _card(options: argparse.Namespace) -> Card | None:
    try:
        return None if options.card is None else parse_card(options.card)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _quarantine(options: argparse.Namespace) -> int:
    registry, card = load_deck(options.deck), _card(options)
    by, reason = options.by.strip(), options.reason.strip()
    if not by or not reason:
        raise UsageError("say who takes it out of play with --by, and why with --reason")
    mark = Quarantined(by, now(), reason)
    care = changed_care(options.deck, lambda care: care.put_aside(mark, card))
    _tell(options, registry, care, "deck.quarantined" if card is None else "deck.card_quarantined", card)
    return OK


def _release(options: argparse.Namespace) -> int:
    registry, card, people = load_deck(options.deck), _card(options), two_people(options, needed=True)
    by, agreed_by = people or ("", "")
    try:
        care = changed_care(options.deck, lambda care: care.released(now(), by, agreed_by, card))
    except KeyError:
        what = "the deck" if card is None else card.text
        raise UsageError(f"{what} is in no quarantine: stud-table deck show {options.deck} tells what is") from None
    still = "deck.released_but" if care.cards else "deck.released"
    _tell(options, registry, care, still if card is None else "deck.card_released", card)
    return OK


def _tell(options: argparse.Namespace, registry: DeckRegistry, care: DeckCare, code: str, card: Card | None) -> None:
    chosen = _language(options)
    if options.json:
        print_json(_data(registry, care, LIFE_HANDS, chosen))
        return
    name = "" if card is None else card.text
    sys.stdout.write(text(code, chosen, deck=registry.deck_id, card=name, cards=", ".join(one.text for one in care.cards)) + "\n")


def _show(options: argparse.Namespace) -> int:
    registry, care, chosen = load_deck(options.deck), _load(options.deck), _language(options)
    if options.json:
        print_json({**_data(registry, care, options.life_hands, chosen), "log": [dict(line) for line in care.log]})
    else:
        sys.stdout.write("\n".join(_lines(registry, care, options.life_hands, chosen)) + "\n")
    return OK


def _list(options: argparse.Namespace) -> int:
    chosen = _language(options)
    decks = [(path, load_deck(path), _load(path)) for path in options.decks]
    if options.json:
        print_json({"decks": [_data(registry, care, options.life_hands, chosen) for _, registry, care in decks]})
        return OK
    for path, registry, care in decks:
        warned = len(wear_signs(care.card_hands(), care.wear, options.life_hands))
        values: dict[str, str | int] = {"deck": registry.deck_id, "file": str(path), "hands": care.hands, "warned": warned}
        sys.stdout.write(text("deck.row", chosen, **values, state=text(f"deck.is_{_state(registry, care)}", chosen)) + "\n")
    return OK


def _load(deck: Path) -> DeckCare:
    try:
        return load_care(care_path(deck))
    except CareError as error:
        raise UsageError(str(error)) from None


def _state(registry: DeckRegistry, care: DeckCare) -> str:
    if care.barred is not None:
        return "quarantined"
    passed = care.passed
    if passed is None or passed.digest != digest_of(registry):
        return "unchecked"
    return "in_play" if passed.used else "checked"


def _signs(care: DeckCare, life_hands: int) -> tuple[WearSign, ...]:
    return wear_signs(care.card_hands(), care.wear, life_hands)


def _lines(registry: DeckRegistry, care: DeckCare, life_hands: int, chosen: Language) -> list[str]:
    state = text(f"deck.is_{_state(registry, care)}", chosen)
    lines = [text("deck.life", chosen, deck=registry.deck_id, hands=care.hands, state=state)]
    if care.passed is not None:
        passed = care.passed
        who = {"at": passed.at, "by": passed.by, "agreed_by": passed.agreed_by, "machine": passed.machine}
        lines.append(text("deck.passed", chosen, **who))
    if care.quarantine is not None:
        mark = care.quarantine
        lines.append(text("deck.in_quarantine", chosen, at=mark.at, by=mark.by, reason=mark.reason))
    for card, mark in care.cards.items():
        lines.append(text("deck.card_in_quarantine", chosen, card=card.text, at=mark.at, by=mark.by, reason=mark.reason))
    signs = _signs(care, life_hands)
    lines += [text(sign.code, chosen, **sign.values) for sign in signs] or [text("deck.no_signs", chosen)]
    judged = sorted((own for own in care.wear.items() if own[1].readings >= READINGS_LEAST), key=lambda own: -own[1].miss_rate)
    for card, own in judged[:MOST_MISSED]:
        lines.append(text("deck.missed", chosen, card=card.text, rate=f"{100 * own.miss_rate:.1f}", unread=own.unread))
    return lines


def _data(registry: DeckRegistry, care: DeckCare, life_hands: int, chosen: Language) -> dict[str, Any]:
    passed, mark, hands = care.passed, care.quarantine, care.card_hands()
    return {
        "deck": registry.deck_id,
        "set": registry.set_id,
        "state": _state(registry, care),
        "hands": care.hands,
        "checked": None if passed is None else {"at": passed.at, "by": passed.by, "agreed_by": passed.agreed_by},
        "quarantine": None if mark is None else {"by": mark.by, "at": mark.at, "reason": mark.reason},
        "cards": {card.text: _card_data(hands[card], care.wear.get(card, Wear()), care.cards.get(card)) for card in DECK},
        "warnings": [
            {
                "card": None if sign.card is None else sign.card.text,
                "code": sign.code,
                "text": text(sign.code, chosen, **sign.values),
            }
            for sign in _signs(care, life_hands)
        ],
    }


def _card_data(hands: int, wear: Wear, mark: Quarantined | None) -> dict[str, Any]:
    enough = wear.readings >= READINGS_LEAST
    return {
        "hands": hands,
        "readings": wear.readings,
        "miss_rate": round(wear.miss_rate, 3) if enough else None,
        "unread": wear.unread,
        "quarantine": None if mark is None else {"by": mark.by, "at": mark.at, "reason": mark.reason},
    }
