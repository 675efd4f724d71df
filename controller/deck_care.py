"""What is known of a deck beside its tags: quarantine, the last check, hands played and wear. One file beside the deck's.

``deck.toml`` has ``deck.care.json``, mode 0600. Table and desk both change it: each change is read, made and written under a
lock, and the file is whole or as it was before, whatever happens meanwhile. Neither tag nor place of a card stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from controller.hand.cards import DECK, Card, parse_card
from controller.tracking.life import Wear
from controller.tracking.registry import DeckRegistry
from controller.whole_file import locked, write_whole

FORMAT: Final = 1
_DIGEST_DIGITS: Final = 16


class CareError(ValueError):
    """A care file that cannot be read or means nothing. The message names file and way out."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Deck or card is out of play: who said so, when (UTC) and why."""

    by: str
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeckPassed:
    """The deck was found whole: when (UTC), by whom, verified by whom, at which reader, and which enrolment (REG-41).

    ``used``: the table that plays on this check. A check brings a deck into play once.
    """

    at: str
    by: str
    agreed_by: str
    machine: str
    digest: str
    used: str = ""


@dataclass(frozen=True, slots=True)
class DeckCare:
    """The whole record. ``runs`` names per journal and first hand the last hand played, so that no hand counts twice;
    ``since`` the hands that the deck had played when a card was enrolled anew. ``log`` only grows."""

    quarantine: Quarantined | None = None
    cards: Mapping[Card, Quarantined] = field(default_factory=dict)
    passed: DeckPassed | None = None
    enrolled: str = ""
    runs: Mapping[str, int] = field(default_factory=dict)
    since: Mapping[Card, int] = field(default_factory=dict)
    wear: Mapping[Card, Wear] = field(default_factory=dict, repr=False)
    log: tuple[Mapping[str, str], ...] = ()

    @property
    def hands(self) -> int:
        """Hands that the deck has played."""
        return sum(last - int(run.rpartition("/")[2]) + 1 for run, last in self.runs.items())

    def card_hands(self) -> dict[Card, int]:
        """Hands that each card has been in the deck for."""
        return {card: self.hands - self.since.get(card, 0) for card in DECK}

    @property
    def barred(self) -> Quarantined | None:
        """Why the deck may not be played: its own quarantine, or a card's."""
        return self.quarantine or next((self.cards[card] for card in DECK if card in self.cards), None)

    def noted(self, at: str, what: str, **values: str) -> DeckCare:
        """The same with one more line in the log."""
        return replace(self, log=(*self.log, {"at": at, "what": what, **values}))

    def put_aside(self, mark: Quarantined, card: Card | None) -> DeckCare:
        """The deck, or one card of it, goes into quarantine. What was checked is to be checked anew (Q-98)."""
        after = replace(self, passed=None, quarantine=mark if card is None else self.quarantine)
        if card is not None:
            after = replace(after, cards={**self.cards, card: mark})
        name = {} if card is None else {"card": card.text}
        return after.noted(mark.at, "quarantined", by=mark.by, reason=mark.reason, **name)

    def released(self, at: str, by: str, agreed_by: str, card: Card | None) -> DeckCare:
        """Out of quarantine again; two people say so (REG-42). ``KeyError`` when it is in none."""
        if card is None:
            if self.quarantine is None:
                raise KeyError("deck")
            return replace(self, quarantine=None).noted(at, "released", by=by, agreed_by=agreed_by)
        left = {known: mark for known, mark in self.cards.items() if known != card}
        if len(left) == len(self.cards):
            raise KeyError(card.text)
        return replace(self, cards=left).noted(at, "released", by=by, agreed_by=agreed_by, card=card.text)

    def enrolled_anew(self, at: str, by: str, digest: str, card: Card | None) -> DeckCare:
        """Tags were written: of a whole deck, which is a new one, or of one card, which begins its life and leaves quarantine."""
        if card is None:
            return DeckCare(enrolled=digest, log=self.log).noted(at, "enrolled", by=by)
        without = {known: own for known, own in self.wear.items() if known != card}
        left = {known: mark for known, mark in self.cards.items() if known != card}
        since = {**self.since, card: self.hands}
        after = replace(self, passed=None, enrolled=digest, cards=left, wear=without, since=since)
        return after.noted(at, "replaced", by=by, card=card.text)

    def found(self, passed: DeckPassed) -> DeckCare:
        """The deck was found whole."""
        who = {"by": passed.by, "agreed_by": passed.agreed_by, "machine": passed.machine}
        return replace(self, passed=passed).noted(passed.at, "checked", **who)

    def failed(self, at: str, by: str, agreed_by: str, machine: str) -> DeckCare:
        """The deck was not found whole: an earlier check holds no longer."""
        return replace(self, passed=None).noted(at, "check_failed", by=by, agreed_by=agreed_by, machine=machine)

    def played(self, run: str, last: int) -> DeckCare:
        """The hands from the one that ``run`` names to ``last`` were played; told again, nothing changes."""
        return self if self.runs.get(run, 0) >= last else replace(self, runs={**self.runs, run: last})

    def worn(self, digest: str, counted: Mapping[Card, Wear]) -> DeckCare:
        """More readings, unless the tags have changed since they were counted."""
        if not counted or (self.enrolled and self.enrolled != digest):
            return self
        return replace(self, wear={**self.wear, **{card: self.wear.get(card, Wear()).plus(own) for card, own in counted.items()}})


def digest_of(registry: DeckRegistry) -> str:
    """Names an enrolment: which tags are in which cards. It tells none of them."""
    return sha256(registry.toml().encode()).hexdigest()[:_DIGEST_DIGITS]


def care_path(deck: Path) -> Path:
    """The care file of a deck's file."""
    return deck.with_name(f"{deck.stem}.care.json")


def load_care(path: Path) -> DeckCare:
    """What the file says; nothing when there is none. ``CareError`` when it cannot be understood."""
    try:
        return _care(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return DeckCare()
    except OSError as error:
        raise CareError(f"{path} cannot be read ({error.strerror}): give the file to this user") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CareError(
            f"{path} is no record of a deck's care: put back its last copy, or move it away and check the deck"
        ) from None


def change_care(path: Path, change: Callable[[DeckCare], DeckCare]) -> DeckCare:
    """Read, change and write the file with nobody between; returns what is written. What ``change`` raises comes through."""
    with locked(path):
        before = load_care(path)
        after = change(before)
        if after != before:
            write_whole(path, json.dumps(_data(after), indent=1, ensure_ascii=False) + "\n")
        return after


def _mark(mark: Quarantined) -> dict[str, str]:
    return {"by": mark.by, "at": mark.at, "reason": mark.reason}


def _data(care: DeckCare) -> dict[str, Any]:
    passed = care.passed
    return {
        "format": FORMAT,
        "quarantine": None if care.quarantine is None else _mark(care.quarantine),
        "cards": {card.text: _mark(mark) for card, mark in care.cards.items()},
        "passed": None if passed is None else {name: getattr(passed, name) for name in DeckPassed.__slots__},
        "enrolled": care.enrolled,
        "runs": dict(care.runs),
        "since": {card.text: hands for card, hands in care.since.items()},
        "wear": {card.text: list(care.wear[card]) for card in DECK if card in care.wear},
        "log": [dict(line) for line in care.log],
    }


def _care(data: Any) -> DeckCare:
    if data["format"] != FORMAT:
        raise ValueError
    quarantine, passed = data["quarantine"], data["passed"]
    return DeckCare(
        None if quarantine is None else Quarantined(**quarantine),
        {parse_card(card): Quarantined(**mark) for card, mark in data["cards"].items()},
        None if passed is None else DeckPassed(**passed),
        str(data["enrolled"]),
        {run: _run(run, last) for run, last in data["runs"].items()},
        {parse_card(card): int(hands) for card, hands in data["since"].items()},
        {parse_card(card): Wear(*map(int, counts)) for card, counts in data["wear"].items()},
        tuple({str(name): str(value) for name, value in line.items()} for line in data["log"]),
    )


def _run(run: str, last: int) -> int:
    """The last hand of a run; ``ValueError`` when it ends before it begins."""
    if int(run.rpartition("/")[2]) > int(last):
        raise ValueError
    return int(last)
