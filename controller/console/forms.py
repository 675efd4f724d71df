"""Every order that takes more than one touch, as a form: its questions in order, who gives it, and the command that comes of it.

Rulings and orders of the table stand in one table each, so that what HTTP can do, the console can do (screens §7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from controller.access.rights import ORDERS as ORDER_NEEDS
from controller.console.questions import (
    CAUSES,
    GONE,
    LIVE,
    SEATED,
    STACK_MOST,
    WORDS_MOST,
    Ask,
    Field,
    Given,
    Snapshot,
    actor,
    acts_before_turn,
    antenna,
    asking,
    card,
    dead_cause,
    dead_seats,
    declaring,
    device,
    down_devices,
    flight,
    free_seat,
    has_down,
    has_streets,
    has_third,
    kept,
    late_acts,
    listed,
    merged,
    number,
    pause,
    place,
    scrap,
    seats_in,
    silent_chips,
    unread,
    void_reason,
    which,
    which_boxed,
    which_door,
    with_cards,
    words,
)
from controller.hand.commands import Role
from controller.table.rulings import DEALER_MAY, ruling_needs
from controller.table.timely import ANSWERS
from controller.words.said import Said, say

NAME_MOST: Final = 64
MERGED_MOST: Final = 16
"""Answers that a sheet shows without scrolling."""


class Kind(NamedTuple):
    """A form: the rule that it applies, its questions, and when it can be meant at all."""

    rule: str
    fields: tuple[Ask, ...]
    when: Callable[[Snapshot], bool]


_LIVE_SEAT: Final = seats_in(LIVE)
_OTHER_SEAT: Final = seats_in(("live",), but_actor=True)
_GONE_SEAT: Final = seats_in(GONE)
_GAMES: Final = listed("variant", "ui.ask.game", [(code, f"lbl.{code}") for code in ("stud", "stud8", "razz")])
_ON: Final = listed("on", "ui.ask.last_two", [(True, "ui.ask.yes"), (False, "ui.ask.no")])


# --- when -------------------------------------------------------------------------------------------------------------------


def hand_is_open(snapshot: Snapshot) -> bool:
    """A hand is being played."""
    hand = snapshot["hand"]
    return hand is not None and hand["phase"] not in ("ended", "voided")


def _phase(*phases: str, streets: Sequence[int] = (3, 4, 5, 6, 7)) -> Callable[[Snapshot], bool]:
    def when(snapshot: Snapshot) -> bool:
        hand = snapshot["hand"]
        return hand_is_open(snapshot) and (hand["phase"] in phases if phases else True) and (hand["street"] or 3) in streets

    return when


def _held(*codes: str) -> Callable[[Snapshot], bool]:
    def when(snapshot: Snapshot) -> bool:
        return snapshot["hold"] is not None and (not codes or snapshot["hold"]["code"] in codes)

    return when


def _between(snapshot: Snapshot) -> bool:
    return not hand_is_open(snapshot)


def _has(state: Sequence[str]) -> Callable[[Snapshot], bool]:
    return lambda snapshot: hand_is_open(snapshot) and any(row["state"] in state for row in snapshot["seats"])


def _in_hand(held: Callable[[Snapshot, Mapping[str, Any]], bool], when: Callable[[Snapshot], bool]) -> Callable[[Snapshot], bool]:
    """When it can be meant, and some seat has such a card."""
    return lambda s: when(s) and any(row["state"] in LIVE and held(s, row) for row in s["seats"])


def _not_stopped(snapshot: Snapshot) -> bool:
    return hand_is_open(snapshot) and (snapshot["hold"] or {}).get("code") != "floor_called"


def _award_given(snapshot: Snapshot) -> bool:
    return snapshot["undo"] is not None and snapshot["undo"]["what"] == "award"


def _claimed(name: str, *streets: int) -> Callable[[Snapshot], bool]:
    """What can be claimed of the hand as it stands, on one of ``streets`` where they are named."""
    return lambda s: bool(s["claims"][name]) and (not streets or s["hand"]["street"] in streets)


def _early(*claimed: str) -> Callable[[Snapshot], bool]:
    """Cards left the shoe that were not due."""
    return lambda s: hand_is_open(s) and s["claims"]["early"] > 0 and all(s["claims"][name] for name in claimed)


def _asked(snapshot: Snapshot) -> bool:
    """A seat is to act, and may."""
    return bool(snapshot["claims"]["actor"]) and snapshot["hold"] is None


_BETTING: Final = _phase("betting")

RULINGS: Final[Mapping[str, Kind]] = {
    "expose_hole": Kind(
        "R-EXP-01", (with_cards(has_down), which(2), unread), _in_hand(has_down, _phase("dealing", "betting", streets=(3,)))
    ),
    "late_action": Kind("R-ERR-01", (actor, late_acts), _early()),
    "premature": Kind("R-ERR-01", (kept,), _early()),
    "burn_extra": Kind("R-MIS-05", (), _early("burn_open")),
    "set_aside": Kind("R-MIS-06", (scrap, flight), _phase("dealing")),
    "trust_reader": Kind("R-ERR-08", (), _held("cards_differ")),
    "clear_shoe": Kind("R-ERR-08", (), _held("shoe_error", "shoe_not_cleared")),
    "take_shoe_again": Kind("R-ERR-08", (), _held("shoe_stopped", "shoe_tampered")),
    "step_past": Kind("REG-47", (device, antenna), lambda s: bool(down_devices(s))),
    "key_card": Kind("R-ERR-08", (place, card()), _held("cards_differ", "card_not_seen", "card_unknown", "unreadable_card")),
    "kill_hands": Kind("R-ABS-03", (dead_seats, dead_cause), _has(LIVE)),
    "misdeal": Kind("R-MIS-01", (CAUSES,), _phase(streets=(3, 4))),
    "choose_door": Kind("R-EXP-05", (with_cards(has_third), which_door), _in_hand(has_third, _claimed("door_open"))),
    "expose_seventh": Kind("R-EXP-06", (with_cards(has_streets),), _in_hand(has_streets, _claimed("cards_open", 7))),
    "declare_all_in": Kind("R-EXP-06", (declaring,), _claimed("may_declare")),
    "replace_boxed": Kind("R-MIS-06", (with_cards(has_streets), which_boxed), _in_hand(has_streets, _claimed("cards_open"))),
    "out_of_turn": Kind("R-BET-14", (_OTHER_SEAT, acts_before_turn), _BETTING),
    "put_chips": Kind("R-BET-12", (actor, silent_chips), _asked),
    "opened_by": Kind("R-BRING-09", (_OTHER_SEAT,), _claimed("untouched")),
    "undo_action": Kind("R-RULE-02", (), lambda s: s["undo"] is not None and s["undo"]["what"] == "action"),
    "undo_keyed": Kind("R-RULE-02", (), lambda s: bool(s["by_hand"]["may_undo"]) or bool(s["by_hand"]["manually_verified"])),
    "retrieve_hand": Kind("R-ERR-07", (_GONE_SEAT,), _has(GONE)),
    "let_see": Kind("R-SHOW-09", (_GONE_SEAT,), lambda s: _has(GONE)(s) and s["hand"]["phase"] == "showdown"),
    "leave_table": Kind("R-ABS-01", (_LIVE_SEAT,), _has(LIVE)),
    "return_to_table": Kind("R-ABS-01", (_LIVE_SEAT,), _has(LIVE)),
    "expire_clock": Kind("R-ABS-04", (actor,), _asked),
    "redo_seventh": Kind("R-STUB-04", (), _claimed("common", 7)),
    "drop_stub": Kind("R-ERR-06", (), _phase("dealing", "betting")),
    "undo_award": Kind("R-RULE-04", (), _award_given),
    "stop_play": Kind("R-RULE-01", (), _not_stopped),
    "play_on": Kind("R-RULE-01", (), _held("floor_called")),
}
"""Likeliest first: so they stand on the sheet."""

ORDERS: Final[Mapping[str, Kind]] = {
    "void_hand": Kind("R-RULE-03", (void_reason,), lambda s: hand_is_open(s) or _award_given(s)),
    "table_hand": Kind("R-SHOW-04", (_LIVE_SEAT, card("cards")), _phase("showdown", "dealing")),
    "confirm_cards": Kind("REG-47", (card("cards"),), lambda s: bool(s["by_hand"]["confirm"])),
    "count_deck": Kind("R-DECK-01", (number("cards", "ui.ask.count", 52),), lambda s: bool(s["by_hand"]["count_deck"])),
    "seat_player": Kind(
        "R-SETUP-05",
        (seats_in(("empty",)), words("name", "ui.ask.name", NAME_MOST), number("stack", "ui.ask.stack", STACK_MOST)),
        _between,
    ),
    "leave_seat": Kind("R-SETUP-05", (seats_in(SEATED),), _between),
    "add_chips": Kind("R-SETUP-05", (seats_in(SEATED), number("chips", "ui.ask.chips", STACK_MOST)), lambda _: True),
    "change_seat": Kind("R-SETUP-03", (seats_in(SEATED), free_seat), _between),
    "answer_seat": Kind("R-RULE-01", (asking,), lambda s: bool(s["asked"])),
    "sit_out": Kind("R-ABS-01", (seats_in(SEATED),), lambda _: True),
    "sit_in": Kind("R-ABS-01", (seats_in(SEATED),), lambda _: True),
    "call_clock": Kind("R-ABS-04", (_LIVE_SEAT,), _BETTING),
    "start_hand": Kind("R-DECK-03", (number("cut", "ui.ask.cut", 52, 0),), lambda s: s["step"]["kind"] == "start_hand"),
    "set_game": Kind("R-SETUP-02", (_GAMES,), _between),
    "set_stakes": Kind(
        "R-SETUP-02",
        tuple(number(name, f"ui.ask.{name}", STACK_MOST, 0) for name in ("ante", "bring_in", "small", "big")),
        _between,
    ),
    "set_last_two": Kind("R-BET-04", (_ON,), _between),
    "collect_time": Kind("R-RAKE-02", (), _between),
    "pause_table": Kind("R-SETUP-07", (pause,), lambda s: s["paused"] is None),
    "reopen_table": Kind("R-SETUP-07", (), lambda s: s["paused"] is not None or s["closing"]),
    "close_table": Kind("R-SETUP-07", (), lambda s: not s["closing"]),
}
UNPREVIEWED: Final = frozenset(("key_card", "table_hand", "confirm_cards"))
"""Orders that name a face: what would become of one could tell a card that lies face down (R-RULE-06)."""


def form(name: str, snapshot: Snapshot, given: Given) -> dict[str, Any] | None:
    """The form ``name`` with what is ``given`` filled in; ``None`` for no form.

    ``fields`` are asked before the preview, ``options`` stand beside it with the answer that is likeliest; where what follows
    depends on a field, its choices open the form again.
    """
    kind = RULINGS.get(name) or ORDERS.get(name)
    if kind is None:
        return None
    ruling = name in RULINGS
    command: dict[str, Any] = {"type": name}
    if ruling:
        command = {"type": "rule", "ruling": {"kind": name}, "role": "dealer" if name in DEALER_MAY else "floor"}
    if name == "confirm_cards":
        command["cards"] = [{"place": one["place"]} for one in snapshot["by_hand"]["confirm"][:1]]
    target = command["ruling"] if ruling else command
    asked = [made for field in kind.fields if (made := field(snapshot, given)) is not None]
    told: list[Said] = []
    left = merged([made for made in asked if not _filled(target, made, given, told)], MERGED_MOST)
    fields = _asked_again(name, [made for made in left if "value" not in made], len(left)) if ruling else left
    again = bool(fields) and any("opens" in one for one in fields[0].get("choices", ()))
    options = [made for made in left if "value" in made and not again]
    for made in options:
        _put(target, made["path"], made["value"])
    for made in fields:
        if name == "table_hand" and made["type"] == "card":
            made["count"] = next(
                (len(row["numbers"]) for row in snapshot["by_hand"]["to_key"] if row["seat"] == target.get("seat")), 0
            )
    for made in (*fields, *options):
        if made["type"] == "card":
            made.setdefault("count", 1)
    needs = ruling_needs(name, Role(command["role"])) if ruling else ORDER_NEEDS[name]
    who = needs.value
    if who != "dealer" and (ruling or name == "void_hand"):
        options.append({"path": "words", "label": say("ui.ask.words"), "type": "text", "most": WORDS_MOST, "value": ""})
    return {
        "kind": "form",
        "name": name,
        "title": say(f"ui.form.{name}"),
        "rule": kind.rule,
        "who": who,
        "agree": needs.value,
        "command": command,
        "decision": snapshot["decision"] if name in ANSWERS else None,
        "inside": "ruling" if ruling else None,
        "known": told,
        "fields": fields,
        "options": options,
        "preview": name not in UNPREVIEWED and not any(made["type"] == "card" for made in fields),
        "unseen": [{"what": say("ui.change.cards"), "how": say("ui.change.cards.hidden")}],
        "people": [say("ui.ask.floor"), say("ui.ask.second")] if who == "two" else [say("ui.ask.floor")],
    }


def _asked_again(name: str, fields: list[Field], all_of_them: int) -> list[Field]:
    """The first question alone where others depend on the seat that it asks for: its choices open the form again with it."""
    if all_of_them < 2 or not fields or fields[0]["path"] not in ("seat", "seat_card"):
        return fields
    choices = []
    for one in fields[0]["choices"]:
        known = one["value"] if isinstance(one["value"], dict) else {"seat": one["value"]}
        query = "&".join(f"{path}={value}" for path, value in known.items())
        choices.append({**one, "opens": f"form:{name}?{query}"})
    return [{**fields[0], "choices": choices}]


def _put(target: dict[str, Any], path: str, value: Any) -> None:
    if isinstance(value, dict):
        target.update(value)
    elif value is not None:
        target[path] = value


def _filled(target: dict[str, Any], field: Field, given: Given, told: list[Said]) -> bool:
    """Put what is known into ``target``, and its words into ``told``; whether the question is answered by that."""
    value = given.get(field["path"])
    if "value" in field and field["path"] == "seat":  # the table knows the one seat that can be meant
        value = str(field["value"])
    elif "value" in field:
        return False
    if value is None or not value.isdigit() or field["type"] not in ("choice", "choices"):
        return False
    target[field["path"]] = [int(value)] if field["type"] == "choices" else int(value)
    told.extend(one["text"] for one in field["choices"] if one["value"] == int(value))
    return True


def possible(names: Iterable[str], snapshot: Snapshot) -> list[str]:
    """Of the forms ``names`` those that can be meant now, in their order."""
    return [name for name in names if (RULINGS.get(name) or ORDERS[name]).when(snapshot)]


_AT_STOP: Final[Mapping[str, Sequence[str]]] = {
    "premature_card": ("premature", "late_action", "burn_extra"),
    "joker": ("set_aside",),
    "cards_differ": ("trust_reader", "key_card"),
    "card_not_seen": ("key_card",),
    "card_unknown": ("key_card",),
    "unreadable_card": ("key_card",),
    "shoe_error": ("clear_shoe",),
    "shoe_not_cleared": ("clear_shoe",),
    "shoe_stopped": ("take_shoe_again",),
    "shoe_tampered": ("take_shoe_again",),
    "device_down": ("step_past",),
    "live_card_mucked": ("kill_hands",),
    "extra_card": ("misdeal", "kill_hands"),
    "duplicate_card": ("void_hand",),
    "foreign_card": ("void_hand",),
    "other_deck": ("void_hand",),
    "unexplained_card": ("void_hand",),
    "floor_called": ("play_on",),
}
"""What a stop most often comes to, likeliest first (screens §6)."""
_IN_PHASE: Final[Mapping[str, Sequence[str]]] = {
    "betting": ("out_of_turn", "put_chips", "undo_action", "kill_hands", "leave_table", "expire_clock"),
    "dealing": ("expose_hole", "choose_door", "set_aside", "expose_seventh", "misdeal"),
    "showdown": ("let_see", "retrieve_hand", "undo_action"),
}


def likeliest(names: Iterable[str], snapshot: Snapshot) -> list[str]:
    """Of the forms ``names`` those that can be meant now, likeliest first: what the stop is about, then the phase, then the
    table's own order."""
    hand, hold = snapshot["hand"] or {}, snapshot["hold"] or {}
    first = (*_AT_STOP.get(hold.get("code", ""), ()), *_IN_PHASE.get(hand.get("phase", ""), ()))
    found = possible(names, snapshot)
    return [*(name for name in dict.fromkeys(first) if name in found), *(name for name in found if name not in first)]


def at_stop(snapshot: Snapshot) -> tuple[str, Given] | None:
    """The form that play's stop most often comes to, with the seat that it is about; ``None`` when nothing is likelier."""
    hold = snapshot["hold"] or {}
    found = possible(_AT_STOP.get(hold.get("code", ""), ()), snapshot)
    if not found:
        return None
    parts = (hold.get("place") or "").split("/")
    return found[0], {"seat": parts[1]} if parts[0] == "seat" and found[0] == "kill_hands" else {}
