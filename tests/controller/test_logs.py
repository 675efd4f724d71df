"""What a program writes of itself: where it stands, and no card."""

from __future__ import annotations

import io
import json
import logging
import random
import re
from collections.abc import Iterator
from functools import partial

import pytest

from controller.http_server import server_config
from controller.logs import PLACE, Form, Level, Place, Where, person, set_up_logs
from controller.rehearsal import FAST, Play, memory_rehearsal
from controller.serve import where
from drivers.ports import CardDrawn
from simulators.memory_broker import MemoryBroker
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.rig import NINETEEN
from simulators.virtual_time import run_virtual

CARD = re.compile(r"\b(10|[2-9TJQKA])(?:[cdhsCDHS]\b|[♣♦♥♠])")
_log = logging.getLogger("controller.test")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where lines go; the handlers of before are back afterwards."""
    root, httpx = logging.getLogger(), logging.getLogger("httpx")
    handlers, level, quiet = root.handlers[:], root.level, httpx.level
    yield io.StringIO()
    root.handlers, httpx.level = handlers, quiet
    root.setLevel(level)


def fresh(form: Form, level: Level, stream: io.StringIO) -> Place:
    """As in a process of its own, which has no handlers yet."""
    logging.getLogger().handlers = []
    return set_up_logs(form, level, stream)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_line_says_where_the_program_stands(stream: io.StringIO) -> None:
    """In JSON and for people; what is not known is left out, and a traceback stays on its line."""
    place = fresh("json", "info", stream)
    _log.info("first")
    place.where = lambda: Where("T1", 7, 123)
    person.set("Fay")
    try:
        raise ValueError("bad\nthing")
    except ValueError:
        _log.exception("second")
    person.set("")
    _log.debug("third")
    first, second = lines(stream)
    assert first.keys() == {"time", "level", "logger", "message"}
    assert {name: second[name] for name in PLACE} == {"table": "T1", "hand": 7, "seq": 123, "person": "Fay"}
    assert (second["level"], second["message"]) == ("error", "second")
    assert "ValueError" in str(second["error"])
    told = io.StringIO()
    fresh("console", "info", told).where = lambda: Where("T1", None, 9)
    _log.warning("what %s", "is")
    assert re.fullmatch(r"\S+Z WARNING controller.test what is \[table=T1 seq=9\]\n", told.getvalue())


def test_uvicorns_lines_are_ours(stream: io.StringIO) -> None:
    """It sets up no handlers of its own, and asks for no log of requests."""
    fresh("json", "info", stream)
    server_config(None)  # type: ignore[arg-type]  # only configured, never served
    logging.getLogger("uvicorn.error").warning("too late")
    assert lines(stream)[0]["logger"] == "uvicorn.error"
    logging.getLogger("uvicorn.error").info("request")
    assert len(lines(stream)) == 1


def test_no_line_of_a_hand_tells_a_card(stream: io.StringIO) -> None:
    """Everything from debug on, with a driver's event printed into it: each line is an object with table and number."""

    async def evening() -> None:
        play = Play(seats={1: ("Ann", 200), 2: ("Bob", 200)}, speed=FAST, rules={"table.max_seats": "4"})
        wiring = {line: NINETEEN[line] for line in ("felt-a", "felt-b", "felt-e")}
        rehearsal = memory_rehearsal(play, seed=4, wiring=wiring, broker=MemoryBroker())
        async with rehearsal.opened() as app:
            fresh("json", "debug", stream).where = partial(where, app)
            deliver = app.table.deliver

            async def told(event: object) -> None:
                if isinstance(event, CardDrawn):
                    _log.debug("heard %r", event)
                await deliver(event)  # type: ignore[arg-type]

            app._shoe._deliver = told  # type: ignore[union-attr]
            rehearsal.watchers.append(lambda state, records: _log.debug("%d records, hand %s", len(records), state.hand_number))
            rng = random.Random(4)
            await rehearsal.deal(app, {1: RandomPlayer(rng), 2: RandomPlayer(rng)}, ShuffledPackets(rng), hands=1)
            _log.warning("the hand is over: %r", app.table.state.hand)

    run_virtual(evening(), max_seconds=3_000)
    told = lines(stream)
    assert len(told) > 20
    assert any("heard CardDrawn" in str(line["message"]) for line in told)
    assert any(line.get("hand") == 1 for line in told)
    assert all(line["table"] == "T1" and isinstance(line["seq"], int) for line in told if line["logger"] == "controller.test")
    assert not [line for line in told if CARD.search(str(line["message"])) or "E004" in str(line["message"])]
