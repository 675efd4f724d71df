"""The action bar: six fixed places, each with at most what is legal there now (screens §4). Absent is empty, never grey.

A button is a dictionary: its texts, its look, its keys, and either ``commands`` (each ``{"command", "decision"}``, sent in order
until one is refused) or ``opens``, the sheet or form that it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.words.said import Said, joined, place_said, plain, say

Button = dict[str, Any]
Snapshot = Mapping[str, Any]

PLACES: Final = ("undo", "fold", "main", "raise", "all", "problem")
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "undo": ("u", "-"),
    "fold": ("f", "4"),
    "main": ("c", "5"),
    "raise": ("r", "6"),
    "big": ("b", "9"),
    "all": ("a", "+"),
    "problem": ("p", "/"),
    "start": ("Control+s",),
}
"""One or two keys for each place, the same in every language (screens §13); ``big`` is the second half of ``raise``."""
WAGERS: Final = ("complete", "bet", "raise")
STOP_PLAY: Final = {"type": "rule", "ruling": {"kind": "stop_play"}, "role": "dealer"}


def action_bar(snapshot: Snapshot) -> dict[str, list[Button]]:
    """Buttons by place; a place without one is empty."""
    bar: dict[str, list[Button]] = {place: [] for place in PLACES}
    status, step = snapshot["status"], snapshot["step"]
    hand = snapshot["hand"]
    if hand is not None and hand["phase"] not in ("ended", "voided") and status == "live":
        bar["problem"] = [_button("problem", say("ui.act.problem"), look="line", opens="problem")]
    bar["undo"] = _undo(snapshot) if step["kind"] != "hold" else []
    match step["kind"]:
        case "resume":
            bar["main"] = [_sends("main", say("ui.act.resume"), {"type": "resume"}, sub=say("ui.act.resume.sub"), look="pri")]
        case "start_hand" | "load_deck" | "wait":
            bar["main"] = _between(snapshot)
        case "deal":
            bar["main"], bar["all"] = _confirm(snapshot), _wrong_face(snapshot)
        case "scramble":
            bar["main"] = _count(snapshot)
        case "act":
            _act(bar, snapshot)
        case "table":
            _table(bar, snapshot)
        case "award":
            bar["main"], bar["all"] = [_award(snapshot)], [_floor("ui.act.notright", "ui.act.notright.sub")]
        case "hold":
            _hold(bar, snapshot)
        case _:
            pass
    return bar


def _button(place: str, words: Said, *, sub: Said | None = None, look: str = "btn", opens: str | None = None) -> Button:
    return {"text": words, "sub": sub, "look": look, "keys": list(KEYS[place]), "hold": False, "commands": [], "opens": opens}


def _sends(
    place: str,
    words: Said,
    *commands: Mapping[str, Any],
    decision: str | None = None,
    sub: Said | None = None,
    look: str = "btn",
) -> Button:
    given = [{"command": dict(command), "decision": decision} for command in commands]
    return {**_button(place, words, sub=sub, look=look), "commands": given}


def _undo(snapshot: Snapshot) -> list[Button]:
    if snapshot["by_hand"]["may_undo"]:
        return [_sends("undo", say("ui.act.undokey"), {"type": "undo_confirmation"}, look="line")]
    undo = snapshot["undo"]
    if undo is None:
        return []
    if undo["what"] == "award":
        return [{**_button("undo", say("ui.act.undo"), sub=say("ui.act.undo.award"), look="line"), "opens": "form:undo_award"}]
    order = {"type": "rule", "ruling": {"kind": "undo_action"}, "role": "dealer"}
    if undo["what"] == "around":
        sub = say(f"ui.act.all.{undo['verb']}", x=undo["to"])
    else:
        sub = say("ui.act.undo.sub", n=undo["seat"], what=say(f"ui.what.{undo['verb']}", x=undo["to"]))
    decision = snapshot["decision"]  # a fold that the muck tells meanwhile is no command, and would be taken back instead
    return [_sends("undo", say("ui.act.undo"), order, decision=decision, sub=sub, look="line")]


def _between(snapshot: Snapshot) -> list[Button]:
    """Between hands: the table is reopened, a deck counted, a hand started."""
    if snapshot["status"] != "live":
        return []
    if snapshot["paused"] is not None or snapshot["closing"]:
        return [_sends("main", say("ui.act.reopen"), {"type": "reopen_table"}, look="pri")]
    if snapshot["by_hand"]["count_deck"]:
        return _count(snapshot)
    if snapshot["step"]["kind"] != "start_hand":
        return []
    antes = sum(1 for seat in snapshot["seats"] if seat.get("antes"))
    start = _sends("main", say("ui.act.start"), {"type": "start_hand"}, sub=say("ui.act.start.sub", k=antes), look="pri")
    return [{**start, "keys": list(KEYS["start"])}]


def _count(snapshot: Snapshot) -> list[Button]:
    cards = snapshot["by_hand"]["count_deck"]
    return [_sends("main", say("ui.act.counted", k=cards), {"type": "count_deck", "cards": cards}, look="pri")] if cards else []


def _confirm(snapshot: Snapshot) -> list[Button]:
    """The next card that no device tells of: it lies there, or its face is keyed (REG-47)."""
    confirm = snapshot["by_hand"]["confirm"]
    if not confirm:
        return []
    first = confirm[0]
    sub = place_said(first["place"])
    if first["key"]:
        return [_button("main", say("ui.act.key"), sub=sub, look="pri", opens="form:confirm_cards")]
    order = {"type": "confirm_cards", "cards": [{"place": first["place"]}]}
    return [_sends("main", say("ui.act.confirm"), order, sub=sub, look="pri")]


def _wrong_face(snapshot: Snapshot) -> list[Button]:
    """The last card lies with the wrong face up: straight to what the house rule does (R-EXP-01, R-EXP-05, R-EXP-06)."""
    last = (snapshot["step"].get("last") or "").split("/")
    if len(last) != len(("seat", "1", "up")):
        return []
    seat = int(last[1])
    street = snapshot["hand"]["street"]
    kind = {3: "expose_hole" if last[2] == "down" else "choose_door", 7: "expose_seventh"}.get(street)
    if kind is None or (street == 7 and last[2] != "down"):
        return []
    down = next(row.get("down", 0) for row in snapshot["seats"] if row["seat"] == seat)
    number = {"expose_hole": down, "choose_door": 3}.get(kind, 0)
    preset = f"form:{kind}?seat={seat}" + (f"&number={number}" if number else "")
    return [_button("all", say("ui.act.wrongface"), sub=say("ui.act.wrongface.sub", n=seat), look="line", opens=preset)]


def _floor(words: str = "ui.act.floor", sub: str = "ui.act.floor.sub") -> Button:
    return _sends("all", say(words), STOP_PLAY, sub=say(sub))


def _act(bar: dict[str, list[Button]], snapshot: Snapshot) -> None:
    step, hand = snapshot["step"], snapshot["hand"]
    seat, decision = step["seat"], step["decision"]
    by_verb = {action["verb"]: action for action in step["actions"]}

    def sends(place: str, verb: str, words: Said, *, sub: Said | None, look: str = "btn", to: int = 0) -> Button:
        order = {"type": "act", "seat": seat, "verb": verb, "to": to}
        return _sends(place, words, order, decision=decision, sub=sub, look=look)

    name = next((row.get("name", "") for row in snapshot["seats"] if row["seat"] == seat), "")
    main = next((by_verb[verb] for verb in ("bring_in", "call", "check") if verb in by_verb), None)
    if main is not None:
        words = say(f"ui.act.{main['verb']}", x=main["amount"]) if not main["all_in"] else say("ui.act.allin", x=main["amount"])
        sub = say("ui.seat.of", n=seat, name=name)
        bar["main"] = [sends("main", main["verb"], words, sub=sub, look="pri", to=main["to"])]
    wagers = [action for action in step["actions"] if action["verb"] in WAGERS]
    for place, action in zip(("raise", "big"), wagers, strict=False):
        words = say("ui.act.allin.to" if action["all_in"] else f"ui.act.{action['verb']}", x=action["to"])
        bar["raise"].append(sends(place, action["verb"], words, sub=_raise_sub(action, hand), to=action["to"]))
    if "fold" in by_verb:
        bar["fold"] = [sends("fold", "fold", say("ui.act.fold"), sub=say("ui.act.fold.sub"), to=by_verb["fold"]["to"])]
    bar["all"] = _around(step, decision)


def _raise_sub(action: Mapping[str, Any], hand: Mapping[str, Any]) -> Said | None:
    if action["verb"] != "raise" or action["all_in"]:
        return None
    most, left = hand["raises_most"], hand["raises_left"]
    return say("ui.act.raise.sub", i=most - left + 1, k=most) if left else None


def _around(step: Mapping[str, Any], decision: str) -> list[Button]:
    common = step["around"]
    if common is None:
        return []
    order = {"type": "act_around", "verb": common["verb"], "seats": common["seats"]}
    seats = say("ui.act.all.sub", seats=" · ".join(map(str, common["seats"])))
    all_in = [say("ui.act.all.in", n=one["seat"], x=one["chips"]) for one in common["all_in"]]
    sub = joined([seats, *all_in], " · ")
    return [_sends("all", say(f"ui.act.all.{common['verb']}", x=common["to"]), order, decision=decision, sub=sub)]


def _table(bar: dict[str, list[Button]], snapshot: Snapshot) -> None:
    step = snapshot["step"]
    if not step["order"]:
        return
    seat = step["order"][0]
    decision = step.get("decision")
    keyed = {row["seat"] for row in snapshot["by_hand"]["to_key"]}
    words, sub = say("ui.act.tabled", n=seat), say("ui.act.tabled.sub")
    if seat in keyed:
        bar["main"] = [_button("main", words, sub=say("ui.act.key"), look="pri", opens=f"form:table_hand?seat={seat}")]
    else:
        tabled = _sends("main", words, {"type": "table_hand", "seat": seat}, decision=decision, sub=sub, look="pri")
        bar["main"] = [{**tabled, "hold": True}]
    if seat in step["may_muck"]:
        order = {"type": "muck_hand", "seat": seat}
        mucks = _sends("fold", say("ui.act.mucks"), order, decision=decision, sub=say("ui.act.mucks.sub"))
        bar["fold"] = [{**mucks, "hold": True}]  # like tabling, no undo takes it back (screens §3)
    if len(step["order"]) > 1 and not keyed & set(step["order"]):
        orders = [{"type": "table_hand", "seat": one} for one in step["order"]]
        listed = say("ui.act.all.tabled.sub", seats=" · ".join(map(str, step["order"])))
        bar["all"] = [{**_sends("all", say("ui.act.all.tabled"), *orders, decision=decision, sub=listed), "hold": True}]


def _award(snapshot: Snapshot) -> Button:
    step = snapshot["step"]
    pots = step["proposals"]
    chips = sum(pot["amount"] for pot in pots)
    seats = sorted({share["seat"] for pot in pots for share in pot["shares"]})
    split = say("ui.act.award.split", s=len(seats)) if len(pots) == 1 else say("ui.act.award.sub", k=len(pots), s=len(seats))
    sub = say("ui.act.award.one", n=seats[0]) if len(seats) == 1 else split
    return _sends("main", say("ui.act.award", x=chips), {"type": "award_pots"}, decision=step["decision"], sub=sub, look="pri")


def _hold(bar: dict[str, list[Button]], snapshot: Snapshot) -> None:
    code = (snapshot["hold"] or {}).get("code")
    if code == "floor_called":
        bar["main"] = [_button("main", say("ui.act.playon"), sub=say("ui.act.playon.sub"), look="pri", opens="form:play_on")]
        return
    bar["main"] = _count(snapshot)
    bar["raise"] = [_button("raise", say("ui.act.cantmove"), sub=say("ui.act.cantmove.sub"), look="line", opens="stop")]
    bar["all"] = [_floor()]


def watching(name: str) -> dict[str, list[Button]]:
    """The bar of a console that looks on: it may take over, no more (screens §6). ``name`` is empty while nobody drives."""
    bar: dict[str, list[Button]] = {place: [] for place in PLACES}
    take = _button("main", say("ui.act.takeover"), sub=say("ui.act.takeover.sub"), look="pri", opens="wheel:take")
    bar["main"] = [{**take, "hold": True, "note": plain(name) if name else say("ui.undriven")}]
    return bar


def button_commands(bar: Mapping[str, Sequence[Button]]) -> list[dict[str, Any]]:
    """Every command that the bar can send, each with the decision that it answers."""
    return [given for buttons in bar.values() for button in buttons for given in button["commands"]]
