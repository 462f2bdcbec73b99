"""Keeps answers and logs beside the evidence in a schema of its own, for every server of a team.

Must not touch the schema of the evidence, nor keep any state in a session.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

import psycopg

from caselore.memory.aside_ports import KEPT, MOST, Answer, Kept, judged, told
from caselore.memory.encoding import stamp
from caselore.memory.stores.postgres import CONNECT
from caselore.memory.stores.postgres import _mapped as mapped
from caselore.memory.stores.postgres_view import Link

_TABLES = (
    b"CREATE SCHEMA IF NOT EXISTS caselore_aside",
    b"""CREATE TABLE IF NOT EXISTS caselore_aside.answers (
  key TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL, status INTEGER, body TEXT)""",
    b"""CREATE TABLE IF NOT EXISTS caselore_aside.logs (
  bank TEXT NOT NULL, incident TEXT NOT NULL, until TEXT NOT NULL, packed BYTEA NOT NULL,
  number BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (bank, incident))""",
)
_ANSWERED = b"""SELECT status, body FROM caselore_aside.answers
WHERE key = %s AND request = %s AND at >= %s AND status IS NOT NULL"""
_PAST = b"DELETE FROM caselore_aside.logs WHERE until < %s"
_OLDEST = b"""DELETE FROM caselore_aside.logs WHERE number IN (
  SELECT number FROM (
    SELECT number, sum(length(packed)) OVER (ORDER BY number DESC) AS held
    FROM caselore_aside.logs) AS every WHERE held > %s)"""
_TURN = b"SELECT pg_advisory_xact_lock(hashtext('caselore_aside'), hashtext(%s))"


class AsideTable:
    """Answers by key and logs by incident, in one database."""

    def __init__(self, url: str, most: int = MOST) -> None:
        """Name the database; nothing is opened yet. `most`: bytes of logs."""
        self._url, self._most = url, most
        self._lock = threading.Lock()
        self._link: Link | None = None

    def claim(self, key: str, request: str, now: datetime) -> Answer | None:
        """Take a key for a request, or give what the same request was answered.

        Raises: UnderWay while the first is; Conflict where the key is another request's.
        """
        request = told(request)
        with self._writing() as link:
            link.execute(_TURN, (key,))
            link.execute(b"DELETE FROM caselore_aside.answers WHERE at < %s", (stamp(now - KEPT),))
            row = link.execute(
                b"SELECT request, at, status, body FROM caselore_aside.answers WHERE key = %s",
                (key,),
            ).fetchone()
            answer = judged(Kept(*row) if row else None, request, now)
            if answer is None:
                link.execute(
                    b"INSERT INTO caselore_aside.answers VALUES (%s, %s, %s, NULL, NULL) "
                    b"ON CONFLICT (key) DO UPDATE SET at = excluded.at",
                    (key, request, stamp(now)),
                )
            return answer

    def answered(self, key: str, request: str, now: datetime) -> Answer | None:
        """Give what a request was answered, if it is done; the key is not taken."""
        with self._writing() as link:
            row = link.execute(_ANSWERED, (key, told(request), stamp(now - KEPT))).fetchone()
        return Answer(*row) if row else None

    def keep(self, key: str, status: int, body: str) -> None:
        """Remember the answer to a key that was taken."""
        with self._writing() as link:
            link.execute(
                b"UPDATE caselore_aside.answers SET status = %s, body = %s WHERE key = %s",
                (status, body, key),
            )

    def free(self, key: str) -> None:
        """Give a key back whose request came to nothing."""
        with self._writing() as link:
            link.execute(b"DELETE FROM caselore_aside.answers WHERE key = %s", (key,))

    def put_log(
        self, bank: str, incident: str, packed: bytes, until: datetime, now: datetime
    ) -> None:
        """Keep an incident's log until then, and let go of what is past or too much."""
        with self._writing() as link:
            link.execute(_PAST, (stamp(now),))
            link.execute(
                b"INSERT INTO caselore_aside.logs (bank, incident, until, packed) "
                b"VALUES (%s, %s, %s, %s) ON CONFLICT (bank, incident) "
                b"DO UPDATE SET until = excluded.until, packed = excluded.packed, "
                b"number = DEFAULT",
                (bank, incident, stamp(until), packed),
            )
            link.execute(_OLDEST, (self._most,))

    def log(self, bank: str, incident: str, now: datetime) -> bytes | None:
        """Give an incident's log, if it is kept."""
        with self._writing() as link:
            link.execute(_PAST, (stamp(now),))
            row = link.execute(
                b"SELECT packed FROM caselore_aside.logs WHERE bank = %s AND incident = %s",
                (bank, incident),
            ).fetchone()
        return bytes(row[0]) if row else None

    def forget(self, bank: str, ids: Iterable[str]) -> None:
        """Remove the logs of these records, and every answer that names one; leave no copy."""
        with self._writing() as link:
            for id in ids:
                link.execute(
                    b"DELETE FROM caselore_aside.logs WHERE bank = %s AND incident = %s",
                    (bank, id),
                )
                link.execute(
                    b"DELETE FROM caselore_aside.answers WHERE strpos(body, %s) > 0", (id,)
                )
        with mapped(), self._lock:
            link = self._linked()
            link.execute(b"VACUUM (FULL) caselore_aside.logs")
            link.execute(b"VACUUM (FULL) caselore_aside.answers")

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._link is not None:
                self._link.close()
            self._link = None

    @contextmanager
    def _writing(self) -> Iterator[Link]:
        """Give one transaction; they are short, and take turns on one connection."""
        with mapped(), self._lock:
            link = self._linked()
            link.execute(b"BEGIN")
            try:
                yield link
                link.execute(b"COMMIT")
            except BaseException:
                with suppress(psycopg.Error):
                    link.execute(b"ROLLBACK")
                raise

    def _linked(self) -> Link:
        """Give the connection; one that was cut off is opened anew."""
        if self._link is not None:
            with suppress(psycopg.Error):
                self._link.execute(b"SELECT 1")
                return self._link
            self._link.close()
        self._link = psycopg.connect(
            self._url, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT
        )
        self._make(self._link)
        return self._link

    def _make(self, link: Link) -> None:
        """Make the tables where they are not; several servers may do so at once."""
        with link.transaction():
            link.execute(b"SET LOCAL client_min_messages = warning")
            link.execute(_TURN, ("",))
            for table in _TABLES:
                link.execute(table)
