"""``deck enrol|check``: which tag is in which card, and whether a deck is whole, at a desk reader. Its care: ``deck_care``."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from controller.cli.deck_care import add_care_commands, changed_care, load_deck, now, two_people, writable
from controller.cli.parsing import (
    DOES_NOT_HOLD,
    OK,
    Parser,
    UsageError,
    add_command,
    add_json,
    bus_address,
    count,
    language,
    print_json,
)
from controller.deck_care import DeckCare, DeckPassed, care_path, digest_of
from controller.deck_desk import EnrolmentDesk, MakeReader, check_deck, enrol, with_new_tag, write_deck
from controller.hand.cards import Card, parse_card
from controller.tracking.enrolment import DeckCheck, Enrolment, Said
from controller.tracking.registry import DeckRegistry
from controller.words.catalogue import Language, text
from drivers.clock import SystemClock
from drivers.factory import ReaderSetup, WiredAntenna
from drivers.link.serial import Parity, SerialSettings, opener_for
from drivers.ports import Deliver, DriverError, ReaderPort
from drivers.registry import reader_driver, reader_names

BELL: Final = "\a"
CHECK_S: Final = 60


def add_deck_commands(commands: Any) -> None:
    """Add ``deck`` with its own commands."""
    about = "a deck: enrol its tags, check that it is whole, look at its life, take it or a card of it out of play"
    deck = commands.add_parser("deck", help=about, description=about)
    own = deck.add_subparsers(dest="deck_command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_enrol(own)
    _add_check(own)
    add_care_commands(own)


def _add_desk(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deck", type=Path, metavar="DECK.toml", help="the deck's file")
    parser.add_argument("--port", required=True, metavar="PORT", help="the desk reader's port, or socket://host:port")
    names = reader_names()
    parser.add_argument(
        "--as", dest="kind", choices=names, default="feig", metavar="|".join(names), help="its kind (default feig)"
    )
    parser.add_argument("--antenna", type=bus_address, default=1, metavar="N", help="its address on the line (default 1)")
    parser.add_argument(
        "--baud", type=count, default=0, metavar="N", help="speed of the line (default: as the maker delivers it)"
    )
    parser.add_argument("--parity", choices=("none", "even", "odd"), help="parity (default: as the maker delivers it)")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    add_json(parser)


def _add_enrol(commands: Any) -> None:
    about = "lay the 52 cards on a reader one by one; the file is written when all are taken, and not before"
    example = "stud-table deck enrol d2.toml --port /dev/serial/by-path/… --as pn532 --deck D2 --set D20260301B"
    parser = add_command(commands, "enrol", _enrol, about, example)
    _add_desk(parser)
    parser.add_argument("--deck", dest="deck_id", metavar="NAME", help="your name for the deck (default: the file's)")
    parser.add_argument("--set", dest="set_id", metavar="NAME", help="what the shoe calls the deck when it is loaded")
    parser.add_argument("--replace", metavar="CARD", help="enrol this one card of an enrolled deck anew, as Qh")
    parser.add_argument("--by", metavar="NAME", help="who enrols, for the deck's log (default: the login name)")


def _add_check(commands: Any) -> None:
    about = "let a deck pass a reader: are all 52 cards there, by their tags, and no other; with two names the table plays on it"
    example = "stud-table deck check deck.toml --port /dev/serial/by-path/… --by Ann --agreed-by Ben"
    parser = add_command(commands, "check", _check, about, example)
    _add_desk(parser)
    parser.add_argument("--by", metavar="NAME", help="the dealer who checks")
    parser.add_argument("--agreed-by", metavar="NAME", help="the supervisor who verifies; another person")
    parser.add_argument(
        "--seconds", type=count, default=CHECK_S, metavar="N", help=f"give up after N seconds (default {CHECK_S})"
    )


def _reader(options: argparse.Namespace) -> MakeReader:
    driver = reader_driver(options.kind)
    made = driver.line
    line = SerialSettings(options.baud or made.baud, made.parity if options.parity is None else Parity(options.parity[0].upper()))
    opener = opener_for(options.port, line)

    def make(deliver: Deliver) -> ReaderPort:
        wired = (WiredAntenna(options.antenna),)
        clock, rng = SystemClock(), random.SystemRandom()
        return driver.make(
            ReaderSetup(name="desk", opener=opener, deliver=deliver, clock=clock, rng=rng, antennas=wired, baud=line.baud)
        )

    return make


def _teller(options: argparse.Namespace) -> Callable[[Said], None]:
    """Each text on a line of its own; a bell on a terminal when a card is taken or something is wrong."""
    chosen = language() if options.language is None else Language(options.language)
    out = sys.stderr if options.json else sys.stdout

    def tell(said: Said) -> None:
        bell = BELL if out.isatty() and said.code != "deck.next" else ""
        out.write(bell + text(said.code, chosen, **said.values) + "\n")
        out.flush()

    return tell


def _enrol(options: argparse.Namespace) -> int:
    tell = _teller(options)
    enrolment, deck_id, set_id = _begun(options)
    by = options.by or _login()
    try:
        asyncio.run(_guided(_reader(options), enrolment, tell))
    except KeyboardInterrupt:
        tell(Said("deck.cancelled", {"file": str(options.deck)}))
        if options.json:
            print_json({"cards": 0, "missing": enrolment.total, "duplicates": 0, "written": None})
        return DOES_NOT_HOLD
    except DriverError as error:
        raise UsageError(str(error)) from None
    registry = enrolment.registry(deck_id, set_id)
    write_deck(options.deck, registry)
    _note_enrolment(options, registry, by)
    code = "deck.written" if options.replace is None else "deck.replaced"
    tell(Said(code, {"total": 52, "card": options.replace or "", "file": str(options.deck)}))
    if options.json:
        print_json({"cards": 52, "missing": 0, "duplicates": 0, "written": str(options.deck)})
    return OK


def _note_enrolment(options: argparse.Namespace, registry: DeckRegistry, by: str) -> None:
    """A new deck, or a card that begins its life: the deck is to be checked before it is played."""
    card = None if options.replace is None else _card(options.replace)
    at, digest = now(), digest_of(registry)
    changed_care(options.deck, lambda care: care.enrolled_anew(at, by, digest, card))


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("say by --by who enrols: this user has no login name") from None


def _begun(options: argparse.Namespace) -> tuple[Enrolment, str, str]:
    """The enrolment with the names of its deck; one card of an enrolled deck keeps those of its file.

    What the file could not take is told before anybody lays a card.
    """
    writable(options.deck)
    if options.replace is None:
        if options.deck.exists():
            raise UsageError(f"{options.deck} is there already: name another file, or replace one card with --replace")
        if not options.set_id:
            raise UsageError("say by --set what the shoe calls this deck when it is loaded")
        deck_id = options.deck_id or options.deck.stem
        for option, name in (("--deck", deck_id), ("--set", options.set_id)):
            if not name.isprintable() or not name.strip():
                raise UsageError(f"{option} {name!r} is no name: write it in letters, digits and signs, on one line")
        return Enrolment(), deck_id, options.set_id
    known = load_deck(options.deck)
    return with_new_tag(known, _card(options.replace)), known.deck_id, known.set_id


def _card(given: str) -> Card:
    try:
        return parse_card(given)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def _guided(make: MakeReader, enrolment: Enrolment, tell: Callable[[Said], None]) -> None:
    """Ask card by card; on a terminal the return key takes the last card back."""
    desk = EnrolmentDesk(enrolment, tell)
    loop = asyncio.get_running_loop()
    listens = sys.stdin.isatty()
    if listens:
        tell(Said("deck.help"))
        loop.add_reader(sys.stdin, _on_return, desk, loop)
    try:
        await enrol(make, enrolment, tell, desk)
    finally:
        if listens:
            with suppress(OSError):
                loop.remove_reader(sys.stdin)


def _on_return(desk: EnrolmentDesk, loop: asyncio.AbstractEventLoop) -> None:
    if sys.stdin.readline():
        desk.back()
    else:  # the terminal's end of input, which would be read for ever
        loop.remove_reader(sys.stdin)


def _check(options: argparse.Namespace) -> int:
    tell = _teller(options)
    people = two_people(options, needed=False)
    registry = load_deck(options.deck)
    if people is not None:
        writable(care_path(options.deck))
    check = DeckCheck(registry)
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(check_deck(_reader(options), check, tell, seconds=options.seconds))
    except DriverError as error:
        raise UsageError(str(error)) from None
    if not check.seen:
        tell(Said("deck.none_seen"))
    elif check.missing:
        names = ", ".join(card.text for card in check.missing)
        tell(Said("deck.missing", {"count": len(check.missing), "cards": names}))
    if check.foreign:
        tell(Said("deck.foreign", {"count": check.foreign}))
    if check.whole:
        tell(Said("deck.whole"))
    if people is None:
        tell(Said("deck.not_recorded"))
    else:
        _record(options, registry, people, whole=check.whole)
        tell(Said("deck.recorded" if check.whole else "deck.failed", {"by": people[0], "agreed_by": people[1]}))
    if options.json:
        missing = [card.text for card in check.missing]
        seen = {"cards": check.seen, "missing": missing, "duplicates": [], "foreign": check.foreign, "ok": check.whole}
        print_json({**seen, "recorded": people is not None})
    return OK if check.whole else DOES_NOT_HOLD


def _record(options: argparse.Namespace, registry: DeckRegistry, people: tuple[str, str], *, whole: bool) -> None:
    """Who checked, who verified, at which machine, and what came of it (REG-41)."""
    machine, at = f"{options.kind} at {options.port}, antenna {options.antenna}", now()
    passed = DeckPassed(at, *people, machine, digest_of(registry))

    def change(care: DeckCare) -> DeckCare:
        return care.found(passed) if whole else care.failed(at, *people, machine)

    changed_care(options.deck, change)
