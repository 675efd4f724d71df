"""One hand on paper, for a complaint: what was played by which rules, every step with its rule and evidence, and the end."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace

from controller.words.catalogue import Language, text

_FONT: Final = "Helvetica"
_WIDTHS: Final = (13, 18, 116, 13, 22)
"""Columns of the steps in millimetres: number, time, what, pot, rule; together an A4 page without its margins."""
_SUITS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_MARKS: Final = {"’": "'", "–": "-", "…": "...", "\u202f": " ", "→": "->", "≥": ">=", "œ": "oe", "Œ": "OE"}
"""What the PDF reader's own fonts have not."""


def hand_pdf(said: Mapping[str, Any], language: Language) -> bytes:
    """``said`` is a hand as the address tells it (``answers.hand_json``): nothing else gets onto the paper."""
    paper = _Paper(said, language)
    paper.write()
    return bytes(paper.output())


class _Paper(FPDF):
    def __init__(self, said: Mapping[str, Any], language: Language) -> None:
        super().__init__(format="A4")
        self._said = said
        self._language = language
        self._head = self._word("history.pdf.title", table=said["table"], hand=said["hand"])
        self.set_title(self._head)
        self.set_lang(language.value)
        self.set_margins(14, 14)
        self.set_auto_page_break(auto=True, margin=16)
        self.set_creator("stud-table")

    def _word(self, key: str, **values: str | int) -> str:
        return plain(text(key, self._language, **values))

    def footer(self) -> None:
        """Hand and page, so that a loose sheet tells what it belongs to."""
        self.set_y(-12)
        self.set_font(_FONT, size=8)
        self.cell(0, 5, f"{self._head} - {self._word('history.pdf.page', k=self.page_no())}", align="C")

    def write(self) -> None:  # type: ignore[override]
        """Everything, from the first page on."""
        self.add_page()
        self.set_font(_FONT, "B", 15)
        self.cell(0, 9, self._head, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_font(_FONT, size=9.5)
        for line in self._facts():
            self.multi_cell(0, 4.8, plain(line), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(2)
        self._steps()

    def _facts(self) -> list[str]:
        said, word = self._said, self._word
        lines = [word("history.pdf.span", start=_at(said["opened_at"]), end=_at(said["ended_at"]))]
        game = said["game"]
        if game is not None:
            stakes = game["stakes"]
            name = text(f"lbl.{game['variant']}", self._language)
            values = {"ante": stakes["ante"], "bring_in": stakes["bring_in"], "small": stakes["small"], "big": stakes["big"]}
            lines.append(word("history.pdf.game", game=name, rules=game["rules"] or "-", **values))
        if said["dealer"]:
            lines.append(word("history.pdf.dealer", name=said["dealer"]))
        seats = ", ".join(f"{one['seat']} {one['name']}".strip() for one in said["seats"])
        lines.append(word("history.pdf.seats", list=seats))
        if said["pot"] is not None:
            lines.append(word("history.pdf.pot", x=said["pot"], rake=said["rake"] or 0))
        lines.append(word(f"history.outcome.{said['outcome']}"))
        lines.append(word("history.pdf.source", journal=said["journal"], verdict=word(f"history.links.{said['links']}")))
        lines.append(word("history.pdf.sealed"))
        return lines

    def _steps(self) -> None:
        self.set_font(_FONT, size=8.5)
        names = ("step", "time", "what", "pot", "rule")
        with self.table(col_widths=_WIDTHS, line_height=4.2, text_align=("RIGHT", "LEFT", "LEFT", "RIGHT", "LEFT")) as table:
            head = table.row()
            for name in names:
                head.cell(self._word(f"history.col.{name}"))
            for step in self._said["steps"]:
                row = table.row(style=FontFace(color=(120, 120, 120)) if step["undone"] else None)
                for value in self._cells(step):
                    row.cell(plain(value))

    def _cells(self, step: Mapping[str, Any]) -> tuple[str, ...]:
        language = self._language.value
        lines = [step["text"][language], *(f"{one['text'][language]} ({one['rule']})" for one in step["more"])]
        if step["evidence"] is not None:
            lines.append(f"[{step['evidence'][language]}]")
        if step["undone"]:
            lines.insert(0, text("history.undone", self._language))
        pot = "" if step["pot"] is None else str(step["pot"])
        return (str(step["step"]), _at(step["at"])[11:], "\n".join(lines), pot, step["rule"])


def _at(moment: str | None) -> str:
    return "-" if moment is None else moment[:19].replace("T", " ")


def plain(said: str) -> str:
    """``said`` in the letters that every PDF reader has: suits as letters, other alphabets' letters without their marks."""
    for mark, instead in (_SUITS | _MARKS).items():
        said = said.replace(mark, instead)
    try:
        said.encode("latin-1")
    except UnicodeEncodeError:
        return "".join(_letter(letter) for letter in said)
    return said


def _letter(letter: str) -> str:
    if ord(letter) < 256:
        return letter
    bare = "".join(part for part in unicodedata.normalize("NFKD", letter) if ord(part) < 256)
    return bare or "?"
