"""What opens over the table: the problem sheet, a seat's sheet, the menu, and texts to read (screens §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.access.rights import ORDERS
from controller.console.bar import KEYS, STOP_PLAY
from controller.console.forms import RULINGS, at_stop, form, hand_is_open, likeliest, possible
from controller.table.rulings import DEALER_MAY, TWO_PEOPLE
from controller.words.said import Said, say

Snapshot = Mapping[str, Any]
Item = dict[str, Any]

SEAT_IN_HAND: Final = (
    "out_of_turn",
    "put_chips",
    "call_clock",
    "expire_clock",
    "leave_table",
    "return_to_table",
    "kill_hands",
    "expose_hole",
    "choose_door",
    "replace_boxed",
    "expose_seventh",
    "declare_all_in",
    "opened_by",
    "sit_out",
    "sit_in",
    "add_chips",
)
_OF_TURN: Final = {"put_chips": True, "call_clock": True, "expire_clock": True, "out_of_turn": False, "opened_by": False}
"""What can be meant only of the seat to act, or only of any other one."""
SEAT_FOLDED: Final = ("retrieve_hand", "let_see", "sit_out", "sit_in", "add_chips")
SEAT_BETWEEN: Final = ("add_chips", "sit_out", "sit_in", "change_seat", "leave_seat")
SEAT_ASKS: Final = ("answer_seat",)
SEAT_EMPTY: Final = ("seat_player",)
MENU: Final = (
    "pause_table",
    "reopen_table",
    "start_hand",
    "set_game",
    "set_stakes",
    "set_last_two",
    "collect_time",
    "close_table",
)
FLOOR: Final = ("play_on", "pause_table", "reopen_table", "close_table", "void_hand")
"""What the floor orders of a table beside rulings."""
NOT_ON_PROBLEM: Final = frozenset(("undo_award", "stop_play", "play_on", "return_to_table"))


def sheet(name: str, snapshot: Snapshot, given: Mapping[str, str], *, drives: bool = True) -> dict[str, Any] | None:
    """The sheet ``name``; ``None`` when there is none. A console that watches is offered nothing that changes the game."""
    if name.startswith("form:"):
        return form(name.removeprefix("form:"), snapshot, given)
    match name:
        case "problem":
            return _problem(snapshot)
        case "stop":  # a device saw the slip: one touch to what it most often comes to (screens §7)
            likely = at_stop(snapshot)
            return _problem(snapshot) if likely is None else form(likely[0], snapshot, likely[1])
        case "seat":
            return _seat(snapshot, int(given.get("seat", "0") or 0))
        case "menu":
            return _menu(snapshot, drives=drives)
        case "orders":
            return _list(say("ui.menu.orders"), [_item(name) for name in possible(FLOOR, snapshot)])
        case "keys":
            return _keys()
        case _:
            return None


def _list(title: Said, items: Sequence[Item], *, hint: Said | None = None, floor: bool = False) -> dict[str, Any]:
    button = {"text": say("ui.act.floor"), "sub": say("ui.act.floor.sub"), "commands": [{"command": STOP_PLAY, "decision": None}]}
    return {"kind": "list", "title": title, "hint": hint, "items": list(items), "floor": button if floor else None}


def _item(name: str, query: str = "") -> Item:
    if name in RULINGS:
        who = "two" if name in TWO_PEOPLE else "dealer" if name in DEALER_MAY else "floor"
    else:
        who = ORDERS[name].value
    return {
        "text": say(f"ui.form.{name}"),
        "sub": say(f"ui.who.{who}") if name in RULINGS or who != "dealer" else None,
        "opens": f"form:{name}{query}",
        "name": name,
    }


def _problem(snapshot: Snapshot) -> dict[str, Any]:
    names = [name for name in (*RULINGS, "void_hand") if name not in NOT_ON_PROBLEM]
    stopped = (snapshot["hold"] or {}).get("code") == "floor_called"
    items = [_item(name) for name in likeliest(names, snapshot)]
    return _list(say("ui.act.problem"), items, floor=hand_is_open(snapshot) and not stopped)


def _seat(snapshot: Snapshot, seat: int) -> dict[str, Any] | None:
    row = next((row for row in snapshot["seats"] if row["seat"] == seat), None)
    if row is None:
        return None
    if row["state"] == "empty":
        names: Sequence[str] = SEAT_EMPTY
    elif not hand_is_open(snapshot) or row["state"] == "out":
        names = SEAT_BETWEEN
    else:
        names = SEAT_FOLDED if row["state"] in ("folded", "ghost") else SEAT_IN_HAND
    gone = ("leave_table" if row.get("away") else "return_to_table", "sit_out" if row.get("sits_out") else "sit_in")
    is_actor = snapshot["claims"]["actor"] == seat
    asks = SEAT_ASKS if seat in snapshot["asked"] else ()
    names = [name for name in (*asks, *names) if name not in gone and _OF_TURN.get(name, is_actor) is is_actor]
    title = say("ui.seat.of", n=seat, name=row.get("name", "")) if row["state"] != "empty" else say("ui.say.empty", n=seat)
    return _list(title, [_item(name, f"?seat={seat}") for name in possible(names, {**snapshot, "seats": [row]})])


def _menu(snapshot: Snapshot, *, drives: bool) -> dict[str, Any]:
    orders = [_item(name) for name in possible(MENU, snapshot)] if drives else []
    wheel = snapshot.get("wheel")
    if wheel is not None and drives and wheel["can_return"]:
        orders.append({"text": say("ui.act.giveback"), "sub": None, "wheel": False})
    reading = [{"text": say(f"ui.menu.{name}"), "sub": None, "opens": name} for name in ("hands", "rules", "devices", "keys")]
    settings = [{"text": say(f"ui.menu.{name}"), "sub": None, "setting": name} for name in ("theme", "mirror")]
    return _list(say("ui.act.menu"), [*reading, *settings, *orders])


def _keys() -> dict[str, Any]:
    lines = [
        say("ui.keys.line", keys=" · ".join(keys).replace("Control+", "Ctrl ").upper(), what=say(f"ui.keys.{place}"))
        for place, keys in KEYS.items()
    ]
    lines += [say("ui.keys.line", keys=keys, what=say(f"ui.keys.{name}")) for name, keys in _PAGE_KEYS]
    return text_sheet(say("ui.menu.keys"), [(None, lines)])


_PAGE_KEYS: Final = (("seat", "Alt 1–8"), ("menu", "M"), ("language", "Alt L"), ("back", "Esc"), ("list", "?"))


def text_sheet(
    title: Said, sections: Sequence[tuple[Said | None, Sequence[Said]]], *, mark: Said | None = None
) -> dict[str, Any]:
    """A sheet to read: titles with lines, under ``mark`` where it must not be taken for the table of now."""
    told = [{"title": head, "lines": list(lines)} for head, lines in sections]
    return {"kind": "text", "title": title, "mark": mark, "sections": told}
