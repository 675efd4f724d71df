"""Presence filter: appears fast, disappears slowly, moves once, and says when two antennas disagree."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.hand.places import Place, SeatPlace, Spot, Zone
from controller.tracking.evidence import ConflictEnded, Evidence, TagConflict, TagGone, TagSeen
from controller.tracking.presence import MAX_TRACKED, PresenceFilter, PresenceSettings

A, B, MUCK = SeatPlace(1, Zone.DOWN), SeatPlace(2, Zone.DOWN), Spot.MUCK
ACE, KING = "E00401009A3B7C21", "E00401009A3B7C55"
NONE: frozenset[str] = frozenset()
STEP_S = 0.1


class Felt:
    """True places, a scan of every antenna each 0.1 s, and what the filter made of it."""

    def __init__(self, *places: Place, known: dict[Place, frozenset[str]] | None = None, **changes: float) -> None:
        self.filter = PresenceFilter(PresenceSettings(**changes), dict.fromkeys(places, NONE) | (known or {}))  # type: ignore[arg-type]
        self.now = 0.0
        self.events: list[Evidence] = []

    def scan(self, place: Place, *tags: str, clean: bool = True) -> tuple[Evidence, ...]:
        events = self.filter.scan(place, tags, clean, self.now)
        self.events += events
        return events

    def steps(self, count: int, reads: dict[Place, tuple[str, ...]], *, clean: bool = True) -> list[Evidence]:
        before = len(self.events)
        for _ in range(count):
            self.now = round(self.now + STEP_S, 6)
            for place, tags in reads.items():
                self.scan(place, *tags, clean=clean)
        return self.events[before:]


def test_a_tag_appears_with_the_second_hit_within_three_scans() -> None:
    """One hit is nothing; hit, miss, hit is a tag; hit, miss, miss is none."""
    felt = Felt(A)
    assert felt.steps(1, {A: (ACE,)}) == []
    assert felt.steps(2, {A: ()}) == []
    assert felt.steps(1, {A: (ACE,)}) == []
    assert felt.steps(1, {A: ()}) == []
    assert felt.steps(1, {A: (ACE,)}) == [TagSeen(ACE, A, 0.6)]
    assert felt.filter.at(A) == {ACE}
    assert felt.filter.where(ACE) == A
    assert felt.steps(50, {A: (ACE,)}) == []


def test_gone_takes_eight_misses_and_800_ms() -> None:
    """Seven misses are none; the eighth at 0.8 s after the last reading is the end."""
    felt = Felt(A)
    felt.steps(2, {A: (ACE,)})
    assert felt.steps(7, {A: ()}) == []
    assert felt.steps(1, {A: ()}) == [TagGone(ACE, A, 1.0)]
    assert felt.filter.at(A) == NONE
    assert felt.filter.where(ACE) is None


def test_fast_scans_still_wait_800_ms() -> None:
    """Eight misses within 0.4 s are not enough; at 0.8 s they are."""
    felt = Felt(A)
    felt.scan(A, ACE)
    felt.scan(A, ACE)
    for number in range(1, 17):
        felt.now = number * 0.05
        gone = felt.scan(A)
        assert gone == ((TagGone(ACE, A, 0.8),) if number == 16 else ())


def test_slow_scans_still_need_eight_misses() -> None:
    """At one scan a second the tag is gone after eight seconds, not after one."""
    felt = Felt(MUCK)
    felt.scan(MUCK, ACE)
    felt.scan(MUCK, ACE)
    for second in range(1, 8):
        felt.now = float(second)
        assert felt.scan(MUCK) == ()
    felt.now = 8.0
    assert felt.scan(MUCK) == (TagGone(ACE, MUCK, 8.0),)


def test_one_hit_starts_the_count_of_misses_anew() -> None:
    """Seven misses, a hit, seven misses: still there, however slow the scans."""
    felt = Felt(A)
    for number, hit in enumerate([True, True, *[False] * 7, True, *[False] * 7]):
        felt.now = float(number)
        felt.scan(A, *((ACE,) if hit else ()))
    assert felt.events == [TagSeen(ACE, A, 1.0)]


def test_error_scans_never_count_as_absence() -> None:
    """However long a reader reports RF errors without the tag, it is not gone; and its readings count as presence."""
    felt = Felt(A)
    felt.steps(2, {A: (ACE,)})
    assert felt.steps(500, {A: ()}, clean=False) == []
    felt.steps(7, {A: ()})
    felt.steps(1, {A: (ACE,)}, clean=False)
    assert felt.steps(7, {A: ()}) == []
    assert felt.steps(2, {A: (KING,)}, clean=False) == [TagSeen(KING, A, felt.now)]


def test_error_scans_do_not_use_up_the_window() -> None:
    """A tag read twice with error scans between is there: those scans say nothing against it."""
    felt = Felt(A)
    felt.steps(1, {A: (ACE,)})
    felt.steps(5, {A: ()}, clean=False)
    assert felt.steps(1, {A: (ACE,)}) == [TagSeen(ACE, A, felt.now)]


def test_a_moved_tag_is_reported_at_its_new_place() -> None:
    """Off A, on B: gone at A and seen at B, in that order, long before 0.8 s, and no conflict."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    assert felt.steps(2, {A: (), B: (ACE,)}) == [TagGone(ACE, A, 0.7), TagSeen(ACE, B, 0.7)]
    assert felt.filter.where(ACE) == B
    assert (felt.filter.at(A), felt.filter.at(B)) == (NONE, frozenset({ACE}))


def test_a_lifted_tag_comes_back_elsewhere() -> None:
    """A card in the hand for two seconds is gone from A, then seen at B."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    assert [type(event) for event in felt.steps(20, {A: (), B: ()})] == [TagGone]
    assert [type(event) for event in felt.steps(2, {A: (), B: (ACE,)})] == [TagSeen]


def test_a_move_away_from_a_silent_antenna() -> None:
    """The first antenna says nothing any more. The tag is believed at the second one after 0.8 s."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    moved = felt.steps(12, {B: (ACE,)})
    assert moved == [TagGone(ACE, A, 1.4), TagSeen(ACE, B, 1.4)]


def test_two_antennas_for_longer_than_300_ms_is_a_conflict() -> None:
    """Read by both without a pause: told once, the tag stays at its first place, and the other place has it not."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    assert felt.steps(3, {A: (ACE,), B: (ACE,)}) == []
    assert felt.steps(50, {A: (ACE,), B: (ACE,)}) == [TagConflict(ACE, A, B, 1.0)]
    assert felt.filter.where(ACE) == A
    assert felt.filter.at(B) == NONE


def alternating(felt: Felt, scans: int, weak: Place, strong: Place) -> list[Evidence]:
    """One antenna reads the tag in every scan, the other in two of five."""
    events: list[Evidence] = []
    for number in range(scans):
        read = (ACE,) if number % 5 in (0, 1) else ()
        events += felt.steps(1, {strong: (ACE,), weak: read})
    return events


def test_a_tag_that_the_neighbour_reads_far_less_often_bleeds_over() -> None:
    """Devices §3: it stays where it is read in every scan. The doubt ends by itself and does not come back; read as often by both
    afterwards it is a conflict again."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    told = felt.steps(10, {A: (ACE,), B: (ACE,)})
    told += alternating(felt, 60, weak=B, strong=A)
    assert [type(event) for event in told] == [TagConflict, ConflictEnded]
    assert felt.filter.where(ACE) == A
    assert [type(event) for event in felt.steps(30, {A: (ACE,), B: (ACE,)})] == [TagConflict]


def test_a_tag_that_was_first_seen_by_the_weaker_antenna_lies_at_the_stronger() -> None:
    """Laid between two antennas, it was read by the farther one first: the one that reads it every time has it."""
    felt = Felt(A, B)
    felt.steps(2, {A: (ACE,), B: ()})
    felt.steps(8, {A: (ACE,), B: (ACE,)})
    told = alternating(felt, 60, weak=A, strong=B)
    assert [type(event) for event in told] == [ConflictEnded, TagGone, TagSeen]
    assert felt.filter.where(ACE) == B


def test_a_conflict_ends_when_the_other_antenna_loses_it() -> None:
    """The neighbour stops reading it: over, and the tag never moved."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(10, {A: (ACE,), B: (ACE,)})
    assert felt.steps(20, {A: (ACE,), B: ()}) == [ConflictEnded(ACE, A, B, 2.3)]
    assert felt.filter.where(ACE) == A


def test_a_conflict_ends_when_the_first_antenna_loses_it() -> None:
    """The first place loses it by the full rule: over, gone there, seen at the other."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(10, {A: (ACE,), B: (ACE,)})
    assert felt.steps(20, {A: (), B: (ACE,)}) == [ConflictEnded(ACE, A, B, 2.3), TagGone(ACE, A, 2.3), TagSeen(ACE, B, 2.3)]


def test_a_conflict_ends_when_both_lose_it() -> None:
    """The card is taken up from between the antennas: over and gone, seen nowhere."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(10, {A: (ACE,), B: (ACE,)})
    assert felt.steps(20, {A: (), B: ()}) == [ConflictEnded(ACE, A, B, 2.3), TagGone(ACE, A, 2.3)]
    assert felt.filter.where(ACE) is None


def test_a_card_that_passes_both_is_no_conflict() -> None:
    """A card slid from A to B is read by both for 0.2 s: it moves, and nobody is alarmed."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(2, {A: (ACE,), B: (ACE,)})
    assert [type(event) for event in felt.steps(10, {A: (), B: (ACE,)})] == [TagGone, TagSeen]


def test_a_move_needs_two_misses() -> None:
    """Two readings at B and one miss at A, whose antenna is slower, are no move yet; the second miss makes it one."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(2, {B: (ACE,)})
    assert felt.steps(1, {A: (), B: (ACE,)}) == []
    assert felt.steps(1, {A: ()}) == [TagGone(ACE, A, 0.9), TagSeen(ACE, B, 0.9)]


def test_a_move_needs_two_readings_since_the_last_one_at_home() -> None:
    """Read by both for a moment, then missed twice at A while B has read it once since: no move before the second reading."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    felt.steps(2, {A: (ACE,), B: (ACE,)})
    assert felt.steps(1, {A: (), B: (ACE,)}) == []
    assert felt.steps(1, {A: (), B: ()}) == []
    assert felt.steps(1, {A: (), B: (ACE,)}) == [TagGone(ACE, A, 1.0), TagSeen(ACE, B, 1.0)]


def test_one_stray_reading_next_door_is_nothing() -> None:
    """A neighbour that reads the tag once now and then changes nothing."""
    felt = Felt(A, B)
    felt.steps(5, {A: (ACE,), B: ()})
    for _ in range(20):
        assert felt.steps(1, {A: (ACE,), B: (ACE,)}) == []
        assert felt.steps(4, {A: (ACE,), B: ()}) == []


def test_tags_of_the_journal_are_present_and_not_announced() -> None:
    """After a restart a known tag is there at once, is not seen anew, and goes by the ordinary rule alone."""
    felt = Felt(A, B, known={A: frozenset({ACE, KING})})
    assert felt.filter.at(A) == {ACE, KING}
    assert felt.steps(8, {A: (ACE,), B: ()}) == [TagGone(KING, A, 0.8)]
    assert felt.filter.at(A) == {ACE}


def test_a_tag_of_the_journal_that_lies_elsewhere_now() -> None:
    """Moved while the controller was down: reported as a move."""
    felt = Felt(A, B, known={A: frozenset({ACE})})
    assert felt.steps(3, {A: (), B: (ACE,)}) == [TagGone(ACE, A, 0.2), TagSeen(ACE, B, 0.2)]


def test_a_known_tag_has_one_place() -> None:
    """A journal that has one tag in two places is refused, without the tag in the words."""
    with pytest.raises(ValueError, match="a tag is known at seat/1/down and at seat/2/down") as refusal:
        Felt(A, B, known={A: frozenset({ACE}), B: frozenset({ACE})})
    assert ACE not in str(refusal.value)


def test_ready_needs_three_clean_scans_of_all_and_a_second_of_quiet() -> None:
    """Every antenna three clean scans, then one second without change; error scans do not help."""
    felt = Felt(A, MUCK)
    felt.steps(20, {A: ()})
    assert felt.filter.waiting_for() == (MUCK,)
    felt.steps(5, {MUCK: ()}, clean=False)
    felt.steps(2, {MUCK: ()})
    assert not felt.filter.ready(felt.now)
    felt.steps(1, {MUCK: ()})
    assert felt.filter.ready(felt.now)
    felt.steps(2, {MUCK: (ACE,)})
    assert not felt.filter.ready(felt.now + 0.99)
    assert felt.filter.ready(felt.now + 1.0)


def test_ready_waits_for_the_tags_of_the_journal() -> None:
    """A known tag that no scan has read yet is in doubt: not ready until it answers or is gone."""
    felt = Felt(MUCK, known={MUCK: frozenset({ACE})})
    for second in range(1, 8):
        felt.now = float(second)
        felt.scan(MUCK)
        assert not felt.filter.ready(felt.now)
    felt.now = 8.0
    assert felt.scan(MUCK) == (TagGone(ACE, MUCK, 8.0),)
    assert felt.filter.ready(9.0)


def test_a_tag_rests_300_ms_after_its_first_reading_and_is_told_once() -> None:
    """Not before; a tag that is read on is not told again, and one that has only been seen once does not rest."""
    felt = Felt(A)
    felt.steps(2, {A: (ACE,)})
    assert felt.filter.rested(0.39) == ()
    assert felt.filter.rested(0.4) == (TagSeen(ACE, A, 0.4),)
    felt.steps(5, {A: (ACE,)})
    felt.steps(1, {A: (ACE, KING)})
    assert felt.filter.rested(9.0) == ()


def test_a_tag_rests_anew_where_it_goes() -> None:
    """Carried past B on its way, it rests at none but where it comes to lie; gone before it rests, it rests nowhere."""
    felt = Felt(A, B, MUCK)
    felt.steps(2, {A: (ACE,), B: (), MUCK: ()})
    felt.steps(2, {A: (), B: (ACE,), MUCK: ()})
    felt.steps(2, {A: (), B: (), MUCK: (ACE,)})
    assert felt.filter.where(ACE) == MUCK
    assert felt.filter.rested(felt.now + 1.0) == (TagSeen(ACE, MUCK, felt.now + 1.0),)
    felt.steps(2, {A: (KING,), B: (), MUCK: (ACE,)})
    felt.now += 5.0
    felt.steps(8, {A: (), B: (), MUCK: (ACE,)})
    assert felt.filter.where(KING) is None
    assert felt.filter.rested(felt.now + 1.0) == ()


def test_a_tag_that_was_missed_or_read_elsewhere_since_does_not_rest() -> None:
    """It may be on its way; read again at its place, it rests."""
    felt = Felt(A, B)
    felt.steps(2, {A: (ACE,), B: ()})
    felt.steps(1, {A: ()})
    assert felt.filter.rested(1.0) == ()
    felt.steps(1, {A: (ACE,)})
    assert felt.filter.rested(1.0) == (TagSeen(ACE, A, 1.0),)
    felt.steps(2, {A: (KING,), B: ()})
    felt.steps(1, {B: (KING,)})
    assert felt.filter.rested(2.0) == ()
    felt.steps(1, {A: (KING,)})
    assert felt.filter.rested(2.0) == (TagSeen(KING, A, 2.0),)


def test_two_readings_next_door_far_apart_are_no_conflict() -> None:
    """At four scans a second two stray readings span half a second: a conflict takes four, however slow the scans."""
    felt = Felt(A, B)
    for number, stray in enumerate([False, False, True, False, True, False, True, False, True, True]):
        felt.now = number / 4
        felt.scan(A, ACE)
        felt.scan(B, *((ACE,) if stray else ()))
        expected = [TagConflict] if number >= 8 else []
        assert [type(event) for event in felt.events[1:]] == expected


def test_speed_divides_every_time() -> None:
    """At ten times the pace a tag rests after 0.03 s and is gone after 0.08 s, still with eight misses."""
    felt = Felt(A, speed=10.0)
    felt.scan(A, ACE)
    felt.scan(A, ACE)
    assert felt.filter.rested(0.029) == ()
    assert felt.filter.rested(0.03) == (TagSeen(ACE, A, 0.03),)
    for number in range(1, 8):
        felt.now = number / 100
        assert felt.scan(A) == ()
    felt.now = 0.08
    assert felt.scan(A) == (TagGone(ACE, A, 0.08),)
    assert felt.filter.ready(0.18)


def test_strangers_are_bounded() -> None:
    """512 tags are kept in view at one antenna; the next is counted, not kept."""
    felt = Felt(A)
    crowd = tuple(f"E00402{number:010X}" for number in range(MAX_TRACKED + 1))
    felt.steps(2, {A: crowd})
    assert len(felt.filter.at(A)) == MAX_TRACKED
    assert felt.filter.overflow == 2


def test_repr_tells_no_tag() -> None:
    """Evidence in a log line says where, not what."""
    assert repr(TagSeen(ACE, MUCK, 1.0)) == f"TagSeen(place={MUCK!r}, at=1.0)"
    for event in (TagGone(ACE, A, 1.0), TagConflict(ACE, A, B, 1.0), ConflictEnded(ACE, A, B, 1.0)):
        assert ACE not in repr(event)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.01, 0.05]))
def test_a_resting_tag_with_misses_is_never_gone(seed: int, miss: float) -> None:
    """Five misses in a hundred at ten scans a second, 17 minutes of a card for each example: announced once, never gone."""
    rng, felt = random.Random(seed), Felt(A)
    for _ in range(10_000):
        felt.now += STEP_S
        felt.scan(A, *((ACE,) if rng.random() >= miss else ()), clean=rng.random() > 0.02)
    assert [type(event) for event in felt.events] == [TagSeen]


def test_false_removals_are_as_many_as_computed() -> None:
    """At 20 % misses and four misses for gone, theory says 0.8 * 0.2**4 per scan; five card-hours agree within 30 %. The filter
    is as good as its numbers, so the eight misses of the defaults are worth what they promise."""
    rng, felt = random.Random(11), Felt(A, gone_misses=4, gone_s=0.4)
    for _ in range(5 * 36_000):
        felt.now += STEP_S
        felt.scan(A, *((ACE,) if rng.random() >= 0.2 else ()))
    gone = sum(isinstance(event, TagGone) for event in felt.events)
    assert 0.7 < gone / (5 * 36_000 * 0.8 * 0.2**4) < 1.3


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from([A, B, MUCK, None]), st.integers(30, 60)), min_size=1, max_size=8)
)
def test_wherever_it_goes_it_is_found(seed: int, journey: list[tuple[Place | None, int]]) -> None:
    """A tag moved about under 5 % misses and 5 % error scans is at the end of every rest where it truly lies, the events tell
    its way without a gap, and no conflict is invented."""
    rng, felt = random.Random(seed), Felt(A, B, MUCK)
    for true_place, rest in journey:
        for _ in range(rest):
            felt.now += STEP_S
            for place in (A, B, MUCK):
                read = place == true_place and rng.random() >= 0.05
                felt.scan(place, *((ACE,) if read else ()), clean=rng.random() >= 0.05)
        assert felt.filter.where(ACE) == true_place
    at: Place | None = None
    for event in felt.events:
        match event:
            case TagSeen(place=place):
                assert at is None
                at = place
            case TagGone(place=place):
                assert at == place
                at = None
            case _:
                pytest.fail("a conflict was invented")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, MUCK]), st.sets(st.sampled_from([ACE, KING])), st.booleans(), st.floats(0, 1)),
        max_size=80,
    )
)
def test_any_scans_keep_the_books(scans: list[tuple[Place, set[str], bool, float]]) -> None:
    """Whatever the scans say: seen and gone alternate for each tag, a tag has one place, a conflict is told once."""
    felt = Felt(A, B, MUCK)
    homes: dict[str, Place] = {}
    conflicts: set[str] = set()
    for place, tags, clean, pause_s in scans:
        felt.now += pause_s
        for event in felt.scan(place, *sorted(tags), clean=clean):
            match event:
                case TagSeen(uid, where):
                    assert uid not in homes
                    homes[uid] = where
                case TagGone(uid, where):
                    assert homes.pop(uid) == where
                case TagConflict(uid, where, other):
                    assert homes[uid] == where != other
                    assert uid not in conflicts
                    conflicts.add(uid)
                case ConflictEnded(uid):
                    conflicts.remove(uid)
        for where in (A, B, MUCK):
            assert felt.filter.at(where) == {uid for uid, home in homes.items() if home == where}


def test_an_antenna_may_have_settings_of_its_own() -> None:
    """A quick one at A takes a tag at its first reading and gives it up after two misses; B goes on as the table does."""
    felt = Felt(A, B)
    quick = PresenceSettings(appear_hits=1, appear_window=1, gone_misses=2, gone_s=0.1, settle_s=0.0)
    felt.filter = PresenceFilter(PresenceSettings(), {A: NONE, B: NONE}, at={A: quick})
    assert felt.steps(1, {A: (ACE,), B: (KING,)}) == [TagSeen(ACE, A, 0.1)]
    assert [seen.uid for seen in felt.filter.rested(felt.now)] == [ACE]
    assert felt.steps(1, {A: (ACE,), B: (KING,)}) == [TagSeen(KING, B, 0.2)]
    assert felt.filter.rested(felt.now) == ()
    assert felt.steps(2, {A: (), B: ()}) == [TagGone(ACE, A, 0.4)]
    assert felt.steps(5, {A: (), B: ()}) == []
    assert felt.steps(1, {A: (), B: ()}) == [TagGone(KING, B, 1.0)]
