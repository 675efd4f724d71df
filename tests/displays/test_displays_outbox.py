"""The outbox of public events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.mqtt_samples import Journal, event

from controller.displays.outbox import MAX_PENDING, PAGE, EventOutbox


async def drain(outbox: EventOutbox) -> list[int]:
    sent = []
    while True:
        if outbox.head is None:
            await outbox.refill()
        head = outbox.head
        if head is None:
            return sent
        sent.append(head.seq)
        outbox.acknowledge(head)


async def test_events_leave_in_order_and_once() -> None:
    """What was offered twice leaves once, and what is not acknowledged stays at the head."""
    outbox = EventOutbox(Journal().read)
    outbox.add([event(3), event(5)])
    outbox.add([event(5), event(8)])
    assert outbox.head == event(3)
    assert outbox.head == event(3)
    assert await drain(outbox) == [3, 5, 8]
    assert outbox.empty


async def test_a_full_memory_needs_no_journal() -> None:
    """Exactly ``MAX_PENDING`` events wait in memory."""
    journal = Journal()
    outbox = EventOutbox(journal.read)
    outbox.add(journal.commit(*(event(seq) for seq in range(MAX_PENDING))))
    assert await drain(outbox) == list(range(MAX_PENDING))
    assert journal.asked == []


async def test_one_past_the_memory_comes_from_the_journal() -> None:
    """With one event more, all are read from the journal, page by page, and nothing is lost or doubled."""
    journal = Journal()
    outbox = EventOutbox(journal.read)
    outbox.add(journal.commit(*(event(seq) for seq in range(MAX_PENDING + 1))))
    assert outbox.head is None
    assert not outbox.empty
    assert await drain(outbox) == list(range(MAX_PENDING + 1))
    assert journal.asked == list(range(0, MAX_PENDING + 1, PAGE))
    assert outbox.empty


async def test_an_acknowledged_event_is_not_sent_again_after_an_overflow() -> None:
    """The memory overflows while the head is on its way: the journal is read from its successor."""
    journal = Journal()
    outbox = EventOutbox(journal.read)
    outbox.add(journal.commit(*(event(seq) for seq in range(MAX_PENDING))))
    head = outbox.head
    assert head is not None
    outbox.add(journal.commit(event(MAX_PENDING)))
    outbox.acknowledge(head)
    assert await drain(outbox) == list(range(1, MAX_PENDING + 1))


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 300)), max_size=12))
async def test_any_rhythm_sends_each_event_once_in_order(rhythm: list[tuple[int, int]]) -> None:
    """However committing and sending alternate, every event leaves once and in order."""
    journal = Journal()
    outbox = EventOutbox(journal.read)
    sent: list[int] = []
    for committed, acknowledged in rhythm:
        start = len(journal.events)
        outbox.add(journal.commit(*(event(seq) for seq in range(start, start + committed))))
        for _ in range(acknowledged):
            if outbox.head is None:
                await outbox.refill()
            if outbox.head is not None:
                sent.append(outbox.head.seq)
                outbox.acknowledge(outbox.head)
    assert sent + await drain(outbox) == list(range(len(journal.events)))


async def test_a_start_goes_on_behind_what_the_broker_has() -> None:
    """What an earlier controller made durable and did not send leaves first, from the journal, then what is new."""
    journal = Journal()
    journal.commit(*(event(seq) for seq in range(1, 2 * PAGE + 31)))
    outbox = EventOutbox(journal.read)
    outbox.add([event(2 * PAGE + 30)])
    outbox.resume(25, 2 * PAGE + 30)
    assert outbox.acknowledged == 25
    assert not outbox.empty
    outbox.add(journal.commit(event(2 * PAGE + 31)))
    assert await drain(outbox) == list(range(26, 2 * PAGE + 32))
    assert outbox.acknowledged == 2 * PAGE + 31
    assert outbox.empty


async def test_a_start_at_a_broker_that_has_everything_sends_nothing_again() -> None:
    """Nor does it go back once something was acknowledged, or behind the journal's end."""
    journal = Journal()
    journal.commit(event(1), event(2))
    for kept in (2, 3):
        outbox = EventOutbox(journal.read)
        outbox.resume(kept, 2)
        assert await drain(outbox) == []
    outbox = EventOutbox(journal.read)
    outbox.add([event(2)])
    assert await drain(outbox) == [2]
    outbox.resume(0, 2)
    assert await drain(outbox) == []


async def test_an_event_that_is_read_before_it_is_given_leaves_once() -> None:
    """The journal has a record a moment before the table tells of it."""
    journal = Journal()
    outbox = EventOutbox(journal.read)
    outbox.add(journal.commit(*(event(seq) for seq in range(MAX_PENDING + 1))))
    late = journal.commit(event(MAX_PENDING + 1))
    sent = await drain(outbox)
    outbox.add(late)
    assert sent + await drain(outbox) == list(range(MAX_PENDING + 2))
