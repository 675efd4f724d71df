"""The audit desk: both auditors' private keys open the sealed cards of a closed hand, from a copy of the journal (recovery §10).

Done off the table. Each opening goes into the desk's own log before a card is told: a chain of JSON lines with time, hand, keys
and reason, never a card.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from controller.hand.events import HandEnded, HandOpened, HandVoided
from controller.journal.audit_shares import AuditKey, join_key
from controller.journal.canonical import Body
from controller.journal.errors import JournalDamaged
from controller.journal.sealing import EVIDENCE, HandSealer, SealError
from controller.journal.verify import verify_chain
from controller.table.carried_events import JournalContinued
from controller.table.events import DealKeyDropped, DealKeyMade
from controller.table.records import box_of_body, decode, table_codec

_ZERO: Final = "0" * 64
_TELLING: Final = (HandOpened, HandEnded, HandVoided, DealKeyMade, DealKeyDropped, JournalContinued)


class AuditError(Exception):
    """A hand that cannot be opened, a key file or log that is none. Says what to do, never a card."""


@dataclass(frozen=True, slots=True)
class OpenedCard:
    """One sealed record: its number, deal, kind, part of the key and place, and the card (``None``: not read)."""

    seq: int
    deal: int
    kind: str
    part: str
    place: str
    card: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenedHand:
    """Every sealed record from the opening of a hand until its deck is loaded again."""

    journal: str
    head: str
    hand: int
    keys: tuple[str, ...]
    cards: tuple[OpenedCard, ...] = field(repr=False)


@dataclass(slots=True)
class _Deal:
    """What the journal tells of one deal's key."""

    kid: str
    commitments: tuple[tuple[str, str], ...]
    shares: tuple[tuple[str, str], ...] | None = None


def make_key(path: Path) -> AuditKey:
    """Write a new private key to ``path`` (PEM, for its owner alone) and give its public key. ``OSError`` where that fails."""
    private = X25519PrivateKey.generate()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.flush()
        os.fsync(handle)
    return AuditKey.of(private)


def read_key(path: Path) -> X25519PrivateKey:
    """The private key in ``path``; ``AuditError`` when it is none, ``OSError`` when it cannot be read."""
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError):
        raise AuditError(f"{path} is no private key of an auditor: name the file that audit keygen wrote") from None
    if not isinstance(key, X25519PrivateKey):
        raise AuditError(f"{path} holds a key of another kind than X25519: name the file that audit keygen wrote")
    return key


def open_hand(journal: Path, hand: int, keys: Sequence[X25519PrivateKey]) -> OpenedHand:
    """The sealed cards of ``hand`` in the journal ``journal``, a file or its folder.

    ``AuditError`` when there is no such hand, or it is not closed yet; ``SealError`` when a key is missing or does not fit, or
    the opened key is not the one that the deal committed to; ``JournalDamaged`` when the chain does not hold.
    """
    private = {AuditKey.of(key).name: key for key in keys}
    found = _Finder(hand)
    checked = verify_chain(journal, found.take)
    if not checked.ok or checked.origin is None:
        raise JournalDamaged(checked.first_bad or 0, checked.reason or "it says nothing of itself")
    if not found.opened:
        raise AuditError(f"there is no hand {hand} in {journal}: its file may be kept elsewhere, name the folder of all files")
    sealers = {deal: _joined(found.deals.get(deal), hand, private) for deal in found.deals_of_boxes()}
    cards = tuple(found.open_all(sealers))
    return OpenedHand(checked.origin.journal, checked.head.hex(), hand, tuple(sorted(private)), cards)


def _joined(deal: _Deal | None, hand: int, private: Mapping[str, X25519PrivateKey]) -> HandSealer:
    if deal is None:
        raise AuditError(f"the key of hand {hand} was made in a file that is kept elsewhere: name the folder of all files")
    if deal.shares is None:
        raise AuditError(f"hand {hand} is not closed: its cards can be opened when the deck has been loaded again")
    sealer = HandSealer(deal.kid, join_key(deal.shares, deal.kid, private))
    if any(sealer.commitment(part).hex() != digest for part, digest in deal.commitments):
        raise SealError(f"the key that the shares of {deal.kid} give is not the one that the deal was sealed under")
    return sealer


class _Finder:
    """Reads a journal for one hand: its boxes, and what is told of the deals' keys."""

    def __init__(self, hand: int) -> None:
        self._hand = hand
        self._codec = table_codec()
        self._kinds = {self._codec.tag_of(cls): cls for cls in _TELLING}
        self._inside = self._over = False
        self.opened = False
        self.boxes: list[tuple[int, int, Body]] = []
        self.deals: dict[int, _Deal] = {}

    def take(self, seq: int, body: Body) -> None:
        """One record, in order."""
        deal = body.get("deal")
        if self._inside and "sealed" in body and isinstance(deal, int):
            self.boxes.append((seq, deal, body))
        if body["type"] not in self._kinds:
            return
        match decode(self._codec, body, {}):
            case HandOpened(number=number):
                self._inside, self._over = number == self._hand, False
                self.opened = self.opened or self._inside
            case HandEnded() | HandVoided():
                self._over = True
            case DealKeyMade(deal=deal, kid=kid, commitments=commitments):
                self.deals[deal] = _Deal(kid, commitments)
            case JournalContinued(kid=kid, commitments=commitments):
                self.deals.setdefault(int(kid.rpartition("/")[2]), _Deal(kid, commitments))
            case DealKeyDropped(deal=deal, shares=shares) if deal in self.deals:
                self.deals[deal].shares = shares
                self._inside = self._inside and not self._over  # a redeal in the middle of the hand is the hand's still
            case _:
                pass

    def deals_of_boxes(self) -> list[int]:
        """The deals that the hand's boxes belong to: more than one where it was dealt anew."""
        return sorted({deal for _, deal, _ in self.boxes})

    def open_all(self, sealers: Mapping[int, HandSealer]) -> list[OpenedCard]:
        """Every box of the hand, opened."""
        opened = []
        for seq, deal, body in self.boxes:
            event: Any = decode(self._codec, body, sealers)
            box = box_of_body(body)
            card = None if event.card is None else event.card.text
            opened.append(OpenedCard(seq, deal, str(body["type"]), box.part, box.place, card))
        return opened


def dealt(hand: OpenedHand) -> tuple[OpenedCard, ...]:
    """The cards that were dealt or burned, without the evidence of shoe and readers."""
    return tuple(card for card in hand.cards if card.part != EVIDENCE)


def note_opening(log: Path, hand: OpenedHand, *, at: str, reason: str) -> None:
    """Add an opening to the desk's log; durable on return. ``AuditError`` when the log is damaged."""
    handle = os.open(log, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "r+b") as file:
        fcntl.flock(handle, fcntl.LOCK_EX)
        entries, before = _entries(file.read(), log)
        entry = {
            "n": len(entries) + 1,
            "at": at,
            "journal": hand.journal,
            "head": hand.head,
            "hand": hand.hand,
            "keys": list(hand.keys),
            "reason": reason,
            "before": before,
        }
        file.write(json.dumps(entry, ensure_ascii=False, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(handle)


def read_log(log: Path) -> list[dict[str, Any]]:
    """The openings in ``log``, oldest first; ``AuditError`` where a line does not fit the one before it."""
    return _entries(log.read_bytes(), log)[0]


def _entries(content: bytes, log: Path) -> tuple[list[dict[str, Any]], str]:
    """The lines of a log and the digest that the next one must bear."""
    entries: list[dict[str, Any]] = []
    before = _ZERO
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            entry = json.loads(line)
            fits = line.endswith(b"\n") and (entry["n"], entry["before"]) == (number, before)
        except (ValueError, KeyError, TypeError):
            fits, entry = False, {}
        if not fits:
            raise AuditError(
                f"line {number} of the log {log} does not fit the line before it: keep the file and begin another one"
            )
        entries.append(entry)
        before = sha256(line).hexdigest()
    return entries, before
