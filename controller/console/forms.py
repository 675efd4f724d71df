"""Every order that takes more than one touch, as a form: its questions in order, who gives it, and the command that comes of it.

Rulings and orders of the table stand in one table each, so that what HTTP can do, the console can do (screens §7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from controller.access.rights import ORDERS as ORDER_NEEDS
from controller.console.said import Said, joined, place_said, plain, say
from controller.hand.commands import Role
from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.hand.terms import Verb
from controller.table.rulings import DEALER_MAY, ruling_needs
from controller.table.timely import ANSWERS

Snapshot: TypeAlias = Mapping[str, Any]
Field: TypeAlias = dict[str, Any]
Given: TypeAlias = Mapping[str, str]

STACK_MOST: Final = 10**9
NAME_MOST: Final = 64
REASON_MOST: Final = 200
MERGED_MOST: Final = 16
"""Answers that a sheet shows without scrolling."""


class Kind(NamedTuple):
    """A form: the rule that it applies, its questions, and when it can be meant at all."""

    rule: str
    fields: tuple[Callable[[Snapshot], Field | None], ...]
    when: Callable[[Snapshot], bool]


# --- questions ----------------------------------------------------------------------------------------------------------------


def _choice(path: str, label: str, choices: Iterable[tuple[Any, Said]], *, many: bool = False) -> Field:
    listed = [{"value": value, "text": words} for value, words in choices]
    return {"path": path, "label": say(label), "type": "choices" if many else "choice", "choices": listed}


def _seat_field(states: Sequence[str], path: str = "seat", *, many: bool = False) -> Callable[[Snapshot], Field]:
    def field(snapshot: Snapshot) -> Field:
        rows = [row for row in snapshot["seats"] if row["state"] in states]
        chosen = [(row["seat"], say("ui.seat.of", n=row["seat"], name=row.get("name", ""))) for row in rows]
        return _choice(path, "ui.ask.seats" if many else "ui.ask.seat", chosen, many=many)

    return field


def _number(path: str, label: str, most: int, least: int = 1) -> Callable[[Snapshot], Field]:
    def field(_: Snapshot) -> Field:
        return {"path": path, "label": say(label), "type": "number", "least": least, "most": most}

    return field


def _which(most: int) -> Callable[[Snapshot], Field]:
    """Which card of the seat, as they lie."""

    def field(_: Snapshot) -> Field:
        return _choice("number", "ui.ask.number", [(number, say("ui.ask.nth", n=number)) for number in range(1, most + 1)])

    return field


def _words(path: str, label: str, most: int) -> Callable[[Snapshot], Field]:
    def field(_: Snapshot) -> Field:
        return {"path": path, "label": say(label), "type": "text", "most": most}

    return field


def _listed(path: str, label: str, choices: Iterable[tuple[Any, str]]) -> Callable[[Snapshot], Field]:
    kept = tuple(choices)

    def field(_: Snapshot) -> Field:
        return _choice(path, label, [(value, say(key)) for value, key in kept])

    return field


def _kept(snapshot: Snapshot) -> Field:
    nobody = (0, say("ui.ask.nobody"))
    seats = [
        (row["seat"], say("ui.seat.of", n=row["seat"], name=row["name"])) for row in snapshot["seats"] if row["state"] in LIVE
    ]
    return _choice("kept", "ui.ask.kept", [nobody, *seats])


def _device(snapshot: Snapshot) -> Field:
    wrong = [name for name, link in snapshot["devices"].items() if link != "up"]
    return _choice("device", "ui.ask.device", [(name, plain(name)) for name in wrong or snapshot["devices"]])


def _place(snapshot: Snapshot) -> Field:
    step = snapshot["step"]
    due = [*step.get("in_flight", ()), *step.get("plan", ())]
    places = list(dict.fromkeys(due)) or [f"seat/{row['seat']}/up" for row in snapshot["seats"] if row["state"] in LIVE]
    return _choice("place", "ui.ask.place", [(place, place_said(place)) for place in places])


def _card(path: str = "card") -> Callable[[Snapshot], Field]:
    def field(snapshot: Snapshot) -> Field:
        seen = snapshot["by_hand"]["seen"]
        return {"path": path, "label": say("ui.ask.card"), "type": "card", "seen": seen, "may_skip": path == "card"}

    return field


def _unread(snapshot: Snapshot) -> Field | None:
    """The face of a card that was exposed, where there are cards that nobody has read."""
    return _card()(snapshot) if snapshot["by_hand"]["to_key"] else None


def _flight(snapshot: Snapshot) -> Field | None:
    """Which of the cards that are out, where there are more than one."""
    out = len(snapshot["step"].get("in_flight", ()))
    if out < 2:
        return None
    told = (0, say("ui.ask.readers_tell"))
    return _choice("number", "ui.ask.flight", [told, *((number, say("ui.ask.nth", n=number)) for number in range(1, out + 1))])


def _free_seat(snapshot: Snapshot) -> Field:
    free = [row["seat"] for row in snapshot["seats"] if row["state"] == "empty"]
    return _choice("to", "ui.ask.to_seat", [(seat, say("ui.ask.seat_n", n=seat)) for seat in free])


LIVE: Final = ("live", "all_in")
GONE: Final = ("folded", "ghost")
SEATED: Final = ("live", "all_in", "folded", "ghost", "out")

_LIVE_SEAT: Final = _seat_field(LIVE)
_CAUSES: Final = _listed("cause", "ui.ask.cause", [(cause.value, f"misdeal.{cause.value}") for cause in MisdealCause])
_DEAD: Final = _listed("cause", "ui.ask.cause", [(cause.value, f"dead.{cause.value}") for cause in DeadCause])
_SCRAP: Final = _listed("scrap", "ui.ask.scrap", [(scrap.value, f"scrap.{scrap.value}") for scrap in Scrap])
_VERBS: Final = _listed(
    "verb", "ui.ask.verb", [(verb.value, f"ui.verb.{verb.value}") for verb in Verb if verb is not Verb.BRING_IN]
)
_ACTS: Final = _listed("verb", "ui.ask.verb", [(verb.value, f"ui.verb.{verb.value}") for verb in Verb])
_GAMES: Final = _listed("variant", "ui.ask.game", [(code, f"lbl.{code}") for code in ("stud", "stud8", "razz")])
_ON: Final = _listed("on", "ui.ask.last_two", [(True, "ui.ask.yes"), (False, "ui.ask.no")])
_PAUSES: Final = ("ui.pause.break", "ui.pause.relief", "ui.pause.cards", "ui.pause.other")


def _pause(_: Snapshot) -> Field:
    return _choice("reason", "ui.ask.why", [(say(key)["en"], say(key)) for key in _PAUSES])


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


def _not_stopped(snapshot: Snapshot) -> bool:
    return hand_is_open(snapshot) and (snapshot["hold"] or {}).get("code") != "floor_called"


def _award_given(snapshot: Snapshot) -> bool:
    return snapshot["undo"] is not None and snapshot["undo"]["what"] == "award"


_CARDS_OUT: Final = _held(
    "premature_card", "joker", "unreadable_card", "cards_differ", "card_unknown", "wrong_place", "moved_card"
)
_BETTING: Final = _phase("betting")
_ANY: Final = _phase()

RULINGS: Final[Mapping[str, Kind]] = {
    "expose_hole": Kind("R-EXP-01", (_LIVE_SEAT, _which(2), _unread), _phase("dealing", "betting", streets=(3,))),
    "late_action": Kind("R-ERR-01", (_LIVE_SEAT, _ACTS, _number("to", "ui.ask.to", STACK_MOST, 0)), _held("premature_card")),
    "premature": Kind("R-ERR-01", (_kept,), _CARDS_OUT),
    "burn_extra": Kind("R-MIS-05", (), _CARDS_OUT),
    "set_aside": Kind("R-MIS-06", (_SCRAP, _flight), lambda s: _CARDS_OUT(s) or bool(s["step"].get("in_flight"))),
    "trust_reader": Kind("R-ERR-08", (), _held("cards_differ")),
    "clear_shoe": Kind("R-ERR-08", (), _held("shoe_error", "shoe_not_cleared")),
    "take_shoe_again": Kind("R-ERR-08", (), _held("shoe_stopped", "shoe_tampered")),
    "step_past": Kind("REG-47", (_device, _number("antenna", "ui.ask.antenna", 254, 0)), lambda s: bool(_down(s))),
    "key_card": Kind("R-ERR-08", (_place, _card()), _held("cards_differ", "card_not_seen", "card_unknown", "unreadable_card")),
    "kill_hands": Kind("R-ABS-03", (_seat_field(LIVE, "seats", many=True), _DEAD), _has(LIVE)),
    "misdeal": Kind("R-MIS-01", (_CAUSES,), _phase(streets=(3, 4))),
    "choose_door": Kind("R-EXP-05", (_LIVE_SEAT, _which(3)), _phase("dealing", "betting", streets=(3,))),
    "expose_seventh": Kind("R-EXP-06", (_LIVE_SEAT,), _phase("dealing", "betting", streets=(7,))),
    "declare_all_in": Kind("R-EXP-06", (_LIVE_SEAT,), _phase("dealing", "betting", streets=(7,))),
    "replace_boxed": Kind("R-MIS-06", (_LIVE_SEAT, _which(7)), _phase("dealing", "betting")),
    "out_of_turn": Kind("R-BET-14", (_LIVE_SEAT, _VERBS, _number("to", "ui.ask.to", STACK_MOST, 0)), _BETTING),
    "put_chips": Kind(
        "R-BET-12",
        (_LIVE_SEAT, _number("chips", "ui.ask.chips", STACK_MOST), _number("pieces", "ui.ask.pieces", 1000)),
        _BETTING,
    ),
    "opened_by": Kind("R-BRING-09", (_LIVE_SEAT,), _BETTING),
    "undo_action": Kind("R-RULE-02", (), lambda s: s["undo"] is not None and s["undo"]["what"] == "action"),
    "undo_keyed": Kind("R-RULE-02", (), lambda s: bool(s["by_hand"]["may_undo"]) or bool(s["by_hand"]["manually_verified"])),
    "retrieve_hand": Kind("R-ERR-07", (_seat_field(GONE),), _has(GONE)),
    "let_see": Kind("R-SHOW-09", (_seat_field(GONE),), lambda s: _has(GONE)(s) and s["hand"]["phase"] == "showdown"),
    "leave_table": Kind("R-ABS-01", (_LIVE_SEAT,), _has(LIVE)),
    "return_to_table": Kind("R-ABS-01", (_LIVE_SEAT,), _has(LIVE)),
    "expire_clock": Kind("R-ABS-04", (_LIVE_SEAT,), _BETTING),
    "redo_seventh": Kind("R-STUB-04", (), _phase("dealing", "betting", streets=(7,))),
    "drop_stub": Kind("R-ERR-06", (), _ANY),
    "undo_award": Kind("R-RULE-04", (), _award_given),
    "stop_play": Kind("R-RULE-01", (), _not_stopped),
    "play_on": Kind("R-RULE-01", (), _held("floor_called")),
}
"""Likeliest first: so they stand on the sheet."""

ORDERS: Final[Mapping[str, Kind]] = {
    "void_hand": Kind("R-RULE-03", (_words("reason", "ui.ask.why", REASON_MOST),), lambda s: hand_is_open(s) or _award_given(s)),
    "table_hand": Kind("R-SHOW-04", (_seat_field(LIVE), _card("cards")), _phase("showdown", "dealing")),
    "confirm_cards": Kind("REG-47", (_card("cards"),), lambda s: bool(s["by_hand"]["confirm"])),
    "count_deck": Kind("R-DECK-01", (_number("cards", "ui.ask.count", 52),), lambda s: bool(s["by_hand"]["count_deck"])),
    "seat_player": Kind(
        "R-SETUP-05",
        (_seat_field(("empty",)), _words("name", "ui.ask.name", NAME_MOST), _number("stack", "ui.ask.stack", STACK_MOST)),
        _between,
    ),
    "leave_seat": Kind("R-SETUP-05", (_seat_field(SEATED),), _between),
    "add_chips": Kind("R-SETUP-05", (_seat_field(SEATED), _number("chips", "ui.ask.chips", STACK_MOST)), lambda _: True),
    "change_seat": Kind("R-SETUP-03", (_seat_field(SEATED), _free_seat), _between),
    "sit_out": Kind("R-ABS-01", (_seat_field(SEATED),), lambda _: True),
    "sit_in": Kind("R-ABS-01", (_seat_field(SEATED),), lambda _: True),
    "call_clock": Kind("R-ABS-04", (_LIVE_SEAT,), _BETTING),
    "start_hand": Kind("R-DECK-03", (_number("cut", "ui.ask.cut", 52, 0),), lambda s: s["step"]["kind"] == "start_hand"),
    "set_game": Kind("R-SETUP-02", (_GAMES,), _between),
    "set_stakes": Kind(
        "R-SETUP-02",
        tuple(_number(name, f"ui.ask.{name}", STACK_MOST, 0) for name in ("ante", "bring_in", "small", "big")),
        _between,
    ),
    "set_last_two": Kind("R-BET-04", (_ON,), _between),
    "collect_time": Kind("R-RAKE-02", (), _between),
    "pause_table": Kind("R-SETUP-07", (_pause,), lambda s: s["paused"] is None),
    "reopen_table": Kind("R-SETUP-07", (), lambda s: s["paused"] is not None or s["closing"]),
    "close_table": Kind("R-SETUP-07", (), lambda s: not s["closing"]),
}
UNPREVIEWED: Final = frozenset(("key_card", "table_hand", "confirm_cards"))
"""Orders that name a face: what would become of one could tell a card that lies face down (R-RULE-06)."""


def _down(snapshot: Snapshot) -> list[str]:
    return [name for name, link in snapshot["devices"].items() if link != "up"]


def form(name: str, snapshot: Snapshot, given: Given) -> dict[str, Any] | None:
    """The form ``name`` with what is ``given`` filled in; ``None`` for no form."""
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
    asked = [made for field in kind.fields if (made := field(snapshot)) is not None]
    fields = _merged([made for made in asked if not _filled(target, made, given)])
    for made in fields:
        if name == "table_hand" and made["type"] == "card":
            made["count"] = next(
                (len(row["numbers"]) for row in snapshot["by_hand"]["to_key"] if row["seat"] == target.get("seat")), 0
            )
        elif made["type"] == "card":
            made["count"] = 1
    needs = ruling_needs(name, Role(command["role"])) if ruling else ORDER_NEEDS[name]
    who = needs.value
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
        "fields": fields,
        "preview": name not in UNPREVIEWED and not any(made["type"] == "card" for made in fields),
        "people": [say("ui.ask.floor"), say("ui.ask.second")] if who == "two" else [say("ui.ask.floor")],
    }


def _filled(target: dict[str, Any], field: Field, given: Given) -> bool:
    """Put what is known into ``target``; whether the question is answered by that."""
    value = given.get(field["path"]) or (given.get("seat") if field["path"] == "seats" else None)
    if value is None or not value.isdigit() or field["type"] not in ("choice", "choices"):
        return False
    target[field["path"]] = [int(value)] if field["type"] == "choices" else int(value)
    return True


def _merged(fields: list[Field]) -> list[Field]:
    """Seat and card in one question where its answers fit on the sheet: a touch less to the preview (screens §7)."""
    if [made["path"] for made in fields[:2]] != ["seat", "number"]:
        return fields
    seats, numbers = (made["choices"] for made in fields[:2])
    if len(seats) * len(numbers) > MERGED_MOST:
        return fields
    both = [
        ({"seat": seat["value"], "number": number["value"]}, joined([seat["text"], number["text"]], " · "))
        for seat in seats
        for number in numbers
    ]
    return [_choice("seat_card", "ui.ask.seat_card", both), *fields[2:]]


def possible(names: Iterable[str], snapshot: Snapshot) -> list[str]:
    """Of the forms ``names`` those that can be meant now, in their order."""
    return [name for name in names if (RULINGS.get(name) or ORDERS[name]).when(snapshot)]
