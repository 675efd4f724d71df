"""A card as data: its head, one table over the whole width, two columns of blocks, and a foot. How it is drawn is ``paper``'s.

Texts are those of the catalogues; ``**…**`` in them stands in bold.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

Row: TypeAlias = tuple[str, ...]


class Look(Enum):
    """How a block's heading stands out on a black and white print."""

    PLAIN = "plain"
    STOP = "stop"
    """White on black: hands off."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under a heading. Rows of one text run over the width; with ``widths`` (shares of it) they are a table's, the first
    one in bold where ``has_head``."""

    title: str
    rows: tuple[Row, ...]
    widths: tuple[float, ...] = ()
    has_head: bool = False
    look: Look = Look.PLAIN


@dataclass(frozen=True, slots=True)
class Sheet:
    """One card. ``language`` is its ISO 639-1 code."""

    language: str
    title: str
    subtitle: str
    top: Block
    left: tuple[Block, ...]
    right: tuple[Block, ...]
    foot: str

    def texts(self) -> tuple[str, ...]:
        """Every text on it, in order."""
        blocks = (self.top, *self.left, *self.right)
        cells = (cell for block in blocks for cell in (block.title, *(cell for row in block.rows for cell in row)))
        return (self.title, self.subtitle, *cells, self.foot)
