"""The whole table at real pace on virtual time: what goes wrong with cards on the felt, when it is told, and how it ends."""

from __future__ import annotations

import asyncio

import pytest
from support.felt_hands import FeltHands, at_the_felt

from controller.hand.events import CardDealt, RoundOpened
from controller.table.carried_events import CommandAnswered
from controller.table.events import CardLeft, CardSeen
from controller.table.felt_reader import UNSEEN_S

ALARM_S = 0.3
"""From when a reader can know of a wrong seat to the dealer's screen and the shoe's lock."""


@pytest.mark.parametrize("phase_s", [0.0, 0.06, 0.12, 0.18, 0.24])
def test_a_wrong_seat_is_alarmed_within_300_ms_and_cleared_without_a_touch(phase_s: float) -> None:
    """Laid at seat 4 instead of 3, at any moment of the readers' round: the alarm is on the dealer's screen and the shoe locked
    within 0.3 s of the second reading; the card moved to seat 3, play goes on and nobody has pressed anything."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        await hands.deal(2)
        card = hands.draw()
        await asyncio.sleep(phase_s)
        pressed, laid = len(hands.events(CommandAnswered)), hands.now()
        hands.lay(card, "seat/4/down")
        await hands.until(lambda: hands.hold is not None)
        alarm = hands.now()
        await hands.until(lambda: not hands.shoe.is_gate_open)
        locked = hands.now()
        known = hands.second_reading(card, "seat/4/down", since=laid)
        assert hands.hold == "wrong_place"
        assert hands.screen["hold"]["moves"] == [{"from": "seat/4/down", "to": "seat/3/down"}]
        assert known <= alarm <= known + ALARM_S
        assert known <= locked <= known + ALARM_S
        await asyncio.sleep(2.0)
        hands.lay(card, "seat/3/down")
        await hands.until(lambda: hands.hold is None and hands.shoe.is_gate_open)
        assert hands.dealt() == 3
        assert len(hands.events(CommandAnswered)) == pressed
        await hands.deal(3)
        assert hands.stops() == hands.lifted() == ["wrong_place"]

    at_the_felt(story)


def test_a_card_carried_past_the_neighbours_is_no_alarm() -> None:
    """Each card rests 0.25 s over the next seat before it goes where it is due: read there, never told."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        for _ in range(4):
            place = hands.plan()[0]
            card = hands.draw()
            hands.lay(card, f"seat/{int(place.split('/')[1]) % 8 + 1}/down")
            await asyncio.sleep(0.25)
            hands.lay(card, place)
            before = hands.dealt()
            await hands.until(lambda before=before: hands.dealt() > before)
        assert hands.stops() == []

    at_the_felt(story)


@pytest.mark.parametrize("miss", [0.0, 0.05, 0.1])
def test_a_whole_third_street_at_four_cards_a_second(miss: float) -> None:
    """Twenty-four cards without a pause, three of them within 0.3 s: each dealt once, in order, and none missed or held."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        plan = hands.plan()
        assert len(plan) == 24
        cards = []
        for number, place in enumerate(plan):
            await hands.until(lambda: hands.shoe.is_gate_open)
            cards.append(hands.draw())
            hands.lay(cards[-1], place)
            await asyncio.sleep(0.1 if number in (9, 10) else 0.25)
        await hands.until(lambda: hands.events(RoundOpened))
        dealt = hands.events(CardDealt)
        assert [event.card.text for event in dealt] == cards
        assert [str(event.place) for event in dealt] == plan
        assert hands.stops() == []

    at_the_felt(story, miss=miss, seed=round(100 * miss) + 1)


def test_a_card_that_is_not_laid_is_asked_for_and_its_appearance_is_the_answer() -> None:
    """Kept in the hand: after three seconds the screen says where it is due; laid, play goes on."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        await hands.deal(1)
        card, drawn = hands.draw(), hands.now()
        await hands.until(lambda: hands.hold is not None)
        assert drawn + UNSEEN_S <= hands.now() <= drawn + UNSEEN_S + 0.3
        assert (hands.hold, hands.screen["hold"]["place"]) == ("card_not_seen", "seat/2/down")
        assert "Lay it flat" in hands.screen["hold"]["reason_en"]
        await hands.until(lambda: not hands.shoe.is_gate_open)
        hands.lay(card, "seat/2/down")
        await hands.until(lambda: hands.hold is None and hands.dealt() == 2)

    at_the_felt(story)


def test_a_tag_that_is_dead_is_asked_for_and_no_other_card_is_taken_for_it() -> None:
    """Its antenna never reads it: the stop stands with its place, and the cards laid right before it were dealt."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        first, second = hands.draw(), hands.draw()
        line, address = hands.line_of("seat/2/down")
        hands.readers[line].faults.miss_at[address] = 1.0
        hands.lay(first, "seat/1/down")
        hands.lay(second, "seat/2/down")
        await asyncio.sleep(10.0)
        assert (hands.hold, hands.dealt()) == ("card_not_seen", 1)
        hands.readers[line].faults.miss_at[address] = 0.5  # spread apart, it is read now and then
        await hands.until(lambda: hands.hold is None and hands.dealt() == 2)

    at_the_felt(story)


def test_cards_that_left_the_shoe_while_a_line_was_blind_are_reconciled() -> None:
    """Three drawn, the line is pulled out, all are laid; when it is back they are dealt as they lie, without a question."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        cards = [hands.draw() for _ in range(3)]
        line, _ = hands.line_of("seat/1/down")
        link = hands.ports[line]
        link.unplug()
        for number, card in enumerate(cards, 1):
            hands.lay(card, f"seat/{number}/down")
        await asyncio.sleep(8.0)
        assert hands.hold == "device_down"
        assert hands.dealt() == 0
        link.replug()
        await hands.until(lambda: hands.dealt() == 3 and hands.hold is None, within_s=20)
        assert set(hands.stops()) == {"device_down"}

    at_the_felt(story)


def test_a_card_that_lies_wrong_when_its_reader_is_back_is_one_question() -> None:
    """Laid at seat 2 while its line was blind: after the line is back the wrong seat is told, and moving it ends it."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        card = hands.draw()
        line, _ = hands.line_of("seat/1/down")
        link = hands.ports[line]
        link.unplug()
        hands.lay(card, "seat/2/down")
        await asyncio.sleep(8.0)
        link.replug()
        await hands.until(lambda: hands.hold == "wrong_place", within_s=20)
        hands.lay(card, "seat/1/down")
        await hands.until(lambda: hands.hold is None and hands.dealt() == 1)

    at_the_felt(story)


def test_a_tag_at_two_antennas_is_a_stop_until_one_of_them_loses_it() -> None:
    """A neighbour that reads it all the time: the screen says so; when it stops, play goes on. The card is dealt once."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        card = hands.draw()
        hands.lay(card, "seat/1/down")
        await hands.until(lambda: hands.dealt() == 1)
        line, address = hands.line_of("seat/2/down")
        hands.readers[line].faults.extra[address] = (hands.rehearsal.tags[card],)
        await hands.until(lambda: hands.hold == "two_places")
        await hands.until(lambda: not hands.shoe.is_gate_open)
        await asyncio.sleep(3.0)
        del hands.readers[line].faults.extra[address]
        await hands.until(lambda: hands.hold is None and hands.shoe.is_gate_open)
        await hands.deal(3)
        assert hands.stops() == ["two_places"]

    at_the_felt(story)


def test_a_neighbour_that_reads_a_card_now_and_then_stops_nobody() -> None:
    """Two readings in a hundred bleed over while third street is dealt: every card where it is due, no stop."""

    async def story(hands: FeltHands) -> None:
        for readers in hands.readers.values():
            readers.faults.bleed = 0.02
        await hands.start()
        await hands.deal(24, gap_s=0.4)
        assert hands.stops() == []

    at_the_felt(story, miss=0.02)


def test_a_card_lifted_and_put_back_changes_nothing() -> None:
    """For half a second nobody notices; for three the journal has it leave and come back, and play was never stopped."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        card, *_ = await hands.deal(4)
        for away_s in (0.5, 3.0):
            hands.lay(card, "hand")
            await asyncio.sleep(away_s)
            hands.lay(card, "seat/1/down")
            await asyncio.sleep(1.5)
        assert (len(hands.events(CardLeft)), len(hands.events(CardSeen))) == (1, 5)
        await hands.deal(2)
        assert hands.stops() == []

    at_the_felt(story)


def test_cards_in_a_stack_are_read_badly_and_asked_for_at_worst() -> None:
    """A stack is read three times in ten: nothing is invented or doubled; spread out, all are dealt."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        for seat in range(1, 9):
            line, address = hands.line_of(f"seat/{seat}/down")
            hands.readers[line].faults.miss_at[address] = 0.7
        plan = hands.plan()[:6]
        for place in plan:
            await hands.until(lambda: hands.shoe.is_gate_open, within_s=60)
            hands.lay(hands.draw(), place)
            await asyncio.sleep(0.3)
        await asyncio.sleep(6.0)
        for readers in hands.readers.values():
            readers.faults.miss_at.clear()
        await hands.until(lambda: hands.dealt() == 6 and hands.hold is None)
        assert set(hands.stops()) <= {"card_not_seen"}
        assert hands.stops() == hands.lifted()

    at_the_felt(story)


def test_garbled_tags_are_nothing_and_a_foreign_card_is_a_stop() -> None:
    """Numbers that are read once each, a hundred of them, are noise; a tag that stays is a card of another deck until it goes."""

    async def story(hands: FeltHands) -> None:
        await hands.start()
        await hands.deal(1)
        line, address = hands.line_of("seat/3/up")
        for number in range(100):
            hands.readers[line].faults.extra[address] = (f"E0040199{number:08X}",)
            await asyncio.sleep(0.15)
        assert hands.stops() == []
        hands.readers[line].faults.extra[address] = tuple(f"E0040177{number:08X}" for number in range(3))
        await hands.until(lambda: hands.hold == "foreign_card")
        del hands.readers[line].faults.extra[address]
        await hands.until(lambda: hands.hold is None)
        await hands.deal(1)

    at_the_felt(story)
