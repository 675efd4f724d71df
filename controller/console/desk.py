"""The dealer's desk: the snapshot with its texts, and commands with their answers, the same over HTTP and in one process."""

from __future__ import annotations

from typing import Any

from controller.console.orders import CommandBody
from controller.hand.commands import Refusal
from controller.table.loop import Answer, Table
from controller.table.picture import picture_of
from controller.table.state import TableState
from controller.views.dealer import dealer_view
from controller.words.catalogue import Language, text
from controller.words.places import hold_text


class Desk:
    """One table's desk. ``language`` is that of ``message`` and ``reason``; both languages stand beside it."""

    def __init__(self, table: Table, name: str, language: Language) -> None:
        self._table = table
        self._name = name
        self._language = language

    @property
    def state(self) -> TableState:
        """The table as last committed."""
        return self._table.state

    def snapshot(self) -> dict[str, Any]:
        """The dealer's snapshot at the present journal number."""
        view = dealer_view(picture_of(self._table.state, self._name))
        if view["hold"] is not None:
            hold = view["hold"]
            view["hold"] = {**hold, **_hold_texts(hold["code"], hold["place"], self._language)}
        return view

    async def changed(self, after_seq: int) -> dict[str, Any]:
        """The snapshot as soon as the journal has moved past ``after_seq``."""
        await self._table.changed(after_seq)
        return self.snapshot()

    async def send(self, body: CommandBody) -> dict[str, Any]:
        """Give a command; the answer is durable, and a repetition under the same key gets it again."""
        return self._answer(await self._table.command(body.to_command()))

    def _answer(self, answer: Answer) -> dict[str, Any]:
        if answer.refusal is None:
            return {"ok": True, "seq": answer.seq}
        return {"ok": False, "refusal": self.refusal(answer.refusal, answer.seq)}

    def refusal(self, refusal: Refusal, seq: int) -> dict[str, Any]:
        """A refusal as JSON: rule, code, and its sentence in both languages."""
        values = dict(refusal.values)
        return {
            "rule": refusal.rule,
            "code": refusal.code,
            "seq": seq,
            **self._texts(f"refusal.{refusal.code}", "message", **values),
        }

    def _texts(self, key: str, name: str, /, **values: str | int) -> dict[str, str]:
        return {
            name: text(key, self._language, **values),
            f"{name}_en": text(key, Language.EN, **values),
            f"{name}_fr": text(key, Language.FR, **values),
        }


def _hold_texts(code: str, place: str | None, own: Language) -> dict[str, str]:
    en, fr = (hold_text(code, place, language) for language in (Language.EN, Language.FR))
    return {"reason": en if own is Language.EN else fr, "reason_en": en, "reason_fr": fr}
