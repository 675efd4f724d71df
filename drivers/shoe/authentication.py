"""Authenticated lines of TSP/1 (cap ``AU``): keys, counters and tags of a session, for both ends (TSP/1 authentication).

``body "," ctr "," tag``: ``ctr`` 8 hex, ``tag`` the first 8 bytes of HMAC-SHA-256 over all before it. Lines that open a session
go under a key of the pair with counter 0: HELLO of both sides, STATUS, and an HB that answers it or comes before a session. All
others go under the session's keys, one a direction, with a counter that grows in every line sent, repeats too. Pure: no I/O,
no time of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from drivers.ports import DriverError
from drivers.shoe.lines import MAX_SIGNED_BYTES, LineError, framed, parse_hex
from drivers.shoe.messages import Command, Epoch, HostHello, HostMessage, Verb

KEY_BYTES: Final = 32
TAG_BYTES: Final = 8
CHANGE_S: Final = 2.0
"""After a change of session lines under the old key are still under way: dropped, and not counted."""
BAD_TAGS: Final = 3
BAD_TAGS_WINDOW_S: Final = 10.0

_CTR_DIGITS: Final = 8
_LAST_CTR: Final = 0xFFFF_FFFF


class BadKey(DriverError):  # noqa: N818 - a name of the published interface
    """A key that is none. The message never shows it."""


def parse_key(text: str) -> bytes:
    """64 hex digits as a key; ``BadKey`` otherwise."""
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadKey(f"a shoe's key is {2 * KEY_BYTES} hexadecimal digits, this is none: provision the shoe anew")
    return key


def key_id(key: bytes) -> str:
    """What a key is called in lists: it tells nothing of the key."""
    return hashlib.sha256(key).hexdigest()[:8]


def hkdf(key: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF-SHA256 (RFC 5869)."""
    inner = hmac.digest(salt or bytes(32), key, "sha256")
    block, out = b"", b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac.digest(inner, block + info + bytes((number,)), "sha256")
        out += block
    return out[:length]


@dataclass(frozen=True, slots=True)
class Pair:
    """A shoe and the key that it shares with this table."""

    key: bytes = field(repr=False)
    node: str
    serial: str

    def opening_key(self) -> bytes:
        """K_hello: of the lines that open a session."""
        return hkdf(self.key, b"", f"TSP1|HELLO|{self.node}|{self.serial}".encode(), KEY_BYTES)

    def session_keys(self, nonces: str, boot: int, epoch: Epoch) -> tuple[bytes, bytes]:
        """K_dev and K_host. ``nonces`` is the shoe's nonce and the host's, 16 hex digits each."""
        info = f"TSP1|{self.node}|{self.serial}|{boot:04X}|{epoch}".encode()
        both = hkdf(self.key, bytes.fromhex(nonces), info, 2 * KEY_BYTES)
        return both[:KEY_BYTES], both[KEY_BYTES:]


@dataclass(frozen=True, slots=True)
class Checked:
    """A line with a good tag. ``is_opening``: under K_hello, so it may only open a session. ``body`` has no counter and tag."""

    body: bytes = field(repr=False)
    is_opening: bool


class Signer:
    """One end's keys and counters. ``is_host`` says which."""

    def __init__(self, pair: Pair, *, is_host: bool) -> None:
        self.pair = pair
        self._is_host = is_host
        self._opening = pair.opening_key()
        self._send = b""
        self._receive = b""
        self._old = b""
        self._old_until = -math.inf
        self._sent = self._received = 0
        self._bad: deque[float] = deque(maxlen=BAD_TAGS)
        self.bad = 0
        """Lines with a good CRC and no good tag."""
        self.late = 0
        """Lines with a good tag and a counter that was there before."""

    @property
    def has_session(self) -> bool:
        """Whether session keys are there."""
        return self._send != b""

    def start(self, now: float, nonces: str, boot: int, epoch: Epoch) -> None:
        """A session begins: other keys, counters from 1."""
        device, host = self.pair.session_keys(nonces, boot, epoch)
        self._old, self._old_until = self._receive, now + CHANGE_S
        self._send, self._receive = (host, device) if self._is_host else (device, host)
        self._sent = self._received = 0

    def sign(self, line: bytes, *, is_opening: bool) -> bytes:
        """``line`` with counter and tag. ``LineError`` when the counter is used up, or the line too long for them."""
        if not is_opening:
            if self._sent >= _LAST_CTR:
                raise LineError("the counter of the authenticated line is used up: start the shoe anew")
            self._sent += 1
        counted = b"%b,%08X" % (line[1:-7], 0 if is_opening else self._sent)
        return framed(counted + b"," + _tag(self._opening if is_opening else self._send, counted), MAX_SIGNED_BYTES)

    def check(self, now: float, body: bytes) -> Checked | None:
        """The line behind a checked CRC; None when it has no good tag or its counter is old. The tag comes before the counter."""
        counted, _, tag = body.rpartition(b",")
        plain, _, ctr_text = counted.rpartition(b",")
        try:
            ctr = parse_hex(ctr_text.decode("latin-1"), _CTR_DIGITS)
        except LineError:
            self._count_bad(now)
            return None
        is_opening = ctr == 0
        if not _is_good(self._opening if is_opening else self._receive, counted, tag):
            if not (now < self._old_until and _is_good(self._old, counted, tag)):
                self._count_bad(now)
            return None
        if is_opening:
            return Checked(plain, is_opening=True)
        if ctr <= self._received:
            self.late += 1
            return None
        self._received = ctr
        return Checked(plain, is_opening=False)

    def is_tampered(self, now: float) -> bool:
        """Three bad tags in ten seconds: somebody is at the line."""
        return len(self._bad) == BAD_TAGS and now - self._bad[0] <= BAD_TAGS_WINDOW_S

    def _count_bad(self, now: float) -> None:
        self.bad += 1
        self._bad.append(now)


def _tag(key: bytes, counted: bytes) -> bytes:
    return hmac.digest(key, counted, "sha256")[:TAG_BYTES].hex().upper().encode()


def _is_good(key: bytes, counted: bytes, tag: bytes) -> bool:
    """In constant time; nothing is good without a key."""
    return key != b"" and hmac.compare_digest(_tag(key, counted), tag)


class HostLock:
    """The host's end: what it signs, what it takes, and the nonces of the session that it opens."""

    def __init__(self, pair: Pair, rng: random.Random) -> None:
        self._signer = Signer(pair, is_host=True)
        self._rng = rng
        self.nonces = ""
        """The shoe's nonce and ours, of the session that is being opened or is on."""

    @property
    def counters(self) -> dict[str, int]:
        """Bad tags and late counters since the start."""
        return {"bad_tags": self._signer.bad, "late_lines": self._signer.late}

    def is_tampered(self, now: float) -> bool:
        """Three bad tags in ten seconds: somebody is at the line."""
        return self._signer.is_tampered(now)

    def start(self, now: float, shoe_nonce: str, boot: int, epoch: Epoch) -> None:
        """Open a session with the shoe's fresh nonce and a new one of ours."""
        self.nonces = shoe_nonce + _nonce(self._rng)
        self._signer.start(now, self.nonces, boot, epoch)

    def sign(self, message: HostMessage, line: bytes) -> bytes:
        """``line`` of ``message`` with counter and tag."""
        return self._signer.sign(line, is_opening=opens_session(message))

    def check(self, now: float, body: bytes) -> Checked | None:
        """The shoe's line behind its tag; None when it is not to be believed."""
        return self._signer.check(now, body)


class ShoeLock:
    """The shoe's end: a nonce that is new after every start and every honoured HELLO of a host."""

    def __init__(self, pair: Pair, rng: random.Random) -> None:
        self._signer = Signer(pair, is_host=False)
        self._rng = rng
        self.nonce = _nonce(rng)

    @property
    def has_session(self) -> bool:
        """Whether anything but HELLO and HB may be sent."""
        return self._signer.has_session

    def takes(self, now: float, hello: HostHello) -> bool:
        """Whether ``hello`` bears the nonce that is not used yet; then its session begins. Any other changes nothing."""
        if not hello.nonces.startswith(self.nonce):
            return False
        self._signer.start(now, hello.nonces, hello.boot, hello.epoch)
        self.nonce = _nonce(self._rng)
        return True

    def sign(self, line: bytes, *, is_opening: bool) -> bytes:
        """``line`` with counter and tag."""
        return self._signer.sign(line, is_opening=is_opening)

    def check(self, now: float, body: bytes) -> Checked | None:
        """The host's line behind its tag; None when it is not to be believed."""
        return self._signer.check(now, body)


def opens_session(message: HostMessage) -> bool:
    """HELLO and STATUS go under K_hello, everything else of a host under the session's key."""
    return isinstance(message, HostHello) or (isinstance(message, Command) and message.verb is Verb.STATUS)


def _nonce(rng: random.Random) -> str:
    return f"{rng.getrandbits(64):016X}"
