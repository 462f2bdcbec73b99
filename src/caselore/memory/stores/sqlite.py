"""The embedded store: one SQLite file, durable at every commit, used by several processes at once.

Must not judge or derive anything.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from caselore.errors import StoreBusy
from caselore.memory.stores.sqlite_file import connect, mapped, prepare
from caselore.memory.stores.sqlite_view import SqliteView

BUSY = 15.0  # seconds to wait for another process's write
IDLE = 4  # connections kept open for the next call


class SqliteStore:
    """A bank's tables in one file; safe to share between threads."""

    def __init__(self, path: Path, *, busy: float = BUSY) -> None:
        """Open or make the file. Raises Unavailable where it cannot be used as it is."""
        self._path = Path(path)
        self._busy = busy
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = [prepare(self._path, busy)]
        # Stands from before content is removed until no old page can hold a copy of it.
        self._unscrubbed = self._path.with_name(self._path.name + "-scrub")
        if self._unscrubbed.exists():
            with suppress(StoreBusy):
                self.scrub()

    @contextmanager
    def reading(self) -> Iterator[SqliteView]:
        """Give one consistent view."""
        with self._transaction("BEGIN") as view:
            yield view

    @contextmanager
    def writing(self, bank: str = "") -> Iterator[SqliteView]:
        """Give one transaction, of any bank: kept whole at the end of the block, or not at all."""
        with self._transaction("BEGIN IMMEDIATE") as view:
            yield view

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[SqliteView]:
        link = self._take()
        try:
            with mapped(self._path):
                link.execute(begin)
                view = SqliteView(link, self._unscrubbed.touch)
                try:
                    yield view
                    view.flush()
                finally:
                    view.let_go()
                link.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                link.rollback()
            raise
        finally:
            self._give_back(link)

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return connect(self._path, self._busy)

    def _give_back(self, link: sqlite3.Connection) -> None:
        with self._lock:
            if len(self._idle) < IDLE and not link.in_transaction:
                self._idle.append(link)
                return
        link.close()

    def copy_to(self, file: Path) -> None:
        """Copy all that is committed into a new file, while others may write."""
        link = self._take()
        try:
            with mapped(self._path), closing(sqlite3.connect(file)) as copy:
                link.backup(copy)
        finally:
            self._give_back(link)

    def scrub(self) -> None:
        """Rewrite the file and empty its write-ahead log, so that nothing removed can be read.

        Raises StoreBusy where another reader still holds a copy; calling again finishes.
        """
        link = self._take()
        try:
            with mapped(self._path):
                link.execute("VACUUM")
                blocked, _, _ = link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._give_back(link)
        if blocked:
            raise StoreBusy("another reader keeps the write-ahead log from being emptied")
        self._unscrubbed.unlink(missing_ok=True)

    def close(self) -> None:
        """Close every idle connection; the last one to close folds the write-ahead log in."""
        with self._lock:
            idle, self._idle = self._idle, []
        for link in idle:
            link.close()
