"""The dealer's screen: one next step in words, only legal buttons with their amounts, each at its place, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.console_site import StorySite
from support.table_story import TableStory, card_texts

from controller.console.banner import next_place
from controller.console.bar import PLACES, WAGERS, _award, _table, button_commands
from controller.console.orders import CommandBody
from controller.console.screen import SIMULATED, screen_of
from controller.hand.commands import TableHand, VoidHand
from controller.hand.showdown import to_show
from controller.hand.state import public_cards
from controller.hand.terms import Verb
from controller.table import inputs
from controller.words.catalogue import Language, catalogue
from controller.words.said import both, joined, plain, say


def site(seats: dict[int, int] | None = None, **others: Any) -> StorySite:
    """A table with three players unless said otherwise."""
    return StorySite(TableStory(seats or {1: 100, 3: 100, 5: 100}, **others))


def texts_of(value: object) -> list[dict[str, str]]:
    """Every text in both languages inside ``value``."""
    if isinstance(value, dict):
        if set(value) == {language.value for language in Language}:
            return [value]
        return [found for part in value.values() for found in texts_of(part)]
    return [found for part in value for found in texts_of(part)] if isinstance(value, list) else []


def test_the_moments_of_a_hand_in_words() -> None:
    """Each step's banner, and at each the buttons of that moment alone (screens §4.1)."""
    at = site()
    told = at.told
    moments = [(at.title(), at.buttons())]
    told.load()
    moments.append((at.title(), at.buttons()))
    told.start()
    moments.append((at.title(), at.buttons()))
    told.deal()
    moments.append((at.title(), at.buttons()))
    told.act(Verb.BRING_IN, 2)
    moments.append((at.title(), at.buttons()))
    problem = {"problem": ["Problem"]}
    first, second = (moments[index][0].split(":")[0] for index in (3, 4))
    assert moments == [
        ("Gather the cards, shuffle, load 52", {}),
        ("Shuffle, cut, collect 3 antes", {"main": ["Start hand"]}),
        ("Deal to seat 1, face down", problem),
        (f"{first}: bring-in 2 or complete to 4", {"main": ["Bring-in 2"], "raise": ["Complete to 4"], **problem}),
        (
            f"{second}: call 2, complete to 4 or fold",
            {
                "undo": ["Undo"],
                "fold": ["Fold"],
                "main": ["Call 2"],
                "raise": ["Complete to 4"],
                "all": ["All call 2"],
                **problem,
            },
        ),
    ]


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_whole_hands_have_a_screen_at_every_moment(variant: str) -> None:
    """Every text in both languages and none empty, every command one that the table can read, and no card that is hidden."""
    for seed in range(3):
        at = StorySite(TableStory({1: 40, 2: 100, 4: 12, 7: 100}, variant=variant, seed=seed))
        looked: list[str] = []

        def look(told: TableStory, at: StorySite = at, looked: list[str] = looked) -> None:
            screen = at.screen
            for said in texts_of(screen):
                assert all(said.values()), said
            for given in button_commands(screen["bar"]):
                CommandBody.model_validate({"key": "press-0001", "seq": 0, **given})
            hand = told.state.hand
            shown = {card.text for card in public_cards(hand)} if hand is not None else set()
            assert set(card_texts(screen)) <= shown
            looked.append(screen["banner"]["title"]["en"])

        at.told.load()
        at.told.play_hand(None, look)
        assert len(set(looked)) > 5
        json.dumps(at.pages.picture())


def test_only_what_is_legal_has_a_button() -> None:
    """As many wagers as the rules allow, with the totals that they lead to."""
    at = site()
    at.told.start().deal()
    for _ in range(6):
        step = at.pages.picture()["step"]
        if step["kind"] != "act":
            break
        bar = at.screen["bar"]
        offered = [
            (given["command"]["verb"], given["command"]["to"])
            for place in ("fold", "main", "raise")
            for button in bar[place]
            for given in button["commands"]
        ]
        legal = [(action["verb"], action["to"]) for action in step["actions"]]
        assert sorted(offered) == sorted(legal)
        acts = [button for place in ("fold", "main", "raise", "all") for button in bar[place]]
        assert {button["commands"][0]["decision"] for button in acts} == {step["decision"]}
        wager = next((action for action in step["actions"] if action["verb"] in WAGERS), None)
        at.told.act(Verb(wager["verb"]) if wager else Verb.CALL, wager["to"] if wager else step["actions"][0]["to"])


async def test_one_touch_closes_the_round() -> None:
    """All call is one command for everybody who is left, and undo takes back."""
    at = site()
    async with at.client:
        at.told.start().deal()
        await at.press("main")
        assert at.buttons()["all"] == ["All call 2"]
        await at.press("all")
    assert at.told.hand.street == 4
    assert at.buttons()["undo"] == ["Undo"]


async def test_a_common_word_of_other_players_is_refused_whole() -> None:
    """The seats were named on the button: when others are left, nothing is taken."""
    at = site()
    async with at.client:
        at.told.start().deal()
        await at.press("main")
        before = at.told.hand
        body = {
            "key": "press-0001",
            "seq": 0,
            "decision": at.pages.picture()["step"]["decision"],
            "command": {"type": "act_around", "verb": "call", "seats": [1, 3, 5]},
        }
        answer = await at.client.post("/api/v1/commands", json=body)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "decision_passed")
    assert at.told.hand.seats == before.seats


async def test_undo_says_what_it_takes_back() -> None:
    """Seat and action; afterwards it is offered no more (R-RULE-02)."""
    at = site()
    async with at.client:
        at.told.start().deal()
        seat = at.told.hand.round.actor
        await at.press("main")
        assert at.screen["bar"]["undo"][0]["sub"] == {"en": f"seat {seat}: bring-in 2", "fr": f"siège {seat}\u00a0: bring-in 2"}
        await at.press("undo")
    assert at.told.hand.round.actor == seat
    assert "undo" not in at.buttons()


async def test_undo_takes_back_what_its_button_named_or_nothing() -> None:
    """A hand that is thrown in during the reach folds without a command: that fold is not what was pressed (screens §3)."""
    at = site()
    async with at.client:
        at.told.start().deal()
        await at.press("main")
        await at.press("main")
        pressed = at.screen["bar"]["undo"][0]["commands"][0]
        seen = at.told.state.seq
        at.told.fold_cards(at.told.hand.round.actor)
        before = at.told.hand
        answer = await at.client.post("/api/v1/commands", json={"key": "press-0001", "seq": seen, **pressed})
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (409, "decision_passed")
    assert at.told.hand == before


@pytest.mark.parametrize(
    ("verb", "to", "what"),
    [(Verb.CALL, 2, "call 2"), (Verb.COMPLETE, 4, "complete 4"), (Verb.FOLD, 0, "fold")],
)
def test_undo_names_each_action(verb: Verb, to: int, what: str) -> None:
    """What was entered last."""
    at = site()
    at.told.start().deal()
    at.told.act(Verb.BRING_IN, 2)
    at.told.act(verb, to)
    assert at.screen["bar"]["undo"][0]["sub"]["en"].endswith(f": {what}")


def test_a_card_at_the_wrong_place_stops_with_the_way_out() -> None:
    """Red, the place, where it is and where it belongs; only the floor and the ruling have buttons."""
    at = site()
    at.told.start()
    at.told.lay(at.told.draw(), "seat/3/down")
    screen = at.screen
    assert screen["banner"]["level"] == 1
    assert at.title().startswith("STOP · ")
    assert at.title("fr").startswith("STOP · ")
    looks = {tile["seat"]: tile["look"] for tile in screen["tiles"]}
    assert (looks[3], looks[1]) == ("wrong", "belongs")
    [move] = screen["middle"]["moves"]
    assert (move["from"]["en"], move["to"]["en"]) == ("from seat 3, down cards", "to seat 1, down cards")
    assert set(at.buttons()) == {"raise", "all", "problem"}
    assert not list(card_texts(screen))


async def test_a_floor_call_freezes_and_the_floor_lets_go_on() -> None:
    """One touch stops play; only Play on is left."""
    at = site()
    async with at.client:
        at.told.start().lay(at.told.draw(), "seat/3/down")
        await at.press("all")
    assert at.told.state.stopped


def test_a_showdown_shows_what_counts_and_what_each_pot_pays() -> None:
    """Pots in the order of pushing; chips of all shares are those of the pots; each hand with its five."""
    at = StorySite(TableStory({1: 20, 3: 100, 5: 100}, variant="stud8", seed=4))
    told = at.told.start().passive()
    while waiting := to_show(told.hand):
        told.order(TableHand(waiting[0]))
    picture = at.pages.picture()
    assert picture["step"]["kind"] == "award"
    award = picture["screen"]["award"]
    assert sum(pot["amount"] for pot in award["pots"]) == picture["hand"]["pot"]
    assert sum(hand["takes"] or 0 for hand in award["hands"]) == picture["hand"]["pot"]
    for hand in award["hands"]:
        high = [one for one in hand["cards"] if "H" in one["mark"]]
        assert len(high) == 5
        assert len([one for one in hand["cards"] if "L" in one["mark"]]) in (0, 5)
    assert at.buttons()["main"] == [f"Award {picture['hand']['pot']}"]


def test_what_no_undo_takes_back_is_held_and_says_so() -> None:
    """At a showdown, tabling and mucking alike: each button asks for a hold and has a word for it in both languages."""
    bar: dict[str, list[dict[str, Any]]] = {place: [] for place in PLACES}
    step = {"order": [4, 6], "may_muck": [4], "decision": "d"}
    _table(bar, {"step": step, "by_hand": {"to_key": []}})
    for place in ("fold", "main", "all"):
        assert bar[place][0]["hold"], place
        assert bar[place][0]["sub"]["en"].startswith("hold"), place
        assert bar[place][0]["sub"]["fr"].startswith("maintenir"), place


def test_one_pot_for_several_seats_is_said_as_one() -> None:
    """It said *1 pots*."""
    step = {
        "kind": "award",
        "decision": "1",
        "proposals": [{"amount": 9, "shares": [{"seat": 1, "amount": 5}, {"seat": 3, "amount": 4}]}],
    }
    sub = _award({"step": step})["sub"]
    assert sub == {"en": "1 pot · 2 seats", "fr": "1 pot · 2 sièges"}
    two = {**step, "proposals": step["proposals"] * 2}
    assert _award({"step": two})["sub"]["en"] == "2 pots · 2 seats"


def test_tiles_are_said_as_a_sentence() -> None:
    """Seat, name, chips, state and board; backs as a number."""
    at = site()
    told = at.told.start().deal()
    tile = next(tile for tile in at.screen["tiles"] if tile["seat"] == told.hand.round.actor)
    assert tile["say"]["en"].startswith(f"Seat {tile['seat']}, Player {tile['seat']}, 99 chips, to act, 2 down cards, board ")
    assert " of " in tile["say"]["en"]
    empty = next(tile for tile in at.screen["tiles"] if tile["seat"] == 8)
    assert (empty["say"]["en"], empty["say"]["fr"], empty["look"]) == ("Seat 8, empty", "Siège 8, libre", "out")


def test_a_console_that_watches_may_only_take_over() -> None:
    """Its bar has one button, held, and says who drives; a demo's dealer has a name in each language."""
    at = site()
    snapshot = at.desk.snapshot()
    watch = screen_of(snapshot, {"console": SIMULATED, "name": "dealer", "can_return": False})["watch"]
    assert [place for place in PLACES if watch["bar"][place]] == ["main"]
    assert watch["bar"]["main"][0]["hold"]
    assert watch["note"] == {"en": "Watching. The simulated dealer drives.", "fr": "Lecture seule. Le croupier simulé dirige."}
    watch = screen_of(snapshot)["watch"]
    assert watch["note"]["en"] == "Nobody drives this table."
    assert [button["opens"] for button in watch["bar"]["main"]] == ["wheel:take"]


def words_of(at: StorySite, *seats: int) -> list[str | None]:
    """What the tiles say of their seats."""
    tiles = {tile["seat"]: tile["word"] for tile in at.screen["tiles"]}
    return [None if tiles[seat] is None else tiles[seat]["en"] for seat in seats]


def test_only_who_sits_out_is_said_to_and_only_who_plays_is_asked_for_an_ante() -> None:
    """Before the first hand, in it and behind it; who came back meanwhile plays in the next one (Q-05)."""
    at = site()
    assert words_of(at, 1, 3, 5) == [None, None, None]
    assert {tile["look"] for tile in at.screen["tiles"] if tile["seat"] in (1, 3, 5)} == {"normal"}
    at.told.order(inputs.SeatPlayer(6, "Kim", 100))
    at.told.order(inputs.SitOut(5))
    assert words_of(at, 1, 5) == [None, "Sitting out"]
    at.told.load()
    assert at.title() == "Shuffle, cut, collect 3 antes"
    assert at.screen["bar"]["main"][0]["sub"]["en"].endswith("3 antes")
    at.told.start().deal()
    assert words_of(at, 1, 3, 5) == [None, None, "Sitting out"]
    at.told.order(inputs.SitIn(5))
    at.told.order(inputs.SitOut(1))
    assert words_of(at, 1, 3, 5) == [None, None, "Next hand"]
    at.told.order(VoidHand("test"))
    assert words_of(at, 1, 5) == ["Sitting out", None]


def test_a_void_hand_leaves_the_table_between_hands() -> None:
    """The deck is gathered; nothing of the hand can be acted on."""
    at = site()
    at.told.start().deal()
    at.told.order(VoidHand("a test"))
    assert at.title() == "Gather the cards, shuffle, load 52"
    assert set(at.buttons()) == set()


def test_every_place_has_its_keys() -> None:
    """One of its own for each button, never Enter or space (screens §13)."""
    at = site()
    at.told.start().deal()
    at.told.act(Verb.BRING_IN, 2)
    keys = [key for place in PLACES for button in at.screen["bar"][place] for key in button["keys"]]
    assert len(keys) == len(set(keys)) == 12
    assert not {"Enter", " "} & set(keys)


def test_the_next_card_goes_past_the_burn() -> None:
    """The banner names the seat behind a burn; a card in flight goes before those in the shoe."""
    at = site()
    at.told.start().passive(4)
    while at.told.step()["kind"] == "act":
        at.told.act(Verb.CHECK)
    assert next_place(at.desk.snapshot()) == "seat/1/up"
    assert at.title() == "Burn one, then seat 1, face up"
    at.told.draw()
    assert next_place(at.desk.snapshot()) == "seat/1/up"


def test_texts_are_put_together_in_each_language() -> None:
    """A text inside a text is in the same language."""
    assert say("ui.table", name=say("ui.pot")) == {"en": "Table Pot", "fr": "Table Pot"}
    assert joined([both("one", "un"), plain(2)], " · ") == {"en": "one · 2", "fr": "un · 2"}
    with pytest.raises(KeyError):
        say("ui.table")


def test_every_stop_has_its_banner() -> None:
    """Each reason to stop in few words, beside the sentence with the way out."""
    codes = {key.removeprefix("hold.") for key in catalogue(Language.EN) if key.startswith("hold.")}
    assert codes == {key.removeprefix("ui.stop.") for key in catalogue(Language.EN) if key.startswith("ui.stop.")}
