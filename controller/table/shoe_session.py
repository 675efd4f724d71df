"""The table's session with its shoe: what an adoption takes over, when the gate is ordered, when all begins anew. Pure."""

from __future__ import annotations

from typing import Final

from controller.hand.commands import Refusal
from controller.hand.state import Phase
from controller.table.events import CardRead, GateOrdered, ShoeAdopted, ShoeNoted, ShoeRenewed
from controller.table.shoe_error_events import ShoeClearFailed, ShoeClearOrdered
from controller.table.state import TableState, TableStatus, draws_due
from controller.table.story import Story
from drivers.ports import FENCED, CommandDone, DrawMode, ShoeFound

LAST_ORDER: Final = 0xFF00
"""Ids of orders have four digits (TSP/1 commands): from here on the next opening of the gate begins a new epoch instead."""

KEY: Final = "K"
"""Letter of the shoe's own key among those that hold its gate closed (TSP/1 LOCK)."""


def missed_cards(state: TableState, found: ShoeFound) -> tuple[CardRead, ...]:
    """Cards that left the shoe before a restart and were never told of, as cards that it could not read: readers tell which
    they were (TSP/1 REBOOTED). None where they were not due, or where the counts say something else.
    """
    hand, shoe, held, said = state.hand, state.shoe, state.custody, found.state
    if said.boot == shoe.boot or said.load != shoe.load or hand is None or hand.over or shoe.restarted:
        return ()
    gone = said.draw_no - shoe.draw_no
    due = len(hand.due) - hand.dealt - len(held.flights) if hand.phase is Phase.DEALING else 0
    if not 0 < gone <= due or said.remaining != held.in_shoe - gone:
        return ()
    return tuple(
        CardRead(said.boot, 0, shoe.draw_no + number, held.in_shoe - number, DrawMode.COUNTED.value, "unreadable", None)
        for number in range(1, gone + 1)
    )


def adoption(state: TableState, found: ShoeFound, *, missed: int) -> ShoeAdopted:
    """Take over a shoe's start counter. In a new start its old events are gone: its counts tell whether one was lost, but for
    the ``missed`` cards that are accounted for. So they are where a ruling takes a shoe whose events and ours do not join."""
    shoe, said = state.shoe, found.state
    accepted = max(min(shoe.accepted_seq, said.last_seq), said.first_kept - 1)
    same_boot = said.boot == shoe.boot and accepted == shoe.accepted_seq
    counted = said.load == shoe.load and said.draw_no == shoe.draw_no + missed
    agree = same_boot or shoe.boot == 0 or counted or not state.shoe_counts  # then readers and the dealer compare, no counts
    return ShoeAdopted(
        found.device,
        said.serial,
        said.boot,
        accepted if said.boot == shoe.boot else 0,
        shoe.load if same_boot else said.load,
        shoe.draw_no if same_boot else said.draw_no - missed,
        said.remaining,
        agree and (not same_boot or not shoe.restarted),
    )


def take_shoe_again(story: Story) -> Refusal | None:
    """Two people looked at a shoe that stopped the deal: its session begins anew, its counts are compared, and the dealer
    confirms the picture once (TSP/1 'stop', R-ERR-08). A shoe that obeys another controller is not taken back."""
    shoe = story.state.shoe
    if not shoe.halted:
        return Refusal("R-ERR-08", "shoe_runs")
    if shoe.fault == FENCED:
        return Refusal("R-ERR-08", "shoe_is_fenced")
    renew(story)
    return None


def clear_shoe(story: Story) -> Refusal | None:
    """What troubled the shoe is mended: each error that it has latched is cleared, once (TSP/1 CLEAR, R-ERR-08). What the shoe
    says then opens the gate again, never the order alone. Ids that run out begin anew before."""
    if not story.state.shoe_errors or not story.state.shoe_tells:
        return Refusal("R-ERR-08", "shoe_has_no_error")
    if story.state.gate.order >= LAST_ORDER:
        renew(story)
    for code in story.state.shoe_errors:
        story.tell(ShoeClearOrdered(story.state.gate.order + 1, code))
    return None


def clear_answered(story: Story, done: CommandDone) -> None:
    """Tell of an error that its order did not clear: a person has to do it at the shoe. Of one that is gone the shoe tells."""
    if done.ok:
        return
    for clear in story.state.shoe_clears:
        if clear.order == done.order and not clear.failed:
            story.tell(ShoeClearFailed(clear.code, done.reason))


def renew(story: Story) -> None:
    """Begin the session with the shoe anew, under a larger epoch."""
    story.tell(ShoeRenewed(story.state.shoe.renewals + 1))


def close_left_open(story: Story, found: ShoeFound) -> None:
    """Close a gate that a controller left open which was gone for less than the shoe's three seconds of silence: nobody has
    confirmed the picture yet (recovery §2)."""
    gate = story.state.gate
    if not found.state.gate and not gate.is_open:
        story.tell(GateOrdered(gate.order + 1, is_open=False))


def note_key(story: Story, found: ShoeFound) -> None:
    """Tell of a key that was turned, or turned back, while nobody was told: behind the adoption, as of its last event."""
    shoe = story.state.shoe
    if (KEY in found.state.gate) is not (KEY in shoe.holders):
        story.tell(ShoeNoted(shoe.boot, shoe.accepted_seq, "gate", found.state.gate))


def order_gate(story: Story) -> None:
    """The gate is open only while a card is due (R-DEAL-04). Before the ids of orders run out, the session begins anew while the
    gate is closed."""
    state = story.state
    ready = state.status is TableStatus.LIVE and state.shoe.adopted and state.shoe_tells and not state.shoe.halted
    wanted = ready and draws_due(state) > 0
    if wanted == state.gate.is_open:
        return
    if wanted and state.gate.order >= LAST_ORDER:
        renew(story)
    else:
        story.tell(GateOrdered(state.gate.order + 1, wanted))
