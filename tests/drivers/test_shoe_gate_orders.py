"""Orders of the host in their order: the gate's and those that clear an error do not get into each other's way."""

from __future__ import annotations

import pytest

from drivers.ports import CommandDone, DriverError
from drivers.shoe.gate_orders import GateOrders
from drivers.shoe.messages import Command, Epoch, Outcome, Response, Verb

OURS = Epoch(7, 1)


def due(orders: GateOrders, now: float) -> Command:
    """What is sent now."""
    command = orders.due(now, 5)
    assert command is not None
    return command


def told(events: list[object]) -> list[tuple[int, bool]]:
    """Orders that came to an end, and how."""
    return [(event.order, event.ok) for event in events if isinstance(event, CommandDone)]


def done(orders: GateOrders, number: int, outcome: Outcome = Outcome.OK) -> list[tuple[int, bool]]:
    """The shoe's answer, and what is told of it."""
    return told(list(orders.answered(Response(5, number, OURS, outcome))))


def test_a_newer_gate_order_replaces_one_that_waits_and_never_one_that_clears() -> None:
    """Behind an order under way both wait; ids go out in their order, each once it is its turn."""
    orders = GateOrders("shoe", OURS)
    assert orders.add(1, Verb.LOCK, "1") == []
    assert due(orders, 0.0) == Command(5, 1, OURS, Verb.LOCK, "1")
    assert orders.add(2, Verb.CLEAR, "E2") == []
    assert orders.add(3, Verb.CLEAR, "E7") == []
    assert orders.add(4, Verb.LOCK, "0") == []
    assert told(list(orders.add(5, Verb.LOCK, "1"))) == [(4, False)]
    assert told(list(orders.add(6, Verb.CLEAR, "E2"))) == [(2, False)]
    assert done(orders, 1) == [(1, True)]
    for number, verb, argument in ((3, Verb.CLEAR, "E7"), (5, Verb.LOCK, "1"), (6, Verb.CLEAR, "E2")):
        assert due(orders, 1.0) == Command(5, number, OURS, verb, argument)
        assert orders.due(1.4, 5) is None
        assert due(orders, 1.5) == Command(5, number, OURS, verb, argument)
        assert done(orders, number) == [(number, True)]
    assert orders.due(9.0, 5) is None


def test_a_restart_ends_them_all_and_repeats_none() -> None:
    """What became of the one under way nobody knows; the others were never sent."""
    orders = GateOrders("shoe", OURS)
    orders.add(1, Verb.CLEAR, "E2")
    due(orders, 0.0)
    orders.add(2, Verb.LOCK, "0")
    assert told(list(orders.fate_unknown())) == [(1, False), (2, False)]
    assert orders.due(9.0, 6) is None


def test_a_shoe_that_refuses_to_clear_does_not_hold_up_the_gate() -> None:
    """The next order follows at once; an id that does not grow is an error of ours."""
    orders = GateOrders("shoe", OURS)
    orders.add(1, Verb.CLEAR, "E2")
    due(orders, 0.0)
    orders.add(2, Verb.LOCK, "1")
    assert done(orders, 1, Outcome.ERR) == [(1, False)]
    assert due(orders, 0.1).verb is Verb.LOCK
    with pytest.raises(DriverError, match="ids grow"):
        orders.add(2, Verb.CLEAR, "E2")


def test_an_order_for_the_gate_is_repeated_without_being_put_off_and_another_one_with() -> None:
    """On a bad line every line but the order may get through, which keeps an open gate open (TSP/1 gate T)."""

    def times(verb: Verb, argument: str) -> list[float]:
        orders = GateOrders("shoe", OURS)
        orders.add(1, verb, argument)
        return [at / 10 for at in range(41) if orders.due(at / 10, 5) is not None]

    assert times(Verb.LOCK, "1") == times(Verb.LOCK, "0") == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    assert times(Verb.CLEAR, "E2") == [0.0, 0.5, 1.5, 3.5]
