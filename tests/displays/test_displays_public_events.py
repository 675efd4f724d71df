"""Which records are told to everybody, and what of them."""

from __future__ import annotations

from controller.displays.public_events import MOST, fields_of
from controller.hand.cards import parse_card
from controller.hand.events import CardDealt, HandOpened, HandVoided
from controller.hand.irregular_events import CardEliminated, SeventhKept
from controller.hand.places import SeatPlace, Zone
from controller.hand.stakes import Stakes
from controller.hand.terms import Player, SeatChips
from controller.hand.variants import VariantCode
from controller.table.by_hand_events import CardConfirmed
from controller.table.events import Ruled

CARD = parse_card("As")
DOWN = SeatPlace(3, Zone.DOWN)


def test_no_hidden_card_is_told() -> None:
    """Down, eliminated, kept and confirmed cards are told by their place (R-RULE-06)."""
    hidden = (
        CardDealt(7, DOWN, CARD),
        CardEliminated(4, CARD, due=True),
        SeventhKept(3, CARD),
        CardConfirmed(5, DOWN, "hand", CARD),
    )
    for event in hidden:
        assert "As" not in str(fields_of(event))
    assert fields_of(CardDealt(4, SeatPlace(3, Zone.UP), CARD)) == {
        "event": "card_dealt",
        "street": 4,
        "seat": 3,
        "place": "seat/3/up",
        "card": "As",
    }


def test_a_person_is_told_and_what_it_wrote_is_not() -> None:
    """Who ruled stands there, cut to its length; a reason is free text, in which a card may be named."""
    told = str(fields_of(Ruled("misdeal", "floor", "S. Morel" + "x" * 100, "Nadia B.", "he showed the As")))
    assert "S. Morel" in told
    assert "Nadia B." in told
    assert "As" not in told
    assert "x" * MOST not in told
    assert "As" not in str(fields_of(HandVoided("the As lay open", (SeatChips(1, 5),))))


def test_a_hand_that_opens_tells_by_what_it_is_played() -> None:
    """Stakes, house rules that differ, stacks, players and dealer; an old journal's tells its number alone."""
    seats = (SeatChips(1, 90),)
    new = HandOpened(
        7,
        VariantCode.RAZZ,
        seats,
        "9f3c" * 4,
        Stakes(1, 2, 4, 8),
        "wsop_live",
        (("a", "b"),),
        False,
        (Player(1, "Ann", 90),),
        "Bo",
    )
    told = fields_of(new)
    assert told is not None
    opening = told["opening"]
    assert (opening["variant"], opening["stakes"]["big"], opening["knobs"], opening["dealer"]) == ("razz", 8, (("a", "b"),), "Bo")
    assert opening["players"] == ({"seat": 1, "name": "Ann", "chips": 90},)
    assert fields_of(HandOpened(7, VariantCode.RAZZ, seats)) == {"event": "hand_opened", "hand": 7}
