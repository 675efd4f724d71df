"""The dealer's screen as values: texts in both languages, buttons with their commands. The page draws it and decides nothing.

Made from the dealer's snapshot alone, so it can hold no card that the snapshot does not (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.console.banner import banner, next_place
from controller.console.bar import action_bar, watching
from controller.console.forms import hand_is_open
from controller.words.said import Said, card_said, joined, place_said, plain, reading_said, say, seats_said

Snapshot = Mapping[str, Any]

STREETS: Final = (3, 4, 5, 6, 7)
SIMULATED: Final = "simulated-dealer"
"""The console by which a demo's dealer drives: its name is a text."""


def screen_of(snapshot: Snapshot, driver: Mapping[str, Any] | None = None, floor: Said | None = None) -> dict[str, Any]:
    """The whole screen. ``driver`` is the console that drives, ``None`` while nobody has taken over; ``floor`` says what was
    ordered from the floor's own screen, if nothing was ordered since."""
    name = _driver_name(driver)
    return {
        "strip": _strip(snapshot),
        "banner": banner(snapshot),
        "tiles": [_tile(snapshot, row) for row in snapshot["seats"]],
        "middle": _middle(snapshot),
        "award": _award(snapshot) if snapshot["step"]["kind"] in ("award", "table") else None,
        "bar": action_bar(snapshot),
        "note": floor or _note(snapshot),
        "watch": {"bar": watching(""), "note": say("ui.undriven")}
        if driver is None or name is None
        else {"bar": watching(driver["name"]), "note": say("ui.watching", name=name)},
    }


def _driver_name(driver: Mapping[str, Any] | None) -> Said | None:
    if driver is None:
        return None
    return say("ui.demo_dealer") if driver["console"] == SIMULATED else plain(driver["name"])


def _strip(snapshot: Snapshot) -> dict[str, Any]:
    stakes, hand = snapshot["stakes"], snapshot["hand"]
    down = {fault["device"] for fault in snapshot["faults"] if fault["device"]}
    wrong = sorted({name for name, link in snapshot["devices"].items() if link != "up"} | down)
    faults = [say(f"ui.fault.{fault['code']}") for fault in snapshot["faults"] if not fault["device"]]
    asked = [say("ui.asks", n=seat) for seat in snapshot["asked"]]
    told = [*asked, *([say("ui.devices.bad", names=", ".join(wrong))] if wrong else []), *faults]
    game = say(f"lbl.{snapshot['variant']}")
    return {
        "table": say("ui.table", name=snapshot["table"]),
        "game": say("ui.game", game=game, **{name: stakes[name] for name in ("small", "big", "ante", "bring_in")}),
        "hand": None if hand is None else say("ui.hand", n=hand["number"]),
        "devices": {"wrong": bool(told), "text": joined(told, " · ") if told else say("ui.devices.ok")},
        "by_hand": say("ui.keyed") if snapshot["by_hand"]["manually_verified"] else None,
    }


def _note(snapshot: Snapshot) -> Said | None:
    """What stands in the empty places of the action bar."""
    kind = snapshot["step"]["kind"]
    if kind == "deal" and not snapshot["by_hand"]["confirm"]:
        return say("ui.note.notap")
    if kind == "hold" and snapshot["hold"] is not None and snapshot["hold"]["moves"]:
        return say("ui.note.selfclear")
    return None


# --- tiles --------------------------------------------------------------------------------------------------------------------


def _tile(snapshot: Snapshot, row: Mapping[str, Any]) -> dict[str, Any]:
    seat, state = row["seat"], row["state"]
    tile: dict[str, Any] = {
        "seat": seat,
        "name": row.get("name", ""),
        "chips": row.get("stack"),
        "look": _look(snapshot, row),
        "label": None,
        "amount": None,
        "down": row.get("down", 0),
        "up": list(row.get("tabled") or row.get("up") or ()),
        "slot": None,
        "word": None,
    }
    tile |= _street_chips(snapshot, row)
    tile |= _due_here(snapshot, seat)
    word = _state_word(snapshot, row)
    if word is not None:
        tile["word"] = tile["word"] or say(word)
    if row.get("folding"):
        tile["word"] = tile["word"] or say("ui.folding")
    if row.get("away") and state in ("live", "all_in"):
        tile["word"] = tile["word"] or say("ui.away")
    if any(prompt["seat"] == seat for prompt in snapshot["prompts"]):
        tile["word"] = say("ui.lifted")
    tile["say"] = _spoken(tile, row)
    return tile


_WORDS: Final[Mapping[str, str]] = {"folded": "ui.folded", "empty": "ui.empty", "ghost": "ui.ghost", "all_in": "ui.allin"}


def _state_word(snapshot: Snapshot, row: Mapping[str, Any]) -> str | None:
    """What a tile says of its seat. Before a hand nobody sits out but who said so; in one, who came back meanwhile waits."""
    if row.get("sits_out") and (row["state"] == "out" or not hand_is_open(snapshot)):
        return "ui.sitout"
    if row["state"] == "out":
        return "ui.waits" if hand_is_open(snapshot) and row["antes"] else None
    return _WORDS.get(row["state"])


def _look(snapshot: Snapshot, row: Mapping[str, Any]) -> str:
    """How a tile is drawn: ``wrong``, ``belongs``, ``actor``, ``expected``, ``out`` or ``normal``."""
    seat, step, hold = row["seat"], snapshot["step"], snapshot["hold"]
    if hold is not None and step["kind"] == "hold":
        if any(_seat_of(move["from"]) == seat for move in hold["moves"]) or _seat_of(hold["place"]) == seat:
            return "wrong"
        if any(_seat_of(move["to"]) == seat for move in hold["moves"]):
            return "belongs"
    actor = step["seat"] if step["kind"] == "act" else step["order"][0] if step["kind"] == "table" and step["order"] else 0
    if seat == actor:
        return "actor"
    if _seat_of(next_place(snapshot)) == seat:
        return "expected"
    if row["state"] == "out" and not hand_is_open(snapshot):
        return "normal" if row["antes"] else "out"
    return "out" if row["state"] in ("folded", "empty", "out", "ghost") else "normal"


def _seat_of(place: str | None) -> int:
    """The seat of a place; 0 for any other."""
    return int(place.split("/")[1]) if place is not None and place.startswith("seat/") else 0


def _street_chips(snapshot: Snapshot, row: Mapping[str, Any]) -> dict[str, Any]:
    step, hand = snapshot["step"], snapshot["hand"]
    if hand is not None and row.get("won"):
        return {"label": say("ui.won"), "amount": row["won"]}
    if step["kind"] == "act" and step["seat"] == row["seat"]:
        call = next((action for action in step["actions"] if action["verb"] == "call"), None)
        return {"label": say("ui.tocall"), "amount": call["amount"]} if call else {}
    if row.get("street_chips"):
        return {"label": say("ui.bet"), "amount": row["street_chips"]}
    return {}


def _due_here(snapshot: Snapshot, seat: int) -> dict[str, Any]:
    place = next_place(snapshot)
    if snapshot["hold"] is not None and snapshot["step"]["kind"] == "hold":
        hold = snapshot["hold"]
        if any(_seat_of(move["from"]) == seat for move in hold["moves"]) or _seat_of(hold["place"]) == seat:
            return {"word": say("ui.wrong")}
        target = next((move["to"] for move in hold["moves"] if _seat_of(move["to"]) == seat), None)
        return {} if target is None else {"word": say("ui.belongs"), "slot": "down" if target.endswith("down") else "up"}
    if _seat_of(place) != seat or place is None:
        return {}
    face = "down" if place.endswith("down") else "up"
    return {"slot": face, "word": say("ui.facedown" if face == "down" else "ui.faceup")}


def _spoken(tile: Mapping[str, Any], row: Mapping[str, Any]) -> Said:
    """The tile as one sentence (screens §14)."""
    if row["state"] == "empty":
        return say("ui.say.empty", n=tile["seat"])
    parts = [say("ui.say.seat", n=tile["seat"], name=tile["name"], x=tile["chips"])]
    if tile["label"] is not None:
        parts.append(joined([tile["label"], plain(tile["amount"])], " "))
    if tile["word"] is not None:
        parts.append(tile["word"])
    if tile["look"] == "actor":
        parts.append(say("ui.say.turn"))
    if tile["down"]:
        parts.append(say("ui.say.down", k=tile["down"]))
    if tile["up"]:
        parts.append(say("ui.say.board", cards=joined([card_said(card) for card in tile["up"]], ", ")))
    return joined(parts, ", ")


# --- the middle ---------------------------------------------------------------------------------------------------------------


def _middle(snapshot: Snapshot) -> dict[str, Any]:
    hand, hold = snapshot["hand"], snapshot["hold"]
    if hand is None:
        return {"pot": None, "pots": [], "streets": [], "lines": [], "moves": [], "common": None, "cards": None}
    moves = hold["moves"] if hold is not None and snapshot["step"]["kind"] == "hold" else []
    over = hand["phase"] in ("ended", "voided")
    return {
        "pot": sum(share["chips"] for share in hand["awards"]) if over else hand["pot"],
        "pots": [] if over else _pots(hand["pots"]),
        "streets": [{"n": street, "text": say(f"ui.street.{street}"), "now": street == hand["street"]} for street in STREETS],
        "lines": _awarded(hand) if over else _facts(snapshot),
        "moves": [{"from": say("ui.from", place=place_said(move["from"])), "to": _move_to(move["to"])} for move in moves],
        "common": None if hand["community"] is None else {"text": say("ui.common"), "card": hand["community"]},
        "cards": hand["cards"] if snapshot["step"]["kind"] == "deal" else None,
    }


def _move_to(place: str) -> Said:
    return say("ui.to.stub") if place == "stub" else say("ui.to", place=place_said(place))


def _pots(pots: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if len(pots) < 2:
        return []
    names = [say("ui.mainpot"), *(say("ui.sidepot", k=number) for number in range(1, len(pots)))]
    return [
        {"text": name, "amount": pot["amount"], "seats": seats_said(pot["seats"])} for name, pot in zip(names, pots, strict=True)
    ]


def _facts(snapshot: Snapshot) -> list[list[Said]]:
    """Facts of the street, two to a line: who opened, raises left, what the stub reaches for."""
    hand, step = snapshot["hand"], snapshot["step"]
    lines: list[list[Said]] = []
    if step["kind"] == "deal" and hand["cards"] is not None:
        lines.append([say("ui.dealt"), say("ui.of", i=hand["cards"]["done"], k=hand["cards"]["total"])])
    elif step["kind"] == "act":
        opened = say("ui.brought_in", n=hand["bring_in_seat"]) if hand["street"] == 3 else say("ui.opened", n=hand["opener"])
        has_one = hand["bring_in_seat"] if hand["street"] == 3 else hand["opener"]
        if has_one:
            lines.append([opened, say("ui.betof", x=hand["match"])] if hand["match"] else [opened])
        left = hand["raises_left"]
        lines.append([say("ui.raises"), say("ui.of", i=left, k=hand["raises_most"]) if left else say("ui.capped")])
    stub = say("ui.stub", k=hand["stub"], b=hand["burns"])
    lines.append([stub] if hand["forecast"] is None else [say(f"ui.seventh.{hand['forecast']}"), stub])
    return lines


def _awarded(hand: Mapping[str, Any]) -> list[list[Said]]:
    return [
        [say(f"ui.share.{share['share']}", x=share["chips"], n=share["seat"])]
        for share in sorted(hand["awards"], key=lambda share: -share["pot"])
    ]


# --- showdown and award -------------------------------------------------------------------------------------------------------


def _award(snapshot: Snapshot) -> dict[str, Any]:
    """The tabled hands with what counts, and each pot with who gets what (screens §4.2)."""
    step = snapshot["step"]
    pots = step.get("proposals", [])
    names = {row["seat"]: row.get("name", "") for row in snapshot["seats"]}
    takes: dict[int, int] = {}
    for pot in pots:
        for share in pot["shares"]:
            takes[share["seat"]] = takes.get(share["seat"], 0) + share["chips"]
    return {
        "hands": [_tabled(hand, names, takes, snapshot["variant"]) for hand in step["hands"]],
        "pots": [_pot(pot, number, pots) for number, pot in enumerate(pots, 1)],
    }


def _tabled(hand: Mapping[str, Any], names: Mapping[int, str], takes: Mapping[int, int], variant: str) -> dict[str, Any]:
    high, low = hand["high"], hand["low"]
    split = variant == "stud8"
    lines: list[Said] = []
    if high is not None:
        read = reading_said(high["kind"], high["ranks"])
        lines.append(say("ui.highis", reading=read) if split else read)
    if low is not None:
        read = reading_said(low["kind"], low["ranks"])
        lines.append(say("ui.lowis", reading=read) if split else read)
    elif split:
        lines.append(say("ui.nolow"))
    marks = {card: _marks(card, high, low, split=split) for card in hand["cards"]}
    return {
        "seat": hand["seat"],
        "name": names.get(hand["seat"], ""),
        "cards": [{"card": card, "mark": mark} for card, mark in marks.items()],
        "lines": lines,
        "takes": takes.get(hand["seat"]),
    }


def _marks(card: str, high: Mapping[str, Any] | None, low: Mapping[str, Any] | None, *, split: bool) -> str:
    """``H``, ``L``, ``HL`` where the pot is split; a dot where there is one way; empty for a card that does not count."""
    counts = ("H" if high is not None and card in high["cards"] else "") + (
        "L" if low is not None and card in low["cards"] else ""
    )
    return counts if split or not counts else "·"


def _pot(pot: Mapping[str, Any], number: int, pots: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if len(pots) == 1 and not pot["pot"]:
        name = say("ui.pot")
    else:
        name = say("ui.mainpot") if not pot["pot"] else say("ui.sidepot", k=pot["pot"])
    lines = [say(f"ui.share.{share['share']}", x=share["chips"], n=share["seat"]) for share in pot["shares"]]
    if pot["rake"]:
        lines.append(say("ui.rake", x=pot["rake"]))
    return {
        "name": say("ui.first", k=number, name=name) if len(pots) > 1 else name,
        "amount": pot["amount"],
        "between": say("ui.between", seats=seats_said(pot["seats"])),
        "lines": lines,
    }
