"""A hand as steps: what happened, why by which rule, by whose evidence, and what the table looked like after it (screens §10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from controller.floor.history.fold import Drawn, after, opened, view_of
from controller.floor.history.told import UntoldError, hand_event
from controller.hand.events import HandOpened
from controller.hand.explain import explain
from controller.hand.terms import SeatChips
from controller.hand.why import Why
from controller.mqtt.links import ChainName, link_after, start_of
from controller.mqtt.payloads import PublicEvent, PublicView
from controller.words.catalogue import Language, catalogue, text
from controller.words.places import hold_text, place_words
from controller.words.reasons import reason

Both = Mapping[str, str]
"""One text by language."""
_CARDS: Final = ("card_dealt", "ghost_dealt", "burn_made", "community_dealt", "burned_early", "card_eliminated", "seventh_kept")
_NEW_DECK: Final = ("misdeal_declared",)
_ENTERED: Final = (
    "action_taken",
    "hand_tabled",
    "hand_mucked",
    "pot_awarded",
    "ante_posted",
    "action_undone",
    "award_undone",
    "out_of_turn_noted",
    "seat_away",
    "seat_back",
    "all_in_declared",
)
"""What a person enters at the table's console."""
_ACTS: Final = ("action_taken", "hand_mucked", "hands_killed")
_AWARDS: Final = ("pot_awarded", "hand_ended")


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the hand. ``text`` and ``more`` are sentences with their rule, ``evidence`` who told of it as far as everybody
    may know, ``pot`` all chips that were put in; ``view`` the public view after it, ``None`` where it cannot be drawn;
    ``is_undone``: a later step took it back."""

    number: int
    event: PublicEvent
    text: Both
    rule: str
    more: tuple[tuple[Both, str], ...] = ()
    evidence: Both | None = None
    pot: int | None = None
    view: Mapping[str, Any] | None = None
    is_undone: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A hand told. ``untold`` says why nothing could be drawn from there on; ``links`` is ``whole``, ``broken`` or ``none``."""

    steps: tuple[Step, ...]
    links: str
    untold: str | None = None


@dataclass
class _Teller:
    table: str
    drawn: Drawn | None = None
    dealer: str = ""
    shoe: int = 0
    by_hand: str = ""
    untold: str | None = None
    steps: list[Step] = field(default_factory=list)

    def tell(self, event: PublicEvent) -> None:
        """The next event."""
        reasons: tuple[tuple[Both, str], ...] = ()
        shown: Mapping[str, Any] | None = None
        if self.untold is None:
            try:
                reasons = self._draw(event)
                shown = None if self.drawn is None else _view(self.drawn, event, self.table)
            except UntoldError as error:
                self.untold, self.drawn = str(error), None
            except (IndexError, KeyError, TypeError, ValueError):  # a copy that somebody changed
                self.untold, self.drawn = f"event {event.seq} ({event.event}) cannot follow what stands before it", None
        (said, rule), *more = reasons or ((_plain(event), ""),)
        pot = None if self.drawn is None else sum(entry.total for entry in self.drawn.hand.seats)
        evidence = self._evidence(event)
        self.steps.append(Step(len(self.steps) + 1, event, said, rule, tuple(more), evidence, pot, shown))
        self._strike(event)

    def _draw(self, event: PublicEvent) -> tuple[tuple[Both, str], ...]:
        """Draw ``event``; the reasons for it, which look at the hand as it was before."""
        if event.event == "hand_opened":
            self.drawn = opened(event)
            self.dealer = event.opening.dealer if event.opening is not None else ""
            setup = self.drawn.hand.setup
            stacks = tuple(SeatChips(entry.seat, entry.stack) for entry in self.drawn.hand.seats)
            return _reasons(explain(self.drawn.hand, HandOpened(setup.number, setup.variant, stacks)))
        if self.drawn is None:
            raise UntoldError(f"event {event.seq} ({event.event}) is of a hand whose beginning is missing")
        if not _is_known(event):
            raise UntoldError(f"event {event.seq} ({event.event}) is newer than this floor")
        before = self.drawn.hand
        self.drawn = after(self.drawn, event)
        known = None if event.event in ("card_confirmed", "hand_keyed", "confirmation_undone") else hand_event(before, event)
        return () if known is None else _reasons(explain(before, known))

    def _evidence(self, event: PublicEvent) -> Both | None:
        match event.event:
            case "card_confirmed":
                self.by_hand = event.code or ""
                return None
            case name if name in _NEW_DECK:
                self.shoe = 0
                return None
            case "hand_opened":
                self.shoe = 0
                return _both("history.by.entered", name=self.dealer) if self.dealer else None
            case name if name in _CARDS:
                return self._card(event)
            case name if name in _ENTERED and self.dealer:
                return _both("history.by.entered", name=self.dealer)
            case "ruled" if event.ruling is not None and event.ruling.by:
                key = "history.by.two" if event.ruling.agreed_by else "history.by.ruled"
                return _both(key, name=event.ruling.by, other=event.ruling.agreed_by)
            case "hand_held" if event.place is not None:
                return _both_places("history.by.place", event.place)
            case _:
                return None

    def _card(self, event: PublicEvent) -> Both:
        self.shoe += 1
        basis, self.by_hand = self.by_hand, ""
        place = event.place or "burn"
        if basis in ("hand", "floor"):
            return _both_places(f"history.by.confirmed.{basis}", place, k=self.shoe)
        return _both_places("history.by.card", place, k=self.shoe)

    def _strike(self, event: PublicEvent) -> None:
        """What this event takes back is struck through."""
        undone: tuple[str, ...]
        match event.event:
            case "action_undone" | "hand_retrieved":
                undone = _ACTS
            case "award_undone":
                undone = _AWARDS
            case "confirmation_undone":
                undone = (*_CARDS, "hand_tabled", "hole_exposed")
            case _:
                return
        only_last = event.event != "award_undone"
        for index in range(len(self.steps) - 2, -1, -1):
            step = self.steps[index]
            if step.event.event in undone and not step.is_undone:
                self.steps[index] = replace(step, is_undone=True)
                if only_last:
                    return


def told(table: str, journal: str, events: Sequence[PublicEvent]) -> Told:
    """The steps of one hand from its ``events``, in order. What was told of the table after its end is left out."""
    teller = _Teller(table)
    for event in events[: _length(events)]:
        teller.tell(event)
    return Told(tuple(teller.steps), _links(ChainName(table, journal), events), teller.untold)


def _length(events: Sequence[PublicEvent]) -> int:
    """How many of them are of the hand: up to its last end."""
    ends = [number for number, event in enumerate(events, 1) if event.event in ("hand_ended", "hand_voided")]
    return ends[-1] if ends else len(events)


def _links(name: ChainName, events: Sequence[PublicEvent]) -> str:
    """Whether each event hangs on the one before, from the journal's head before the hand on (``controller.mqtt.links``)."""
    first = events[0] if events else None
    if first is None or first.link is None or first.head is None or first.previous is None:
        return "none"
    before = start_of(name, first.previous, first.head)
    for event in events:
        before = link_after(before, event)
        if event.link != before:
            return "broken"
    return "whole"


def _view(drawn: Drawn, event: PublicEvent, table: str) -> Mapping[str, Any]:
    """The public view, as the table publishes it but for its stamp."""
    view = dict(view_of(drawn, table))
    if (hold := view["hold"]) is not None:
        words = {language.value: hold_text(hold["code"], hold["place"], language) for language in Language}
        view["hold"] = {**hold, "text": words}
    stamp = {"seq": event.seq, "epoch": event.epoch, "at": event.at}
    return PublicView.model_validate({**view, **stamp}).model_dump(mode="json", exclude=set(stamp))


def _reasons(found: Sequence[Why]) -> tuple[tuple[Both, str], ...]:
    return tuple(({language.value: reason(why, language) for language in Language}, why.rule) for why in found)


def _both(key: str, **values: str | int) -> Both:
    return {language.value: text(key, language, **values) for language in Language}


def _both_places(key: str, place: str, **values: int) -> Both:
    return {language.value: text(key, language, place=place_words(place, language), **values) for language in Language}


def _is_known(event: PublicEvent) -> bool:
    """Whether this release knows what that kind of event does to a hand."""
    return event.event in ("action_taken", "card_dealt") or f"floor.event.{event.event}" in catalogue(Language.EN)


def _plain(event: PublicEvent) -> Both:
    """An event that is none of the hand's own, or one that cannot be drawn, in a few words."""
    return {language.value: _plainly(event, language) for language in Language}


def _plainly(event: PublicEvent, language: Language) -> str:
    known = catalogue(language)
    values: dict[str, str | int] = {"n": event.seat or 0, "x": event.chips or 0, "m": event.to_seat or 0}
    if event.event == "ruled":
        form = known.get(f"ui.form.{event.code}")
        return text("history.step.ruled", language, kind=form or str(event.code))
    if event.event in ("card_confirmed", "confirmation_undone"):
        return text(f"history.step.{event.event}", language, place=place_words(event.place, language))
    if f"history.step.{event.event}" in known:
        return text(f"history.step.{event.event}", language, **values)
    return text("history.step.other", language, event=event.event.replace("_", " "))
