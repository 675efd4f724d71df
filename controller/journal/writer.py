"""The journal as the event loop sees it: appends that are awaited until they are durable.

One writer thread commits what waits in one transaction (group commit), so that a slow disk never stalls the loop. Inline, the
commit happens in the caller: for runs on virtual time, whose loop must not wait for threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, Protocol, TypeAlias

from controller.journal.canonical import Body
from controller.journal.errors import JournalDamaged, JournalError, JournalFailed, JournalOverloaded
from controller.journal.high_water import HighWater, HighWaterKeeper, check_witness, read_high_water
from controller.journal.schema import Origin
from controller.journal.store import ROTATE_AFTER, Appended, Entry, JournalStore, KeyChange

_log = logging.getLogger(__name__)

MAX_WAITING: Final = 1024
"""Most appends that wait for their commit; one more is refused."""
MAX_GROUP: Final = 256
"""Most appends in one transaction."""


class Commit(Enum):
    """Where commits happen."""

    THREAD = "thread"
    INLINE = "inline"


class Disk(Protocol):
    """What a run on virtual time puts under an inline journal: a medium that may be slow, full or broken, and that knows which
    commit was under way when the current failed. A real table's medium is the operating system's, and has no such face."""

    async def begin(self) -> None:
        """Before a commit is written. ``OSError``: nothing of it is written."""

    async def beside(self) -> None:
        """The next file of the journal is written beside the present one, which is still in force."""

    async def end(self, seq: int) -> None:
        """The commit that ends with record ``seq`` is written, or the file that begins with it in force; nobody was told of it.
        ``OSError``: it failed."""


_Result: TypeAlias = Appended | JournalError


class Journal:
    """An open journal with one writer. All calls belong to the event loop that opened it."""

    def __init__(self, store: JournalStore, commit: Commit, keeper: HighWaterKeeper | None, disk: Disk | None = None) -> None:
        self._store = store
        self._keeper = keeper
        self._disk = disk
        self._thread = _WriterThread(store, asyncio.get_running_loop(), keeper) if commit is Commit.THREAD else None
        self._closed = False

    @classmethod
    async def open(
        cls,
        folder: Path | None,
        *,
        table: str,
        journal_id: str,
        created: str,
        commit: Commit = Commit.THREAD,
        at_least_epoch: int = 0,
        high_water: Path | None = None,
        rotate_after: int = ROTATE_AFTER,
        disk: Disk | None = None,
    ) -> Journal:
        """Open or begin the journal of ``table`` in ``folder`` (``None``: in memory) and become its writer: the epoch rises.

        ``journal_id`` and ``created`` serve a new journal alone. ``high_water`` names the witness file, best on another medium:
        it is compared before anything is written, and written after commits. ``disk`` is told of inline commits. Errors as
        ``JournalStore.open`` and ``check_witness``.
        """
        if commit is Commit.INLINE:
            store = _open_store(folder, table, journal_id, created, at_least_epoch, rotate_after, high_water)
        else:
            store = await asyncio.to_thread(
                _open_store, folder, table, journal_id, created, at_least_epoch, rotate_after, high_water
            )
        keeper = None if high_water is None else HighWaterKeeper(high_water, inline=commit is Commit.INLINE)
        return cls(store, commit, keeper, disk)

    @property
    def origin(self) -> Origin:
        """Journal id, table and beginning."""
        return self._store.origin

    @property
    def epoch(self) -> int:
        """The writer epoch; each body carries it."""
        return self._store.epoch

    @property
    def last_seq(self) -> int:
        """Number of the last durable event; 0 when there is none."""
        return self._store.last_seq

    @property
    def head(self) -> bytes:
        """The chain's hash after the last durable event."""
        return self._store.head

    @property
    def waiting(self) -> int:
        """Appends that wait for their commit."""
        return 0 if self._thread is None else self._thread.waiting

    async def append(self, bodies: Sequence[Mapping[str, object]], *, keys: Sequence[KeyChange] = ()) -> Appended:
        """Make ``bodies`` and changes of hand keys durable, all or none, after every append that was called before.

        ``ValueError`` refuses a body that cannot be written, ``JournalOverloaded`` an append past ``MAX_WAITING``: neither
        changes anything. ``JournalFailed``: nothing of it was written, nor will anything be until the journal is opened again.
        An append that is cancelled while it waits may still be written.
        """
        if self._closed:
            raise JournalFailed("the journal takes nothing: it is closed")
        entry = self._store.prepare(bodies, keys)
        if self._thread is not None:
            return await self._thread.append(entry)
        appended = await self._commit_inline(entry)
        if self._keeper is not None:
            self._keeper.note(HighWater(self.origin.journal, appended.last_seq, appended.head))
        return appended

    async def _commit_inline(self, entry: Entry) -> Appended:
        if self._disk is None:
            (appended,) = self._store.commit([entry])
            return appended
        try:
            await self._disk.begin()
            (appended,) = self._store.commit([entry])
            await self._disk.end(appended.last_seq)
        except OSError as error:
            raise self._store.failed(error) from None
        return appended

    @property
    def rotation_due(self) -> bool:
        """Whether the next hand should begin a new file."""
        return self._store.rotation_due

    def continuation(self, created: str) -> Origin:
        """The origin of the file that would go on here."""
        return self._store.continuation(created)

    async def rotate(self, body: Mapping[str, object], origin: Origin) -> Appended | None:
        """Go on in a new file that begins with ``body``; ``None`` when that cannot be now, and the present file goes on.

        Only while no append waits. ``JournalFailed`` as for ``append``.
        """
        if self.waiting:
            raise JournalFailed("the journal cannot change its file while appends wait")
        try:
            if self._thread is None:
                prepared = await self._prepare_inline(body, origin)
            else:
                prepared = await asyncio.to_thread(self._store.prepare_next, body, origin)
        except (JournalFailed, OSError):
            return None  # no room for a second file, say: the present one takes what still fits
        if prepared is None:
            return None
        appended = self._store.switch()
        if appended is not None and self._disk is not None:
            try:
                await self._disk.end(appended.last_seq)
            except OSError as error:
                raise self._store.failed(error) from None
        if appended is not None and self._keeper is not None:
            self._keeper.note(HighWater(self.origin.journal, appended.last_seq, appended.head))
        return appended

    async def _prepare_inline(self, body: Mapping[str, object], origin: Origin) -> Appended | None:
        if self._disk is None:
            return self._store.prepare_next(body, origin)
        await self._disk.begin()
        prepared = self._store.prepare_next(body, origin)
        if prepared is not None:
            await self._disk.beside()
        return prepared

    def read(self, first_seq: int = 1, last_seq: int | None = None) -> Iterator[tuple[int, Body]]:
        """Number and body of durable events from ``first_seq`` to ``last_seq`` or the end, in order."""
        return self._store.events(first_seq, last_seq)

    def read_kept(self, first_seq: int = 1, last_seq: int | None = None) -> Iterator[tuple[int, Body]]:
        """The same as far as the files hold: what stands behind the damage in a closed one is left out, as if it were no longer
        kept, and the log names it."""
        due = first_seq
        while True:
            try:
                for seq, body in self.read(due, last_seq):
                    due = seq + 1
                    yield seq, body
                return
            except JournalDamaged as damage:
                _log.error("what it holds from record %d on is not told: restore it from a copy (%s)", damage.seq, damage)
                due = min(first for first in self.first_seqs() if first > max(due, damage.seq))

    def first_seqs(self) -> tuple[int, ...]:
        """The number of the first record of each file that is kept, oldest first."""
        return self._store.first_seqs()

    def head_at(self, seq: int) -> bytes | None:
        """The chain's hash after record ``seq``; ``None`` where the newest file does not hold it."""
        return self._store.head_at(seq)

    def head_kept(self, seq: int) -> bytes | None:
        """The same where a closed file holds it that is still in the folder."""
        return self._store.head_kept(seq)

    def hand_keys(self) -> dict[str, bytes]:
        """Wrapped keys by kid, as last committed."""
        return self._store.hand_keys()

    async def close(self) -> None:
        """Commit what waits, stop the thread, close the file and free the folder. Again is harmless."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            await self._thread.stop()
        self._store.close()
        if self._keeper is not None:
            self._keeper.close()


def _open_store(
    folder: Path | None,
    table: str,
    journal_id: str,
    created: str,
    at_least_epoch: int,
    rotate_after: int,
    high_water: Path | None,
) -> JournalStore:
    mark = None if high_water is None else read_high_water(high_water)
    if mark is not None and folder is not None and not (folder.is_dir() and any(folder.glob("journal*.sqlite3*"))):
        raise JournalDamaged(
            0,
            f"there is no journal in {folder}, and the witness {high_water} saw record {mark.seq} of one: restore the newest"
            " copy, or remove the witness to begin another",
        )
    store = JournalStore.open(folder, table=table, journal_id=journal_id, created=created, rotate_after=rotate_after)
    try:
        check_witness(mark, store.origin.journal, store.last_seq, store.head_at)
        store.raise_epoch(at_least=at_least_epoch)
    except JournalError:
        store.close()
        raise
    return store


_Waiting: TypeAlias = tuple[Entry, "asyncio.Future[Appended]"]


class _WriterThread:
    """Takes appends in order and commits those that wait together."""

    def __init__(self, store: JournalStore, loop: asyncio.AbstractEventLoop, keeper: HighWaterKeeper | None) -> None:
        self._unsettled: set[asyncio.Future[Appended]] = set()
        self._store = store
        self._loop = loop
        self._keeper = keeper
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._ended = loop.create_future()
        self._thread = Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        return len(self._unsettled)

    async def append(self, entry: Entry) -> Appended:
        if self._ended.done():
            raise JournalFailed("the journal's writer has ended")
        if len(self._unsettled) >= MAX_WAITING:
            raise JournalOverloaded(f"{MAX_WAITING} appends wait for the disk: this one was not taken")
        future: asyncio.Future[Appended] = self._loop.create_future()
        self._unsettled.add(future)
        self._queue.put((entry, future))
        return await future

    async def stop(self) -> None:
        self._queue.put(None)
        await asyncio.shield(self._ended)
        self._thread.join()

    def _run(self) -> None:
        try:
            while group := self._take():
                results = self._commit([entry for entry, _ in group])
                self._call(self._settle, [(future, result) for (_, future), result in zip(group, results, strict=True)])
        finally:
            self._call(self._end)

    def _take(self) -> list[_Waiting]:
        """What waits, at least one append; nothing when the journal closes and nothing waits before that."""
        group: list[_Waiting] = []
        item = self._queue.get()
        while item is not None:
            group.append(item)
            if len(group) == MAX_GROUP:
                return group
            try:
                item = self._queue.get_nowait()
            except Empty:
                return group
        if group:
            self._queue.put(None)
        return group

    def _commit(self, entries: list[Entry]) -> Sequence[_Result]:
        try:
            appended = self._store.commit(entries)
        except JournalError as error:
            return [type(error)(*error.args) for _ in entries]
        if self._keeper is not None:
            self._keeper.note(HighWater(self._store.origin.journal, appended[-1].last_seq, appended[-1].head))
        return appended

    def _call(self, told: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(told, *args)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    def _settle(self, told: list[tuple[asyncio.Future[Appended], _Result]]) -> None:
        for future, result in told:
            self._unsettled.discard(future)
            if future.done():
                continue
            if isinstance(result, JournalError):
                future.set_exception(result)
            else:
                future.set_result(result)

    def _end(self) -> None:
        """Whatever ended the thread, nobody waits for ever."""
        self._ended.set_result(None)
        for future in tuple(self._unsettled):
            if not future.done():
                future.set_exception(JournalFailed("the journal's writer has ended"))
