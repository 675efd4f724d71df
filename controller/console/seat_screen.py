"""A seat's display as values: texts in both languages, amounts, open cards. The page draws it and decides nothing (screens §5).

Made from the view on the seat's topic alone, so it can hold no card that the topic does not (R-RULE-06).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controller.mqtt.compact import CompactView, Shows, compact_of
from controller.mqtt.payloads import Option, PublicSeat, SeatState, SeatView, Words
from controller.words.said import Said, both, card_said, joined, plain, say, seats_said

_LOUD: Final = frozenset((Shows.TURN, Shows.BRING_IN))
_STOPPED: Final = frozenset((Shows.STOPPED, Shows.HANDS_OFF))


def seat_screen(view: SeatView) -> dict[str, Any]:
    """The whole picture."""
    compact = compact_of(view)
    own = next((seat for seat in view.seats if seat.seat == view.seat), None)
    return {
        "state": compact.state.value,
        "tone": "loud" if compact.state in _LOUD else "stop" if compact.state in _STOPPED else "calm",
        "seat": view.seat,
        "seats": len(view.seats),
        "name": "" if own is None else own.name,
        "game": _game(view),
        "hand": compact.hand,
        "street": compact.street,
        "street_text": None if view.street is None else say(f"lbl.street.{view.street}"),
        "title": _title(view, compact),
        "lines": _lines(view, compact, own),
        "options": [_option(option, compact.stack) for option in view.options] if compact.options else [],
        "note": say("seat.say") if compact.options else None,
        "boards": [_board(view, seat) for seat in view.seats if _has_board(seat, view)],
        "common": view.community,
        "call": compact.call,
        "stack": compact.stack,
        "win": compact.win,
        "pots": _pots(view),
        "clock": None if view.clock is None else {"seat": view.clock.seat, "seconds": view.clock.seconds, "hand": compact.hand},
        "called": view.floor_asked,
        "playing": view.hand is not None and view.phase not in ("ended", "voided"),
        "fingerprint": view.rules,
        "rules": None if view.rules is None else say("seat.rules", hash=view.rules),
        "verified": say("lbl.manually_verified") if view.manually_verified else None,
    }


def _game(view: SeatView) -> Said:
    stakes = say("lbl.stakes", ante=view.stakes.ante, bring_in=view.stakes.bring_in)
    game = joined([say(f"lbl.{view.variant}"), plain(f"{view.stakes.small}/{view.stakes.big}")], " ")
    return joined([game, stakes], " · ")


def _words(words: Words) -> Said:
    return both(words.en, words.fr)


_TITLES: Final[Mapping[Shows, str]] = {
    Shows.CLOSED: "seat.closed",
    Shows.EMPTY: "lbl.empty",
    Shows.HANDS_OFF: "seat.donttouch",
    Shows.STOPPED: "seat.stop",
    Shows.TURN: "seat.turn",
    Shows.ALL_IN: "lbl.allin",
    Shows.FOLDED: "lbl.folded",
    Shows.SHOWDOWN: "seat.showdown",
}


def _title(view: SeatView, compact: CompactView) -> Said:
    match compact.state:
        case Shows.BRING_IN:
            return say("seat.bringin", x=next(option.to for option in view.options if option.verb == "bring_in"))
        case Shows.WAIT:
            return say("seat.wait", n=view.actor) if view.actor is not None else say("seat.dealing")
        case Shows.OUT:
            return say("lbl.between_hands" if view.hand is None else "lbl.sitout")
        case Shows.OVER:
            mine = sum(line.chips for line in view.awards if line.seat == view.seat)
            return say("seat.youwin", x=mine) if mine else say("seat.over")
        case Shows.VOID:
            return say("seat.void", x=view.returned) if view.returned else say("seat.void.other")
        case _:
            return say(_TITLES[compact.state])


def _lines(view: SeatView, compact: CompactView, own: PublicSeat | None) -> list[Said]:
    """What stands beside the title, two or three short lines."""
    match compact.state:
        case Shows.STOPPED | Shows.HANDS_OFF if view.hold is not None:
            return [_words(view.hold.text)]
        case Shows.OVER | Shows.SHOWDOWN:
            return [say(f"award.{line.share.value}", n=line.seat, x=line.chips) for line in view.awards[:4]]
        case Shows.TURN | Shows.BRING_IN:
            return _who_bet(view)
        case Shows.CLOSED:
            return [say(f"status.{view.status.value}")]
        case Shows.EMPTY | Shows.VOID:
            return []
        case _:
            lines = [] if view.actor is None else [_price(view)]
            if compact.state is not Shows.WAIT and view.actor is not None:
                lines.insert(0, say("seat.wait", n=view.actor))
            if own is not None and view.put_in:
                lines.append(say("seat.putin", x=view.put_in))
            return lines


def _who_bet(view: SeatView) -> list[Said]:
    """The highest wager of the street before this seat, and who opened; while nobody has bet, who is first to act."""
    others = [seat for seat in view.seats if seat.seat != view.seat and seat.street_chips]
    highest = max(others, key=lambda seat: seat.street_chips, default=None)
    lines = [] if highest is None else [say("seat.bets", n=highest.seat, x=highest.street_chips)]
    if view.street == 3 and view.bring_in_seat is not None:
        lines.append(say("lbl.bringin", n=view.bring_in_seat))
    elif view.opener is not None:
        lines.append(say("lbl.first" if highest is None else "lbl.opened", n=view.opener))
    return lines


def _price(view: SeatView) -> Said:
    return say("seat.price", x=view.price) if view.price else say("seat.maycheck")


def _option(option: Option, stack: int) -> dict[str, Any]:
    if not option.all_in:
        shown = option.amount if option.verb == "call" else option.to
        text = say(f"verb.{option.verb}", x=shown)
    elif option.verb in ("complete", "raise"):
        shown = option.to
        text = say("verb.allin.to", x=shown)
    else:
        shown = option.amount
        text = say("verb.allin", x=shown)
    leaves = say("seat.giveup") if option.verb == "fold" else say("seat.leaves", x=stack - option.amount)
    numbered = option.verb not in ("fold", "check")
    return {
        "verb": option.verb,
        "to": option.to,
        "amount": option.amount,
        "shown": shown if numbered else None,
        "text": text,
        "sub": leaves,
    }


def _has_board(seat: PublicSeat, view: SeatView) -> bool:
    """Whether a seat has something to be seen: it is in the hand, or something of it lies there."""
    playing = view.hand is not None and seat.state in (SeatState.LIVE, SeatState.ALL_IN)
    return playing or bool(seat.street_chips or seat.won or seat.up or seat.tabled)


def _board(view: SeatView, seat: PublicSeat) -> dict[str, Any]:
    cards = seat.up if seat.tabled is None else seat.tabled
    words = {SeatState.ALL_IN: "lbl.allin", SeatState.FOLDED: "lbl.folded"}
    word = say(words[seat.state]) if seat.state in words else None
    you = say("lbl.you") if seat.seat == view.seat else None
    parts = [say("ui.say.seat", n=seat.seat, name=seat.name, x=seat.stack), *(part for part in (you, word) if part is not None)]
    if cards:
        parts.append(say("ui.say.board", cards=joined([card_said(card) for card in cards], ", ")))
    return {
        "seat": seat.seat,
        "name": seat.name,
        "you": seat.seat == view.seat,
        "acts": seat.seat == view.actor,
        "out": seat.state is SeatState.FOLDED,
        "bet": seat.street_chips,
        "won": seat.won,
        "word": word or you,
        "cards": list(cards),
        "say": joined(parts, ", "),
    }


def _pots(view: SeatView) -> list[dict[str, Any]]:
    names = [say("lbl.side", k=number) if number else say("lbl.main") for number in range(len(view.pots))]
    return [
        {
            "name": say("lbl.pot") if len(view.pots) == 1 else name,
            "amount": pot.amount,
            "mine": number in view.my_pots,
            "seats": seats_said(pot.seats),
            "word": None if number in view.my_pots else say("seat.notyours"),
        }
        for number, (name, pot) in enumerate(zip(names, view.pots, strict=True))
    ]
