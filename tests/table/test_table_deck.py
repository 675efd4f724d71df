"""Which deck may be played: checked, not in quarantine, and the one that the shoe holds (R-DECK-01, REG-41)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.table_story import AT, TableStory

from controller.hand.cards import DECK as CARDS
from controller.hand.commands import Refusal
from controller.journal.schema import Origin
from controller.table.carry import carried, restored
from controller.table.deck_events import DeckAdmitted, DeckBarred, DeckChecked, DeckIntroduced
from controller.table.evolve import evolve
from controller.table.inputs import StartHand
from controller.table.parts import Bar, CheckTold, DeckInPlay, DeckTold
from controller.table.records import decode, encode, table_codec
from controller.words.catalogue import Language, text

PASSED = CheckTold("2026-01-01T10:00:00.000Z", "Ann", "Ben", "feig at desk, antenna 1", "d1", used=False)
AGAIN = replace(PASSED, at="2026-01-01T11:00:00.000Z")
BAR = Bar("Cleo", "2026-01-01T12:00:00.000Z", "a bent corner")
DECK = DeckTold("D1", "SET1", "d1", needs_check=True, passed=None, bar=None)
CHECKED = replace(DECK, passed=PASSED)


def table(deck: DeckTold | None = CHECKED, *, loaded: str = "SET1") -> TableStory:
    """Two seats, the deck told, and a whole deck loaded as ``loaded``."""
    told = TableStory({2: 100, 5: 100})
    if deck is not None:
        told.tell(deck)
    told.set_id = loaded
    told.load()
    return told


def refused(told: TableStory) -> str | None:
    """Why a hand does not start."""
    refusal = told.order(StartHand())
    return None if refusal is None else refusal.code


def test_a_deck_is_checked_before_its_first_hand() -> None:
    """Refused until a check is told; then it starts, and who checked is in the journal."""
    told = table(DECK)
    assert refused(told) == "deck_not_checked"
    told.tell(CHECKED)
    assert refused(told) is None
    assert told.happened(DeckChecked) == [DeckChecked(PASSED.at, "Ann", "Ben", "feig at desk, antenna 1")]


def test_what_is_known_already_is_told_once() -> None:
    """The same news again changes nothing, however often the file is looked at."""
    told = table()
    before = told.state.seq
    for _ in range(3):
        told.tell(CHECKED)
    assert told.state.seq == before


def test_nothing_is_asked_where_nobody_tells_of_decks_or_the_house_wants_no_check() -> None:
    """A rehearsal without a deck's file, and ``check = "off"``."""
    assert refused(table(None)) is None
    assert refused(table(replace(DECK, needs_check=False))) is None


@pytest.mark.parametrize(
    "passed", [replace(PASSED, enrolment="d0"), replace(PASSED, used=True)], ids=["another enrolment", "used before"]
)
def test_a_check_holds_for_its_tags_and_brings_a_deck_into_play_once(passed: CheckTold) -> None:
    """A card was replaced since, or a table played on it: to be checked anew."""
    assert refused(table(replace(DECK, passed=passed))) == "deck_not_checked"


def test_another_deck_and_back_again_is_to_be_checked() -> None:
    """The check of the first deck is over when the second one comes into play, though the first comes back unchanged."""
    told = table()
    second = DeckTold("D2", "SET2", "d2", needs_check=True, passed=replace(PASSED, enrolment="d2"), bar=None)
    told.tell(second)
    told.tell(replace(DECK, passed=replace(PASSED, used=True)))
    assert refused(told) == "deck_not_checked"
    told.tell(replace(DECK, passed=AGAIN))
    assert refused(told) is None
    assert [event.deck for event in told.happened(DeckIntroduced)] == ["D1", "D2", "D1"]


def test_another_deck_in_the_shoe_is_named_and_voids_the_check() -> None:
    """The shoe says what it was loaded with: no hand with that; and once the right one is back it is to be checked."""
    told = table(loaded="SET9")
    refusal = told.order(StartHand())
    assert refusal == Refusal("R-DECK-01", "other_deck_loaded", (("loaded", "SET9"), ("deck", "D1"), ("set", "SET1")))
    told.set_id = "SET1"
    told.load()
    assert refused(told) == "deck_not_checked"
    told.tell(replace(DECK, passed=AGAIN))
    assert refused(told) is None


def test_a_stub_of_another_deck_stops_the_hand_until_the_right_one_is_loaded() -> None:
    """Burns are shuffled into the stub, but the shoe names another deck: no card is dealt from it (R-MIS-08). With the right stub
    the hand goes on, and before the next one the deck is to be checked anew."""
    told = TableStory(dict.fromkeys(range(1, 9), 1_000), seed=1)
    told.tell(CHECKED)
    told.start()
    told.passive(6)
    told.set_id = "SET9"
    told.passive()
    assert told.hold == "other_deck"
    assert not told.state.gate.is_open
    told.set_id = "SET1"
    told.put_in(list(told.shoe))
    assert told.hold is None
    told.play_on()
    told.load()
    assert refused(told) == "deck_not_checked"


def test_the_next_deck_may_be_loaded_at_the_showdown() -> None:
    """No card comes out of the shoe any more: the hand ends, and the load is judged before the next one."""
    told = table()
    assert refused(told) is None
    told.passive()
    told.set_id = "SET9"
    told.put_in(list(CARDS))
    assert told.hold is None
    told.showdown()
    assert told.hand.over
    assert refused(told) == "other_deck_loaded"


@pytest.mark.parametrize("nameless", ["", "NONE"])
def test_a_shoe_that_knows_no_deck_is_believed(nameless: str) -> None:
    """It says nothing against the table's deck."""
    assert refused(table(loaded=nameless)) is None


def test_a_quarantine_lets_the_hand_end_and_starts_no_other() -> None:
    """Told in the hand, it is played to its end (Q-89); released, the deck is to be checked before the next."""
    told = table()
    assert refused(told) is None
    told.tell(replace(CHECKED, passed=None, bar=BAR))
    assert told.state.hand_open
    told.play_on()
    told.load()
    refusal = told.order(StartHand())
    assert refusal is not None
    assert (refusal.code, dict(refusal.values)["reason"]) == ("deck_quarantined", "a bent corner")
    told.tell(DECK)
    assert refused(told) == "deck_not_checked"
    assert told.happened(DeckBarred) == [DeckBarred(*BAR)]
    assert told.happened(DeckAdmitted) == [DeckAdmitted()]


@pytest.mark.parametrize("language", Language)
def test_each_refusal_is_one_sentence_that_names_the_way_out(language: Language) -> None:
    """In both languages: what to do is a command or the right deck, and the values stand in it."""
    cases = (
        (table(DECK), "stud-table deck check", "D1"),
        (table(replace(DECK, bar=BAR)), "stud-table deck release", "a bent corner"),
        (table(loaded="SET9"), "SET1", "SET9"),
    )
    for told, way_out, value in cases:
        refusal = told.order(StartHand())
        assert refusal is not None
        said = text(f"refusal.{refusal.code}", language, **dict(refusal.values))
        assert way_out in said
        assert value in said
        assert said.count(". ") == 0


def test_the_first_hand_of_a_deck_is_the_next_one() -> None:
    """Introduced during a hand, that hand is not its own."""
    told = table()
    assert refused(told) is None
    assert told.state.deck is not None
    assert told.state.deck.since == 1
    told.tell(replace(CHECKED, enrolment="d7"))
    assert told.state.deck.since == told.state.hand_number + 1 == 2


def test_the_deck_goes_into_the_next_file_and_an_old_file_has_none() -> None:
    """Carried whole; a record of the form before decks were told reads as a table that nobody tells of decks."""
    deck = DeckInPlay("D1", "SET1", "d1", 4, True, PASSED.at, BAR, "SET1")
    told = table()
    origin = Origin("5f0c9a1e", "T1", AT, told.state.seq + 1, bytes(32))
    event = carried(told.state._replace(deck=deck), origin, "T1/x/1", ())
    assert restored(event).deck == deck
    codec = table_codec()
    body = encode(codec, event, epoch=1, at=AT, sealer=None, deal=0, ordinal=0)
    assert decode(codec, body, {}) == event
    old = {**{name: value for name, value in body.items() if name != "deck"}, "v": 2}
    assert decode(codec, old, {}) == replace(event, deck=None)


def test_a_check_of_no_deck_is_no_history() -> None:
    """A journal that tells it is not one of ours."""
    with pytest.raises(ValueError, match="before it was introduced"):
        evolve(TableStory({2: 100}).state, DeckChecked(AT, "Ann", "Ben", "desk"))
