"""Keeps answers and logs beside the evidence in one SQLite file that a machine's processes share.

Must not hold anything that cannot be lost: the memory itself lives elsewhere.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from caselore.memory.aside_ports import KEPT, MOST, Answer, Kept, judged, told
from caselore.memory.encoding import stamp
from caselore.memory.stores.sqlite_file import mapped, write_ahead

PATIENCE = 15.0  # seconds to wait for another process that writes
_TABLES = (
    """CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL, status INTEGER, body TEXT
) STRICT""",
    """CREATE TABLE IF NOT EXISTS logs (
  bank TEXT NOT NULL, incident TEXT NOT NULL, until TEXT NOT NULL, packed BLOB NOT NULL,
  PRIMARY KEY (bank, incident)
) STRICT""",
)
_ANSWERED = """SELECT status, body FROM answers
WHERE key = ? AND request = ? AND at >= ? AND status IS NOT NULL"""
_PAST = "DELETE FROM logs WHERE until < ?"
_OLDEST = """DELETE FROM logs WHERE rowid IN (
  SELECT rowid FROM (
    SELECT rowid, sum(length(packed)) OVER (ORDER BY rowid DESC) AS held FROM logs
  ) WHERE held > ?)"""


class AsideFile:
    """Answers by key and logs by incident, in one file."""

    def __init__(self, path: Path, most: int = MOST) -> None:
        """Name the file, made when the first thing arrives; `most`: bytes of logs."""
        self._path, self._most = path, most

    def claim(self, key: str, request: str, now: datetime) -> Answer | None:
        """Take a key for a request, or give what the same request was answered.

        Raises: UnderWay while the first is; Conflict where the key is another request's.
        """
        request = told(request)
        with self._writing() as link:
            link.execute("DELETE FROM answers WHERE at < ?", (stamp(now - KEPT),))
            row = link.execute(
                "SELECT request, at, status, body FROM answers WHERE key = ?", (key,)
            ).fetchone()
            answer = judged(Kept(*row) if row else None, request, now)
            if answer is None:
                link.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, NULL, NULL)",
                    (key, request, stamp(now)),
                )
            return answer

    def answered(self, key: str, request: str, now: datetime) -> Answer | None:
        """Give what a request was answered, if it is done; the key is not taken."""
        if not self._path.exists():
            return None
        with self._writing() as link:
            row = link.execute(_ANSWERED, (key, told(request), stamp(now - KEPT))).fetchone()
        return Answer(*row) if row else None

    def keep(self, key: str, status: int, body: str) -> None:
        """Remember the answer to a key that was taken."""
        with self._writing() as link:
            link.execute(
                "UPDATE answers SET status = ?, body = ? WHERE key = ?", (status, body, key)
            )

    def free(self, key: str) -> None:
        """Give a key back whose request came to nothing."""
        with self._writing() as link:
            link.execute("DELETE FROM answers WHERE key = ?", (key,))

    def put_log(
        self, bank: str, incident: str, packed: bytes, until: datetime, now: datetime
    ) -> None:
        """Keep an incident's log until then, and let go of what is past or too much."""
        with self._writing() as link:
            link.execute(_PAST, (stamp(now),))
            link.execute(
                "INSERT OR REPLACE INTO logs VALUES (?, ?, ?, ?)",
                (bank, incident, stamp(until), packed),
            )
            link.execute(_OLDEST, (self._most,))

    def log(self, bank: str, incident: str, now: datetime) -> bytes | None:
        """Give an incident's log, if it is kept."""
        if not self._path.exists():
            return None
        with self._writing() as link:
            link.execute(_PAST, (stamp(now),))
            row = link.execute(
                "SELECT packed FROM logs WHERE bank = ? AND incident = ?", (bank, incident)
            ).fetchone()
        return bytes(row[0]) if row else None

    def forget(self, bank: str, ids: Iterable[str]) -> None:
        """Remove the logs of these records, and every answer that names one; leave no copy."""
        if not self._path.exists():
            return
        with self._writing() as link:
            for id in ids:
                link.execute("DELETE FROM logs WHERE bank = ? AND incident = ?", (bank, id))
                link.execute("DELETE FROM answers WHERE instr(body, ?)", (id,))
        with mapped(self._path), closing(sqlite3.connect(self._path, timeout=PATIENCE)) as link:
            link.execute("VACUUM")
            link.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Do nothing: no connection stays open."""

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with mapped(self._path):
            link = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
            try:
                write_ahead(link, PATIENCE)
                link.execute("PRAGMA synchronous = NORMAL")
                link.execute("PRAGMA secure_delete = ON")
                link.execute("BEGIN IMMEDIATE")
                for table in _TABLES:
                    link.execute(table)
                yield link
                link.execute("COMMIT")
            finally:
                link.close()
