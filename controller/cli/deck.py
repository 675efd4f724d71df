"""``deck enrol|check``: which tag is in which card, and whether a deck is whole, at a desk reader."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from controller.cli.parsing import DOES_NOT_HOLD, OK, Parser, UsageError, add_command, add_json, count, language, print_json
from controller.deck_desk import EnrolmentDesk, MakeReader, check_deck, enrol, with_new_tag, write_deck
from controller.hand.cards import Card, parse_card
from controller.tracking.enrolment import DeckCheck, Enrolment, Said
from controller.tracking.registry import DeckRegistry, RegistryError, parse_registry_toml
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
    about = "a deck's tags: enrol which tag is in which card, or check that a deck is whole"
    deck = commands.add_parser("deck", help=about, description=about)
    own = deck.add_subparsers(dest="deck_command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_enrol(own)
    _add_check(own)


def _add_desk(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deck", type=Path, metavar="DECK.toml", help="the deck's file")
    parser.add_argument("--port", required=True, metavar="PORT", help="the desk reader's port, or socket://host:port")
    names = reader_names()
    parser.add_argument(
        "--as", dest="kind", choices=names, default="feig", metavar="|".join(names), help="its kind (default feig)"
    )
    parser.add_argument("--antenna", type=count, default=1, metavar="N", help="its address on the line (default 1)")
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


def _add_check(commands: Any) -> None:
    about = "let a deck pass a reader: are all 52 cards there, by their tags, and no other"
    parser = add_command(commands, "check", _check, about, "stud-table deck check deck.toml --port /dev/serial/by-path/…")
    _add_desk(parser)
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


def _load(path: Path) -> DeckRegistry:
    try:
        return parse_registry_toml(path.read_text(encoding="utf-8"))
    except RegistryError as error:
        raise UsageError(f"{path}: {error}") from None


def _enrol(options: argparse.Namespace) -> int:
    tell = _teller(options)
    enrolment, deck_id, set_id = _begun(options)
    try:
        asyncio.run(_guided(_reader(options), enrolment, tell))
    except KeyboardInterrupt:
        tell(Said("deck.cancelled", {"file": str(options.deck)}))
        if options.json:
            print_json({"cards": 0, "missing": enrolment.total, "duplicates": 0, "written": None})
        return DOES_NOT_HOLD
    except DriverError as error:
        raise UsageError(str(error)) from None
    write_deck(options.deck, enrolment.registry(deck_id, set_id))
    code = "deck.written" if options.replace is None else "deck.replaced"
    tell(Said(code, {"total": 52, "card": options.replace or "", "file": str(options.deck)}))
    if options.json:
        print_json({"cards": 52, "missing": 0, "duplicates": 0, "written": str(options.deck)})
    return OK


def _begun(options: argparse.Namespace) -> tuple[Enrolment, str, str]:
    """The enrolment with the names of its deck; one card of an enrolled deck keeps those of its file."""
    if options.replace is None:
        if options.deck.exists():
            raise UsageError(f"{options.deck} is there already: name another file, or replace one card with --replace")
        if not options.set_id:
            raise UsageError("say by --set what the shoe calls this deck when it is loaded")
        return Enrolment(), options.deck_id or options.deck.stem, options.set_id
    known = _load(options.deck)
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
        loop.add_reader(sys.stdin, _on_return, desk)
    try:
        await enrol(make, enrolment, tell, desk)
    finally:
        if listens:
            with suppress(OSError):
                loop.remove_reader(sys.stdin)


def _on_return(desk: EnrolmentDesk) -> None:
    sys.stdin.readline()
    desk.back()


def _check(options: argparse.Namespace) -> int:
    tell = _teller(options)
    check = DeckCheck(_load(options.deck))
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(check_deck(_reader(options), check, tell, seconds=options.seconds))
    except DriverError as error:
        raise UsageError(str(error)) from None
    if check.missing:
        names = ", ".join(card.text for card in check.missing)
        tell(Said("deck.missing", {"count": len(check.missing), "cards": names}))
    if check.foreign:
        tell(Said("deck.foreign", {"count": check.foreign}))
    if check.whole:
        tell(Said("deck.whole"))
    if options.json:
        missing = [card.text for card in check.missing]
        print_json({"cards": check.seen, "missing": missing, "duplicates": [], "foreign": check.foreign, "ok": check.whole})
    return OK if check.whole else DOES_NOT_HOLD
