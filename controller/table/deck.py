"""Whether the table's deck may be played: the right one, checked by identity, not in quarantine (R-DECK-01, REG-41)."""

from __future__ import annotations

from typing import Final

from controller.hand.commands import Refusal
from controller.table.deck_events import DeckAdmitted, DeckBarred, DeckChecked, DeckEvent, DeckIntroduced
from controller.table.events import DeckInShoe
from controller.table.parts import Bar, DeckInPlay, DeckTold
from controller.table.state import TableState

NAMELESS: Final = frozenset(("", "NONE"))
"""Set ids of a shoe that does not know which deck it holds (TSP/1 LOAD)."""


def deck_news(state: TableState, told: DeckTold) -> tuple[DeckEvent, ...]:
    """What is new of the deck; nothing when the journal knows it all."""
    known = state.deck
    events: list[DeckEvent] = []
    event = DeckIntroduced(told.deck, told.set_id, told.enrolment, told.needs_check)
    after = introduced(known, event, since=state.hand_number + 1)
    if after != known:
        events.append(event)
    known = after
    if told.bar != known.bar:
        events.append(DeckAdmitted() if told.bar is None else DeckBarred(*told.bar))
        known = known._replace(bar=told.bar, checked="")
    passed = told.passed
    if passed is not None and passed.enrolment == told.enrolment and not passed.used and passed.at != known.checked:
        events.append(DeckChecked(passed.at, passed.by, passed.agreed_by, passed.machine))
    return tuple(events)


def introduced(known: DeckInPlay | None, event: DeckIntroduced, *, since: int) -> DeckInPlay:
    """The deck after ``event``. The same tags stay checked; what the shoe said that it holds stays true."""
    fresh = DeckInPlay(event.deck, event.set_id, event.enrolment, since, event.needs_check)
    if known is None:
        return fresh
    if (known.deck, known.enrolment) == (event.deck, event.enrolment):
        return known._replace(set_id=event.set_id, needs_check=event.needs_check)
    return fresh._replace(loaded=known.loaded)


def with_deck(state: TableState, event: DeckEvent) -> TableState:
    """The state after an event of the deck."""
    known = state.deck
    match event:
        case DeckIntroduced():
            return state._replace(deck=introduced(known, event, since=state.hand_number + 1))
        case _ if known is None:
            raise ValueError("a deck was checked or barred before it was introduced")
        case DeckChecked():
            return state._replace(deck=known._replace(checked=event.checked_at))
        case DeckBarred():
            return state._replace(deck=known._replace(bar=Bar(event.by, event.since, event.reason), checked=""))
        case DeckAdmitted():
            return state._replace(deck=known._replace(bar=None, checked=""))


def with_load(state: TableState, event: DeckInShoe) -> TableState:
    """What the shoe said that it was loaded with; once that was another deck, this one was changed and is to be checked anew."""
    known = state.deck
    if known is None:
        return state
    known = known._replace(loaded=event.set_id)
    return state._replace(deck=known._replace(checked="") if is_other(known) else known)


def is_other(deck: DeckInPlay) -> bool:
    """The shoe names another deck than the table's."""
    return deck.loaded not in NAMELESS and deck.loaded != deck.set_id


def deck_refusal(state: TableState) -> Refusal | None:
    """Why no hand may start with this deck; ``None`` when it may, or when nobody tells of decks (R-DECK-01)."""
    deck = state.deck
    if deck is None:
        return None
    if (bar := deck.bar) is not None:
        return Refusal(
            "R-DECK-01", "deck_quarantined", (("deck", deck.deck), ("by", bar.by), ("since", bar.since), ("reason", bar.reason))
        )
    if state.shoe_tells and is_other(deck):
        return Refusal("R-DECK-01", "other_deck_loaded", (("loaded", deck.loaded), ("deck", deck.deck), ("set", deck.set_id)))
    if deck.needs_check and not deck.checked:
        return Refusal("R-DECK-01", "deck_not_checked", (("deck", deck.deck),))
    return None
