"""The queue's tables: made once, in a schema of their own, and what is asked of them directly.

Must not change what Procrastinate means by them: it is asked through its own functions wherever it
has one that is safe among several processes.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import psycopg
from procrastinate import jobs as queued
from procrastinate.schema import SchemaManager
from psycopg.types.json import Jsonb

SCHEMA = "caselore_jobs"
OPTIONS: dict[str, Any] = {"options": f"-c search_path={SCHEMA}"}
_KIND = 22  # letters of a kind: with bank and place it makes 40
_TURN = "SELECT pg_advisory_xact_lock(hashtext(%(name)s))"

STARTED = "UPDATE procrastinate_jobs SET queueing_lock = NULL WHERE id = %(id)s"
KEEP = "UPDATE procrastinate_jobs SET args = args || %(more)s WHERE id = %(id)s"
# In one statement: between asking and retrying another process may take the job up.
RECOVER = """UPDATE procrastinate_jobs
  SET status = 'todo', attempts = attempts + 1, worker_id = NULL,
    queueing_lock = NULL, scheduled_at = NULL,
    args = args || '{"words": "its process gave no sign of life"}'
  WHERE status = 'doing' AND (worker_id IS NULL OR worker_id IN (
    SELECT id FROM procrastinate_workers
    WHERE last_heartbeat < now() - make_interval(secs => %(seconds)s)))"""
FAILED = """SELECT id, task_name, args FROM procrastinate_jobs
  WHERE status = 'failed' AND queue_name LIKE %(queues)s ORDER BY id LIMIT %(limit)s"""
AGAIN = """UPDATE procrastinate_jobs
  SET status = 'todo', attempts = 0, scheduled_at = NULL, args = args - 'free'
  WHERE id = %(id)s AND status = 'failed'"""
_KNOWN = """SELECT max(defer_timestamp) FROM procrastinate_periodic_defers
  WHERE task_name = %(task)s AND periodic_id = %(name)s"""
_WAITS = """SELECT 1 FROM procrastinate_jobs
  WHERE queueing_lock = %(name)s AND status = 'todo'"""
_BEGIN = """INSERT INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
  VALUES (%(task)s, %(name)s, %(at)s)"""
_DUE = """SELECT procrastinate_defer_periodic_job_v2(
  %(queue)s, %(lock)s, %(once)s, %(task)s, 0, %(name)s, %(at)s, %(args)s)"""


class Names:
    """How jobs of a bank are called on the queue: nothing crosses banks."""

    def __init__(self, bank: str, place: str) -> None:
        """Name the jobs of a bank, as a process of this place sees them."""
        self.prefix, self._place = f"{_short(bank)}:", place

    def queue(self, kind: str, place: str) -> str:
        """Give the queue of a kind that any process runs, or those of one place."""
        kind = kind if len(kind) <= _KIND else f"{kind[: _KIND - 9]}-{_short(kind)}"
        return f"{self.prefix}{kind}" + (f"@{_short(place)}" if place else "")

    def queues(self, kind: str) -> list[str]:
        """Give the queues of a kind that this process may take jobs from."""
        return [self.queue(kind, place) for place in {"", self._place}]

    def lock(self, name: str) -> str | None:
        """Give the name of a lock on the queue; None for none."""
        return f"{self.prefix}{name}" if name else None


def _short(text: str) -> str:
    """Give eight letters: a queue's name is a part of a channel's, which has 63 at most."""
    return b32encode(blake2b(text.encode(), digest_size=5).digest()).decode().lower()


def prepare(url: str) -> None:
    """Make the tables where they are missing, or bring them to the library's version, once."""
    steps = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    with psycopg.connect(url, **OPTIONS) as link:
        run(link, _TURN, {"name": SCHEMA})
        ((there,),) = run(link, "SELECT to_regnamespace(%(name)s)", {"name": SCHEMA})
        known = _version(link) if there else ""
        if known >= steps[-1].stem:
            return
        if not known:
            run(link, f"CREATE SCHEMA {SCHEMA}", {})
            link.execute(SchemaManager.get_schema().encode())
        for step in steps:
            if known and step.stem > known:
                link.execute(step.read_bytes())
        link.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{steps[-1].stem}'".encode())


def _version(link: psycopg.Connection[Any]) -> str:
    """Give the last step that made the tables what they are."""
    query = "SELECT obj_description(to_regnamespace(%(name)s)::oid)"
    ((step,),) = run(link, query, {"name": SCHEMA})
    return str(step or "0")


def schedule(
    link: psycopg.Connection[Any],
    name: str,
    period: timedelta,
    jobs: Sequence[tuple[datetime, queued.Job]],
) -> None:
    """Put in the jobs of a schedule whose due times are new, once for all processes.

    A schedule that is not known yet begins at the newest of them.
    """
    about = {"task": jobs[-1][1].task_name, "name": _short(name)}
    run(link, _TURN, {"name": name})
    ((known,),) = run(link, _KNOWN, about)
    if known is None:
        run(link, _BEGIN, {**about, "at": _seconds(jobs[-1][0])})
        return
    for at, job in jobs:
        if _seconds(at) > known:
            if job.queueing_lock and run(link, _WAITS, {"name": job.queueing_lock}):
                continue
            more = {
                "queue": job.queue,
                "lock": job.lock,
                "once": job.queueing_lock,
                "args": job.task_kwargs,
            }
            run(link, _DUE, {**about, **more, "at": _seconds(at)})


def _seconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp())


def run(
    link: psycopg.Connection[Any], query: str, values: dict[str, Any]
) -> list[tuple[Any, ...]]:
    """Run one statement and give its rows."""
    given = {name: Jsonb(one) if isinstance(one, dict) else one for name, one in values.items()}
    found = link.execute(query.encode(), given)
    return found.fetchall() if found.description else []
