"""The dealer's desk: the snapshot with its texts, and commands with their answers, the same over HTTP and in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any, Final, get_args

from controller.access.people import are_two
from controller.console.orders import CommandBody
from controller.console.preview import preview
from controller.console.recall import Recall
from controller.console.screen import screen_of
from controller.console.sheets import sheet, text_sheet
from controller.console.story import HandStories, Told
from controller.hand.commands import Refusal
from controller.hand.events import (
    AntePosted,
    BurnMade,
    CardDealt,
    DealStarted,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandOpened,
    RoundClosed,
    StubCounted,
)
from controller.hand.explain import explain
from controller.hand.why import Why
from controller.table.access_events import FloorAsked, FloorOrdered, SignedIn, SignedOut, SignInFailed
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.events import Ruled, TableEvent
from controller.table.evolve import evolve
from controller.table.inputs import Command, Order
from controller.table.loop import Answer, Record, Table
from controller.table.parts import Driver
from controller.table.picture import picture_of
from controller.table.player_calls import Heard, PlayerCalls
from controller.table.rulings import premature_flights
from controller.table.state import TableState
from controller.table.wheel import ReturnWheel, TakeWheel
from controller.views.claims import claims
from controller.views.dealer import dealer_view
from controller.words.catalogue import Language, text
from controller.words.faults import fault_text
from controller.words.places import hold_text, place_words
from controller.words.reasons import sentence
from controller.words.rule_card import rule_card
from controller.words.said import Said, both, say

PASSED: Final = frozenset(("command_expired", "decision_passed", "picture_passed"))
"""Codes of refusals that come with the picture of now, for their sender saw an older one."""


class Desk:
    """One table's desk. ``language`` is that of ``message`` and ``reason``; both languages stand beside it.

    ``recall`` has the hands of before the start.
    """

    def __init__(self, table: Table, name: str, language: Language, recall: Recall | None = None) -> None:
        self._table = table
        self._name = name
        self._language = language
        self._stories = HandStories()
        self._recall = recall
        self._earlier: Sequence[Told] = ()
        self._decided: tuple[TableState, tuple[TableEvent, ...]] | None = None
        self._why: Why | None = None
        self._floor_said: Said | None = None
        self.calls = PlayerCalls()

    @property
    def state(self) -> TableState:
        """The table as last committed."""
        return self._table.state

    @property
    def language(self) -> Language:
        """The language of the table, in which a page begins."""
        return self._language

    def committed(self, before: TableState, records: Sequence[Record]) -> None:
        """Take note of the newest records, which followed on the state ``before``; must be told of every commit to explain it."""
        self._stories.note(before, records)
        self._floor_said = _said_by_floor(records, self._floor_said)
        if any(_is_decision(record.event) for record in records):
            self._decided = before, tuple(record.event for record in records)
            self._why = None

    def why(self) -> dict[str, str] | None:
        """Why the last decision of the hand is as it is, in one line with its rule; ``None`` before the first one."""
        if self._why is None and self._decided is not None:
            self._why = _last_reason(*self._decided)
            self._decided = None
        if self._why is None:
            return None
        return {
            "rule": self._why.rule,
            "text": sentence(self._why, self._language),
            "text_en": sentence(self._why, Language.EN),
            "text_fr": sentence(self._why, Language.FR),
        }

    def snapshot(self) -> dict[str, Any]:
        """The dealer's snapshot at the present journal number."""
        view = {**dealer_view(picture_of(self._table.state, self._name)), "why": self.why()}
        if view["hold"] is not None:
            hold = view["hold"]
            view["hold"] = {**hold, **_hold_texts(hold["code"], hold["place"], self._language)}
        if view["shoe"] is not None and not view["shoe"]["locks"]:
            view["shoe"] = {**view["shoe"], **self._texts("shoe.no_lock", "text")}
        view["faults"] = [{**fault, **_fault_texts(**fault, own=self._language)} for fault in view["faults"]]
        view["prompts"] = [
            {**asked, **self._texts(f"prompt.{asked['code']}", "text", seat=asked["seat"], owes=asked["owes"])}
            for asked in view["prompts"]
        ]
        return view

    async def changed(self, after_seq: int) -> dict[str, Any]:
        """The snapshot as soon as the journal has moved past ``after_seq``."""
        await self._table.changed(after_seq)
        return self.snapshot()

    async def changed_to(self, after_seq: int) -> None:
        """Wait until the journal has moved past ``after_seq``; ``TableStopped`` when the table ends before."""
        await self._table.changed(after_seq)

    def document(self, driver: Mapping[str, Any] | None) -> dict[str, Any]:
        """The snapshot with the screen that a page draws; ``driver`` is the console that drives."""
        snapshot = self.snapshot()
        return {**snapshot, "wheel": driver, "screen": screen_of(snapshot, driver, self._floor_said)}

    def asked(self, driver: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The snapshot with what a form asks of: who drives, and what each seat may be said to have done."""
        return {
            **self.snapshot(),
            "wheel": driver,
            "claims": {**claims(self.state.hand), "early": len(premature_flights(self.state))},
        }

    async def remember(self) -> None:
        """Read the hands of before the start, if that was not done yet; to be awaited before the sheet ``hands`` is shown."""
        if self._recall is not None:
            self._earlier = await self._recall.hands()

    def sheet(
        self, name: str, given: Mapping[str, str], driver: Mapping[str, Any] | None, *, drives: bool
    ) -> dict[str, Any] | None:
        """What opens over the table under ``name``; ``None`` when there is no such sheet."""
        match name:
            case "hands":
                return text_sheet(say("ui.menu.hands"), self._stories.sections(self._earlier), mark=say("ui.recall"))
            case "rules":
                return self.rules()
            case _:
                return sheet(name, self.asked(driver), given, drives=drives)

    def rules(self) -> dict[str, Any]:
        """The rules in force in words, as a sheet, with their ``fingerprint``: of the hand in play, or of the next one."""
        hand = self.state.hand
        game = self.state.game if hand is None or hand.over else hand.setup
        if game is None:
            return {**text_sheet(say("ui.menu.rules"), []), "fingerprint": None}
        en, fr = (rule_card(game.rules, game.stakes, game.variant, language) for language in (Language.EN, Language.FR))
        sections: list[tuple[Said | None, list[Said]]] = [
            (
                both(a.title, b.title),
                [both(f"{x.text} ({x.rule})", f"{y.text} ({y.rule})") for x, y in zip(a.lines, b.lines, strict=True)],
            )
            for a, b in zip(en.sections, fr.sections, strict=True)
        ]
        posted = say("card.hash", hash=en.fingerprint)
        told = text_sheet(both(en.title, fr.title), [(both(en.preset, fr.preset), [both(en.game, fr.game), posted]), *sections])
        return {**told, "fingerprint": en.fingerprint}

    def preview(self, kind: str, order: Order) -> dict[str, Any]:
        """What an order would change, or why it is refused; nothing is carried out. ``ValueError`` for one that names a face."""
        found = preview(self.state, kind, order)
        if isinstance(found, Refusal):
            return {"ok": False, "refusal": self.refusal(found, self.state.seq)}
        return {"ok": True, "changes": found}

    async def send(self, body: CommandBody) -> dict[str, Any]:
        """Give a command in nobody's name, as programs do."""
        return await self.give(body.to_command())

    async def give(self, command: Command) -> dict[str, Any]:
        """Give a command; the answer is durable, and a repetition under the same key gets it again."""
        return self._answer(await self._table.command(command))

    async def take_wheel(self, driver: Driver, floor: str = "") -> dict[str, Any]:
        """``driver`` takes over, ``floor`` of the floor takes part; who drives already is not told again. The answer is as
        ``give``'s."""
        if self.state.wheel[:1] == (driver,):
            return {"ok": True, "seq": self.state.seq}
        return await self._wheel(TakeWheel(driver.name, floor), driver.console, driver.person)

    async def return_wheel(self, console: str, person: str, floor: str = "") -> dict[str, Any]:
        """``console`` lets go, if it drives."""
        if not self.state.wheel or self.state.wheel[0].console != console:
            return {"ok": True, "seq": self.state.seq}
        return await self._wheel(ReturnWheel(floor), console, person)

    async def _wheel(self, order: TakeWheel | ReturnWheel, console: str, person: str) -> dict[str, Any]:
        key, kind = token_hex(16), "take_wheel" if isinstance(order, TakeWheel) else "return_wheel"
        agreed = order.floor if are_two(order.floor, person) else ""
        return await self.give(Command(key, key, kind, order, console=console, person=person, agreed_by=agreed))

    async def tell(self, told: SignedIn | SignedOut | SignInFailed) -> None:
        """Somebody came or went: it goes on record."""
        await self._table.tell(told)

    async def call_floor(self, seat: int, now: float, call: str = "") -> Heard:
        """Seat ``seat`` asks for the floor at ``now``, a time of the loop, by ``call``, an id of its display; what is new of it
        goes on record."""
        heard = self.calls.hear(self.state, seat, now, call)
        if heard is Heard.NEW:
            await self._table.tell(FloorAsked(seat))
        return heard

    def _answer(self, answer: Answer) -> dict[str, Any]:
        if answer.refusal is None:
            return {"ok": True, "seq": answer.seq}
        refused: dict[str, Any] = {"ok": False, "refusal": self.refusal(answer.refusal, answer.seq)}
        return {**refused, "picture": self.snapshot()} if answer.refusal.code in PASSED else refused

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
        said = {language: text(key, language, **values_in_words(values, language)) for language in Language}
        return {name: said[self._language], f"{name}_en": said[Language.EN], f"{name}_fr": said[Language.FR]}


def values_in_words(values: Mapping[str, str | int], language: Language) -> dict[str, str | int]:
    """``values`` with places in the words that people use."""
    return {
        name: "; ".join(place_words(place, language) for place in str(value).split()) if name in _PLACES else value
        for name, value in values.items()
    }


_PLACES: Final = frozenset(("place", "places"))


def _hold_texts(code: str, place: str | None, own: Language) -> dict[str, str]:
    en, fr = (hold_text(code, place, language) for language in (Language.EN, Language.FR))
    return {"reason": en if own is Language.EN else fr, "reason_en": en, "reason_fr": fr}


def _fault_texts(code: str, device: str, own: Language) -> dict[str, str]:
    said = {language: fault_text(code, device, language) for language in Language}
    return {"text": said[own], "text_en": said[Language.EN], "text_fr": said[Language.FR]}


def _said_by_floor(records: Sequence[Record], before: Said | None) -> Said | None:
    """What the floor ordered last from its own screen, and who, until somebody at the table gives the next order."""
    said = before
    taken: CommandAnswered | None = None
    rules = False
    for record in records:
        match record.event:
            case CommandAnswered(kind="acknowledge_alarm"):  # who has seen it stands in the banner
                taken = None
            case CommandAnswered(outcome=Outcome.TAKEN) as answer:
                taken, said, rules = answer, None, False
            case FloorOrdered(person=person) if taken is not None:
                rules = taken.kind == "rule"
                said = None if rules else _by_floor(person, taken.kind)
            case Ruled(kind=kind, by=by) if rules:
                said = _by_floor(by, kind)
    return said


def _by_floor(person: str, kind: str) -> Said:
    what = say(f"ui.form.{kind}")
    return say("ui.floor.ordered", name=person, what=what) if person else say("ui.floor.ordered.open", what=what)


_QUIET: Final = (AntePosted, BurnMade, CardDealt, GhostDealt, HandEnded, RoundClosed)
"""What is plain to see, or follows on something that says more."""
_HAND_EVENTS: Final = get_args(HandEvent)


def _is_decision(event: TableEvent) -> bool:
    return isinstance(event, _HAND_EVENTS) and not isinstance(event, _QUIET)


def _last_reason(state: TableState, events: tuple[TableEvent, ...]) -> Why | None:
    """The deciding reason of the last decision among ``events``, which follow on ``state``."""
    found: Why | None = None
    counted = False
    for event in events:
        hand = state.hand
        if hand is not None and _is_decision(event) and not isinstance(event, HandOpened):
            if not (counted and isinstance(event, DealStarted)):  # the stub test says more than what is dealt by it
                found = explain(hand, event)[0]  # type: ignore[arg-type]
            counted = isinstance(event, StubCounted)
        state = evolve(state, event)
    return found
