"""The host's side of TSP/1, without I/O and clock: bytes and times in, lines to send and events to deliver out.

The owner feeds what it hears (``opened``, ``received``, ``tick``, …) and what the table says (``adopt``, ``order_gate``, …),
always with the monotonic second ``now``, and then takes what came of it with ``drain``.

Nothing but STATUS is sent when the table has been silent for ``LIFE_S``: a hung table must look dead to the shoe, which then
closes its gate after 3 s (TSP/1 gate).
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace

from drivers.ports import FENCED, DriverError, EventKey, KnownShoe, LinkState, ShoeEvent, ShoeFound, ShoeState, ShoeStopped
from drivers.shoe.authentication import HostLock
from drivers.shoe.codec import AUTHENTICATED, format_host, parse_device
from drivers.shoe.effects import Deliver, Effect, HangUp, Phase, Send
from drivers.shoe.evidence import EventLedger, ProtocolFault
from drivers.shoe.gate_orders import GateOrders
from drivers.shoe.host_timers import (
    ACK_SPACING_S,
    HELLO_EVERY_S,
    HOST_WINDOW,
    LIFE_S,
    MISMATCH_STATUS_EVERY_S,
    NAK_EVERY_S,
    STATUS_EVERY_S,
)
from drivers.shoe.lines import HOST, MAX_LINE_BYTES, MAX_SIGNED_BYTES, Line, LineError, LineFramer, UnknownVersion, parse_line
from drivers.shoe.link_health import LinkHealth
from drivers.shoe.messages import (
    Ack,
    Command,
    DeviceHello,
    DeviceMessage,
    Epoch,
    EventMessage,
    Heartbeat,
    HostHello,
    HostMessage,
    Nak,
    Outcome,
    Response,
    Verb,
)
from drivers.shoe.opening import Opening, new_token, state_of
from drivers.shoe.pairing import Paired
from drivers.shoe.trust import distrust, locked_shoe, opens


class HostSession:
    """One controller's dealings with one shoe, over any number of openings of its port.

    ``epoch`` must be durable before the port is opened. ``known`` is what the journal knows of the shoe. Without a ``paired``
    serial number the first shoe that is adopted is taken, and stays the one.
    """

    def __init__(
        self,
        *,
        device: str,
        epoch: Epoch,
        rng: random.Random,
        controller: str = "TABLE",
        paired: Paired | None = None,
        known: KnownShoe | None = None,
        lock: HostLock | None = None,
    ) -> None:
        self._device = device
        self._epoch = epoch
        self._rng = rng
        self._controller = controller
        self._paired = paired if paired is not None else Paired()
        self._phase = Phase.CLOSED
        self._effects: deque[Effect] = deque()
        self._lock = lock
        self._framer = LineFramer(MAX_LINE_BYTES if lock is None else MAX_SIGNED_BYTES)
        self._ledger = EventLedger(device, known)
        self._health = LinkHealth(device)
        self._orders = GateOrders(device, epoch)
        self._boot = known.boot if known is not None else 0
        self._opening = Opening(rng)
        self._status_at = self._hello_at = 0.0
        self._last_life = self._last_ack = self._nak_at = self._mismatch_at = -1e9
        self._nak_seq = 0
        self._ack_due = self._mismatch_told = False
        self._fault: ProtocolFault | None = None
        self._ruling: tuple[int, int] | None = None

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self._phase

    @property
    def health(self) -> LinkHealth:
        """What was heard, how long ago, and what was wrong with it."""
        return self._health

    def drain(self) -> list[Effect]:
        """What is to be done, in order; each effect is returned once."""
        effects = list(self._effects)
        self._effects.clear()
        return effects

    # What the port says

    def opened(self, now: float) -> None:
        """The port is open: nothing is assumed, the shoe is asked for its state."""
        if self._phase is Phase.FENCED:
            return
        self._framer = LineFramer(MAX_LINE_BYTES if self._lock is None else MAX_SIGNED_BYTES)
        self._health.opened(now)
        self._ask(now)
        self._refresh(now)

    def closed(self, now: float, reason: str) -> None:
        """The port is gone."""
        if self._phase is not Phase.FENCED:
            self._phase = Phase.CLOSED
        self._health.closed(reason)
        self._refresh(now)

    def received(self, now: float, data: bytes) -> None:
        """Bytes of the shoe, any chunk."""
        before = self._framer.bad_lines
        for body in self._framer.feed(data):
            self._line(now, body)
        self._health.bad_lines(now, self._framer.bad_lines - before)
        if self._ack_due:
            self._ack_due = False
            self._ack(now)
        self._refresh(now)

    def resumed(self, now: float) -> None:
        """Reading goes on after the owner held it back: that silence was not the shoe's."""
        self._health.heard(now)

    def tick(self, now: float) -> None:
        """Do what time has made due."""
        if self._phase is Phase.ASKING and now >= self._status_at:
            self._send_status(now)
        if self._phase is Phase.GREETING and now >= self._hello_at and self._is_alive(now):
            self._greet(now)
        self._run_orders(now)
        self._refresh(now)

    def next_at(self, now: float) -> float:
        """When ``tick`` has something to do again; infinity when only bytes or the table can change anything."""
        times = [self._health.next_at()]
        if self._phase is Phase.ASKING:
            times.append(self._status_at)
        if self._is_alive(now):
            if self._phase is Phase.GREETING:
                times.append(self._hello_at)
            if self._phase is Phase.OPEN:
                times.append(self._orders.next_at())
        return min(times)

    # What the table says

    def adopt(self, now: float, boot: int, accepted_seq: int) -> None:
        """The adoption of ``boot`` is durable: greet the shoe with the highest event accepted in it.

        After a ``ShoeStopped`` this is a person's ruling: the session goes on from ``accepted_seq`` with the shoe as it is. Late
        calls for a boot that is not the one found change nothing. ``DriverError`` for a number above the shoe's last event.
        """
        self._last_life = now
        if self._fault is not None and self._phase in (Phase.OPEN, Phase.GREETING) and boot == self._boot:
            if self._lock is not None:  # a nonce opens one session: ask for a fresh one, then go on as ruled
                self._ruling = boot, accepted_seq
                self._ask(now)
                return
            first, last = 1, accepted_seq
        elif self._phase is Phase.FOUND and (pair := self._opening.pair()) is not None and pair[1].boot == boot:
            found = state_of(*pair)
            first, last = found.first_kept, found.last_seq
            self._paired = replace(self._paired, serial=found.serial)
        else:
            return
        if accepted_seq > last:
            raise DriverError(f"{self._device} has sent {last} events and not {accepted_seq}: look at the journal")
        if boot != self._boot:
            self._deliver_all(self._orders.fate_unknown())
        self._ledger.adopt(boot, accepted_seq, first, is_continued=self._is_continued(), is_ruling=self._fault is not None)
        self._boot = boot
        self._fault = None
        self._health.adopted(now, self._ledger.accepted)
        self._phase = Phase.GREETING
        if self._lock is not None and self._opening.hello is not None:
            self._lock.start(now, self._opening.hello.nonce, boot, self._epoch)
        self._greet(now)
        self._refresh(now)

    def renew(self, now: float, epoch: Epoch) -> None:
        """Go on under ``epoch``, durable and larger: order ids begin again, and the shoe is asked for its state. After a
        ``ShoeStopped`` a person ruled so, and the shoe is met as if for the first time: the table compares its counts."""
        if self._phase is Phase.FENCED:
            return
        self._deliver_all(self._orders.fate_unknown())
        self._epoch, self._orders = epoch, GateOrders(self._device, epoch)
        if self._fault is not None:
            self._fault, self._ruling, self._ledger, self._boot = None, None, EventLedger(self._device, None), 0
        if self._phase is not Phase.CLOSED:
            self._ask(now)

    def woken(self, now: float) -> None:
        """Nothing that was under way before a pause is repeated; the shoe is asked for its state."""
        if self._phase not in (Phase.FENCED, Phase.CLOSED):
            self._deliver_all(self._orders.fate_unknown())
            self._ask(now)

    def accept(self, now: float, key: EventKey) -> None:
        """Events up to ``key`` are durable: acknowledge them. Keys of another boot and old ones are ignored."""
        self._last_life = now
        if key.boot == self._boot and self._ledger.accept(key.seq):
            self._ack(now)

    def sign_of_life(self, now: float) -> None:
        """The table lives and commits keep up."""
        self._last_life = now
        if now - self._last_ack >= ACK_SPACING_S:
            self._ack(now)
        self.tick(now)

    def order_gate(self, now: float, order: int, *, is_open: bool) -> None:
        """Ask for the gate under command id ``order``; one is under way, a newer one replaces one that was never sent."""
        self._order(now, order, Verb.LOCK, "0" if is_open else "1")

    def clear_error(self, now: float, order: int, code: str) -> None:
        """Clear the latched error ``code`` under command id ``order``; behind the order under way, before any that is newer."""
        self._order(now, order, Verb.CLEAR, code)

    def _order(self, now: float, order: int, verb: Verb, argument: str) -> None:
        self._last_life = now
        if self._phase is Phase.FENCED:
            self._effects.append(Deliver(self._orders.failed(order, "another controller runs this shoe")))
            return
        self._deliver_all(self._orders.add(order, verb, argument))
        self._run_orders(now)

    # Lines of the shoe

    def _line(self, now: float, received: bytes) -> None:
        if self._phase in (Phase.CLOSED, Phase.FENCED):
            return
        checked = None if self._lock is None else self._lock.check(now, received)
        if self._lock is not None and checked is None:
            self._not_believed(now, received)
            return
        try:
            line = parse_line(received if checked is None else checked.body)
            if line.node == HOST or (self._paired.node not in (None, line.node) and self._phase is not Phase.ASKING):
                self._health.foreign_lines += 1
                return
            message = parse_device(line)
        except UnknownVersion:
            self._mismatch(now)
            return
        except LineError:
            self._health.unreadable_lines += 1
            return
        if checked is not None and checked.is_opening and not opens(message, is_asked=self._phase is Phase.ASKING):
            return
        self._health.heard(now)
        self._health.lines += 1
        self._dispatch(now, line, message)

    def _not_believed(self, now: float, received: bytes) -> None:
        """A line without a good tag."""
        fault = distrust(now, self._lock, self._health, self._device, received, is_asked=self._phase is Phase.ASKING)
        if fault is not None and self._fault is None:
            self._fault = fault
            self._stop(fault.code, fault.reason)

    def _dispatch(self, now: float, line: Line, message: DeviceMessage) -> None:
        match self._phase, message:
            case Phase.ASKING, DeviceHello(caps=caps) if self._lock is None and AUTHENTICATED in caps:
                self._health.quarantine(locked_shoe(self._device))
            case Phase.ASKING, DeviceHello() | Heartbeat():
                pair = self._opening.take(message)
                if pair is not None:
                    self._judge(now, line.node, *pair)
            case ((Phase.FOUND | Phase.GREETING | Phase.OPEN), _) if message.boot > max(self._boot, self._opening.boot):
                self._ask(now)
            case ((Phase.GREETING | Phase.OPEN), _) if message.boot == self._boot:
                self._session_line(now, line, message)
            case _:
                pass  # a line of an older boot, or before the session: changes nothing

    def _session_line(self, now: float, line: Line, message: DeviceMessage) -> None:
        match message:
            case DeviceHello():
                pass
            case Heartbeat():
                self._heartbeat(now, message)
            case Response():
                self._response(now, message)
            case _:
                self._event(now, line, message)

    def _event(self, now: float, line: Line, event: EventMessage) -> None:
        if self._fault is not None:
            return
        if event.seq > self._ledger.received + 1:
            self._nak(now)
        elif event.seq == self._ledger.received + 1 and not self._has_room():
            pass  # the table does not keep up: the shoe keeps the event and repeats it
        else:
            is_repeat = event.seq <= self._ledger.received
            self._health.event(now, is_repeat=is_repeat)
            try:
                self._deliver_all(self._ledger.take(event, line.body))
            except ProtocolFault as fault:
                self._fault = fault
                self._stop(fault.code, fault.reason)
            self._ack_due = self._ack_due or is_repeat

    def _heartbeat(self, now: float, beat: Heartbeat) -> None:
        self._health.said(now, beat)
        if beat.epoch.beats(self._epoch):
            self._fence("the shoe obeys a newer controller")
            return
        if self._phase is Phase.GREETING and beat.epoch == self._epoch:
            self._phase = Phase.OPEN
            self._run_orders(now)
        self._health.beat(now, acked=beat.acked, accepted=self._ledger.accepted, is_ours=beat.epoch == self._epoch)
        if beat.acked > self._ledger.accepted and beat.epoch == self._epoch:
            self._ask(now)
        elif beat.last_seq > self._ledger.received and self._fault is None:
            self._nak(now)

    def _response(self, now: float, answer: Response) -> None:
        if answer.epoch != self._epoch:
            return
        if answer.outcome is Outcome.ERR and answer.reason == "FENCED":
            self._fence("the shoe refuses orders of this controller")
            return
        if self._phase is Phase.OPEN:
            self._deliver_all(self._orders.answered(answer))
            self._run_orders(now)

    # Opening a session

    def _ask(self, now: float) -> None:
        """Ask for a fresh pair; until it is in, no event and no command (TSP/1 opening a session)."""
        self._phase, self._mismatch_told = Phase.ASKING, False
        self._opening = Opening(self._rng)
        self._send_status(now)

    def _send_status(self, now: float) -> None:
        self._status_at = now + STATUS_EVERY_S
        self._send(Command(0, self._opening.token, self._epoch, Verb.STATUS))

    def _judge(self, now: float, node: str, hello: DeviceHello, beat: Heartbeat) -> None:
        """A fresh pair is in: go on, or say why not."""
        self._phase = Phase.FOUND
        self._health.said(now, beat)
        self._health.identity = f"{hello.model} {hello.firmware}, serial number {hello.serial}, node {node}"
        stranger = self._paired.judge(self._device, node, hello)
        self._health.quarantine(stranger)
        if stranger is not None:  # asked again: the right one may come back to a port that stays open
            self._phase, self._opening, self._status_at = Phase.ASKING, Opening(self._rng), now + STATUS_EVERY_S
            return
        self._paired = replace(self._paired, node=node)
        found = state_of(hello, beat)
        if beat.epoch.beats(self._epoch):
            self._fence("the shoe obeys a newer controller")
            return
        if not hello.min_version <= 1 <= hello.max_version:
            self._stop("version", "The shoe does not speak TSP/1: bring shoe and controller to the same version.", found)
            return
        ruling, self._ruling = self._ruling, None
        if ruling is not None and ruling[0] == beat.boot:
            self.adopt(now, *ruling)
            return
        fault = self._fault or self._ledger.compare(beat, found.last_seq)
        if fault is not None:
            self._stop(fault.code, fault.reason, found)
            return
        is_rebooted = self._boot not in (0, beat.boot) and not self._is_continued()
        self._effects.append(Deliver(ShoeFound(self._device, found, is_rebooted=is_rebooted)))

    def _is_continued(self) -> bool:
        """Whether the shoe that answered began a new numbering at its sequence end and lost nothing."""
        beat = self._opening.rolled_over(self._boot)
        return beat is not None and self._ledger.has_counters(beat.load, beat.draw_no)

    def _greet(self, now: float) -> None:
        self._hello_at = now + HELLO_EVERY_S
        nonces = "" if self._lock is None else self._lock.nonces
        self._send(HostHello(self._boot, self._ledger.accepted, self._epoch, self._controller, 1, nonces))

    def _mismatch(self, now: float) -> None:
        self._health.foreign_lines += 1
        if now - self._mismatch_at >= MISMATCH_STATUS_EVERY_S:
            self._mismatch_at = now
            self._send(Command(0, new_token(self._rng), self._epoch, Verb.STATUS))
        if not self._mismatch_told:
            self._mismatch_told = True
            self._stop("version", "Protocol mismatch: the shoe sends lines of another protocol version.")

    def _is_alive(self, now: float) -> bool:
        return now - self._last_life <= LIFE_S

    def _ack(self, now: float) -> None:
        if self._phase in (Phase.GREETING, Phase.OPEN) and self._is_alive(now):
            self._last_ack = now
            self._send(Ack(self._boot, self._ledger.accepted, self._epoch))

    def _has_room(self) -> bool:
        return self._ledger.received - self._ledger.accepted < HOST_WINDOW

    def _nak(self, now: float) -> None:
        wanted = self._ledger.received + 1
        if self._is_alive(now) and self._has_room() and (wanted != self._nak_seq or now - self._nak_at >= NAK_EVERY_S):
            self._nak_seq, self._nak_at = wanted, now
            self._health.gaps += 1
            self._send(Nak(self._boot, wanted, self._epoch))

    def _run_orders(self, now: float) -> None:
        if self._phase is Phase.OPEN and self._is_alive(now) and (order := self._orders.due(now, self._boot)) is not None:
            self._send(order)

    def _send(self, message: HostMessage) -> None:
        line = format_host(message)
        self._effects.append(Send(line if self._lock is None else self._lock.sign(message, line)))

    def _fence(self, reason: str) -> None:
        self._phase = Phase.FENCED
        self._deliver_all(self._orders.fate_unknown())
        self._stop(FENCED, f"This controller is fenced off: {reason}. Find out which controller runs this table.")
        self._effects.append(HangUp(reason))

    def _stop(self, code: str, reason: str, found: ShoeState | None = None) -> None:
        self._effects.append(Deliver(ShoeStopped(self._device, code, reason, found)))

    def _deliver_all(self, events: list[ShoeEvent]) -> None:
        self._effects.extend(map(Deliver, events))

    def _refresh(self, now: float) -> None:
        """Tell a change of the link, once."""
        change = self._health.change(now, LinkState.UP if self._phase is Phase.OPEN else LinkState.OPENING)
        if change is not None:
            self._effects.append(Deliver(change))
