"""Why the hand did what it did: one or more reasons for each event, each with its rule; and what nobody may see is in none.

``explain`` is given the state before the event. Reasons are parts for ``controller.words.reasons``, which writes the sentence.
"""

from __future__ import annotations

from controller.hand.announcements import to_announce
from controller.hand.cards import Card
from controller.hand.dealing import has_seventh
from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
    DealStarted,
    GhostDealt,
    HandEnded,
    HandEvent,
    HandHeld,
    HandMucked,
    HandOpened,
    HandTabled,
    HandVoided,
    HoldLifted,
    PotAwarded,
    PotsFixed,
    RoundClosed,
    RoundOpened,
    SeventhPlan,
    ShowdownOpened,
    StubCounted,
    StubScrambled,
    UncalledReturned,
)
from controller.hand.explain_awards import hand_tabled, pot_awarded, pots_fixed, showdown_opened, uncalled_returned
from controller.hand.explain_betting import action_taken, round_closed, round_opened
from controller.hand.explain_slips import held, slip
from controller.hand.knobs import StubPolicy
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.state import HandState
from controller.hand.why import Why, Word, faces, seats_of, why


def explain(before: HandState, event: HandEvent) -> tuple[Why, ...]:  # noqa: C901 - one line an event is the clearest table
    """Why ``event`` followed in the state ``before`` it, the deciding reason first. Never empty, never a hidden card."""
    match event:
        case ActionTaken():
            return action_taken(before, event)
        case CardDealt():
            return _card_dealt(before, event)
        case RoundOpened():
            return round_opened(before, event)
        case RoundClosed():
            return round_closed(before, event)
        case UncalledReturned():
            return uncalled_returned(before, event)
        case PotsFixed():
            return pots_fixed(before, event)
        case ShowdownOpened():
            return showdown_opened(before, event)
        case HandTabled():
            return hand_tabled(before, event)
        case PotAwarded():
            return pot_awarded(before, event)
        case DealStarted():
            return _deal_started(before, event)
        case StubCounted():
            return (_stub_counted(before, event),)
        case StubScrambled(cards=cards):
            return (why("stub.scrambled", "R-STUB-02", cards=cards),)
        case HandHeld():
            return held(event)
        case (
            HandOpened()
            | AntePosted()
            | GhostDealt()
            | BurnMade()
            | CommunityDealt()
            | HandMucked()
            | HandEnded()
            | HoldLifted()
            | HandVoided()
        ):
            return _plain(before, event)
        case _:
            return slip(before, event)


def _plain(
    before: HandState,
    event: HandOpened | AntePosted | GhostDealt | BurnMade | CommunityDealt | HandMucked | HandEnded | HoldLifted | HandVoided,
) -> tuple[Why, ...]:
    """Events with one reason."""
    match event:
        case HandOpened(number=number, seats=seats):
            return (why("opened", "R-SETUP-03", number=number, count=len(seats)),)
        case AntePosted():
            return (_ante(before, event),)
        case GhostDealt(place=place):
            return (why("ghost", "R-DEAL-06", seat=place.seat),)
        case BurnMade(street=street):
            return (why("burn", "R-DEAL-03", street=Word(f"lbl.street.{street}")),)
        case CommunityDealt(card=card):
            return (why("common", "R-STUB-04", card=faces(card)),)
        case HandMucked(seat=seat):
            return (why("mucked", "R-SHOW-04", seat=seat),)
        case HandEnded(rake=rake, stacks=stacks):
            return (why("ended", "R-POT-11", x=sum(chips for _, chips in stacks), rake=rake),)
        case HoldLifted():
            return (why("lifted", "R-RULE-01"),)
        case HandVoided(refunds=refunds):
            return (why("voided", "R-RULE-03", x=sum(chips for _, chips in refunds), count=len(refunds)),)


def _ante(before: HandState, event: AntePosted) -> Why:
    stack = before.seats[before.index_of(event.seat)].stack
    ante = before.setup.stakes.ante
    if event.chips < ante:
        return why("ante.short", "R-ANTE-02", seat=event.seat, x=event.chips, ante=ante)
    if event.chips == stack:
        return why("ante.all_in", "R-ANTE-03", seat=event.seat, x=event.chips)
    return why("ante", "R-ANTE-01", seat=event.seat, x=event.chips)


def _deal_started(before: HandState, event: DealStarted) -> tuple[Why, ...]:
    """The order of dealing, and what differs from it: ghosts, a burn that lies already, a common card, a replaced deal."""
    street = Word(f"lbl.street.{event.street}")
    places = [due.place for due in event.due]
    receivers = [due.place.seat for due in event.due if isinstance(due.place, SeatPlace) and not due.ghost]
    ghosts = [due.place.seat for due in event.due if isinstance(due.place, SeatPlace) and due.ghost]
    if event.street == 3:
        return (why("deal.third", "R-DEAL-01", seats=seats_of(sorted(set(receivers)))),)
    if Spot.COMMUNITY in places:
        return (why("deal.common", "R-STUB-04", street=street),)
    key = "deal.seventh" if event.street == 7 else "deal.up"
    reasons = [why(key, "R-DEAL-02", street=street, seats=seats_of(receivers))]
    if before.early_burn:
        reasons.append(why("deal.burned_early", "R-ERR-01", street=street))
    if Spot.MUCK in places:
        reasons.append(why("deal.eliminate", "R-ERR-01", count=places.count(Spot.MUCK)))
    if ghosts:
        reasons.append(why("deal.ghosts", "R-DEAL-06", seats=seats_of(ghosts)))
    face_down = [
        due.place.seat
        for due in event.due
        if 3 < event.street < 7 and isinstance(due.place, SeatPlace) and due.place.zone is Zone.DOWN and not due.ghost
    ]
    if face_down:
        reasons.append(why("deal.debt", "R-EXP-03", seats=seats_of(face_down)))
    return tuple(reasons)


def _card_dealt(before: HandState, event: CardDealt) -> tuple[Why, ...]:
    """Up cards by name, down cards never; a pair or better on a board is announced (R-DEAL-07)."""
    seat = event.place.seat
    if event.place.zone is not Zone.UP or event.card is None:
        return (why("dealt.down", "R-RULE-06", seat=seat),)
    card = faces(event.card)
    if event.street == 7:
        return (why("dealt.seventh_up", "R-EXP-06", seat=seat, card=card),)
    dealt = why(
        "dealt.door" if event.street == 3 else "dealt.up", "R-DEAL-01" if event.street == 3 else "R-DEAL-02", seat=seat, card=card
    )
    announced = _announced(before, seat, event.card)
    return (dealt,) if announced is None else (dealt, announced)


def _announced(before: HandState, seat: int, card: Card) -> Why | None:
    """A pair or better on a board (R-DEAL-07)."""
    same = to_announce(before.seats[before.index_of(seat)].up, card, ace_low=before.setup.game.ace_low)
    if not same:
        return None
    what = {2: "pair", 3: "three", 4: "four"}[same]
    return why(
        f"announce.{what}", "R-DEAL-07", seat=seat, rank=Word(f"rank.{card.text[0]}"), of_rank=Word(f"rank.of.{card.text[0]}")
    )


_PLANS = {
    SeventhPlan.NORMAL: "normal",
    SeventhPlan.REUSE_BURNS: "reuse",
    SeventhPlan.COMMUNITY: "common",
    SeventhPlan.SCRAMBLE_COMMUNITY: "scramble_common",
    SeventhPlan.DEAL_THEN_SCRAMBLE: "deal_then_scramble",
}


def _stub_counted(before: HandState, event: StubCounted) -> Why:
    """How the stub was counted and what it reaches for, by the house's policy (R-STUB-02, R-STUB-03, R-STUB-06)."""
    street = Word(f"lbl.street.{event.street}")
    values = {
        "stub": event.stub,
        "burns": event.burns,
        "live": event.live,
        "need": event.live + 2,
        "short": event.stub + event.burns,
    }
    if before.street == 7:
        waiting = seats_of(entry.seat for entry in before.seats if entry.live and not has_seventh(before, entry))
        return why("stub.finish", "R-STUB-03", street=street, seats=waiting, **values)
    policy = before.setup.rules.stub_policy
    rule = "R-STUB-06" if event.street < 7 else "R-STUB-02" if policy is StubPolicy.PLUS_TWO else "R-STUB-03"
    kind = "stub" if policy is StubPolicy.PLUS_TWO else "stub.other"
    return why(f"{kind}.{_PLANS[event.plan]}", rule, street=street, **values)
