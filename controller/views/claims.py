"""What people may say that a seat did: the legal acts of each seat as if the action were on it (screens §7).

A ruling about an action offers these with their amounts, also while play is stopped and the step names no action.
"""

from __future__ import annotations

from typing import Any

from controller.hand.betting import legal_actions
from controller.hand.dealing import TO_COMMON
from controller.hand.state import Acted, HandState, Phase
from controller.hand.terms import Verb
from controller.hand.windows import before_action


def claims(hand: HandState | None) -> dict[str, Any]:
    """What a ruling may be about now: the seat to act (``actor``, 0 for none) and the ``acts`` of the active seats, clockwise;
    whether the street's cards can still be put right, or its burn; whether nobody has acted; who may declare all-in."""
    found: dict[str, Any] = {"actor": 0, "acts": {}, "untouched": False, "may_declare": []}
    found |= dict.fromkeys(("cards_open", "door_open", "burn_open", "common"), False)
    if hand is None or hand.over:
        return found
    betting = hand.phase is Phase.BETTING
    posted = hand.street == 3 and betting and not hand.round.post_due
    fresh = before_action(hand) and not posted
    found |= {"cards_open": fresh, "door_open": fresh and hand.street == 3, "common": hand.short in TO_COMMON}
    found |= {"burn_open": betting and before_action(hand), "may_declare": list(hand.may_declare)}
    if not betting or not hand.round.actor:
        return found
    actor = hand.round.actor
    seats = [entry.seat for entry in hand.seats if entry.active or entry.seat == actor]
    order = [seat for seat in seats if seat >= actor] + [seat for seat in seats if seat < actor]
    untouched = all(entry.acted is Acted.NO for entry in hand.seats if entry.live)
    return {**found, "actor": actor, "untouched": untouched, "acts": {seat: acts_of(hand, seat) for seat in order}}


def acts_of(hand: HandState, seat: int) -> list[dict[str, Any]]:
    """The legal acts of ``seat`` were it its turn, as verb, total ``to`` on the street, and ``amount`` to put in; a fold last.

    Before the bring-in is posted any other seat faces it as if it were (R-BRING-06).
    """
    current = hand.round._replace(actor=seat)
    if seat != hand.round.actor and current.post_due:
        current = current._replace(post_due=False, match=hand.setup.stakes.bring_in)
    found = legal_actions(hand._replace(hold=None, round=current))
    ordered = sorted(found, key=lambda action: action.verb is Verb.FOLD)
    return [{"verb": action.verb.value, "to": action.to, "amount": action.chips, "all_in": action.all_in} for action in ordered]
