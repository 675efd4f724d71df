"""From committed states to payloads: nothing but what everybody may see, told once, in both languages, in its own street."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import pytest
from support.table_story import AT, TableStory, card_texts

from controller.displays.adapter import DisplayAdapter, Where, where_after
from controller.displays.snapshot import Snapshot
from controller.hand.betting import legal_actions
from controller.hand.commands import VoidHand
from controller.hand.events import ActionTaken
from controller.hand.state import Phase
from controller.hand.terms import Verb
from controller.mqtt.compact import Shows, compact_of, shows
from controller.mqtt.payloads import DeviceHealth, PublicEvent, TableStatus
from controller.table.access_events import FloorAsked
from controller.table.inputs import AnswerSeat, FeltIsReady, Resume
from controller.table.loop import Record
from controller.table.records import decode
from controller.table.state import TableState
from drivers.feig.identity import Expected
from drivers.ports import AntennaReport, DeviceReport, Fact, LinkChanged, LinkState

NOW = datetime.fromisoformat(AT)


def stands(told: TableStory) -> Where:
    """Where the next record stands, as all before it tell."""
    where = Where()
    for event in told.events:
        where = where_after(event, where)
    return where


class Shown:
    """Everything that a table's displays are given."""

    def __init__(self, told: TableStory) -> None:
        self.told = told
        self.adapter = DisplayAdapter("T1", 1, stands(told))
        self.snapshots: list[Snapshot] = []
        told.watch = self.take

    def take(self, state: TableState, records: Sequence[Record]) -> None:
        """One commit: no payload holds a card that is not public."""
        snapshot = self.adapter.snapshot(state, records, NOW)
        self.snapshots.append(snapshot)
        for payload in payloads(snapshot):
            assert set(card_texts(json.loads(payload))) <= self.told.public_texts()

    @property
    def last(self) -> Snapshot:
        """The newest snapshot."""
        return self.snapshots[-1]

    @property
    def events(self) -> list[PublicEvent]:
        """All public events."""
        return [event for snapshot in self.snapshots for event in snapshot.events]


def payloads(snapshot: Snapshot) -> list[str]:
    """All texts that go to the broker for a snapshot."""
    assert snapshot.public is not None
    parts = [snapshot.public, *snapshot.seats.values(), *snapshot.events, *snapshot.alarms.values(), *snapshot.devices.values()]
    return [part.model_dump_json() for part in parts]


def shown(seats: dict[int, int] | None = None, **settings: object) -> Shown:
    """Displays of a table with three players."""
    return Shown(TableStory(seats or {1: 100, 3: 100, 5: 100}, **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_no_payload_holds_a_card_that_is_not_public_over_whole_hands(variant: str) -> None:
    """Public view, every seat's, events and alarms, after every commit (R-RULE-06)."""
    for seed in range(6):
        seen = shown({1: 60, 2: 9, 4: 300, 6: 300, 8: 25}, variant=variant, seed=seed)
        seen.told.play_hand()
        assert len(seen.snapshots) > 50


def test_live_events_equal_those_read_back_from_the_journal_without_a_key() -> None:
    """A reader that missed some gets the same ones, seq by seq."""
    seen = shown(seed=2)
    begin = len(seen.told.events)
    seen.told.play_hand()
    seen.told.play_hand()
    where, found = Where(), list[PublicEvent]()
    for seq, body in enumerate(seen.told.bodies, 1):
        event = decode(seen.told.codec, body, {})
        where = where_after(event, where)
        if seq > begin:
            found.extend(seen.adapter.event(Record(seq, AT, event), where))
    assert found == [event.model_copy(update={"previous": None}) for event in seen.events]
    assert len({event.seq for event in found}) == len(found)


def test_each_event_names_the_one_before() -> None:
    """So that a reader sees what it has missed, though most records are no public events."""
    seen = shown(seed=2)
    seen.told.play_hand()
    assert [event.previous for event in seen.events] == [0, *(event.seq for event in seen.events[:-1])]
    assert any(after.seq > before.seq + 1 for before, after in pairwise(seen.events))


def test_an_action_that_closes_a_street_stands_in_that_street() -> None:
    """Not in the next one, which begins in the same commit; antes stand in none."""
    seen = shown()
    seen.told.start().passive(5)
    actions = [event.street for event in seen.events if event.event == "action_taken"]
    assert actions == [3, 3, 3, 4, 4, 4]
    assert {event.street for event in seen.events if event.event == "ante_posted"} == {None}
    assert {event.hand for event in seen.events if event.event != "seat_taken"} == {1}


def test_where_a_table_stands_is_known_after_a_restart() -> None:
    """A new adapter goes on in hand and street of the state that was rebuilt."""
    seen = shown()
    told = seen.told.start().passive(5)
    told.watch = None
    told.restart()
    told.tell(FeltIsReady())
    again = Shown(told)
    assert stands(told) == Where(1, 5)
    told.order(Resume())
    action = legal_actions(told.hand)[0]
    told.act(action.verb, action.to)
    assert [(event.hand, event.street) for event in again.events if event.event == "action_taken"] == [(1, 5)]


def test_a_seat_sees_its_own_side() -> None:
    """Whose turn it is, what it owes, what it may say and which pots it can win."""
    seen = shown({1: 1, 3: 100, 5: 100})
    told = seen.told.start().deal()
    actor = told.hand.round.actor
    views = seen.last.seats
    assert [seat for seat, view in views.items() if view.is_actor] == [actor]
    assert [(option.verb, option.to) for option in views[actor].options] == [("bring_in", 2), ("complete", 4)]
    assert views[actor].to_call == 2
    told.act(Verb.COMPLETE, 4)
    views, other = seen.last.seats, told.hand.round.actor
    assert (views[1].my_pots, views[1].can_win) == ((0,), 3)
    assert (views[other].my_pots, views[other].can_win) == ((0, 1), 7)
    assert views[other].to_call == 4
    assert not views[actor].options
    told.act(Verb.FOLD)
    assert seen.last.seats[other].to_call == 0
    assert all(view.seat == seat for seat, view in seen.last.seats.items())


def test_a_seat_is_told_what_a_void_gave_it_back() -> None:
    """Its own contribution, antes included (R-RULE-03); nothing before, nothing to who was not in the hand, and no more then."""
    seen = shown({1: 100, 3: 100, 5: 100})
    told = seen.told.start().deal()
    first = told.hand.round.actor
    told.act(Verb.COMPLETE, 4)
    before = {seat: view.put_in for seat, view in seen.last.seats.items()}
    assert {view.returned for view in seen.last.seats.values()} == {0}
    told.order(VoidHand("floor"))
    assert {seat: view.returned for seat, view in seen.last.seats.items()} == before
    assert before[first] == 5
    assert {shows(view) for seat, view in seen.last.seats.items() if before[seat]} == {Shows.VOID}
    assert compact_of(seen.last.seats[first]).back == 5
    told.start()
    assert {view.returned for view in seen.last.seats.values()} == {0}


def test_a_seat_that_asks_for_the_floor_is_an_alarm_until_somebody_has_come() -> None:
    """With its place, in both languages; its own display says so, and no other."""
    seen = shown({1: 100, 3: 100, 5: 100})
    seen.told.tell(FloorAsked(3))
    assert [seat for seat, view in seen.last.seats.items() if view.floor_asked] == [3]
    raised = seen.last.alarms["floor_asked_3"]
    assert (raised.code, raised.priority, raised.place) == ("floor_asked", 2, "seat/3")
    assert raised.text.en.startswith("Seat 3 asks for the floor")
    assert raised.text.fr.startswith("Le siège 3 demande")
    seen.told.order(AnswerSeat(3))
    assert seen.last.alarms == {}
    assert not any(view.floor_asked for view in seen.last.seats.values())


def test_a_seat_that_sits_out_has_the_public_view() -> None:
    """Nothing is asked of it."""
    seen = shown()
    told = seen.told
    told.load()
    view = seen.last.seats[3]
    assert (view.seat, view.is_actor, view.my_pots, view.options) == (3, False, (), ())


def test_a_hold_is_an_alarm_in_both_languages_until_it_lifts() -> None:
    """Raised at the time it came, with its place in words, gone when it is mended; an alarm names no card."""
    seen = shown()
    told = seen.told.start()
    card = told.draw()
    told.lay(card, "seat/3/up")
    alarm = seen.last.alarms["hold"]
    assert (alarm.code, alarm.priority, alarm.place) == ("wrong_place", 1, "seat/3/up")
    assert alarm.text.en != alarm.text.fr
    assert seen.last.public is not None
    assert seen.last.public.hold is not None
    assert seen.last.public.hold.text == alarm.text
    told.lay(card, "seat/1/down")
    assert not seen.last.alarms
    told.lay(told.draw(), "muck")
    told.order(VoidHand("floor"))
    assert not seen.last.alarms
    assert [event.event for event in seen.events if event.event.startswith("ho")] == ["hold_lifted"]
    assert [event.code for event in seen.events if event.event == "hand_held"] == ["wrong_place", "wrong_place"]


def test_devices_have_the_health_of_their_link() -> None:
    """One line each; antennas are their line's."""
    seen = shown()
    for state, health in (
        (LinkState.UP, DeviceHealth.OK),
        (LinkState.STALE, DeviceHealth.DEGRADED),
        (LinkState.DEGRADED, DeviceHealth.DEGRADED),
        (LinkState.OPENING, DeviceHealth.UNKNOWN),
        (LinkState.DOWN, DeviceHealth.LOST),
        (LinkState.QUARANTINE, DeviceHealth.LOST),
    ):
        seen.told.tell(LinkChanged("felt-a", 0, state, ""))
        seen.told.tell(LinkChanged("felt-a", 3, state, ""))
        assert {name: device.health for name, device in seen.last.devices.items()} == {"felt-a": health}


def test_a_degraded_shoe_is_an_alarm_that_says_how_it_ends() -> None:
    """Between the streets: health of the device, hold and its sentence in both languages; gone when the line is good again."""
    seen = shown()
    seen.told.start()
    seen.told.deal()
    seen.told.tell(LinkChanged("shoe", 0, LinkState.DEGRADED, ""))
    seen.told.passive(until=4)
    assert seen.last.devices["shoe"].health is DeviceHealth.DEGRADED
    alarm = seen.last.alarms["hold"]
    assert alarm.code == "shoe_degraded"
    assert "goes on by itself after a minute" in alarm.text.en
    assert "reprend seule après une minute" in alarm.text.fr
    seen.told.tell(LinkChanged("shoe", 0, LinkState.UP, ""))
    assert seen.last.alarms == {}


def test_the_status_follows_the_table() -> None:
    """Live, suspended when the shoe falls out, live again."""
    seen = shown()
    told = seen.told.start()
    assert seen.last.status is TableStatus.LIVE
    told.gate_event("T")
    assert seen.last.status is TableStatus.SUSPENDED
    told.order(Resume())
    assert seen.last.status is TableStatus.LIVE


def test_every_public_kind_of_event_is_told() -> None:
    """Over hands with side pots, mucks and voids, each kind comes once at least, and evidence never."""
    kinds = set()
    for seed in range(6):
        seen = shown({1: 60, 2: 9, 4: 300, 6: 300, 8: 25}, seed=seed, rules={"deal.ghost_cards_after_free_fold": "true"})
        seen.told.play_hand()
        kinds |= {event.event for event in seen.events}
    assert kinds >= {
        *("hand_opened", "ante_posted", "card_dealt", "burn_made", "ghost_dealt", "round_opened", "action_taken"),
        *("round_closed", "uncalled_returned", "stub_counted", "hand_tabled", "hand_mucked", "pot_awarded", "hand_ended"),
    }
    assert not kinds & {"card_read", "card_seen", "card_left", "deal_key_made", "seat_key_released"}


def test_up_cards_are_named_and_down_cards_counted() -> None:
    """A dealt down card is a place without a face."""
    seen = shown()
    seen.told.start().deal()
    dealt = [event for event in seen.events if event.event == "card_dealt"]
    assert [event.card is None for event in dealt] == [True] * 6 + [False] * 3
    assert seen.told.hand.phase is Phase.BETTING
    assert len(seen.told.happened(ActionTaken)) == 0


def test_a_device_that_is_not_used_says_why_in_both_languages() -> None:
    """The topic names kind and identity, and the first trouble of the device or of its antennas with the remedy."""
    seen = shown()
    swapped = Expected({1: "AA"}, None, {"BB": "felt-b/1"}).judge("felt-a", 1, 0x44, "BB")
    fact = Fact("ok", 1.0)
    antenna = AntennaReport(1, LinkState.QUARANTINE, "", "", None, swapped)
    report = DeviceReport("felt-a", "readers", "/dev/x", "software 3.03", fact, fact, fact, fact, {}, (antenna,))
    seen.adapter = DisplayAdapter("T1", 1, stands(seen.told), lambda: (report,))
    seen.told.tell(LinkChanged("felt-a", 0, LinkState.UP, ""))
    device = seen.last.devices["felt-a"]
    assert (device.kind, device.identity) == ("readers", "software 3.03")
    assert device.text is not None
    assert "belongs to felt-b/1: swap the two cables back" in device.text.en
    assert "remettez les deux câbles à leur place" in device.text.fr


def test_devices_are_asked_again_when_a_link_changes_or_a_second_has_passed() -> None:
    """Snapshots that follow each other closely show what was told last; none shows it for longer than ``REPORTS_S``."""
    seen, now, asked = shown(), [0.0], list[float]()

    def reports() -> tuple[DeviceReport, ...]:
        asked.append(now[0])
        fact = Fact("ok", 1.0)
        return (DeviceReport("felt-a", "readers", "/dev/x", f"reader {len(asked)}", fact, fact, fact, fact, {}, ()),)

    def shows(at: float, *, links: bool) -> str | None:
        now[0] = at
        if links:
            seen.told.tell(LinkChanged("felt-a", 1, LinkState.UP if len(asked) % 2 else LinkState.DOWN, ""))
        return seen.adapter.snapshot(seen.told.state, (), NOW).devices["felt-a"].identity

    seen.told.tell(LinkChanged("felt-a", 0, LinkState.UP, ""))
    seen.adapter = DisplayAdapter("T1", 1, stands(seen.told), reports, now=lambda: now[0])
    assert [shows(at, links=False) for at in (0.0, 0.4, 0.9, 1.0, 1.5)] == [
        "reader 1",
        "reader 1",
        "reader 1",
        "reader 2",
        "reader 2",
    ]
    assert shows(1.6, links=True) == "reader 3"
    assert shows(1.7, links=False) == "reader 3"
