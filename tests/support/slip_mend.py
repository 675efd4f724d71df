"""A dealer and a floor person who do what the dealer's screen says, one movement at a time, and never anything else."""

from __future__ import annotations

import random
from typing import Any, Final

from controller.hand.betting import legal_actions
from controller.hand.cards import Card
from controller.hand.commands import Act, AwardPots, MuckHand, TableHand, VoidHand
from controller.hand.places import SeatPlace, Spot, covers
from controller.hand.state import Phase, live_seats
from controller.hand.terms import Verb
from controller.table.inputs import Order, Resume, StartHand
from controller.table.picture import picture_of
from controller.table.state import decision_id
from controller.views.dealer import dealer_view
from drivers.ports import LinkChanged, LinkState
from support.hand_walk import Game, Style
from support.slip_story import ruling
from support.slip_world import SlipWorld

HOPELESS: Final = {"duplicate_card": "duplicate", "wrong_card_back": "wrong_card_back", "stub_too_short": ""}
"""Stops that only a void ends (R-MIS-08, R-STUB-06), each with the slip without which it may not be."""


class GuidedTable(SlipWorld):
    """``go_on`` does the one next step of the screen; it must be accepted and must lead on."""

    def __init__(self, game: Game, seed: int) -> None:
        self.dice = random.Random(seed)
        self.style = Style(self.dice.choice((0.02, 0.1, 0.3)), self.dice.choice((0.3, 0.6, 0.95)))
        super().__init__(game)

    def rule(self, kind: str, role: str = "floor", **values: Any) -> str | None:
        """Give a ruling; the refusal's code."""
        refusal = self.order(ruling(kind, role, **values))
        self.met[f"{kind} {'taken' if refusal is None else 'refused'}"] += 1
        return None if refusal is None else refusal.code

    def must(self, order: Order, *, decision: str | None = None) -> None:
        """What the screen asks for is accepted."""
        refusal = self.order(order, decision=decision)
        assert refusal is None, f"the screen asks for {order}, which is refused: {refusal}"

    def rules(self, kind: str, role: str = "floor", **values: Any) -> None:
        """The ruling that the screen sends the dealer for is given."""
        code = self.rule(kind, role, **values)
        assert code is None, f"{kind} is the way out and is refused: {code}"

    # ------------------------------------------------------------------ the step

    def go_on(self) -> None:
        """One movement, as the screen says."""
        before = self.state.seq
        self.pass_time()
        view = dealer_view(picture_of(self.state, "T1"))
        step = view["step"]
        match step["kind"]:
            case "load_deck":
                self.load()
            case "start_hand":
                self.must(StartHand())
            case "deal":
                self._deal_on(step)
            case "scramble":
                self._clear_up()
                self.scramble()
            case "act":
                self._act(step)
            case "table":
                self._show(step)
            case "award":
                self.must(AwardPots(), decision=step["decision"])
            case "resume":
                self.must(Resume())
            case "hold":
                self._mend(view["hold"])
            case kind:
                raise AssertionError(f"the screen names no step that a person can take: {kind}")
        assert self.state.seq > before, f"{step} led to nothing: {view['hold']}"
        self.settled()

    def _deal_on(self, step: dict[str, Any]) -> None:
        """Lay the oldest card that is out, or draw what is due."""
        self._put_away()
        waiting = [card for card in self.flying if card not in self.where]
        lays = not step["plan"] or self.dice.random() < 0.6 or any(card in self.misread for card in self.flying)
        if waiting and lays:
            card = waiting[0]
            self.lay(card, step["in_flight"][self.flying.index(card)])
        else:
            self.draw()

    def _put_away(self) -> None:
        """Cards in her hand that a ruling gave a place go there."""
        for card in [card for card in self.hand_cards if card not in self.flying and card in self.home]:
            self.lay(card, self.home[card])

    def _clear_up(self) -> None:
        """Before the stub goes in, what lies wrong on the felt is put where it belongs."""
        for place in [tag for tag in self.tags if tag is not Spot.MUCK]:
            self.take_tag(place)

    def _act(self, step: dict[str, Any]) -> None:
        seat = step["seat"]
        actions = legal_actions(self.hand)
        assert [(action.verb.value, action.to) for action in actions] == [(one["verb"], one["to"]) for one in step["actions"]]
        kept = [action for action in actions if action.verb is not Verb.FOLD]
        folds = actions[-1].verb is Verb.FOLD and self.dice.random() < self.style.folds
        chosen = (
            actions[-1] if folds or not kept else kept[0] if self.dice.random() < self.style.passive else self.dice.choice(kept)
        )
        self.must(Act(seat, chosen.verb, chosen.to), decision=step["decision"])
        if folds and self.dice.random() < 0.7:
            self.fold_cards(seat)

    def fold_cards(self, seat: int) -> None:
        """The cards that belong to the seat go to the muck."""
        for card, place in list(self.where.items()):
            if isinstance(place, SeatPlace) and place.seat == seat and card in self.home:
                self.lay(card, Spot.MUCK)

    def _show(self, step: dict[str, Any]) -> None:
        seat = self.dice.choice(step["order"])
        mucks = seat in step["may_muck"] and self.dice.random() < 0.4
        self.must(MuckHand(seat) if mucks else TableHand(seat), decision=decision_id(self.hand))

    # ------------------------------------------------------------------ the way out of a hold

    def _mend(self, hold: dict[str, Any]) -> None:
        """One movement that the hold's sentence asks for."""
        code, place, moves = hold["code"], hold["place"], hold["moves"]
        self.met[f"hold {code}"] += 1
        if code in HOPELESS:
            cause, left = HOPELESS[code], len(self.shoe) + len(self.burn_order) + len(self.aside)
            assert self.slipped[cause] if cause else left < 3, f"{code} for nothing"
            return self.void()
        match code:
            case "premature_card" | "extra_card" | "card_to_scramble":
                return self._premature(code, moves)
            case "wrong_place" | "moved_card" | "live_card_mucked":
                return self._move(moves)
            case "unreadable_card":
                return self._unreadable(moves)
            case "joker":
                return self._joker()
            case "foreign_card":
                return self.take_tag(next(tag for tag in self.tags if str(tag) == place))
            case "two_places":
                return self._one_place(next(card for card in self._at(place) if card in self.doubt))
            case "card_not_seen":
                return self.lay(
                    next(card for card in self.flying if self._belongs(card) == place and card not in self.where), place
                )
            case "unexplained_card":
                return self.pick_up(next(card for card in self._at(place) if card in self.state.custody.unexplained))
            case "floor_called":
                return self.rules("play_on")
            case "cards_differ":
                return self.rules("trust_reader")
            case "unexpected_load" | "shoe_restarted":
                return self._stub_again()
            case "stub_count":
                return self._load_again()
            case "device_down":
                for (device, antenna), link in list(self.state.links.items()):
                    if link != LinkState.UP.value:
                        self.tell(LinkChanged(device, antenna, LinkState.UP, ""))
                return None
            case _:
                raise AssertionError(f"nobody knows what to do about {hold}")

    def void(self) -> None:
        """The floor voids the hand: every chip goes back (R-RULE-03)."""
        self.must(VoidHand("as the screen says"))
        self.met["void"] += 1

    def _at(self, place: str) -> list[Card]:
        return [card for card, lies in self.where.items() if str(lies) == place]

    def _one_place(self, card: Card) -> None:
        """It is moved to the middle of where it belongs, and the other antenna loses it."""
        belongs = self._belongs(card)
        if belongs in (None, "stub") or self.dice.random() < 0.5:
            self.read_once(card)
        else:
            self.lay(card, str(belongs))

    def _stub_again(self) -> None:
        """The floor has the stub shuffled and loaded; where no stub is left to deal from the hand is void."""
        if self.rule("drop_stub") is not None:
            self.void()

    def _load_again(self) -> None:
        """The count was wrong: what should be in the shoe is loaded."""
        if self.hand.phase is Phase.REDEAL:
            self.load()
        else:
            self.scramble()

    def _move(self, moves: list[dict[str, str]]) -> None:
        """Do the first move; what goes to the stub is put back into the shoe last card first."""
        assert moves, "a card lies wrong and no move is named"
        ordered = moves[::-1] if moves[-1]["to"] == "stub" else moves
        target, card = next(
            (move["to"], card) for move in ordered for card in self._at(move["from"]) if self._belongs(card) == move["to"]
        )
        if target == "stub":
            self.lift(card)
            self.put_back(card)
        else:
            self.lay(card, target)

    def _belongs(self, card: Card) -> str | None:
        """Where the dealer knows that a card belongs: she knows in which order she drew."""
        hand = self.hand
        if card in self.flying:
            due = hand.due[hand.dealt :] if hand.phase is Phase.DEALING else ()
            number = self.flying.index(card)
            return str(due[number].place) if number < len(due) else "stub"
        return str(self.home[card]) if card in self.home else None

    def _due(self) -> int:
        """How many of the cards in flight are due."""
        hand = self.hand
        return len(hand.due) - hand.dealt if hand.phase is Phase.DEALING else 0

    def _premature(self, code: str, moves: list[dict[str, str]]) -> None:
        """What was due is laid; of what was not, the floor decides, or it goes back, or it is the next burn."""
        due = self.flying[: self._due()]
        early = self.flying[len(due) :]
        if wrong := [move for move in moves if move["to"] != "stub"]:
            return self._move(wrong)
        if waiting := [card for card in due if card not in self.where]:
            return self.lay(waiting[0], str(self.hand.due[self.hand.dealt + self.flying.index(waiting[0])].place))
        if code == "card_to_scramble":
            return self.scramble()
        if len(early) == 1 and self.dice.random() < 0.4:
            if self.where.get(early[0]) is not Spot.BURN and self.dice.random() < 0.5:
                return self.lay(early[0], "burn")
            if self.rule("burn_extra", "dealer") is None:
                return None
        if code == "premature_card" and self.dice.random() < 0.8:
            return self.rules("premature")
        self.lift(early[-1])
        self.put_back(early[-1])
        return None

    def _unreadable(self, moves: list[dict[str, str]]) -> None:
        """It is laid where it is due, and the reader names it; a card of another back has no name and ends the hand."""
        if wrong := [move for move in moves if move["to"] != "stub"]:
            return self._move(wrong)
        number = next(n for n, flight in enumerate(self.state.custody.flights) if flight.card is None)
        card = self.flying[number]
        if waiting := [other for other in self.flying[:number] if other not in self.where]:
            card = waiting[0]
        target = self.hand.due[self.hand.dealt + self.flying.index(card)].place
        lies = self.where.get(card)
        if lies is None or not covers(lies, target):
            return self.lay(card, target)
        return self.void()

    def _joker(self) -> None:
        """The dealer sets it aside; it goes out of play."""
        joker = next(card for card in self.flying if card in self.jokers)
        self.rules("set_aside", "dealer", scrap="joker")
        if joker in self.hand_cards:
            self.hand_cards.remove(joker)
        self.lift(joker)

    def live(self) -> list[int]:
        """Seats with live hands."""
        return sorted(live_seats(self.hand))
