"""Until when something can still be put right: substantial action, and the windows of undo (R-MIS-02, R-RULE-02)."""

from __future__ import annotations

from controller.hand.commands import Role
from controller.hand.knobs import SubstantialAction
from controller.hand.state import HandState, Phase, Status


def substantial_action(state: HandState) -> bool:
    """Whether a misdeal can no longer be declared (R-MIS-02, Q-56, Q-57).

    The window closes by the house rule's count of actions after the forced bet, or when fourth street's burn leaves the shoe.
    """
    burned = state.burns > int(state.setup.rules.burn_before_third) and state.acts > 0
    if state.street > 4 or (state.street == 4 and state.dealt > 0) or (state.street == 3 and burned):
        return True
    match state.setup.rules.substantial_action:
        case SubstantialAction.TWO_AFTER_FORCED_BET:
            return state.acts >= 2
        case SubstantialAction.TDA36:
            in_turn = acts_in_turn(state)
            return in_turn >= 3 or (in_turn >= 2 and state.acts_with_chips >= 1)


def acts_in_turn(state: HandState) -> int:
    """Actions that count toward substantial action: after the forced bet, by TDA also folds in its place (R-MIS-02, Q-57)."""
    tda = state.setup.rules.substantial_action is SubstantialAction.TDA36
    return state.acts + (state.declined if tda else 0)


def may_undo_action(state: HandState, role: Role) -> bool:
    """The dealer takes back the last action alone, the floor one after the other until a card is dealt (R-RULE-02, Q-84)."""
    before = state.previous
    if before is None or before.phase is not Phase.BETTING or state.phase is Phase.VOIDED:
        return False
    if any(entry.status is Status.KILLED and died_last(state, entry.seat) for entry in state.seats):
        return False  # a hand that was ruled dead is retrieved, not undone (R-ERR-07)
    return role is Role.FLOOR or not (state.corrected or state.burned != before.burned)


def died_last(state: HandState, seat: int) -> bool:
    """Whether the last thing that happened to the betting is that the hand of ``seat`` was folded or killed (Q-85)."""
    before = state.previous
    if before is None or before.phase is not Phase.BETTING:
        return False
    index = state.index_of(seat)
    return before.seats[index].live and not state.seats[index].live


def may_undo_award(state: HandState) -> bool:
    """An award can be taken back until the next hand starts (R-SHOW-10, R-RULE-04)."""
    return state.phase is Phase.ENDED and state.previous is not None and state.previous.phase is Phase.SHOWDOWN


def before_action(state: HandState) -> bool:
    """Nobody has acted on this street beyond a forced bet: its cards can still be put right (R-ERR-03, R-ERR-04)."""
    if state.phase is Phase.DEALING:
        return True
    if state.phase is not Phase.BETTING:
        return False
    if state.street == 3:
        return state.acts == 0
    return all(entry.acted.value == 0 for entry in state.seats if entry.live)
