"""The journal form of every event: stable type tags, and which cards stand sealed under which part of the deal's key."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from controller.hand import events as hand
from controller.hand import irregular_events as slips
from controller.hand.places import Place, SeatPlace, Spot, Zone, parse_place
from controller.journal.canonical import Body, JsonValue
from controller.journal.codec import Codec, Secret
from controller.journal.hand_events import register_hand_events
from controller.journal.schema import JOURNAL_CONTINUED
from controller.journal.sealing import BURN, EVIDENCE, HandSealer, Hidden, SealError, seat_part
from controller.table import access_events as access
from controller.table import betting_events as betting
from controller.table import by_hand_events as by_hand
from controller.table import deck_events as deck
from controller.table import events as own
from controller.table import machine_events as machine
from controller.table import shoe_error_events as shoe
from controller.table.carried_events import CommandAnswered, JournalContinued, TableConfigured
from controller.table.events import TableEvent

ENVELOPE: Final = ("epoch", "at", "deal", "n")
"""Beside an event's own fields: writer epoch, UTC time, and for sealed events deal number and ordinal in the deal."""

_CARD: Final = frozenset(("card",))
_SEALED_OWN: Final[dict[str, type]] = {
    "CardRead": own.CardRead,
    "CardSeen": own.CardSeen,
    "CardLeft": own.CardLeft,
    "CardUnexplained": own.CardUnexplained,
    "CardReadTwice": own.CardReadTwice,
    "CardReadOnce": own.CardReadOnce,
    "CardIdentified": own.CardIdentified,
    "CardConfirmed": by_hand.CardConfirmed,
}
_OPEN_OWN: Final[dict[str, type]] = {
    "ControllerStarted": own.ControllerStarted,
    "TableConfigured": TableConfigured,
    "SeatTaken": own.SeatTaken,
    "SeatLeft": own.SeatLeft,
    "ChipsAdded": own.ChipsAdded,
    "ShoeAdopted": own.ShoeAdopted,
    "DeckInShoe": own.DeckInShoe,
    "ShoeNoted": own.ShoeNoted,
    "ShoeHalted": own.ShoeHalted,
    "ShoeRenewed": own.ShoeRenewed,
    "ShoeErrors": shoe.ShoeErrors,
    "ShoeClearOrdered": shoe.ShoeClearOrdered,
    "ShoeClearFailed": shoe.ShoeClearFailed,
    "GateOrdered": own.GateOrdered,
    "DeviceLink": own.DeviceLink,
    "CardUnseen": own.CardUnseen,
    "FoldRead": betting.FoldRead,
    "LiveCardsMucked": betting.LiveCardsMucked,
    "AllActed": betting.AllActed,
    "StrangerSeen": own.StrangerSeen,
    "StrangerLeft": own.StrangerLeft,
    "FeltReady": own.FeltReady,
    "Suspended": own.Suspended,
    "Resumed": own.Resumed,
    "DealKeyMade": own.DealKeyMade,
    "DealKeyDropped": own.DealKeyDropped,
    "SeatKeyReleased": own.SeatKeyReleased,
    "CardsCounted": own.CardsCounted,
    "CommandAnswered": CommandAnswered,
    "PlayStopped": own.PlayStopped,
    "PlayResumed": own.PlayResumed,
    "FloorAsked": access.FloorAsked,
    "FloorAnswered": access.FloorAnswered,
    "FloorOrdered": access.FloorOrdered,
    "AlarmAcknowledged": access.AlarmAcknowledged,
    "LastTwoSet": own.LastTwoSet,
    "TableEquipped": by_hand.TableEquipped,
    "DeviceSetAside": by_hand.DeviceSetAside,
    "DeviceBack": by_hand.DeviceBack,
    "DeckCounted": by_hand.DeckCounted,
    "HandKeyed": by_hand.HandKeyed,
    "ConfirmationUndone": by_hand.ConfirmationUndone,
    "ManuallyVerified": by_hand.ManuallyVerified,
    "SatOut": own.SatOut,
    "SatIn": own.SatIn,
    "SeatChanged": own.SeatChanged,
    "ChipsPromised": own.ChipsPromised,
    "TimeCollected": own.TimeCollected,
    "TablePaused": own.TablePaused,
    "TableReopened": own.TableReopened,
    "TableClosed": own.TableClosed,
    "TableLocked": own.TableLocked,
    "ClockStarted": own.ClockStarted,
    "ClockStopped": own.ClockStopped,
    "Ruled": own.Ruled,
    "DeckIntroduced": deck.DeckIntroduced,
    "DeckChecked": deck.DeckChecked,
    "DeckBarred": deck.DeckBarred,
    "DeckAdmitted": deck.DeckAdmitted,
    "DiskNoted": machine.DiskNoted,
    "ClockStepped": machine.ClockStepped,
    "ClockNoted": machine.ClockNoted,
    "SignedIn": access.SignedIn,
    "SignedOut": access.SignedOut,
    "SignInFailed": access.SignInFailed,
    "WheelTaken": access.WheelTaken,
    "WheelReturned": access.WheelReturned,
    JOURNAL_CONTINUED: JournalContinued,
}
"""Events without a card, by tag. A class that is renamed keeps its tag."""


def _always_hidden(_: object) -> Collection[str]:
    return _CARD


@cache
def table_codec() -> Codec:
    """The codec with every event of table and hand, complete: nobody registers anything more."""
    codec = Codec(envelope=ENVELOPE)
    register_hand_events(codec)
    for tag, cls in _SEALED_OWN.items():
        codec.register(tag, cls, secret=Secret(_CARD, _always_hidden))
    for tag, cls in _OPEN_OWN.items():
        codec.register(tag, cls, version=_VERSIONS.get(tag, 1))
    codec.register_upcaster("DealKeyDropped", 1, lambda body: {**body, "shares": [], "v": 2})
    codec.register_upcaster("TableEquipped", 1, lambda body: {**body, **_EQUIPPED_1, "v": 2})
    codec.register_upcaster(JOURNAL_CONTINUED, 1, _continued_2)
    codec.register_upcaster(JOURNAL_CONTINUED, 2, lambda body: {**body, "deck": None, "v": 3})
    codec.register_upcaster(JOURNAL_CONTINUED, 3, _continued_4)
    codec.register_upcaster(JOURNAL_CONTINUED, 4, lambda body: {**body, **_CONTINUED_4, "v": 5})
    codec.register_upcaster(JOURNAL_CONTINUED, 5, lambda body: {**body, **_CONTINUED_5, "v": 6})
    codec.register_upcaster("CommandAnswered", 1, lambda body: {**body, **_ANSWERED_1, "v": 2})
    return codec


_VERSIONS: Final = {"CommandAnswered": 2, "DealKeyDropped": 2, "TableEquipped": 2, JOURNAL_CONTINUED: 6}
"""Versions of records that were other than now."""
_EQUIPPED_1: Final[dict[str, JsonValue]] = {"counts": True, "locks": True}
"""Shoes of before counted their load and had a gate."""


_CONTINUED_4: Final[dict[str, JsonValue]] = {"alarms": [], "disk": {"pace": "fast", "room": "enough"}}
"""Each file told anew what was wrong with the disk, and nobody had seen an alarm."""
_CONTINUED_5: Final[dict[str, JsonValue]] = {"wall_clock": {"trust": "unknown"}}
"""Nobody asked whether the clock was kept."""


_SHOE_1: Final[dict[str, JsonValue]] = {"fault": "", "renewals": 0}
"""A session with a shoe began anew at a start of the controller alone."""


_ANSWERED_1: Final[dict[str, JsonValue]] = {"agreed_by": "", "person": ""}
"""Nobody signed in."""


def _continued_4(body: Body) -> Body:
    answers = body["answers"]
    if isinstance(answers, list):
        answers = [[{**one[0], **_ANSWERED_1}, one[1]] for one in answers if isinstance(one, list) and isinstance(one[0], dict)]
    return {**body, "answers": answers, "wheel": [], "v": 4}


def _continued_2(body: Body) -> Body:
    gear, shoe = body["equipment"], body["shoe"]
    if isinstance(shoe, dict):
        body = {**body, "shoe": {**shoe, **_SHOE_1}}
    if isinstance(gear, dict):
        body = {**body, "equipment": {**gear, **_EQUIPPED_1}}
    return {**body, "v": 2}


class _Box(NamedTuple):
    """What binds a box: part of the key and place."""

    part: str
    place: str


def box_of(event: TableEvent) -> _Box | None:
    """Part of the deal's key and place of a sealed event; ``None`` when it hides nothing."""
    match event:
        case hand.CardDealt(place=place) if place.zone is not Zone.UP:
            return _Box(seat_part(place.seat), str(place))
        case hand.GhostDealt(place=place):
            return _Box(BURN, str(place))
        case hand.BurnMade() | slips.BurnedEarly():
            return _Box(BURN, str(Spot.BURN))
        case slips.CardEliminated():
            return _Box(BURN, str(Spot.MUCK))
        case slips.SeventhKept(seat=seat):
            return _Box(seat_part(seat), f"seat/{seat}/down")
        case own.CardRead():
            return _Box(EVIDENCE, "shoe")
        case own.CardSeen() | own.CardLeft() | own.CardUnexplained() | own.CardIdentified() | by_hand.CardConfirmed():
            return _Box(EVIDENCE, str(event.place))
        case own.CardReadTwice() | own.CardReadOnce():
            return _Box(EVIDENCE, str(event.place))
        case _:
            return None


def box_of_body(body: Mapping[str, Any]) -> _Box:
    """The same, from a journal body, whose hidden fields are missing."""
    match body["type"]:
        case "CardDealt":
            place: Place = _place(body)
            return _Box(seat_part(place.seat) if isinstance(place, SeatPlace) else BURN, str(place))
        case "GhostDealt":
            return _Box(BURN, str(_place(body)))
        case "BurnMade" | "BurnedEarly":
            return _Box(BURN, str(Spot.BURN))
        case "CardEliminated":
            return _Box(BURN, str(Spot.MUCK))
        case "SeventhKept":
            return _Box(seat_part(body["seat"]), f"seat/{body['seat']}/down")
        case "CardRead":
            return _Box(EVIDENCE, "shoe")
        case _:
            return _Box(EVIDENCE, str(_place(body)))


def _place(body: Mapping[str, Any]) -> Place:
    return parse_place(body["place"])


def deal_parts(seats: Collection[int] = range(1, 9)) -> tuple[str, ...]:
    """All parts of a deal's key."""
    return (*(seat_part(seat) for seat in seats), BURN, EVIDENCE)


def encode(codec: Codec, event: TableEvent, *, epoch: int, at: str, sealer: HandSealer | None, deal: int, ordinal: int) -> Body:
    """The body of ``event`` with its envelope; hidden cards go into a box of ``sealer``, the ``ordinal``-th of the deal."""
    body = codec.encode(event, seal=None) if box_of(event) is None else _sealed(codec, event, sealer, deal, ordinal)
    return {**body, "epoch": epoch, "at": at}


def _sealed(codec: Codec, event: TableEvent, sealer: HandSealer | None, deal: int, ordinal: int) -> Body:
    if sealer is None:
        raise SealError("there is no key to seal a card with: the deck was not loaded through the shoe")

    def seal(tag: str, sealed: Any, _: tuple[str, ...]) -> bytes:
        bound = box_of(sealed)
        part, place = bound if bound is not None else _Box(EVIDENCE, "")
        hidden = Hidden(sealed.card, getattr(sealed, "draw_no", 0))
        return sealer.seal(part, hidden, event_type=tag, ordinal=ordinal, place=place)

    return {**codec.encode(event, seal=seal), "deal": deal, "n": ordinal}


def decode(codec: Codec, body: Body, sealers: Mapping[int, HandSealer]) -> TableEvent:
    """The event of ``body``; a hidden card is ``None`` when its deal's key is not among ``sealers``."""
    deal = body.get("deal")
    sealer = sealers.get(deal) if isinstance(deal, int) else None
    if sealer is None or "sealed" not in body:
        return _typed(codec.decode(body))

    def unseal(tag: str, sealed: Mapping[str, Any], box: bytes) -> Mapping[str, object]:
        part, place = box_of_body(sealed)
        return {"card": sealer.open_box(part, box, event_type=tag, ordinal=sealed["n"], place=place).card}

    return _typed(codec.decode(body, unseal=unseal))


def _typed(event: TableEvent) -> TableEvent:
    return event


def hex_commitments(sealer: HandSealer) -> tuple[tuple[str, str], ...]:
    """What ``DealKeyMade`` lists: each part with the commitment to its sub-key."""
    return tuple((part, sealer.commitment(part).hex()) for part in deal_parts())


def released_key(sealer: HandSealer, seat: int) -> str:
    """The sub-key of a seat that tabled its hand, in base64."""
    return b64encode(sealer.part_key(seat_part(seat))).decode()
