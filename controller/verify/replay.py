"""A journal replayed with suspicion: each event must be what the rules, and what stands before it, make of it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeGuard, get_args

from controller.hand.cards import Card, parse_card
from controller.hand.commands import (
    Act,
    AwardPots,
    CardLaid,
    ChooseDoor,
    ExpireClock,
    ExposeHole,
    ExposeSeventh,
    FeltRight,
    FeltWrong,
    HandInput,
    KeepExtraAsBurn,
    LeaveTable,
    LetSee,
    MuckHand,
    NoteOutOfTurn,
    PostAnte,
    Refusal,
    ReplaceBoxed,
    RetrieveHand,
    StubReloaded,
    TableHand,
    VoidHand,
)
from controller.hand.dealing import scrambled_count
from controller.hand.decide import decide
from controller.hand.events import (
    ActionTaken,
    AntePosted,
    BurnMade,
    CardDealt,
    CommunityDealt,
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
    StubScrambled,
)
from controller.hand.irregular_events import (
    BoxedReplaced,
    BurnedEarly,
    CardEliminated,
    CardScrapped,
    DoorChosen,
    HandSeen,
    HandsKilled,
    HoleExposed,
    MisdealDeclared,
    SeatAway,
    SeventhKept,
    SeventhRedone,
    SeventhReplaced,
    SeventhShown,
    StubReturned,
)
from controller.hand.places import SeatPlace, Zone
from controller.hand.state import HandState, Phase
from controller.hand.terms import Verb
from controller.journal.canonical import Body
from controller.journal.codec import CodecError
from controller.journal.schema import Origin
from controller.journal.sealing import BOX_BYTES, NONCE_BYTES, SealError, box_data, commitment, open_box, seat_part
from controller.journal.verify import ReplayDisagrees
from controller.table.betting_events import AllActed, FoldRead
from controller.table.by_hand_events import ConfirmationUndone
from controller.table.carried_events import JournalContinued
from controller.table.carry import carriable, carried
from controller.table.events import CardsCounted, DealKeyMade, Ruled, SeatKeyReleased, SeatLeft, TableEvent
from controller.table.evolve import evolve
from controller.table.floor_orders import hand_opened
from controller.table.records import decode, table_codec
from controller.table.ruling_values import ruled_input
from controller.table.state import TableState
from controller.tracking.custody import DECK_SIZE


class Ending(NamedTuple):
    """What one file of a journal leaves to the next: the state that is due there, hands until there, nonces of the deal in play.

    ``carried`` is the next file's first event without what names the file; ``None`` where no file may end.
    """

    carried: JournalContinued | None
    hands: int
    nonces: frozenset[str]


def _inputs_of(event: HandEvent, hand: HandState) -> tuple[HandInput, ...]:  # noqa: C901 - one line an event
    """What may have been decided when ``event`` came first; none for one that only follows from another or from a ruling."""
    match event:
        case AntePosted(seat=seat):
            return (PostAnte(seat),)
        case CardDealt() | GhostDealt() | BurnMade() | CommunityDealt() | CardEliminated():
            return (CardLaid(hand.due[hand.dealt].place, event.card),) if hand.dealt < len(hand.due) else ()
        case ActionTaken(seat=seat, verb=verb, to=to):
            return (Act(seat, verb, to),)
        case HandTabled(seat=seat):
            return (TableHand(seat),)
        case HandMucked(seat=seat):
            return (MuckHand(seat),)
        case PotAwarded():
            return (AwardPots(),)
        case HandVoided(reason=reason):
            return (VoidHand(reason),)
        case HandHeld(code=code, place=place):
            return (FeltWrong(code, place),)
        case HoldLifted():
            return (FeltRight(), StubReloaded(hand.reload_due or scrambled_count(hand)))
        case StubScrambled(cards=cards) | StubReturned(cards=cards):
            return (StubReloaded(cards),)
        case BurnedEarly():
            return (KeepExtraAsBurn(event.card),)
        case HandsKilled(seats=(seat,)):
            return (ExpireClock(seat),)
        case SeatAway(seat=seat) if hand.stub == DECK_SIZE:  # a player who sits out of a tournament is dealt in (R-ABS-01)
            return (LeaveTable(seat),)
        case _:
            return ()


_ANY: Final = parse_card("2c")
"""Stands for a card that whoever decided knew, where only that it was known matters."""


def _knowing(hand: HandState, event: HandEvent, given: HandInput) -> HandState:
    """``hand`` as it was for those who knew its down cards, as far as ``event`` or ``given`` needs one of them."""
    match given:
        case TableHand(seat=seat) | LetSee(seat=seat) if isinstance(event, HandTabled | HandSeen):
            entry = hand.seats[hand.index_of(seat)]
            if len(event.cards) != len(entry.cards):
                return hand
            return _with_down(hand, seat, event.cards[:2] + event.cards[2 + len(entry.up) :])
        case ExposeHole(seat=seat, number=number) | ChooseDoor(seat=seat, number=number):
            shown = event.card if isinstance(event, HoleExposed | DoorChosen) else _ANY
            down = hand.seats[hand.index_of(seat)].down
            return _with_down(hand, seat, tuple(shown if at == number else card or _ANY for at, card in enumerate(down, 1)))
        case ExposeSeventh(seat=seat) if isinstance(event, SeventhShown | SeventhReplaced):
            down = hand.seats[hand.index_of(seat)].down
            return _with_down(hand, seat, (*down[:-1], event.card))
        case ReplaceBoxed(seat=seat, number=number):
            replaced = event.card if isinstance(event, BoxedReplaced) else _ANY
            entry = hand.seats[hand.index_of(seat)]
            at = number - 1 if number < 3 else len(entry.down) - 1
            known = tuple(replaced if place == at else card for place, card in enumerate(entry.down))
            return hand if replaced in entry.up else _with_down(hand, seat, known)
        case RetrieveHand(seat=seat):
            return _with_down(hand, seat, tuple(card or _ANY for card in hand.seats[hand.index_of(seat)].down))
        case _:
            return hand


def _with_down(hand: HandState, seat: int, down: tuple[Card | None, ...]) -> HandState:
    index = hand.index_of(seat)
    if index < 0:
        return hand
    return hand._replace(seats=(*hand.seats[:index], hand.seats[index]._replace(down=down), *hand.seats[index + 1 :]))


_BOX_TEXT: Final = len(b64encode(bytes(BOX_BYTES)))
_NONCE_TEXT: Final = len(b64encode(bytes(NONCE_BYTES)))
"""A nonce is 12 bytes, so that its base64 is the beginning of its box's."""


def unnamed(event: JournalContinued) -> JournalContinued:
    """``event`` without what names its file, which the chain binds: the state alone."""
    nowhere = Origin("", "", "")
    return replace(event, journal="", table="", created="", first=nowhere.first, before=nowhere.before.hex())


_HAND_EVENTS: Final = frozenset(get_args(HandEvent))


def _is_of_hand(event: TableEvent) -> TypeGuard[HandEvent]:
    return type(event) in _HAND_EVENTS


class Replay:
    """The state after each event, and what it must agree with; from the beginning, or after what an older file leaves ``before``.

    A file that is read alone can only be believed what it begins with.
    """

    def __init__(self, before: Ending | None = None) -> None:
        self._codec = table_codec()
        self._left = before
        self._state = self._before = TableState()
        self._due: tuple[HandEvent, ...] = ()
        self._ruled: Ruled | None = None
        self._folds = 0
        self._acts = 0
        self._boxed: set[Card] = set()
        self._counted = 0
        self.hands = 0 if before is None else before.hands
        self.begins: JournalContinued | None = None
        """What the file that was read first begins with, where it goes on from another."""
        self._nonces: set[str] = set() if before is None else {*before.nonces}
        self.first_nonces = self._nonces
        """Nonces of the deal that was in play where the reading began."""
        self._kid = ""
        self._commitments: dict[str, str] = {}
        self._boxes: dict[int, list[Body]] = {}
        self._tabled: dict[int, tuple[Card, ...]] = {}

    def take(self, seq: int, body: Body) -> None:
        """One event; ``ReplayDisagrees`` says what does not hold."""
        try:
            event = decode(self._codec, body, {})
            self._check_before(event)
            if "sealed" in body:
                self._check_box(body)
            self._ruled = event if isinstance(event, Ruled) else None
            self._folds = event.seat if isinstance(event, FoldRead) else 0
            self._acts = event.acts if isinstance(event, AllActed) else max(0, self._acts - isinstance(event, ActionTaken))
            self._before, self._state = self._state, evolve(self._state, event)
        except (CodecError, ValueError, KeyError, IndexError) as error:
            raise ReplayDisagrees(f"{body.get('type')} cannot follow what stands before it: {type(error).__name__}") from None
        if self._state.seq != seq:
            raise ReplayDisagrees(f"it is number {seq}, but {self._state.seq - 1} events stand before it")
        self._note_box(event, body)
        self._check(event, body)

    @property
    def state(self) -> TableState:
        """The table after the last event that holds."""
        return self._state

    @property
    def unfinished(self) -> bool:
        """Whether the last event leads to others that did not come."""
        return bool(self._due or self._folds or self._acts)

    def _check_announced(self, event: TableEvent) -> None:
        """Behind a fold that the muck told stands that fold, and behind one word for everybody as many actions as it says."""
        match event:
            case HandMucked(seat=seat) | ActionTaken(seat=seat, verb=Verb.FOLD):
                folds = seat
            case _:
                folds = 0
        if self._folds and folds != self._folds:
            raise ReplayDisagrees(f"seat {self._folds} folded into the muck, and its fold does not follow")
        if self._acts and not (_is_of_hand(event) or isinstance(event, FoldRead | SeatKeyReleased | CardsCounted)):
            raise ReplayDisagrees(f"one word was said for everybody, and {self._acts} of its actions do not follow")

    def _check_before(self, event: TableEvent) -> None:
        """Against the state that ``event`` was decided in."""
        self._check_announced(event)
        match event:
            case HandOpened():
                self._check_opened(event)
            case JournalContinued():
                self._check_carried(event)
            case DealKeyMade(deal=deal, kid=kid):
                if deal != self._state.deal + 1 or kid.rpartition("/")[2] != str(deal):
                    raise ReplayDisagrees("the key is of another deal than the next")
                self._nonces = set()
            case SeatLeft(seat=seat, chips=chips):
                if (seat, chips) not in {(entry.seat, entry.stack) for entry in self._state.seats}:
                    raise ReplayDisagrees(f"seat {seat} leaves with other chips than its stack")
            case _ if _is_of_hand(event):
                self._check_decided(event)
            case _:
                pass

    @property
    def ending(self) -> Ending:
        """What a file that ends here leaves to the next."""
        whole = carriable(self._state) and not self._due
        due = carried(self._state, Origin("", "", ""), self._kid, tuple(self._commitments.items())) if whole else None
        return Ending(due, self.hands, frozenset(self._nonces))

    def _check_carried(self, event: JournalContinued) -> None:
        """A file goes on with the state that the one before it ends with, and with nothing else."""
        left = self.ending if self._state.seq else self._left
        if left is not None and left.carried != unnamed(event):
            raise ReplayDisagrees("the file does not begin with the state that the one before it ends with")
        if not self._state.seq:
            self.begins = event
        self._counted = event.hand_number
        self._boxes.clear()
        self._tabled.clear()
        self._boxed.clear()

    def _check_box(self, body: Body) -> None:
        """One of the deal in play, of the one length, and with a nonce that no other box of this deal has (recovery §10).

        Which sub-key made it is not asked: a random nonce that comes twice in a deal is no random nonce.
        """
        box = body["sealed"]
        if not isinstance(box, str) or len(box) != _BOX_TEXT:
            raise ReplayDisagrees("its box has not the length that every box has")
        if body.get("deal") != self._state.deal:
            raise ReplayDisagrees("its card is sealed under another deal than the one in play")
        nonce = box[:_NONCE_TEXT]
        if nonce in self._nonces:
            raise ReplayDisagrees("its box has the nonce of another one of this deal: under one key that gives both cards away")
        self._nonces.add(nonce)

    def _check_opened(self, event: HandOpened) -> None:
        unit = 1 if self._state.game is None else self._state.game.stakes.unit
        stacks = {(entry.seat, entry.stack - entry.stack % unit) for entry in self._state.seats}
        if self._state.hand_open or event.number != self._state.hand_number + 1 or not stacks.issuperset(event.seats):
            raise ReplayDisagrees("the hand opens with another number or other stacks than the table has")
        if event.rules_hash != self._state.setup().rules_hash:
            raise ReplayDisagrees("the hand opens under other rules than are posted")
        if event.stakes is not None and event != hand_opened(self._state, event.seats):
            raise ReplayDisagrees("the hand opens with other players, stakes or house rules than the table has")

    def _check_decided(self, event: HandEvent) -> None:
        """The rules give just this event: as the consequence that is due, or as the first that an input leads to."""
        hand = self._state.hand
        if not self._due and hand is not None:
            for given in (*self._ruled_input(event), *self._thrown(event), *_inputs_of(event, hand)):
                decision = decide(_knowing(hand, event, given), given)
                if not isinstance(decision, Refusal) and decision.events[:1] == (event,):
                    self._due = decision.events
                    break
        if not self._due or self._due[0] != event:
            self._due = ()
            raise ReplayDisagrees(f"the rules do not lead to this {type(event).__name__}")
        self._due = self._due[1:]

    def _thrown(self, event: HandEvent) -> tuple[HandInput, ...]:
        """A hand that was thrown in before its turn, when all others had been (R-BET-14)."""
        return (NoteOutOfTurn(self._folds, Verb.FOLD, 0),) if self._folds and isinstance(event, ActionTaken) else ()

    def _ruled_input(self, event: HandEvent) -> tuple[HandInput, ...]:
        """The ruling that stands right before ``event``."""
        if self._ruled is None:
            return ()
        card = event.card if isinstance(event, CardScrapped | BurnedEarly) else None
        given = ruled_input(self._ruled.kind, self._ruled.role, self._ruled.values, card)
        return () if given is None else (given,)

    def _check(self, event: TableEvent, body: Body) -> None:
        match event:
            case DealKeyMade() | JournalContinued():
                self._kid = event.kid
                self._commitments = dict(event.commitments)
            case HandOpened() | MisdealDeclared():  # a new deal may bring a card that was replaced in the one before
                self._tabled.clear()
                self._boxed.clear()
            case BoxedReplaced(card=card):
                self._boxed.add(card)
            case HandTabled(seat=seat, cards=cards):
                self._tabled[seat] = cards
            case SeatKeyReleased():
                self._check_tabled(event)
            case HandEnded() | HandVoided():
                self._check_chips()
            case CardsCounted(shoe=shoe, flight=flight, dealt=dealt, expected=expected):
                self.hands += self._counted != self._state.hand_number  # once, though an award may be undone (R-RULE-04)
                self._counted = self._state.hand_number
                voided = self._state.hand is not None and self._state.hand.phase is Phase.VOIDED  # a wrong deck is what ended it
                if shoe + flight + dealt != expected and not voided:
                    raise ReplayDisagrees(f"{shoe + flight + dealt} cards are accounted for, not {expected}")
            case _:
                pass

    def _note_box(self, event: TableEvent, body: Body) -> None:
        """Which boxes hold the down cards that each seat has now."""
        match event:
            case HandOpened() | MisdealDeclared():
                self._boxes.clear()
            case CardDealt(place=place) if place.zone is not Zone.UP:
                self._boxes.setdefault(place.seat, []).append({**body, "place": str(place)})
            case SeventhKept(seat=seat):
                self._boxes.setdefault(seat, []).append({**body, "place": f"seat/{seat}/down", "street": 7})
            case SeventhReplaced(seat=seat):
                self._boxes[seat] = self._boxes[seat][:-1]
            case ConfirmationUndone(place=SeatPlace(seat=seat)):
                self._boxes[seat] = self._boxes.get(seat, [])[: len(self._boxes.get(seat, [])) - self._taken_back(seat)]
            case SeventhRedone():
                self._boxes = {seat: [box for box in boxes if box["street"] != 7] for seat, boxes in self._boxes.items()}
            case _:
                pass

    def _taken_back(self, seat: int) -> int:
        """How many down cards of ``seat`` the last event took back: one that was confirmed by mistake, or none."""
        before = () if self._before.hand is None else self._before.hand.seats
        had, has = (sum(len(e.down) for e in seats if e.seat == seat) for seats in (before, self._hand_seats()))
        return max(0, had - has)

    def _check_chips(self) -> None:
        state = self._state
        if not state.chips_conserved:
            raise ReplayDisagrees(f"{state.chips_on_table} chips are on the table, which is not what came less what went")

    def _check_tabled(self, event: SeatKeyReleased) -> None:
        """The released key is the one committed to, and opens this seat's boxes to the cards that were tabled."""
        key = b64decode(event.key)
        part = seat_part(event.seat)
        if commitment(key).hex() != self._commitments.get(part):
            raise ReplayDisagrees(f"the key of seat {event.seat} is not the one that the deal committed to")
        sealed = []
        for body in self._boxes.get(event.seat, []):
            data = box_data(self._kid, str(body["type"]), _number(body["n"]), str(body["place"]))
            try:
                sealed.append(open_box(key, b64decode(str(body["sealed"])), data).card)
            except SealError as error:
                raise ReplayDisagrees(f"a sealed card of seat {event.seat} does not open: {error}") from None
        known = [card for entry in self._hand_seats() if entry.seat == event.seat for card in entry.cards if card is not None]
        owned = {card for card in (*sealed, *known) if card is not None} - self._boxed  # an exposed card is in both (R-EXP-01)
        tabled = self._tabled.get(event.seat, ())
        keyed = sealed.count(None)  # nobody had read them: they were keyed as they lay open (R-SHOW-04)
        whole = sorted(owned) == sorted(tabled)
        if not whole and not (keyed and owned < set(tabled) and len(tabled) == len(owned) + keyed):
            raise ReplayDisagrees(f"seat {event.seat} tabled other cards than it was dealt")

    def _hand_seats(self) -> tuple[Any, ...]:
        return () if self._state.hand is None else self._state.hand.seats


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ReplayDisagrees("a sealed event has no ordinal")
    return value
