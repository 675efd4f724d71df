"""Sealing of cards: golden values byte for byte, and nothing opens a box but its own key and place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.hand.cards import DECK, parse_card
from controller.journal.sealing import (
    BOX_BYTES,
    EVIDENCE,
    MAX_DRAW_NO,
    MAX_UID_BYTES,
    HandSealer,
    Hidden,
    SealError,
    box_data,
    commitment,
    derive_part,
    load_or_create_table_key,
    make_kid,
    open_box,
    seal,
    seat_part,
    unwrap,
    wrap,
)

KEK = bytes(range(0x20, 0x40))
HAND_KEY = bytes(range(0x40, 0x60))
KID = "T7/5f0c9a1e/1234"
WRAPPED = bytes.fromhex(
    "000102030405060708090a0b1c131fe40e70adabf4b0838d6a3e10734321bb373e44f0467c5489e1e7dc95c773548620a2fcc5c8c8ed389cd91c37d4"
)
SEAT_KEY = bytes.fromhex("484ce3b58a70f9249948cbddeb2254ff8d1a7390699030199eaf3f5f8f1a016a")
PLAIN = bytes.fromhex("01330011e00401009a3b7c2100000000")
DATA = b"STUD-SEAL/1|T7/5f0c9a1e/1234|CardDealt|7|seat/3/down/1"
BOX = bytes.fromhex("a0a1a2a3a4a5a6a7a8a9aaab32f4dceaa321276410ce711f4d669cac39fa8f0247a9222c393860447b7a2c30")
ACE = Hidden(parse_card("As"), 17, bytes.fromhex("E00401009A3B7C21"))


def counting(start: int) -> object:
    """A source of ascending bytes."""
    return lambda size: bytes(range(start, start + size))


def test_golden_wrap() -> None:
    """The hand key under the table key, bound to the kid."""
    assert make_kid("T7", "5f0c9a1e", 1234) == KID
    assert wrap(KEK, KID, HAND_KEY, random_bytes=counting(0)) == WRAPPED
    assert unwrap(KEK, KID, WRAPPED) == HAND_KEY


def test_golden_sub_key_and_commitment() -> None:
    """Seat 3's sub-key and what the hand's first event lists of it."""
    assert seat_part(3) == "seat/3"
    assert derive_part(HAND_KEY, KID, "seat/3") == SEAT_KEY
    assert commitment(SEAT_KEY).hex() == "afe61a8baf2ddb6aed3d4ca080f574ec967be01045672a5c3b621fedc1952054"


def test_golden_box() -> None:
    """Plaintext, associated data and box of the ace of spades."""
    assert ACE.pack() == PLAIN
    assert box_data(KID, "CardDealt", 7, "seat/3/down/1") == DATA
    assert seal(SEAT_KEY, ACE, DATA, random_bytes=counting(0xA0)) == BOX
    assert open_box(SEAT_KEY, BOX, DATA) == ACE


def test_the_sealer_gives_the_golden_values() -> None:
    """The hand's sealer is the functions above with its key."""
    sealer = HandSealer.unwrapped(KEK, KID, WRAPPED, random_bytes=counting(0xA0))
    assert sealer.seal("seat/3", ACE, event_type="CardDealt", ordinal=7, place="seat/3/down/1") == BOX
    assert sealer.open_box("seat/3", BOX, event_type="CardDealt", ordinal=7, place="seat/3/down/1") == ACE
    assert sealer.part_key("seat/3") == SEAT_KEY
    assert sealer.commitment("seat/3") == commitment(SEAT_KEY)
    assert HandSealer(KID, HAND_KEY, random_bytes=counting(0)).wrapped(KEK) == WRAPPED


@given(
    st.sampled_from(DECK) | st.none(),
    st.integers(0, MAX_DRAW_NO),
    st.binary(max_size=MAX_UID_BYTES),
)
def test_every_record_packs_into_sixteen_bytes_and_back(card: object, draw_no: int, uid: bytes) -> None:
    """Readable or not, with a tag of 0 to 10 bytes or none: the box's size tells nothing."""
    hidden = Hidden(card, draw_no, uid)
    assert len(hidden.pack()) == 16
    assert Hidden.unpack(hidden.pack()) == hidden


def test_a_record_one_past_its_bounds_is_refused() -> None:
    """A draw number of 17 bits and a tag of 11 bytes have no place."""
    with pytest.raises(ValueError, match="draw number"):
        Hidden(None, MAX_DRAW_NO + 1).pack()
    with pytest.raises(ValueError, match="tag number"):
        Hidden(None, 0, bytes(MAX_UID_BYTES + 1)).pack()


@pytest.mark.parametrize(
    "plain", [PLAIN[:-1], b"\x02" + PLAIN[1:], b"\x01\x34" + PLAIN[2:], PLAIN[:-1] + b"\x0c", PLAIN[:-2] + b"\1\0"]
)
def test_what_is_no_record_is_refused(plain: bytes) -> None:
    """Length, version, card, tag length and padding are checked."""
    with pytest.raises(SealError):
        Hidden.unpack(plain)


@pytest.mark.parametrize(
    "data",
    [
        box_data("T7/5f0c9a1e/1235", "CardDealt", 7, "seat/3/down/1"),
        box_data(KID, "BurnMade", 7, "seat/3/down/1"),
        box_data(KID, "CardDealt", 8, "seat/3/down/1"),
        box_data(KID, "CardDealt", 7, "seat/4/down/1"),
    ],
)
def test_a_box_opens_only_where_it_was_made(data: bytes) -> None:
    """Another hand, event type, ordinal or place does not open it."""
    with pytest.raises(SealError, match="does not open"):
        open_box(SEAT_KEY, BOX, data)


def test_another_key_opens_nothing() -> None:
    """Neither another seat's sub-key nor another table key."""
    with pytest.raises(SealError, match="does not open"):
        open_box(derive_part(HAND_KEY, KID, "seat/4"), BOX, DATA)
    with pytest.raises(SealError, match="does not open"):
        unwrap(HAND_KEY, KID, WRAPPED)
    with pytest.raises(SealError, match="does not open"):
        unwrap(KEK, "T7/5f0c9a1e/1235", WRAPPED)


def test_every_flipped_bit_of_a_box_and_a_wrapped_key_is_found() -> None:
    """Nonce, ciphertext and tag are all bound."""
    for position in range(len(BOX) * 8):
        with pytest.raises(SealError):
            open_box(SEAT_KEY, _flipped(BOX, position), DATA)
    for position in range(len(WRAPPED) * 8):
        with pytest.raises(SealError):
            unwrap(KEK, KID, _flipped(WRAPPED, position))


def _flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_box_of_another_length_is_refused() -> None:
    """Cut or lengthened boxes and keys are refused before they are tried."""
    with pytest.raises(SealError, match="43 bytes"):
        open_box(SEAT_KEY, BOX[:-1], DATA)
    with pytest.raises(SealError, match="61 bytes"):
        unwrap(KEK, KID, WRAPPED + b"\0")


def test_the_operating_system_gives_a_new_nonce_each_time() -> None:
    """One card sealed a thousand times gives a thousand different boxes of one size."""
    sealer = HandSealer.create(KID)
    boxes = {sealer.seal(EVIDENCE, ACE, event_type="CardDrawn", ordinal=1, place="shoe") for _ in range(1000)}
    assert len({box[:12] for box in boxes}) == 1000
    assert {len(box) for box in boxes} == {BOX_BYTES}


def test_nothing_prints_a_card_a_tag_or_a_key() -> None:
    """``repr`` of record and sealer tells neither."""
    assert repr(ACE) == "Hidden(draw_no=17)"
    assert HAND_KEY.hex() not in repr(HandSealer(KID, HAND_KEY))


def test_a_divider_inside_a_part_is_refused() -> None:
    """'|' inside kid, type or place could make two places look alike."""
    with pytest.raises(ValueError, match="divides"):
        make_kid("T|7", "5f0c9a1e", 1)
    with pytest.raises(ValueError, match="divides"):
        box_data(KID, "CardDealt|7", 7, "muck")
    with pytest.raises(ValueError, match="hand key"):
        HandSealer(KID, b"short")


def test_the_table_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """The first call writes 32 bytes with mode 0600, the next reads them."""
    path = tmp_path / "table.key"
    key = load_or_create_table_key(path)
    assert len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_or_create_table_key(path, random_bytes=bytes) == key
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_table_key_that_others_may_read_or_of_another_length_is_refused(tmp_path: Path) -> None:
    """One clear sentence, and the file stays as it is."""
    path = tmp_path / "table.key"
    load_or_create_table_key(path)
    path.chmod(0o640)
    with pytest.raises(SealError, match="0600"):
        load_or_create_table_key(path)
    path.chmod(0o600)
    path.write_bytes(bytes(33))
    with pytest.raises(SealError, match="32 bytes"):
        load_or_create_table_key(path)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_no_file_is_no_table_key(kind: str, tmp_path: Path) -> None:
    """It is named by its path, with the way out, and not by a descriptor's number."""
    path, other = tmp_path / "table.key", tmp_path / "other"
    if kind == "folder":
        path.mkdir()
    else:
        load_or_create_table_key(other)
        path.symlink_to(other)
    with pytest.raises(SealError, match=f"^table key {path} is no file: move it away, and restore the key"):
        load_or_create_table_key(path)
