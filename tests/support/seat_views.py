"""Views of a seat as hypothesis draws them: as large as a table can make them, and smaller ones."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from controller.mqtt.payloads import Hold, Option, PlayerClock, Pot, SeatState, SeatView, TableStatus, Words
from support.mqtt_samples import seat, seat_view

DECK = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
AMOUNT = st.integers(0, 999_999_999)
STOPPED = Hold(code="device_down", text=Words(en="A device does not answer.", fr="Un appareil ne répond pas."))


@st.composite
def views(draw: st.DrawFn) -> SeatView:
    """Views as large as a table can make them, and smaller ones."""
    cards = draw(st.permutations(DECK))
    seats = tuple(
        seat(
            number,
            draw(st.sampled_from(("", "Ann", "Ülkü " * 12))),
            draw(AMOUNT),
            draw(st.sampled_from(SeatState)),
            " ".join(cards[number * 5 : number * 5 + draw(st.integers(0, 5))]),
            draw(st.integers(0, 3)),
            street_chips=draw(AMOUNT),
            won=draw(AMOUNT),
            tabled=draw(st.sampled_from((None, tuple(cards[:7])))),
        )
        for number in range(1, draw(st.integers(2, 8)) + 1)
    )
    pots = tuple(Pot(amount=draw(AMOUNT), seats=(1, 2)) for _ in range(draw(st.integers(0, 8))))
    verbs = ("fold", "check", "call", "bring_in", "complete", "bet", "raise")
    options = tuple(
        Option(verb=verb, to=draw(AMOUNT), amount=draw(AMOUNT)) for verb in draw(st.lists(st.sampled_from(verbs), max_size=5))
    )
    return seat_view(
        draw(st.integers(1, len(seats))),
        draw(st.integers(0, 999_999_999)),
        seats=seats,
        pots=pots,
        options=options,
        is_actor=draw(st.booleans()),
        to_call=draw(AMOUNT),
        can_win=draw(AMOUNT),
        my_pots=tuple(range(len(pots))),
        epoch=draw(st.integers(0, 999_999)),
        street=draw(st.sampled_from((None, 3, 7))),
        phase=draw(st.sampled_from((None, "betting", "showdown", "ended", "voided"))),
        community=draw(st.sampled_from((None, "Ah"))),
        hold=draw(st.sampled_from((None, STOPPED))),
        status=draw(st.sampled_from(TableStatus)),
        clock=draw(st.sampled_from((None, PlayerClock(seat=1, seconds=999)))),
        at=datetime(2026, 1, 2, 20, 15, 0, 123456, tzinfo=UTC),
    )
