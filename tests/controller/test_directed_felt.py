"""Directed scenarios of recovery §14 on the felt: cards that are moved while nobody looks."""

from __future__ import annotations

import asyncio
from pathlib import Path

from support.directed import Directed, as_without, betting, dealing, later

from controller.hand.events import ActionTaken, CardDealt, HandHeld, HoldLifted
from controller.hand.irregular_events import MisdealDeclared
from controller.simulate.run import Simulation
from controller.table.events import ControllerStarted, Ruled

SEATS = (2, 4)


def test_two_up_cards_change_places_while_the_controller_is_away(tmp_path: Path) -> None:
    """Scenario 15: seats 2 and 4 exchange an up card while the controller is down. The table says where cards lie wrong, nothing
    is dealt or bet, the cards are put back, and the stop ends by itself: no ruling, and the hand is as without it."""

    def exchange() -> None:
        felt, now = run.rehearsal.devices.felt, asyncio.get_running_loop().time()
        places = [f"seat/{seat}/up" for seat in SEATS]
        cards = [felt.cards_at(place)[0] for place in places]
        for card, origin, target in zip(cards, places, reversed(places), strict=True):
            felt.move(card, target, origin=origin, at=now)

    def then(run: Simulation) -> None:
        run.kill()
        later(0.5, exchange)

    run = Directed(tmp_path, when=betting(4), then=then)
    as_without(run, crashes=1)
    again = max(number for number, (_, event) in enumerate(run.told) if isinstance(event, ControllerStarted))
    since = [event for _, event in run.told[again:]]
    held = next(number for number, event in enumerate(since) if isinstance(event, HandHeld))
    lifted = max(number for number, event in enumerate(since) if isinstance(event, HoldLifted))
    told = [event for event in since[held:lifted] if isinstance(event, HandHeld)]
    assert {event.code for event in told} == {"moved_card"}
    assert {str(event.place) for event in told} <= {f"seat/{seat}/up" for seat in SEATS}
    assert not any(isinstance(event, CardDealt | ActionTaken | Ruled) for event in since[:lifted])


def test_two_antennas_are_crossed_in_the_middle_of_a_street(tmp_path: Path) -> None:
    """Scenario 16: two antennas change their cables. The deal stops, and as soon as each has told all that it reads the wiring is
    suspected; it is no misdeal, and the stop ends by itself when the cables are right again. The hand is as without it."""

    def cross() -> None:
        coupling = run.rehearsal.devices.field.coupling
        assert isinstance(coupling, dict)
        coupling["seat/2/up"], coupling["seat/3/up"] = coupling["seat/3/up"], coupling["seat/2/up"]

    def then(_: Simulation) -> None:
        cross()
        later(8.0, cross)

    run = Directed(tmp_path, when=dealing(4, 4), then=then)
    as_without(run, crashes=0)
    assert set(run.watch.auditor.outcome.holds) == {"moved_card", "antennas_crossed"}
    crossed = [at for at, event in run.told if isinstance(event, HandHeld) and event.code == "antennas_crossed"]
    moved = [at for at, event in run.told if isinstance(event, HandHeld) and event.code == "moved_card"]
    assert min(crossed) - min(moved) < 2.0
    assert run.told_of(Ruled) == run.told_of(MisdealDeclared) == []
