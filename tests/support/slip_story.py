"""A table story with slips: fixed decks, rulings as the console sends them, and what must hold of the journal afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from controller.console.ruling_orders import RuleBody
from controller.hand.cards import DECK, Card, parse_card
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.table.inputs import Rule
from controller.table.picture import picture_of
from controller.verify import audit
from controller.views.dealer import dealer_view
from support.table_runs import write_journal
from support.table_story import TableStory, without_hidden


def cards(text: str) -> list[Card]:
    """``"6c Td"`` as cards."""
    return [parse_card(word) for word in text.split()]


def ruling(kind: str, role: str = "floor", *, by: str = "Fay", agreed_by: str = "", **values: Any) -> Rule:
    """A ruling as the console sends it."""
    body = {"type": "rule", "role": role, "by": by, "agreed_by": agreed_by, "reason": "told so"}
    return RuleBody.model_validate({**body, "ruling": {"kind": kind, **values}}).to_rule()


class SlipStory(TableStory):
    """A story whose dealer errs. Seats have 100 chips."""

    def __init__(self, seats: str, **settings: Any) -> None:
        super().__init__(dict.fromkeys(map(int, seats.split()), 100), **settings)
        self.brought = sum(seat.stack for seat in self.state.seats)

    def begin(self, third: str = "", later: str = "") -> SlipStory:
        """Load a deck with ``third`` for third street and ``later`` behind it, and start."""
        seats = len([seat for seat in self.state.seats if not seat.out])
        named = cards(third) + cards(later)
        rest = [card for card in DECK if card not in named]
        self.rng.shuffle(rest)
        first = cards(third)
        while len(first) < 3 * seats:
            first.append(rest.pop())
        self.start([*first, *cards(later), *rest])
        return self

    def street(self, number: int) -> SlipStory:
        """On to the moment before the first card of a street; nobody bets or folds."""
        self.passive(number - 1)
        while self.hand.phase is Phase.BETTING and self.hand.street == number - 1:
            self.calmly()
        return self

    def calmly(self) -> None:
        """The actor posts, checks or calls."""
        step = self.step()["actions"][0]
        assert self.act(Verb(step["verb"]), step["to"]) is None

    def rule(self, kind: str, role: str = "floor", **values: Any) -> str | None:
        """Give a ruling; the refusal's code."""
        refusal = self.order(ruling(kind, role, **values))
        return None if refusal is None else refusal.code

    def draws(self, number: int) -> list[Card]:
        """Cards that leave the shoe before a reader sees one."""
        return [self.draw() for _ in range(number)]

    def moves(self) -> list[tuple[str, str]]:
        """What the dealer's screen tells her to move."""
        hold = dealer_view(picture_of(self.state, "T1"))["hold"]
        return [] if hold is None else [(move["from"], move["to"]) for move in hold["moves"]]

    def mend(self) -> None:
        """Do what the screen says, one move after the other; what goes to the stub is put back into the shoe."""
        for _ in range(60):
            wrong = self.moves()
            if not wrong:
                return
            place, target = wrong[-1] if wrong[-1][1] == "stub" else wrong[0]
            held = self.state.custody
            belongs = {flight.card: flight.due and flight.due.place for flight in held.flights if flight.card} | held.placed
            card = next(card for card, due in belongs.items() if str(self.where.get(card)) == place and str(due) != place)
            if target == "stub":
                self.lift(card)
                self.put_back(card)
            else:
                self.lay(card, target)
        raise AssertionError("the moves never end")

    def finish(self, folder: Path) -> SlipStory:
        """Play on; then everything is where it belongs, and the journal holds, with its keys and without."""
        self.play_on()
        self.holds(folder)
        return self

    def holds(self, folder: Path) -> None:
        """The journal replays with and without keys, and an auditor without keys finds nothing wrong."""
        assert self.replayed(self.sealers) == self.state
        assert without_hidden(self.replayed({})) == without_hidden(self.state)
        found = audit(write_journal(folder, self.bodies))
        assert found.ok, (found.first_bad, found.reason)
        assert found.chips_conserved


def names(found: Sequence[Card]) -> str:
    """Cards as text."""
    return " ".join(card.text for card in found)
