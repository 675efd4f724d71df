"""A stand-in for the controller in tests of simulated people: it asks for the steps of a hand and watches the cards.

It knows no betting: each live seat is asked once a street. Shoe and felt are seen ``lag_s`` late, as over real lines.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulators.console import ConsoleAway
from simulators.felt import FULL_DECK, HAND, SHOE, Felt

TAGS = {card: f"E0040000{number:08X}" for number, card in enumerate(FULL_DECK)}
SPOTS = ("burn", "muck", "community")


def a_felt(seats: Sequence[int] = range(1, 9), *, two_antennas: bool = True) -> Felt:
    zones = ("/down", "/up") if two_antennas else ("",)
    return Felt(TAGS, [*(f"seat/{seat}{zone}" for seat in seats for zone in zones), *SPOTS])


class ScriptedTable:
    """``offers(seat)`` gives the actions; a fold is obeyed. ``scramble`` asks for one before seventh street."""

    def __init__(self, felt: Felt, seats: Sequence[int] = (1, 3, 4), *, lag_s: float = 0.3, scramble: bool = False) -> None:
        self.felt, self.seats, self.lag_s, self.scramble = felt, tuple(seats), lag_s, scramble
        self.offers: Callable[[int], list[dict[str, Any]]] = lambda seat: [{"verb": "check", "to": None}]
        self.refuse: Callable[[Mapping[str, Any]], str | None] = lambda command: None
        self.on_card: Callable[[], None] = lambda: None
        self.seq, self.number, self.street = 1, 0, 0
        self.step: dict[str, Any] = {"kind": "load_deck"}
        self.phase = "ended"
        self.state = dict.fromkeys(self.seats, "out")
        self.stacks = dict.fromkeys(self.seats, 100)
        self.tabled: dict[int, list[str]] = {}
        self.stub = 0
        self.flying: list[tuple[str, str, float | None]] = []
        self.plan: list[str] = []
        self.hold: dict[str, Any] | None = None
        self.down = self.recovering = False
        self.notices: deque[tuple[float, str, Any]] = deque()
        self.loads: list[tuple[int, str]] = []
        self.commands: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self.dealt: list[tuple[str, str]] = []
        self._newer = asyncio.Event()

    # the shoe, as hands know it

    def load(self, codes: Sequence[str], set_id: str) -> None:
        self.notices.append((self._now(), "load", len(codes)))
        self.loads.append((len(codes), set_id))

    def draw(self) -> str | None:
        if self.step["kind"] != "deal" or not self.plan or self.hold or self.recovering:
            return None
        card = self.felt.cards_at(SHOE)[0]
        self.notices.append((self._now(), "card", card))
        self.on_card()
        return card.upper()

    # the console

    async def fetch(self, after: int | None) -> dict[str, Any]:
        if after is not None and after >= self.seq:
            try:
                async with asyncio.timeout(10):
                    await self._newer.wait()
            except TimeoutError:
                pass
        if self.down:
            raise ConsoleAway("down")
        return self.snapshot()

    async def submit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if self.down:
            raise ConsoleAway("down")
        if body["key"] not in self.answers:
            command = dict(body["command"])
            code = self.refuse(command)
            self.commands.append(command)
            if code is None:
                self._obey(command)
                self._bump()
            no = {"rule": "R-X", "code": code, "message": f"refused: {code}", "seq": self.seq}
            self.answers[body["key"]] = {"ok": True, "seq": self.seq} if code is None else {"ok": False, "refusal": no}
        return self.answers[body["key"]]

    def snapshot(self) -> dict[str, Any]:
        step = dict(self.step)
        if self.hold:
            step = {"kind": "hold"}
        elif self.recovering:
            step = {"kind": "resume"}
        elif step["kind"] == "deal":
            step |= {"plan": list(self.plan), "in_flight": [position for _, position, _ in self.flying]}
        seats = [
            {"seat": seat, "name": "P", "stack": self.stacks[seat], "state": self.state[seat], "tabled": self.tabled.get(seat)}
            for seat in self.seats
        ]
        hand = {
            "number": self.number,
            "phase": self.phase,
            "street": self.street,
            "stub": self.stub,
            "community": None,
            "pots": [],
        }
        return {
            "seq": self.seq,
            "status": "live",
            "variant": "stud",
            "seats": seats,
            "hand": hand if self.number else None,
            "hold": self.hold,
            "step": step,
        }

    # what happens by itself

    async def live(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            if not self.down:
                before = repr(self.snapshot())
                self._hear()
                self._see()
                self._advance()
                if repr(self.snapshot()) != before:
                    self._bump()

    async def kill(self, seconds: float) -> None:
        self.down = True
        self._bump()
        await asyncio.sleep(seconds)
        self.down, self.recovering = False, True
        self._bump()

    def _hear(self) -> None:
        while self.notices and self.notices[0][0] + self.lag_s <= self._now():
            _, kind, what = self.notices.popleft()
            if kind == "load":
                self.stub = what
                match self.step["kind"]:
                    case "load_deck":
                        self.step = {"kind": "start_hand"}
                    case "scramble":
                        self.step = {"kind": "deal"}
            elif not self.plan:
                self.faults.append("premature card")
            else:
                self.stub -= 1
                position = self.plan.pop(0)
                self.flying.append((what, position, None))
                self.dealt.append((what, position))

    def _see(self) -> None:
        """Cards that lie where they are due arrive after the lag; a card at another place stops the table."""
        still: list[tuple[str, str, float | None]] = []
        self.hold = None
        for card, position, since in self.flying:
            place = self.felt.where(card)
            if place == HAND:
                still.append((card, position, None))
            elif place != self.felt.resolve(position):
                self.hold = {"code": "wrong_place", "place": place, "reason": "A card lies at a wrong place."}
                still.append((card, position, None))
            elif since is None or self._now() - since < self.lag_s:
                still.append((card, position, since if since is not None else self._now()))
        self.flying = still

    def _advance(self) -> None:
        if self.step["kind"] == "deal" and not self.plan and not self.flying and not self.hold and not self.recovering:
            self.step = {"kind": "act", "left": self._live()}
            self._ask()

    def _ask(self) -> None:
        left = self.step["left"]
        if len(self._live()) == 1:
            self.step = {"kind": "award", "decision": f"{self.number}-showdown"}
        elif left:
            seat = left[0]
            decision = f"{self.number}-{self.street}-{seat}"
            self.step = {"kind": "act", "seat": seat, "decision": decision, "actions": self.offers(seat), "left": left}
        elif self.street == 7:
            shown = {"order": self._live(), "may_muck": self._live()[1:]}
            self.step = {"kind": "table", "decision": f"{self.number}-showdown", **shown}
        else:
            self._street(self.street + 1)

    def _street(self, street: int) -> None:
        self.street = street
        zone = "down" if street == 7 else "up"
        rounds = ("down", "down", "up") if street == 3 else (zone,)
        self.plan = [*(["burn"] if street > 3 else []), *(f"seat/{seat}/{where}" for where in rounds for seat in self._live())]
        self.step = {"kind": "deal"}
        if street == 7 and self.scramble:
            self.step = {"kind": "scramble", "burns": 3}

    def _obey(self, command: dict[str, Any]) -> None:
        match command["type"]:
            case "start_hand":
                self.number += 1
                self.phase, self.tabled = "dealing", {}
                self.state = dict.fromkeys(self.seats, "live")
                self._street(3)
            case "act":
                if command["verb"] == "fold":
                    self.state[command["seat"]] = "folded"
                self.step["left"] = self.step["left"][1:]
                self._ask()
            case "table_hand" | "muck_hand":
                seat = command["seat"]
                if command["type"] == "muck_hand":
                    self.state[seat] = "folded"
                else:
                    self.tabled[seat] = [card for place in self.felt.of_seat(seat) for card in self.felt.cards_at(place)]
                self.step["order"] = self.step["order"][1:]
                if not self.step["order"]:
                    self.step = {"kind": "award", "decision": f"{self.number}-showdown"}
            case "award_pots":
                self._end("ended")
            case "void_hand":
                self._end("voided")
            case "resume":
                self.recovering = False
            case "add_chips":
                self.stacks[command["seat"]] += command["chips"]

    def _end(self, phase: str) -> None:
        self.phase, self.step = phase, {"kind": "load_deck"}
        self.plan, self.flying, self.hold = [], [], None

    def _live(self) -> list[int]:
        return [seat for seat in self.seats if self.state[seat] == "live"]

    def _bump(self) -> None:
        self.seq += 1
        self._newer.set()
        self._newer = asyncio.Event()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
