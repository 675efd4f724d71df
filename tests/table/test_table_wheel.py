"""One hand on the wheel: who drives is the table's state, and nobody else gives an order."""

from __future__ import annotations

import random

import pytest
from support.table_story import TableStory

from controller.hand.commands import Refusal
from controller.table.access_events import SignedIn, SignedOut, SignInFailed, WheelReturned, WheelTaken
from controller.table.carried_events import CommandAnswered
from controller.table.decide import TableDecision
from controller.table.inputs import Command, FeltIsReady, LockTable, Order, PauseTable, ReopenTable, Resume
from controller.table.parts import Driver
from controller.table.wheel import ReturnWheel, TakeWheel


def told() -> TableStory:
    """A table at which nobody drives yet."""
    return TableStory({1: 100, 2: 100})


def give(table: TableStory, console: str, order: Order, *, person: str = "", agreed_by: str = "") -> TableDecision:
    """An order from a console."""
    key = f"key-{len(table.events):06}-{console}"
    return table.tell(Command(key, "d", "x", order, console=console, person=person, agreed_by=agreed_by))


def take(table: TableStory, console: str, person: str = "") -> TableDecision:
    """A console takes over under its person's name."""
    return give(table, console, TakeWheel(person or console), person=person)


def test_while_nobody_drives_every_console_may_give_orders() -> None:
    """A table without a console's page plays as before."""
    table = told()
    assert give(table, "", PauseTable("break")).refusal is None
    assert give(table, "one", ReopenTable()).refusal is None


def test_who_watches_gives_no_order_and_learns_who_drives() -> None:
    """Also a program that names no console; the refusal is on record and changes nothing."""
    table = told()
    take(table, "one", "Ann")
    for console in ("two", "", "ONE", "one "):
        refusal = give(table, console, PauseTable("break")).refusal
        assert refusal == Refusal("REG-38", "not_driving", (("name", "Ann"),))
        assert (table.state.paused, table.happened(CommandAnswered)[-1].code) == ("", "not_driving")
    assert give(table, "one", PauseTable("break")).refusal is None


def test_taking_over_is_one_order_and_on_record() -> None:
    """From whomever it may be; the one before watches from then on."""
    table = told()
    take(table, "one", "Ann")
    take(table, "two", "Fay")
    assert table.happened(WheelTaken) == [WheelTaken("one", "Ann", "Ann"), WheelTaken("two", "Fay", "Fay")]
    assert table.state.wheel == (Driver("two", "Fay", "Fay"), Driver("one", "Ann", "Ann"))
    assert give(table, "one", PauseTable("break")).refusal is not None


def test_who_drives_already_takes_nothing_and_a_relief_at_her_console_is_told() -> None:
    """The same person twice is no event; another person at the same console is."""
    table = told()
    take(table, "one", "Ann")
    take(table, "one", "Ann")
    assert len(table.happened(WheelTaken)) == 1
    take(table, "one", "Ben")
    assert table.state.wheel == (Driver("one", "Ben", "Ben"),)


def test_letting_go_gives_the_wheel_to_the_one_before() -> None:
    """Then to nobody; who does not drive lets nothing go."""
    table = told()
    assert give(table, "one", ReturnWheel()).refusal is None
    assert table.happened(WheelReturned) == []
    take(table, "one")
    take(table, "two")
    assert give(table, "one", ReturnWheel()).refusal == Refusal("REG-38", "not_driving", (("name", "two"),))
    give(table, "two", ReturnWheel())
    assert table.state.wheel == (Driver("one", "one"),)
    give(table, "one", ReturnWheel())
    assert table.state.wheel == ()


def relieve(table: TableStory, console: str, person: str, floor: str = "") -> Refusal | None:
    """Another person takes over, with the floor or without."""
    return give(table, console, TakeWheel(person, floor), person=person, agreed_by=floor).refusal


NEEDS_FLOOR = Refusal("REG-38", "relief_needs_floor", (("name", "Ann"),))


def in_anns_hand() -> TableStory:
    """Ann relieved Ben between hands, and deals."""
    table = told()
    for console, person in (("two", "Ben"), ("one", "Ann")):
        assert relieve(table, console, person) is None
    table.console, table.person = "one", "Ann"
    return table.start().deal()


def test_between_hands_any_dealer_relieves_and_in_a_hand_the_floor_takes_part() -> None:
    """At her console and at another one; a refusal leaves the wheel where it is; her name is told apart as people read it."""
    table = in_anns_hand()
    before = table.state.wheel
    for console in ("one", "two", "three"):
        assert relieve(table, console, "Ben") == NEEDS_FLOOR
        assert table.state.wheel == before
    assert relieve(table, "three", "ann ") is None
    assert relieve(table, "one", "Ann") is None
    assert relieve(table, "two", "Fay", "Fay") is None
    assert relieve(table, "two", "Ben", "Fay") is None
    assert table.state.wheel[0] == Driver("two", "Ben", "Ben")
    assert relieve(table, "one", "Ann") == Refusal("REG-38", "relief_needs_floor", (("name", "Ben"),))


def test_a_hand_is_given_back_to_another_dealer_with_the_floor_alone() -> None:
    """Letting go is a relief as well; between hands it is free."""
    table = in_anns_hand()
    assert give(table, "one", ReturnWheel(), person="Ann").refusal == NEEDS_FLOOR
    assert table.state.wheel[0].person == "Ann"
    assert give(table, "one", ReturnWheel("Fay"), person="Ann", agreed_by="Fay").refusal is None
    assert table.state.wheel == (Driver("two", "Ben", "Ben"),)


@pytest.mark.parametrize("how", ["started", "let go"])
def test_who_dealt_the_hand_is_known_while_nobody_drives(how: str) -> None:
    """After a start, or when the wheel was let go: she comes back, another one needs the floor."""
    table = told()
    relieve(table, "one", "Ann")
    table.console, table.person = "one", "Ann"
    table.start().deal()
    if how == "started":
        table.restart()
        table.restart()
    else:
        give(table, "one", ReturnWheel(), person="Ann")
    assert table.state.wheel == ()
    assert relieve(table, "two", "Ben") == NEEDS_FLOOR
    assert relieve(table, "three", "Ann") is None
    assert table.state.let_go == ""


def test_an_order_in_another_name_at_the_console_that_drives_is_refused() -> None:
    """A console is its person's."""
    table = told()
    take(table, "one", "Ann")
    refused = give(table, "one", PauseTable("break"), person="Ben").refusal
    assert refused == Refusal("REG-38", "not_driving", (("name", "Ann"),))


def test_a_console_without_a_word_for_itself_takes_nothing() -> None:
    """Nobody could tell whose orders are whose."""
    for order in (TakeWheel("x"), ReturnWheel()):
        assert give(told(), "", order).refusal == Refusal("REG-38", "no_console")


def test_the_lease_lapses_with_a_start() -> None:
    """After it nobody drives until a person takes over anew, also with a hand open (recovery §2 step 12)."""
    table = told()
    table.start().deal()
    take(table, "one")
    table.restart()
    assert table.state.wheel == ()
    table.tell(FeltIsReady())
    assert give(table, "two", Resume()).refusal is None


def test_the_tables_own_lock_asks_nobody() -> None:
    """A changed program is locked whoever drives (REG-22)."""
    table = told()
    take(table, "one")
    assert give(table, "", LockTable()).refusal is None
    assert table.state.locked


def test_taking_over_is_possible_whatever_the_table_waits_for() -> None:
    """A table that is not live has a driver too."""
    table = told()
    table.start().deal()
    table.restart()
    assert take(table, "one").refusal is None


def test_an_answer_bears_its_people() -> None:
    """Who gave the order and who agreed, taken or refused; under the same key it gets the same answer from anybody's console."""
    table = told()
    take(table, "one", "Ann")
    key = Command("key-of-ann", "d", "pause_table", PauseTable("break"), console="one", person="Ann", agreed_by="Fay")
    assert table.tell(key).refusal is None
    answer = table.happened(CommandAnswered)[-1]
    assert (answer.person, answer.agreed_by) == ("Ann", "Fay")
    refused = give(table, "one", PauseTable("again"), person="Ann")
    assert refused.refusal is not None
    assert table.happened(CommandAnswered)[-1].person == "Ann"
    take(table, "two", "Fay")
    before = len(table.events)
    assert table.tell(key).refusal is None
    assert len(table.events) == before


@pytest.mark.parametrize(
    "event",
    [SignedIn("Ann", "dealer", "one", "pin"), SignedOut("Ann", "one", "idle"), SignInFailed("", "127.0.0.1", 4, 2)],
)
def test_who_comes_and_goes_is_on_record_and_moves_nothing(event: SignedIn | SignedOut | SignInFailed) -> None:
    """The state stands as it was."""
    table = told()
    before = table.state
    table.tell(event)
    assert table.events[-1] == event
    assert table.state == before._replace(seq=before.seq + 1)


@pytest.mark.parametrize("seed", range(20))
def test_of_consoles_that_press_at_random_one_drives(seed: int) -> None:
    """Each order is taken exactly when its console drives, or nobody does; the journal tells who drove at any time."""
    rng = random.Random(seed)
    table = told()
    drives: list[str] = []
    for _ in range(60):
        console = rng.choice(("one", "two", "three"))
        match rng.randrange(4):
            case 0:
                take(table, console)
                drives = [console, *(other for other in drives if other != console)][:2]
            case 1:
                answered = give(table, console, ReturnWheel()).refusal
                assert (answered is None) == (not drives or drives[0] == console)
                drives = drives[1:] if drives[:1] == [console] else drives
            case _:
                order = ReopenTable() if table.state.paused else PauseTable("break")
                answered = give(table, console, order).refusal
                assert (answered is None) == (not drives or drives[0] == console)
        assert [driver.console for driver in table.state.wheel] == drives
