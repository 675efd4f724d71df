"""The public side of the table's records: which of them are told, and which of their fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from controller.hand import events as hand
from controller.hand import irregular_events as slips
from controller.hand.places import Spot, Zone
from controller.hand.terms import SeatChips
from controller.mqtt.payloads import AwardLine, Share
from controller.table import by_hand_events as by_hand
from controller.table import events as own
from controller.table.events import TableEvent
from controller.views.public import share_word

MOST: Final = 64
"""Characters of a person's name that are told."""


def fields_of(event: TableEvent) -> dict[str, Any] | None:  # noqa: C901 - one line an event is the clearest table
    """What everybody could see of ``event``, as fields of ``PublicEvent``; ``None`` when it is the table's own. A down
    card is told by its place alone (R-RULE-06)."""
    match event:
        case hand.CardDealt(street=street, place=place, card=card):
            shown = card.text if place.zone is Zone.UP and card is not None else None
            return {"event": "card_dealt", "street": street, "seat": place.seat, "place": str(place), "card": shown}
        case hand.GhostDealt(street=street, place=place):
            return {"event": "ghost_dealt", "street": street, "seat": place.seat, "place": str(place)}
        case hand.BurnMade(street=street):
            return {"event": "burn_made", "street": street, "place": str(Spot.BURN)}
        case hand.CommunityDealt(card=card):
            return {"event": "community_dealt", "place": str(Spot.COMMUNITY), "card": card.text}
        case hand.ActionTaken():
            return _action(event)
        case hand.HandOpened():
            return _opened(event)
        case hand.DealStarted(street=street):
            return {"event": "deal_started", "street": street}
        case hand.AntePosted(seat=seat, chips=chips):
            return {"event": "ante_posted", "seat": seat, "chips": chips}
        case hand.RoundOpened(street=street, opener=opener, actor=actor, post_due=post_due, uncapped=uncapped):
            more = _flags(post_due=post_due, uncapped=uncapped, may_fold=event.may_fold)
            pairs = event.pair_seats or None
            return {"event": "round_opened", "street": street, "seat": opener, "seats": pairs, "round": {"actor": actor}, **more}
        case hand.RoundClosed(street=street):
            return {"event": "round_closed", "street": street}
        case hand.UncalledReturned(seat=seat, chips=chips):
            return {"event": "uncalled_returned", "seat": seat, "chips": chips}
        case hand.HandTabled(seat=seat, cards=cards):
            return {"event": "hand_tabled", "seat": seat, "cards": tuple(card.text for card in cards)}
        case hand.HandMucked(seat=seat):
            return {"event": "hand_mucked", "seat": seat}
        case hand.PotAwarded(pot=pot, shares=shares):
            lines = tuple(
                AwardLine(pot=pot, seat=share.seat, chips=share.chips, share=Share(share_word(share, shares)))
                for share in shares
                if share.chips
            )
            return {"event": "pot_awarded", "pot": pot, "chips": sum(share.chips for share in shares), "shares": lines}
        case hand.PotsFixed(pots=pots, rake=rake):
            told = tuple({"amount": pot.chips, "seats": pot.seats} for pot in pots)
            return {"event": "pots_fixed", "pots": told, "rake": rake, "chips": sum(pot.chips for pot in pots)}
        case hand.ShowdownOpened(order=order):
            return {"event": "showdown_opened", "seats": order}
        case hand.HandEnded(stacks=stacks, rake=rake):
            return {"event": "hand_ended", "stacks": _stacks(stacks), "rake": (rake,)}
        case hand.HandVoided(refunds=refunds):
            return {"event": "hand_voided", "stacks": _stacks(refunds)}
        case hand.HandHeld(code=code, place=place_or_none):
            return {"event": "hand_held", "code": code, "place": None if place_or_none is None else str(place_or_none)}
        case hand.HoldLifted(code=code):
            return {"event": "hold_lifted", "code": code}
        case hand.StubCounted(plan=plan, stub=stub, burns=burns, live=live, street=street):
            counted = {"cards": stub, "burns": burns, "live": live, "street": street}
            return {"event": "stub_counted", "code": plan.value, "stub": counted}
        case hand.StubScrambled(cards=cards):
            return {"event": "stub_scrambled", "stub": {"cards": cards}}
        case own.SeatTaken(seat=seat, chips=chips, name=name):
            return {"event": "seat_taken", "seat": seat, "chips": chips, "name": name}
        case own.SeatChanged(seat=seat, to=to):
            return {"event": "seat_changed", "seat": seat, "to_seat": to}
        case own.Ruled(kind=kind, role=role, by=by, agreed_by=agreed_by):
            people = {"role": role[:MOST], "by": by[:MOST], "agreed_by": agreed_by[:MOST]}
            return {"event": "ruled", "code": kind, "ruling": people}
        case by_hand.CardConfirmed(place=place, basis=basis):
            return {"event": "card_confirmed", "place": str(place), "code": basis}
        case by_hand.HandKeyed(seat=seat):
            return {"event": "hand_keyed", "seat": seat}
        case by_hand.ConfirmationUndone(place=place):
            return {"event": "confirmation_undone", "place": str(place)}
        case by_hand.ManuallyVerified(without=without, keyed=keyed):
            return {"event": "manually_verified", "without": without, **_flags(keyed=keyed)}
        case own.ClockStarted(seat=seat):
            return {"event": "clock_started", "seat": seat}
        case own.ClockStopped(seat=seat):
            return {"event": "clock_stopped", "seat": seat}
        case own.SeatLeft(seat=seat, chips=chips):
            return {"event": "seat_left", "seat": seat, "chips": chips}
        case own.ChipsAdded(seat=seat, chips=chips):
            return {"event": "chips_added", "seat": seat, "chips": chips}
        case own.ChipsPromised(seat=seat, chips=chips):
            return {"event": "chips_added", "seat": seat, "chips": chips, **_flags(promised=True)}
        case own.TimeCollected(seat=seat, chips=chips):
            return {"event": "time_collected", "seat": seat, "chips": chips}
        case _:
            return _slip_fields(event)


def _slip_fields(event: TableEvent) -> dict[str, Any] | None:  # noqa: C901 - one line an event
    """The public side of slips, rulings and corrections; a card stands there only where everybody has seen it."""
    match event:
        case slips.MisdealDeclared(cause=cause, refunds=refunds):
            return {"event": "misdeal_declared", "code": cause.value, "stacks": _stacks(refunds)}
        case slips.HoleExposed(seat=seat, number=number, card=card, debt=debt):
            return {"event": "hole_exposed", "seat": seat, "card": card.text, "number": number, "debt": debt}
        case slips.DoorChosen(seat=seat, number=number, card=card):
            return {"event": "door_chosen", "seat": seat, "card": card.text, "number": number}
        case slips.SeventhShown(seat=seat, card=card, may_declare=asked):
            return {"event": "seventh_shown", "seat": seat, "card": card.text, **_flags(may_declare=asked)}
        case slips.SeventhReplaced(seat=seat, card=card):
            return {"event": "seventh_replaced", "seat": seat, "card": card.text}
        case slips.BoxedReplaced(seat=seat, number=number, card=card):
            return {"event": "card_scrapped", "code": "boxed", "seat": seat, "card": card.text, "number": number}
        case slips.CardScrapped(scrap=scrap, card=card, counted=counted):
            face = None if card is None else card.text
            return {"event": "card_scrapped", "code": scrap.value, "card": face, **_flags(counted=counted)}
        case slips.AllInDeclared(seat=seat, actor=actor):
            return {"event": "all_in_declared", "seat": seat, **_actor(actor)}
        case slips.HandsKilled(seats=seats, cause=cause, actor=actor):
            alone = seats[0] if len(seats) == 1 else None
            return {"event": "hands_killed", "seat": alone, "seats": seats, "code": cause.value, **_actor(actor)}
        case slips.HandRefunded(seat=seat, chips=chips):
            return {"event": "hand_refunded", "seat": seat, "chips": chips}
        case slips.HandRetrieved(seat=seat, actor=actor):
            return {"event": "hand_retrieved", "seat": seat, **_actor(actor)}
        case slips.HandSeen(seat=seat, cards=cards):
            return {"event": "hand_seen", "seat": seat, "cards": tuple(card.text for card in cards)}
        case slips.CardsReturned(returned=returned, stub=stub):
            return {"event": "cards_returned", "number": returned, "stub": {"cards": stub}}
        case slips.StubReturned(cards=cards, whole=whole):
            return {"event": "stub_returned", "stub": {"cards": cards}, **_flags(whole=whole)}
        case slips.BurnedEarly(stands=stands):
            return {"event": "burned_early", "place": str(Spot.BURN), **_flags(stands=stands)}
        case slips.CardEliminated(street=street, due=due):
            return {"event": "card_eliminated", "street": street, **_flags(due=due)}
        case slips.SeventhKept(seat=seat):
            return {"event": "seventh_kept", "seat": seat}
        case slips.SeventhRedone(stub=stub):
            return {"event": "seventh_redone", "stub": {"cards": stub}}
        case slips.ActionUndone(seat=seat):
            return {"event": "action_undone", "seat": seat}
        case slips.AwardUndone():
            return {"event": "award_undone"}
        case slips.OutOfTurnNoted(seat=seat, verb=verb, to=to, match=match):
            return {"event": "out_of_turn_noted", "seat": seat, "verb": verb.value, "to": to, "round": {"match": match}}
        case slips.OutOfTurnReleased(seat=seat):
            return {"event": "out_of_turn_released", "seat": seat}
        case slips.ActorMoved(seat=seat):
            return {"event": "actor_moved", "seat": seat}
        case slips.SeatAway(seat=seat):
            return {"event": "seat_away", "seat": seat}
        case slips.SeatBack(seat=seat):
            return {"event": "seat_back", "seat": seat}
        case slips.FaceUpRequired(order=order):
            return {"event": "face_up_required", "seats": order}
        case _:
            return None


def _opened(event: hand.HandOpened) -> dict[str, Any]:
    """A hand that opens, with everything by which it can be drawn and explained later on its own; an old journal tells less."""
    told: dict[str, Any] = {"event": "hand_opened", "hand": event.number}
    if event.stakes is None:
        return told
    ante, bring_in, small, big, unit = event.stakes
    opening = {
        "variant": event.variant.value,
        "rules": event.rules_hash,
        "stakes": {"ante": ante, "bring_in": bring_in, "small": small, "big": big},
        "unit": unit,
        "preset": event.preset,
        "knobs": event.knobs,
        "last_two": event.last_two,
        "stacks": _stacks(event.seats),
        "players": tuple({"seat": player.seat, "name": player.name, "chips": player.chips} for player in event.players),
        "dealer": event.dealer[:MOST],
    }
    return told | {"opening": opening}


def _action(event: hand.ActionTaken) -> dict[str, Any]:
    """An action, with the figures of the round after it (Q-32)."""
    told: dict[str, Any] = {"event": "action_taken", "seat": event.seat, "verb": event.verb.value, "chips": event.chips}
    after = {"actor": event.actor or None, "level": event.level, "match": event.match, "raises": event.raises}
    flags = _flags(
        bet=event.bet,
        big_made=event.big_made,
        small_only=event.small_only,
        uncapped=event.uncapped,
        free_fold=event.free_fold,
    )
    return told | {"to": event.to, "all_in": event.all_in, "round": after} | flags


def _flags(**flags: bool) -> dict[str, tuple[str, ...]]:
    """What holds of ``flags``, by name; nothing where none does."""
    held = tuple(name for name, holds in flags.items() if holds)
    return {"flags": held} if held else {}


def _actor(seat: int) -> dict[str, Any]:
    return {"round": {"actor": seat}} if seat else {}


def _stacks(seats: Iterable[SeatChips]) -> tuple[dict[str, int], ...]:
    return tuple({"seat": seat, "chips": chips} for seat, chips in seats)
