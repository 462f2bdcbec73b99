"""The team's store: one Postgres database, several processes at once, through PgBouncer or not.

Must not judge or derive anything, nor keep any state in a session.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from caselore.errors import (
    CaseloreError,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    Unavailable,
)
from caselore.memory.stores.named_sql import migrations
from caselore.memory.stores.postgres_view import Link, PostgresView

BUSY = 15.0  # seconds to wait for another process's write
IDLE = 4  # connections kept open for the next call
CONNECT = 10  # seconds to wait for the server's answer
PAUSE = 0.05  # seconds between two looks at other readers
SCRUBBED = (
    *("payloads", "cases", "links", "held", "greens", "exhibits", "words", "tallies"),
    "facets",
    *("changes", "attempts", "outbox"),
    "ledger",
)

_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresStore:
    """Banks in the schema `caselore` of one database; safe to share between threads."""

    def __init__(self, url: str, *, busy: float = BUSY) -> None:
        """Open the database and bring it to this version. Raises Unavailable."""
        self._url, self._busy = url, busy
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[Link] = []
        # SET LOCAL ends with its transaction, so that no pooled session keeps it.
        settings = f"SET LOCAL lock_timeout = {int(busy * 1000)}"
        self._write = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {settings}".encode()
        try:
            with _mapped():
                link = self._take()
                try:
                    self._prepare(link)
                finally:
                    self._give_back(link)
            self._finish_scrubbing()
        except BaseException:
            self.close()
            raise

    def _prepare(self, link: Link) -> None:
        known = migrations("postgres")
        if _version(link) == len(known):
            return
        with self._began(link, self._write):
            _take_turn(link, "\0migration")
            link.execute(b"CREATE SCHEMA IF NOT EXISTS caselore")
            link.execute(
                b"CREATE TABLE IF NOT EXISTS caselore.migrations (version BIGINT PRIMARY KEY)"
            )
            version = _version(link)
            if version > len(known):
                raise StoreTooNew(
                    f"The database has version {version}; this caselore knows {len(known)}."
                )
            for number, script in enumerate(known[version:], version + 1):
                link.execute(script.encode())
                link.execute(b"INSERT INTO caselore.migrations VALUES (%s)", (number,))

    @contextmanager
    def reading(self) -> Iterator[PostgresView]:
        """Give one consistent view."""
        with _mapped(), self._connected(_READ) as link:
            view = PostgresView(link, _mark)
            try:
                yield view
            finally:
                view.let_go()

    @contextmanager
    def writing(self, bank: str) -> Iterator[PostgresView]:
        """Give one transaction: kept whole at the end of the block, or not at all.

        Writers of one bank take turns, so that its chain has one end.
        """
        with _mapped(), self._connected(self._write) as link:
            _take_turn(link, bank)
            view = PostgresView(link, _mark)
            try:
                yield view
                view.flush()
            finally:
                view.let_go()

    @contextmanager
    def _connected(self, begin: bytes) -> Iterator[Link]:
        link = self._take(begin)
        try:
            with self._ending(link):
                yield link
        finally:
            self._give_back(link)

    @contextmanager
    def _began(self, link: Link, begin: bytes) -> Iterator[None]:
        link.execute(begin)
        with self._ending(link):
            yield

    @contextmanager
    def _ending(self, link: Link) -> Iterator[None]:
        try:
            yield
            link.execute(b"COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                link.execute(b"ROLLBACK")
            raise

    def _take(self, first: bytes = b"SELECT 1") -> Link:
        """Give a connection that ran a first statement; an idle one may have been cut off."""
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            link = idle or psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT
            )
            try:
                link.execute(first)
                return link
            except BaseException as error:
                link.close()
                if idle is None or not isinstance(error, psycopg.Error):
                    raise

    def _give_back(self, link: Link) -> None:
        with self._lock:
            free = link.info.transaction_status is TransactionStatus.IDLE
            if free and len(self._idle) < IDLE and not self._closed:
                self._idle.append(link)
                return
        link.close()

    def scrub(self) -> None:
        """Rewrite the tables, so that nothing removed stands in any of them.

        Raises StoreBusy where another reader still holds a copy; calling again finishes.
        """
        with _mapped():
            link = self._take()
            try:
                self._alone(link)
                for table in SCRUBBED:
                    link.execute(f"VACUUM (FULL) caselore.{table}".encode())
                link.execute(b"DELETE FROM caselore.unscrubbed")
            finally:
                self._give_back(link)

    def _alone(self, link: Link) -> None:
        deadline = time.monotonic() + self._busy
        while link.execute(_READERS).fetchone() != (0,):
            if time.monotonic() > deadline:
                raise StoreBusy("another transaction may still read the old rows")
            time.sleep(PAUSE)

    def _finish_scrubbing(self) -> None:
        with _mapped(), suppress(StoreBusy):
            with self._connected(_READ) as link:
                left = link.execute(b"SELECT EXISTS (SELECT FROM caselore.unscrubbed)").fetchone()
            if left == (True,):
                self.scrub()

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            self._closed = True  # what a reader that was left unfinished gives back is closed, too
            idle, self._idle = self._idle, []
        for link in idle:
            link.close()


_READERS = b"""SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL AND backend_type = 'client backend'"""


def _version(link: Link) -> int:
    there = link.execute(b"SELECT to_regclass('caselore.migrations') IS NOT NULL").fetchone()
    if there != (True,):
        return 0
    row = link.execute(b"SELECT coalesce(max(version), 0) FROM caselore.migrations").fetchone()
    return int(row[0]) if row else 0


def _take_turn(link: Link, bank: str) -> None:
    """Wait for the writers of a bank before this one; the lock ends with the transaction."""
    key = int.from_bytes(blake2b(f"caselore {bank}".encode(), digest_size=8).digest(), signed=True)
    link.execute(b"SELECT pg_advisory_xact_lock(%s)", (key,))


def _mark(link: Link) -> None:
    """Note, in the transaction that removes content, that old rows hold it until a scrub."""
    link.execute(b"INSERT INTO caselore.unscrubbed VALUES ('rows') ON CONFLICT DO NOTHING")


_BY_KIND: tuple[tuple[type[psycopg.Error], type[Unavailable]], ...] = (
    (errors.LockNotAvailable, StoreBusy),
    (errors.DiskFull, StoreFull),
    (errors.ReadOnlySqlTransaction, StoreReadOnly),
    (errors.InsufficientPrivilege, StoreReadOnly),
    (errors.DataCorrupted, StoreDamaged),
    (errors.IndexCorrupted, StoreDamaged),
    (errors.UndefinedTable, StoreDamaged),
    (errors.UndefinedColumn, StoreDamaged),
)


@contextmanager
def _mapped() -> Iterator[None]:
    """Let Postgres's errors leave as ours; its words name no password."""
    try:
        yield
    except CaseloreError:
        raise
    except psycopg.Error as error:
        kind = next((ours for theirs, ours in _BY_KIND if isinstance(error, theirs)), Unavailable)
        words = " ".join(str(error).split())
        hint = "" if kind is not Unavailable else "Does the server of CASELORE_DATABASE_URL run?"
        raise kind(
            f"{(kind.__doc__ or '').strip()} (Postgres says: {words})", hint=hint
        ) from error
