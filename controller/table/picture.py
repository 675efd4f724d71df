"""The table's state as the picture that views are made from."""

from __future__ import annotations

from controller.hand.dealing import scrambled_count
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.hand.stakes import Stakes
from controller.hand.state import HandState, Phase, live_seats
from controller.table.faults import faults
from controller.table.floor_orders import next_players
from controller.table.muck import astray_in_muck, folding
from controller.table.state import TableState, TableStatus, decision_id, draws_due
from controller.tracking.crossed import CROSSED
from controller.tracking.custody import DECK_SIZE, Custody, wrong_places
from controller.views.picture import Picture, SeatPicture


def picture_of(state: TableState, table: str) -> Picture:
    """The picture of ``state``; ``table`` is the table's name."""
    hand = state.hand
    due = draws_due(state)
    held = state.seen
    return Picture(
        seq=state.seq,
        table=table,
        status=state.status.value,
        game="stud" if state.game is None else (hand.setup.variant if hand and not hand.over else state.game.variant).value,
        stakes=Stakes(0, 0, 0, 0) if state.game is None else state.game.stakes,
        max_seats=8 if state.game is None else state.game.rules.max_seats,
        seats=_seated(state),
        hand=hand,
        hand_number=state.hand_number,
        decision=None if hand is None or hand.over else decision_id(hand),
        plan=() if hand is None or hand.phase is not Phase.DEALING or not due else hand.due[-due:],
        in_flight=tuple(flight.due.place for flight in held.flights if flight.due is not None),
        folding=folding(state),
        around=state.around.acts,
        moves=() if hand is None or hand.over else _moves(state, hand),
        lifted=_lifted_seats(state),
        in_shoe=held.in_shoe,
        deck_ready=_deck_ready(held),
        may_resume=state.status is not TableStatus.LIVE and state.felt_ready,
        devices={device: link for (device, antenna), link in state.links.items() if not antenna},
        by_hand=state.by_hand,
        verified=not state.by_hand and not state.cards_keyed,
        past=tuple(device if not antenna else f"{device}/{antenna}" for device, antenna in state.past),
        may_undo=bool(state.keyed),
        confirm=_to_confirm(state),
        paused=state.paused,
        closed=state.closed,
        clock=None if state.clock is None else (state.clock.seat, state.clock.seconds),
        last_two=state.last_two,
        asked=state.asked,
        counts_deck=_to_count(state),
        shoe_locks=state.shoe_locks if state.shoe_tells else None,
        faults=tuple((fault.code, fault.device) for fault in faults(state)),
        alarms=tuple((one.alarm, one.code, one.raised_seq, one.by) for one in state.alarms),
    )


def _seated(state: TableState) -> tuple[SeatPicture, ...]:
    antes = {player.seat for player in next_players(state)}
    return tuple(
        SeatPicture(seat.seat, seat.name, seat.stack, seat.after_hand, seat.out, seat.seat in antes) for seat in state.seats
    )


def _deck_ready(held: Custody) -> bool:
    """A whole deck lies in the shoe, loaded as such, and nothing on the felt (R-DECK-01)."""
    whole = held.loaded == held.in_shoe == DECK_SIZE and held.awaits_load < 0
    return whole and not (held.fault or held.lying or held.strangers)


def _load_due(hand: HandState) -> bool:
    """The stub is out of the shoe, to be loaded again (R-STUB-02, R-ERR-01); for a redeal everything is gathered anyhow."""
    return hand.phase is Phase.SCRAMBLE or (hand.reload_due > 0 and hand.phase is not Phase.REDEAL)


def _moves(state: TableState, hand: HandState) -> tuple[tuple[Place, Place | None], ...]:
    """Which way each card must go that lies wrong; none while the cables are suspected, for then the cards may lie right."""
    if hand.hold is not None and hand.hold.code == CROSSED:
        return ()
    held = state.seen
    told = frozenset(astray_in_muck(state)) & (state.mucked | state.revived)
    mucked = [due for card, due in held.placed.items() if isinstance(due, SeatPlace) and held.lying.get(card) is Spot.MUCK]
    back = tuple((Spot.MUCK, due) for due in mucked if due.seat in told)
    return wrong_places(held, live_seats(hand), load_due=_load_due(hand)) + back


def _lifted_seats(state: TableState) -> frozenset[int]:
    """Seats of which an up card that was dealt to them lies on the felt no longer, as far as readers tell (R-ABS-03, Q-86)."""
    held, dark = state.seen, state.dark
    return frozenset(
        due.seat
        for card, due in held.placed.items()
        if isinstance(due, SeatPlace) and due.zone is Zone.UP and card not in held.lying and due not in dark
    )


def _to_confirm(state: TableState) -> tuple[tuple[Place, bool], ...]:
    """The cards due next that no device tells of, up to the first one that does; with a shoe only what has left it."""
    hand = state.hand
    if hand is None or hand.phase is not Phase.DEALING or hand.hold is not None or state.status is not TableStatus.LIVE:
        return ()
    flights = state.custody.flights
    found: list[tuple[Place, bool]] = []
    for number, due in enumerate(hand.due[hand.dealt :]):
        told = number < len(flights)
        if not state.dealer_tells(due.place) or (not told and state.shoe_tells):
            break
        read = told and flights[number].card is not None
        up = not due.ghost and (due.place is Spot.COMMUNITY or (isinstance(due.place, SeatPlace) and due.place.zone is Zone.UP))
        found.append((due.place, up and not read))
    return tuple(found)


def _to_count(state: TableState) -> int:
    """Cards that are counted where no shoe counts them."""
    hand, held = state.hand, state.custody
    if state.shoe_counts:
        return 0
    if hand is None or hand.over:
        return 0 if held.in_shoe == held.loaded == DECK_SIZE and not held.placed_count else DECK_SIZE
    if hand.phase is Phase.SCRAMBLE or hand.reload_due:
        return 0 if held.awaits_load < 0 else hand.reload_due or scrambled_count(hand)
    return 0
