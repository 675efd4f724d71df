"""The chain of the public events: each value of each kind stands in it, and none that depends on who tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.floor_samples import happened

from controller.mqtt.links import ChainName, begins, content, link_after, start_of
from controller.mqtt.payloads import (
    AwardLine,
    Opening,
    Pot,
    PublicEvent,
    RoundFigures,
    RulingPeople,
    SeatChips,
    SeatedPlayer,
    Share,
    Stakes,
    StubFigures,
)

NAME = ChainName("T1", "5f0c9a1e")
HEAD = "1d5987dd05202b283ca1153e0b02796a6e2a6a03aec07f1cf96b28acc2fe0f62"
STAKES = Stakes(ante=1, bring_in=2, small=4, big=8)
STACKS = (SeatChips(seat=1, chips=90),)
PLAYERS = (SeatedPlayer(seat=1, name="Ann", chips=90),)
OPENING = Opening(variant="stud", stakes=STAKES, preset="wsop_live", stacks=STACKS, players=PLAYERS)
AWARD = happened(
    9,
    "pot_awarded",
    street=7,
    seat=3,
    place="seat/3",
    verb="raise",
    chips=40,
    to=8,
    all_in=False,
    pot=0,
    card="Td",
    cards=("As", "Kd"),
    code="misdeal",
    shares=(AwardLine(pot=0, seat=3, chips=40, share=Share.HIGH),),
    seats=(3, 4),
    stacks=(SeatChips(seat=3, chips=40),),
    pots=(Pot(amount=40, seats=(3, 4)),),
    rake=(1, 0),
    number=2,
    debt=1,
    name="Ann",
    to_seat=5,
    without=("shoe",),
    flags=("bet",),
    opening=OPENING,
    round=RoundFigures(actor=4, level=8, match=8, raises=1),
    stub=StubFigures(cards=9),
    ruling=RulingPeople(role="floor", by="S. Morel"),
)
"""One event with every field, which no kind has."""
OTHER: dict[str, Any] = {
    "seq": 10,
    "at": happened(9, at=1).at,
    "event": "pot_awarded_",
    "hand": 2,
    "street": 6,
    "seat": 4,
    "place": "seat/4",
    "verb": "call",
    "chips": 41,
    "to": 9,
    "all_in": True,
    "pot": 1,
    "card": "Tc",
    "cards": ("Kd", "As"),
    "code": "misdeal_",
    "shares": (AwardLine(pot=0, seat=3, chips=40, share=Share.LOW),),
    "seats": (3,),
    "stacks": (SeatChips(seat=3, chips=41),),
    "pots": (Pot(amount=40, seats=(4,)),),
    "rake": (0, 1),
    "number": 3,
    "debt": 2,
    "name": "Bob",
    "to_seat": 6,
    "without": ("seat/3/up",),
    "flags": ("bet", "big_made"),
    "opening": OPENING.model_copy(update={"dealer": "Ivan"}),
    "round": RoundFigures(actor=4, level=8, match=8, raises=2),
    "stub": StubFigures(cards=8),
    "ruling": RulingPeople(role="floor", by="S. Morel", agreed_by="Nadia B."),
}


def test_golden_link() -> None:
    """Worked out with another program from the reference alone: canonical JSON without teller and nulls, hashes of bytes."""
    said = happened(2, "hand_opened", hand=7).model_copy(update={"previous": 1})
    text = b'{"at":"2026-01-02T20:00:00Z","event":"hand_opened","hand":7,"seq":2}'
    assert content(said) == text
    start = start_of(NAME, 1, HEAD)
    assert start == "37f6e4bed83b1080a096560fdace0297611743913a1b8f47fda35ea0108c5e19"
    assert link_after(start, said) == "08634c218bb1714c33b888db9051beada6e04f79e574db40e8b2e60a2c2979a2"


@pytest.mark.parametrize("field", sorted(OTHER))
def test_each_field_stands_in_the_link(field: str) -> None:
    """Changed or taken away, it is another link."""
    before = start_of(NAME, 1, HEAD)
    other = AWARD.model_copy(update={field: OTHER[field]})
    assert link_after(before, other) != link_after(before, AWARD)
    if PublicEvent.model_fields[field].default is None:
        assert link_after(before, AWARD.model_copy(update={field: None})) != link_after(before, AWARD)


def test_no_field_is_forgotten() -> None:
    """A field that comes to events later stands in the table above, or is its teller's."""
    assert {*OTHER, "epoch", "previous", "link", "head"} == set(PublicEvent.model_fields)


def test_who_tells_it_is_in_no_link() -> None:
    """Another controller of the journal tells the same event with the same link, read back from JSON too."""
    told = AWARD.model_copy(update={"epoch": 9, "previous": None, "link": HEAD, "head": HEAD})
    assert content(told) == content(AWARD) == content(PublicEvent.model_validate_json(told.model_dump_json()))
    assert json.loads(content(AWARD)).keys() == set(OTHER)


def test_a_stretch_is_of_one_journal_and_place() -> None:
    """Neither another table's or journal's nor one from elsewhere in it begins alike; it begins with a hand, or the journal."""
    starts = [start_of(name, 1, HEAD) for name in (NAME, ChainName("T2", "5f0c9a1e"), ChainName("T1", "00c0ffee"))]
    assert len({*starts, start_of(NAME, 2, HEAD), start_of(NAME, 1, HEAD[::-1])}) == 5
    assert begins(happened(4, "hand_opened"), 3)
    assert begins(happened(4, "seat_taken"), 0)
    assert not begins(happened(4, "seat_taken"), 3)
    assert not begins(happened(4, "seat_taken"), None)
