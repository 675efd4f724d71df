"""Bugs to plant: each changes one thing of the controller that a run must notice. ``PLANTED`` names what each does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final, TypeAlias

import pytest

from controller.app import TableApp
from controller.displays import publisher
from controller.displays.adapter import DisplayAdapter
from controller.displays.outbox import EventOutbox
from controller.hand import pots
from controller.hand.commands import ExpireClock, Refusal, VoidHand
from controller.hand.events import CardDealt, HandEnded
from controller.journal import sealing
from controller.journal.store import JournalStore, KeyDelete
from controller.mqtt.payloads import PublicEvent
from controller.table import decide as table_decide
from controller.table import loop, opening, records, story
from controller.table.evolve import evolve as table_evolve
from controller.table.inputs import ClockRanOut
from controller.table.keyring import Keyring
from controller.table.loop import Table
from controller.table.state import TableState, TableStatus
from drivers.ports import CardDrawn, EventKey
from drivers.shoe import host_session, lines
from drivers.shoe.evidence import EventLedger
from drivers.shoe.gate_orders import GateOrders

Patch: TypeAlias = pytest.MonkeyPatch
Plant: TypeAlias = Callable[[Patch], None]


def skip_a_checksum(patch: Patch) -> None:
    """A line of the shoe is believed whatever its CRC says."""

    def checked(raw: bytes, max_bytes: int) -> bytes | None:
        text = raw.rstrip(b"\r\n")
        return text[:-5] if len(raw) <= max_bytes and text[-5:-4] == b"*" else None

    patch.setattr(lines, "_checked", checked)


def acknowledge_before_commit(patch: Patch) -> None:
    """The shoe is told that an event is durable as soon as it has arrived."""
    original = Table._commit

    async def commit(self: Table, events: Any, states: Any) -> None:
        shoe: Any = self._shoe
        keys = [key for event in events if (key := table_decide.durable_key(event)) is not None]
        if shoe is not None and keys:
            shoe.accept(keys[-1])
        await original(self, events, states)

    patch.setattr(Table, "_commit", commit)


def resend_a_release(patch: Patch) -> None:
    """An order that is not answered is sent again as a new one."""
    original = GateOrders.due

    def due(self: GateOrders, now: float, boot: int) -> Any:
        order = self._current
        was = None if order is None else order.command
        command = original(self, now, boot)
        if order is not None and command is not None and was is not None:
            order.number += 1
            self._last = max(self._last, order.number)
            order.command = replace(command, number=order.number)
            return order.command
        return command

    patch.setattr(GateOrders, "due", due)


def drop_the_fence(patch: Patch) -> None:
    """A larger epoch on the table's topics is not heard."""
    patch.setattr(publisher.DisplayPublisher, "_hear_epoch", lambda *_: None)


def publish_before_append(patch: Patch) -> None:
    """Displays are told before the journal holds it."""
    original = Table._commit

    async def commit(self: Table, events: Any, states: Any) -> None:
        told, self._committed = self._committed, lambda *_: None
        if events:
            seq = self._state.seq
            records = [loop.Record(seq + number, self._now(), event) for number, event in enumerate(events, 1)]
            told(states[-1], records)
        try:
            await original(self, events, states)
        finally:
            self._committed = told

    patch.setattr(Table, "_commit", commit)


def award_the_odd_chip_to_the_last(patch: Patch) -> None:
    """It goes to the winner right of the dealer."""
    original = pots.split
    patch.setattr(pots, "split", lambda chips, order, unit, distribution: original(chips, order[::-1], unit, distribution))


def leak_a_card_into_the_public_view(patch: Patch) -> None:
    """The first down card of a hand stands in the dealer's snapshot and the displays."""
    from controller.console import desk

    original = desk.dealer_view

    def view(picture: Any) -> dict[str, Any]:
        drawn = original(picture)
        hand = picture.hand
        down = () if hand is None else tuple(card for seat in hand.seats for card in seat.down if card is not None)
        return {**drawn, "debug": down[0].text if down else None}

    patch.setattr(desk, "dealer_view", view)


def leak_a_card_into_an_event(patch: Patch) -> None:
    """A down card is named where it is published that one was dealt."""
    original = DisplayAdapter.event

    def event(self: DisplayAdapter, record: Any, where: Any) -> list[PublicEvent]:
        told = list(original(self, record, where))
        if isinstance(record.event, CardDealt) and record.event.card is not None and told:
            told[0] = told[0].model_copy(update={"card": record.event.card.text})
        return told

    patch.setattr(DisplayAdapter, "event", event)


class Forgetful(dict[str, Any]):
    """Answers that nobody finds again."""

    def get(self, key: str, default: Any = None) -> Any:
        del key
        return default


def forget_the_answers(patch: Patch) -> None:
    """A command that is repeated under its key is done again."""
    original = loop.decide

    def decide(state: TableState, given: Any, **known: Any) -> Any:
        return original(state._replace(answers=Forgetful(state.answers)), given, **known)

    patch.setattr(loop, "decide", decide)


def take_passed_decisions(patch: Patch) -> None:
    """A press that answers a decision of before is taken for the one of now."""
    original = loop.decide

    def decide(state: TableState, given: Any, **known: Any) -> Any:
        return original(state, replace(given, decision=None) if hasattr(given, "decision") else given, **known)

    patch.setattr(loop, "decide", decide)


def lose_an_event_on_the_way(patch: Patch) -> None:
    """Two events leave the outbox for one that was acknowledged."""
    original = EventOutbox.acknowledge

    def acknowledge(self: EventOutbox, event: PublicEvent) -> None:
        original(self, event)
        if event.seq % 10 == 0 and self._pending:
            self._pending.popleft()

    patch.setattr(EventOutbox, "acknowledge", acknowledge)


def forget_the_last_record(patch: Patch) -> None:
    """A start replays all but the newest record."""
    import controller.app as app

    original = opening.rebuild

    def rebuild(bodies: Any, codec: Any, keyring: Keyring) -> TableState:
        return original(list(bodies)[:-1], codec, keyring)

    patch.setattr(app, "rebuild", rebuild)


def leave_the_gate_open(patch: Patch) -> None:
    """An order to close it is not sent."""
    original = host_session.HostSession.order_gate

    def order_gate(self: Any, now: float, order: int, *, is_open: bool) -> None:
        if is_open:
            original(self, now, order, is_open=is_open)

    patch.setattr(host_session.HostSession, "order_gate", order_gate)


def believe_an_open_gate_at_a_start(patch: Patch) -> None:
    """A gate that the last controller left open stays open."""
    patch.setattr(table_decide, "close_left_open", lambda *_: None)


def lose_a_chip_of_an_award(patch: Patch) -> None:
    """A stack after a hand is one chip short."""

    def evolve(state: TableState, event: Any) -> TableState:
        after = table_evolve(state, event)
        if isinstance(event, HandEnded):
            first, *rest = after.seats
            return after._replace(seats=(first._replace(stack=first.stack - (first.stack > 0)), *rest))
        return after

    patch.setattr(story, "evolve", evolve)


def repeat_an_epoch(patch: Patch) -> None:
    """A start writes under the epoch of the last one."""

    def raise_epoch(self: JournalStore, *, at_least: int = 0) -> int:
        del at_least
        self._epoch = max(self._epoch, 1)
        self._connection.execute("UPDATE writer SET epoch = ?", (self._epoch,))
        return self._epoch

    patch.setattr(JournalStore, "raise_epoch", raise_epoch)


def deliver_repeats_of_the_shoe(patch: Patch) -> None:
    """A line that the shoe sends again is a new event."""
    original = EventLedger.take

    def take(self: Any, event: Any, body: bytes) -> Any:
        if event.seq <= self.received:
            return self._told(event, EventKey(event.boot, event.seq))
        return original(self, event, body)

    patch.setattr(EventLedger, "take", take)


def go_on_after_a_failed_commit(patch: Patch) -> None:
    """A commit that failed counts as done."""
    original = Table._commit

    async def commit(self: Table, events: Any, states: Any) -> None:
        from controller.journal.errors import JournalFailed

        try:
            await original(self, events, states)
        except JournalFailed:
            seq = self._state.seq
            self._enter(states[-1], [loop.Record(seq + number, self._now(), event) for number, event in enumerate(events, 1)])

    patch.setattr(Table, "_commit", commit)


def tell_a_digest_of_the_state(patch: Patch) -> None:
    """The screen carries an unkeyed digest of where all cards lie: 52 guesses open the one that is missing."""
    from controller.console import desk

    original = desk.dealer_view

    def view(picture: Any) -> dict[str, Any]:
        seats = () if picture.hand is None else picture.hand.seats
        down = bytes(int(card) for seat in seats for card in seat.down if card is not None)
        return {**original(picture), "digest": sha256(down).hexdigest()}

    patch.setattr(desk, "dealer_view", view)


def wait_longer_for_high_cards(patch: Patch) -> None:
    """A card that is read takes a moment longer the higher it is."""
    original = Table.deliver

    async def deliver(self: Table, event: Any) -> None:
        if isinstance(event, CardDrawn) and event.code[0] in "TJQKA":
            await asyncio.sleep(0.001)
        await original(self, event)

    patch.setattr(Table, "deliver", deliver)


def write_hidden_aces_wider(patch: Patch) -> None:
    """The record of a hidden card is longer the higher it is."""
    original = records.encode

    def encode(codec: Any, event: Any, **settings: Any) -> Any:
        body = original(codec, event, **settings)
        return {**body, "at": body["at"] + " " * (int(event.card) // 4)} if "sealed" in body and event.card is not None else body

    patch.setattr(records, "encode", encode)


def take_early_cards_for_due(patch: Patch) -> None:
    """A card that comes while the betting is open is one of the next street."""
    from controller.hand.dealing import street_due
    from controller.hand.state import Phase
    from controller.table import evolve

    original = evolve.next_due

    def next_due(state: TableState) -> Any:
        hand = state.hand
        if hand is not None and hand.phase is Phase.BETTING and hand.street < 7:
            return street_due(hand, hand.street + 1)[len(state.custody.flights)]
        return original(state)

    patch.setattr(evolve, "next_due", next_due)


def leave_early_cards_early(patch: Patch) -> None:
    """Cards that came before a street was due stay premature when it is due."""
    from controller.table import evolve

    patch.setattr(evolve.cards, "redirect", lambda held, _: held)


def tell_another_amount_live(patch: Patch) -> None:
    """What an action costs is told otherwise at once than when it is asked for later."""
    original = EventOutbox.add

    def add(self: EventOutbox, events: Any) -> None:
        original(self, [event.model_copy(update={"chips": (event.chips or 0) + 1}) for event in events])

    patch.setattr(EventOutbox, "add", add)


def count_scrambled_burns_twice(patch: Patch) -> None:
    """Burns that are shuffled into the stub still count as burns."""
    from controller.table import evolve_cards

    patch.setattr(evolve_cards.cards, "unburn", lambda held, _: held)


def backfill_from_the_next(patch: Patch) -> None:
    """Who asks for what it missed is not told the first of it."""
    original = TableApp.public_events

    async def public_events(self: TableApp, from_seq: int, *, limit: int) -> Any:
        found = await original(self, from_seq, limit=limit)
        return found if from_seq <= 1 else found[1:]

    patch.setattr(TableApp, "public_events", public_events)


def believe_an_older_journal(patch: Patch) -> None:
    """What the broker remembers of this table is not compared with its journal."""
    patch.setattr(publisher.DisplayPublisher, "_hear_status", lambda *_: None)
    patch.setattr(publisher.DisplayPublisher, "_hear_epoch", lambda *_: None)


def run_clocks_while_away(patch: Patch) -> None:
    """A player's clock runs, and runs out, before anybody has resumed play."""
    watch, evidence = Table._watch_clock, table_decide._evidence
    live = TableStatus.LIVE

    def watch_clock(self: Table, *, is_new: bool) -> None:
        state, self._state = self._state, self._state._replace(status=live)
        try:
            watch(self, is_new=is_new)
        finally:
            self._state = state

    def take(told: Any, given: Any) -> None:
        if isinstance(given, ClockRanOut):
            told.hand(ExpireClock(given.seat))
        else:
            evidence(told, given)

    patch.setattr(Table, "_watch_clock", watch_clock)
    patch.setattr(table_decide, "_evidence", take)


def act_while_play_is_stopped(patch: Patch) -> None:
    """A floor call is noted, and nobody waits for it."""
    from controller.table import match

    original = match._problem
    patch.setattr(match, "_problem", lambda state: original(state._replace(stopped=False)))


def void_after_the_award_keeps_it(patch: Patch) -> None:
    """A void behind an award is noted, and the chips stay where they went."""
    from controller.table import decide

    original = decide.too_late

    def too_late(state: TableState, order: Any) -> Any:
        over = state.hand is not None and state.hand.over and isinstance(order, VoidHand)
        return Refusal("R-RULE-04", "hand_is_over") if over else original(state, order)

    patch.setattr(decide, "too_late", too_late)


def obey_a_command_on_mqtt(patch: Patch) -> None:
    """What comes on a topic of commands is taken as if nothing were wrong with it."""
    patch.setattr(publisher.DisplayPublisher, "_refuse", lambda *_: None)


def name_the_card_that_came_twice(patch: Patch) -> None:
    """The log says which card the shoe gave twice."""
    original = table_decide.CardRead

    def read(*args: Any, **settings: Any) -> Any:
        event = original(*args, **settings)
        if event.card is not None:
            logging.getLogger("controller.table").debug("read %s", hash((int(event.card), "card")))
        return event

    patch.setattr(table_decide, "CardRead", read)


TOLD_BY_TWINS: Final[dict[str, Plant]] = {
    plant.__name__: plant for plant in (tell_a_digest_of_the_state, wait_longer_for_high_cards, write_hidden_aces_wider)
}
"""Bugs that name no card, and that only two runs with other hidden cards can show (recovery §12, invariant 19)."""


def keep_the_keys(patch: Patch) -> None:
    """The key of a deal that is past stays."""
    original = Keyring.ready

    def ready(self: Keyring, event: Any) -> Any:
        told, change = original(self, event)
        return told, None if isinstance(change, KeyDelete) else change

    patch.setattr(Keyring, "ready", ready)


def leave_the_keys_in_the_log(patch: Patch) -> None:
    """A deleted key stays in the write-ahead log."""
    patch.setattr(JournalStore, "_erase", lambda self: setattr(self, "_erase_due", False))


def count_the_nonces(patch: Patch) -> None:
    """A nonce is a number that begins anew with each start."""
    original = sealing.seal
    numbers = iter(range(1, 1_000_000))

    def seal(key: bytes, hidden: Any, data: bytes, **_: Any) -> bytes:
        return original(key, hidden, data, random_bytes=lambda count: (next(numbers) // 2).to_bytes(count, "big"))

    patch.setattr(sealing, "seal", seal)


def deal_past_a_device(patch: Patch) -> None:
    """A device that is down stops nothing."""
    from controller.table import match

    patch.setattr(match, "_device_down", lambda _: False)


def ask_for_nothing(patch: Patch) -> None:
    """The screen of a betting round offers no action to the last seat."""
    from controller.views import dealer

    original = dealer._act_step

    def act_step(picture: Any, hand: Any) -> dict[str, Any]:
        step = original(picture, hand)
        return {**step, "actions": []} if hand.round.raises > 1 else step

    patch.setattr(dealer, "_act_step", act_step)


PLANTED: Final[dict[str, Plant]] = {
    plant.__name__: plant
    for plant in (
        skip_a_checksum,
        acknowledge_before_commit,
        resend_a_release,
        drop_the_fence,
        publish_before_append,
        award_the_odd_chip_to_the_last,
        leak_a_card_into_the_public_view,
        leak_a_card_into_an_event,
        forget_the_answers,
        take_passed_decisions,
        lose_an_event_on_the_way,
        forget_the_last_record,
        leave_the_gate_open,
        believe_an_open_gate_at_a_start,
        lose_a_chip_of_an_award,
        repeat_an_epoch,
        deliver_repeats_of_the_shoe,
        go_on_after_a_failed_commit,
        keep_the_keys,
        leave_the_keys_in_the_log,
        count_the_nonces,
        tell_another_amount_live,
        deal_past_a_device,
        ask_for_nothing,
    )
}
"""Every bug by its name."""
