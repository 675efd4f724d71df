"""Sealing of cards that are not public: on disk they stand in boxes that only the hand's key opens (R-RULE-06).

The table key (KEK) wraps one random key per deal (K_h); sub-keys for each seat, the burns and the evidence come from it by
HKDF-SHA256, so that one seat's cards can be shown after the hand without the others. A box is AES-256-GCM with a random nonce,
12 + 16 + 16 bytes whatever it hides; its associated data bind hand, event type, ordinal and place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from controller.hand.cards import Card

S = TypeVar("S")

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Source of ``n`` random bytes. A table takes the operating system's (``os.urandom``); a simulation draws from its seed."""

TABLE_KEY: Final = "table.key"
"""Name of the table key's file in the folder of keys."""
NEXT_KEY: Final = "table.key.next"
"""The key that a rotation puts in its place; a rotation that was torn left it there, and the next one goes on with it."""
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
PLAIN_BYTES: Final = 16
TAG_BYTES: Final = 16
BOX_BYTES: Final = NONCE_BYTES + PLAIN_BYTES + TAG_BYTES
WRAPPED_BYTES: Final = NONCE_BYTES + KEY_BYTES + TAG_BYTES
MAX_UID_BYTES: Final = 10
"""Longest tag number: ISO 15693 has 8 bytes, ISO 14443-A has 4, 7 or 10."""
MAX_DRAW_NO: Final = 0xFFFF

BURN: Final = "burn"
EVIDENCE: Final = "evidence"

_VERSION: Final = 1
_UNREADABLE: Final = 0xFF
_USUAL_UID_BYTES: Final = 8


class SealError(Exception):
    """A box, wrapped key or key file does not open: wrong key, other associated data, or damage. Says nothing of the content."""


def seat_part(seat: int) -> str:
    """Name of the sub-key of ``seat`` (1-based)."""
    return f"seat/{seat}"


def make_kid(table: str, journal_id: str, deal_number: int) -> str:
    """Name of one deal's key: table, journal and deal number. A redeal is a deal of its own."""
    return _clean(f"{table}/{journal_id}/{deal_number}")


def _clean(text: str) -> str:
    if "|" in text:
        raise ValueError("'|' divides the parts of associated data and must not stand inside one")
    return text


def load_or_create_table_key(path: Path, *, random_bytes: RandomBytes = os.urandom) -> bytes:
    """The table key in ``path``, a file of 32 bytes for its owner alone; made with mode 0600 when it is not there.

    ``SealError`` when it is no file, has another length or group and others may read it; ``OSError`` when it cannot be read.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise SealError(f"table key {path} is no file: move it away, and restore the key of {KEY_BYTES} bytes in its place")
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _create_table_key(path, random_bytes)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SealError(f"table key {path} is open to group or others: set its mode to 0600")
        key = file.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise SealError(f"table key {path} is not {KEY_BYTES} bytes long: restore it, or remove it and lose the hand in play")
    return key


def _create_table_key(path: Path, random_bytes: RandomBytes) -> bytes:
    key = random_bytes(KEY_BYTES)
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(handle)
    fresh.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return key


def wrap(table_key: bytes, kid: str, hand_key: bytes, *, random_bytes: RandomBytes = os.urandom) -> bytes:
    """``hand_key`` under ``table_key``, bound to ``kid``: nonce, ciphertext and tag, 60 bytes."""
    nonce = random_bytes(NONCE_BYTES)
    return nonce + AESGCM(table_key).encrypt(nonce, hand_key, _wrap_data(kid))


def unwrap(table_key: bytes, kid: str, wrapped: bytes) -> bytes:
    """The hand key of ``kid``; ``SealError`` when it does not open, and the hand goes on blind."""
    if len(wrapped) != WRAPPED_BYTES:
        raise SealError(f"wrapped hand key is {len(wrapped)} bytes, not {WRAPPED_BYTES}")
    try:
        return AESGCM(table_key).decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], _wrap_data(kid))
    except InvalidTag:
        raise SealError(f"hand key {kid} does not open with this table key") from None


def _wrap_data(kid: str) -> bytes:
    return b"STUD-WRAP/1|" + _clean(kid).encode()


def derive_part(hand_key: bytes, kid: str, part: str) -> bytes:
    """The sub-key of ``part`` (``seat/3``, ``burn`` or ``evidence``), 32 bytes."""
    info = b"STUD-SUB/1|" + _clean(kid).encode() + b"|" + _clean(part).encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(hand_key)


def commitment(part_key: bytes) -> bytes:
    """What the hand's first event lists of a sub-key, so that a key shown later is known to be the one used."""
    return sha256(b"STUD-KEY/1|" + part_key).digest()


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a box hides: a card (``None`` for one that the device could not read), its draw number and its tag."""

    card: Card | None = field(repr=False)
    draw_no: int
    uid: bytes = field(default=b"", repr=False)

    def pack(self) -> bytes:
        """Always 16 bytes: version, card, draw number, tag number, and how long the tag number is (0 for eight bytes)."""
        if not 0 <= self.draw_no <= MAX_DRAW_NO:
            raise ValueError(f"draw number {self.draw_no} is not in 0 … {MAX_DRAW_NO}")
        size = len(self.uid)
        if size > MAX_UID_BYTES:
            raise ValueError(f"tag number of {size} bytes: at most {MAX_UID_BYTES} fit")
        card = _UNREADABLE if self.card is None else int(self.card)
        head = bytes((_VERSION, card)) + self.draw_no.to_bytes(2, "big") + self.uid
        return head.ljust(PLAIN_BYTES - 1, b"\0") + bytes((0 if size == _USUAL_UID_BYTES else size + 1,))

    @staticmethod
    def unpack(plain: bytes) -> Hidden:
        """The record packed in ``plain``; ``SealError`` when it is none."""
        if len(plain) != PLAIN_BYTES or plain[0] != _VERSION or not (plain[1] < 52 or plain[1] == _UNREADABLE):
            raise SealError("box holds no record of this version")
        size = _USUAL_UID_BYTES if plain[-1] == 0 else plain[-1] - 1
        if size > MAX_UID_BYTES or any(plain[4 + size : -1]):
            raise SealError("box holds no record of this version")
        card = None if plain[1] == _UNREADABLE else Card(plain[1])
        return Hidden(card, int.from_bytes(plain[2:4], "big"), plain[4 : 4 + size])


def box_data(kid: str, event_type: str, ordinal: int, place: str) -> bytes:
    """Associated data of a box: it opens only for this hand, event type, ordinal in the hand and place."""
    parts = ("STUD-SEAL/1", _clean(kid), _clean(event_type), str(ordinal), _clean(place))
    return "|".join(parts).encode()


def seal(part_key: bytes, hidden: Hidden, data: bytes, *, random_bytes: RandomBytes = os.urandom) -> bytes:
    """A box of 44 bytes. The nonce is random each time, never a counter: a repeated pair of key and nonce shows both cards."""
    nonce = random_bytes(NONCE_BYTES)
    return nonce + AESGCM(part_key).encrypt(nonce, hidden.pack(), data)


def open_box(part_key: bytes, box: bytes, data: bytes) -> Hidden:
    """What ``box`` hides; ``SealError`` for a wrong key, other associated data or a damaged box."""
    if len(box) != BOX_BYTES:
        raise SealError(f"box is {len(box)} bytes, not {BOX_BYTES}")
    try:
        plain = AESGCM(part_key).decrypt(box[:NONCE_BYTES], box[NONCE_BYTES:], data)
    except InvalidTag:
        raise SealError("box does not open: other key, other place in the hand, or damaged") from None
    return Hidden.unpack(plain)


class HandSealer:
    """One deal's key at work: seals and opens boxes of its parts, each sub-key derived once. Never prints a key."""

    __slots__ = ("_hand_key", "_part_keys", "_random_bytes", "kid")

    def __init__(self, kid: str, hand_key: bytes, *, random_bytes: RandomBytes = os.urandom) -> None:
        if len(hand_key) != KEY_BYTES:
            raise ValueError(f"hand key is {len(hand_key)} bytes, not {KEY_BYTES}")
        self.kid = _clean(kid)
        self._hand_key = hand_key
        self._random_bytes = random_bytes
        self._part_keys: dict[str, bytes] = {}

    @classmethod
    def create(cls, kid: str, *, random_bytes: RandomBytes = os.urandom) -> HandSealer:
        """A deal's new random key."""
        return cls(kid, random_bytes(KEY_BYTES), random_bytes=random_bytes)

    @classmethod
    def unwrapped(cls, table_key: bytes, kid: str, wrapped: bytes, *, random_bytes: RandomBytes = os.urandom) -> HandSealer:
        """The key of ``kid`` as the journal kept it; ``SealError`` when the table key does not open it."""
        return cls(kid, unwrap(table_key, kid, wrapped), random_bytes=random_bytes)

    def wrapped(self, table_key: bytes) -> bytes:
        """The row for the journal's ``hand_key`` table."""
        return wrap(table_key, self.kid, self._hand_key, random_bytes=self._random_bytes)

    def split(self, splitter: Callable[[bytes, str, RandomBytes], S]) -> S:
        """What ``splitter`` makes of the key, its name and the source of random bytes: shares for auditors, nothing else."""
        return splitter(self._hand_key, self.kid, self._random_bytes)

    def part_key(self, part: str) -> bytes:
        """The sub-key of ``part``: released for a seat that tabled its hand, for nothing else."""
        key = self._part_keys.get(part)
        if key is None:
            key = self._part_keys[part] = derive_part(self._hand_key, self.kid, part)
        return key

    def commitment(self, part: str) -> bytes:
        """The commitment to the sub-key of ``part``."""
        return commitment(self.part_key(part))

    def seal(self, part: str, hidden: Hidden, *, event_type: str, ordinal: int, place: str) -> bytes:
        """A box under the sub-key of ``part``."""
        return seal(self.part_key(part), hidden, box_data(self.kid, event_type, ordinal, place), random_bytes=self._random_bytes)

    def open_box(self, part: str, box: bytes, *, event_type: str, ordinal: int, place: str) -> Hidden:
        """What ``box`` hides; ``SealError`` when it was made for another part, event type, ordinal, place or hand."""
        return open_box(self.part_key(part), box, box_data(self.kid, event_type, ordinal, place))
