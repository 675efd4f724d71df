"""The dealer's snapshot: what she sees and the one next step, with the legal actions and their amounts (screens §3, §4)."""

from __future__ import annotations

from typing import Any

from controller.hand.betting import legal_actions
from controller.hand.showdown import may_muck
from controller.hand.state import HandState, Hold, Phase, public_cards
from controller.hand.steps import ActionDue, AnteDue, AwardDue, CardDue, Held, LoadDue, Over, TableDue, next_step
from controller.views.decision import (
    around_line,
    forecast,
    proposals,
    still_to_act,
    street_cards,
    tabled_hands,
    undo_line,
)
from controller.views.picture import Picture
from controller.views.public import award_lines, pot_list, seat_rows


def dealer_view(picture: Picture) -> dict[str, Any]:
    """The snapshot as plain values. It carries no down card: a dealer's screen can be read from the seats (R-RULE-06)."""
    hand = picture.hand
    return {
        "seq": picture.seq,
        "table": picture.table,
        "status": picture.status,
        "variant": picture.game,
        "stakes": picture.stakes._asdict(),
        "seats": [_with_total(row, picture) for row in seat_rows(picture)],
        "hand": None if hand is None else _hand(picture, hand),
        "hold": None if hand is None or hand.hold is None else _hold(picture, hand.hold),
        "prompts": [] if hand is None else _prompts(picture, hand),
        "step": _step(picture),
        "devices": dict(picture.devices),
        "faults": [{"code": code, "device": device} for code, device in picture.faults],
        "alarms": [
            {"alarm": alarm, "code": code, "raised_seq": seq, "acknowledged_by": by or None}
            for alarm, code, seq, by in picture.alarms
        ],
        "shoe": None if picture.shoe_locks is None else {"locks": picture.shoe_locks},
        "by_hand": _by_hand(picture, hand),
        "decision": picture.decision,
        "undo": None if hand is None or picture.status != "live" else undo_line(hand, picture.around),
        "paused": picture.paused or None,
        "closing": picture.closed,
        "clock": None if picture.clock is None else {"seat": picture.clock[0], "seconds": picture.clock[1]},
        "last_two": picture.last_two,
        "asked": list(picture.asked),
    }


def _by_hand(picture: Picture, hand: HandState | None) -> dict[str, Any]:
    """What people do in the place of devices (REG-47). ``seen`` are the cards that everybody has seen, grey on the grid; no other
    card is in it, so that the grid tells nothing of what lies down. ``to_key``: which of its down cards, in the
    order dealt, a seat must be keyed when it tables."""
    playing = hand is not None and not hand.over
    live = [entry for entry in hand.seats if entry.live] if hand is not None and playing else []
    unread = {entry.seat: [number for number, card in enumerate(entry.down, 1) if card is None] for entry in live}
    return {
        "without": list(picture.by_hand),
        "set_aside": list(picture.past),
        "manually_verified": not picture.verified,
        "confirm": [{"place": str(place), "key": key} for place, key in picture.confirm],
        "seen": sorted(card.text for card in public_cards(hand)) if hand is not None and playing else [],
        "to_key": [{"seat": seat, "numbers": numbers} for seat, numbers in unread.items() if numbers],
        "count_deck": picture.counts_deck,
        "may_undo": picture.may_undo,
    }


def _hold(picture: Picture, hold: Hold) -> dict[str, Any]:
    """Why play stopped, where, and which cards must go where for it to go on (``stub``: on its top); never which card."""
    moves = [{"from": str(here), "to": "stub" if there is None else str(there)} for here, there in picture.moves]
    return {"code": hold.code, "place": _text(hold.place), "moves": moves}


def _prompts(picture: Picture, hand: HandState) -> list[dict[str, Any]]:
    """What the dealer is asked beside the next step: a hand whose up cards were lifted while it faces a bet is dead only by a
    ruling, never by itself (R-ABS-03, Q-86). At the showdown, or with no bet to call, nothing is asked."""
    if picture.status != "live" or hand.phase is not Phase.BETTING or hand.hold is not None:
        return []
    facing = [(entry.seat, hand.round.match - entry.street_chips) for entry in hand.seats if entry.active]
    return [
        {"code": "upcards_lifted", "rule": "R-ABS-03", "seat": seat, "owes": owes}
        for seat, owes in facing
        if owes > 0 and seat in picture.lifted and seat not in picture.folding
    ]


def _text(place: object) -> str | None:
    return None if place is None else str(place)


def _with_total(row: dict[str, Any], picture: Picture) -> dict[str, Any]:
    """A row with what the dealer alone is told: who sits out, and who antes in the next hand."""
    hand = picture.hand
    seated = next((seat for seat in picture.seats if seat.seat == row["seat"]), None)
    if seated is not None:
        row = {**row, "sits_out": seated.sits_out, "antes": seated.antes}
    index = -1 if hand is None else hand.index_of(row["seat"])
    if hand is None or index < 0:
        return row
    entry = hand.seats[index]
    return {**row, "total_chips": entry.total, "away": entry.away, "folding": row["seat"] in picture.folding}


def _hand(picture: Picture, hand: HandState) -> dict[str, Any]:
    pots = pot_list(hand)
    return {
        "number": picture.hand_number,
        "phase": hand.phase.value,
        "street": hand.street,
        "pot": sum(pot["amount"] for pot in pots),
        "pots": pots,
        "community": None if hand.community is None else hand.community.text,
        "burns": hand.burns,
        "stub": picture.in_shoe,
        "rules": hand.setup.rules_hash or None,
        "opener": hand.opener or None,
        "bring_in_seat": hand.bring_in_seat or None,
        "raises_left": max(0, hand.setup.rules.max_raises - (hand.round.raises if hand.phase is Phase.BETTING else 0)),
        "raises_most": hand.setup.rules.max_raises,
        "to_act": still_to_act(hand),
        "match": hand.round.match if hand.phase is Phase.BETTING else 0,
        "cards": street_cards(hand),
        "forecast": forecast(hand),
        "awards": award_lines(hand),
    }


def _step(picture: Picture) -> dict[str, Any]:
    """The one next step, or whom the table waits for."""
    hand = picture.hand
    if picture.status != "live":
        return {"kind": "resume"} if picture.may_resume else {"kind": "wait"}
    if hand is None or hand.over:
        return {"kind": "start_hand" if picture.deck_ready else "load_deck"}
    if hand.hold is not None and not hand.reload_due:
        return {"kind": "hold"}
    return _hand_step(picture, hand)


def _hand_step(picture: Picture, hand: HandState) -> dict[str, Any]:
    match next_step(hand):
        case CardDue():
            plan = [str(due.place) for due in picture.plan]
            last = str(hand.due[hand.dealt - 1].place) if hand.dealt else None
            return {"kind": "deal", "plan": plan, "in_flight": [str(place) for place in picture.in_flight], "last": last}
        case LoadDue(cards=cards) if hand.phase is Phase.REDEAL:
            return {"kind": "load_deck", "cards": cards}
        case LoadDue(cards=cards):
            return {"kind": "scramble", "burns": hand.burns if hand.phase is Phase.SCRAMBLE else 0, "cards": cards}
        case ActionDue():
            return _act_step(picture, hand)
        case TableDue(seats=seats):
            muck = [seat for seat in seats if may_muck(hand, seat)]
            shown = tabled_hands(hand)
            return {"kind": "table", "decision": picture.decision, "order": list(seats), "may_muck": muck, "hands": shown}
        case AwardDue():
            paid = proposals(hand)
            return {"kind": "award", "decision": picture.decision, "proposals": paid, "hands": tabled_hands(hand)}
        case Held():
            return {"kind": "hold"}
        case AnteDue() | Over():
            return {"kind": "wait"}


def _act_step(picture: Picture, hand: HandState) -> dict[str, Any]:
    actions = [
        {"verb": action.verb.value, "to": action.to, "amount": action.chips, "all_in": action.all_in, "rule": action.rule}
        for action in legal_actions(hand)
    ]
    step = {"kind": "act", "seat": hand.round.actor, "decision": picture.decision, "actions": actions}
    return {**step, "post_due": hand.round.post_due, "around": around_line(hand, picture.folding)}
