"""A card on one A4 page, as large as it fits, in letters that every PDF reader has: the same bytes for the same words."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Final, NamedTuple

from fpdf import FPDF
from fpdf.errors import FPDFUnicodeEncodingException

from controller.cards.sheet import Block, Look, Sheet

LARGEST_PT: Final = 10.5
SMALLEST_PT: Final = 8.0
"""Below this nobody reads it at arm's length."""
_STEP_PT: Final = 0.1
_MM_OF_PT: Final = 25.4 / 72
_WIDTH: Final = 210.0
_HEIGHT: Final = 297.0
_MARGIN: Final = 9.0
_GAP: Final = 5.0
"""Between the columns, in millimetres."""
_FOOT: Final = 7.0
_FOOT_PT: Final = 7.5
_LEADING: Final = 1.18
_AIR: Final = 0.2
"""Between rows, in lines."""
_APART: Final = 0.6
"""Between blocks, in lines."""
_CELL: Final = 2.0
"""Between the cells of a table, in millimetres."""
_RAISED: Final = 0.64
_GREY: Final = 170

_TEXT: Final = "Helvetica"
_OTHER: Final = {
    **{suit: ("ZapfDingbats", letter) for suit, letter in zip("♣♦♥♠", "\xa8\xaa\xa9\xab", strict=True)},
    "→": ("Symbol", "\xae"),
    "≥": ("Symbol", "\xb3"),
}
"""Letters that stand in other fonts, with their codes there."""
_SUPERSCRIPTS: Final = {"ᵉ": "e", "ʳ": "r"}
_PLAINER: Final = str.maketrans({"\u202f": "\xa0", "'": "’"})
_MARKS: Final = re.compile(r"(\*\*)")
_MADE: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The date in the file: a card is told by its rules' fingerprint, and the same card is the same file."""


class CardError(ValueError):
    """A card cannot be drawn. The text says why, and what to do."""


class _Run(NamedTuple):
    text: str
    font: str
    style: str
    is_raised: bool


class _Word(NamedTuple):
    runs: tuple[_Run, ...]
    width: float
    """In millimetres, in letters of one point."""


def card_pdf(sheet: Sheet) -> bytes:
    """The card in the largest letters that fit; ``CardError`` where none do, or a letter stands in no font."""
    steps = round((LARGEST_PT - SMALLEST_PT) / _STEP_PT)
    fits = bisect(range(steps + 1), x=False, key=lambda step: not fits_at(sheet, SMALLEST_PT + step * _STEP_PT))
    if not fits:
        raise CardError(f"{sheet.title}: its words do not fit on one page in letters of {SMALLEST_PT} pt; shorten them")
    paper = _Paper(sheet, SMALLEST_PT + (fits - 1) * _STEP_PT)
    paper.draw()
    return paper.output()


def fits_at(sheet: Sheet, size: float) -> bool:
    """Whether the card fits in letters of ``size`` points: on one page, each word in its column."""
    return _Paper(sheet, size, is_trial=True).draw()


class _Paper:
    """The page in letters of ``size`` points; a trial measures and draws nothing."""

    def __init__(self, sheet: Sheet, size: float, *, is_trial: bool = False) -> None:
        self._sheet = sheet
        self._is_trial = is_trial
        self._size = size
        self._is_narrow = False
        self._line = size * _MM_OF_PT * _LEADING
        self._pdf = pdf = FPDF(format="A4")
        pdf.core_fonts_encoding = "cp1252"
        pdf.set_auto_page_break(auto=False)
        pdf.set_compression(compress=False)
        pdf.set_creation_date(_MADE)
        pdf.set_title(sheet.title)
        pdf.set_lang(sheet.language)
        pdf.set_creator("stud-table")
        pdf.set_producer("stud-table")
        pdf.add_page()

    def output(self) -> bytes:
        """The file."""
        return bytes(self._pdf.output())

    def draw(self) -> bool:
        """Draw everything; whether it fits, and no word is longer than its column."""
        sheet, width = self._sheet, _WIDTH - 2 * _MARGIN
        y = self._write(f"**{sheet.title}**", _MARGIN, _MARGIN, width, self._size * 1.7)
        y = self._write(sheet.subtitle, _MARGIN, y, width, self._size) + 0.5 * self._line
        y = self._block(sheet.top, _MARGIN, y, width)
        column = (width - _GAP) / 2
        lowest = max(self._blocks(sheet.left, _MARGIN, y, column), self._blocks(sheet.right, _MARGIN + column + _GAP, y, column))
        foot = _HEIGHT - _MARGIN - _FOOT
        self._rule(_MARGIN, foot + 1.2, width, 0)
        self._write(sheet.foot, _MARGIN, foot + 2, width, _FOOT_PT)
        return lowest <= foot + 1 and not self._is_narrow

    def _blocks(self, blocks: Sequence[Block], x: float, y: float, width: float) -> float:
        for block in blocks:
            y = self._block(block, x, y + _APART * self._line, width)
        return y

    def _block(self, block: Block, x: float, y: float, width: float) -> float:
        y = self._heading(block, x, y, width)
        widths = block.widths or (1.0,)
        room = width - _CELL * (len(widths) - 1)
        for number, row in enumerate(block.rows):
            if number:
                self._rule(x, y, width, 0 if block.has_head and number == 1 else _GREY)
            y += _AIR / 2 * self._line
            left, ends = x, []
            for share, cell in zip(widths, row, strict=True):
                words = f"**{cell}**" if block.has_head and not number and cell else cell
                ends.append(self._write(words, left, y, share * room / sum(widths), self._size))
                left += share * room / sum(widths) + _CELL
            y = max(ends) + _AIR / 2 * self._line
        return y

    def _heading(self, block: Block, x: float, y: float, width: float) -> float:
        size = self._size * 1.08
        if not block.title:
            self._rule(x, y, width, 0, 0.4)
            return y
        if block.look is Look.STOP:
            lines = len(list(_lines(f"**{block.title}**", width - 3, size)))
            height = lines * size * _MM_OF_PT * _LEADING + 1.2
            self._pdf.set_fill_color(0)
            self._pdf.rect(x, y, width, height, style="F")
            self._pdf.set_text_color(255)
            self._write(f"**{block.title}**", x + 1.5, y + 0.6, width - 3, size)
            self._pdf.set_text_color(0)
            return y + height
        y = self._write(f"**{block.title}**", x, y, width, size) + 0.4
        self._rule(x, y, width, 0, 0.4)
        return y

    def _rule(self, x: float, y: float, width: float, grey: int, thick: float = 0.15) -> None:
        if self._is_trial:
            return
        self._pdf.set_draw_color(grey)
        self._pdf.set_line_width(thick)
        self._pdf.line(x, y, x + width, y)

    def _write(self, text: str, x: float, y: float, width: float, size: float) -> float:
        """Write ``text`` with its first line below ``y``; where it ends."""
        height = size * _MM_OF_PT * _LEADING
        for line in _lines(text, width, size):
            self._is_narrow |= len(line) == 1 and line[0].width * size > width
            if not self._is_trial:
                self._print(line, x, y + 0.78 * height, size)
            y += height
        return y

    def _print(self, line: Sequence[_Word], x: float, base: float, size: float) -> None:
        for run in _joined(line):
            self._pdf.set_font(run.font, run.style, size * _RAISED if run.is_raised else size)
            self._pdf.text(x, base - (0.32 * size * _MM_OF_PT if run.is_raised else 0), run.text)
            x += _width(run) * size


def _joined(line: Sequence[_Word]) -> list[_Run]:
    """The runs of a line with its blanks, as few as there can be."""
    runs: list[_Run] = []
    for number, word in enumerate(line):
        for run in (*((_BLANK,) if number else ()), *word.runs):
            if runs and (runs[-1][1:] == run[1:] or (run is _BLANK and runs[-1].font == _TEXT and not runs[-1].is_raised)):
                runs[-1] = runs[-1]._replace(text=runs[-1].text + run.text)
            else:
                runs.append(run)
    return runs


def _lines(text: str, width: float, size: float) -> Iterator[list[_Word]]:
    """The words of each line that is at most ``width`` millimetres long, in letters of ``size`` points."""
    line: list[_Word] = []
    used = 0.0
    for word in _words(text):
        own = word.width * size
        if line and used + _SPACE * size + own > width:
            yield line
            line, used = [], 0.0
        used += own + (_SPACE * size if line else 0)
        line.append(word)
    yield line


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[_Word, ...]:
    return tuple(_parted(text))


def _parted(text: str) -> Iterator[_Word]:
    """The words of ``text`` between its blanks; a no-break space parts nothing."""
    style = ""
    runs: list[_Run] = []
    for part in _MARKS.split(text.translate(_PLAINER)):
        if part == "**":
            style = "" if style else "B"
            continue
        for number, piece in enumerate(part.split(" ")):
            if number:
                if runs:
                    yield _Word(tuple(runs), sum(map(_width, runs)))
                runs = []
            runs += _runs(piece, style)
    if runs:
        yield _Word(tuple(runs), sum(map(_width, runs)))


def _runs(piece: str, style: str) -> list[_Run]:
    """``piece`` without a blank, parted where the font changes."""
    runs: list[_Run] = []
    for letter in piece:
        font, code = _OTHER.get(letter, (_TEXT, _SUPERSCRIPTS.get(letter, letter)))
        run = _Run(code, font, style if font == _TEXT else "", letter in _SUPERSCRIPTS)
        if runs and runs[-1][1:] == run[1:]:
            runs[-1] = runs[-1]._replace(text=runs[-1].text + code)
        else:
            runs.append(run)
    return runs


@lru_cache(maxsize=4096)
def _width(run: _Run) -> float:
    """Millimetres in letters of one point (of the text around it); ``CardError`` for a letter that stands in no font."""
    pdf = _ruler()
    pdf.set_font(run.font, run.style, 100)
    try:
        width: float = pdf.get_string_width(run.text)
    except FPDFUnicodeEncodingException as error:
        raise CardError(f"{run.text!r} has a letter that no font of a PDF reader has: write it otherwise") from error
    return width / 100 * (_RAISED if run.is_raised else 1)


@cache
def _ruler() -> FPDF:
    pdf = FPDF()
    pdf.core_fonts_encoding = "cp1252"
    return pdf


_BLANK: Final = _Run(" ", _TEXT, "", is_raised=False)
_SPACE: Final = _width(_BLANK)
