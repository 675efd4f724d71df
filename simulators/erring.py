"""A simulated dealer who errs, and the floor person she calls. Each slip is a movement of cards or a press that a real one makes.

She does what her screen says: a hold is mended by moving the card back, or by the ruling for which the screen sends her to the
floor; what neither ends is void after a while. The shoe's gate holds, so a card that is not due comes out only while it closes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from simulators.console import Command, Snapshot
from simulators.dealer import HOLD_LOOK_S, LOOK_S, MUCK, NOW, SimulatedDealer
from simulators.felt import HAND, PACKET, SHOE
from simulators.habits import void_after

FOUND_S: Final = 8.0
"""Table seconds until a card that fell from the table is found."""
FLOOR_S: Final = 3.0
"""Table seconds from calling the floor to its ruling."""
VOID_S: Final = 90.0
"""Table seconds of a hold after which the floor voids the hand."""
FLOOR: Final = "Fay"
WITNESS: Final = "Guy"


@dataclass(frozen=True, slots=True)
class Errors:
    """Chances, 0 to 1, each on its occasion: a card drawn, laid or dealt, an action, an award, a load."""

    wrong_place: float = 0.0
    """A card is laid at another seat, or a burn at a seat."""
    wrong_side: float = 0.0
    """An up card is laid face down, or a down card face up."""
    off_table: float = 0.0
    """A card falls from the table and is found later."""
    moved: float = 0.0
    """A card that lies is pushed to another seat."""
    lifted: float = 0.0
    """A player lifts a card for a moment."""
    boxed: float = 0.0
    """The card drawn lay face up in the deck."""
    exposed: float = 0.0
    """A down card of third street is seen by all."""
    one_too_many: float = 0.0
    """She pulls once more when the street is dealt."""
    mistyped: float = 0.0
    """She enters another action than the player's, and takes it back."""
    out_of_turn: float = 0.0
    """A player folds before its turn."""
    killed: float = 0.0
    """A live hand goes to the muck and is given back."""
    dropped: float = 0.0
    """The stub falls apart."""
    misdealt: float = 0.0
    """The floor gives the deal up."""
    award_undone: float = 0.0
    """An award is taken back and given again."""
    short_load: float = 0.0
    """A card is left out when the shoe is loaded."""

    @classmethod
    def all(cls, chance: float) -> Errors:
        """Every error with the same chance."""
        return cls(**{field.name: chance for field in fields(cls)})


RULING_OF_HOLD: Final[Mapping[str, Mapping[str, Any]]] = {
    "premature_card": {"kind": "premature"},
    "unexpected_load": {"kind": "drop_stub"},
    "shoe_restarted": {"kind": "drop_stub"},
    "cards_differ": {"kind": "trust_reader"},
}
"""The ruling for which the hold's sentence sends the dealer to the floor."""


class ErringDealer(SimulatedDealer):
    """A dealer with ``errors``, drawn from ``chance``. ``erred`` and ``ruled`` count what happened."""

    def __init__(self, *args: Any, errors: Errors, chance: random.Random, **settings: Any) -> None:
        settings["hold_policy"] = settings.get("hold_policy") or void_after(VOID_S)
        super().__init__(*args, **settings)
        self._errors = errors
        self._chance = chance
        self.erred: Counter[str] = Counter()
        self.ruled: Counter[str] = Counter()

    def _errs(self, name: str) -> bool:
        """Whether the error happens on this occasion."""
        if self._chance.random() >= getattr(self._errors, name):
            return False
        self.erred[name] += 1
        return True

    async def _rule(self, snapshot: Snapshot, role: str, ruling: Mapping[str, Any]) -> bool:
        """Give a ruling; whether it was accepted."""
        people = {"role": role, "by": FLOOR, "agreed_by": WITNESS, "reason": "as the screen says"}
        command: Command = {"type": "rule", "ruling": dict(ruling), **people}
        taken = await self._press(command, snapshot)
        self.ruled[f"{ruling['kind']} {'taken' if taken else 'refused'}"] += 1
        return taken

    # --- cards -----------------------------------------------------------------------------------------------------------------

    async def _lay(self, card: str, position: str) -> float:
        """Lay a card, perhaps wrong; perhaps something is then pushed or lifted."""
        due = self._felt.resolve(position)
        self._due[card] = due
        if self._errs("off_table"):
            await self._spend(FOUND_S)
        target = self._wrong(due)
        if target != due:
            await self._spend(self._pace.travel_s)
            self._felt.move(card, target, origin=HAND, at=self._now())
            self.stats.slips += 1
            return HOLD_LOOK_S
        pause_s = await super()._lay(card, position)
        await self._disturb()
        return pause_s

    def _wrong(self, due: str) -> str:
        """Where a card is laid that is due at ``due``."""
        places = [place for place in self._felt.places if place.startswith("seat/")]
        seat, side = (due.split("/")[1:2], due.split("/")[2:]) if due.startswith("seat/") else ([], [])
        if self._errs("wrong_place"):
            return self._chance.choice([place for place in places if place.split("/")[1:2] != seat])
        if side and self._errs("wrong_side"):
            return next(place for place in self._felt.of_seat(int(seat[0])) if place != due)
        return due

    async def _disturb(self) -> None:
        """A card that lies is pushed to another seat, or lifted for a moment."""
        lying = [card for card, due in self._due.items() if due.startswith("seat/") and self._felt.where(card) == due]
        if lying and self._errs("moved"):
            card = self._chance.choice(lying)
            places = [place for place in self._felt.places if place.startswith("seat/") and place != self._due[card]]
            self._felt.move(card, self._chance.choice(places), origin=self._due[card], at=self._now())
        if lying and self._errs("lifted"):
            card = self._chance.choice(lying)
            place = self._felt.where(card)
            self._felt.move(card, PACKET, origin=place, at=self._now())
            await self._spend(FLOOR_S)
            self._felt.move(card, place, origin=PACKET, at=self._now())

    async def _deal(self, snapshot: Snapshot) -> float:
        """Deal; a card may be boxed or exposed, the stub may fall, and one card too many may be pulled."""
        if not self._felt.cards_at(HAND) and self._errs("dropped"):
            await self._rule(snapshot, "floor", {"kind": "drop_stub"})
            return NOW
        fresh = self._unseen(snapshot) == 0 and not snapshot["step"]["in_flight"]
        if snapshot["hand"]["street"] == 3 and fresh and self._errs("exposed"):
            return await self._expose(snapshot)
        drawn = self._drawn
        pause_s = await super()._deal(snapshot)
        if self._drawn == drawn:
            return pause_s
        last = len(snapshot["step"]["plan"]) - self._unseen(snapshot) <= 0
        if last and self._errs("one_too_many") and (code := self._shoe.draw()) is not None:
            self._felt.draw(at=self._now())
            self._drawn += 1
            self.ruled[f"a card too many: {bool(code)}"] += 1
        if self._errs("boxed"):
            return await self._scrap(snapshot)
        return pause_s

    async def _scrap(self, snapshot: Snapshot) -> float:
        """The card in her hand lay face up in the deck: she enters it and lays it aside (R-MIS-06)."""
        held = self._felt.cards_at(HAND)
        await self._spend(FLOOR_S)  # the shoe has told of it by then
        snapshot = await self._console.snapshot()
        alone = snapshot["hold"] is None and len(snapshot["step"].get("in_flight", ())) == len(held) == 1
        if not alone or not await self._rule(snapshot, "dealer", {"kind": "set_aside", "scrap": "boxed"}):
            return NOW
        self._due[held[0]] = MUCK
        self._felt.move(held[0], MUCK, origin=HAND, at=self._now())
        return NOW

    async def _expose(self, snapshot: Snapshot) -> float:
        """A down card of third street falls open; by the house rule it is turned up (R-EXP-01)."""
        seats = [row["seat"] for row in snapshot["seats"] if row["state"] == "live"]
        seat = self._chance.choice(seats)
        places = self._felt.of_seat(seat)
        down = [card for card, due in self._due.items() if due == places[0] and self._felt.where(card) == due]
        if not down or len(places) < 2:
            return NOW
        number = self._chance.randint(1, len(down))
        if await self._rule(snapshot, "dealer", {"kind": "expose_hole", "seat": seat, "number": number}):
            card = down[number - 1]
            self._due[card] = places[1]
            self._felt.move(card, places[1], origin=places[0], at=self._now())
        return NOW

    # --- loads -----------------------------------------------------------------------------------------------------------------

    async def _scramble(self, snapshot: Snapshot) -> float:
        """What goes back besides stub and burns are the cards that were not due; where the screen asks for no burns they stay."""
        if self._lately_loaded():
            return LOOK_S
        for card in (*self._felt.cards_at(HAND), *self._returned(snapshot)):
            self._due.pop(card, None)
            self._felt.move(card, PACKET, origin=self._felt.where(card), at=self._now())
        if snapshot["step"]["burns"]:
            return await super()._scramble(snapshot)
        self._felt.gather((SHOE,), PACKET, at=self._now())
        await self._spend(self._pace.shuffle_s / 2)
        self.stats.scrambles += self._put_in(self._packets.scrambled(self._felt.cards_at(PACKET), drawn=self._drawn))
        return LOOK_S

    def _returned(self, snapshot: Snapshot) -> list[str]:
        """Cards on the felt that the screen sends back into the stub, from each place the newest."""
        back: list[str] = []
        for move in (snapshot["hold"] or {}).get("moves", ()):
            if move["to"] == "stub":
                there = [card for card in self._felt.cards_at(self._felt.resolve(move["from"])) if card not in back]
                back += there[-1:]
        return back

    def _put_in(self, order: Sequence[str]) -> bool:
        """Load the shoe, perhaps without the last card."""
        return super()._put_in(order[:-1] if len(order) > 2 and self._errs("short_load") else order)

    # --- people ----------------------------------------------------------------------------------------------------------------

    async def _act(self, snapshot: Snapshot) -> float:
        """The player acts; now and then something else happens first."""
        for name, slip in self._acts().items():
            if self._errs(name):
                return await slip(snapshot)
        return await super()._act(snapshot)

    def _acts(self) -> dict[str, Callable[[Snapshot], Coroutine[Any, Any, float]]]:
        return {
            "mistyped": self._mistype,
            "out_of_turn": self._too_early,
            "killed": self._kill,
            "dropped": self._drop,
            "misdealt": self._misdeal,
        }

    async def _mistype(self, snapshot: Snapshot) -> float:
        """Another action than the player's is entered and taken back (R-RULE-02)."""
        step = snapshot["step"]
        wrong = self._chance.choice(step["actions"])
        command = {"type": "act", "seat": step["seat"], "verb": wrong["verb"], "to": wrong["to"]}
        if await self._press(command, snapshot, decision=step["decision"]):
            await self._rule(await self._console.snapshot(), "dealer", {"kind": "undo_action"})
        return NOW

    async def _too_early(self, snapshot: Snapshot) -> float:
        """Somebody folds before its turn (R-BET-14)."""
        others = [row["seat"] for row in snapshot["seats"] if row["state"] == "live" and row["seat"] != snapshot["step"]["seat"]]
        if others:
            await self._rule(
                snapshot, "dealer", {"kind": "out_of_turn", "seat": self._chance.choice(others), "verb": "fold", "to": 0}
            )
        return NOW

    async def _kill(self, snapshot: Snapshot) -> float:
        """A live hand is mucked by mistake and given back by two people (R-ERR-07)."""
        seat = self._chance.choice([row["seat"] for row in snapshot["seats"] if row["state"] in {"live", "all_in"}])
        if await self._rule(snapshot, "floor", {"kind": "kill_hands", "seats": [seat], "cause": "in_muck"}):
            await self._spend(FLOOR_S)
            await self._rule(await self._console.snapshot(), "floor", {"kind": "retrieve_hand", "seat": seat})
        return NOW

    async def _drop(self, snapshot: Snapshot) -> float:
        """The stub falls apart while somebody thinks (R-ERR-06)."""
        await self._rule(snapshot, "floor", {"kind": "drop_stub"})
        return NOW

    async def _misdeal(self, snapshot: Snapshot) -> float:
        """The floor gives the deal up; too late it is refused (R-MIS-01, R-MIS-04)."""
        if snapshot["hand"]["street"] == 3:
            await self._rule(snapshot, "floor", {"kind": "misdeal", "cause": "wrong_count"})
        return NOW

    async def _award(self, snapshot: Snapshot) -> float:
        """The pots are paid, perhaps taken back and paid again (R-RULE-04)."""
        pause_s = await super()._award(snapshot)
        if self._errs("award_undone"):
            await self._rule(await self._console.snapshot(), "floor", {"kind": "undo_award"})
        return pause_s

    # --- holds -----------------------------------------------------------------------------------------------------------------

    async def _hold(self, snapshot: Snapshot) -> float:
        """Move back what lies wrong; else the floor rules what the hold's sentence asks for, or voids the hand in the end."""
        hold = snapshot["hold"] or {}
        if hold.get("code") == "stub_count":
            self._loaded_at = None
            counted = {**snapshot["step"], "burns": snapshot["hand"]["burns"], "cards": snapshot["hand"]["stub"]}
            return await self._scramble({**snapshot, "step": counted})
        ruling = RULING_OF_HOLD.get(str(hold.get("code")))
        if ruling is not None and not [move for move in hold.get("moves", ()) if move["to"] != "stub"]:
            await self._spend(FLOOR_S)
            if await self._rule(snapshot, "floor", ruling):
                return NOW
        return await super()._hold(snapshot)
