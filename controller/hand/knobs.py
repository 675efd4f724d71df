"""The values that house rules choose between: one closed list a knob (Q-02)."""

from __future__ import annotations

from enum import Enum


class GameType(Enum):
    """Whether chips are money."""

    CASH = "cash"
    TOURNAMENT = "tournament"


class BringInTie(Enum):
    """Who brings in among equal door cards (R-BRING-02)."""

    SUIT = "suit"
    NEAREST_DEALER_LEFT = "nearest_dealer_left"


class LowAllIn(Enum):
    """What the next seat may do when the low card is all-in on the ante (R-BRING-07)."""

    NEXT_MUST_POST = "next_must_post"
    NEXT_MAY_FOLD = "next_may_fold"


class ShortBringIn(Enum):
    """What others owe after a short bring-in (R-BRING-08)."""

    OTHERS_OWE_FULL = "others_owe_full"
    MATCH_SHORT = "match_short"


class SubstantialAction(Enum):
    """When a misdeal can no longer be declared (R-MIS-02)."""

    TWO_AFTER_FORCED_BET = "two_after_forced_bet"
    TDA36 = "tda36"


class OneHole(Enum):
    """One down card exposed by the dealer (R-EXP-01)."""

    THIRD_DOWN = "third_down"
    MISDEAL = "misdeal"


class TwoHole(Enum):
    """Both down cards of a seat exposed by the dealer (R-EXP-02)."""

    DEAD_REFUND = "dead_refund"
    MISDEAL = "misdeal"
    PLAY_ON = "play_on"


class HoleAndDoor(Enum):
    """A down card exposed, and the door card up as well (R-EXP-03)."""

    MISDEAL = "misdeal"
    PLAY_ON = "play_on"


class DoorDown(Enum):
    """An up card of third street dealt face down (R-EXP-05)."""

    RECORDED_THIRD = "recorded_third"
    RANDOM_OF_THREE = "random_of_three"


class SeventhExposed(Enum):
    """A seventh card dealt face up (R-EXP-06)."""

    WSOP_LIVE = "wsop_live"
    RROP = "rrop"
    REPLACE = "replace"


class Premature(Enum):
    """Cards dealt before the betting was closed (R-ERR-01)."""

    RESHUFFLE_STUB = "reshuffle_stub"
    ELIMINATE_ROUND = "eliminate_round"


class StubPolicy(Enum):
    """What happens when the stub runs short (R-STUB-02, R-STUB-03)."""

    PLUS_TWO = "plus_two"
    RROP15 = "rrop15"
    NO_RESHUFFLE = "no_reshuffle"


class AllInFaceUp(Enum):
    """Whether hands are turned up when no more betting is possible (R-SHOW-06)."""

    NEVER = "never"
    TOURNAMENT_ONLY = "tournament_only"
    ALWAYS = "always"


class LosersMuck(Enum):
    """Whether a beaten hand may be conceded unseen (R-SHOW-04, R-SHOW-06)."""

    TRUE = "true"
    EXCEPT_ALL_IN = "except_all_in"


class AbsentKill(Enum):
    """When the hand of an absent player dies (R-ABS-01)."""

    ON_TURN = "on_turn"
    ON_DEAL = "on_deal"


class OpenTie(Enum):
    """Who opens among equal boards (R-OPEN-02)."""

    NEAREST_DEALER_LEFT = "nearest_dealer_left"
    HIGH_CARD_BY_SUIT = "high_card_by_suit"


class HighHandAllIn(Enum):
    """Who acts when the opening board is all-in (R-OPEN-03)."""

    CLOCKWISE = "clockwise"


class FourthPair(Enum):
    """Who may bet big on fourth street with an open pair (R-BET-05, R-BET-06)."""

    ANY_PLAYER = "any_player"
    PAIR_HOLDER_OPEN = "pair_holder_open"
    OFF = "off"


class HeadsUpCap(Enum):
    """Whether the cap holds between two players (R-BET-04, Q-40)."""

    CAPPED = "capped"
    UNCAPPED_BEFORE_CAP = "uncapped_before_cap"
    UNCAPPED_IF_ROUND_STARTS_HU = "uncapped_if_round_starts_hu"
    UNCAPPED_LAST_TWO_IN_EVENT = "uncapped_last_two_in_event"


class HalfBet(Enum):
    """Share of a full bet from which an all-in counts as one (R-BET-08)."""

    HALF = "0.5"
    FULL = "1"


class CommunityOpener(Enum):
    """Who opens seventh street with a community card (R-STUB-05)."""

    SIXTH_OPENER = "sixth_opener"
    RECOMPUTE = "recompute"


class ShowOrder(Enum):
    """Who shows first without a bet on seventh street (R-SHOW-03)."""

    FIRST_TO_ACT = "first_to_act"
    SEAT_ORDER = "seat_order"
    FROM_BRING_IN_SEAT = "from_bring_in_seat"
    LAST_RAISER_OF_HAND = "last_raiser_of_hand"


class OddChipPolicy(Enum):
    """Order in which odd chips are handed out (R-POT-03)."""

    DEALER_LEFT = "dealer_left"
    FIVE_CARD_HIGH_SUIT = "five_card_high_suit"
    RROP_SEVEN = "rrop_seven"


class OddChipDistribution(Enum):
    """One unit each, or the whole remainder to the first (R-POT-03)."""

    ONE_EACH = "one_each"
    ALL_TO_FIRST = "all_to_first"


class SameWinners(Enum):
    """How a pot is split that the same seats win both ways (R-POT-07)."""

    SPLIT_AS_ONE_POT = "split_as_one_pot"
    TWO_STEP = "two_step"


class RakeAllocation(Enum):
    """From which pots the rake is taken (Q-81)."""

    MAIN_FIRST = "main_first"
    PRO_RATA = "pro_rata"
