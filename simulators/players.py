"""The people at the table: they choose among the actions that the dealer's screen offers, and show or muck at the end."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from simulators.reading import beaten

Action: TypeAlias = Mapping[str, Any]
Snapshot: TypeAlias = Mapping[str, Any]

WAGERS: Final = frozenset({"complete", "bet", "raise"})
WHOLE_HAND: Final = 7


class Player(Protocol):
    """Somebody in a seat."""

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Action]) -> Action:
        """One of the offered ``actions``."""

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """Whether to table ``cards`` (his own, common card included) where mucking is allowed too (R-SHOW-04)."""


class SteadyPlayer:
    """A player who answers the same decision the same way however often, and whenever, he is asked: chance comes from the
    decision's name."""

    def __init__(self, seed: int, *, looseness: float) -> None:
        self._seed = seed
        self._looseness = looseness

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Action]) -> Action:
        """By weight, drawn for this decision."""
        return self._player(snapshot, seat).choose(snapshot, seat, actions)

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """Drawn for this hand."""
        return self._player(snapshot, seat).shows(snapshot, seat, cards)

    def _player(self, snapshot: Snapshot, seat: int) -> RandomPlayer:
        rng = random.Random(f"{self._seed} {seat} {snapshot['step'].get('decision')}")
        return RandomPlayer(rng, looseness=self._looseness)


class ScriptMismatch(Exception):  # noqa: N818
    """The recorded action is not on offer, or another seat is asked: ``expected`` and ``offered`` say what differs."""

    def __init__(self, number: int, expected: tuple[int, str, int | None] | None, seat: int, offered: Sequence[Action]) -> None:
        self.number = number
        self.expected = expected
        self.seat = seat
        self.offered = tuple((str(action["verb"]), action.get("to")) for action in offered)
        wanted = "no more actions" if expected is None else f"seat {expected[0]} {_words(expected[1], expected[2])}"
        choices = ", ".join(_words(verb, to) for verb, to in self.offered)
        super().__init__(f"action {number} of the script: {wanted}; the table asks seat {seat}: {choices}")


class RandomPlayer:
    """Plays by weights. ``aggression`` 0 to 1 is the pull towards bets and raises, ``looseness`` 0 to 1 that against folding;
    ``free_fold`` is the chance of a fold with no bet to call (R-DEAL-06), ``muck`` that of mucking a beaten hand."""

    def __init__(
        self,
        rng: random.Random,
        aggression: float = 0.3,
        looseness: float = 0.6,
        *,
        free_fold: float = 0.0,
        muck: float = 0.7,
    ) -> None:
        self._rng = rng
        self._aggression = aggression
        self._looseness = looseness
        self._free_fold = free_fold
        self._muck = muck

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Action]) -> Action:
        """Draws by weight; a fold faces a bet unless ``free_fold`` says so; the only action offered is taken."""
        free = any(action["verb"] == "check" for action in actions)
        weights = [self._weight(str(action["verb"]), free=free) for action in actions]
        if not any(weights):
            return actions[self._rng.randrange(len(actions))]
        return self._rng.choices(actions, weights)[0]

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """Shows what may win some pot; mucks most hands that tabled ones beat in every pot."""
        if not _beaten_everywhere(snapshot, seat, cards):
            return True
        return self._rng.random() >= self._muck

    def _weight(self, verb: str, *, free: bool) -> float:
        if verb in WAGERS:
            return self._aggression
        if verb == "fold":
            return self._free_fold if free else 0.6 * (1.0 - self._looseness)
        return max(1.0 - self._aggression, 0.05)


class ScriptedPlayers:
    """All seats of a recorded hand: each gives the next recorded action, ``(seat, verb, total on the street)``.

    Asked again for the same decision (after a lost answer, or a refusal), they say the same. ``shown`` are the seats that table
    their cards. Raises ``ScriptMismatch`` when the recorded action is not on offer.
    """

    def __init__(self, decisions: Sequence[tuple[int, str, int | None]], *, shown: frozenset[int] = frozenset()) -> None:
        self._decisions = tuple(decisions)
        self._shown = shown
        self._next = 0
        self._asked: object = None

    @property
    def done(self) -> int:
        """Actions that were taken from the script."""
        return self._next

    @property
    def left(self) -> int:
        """Actions that are still to come."""
        return len(self._decisions) - self._next

    def choose(self, snapshot: Snapshot, seat: int, actions: Sequence[Action]) -> Action:
        """The offered action that the script wants now."""
        decision = snapshot["step"].get("decision")
        if self._next and decision is not None and decision == self._asked:
            self._next -= 1
        expected = self._decisions[self._next] if self._next < len(self._decisions) else None
        if expected is not None and expected[0] == seat:
            for action in actions:
                if _means(action, expected[1], expected[2]):
                    self._next += 1
                    self._asked = decision
                    return action
        raise ScriptMismatch(self._next + 1, expected, seat, actions)

    def shows(self, snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
        """As recorded."""
        return seat in self._shown


_WAGERS = frozenset(("bring_in", "complete", "bet", "raise"))


def _means(action: Action, verb: str, to: int | None) -> bool:
    """Whether an offered action is the recorded one; sites call the same wager to the same total by different verbs."""
    if action["verb"] != verb and not (action["verb"] in _WAGERS and verb in _WAGERS):
        return False
    return to is None or action.get("to") == to


def _words(verb: str, to: object) -> str:
    return verb if to is None else f"{verb} to {to}"


def _beaten_everywhere(snapshot: Snapshot, seat: int, cards: Sequence[str]) -> bool:
    """Whether in every pot that ``seat`` contests a tabled hand leaves it nothing."""
    if len(cards) != WHOLE_HAND:
        return False
    hand = snapshot["hand"] or {}
    common = [hand["community"]] if hand.get("community") else []
    tabled = {
        other["seat"]: [*other["tabled"], *(card for card in common if card not in other["tabled"])]
        for other in snapshot["seats"]
        if other.get("tabled") and other["seat"] != seat
    }
    pots = [pot["seats"] for pot in hand.get("pots", ()) if seat in pot["seats"]]
    rivals = [[cards_ for other, cards_ in tabled.items() if other in seats and len(cards_) == WHOLE_HAND] for seats in pots]
    return bool(pots) and all(beaten(cards, hands, variant=snapshot["variant"]) for hands in rivals)
