# ruff: noqa: FBT003, RUF009 - the knobs are a table: values stand as data
"""House rules as one record: every knob with its closed list of values and the three presets (rules §1, Q-01, Q-02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final

from controller.hand.knobs import (
    AbsentKill,
    AllInFaceUp,
    BringInTie,
    CommunityOpener,
    DoorDown,
    FourthPair,
    GameType,
    HalfBet,
    HeadsUpCap,
    HighHandAllIn,
    HoleAndDoor,
    LosersMuck,
    LowAllIn,
    OddChipDistribution,
    OddChipPolicy,
    OneHole,
    OpenTie,
    Premature,
    RakeAllocation,
    SameWinners,
    SeventhExposed,
    ShortBringIn,
    ShowOrder,
    StubPolicy,
    SubstantialAction,
    TwoHole,
)
from controller.hand.stakes import Stakes
from controller.hand.variants import VariantCode

PRESETS: Final = ("seeds", "live_cash", "tournament")


def _knob(name: str, rule: str, *values: object, per_preset: Sequence[object]) -> Any:
    """A field of the record: its published name, the rule it turns, its allowed values and the value of each preset."""
    return field(metadata={"name": name, "rule": rule, "values": values, "presets": dict(zip(PRESETS, per_preset, strict=True))})


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The knobs that decide where sources conflict. Make one with ``house_rules``; each field's metadata names knob and rule."""

    preset: str
    game_type: GameType = _knob(
        "game.type", "R-SHOW-06", *GameType, per_preset=[GameType.CASH, GameType.CASH, GameType.TOURNAMENT]
    )
    max_seats: int = _knob("table.max_seats", "R-SETUP-01", *range(2, 9), per_preset=[8, 8, 8])
    min_players: int = _knob("table.min_players", "R-SETUP-01", *range(2, 9), per_preset=[2, 2, 2])
    buy_in_min: int = _knob("buyin.min", "R-SETUP-05", "0 or more chips; 0 is ten big bets", per_preset=[0, 0, 0])
    shuffle_wash: bool = _knob("shuffle.wash", "R-DECK-02", True, False, per_preset=[True, True, True])
    shuffle_riffles: int = _knob("shuffle.riffles", "R-DECK-02", *range(1, 10), per_preset=[3, 3, 3])
    shuffle_strip_cuts: int = _knob("shuffle.strip_cuts", "R-DECK-02", *range(10), per_preset=[3, 1, 1])
    cut_min_cards: int = _knob("cut.min_cards", "R-DECK-03", *range(4, 27), per_preset=[10, 10, 10])
    burn_before: str = _knob(
        "deal.burn_before", "R-DEAL-03", "4,5,6,7", "5,6,7", "4,5,6", "none", per_preset=["4,5,6,7", "4,5,6,7", "4,5,6,7"]
    )
    burn_before_third: bool = _knob("deal.burn_before_third", "R-DEAL-03", False, True, per_preset=[False, False, False])
    ghost_cards: bool = _knob("deal.ghost_cards_after_free_fold", "R-DEAL-06", True, False, per_preset=[True, True, False])
    substantial_action: SubstantialAction = _knob(
        "misdeal.sa",
        "R-MIS-02",
        *SubstantialAction,
        per_preset=[SubstantialAction.TWO_AFTER_FORCED_BET, SubstantialAction.TWO_AFTER_FORCED_BET, SubstantialAction.TDA36],
    )
    one_hole: OneHole = _knob(
        "expose.one_hole", "R-EXP-01", *OneHole, per_preset=[OneHole.THIRD_DOWN, OneHole.THIRD_DOWN, OneHole.MISDEAL]
    )
    two_hole: TwoHole = _knob(
        "expose.two_hole", "R-EXP-02", *TwoHole, per_preset=[TwoHole.DEAD_REFUND, TwoHole.DEAD_REFUND, TwoHole.MISDEAL]
    )
    hole_and_door: HoleAndDoor = _knob("expose.hole_and_door", "R-EXP-03", *HoleAndDoor, per_preset=[HoleAndDoor.MISDEAL] * 3)
    door_down: DoorDown = _knob(
        "expose.door_down",
        "R-EXP-05",
        *DoorDown,
        per_preset=[DoorDown.RECORDED_THIRD, DoorDown.RECORDED_THIRD, DoorDown.RANDOM_OF_THREE],
    )
    seventh_exposed: SeventhExposed = _knob(
        "expose.seventh",
        "R-EXP-06",
        *SeventhExposed,
        per_preset=[SeventhExposed.WSOP_LIVE, SeventhExposed.WSOP_LIVE, SeventhExposed.REPLACE],
    )
    premature: Premature = _knob("premature.policy", "R-ERR-01", *Premature, per_preset=[Premature.RESHUFFLE_STUB] * 3)
    stub_policy: StubPolicy = _knob("stub.policy", "R-STUB-02", *StubPolicy, per_preset=[StubPolicy.PLUS_TWO] * 3)
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
    high_hand_all_in: HighHandAllIn = _knob(
        "open.high_hand_all_in", "R-OPEN-03", *HighHandAllIn, per_preset=[HighHandAllIn.CLOCKWISE] * 3
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
    all_in_face_up: AllInFaceUp = _knob(
        "showdown.all_in_face_up",
        "R-SHOW-06",
        *AllInFaceUp,
        per_preset=[AllInFaceUp.TOURNAMENT_ONLY, AllInFaceUp.NEVER, AllInFaceUp.ALWAYS],
    )
    losers_may_muck: LosersMuck = _knob(
        "showdown.losers_may_muck",
        "R-SHOW-04",
        *LosersMuck,
        per_preset=[LosersMuck.TRUE, LosersMuck.TRUE, LosersMuck.EXCEPT_ALL_IN],
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
    rake_unit: int = _knob("rake.unit", "R-RAKE-01", "0 or more chips; 0 is the chip unit", per_preset=[0, 0, 0])
    rake_allocation: RakeAllocation = _knob(
        "rake.allocation", "R-RAKE-01", *RakeAllocation, per_preset=[RakeAllocation.MAIN_FIRST] * 3
    )

    kill: bool = _knob("kill.enabled", "R-RAKE-03", False, per_preset=[False, False, False])
    straddle: bool = _knob("straddle.enabled", "R-BET-15", False, per_preset=[False, False, False])
    run_it_twice: bool = _knob("run_it_twice", "R-RAKE-04", False, per_preset=[False, False, False])
    clock_s: int = _knob("clock.seconds", "R-ABS-04", *range(5, 301), per_preset=[60, 60, 25])
    clock_countdown_s: int = _knob("clock.countdown", "R-ABS-04", *range(61), per_preset=[10, 10, 5])
    time_bank_s: int = _knob("clock.time_bank", "R-ABS-04", *range(601), per_preset=[0, 0, 0])
    absent_kill: AbsentKill = _knob(
        "absent.kill", "R-ABS-01", *AbsentKill, per_preset=[AbsentKill.ON_TURN, AbsentKill.ON_TURN, AbsentKill.ON_DEAL]
    )
    time_collection: int = _knob(
        "rake.time_collection", "R-RAKE-02", "0 or more chips a half hour; 0 is none", per_preset=[0, 0, 0]
    )

    def burns_before(self, street: int) -> bool:
        """Whether a card is burned before ``street`` (R-DEAL-03)."""
        return self.burn_before_third if street == 3 else str(street) in self.burn_before

    @property
    def face_up_when_all_in(self) -> bool:
        """Whether hands are turned up once no more betting is possible (R-SHOW-06)."""
        match self.all_in_face_up:
            case AllInFaceUp.NEVER:
                return False
            case AllInFaceUp.ALWAYS:
                return True
            case AllInFaceUp.TOURNAMENT_ONLY:
                return self.game_type is GameType.TOURNAMENT

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


def canonical_rules(rules: HouseRules, stakes: Stakes, variant: VariantCode) -> str:
    """Game, stakes and every knob as sorted lines ``name=value``: the text that the fingerprint of the rules is made of."""
    amounts = {f"stakes.{name}": str(amount) for name, amount in stakes._asdict().items()}
    values = {"game.variant": variant.value} | amounts | knob_values(rules)
    return "".join(f"{name}={value}\n" for name, value in sorted(values.items()))


def knob_rule(name: str) -> str:
    """The id of the rule that a knob turns; ``KeyError`` for an unknown name."""
    return str(_KNOBS[name].metadata["rule"])


def allowed_values(name: str) -> tuple[str, ...]:
    """The closed list of a knob's values as text; empty where it is any whole number. ``KeyError`` for an unknown name."""
    values = _KNOBS[name].metadata["values"]
    return () if _is_free(values) else tuple(_as_text(value) for value in values)


def house_rules(preset: str, overrides: Mapping[str, str] | None = None) -> HouseRules:
    """The record of a named preset with some knobs overridden (rules §1); ``HouseRulesError`` on anything that is not allowed.

    Kill pots, straddles and a second run have no other value than off (R-RAKE-03, R-RAKE-04, R-BET-15).
    """
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
    if rules.rake_percent and rules.time_collection:
        raise HouseRulesError(
            "rake.percent and rake.time_collection cannot both be above 0: one or the other is taken (R-RAKE-02)"
        )
    if rules.min_players > rules.max_seats:
        raise HouseRulesError(f"table.min_players={rules.min_players} is above table.max_seats={rules.max_seats}; lower it")
    return rules


def rules_problems(rules: HouseRules, stakes: Stakes) -> tuple[str, ...]:
    """House rules that cannot work at these stakes, as sentences that name knob and way out; empty when nothing is wrong.

    The house takes whole chips: what is not a multiple of the smallest chip cannot be paid (R-SETUP-06, R-RAKE-01, R-RAKE-02).
    """
    return tuple(
        f"{name} is {value}: it must be a multiple of the smallest chip {stakes.unit} (R-SETUP-06)"
        for name, value in (("rake.unit", rules.rake_unit), ("rake.time_collection", rules.time_collection))
        if value % stakes.unit
    )


def _parsed_overrides(overrides: Mapping[str, str]) -> list[tuple[str, Any]]:
    parsed: list[tuple[str, Any]] = []
    for name, text in overrides.items():
        if name in ("open.tie", "fourth_pair") or name not in _KNOBS:
            close = [known for known in _KNOBS if known.startswith(name.split(".")[0] + ".")] or get_close_matches(name, _KNOBS)
            way = f"use one of {', '.join(close)}" if close else f"docs/reference/house-rules.md lists all {len(_KNOBS)}"
            raise HouseRulesError(f"house rule {name!r} is unknown: {way}")
        knob = _KNOBS[name]
        parsed.append((knob.name, _parse_value(name, text, knob.metadata["values"])))
    return parsed


def _parse_value(name: str, text: str, values: tuple[object, ...]) -> object:
    if _is_free(values):
        if text.isdecimal():
            return int(text)
        raise HouseRulesError(f"{name}={text} is not allowed: give a whole number ({values[0]})")
    for value in values:
        if _as_text(value) == text:
            return value
    raise HouseRulesError(f"{name}={text} is not allowed: use one of {', '.join(_as_text(value) for value in values)}")


def _is_free(values: tuple[object, ...]) -> bool:
    """Whether a knob takes any whole number; its one entry then says so in words."""
    return len(values) == 1 and isinstance(values[0], str)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.value) if isinstance(value, Enum) else str(value)
