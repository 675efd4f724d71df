"""A store's writer for the floor's alarms that is a list, and a real store behind the same face."""

from __future__ import annotations

from controller.floor.board.incident import Incident, TrailLine
from controller.floor.store.rows import Batch
from controller.floor.store.store import FloorStore, StoreError


class KeptList:
    """Keeps what it is given, at once."""

    def __init__(self) -> None:
        self.given: list[Incident | TrailLine] = []
        self.is_open = True

    @property
    def copy(self) -> FloorStore:
        """There is none."""
        raise StoreError("there is no store")

    def keep(self, other: Incident | TrailLine) -> None:
        self.given.append(other)

    async def drained(self) -> None:
        """Nothing waits."""


class KeptStore(KeptList):
    """Writes into ``store`` when it is drained."""

    def __init__(self, store: FloorStore) -> None:
        super().__init__()
        self._store = store

    @property
    def copy(self) -> FloorStore:
        return self._store

    async def drained(self) -> None:
        given, self.given = self.given, []
        incidents = tuple(one for one in given if isinstance(one, Incident))
        await self._store.write(Batch(alarms=incidents, trail=tuple(one for one in given if isinstance(one, TrailLine))))
