"""The banner: the one next step in the words that a dealer would use, its reason below, and one number (screens §1, §4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controller.console.bar import WAGERS
from controller.words.said import Said, say

Snapshot = Mapping[str, Any]
Banner = dict[str, Any]

CRIPPLED: Final = frozenset(
    (
        "card_not_seen",
        "two_places",
        "device_down",
        "floor_called",
        "reload_stub",
        "shoe_degraded",
        "shoe_error",
        "shoe_not_cleared",
        "shoe_locked",
        "disk_late",
    )
)
"""Stops of the second priority: play is crippled, nothing is wrong with the cards (screens §6, §9)."""


def banner(snapshot: Snapshot) -> Banner:
    """``level`` 0, or the alarm's priority; ``title``, ``reason``, a ``number`` with its ``unit``; who has ``seen`` the alarm, or
    the button to ``see`` it."""
    hand = snapshot["hand"]
    if snapshot["hold"] is not None and snapshot["status"] == "live" and snapshot["step"]["kind"] != "scramble":
        hold = snapshot["hold"]
        level = 2 if hold["code"] in CRIPPLED else 1
        reason = {"en": hold["reason_en"], "fr": hold["reason_fr"]}
        unit = say("ui.stopped" if level == 1 else "ui.paused.word")
        return {**_made(say(f"ui.stop.{hold['code']}"), reason, level=level, unit=unit), **_seen(snapshot)}
    made = _step(snapshot)
    clock = snapshot["clock"]
    if clock is not None and hand is not None:
        made["number"], made["unit"] = str(clock["seconds"]), say("ui.seconds")
        made["clock"] = clock
    return made


def _made(title: Said, reason: Said | None, *, level: int = 0, number: str = "", unit: Said | None = None) -> Banner:
    return {
        "level": level,
        "title": title,
        "reason": reason,
        "number": number,
        "unit": unit,
        "clock": None,
        "seen": None,
        "see": None,
    }


def _seen(snapshot: Snapshot) -> Banner:
    """Who has ``seen`` the alarm of the stop; or the button ``see`` by which somebody says that he has, which ends nothing."""
    one = next((one for one in snapshot["alarms"] if one["alarm"] == "hold"), None)
    if one is None:
        return {}
    if one["acknowledged_by"] is not None:
        return {"seen": say("ui.seen", name=one["acknowledged_by"])}
    command = {"type": "acknowledge_alarm", "alarm": one["alarm"], "raised_seq": one["raised_seq"]}
    return {"see": {"text": say("ui.act.see"), "commands": [{"command": command, "decision": None}]}}


def _why(snapshot: Snapshot) -> Said | None:
    reason = snapshot["why"]
    return None if reason is None else {"en": reason["text_en"], "fr": reason["text_fr"]}


def _step(snapshot: Snapshot) -> Banner:
    step = snapshot["step"]
    match step["kind"]:
        case "resume":
            full = any(fault["code"] == "disk_full" for fault in snapshot["faults"])
            title, why = ("ui.banner.full", "ui.banner.full.sub") if full else ("ui.banner.resume", "ui.banner.resume.sub")
            return _made(say(title), say(why), level=2, unit=say("ui.paused.word"))
        case "load_deck" | "start_hand":
            return _between(snapshot)
        case "deal":
            return _deal(snapshot)
        case "scramble":
            key = "ui.banner.scramble" if step["burns"] else "ui.banner.scramble.stub"
            return _made(say(key, k=step["burns"], n=step["cards"]), _why(snapshot))
        case "act":
            act = _made(_act(snapshot), _asked(snapshot))
            return {**act, "number": str(snapshot["hand"]["to_act"]), "unit": say("ui.toact")}
        case "table":
            return _show(snapshot)
        case "award":
            return _award(snapshot)
        case _:
            waiting = snapshot["status"] != "live"
            return _made(say("ui.banner.starting" if waiting else "ui.banner.wait"), _why(snapshot))


def _between(snapshot: Snapshot) -> Banner:
    step, why = snapshot["step"], _why(snapshot)
    if snapshot["status"] == "closed":
        return _made(say("ui.banner.closed"), None)
    if snapshot["paused"] is not None:
        return _made(say("ui.banner.paused", reason=snapshot["paused"]), None)
    if snapshot["closing"]:
        return _made(say("ui.banner.closed"), None)
    if snapshot["by_hand"]["count_deck"]:
        return _made(say("ui.banner.count", k=snapshot["by_hand"]["count_deck"]), why)
    if step["kind"] == "load_deck":
        cards = step.get("cards")
        return _made(say("ui.banner.load") if cards is None else say("ui.banner.load.redeal", k=cards), why)
    antes = sum(1 for seat in snapshot["seats"] if seat.get("antes"))
    return _made(say("ui.banner.start", k=antes), why)


def next_place(snapshot: Snapshot) -> str | None:
    """Where the next card is due that does not lie there yet, a burn before it left out; ``None`` when none is."""
    step = snapshot["step"]
    if step["kind"] != "deal":
        return None
    due = [*step["in_flight"], *step["plan"]]
    return next((place for place in due if place != "burn"), due[0] if due else None)


def _deal(snapshot: Snapshot) -> Banner:
    step, hand = snapshot["step"], snapshot["hand"]
    due = [*step["in_flight"], *step["plan"]]
    cards = hand["cards"]
    count = (
        {}
        if cards is None
        else {"number": f"{min(cards['done'] + 1, cards['total'])} / {cards['total']}", "unit": say("ui.card")}
    )
    place = next_place(snapshot)
    if place is None or not due:
        return _made(say("ui.banner.wait"), _why(snapshot))
    title = _card_title(place, burn=due[0] == "burn")
    reason = _card_reason(snapshot, place)
    if snapshot["by_hand"]["confirm"]:
        reason = say("ui.banner.confirm")
    return {**_made(title, reason), **count}


def _card_title(place: str, *, burn: bool) -> Said:
    if place == "burn":
        return say("ui.banner.burn")
    if place == "community":
        return say("ui.banner.burn.common" if burn else "ui.banner.common")
    if place == "muck":
        return say("ui.banner.deal.muck")
    _, seat, face = (*place.split("/"), "down")[:3]
    return say(f"ui.banner.{'burn' if burn else 'deal'}.{face}", n=int(seat))


def _card_reason(snapshot: Snapshot, place: str) -> Said | None:
    if not place.startswith("seat/"):
        return _why(snapshot)
    _, seat, face = (*place.split("/"), "down")[:3]
    name = next((row.get("name", "") for row in snapshot["seats"] if row["seat"] == int(seat)), "")
    street = snapshot["hand"]["street"]
    if street == 7:
        return say("ui.seventh", name=name)
    if face == "down":
        return say("ui.downcard", name=name)
    return say("ui.door" if street == 3 else "ui.upcard", name=name)


def _asked(snapshot: Snapshot) -> Said | None:
    """What the dealer is asked beside the step goes before its reason (Q-86)."""
    prompts = snapshot["prompts"]
    return {"en": prompts[0]["text_en"], "fr": prompts[0]["text_fr"]} if prompts else _why(snapshot)


def _act(snapshot: Snapshot) -> Said:
    step, hand = snapshot["step"], snapshot["hand"]
    n = step["seat"]
    by_verb = {action["verb"]: action for action in step["actions"]}
    wagers = [action for action in step["actions"] if action["verb"] in WAGERS]
    if step["post_due"]:
        return _bring_in(n, by_verb, wagers)
    if "check" in by_verb:
        if not wagers:
            return say("ui.banner.check.only", n=n)
        if len(wagers) > 1:
            return say("ui.banner.check.two", n=n, x=wagers[0]["to"], y=wagers[1]["to"])
        return say("ui.banner.check", n=n, x=wagers[0]["to"])
    call = by_verb["call"]
    if call["all_in"]:
        return say("ui.banner.call.allin", n=n, x=call["amount"])
    if not wagers:
        key = "ui.banner.call.capped" if not hand["raises_left"] else "ui.banner.call.only"
        return say(key, n=n, x=call["amount"])
    if wagers[0]["verb"] == "complete":
        return say("ui.banner.complete", n=n, x=call["amount"], y=wagers[0]["to"])
    if wagers[0]["all_in"]:
        return say("ui.banner.call.short", n=n, x=call["amount"], y=wagers[0]["to"])
    return say("ui.banner.call", n=n, x=call["amount"])


def _bring_in(n: int, by_verb: Mapping[str, Any], wagers: list[Mapping[str, Any]]) -> Said:
    post = by_verb.get("bring_in")
    if post is None:
        return say("ui.banner.bringin.only", n=n, x=wagers[0]["to"] if wagers else 0)
    if post["all_in"]:
        return say("ui.banner.bringin.allin", n=n, x=post["amount"])
    if not wagers:
        return say("ui.banner.bringin.only", n=n, x=post["amount"])
    key = "ui.banner.bringin.fold" if "fold" in by_verb else "ui.banner.bringin"
    return say(key, n=n, x=post["amount"], y=wagers[0]["to"])


def _show(snapshot: Snapshot) -> Banner:
    step = snapshot["step"]
    if not step["order"]:
        return _made(say("ui.banner.wait"), _why(snapshot))
    seat = step["order"][0]
    key = "ui.banner.show.first" if not step["hands"] else "ui.banner.show.must"
    if step["hands"] and seat in step["may_muck"]:
        key = "ui.banner.show"
    return _made(say(key, n=seat), _why(snapshot))


def _award(snapshot: Snapshot) -> Banner:
    pots = snapshot["step"]["proposals"]
    chips = sum(pot["amount"] for pot in pots)
    seats = {share["seat"] for pot in pots for share in pot["shares"]}
    if len(seats) == 1:
        title = say("ui.banner.push", x=chips, n=next(iter(seats)))
    elif len(pots) == 1:
        title = say("ui.banner.push.split", x=chips)
    else:
        title = say("ui.banner.push.pots") if len(pots) == 2 else say("ui.banner.push.many", k=len(pots))
    return {
        **_made(title, _why(snapshot)),
        "number": str(chips),
        "unit": say("ui.inpots", k=len(pots)) if len(pots) > 1 else say("ui.inpot"),
    }
