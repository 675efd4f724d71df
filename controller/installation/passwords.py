"""Passwords of a broker's users, where they are not known by certificates: mosquitto's file of salted digests."""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Final

from controller.whole_file import write_whole

ROUNDS: Final = 101
"""As ``mosquitto_passwd`` does; the passwords are random and long."""
SALT_BYTES: Final = 12
SECRET_BYTES: Final = 24


def entry_of(password: str, salt: bytes | None = None) -> str:
    """What stands behind the user's name: ``$7$rounds$salt$digest``, PBKDF2 with SHA-512."""
    salted = os.urandom(SALT_BYTES) if salt is None else salt
    digest = pbkdf2_hmac("sha512", password.encode(), salted, ROUNDS)
    return f"$7${ROUNDS}${b64encode(salted).decode()}${b64encode(digest).decode()}"


def fits(password: str, entry: str) -> bool:
    """Whether the entry is of that password."""
    try:
        _, kind, rounds, salt, _digest = entry.split("$")
        if (kind, rounds) != ("7", str(ROUNDS)):
            return False
        return hmac.compare_digest(entry_of(password, b64decode(salt, validate=True)), entry)
    except ValueError:
        return False


def read_entries(text: str) -> dict[str, str]:
    """Entries by user."""
    return {user: entry for line in text.splitlines() for user, _, entry in (line.partition(":"),) if entry}


def entries_text(entries: Mapping[str, str]) -> str:
    """The file as mosquitto reads it."""
    return "".join(f"{user}:{entry}\n" for user, entry in entries.items())


def with_passwords(users: Iterable[str], known: Mapping[str, str], folder: Path) -> dict[str, str]:
    """An entry for each of ``users``. A password lies in ``folder`` under the user's name, for its owner alone; one is made for
    who has neither that nor an entry, and an entry whose password has been carried away stays. ``OSError``."""
    found: dict[str, str] = {}
    for user in users:
        path = folder / user
        if not path.exists():
            if user in known:
                found[user] = known[user]
                continue
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, secrets.token_urlsafe(SECRET_BYTES) + "\n")
        password = path.read_text(encoding="utf-8").strip()
        found[user] = known[user] if fits(password, known.get(user, "")) else entry_of(password)
    return found
