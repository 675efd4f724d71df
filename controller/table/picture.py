"""The table's state as the picture that views are made from."""

from __future__ import annotations

from controller.hand.stakes import Stakes
from controller.hand.state import HandState, Phase, live_seats
from controller.table.state import TableState, TableStatus, decision_id, draws_due
from controller.tracking.custody import DECK_SIZE, lifted_seats, wrong_places
from controller.views.picture import Picture, SeatPicture


def picture_of(state: TableState, table: str) -> Picture:
    """The picture of ``state``; ``table`` is the table's name."""
    hand = state.hand
    due = draws_due(state)
    held = state.custody
    return Picture(
        seq=state.seq,
        table=table,
        status=state.status.value,
        game="stud" if state.game is None else (hand.setup.variant if hand and not hand.over else state.game.variant).value,
        stakes=Stakes(0, 0, 0, 0) if state.game is None else state.game.stakes,
        max_seats=8 if state.game is None else state.game.rules.max_seats,
        seats=tuple(SeatPicture(seat.seat, seat.name, seat.stack, seat.after_hand) for seat in state.seats),
        hand=hand,
        hand_number=state.hand_number,
        decision=None if hand is None or hand.over else decision_id(hand),
        plan=() if hand is None or hand.phase is not Phase.DEALING or not due else hand.due[-due:],
        in_flight=tuple(flight.due.place for flight in held.flights if flight.due is not None),
        moves=() if hand is None or hand.over else wrong_places(held, live_seats(hand), load_due=_load_due(hand)),
        lifted=lifted_seats(held),
        in_shoe=held.in_shoe,
        deck_ready=held.loaded == held.in_shoe == DECK_SIZE and not held.fault and not held.lying and not held.strangers,
        may_resume=state.status is not TableStatus.LIVE and state.felt_ready,
        devices={device: link for (device, antenna), link in state.links.items() if not antenna},
    )


def _load_due(hand: HandState) -> bool:
    """The stub is out of the shoe, to be loaded again (R-STUB-02, R-ERR-01); for a redeal everything is gathered anyhow."""
    return hand.phase is Phase.SCRAMBLE or (hand.reload_due > 0 and hand.phase is not Phase.REDEAL)
