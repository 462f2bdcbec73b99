"""The engine inside: jobs in the memory's own store, run by whichever process comes first.

Must not know what any work is, nor a database: a shelf keeps the jobs.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta

from caselore.errors import CaseloreError
from caselore.jobs.ports import (
    Every,
    Failed,
    Job,
    Kept,
    Left,
    Order,
    Ran,
    Retry,
    Shelf,
    Wanted,
    due,
    timed,
)
from caselore.jobs.register import Register

LEASE = 60.0  # seconds without a sign of life after which a process's jobs are another's
THREADS = 4
Running = dict[Future[Left], Kept]


class EmbeddedJobs(Register):
    """Jobs of one bank, run in threads of this process; several processes share the shelf."""

    def __init__(
        self,
        shelf: Shelf,
        clock: Callable[[], datetime],
        holder: str,
        *,
        place: str = "",
        threads: int = THREADS,
        lease: float = LEASE,
    ) -> None:
        """Run jobs as `holder`, a name that no other process has; `place` says where it runs."""
        super().__init__(clock)
        self._shelf, self._holder, self._place = shelf, holder, place
        self._threads, self._lease = threads, lease

    def defer(self, orders: Sequence[Order]) -> int:
        """Put in jobs."""
        now = self._clock()
        return self._shelf.add_jobs([_wanted(one, now + one.after) for one in orders])

    def round(self) -> Ran:
        """Run all that is due."""
        ran, running = Ran(), Running()
        with ThreadPoolExecutor(self._threads) as pool:
            beaten = time.monotonic()
            while True:
                self._tick()
                self._take(pool, running)
                if not running:
                    return ran
                done, _ = wait(running, self._lease / 3, FIRST_COMPLETED)
                self._leave(ran, running, done)
                if running and time.monotonic() - beaten >= self._lease / 3:
                    beaten = time.monotonic()
                    self._shelf.hold_jobs(self._holder, self._clock(), self._lease)

    def work(
        self,
        stop: threading.Event,
        tell: Callable[[Ran], None] = lambda ran: None,
        idle: float = 1.0,
    ) -> None:
        """Run what is due as it becomes due."""
        while not stop.is_set():
            try:
                tell(self.round())
            except CaseloreError as error:  # the store does not answer; what is kept is not lost
                tell(Ran(errors=[str(error)]))
            stop.wait(idle)

    def failed(self, limit: int = 1_000) -> list[Failed]:
        """Give the jobs that used up their tries."""
        found = self._shelf.jobs("failed", limit)
        return [Failed(one.id, one.kind, json.loads(one.about), one.error) for one in found]

    def again(self, id: str) -> None:
        """Let a failed job be tried again."""
        self._shelf.try_job(id, self._clock())

    def close(self) -> None:
        """Leave the shelf to whom it belongs."""

    # Schedules

    def _due(self, name: str, schedule: Every, order: Order, missed: list[datetime]) -> None:
        jobs = [(at, _wanted(timed(order, at), at)) for at in missed]
        self._shelf.schedule_jobs(name, missed[-1], jobs)

    # Running

    def _take(self, pool: ThreadPoolExecutor, running: Running) -> None:
        room = self._threads - len(running)
        if 2 * room < self._threads:
            return  # a write for several jobs is cheaper than one for each
        taken = self._shelf.take_jobs(
            tuple(self._kinds), self._place, self._holder, self._clock(), self._lease, room
        )
        for one in taken:
            running[pool.submit(self._run, one)] = one

    def _run(self, kept: Kept) -> Left:
        """Do one job; say how it is left."""
        act, retry = self._kinds[kept.kind]
        about = json.loads(kept.about)
        job = Job(kept.id, kept.kind, about, kept.tries, due(about) or _time(kept.due_at))
        if job.tries > retry.tries:
            return (job.id, job.tries, "failed", self._clock(), kept.error, True)
        try:
            later = act(job)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the job is not lost
            return self._stumbled(job, retry, error)
        if later is None:
            return (job.id, job.tries, "", self._clock(), "", True)
        return (job.id, job.tries, "waiting", self._clock() + later, "", False)

    def _stumbled(self, job: Job, retry: Retry, error: Exception) -> Left:
        pause, words = retry.after(job.tries), f"{type(error).__name__}: {error}"
        state = "failed" if pause is None else "waiting"
        return (job.id, job.tries, state, self._clock() + (pause or timedelta(0)), words, True)

    def _leave(self, ran: Ran, running: Running, done: set[Future[Left]]) -> None:
        left = []
        for one in done:
            kept = running.pop(one)
            left.append(one.result())
            _, _, state, _, words, _ = left[-1]
            ran.done += not state
            ran.again += state == "waiting"
            if words:
                ran.errors.append(f"{kept.kind}: {words}")
        if left:
            self._shelf.leave_jobs(self._holder, left, self._clock())


def _wanted(order: Order, due: datetime) -> Wanted:
    about = json.dumps(dict(order.about), sort_keys=True, ensure_ascii=False)
    return order.kind, order.lock, order.once, order.place, about, due


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
