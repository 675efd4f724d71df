# ruff: noqa: FBT003, RUF009 - the knobs are a table: values stand as data
"""House rules as one record: every knob with its closed list of values and the three presets (rules §1, Q-01, Q-02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from typing import Any, Final

from controller.hand.variants import VariantCode

PRESETS: Final = ("seeds", "live_cash", "tournament")


def _knob(name: str, rule: str, *values: object, per_preset: Sequence[object]) -> Any:
    """A field of the record: its published name, the rule it turns, its allowed values and the value of each preset."""
    return field(metadata={"name": name, "rule": rule, "values": values, "presets": dict(zip(PRESETS, per_preset, strict=True))})


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


class OpenTie(Enum):
    """Who opens among equal boards (R-OPEN-02)."""

    NEAREST_DEALER_LEFT = "nearest_dealer_left"
    HIGH_CARD_BY_SUIT = "high_card_by_suit"


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


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The knobs that decide where sources conflict. Make one with ``house_rules``; each field's metadata names knob and rule."""

    preset: str
    game_type: GameType = _knob(
        "game.type", "R-SHOW-06", *GameType, per_preset=[GameType.CASH, GameType.CASH, GameType.TOURNAMENT]
    )
    max_seats: int = _knob("table.max_seats", "R-SETUP-01", *range(2, 9), per_preset=[8, 8, 8])
    min_players: int = _knob("table.min_players", "R-SETUP-01", *range(2, 9), per_preset=[2, 2, 2])
    burn_before_third: bool = _knob("deal.burn_before_third", "R-DEAL-03", False, True, per_preset=[False, False, False])
    ghost_cards: bool = _knob("deal.ghost_cards_after_free_fold", "R-DEAL-06", True, False, per_preset=[True, True, False])
    bring_in_tie: BringInTie = _knob("bring_in.tie", "R-BRING-02", *BringInTie, per_preset=[BringInTie.SUIT] * 3)
    low_all_in: LowAllIn = _knob(
        "bring_in.low_all_in_on_ante",
        "R-BRING-07",
        *LowAllIn,
        per_preset=[LowAllIn.NEXT_MUST_POST, LowAllIn.NEXT_MAY_FOLD, LowAllIn.NEXT_MAY_FOLD],
    )
    short_bring_in: ShortBringIn = _knob(
        "bring_in.short", "R-BRING-08", *ShortBringIn, per_preset=[ShortBringIn.OTHERS_OWE_FULL] * 3
    )
    open_tie_stud: OpenTie = _knob(
        "open.tie.stud",
        "R-OPEN-02",
        *OpenTie,
        per_preset=[OpenTie.NEAREST_DEALER_LEFT, OpenTie.NEAREST_DEALER_LEFT, OpenTie.HIGH_CARD_BY_SUIT],
    )
    open_tie_stud8: OpenTie = _knob(
        "open.tie.stud8",
        "R-OPEN-02",
        *OpenTie,
        per_preset=[OpenTie.NEAREST_DEALER_LEFT, OpenTie.NEAREST_DEALER_LEFT, OpenTie.HIGH_CARD_BY_SUIT],
    )
    open_tie_razz: OpenTie = _knob(
        "open.tie.razz",
        "R-OPEN-02",
        *OpenTie,
        per_preset=[OpenTie.NEAREST_DEALER_LEFT, OpenTie.NEAREST_DEALER_LEFT, OpenTie.HIGH_CARD_BY_SUIT],
    )
    fourth_pair_stud: FourthPair = _knob(
        "fourth_pair.stud",
        "R-BET-05",
        *FourthPair,
        per_preset=[FourthPair.ANY_PLAYER, FourthPair.ANY_PLAYER, FourthPair.OFF],
    )
    fourth_pair_stud8: FourthPair = _knob(
        "fourth_pair.stud8", "R-BET-06", *FourthPair, per_preset=[FourthPair.ANY_PLAYER, FourthPair.OFF, FourthPair.OFF]
    )
    fourth_pair_razz: FourthPair = _knob("fourth_pair.razz", "R-BET-06", *FourthPair, per_preset=[FourthPair.OFF] * 3)
    max_raises: int = _knob("cap.max_raises", "R-BET-03", *range(1, 10), per_preset=[3, 3, 4])
    completion_is_raise: bool = _knob("cap.completion_is_raise", "R-BET-02", False, True, per_preset=[False, False, False])
    heads_up_cap: HeadsUpCap = _knob(
        "cap.heads_up",
        "R-BET-04",
        *HeadsUpCap,
        per_preset=[HeadsUpCap.CAPPED, HeadsUpCap.UNCAPPED_BEFORE_CAP, HeadsUpCap.UNCAPPED_LAST_TWO_IN_EVENT],
    )
    half_bet: HalfBet = _knob("allin.half_bet", "R-BET-08", *HalfBet, per_preset=[HalfBet.HALF] * 3)
    community_opener: CommunityOpener = _knob(
        "stub.community_opener", "R-STUB-05", *CommunityOpener, per_preset=[CommunityOpener.SIXTH_OPENER] * 3
    )
    show_order: ShowOrder = _knob("showdown.no_bet_order", "R-SHOW-03", *ShowOrder, per_preset=[ShowOrder.FIRST_TO_ACT] * 3)
    odd_chip_policy: OddChipPolicy = _knob(
        "odd_chip.policy",
        "R-POT-03",
        *OddChipPolicy,
        per_preset=[OddChipPolicy.DEALER_LEFT, OddChipPolicy.FIVE_CARD_HIGH_SUIT, OddChipPolicy.FIVE_CARD_HIGH_SUIT],
    )
    odd_chip_distribution: OddChipDistribution = _knob(
        "odd_chip.distribution",
        "R-POT-03",
        *OddChipDistribution,
        per_preset=[OddChipDistribution.ALL_TO_FIRST, OddChipDistribution.ONE_EACH, OddChipDistribution.ONE_EACH],
    )
    same_winners: SameWinners = _knob(
        "hilo.same_winners_both_ways", "R-POT-07", *SameWinners, per_preset=[SameWinners.SPLIT_AS_ONE_POT] * 3
    )
    rake_percent: int = _knob("rake.percent", "R-RAKE-01", *range(101), per_preset=[0, 10, 0])
    rake_cap: int = _knob("rake.cap", "R-RAKE-01", "0 or more chips; 0 is no cap", per_preset=[0, 6, 0])
    no_fourth_no_drop: bool = _knob("rake.no_fourth_no_drop", "R-RAKE-01", True, False, per_preset=[True, True, True])
    rake_unit: int = _knob("rake.unit", "Q-81", "0 or more chips; 0 is the chip unit", per_preset=[0, 0, 0])
    rake_allocation: RakeAllocation = _knob(
        "rake.allocation", "Q-81", *RakeAllocation, per_preset=[RakeAllocation.MAIN_FIRST] * 3
    )

    def open_tie(self, variant: VariantCode) -> OpenTie:
        """Who opens among equal boards in ``variant`` (R-OPEN-02)."""
        match variant:
            case VariantCode.STUD:
                return self.open_tie_stud
            case VariantCode.STUD8:
                return self.open_tie_stud8
            case VariantCode.RAZZ:
                return self.open_tie_razz

    def fourth_pair(self, variant: VariantCode) -> FourthPair:
        """Who may bet big on fourth street with an open pair in ``variant`` (R-BET-05, R-BET-06)."""
        match variant:
            case VariantCode.STUD:
                return self.fourth_pair_stud
            case VariantCode.STUD8:
                return self.fourth_pair_stud8
            case VariantCode.RAZZ:
                return self.fourth_pair_razz


class HouseRulesError(ValueError):
    """A preset or knob that cannot be; the message names knob, value and what is allowed."""


_KNOBS: Final = {knob.metadata["name"]: knob for knob in fields(HouseRules) if knob.default is MISSING and knob.metadata}


def knob_names() -> tuple[str, ...]:
    """The published names of all knobs, in the order of the record."""
    return tuple(_KNOBS)


def knob_values(rules: HouseRules) -> dict[str, str]:
    """Every knob's published name with its value as text, in the order of the record."""
    return {name: _as_text(getattr(rules, knob.name)) for name, knob in _KNOBS.items()}


def knob_rule(name: str) -> str:
    """The id of the rule that a knob turns; ``KeyError`` for an unknown name."""
    return str(_KNOBS[name].metadata["rule"])


def allowed_values(name: str) -> tuple[str, ...]:
    """The closed list of a knob's values as text; empty where it is any whole number. ``KeyError`` for an unknown name."""
    values = _KNOBS[name].metadata["values"]
    return () if isinstance(values[0], str) else tuple(_as_text(value) for value in values)


def house_rules(preset: str, overrides: Mapping[str, str] | None = None) -> HouseRules:
    """The record of a named preset with some knobs overridden (rules §1); ``HouseRulesError`` on anything that is not allowed."""
    if preset not in PRESETS:
        raise HouseRulesError(f"preset {preset!r} is unknown: name one of {', '.join(PRESETS)}")
    rules = HouseRules(preset=preset, **{knob.name: knob.metadata["presets"][preset] for knob in _KNOBS.values()})
    changes = dict(_parsed_overrides(overrides or {}))
    rules = replace(rules, **changes)
    if rules.burn_before_third and rules.max_seats == 8:
        raise HouseRulesError(
            "deal.burn_before_third=true cannot go with table.max_seats=8: nine cards would be left before sixth street "
            "where ten are needed (Q-03); set table.max_seats to 7 or fewer"
        )
    if rules.min_players > rules.max_seats:
        raise HouseRulesError(f"table.min_players={rules.min_players} is above table.max_seats={rules.max_seats}; lower it")
    return rules


def _parsed_overrides(overrides: Mapping[str, str]) -> list[tuple[str, Any]]:
    parsed: list[tuple[str, Any]] = []
    for name, text in overrides.items():
        if name in ("open.tie", "fourth_pair") or name not in _KNOBS:
            close = [known for known in _KNOBS if known.startswith(name.split(".")[0] + ".")] or list(_KNOBS)
            raise HouseRulesError(f"house rule {name!r} is unknown: use one of {', '.join(close)}")
        knob = _KNOBS[name]
        parsed.append((knob.name, _parse_value(name, text, knob.metadata["values"])))
    return parsed


def _parse_value(name: str, text: str, values: tuple[object, ...]) -> object:
    if isinstance(values[0], str):
        if text.isdecimal():
            return int(text)
        raise HouseRulesError(f"{name}={text} is not allowed: give a whole number ({values[0]})")
    for value in values:
        if _as_text(value) == text:
            return value
    raise HouseRulesError(f"{name}={text} is not allowed: use one of {', '.join(_as_text(value) for value in values)}")


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.value) if isinstance(value, Enum) else str(value)
