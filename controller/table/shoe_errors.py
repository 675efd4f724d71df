"""Errors that a shoe has latched: which they are by what it told, and what clears them (TSP/1 ERR, CLR, CLEAR). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from controller.table.parts import ShoeClear
from drivers.ports import LATCHED, NoticeKind


def errors_after(errors: tuple[str, ...], kind: str, detail: str) -> tuple[str, ...]:
    """The latched errors after a notice of the shoe of ``kind`` with ``detail``."""
    if kind == NoticeKind.FAULT.value and detail.endswith(LATCHED):
        code = detail.removesuffix(LATCHED)
        return errors if code in errors else (*errors, code)
    if kind == NoticeKind.CLEARED.value:
        return tuple(code for code in errors if code != detail)
    return errors


def clears_of(clears: Sequence[ShoeClear], errors: Sequence[str]) -> tuple[ShoeClear, ...]:
    """The orders to clear errors that are still latched."""
    return tuple(clear for clear in clears if clear.code in errors)


def clears_with(clears: Sequence[ShoeClear], ordered: ShoeClear) -> tuple[ShoeClear, ...]:
    """A new order takes the place of the one before it for the same error."""
    return (*(clear for clear in clears if clear.code != ordered.code), ordered)


def clears_failed(clears: Sequence[ShoeClear], code: str) -> tuple[ShoeClear, ...]:
    """The order to clear ``code`` was not carried out."""
    return tuple(clear._replace(failed=True) if clear.code == code else clear for clear in clears)
