"""Remembers for a day what a request with a key of its own was answered, so that it is done once.

Must not hold anything that cannot be lost: the memory itself lives elsewhere.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from caselore.errors import Conflict
from caselore.memory.encoding import digest, stamp
from caselore.memory.stores.sqlite_file import mapped

KEPT = timedelta(hours=24)
UNFINISHED = timedelta(minutes=2)  # after which a request without an answer is taken for dead
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL, status INTEGER, body TEXT
) STRICT"""


class Answer(NamedTuple):
    """What a request was answered."""

    status: int
    body: str


class AnswersFile:
    """Answers by key, in one SQLite file that the processes of a machine share."""

    def __init__(self, path: Path) -> None:
        """Name the file; it is made when the first key arrives."""
        self._path = path

    def claim(self, key: str, request: str, now: datetime) -> Answer | None:
        """Take a key for a request, or give what the same request was answered.

        Raises: Conflict where the key is another request's, or the first is still under way.
        """
        request = digest(request)  # what was asked is only compared
        with self._writing() as link:
            link.execute("DELETE FROM answers WHERE at < ?", (stamp(now - KEPT),))
            row = link.execute(
                "SELECT request, at, status, body FROM answers WHERE key = ?", (key,)
            ).fetchone()
            dead = row and row[2] is None and row[1] < stamp(now - UNFINISHED)
            if row and row[0] != request:
                raise Conflict("This Idempotency-Key was used for another request.", hint=_OTHER)
            if row and not dead:
                return _answer(row[2], row[3])
            link.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, NULL, NULL)",
                (key, request, stamp(now)),
            )
            return None

    def keep(self, key: str, status: int, body: str) -> None:
        """Remember the answer to a key that was taken."""
        with self._writing() as link:
            link.execute(
                "UPDATE answers SET status = ?, body = ? WHERE key = ?", (status, body, key)
            )

    def forget(self, ids: Iterable[str]) -> None:
        """Remove every answer that names one of these records, and leave no copy in the file."""
        if not self._path.exists():
            return
        with self._writing() as link:
            for id in ids:
                link.execute("DELETE FROM answers WHERE instr(body, ?)", (id,))
        with mapped(self._path), closing(sqlite3.connect(self._path, timeout=15)) as link:
            link.execute("VACUUM")
            link.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def free(self, key: str) -> None:
        """Give a key back whose request came to nothing."""
        with self._writing() as link:
            link.execute("DELETE FROM answers WHERE key = ?", (key,))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with mapped(self._path):
            link = sqlite3.connect(self._path, timeout=15, isolation_level=None)
            try:
                link.execute("PRAGMA journal_mode = WAL")
                link.execute("PRAGMA synchronous = NORMAL")
                link.execute("BEGIN IMMEDIATE")
                link.execute(_TABLE)
                yield link
                link.execute("COMMIT")
            finally:
                link.close()


_OTHER = "Use a new key for each request; repeat a key only with the very same body."


def _answer(status: int | None, body: str) -> Answer:
    if status is None:
        raise Conflict(
            "The first request with this Idempotency-Key is still under way.",
            hint="Wait a moment, then send it again: it is done once.",
        )
    return Answer(status, body)
