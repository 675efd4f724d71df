"""Work without a device: what people confirm in its place, by whose leave, and how the hand is marked for it (REG-47).

A down card is confirmed as laid and never named: its face becomes known when its seat tables. Two people let play go on without
a device; from then on the dealer confirms alone, and every confirmation stands in the journal.
"""

from __future__ import annotations

from typing import Final

from controller.hand.cards import Card
from controller.hand.commands import ExposeHole, Refusal, Role, TableHand
from controller.hand.dealing import scrambled_count
from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.hand.state import HandState, Phase, public_cards
from controller.table.by_hand_events import (
    CardConfirmed,
    ConfirmationUndone,
    DeckCounted,
    DeviceBack,
    DeviceSetAside,
    HandKeyed,
    ManuallyVerified,
)
from controller.table.events import DealKeyDropped, DealKeyMade
from controller.table.inputs import ConfirmCards, CountDeck, KeyCard, StepPast
from controller.table.match import due_now, match_felt
from controller.table.state import DEALT_TO, TableState
from controller.table.story import Story
from controller.tracking.confirmed import FACE_IN_DOUBT
from controller.tracking.custody import DECK_SIZE
from drivers.ports import LinkState

_UP: Final = LinkState.UP.value
MENDED_BY_FACE: Final = frozenset(("cards_differ", "unreadable_card", "unexplained_card", "card_not_seen"))
"""Holds that two people end who look at the face of the card in flight."""
_NO_CARD: Final = frozenset(("foreign", "joker"))
"""Draws that no face makes cards of this deck: they go back, or out of play, or the hand is void (R-MIS-06, R-MIS-08)."""


def step_past(story: Story, order: StepPast) -> Refusal | None:
    """Set a device aside that does not answer."""
    state = story.state
    gear = state.equipment
    known = [] if gear is None else [(gear.shoe, 0), *((line, at) for _, line, address in gear.antennas for at in (0, address))]
    if not order.device or (order.device, order.antenna) not in known:
        return Refusal("R-ERR-08", "no_such_device", (("device", order.device), ("antenna", order.antenna)))
    if (order.device, order.antenna) in state.past or (order.device, 0) in state.past:
        return Refusal("R-ERR-08", "device_is_past", (("device", order.device), ("antenna", order.antenna)))
    line_up = state.links.get((order.device, 0)) == _UP
    if line_up and (not order.antenna or state.links.get((order.device, order.antenna), _UP) == _UP):
        return Refusal("R-ERR-08", "device_answers", (("device", order.device), ("antenna", order.antenna)))
    story.tell(DeviceSetAside(order.device, order.antenna))
    return None


def devices_back(story: Story, *, loaded: bool = False) -> None:
    """With a whole deck and no hand open, readers that answer tell again; the shoe does when the deck was loaded through it."""
    state = story.state
    held = state.custody
    if not state.past or state.hand_open or held.placed_count or held.flights or held.in_shoe != DECK_SIZE:
        return
    shoe = "" if state.equipment is None else state.equipment.shoe
    for device, antenna in state.past:
        answers = state.links.get((device, 0)) == _UP and state.links.get((device, antenna), _UP) == _UP
        if answers and (device != shoe or loaded):
            story.tell(DeviceBack(device, antenna))


def count_deck(story: Story, order: CountDeck) -> Refusal | None:
    """Where no shoe counts the dealer does: 52 between hands and for a redeal, else the stub (R-DECK-01)."""
    state, hand = story.state, story.state.hand
    if state.shoe_counts:
        return Refusal("R-DECK-01", "shoe_counts")
    redeal = hand is not None and hand.phase is Phase.REDEAL
    if hand is not None and not hand.over and not redeal and hand.phase is not Phase.SCRAMBLE and not hand.reload_due:
        return Refusal("R-DECK-01", "no_deck_due")
    wanted = DECK_SIZE if hand is None or hand.over else hand.reload_due or scrambled_count(hand)
    if order.cards != wanted:
        return Refusal("R-DECK-01", "wrong_count", (("given", order.cards), ("cards", wanted)))
    story.tell(DeckCounted(order.cards))
    if hand is None or hand.over or redeal:
        story.tell(*(DealKeyDropped(deal) for deal in state.deals_kept), DealKeyMade(state.deal + 1, "", ()))
        devices_back(story, loaded=state.equipment is not None and not state.equipment.counts)
    return None


def confirm_cards(story: Story, order: ConfirmCards) -> Refusal | None:
    """The next cards lie where they are due, all or none."""
    for laid in order.cards:
        refusal = _confirm(story, laid.place, laid.card, Role.DEALER)
        if refusal is not None:
            return refusal
        match_felt(story)
    return None


def key_card(story: Story, order: KeyCard) -> Refusal | None:
    """Two people tell the card due next against a working device (R-ERR-08, screens §7)."""
    hand = story.state.hand
    if hand is not None and hand.hold is not None and hand.hold.code not in MENDED_BY_FACE:
        return Refusal("R-RULE-01", "held")
    return _confirm(story, order.place, order.card, Role.FLOOR)


def _confirm(story: Story, place: Place, card: Card | None, role: Role) -> Refusal | None:
    state, hand = story.state, story.state.hand
    due = None if hand is None else due_now(hand)
    if hand is None or due is None or due.place != place:
        return Refusal("R-DEAL-04", "not_the_next_card", (("place", str(place)),))
    if role is Role.DEALER and (refusal := _not_hers(state, hand, place)) is not None:
        return refusal
    head = state.custody.flights[0] if state.custody.flights else None
    if head is None and state.shoe_tells:
        return Refusal("R-DEAL-04", "not_drawn_yet", (("place", str(place)),))
    if head is not None and head.kind in _NO_CARD:
        return Refusal("R-DECK-04", "not_of_this_deck", (("place", str(place)),))
    told = None if head is None else head.card
    faced = not due.ghost and (place is Spot.COMMUNITY or (isinstance(place, SeatPlace) and place.zone is Zone.UP))
    if card is not None and not faced:
        return Refusal("R-RULE-06", "card_stays_down", (("place", str(place)),))
    if faced and card is None and told is None:
        return Refusal("R-ERR-08", "card_to_key", (("place", str(place)),))
    if role is Role.DEALER and card is not None and told is not None and card != told:
        return Refusal("R-ERR-08", "shoe_read_another", (("place", str(place)),))
    if card is not None and card in public_cards(hand):
        return Refusal("R-MIS-08", "card_is_seen")
    basis = "hand" if role is Role.DEALER else "floor"
    story.tell(CardConfirmed(state.custody.draw_no + 1 if head is None else head.draw_no, place, basis, card))
    return None


def _not_hers(state: TableState, hand: HandState, place: Place) -> Refusal | None:
    """The dealer confirms alone only what no working device can tell, and not while play is stopped."""
    if hand.hold is not None:
        return Refusal("R-RULE-01", "held")
    return None if state.dealer_tells(place) else Refusal("R-ERR-08", "reader_tells_it", (("place", str(place)),))


MAX_FACES_BACK: Final = 3
"""Faces of a hand that the dealer takes back alone: whoever keys faces to learn which are out learns little (decision 0018)."""


def undo_confirmation(story: Story, *, two_people: bool = False) -> Refusal | None:
    """Take back what was confirmed last, until a card is drawn or dealt otherwise, or somebody acts (R-RULE-02).

    A face that cannot be, or yet another one after ``MAX_FACES_BACK``, is taken back by two people (R-RULE-06).
    """
    state = story.state
    if not state.keyed:
        return Refusal("R-RULE-02", "nothing_confirmed")
    often = state.keyed[-1].face and state.faces_back >= MAX_FACES_BACK
    if not two_people and (often or state.custody.fault == FACE_IN_DOUBT):
        return Refusal("R-RULE-06", "floor_takes_it_back")
    story.tell(ConfirmationUndone(story.state.keyed[-1].place))
    return None


def table_hand(story: Story, order: TableHand) -> Refusal | None:
    """A seat tables; cards that nobody had read are keyed as they lie open (R-SHOW-04)."""
    if order.cards and story.state.hand is not None:
        story.tell(HandKeyed(order.seat))
    return story.hand(order)


def exposed(story: Story, order: ExposeHole) -> None:
    """A down card that nobody had read was exposed and is keyed: it may be taken back like any face (R-EXP-01)."""
    hand = story.state.hand
    index = -1 if hand is None else hand.index_of(order.seat)
    down = () if hand is None or index < 0 else hand.seats[index].down
    if order.card is not None and 1 <= order.number <= len(down) and down[order.number - 1] is None:
        story.tell(HandKeyed(order.seat))


def mark(story: Story) -> None:
    """Mark the open hand as manually verified as soon as a device does not tell or a card is keyed (REG-47)."""
    state, hand = story.state, story.state.hand
    if hand is None or (hand.over and not story.events):
        return
    keyed = state.cards_keyed or any(_is_keyed(event) for event in story.events)
    seats = {entry.seat for entry in hand.seats}
    missing = set(state.by_hand)
    if not hand.over and hand.street:
        missing |= set() if state.shoe_tells else {"shoe"}
        dark = state.dark
        missing |= {str(place) for place in DEALT_TO if place in dark and _matters(place, seats)}
    without = tuple(sorted(missing))
    if without != state.by_hand or keyed != state.cards_keyed:
        story.tell(ManuallyVerified(without, keyed))


def _is_keyed(event: object) -> bool:
    match event:
        case CardConfirmed(basis=basis):
            return basis != "reader"
        case HandKeyed():
            return True
        case _:
            return False


def _matters(place: Place, seats: set[int]) -> bool:
    """The muck is looked at where it has an antenna; a hand does not depend on it."""
    return place.seat in seats if isinstance(place, SeatPlace) else place is not Spot.MUCK
