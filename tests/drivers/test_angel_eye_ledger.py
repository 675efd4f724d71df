"""What an Angel Eye shoe's reports come to: each once, jumps told, starts told, nothing surer than it is."""

from __future__ import annotations

import pytest

from drivers.angel_eye.frames import Frame
from drivers.angel_eye.ledger import COPIES, LATE_S, REPEAT_S, Ledger
from drivers.angel_eye.messages import CardTold, ErrorTold, LockTold, Occasion, Report, Simple, write_report
from drivers.ports import (
    CardDrawn,
    DrawMode,
    DriverError,
    EventKey,
    GateChanged,
    KnownShoe,
    NoticeKind,
    ShoeEvent,
    ShoeFound,
    ShoeNotice,
)


class Shoe:
    """The shoe's side of a story: says reports under growing numbers."""

    def __init__(self, known: KnownShoe | None = None) -> None:
        self.ledger = Ledger("shoe", known)
        self.found = self.ledger.begin()
        self.now = 10.0
        self.number = 0

    def say(self, report: Report, *, copies: int = COPIES, number: int | None = None) -> list[ShoeEvent]:
        self.number = number if number is not None else self.number % 9 + 1
        frame = Frame(ord("0") + self.number, write_report(report))
        events: list[ShoeEvent] = []
        for _ in range(copies):
            self.now += 0.05
            events += self.ledger.take(frame, self.now)
        self.now += 0.2
        return events


def card(code: str, occasion: Occasion = Occasion.GAME, target: int = 0) -> CardTold:
    return CardTold(occasion, target, 1, code)


def test_three_copies_are_one_card() -> None:
    """Whichever of the copies arrive, the card counts once, with its own draw number and the gap since the last."""
    shoe = Shoe()
    for number, copies in enumerate((3, 1, 2, 3), 1):
        (event,) = shoe.say(card(f"{number + 1}S"), copies=copies)
        assert isinstance(event, CardDrawn)
        assert (event.code, event.draw_no, event.remaining, event.key) == (f"{number + 1}S", number, -1, EventKey(1, number))
        assert event.mode is DrawMode.COUNTED
    assert event.gap_ms == 300
    assert shoe.ledger.repeats == 2 + 0 + 1 + 2


def test_copies_that_were_held_up_are_copies_still() -> None:
    """The port was not read for five seconds between them; a fourth one that long after is another report."""
    shoe = Shoe()
    shoe.say(card("8S"), copies=1)
    shoe.now += 5.0
    assert shoe.say(card("8S"), copies=2, number=1) == []
    shoe.now += LATE_S
    notice, event = shoe.say(card("8S"), copies=1, number=1)
    assert isinstance(notice, ShoeNotice)
    assert isinstance(event, CardDrawn)


def unreadable() -> CardTold:
    return card("??")


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_two_unreadable_draws_within_ten_seconds_are_two(copies: int) -> None:
    """They look alike, and after nine reports under the same number too: however many copies of the first came, the second
    counts, after the eight reports between them and also where those were lost on the line."""
    for is_lost in (False, True):
        shoe = Shoe()
        (first,) = shoe.say(unreadable(), copies=copies)
        for rank in () if is_lost else "23456789":
            shoe.say(card(f"{rank}S"))
        shoe.now += 2.0
        *_, second = shoe.say(unreadable(), number=1)
        assert isinstance(first, CardDrawn)
        assert isinstance(second, CardDrawn)
        assert second.draw_no == (2 if is_lost else 10)


def test_unreadable_draws_that_waited_together_are_counted_each() -> None:
    """After a hold everything comes at one moment: what stands between two of the same number tells them apart."""
    shoe = Shoe()
    reports = [unreadable(), *(card(f"{rank}S") for rank in "23456789"), unreadable()]
    told: list[ShoeEvent] = []
    for number, report in enumerate(reports):
        frame = Frame(ord("1") + number % 9, write_report(report))
        for _ in range(COPIES):
            told += shoe.ledger.take(frame, 10.0)
    assert [event.code for event in told if isinstance(event, CardDrawn)] == ["??", *(f"{rank}S" for rank in "23456789"), "??"]


def test_copies_of_an_unreadable_draw_that_we_held_up_are_copies() -> None:
    """The port was not read between the first copy and the others: one card, not two."""
    shoe = Shoe()
    shoe.say(unreadable(), copies=1)
    shoe.now += 5.0
    shoe.ledger.resumed(shoe.now)
    assert shoe.say(unreadable(), copies=2, number=1) == []


def test_the_same_number_and_content_is_news_after_its_copies() -> None:
    """A restart is told by S under number 1 again, less than a second after the first one."""
    shoe = Shoe()
    (first,) = shoe.say(Simple.STARTED)
    assert isinstance(first, ShoeFound)
    shoe.say(card("8S"))
    shoe.now += REPEAT_S
    (second,) = shoe.say(Simple.STARTED, number=1)
    assert isinstance(second, ShoeFound)
    assert second.is_rebooted
    assert second.state.boot == first.state.boot + 1
    (event,) = shoe.say(card("9S"))
    assert isinstance(event, CardDrawn)
    assert (event.key, event.draw_no, event.gap_ms) == (EventKey(second.state.boot, 1), 1, 0)


def test_an_opening_is_a_start_of_its_own() -> None:
    """A first meeting is no restart; with a journal, or at the second opening, it is one: the table has to compare."""
    assert not Shoe().found.is_rebooted
    shoe = Shoe(KnownShoe(7, 30, 0, 12))
    assert shoe.found.is_rebooted
    assert (shoe.found.state.boot, shoe.found.state.draw_no, shoe.found.state.remaining) == (8, 0, -1)
    assert shoe.ledger.begin().state.boot == 9


def test_a_jump_of_the_numbers_is_told() -> None:
    """Reports may be lost: that is said before the report behind the gap. Nine wraps to one without a word."""
    shoe = Shoe()
    for number in range(1, 11):
        assert len(shoe.say(card("8S" if number % 2 else "9S"))) == 1
    notice, event = shoe.say(card("TS"), number=5)
    assert isinstance(notice, ShoeNotice)
    assert (notice.kind, notice.detail) == (NoticeKind.FAULT, "reports may be lost: number 5 came after 1")
    assert isinstance(event, CardDrawn)
    assert shoe.ledger.gaps == 1


def test_a_card_told_again_is_no_card() -> None:
    """R never starts anything: of the last card it says nothing new, of another one that something is odd."""
    shoe = Shoe()
    shoe.say(card("8S"))
    assert shoe.say(card("8S", Occasion.AGAIN)) == []
    (notice,) = shoe.say(card("KH", Occasion.AGAIN))
    assert isinstance(notice, ShoeNotice)
    assert "KH" not in repr(notice)


def test_cards_outside_a_game() -> None:
    """They count; in error and setting mode without confidence."""
    shoe = Shoe()
    modes = []
    for target in range(3):
        (event,) = shoe.say(card("8S", Occasion.OUTSIDE, target))
        assert isinstance(event, CardDrawn)
        modes.append(event.mode)
    assert modes == [DrawMode.COUNTED, DrawMode.NO_CONFIDENCE, DrawMode.NO_CONFIDENCE]


def test_what_else_it_says() -> None:
    """Cut card, errors with their meaning, its own lock; stand-by is nothing; an unknown letter is told without its content."""
    shoe = Shoe()
    shoe.say(card("8S"))
    (cut,) = shoe.say(Simple.CUT_CARD)
    (raised,) = shoe.say(ErrorTold(4, is_raised=True, stays=True))
    (cleared,) = shoe.say(ErrorTold(4, is_raised=False))
    (locked,) = shoe.say(LockTold(is_locked=True))
    assert shoe.ledger.is_locked
    (opened,) = shoe.say(LockTold(is_locked=False))
    assert shoe.say(Simple.STAND_BY) == []
    key = iter(range(2, 9))
    assert [cut, raised, cleared, locked, opened] == [
        ShoeNotice("shoe", EventKey(1, next(key)), NoticeKind.CUT, "1"),
        ShoeNotice("shoe", EventKey(1, next(key)), NoticeKind.FAULT, "4 reverse run at the exit"),
        ShoeNotice("shoe", EventKey(1, next(key)), NoticeKind.CLEARED, "4 reverse run at the exit"),
        GateChanged("shoe", EventKey(1, next(key)), "K"),
        GateChanged("shoe", EventKey(1, next(key)), ""),
    ]
    events = shoe.ledger.take(Frame(ord("8"), b"Z\x80"), shoe.now)
    assert [type(event) for event in events] == [ShoeNotice]
    assert shoe.ledger.strange == 1


def test_acceptance_of_what_was_never_said() -> None:
    """Beyond the last event, or of a start to come: refused; of an older start: nothing."""
    shoe = Shoe(KnownShoe(3, 9, 0, 0))
    shoe.say(card("8S"))
    shoe.ledger.accept(EventKey(4, 1))
    shoe.ledger.accept(EventKey(3, 20))
    for key in (EventKey(4, 2), EventKey(5, 1)):
        with pytest.raises(DriverError, match="was never delivered"):
            shoe.ledger.accept(key)
