"""A journal replays to the live state, with its keys wholly, without them but for the cards that are not public."""

from __future__ import annotations

import random

import pytest
from support.table_story import TableStory, without_hidden

from controller.hand.cards import parse_card
from controller.hand.commands import VoidHand
from controller.hand.events import BurnMade, HandOpened
from controller.hand.places import SeatPlace, Spot, Zone
from controller.hand.terms import SeatChips
from controller.hand.variants import VariantCode
from controller.table.carried_events import CommandAnswered, Outcome
from controller.table.events import CardRead, DealKeyMade, DeviceLink, SeatLeft, SeatTaken, ShoeNoted
from controller.table.evolve import evolve
from controller.table.inputs import FeltIsReady, Resume
from controller.table.state import MAX_ANSWERS, TableState

STACKS = (1, 2, 3, 5, 9, 20, 57, 100, 400)


def some_table(seed: int, variant: str) -> TableStory:
    """A table with random seats, stacks, preset and rules."""
    rng = random.Random(seed)
    seats = {seat: rng.choice(STACKS) for seat in sorted(rng.sample(range(1, 9), rng.randint(2, 8)))}
    ghosts = {"deal.ghost_cards_after_free_fold": rng.choice(["true", "false"])}
    preset = rng.choice(["seeds", "live_cash", "tournament"])
    return TableStory(seats, variant=variant, seed=seed, preset=preset, rules=ghosts)


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_a_hundred_hands_conserve_chips_and_cards_and_replay_to_the_live_state(variant: str) -> None:
    """Random seats, tiny stacks, three presets: after every commit chips and cards are conserved and the gate is wanted open
    exactly while a card is due (the story checks it); a replay with keys gives the live state, one without keys the same but
    for hidden cards, and a blind start too."""
    hands, seed = 0, 0
    while hands < 100:
        seed += 1
        told = some_table(seed, variant)
        for _ in range(3):
            if sum(seat.stack > 0 for seat in told.state.seats) < 2:
                break
            told.play_hand()
            hands += 1
        assert told.replayed(told.sealers) == told.state
        assert without_hidden(told.replayed({})) == without_hidden(told.state)


@pytest.mark.parametrize("seed", range(12))
def test_restarts_in_the_middle_change_nothing(seed: int) -> None:
    """Started anew from the journal at random steps, the hand goes on to the same end as without (REG-04)."""
    variant = ("stud", "stud8", "razz")[seed % 3]
    told, other = some_table(seed, variant), some_table(seed, variant)
    rng = random.Random(seed)

    def crash(story: TableStory) -> None:
        if rng.random() < 0.15 and story.state.hand_open:
            before = without_hidden(story.state)["hand"]
            lying = dict(story.state.custody.lying)
            story.restart()
            assert without_hidden(story.state)["hand"] == before
            assert dict(story.state.custody.lying) == lying
            story.tell(FeltIsReady())
            assert story.order(Resume()) is None

    told.play_hand(first_choice, crash)
    other.play_hand(first_choice)
    assert told.restarts
    assert told.hand._replace(setup=other.hand.setup) == other.hand
    assert told.state.seats == other.state.seats


def first_choice(hand: object, actions: tuple) -> object:  # type: ignore[type-arg]
    """A choice that takes no randomness from the story."""
    return actions[0]


def test_the_answers_that_are_kept_are_bounded() -> None:
    """One past the bound the older half goes; the newest stays."""
    state = TableState()
    for number in range(MAX_ANSWERS):
        state = state._replace(answers={**state.answers, f"k{number}": (answer(f"k{number}"), number)}) if number < 2 else state
    state = state._replace(answers={f"k{number}": (answer(f"k{number}"), number) for number in range(MAX_ANSWERS)})
    state = evolve(state, answer("newest"))
    assert len(state.answers) == MAX_ANSWERS // 2 + 1
    assert "newest" in state.answers
    assert "k0" not in state.answers


def answer(key: str) -> CommandAnswered:
    """Any answer."""
    return CommandAnswered(key, "d", "act", Outcome.TAKEN)


def test_every_event_has_the_next_number() -> None:
    """The state's number is the journal's."""
    told = TableStory({1: 100, 2: 100})
    told.play_hand()
    assert told.state.seq == len(told.bodies)


def test_a_hand_without_a_game_or_an_event_without_a_hand_is_no_journal_of_ours() -> None:
    """Nothing is guessed from a journal that cannot be."""
    opened = HandOpened(1, VariantCode.STUD, (SeatChips(1, 5),))
    with pytest.raises(ValueError, match="before a game"):
        evolve(TableState(), opened)
    with pytest.raises(ValueError, match="without a hand"):
        evolve(TableState(), BurnMade(4, None))


def test_a_start_forgets_what_devices_said_and_keeps_what_lies() -> None:
    """Links, gate and strangers are asked anew; cards, chips and answers are not."""
    told = TableStory({1: 100, 2: 100}).start()
    told.deal_one()
    before = told.state
    told.commit(())
    told.restart()
    state = told.state
    assert state.links == {}
    assert state.gate.order == 0
    assert state.custody.lying == before.custody.lying
    assert state.custody.drawn == before.custody.drawn
    assert state.answers.keys() == before.answers.keys()
    assert state.starts == before.starts + 1


def test_a_put_back_card_replays_without_keys() -> None:
    """The draw number alone tells which card went back."""
    told = TableStory({1: 100, 2: 100}).start()
    card = told.draw()
    told.put_back(card)
    told.draw()
    assert without_hidden(told.replayed({})) == without_hidden(told.state)


def test_the_gates_holders_are_as_last_told() -> None:
    """Another note of the shoe leaves them."""
    state = evolve(TableState(), ShoeNoted(1, 1, "gate", "HK"))
    state = evolve(state, ShoeNoted(1, 2, "lid", "open"))
    assert state.shoe.holders == "HK"
    assert state.shoe.accepted_seq == 2


def test_links_are_kept_by_device_and_antenna() -> None:
    """An antenna's fault is not its line's."""
    state = evolve(TableState(), DeviceLink("felt-a", 0, "up", ""))
    state = evolve(state, DeviceLink("felt-a", 2, "down", "no answer"))
    assert state.links == {("felt-a", 0): "up", ("felt-a", 2): "down"}


def test_a_players_chips_go_with_the_player() -> None:
    """What was bought in is on the table or cashed out."""
    state = evolve(TableState(), SeatTaken(3, "Ann", 70))
    assert (state.bought_in, state.chips_conserved) == (70, True)
    state = evolve(state, SeatLeft(3, 70))
    assert (state.cashed_out, state.seats, state.chips_conserved) == (70, (), True)


def test_a_new_deals_boxes_are_counted_from_one() -> None:
    """The ordinal that binds a box begins anew with each key."""
    state = evolve(TableState(), CardRead(1, 1, 1, 51, "C", "card", parse_card("As")))
    assert state.sealed_count == 1
    assert evolve(state, DealKeyMade(1, "kid", ())).sealed_count == 0


def test_a_void_gives_back_what_was_put_in_on_every_street() -> None:
    """Antes, bring-in and bets, to the unit, whatever the stage (R-RULE-03)."""
    for until in (3, 4, 5, 6, 7):
        told = TableStory({1: 100, 2: 40, 3: 3}).start().passive(until)
        told.order(VoidHand("floor"))
        assert [seat.stack for seat in told.state.seats] == [100, 40, 3]
        assert told.state.raked == 0


def test_only_the_dealt_card_takes_its_place() -> None:
    """A dealt card is placed where it was due, even when a seat's one antenna does not tell up from down."""
    told = TableStory({1: 100, 2: 100}).start()
    for _ in range(6):
        card, target = told.shoe[0], told.plan()[0]
        told.draw()
        told.lay(card, target.rsplit("/", 1)[0])
        assert str(told.state.custody.placed[card]) == target
    assert told.hold is None
    assert set(told.state.custody.lying.values()) == {SeatPlace(1, Zone.ANY), SeatPlace(2, Zone.ANY)}
    assert Spot.BURN not in told.state.custody.placed.values()
