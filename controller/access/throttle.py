"""Failed tries slow the next ones down: per person and per source, in memory, bounded. Pure but for the clock passed in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

FREE: Final = 3
"""Failures in a row that cost no time: a slip of the finger is none."""
FIRST_S: Final = 2.0
MOST_S: Final = 300.0
"""The wait after one failure more, which doubles with each, and its bound: 12 tries an hour against one person's PIN."""
SOURCE_MOST_S: Final = 30.0
"""The bound of what is nobody's own. A whole table signs in at one address, and who guesses there must not keep it out: 120 tries
an hour against everybody's PINs, each of them on record."""
FORGOTTEN_S: Final = 3600.0
"""Failures older than that are forgotten."""
MAX_KEYS: Final = 2048
"""People and sources that are remembered; beyond that, new ones share one account."""

_SHARED: Final = ("shared", "")
Key = tuple[str, str]
"""What fails: ``("person", number)``, or PINs (``"source"``) or badges (``"badges"``) from an address."""


class _Account(NamedTuple):
    failures: int
    last: float


class Throttle:
    """Failures by key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._accounts: dict[Key, _Account] = {}

    def wait_s(self, *keys: Key) -> int:
        """Whole seconds until a try with all of ``keys`` is looked at; 0 for now."""
        now = self._clock()
        return max((math.ceil(self._left(key, now)) for key in keys), default=0)

    def failed(self, *keys: Key) -> int:
        """A try with ``keys`` failed; failures in a row of the worst of them."""
        now, worst = self._clock(), 0
        for key in keys:
            own = self._own(key, now)
            before = self._accounts.get(own)
            failures = 1 + (0 if before is None or now - before.last >= FORGOTTEN_S else before.failures)
            self._accounts[own] = _Account(failures, now)
            worst = max(worst, failures)
        return worst

    def passed(self, key: Key) -> None:
        """That person proved who they are. The source keeps its account: a known badge must not pay for guesses at others."""
        self._accounts.pop(key, None)

    def _left(self, key: Key, now: float) -> float:
        account = self._accounts.get(key) or (self._accounts.get(_SHARED) if len(self._accounts) >= MAX_KEYS else None)
        if account is None or now - account.last >= FORGOTTEN_S or account.failures < FREE:
            return 0.0
        wait = min(MOST_S if key[0] == "person" else SOURCE_MOST_S, FIRST_S * 2.0 ** min(account.failures - FREE, 30))
        return max(0.0, account.last + wait - now)

    def _own(self, key: Key, now: float) -> Key:
        """The account of ``key``; where no room is left, the shared one."""
        if key in self._accounts or len(self._accounts) < MAX_KEYS:
            return key
        self._accounts = {one: own for one, own in self._accounts.items() if now - own.last < FORGOTTEN_S}
        return key if len(self._accounts) < MAX_KEYS else _SHARED
