"""Errors that a shoe has latched: which they are by what it told, and what clears them (TSP/1 ERR, CLR, CLEAR). Pure."""

from __future__ import annotations

from drivers.ports import LATCHED, NoticeKind


def errors_after(errors: tuple[str, ...], kind: str, detail: str) -> tuple[str, ...]:
    """The latched errors after a notice of the shoe of ``kind`` with ``detail``."""
    if kind == NoticeKind.FAULT.value and detail.endswith(LATCHED):
        code = detail.removesuffix(LATCHED)
        return errors if code in errors else (*errors, code)
    if kind == NoticeKind.CLEARED.value:
        return tuple(code for code in errors if code != detail)
    return errors
