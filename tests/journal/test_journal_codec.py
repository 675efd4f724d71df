"""Events as bodies: stable tags, strict reading, and no hidden card in clear."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.hand.cards import DECK, Card, parse_card
from controller.hand.places import SeatPlace, Zone
from controller.journal.canonical import Body, canonical, parse_canonical
from controller.journal.codec import MAX_UPCASTS, Codec, CodecError, Secret
from controller.journal.sealing import HandSealer, Hidden

KID = "T7/5f0c9a1e/1"


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card that may be hidden."""

    seat: int
    place: SeatPlace
    draw_no: int
    card: Card | None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """Cards that are public."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Quiet:
    """No field at all."""


@dataclass(frozen=True, slots=True)
class Paid:
    """A plain event of one field."""

    chips: int


def hidden_when_down(event: Dealt) -> Collection[str]:
    """Down cards and their tags are hidden."""
    return ("card", "tag") if event.place.zone is Zone.DOWN else ()


def new_codec() -> Codec:
    """A codec of the four types."""
    codec = Codec(envelope=("epoch", "at"))
    codec.register("Dealt", Dealt, secret=Secret(frozenset(("card", "tag")), hidden_when_down))
    codec.register("Shown", Shown, public=("cards",))
    codec.register("Quiet", Quiet)
    codec.register("Paid", Paid)
    return codec


def sealer_pair() -> tuple[Callable[[str, Any, tuple[str, ...]], bytes], Callable[[str, Body, bytes], Mapping[str, object]]]:
    """Seal and unseal with a real hand key."""
    sealer = HandSealer(KID, bytes(32))

    def seal(tag: str, event: Dealt, _: tuple[str, ...]) -> bytes:
        hidden = Hidden(event.card, event.draw_no, bytes.fromhex(event.tag or ""))
        return sealer.seal("seat/3", hidden, event_type=tag, ordinal=1, place=str(event.place))

    def unseal(tag: str, body: Body, box: bytes) -> Mapping[str, object]:
        hidden = sealer.open_box("seat/3", box, event_type=tag, ordinal=1, place=str(body["place"]))
        return {"card": hidden.card, "tag": hidden.uid.hex().upper() or None}

    return seal, unseal


DOWN = Dealt(3, SeatPlace(3, Zone.DOWN), 17, parse_card("As"), "E00401009A3B7C21")
UP = Dealt(3, SeatPlace(3, Zone.UP), 17, parse_card("As"))


def test_bodies_are_pinned() -> None:
    """Public events stand under their fields' names with their tag."""
    codec = new_codec()
    assert codec.encode(UP) == {"type": "Dealt", "seat": 3, "place": "seat/3/up", "draw_no": 17, "card": "As", "tag": None}
    assert codec.encode(Shown(2, (parse_card("2c"), parse_card("Td")))) == {"type": "Shown", "seat": 2, "cards": ["2c", "Td"]}
    assert codec.encode(Quiet()) == {"type": "Quiet"}
    assert codec.encode(Paid(5)) == {"type": "Paid", "chips": 5}


@given(st.sampled_from(DECK), st.binary(min_size=8, max_size=8), st.sampled_from(Zone), st.integers(0, 51))
def test_every_event_comes_back_through_its_canonical_text(card: Card, uid: bytes, zone: Zone, draw_no: int) -> None:
    """Hidden or not: encode, canonical text, parse, decode give the event again."""
    codec = new_codec()
    seal, unseal = sealer_pair()
    event = Dealt(3, SeatPlace(3, zone), draw_no, card, uid.hex().upper())
    body = parse_canonical(canonical(codec.encode(event, seal=seal)))
    assert codec.decode(body, unseal=unseal) == event


@given(st.sampled_from(DECK), st.binary(min_size=8, max_size=8))
def test_a_sealed_body_holds_no_trace_of_the_card(card: Card, uid: bytes) -> None:
    """Neither its fields nor their values are there, and all cards give bodies that differ in the box alone."""
    seal, _ = sealer_pair()
    event = Dealt(3, SeatPlace(3, Zone.DOWN), 17, card, uid.hex().upper())
    body = new_codec().encode(event, seal=seal)
    box = body.pop("sealed")
    assert body == {"type": "Dealt", "seat": 3, "place": "seat/3/down", "draw_no": 17}
    assert len(b64decode(str(box))) == 44
    text = json.dumps(body)
    assert card.text not in text
    assert uid.hex().upper() not in text


def test_without_a_key_a_hidden_card_is_none() -> None:
    """A blind table, or a check without keys, reads all but the hidden fields."""
    seal, _ = sealer_pair()
    blind = new_codec().decode(new_codec().encode(DOWN, seal=seal))
    assert blind == Dealt(3, SeatPlace(3, Zone.DOWN), 17, None, None)


def test_a_hidden_card_is_never_written_without_a_seal() -> None:
    """No key, no body: the card does not fall back to clear text, and the error does not tell it."""
    with pytest.raises(CodecError, match=r"^Dealt hides card, tag and there is no key to seal it$"):
        new_codec().encode(DOWN)


def test_a_card_whose_secrecy_is_not_decided_is_refused() -> None:
    """A type with a card must name the field public or secret, not both, not neither."""
    with pytest.raises(CodecError, match="name it public or secret"):
        Codec().register("Shown", Shown)
    with pytest.raises(CodecError, match="name it public or secret"):
        Codec().register("Dealt", Dealt, public=("card",), secret=Secret(frozenset(("card",)), hidden_when_down))
    with pytest.raises(CodecError, match="must allow None"):
        Codec().register("Shown", Shown, secret=Secret(frozenset(("cards",)), lambda _: ()))
    with pytest.raises(CodecError, match="no field deck"):
        Codec().register("Shown", Shown, public=("cards", "deck"))


def test_an_event_that_hides_more_than_its_secrets_is_refused() -> None:
    """Which fields may be hidden is known when the type is registered."""
    codec = Codec()
    codec.register("Dealt", Dealt, secret=Secret(frozenset(("card",)), lambda _: ("card", "tag")))
    with pytest.raises(CodecError, match="hides tag"):
        codec.encode(DOWN, seal=lambda *_: b"")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"type": "Gone"}, "'Gone' is unknown"),
        ({"chips": 1}, "names no type"),
        ({"type": 3}, "names no type"),
        ({"type": "Paid"}, "Paid lacks the field chips"),
        ({"type": "Paid", "chips": 1, "seat": 2}, "Paid has no field seat"),
        ({"type": "Paid", "chips": True}, "Paid.chips: not a whole number"),
        ({"type": "Paid", "chips": 1, "v": 2}, "Paid: this release reads version 1"),
        ({"type": "Paid", "sealed": "AAAA"}, "Paid hides nothing"),
        ({"type": "Dealt", "seat": 3, "place": "seat/3/down", "draw_no": 1}, "Dealt lacks the field card"),
        ({"type": "Dealt", "place": "seat/3/down", "draw_no": 1, "sealed": "AAAA"}, "Dealt lacks the field seat"),
        ({"type": "Dealt", "seat": 3, "place": "seat/3/down", "draw_no": 1, "sealed": "?"}, "Dealt.sealed is not base64"),
        ({"type": "Dealt", "seat": 3, "place": "seat/3/down", "draw_no": 1, "sealed": 7}, "Dealt.sealed is not base64"),
        ({"type": "Dealt", "seat": 3, "place": "As", "draw_no": 1, "card": "As", "tag": None}, "Dealt.place: not a place"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_by_tag_and_field(body: Body, message: str) -> None:
    """Unknown tag or version, missing or extra field, wrong type: named, and no value told."""
    _, unseal = sealer_pair()
    with pytest.raises(CodecError) as refusal:
        new_codec().decode(body, unseal=unseal)
    assert message in str(refusal.value)
    assert "As" not in str(refusal.value)


def test_the_envelope_stands_beside_the_fields() -> None:
    """Keys of the envelope are ignored; a type may have one as its own field."""
    assert new_codec().decode({"type": "Paid", "chips": 1, "epoch": 7, "at": "now"}) == Paid(1)


def test_an_old_body_is_read_through_upcasters() -> None:
    """Version by version, and from a tag that is no longer written."""
    codec = Codec()
    codec.register("Paid", Paid, version=3)
    codec.register_upcaster("AntePaid", 1, lambda body: {**body, "type": "Paid", "v": 2})
    codec.register_upcaster("Paid", 1, lambda body: {"type": "Paid", "v": 2, "amount": body["sum"]})
    codec.register_upcaster("Paid", 2, lambda body: {"type": "Paid", "v": 3, "chips": body["amount"]})
    assert codec.decode({"type": "Paid", "sum": 4}) == Paid(4)
    assert codec.decode({"type": "AntePaid", "amount": 5}) == Paid(5)
    assert codec.decode({"type": "Paid", "v": 3, "chips": 6}) == Paid(6)
    assert codec.encode(Paid(6)) == {"type": "Paid", "v": 3, "chips": 6}
    with pytest.raises(CodecError, match="already"):
        codec.register_upcaster("Paid", 2, lambda body: body)


def test_an_upcaster_that_goes_in_circles_is_stopped() -> None:
    """MAX_UPCASTS steps are followed, no more."""
    steps = []
    codec = new_codec()
    codec.register_upcaster("Paid", 1, lambda body: steps.append(1) or body)  # type: ignore[func-returns-value]
    with pytest.raises(CodecError, match="upcasts"):
        codec.decode({"type": "Paid", "chips": 1})
    assert len(steps) == MAX_UPCASTS


def test_a_tag_and_a_class_belong_together_once() -> None:
    """Neither is registered twice, and only frozen dataclasses are."""
    codec = new_codec()
    assert codec.tag_of(Paid) == "Paid"
    for tag, cls in (("Paid", type("Other", (), {})), ("Ante", Paid)):
        with pytest.raises(CodecError, match="twice"):
            codec.register(tag, cls)
    with pytest.raises(CodecError, match="frozen"):
        codec.register("Plain", type("Plain", (), {}))
    with pytest.raises(CodecError, match="not registered"):
        codec.encode(object())


def test_a_field_with_the_codecs_own_name_is_refused() -> None:
    """``type``, ``v`` and ``sealed`` are the codec's; a type without a form is named with its field."""

    @dataclass(frozen=True)
    class Sealed:
        sealed: str

    @dataclass(frozen=True)
    class Weighed:
        grams: float

    with pytest.raises(CodecError, match="the codec's own"):
        Codec().register("Sealed", Sealed)
    with pytest.raises(CodecError, match=r"Weighed.grams: the type float"):
        Codec().register("Weighed", Weighed)
