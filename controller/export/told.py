"""A finished hand from its public events alone, as the floor keeps them: the same as from the table's journal, but for reasons
that people wrote, which are told to nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from controller.export.hands import FinishedHand, HandLog, Origin
from controller.floor.history.fold import Drawn, after, opened
from controller.floor.history.told import UntoldError, hand_event
from controller.mqtt.payloads import PublicEvent
from controller.table.by_hand_events import ManuallyVerified
from controller.table.events import Ruled


def told_hand(table: str, journal: str, events: Sequence[PublicEvent]) -> FinishedHand:
    """The hand that ``events`` tell, in order. ``UntoldError`` where they tell too little, or the hand is not over."""
    drawn: Drawn | None = None
    log: HandLog | None = None
    last = 0
    for number, event in enumerate(events, 1):
        if event.event in ("hand_ended", "hand_voided"):
            last = number
    for event in events[: last or len(events)]:
        if event.event == "hand_opened":
            drawn = opened(event)
            log = HandLog(drawn.hand, {seat.seat: seat.name for seat in drawn.seats})
        elif drawn is None or log is None:
            raise UntoldError("the beginning of the hand is not in the copy")
        else:
            try:
                drawn = _take(log, drawn, event)
            except (IndexError, KeyError, TypeError) as error:
                raise UntoldError(f"event {event.seq} ({event.event}) cannot follow what stands before it") from error
    if drawn is None or log is None or not drawn.hand.over:
        raise UntoldError("the hand is not over, or its end is not in the copy")
    first, end = events[0], events[last - 1]
    started, ended = (event.at.astimezone(UTC).isoformat(timespec="milliseconds") for event in (first, end))
    log.origin = Origin(table, journal, first.seq, end.seq, started, ended)
    return log.finished(drawn.hand)


def _take(log: HandLog, drawn: Drawn, event: PublicEvent) -> Drawn:
    """Put ``event`` into the log; the picture after it."""
    match event.event:
        case "ruled":
            people = event.ruling
            log.ruled(Ruled(event.code or "", people.role if people else "", people.by if people else "", "", ""))
        case "confirmation_undone" if drawn.keyed:
            log.confirmation_undone(drawn.keyed[-1])
        case "manually_verified":
            log.marked(ManuallyVerified(tuple(event.without or ()), "keyed" in (event.flags or ())))
        case _ if event.event not in ("card_confirmed", "hand_keyed"):
            known = hand_event(drawn.hand, event)
            if known is not None:
                log.take(drawn.hand, known)
        case _:
            pass
    return after(drawn, event)
