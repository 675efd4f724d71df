"""What makes a floor's order one that a table obeys: a token for one request, signed with the floor's key (RFC 7515, EdDSA).

It names who gives the order and who agreed, for which table, which decision it answers and the digest of the exact body; it lives
for half a minute and is taken once. Made at the floor, checked at the table; no other secret goes between them.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.access.floor_key import key_name

ALGORITHM: Final = "EdDSA"
LIFE_S: Final = 20
"""Seconds for which a token is made."""
MOST_S: Final = 30
"""Seconds for which a table takes one at most, whatever it says."""
AHEAD_S: Final = 5
"""How far the floor's clock may be before the table's, in seconds."""
MAX_CHARS: Final = 4096
MAX_USED: Final = 4096
"""Tokens of the last half minute that a table remembers; with more it takes none for a moment."""
OPEN: Final = "open"
"""The role of whoever gives an order at a floor where nobody signs in."""


class Signer(NamedTuple):
    """A person of an order, by name and role."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class FloorWord:
    """What a token says. ``request`` is the method and the last part of the address with its query; ``decision`` what the order
    answers, as its body names it; ``body`` is the SHA-256 of the body, hexadecimal. ``token`` is the token's own id."""

    floor: str
    audience: str
    person: Signer
    agreed: Signer | None
    request: str
    decision: str
    body: str
    issued: int
    expires: int
    token: str
    key: str


class BadToken(Exception):  # noqa: N818 - an answer to who asks
    """The token is not taken. ``code`` says why, as a refusal's."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def digest_of(body: bytes) -> str:
    """Digest of a body as it goes over the wire."""
    return sha256(body).hexdigest()


class FloorSigner:
    """The floor's hand: signs one request each. ``wall`` is the time in POSIX seconds."""

    def __init__(
        self,
        key: Ed25519PrivateKey,
        venue: str,
        wall: Callable[[], float],
        new_id: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._key = key
        self._venue = venue
        self._wall = wall
        self._new_id = new_id
        self.name = key_name(key.public_key())

    def sign(
        self, table: str, person: Signer, agreed: Signer | None, request: str, body: bytes = b"", decision: str = ""
    ) -> tuple[str, str]:
        """A token for this request to ``table``, and its id."""
        now, token_id = int(self._wall()), self._new_id()
        claims = {
            "iss": self._venue,
            "aud": f"{self._venue}/{table}",
            "sub": person.name,
            "role": person.role,
            "agreed": None if agreed is None else {"name": agreed.name, "role": agreed.role},
            "request": request,
            "decision": decision,
            "digest": digest_of(body),
            "iat": now,
            "exp": now + LIFE_S,
            "jti": token_id,
        }
        return jwt.encode(claims, self._key, algorithm=ALGORITHM, headers={"kid": self.name}), token_id


class FloorVerifier:
    """The table's eye: takes a token of its own floor, for itself, once. ``wall`` is the time in POSIX seconds."""

    def __init__(self, key: Ed25519PublicKey, venue: str, table: str, wall: Callable[[], float]) -> None:
        self._key = key
        self._venue = venue
        self._audience = f"{venue}/{table}"
        self._wall = wall
        self._name = key_name(key)
        self._used: dict[str, float] = {}
        self._ends: deque[tuple[float, str]] = deque()

    def verify(self, token: str, request: str, body: bytes) -> FloorWord:
        """What the token says of this request, and never again. ``BadToken`` says why it is not taken."""
        if not token:
            raise BadToken("token_missing")
        word = self._signed(token)
        now = self._wall()
        if (word.floor, word.audience) != (self._venue, self._audience):
            raise BadToken("token_other_table")
        if word.issued > now + AHEAD_S:
            raise BadToken("token_future")
        if not now < word.expires or now >= word.issued + MOST_S:
            raise BadToken("token_expired")
        if word.request != request:
            raise BadToken("token_other_request")
        if word.body != digest_of(body):
            raise BadToken("token_other_body")
        self._use(word.token, now)
        return word

    def _signed(self, token: str) -> FloorWord:
        if len(token) > MAX_CHARS:
            raise BadToken("token_unreadable")
        try:
            if (name := jwt.get_unverified_header(token).get("kid")) != self._name:
                raise BadToken("token_other_floor" if name else "token_unreadable")
            claims = jwt.decode(token, self._key, algorithms=[ALGORITHM], options=_SIGNATURE_ALONE)
        except jwt.InvalidSignatureError:
            raise BadToken("token_bad_signature") from None
        except jwt.PyJWTError:
            raise BadToken("token_unreadable") from None
        return _word(claims, self._name)

    def _use(self, token_id: str, now: float) -> None:
        """Remember the token for as long as it could be taken."""
        while self._ends and self._ends[0][0] <= now:
            self._used.pop(self._ends.popleft()[1], None)
        if token_id in self._used:
            raise BadToken("token_used")
        if len(self._used) >= MAX_USED:
            raise BadToken("too_many_orders")
        ends = now + MOST_S + AHEAD_S
        self._used[token_id] = ends
        self._ends.append((ends, token_id))


_SIGNATURE_ALONE: Final[Any] = {
    "verify_signature": True,
    **dict.fromkeys(("verify_exp", "verify_iat", "verify_nbf", "verify_aud", "verify_iss", "verify_sub", "verify_jti"), False),
}
"""The library reads the form and checks the signature; what the claims must be stands above, against the clock passed in."""


def _word(claims: Mapping[str, Any], key: str) -> FloorWord:
    """The claims, each of its own kind; ``BadToken`` for any that is not."""
    agreed = claims.get("agreed")
    try:
        word = FloorWord(
            floor=claims["iss"],
            audience=claims["aud"],
            person=Signer(claims["sub"], claims["role"]),
            agreed=None if agreed is None else Signer(agreed["name"], agreed["role"]),
            request=claims["request"],
            decision=claims["decision"],
            body=claims["digest"],
            issued=claims["iat"],
            expires=claims["exp"],
            token=claims["jti"],
            key=key,
        )
    except (KeyError, TypeError):
        raise BadToken("token_unreadable") from None
    texts = (word.floor, word.audience, *word.person, *(word.agreed or ()), word.request, word.decision, word.body, word.token)
    times = (word.issued, word.expires)
    if not all(isinstance(one, str) for one in texts) or not word.token or not all(type(one) is int for one in times):
        raise BadToken("token_unreadable")
    return word
