"""From a public event back to the hand's own: a hidden card is ``None``, as in a journal whose key is gone (R-RULE-06)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from controller.hand import events as hand
from controller.hand import irregular_events as slips
from controller.hand.cards import Card, parse_card
from controller.hand.dealing import street_due
from controller.hand.events import HandEvent
from controller.hand.places import SeatPlace, parse_place
from controller.hand.showdown import unseen_awards
from controller.hand.state import HandState
from controller.hand.terms import Pot, SeatChips, Share, Verb
from controller.hand.variants import Wins
from controller.mqtt.payloads import PublicEvent, RoundFigures, StubFigures
from controller.mqtt.payloads import SeatChips as ToldChips

T = TypeVar("T")
_NO_ROUND: Final = RoundFigures()


class UntoldError(ValueError):
    """A public event lacks what the hand needs: it was told by an older program. The text names event and number."""


def hand_event(state: HandState, event: PublicEvent) -> HandEvent | None:
    """The event of the hand that ``event`` tells, in ``state``; ``None`` for one that is no event of a hand. ``UntoldError``."""
    try:
        return _play(state, event)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise UntoldError(f"event {event.seq} ({event.event}) does not tell all that its hand needs") from error


def _play(state: HandState, event: PublicEvent) -> HandEvent | None:  # noqa: C901 - one line an event
    seat = event.seat or 0
    match event.event:
        case "ante_posted":
            return hand.AntePosted(seat, _known(event.chips))
        case "deal_started":
            street = _known(event.street)
            return hand.DealStarted(street, street_due(state, street))
        case "card_dealt":
            return hand.CardDealt(_known(event.street), _seat_place(event), _card(event))
        case "ghost_dealt":
            return hand.GhostDealt(_known(event.street), _seat_place(event), None)
        case "burn_made":
            return hand.BurnMade(_known(event.street), None)
        case "community_dealt":
            return hand.CommunityDealt(_face(event))
        case "round_opened":
            return _round_opened(event)
        case "action_taken":
            return _action(event)
        case "uncalled_returned":
            return hand.UncalledReturned(seat, _known(event.chips))
        case "round_closed":
            return hand.RoundClosed(_known(event.street))
        case "pots_fixed":
            pots = tuple(Pot(pot.amount, pot.seats) for pot in _known(event.pots))
            return hand.PotsFixed(pots, _known(event.rake))
        case "stub_counted":
            return _stub_counted(event)
        case "stub_scrambled":
            return hand.StubScrambled(_stub(event).cards)
        case "showdown_opened":
            return hand.ShowdownOpened(_known(event.seats))
        case "hand_tabled":
            return hand.HandTabled(seat, _faces(event))
        case "hand_mucked":
            return hand.HandMucked(seat)
        case "pot_awarded":
            return _pot_awarded(state, event)
        case "hand_ended":
            (rake,) = _known(event.rake)
            return hand.HandEnded(_chips(_known(event.stacks)), rake)
        case "hand_held":
            return hand.HandHeld(_known(event.code), None if event.place is None else parse_place(event.place))
        case "hold_lifted":
            return hand.HoldLifted(_known(event.code))
        case "hand_voided":
            return hand.HandVoided("", _chips(_known(event.stacks)))
        case _:
            return _slip(state, event)


def _slip(state: HandState, event: PublicEvent) -> HandEvent | None:  # noqa: C901 - one line an event
    """Slips, rulings and corrections. Cards that are still due are those of the street."""
    seat, actor = event.seat or 0, (event.round or _NO_ROUND).actor or 0
    match event.event:
        case "misdeal_declared":
            return slips.MisdealDeclared(slips.MisdealCause(event.code), _chips(_known(event.stacks)))
        case "hole_exposed":
            return slips.HoleExposed(seat, _known(event.number), _face(event), state.due, event.debt or 0)
        case "door_chosen":
            return slips.DoorChosen(seat, _known(event.number), _face(event))
        case "seventh_shown":
            return slips.SeventhShown(seat, _face(event), state.due, "may_declare" in _flags(event))
        case "seventh_replaced":
            return slips.SeventhReplaced(seat, _face(event), state.due)
        case "card_scrapped" if event.number is not None:
            return slips.BoxedReplaced(seat, event.number, _face(event), state.due)
        case "card_scrapped":
            return slips.CardScrapped(slips.Scrap(event.code), _card(event), "counted" in _flags(event))
        case "all_in_declared":
            return slips.AllInDeclared(seat, actor)
        case "hands_killed":
            return slips.HandsKilled(_known(event.seats), slips.DeadCause(event.code), actor)
        case "hand_refunded":
            return slips.HandRefunded(seat, _known(event.chips))
        case "hand_retrieved":
            return slips.HandRetrieved(seat, actor)
        case "hand_seen":
            return slips.HandSeen(seat, _faces(event))
        case "cards_returned":
            return slips.CardsReturned(_known(event.number), _stub(event).cards)
        case "stub_returned":
            return slips.StubReturned(_stub(event).cards, "whole" in _flags(event))
        case "burned_early":
            return slips.BurnedEarly(None, "stands" in _flags(event))
        case "card_eliminated":
            return slips.CardEliminated(_known(event.street), None, "due" in _flags(event))
        case "seventh_kept":
            return slips.SeventhKept(seat, None)
        case "seventh_redone":
            return slips.SeventhRedone(_stub(event).cards)
        case "action_undone":
            return slips.ActionUndone(seat)
        case "award_undone":
            return slips.AwardUndone()
        case "out_of_turn_noted":
            return slips.OutOfTurnNoted(seat, Verb(event.verb), _known(event.to), _known(_known(event.round).match))
        case "out_of_turn_released":
            return slips.OutOfTurnReleased(seat)
        case "actor_moved":
            return slips.ActorMoved(seat)
        case "seat_away":
            return slips.SeatAway(seat)
        case "seat_back":
            return slips.SeatBack(seat)
        case "face_up_required":
            return slips.FaceUpRequired(_known(event.seats))
        case _:
            return None


def _round_opened(event: PublicEvent) -> hand.RoundOpened:
    flags, street, actor = _flags(event), _known(event.street), _known(_known(event.round).actor)
    post_due, uncapped, may_fold = ("post_due" in flags, "uncapped" in flags, "may_fold" in flags)
    return hand.RoundOpened(street, event.seat or 0, actor, post_due, event.seats or (), uncapped, may_fold)


def _action(event: PublicEvent) -> hand.ActionTaken:
    flags, after = _flags(event), _known(event.round)
    return hand.ActionTaken(
        event.seat or 0,
        Verb(event.verb),
        _known(event.chips),
        _known(event.to),
        bool(event.all_in),
        _known(after.level),
        _known(after.match),
        _known(after.raises),
        "bet" in flags,
        "big_made" in flags,
        "small_only" in flags,
        "uncapped" in flags,
        after.actor or 0,
        "free_fold" in flags,
    )


def _stub_counted(event: PublicEvent) -> hand.StubCounted:
    stub = _stub(event)
    return hand.StubCounted(stub.cards, _known(stub.burns), _known(stub.live), hand.SeventhPlan(event.code), _known(stub.street))


_WINS: Final = {"high": Wins.HIGH, "low": Wins.LOW_EIGHT}


def _pot_awarded(state: HandState, event: PublicEvent) -> hand.PotAwarded:
    """Which way a whole pot was won is not told: the game has one way, or the same seats won both (R-POT-07)."""
    pot = _known(event.pot)
    unseen = any(award.pot == pot for award in unseen_awards(state))
    ways = state.setup.game.wins
    whole = None if unseen else ways[0] if len(ways) == 1 or len(_known(event.shares)) == 1 else Wins.BOTH
    shares = (Share(line.seat, line.chips, _WINS.get(line.share.value, whole)) for line in _known(event.shares))
    return hand.PotAwarded(pot, tuple(shares))


def _known(value: T | None) -> T:
    if value is None:
        raise ValueError("a field is missing")
    return value


def _flags(event: PublicEvent) -> tuple[str, ...]:
    return event.flags or ()


def _stub(event: PublicEvent) -> StubFigures:
    return _known(event.stub)


def _card(event: PublicEvent) -> Card | None:
    return None if event.card is None else parse_card(event.card)


def _face(event: PublicEvent) -> Card:
    return parse_card(_known(event.card))


def _faces(event: PublicEvent) -> tuple[Card, ...]:
    return tuple(parse_card(card) for card in _known(event.cards))


def _seat_place(event: PublicEvent) -> SeatPlace:
    place = parse_place(_known(event.place))
    if not isinstance(place, SeatPlace):
        raise ValueError("the place is no seat's")
    return place


def _chips(rows: Iterable[ToldChips]) -> tuple[SeatChips, ...]:
    return tuple(SeatChips(row.seat, row.chips) for row in rows)
