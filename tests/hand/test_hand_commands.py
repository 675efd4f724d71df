"""Inputs: requests may be refused, observations may not; both are closed unions of frozen records."""

from __future__ import annotations

import typing
from dataclasses import is_dataclass

from controller.hand import commands
from controller.hand.commands import CardLaid, HandInput, Observation, Refusal, Request
from controller.hand.places import Spot


def test_requests_and_observations_are_all_inputs_and_nothing_is_both() -> None:
    """Closed: every input class of the module is one of the two."""
    requests, observations = set(typing.get_args(Request)), set(typing.get_args(Observation))
    assert requests | observations == set(typing.get_args(HandInput))
    assert not requests & observations
    assert {kind for kind in vars(commands).values() if is_dataclass(kind)} == requests | observations


def test_inputs_are_frozen_records_without_a_dictionary() -> None:
    """They cross from loop to journal."""
    for kind in typing.get_args(HandInput):
        assert kind.__dataclass_params__.frozen
        assert not hasattr(kind.__new__(kind), "__dict__")


def test_an_observation_hides_its_card() -> None:
    """R-RULE-06: not even that it knows one."""
    assert repr(CardLaid(Spot.BURN, None)) == "CardLaid(place=<Spot.BURN: 'burn'>)"


def test_a_refusal_carries_rule_code_and_what_fills_its_sentence() -> None:
    """Words are made elsewhere."""
    refused = Refusal("R-BET-03", "cap_reached", (("seat", 3),))
    assert (refused.rule, refused.code, dict(refused.values)) == ("R-BET-03", "cap_reached", {"seat": 3})
    assert Refusal("R-RULE-01", "held").values == ()
