"""A bet that was made before the next street's cards came, and entered behind them (R-ERR-01, R-RULE-01, recovery §5)."""

from __future__ import annotations

from pathlib import Path

from support.slip_story import SlipStory

from controller.hand.state import Phase
from controller.table.events import Ruled


def early() -> SlipStory:
    """The last bet of third street is not entered, and the burn of fourth has left the shoe."""
    told = SlipStory("1 2 4").begin()
    told.deal()
    told.calmly()
    told.calmly()
    told.draws(1)
    assert told.hold == "premature_card"
    return told


def test_the_late_bet_closes_the_round_and_the_card_is_due(tmp_path: Path) -> None:
    """The card is dealt as if the bet had been entered in time; the journal holds for an auditor without keys."""
    told = early()
    actor = told.hand.round.actor
    to = told.hand.round.match
    assert told.rule("late_action", seat=actor, verb="call", to=to) is None
    (ruled,) = told.happened(Ruled)
    assert (ruled.kind, ruled.by) == ("late_action", "Fay")
    assert dict(ruled.values) == {"seat": str(actor), "verb": "call", "to": str(to)}
    assert (told.hold, told.hand.phase, told.hand.street) == (None, Phase.DEALING, 4)
    told.finish(tmp_path)
    assert told.hand.phase is Phase.ENDED


def test_a_late_bet_is_a_bet_like_any_other(tmp_path: Path) -> None:
    """Another seat's turn, or an amount that is not allowed, is refused, and the hold stands."""
    told = early()
    actor = told.hand.round.actor
    other = next(seat for seat in (1, 2, 4) if seat != actor)
    for seat, verb, to in ((other, "call", 2), (actor, "raise", 99)):
        assert told.rule("late_action", seat=seat, verb=verb, to=to) is not None
        assert told.hold == "premature_card"
    assert not told.happened(Ruled)
    told.holds(tmp_path)


def test_without_an_early_card_a_bet_is_entered_as_usual() -> None:
    """The dealer enters it; and the dealer alone enters no late one."""
    told = SlipStory("1 2 4").begin()
    told.deal()
    actor = told.hand.round.actor
    assert told.rule("late_action", seat=actor, verb="bring_in", to=2) == "nothing_came_early"
    told = early()
    assert told.rule("late_action", "dealer", seat=told.hand.round.actor, verb="call", to=2) == "floor_rules_it"
