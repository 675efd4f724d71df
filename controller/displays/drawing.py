"""Draws a table for a terminal: a pure function of the view, its age and the language.

Seats lie as before the dealer: 1 and 2 at his left, 3 to 6 opposite, 7 and 8 at his right. Past ``STALE_S`` amounts are veiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.box import HEAVY, ROUNDED
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.mqtt.payloads import AwardLine, Option, Pot, PublicSeat, PublicView, SeatState, SeatView, TableStatus, Words
from controller.words.catalogue import Language, catalogue, text

STALE_S: Final = 2.0
"""Seconds of silence after which a picture is marked as not live; the controller says its status every second."""
VEIL: Final = "–"
BACK: Final = "▮"

_FACE: Final = "on #f5f3ed"
_SUITS: Final = {"s": ("♠", "#14171a"), "h": ("♥", "#d0121b"), "d": ("♦", "#0a3fd0"), "c": ("♣", "#087f3c")}
"""The colours of the other screens; the green a little purer, so that a terminal of 16 colours still shows it as green."""
_LEFT: Final = (2, 1)
_OPPOSITE: Final = (3, 4, 5, 6)
_RIGHT: Final = (7, 8)
_TILE_LINES: Final = 4
_MOST_FACTS: Final = 6
"""Facts that fit beside two tiles even when some wrap; with more, the middle grows."""
_ALARM: Final = "bold white on #b42318"
_HERE: Final = "bold #a8d4ff"


def draw(
    view: PublicView | SeatView | None, age_s: float | None, language: Language, *, status: TableStatus = TableStatus.LIVE
) -> RenderableType:
    """The table for any width from 80 columns on.

    ``view`` None: nothing has come yet. ``age_s`` is the time since the last sign of life, None before the first one.
    """
    if view is None:
        return Panel(Text(text("seat.waiting", language), justify="center"), box=ROUNDED)
    return Group(*_Screen(view, age_s, language, status, live=is_live(age_s, status)).parts())


def is_live(age_s: float | None, status: TableStatus) -> bool:
    """Whether amounts may be trusted."""
    return age_s is not None and age_s <= STALE_S and status is not TableStatus.LOST


@dataclass(frozen=True, slots=True)
class CardLine:
    """Backs and faces on one line: closer together, and ``T`` for ``10``, where there is little room."""

    down: int
    faces: tuple[str, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        candidates = (self._line(" ", "10"), self._line("", "10"))
        fitting = (line for line in candidates if line.cell_len <= options.max_width)
        yield next(fitting, self._line("", "T"))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(len(self._line("", "T")), options.max_width), min(len(self._line(" ", "10")), options.max_width))

    def _line(self, gap: str, ten: str) -> Text:
        line = Text(BACK * self.down, style="#6f7f8c", no_wrap=True)
        for index, card in enumerate(self.faces):
            line.append(gap if index else " " if self.down else "")
            line.append(face(card, ten=ten))
        return line


def face(card: str, *, ten: str = "10") -> Text:
    """One face with its suit's colour."""
    symbol, colour = _SUITS[card[1]]
    return Text((ten if card[0] == "T" else card[0]) + symbol, style=f"bold {colour} {_FACE}")


@dataclass(frozen=True, slots=True)
class _Screen:
    view: PublicView | SeatView
    age_s: float | None
    language: Language
    status: TableStatus
    live: bool

    def parts(self) -> Iterator[RenderableType]:
        yield self._header()
        if isinstance(self.view, SeatView):
            yield from self._banner(self.view)
        yield self._map()
        if isinstance(self.view, SeatView):
            yield self._figures(self.view)

    def say(self, key: str, **values: str | int) -> str:
        return text(key, self.language, **values)

    def word(self, kind: str, word: str, **values: str | int) -> str:
        """What ``word`` is called; itself where a newer release alone knows it."""
        key = f"{kind}.{word}"
        return self.say(key, **values) if key in catalogue(self.language) else word

    def amount(self, chips: int) -> str:
        return str(chips) if self.live else VEIL

    def words(self, words: Words) -> str:
        return words.fr if self.language is Language.FR else words.en

    def _header(self) -> RenderableType:
        view, say = self.view, self.say
        stakes = say("lbl.stakes", ante=view.stakes.ante, bring_in=view.stakes.bring_in)
        game = f"{self.word('lbl', view.variant)} {view.stakes.small}/{view.stakes.big}"
        place = [f"{say('lbl.hand')} {view.hand}"] if view.hand is not None else [say("lbl.between_hands")]
        if view.street is not None:
            place.append(say(f"lbl.street.{view.street}"))
        if view.manually_verified:
            place.append(say("lbl.manually_verified"))
        if self.status is not TableStatus.LIVE:
            place.append(self.word("status", self.status.value))
        header = _two_columns()
        header.add_row(Text(f"{say('lbl.table')} {view.table} · {game} · {stakes}", style="bold"), self._age())
        header.add_row(" · ".join(place), say("lbl.seq", seq=view.seq))
        return header

    def _age(self) -> Text:
        if self.age_s is None:
            return Text(self.say("age.unknown"), style=_ALARM)
        seconds = f"{self.age_s:.1f}"
        if self.language is Language.FR:
            seconds = seconds.replace(".", ",")
        return Text(self.say("age.live", s=seconds)) if self.live else Text(self.say("age.stale", s=seconds), style=_ALARM)

    def _banner(self, view: SeatView) -> Iterator[RenderableType]:
        if self.live and view.floor_asked:
            yield Text(self.say("seat.called"), justify="center", style="bold")
        if not self.live:
            yield Panel(Text(self.say("seat.notlive"), justify="center", style=_ALARM), box=HEAVY)
        elif view.phase == "voided":
            title = self.say("seat.void", x=view.returned) if view.returned else self.say("seat.void.other")
            yield Panel(Text(title, justify="center", style="bold"), box=HEAVY)
        elif view.is_actor and view.hold is None:
            bring_in = next((option for option in view.options if option.verb == "bring_in"), None)
            title = self.say("seat.turn") if bring_in is None else self.say("seat.bringin", x=bring_in.to)
            yield Panel(Text(title, justify="center", style="bold reverse"), box=HEAVY)
            if view.options:
                yield self._options(view)
                yield Text(self.say("seat.say"), justify="center")

    def _options(self, view: SeatView) -> RenderableType:
        stack = next((seat.stack for seat in view.seats if seat.seat == view.seat), 0)
        row = Table.grid(expand=True, padding=(0, 1))
        for _ in view.options:
            row.add_column(ratio=1, justify="center")
        row.add_row(*(Text(self.option(option), style="bold") for option in view.options))
        leaves = [self.say("seat.leaves", x=stack - option.amount) for option in view.options]
        row.add_row(
            *(
                self.say("seat.giveup") if option.verb == "fold" else left
                for option, left in zip(view.options, leaves, strict=True)
            )
        )
        return row

    def option(self, option: Option) -> str:
        """What the player may say, as on the dealer's buttons."""
        if not option.all_in:
            return self.word("verb", option.verb, x=option.amount if option.verb == "call" else option.to)
        if option.verb in ("complete", "raise"):
            return self.say("verb.allin.to", x=option.to)
        return self.say("verb.allin", x=option.amount)

    def _map(self) -> RenderableType:
        seats = {seat.seat: seat for seat in self.view.seats}
        opposite = Table.grid(expand=True)
        for _ in _OPPOSITE:
            opposite.add_column(ratio=1)
        opposite.add_row(*(self._tile(seats.get(number), number) for number in _OPPOSITE))
        near = Table.grid(expand=True)
        for ratio in (1, 2, 1):
            near.add_column(ratio=ratio)
        near.add_row(
            Group(*(self._tile(seats.get(number), number) for number in _LEFT)),
            self._middle(),
            Group(*(self._tile(seats.get(number), number) for number in _RIGHT)),
        )
        return Group(opposite, near)

    def _tile(self, seat: PublicSeat | None, number: int) -> RenderableType:
        if seat is None:
            return Panel("", box=ROUNDED, height=_TILE_LINES + 2, style="dim")
        acts = self.view.actor == number
        mine = isinstance(self.view, SeatView) and self.view.seat == number
        lines = _two_columns()
        mark = " ".join(["▶"] * acts + [self.say("lbl.you")] * mine)
        lines.add_row(Text(f"{number} {seat.name}".rstrip(), style="bold"), Text(mark, style=_HERE))
        if seat.state is not SeatState.EMPTY:
            bet = self.say("lbl.bet", x=self.amount(seat.street_chips)) if seat.street_chips else ""
            lines.add_row(self.amount(seat.stack), bet)
        cards = CardLine(0, seat.tabled) if seat.tabled is not None else CardLine(seat.down, seat.up)
        return Panel(
            Group(lines, cards, Text(self._state(seat), style="bold", no_wrap=True, overflow="ellipsis")),
            box=HEAVY if acts else ROUNDED,
            border_style=_HERE if acts else "none",
            style="dim" if seat.state in (SeatState.FOLDED, SeatState.EMPTY, SeatState.OUT) else "none",
            height=_TILE_LINES + 2,
        )

    def _state(self, seat: PublicSeat) -> str:
        keys = {
            SeatState.EMPTY: "lbl.empty",
            SeatState.OUT: "lbl.sitout",
            SeatState.FOLDED: "lbl.folded",
            SeatState.ALL_IN: "lbl.allin",
            SeatState.GHOST: "lbl.ghost",
        }
        waits = seat.state is SeatState.OUT and self.view.hand is None
        said = [self.say(keys[seat.state])] if seat.state in keys and not waits else []
        if seat.won:
            said.append(self.say("lbl.won", x=self.amount(seat.won)))
        return " · ".join(said)

    def _middle(self) -> RenderableType:
        facts = tuple(self._facts())
        return Panel(Group(*facts), box=ROUNDED, height=2 * (_TILE_LINES + 2) if len(facts) <= _MOST_FACTS else None)

    def _facts(self) -> Iterator[RenderableType]:
        view = self.view
        yield Text(f"{self.say('lbl.pot')} {self.amount(sum(pot.amount for pot in view.pots))}", style="bold", justify="center")
        if len(view.pots) > 1:
            for index, pot in enumerate(view.pots):
                yield Text(self._pot(index, pot))
        if view.community is not None:
            yield Text.assemble(self.say("lbl.common"), " ", face(view.community))
        yield from map(Text, self._betting())
        if view.hold is not None:
            yield Text(self.say("seat.stopped", reason=self.words(view.hold.text)), style=_ALARM)
        for line in view.awards:
            yield Text(self._award(line))

    def _pot(self, index: int, pot: Pot) -> str:
        name = self.say("lbl.side", k=index) if index else self.say("lbl.main")
        line = self.say("lbl.potline", name=name, x=self.amount(pot.amount), list=",".join(map(str, pot.seats)))
        mine = not isinstance(self.view, SeatView) or not self.view.my_pots or index in self.view.my_pots
        return line if mine else f"{line} · {self.say('seat.notyours')}"

    def _betting(self) -> Iterator[str]:
        view = self.view
        if view.bring_in_seat is not None and view.street == 3:
            yield self.say("lbl.bringin", n=view.bring_in_seat)
        elif view.opener is not None:
            yield self.say("lbl.opened", n=view.opener)
        if view.raises:
            yield self.say("lbl.raises", k=view.raises)
        if view.actor is not None and view.hold is None:
            if view.price is None:
                yield self.say("seat.wait", n=view.actor)
            elif view.price:
                yield self.say("seat.wait.price", n=view.actor, x=self.amount(view.price))
            else:
                yield self.say("seat.wait.check", n=view.actor)

    def _award(self, line: AwardLine) -> str:
        paid = self.word("award", line.share.value, n=line.seat, x=self.amount(line.chips))
        return paid if line.text is None else f"{paid} · {self.words(line.text)}"

    def _figures(self, view: SeatView) -> RenderableType:
        stack = next((seat.stack for seat in view.seats if seat.seat == view.seat), 0)
        figures = (
            ("lbl.pot", sum(pot.amount for pot in view.pots)),
            ("lbl.tocall", view.to_call),
            ("seat.stack", stack),
            ("seat.canwin", view.can_win),
        )
        row = Table.grid(expand=True, padding=(0, 1))
        for _ in figures:
            row.add_column(ratio=1)
        row.add_row(*(self.say(key) for key, _ in figures))
        row.add_row(*(Text(self.amount(chips), style="bold") for _, chips in figures))
        return row


def _two_columns() -> Table:
    """A line with a left part, which gives way, and a right part."""
    table = Table.grid(expand=True, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True)
    return table
