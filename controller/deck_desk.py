"""The enrolment desk: one reader, and a person who lays cards on it. Writes a deck's file whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from controller.hand.cards import DECK, Card
from controller.tracking.enrolment import DeckCheck, Enrolment, Said
from controller.tracking.registry import DeckRegistry
from controller.whole_file import write_whole
from drivers.ports import AntennaScan, Deliver, DeviceEvent, LinkChanged, LinkState, ReaderPort

MakeReader: TypeAlias = Callable[[Deliver], ReaderPort]
Tell: TypeAlias = Callable[[Said], None]
_DOWN: Final = frozenset((LinkState.DOWN, LinkState.QUARANTINE))


async def run_desk(make_reader: MakeReader, on_scan: Callable[[AntennaScan], bool], tell: Tell) -> None:
    """Scan the desk until ``on_scan`` says that it has all it wants. A reader that falls out is told and waited for."""
    finished = asyncio.Event()

    async def deliver(event: DeviceEvent) -> None:
        match event:
            case AntennaScan() if not finished.is_set() and on_scan(event):
                finished.set()
            case LinkChanged(antenna=0, state=state, detail=detail) if state in _DOWN:
                tell(Said("deck.reader_lost", {"reason": detail}))
            case _:
                pass

    running = asyncio.create_task(make_reader(deliver).run(), name="desk reader")
    waiting = asyncio.create_task(finished.wait())
    try:
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (running, waiting):
            task.cancel()
        ended = await asyncio.gather(running, waiting, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


class EnrolmentDesk:
    """Asks for each card of ``enrolment`` in turn; ``tell`` says it to the person."""

    def __init__(self, enrolment: Enrolment, tell: Tell) -> None:
        self._enrolment = enrolment
        self._tell = tell

    def ask(self) -> None:
        """Say which card is next."""
        card = self._enrolment.card
        if card is not None:
            values: dict[str, str | int] = {"card": card.text, "done": self._enrolment.done, "total": self._enrolment.total}
            self._tell(Said("deck.next", values))

    def back(self) -> None:
        """The last card was another one."""
        self._tell(self._enrolment.back())
        self.ask()

    def scan(self, scan: AntennaScan) -> bool:
        """One scan; whether all cards are taken."""
        said = self._enrolment.scan(scan.tags, clean=scan.clean)
        if said is not None:
            self._tell(said)
            if said.code == "deck.taken":
                self.ask()
        return self._enrolment.card is None


async def enrol(make_reader: MakeReader, enrolment: Enrolment, tell: Tell, desk: EnrolmentDesk | None = None) -> None:
    """Until every card has a tag. Cancelled, nothing has happened."""
    guide = desk or EnrolmentDesk(enrolment, tell)
    guide.ask()
    await run_desk(make_reader, guide.scan, tell)


async def check_deck(make_reader: MakeReader, check: DeckCheck, tell: Tell, *, seconds: float) -> None:
    """Until all 52 were seen, at most ``seconds``; what is missing then, or foreign, stands in ``check``."""

    def scan(scan: AntennaScan) -> bool:
        if check.scan(scan.tags):
            tell(Said("deck.spread", {"seen": check.seen}))
        return not check.missing

    tell(Said("deck.spread", {"seen": 0}))
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await run_desk(make_reader, scan, tell)


def with_new_tag(registry: DeckRegistry, card: Card) -> Enrolment:
    """The enrolment of one card of a deck anew: the tags of the other 51 stay, and none of them is taken for it."""
    return Enrolment((card,), known={known: registry.tag(known) for known in DECK})


def write_deck(path: Path, registry: DeckRegistry) -> None:
    """The deck's file, mode 0600: whole or as it was before, whatever happens meanwhile."""
    write_whole(path, registry.toml())
