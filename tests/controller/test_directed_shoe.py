"""Directed scenarios of recovery §14 between controller and shoe: the hand is as if nothing had happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from support.directed import Directed, Tap, as_without, dealing, later

from controller.simulate.run import Simulation
from controller.table.events import CardRead, DeviceLink, GateOrdered, ShoeAdopted, ShoeNoted, Suspended
from controller.table.state import TableState
from drivers.shoe.device_memory import SequenceLimits
from drivers.shoe.device_session import DeviceSession

DEALT = dealing(3, 3)


def now() -> float:
    """The run's time."""
    return asyncio.get_running_loop().time()


def reading(draw_no: int) -> Callable[[TableState], bool]:
    """So many cards of the load have come out, as the journal knows."""
    return lambda state: state.hand_open and state.shoe.draw_no >= draw_no


def adoptions_after(run: Directed, began: int) -> list[ShoeAdopted]:
    """Adoptions after the first ``began``."""
    return run.told_of(ShoeAdopted)[began:]


def test_an_acknowledgement_is_lost_and_then_the_shoe_restarts(tmp_path: Path) -> None:
    """Scenario 3: the journal holds the card, the shoe does not know it when it restarts, the counters are equal: the table
    freezes, a person confirms, and no card is asked for twice."""
    unacked: list[int] = []

    def restart(run: Simulation) -> None:
        shoe = run.rehearsal.devices.shoe
        unacked.append(run.watch.state.shoe.accepted_seq - shoe.acked[1])
        shoe.restart()
        run_line.heal()

    def then(run: Simulation) -> None:
        run_line.deafen(device=True)
        later(0.1, lambda: restart(run))

    run = Directed(tmp_path, when=reading(6), then=then)
    run_line = run.shoe_line
    as_without(run, crashes=0)
    assert unacked == [1], "the card that the journal held was not acknowledged"
    assert [event.cause for event in run.told_of(Suspended)] == ["restarted"]
    (adopted,) = adoptions_after(run, 1)
    assert adopted.counts_agree
    draws = [event.draw_no for event in run.told_of(CardRead)]
    assert draws == list(range(1, len(draws) + 1)), "each draw is told once"


@pytest.mark.parametrize("away", ["controller", "line"])
def test_two_restarts_of_the_shoe_while_nobody_looks(away: str, tmp_path: Path) -> None:
    """Scenario 4: the shoe restarts twice while the controller, or its line, is away: that is one restart, and never the same
    start as before."""
    boots: list[int] = []

    def then(run: Simulation) -> None:
        shoe = run.rehearsal.devices.shoe
        boots.append(shoe.memory.boot)
        if away == "controller":
            run.kill()
        else:
            run_line.unplug()
            later(2.0, run_line.replug)
        later(0.3, shoe.restart)
        later(0.9, shoe.restart)

    run = Directed(tmp_path, when=DEALT, then=then)
    run_line = run.shoe_line
    as_without(run, crashes=away == "controller")
    (adopted,) = adoptions_after(run, 1)
    assert (adopted.boot, adopted.counts_agree) == (boots[0] + 2, True)
    assert [event.cause for event in run.told_of(Suspended)] == ([] if away == "controller" else ["restarted"])


def test_lines_of_an_old_start_come_out_of_a_buffer(tmp_path: Path) -> None:
    """Scenario 5: six seconds after the shoe's new start is adopted, lines of its old one come out of a serial server: they are
    dropped. Nothing is adopted again, asked for again or opened anew (REG-17)."""
    came: list[float] = []

    def adopted_again(state: TableState) -> bool:
        return state.hand_open and len(run.told_of(ShoeAdopted)) == 2

    def old_lines() -> None:
        came.append(now())
        for data in old:
            run_line.send(data)

    def look(state: TableState, _: object) -> None:
        if adopted_again(state) and not came:
            came.append(now())
            later(6.0, old_lines)

    def then(run: Simulation) -> None:
        old.extend(data for _, data in said.heard)
        later(0.2, run.rehearsal.devices.shoe.restart)

    old: list[bytes] = []
    run = Directed(tmp_path, when=DEALT, then=then)
    run_line = run.shoe_line
    said, heard = Tap(run_line, to_host=True), Tap(run_line, to_host=False)
    run.rehearsal.watchers.append(look)
    as_without(run, crashes=0)
    assert len(came) == 2
    assert any(b",CARD," in data for data in old)
    assert len(run.told_of(ShoeAdopted)) == 2
    assert [line for word in (",STATUS", ",HELLO,") for line in heard.lines(word, came[1])] == []
    assert len(heard.lines(",NAK,", came[1])) <= 2, "the line was busy with the old ones, and nothing more"
    assert [event for at, event in run.told if isinstance(event, DeviceLink) and at >= came[1]] == []


def test_a_late_order_to_open_the_gate(tmp_path: Path) -> None:
    """Scenario 6: an order to open the gate is stuck somewhere; the order to close it, which came later, is done; then the first
    one arrives: it is refused as old, and the gate stays closed."""
    seen: list[tuple[bool, int]] = []

    def look() -> None:
        shoe = run.rehearsal.devices.shoe
        seen.append((shoe.is_gate_open, shoe.releases))

    def then(_: Simulation) -> None:
        later(0.2, look)
        later(0.22, lambda: run_line.host_data(ordered.lines(",LOCK,0")[-1]))
        later(0.4, look)

    def closed(state: TableState) -> bool:
        return state.hand_open and bool(run.told_of(GateOrdered)) and not state.gate.is_open

    run = Directed(tmp_path, when=closed, then=then)
    run_line = run.shoe_line
    said, ordered = Tap(run_line, to_host=True), Tap(run_line, to_host=False)
    as_without(run, crashes=0)
    assert seen == [(False, 1), (False, 1)]
    assert len([line for line in said.lines(",RSP,") if b",OLD" in line]) == 1


@pytest.mark.parametrize("ends", ["turned back", "shoe restarted"])
def test_the_key_is_turned_while_an_order_to_open_is_under_way(ends: str, tmp_path: Path) -> None:
    """Scenario 7: the floor's key closes the gate while the order to open it is under way: it stays closed, nothing is dealt,
    and the dealer reads why until the key is turned back, be it while the shoe has no current."""
    told: list[tuple[bool, int, object]] = []

    def look() -> None:
        shoe, app = run.rehearsal.devices.shoe, run._app
        assert app is not None
        told.append((shoe.is_gate_open, shoe.memory.draw_no, app.desk.snapshot()["hold"]))

    def then(run: Simulation) -> None:
        shoe = run.rehearsal.devices.shoe
        drawn.append(shoe.memory.draw_no)
        shoe.key_lock(is_locked=True)
        later(8.0, look)
        later(10.0, (lambda: shoe.key_lock(is_locked=False)) if ends == "turned back" else shoe.restart)

    def opening(state: TableState) -> bool:
        return state.hand_open and state.gate.is_open and state.hand is not None and state.hand.street == 4

    drawn: list[int] = []
    run = Directed(tmp_path, when=opening, then=then)
    as_without(run, crashes=0)
    ((is_open, draw_no, hold),) = told
    assert (is_open, draw_no) == (False, drawn[0])
    assert isinstance(hold, dict)
    assert (hold["code"], "key" in hold["reason_en"], "clé" in hold["reason_fr"]) == ("shoe_locked", True, True)


def test_the_answer_to_a_lock_comes_before_its_card(tmp_path: Path) -> None:
    """Scenario 8: a card is drawn just before the gate closes and its line is damaged; the answer to the order comes first. The
    gate is not taken for closed before the shoe's events up to then are in, and the card belongs before the lock."""

    def passes(data: bytes) -> bool:
        return not (draws_now and not said.lost and b",CARD," in data)

    def pull() -> None:
        shoe, felt = run.rehearsal.devices.shoe, run.rehearsal.devices.felt
        draws_now.append(now())
        assert shoe.draw() is not None
        felt.draw(at=now())

    def then(run: Simulation) -> None:
        run.rehearsal.devices.field.faults.foreign["seat/1/up"] = ("E007000000000BAD",)
        later(8.0, run.rehearsal.devices.field.faults.clear)

    def look(state: TableState, records: object) -> None:
        del records
        if run.happened and not state.gate.is_open and not draws_now:
            pull()

    draws_now: list[float] = []
    run = Directed(tmp_path, when=DEALT, then=then)
    said = Tap(run.shoe_line, to_host=True, passes=passes)
    run.rehearsal.watchers.append(look)
    as_without(run, crashes=0)
    assert len(said.lost) == 1
    since = [line[:15] for line in said.lines("$1,SH01", draws_now[0]) if b",HB," not in line]
    card, answer = (next(number for number, line in enumerate(since) if word in line) for word in (b",CARD,", b",RSP,"))
    assert (card, answer) == (0, 1), "the answer came before the card that was sent again"
    held = next(at for at, event in run.told if isinstance(event, ShoeNoted) and event.detail == "H" and at > draws_now[0])
    assert [event.draw_no for at, event in run.told if isinstance(event, CardRead) and draws_now[0] < at <= held]


def test_the_shoe_s_numbers_end_in_the_middle_of_a_street(tmp_path: Path) -> None:
    """Scenario 9: the shoe's sequence ends with five events un-acknowledged: it closes its gate, hands everything over, begins a
    new numbering, and the gate is opened again. Nobody is asked anything."""
    unacked: list[int] = []
    holders: list[str] = []

    def session() -> DeviceSession:
        session = run.rehearsal.devices.shoe._session
        assert session is not None
        return session

    def note() -> None:
        unacked.append(session().unacked)
        holders.append(session().letters)
        run_line.heal()
        later(0.5, lambda: setattr(session(), "_limits", SequenceLimits()))

    def then(_: Simulation) -> None:
        last = session()._store.last
        session()._limits = SequenceLimits(roll_from=last, close_at=last + 4)
        run_line.deafen(device=True)
        later(1.2, note)

    run = Directed(tmp_path, when=reading(2), then=then)
    run_line = run.shoe_line
    as_without(run, crashes=0)
    assert unacked[0] >= 5
    assert "R" in holders[0]
    assert run.told_of(Suspended) == []
    assert dict(run.watch.auditor.outcome.holds) == {}
    first, second = run.told_of(ShoeAdopted)
    assert (second.boot, second.counts_agree) == (first.boot + 1, True)
