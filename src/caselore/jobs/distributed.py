"""The engine beside: jobs on Procrastinate, in the Postgres that the memory lives in.

Its tables stand in a schema of their own. The database must be reached directly, or through a pool
of whole sessions: a worker listens on its connection. Must not know what any work is.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import psycopg
from procrastinate import App, JobContext, PsycopgConnector, SyncPsycopgConnector
from procrastinate import jobs as queued
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import DeleteJobCondition
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from caselore.errors import Unavailable
from caselore.jobs import queue_tables
from caselore.jobs.ports import (
    Every,
    Failed,
    Job,
    Order,
    Ran,
    Retry,
    due,
    timed,
)
from caselore.jobs.register import Register

LEASE = 60.0  # seconds without a heartbeat after which a process's jobs are another's
THREADS = 4


class _AgainError(Exception):
    """Tells the queue when a job is to be run again."""

    def __init__(self, at: datetime) -> None:
        super().__init__(at)
        self.at = at


class _SpentError(Exception):
    """Tells the queue that a job used up its tries."""


class _AsTold(BaseRetryStrategy):
    def get_retry_decision(
        self, *, exception: BaseException, job: queued.Job
    ) -> RetryDecision | None:
        return RetryDecision(retry_at=exception.at) if isinstance(exception, _AgainError) else None


class QueueJobs(Register):
    """Jobs of one bank on a queue that several machines share."""

    def __init__(
        self,
        url: str,
        bank: str,
        clock: Callable[[], datetime],
        *,
        place: str = "",
        threads: int = THREADS,
        lease: float = LEASE,
    ) -> None:
        """Use the queue in this database, made at first use. Raises: Unavailable."""
        super().__init__(clock)
        self._names = queue_tables.Names(bank, place)
        self._threads, self._lease = threads, lease
        self._looked = 0.0
        self._ran, self._ended, self._lock = Ran(), 0, threading.Lock()
        _quiet()
        self._pool: dict[str, Any] = {
            "conninfo": url, "kwargs": queue_tables.OPTIONS, "min_size": 1, "max_size": threads + 2
        }  # fmt: skip
        with _mapped():
            queue_tables.prepare(url)
            self._sync = App(connector=SyncPsycopgConnector(**self._pool))
            self._sync.open()

    def defer(self, orders: Sequence[Order]) -> int:
        """Put in jobs."""
        jobs = [self._queued(one) for one in orders]
        for one in jobs:
            json.dumps(one.task_kwargs)
        with _mapped():
            return self._put(jobs)

    def _put(self, jobs: list[queued.Job]) -> int:
        """Put in what is new: all at once, or by halves where one of them waits already."""
        if not jobs:
            return 0
        try:
            return len(self._sync.job_manager.batch_defer_jobs(jobs))
        except AlreadyEnqueued:
            half = len(jobs) // 2
            return self._put(jobs[:half]) + self._put(jobs[half:]) if half else 0

    def _queued(self, order: Order) -> queued.Job:
        later = self._clock() + order.after if order.after > timedelta(0) else None
        return queued.Job(
            id=None,
            queue=self._names.queue(order.kind, order.place),
            lock=self._names.lock(order.lock),
            queueing_lock=self._names.lock(order.once),
            task_name=order.kind,
            task_kwargs={"about": dict(order.about)},
            scheduled_at=later,
            priority=0,
        )

    # Running

    def round(self) -> Ran:
        """Run all that is due."""
        total = Ran()
        while True:
            self._tick()
            self._ended = 0
            with _mapped():
                asyncio.run(self._drain())
            ran = self._take_ran()
            total.done, total.again = total.done + ran.done, total.again + ran.again
            total.errors += ran.errors
            if not self._ended:  # nothing made room for what waited behind it
                return total

    def work(
        self,
        stop: threading.Event,
        tell: Callable[[Ran], None] = lambda ran: None,
        idle: float = 1.0,
    ) -> None:
        """Run what is due as it becomes due; a connection that is lost is taken up again."""
        while not stop.is_set():
            try:
                with _mapped():
                    asyncio.run(self._serve(stop, tell, idle))
            except Unavailable as error:
                tell(Ran(errors=[str(error)]))
                stop.wait(idle)
        tell(self._take_ran())

    async def _drain(self) -> None:
        app = self._app()
        async with app.open_async():
            await app.run_worker_async(wait=False, listen_notify=False, **self._options())

    async def _serve(
        self, stop: threading.Event, tell: Callable[[Ran], None], idle: float
    ) -> None:
        app = self._app()
        async with app.open_async():
            options = self._options()
            worker = asyncio.create_task(
                app.run_worker_async(wait=True, fetch_job_polling_interval=idle, **options)
            )
            try:
                while not stop.is_set() and not worker.done():
                    await asyncio.to_thread(self._tick)
                    tell(self._take_ran())
                    await asyncio.wait([worker], timeout=idle)
            finally:
                worker.cancel()
                with suppress(asyncio.CancelledError):
                    await worker

    def _app(self) -> App:
        app = App(connector=PsycopgConnector(**self._pool))
        for kind in self._kinds:
            app.task(name=kind, pass_context=True, retry=_AsTold())(self._run)
        return app

    def _options(self) -> dict[str, Any]:
        return {
            "queues": [one for kind in self._kinds for one in self._names.queues(kind)],
            "concurrency": self._threads,
            "delete_jobs": DeleteJobCondition.SUCCESSFUL,
            "install_signal_handlers": False,
            "update_heartbeat_interval": self._lease / 3,
            "stalled_worker_timeout": self._lease,
        }

    def _run(
        self, context: JobContext, about: dict[str, Any], free: int = 0, words: str = ""
    ) -> None:
        """Do one job; `free` runs were no tries, `words` are of the last that failed."""
        taken = context.job
        act, retry = self._kinds[taken.task_name]
        if taken.queueing_lock:  # it no longer waits: the next of its `once` may
            self._sql(queue_tables.STARTED, id=taken.id)
        at = due(about) or taken.scheduled_at or self._clock()
        job = Job(str(taken.id), taken.task_name, about, taken.attempts + 1 - free, at)
        if job.tries > retry.tries:  # each time its process died
            self._stumbled(job, retry, _SpentError(words))
        try:
            later = act(job)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the job is not lost
            self._stumbled(job, retry, error)
        self._count(done=later is None)
        if later is not None:
            self._sql(queue_tables.KEEP, id=taken.id, more={"free": free + 1})
            raise _AgainError(self._clock() + later)

    def _stumbled(self, job: Job, retry: Retry, error: Exception) -> None:
        words, pause = f"{type(error).__name__}: {error}", retry.after(job.tries)
        words = str(error) if isinstance(error, _SpentError) else words
        self._sql(queue_tables.KEEP, id=int(job.id), more={"words": words})
        with self._lock:
            self._ran.errors.append(f"{job.kind}: {words}")
            self._ran.again += pause is not None
            self._ended += pause is None
        if pause is None:
            raise _SpentError(words) from error
        raise _AgainError(self._clock() + pause) from error

    def _count(self, *, done: bool) -> None:
        with self._lock:
            self._ran.done += done
            self._ended += done
            self._ran.again += not done

    def _take_ran(self) -> Ran:
        with self._lock:
            ran, self._ran = self._ran, Ran()
        return ran

    # Schedules, and jobs of processes that died

    def _tick(self) -> None:
        super()._tick()
        if time.monotonic() - self._looked >= self._lease / 3:
            self._looked = time.monotonic()
            self._sql(queue_tables.RECOVER, seconds=self._lease)

    def _due(self, name: str, schedule: Every, order: Order, missed: list[datetime]) -> None:
        jobs = [(at, self._queued(timed(order, at))) for at in missed]
        with _mapped(), self._connected() as link:
            queue_tables.schedule(link, self._names.lock(name) or "", schedule.period, jobs)

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        connector = self._sync.connector
        assert isinstance(connector, SyncPsycopgConnector)
        with connector.pool.connection() as link:
            yield link

    def _sql(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        with _mapped(), self._connected() as link:
            return queue_tables.run(link, query, values)

    # For people

    def failed(self, limit: int = 1_000) -> list[Failed]:
        """Give the jobs that used up their tries."""
        found = self._sql(queue_tables.FAILED, queues=self._names.prefix + "%", limit=limit)
        return [
            Failed(str(id), kind, args["about"], args.get("words", "")) for id, kind, args in found
        ]

    def again(self, id: str) -> None:
        """Let a failed job be tried again."""
        self._sql(queue_tables.AGAIN, id=int(id))

    def close(self) -> None:
        """Let go of the connections."""
        self._sync.close()


def _quiet() -> None:
    """Keep its log off the terminal: what goes wrong is told by us."""
    log = logging.getLogger("procrastinate")
    if log.level == logging.NOTSET:
        log.setLevel(logging.CRITICAL)


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except (ConnectorException, psycopg.Error) as error:
        words = " ".join(str(error.__cause__ or error).split())
        raise Unavailable(
            f"The queue in the database does not answer ({words}). What was deferred is kept.",
            hint="Does the server of CASELORE_DATABASE_URL run?",
        ) from error
